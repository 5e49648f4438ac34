//! The rules of Windlass.
//!
//! Everything here is a function from values to values: no I/O, no clock, no randomness, no SQL.
//! A decision takes the state it needs and either returns the events to record or a [`Refusal`].
//! The same `fold` that a live command uses rebuilds the views from the log.
#![deny(clippy::wildcard_enum_match_arm)]

pub mod built_in;
pub mod chain;
pub mod chunk;
pub mod claim;
pub mod code;
pub mod completion;
pub mod definition;
pub mod dependency;
pub mod duration;
pub mod edges;
pub mod event;
pub mod holding;
pub mod hook;
pub mod id;
pub mod inject;
pub mod json;
pub mod key;
pub mod lease;
pub mod near;
pub mod op;
pub mod ownership;
pub mod pipeline;
pub mod progress;
pub mod project;
pub mod refusal;
pub mod run;
pub mod search;
pub mod session;
pub mod status;
pub mod task;
pub mod text;
pub mod time;
pub mod transition;
pub mod why;
mod word;
pub mod words;
pub mod workflow;

pub use code::{Code, Exit};
pub use event::{Event, Kind};
pub use id::{
    ChunkId, CorrelationId, DefinitionId, DeliveryId, EventId, HookId, KeyId, ProjectId, RunKey,
    SessionId, Stream, TaskId,
};
pub use key::Key;
pub use refusal::Refusal;
pub use status::Status;
pub use task::Task;
pub use time::Time;
