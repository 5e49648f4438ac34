//! An answer as a person reads it, before a door decides how wide and in which colours.

use std::collections::BTreeSet;

use windlass_domain::id::WHOLE;
use windlass_domain::{Status, TaskId, Time};

/// Blocks from top to bottom.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sheet {
    pub blocks: Vec<Block>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Block {
    /// One sentence or line.
    Line(Cell),
    /// A line of a drawing: it ends where the page ends.
    Drawn(Cell),
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
    pub name: String,
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

    /// Its lines, without their tones, as far as it has any.
    pub fn lines(&self) -> Vec<String> {
        let line = |block: &Block| match block {
            Block::Line(cell) | Block::Drawn(cell) => Some(cell.text.clone()),
            Block::Text(text) | Block::Heading(text) => Some(text.clone()),
            Block::Facts(_) | Block::Table { .. } => None,
        };
        self.blocks.iter().filter_map(line).collect()
    }

    #[must_use]
    pub fn and_line(mut self, text: impl Into<Cell>) -> Self {
        self.blocks.push(Block::Line(text.into()));
        self
    }

    #[must_use]
    pub fn and_drawn(mut self, line: Cell) -> Self {
        self.blocks.push(Block::Drawn(line));
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
    pub fn and_table(mut self, columns: &[&str], rows: Vec<Vec<Cell>>) -> Self {
        let columns = columns
            .iter()
            .map(|name| Column {
                name: name.trim_end_matches('…').to_owned(),
                flexible: name.ends_with('…'),
            })
            .collect();
        self.blocks.push(Block::Table { columns, rows });
        self
    }
}

/// A number of things: `1 task`, `2 tasks`.
pub fn counted(count: u64, thing: &str) -> String {
    match count {
        1 => format!("1 {thing}"),
        count => format!("{count} {thing}s"),
    }
}

/// A number of bytes as people say it: `156 kB`.
pub fn size(bytes: u64) -> String {
    let units = [(1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")];
    match units.into_iter().find(|(unit, _)| bytes >= *unit) {
        Some((unit, name)) => format!("{} {name}", bytes / unit),
        None => counted(bytes, "byte"),
    }
}

/// The whole ids in some texts and what people are shown instead: the end of each, which names the
/// task as well, unless two of them end alike. An id in quotes is what somebody typed, and stays.
pub fn short_ids<'a>(texts: impl IntoIterator<Item = &'a str>) -> Vec<(String, String)> {
    let mut ids: BTreeSet<TaskId> = BTreeSet::new();
    for text in texts {
        let words = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '\'');
        let whole = words.filter(|word| word.len() == WHOLE);
        ids.extend(whole.filter_map(|word| word.parse::<TaskId>().ok()));
    }
    let ends_alone = |id: &TaskId| ids.iter().filter(|o| o.short() == id.short()).count() == 1;
    let alone = ids.iter().filter(|id| ends_alone(id));
    alone.map(|id| (id.to_string(), id.short())).collect()
}

/// A text with its ids in short.
pub fn in_short(text: &str) -> String {
    replaced(text, &short_ids([text]))
}

/// A text with some words for others, one after the other.
pub fn replaced(text: &str, words: &[(String, String)]) -> String {
    words.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from.as_str(), to))
}

/// A time as people say it: `3m ago`, `in 2h`. A lease of 30m that has just begun runs out in 30m.
pub fn relative(time: Time, now: Time) -> String {
    let seconds = now.millis_since(time).div_euclid(1_000);
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

/// The same in a sentence about what has happened: `just now`.
pub fn ago(time: Time, now: Time) -> String {
    match relative(time, now).as_str() {
        "now" => "just now".to_owned(),
        past => past.to_owned(),
    }
}

/// A length of time as people say it.
pub fn spoken(millis: i64) -> String {
    match millis / 1_000 {
        i64::MIN..=0 => "less than 1 s".to_owned(),
        seconds @ 1..60 => format!("{seconds} s"),
        seconds @ 60..3_600 => format!("{} min", seconds / 60),
        seconds @ 3_600..172_800 => format!("{} h {} min", seconds / 3_600, seconds % 3_600 / 60),
        seconds => format!("{} d {} h", seconds / 86_400, seconds % 86_400 / 3_600),
    }
}

/// Numbers as a line of bars, the highest as high as it gets. Too many are taken together.
pub fn spark(numbers: &[u64]) -> String {
    const WIDEST: usize = 60;
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let together = numbers.len().div_ceil(WIDEST).max(1);
    // What does not fill a bar is the oldest.
    let sums: Vec<u64> = numbers.rchunks(together).map(|some| some.iter().sum()).collect();
    let highest = sums.iter().copied().max().unwrap_or(0);
    let steps = BARS.len() as u64 - 1;
    let bar = |sum: u64| {
        let height = (sum * steps).div_ceil(highest.max(1));
        usize::try_from(height).ok().and_then(|height| BARS.get(height)).unwrap_or(&'█')
    };
    sums.into_iter().rev().map(bar).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_drawn_as_bars_and_only_nothing_is_lowest() {
        assert_eq!(spark(&[0, 1, 50, 100]), "▁▂▅█");
        assert_eq!(spark(&[0, 0]), "▁▁");
        assert_eq!(spark(&[]), "");
        let year: Vec<u64> = (0..365).collect();
        assert_eq!(spark(&year).chars().count(), 53);
    }

    #[test]
    fn lengths_of_time_are_told_roughly() {
        let spoken = [500, 59_000, 600_000, 5_400_000, 200_000_000].map(spoken);
        assert_eq!(spoken, ["less than 1 s", "59 s", "10 min", "1 h 30 min", "2 d 7 h"]);
    }

    #[test]
    fn times_are_told_from_now() {
        let now = Time::from_millis(1_000_000_000);
        let at = |seconds: i64| relative(Time::from_millis(1_000_000_000 + seconds * 1_000), now);
        assert_eq!(at(0), "now");
        assert_eq!(at(-59), "59s ago");
        assert_eq!(at(-3_600), "1h ago");
        assert_eq!(at(90), "in 1m");
        assert_eq!(at(-400_000), "4d ago");
        let begun = Time::from_millis(1_000_000_000 + 30 * 60_000 - 5);
        assert_eq!(relative(begun, now), "in 30m");
    }

    #[test]
    fn one_thing_is_not_many_and_bytes_are_told_roughly() {
        assert_eq!([counted(0, "task"), counted(1, "task")], ["0 tasks", "1 task"]);
        assert_eq!(
            [1, 999, 155_648, 2_500_000].map(size),
            ["1 byte", "999 bytes", "155 kB", "2 MB"]
        );
    }

    #[test]
    fn ids_are_shown_in_short_where_that_still_names_one_task() {
        let id = |first: char| format!("{first}0000000000000000000ABCDEF");
        let (one, alike) = (id('1'), id('2'));
        assert_eq!(in_short(&format!("task {one}: see {one}")), "task ABCDEF: see ABCDEF");
        let both = format!("it is {one} or {alike}");
        assert_eq!(in_short(&both), both);
        let typed = format!("there is no task '{one}'");
        assert_eq!(in_short(&typed), typed);
    }
}
