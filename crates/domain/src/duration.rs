//! Spans of time as people write them: `30m`, `2h`, `7d`, `90s`; a bare number means minutes.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{Code, Refusal};

const SECOND: i64 = 1_000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
/// Longer than any lease that makes sense, far from overflow.
const LONGEST: i64 = 3_650 * DAY;

/// A length of time in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span(i64);

impl Span {
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    pub const fn from_days(days: i64) -> Self {
        Self::from_millis(days * 24 * 60 * 60 * 1_000)
    }

    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// The same for whoever waits; a span of less than nothing is nothing.
    pub fn as_duration(self) -> Duration {
        Duration::from_millis(u64::try_from(self.0).unwrap_or(0))
    }

    pub const fn as_minutes(self) -> i64 {
        self.0 / MINUTE
    }

    /// Reads a span longer than nothing.
    pub fn parse(field: &str, text: &str) -> Result<Self, Refusal> {
        let span = Self::parse_or_zero(field, text)?;
        if span.0 == 0 {
            return Err(invalid(field, text, "must be longer than nothing"));
        }
        Ok(span)
    }

    /// Reads a span that may also be `0`.
    pub fn parse_or_zero(field: &str, text: &str) -> Result<Self, Refusal> {
        let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
        let unit = match text.strip_prefix(digits) {
            Some("s") => SECOND,
            Some("" | "m") => MINUTE,
            Some("h") => HOUR,
            Some("d") => DAY,
            _ => return Err(invalid(field, text, "is not a duration")),
        };
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(invalid(field, text, "is not a duration"));
        }
        digits
            .parse::<i64>()
            .ok()
            .and_then(|count| count.checked_mul(unit))
            .filter(|millis| *millis <= LONGEST)
            .map(Self)
            .ok_or_else(|| invalid(field, text, "is longer than ten years"))
    }
}

fn invalid(field: &str, text: &str, what: &str) -> Refusal {
    Refusal::new(Code::InvalidValue, format!("{field} '{text}' {what}"))
        .hint("write a number and a unit, such as 90s, 30m, 2h or 7d")
        .detail("field", field)
        .detail("given", text)
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (count, unit) = match self.0 {
            millis if millis >= DAY && millis % DAY == 0 => (millis / DAY, "d"),
            millis if millis >= HOUR && millis % HOUR == 0 => (millis / HOUR, "h"),
            millis if millis >= MINUTE && millis % MINUTE == 0 => (millis / MINUTE, "m"),
            millis => (millis / SECOND, "s"),
        };
        write!(f, "{count}{unit}")
    }
}

impl Serialize for Span {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        Self::parse_or_zero("span", &text)
            .map_err(|refusal| serde::de::Error::custom(refusal.message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_read_with_their_unit() {
        for (text, millis) in
            [("30", 30 * MINUTE), ("90s", 90 * SECOND), ("2h", 2 * HOUR), ("7d", 7 * DAY)]
        {
            assert_eq!(Span::parse("lease", text).unwrap().as_millis(), millis, "{text}");
        }
    }

    #[test]
    fn what_is_no_span_is_refused() {
        for text in ["", "m", "-5m", "1.5h", "5w", "5 m", "0", "0m", "99999999999999999999d", "４m"]
        {
            assert_eq!(Span::parse("lease", text).unwrap_err().code, Code::InvalidValue, "{text}");
        }
    }

    #[test]
    fn a_span_is_written_in_its_largest_whole_unit() {
        for text in ["90s", "30m", "2h", "7d"] {
            assert_eq!(Span::parse("lease", text).unwrap().to_string(), text);
        }
    }
}
