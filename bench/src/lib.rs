//! The measured claims of Windlass: every figure stands beside a yardstick taken in the same run.
//!
//! Absolute times say more about a machine than about a program, so nearly every claim is a ratio:
//! a command against a minimal program on the same file, a large ledger against a small one.
//! Nothing here is asserted in a test; the smoke test only sees to it that figures come out.

pub mod arrival;
pub mod chunks;
pub mod commands;
pub mod databases;
pub mod decay;
pub mod draining;
pub mod followers;
pub mod following;
pub mod growth;
pub mod memory;
pub mod programs;
pub mod race;
pub mod rebuild;
pub mod report;
pub mod runs;
pub mod scale;
pub mod seed;
pub mod serving;
pub mod size;
pub mod stopwatch;
pub mod story;

/// Whatever kept a figure from being taken.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;
