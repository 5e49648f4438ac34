//! Every command as it is typed, and its answer: as text on a page of 80 columns and as JSON. Who
//! reads these stories from `first_steps` on has met the whole tool.
//!
//! Each story is played in two ledgers, one for a person and one for a program (see `scene`), so
//! `$ … --json` is the command above it and not a second one. Ids, times and hashes are shown as in
//! `mask`: a task by a name in capitals, which is also what one would type, the end of its id.
//!
//! The answers are inline snapshots. `cargo insta test --review -p windlass-tests --test
//! transcripts` shows what changed and takes over what is right; nothing else needs `cargo insta`.

#![expect(
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::too_many_lines,
    clippy::unwrap_used,
    reason = "a story is as long as it is, and an answer of another shape ends it"
)]

mod json;
mod mask;
mod scene;
mod shown;

mod first_steps;

mod beginning;

mod projects;

mod adding;

mod claiming;

mod working;

mod recipes;

mod changing;

mod depending;

mod governing;

mod executing;
mod preparing;

mod stopping;

mod accounting;

mod telling;

mod receipts;

mod recording;

mod knowing;
mod linking;

mod asking;
mod reviewing;

mod kinds;

mod defining;

mod sitting;

mod leaving;

mod hooking;

mod letting_in;

mod finding;

mod showing;

mod watching;

mod keeping;

mod moving_in;

mod helping;

mod narrow;
