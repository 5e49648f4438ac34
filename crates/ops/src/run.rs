//! Runs: workflow files, looked at before they are executed.

mod lint;
mod prepare;
mod repository;
pub mod shown;

pub use lint::{FoundAt, Lint, Linted, LintedFile, RelatedPlace, SuggestedChange};
pub use prepare::{Existing, Prepare, Prepared};
