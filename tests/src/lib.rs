//! End-to-end tests of Windlass: the real binary on real databases. See `tests/`.

pub mod clock;
pub mod history;
pub mod ledgers;
pub mod office;
pub mod random;
pub mod tables;
