//! `hook drain` and `hook worker`: real processes, real receivers, and a clock that the test moves.

#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "an answer of another shape ends its test, and a test says how to repeat it"
)]

mod bad_targets;
mod course;
mod outbox;
mod plan;
mod processing;
mod storm;
mod workers;
