//! Operations on dependencies: what waits for what, across all projects.

mod draw;
mod graph;
mod list;
mod tree;

pub use graph::{Graph, GraphEdge, GraphNode, Graphed};
pub use list::{EdgeView, List, Listed};
pub use tree::{Direction, Tree, TreeNode, TreeShown};
