//! What the process writes, and to whom: a person at a terminal, or a program behind a pipe.

use std::io::{ErrorKind, IsTerminal as _, Stderr, Stdout, Write as _};
use std::os::fd::AsFd;

use windlass_ops::settings::Format;
use windlass_ops::sheet::Tone;

use crate::environment::Environment;
use crate::page::Paper;

/// A page is never set wider than this, however wide the window.
const WIDEST: usize = 160;
/// Nor narrower, however narrow the window.
const NARROWEST: usize = 20;
/// Where there is no window.
const USUAL: usize = 80;

/// Standard output and error.
pub(crate) struct Terminal {
    asked: Option<Format>,
    default: Option<Format>,
    out: Stdout,
    err: Stderr,
    /// A person reads standard output, or standard error.
    out_is_read: bool,
    err_is_read: bool,
    look: Look,
}

/// What the terminal can show and the person wants to see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    Colour,
    /// By the wish of `NO_COLOR`.
    Plain,
    /// It cannot even go back to the beginning of a line.
    Dumb,
}

impl Terminal {
    pub(crate) fn new(environment: &Environment) -> Self {
        let (out, err) = (std::io::stdout(), std::io::stderr());
        Self {
            asked: None,
            default: None,
            out_is_read: out.is_terminal(),
            err_is_read: err.is_terminal(),
            out,
            err,
            look: environment.look(),
        }
    }

    /// The format that was asked for on the command line.
    pub(crate) fn set_format(&mut self, format: Option<Format>) {
        self.asked = self.asked.or(format);
    }

    /// The format that was asked for, if any was.
    pub(crate) fn asked(&self) -> Option<Format> {
        self.asked
    }

    /// The format by the settings.
    pub(crate) fn set_default_format(&mut self, format: Option<Format>) {
        self.default = format;
    }

    /// The format by the command line or the settings, if either says one.
    pub(crate) fn chosen(&self) -> Option<Format> {
        self.asked.or(self.default)
    }

    pub(crate) fn format(&self) -> Format {
        let usual = if self.out_is_read { Format::Text } else { Format::Json };
        self.chosen().unwrap_or(usual)
    }

    /// What standard output is written on.
    pub(crate) fn paper(&self) -> Paper {
        match self.out_is_read {
            true => Paper::of_width(width(&self.out)).seen_in(self.look),
            false => Paper::endless(USUAL),
        }
    }

    /// What standard error is written on; nothing when no person reads it.
    pub(crate) fn err_paper(&self) -> Option<Paper> {
        let paper = || Paper::of_width(width(&self.err)).seen_in(self.look);
        self.err_is_read.then(paper)
    }

    /// How many columns the window of standard error has now.
    pub(crate) fn err_columns() -> usize {
        columns(&std::io::stderr())
    }

    /// Whether a line on standard error can be written again and again.
    pub(crate) fn can_rewrite_lines(&self) -> bool {
        self.err_is_read && self.look != Look::Dumb
    }

    /// Writes to standard output. A reader that went away wanted no more; that is no failure.
    pub(crate) fn out(&self, text: &str) -> std::io::Result<Reader> {
        let mut out = self.out.lock();
        let end = if text.ends_with('\n') { "" } else { "\n" };
        let written = out
            .write_all(text.as_bytes())
            .and_then(|()| out.write_all(end.as_bytes()))
            .and_then(|()| out.flush());
        match written {
            Ok(()) => Ok(Reader::There),
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(Reader::Gone),
            Err(error) => Err(error),
        }
    }

    pub(crate) fn warn(&self, text: &str) {
        self.say("warning", Tone::Strong, text);
    }

    /// Writes `label: text` to standard error.
    pub(crate) fn say(&self, label: &str, tone: Tone, text: &str) {
        match self.err_paper() {
            Some(paper) => self.err(&paper.labelled(label, tone, text)),
            None => self.err(&format!("{label}: {text}")),
        }
    }

    /// Writes to standard error. What nobody can be told is no reason to end in another way.
    pub(crate) fn err(&self, text: &str) {
        let mut err = self.err.lock();
        let end = if text.ends_with('\n') { "" } else { "\n" };
        let _told = err.write_all(text.as_bytes()).and_then(|()| err.write_all(end.as_bytes()));
    }
}

/// Whether anybody still reads standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub(crate) enum Reader {
    There,
    Gone,
}

fn width(window: &impl AsFd) -> usize {
    page_width(columns(window))
}

/// Of a window; of one that does not say, as many as usual.
fn columns(window: &impl AsFd) -> usize {
    let size = rustix::termios::tcgetwinsize(window).ok();
    size.map(|size| usize::from(size.ws_col)).filter(|columns| *columns > 0).unwrap_or(USUAL)
}

fn page_width(columns: usize) -> usize {
    columns.clamp(NARROWEST, WIDEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_as_wide_as_the_window_within_reason() {
        assert_eq!([1, 20, 61, 5_000].map(page_width), [20, 20, 61, 160]);
    }
}
