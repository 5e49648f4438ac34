//! Setting a sheet on a page of a given width.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};
use windlass_ops::sheet::{Block, Cell, Column, Sheet, Tone};

/// A flexible column keeps at least this many columns.
const LEAST: usize = 8;
const GAP: usize = 2;

/// The sheet as text, in colour or not.
pub(crate) fn render(sheet: &Sheet, width: usize, colour: bool) -> String {
    let mut page = Page { text: String::new(), width, colour };
    for (index, block) in sheet.blocks.iter().enumerate() {
        match block {
            Block::Line(cell) => page.wrapped(cell),
            Block::Text(text) => {
                let _infallible = writeln!(page.text, "\n{}\n", harmless(text));
            }
            Block::Heading(text) => {
                let gap = if index == 0 { "" } else { "\n" };
                let heading = page.paint(&harmless(text), Tone::Strong);
                let _infallible = writeln!(page.text, "{gap}{heading}");
            }
            Block::Facts(facts) => page.facts(facts),
            Block::Table { columns, rows } => page.table(columns, rows),
        }
    }
    page.text
}

struct Page {
    text: String,
    width: usize,
    colour: bool,
}

impl Page {
    /// A line may be longer than the page; the terminal wraps it without losing a word.
    fn wrapped(&mut self, cell: &Cell) {
        let line = self.paint(&harmless(&cell.text), cell.tone);
        let _infallible = writeln!(self.text, "{line}");
    }

    fn facts(&mut self, facts: &[(String, Cell)]) {
        let widest = facts.iter().map(|(name, _)| name.width()).max().unwrap_or(0);
        for (name, value) in facts.iter().filter(|(_, value)| !value.text.is_empty()) {
            let name = self.paint(&fill(name, widest), Tone::Dim);
            let value = self.paint(&harmless(&value.text), value.tone);
            let _infallible = writeln!(self.text, "  {name}  {value}");
        }
    }

    fn table(&mut self, columns: &[Column], rows: &[Vec<Cell>]) {
        let widths = self.widths(columns, rows);
        let header: Vec<Cell> =
            columns.iter().map(|column| Cell::dim(column.name.to_uppercase())).collect();
        for row in std::iter::once(&header).chain(rows) {
            let mut line = String::new();
            let last = widths.len().saturating_sub(1);
            for (index, (cell, width)) in row.iter().zip(&widths).enumerate() {
                let text = shorten(&harmless(&cell.text), *width);
                let text = if index == last { text } else { fill(&text, width + GAP) };
                line.push_str(&self.paint(&text, cell.tone));
            }
            let _infallible = writeln!(self.text, "{}", line.trim_end());
        }
    }

    /// As wide as the content, and then the flexible column gives way first.
    fn widths(&self, columns: &[Column], rows: &[Vec<Cell>]) -> Vec<usize> {
        let mut widths: Vec<usize> = columns.iter().map(|column| column.name.width()).collect();
        for row in rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(harmless(&cell.text).width());
            }
        }
        let gaps = GAP * widths.len().saturating_sub(1);
        let mut excess = (widths.iter().sum::<usize>() + gaps).saturating_sub(self.width);
        let mut order: Vec<usize> = (0..widths.len()).collect();
        order.sort_by_key(|index| !columns.get(*index).is_some_and(|column| column.flexible));
        for index in order {
            if let Some(width) = widths.get_mut(index) {
                let given = excess.min(width.saturating_sub(LEAST));
                *width -= given;
                excess -= given;
            }
        }
        widths
    }

    fn paint(&self, text: &str, tone: Tone) -> String {
        let style = match tone {
            _ if !self.colour => return text.to_owned(),
            Tone::Plain => return text.to_owned(),
            Tone::Strong => Style::new().bold(),
            Tone::Dim => Style::new().dimmed(),
            Tone::Good => AnsiColor::Green.on_default(),
            Tone::Busy => AnsiColor::Cyan.on_default(),
            Tone::Bad => AnsiColor::Red.on_default(),
        };
        format!("{style}{text}{style:#}")
    }
}

/// Text that came from others must not move the cursor or change colours.
fn harmless(text: &str) -> String {
    text.chars()
        .map(|letter| {
            if letter.is_control() && letter != '\n' && letter != '\t' {
                '\u{fffd}'
            } else {
                letter
            }
        })
        .collect()
}

fn fill(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(text.width())))
}

/// Cuts at `width` columns and shows that something is missing. Line breaks become spaces.
pub(crate) fn shorten(text: &str, width: usize) -> String {
    let line: String = text
        .chars()
        .map(|letter| if matches!(letter, '\n' | '\t') { ' ' } else { letter })
        .collect();
    if line.width() <= width {
        return line;
    }
    let mut kept = String::new();
    let mut used = 0;
    for letter in line.chars() {
        used += letter.width().unwrap_or(0);
        if used + 1 > width {
            break;
        }
        kept.push(letter);
    }
    kept.push('…');
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(width: usize) -> String {
        let rows = vec![
            vec!["8F3K2Q".into(), "a title that is rather long for its column".into(), "w1".into()],
            vec!["1ZT9VX".into(), "日本語の題名".into(), Cell::dim("")],
        ];
        render(&Sheet::default().and_table(&["id", "title…", "agent"], rows), width, false)
    }

    #[test]
    fn the_flexible_column_gives_way() {
        let expected = [
            "ID      TITLE                      AGENT",
            "8F3K2Q  a title that is rather l…  w1",
            "1ZT9VX  日本語の題名",
            "",
        ];
        assert_eq!(table(40), expected.join("\n"));
    }

    #[test]
    fn no_line_of_a_table_is_wider_than_the_page() {
        for width in [40, 60, 80] {
            for line in table(width).lines() {
                assert!(line.width() <= width, "{width}: {line}");
            }
        }
    }

    #[test]
    fn escape_sequences_in_text_are_made_harmless() {
        let page = render(&Sheet::line("a\u{1b}[31mb"), 80, false);
        assert!(!page.contains('\u{1b}'));
    }
}
