//! Operations on hooks: their definitions, and the deliveries they set off.

mod again;
mod list;
mod set;
mod show;
mod view;

pub use again::{Discard, Discarded, Retried, Retry};
pub use list::{List, Listed};
pub use set::{Remove, Removed, Set};
pub use show::{Show, Shown};
pub use view::{DeliveryView, HookView, OutboxCounts};
