//! Workflows: named, atomic recipes over tasks. What each decides is here, as values.

pub mod carry;
pub mod delegate;
pub mod pause;
pub mod resume;
