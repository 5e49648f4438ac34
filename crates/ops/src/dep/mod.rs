//! Operations on dependencies: what waits for what, across all projects.

mod list;

pub use list::{EdgeView, List, Listed};
