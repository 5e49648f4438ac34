//! What people define: chunk types, agent types and lifecycles, each listed, shown, set, hidden and removed by the
//! same operations.

mod agent_type;
mod chunk_type;
mod hide;
mod lifecycle;
mod list;
mod remove;
mod set;
mod show;
mod view;

use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;
use windlass_domain::chunk::Slug;
use windlass_domain::definition::{Defined, find};
use windlass_domain::session::Session;
use windlass_domain::session::state::SessionStatus;
use windlass_ledger::{DefinitionKind, Error, Fault, SessionFilter, Snapshot};

pub use hide::Hide;
pub use list::{List, Listed};
pub use remove::{Remove, Removed};
pub use set::{Set, WasSet};
pub use show::Show;
pub use view::{DefinitionView, Origin};

/// What a chunk type calls the audience of its chunks, which people write with names of projects.
const AUDIENCE: &str = "audience";

/// Something that people define. What is the same for all such things is done by the operations here.
pub trait Definable:
    Defined + Clone + Debug + PartialEq + Serialize + DeserializeOwned + Send + Sync + 'static
{
    const KIND: DefinitionKind;
    const COMMANDS: Commands;

    /// Every one there is, by slug.
    fn all(snapshot: &mut Snapshot<'_>) -> Result<Vec<Self>, Fault>;

    /// Those that nobody had to define.
    fn brought_along() -> Vec<Self>;

    /// The same, if it fits what else there is.
    fn checked(self, snapshot: &mut Snapshot<'_>) -> Result<Self, Error>;

    /// Refuses to remove it while others refer to it.
    fn refuse_if_used(slug: &Slug, snapshot: &mut Snapshot<'_>) -> Result<(), Error>;

    /// What a list says of it beside its name.
    fn summary(&self) -> String;

    /// The one that is named.
    fn named(snapshot: &mut Snapshot<'_>, given: &str) -> Result<Self, Error> {
        let slug = Slug::parse(Self::WHAT, given)?;
        let all = Self::all(snapshot)?;
        Ok(find(&all, &slug)?.clone())
    }
}

/// The operations on definitions of one kind, as people meet them.
#[derive(Debug, Clone, Copy)]
pub struct Commands {
    pub list: Command,
    pub show: Command,
    pub set: Command,
    pub hide: Command,
    pub remove: Command,
}

/// An operation, as people meet it.
#[derive(Debug, Clone, Copy)]
pub struct Command {
    pub name: &'static str,
    pub about: &'static str,
    pub example: &'static str,
}

/// The sessions that are open, which hold on to what they were started with.
fn open_sessions(snapshot: &mut Snapshot<'_>) -> Result<Vec<Session>, Fault> {
    let filter = SessionFilter {
        status: Some(SessionStatus::Active),
        limit: u64::MAX,
        ..SessionFilter::default()
    };
    Ok(snapshot.sessions(&filter)?.into_iter().map(|kept| kept.session).collect())
}
