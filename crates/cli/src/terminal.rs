//! What the process writes, and to whom: a person at a terminal, or a program behind a pipe.

use std::io::{IsTerminal as _, Stderr, Stdout, Write as _};

use windlass_ops::settings::Format;

/// A page is never set wider than this, however wide the window.
const WIDEST: usize = 160;
const NARROWEST: usize = 40;
const USUAL: usize = 80;

/// Standard output and error.
pub(crate) struct Terminal {
    asked: Option<Format>,
    default: Option<Format>,
    out: Stdout,
    err: Stderr,
    /// A person reads this.
    is_read: bool,
    no_colour: bool,
}

impl Terminal {
    pub(crate) fn new() -> Self {
        let no_colour = std::env::vars_os().any(|(name, value)| {
            (name == "NO_COLOR" && !value.is_empty()) || (name == "TERM" && value == "dumb")
        });
        let out = std::io::stdout();
        let is_read = out.is_terminal();
        Self { asked: None, default: None, out, err: std::io::stderr(), is_read, no_colour }
    }

    /// The format that was asked for on the command line.
    pub(crate) fn set_format(&mut self, format: Option<Format>) {
        self.asked = self.asked.or(format);
    }

    /// The format by the settings.
    pub(crate) fn set_default_format(&mut self, format: Option<Format>) {
        self.default = format;
    }

    pub(crate) fn format(&self) -> Format {
        let usual = if self.is_read { Format::Text } else { Format::Json };
        self.asked.or(self.default).unwrap_or(usual)
    }

    pub(crate) fn has_colour(&self) -> bool {
        self.is_read && !self.no_colour
    }

    pub(crate) fn width(&self) -> usize {
        if !self.is_read {
            return USUAL;
        }
        let size = rustix::termios::tcgetwinsize(rustix::stdio::stdout());
        let columns = size.map_or(0, |size| usize::from(size.ws_col));
        if columns == 0 { USUAL } else { columns.clamp(NARROWEST, WIDEST) }
    }

    pub(crate) fn out(&self, text: &str) -> std::io::Result<()> {
        let mut out = self.out.lock();
        out.write_all(text.as_bytes())?;
        if !text.ends_with('\n') {
            out.write_all(b"\n")?;
        }
        out.flush()
    }

    pub(crate) fn warn(&self, text: &str) -> std::io::Result<()> {
        self.err(&format!("warning: {text}"))
    }

    pub(crate) fn err(&self, text: &str) -> std::io::Result<()> {
        let mut err = self.err.lock();
        err.write_all(text.as_bytes())?;
        err.write_all(b"\n")
    }
}
