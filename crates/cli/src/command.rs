//! The command line, made from the table of operations and the few commands of this door alone.

use std::ffi::OsString;

use anstyle::Style;
use clap::builder::StyledStr;
use clap::builder::styling::Styles;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, ArgMatches, Command};
use windlass_domain::op::LONGEST;
use windlass_domain::run::word::Door;
use windlass_domain::{Code, Refusal};
use windlass_ops::once::OP_ID;
use windlass_ops::settings::Format;
use windlass_ops::table::{Entry, Request, TABLE};

use crate::own::{OWN, Own};
use crate::wrap::{LongWord, wrap};
use crate::{help, suggest};

/// What a group of subcommands is about. A group in a group is named like an operation.
pub(crate) const GROUPS: [(&str, &str); 23] = [
    ("project", "Projects: named queues of tasks"),
    ("task", "Tasks: add, claim, report, complete"),
    ("dep", "Dependencies: which task waits for which, in all projects"),
    ("workflow", "Workflows: atomic recipes over tasks"),
    ("workflow.run", "Run a workflow"),
    ("run", "Runs: workflow files that are executed, checked and gated"),
    ("run.step", "The steps of a run: start, verify, retry, block"),
    ("run.owner", "Who works on a run alone"),
    ("run.action", "What a run does to the world outside: asked for first, proven after"),
    ("run.budget", "How much a run may use up"),
    ("run.receipt", "What a run proves"),
    ("chunk", "Chunks: what agents and people know, typed, versioned and linked"),
    ("chunk.type", "What kinds of chunks there are"),
    ("hook", "Hooks: who is told what happens, and what did not arrive"),
    ("agent", "Agents: who is at work, who did what, who is of which type"),
    ("agent.type", "Types of agents: what each is given, and what it finds"),
    ("session", "Sessions: the sittings of agents, and what is injected"),
    ("lifecycle", "Lifecycles: how sessions go, and what each is given"),
    ("inject", "What would be injected"),
    ("key", "Keys: who is let in by a server, and as what"),
    ("audit", "The hash chain of the log"),
    ("import", "Coming from elsewhere: another ledger, HZL, beads"),
    ("db", "The database of the ledger"),
];

/// Flags that every command takes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Flags {
    pub(crate) db: Option<String>,
    /// The address of a server that has the ledger.
    pub(crate) server: Option<String>,
    pub(crate) format: Option<Format>,
    /// Under which the operation happens once.
    pub(crate) op_id: Option<String>,
    /// Who acts, where a command says it for all that follows.
    pub(crate) agent: Option<String>,
    /// The command as it will be shown to others who wait for it.
    pub(crate) purpose: String,
    /// The door that the command comes through.
    pub(crate) door: Door,
}

/// What was asked for.
pub(crate) enum Parsed {
    /// Help or a version, to be printed.
    Help(StyledStr),
    Operation {
        request: Box<dyn Request>,
        flags: Flags,
        is_events: bool,
    },
    /// A command of this door alone.
    Own {
        own: &'static Own,
        matches: ArgMatches,
        flags: Flags,
    },
}

/// A command line that makes no sense.
#[derive(Debug)]
pub(crate) struct Wrong {
    pub(crate) refusal: Refusal,
    /// What a person is shown instead.
    pub(crate) help: Option<StyledStr>,
    pub(crate) format: Option<Format>,
}

/// Which commands are needed.
#[derive(Clone, Copy)]
enum Needed<'a> {
    All,
    /// Those that one of these words could mean.
    Named(&'a [OsString]),
}

impl Needed<'_> {
    fn has(self, command: &str) -> bool {
        match self {
            Self::All => true,
            Self::Named(words) => words.iter().any(|word| word == command),
        }
    }
}

/// The whole command tree, with help for a page of that width. The arguments of a leaf are added
/// only when it is used.
pub(crate) fn tree(width: usize) -> Command {
    tree_of(Needed::All, width)
}

fn tree_of(needed: Needed<'_>, width: usize) -> Command {
    let width = width.min(help::WIDEST);
    let mut root = Command::new("windlass")
        .version(env!("CARGO_PKG_VERSION"))
        .about("A control plane for coding agents")
        .styles(Styles::plain().header(Style::new().bold()).usage(Style::new().bold()))
        .subcommand_required(true)
        .arg_required_else_help(true)
        .infer_long_args(false)
        .term_width(width)
        .next_line_help(width < help::NARROW)
        .args(globals());
    let groups = GROUPS.iter().filter(|(name, _)| !name.contains('.'));
    for (name, about) in groups.filter(|(name, _)| needed.has(name)) {
        root = root.subcommand(group(name, name, about, needed, width));
    }
    let alone = TABLE.iter().filter(|entry| !entry.name.contains('.'));
    for entry in alone.filter(|entry| needed.has(entry.name)) {
        root = root.subcommand(operation(entry.name, entry, width));
    }
    for own in OWN.iter().filter(|own| needed.has(own.name)) {
        let leaf = leaf(own.name, own.about, own.example, width);
        root = root.subcommand(leaf.defer(own.arguments));
    }
    root
}

/// A group with everything below it.
fn group(
    name: &'static str,
    word: &'static str,
    about: &'static str,
    needed: Needed<'_>,
    width: usize,
) -> Command {
    let mut command =
        Command::new(word).about(about).subcommand_required(true).arg_required_else_help(true);
    for entry in TABLE {
        if let Some((above, leaf)) = entry.name.rsplit_once('.')
            && above == name
            && needed.has(leaf)
        {
            command = command.subcommand(operation(leaf, entry, width));
        }
    }
    for (below, about) in &GROUPS {
        if let Some((above, word)) = below.rsplit_once('.')
            && above == name
            && needed.has(word)
        {
            command = command.subcommand(group(below, word, about, needed, width));
        }
    }
    command
}

/// Sorts words into commands and arguments. All commands are needed only to say what is wrong, and
/// the first page of help only for those who want to see it.
fn sorted(words: &[OsString], width: usize) -> Result<ArgMatches, clap::Error> {
    let matches = tree_of(Needed::Named(words), width).try_get_matches_from(words);
    if matches.as_ref().map_or_else(|error| error.kind() == ErrorKind::DisplayVersion, |_| true) {
        return matches;
    }
    let matches = tree(width).try_get_matches_from(words);
    match matches.as_ref().map_err(clap::Error::kind) {
        Err(ErrorKind::DisplayHelp | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand) => {
            help::on_first_page(tree(width), width).try_get_matches_from(words)
        }
        _ => matches,
    }
}

fn operation(name: &'static str, entry: &Entry, width: usize) -> Command {
    let leaf = leaf(name, entry.about, entry.example, width);
    match entry.formats.is_empty() {
        true => leaf.defer(entry.arguments),
        // Its own --format must be there before the one of every command would be added.
        false => (entry.arguments)(leaf),
    }
}

/// The text about it is part of the template, because the arguments, when they are added, bring
/// another one along.
fn leaf(name: &'static str, about: &'static str, example: &str, width: usize) -> Command {
    let bold = Style::new().bold();
    let wrapped = wrap(about, width, width, LongWord::Whole).join("\n");
    Command::new(name)
        .about(about)
        .help_template(format!(
            "{wrapped}\n\n{{usage-heading}} {{usage}}\n\n{{all-args}}{{after-help}}"
        ))
        .after_help(format!("{bold}Example:{bold:#}\n  {example}"))
}

/// The arguments that every command takes.
pub(crate) fn globals() -> [Arg; 5] {
    let global = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).help(help).global(true).help_heading("Options of every command")
    };
    [
        global("db", "The ledger: a path or a postgres:// address").value_name("PATH_OR_URL"),
        global("server", "The server that has the ledger: http:// or https://…").value_name("URL"),
        global("format", "How to answer: text or json").value_name("FORMAT"),
        global(OP_ID.name, OP_ID.help).value_name(OP_ID.value),
        global("json", "Answer with one JSON document").action(ArgAction::SetTrue),
    ]
}

/// Reads a command line.
pub(crate) fn parse(words: &[OsString], width: usize) -> Result<Parsed, Wrong> {
    let asked_format = format_hint(words);
    let wrong = |error: clap::Error| explain(error, words, asked_format);
    let mut matches = match sorted(words, width) {
        Ok(matches) => matches,
        Err(error)
            if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) =>
        {
            return Ok(Parsed::Help(in_our_words(&error.render())));
        }
        Err(error) => return Err(wrong(error)),
    };
    let (name, leaf) = chosen(&mut matches);
    let refused = |refusal| Wrong { refusal, help: None, format: asked_format };
    let flags = Flags {
        db: leaf.get_one::<String>("db").cloned(),
        server: leaf.get_one::<String>("server").cloned(),
        format: format(&leaf, own_formats(&name)).map_err(refused)?,
        op_id: leaf.get_one::<String>(OP_ID.name).cloned(),
        agent: None,
        purpose: format!("windlass {}", name.replace('.', " ")),
        door: Door::default(),
    };
    if let Some(own) = OWN.iter().find(|own| own.name == name) {
        return Ok(Parsed::Own { own, matches: leaf, flags });
    }
    let Some(entry) = Entry::named(&name) else {
        let message = format!("the command '{name}' is not in the table of operations");
        return Err(refused(Refusal::new(Code::Bug, message).hint("please report this")));
    };
    let request = entry.from_matches(&leaf).map_err(wrong)?;
    Ok(Parsed::Operation { request, flags, is_events: name == "events" })
}

/// The name of the operation and the matches of its own arguments.
fn chosen(matches: &mut ArgMatches) -> (String, ArgMatches) {
    let mut name = Vec::new();
    let mut leaf = std::mem::take(matches);
    while let Some((word, below)) = leaf.remove_subcommand() {
        name.push(word);
        leaf = below;
    }
    (name.join("."), leaf)
}

/// The languages in which a command can answer beside text and JSON.
fn own_formats(name: &str) -> &'static [&'static str] {
    Entry::named(name).map_or(&[], |entry| entry.formats)
}

/// A language of the command's own is text to everybody else.
fn format(leaf: &ArgMatches, own: &[&str]) -> Result<Option<Format>, Refusal> {
    match (leaf.get_flag("json"), leaf.get_one::<String>("format")) {
        (true, _) => Ok(Some(Format::Json)),
        (false, Some(text)) if own.contains(&text.as_str()) => Ok(Some(Format::Text)),
        // The command itself knows best what it can do.
        (false, Some(text)) if !own.is_empty() => Ok(format_named(text).ok()),
        (false, Some(text)) => format_named(text).map(Some),
        (false, None) => Ok(None),
    }
}

/// Other tools call the format for people `md`.
fn format_named(text: &str) -> Result<Format, Refusal> {
    if text == "md" { Ok(Format::Text) } else { Format::parse(text) }
}

/// The format that was asked for, found even in a command line that does not parse.
fn format_hint(words: &[OsString]) -> Option<Format> {
    let after = words.iter().skip(1).map(|word| word.to_str());
    let mut found = None;
    for (word, next) in words.iter().zip(after.chain([None])) {
        let named = match word.to_str() {
            Some("--json") => Some("json"),
            Some("--format") => next,
            Some(word) => word.strip_prefix("--format="),
            None => None,
        };
        found = named.and_then(|named| format_named(named).ok()).or(found);
    }
    found
}

/// Turns clap's error into ours: a value that is wrong is refused like any other, and what may
/// have been meant is suggested, never assumed.
fn explain(error: clap::Error, words: &[OsString], format: Option<Format>) -> Wrong {
    let is_empty =
        error.get(ContextKind::InvalidValue) == Some(&ContextValue::String(String::new()));
    let code = match error.kind() {
        // A flag without its value is an unfinished command line, not a wrong value.
        ErrorKind::InvalidValue if is_empty => Code::Usage,
        ErrorKind::InvalidValue | ErrorKind::ValueValidation | ErrorKind::InvalidUtf8 => {
            Code::InvalidValue
        }
        _ => Code::Usage,
    };
    let text = error.to_string();
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let only_help = error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    let message = match only_help {
        true => "which command?".to_owned(),
        false => missing(&error).unwrap_or_else(|| first.trim_start_matches("error: ").to_owned()),
    };
    let message = message.replace("invalid digit found in string", "not a whole number");
    let usage = text.lines().find_map(|line| line.strip_prefix("Usage: "));
    let hint = match (error.get(ContextKind::ValidValue), usage) {
        _ if error.kind() == ErrorKind::InvalidSubcommand && !commands_of(words).is_empty() => {
            format!("use one of {}", commands_of(words).join(", "))
        }
        (Some(ContextValue::Strings(values)), _) if !values.is_empty() => {
            format!("use one of {}", values.join(", "))
        }
        (_, Some(usage)) => format!("usage: {usage}"),
        (_, None) => format!("see {} --help", command_of(words)),
    };
    let refusal = match unreadable(words) {
        Some(refusal) if error.kind() == ErrorKind::InvalidUtf8 => refusal,
        _ => Refusal::new(code, message).hint(hint).suggest(suggest::meant(&error)),
    };
    Wrong { refusal, help: only_help.then(|| in_our_words(&error.render())), format }
}

/// Which argument is no text. clap does not say it.
fn unreadable(words: &[OsString]) -> Option<Refusal> {
    let at = words.iter().position(|word| word.to_str().is_none())?;
    let word = words.get(at)?.to_string_lossy();
    let before = at.checked_sub(1).and_then(|before| words.get(before)?.to_str());
    let flag = match word.split_once('=') {
        Some((flag, _)) if flag.starts_with("--") => Some(flag),
        _ => before.filter(|before| before.starts_with('-')),
    };
    let named = flag.map_or_else(|| format!("argument {at}"), str::to_owned);
    let hint = match flag.map(|flag| flag.trim_start_matches('-')) {
        Some(flag) if flag == OP_ID.name => {
            format!("give it any UTF-8 text of at most {LONGEST} bytes, such as a UUID")
        }
        _ => "give it as UTF-8 text".to_owned(),
    };
    let refusal = Refusal::new(Code::InvalidValue, format!("{named} is not valid UTF-8: {word}"));
    Some(refusal.hint(hint).detail("field", named).detail("given", word))
}

/// More commands than this nobody reads in a hint.
const FEW: usize = 10;

/// The command that some words name, as far as there is one, and the words that name it.
fn command_named(words: &[OsString]) -> (Command, String) {
    let mut command = tree(help::WIDEST);
    let mut path = command.get_name().to_owned();
    for word in words.iter().skip(1).filter_map(|word| word.to_str()) {
        if let Some(found) = command.find_subcommand(word).cloned() {
            command = found;
            path = format!("{path} {word}");
        }
    }
    (command, path)
}

fn command_of(words: &[OsString]) -> String {
    command_named(words).1
}

/// The commands of the group that some words name, where they are few enough to be read.
fn commands_of(words: &[OsString]) -> Vec<String> {
    let (group, _) = command_named(words);
    let commands = group.get_subcommands().filter(|command| !command.is_hide_set());
    let names: Vec<String> = commands.map(|command| command.get_name().to_owned()).collect();
    if names.len() > FEW { Vec::new() } else { names }
}

/// clap has its own name for the command that shows help, and no way to give it another.
fn in_our_words(help: &StyledStr) -> StyledStr {
    let theirs = "Print this message or the help of the given subcommand(s)";
    StyledStr::from(help.ansi().to_string().replace(theirs, "Show the help of a command"))
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn the_tree_is_consistent() {
        tree(80).debug_assert();
    }

    #[test]
    fn of_all_commands_only_those_are_made_that_the_words_name() {
        for entry in TABLE {
            let words: Vec<OsString> = entry.words().map(OsString::from).collect();
            let narrow = tree_of(Needed::Named(&words), 80);
            let mut command = &narrow;
            for word in entry.words() {
                let found = command.find_subcommand(word);
                command = found.unwrap_or_else(|| panic!("no command for {}", entry.name));
            }
            assert!(narrow.get_subcommands().count() <= words.len(), "{}", entry.name);
        }
    }

    #[test]
    fn every_operation_has_its_command() {
        for entry in TABLE {
            let mut command = &tree(80);
            for word in entry.words() {
                let found = command.find_subcommand(word);
                command = found.unwrap_or_else(|| panic!("no command for {}", entry.name));
            }
        }
    }

    /// Every option of an operation that has a letter: the operation, the option and the letter.
    fn letters() -> impl Iterator<Item = (&'static str, String, char)> {
        TABLE.iter().flat_map(|entry| {
            let command = operation(entry.name, entry, 80);
            let lettered = command.get_arguments().filter_map(|option| {
                Some((entry.name, option.get_long()?.to_owned(), option.get_short()?))
            });
            lettered.collect::<Vec<_>>()
        })
    }

    #[test]
    fn an_option_has_the_same_letter_wherever_it_has_one() {
        let mut known = BTreeMap::new();
        for (name, option, letter) in letters() {
            let (first, usual) = *known.entry(option.clone()).or_insert((name, letter));
            assert_eq!(letter, usual, "--{option} of {name}, beside {first}");
        }
    }

    #[test]
    fn t_is_for_tags_everywhere() {
        for (name, option, _) in letters().filter(|(.., letter)| *letter == 't') {
            assert!(["tag", "tags"].contains(&option.as_str()), "-t of {name} is --{option}");
        }
    }

    /// The words of a command as a shell reads them, without the dots that stand for more of them.
    fn words(command: &str) -> Vec<String> {
        let quoted = command.split('"').enumerate();
        let words = quoted.flat_map(|(number, part)| match number % 2 {
            0 => part.split_whitespace().filter(|word| *word != "…").map(str::to_owned).collect(),
            _ => vec![part.to_owned()],
        });
        words.collect()
    }

    fn skill() -> String {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../skills/search-context/SKILL.md");
        std::fs::read_to_string(path).unwrap()
    }

    #[test]
    fn c121_the_skill_teaches_scopes_passes_and_the_checklist() {
        let skill = skill();
        let section = |heading: &str| {
            let found = skill.split("\n## ").find(|section| section.starts_with(heading));
            found.unwrap_or_else(|| panic!("no section '{heading}'")).to_owned()
        };
        let items = |section: &str, mark: &str| {
            section.lines().filter(|line| line.trim_start().starts_with(mark)).count()
        };
        let scopes = section("Scopes");
        assert!(["org", "project", "agent"].iter().all(|scope| scopes.contains(scope)), "{scopes}");
        let passes = section("Passes");
        assert!((1..=4).all(|pass| items(&passes, &format!("{pass}.")) == 1), "{passes}");
        let checklist = section("Checklist");
        assert!(items(&checklist, "- [ ]") >= 4, "{checklist}");
    }

    #[test]
    fn c121_every_command_that_the_skill_teaches_is_an_operation() {
        let skill = skill();
        let spans = skill.split('`').skip(1).step_by(2);
        let mut taught = 0;
        for command in spans.filter(|span| span.starts_with("windlass ")) {
            let parsed = tree(80).try_get_matches_from(words(command));
            let parsed = parsed.unwrap_or_else(|wrong| panic!("{command}: {wrong}"));
            let mut name = Vec::new();
            let mut matches = &parsed;
            while let Some((word, inner)) = matches.subcommand() {
                name.push(word);
                matches = inner;
            }
            assert!(Entry::named(&name.join(".")).is_some(), "{command}");
            taught += 1;
        }
        assert!(taught >= 8, "{taught} commands");
    }

    #[test]
    fn a_command_of_this_door_does_not_hide_an_operation() {
        for own in &OWN {
            assert!(Entry::named(own.name).is_none(), "{}", own.name);
            let is_group = GROUPS.iter().any(|(group, _)| *group == own.name);
            assert!(!is_group, "{}", own.name);
            assert!(own.example.contains(&format!("windlass {}", own.name)), "{}", own.name);
        }
    }
}
