//! The first page of help: every command under a heading.

use clap::Command;
use windlass_ops::sheet::{Cell, Sheet, Tone};

use crate::command::globals;
use crate::page::Paper;
use crate::wrap::fill;

/// Where people look for a command, in the order in which they need them.
const HEADINGS: [(&str, &[&str]); 4] = [
    ("Work", &["task", "project", "why"]),
    ("The ledger", &["events", "audit", "doctor", "validate", "backup", "export", "import", "db"]),
    ("Settings and help", &["config", "explain", "help"]),
    ("This terminal", &["completions", "man"]),
];

/// clap adds this command by itself.
const HELP: (&str, &str) = ("help", "Show the help of a command: windlass help task add");

const PROMISE: &str = "Tasks are claimed once, never lost, and really done.";

const FIRST_STEPS: [&str; 3] = [
    "windlass task add 'fix the login page' -s ready",
    "windlass task claim --next --agent worker-1 --lease 30m",
    "windlass task complete 8F3K2Q --fence 1",
];

/// The page, in colours that are taken off where they are not wanted.
pub(crate) fn root(root: &Command, width: usize) -> String {
    let about = root.get_about().map(ToString::to_string).unwrap_or_default();
    let mut sheet = Sheet::line(format!("{about}."))
        .and_line(PROMISE)
        .and_heading("Usage")
        .and_line("  windlass [OPTIONS] COMMAND");
    let mut left: Vec<(&str, String)> = root
        .get_subcommands()
        .map(|command| (command.get_name(), command.get_about().map(ToString::to_string)))
        .map(|(name, about)| (name, about.unwrap_or_default()))
        .chain([(HELP.0, HELP.1.to_owned())])
        .collect();
    for (heading, names) in HEADINGS {
        let mut facts = Vec::new();
        for name in names {
            let place = left.iter().position(|(command, _)| command == name);
            facts.extend(place.map(|place| left.remove(place)));
        }
        sheet = listed(sheet.and_heading(heading), facts);
    }
    if !left.is_empty() {
        sheet = listed(sheet.and_heading("More"), left);
    }
    let mut options: Vec<(String, String)> = globals()
        .iter()
        .map(|argument| {
            let value = argument.get_value_names().map(|names| names.join(" "));
            let name = format!("--{} {}", argument.get_id(), value.unwrap_or_default());
            let help = argument.get_help().map(ToString::to_string);
            (name.trim_end().to_owned(), help.unwrap_or_default())
        })
        .collect();
    options.push(("-h, --help".to_owned(), "Show help, of a command its arguments".to_owned()));
    options.push(("-V, --version".to_owned(), "Show the version".to_owned()));
    let facts = options.iter().map(|(name, help)| (name.as_str(), help.as_str().into()));
    sheet = sheet.and_heading("Options").and_facts(facts).and_heading("First steps");
    for step in FIRST_STEPS {
        sheet = sheet.and_line(Cell::toned(format!("  {step}"), Tone::Plain));
    }
    Paper { width, colour: true }.render(&sheet)
}

fn listed(sheet: Sheet, commands: Vec<(&str, String)>) -> Sheet {
    let named: Vec<(String, Cell)> =
        commands.into_iter().map(|(name, about)| (fill(name, NAME), about.into())).collect();
    sheet.and_facts(named.iter().map(|(name, about)| (name.as_str(), about.clone())))
}

/// So that nearly all headings share one column.
const NAME: usize = 8;

#[cfg(test)]
mod tests {
    use unicode_width::UnicodeWidthStr as _;

    use super::*;
    use crate::command::tree;

    fn page(width: usize) -> String {
        let help = tree(width).render_help();
        help.to_string()
    }

    #[test]
    fn every_command_has_its_heading_and_is_told_in_one_line() {
        let page = page(80);
        for command in tree(80).get_subcommands() {
            let line = format!("\n  {}  ", fill(command.get_name(), NAME));
            assert_eq!(page.matches(&line).count(), 1, "{line}\n{page}");
        }
        assert!(!page.contains("More"), "a command has no heading:\n{page}");
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
