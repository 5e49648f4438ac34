//! `import`: coming from elsewhere.

mod clean;
pub mod hzl;
pub mod ledger;
mod notes;
mod waiting;

pub use hzl::Hzl;
pub use ledger::Ledger;
pub use notes::Note;
