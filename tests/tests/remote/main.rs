//! `windlass --server`: the same as without, and once, whatever happens on the way.

#![expect(
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "an answer of another shape ends its test"
)]

mod house;

#[expect(dead_code, reason = "some of it is for what is typed, and nothing is typed here")]
#[path = "../transcripts/mask.rs"]
mod mask;

mod proxy;

mod refused;

mod same;

mod lost;
