//! What could come next on a command line.
//!
//! A pure function of the words typed so far. It reads as leniently as it can: what it does not
//! understand leads to no candidates, never to an error.

use clap::{Arg, ArgAction, Command};
use windlass_ops::table::{Entry, TABLE};

use super::Candidate;
use super::argument::{Value, Wanted, value_of};
use crate::command::{GROUPS, globals};
use crate::own::OWN;

/// A command line up to the word that is being typed.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) wanted: Wanted,
    /// The part of the last word that stays as it is: `--status=`, `8F3K2Q,`.
    pub(super) before: String,
    /// The part that is being typed.
    pub(super) typed: String,
    /// The ledger that was named.
    pub(super) db: Option<String>,
    /// The server that was named.
    pub(super) server: Option<String>,
}

impl Line {
    /// Reads the words after `windlass`; the last one is being typed and may be empty.
    pub(super) fn read(words: &[String]) -> Self {
        let Some((last, before)) = words.split_last() else {
            return Self::read(&[String::new()]);
        };
        let mut reader = Reader::default();
        for word in before {
            reader.take(word);
        }
        reader.complete(last)
    }
}

/// Reads one word after the other.
#[derive(Default)]
struct Reader {
    /// The words that chose the command: `task`, `add`.
    path: Vec<String>,
    /// The arguments of the command, once it is known.
    arguments: Option<Vec<Arg>>,
    /// Somebody asked for the help of the command that follows.
    is_help: bool,
    /// How many arguments without a flag were given.
    positionals: usize,
    /// The flag whose value comes next.
    waiting: Option<Arg>,
    /// The flags that were given.
    given: Vec<String>,
    /// After `--` nothing is a flag.
    only_positionals: bool,
    db: Option<String>,
    server: Option<String>,
}

impl Reader {
    fn take(&mut self, word: &str) {
        if let Some(flag) = self.waiting.take() {
            return self.value(&flag, word);
        }
        if self.only_positionals {
            self.positionals += 1;
        } else if word == "--" {
            self.only_positionals = true;
        } else if let Some(long) = word.strip_prefix("--") {
            let (name, value) = long.split_once('=').map_or((long, None), |(n, v)| (n, Some(v)));
            let flag = self.flags().into_iter().find(|flag| flag.get_long() == Some(name));
            self.flag(flag, value);
        } else if word.len() > 1 && word.starts_with('-') {
            self.short(word);
        } else if self.arguments.is_some() {
            self.positionals += 1;
        } else if self.path.is_empty() && word == "help" {
            self.is_help = true;
        } else {
            self.path.push(word.to_owned());
            self.arguments = if self.is_help { None } else { arguments_of(&self.path.join(".")) };
        }
    }

    /// `-P api`, `-Papi`, `-ra`
    fn short(&mut self, word: &str) {
        for (index, letter) in word.char_indices().skip(1) {
            let flag = self.flags().into_iter().find(|flag| flag.get_short() == Some(letter));
            let rest = word.get(index + letter.len_utf8()..).unwrap_or_default();
            let takes_value = flag.as_ref().is_some_and(takes_value);
            self.flag(flag, (takes_value && !rest.is_empty()).then_some(rest));
            if takes_value {
                return;
            }
        }
    }

    fn flag(&mut self, flag: Option<Arg>, value: Option<&str>) {
        let Some(flag) = flag else {
            return;
        };
        self.given.push(flag.get_id().to_string());
        match value {
            Some(value) => self.value(&flag, value),
            None if takes_value(&flag) => self.waiting = Some(flag),
            None => {}
        }
    }

    fn value(&mut self, flag: &Arg, value: &str) {
        match flag.get_id().as_str() {
            "db" => self.db = Some(value.to_owned()),
            "server" => self.server = Some(value.to_owned()),
            _ => {}
        }
    }

    /// The flags of the command and those of every command.
    fn flags(&self) -> Vec<Arg> {
        let own = self.arguments.iter().flatten().filter(|argument| !argument.is_positional());
        let is_own = |flag: &Arg| own.clone().any(|other| other.get_id() == flag.get_id());
        let globals = globals().into_iter().filter(|flag| !is_own(flag));
        own.clone().cloned().chain(globals).filter(|flag| !flag.is_hide_set()).collect()
    }

    fn complete(mut self, word: &str) -> Line {
        let flag = word.strip_prefix("--").and_then(|long| long.split_once('='));
        let (wanted, before) = if let Some(flag) = self.waiting.take() {
            (self.value_of(&flag), list_before(&flag, word))
        } else if self.only_positionals || !word.starts_with('-') {
            self.next_word(word)
        } else if let Some((name, value)) = flag {
            match self.flags().into_iter().find(|flag| flag.get_long() == Some(name)) {
                Some(flag) => {
                    let before = format!("--{name}={}", list_before(&flag, value));
                    (self.value_of(&flag), before)
                }
                None => (Wanted::Nothing, String::new()),
            }
        } else {
            (Wanted::Words(self.flag_names()), String::new())
        };
        let typed = word.strip_prefix(before.as_str()).unwrap_or(word).to_owned();
        Line { wanted, before, typed, db: self.db, server: self.server }
    }

    /// A word that is no flag: a command or an argument.
    fn next_word(&self, word: &str) -> (Wanted, String) {
        let Some(arguments) = &self.arguments else {
            return (Wanted::Words(commands_below(&self.path)), String::new());
        };
        let mut positionals =
            arguments.iter().filter(|argument| argument.is_positional() && !argument.is_hide_set());
        match positionals.nth(self.positionals) {
            Some(argument) => (self.value_of(argument), list_before(argument, word)),
            // Behind the first task comes another one or, mostly, the project they go to.
            None if arguments.iter().any(|argument| argument.get_id() == "tasks") => {
                (Wanted::Value(Value::Project), String::new())
            }
            // Nothing but a flag can come now.
            None if word.is_empty() && !self.only_positionals => {
                (Wanted::Words(self.flag_names()), String::new())
            }
            None => (Wanted::Nothing, String::new()),
        }
    }

    /// The flags that were not given yet, or may be given again.
    fn flag_names(&self) -> Vec<Candidate> {
        let is_open = |flag: &Arg| {
            let again = matches!(flag.get_action(), ArgAction::Append);
            again || !self.given.contains(&flag.get_id().to_string())
        };
        let named = |flag: Arg| {
            let about = flag.get_help().map(ToString::to_string);
            Some(Candidate::new(format!("--{}", flag.get_long()?), about.unwrap_or_default()))
        };
        let flags = self.flags().into_iter().filter(is_open).filter_map(named);
        flags.chain([Candidate::new("--help", "Show help")]).collect()
    }

    fn value_of(&self, argument: &Arg) -> Wanted {
        value_of(&self.path.join("."), argument)
    }
}

fn takes_value(flag: &Arg) -> bool {
    matches!(flag.get_action(), ArgAction::Set | ArgAction::Append)
}

/// In a list, what is before the last comma stays.
fn list_before(argument: &Arg, word: &str) -> String {
    let is_list = argument.get_value_delimiter() == Some(',');
    let end = word.rfind(',').filter(|_| is_list).map_or(0, |comma| comma + 1);
    word.get(..end).unwrap_or_default().to_owned()
}

/// The arguments of an operation or another command.
fn arguments_of(name: &str) -> Option<Vec<Arg>> {
    let operation = Entry::named(name).map(|entry| entry.arguments);
    let own = || OWN.iter().find(|own| own.name == name).map(|own| own.arguments);
    let add = operation.or_else(own)?;
    Some(add(Command::new("leaf")).get_arguments().cloned().collect())
}

/// The commands that begin with these words.
fn commands_below(path: &[String]) -> Vec<Candidate> {
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    let operations = TABLE.iter().filter_map(|entry| {
        let words: Vec<&str> = entry.words().collect();
        let rest = words.strip_prefix(path.as_slice())?;
        let [leaf] = rest else { return None };
        Some(Candidate::new(*leaf, entry.about))
    });
    let groups = GROUPS.iter().filter_map(|(group, about)| {
        let words: Vec<&str> = group.split('.').collect();
        let [word] = words.strip_prefix(path.as_slice())? else { return None };
        Some(Candidate::new(*word, *about))
    });
    if !path.is_empty() {
        return groups.chain(operations).collect();
    }
    let own = OWN.iter().map(|own| Candidate::new(own.name, own.about));
    let help = [Candidate::new("help", "Show the help of a command")];
    groups.chain(operations).chain(own).chain(help).collect()
}

#[cfg(test)]
mod tests {
    use windlass_domain::Status;

    use super::*;

    /// What is wanted at the end of a line; a space at its end begins a new word.
    fn read(line: &str) -> Line {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        Line::read(&words)
    }

    fn offered(line: &str) -> Vec<String> {
        match read(line).wanted {
            Wanted::Words(candidates) => candidates.into_iter().map(|one| one.word).collect(),
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn commands_come_first_and_then_their_subcommands() {
        for command in ["task", "project", "why", "completions", "help"] {
            assert!(offered("").contains(&command.to_owned()), "{command}");
        }
        assert!(offered("--json task ").contains(&"claim".to_owned()));
        assert!(offered("help task ").contains(&"claim".to_owned()));
        assert!(offered("workflow ").contains(&"run".to_owned()));
        assert_eq!(offered("workflow run "), ["start", "handoff", "delegate"]);
        assert!(offered("nothing ").is_empty());
    }

    #[test]
    fn every_flag_of_every_operation_is_offered() {
        for entry in TABLE {
            let command = (entry.arguments)(Command::new("leaf"));
            let offered = offered(&format!("{} -", entry.name.replace('.', " ")));
            for flag in command.get_arguments().filter_map(|argument| argument.get_long()) {
                assert!(offered.contains(&format!("--{flag}")), "{}: {flag}", entry.name);
            }
        }
    }

    #[test]
    fn a_flag_is_offered_once_unless_it_makes_a_list() {
        let offered = offered("task add x -P api --tags web -");
        assert!(!offered.contains(&"--project".to_owned()));
        assert!(offered.contains(&"--tags".to_owned()));
    }

    #[test]
    fn a_value_is_completed_however_its_flag_is_written() {
        for (line, before, typed) in [
            ("task list --project a", "", "a"),
            ("task list --project=a", "--project=", "a"),
            ("task list -P a", "", "a"),
            ("task list -aP a", "", "a"),
        ] {
            let line = read(line);
            assert_eq!(line.wanted, Wanted::Value(Value::Project));
            assert_eq!((line.before.as_str(), line.typed.as_str()), (before, typed));
        }
    }

    #[test]
    fn in_a_list_only_the_last_value_is_completed() {
        let line = read("task add x --depends-on=8F3K2Q,1Z");
        assert!(matches!(line.wanted, Wanted::Value(Value::Task(_))));
        assert_eq!((line.before.as_str(), line.typed.as_str()), ("--depends-on=8F3K2Q,", "1Z"));
    }

    #[test]
    fn tasks_are_those_that_the_command_can_be_about() {
        assert_eq!(read("task reopen ").wanted, Wanted::Value(Value::Task(&[Status::Done])));
        let Wanted::Value(Value::Task(statuses)) = read("task complete --fence 3 ").wanted else {
            panic!("no tasks");
        };
        assert!(statuses.contains(&Status::InProgress) && !statuses.contains(&Status::Archived));
    }

    #[test]
    fn what_was_given_already_is_not_asked_for_again() {
        assert_eq!(read("task comment 8F3K2Q ").wanted, Wanted::Nothing);
        assert_eq!(read("task comment 8F3K2Q said x").wanted, Wanted::Nothing);
        assert!(offered("task comment 8F3K2Q said ").contains(&"--author".to_owned()));
    }

    #[test]
    fn words_that_are_known_beforehand_are_offered() {
        assert_eq!(offered("task reopen 8F3K2Q --status "), ["ready", "backlog"]);
        assert!(offered("task list -s ").contains(&"archived".to_owned()));
        assert!(offered("explain ").contains(&"stale_claim".to_owned()));
        assert_eq!(offered("--format "), ["text", "json"]);
        assert_eq!(offered("dep graph --format "), ["dot", "mermaid", "text", "json"]);
        assert_eq!(offered("task show x --view "), ["summary", "standard", "full"]);
        assert_eq!(offered("completions "), ["bash", "zsh", "fish"]);
    }

    #[test]
    fn files_are_left_to_the_shell() {
        for line in ["export ", "import ledger x", "man ", "--db ", "task list --db=x"] {
            assert_eq!(read(line).wanted, Wanted::Files, "{line}");
        }
    }

    #[test]
    fn the_ledger_that_was_named_is_the_one_to_ask() {
        assert_eq!(read("--db here.db task show ").db.as_deref(), Some("here.db"));
        assert_eq!(read("task show --db=here.db ").db.as_deref(), Some("here.db"));
        assert_eq!(read("--server http://h task show ").server.as_deref(), Some("http://h"));
    }
}
