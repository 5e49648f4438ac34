//! Runs: workflow files, looked at, executed, checked and decided.
//!
//! A run is in the ledger; `.hotl` has mirrors of it for whoever reads files ([`mirror`]). What
//! changes a run is decided by the domain and recorded in one transaction ([`change`]); what needs
//! the caller's files is done where the caller is, before and after.

mod actions;
mod begin;
mod budgets;
mod change;
mod ending;
mod files;
mod gates;
mod lint;
mod list;
mod mirror;
mod outside;
mod owners;
pub mod shown;
mod source;
mod steps;
mod target;
mod tell;
mod verify;
mod view;

pub use actions::{
    ActionBegin, ActionComplete, ActionDecide, ActionReconcile, ActionRequest, ActionView,
};
pub use begin::{Begin, Origin, Start};
pub use budgets::{BudgetCheck, BudgetRaise, BudgetRecord, Budgets, Metered};
pub use change::{Changed, Doer, Verified, Whereabouts};
pub use ending::{Finalize, Finished};
pub use files::{Files, Plan, RunFiles};
pub use gates::{Gate, Reopen};
pub use lint::{FoundAt, Lint, Linted, LintedFile, RelatedPlace, SuggestedChange};
pub use list::{List, Listed, Show};
pub use outside::{Edited, Import};
pub use owners::{
    Owned, OwnerClaim, OwnerHandoff, OwnerHeartbeat, OwnerRelease, OwnerStatus, OwnerTakeover,
};
pub use steps::{
    Checks, Results, StepBlock, StepChecked, StepChecks, StepRetry, StepStart, StepUnblock, Unblock,
};
pub use target::Target;
pub use tell::{Document, Normalize, Receipt, Reconcile, Summary, indented};
pub use verify::StepVerify;
pub use view::{RunRow, RunView, StepView, WaitingView};
