//! `hotl-rt` and `hotl`: the doors for skills and scripts that were written for HOTL.
//!
//! The same commands, outputs and exit codes, over the same operations as everywhere. The runtime is
//! opened by the name of the program (a link called `hotl-rt`) or as `windlass hotl-rt …`, the helper
//! scripts as `windlass hotl …`. What HOTL believes its caller, a run that is begun here believes
//! too: its gates are attested, and it lands all the same.

mod driver;
mod finish;
mod runtime;
mod scripts;
mod words;

use std::ffi::OsString;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use clap::{Arg, Command, value_parser};
use windlass_domain::run::word;
use windlass_domain::{Code, Exit};
use windlass_ledger::Error;
use windlass_ops::Context;

use crate::command::Flags;
use crate::environment::Environment;
use crate::own::{Call, Own};
use words::Words;

const NAME: &str = "hotl-rt";

pub(crate) const OWN: Own = Own {
    name: NAME,
    about: "Behave as HOTL's runtime, for skills that were written for it",
    example: "windlass hotl-rt init hotl-workflow-add-auth.md",
    arguments,
    run: |call| Ok(RUNTIME.open(call)),
};

pub(crate) const SCRIPTS_OWN: Own = Own {
    name: "hotl",
    about: "Do what HOTL's helper scripts do, for skills that call them",
    example: "windlass hotl lint hotl-workflow-add-auth.md",
    arguments,
    run: |call| Ok(SCRIPTS.open(call)),
};

/// What is behind a door: its commands, and what is said to who knows none of them.
struct Door {
    usage: &'static str,
    answer: fn(&mut Context, Words) -> Result<Exit, Trouble>,
}

const RUNTIME: Door = Door { usage: runtime::USAGE, answer: runtime::answer };
const SCRIPTS: Door = Door { usage: scripts::USAGE, answer: scripts::answer };

fn arguments(command: Command) -> Command {
    command.disable_help_flag(true).arg(
        Arg::new("words")
            .value_name("COMMAND")
            .help("A command of HOTL with its arguments; help lists them")
            .num_args(0..)
            .trailing_var_arg(true)
            .allow_hyphen_values(true)
            .value_parser(value_parser!(OsString)),
    )
}

/// How the process ends, if it was started under the name of HOTL's runtime.
pub(crate) fn entered(environment: &Environment) -> Option<Exit> {
    let (name, words) = environment.arguments().split_first()?;
    if Path::new(name).file_name()? != NAME {
        return None;
    }
    let flags = Flags { purpose: NAME.to_owned(), ..Flags::default() };
    Some(RUNTIME.answer(environment, flags, words.to_vec()))
}

impl Door {
    fn open(&self, call: Call<'_>) -> Exit {
        let words = call.matches.get_many::<OsString>("words").into_iter().flatten().cloned();
        self.answer(call.environment, call.flags, words.collect())
    }

    /// HOTL ends with 0 or 1, and tells its errors on stderr.
    fn answer(&self, environment: &Environment, flags: Flags, words: Vec<OsString>) -> Exit {
        let done = Words::read(words).and_then(|words| {
            let mut cx = environment.context(Flags { door: word::Door::Hotl, ..flags })?;
            cx.notices = Some(Arc::new(|text| tell(&format!("WARNING: {text}"))));
            (self.answer)(&mut cx, words)
        });
        match done {
            Ok(exit) => exit,
            Err(Trouble::Usage) => {
                tell(self.usage.trim_end());
                Exit::Unexpected
            }
            Err(Trouble::Misused(usage)) => {
                tell(usage.trim_end());
                Exit::Unexpected
            }
            Err(Trouble::Told(message)) => {
                tell(&format!("ERROR: {message}"));
                Exit::Unexpected
            }
        }
    }
}

/// Writes a line to stderr, whether anybody reads it or not.
fn tell(line: &str) {
    let _reader = writeln!(std::io::stderr().lock(), "{line}");
}

/// Why a command was not done.
enum Trouble {
    /// It makes no sense, and the usage says what does.
    Usage,
    /// The same for one command, which has a usage of its own.
    Misused(&'static str),
    Told(String),
}

impl Trouble {
    /// A refusal with its way on, on a line of its own as in HOTL's scripts.
    fn with_hint(refusal: windlass_domain::Refusal) -> Self {
        let hint = refusal.hint.clone();
        match (Self::from(refusal), hint) {
            (Self::Told(message), Some(hint)) => Self::Told(format!("{message}\n       {hint}")),
            (told, _) => told,
        }
    }
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        match error {
            Error::Refused(refusal) => refusal.into(),
            Error::Failed(fault) => Self::Told(fault.message),
        }
    }
}

impl From<windlass_domain::Refusal> for Trouble {
    fn from(refusal: windlass_domain::Refusal) -> Self {
        let runs = refusal.details.get("runs").and_then(serde_json::Value::as_array);
        let listed = runs.into_iter().flatten().filter_map(serde_json::Value::as_str);
        let mut lines: Vec<String> = listed.map(|run| format!("\n  - {run}")).collect();
        if refusal.code == Code::RunNotFound && !lines.is_empty() {
            lines.insert(0, "\nAvailable runs:".to_owned());
        }
        Self::Told(format!("{}{}", refusal.message, lines.concat()))
    }
}
