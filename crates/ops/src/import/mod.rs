//! `import`: coming from elsewhere.

pub mod beads;
mod clean;
pub mod hzl;
pub mod ledger;
mod notes;
mod waiting;

pub use beads::Beads;
pub use hzl::Hzl;
pub use ledger::Ledger;
pub use notes::Note;
