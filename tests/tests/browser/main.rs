//! The pages in a real browser, as people meet them: with mouse, with keys, on a phone, without
//! scripts, in the light and in the dark, and full of text that wants to be more than text.

#![expect(
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "an answer of another shape ends its test, and a test tells what it measured"
)]

mod adding;
mod colours;
mod entering;
mod filters;
mod furniture;
mod keyboard;
mod live;
mod markup;
mod moving;
mod phone;
mod plain;
mod scene;
