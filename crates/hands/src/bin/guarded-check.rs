//! For tests of this crate: a binary that can be a guard, as `windlass` can, and runs one check.
//!
//! `guarded-check --shell OWNER FOLDER COMMAND` or `guarded-check --browser OWNER FOLDER PROGRAM URL`

use std::env;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use windlass_hands::check::{Browser, Environment, Limits, Shell, Stop, Verdict, Watch};
use windlass_hands::guard::{self, Guard};

fn main() -> ExitCode {
    if let Some(exit) = guard::entered(env::args_os()) {
        return exit;
    }
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let Ok(stop) = Stop::new() else { return ExitCode::from(2) };
    let watch = Watch { beat: &mut |_| Duration::MAX, stop: &stop };
    let outcome = match *arguments.as_slice() {
        ["--shell", owner, folder, command] => {
            shell(folder, command).run(&Guard::of_this_program(owner, None), watch)
        }
        ["--browser", owner, folder, chromium, url] => {
            browser(folder, chromium, url).run(&Guard::of_this_program(owner, None), watch)
        }
        _ => return ExitCode::from(2),
    };
    if outcome.verdict == Verdict::Passed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn shell(folder: &str, command: &str) -> Shell {
    Shell {
        command: command.to_owned(),
        folder: folder.into(),
        timeout: Duration::from_mins(10),
        environment: Environment::of_caller(env::vars_os()),
        log: Path::new(folder).join("log"),
        limits: Limits::default(),
    }
}

fn browser(folder: &str, program: &str, url: &str) -> Browser {
    Browser {
        root: folder.into(),
        url: Some(url.to_owned()),
        check: Some("text: anything".to_owned()),
        timeout: Duration::from_mins(10),
        program: Some(program.into()),
        environment: Environment::of_caller(env::vars_os()),
        screenshot: Path::new(folder).join("page.png"),
    }
}
