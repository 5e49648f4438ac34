//! `at_a_time FILE OPERATION JSON`: runs one operation at the time that a file says.
//!
//! Processes that share the file share a clock, which the test moves; so nothing waits for a
//! schedule. The ledger is `WINDLASS_DB`, as for the binary, and like that it guards what it starts.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use windlass_domain::{Code, Exit, Refusal};
use windlass_ledger::{Error, Location, Synchronous};
use windlass_ops::context::{Surroundings, Variables};
use windlass_ops::error::Report;
use windlass_ops::settings::Layers;
use windlass_ops::table::Entry;
use windlass_ops::{Context, Workplace};
use windlass_tests::clock::FileClock;

fn main() -> ExitCode {
    if let Some(exit) = windlass_hands::guard::entered(std::env::args_os()) {
        return exit;
    }
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [file, operation, arguments] = words.as_slice() else {
        return ExitCode::from(Exit::Usage as u8);
    };
    let (text, exit) = match run(file, operation, arguments) {
        Ok(answer) => (answer, Exit::Done),
        Err(error) => {
            let exit = error.code().exit();
            (serde_json::to_string(&Report::of(error)).unwrap_or_default(), exit)
        }
    };
    let told = writeln!(std::io::stdout(), "{text}");
    ExitCode::from(if told.is_ok() { exit as u8 } else { Exit::Unexpected as u8 })
}

fn run(file: &str, operation: &str, arguments: &str) -> Result<String, Error> {
    let variables: BTreeMap<String, String> = std::env::vars().collect();
    let wrong = |what: &str| Refusal::new(Code::Usage, what);
    let database = variables.get("WINDLASS_DB").ok_or_else(|| wrong("there is no WINDLASS_DB"))?;
    let mut workplace = Workplace::new(Location::parse(database));
    workplace.clock = Some(Arc::new(FileClock::at(PathBuf::from(file))));
    workplace.synchronous = Synchronous::Normal;
    let surroundings = Surroundings {
        user: "ada".to_owned(),
        folder: std::env::current_dir().ok(),
        variables: Variables::new(variables),
        ..Surroundings::default()
    };
    let mut cx = Context::new(workplace, surroundings, Layers::default().resolve()?);
    let entry = Entry::named(operation).ok_or_else(|| wrong("there is no such operation"))?;
    let arguments = serde_json::from_str(arguments).map_err(|_| wrong("that is not JSON"))?;
    let answer = entry.from_json(arguments)?.run(&mut cx)?;
    Ok(answer.json()?)
}
