//! How the story is told: one line after the other, at a pace that can be followed.

use std::io;
use std::thread;
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use unicode_width::UnicodeWidthStr as _;

use super::stage::Played;
use crate::terminal::{Reader, Terminal};
use crate::wrap::cut;

/// Whether the story stops for breath.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pace {
    Followed,
    Fast,
}

/// Before a scene, and around the answer to a command.
const BREATH: Duration = Duration::from_millis(1_200);
const BEAT: Duration = Duration::from_millis(300);

/// The prompts of agents, in the order they come on stage.
const COLOURS: [AnsiColor; 3] = [AnsiColor::Cyan, AnsiColor::Yellow, AnsiColor::Magenta];

/// What a long line is continued with.
const INDENT: &str = "    ";

/// The terminal of somebody who watches.
pub(crate) struct Screen<'a> {
    terminal: &'a Terminal,
    pace: Pace,
    agents: Vec<String>,
}

impl<'a> Screen<'a> {
    pub(crate) fn new(terminal: &'a Terminal, pace: Pace) -> Self {
        Self { terminal, pace, agents: Vec::new() }
    }

    /// Begins a scene.
    pub(crate) fn title(&self, text: &str) -> io::Result<()> {
        self.pause(BREATH);
        self.out("")?;
        self.narrate(text)
    }

    pub(crate) fn narrate(&self, text: &str) -> io::Result<()> {
        for line in wrapped(&format!("# {text}"), self.terminal.paper().width(), "# ") {
            self.out(&self.paint(&line, Style::new().dimmed()))?;
        }
        Ok(())
    }

    /// Something to copy.
    pub(crate) fn suggest(&self, line: &str) -> io::Result<()> {
        self.out(&self.paint(line, Style::new().bold()))
    }

    /// Shows commands that were typed at the same moment, then their answers.
    pub(crate) fn show(&mut self, played: &[Played]) -> io::Result<()> {
        for Played { agent, command, .. } in played {
            let prompt = self.prompt(agent.as_deref());
            // Never broken here: what the terminal breaks can still be copied.
            self.out(&format!("{prompt} {}", self.paint(command, Style::new().bold())))?;
        }
        self.pause(BEAT);
        for Played { exit, output, .. } in played {
            for line in output.lines().flat_map(|line| fitted(line, self.terminal.paper().width()))
            {
                self.out(&line)?;
            }
            if let Some(code) = exit.filter(|code| *code != 0) {
                let style = AnsiColor::Red.on_default();
                self.out(&self.paint(&format!("[exit code {code}]"), style))?;
            }
        }
        self.pause(BEAT);
        Ok(())
    }

    /// A story that nobody reads any more ends.
    fn out(&self, text: &str) -> io::Result<()> {
        match self.terminal.out(text)? {
            Reader::There => Ok(()),
            Reader::Gone => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    fn prompt(&mut self, agent: Option<&str>) -> String {
        let Some(agent) = agent else {
            return self.paint("$", Style::new().dimmed());
        };
        if !self.agents.iter().any(|seen| seen == agent) {
            self.agents.push(agent.to_owned());
        }
        let mut coloured = self.agents.iter().zip(COLOURS.iter().cycle());
        let colour = coloured.find(|(seen, _)| *seen == agent).map(|(_, colour)| *colour);
        let style = colour.map(|colour| colour.on_default().bold()).unwrap_or_default();
        self.paint(&format!("{agent} $"), style)
    }

    fn paint(&self, text: &str, style: Style) -> String {
        match self.terminal.paper().colour {
            true => format!("{style}{text}{style:#}"),
            false => text.to_owned(),
        }
    }

    fn pause(&self, length: Duration) {
        if self.pace == Pace::Followed {
            thread::sleep(length);
        }
    }
}

/// A line of an answer on a page of that width: the row of a table is cut, a sentence is wrapped.
fn fitted(line: &str, width: usize) -> Vec<String> {
    let is_row = line.trim_start().contains("  ");
    match is_row {
        true => vec![cut(line, width)],
        false => wrapped(line, width, INDENT),
    }
}

/// The line, broken between words; what follows the first break begins with `indent`.
fn wrapped(line: &str, width: usize, indent: &str) -> Vec<String> {
    if line.width() <= width {
        return vec![line.to_owned()];
    }
    let mut lines = Vec::new();
    let mut current = String::new();
    for word in line.split(' ') {
        let is_empty = current.is_empty();
        if !is_empty && current.width() + 1 + word.width() > width {
            lines.push(std::mem::replace(&mut current, format!("{indent}{word}")));
        } else {
            current.push_str(if is_empty { "" } else { " " });
            current.push_str(word);
        }
    }
    lines.push(current);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_is_broken_between_words() {
        let lines = fitted("fence 1 is not the current one, 2", 20);
        assert_eq!(lines, ["fence 1 is not the", "    current one, 2"]);
    }

    #[test]
    fn a_word_is_never_broken() {
        let lines = fitted("the chain ends in b7afaed30c4005f957fd70d4404d25ab", 20);
        assert_eq!(lines, ["the chain ends in", "    b7afaed30c4005f957fd70d4404d25ab"]);
    }

    #[test]
    fn the_row_of_a_table_is_cut() {
        assert_eq!(fitted("EX1V6R  ready  rotate the keys", 20), ["EX1V6R  ready  rota…"]);
    }

    #[test]
    fn a_line_that_fits_stays_as_it_is() {
        assert_eq!(fitted("    YN4N2W", 20), ["    YN4N2W"]);
    }
}
