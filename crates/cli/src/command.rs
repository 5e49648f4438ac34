//! The command line, made from the table of operations.

use clap::builder::styling::{AnsiColor, Styles};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, ArgMatches, Command};
use windlass_domain::Code;
use windlass_domain::near::near;
use windlass_ops::settings::Format;
use windlass_ops::table::{Entry, Request, TABLE};

use crate::environment::Environment;

/// What a group of subcommands is about.
const GROUPS: [(&str, &str); 6] = [
    ("project", "Projects: named queues of tasks"),
    ("task", "Tasks: add, claim, report, complete"),
    ("agent", "Agents: who is at work, who did what"),
    ("audit", "The hash chain of the log"),
    ("import", "Coming from elsewhere: another ledger, HZL, beads"),
    ("db", "The database of the ledger"),
];

/// Flags that every command takes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Flags {
    pub(crate) db: Option<String>,
    pub(crate) format: Option<Format>,
    /// The command as it will be shown to others who wait for it.
    pub(crate) purpose: String,
}

/// What was asked for.
pub(crate) enum Parsed {
    /// Help or a version, to be printed.
    Help(String),
    Operation {
        request: Box<dyn Request>,
        flags: Flags,
        is_events: bool,
    },
}

/// A command line that makes no sense.
#[derive(Debug)]
pub(crate) struct Wrong {
    pub(crate) code: Code,
    pub(crate) message: String,
    pub(crate) hint: String,
    pub(crate) suggestions: Vec<String>,
    /// What a person is shown instead.
    pub(crate) help: Option<String>,
    pub(crate) format: Option<Format>,
}

/// The whole command tree. The arguments of a leaf are added only when it is used.
pub(crate) fn tree() -> Command {
    let mut root = Command::new("windlass")
        .version(env!("CARGO_PKG_VERSION"))
        .about("A control plane for coding agents: tasks that are claimed once, never lost, and really done.")
        .styles(Styles::styled().header(AnsiColor::Blue.on_default().bold()).usage(AnsiColor::Blue.on_default().bold()))
        .subcommand_required(true)
        .arg_required_else_help(true)
        .infer_long_args(false)
        .max_term_width(100)
        .arg(global("db", "The ledger: a path or a postgres:// address").value_name("PATH_OR_URL"))
        .arg(global("format", "How to answer: text or json").value_name("FORMAT"))
        .arg(global("json", "Answer with one JSON document").action(ArgAction::SetTrue));
    for (group, about) in GROUPS {
        let mut command =
            Command::new(group).about(about).subcommand_required(true).arg_required_else_help(true);
        for entry in TABLE {
            let mut words = entry.words();
            if let (Some(first), Some(leaf)) = (words.next(), words.next())
                && first == group
            {
                command = command.subcommand(leaf_command(leaf, entry));
            }
        }
        root = root.subcommand(command);
    }
    for entry in TABLE.iter().filter(|entry| !entry.name.contains('.')) {
        root = root.subcommand(leaf_command(entry.name, entry));
    }
    root
}

fn leaf_command(name: &'static str, entry: &Entry) -> Command {
    Command::new(name)
        .about(entry.about)
        .after_help(format!("Example:\n  {}", entry.example))
        .defer(entry.arguments)
}

fn global(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).help(help).global(true).help_heading("Options of every command")
}

/// Reads the command line of this process.
pub(crate) fn parse(environment: &Environment) -> Result<Parsed, Wrong> {
    let words = environment.arguments();
    let asked_format = format_hint(words);
    let wrong = |error: clap::Error| explain(error, asked_format);
    let matches = match tree().try_get_matches_from(words) {
        Ok(matches) => matches,
        Err(error)
            if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) =>
        {
            return Ok(Parsed::Help(error.to_string()));
        }
        Err(error) => return Err(wrong(error)),
    };
    let (name, leaf) = chosen(&matches);
    let Some(entry) = Entry::named(&name) else {
        return Err(Wrong {
            code: Code::Bug,
            message: format!("the command '{name}' is not in the table of operations"),
            hint: "please report this".to_owned(),
            suggestions: Vec::new(),
            help: None,
            format: asked_format,
        });
    };
    let format = match (leaf.get_flag("json"), leaf.get_one::<String>("format")) {
        (true, _) => Some(Format::Json),
        (false, Some(text)) => Some(Format::parse(text).map_err(|refusal| Wrong {
            code: refusal.code,
            message: refusal.message,
            hint: refusal.hint.unwrap_or_default(),
            suggestions: refusal.suggestions,
            help: None,
            format: asked_format,
        })?),
        (false, None) => None,
    };
    let flags = Flags {
        db: leaf.get_one::<String>("db").cloned(),
        format,
        purpose: format!("windlass {}", name.replace('.', " ")),
    };
    let request = entry.from_matches(leaf).map_err(wrong)?;
    Ok(Parsed::Operation { request, flags, is_events: name == "events" })
}

/// The name of the operation and the matches of its own arguments.
fn chosen(matches: &ArgMatches) -> (String, &ArgMatches) {
    let mut name = Vec::new();
    let mut leaf = matches;
    while let Some((word, below)) = leaf.subcommand() {
        name.push(word);
        leaf = below;
    }
    (name.join("."), leaf)
}

/// The format that was asked for, found even in a command line that does not parse.
fn format_hint(words: &[std::ffi::OsString]) -> Option<Format> {
    let after = words.iter().skip(1).map(|word| word.to_str());
    let mut found = None;
    for (word, next) in words.iter().zip(after.chain([None])) {
        let named = match word.to_str() {
            Some("--json") => Some("json"),
            Some("--format") => next,
            Some(word) => word.strip_prefix("--format="),
            None => None,
        };
        found = named.and_then(|named| Format::parse(named).ok()).or(found);
    }
    found
}

/// Turns clap's error into ours: a value that is wrong is refused like any other, and what may
/// have been meant is suggested, never assumed.
fn explain(error: clap::Error, format: Option<Format>) -> Wrong {
    let code = match error.kind() {
        ErrorKind::InvalidValue | ErrorKind::ValueValidation | ErrorKind::InvalidUtf8 => {
            Code::InvalidValue
        }
        _ => Code::Usage,
    };
    let text = error.to_string();
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let message = match error.kind() {
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => "which command?".to_owned(),
        _ => missing(&error).unwrap_or_else(|| first.trim_start_matches("error: ").to_owned()),
    };
    let usage = text.lines().find_map(|line| line.strip_prefix("Usage: "));
    let hint = match usage {
        Some(usage) => format!("usage: {usage}"),
        None => "see windlass --help".to_owned(),
    };
    let only_help = error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    let help = only_help.then(|| text.clone());
    Wrong { code, message, hint, suggestions: suggestions(&error), help, format }
}

/// clap lists missing arguments on lines of their own; one line is enough.
fn missing(error: &clap::Error) -> Option<String> {
    if error.kind() != ErrorKind::MissingRequiredArgument {
        return None;
    }
    let Some(ContextValue::Strings(names)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    Some(format!("missing {}", names.join(" and ")))
}

fn suggestions(error: &clap::Error) -> Vec<String> {
    let mut found = Vec::new();
    for kind in [ContextKind::SuggestedArg, ContextKind::SuggestedValue] {
        match error.get(kind) {
            Some(ContextValue::String(word)) => found.push(word.clone()),
            Some(ContextValue::Strings(words)) => found.extend(words.iter().cloned()),
            _ => {}
        }
    }
    if let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidSubcommand) {
        // The word may be right and only its group wrong: `task why` is `why`.
        let leaves = TABLE.iter().filter_map(|entry| Some((entry, entry.words().last()?)));
        for (entry, leaf) in leaves {
            let given = given.to_lowercase();
            let is_prefix = given.len() >= 3 && leaf.starts_with(&given);
            if leaf == given || is_prefix || !near(&given, [leaf]).is_empty() {
                found.push(format!("windlass {}", entry.name.replace('.', " ")));
            }
        }
    }
    if let Some(ContextValue::Strings(words)) = error.get(ContextKind::SuggestedSubcommand)
        && found.is_empty()
    {
        found.extend(words.iter().cloned());
    }
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_is_consistent() {
        tree().debug_assert();
    }

    #[test]
    fn every_operation_has_its_command() {
        for entry in TABLE {
            let mut command = &tree();
            for word in entry.words() {
                let found = command.find_subcommand(word);
                command = found.unwrap_or_else(|| panic!("no command for {}", entry.name));
            }
        }
    }
}
