//! `fuzz`: every target of `fuzz/` for a while, or one for very many inputs, with the pinned stable
//! compiler.

use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::thread;

use serde_json::Value;

use crate::setup;
use crate::step::{self, Failure, say};

const MANIFEST: &str = "fuzz/Cargo.toml";
/// The instrumentation is a flag that a stable compiler takes only from those who insist.
const INSIST: (&str, &str) = ("RUSTC_BOOTSTRAP", "1");
/// A long run is worth a longer compilation.
const OPTIMISE: (&str, &str) = ("CARGO_PROFILE_RELEASE_OPT_LEVEL", "3");
const CARGO_FUZZ_VERSION: &str = "0.13.2";
/// The one whose inputs are written by hand, by people and by agents, and have a grammar of their
/// own. The others get a third of its time.
const LONGEST: &str = "workflow_file";
/// In a long run: enough for a frontmatter and a step or two, and short inputs are soon tried.
const LONG_RUN_INPUT_BYTES: u32 = 400;
/// One at a time would leave half of a small machine idle.
const AT_ONCE: usize = 2;

/// Every target.
pub(crate) fn run(seconds: u32) -> Result<(), Failure> {
    if !step::root().join(MANIFEST).is_file() {
        say(&format!("there is no {MANIFEST}: nothing to fuzz"));
        return Ok(());
    }
    setup::cargo_command("fuzz", CARGO_FUZZ_VERSION)?;
    step::run(step::cargo(&["fuzz", "build"]).env(INSIST.0, INSIST.1))?;
    let mut targets = targets()?;
    // The longest begins first.
    targets.sort_by_key(|target| target != LONGEST);
    let (waiting, failed) = (Mutex::new(targets.into_iter()), Mutex::new(Vec::new()));
    let work = || {
        while let Some(target) = next(&waiting) {
            let seconds = if target == LONGEST { seconds } else { seconds.div_ceil(3) };
            if fuzz(&target, seconds).is_err() {
                failed.lock().unwrap_or_else(PoisonError::into_inner).push(target);
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(work);
        }
    });
    let failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
    if failed.is_empty() { Ok(()) } else { Err(Failure::Fuzz(failed)) }
}

fn next(waiting: &Mutex<impl Iterator<Item = String>>) -> Option<String> {
    waiting.lock().unwrap_or_else(PoisonError::into_inner).next()
}

fn fuzz(target: &str, seconds: u32) -> Result<(), Failure> {
    let mut run = step::cargo(&["fuzz", "run", target]);
    step::run(with_inputs(&mut run, target)?.arg(format!("-max_total_time={seconds}")))
}

/// One target, for so many inputs. What takes most of the time is left out: sanitizers, which have
/// nothing to find in safe code, and watching comparisons, for which the dictionary makes up.
pub(crate) fn run_one(target: &str, inputs: u64) -> Result<(), Failure> {
    setup::cargo_command("fuzz", CARGO_FUZZ_VERSION)?;
    let faster = ["--sanitizer", "none", "--no-trace-compares"];
    let mut run = step::cargo(&["fuzz", "run"]);
    run.args(faster).arg(target);
    with_inputs(&mut run, target)?.env(OPTIMISE.0, OPTIMISE.1);
    let length = format!("-max_len={LONG_RUN_INPUT_BYTES}");
    step::run(run.args([&length, "-print_final_stats=1"]).arg(format!("-runs={inputs}")))
}

/// What was found before, what to begin with, and the words of the language if it has some.
fn with_inputs<'a>(run: &'a mut Command, target: &str) -> Result<&'a mut Command, Failure> {
    let (found, seeds) = (format!("fuzz/corpus/{target}"), format!("fuzz/seeds/{target}"));
    std::fs::create_dir_all(step::root().join(&found))
        .map_err(|error| Failure::Start(format!("fuzzing of {target}"), error))?;
    run.args([&found, &seeds, "--"]).env(INSIST.0, INSIST.1);
    let words = format!("fuzz/dictionaries/{target}");
    if step::root().join(&words).is_file() {
        run.arg(format!("-dict={words}"));
    }
    Ok(run)
}

fn targets() -> Result<Vec<String>, Failure> {
    let metadata = step::metadata(&["--no-deps", "--manifest-path", MANIFEST])?;
    let packages = metadata.get("packages").and_then(Value::as_array);
    let targets = packages.into_iter().flatten().filter_map(|package| package.get("targets"));
    Ok(targets
        .filter_map(Value::as_array)
        .flatten()
        .filter(|target| target.pointer("/kind/0").and_then(Value::as_str) == Some("bin"))
        .filter_map(|target| target.get("name").and_then(Value::as_str))
        .map(str::to_owned)
        .collect())
}
