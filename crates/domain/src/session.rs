//! Sessions: the sittings of agents, each under a lifecycle.
//!
//! An [`AgentType`] says what agents of a kind are shown, a [`Lifecycle`] how long a sitting lasts,
//! what must be done in it and what is injected. A session is a stream of the ledger: a decision
//! ([`sit`], [`consolidate`]) takes a [`Session`] and who asks, and returns the events to record;
//! [`Session::fold`] applies them.

pub mod agent_type;
pub mod consolidate;
pub mod event;
pub mod lifecycle;
pub mod sit;
pub mod state;
#[cfg(test)]
pub(crate) mod tests;

pub use agent_type::{AgentType, Filter};
pub use lifecycle::{InjectionRule, Lifecycle};
pub use state::{Focus, Session};
