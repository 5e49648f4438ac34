//! `fuzz`: every target of `fuzz/` for a while, with the pinned stable compiler.

use serde_json::Value;

use crate::setup;
use crate::step::{self, Failure, say};

const MANIFEST: &str = "fuzz/Cargo.toml";
/// The instrumentation is a flag that a stable compiler takes only from those who insist.
const INSIST: (&str, &str) = ("RUSTC_BOOTSTRAP", "1");
const CARGO_FUZZ_VERSION: &str = "0.13.2";

pub(crate) fn run(seconds: u32) -> Result<(), Failure> {
    if !step::root().join(MANIFEST).is_file() {
        say(&format!("there is no {MANIFEST}: nothing to fuzz"));
        return Ok(());
    }
    setup::cargo_command("fuzz", CARGO_FUZZ_VERSION)?;
    step::run(step::cargo(&["fuzz", "build"]).env(INSIST.0, INSIST.1))?;
    let mut failed = Vec::new();
    // Two at a time: one would leave half of a small machine idle.
    for pair in targets()?.chunks(2) {
        std::thread::scope(|scope| {
            let running: Vec<_> = pair
                .iter()
                .map(|target| (target, scope.spawn(move || fuzz(target, seconds))))
                .collect();
            for (target, run) in running {
                if !matches!(run.join(), Ok(Ok(()))) {
                    failed.push(target.clone());
                }
            }
        });
    }
    if failed.is_empty() { Ok(()) } else { Err(Failure::Fuzz(failed)) }
}

fn fuzz(target: &str, seconds: u32) -> Result<(), Failure> {
    let time = format!("-max_total_time={seconds}");
    let (found, seeds) = (format!("fuzz/corpus/{target}"), format!("fuzz/seeds/{target}"));
    std::fs::create_dir_all(step::root().join(&found))
        .map_err(|error| Failure::Start(format!("fuzzing of {target}"), error))?;
    let args = ["fuzz", "run", target, &found, &seeds, "--", &time];
    step::run(step::cargo(&args).env(INSIST.0, INSIST.1))
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
