//! `import`: coming from elsewhere.

pub mod ledger;

pub use ledger::Ledger;
