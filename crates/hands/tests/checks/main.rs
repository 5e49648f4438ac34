//! Checks run for real: what they come to, and that nothing of them is left.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "what goes wrong in a helper of a test ends the test"
)]

mod browser;
mod guard;
mod place;
mod server;
mod shell;
