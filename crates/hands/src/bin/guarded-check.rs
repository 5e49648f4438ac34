//! For tests of this crate: a binary that can be a guard, as `windlass` can, and runs one shell check.
//!
//! `guarded-check OWNER FOLDER COMMAND`

use std::env;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use windlass_hands::check::{Environment, Limits, Shell, Stop, Verdict, Watch};
use windlass_hands::guard::{self, Guard};

fn main() -> ExitCode {
    if let Some(exit) = guard::entered(env::args_os()) {
        return exit;
    }
    let arguments: Vec<String> = env::args().skip(1).collect();
    let ([owner, folder, command], Ok(program), Ok(stop)) =
        (arguments.as_slice(), env::current_exe(), Stop::new())
    else {
        return ExitCode::from(2);
    };
    let shell = Shell {
        command: command.clone(),
        folder: folder.into(),
        timeout: Duration::from_mins(10),
        environment: Environment::of_caller(env::vars_os()),
        log: Path::new(folder).join("log"),
        limits: Limits::default(),
    };
    let outcome = shell.run(&Guard::new(program, owner), Watch { beat: &mut || (), stop: &stop });
    if outcome.verdict == Verdict::Passed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
