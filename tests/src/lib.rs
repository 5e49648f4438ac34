//! End-to-end tests of Windlass: the real binary on real databases. See `tests/`.

pub mod history;
pub mod ledgers;
