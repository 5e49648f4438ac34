//! The MCP door: operations as tools, tasks and boards as resources, the agent's loop as prompts.
//!
//! The same door stands on the standard streams ([`stdio`]) and at `/mcp` of the server. `rmcp` is
//! named below this module and nowhere else.

mod answer;
mod calls;
mod door;
mod hizal;
pub(crate) mod http;
mod lines;
mod outline;
mod prompts;
mod resources;
mod schema;
mod sessions;
mod shown;
pub mod stdio;
mod streams;
mod subscriptions;
mod toolset;
mod watch;
mod words;

pub use calls::Calls;

/// Longest message that is read.
const MESSAGE_BYTES: usize = windlass_ops::remote::LONGEST_BODY;
