//! The commands of this door alone: they open another door, or are about the terminal and not about
//! a ledger, so they are no operations of the table.

use clap::{ArgMatches, Command};
use windlass_domain::Exit;

use crate::command::Flags;
use crate::environment::Environment;
use crate::terminal::Terminal;
use crate::{completions, demo, hotl, man, mcp, open, serve};

/// Every one of them.
pub(crate) const OWN: [Own; 8] = [
    serve::OWN,
    open::OWN,
    mcp::OWN,
    hotl::OWN,
    hotl::SCRIPTS_OWN,
    demo::OWN,
    completions::OWN,
    man::OWN,
];

/// A command, its arguments and what it does.
pub(crate) struct Own {
    pub(crate) name: &'static str,
    /// One line that says what it does.
    pub(crate) about: &'static str,
    /// A command line that shows it.
    pub(crate) example: &'static str,
    /// Adds the arguments to a command.
    pub(crate) arguments: fn(Command) -> Command,
    pub(crate) run: fn(Call<'_>) -> std::io::Result<Exit>,
}

/// What a command of this door works with.
pub(crate) struct Call<'a> {
    pub(crate) matches: &'a ArgMatches,
    pub(crate) flags: Flags,
    pub(crate) environment: &'a Environment,
    pub(crate) terminal: &'a mut Terminal,
}
