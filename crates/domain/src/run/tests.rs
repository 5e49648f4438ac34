//! Tests of the rules of a run: the rows of HOTL's state machine, and where these rules differ.

mod actions;
mod alone;
mod blockers;
mod budgets;
mod ends;
mod files;
mod gates;
mod landing;
mod loops;
mod overdue;
mod owners;
mod properties;
mod results;
mod rows;
mod scene;
mod signing;
mod ties;
mod waits;
