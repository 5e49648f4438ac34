//! A real PostgreSQL for tests: one server a run, one database a test.
//!
//! `cargo xtask test` starts the server and tells where it listens in `WINDLASS_TEST_POSTGRES`.
//! A test that takes the server away from itself starts a [`Cluster`] of its own instead.

mod cluster;
mod server;

use std::io;
use std::path::PathBuf;

pub use cluster::Cluster;
pub use server::{Database, Server};

use crate::machine;

/// The variable that names the folder with the socket of the server of this run.
pub const SERVER_VARIABLE: &str = "WINDLASS_TEST_POSTGRES";

/// The superuser of every cluster.
const USER: &str = "windlass";

/// Why a server or a database could not be had.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{0} is not installed: run `cargo xtask setup`")]
    Missing(&'static str),
    #[error("{} is not an empty folder", .0.display())]
    NotEmpty(PathBuf),
    #[error("no user `postgres` or `nobody` to run PostgreSQL as, which refuses to run as root")]
    NoUser,
    #[error("cannot {0}")]
    Io(String, #[source] io::Error),
    #[error("initdb failed:\n{0}")]
    Initdb(String),
    #[error("PostgreSQL did not start; its log ends:\n{0}")]
    NotStarted(String),
    #[error("PostgreSQL did not do as it was asked")]
    Sql(#[from] ::postgres::Error),
}

/// The server of this run, or nothing, with a word on standard error, when there is none.
///
/// Panics in CI: a test that is skipped there would look as if it had passed.
#[track_caller]
#[expect(clippy::print_stderr, reason = "a skipped test should say so")]
pub fn shared() -> Option<Server> {
    if let Some(sockets) = machine::variable(SERVER_VARIABLE) {
        return Some(Server::at(sockets));
    }
    assert!(!machine::in_ci(), "{SERVER_VARIABLE} is not set: run `cargo xtask test`");
    eprintln!("PostgreSQL tests skipped: run `cargo xtask test`");
    None
}

#[cfg(test)]
mod tests;
