//! `completions`: what a shell can offer while somebody types a command.
//!
//! `completions bash` prints a script. The script asks for candidates by the same command with the
//! words typed so far (`completions bash -- task show 8F`), so that it knows tasks and projects
//! and never grows old.

mod argument;
mod line;
mod values;

use std::ffi::OsString;
use std::fmt::Write as _;

use clap::{Arg, Command, value_parser};
use windlass_domain::Exit;

use crate::own::{Call, Own};
use crate::wrap::{cut, harmless};
use argument::Wanted;
use line::Line;

pub(crate) const OWN: Own = Own {
    name: "completions",
    about: "Print a script that completes commands, tasks and projects",
    example: "source <(windlass completions bash)",
    arguments,
    run,
};

const SCRIPTS: [(&str, &str); 3] = [
    ("bash", include_str!("windlass.bash")),
    ("zsh", include_str!("windlass.zsh")),
    ("fish", include_str!("windlass.fish")),
];

/// Instead of candidates: here the shell knows better, it completes names of files.
const FILES: &str = "<file>";

/// The widest text beside a candidate.
const WIDEST_ABOUT: usize = 60;

/// One word that could come next, and what it means.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    word: String,
    about: String,
}

impl Candidate {
    fn new(word: impl Into<String>, about: impl Into<String>) -> Self {
        Self { word: word.into(), about: about.into() }
    }
}

fn arguments(command: Command) -> Command {
    let shell = Arg::new("shell")
        .help("The shell that will read the script")
        .value_name("SHELL")
        .required(true)
        .value_parser(SCRIPTS.map(|(shell, _)| shell));
    let words =
        Arg::new("words").num_args(0..).last(true).hide(true).value_parser(value_parser!(OsString));
    command.arg(shell).arg(words)
}

fn run(call: Call<'_>) -> std::io::Result<Exit> {
    let text = if let Some(words) = call.matches.get_many::<OsString>("words") {
        let words = words.map(|word| word.to_string_lossy().into_owned());
        answer(&words.collect::<Vec<_>>(), &call)
    } else {
        let shell = call.matches.get_one::<String>("shell").map(String::as_str);
        let script = SCRIPTS.iter().find(|(name, _)| Some(*name) == shell);
        script.map(|(_, script)| (*script).to_owned()).unwrap_or_default()
    };
    if !text.is_empty() {
        let _reader = call.terminal.out(&text)?;
    }
    Ok(Exit::Done)
}

/// The candidates for the last of the words, one a line, with what each means behind a tab.
///
/// Whatever goes wrong on the way, the answer is shorter and nothing else: it would be written
/// into the line that somebody is typing.
fn answer(words: &[String], call: &Call<'_>) -> String {
    let line = Line::read(words);
    let candidates = match &line.wanted {
        Wanted::Nothing => Vec::new(),
        Wanted::Files => return FILES.to_owned(),
        Wanted::Words(candidates) => candidates.clone(),
        Wanted::Value(value) => values::known(*value, &line, call.environment),
    };
    let typed = line.typed.to_lowercase();
    let mut text = String::new();
    for Candidate { word, about } in candidates {
        if word.to_lowercase().starts_with(&typed) {
            let about = cut(&harmless(&about), WIDEST_ABOUT);
            let _infallible = writeln!(text, "{}{word}\t{about}", line.before);
        }
    }
    text
}
