//! Operations on keys: who is let in by a door, and as what.

mod create;
mod list;
mod refusals;
mod revoke;
mod rotate;
mod view;

pub use create::{Create, KeyRole};
pub use list::{List, Listed};
pub use refusals::{Refusals, RefusedView, Shown};
pub use revoke::{Revoke, Revoked};
pub use rotate::Rotate;
pub use view::{Given, KeyView, ShownOnce};
