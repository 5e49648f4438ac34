//! Operations on hooks: their definitions, the deliveries they set off, and how these are sent.

mod again;
mod dispatch;
mod drain;
mod list;
mod set;
mod show;
mod view;
mod worker;

pub use again::{Discard, Discarded, Retried, Retry};
pub use drain::{Drain, Drained};
pub use list::{List, Listed, Which};
pub use set::{Remove, Removed, Set};
pub use show::{Message, Show, Shown};
pub use view::{DeliveryView, HookView, OutboxCounts, Unknown};
pub use worker::{Worked, Worker};
