//! Chunks: versioned pieces of context, each of some type, with fields.
//!
//! What a chunk may hold is data, not code: a [`ChunkType`] says which [`Field`]s it has, which
//! headings its content needs, who may create it and whom it is injected to. A chunk is a stream of
//! the ledger: a decision ([`mod@write`], [`update`], [`keep`], [`promote`], [`link`], [`review`]) takes
//! a [`Chunk`] and who asks, and returns the events to record; [`Chunk::fold`] applies them. Who may
//! ask for what is decided in [`access`] alone. A [spec](mod@spec) is tied to a task ([`tie`]).

pub mod access;
pub mod audience;
pub mod chain;
pub mod change;
pub mod chunk_type;
pub mod condition;
pub mod decided;
pub mod event;
pub mod field;
pub mod field_set;
mod fold;
pub mod followed;
pub mod history;
pub mod keep;
pub mod link;
pub mod owned_by;
pub mod owner;
pub mod promote;
pub mod query_key;
pub mod relocate;
pub mod review;
pub mod slug;
pub mod sort;
pub mod source;
pub mod spec;
pub mod state;
pub mod template;
#[cfg(test)]
pub(crate) mod tests;
pub mod tie;
pub mod update;
pub mod value;
pub mod write;

pub use chunk_type::ChunkType;
pub use field::{Field, FieldKind};
pub use owned_by::OwnedBy;
pub use owner::{Owner, Scope};
pub use query_key::QueryKey;
pub use slug::Slug;
pub use state::{Author, Chunk};
