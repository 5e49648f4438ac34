//! Governed runs: a workflow file is executed step by step, each step is checked, gates are decided.
//!
//! The rules are here, as values; `hands` runs checks, `ops` puts the two together.

pub mod file;
pub mod name;
