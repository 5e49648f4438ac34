//! Governed runs: a workflow file is executed step by step, each step is checked, gates are decided.
//!
//! The rules are here, as values; `hands` runs checks, `ops` puts the two together. A run is a
//! stream of the ledger: a decision ([`step`], [`gate`], [`finish`], [`owner`], [`action`],
//! [`budget`], [`edit`]) takes a [`Run`] and returns the events to record, [`Run::fold`] applies
//! them. How far a run has come ([`Run::status`]) follows from what happened to it; nothing that
//! stops it is for ever.

pub mod action;
pub mod alone;
pub mod approval;
pub mod blocker;
pub mod budget;
pub mod caller;
pub mod check;
pub mod disposal;
pub mod drive;
pub mod driver;
pub mod edit;
pub mod event;
pub mod file;
pub mod finish;
mod fold;
pub mod gate;
pub mod name;
pub mod normalize;
pub mod own;
pub mod owner;
pub mod prepare;
pub mod receipt;
pub mod reconcile;
pub mod report;
pub mod signed;
pub mod state;
pub mod state_file;
pub mod step;
pub mod summary;
#[cfg(test)]
mod tests;
pub mod tie;
pub mod waiting;
pub mod word;

pub use caller::{Caller, Denied};
pub use state::{Run, StepState};
