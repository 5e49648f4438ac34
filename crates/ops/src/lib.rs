//! The operations: everything Windlass can do, written once for every door.
//!
//! An operation is a plain struct. Its fields are the arguments of the command line and of JSON
//! alike; it loads what it needs, lets the domain decide, and records the events in one
//! transaction of the ledger. [`table::TABLE`] lists them all.

pub mod agent;
pub mod agent_setup;
pub mod board;
pub mod border;
pub mod caller;
pub mod chunk;
pub mod compat;
pub mod context;
mod cursor;
pub mod db;
pub mod definition;
pub mod dep;
pub mod error;
pub mod events;
pub mod exchange;
pub mod explain;
pub mod gc;
pub mod health;
mod holding;
pub mod hook;
pub mod import;
pub mod key;
pub mod misfit;
pub mod once;
pub mod operation;
pub mod prime;
pub mod project;
pub mod remote;
pub mod run;
pub mod session;
pub mod settings;
pub mod setup;
pub mod sheet;
pub mod show_settings;
pub mod snippet;
pub mod stale;
pub mod stats;
pub mod table;
pub mod task;
pub mod timeline;
pub mod tools;
mod until;
pub mod view;
pub mod whoami;
pub mod why;
pub mod workflow;

pub use context::{Context, Workplace};
pub use operation::{Access, Operation, Output, Place};
