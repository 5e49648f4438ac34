//! `check`: everything that needs no test to run.

use crate::hygiene;
use crate::step::{self, Failure};

pub(crate) fn run() -> Result<(), Failure> {
    step::run(&mut step::cargo(&["fmt", "--all", "--check"]))?;
    hygiene::run()?;
    step::run(&mut step::cargo(&["clippy", "--workspace", "--all-targets", "--", "-Dwarnings"]))?;
    let mut doc = step::cargo(&["doc", "--workspace", "--no-deps"]);
    step::run(doc.env("RUSTDOCFLAGS", "-Dwarnings"))
}
