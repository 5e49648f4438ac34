//! Operations on sessions: the sittings of agents, and what is injected into them.

mod at;
mod choose;
mod consolidate;
mod end;
mod focus;
mod followed;
mod list;
mod preview;
mod resume;
mod show;
mod start;
mod take;
mod view;
pub(crate) mod which;

pub use at::At;
pub use consolidate::{Consolidate, Consolidated};
pub use end::{End, Ended};
pub use focus::Focus;
pub use followed::{Concern, Followed};
pub use list::{List, Listed};
pub use preview::{Preview, Previewed};
pub use resume::Resume;
pub use show::{GivenChunk, Show, Shown, SurfacedChunk};
pub use start::Start;
pub use take::Take;
pub use view::{CutChunk, FocusView, Given, InjectedChunk, Sat, SessionView};
