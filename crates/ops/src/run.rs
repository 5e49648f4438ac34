//! Runs: workflow files, looked at before they are executed.

mod lint;
pub mod shown;

pub use lint::{FoundAt, Lint, Linted, LintedFile, RelatedPlace, SuggestedChange};
