//! `hotl-rt` and `hotl`: skills and scripts that were written for HOTL find what they know.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "an answer of another shape ends its test"
)]

mod beginning;
mod driving;
mod files;
mod finishing;
mod forms;
mod owning;
mod place;
mod scripts;
mod stepping;
