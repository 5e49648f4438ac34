//! Help: how wide it is, and its first page, with every command under a heading.

use std::fmt::Write as _;

use clap::Command;
use clap::builder::StyledStr;
use windlass_ops::sheet::{Cell, Sheet};

use crate::command::globals;
use crate::page::Paper;
use crate::terminal::Look;
use crate::wrap::fill;

/// Help is easier to read on a page that is not too wide.
pub(crate) const WIDEST: usize = 100;
/// Below this there is no room for help beside a flag.
pub(crate) const NARROW: usize = 60;

/// Where people look for a command, in the order in which they need them.
const HEADINGS: [(&str, &[&str]); 7] = [
    (
        "Work:",
        &[
            "board", "task", "project", "dep", "workflow", "run", "hook", "agent", "prime",
            "stats", "timeline", "why",
        ],
    ),
    ("Context:", &["chunk", "remember", "session", "lifecycle", "inject"]),
    (
        "The ledger:",
        &[
            "init", "status", "which-db", "events", "audit", "doctor", "validate", "gc", "backup",
            "export", "import", "db",
        ],
    ),
    ("Doors:", &["serve", "open", "mcp", "hotl-rt", "hotl", "key", "whoami"]),
    ("Settings and help:", &["setup", "config", "guide", "explain", "help"]),
    ("This terminal:", &["demo", "completions", "man"]),
    ("Known from HZL:", &["sync", "lock", "sample-project"]),
];

/// clap adds this command by itself.
const HELP: (&str, &str) = ("help", "Show the help of a command: windlass help task add");

pub(crate) const PROMISE: &str = "Tasks are claimed once, never lost, and really done.";

const FIRST_STEPS: [&str; 3] = [
    "  windlass task add 'fix the login page' -s ready",
    "  windlass task claim --next --agent worker-1 --lease 30m",
    "  windlass task complete 8F3K2Q --fence 1",
];

/// The tree with our own first page.
pub(crate) fn on_first_page(root: Command, width: usize) -> Command {
    let page = first_page(&root, width.min(WIDEST));
    root.override_help(page)
}

/// The page, in colours that are taken off where they are not wanted.
fn first_page(root: &Command, width: usize) -> String {
    let paper = Paper::of_width(width).seen_in(Look::Colour);
    let about = said(root.get_about());
    let mut page = paper.render(&Sheet::line(format!("{about}.")).and_line(PROMISE));
    let mut heading = |heading: &str, below: &str| {
        let heading = paper.render(&Sheet::default().and_heading(heading));
        let _infallible = write!(page, "\n{heading}{below}");
    };
    heading("Usage: windlass [OPTIONS] <COMMAND>", "");
    let mut left = commands(root);
    for (title, names) in HEADINGS {
        let (here, others) = left.into_iter().partition(|(name, _)| names.contains(&name.trim()));
        heading(title, &paper.listed(&in_order(here, names)));
        left = others;
    }
    if !left.is_empty() {
        heading("More:", &paper.listed(&left));
    }
    heading("Options:", &paper.listed(&options()));
    let steps = FIRST_STEPS.iter().fold(Sheet::default(), |sheet, step| sheet.and_line(*step));
    heading("First steps:", &paper.render(&steps));
    page
}

/// Every command of the first level with what it does.
fn commands(root: &Command) -> Vec<(String, Cell)> {
    let commands = root.get_subcommands();
    let commands = commands.map(|command| (command.get_name(), said(command.get_about())));
    let all = commands.chain([(HELP.0, HELP.1.to_owned())]);
    all.map(|(name, about)| (fill(name, NAME), about.into())).collect()
}

fn in_order(mut commands: Vec<(String, Cell)>, names: &[&str]) -> Vec<(String, Cell)> {
    commands.sort_by_key(|(command, _)| names.iter().position(|name| *name == command.trim()));
    commands
}

fn options() -> Vec<(String, Cell)> {
    let globals = globals();
    let globals = globals.iter().map(|argument| {
        let value = argument.get_value_names().map(|names| format!(" <{}>", names.join(" ")));
        let name = format!("--{}{}", argument.get_id(), value.unwrap_or_default());
        (name, said(argument.get_help()).into())
    });
    let own = [
        ("-h, --help", "Show this page, or the help of a command"),
        ("-V, --version", "Show the version"),
    ];
    globals.chain(own.map(|(name, help)| (name.to_owned(), help.into()))).collect()
}

fn said(text: Option<&StyledStr>) -> String {
    text.map(ToString::to_string).unwrap_or_default()
}

/// So that nearly all headings share one column.
const NAME: usize = 8;

#[cfg(test)]
mod tests {
    use unicode_width::UnicodeWidthStr as _;

    use super::*;
    use crate::command::tree;

    fn page(width: usize) -> String {
        on_first_page(tree(width), width).render_help().to_string()
    }

    #[test]
    fn every_command_has_its_heading_and_is_told_in_one_line() {
        let page = page(80);
        for command in tree(80).get_subcommands() {
            let line = format!("\n  {}  ", fill(command.get_name(), NAME));
            assert_eq!(page.matches(&line).count(), 1, "{line}\n{page}");
        }
        assert!(!page.contains("More:"), "a command has no heading:\n{page}");
        assert!(page.lines().all(|line| !line.starts_with("      ")), "{page}");
    }

    #[test]
    fn the_page_is_as_wide_as_it_may_be() {
        for width in [40, 60, 80, 120] {
            let page = page(width);
            let widest = page.lines().map(str::width).max().unwrap();
            assert!(widest <= width.min(100), "{width}: {page}");
        }
    }
}
