//! For tests: a hermetic home, a private PostgreSQL, a terminal, processes that start together,
//! fault injection, a receiver of hooks.
//!
//! It knows the binary only from outside and depends on no other crate of the workspace, so that
//! every one of them can use it. What goes wrong here is a broken test, so most of it panics.

pub mod barrier;
mod causes;
pub mod home;
pub mod machine;
pub mod postgres;
pub mod receiver;
pub mod run;
mod terminal;
pub mod tool;
pub mod trace;
pub mod wait;

pub use causes::with_causes;
pub use home::Home;
pub use run::{Outcome, Run};
