//! Governed runs through the real binary: what each call comes to, what the files say, and what
//! crowds, kills and ill-behaved checks leave.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "what goes wrong in a helper of a test ends the test"
)]

mod asking;
mod checking;
mod crowd;
mod driving;
mod evidence;
mod files;
mod finishing;
mod killing;
mod landing;
mod leasing;
mod pausing;
mod reading;
mod sending;
mod site;
mod stepping;
mod ticking;
mod tying;
mod watching;
