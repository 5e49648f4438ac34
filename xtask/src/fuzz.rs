//! `fuzz`: every target of `fuzz/` for a while, with the pinned stable compiler.

use serde_json::Value;

use crate::setup;
use crate::step::{self, Failure, say};

const MANIFEST: &str = "fuzz/Cargo.toml";
const CARGO_FUZZ_VERSION: &str = "0.13.2";

pub(crate) fn run(seconds: u32) -> Result<(), Failure> {
    if !step::root().join(MANIFEST).is_file() {
        say(&format!("there is no {MANIFEST}: nothing to fuzz"));
        return Ok(());
    }
    setup::cargo_command("fuzz", CARGO_FUZZ_VERSION)?;
    let failed: Vec<String> =
        targets()?.into_iter().filter(|target| fuzz(target, seconds).is_err()).collect();
    if failed.is_empty() { Ok(()) } else { Err(Failure::Fuzz(failed)) }
}

fn fuzz(target: &str, seconds: u32) -> Result<(), Failure> {
    let time = format!("-max_total_time={seconds}");
    let (found, seeds) = (format!("fuzz/corpus/{target}"), format!("fuzz/seeds/{target}"));
    std::fs::create_dir_all(step::root().join(&found))
        .map_err(|error| Failure::Start(format!("fuzzing of {target}"), error))?;
    let args = ["fuzz", "run", target, &found, &seeds, "--", &time];
    // The instrumentation is a flag that a stable compiler takes only from those who insist.
    step::run(step::cargo(&args).env("RUSTC_BOOTSTRAP", "1"))
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
