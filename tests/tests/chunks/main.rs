//! Chunks and chunk types through the real binary, on both databases: contract Hizal, sections 1.9,
//! 2.3, 2.4 and 2.9, and all that is refused.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "an answer of another shape ends its test"
)]

mod access;
mod defects;
mod door;
mod fields;
mod keeping;
mod leaving;
mod linking;
mod listing;
mod log;
mod naming;
mod reviewing;
mod shelf;
mod sitting;
mod sources;
mod specs;
mod types;
mod versions;
mod writing;
