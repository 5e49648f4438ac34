//! Operations on tasks, one file a concern.

mod add;
mod add_many;
mod archive;
mod claim;
mod dependency;
mod edit;
mod history;
mod list;
mod note;
mod prune;
mod relocate;
mod search;
mod show;
mod steal;
mod stuck;
mod transition;
mod update;

pub(crate) use add::refuse_as_parent;
pub use add::{Add, Added};
pub use archive::{Archive, Restore};
pub use claim::{Claim, Claimed, Filters, Start, Trace};
pub(crate) use claim::{claim_next, win};
pub use dependency::{AddDep, DepChanged, RemoveDep};
pub use edit::Edit;
pub use history::{History, HistoryShown, Past};
pub(crate) use list::first_page;
pub(crate) use list::total;
pub use list::{List, Listed};
pub use note::{Checkpoint, CheckpointSaved, Comment, Commented, Progress, ProgressSaved};
pub use prune::{Prune, Pruned};
pub use relocate::{Move, Moved, MovedTask, MovedTasks};
pub use search::{Found, FoundTask, Search};
pub use show::{CheckpointView, ClaimView, CommentView, Related, Show, Shown, Subtask};
pub use steal::{Renew, Renewed, Steal, Stolen};
pub use stuck::{Stuck, StuckTasks};
pub use transition::{Block, Complete, Release, Reopen, SetStatus, Unblock};
pub use update::{Update, Updated};

use windlass_domain::event::CommentAdded;
use windlass_domain::{Event, Refusal, text};

/// The event of a `--comment` that goes with another command.
pub(crate) fn comment(given: Option<&str>) -> Result<Option<Event>, Refusal> {
    let said = given.map(|given| text::said("comment", given)).transpose()?;
    Ok(said.map(|text| CommentAdded { text }.into()))
}
