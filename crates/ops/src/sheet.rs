//! An answer as a person reads it, before a door decides how wide and in which colours.

use windlass_domain::{Status, Time};

/// Blocks from top to bottom.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sheet {
    pub blocks: Vec<Block>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Block {
    /// One sentence or line.
    Line(Cell),
    /// Text that keeps its own lines.
    Text(String),
    Heading(String),
    /// Names and values.
    Facts(Vec<(String, Cell)>),
    Table {
        columns: Vec<Column>,
        rows: Vec<Vec<Cell>>,
    },
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    pub name: &'static str,
    /// Gives way when the page is narrow.
    pub flexible: bool,
}

/// A piece of text and what it means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    pub text: String,
    pub tone: Tone,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tone {
    #[default]
    Plain,
    Strong,
    Dim,
    Good,
    Busy,
    Bad,
}

impl Cell {
    pub fn toned(text: impl Into<String>, tone: Tone) -> Self {
        Self { text: text.into(), tone }
    }

    pub fn dim(text: impl Into<String>) -> Self {
        Self::toned(text, Tone::Dim)
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::toned(text, Tone::Plain)
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::toned(text, Tone::Plain)
    }
}

impl From<Status> for Cell {
    fn from(status: Status) -> Self {
        let tone = match status {
            Status::Backlog | Status::Archived => Tone::Dim,
            Status::Ready => Tone::Plain,
            Status::InProgress => Tone::Busy,
            Status::Blocked => Tone::Bad,
            Status::Done => Tone::Good,
        };
        Self::toned(status.as_str(), tone)
    }
}

impl Sheet {
    pub fn line(text: impl Into<Cell>) -> Self {
        Self::default().and_line(text)
    }

    #[must_use]
    pub fn and_line(mut self, text: impl Into<Cell>) -> Self {
        self.blocks.push(Block::Line(text.into()));
        self
    }

    #[must_use]
    pub fn and_heading(mut self, text: impl Into<String>) -> Self {
        self.blocks.push(Block::Heading(text.into()));
        self
    }

    #[must_use]
    pub fn and_text(mut self, text: impl Into<String>) -> Self {
        self.blocks.push(Block::Text(text.into()));
        self
    }

    #[must_use]
    pub fn and_facts<'a>(mut self, facts: impl IntoIterator<Item = (&'a str, Cell)>) -> Self {
        let facts = facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        self.blocks.push(Block::Facts(facts));
        self
    }

    /// A table; a column whose name ends in `…` gives way when the page is narrow.
    #[must_use]
    pub fn and_table(mut self, columns: &[&'static str], rows: Vec<Vec<Cell>>) -> Self {
        let columns = columns
            .iter()
            .map(|name| Column {
                name: name.trim_end_matches('…'), flexible: name.ends_with('…')
            })
            .collect();
        self.blocks.push(Block::Table { columns, rows });
        self
    }
}

/// A time as people say it: `3m ago`, `in 2h`.
pub fn relative(time: Time, now: Time) -> String {
    let seconds = now.millis_since(time) / 1_000;
    let (count, unit) = match seconds.abs() {
        seconds @ 0..60 => (seconds, "s"),
        seconds @ 60..3_600 => (seconds / 60, "m"),
        seconds @ 3_600..172_800 => (seconds / 3_600, "h"),
        seconds => (seconds / 86_400, "d"),
    };
    match seconds {
        0 => "now".to_owned(),
        1.. => format!("{count}{unit} ago"),
        _ => format!("in {count}{unit}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_from_now() {
        let now = Time::from_millis(1_000_000_000);
        let at = |seconds: i64| relative(Time::from_millis(1_000_000_000 + seconds * 1_000), now);
        assert_eq!(at(0), "now");
        assert_eq!(at(-59), "59s ago");
        assert_eq!(at(-3_600), "1h ago");
        assert_eq!(at(90), "in 1m");
        assert_eq!(at(-400_000), "4d ago");
    }
}
