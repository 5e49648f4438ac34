//! Setting a sheet on a page of a given width.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use unicode_width::UnicodeWidthStr as _;
use windlass_ops::sheet::{Block, Cell, Column, Sheet, Tone};

use crate::columns::{self, Fitted, GAP};
use crate::terminal::Look;
use crate::wrap::{LongWord, cut, fill, harmless, wrap};

/// How far lines that go on are indented.
const HANGING: usize = 2;
/// Values narrower than this are set below their names, not beside them.
const LEAST_BESIDE: usize = 16;
/// However deep the indentation, this much of a line is text.
const LEAST_TEXT: usize = 8;

/// How wide a page is, and whether it may have colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Paper {
    /// How wide tables may be.
    table: usize,
    /// How wide everything else may be.
    text: usize,
    pub(crate) colour: bool,
}

impl Paper {
    /// A window.
    pub(crate) fn of_width(width: usize) -> Self {
        Self { table: width, text: width, colour: false }
    }

    /// Where there is no window, a line is as long as it is: nobody has to put it together again.
    pub(crate) fn endless(table: usize) -> Self {
        Self { table, text: usize::MAX, colour: false }
    }

    #[must_use]
    pub(crate) fn seen_in(self, look: Look) -> Self {
        Self { colour: look == Look::Colour, ..self }
    }

    /// The width of a window; of a usual one where there is none.
    pub(crate) fn width(self) -> usize {
        self.table
    }

    /// The sheet as text.
    pub(crate) fn render(self, sheet: &Sheet) -> String {
        let mut page = Page { text: String::new(), paper: self };
        for (index, block) in sheet.blocks.iter().enumerate() {
            match block {
                Block::Line(cell) => page.line(cell),
                Block::Drawn(cell) => page.drawn(cell),
                Block::Text(text) => page.text(text),
                Block::Heading(text) => {
                    if index > 0 && !page.text.ends_with("\n\n") {
                        page.end_line();
                    }
                    page.line(&Cell::toned(text.clone(), Tone::Strong));
                }
                Block::Facts(facts) => page.facts(facts, Tone::Dim),
                Block::Table { columns, rows } => page.table(columns, rows),
            }
        }
        page.text
    }

    /// Names that matter as much as what is said about them, one a line.
    pub(crate) fn listed(self, items: &[(String, Cell)]) -> String {
        let mut page = Page { text: String::new(), paper: self };
        page.facts(items, Tone::Plain);
        page.text
    }

    /// `label: text`, broken where it must be.
    pub(crate) fn labelled(self, label: &str, tone: Tone, text: &str) -> String {
        let page = self.seen_in(Look::Plain).render(&Sheet::line(format!("{label}: {text}")));
        match page.strip_prefix(label) {
            Some(rest) => format!("{}{rest}", self.paint(label, tone)),
            None => page,
        }
    }

    fn paint(self, text: &str, tone: Tone) -> String {
        let style = match tone {
            _ if !self.colour || text.is_empty() => return text.to_owned(),
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

struct Page {
    text: String,
    paper: Paper,
}

impl Page {
    fn line(&mut self, cell: &Cell) {
        for line in harmless(&cell.text).split('\n') {
            self.indented(line, indent_of(line) + HANGING, cell.tone);
        }
    }

    fn drawn(&mut self, cell: &Cell) {
        let line = cut(&harmless(&cell.text), self.paper.text);
        let line = self.paper.paint(&line, cell.tone);
        self.push(&line);
    }

    /// Text keeps its own lines, as long as they fit, and has space around it.
    fn text(&mut self, text: &str) {
        self.end_line();
        let mut left = String::new();
        let mut in_code = false;
        for line in harmless(text).split('\n') {
            let is_fence = line.starts_with("```");
            in_code ^= is_fence;
            if in_code || is_fence || !is_paragraph(line) {
                self.push_left(&mut left);
                self.indented(line, indent_of(line) + HANGING, Tone::Plain);
            } else {
                left = self.flow(&left, line);
            }
        }
        self.push_left(&mut left);
        self.end_line();
    }

    /// Sets a line of a paragraph behind what is left of the one before; returns what is left of
    /// this one when it was too long.
    fn flow(&mut self, left: &str, line: &str) -> String {
        let gap = if left.is_empty() { "" } else { " " };
        let width = self.paper.text;
        let mut lines = wrap(&format!("{left}{gap}{line}"), width, width, LongWord::Whole);
        let mut last = lines.pop().unwrap_or_default();
        for line in &lines {
            self.push(line);
        }
        if lines.is_empty() {
            self.push_left(&mut last);
        }
        last
    }

    fn push_left(&mut self, left: &mut String) {
        if !left.is_empty() {
            self.push(&std::mem::take(left));
        }
    }

    fn facts(&mut self, facts: &[(String, Cell)], names: Tone) {
        let widest = facts.iter().map(|(name, _)| name.width()).max().unwrap_or(0);
        let column = HANGING + widest + GAP;
        let room = self.paper.text.saturating_sub(column);
        let said = facts.iter().filter(|(_, value)| !value.text.is_empty());
        if room < LEAST_BESIDE {
            let said = said.map(|(name, value)| (name.as_str(), value));
            return self.stacked(said, names, LongWord::Whole);
        }
        for (name, value) in said {
            let mut before = format!("  {}  ", self.paper.paint(&fill(name, widest), names));
            for line in harmless(&value.text).split('\n') {
                for line in wrap(line, room, room, LongWord::Whole) {
                    let line = self.paper.paint(&line, value.tone);
                    self.push(&format!("{before}{line}"));
                    before = " ".repeat(column);
                }
            }
        }
    }

    fn table(&mut self, columns: &[Column], rows: &[Vec<Cell>]) {
        let natural = natural_widths(columns, rows);
        let Some(fitted) = columns::fit(columns, &natural, self.paper.table) else {
            return self.blocks(columns, rows);
        };
        let header: Vec<Cell> =
            columns.iter().map(|column| Cell::dim(column.name.to_uppercase())).collect();
        for row in std::iter::once(&header).chain(rows) {
            self.row(&fitted, row);
        }
    }

    fn row(&mut self, fitted: &[Fitted], row: &[Cell]) {
        let cells: Vec<(usize, Vec<String>, Tone)> = fitted
            .iter()
            .filter_map(|column| {
                let cell = row.get(column.index)?;
                Some((column.width, cell_lines(cell, column), cell.tone))
            })
            .collect();
        let lines = cells.iter().map(|(_, lines, _)| lines.len()).max().unwrap_or(0);
        for number in 0..lines {
            let mut text = String::new();
            let mut used = 0;
            let mut column: usize = 0;
            for (width, lines, tone) in &cells {
                if let Some(line) = lines.get(number).filter(|line| !line.is_empty()) {
                    text.push_str(&" ".repeat(column.saturating_sub(used)));
                    text.push_str(&self.paper.paint(line, *tone));
                    used = column + line.width();
                }
                column += width + GAP;
            }
            self.push(&text);
        }
    }

    /// A table for which the page is too narrow: a block of names and values for each row.
    fn blocks(&mut self, columns: &[Column], rows: &[Vec<Cell>]) {
        for (index, row) in rows.iter().enumerate() {
            if index > 0 {
                self.end_line();
            }
            let said = columns.iter().zip(row).filter(|(_, value)| !value.text.is_empty());
            let mut said = said.map(|(column, value)| (column.name.as_str(), value));
            // The first column names the row, and a name that fits into a line is copied from it.
            if let Some((name, value)) = said.next() {
                let fits = value.text.width() <= room(self.paper.table, HANGING);
                let long = if fits { LongWord::Whole } else { LongWord::Broken };
                self.stacked(std::iter::once((name, value)), Tone::Dim, long);
            }
            self.stacked(said, Tone::Dim, LongWord::Broken);
        }
    }

    /// `name: value`, one below the other.
    fn stacked<'a>(
        &mut self,
        pairs: impl Iterator<Item = (&'a str, &'a Cell)>,
        names: Tone,
        long: LongWord,
    ) {
        for (name, value) in pairs {
            let name = format!("{}: ", name.trim_end());
            let rest = room(self.paper.table, HANGING);
            let mut before = self.paper.paint(&name, names);
            let mut first = room(self.paper.table, name.width());
            for line in harmless(&value.text).split('\n') {
                for line in wrap(line, first, rest, long) {
                    let line = self.paper.paint(&line, value.tone);
                    self.push(&format!("{before}{line}"));
                    before = " ".repeat(HANGING);
                    first = rest;
                }
            }
        }
    }

    /// One line, and what does not fit in further ones that begin at `hanging`.
    fn indented(&mut self, line: &str, hanging: usize, tone: Tone) {
        let own = indent_of(line);
        let (first, rest) = (room(self.paper.text, own), room(self.paper.text, hanging));
        let lines = wrap(line.trim_start(), first, rest, LongWord::Whole);
        let mut indent = own;
        for line in lines {
            let text = self.paper.paint(line.trim_end(), tone);
            self.push(&format!("{}{text}", " ".repeat(indent)));
            indent = hanging;
        }
    }

    fn push(&mut self, line: &str) {
        let _infallible = writeln!(self.text, "{}", line.trim_end());
    }

    fn end_line(&mut self) {
        self.text.push('\n');
    }
}

/// Whether a line of text goes on in the next one, as Markdown and people without it write: not an
/// item of a list, a heading, an indented or an empty line.
fn is_paragraph(line: &str) -> bool {
    let is_marked = ["- ", "* ", "#", ">", "|"].iter().any(|mark| line.starts_with(mark));
    let is_numbered =
        line.trim_start_matches(|letter: char| letter.is_ascii_digit()).starts_with(". ");
    !line.is_empty() && !line.starts_with(char::is_whitespace) && !is_marked && !is_numbered
}

/// What is left of a line behind its indentation.
fn room(width: usize, indent: usize) -> usize {
    width.saturating_sub(indent).max(LEAST_TEXT)
}

fn indent_of(line: &str) -> usize {
    line.width() - line.trim_start().width()
}

fn cell_lines(cell: &Cell, column: &Fitted) -> Vec<String> {
    let text = harmless(&cell.text);
    if !column.is_wrapped {
        return vec![cut(&text, column.width)];
    }
    let lines = text.split('\n');
    lines.flat_map(|line| wrap(line, column.width, column.width, LongWord::Broken)).collect()
}

fn natural_widths(columns: &[Column], rows: &[Vec<Cell>]) -> Vec<usize> {
    let mut widths: Vec<usize> = columns.iter().map(|column| column.name.width()).collect();
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(harmless(&cell.text).width());
        }
    }
    widths
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDTHS: [usize; 5] = [20, 40, 60, 80, 120];

    fn plain(width: usize) -> Paper {
        Paper::of_width(width)
    }

    fn rows(rows: &[&[&str]]) -> Vec<Vec<Cell>> {
        rows.iter().map(|row| row.iter().map(|text| (*text).into()).collect()).collect()
    }

    fn tasks() -> Sheet {
        let names = ["id", "status", "pri", "project", "title…", "agent", "created"];
        let long = "write the reference of every command and check it against the program";
        let rows = rows(&[
            &["8F3K2Q", "in_progress", "2", "api", "fix the login page", "worker-1", "3m ago"],
            &["1ZT9VX", "ready", "0", "documentation-and-examples", long, "", "12d ago"],
            &["77QK0A", "backlog", "0", "api", "日本語の題名はとても長いので収まらない", "", "now"],
            &["N4M2PD", "ready", "0", "api", "👩\u{200d}👩\u{200d}👧 🚀 emoji", "", "now"],
        ]);
        Sheet::default().and_table(&names, rows)
    }

    fn every_table() -> Vec<Sheet> {
        let path = "/home/somebody/.local/share/windlass/ledger.db";
        let said = "see the log of Tuesday\nand https://example.org/a/very/long/address/of/it";
        let table = |names: &[&str], row: &[&str]| Sheet::default().and_table(names, rows(&[row]));
        let data = r#"{"project":"01M7FJWRGP5FB5TQ9CG8BGDW6V","status":"ready","title":"x"}"#;
        let named = "a-project-with-a-name-of-forty-characters";
        let about = "Everything that answers requests, and what belongs to it";
        vec![
            tasks(),
            table(
                &["seq", "when", "actor", "kind", "data…"],
                &["17", "now", "ada", "task_created", data],
            ),
            table(&["setting", "value", "from…"], &["database.url", path, "WINDLASS_DB"]),
            table(&["when", "author", "comment…"], &["3m ago", "worker-1", said]),
            table(&["when", "author", "name", "data…"], &["now", "worker-1", said, data]),
            table(
                &["project", "state", "tasks", "claimable", "description…", "created"],
                &[named, "frozen", "12", "3", about, "3m ago"],
            ),
            table(&["unknown", "columns", "of", "later…"], &[said, said, said, said]),
        ]
    }

    #[test]
    fn no_line_of_a_table_is_wider_than_the_page() {
        for sheet in every_table() {
            for width in WIDTHS {
                let page = plain(width).render(&sheet);
                for line in page.lines() {
                    assert!(line.width() <= width, "{width}: {line}\n{page}");
                }
            }
        }
    }

    #[test]
    fn a_page_of_eighty_columns_shows_every_column_it_has_room_for() {
        let page = plain(80).render(&tasks());
        let expected = [
            "ID      STATUS       PRI  PROJECT           TITLE                       AGENT",
            "8F3K2Q  in_progress  2    api               fix the login page          worker-1",
            "1ZT9VX  ready        0    documentation-a…  write the reference of ev…",
            "77QK0A  backlog      0    api               日本語の題名はとても長い…",
            "N4M2PD  ready        0    api               👩\u{200d}👩\u{200d}👧 🚀 emoji",
            "",
        ];
        assert_eq!(page, expected.join("\n"));
    }

    #[test]
    fn the_long_name_of_one_agent_is_cut_and_leaves_a_table_what_it_is() {
        let name = "somebody-with-a-name-of-forty-characters";
        let title = "fix the login page and all of its forms";
        let at_work = rows(&[
            &[name, "8F3K2Q", "api", title, "40%", "in 29m", "3m ago"],
            &["ada", "", "", "", "", "", "12d ago"],
        ]);
        let columns = ["agent", "task", "project", "title…", "progress", "lease", "last seen"];
        let page = plain(80).render(&Sheet::default().and_table(&columns, at_work));
        assert!(page.lines().all(|line| line.width() <= 80), "{page}");
        let found: Vec<&str> =
            page.lines().map(|line| line.split("  ").next().unwrap_or_default()).collect();
        assert_eq!(found, ["AGENT", "somebody-with-a…", "ada"], "{page}");
    }

    #[test]
    fn a_narrow_page_shows_what_matters_most() {
        let page = plain(40).render(&tasks());
        let expected = [
            "ID      STATUS       TITLE",
            "8F3K2Q  in_progress  fix the login page",
            "1ZT9VX  ready        write the referenc…",
            "77QK0A  backlog      日本語の題名はとて…",
            "N4M2PD  ready        👩\u{200d}👩\u{200d}👧 🚀 emoji",
            "",
        ];
        assert_eq!(page, expected.join("\n"));
    }

    #[test]
    fn a_very_narrow_page_shows_everything_one_below_the_other() {
        let page = plain(20).render(&tasks());
        let expected = "\
            id: 8F3K2Q\nstatus: in_progress\npri: 2\nproject: api\n\
            title: fix the login\n  page\nagent: worker-1\ncreated: 3m ago\n\n\
            id: 1ZT9VX\n";
        assert!(page.starts_with(expected), "{page}");
    }

    #[test]
    fn id_and_title_are_there_at_every_width() {
        for width in 1..130 {
            let page = plain(width).render(&tasks());
            assert!(page.contains("8F3K2Q") && page.contains("fix the"), "{width}: {page}");
        }
    }

    #[test]
    fn a_comment_is_shown_to_its_end() {
        let comment = "see the log of Tuesday, where it was said";
        let table = rows(&[&["3m ago", "ada", comment], &["now", "bob", "yes"]]);
        let sheet = Sheet::default().and_table(&["when", "author", "comment…"], table);
        let expected = [
            "WHEN    AUTHOR  COMMENT",
            "3m ago  ada     see the log of Tuesday,",
            "                where it was said",
            "now     bob     yes",
            "",
        ];
        assert_eq!(plain(40).render(&sheet), expected.join("\n"));
    }

    #[test]
    fn lines_are_broken_at_words_and_go_on_indented() {
        let sheet =
            Sheet::line("· it is blocked: the press is on strike").and_line("    why THIRD_");
        let expected = "· it is blocked: the\n  press is on strike\n    why THIRD_\n";
        assert_eq!(plain(20).render(&sheet), expected);
    }

    #[test]
    fn where_there_is_no_window_no_line_is_broken() {
        let long = "a line that is much longer than the page would be";
        let sheet = Sheet::line(long).and_facts([("fact", Cell::from(long))]).and_text(long);
        let page = Paper::endless(20).render(&sheet);
        assert_eq!(page, format!("{long}\n  fact  {long}\n\n{long}\n\n"));
    }

    #[test]
    fn facts_go_on_below_their_value() {
        let link = "https://example.org/a/long/address";
        let sheet = Sheet::default().and_facts([
            ("tags", Cell::from("web, urgent, customer, login")),
            ("link", link.into()),
        ]);
        let expected = [
            "  tags  web, urgent, customer,",
            "        login",
            "  link  https://example.org/a/long/address",
            "",
        ];
        assert_eq!(plain(32).render(&sheet), expected.join("\n"));
        let expected =
            ["tags: web, urgent,", "  customer, login", "link:", &format!("  {link}"), ""];
        assert_eq!(plain(20).render(&sheet), expected.join("\n"));
    }

    #[test]
    fn text_that_fits_keeps_its_own_lines() {
        let text = "One.\nTwo.\n\n- an item\n    code of it";
        let page = plain(20).render(&Sheet::default().and_text(text));
        assert_eq!(page, format!("\n{text}\n\n"));
    }

    #[test]
    fn a_paragraph_that_does_not_fit_is_set_anew() {
        let text = "**Why.** Every claim that is won\nhas a number.\n- an item that is long\nEnd.";
        let expected = "\n**Why.** Every claim\nthat is won has a\nnumber.\n- an item that is\n  \
                        long\nEnd.\n\n";
        assert_eq!(plain(20).render(&Sheet::default().and_text(text)), expected);
    }

    #[test]
    fn lines_of_code_are_not_joined() {
        let text = "```\nwindlass task complete 8F3K2Q\nwindlass why\n```\nEnd.";
        let expected = "\n```\nwindlass task\n  complete 8F3K2Q\nwindlass why\n```\nEnd.\n\n";
        assert_eq!(plain(20).render(&Sheet::default().and_text(text)), expected);
    }

    #[test]
    fn colours_add_nothing_to_the_width_of_a_column() {
        let sheet = Sheet::default().and_table(
            &["status", "tasks"],
            vec![vec![Cell::toned("done", Tone::Good), "1".into()]],
        );
        let page = plain(80).seen_in(Look::Colour).render(&sheet);
        assert!(page.ends_with("\u{1b}[32mdone\u{1b}[0m    1\n"), "{page:?}");
    }

    #[test]
    fn escape_sequences_in_text_are_made_harmless() {
        let page = plain(80).render(&Sheet::line("a\u{1b}[31mb"));
        assert!(!page.contains('\u{1b}'));
    }
}
