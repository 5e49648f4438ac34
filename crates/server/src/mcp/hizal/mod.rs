//! Tools as Hizal has them, so that prompts and skills written for it work unchanged: its names, its
//! fields, the shapes of its answers. Each of them is an operation of ours and nothing else, so that
//! access, op ids and refusals are the same as everywhere.

mod field;
mod pending;
mod shapes;
mod table;
#[cfg(test)]
mod tests;
mod tool;

pub(super) use pending::handed_over;
pub(super) use table::TOOLS;
pub(super) use tool::{Known, Tool};
