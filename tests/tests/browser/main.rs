//! The pages in a real browser, as people meet them: with mouse, with keys, on a phone, without
//! scripts, in the light and in the dark, and full of text that wants to be more than text.

#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "an answer of another shape ends its test"
)]

mod adding;
mod bar;
mod chunks;
mod colours;
mod entering;
mod filters;
mod furniture;
mod keyboard;
mod keys;
mod live;
mod markup;
mod moving;
mod phone;
mod plain;
mod reading;
mod runs;
mod scene;
mod sitting;
