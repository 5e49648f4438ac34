//! For tests: a hermetic home, a private PostgreSQL, a terminal, processes that start together,
//! fault injection, a receiver of hooks, a served ledger and who talks to it: an HTTP client, a
//! browser, a scripted model for a real agent.
//!
//! It knows the binary only from outside and depends on no other crate of the workspace, so that
//! every one of them can use it. What goes wrong here is a broken test, so most of it panics.

pub mod agent;
pub mod barrier;
pub mod browser;
mod causes;
pub mod home;
pub mod http;
pub mod machine;
pub mod model;
pub mod postgres;
pub mod receiver;
pub mod retrieval;
pub mod run;
mod screen;
pub mod server;
mod terminal;
mod tool;
pub mod trace;
pub mod wait;

pub use causes::with_causes;
pub use home::Home;
pub use run::{Outcome, Run};
pub use screen::{screen, screen_of};
pub use server::Served;
pub use tool::Tool;
