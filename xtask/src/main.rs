//! The project's own commands, run as `cargo xtask COMMAND`.

mod check;
mod clients;
mod fuzz;
mod hygiene;
mod licence;
mod setup;
mod step;
mod test;

use std::env;
use std::process::ExitCode;

use step::{Failure, say};
use windlass_testkit::with_causes;

const USAGE: &str = "cargo xtask COMMAND

  setup               install what the tests need and this machine lacks
  test [ARGS…]        all tests and doc tests; with ARGS, given to `cargo nextest run`, only those
  check               format, lints, documentation, dependencies
  fuzz [--seconds N]  the workflow parser for N seconds (60), the other fuzz targets for a third
  fuzz TARGET --runs N
                      one fuzz target for N inputs, as fast as can be";

/// A longer run is for whoever changed a parser.
const FUZZ_SECONDS: u32 = 60;

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            say(&format!("xtask: {}", with_causes(&failure)));
            failure.exit_code()
        }
    }
}

fn run(args: &[&str]) -> Result<(), Failure> {
    match args {
        ["setup"] => setup::run().map(drop),
        ["test", rest @ ..] => test::run(rest),
        ["check"] => check::run(),
        ["fuzz"] => fuzz::run(FUZZ_SECONDS),
        ["fuzz", "--seconds", seconds] => fuzz::run(seconds.parse().map_err(|_| usage())?),
        ["fuzz", target, "--runs", inputs] => {
            fuzz::run_one(target, inputs.parse().map_err(|_| usage())?)
        }
        _ => Err(usage()),
    }
}

fn usage() -> Failure {
    Failure::Usage(USAGE)
}
