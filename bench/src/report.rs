//! The report: a table in Markdown, one line a figure.

use std::fmt;
use std::time::Duration;

/// What a figure must not pass.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bound {
    AtMost(f64),
    AtLeast(f64),
}

impl Bound {
    fn admits(self, value: f64) -> bool {
        match self {
            Self::AtMost(most) => value <= most,
            Self::AtLeast(least) => value >= least,
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtMost(most) => write!(f, "≤ {most}"),
            Self::AtLeast(least) => write!(f, "≥ {least}"),
        }
    }
}

/// A number that has a bound, or is only told.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Judged {
    pub value: f64,
    /// `×`, ` MB`, …
    pub unit: &'static str,
    pub bound: Option<Bound>,
}

impl Judged {
    /// How many times the yardstick, at most `most`.
    pub fn times(value: Duration, yardstick: Duration, most: f64) -> Self {
        let value = value.as_secs_f64() / yardstick.as_secs_f64();
        Self { value, unit: "×", bound: Some(Bound::AtMost(most)) }
    }

    pub fn at_most(value: f64, unit: &'static str, most: f64) -> Self {
        Self { value, unit, bound: Some(Bound::AtMost(most)) }
    }

    pub fn at_least(value: f64, unit: &'static str, least: f64) -> Self {
        Self { value, unit, bound: Some(Bound::AtLeast(least)) }
    }

    pub fn told(value: f64, unit: &'static str) -> Self {
        Self { value, unit, bound: None }
    }

    /// Whether the bound holds; what has none cannot break it.
    pub fn holds(&self) -> bool {
        self.bound.is_none_or(|bound| bound.admits(self.value))
    }
}

/// One figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    pub what: String,
    pub measured: String,
    /// What it is compared with, measured in the same run.
    pub beside: String,
    pub judged: Judged,
}

impl Row {
    pub fn new(
        what: impl Into<String>,
        measured: impl Into<String>,
        beside: impl Into<String>,
        judged: Judged,
    ) -> Self {
        Self { what: what.into(), measured: measured.into(), beside: beside.into(), judged }
    }
}

/// Everything that was measured.
#[derive(Debug, Clone, Default)]
pub struct Report {
    pub rows: Vec<Row>,
    /// What could not be measured, and why.
    pub failures: Vec<String>,
}

impl Report {
    pub fn missed(&self) -> usize {
        self.rows.iter().filter(|row| !row.judged.holds()).count()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| what | measured | beside | figure | bound | |")?;
        writeln!(f, "|---|---|---|---|---|---|")?;
        for Row { what, measured, beside, judged } in &self.rows {
            let Judged { value, unit, bound } = judged;
            let value = shown(*value);
            let (bound, word) = match bound {
                Some(bound) if judged.holds() => (format!("{bound}{unit}"), "held"),
                Some(bound) => (format!("{bound}{unit}"), "**missed**"),
                None => (String::new(), ""),
            };
            writeln!(f, "| {what} | {measured} | {beside} | {value}{unit} | {bound} | {word} |")?;
        }
        Ok(())
    }
}

/// Three digits are as much as a measurement is worth.
fn shown(value: f64) -> String {
    if value == 0.0 || value >= 100.0 {
        format!("{value:.0}")
    } else if value >= 10.0 {
        format!("{value:.1}")
    } else {
        format!("{value:.2}")
    }
}

/// A time as it stands in the table.
pub fn milliseconds(time: Duration) -> String {
    format!("{} ms", shown(time.as_secs_f64() * 1_000.0))
}

/// A longer time as it stands in the table.
pub fn seconds(time: Duration) -> String {
    format!("{} s", shown(time.as_secs_f64()))
}

/// Millions of bytes.
pub fn megabytes(bytes: u64) -> f64 {
    quotient(bytes, 1_000_000)
}

/// A share of two counts that are small enough for it to be exact.
#[expect(clippy::cast_precision_loss, reason = "no count here comes near 2^52")]
pub fn quotient(count: u64, by: u64) -> f64 {
    count as f64 / by as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_is_held_or_missed_and_a_told_figure_is_neither() {
        let row = |judged| Row::new("x", "1 ms", "2 ms", judged);
        let rows = vec![
            row(Judged::at_most(2.0, "×", 3.0)),
            row(Judged::at_least(20.0, " %", 30.0)),
            row(Judged::told(123.4, " MB")),
        ];
        let report = Report { rows, ..Report::default() };
        let text = report.to_string();
        assert_eq!(report.missed(), 1);
        assert!(text.contains("| 2.00× | ≤ 3× | held |"), "{text}");
        assert!(text.contains("| 20.0 % | ≥ 30 % | **missed** |"), "{text}");
        assert!(text.contains("| 123 MB |  |  |"), "{text}");
    }
}
