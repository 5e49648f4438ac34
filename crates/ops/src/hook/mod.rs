//! `hook`: outgoing notifications, and how they are sent.

mod dispatch;
mod drain;
mod worker;

pub use drain::{Drain, Drained};
pub use worker::{Worked, Worker};
