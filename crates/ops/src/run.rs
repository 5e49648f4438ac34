//! Runs: workflow files, looked at before they are executed.

mod landing;
mod lint;
mod locate;
mod prepare;
mod repository;
pub mod shown;

pub use landing::Landing;
pub use lint::{FoundAt, Lint, Linted, LintedFile, RelatedPlace, SuggestedChange};
pub use locate::{Locate, Located, LocatedRun};
pub use prepare::{Existing, Prepare, Prepared};
