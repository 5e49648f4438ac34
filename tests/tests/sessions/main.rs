//! Sessions, what is injected into them, and what people define for them, on both databases: contract
//! Hizal, sections 1.9, 2.2 and 2.10, and all that is refused.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "an answer of another shape ends its test"
)]

mod audiences;
mod consolidation;
mod defects;
mod definitions;
mod recording;
mod room;
mod same_bytes;
mod sitting;
mod table;
mod together;
