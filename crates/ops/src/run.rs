//! Runs: workflow files, looked at, executed, checked and decided.
//!
//! A run is in the ledger; `.hotl` has mirrors of it for whoever reads files (`mirror`). What
//! changes a run is decided by the domain and recorded in one transaction (`change`); what needs
//! the caller's files is done where the caller is, before and after.

mod actions;
mod attendance;
mod begin;
mod budgets;
mod change;
mod cleanup;
mod drawer;
mod ending;
mod evidence;
mod exec;
mod failure;
mod files;
mod finish;
mod gates;
mod landing;
mod life;
mod lint;
mod list;
mod locate;
mod marks;
mod mirror;
mod outside;
mod owners;
mod prepare;
mod preserve;
mod prompt;
mod receipt_show;
mod receipt_sign;
mod receipt_verify;
mod reconciled;
mod repository;
pub mod shown;
mod sight;
mod source;
mod steps;
mod target;
mod tell;
mod tie;
mod verify;
mod view;
mod waiting;

pub use actions::{
    ActionBegin, ActionComplete, ActionDecide, ActionReconcile, ActionRequest, ActionView,
};
pub use begin::{Begin, Origin, Start, Work};
pub use budgets::{BudgetCheck, BudgetRaise, BudgetRecord, Budgets, Metered};
pub use change::{Changed, Doer, Verified, Whereabouts};
pub use cleanup::{CleanedUp, CleanedWorktree, Cleanup};
pub use ending::{Finalize, Finished};
pub use evidence::{
    AttemptView, Evidence, FileState, FileView, Kept, Kind, SeenView, Shown, WrittenView,
};
pub use exec::{Exec, Executed};
pub use files::{Files, Plan, RunFiles};
pub use finish::{Finish, Obstacle, Settled};
pub use gates::{Gate, Reopen};
pub use landing::{Landing, Subject};
pub use lint::{FoundAt, Lint, Linted, LintedFile, RelatedPlace, SuggestedChange};
pub use list::{List, Listed, Show};
pub use locate::{Locate, Located, LocatedRun};
pub use outside::{Edited, Import};
pub use owners::{
    Owned, OwnerClaim, OwnerHandoff, OwnerHeartbeat, OwnerRelease, OwnerStatus, OwnerTakeover,
    USUAL_LEASE_SECONDS,
};
pub use prepare::{Answers, Existing, Prepare, Prepared};
pub use receipt_show::Receipt;
pub use receipt_sign::{key_file, signed};
pub use receipt_verify::{
    LedgerState, ReceiptDifference, ReceiptVerified, ReceiptVerify, SignatureState, Signer,
};
pub use steps::{
    Checks, Results, StepBlock, StepChecked, StepChecks, StepRetry, StepStart, StepUnblock, Unblock,
};
pub use target::Target;
pub use tell::{Document, Normalize, Reconcile, Summary, indented};
pub use verify::StepVerify;
pub use view::{RunRow, RunView, StepView};
pub use waiting::WaitingView;
