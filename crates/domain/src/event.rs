//! Events: the immutable facts of the ledger.
//!
//! An event is stored as its kind, a version and JSON text. A released kind never changes its
//! meaning: a new shape is a new version, upgraded when it is read, and the stored bytes stay as
//! they are. A kind or version this program does not know stops the reader.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::chain::Hash;
use crate::chunk::event::{
    ChunkDeleted, ChunkExpirySet, ChunkLinked, ChunkMoved, ChunkPinned, ChunkPromoted,
    ChunkReviewed, ChunkSuperseded, ChunkUnlinked, ChunkUnpinned, ChunkUpdated, ChunkWritten,
    FlagDismissed, SourceChecked,
};
use crate::definition::event::{
    AgentSet, AgentTypeSet, ChunkTypeSet, DefinitionRemoved, LifecycleSet,
};
use crate::hook::{Hook, Trigger};
use crate::key::{Owner, Role};
use crate::pipeline::Stage;
use crate::run::event::{
    ActionDecided, ActionProgressed, ActionRequested, BudgetChecked, BudgetRaised, BudgetRecorded,
    GateDecided, GateOverdue, GateReopened, RunEdited, RunFinalized, RunFinished, RunImported,
    RunOwnerChanged, RunStarted, RunUnblocked, StepBlocked, StepRetried, StepStarted, StepVerified,
};
use crate::session::event::{
    ChunkConsolidated, ChunksInjected, FocusRegistered, SessionEnded, SessionExpired,
    SessionResumed, SessionStarted,
};
use crate::{EventId, ProjectId, RunKey, Status, TaskId, Time};

/// By what right something was done to a task.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Authority {
    /// Nobody held the task.
    #[default]
    Free,
    /// The current fence was shown.
    Fence,
    /// The named agent holds the task.
    Holder,
    /// Somebody held it; the caller gave neither fence nor name.
    Unfenced,
    /// The rules of ownership were overridden.
    Forced,
}

impl Authority {
    fn is_free(&self) -> bool {
        *self == Self::Free
    }
}

/// How a claim was won.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Won {
    /// The task was ready.
    Claimed,
    /// The lease of the holder had run out.
    TakenOver,
    /// Taken from its holder by `steal`.
    Stolen,
    /// By `set-status in_progress`, whatever the status was.
    Overridden,
}

/// Who held a task before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    pub agent: String,
    pub fence: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProjectCreated {
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    #[serde(default, skip_serializing_if = "is_false")]
    pub protected: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProjectRenamed {
    pub name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProjectFrozen {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProjectUnfrozen {}

/// What becomes of the tasks of a project that is deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Emptied {
    /// It had none.
    None,
    Move,
    Archive,
    Delete,
}

/// A project is no more: its name is free, and what was archived in it stays readable.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProjectDeleted {
    pub action: Emptied,
    /// How many tasks it had.
    pub tasks: u64,
    /// Where they went.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved_to: Option<ProjectId>,
    /// Why it was done although somebody held a task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forced: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TaskCreated {
    pub project: ProjectId,
    pub title: String,
    pub status: Status,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<TaskId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub priority: u8,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_at: Option<Time>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stale_after_minutes: Option<u32>,
    /// Whom the task is routed to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<TaskId>,
    /// Where it begins in a pipeline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<Stage>,
    /// Why the rules for `done` were overridden.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forced: Option<String>,
}

/// The fields that changed, with their new values.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct TaskUpdated {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub links: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<u8>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_at: Option<Change<Time>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stale_after_minutes: Option<Change<u32>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<Change<TaskId>>,
    /// Whom an unheld task is routed to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<Change<String>>,
}

/// The new value of a field that may also be empty.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change<T> {
    To(T),
    Cleared,
}

impl<T: Clone> Change<T> {
    pub fn value(&self) -> Option<T> {
        match self {
            Self::To(value) => Some(value.clone()),
            Self::Cleared => None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TaskClaimed {
    pub agent: String,
    pub fence: u64,
    pub won: Won,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease_until: Option<Time>,
    /// The length of the lease, so that a renewal without one repeats it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease_ms: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taken_from: Option<Holder>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClaimRenewed {
    pub lease_until: Time,
    pub lease_ms: i64,
    #[serde(default, skip_serializing_if = "Authority::is_free")]
    pub authority: Authority,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forced: Option<String>,
}

/// A lease was seen to have run out. The status does not change by this.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClaimExpired {
    pub agent: String,
    pub fence: u64,
    pub lease_until: Time,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TaskReleased {
    #[serde(default, skip_serializing_if = "Authority::is_free")]
    pub authority: Authority,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forced: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TaskBlocked {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The block ends by itself when nothing it waits for is open.
    #[serde(default, skip_serializing_if = "is_false")]
    pub auto_unpause: bool,
    #[serde(default, skip_serializing_if = "Authority::is_free")]
    pub authority: Authority,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forced: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TaskUnblocked {
    pub to: Status,
    /// Whom a task that goes back to the queue is routed to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub routed_to: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease_until: Option<Time>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease_ms: Option<i64>,
    #[serde(default, skip_serializing_if = "Authority::is_free")]
    pub authority: Authority,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forced: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TaskCompleted {
    #[serde(default, skip_serializing_if = "Authority::is_free")]
    pub authority: Authority,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forced: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TaskReopened {
    pub to: Status,
}

/// A status set by hand. Into `in_progress` a claim is won instead.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StatusSet {
    pub to: Status,
    #[serde(default, skip_serializing_if = "Authority::is_free")]
    pub authority: Authority,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forced: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TaskArchived {
    #[serde(default, skip_serializing_if = "Authority::is_free")]
    pub authority: Authority,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forced: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TaskRestored {
    pub to: Status,
}

/// A task went to another project.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TaskMoved {
    pub project: ProjectId,
    /// The one it left; logs of earlier versions do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<ProjectId>,
}

/// A task left the views for good with its project; its earlier events stay as they are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TaskDeleted {
    /// The one it was in; logs of earlier versions do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<ProjectId>,
    /// What it waited for in other projects, where the dependency stays to be seen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<TaskId>,
    #[serde(default, skip_serializing_if = "Authority::is_free")]
    pub authority: Authority,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forced: Option<String>,
}

/// A task left the views for good, and the data of its earlier events with it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TaskPruned {
    /// The one it was in; logs of earlier versions do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<ProjectId>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CommentAdded {
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CheckpointRecorded {
    pub name: String,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub data: Map<String, Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<u8>,
    #[serde(default, skip_serializing_if = "Authority::is_free")]
    pub authority: Authority,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forced: Option<String>,
}

impl CheckpointRecorded {
    /// What it says in words: its name and the texts of its data.
    pub fn said(&self) -> String {
        let texts = self.data.values().filter_map(Value::as_str);
        std::iter::once(self.name.as_str()).chain(texts).collect::<Vec<_>>().join(" ")
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProgressSet {
    pub progress: u8,
    #[serde(default, skip_serializing_if = "Authority::is_free")]
    pub authority: Authority,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forced: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DependencyAdded {
    pub on: TaskId,
    /// What was done to many tasks at once, when that is why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DependencyRemoved {
    pub on: TaskId,
    /// What was done to many tasks at once, when that is why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
}

/// A dependency was left as it is on purpose, although one end of it went elsewhere. Nothing
/// changes by this.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DependencyKept {
    pub on: TaskId,
    /// What was done to many tasks at once.
    pub because: String,
}

/// A workflow was run: what it did to other tasks shares its correlation id.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorkflowRan {
    pub workflow: String,
    /// The task it made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made: Option<TaskId>,
}

/// An operation was executed under an op id, and this was its answer. Its data are taken away when
/// the record expires.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OpCompleted {
    pub operation: String,
    /// What was asked, as a hash.
    pub input: Hash,
    pub result: Value,
    /// The task whose state the execution began and ended with, when the op id was made from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<Fingerprint>,
}

/// The fingerprints of a task before and after an execution: each the last event that changed its
/// status, owner or dependencies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    pub before: EventId,
    pub after: EventId,
}

/// Somebody may come in with a key. Of the key itself only its hash is known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KeyCreated {
    /// The part of the key that may be shown.
    pub prefix: String,
    /// The hash of the whole key.
    pub digest: Hash,
    pub owner: Owner,
    pub role: Role,
    /// What it may change; everything when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub projects: Vec<ProjectId>,
    /// Which tools it is shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Time>,
}

/// A key got another secret; the old one opens nothing any more.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KeyRotated {
    pub prefix: String,
    pub digest: Hash,
}

/// A key opens nothing any more, for good.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KeyRevoked {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A hook was defined in the ledger, or defined anew.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HookSet {
    pub definition: Hook,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HookRemoved {}

/// A transition set off a hook: it waits in the outbox, and this is what it will say.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HookEnqueued {
    pub hook: String,
    pub trigger: Trigger,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    /// The run that it tells of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunKey>,
    pub payload: Value,
    /// As the hook was defined then.
    pub max_attempts: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HookDelivered {
    /// How often it was tried, with the attempt that arrived.
    pub attempts: u32,
}

/// A delivery is not tried any more.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HookFailed {
    pub attempts: u32,
    /// Why the last attempt failed.
    pub error: String,
}

/// Somebody decided that a delivery is not sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HookDiscarded {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Somebody put a delivery back into the outbox.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HookRetried {}

macro_rules! events {
    (
        boxed {
            $($(#[$doc:meta])* $group:ident($of:ident) {
                $($fact:ident $fact_kind:literal $fact_version:literal;)+
            })+
        }
        $($name:ident $kind:literal $version:literal $subject:ident;)+
    ) => {
        /// One fact.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Event {
            $($name($name),)+
            $($group(Box<$of>),)+
        }

        $(
            $(#[$doc])*
            #[derive(Debug, Clone, PartialEq)]
            pub enum $of { $($fact($fact)),+ }

            impl $of {
                pub const fn kind(&self) -> Kind {
                    match self { $(Self::$fact(_) => Kind::$fact),+ }
                }

                fn encode(&self) -> serde_json::Result<String> {
                    match self { $(Self::$fact(data) => serde_json::to_string(data)),+ }
                }
            }

            impl From<$of> for Event {
                fn from(event: $of) -> Self {
                    Self::$group(Box::new(event))
                }
            }

            $(impl From<$fact> for $of {
                fn from(data: $fact) -> Self {
                    Self::$fact(data)
                }
            })+
        )+

        /// The name of a fact, as it is stored.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Kind { $($name,)+ $($($fact,)+)+ }

        impl Kind {
            pub const ALL: &'static [Self] = &[$(Self::$name,)+ $($(Self::$fact,)+)+];

            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $kind,)+ $($(Self::$fact => $fact_kind,)+)+ }
            }

            /// The newest version of this kind; what is written.
            pub const fn version(self) -> u32 {
                match self { $(Self::$name => $version,)+ $($(Self::$fact => $fact_version,)+)+ }
            }

            /// What the stream of this kind is about.
            pub const fn subject(self) -> Subject {
                match self {
                    $(Self::$name => Subject::$subject,)+
                    $($(Self::$fact)|+ => Subject::$group,)+
                }
            }
        }

        impl Event {
            pub fn kind(&self) -> Kind {
                match self {
                    $(Self::$name(_) => Kind::$name,)+
                    $(Self::$group(event) => event.kind(),)+
                }
            }

            /// The bytes that are stored and hashed.
            pub fn encode(&self) -> Result<String, Unreadable> {
                match self {
                    $(Self::$name(data) => serde_json::to_string(data),)+
                    $(Self::$group(event) => event.encode(),)+
                }
                .map_err(|source| Unreadable::Data(self.kind(), source.to_string()))
            }

            /// Reads what [`Event::encode`] wrote, of this version or an older one.
            pub fn decode(kind: &str, version: u32, data: &str) -> Result<Self, Unreadable> {
                let kind = Kind::from_text(kind)
                    .ok_or_else(|| Unreadable::Kind(kind.to_owned()))?;
                if version == 0 || version > kind.version() {
                    return Err(Unreadable::Version(kind, version));
                }
                match kind {
                    $(Kind::$name => serde_json::from_str(data).map(Self::$name),)+
                    $($(Kind::$fact => {
                        serde_json::from_str(data).map($of::$fact).map(Self::from)
                    })+)+
                }
                .map_err(|source| Unreadable::Data(kind, source.to_string()))
            }
        }

        $(impl From<$name> for Event {
            fn from(data: $name) -> Self {
                Self::$name(data)
            }
        })+
    };
}

impl RunEvent {
    /// It is the first of a run.
    pub const fn begins(&self) -> bool {
        matches!(self, Self::RunStarted(_) | Self::RunImported(_))
    }
}

impl ChunkEvent {
    /// It is the first of a chunk.
    pub const fn begins(&self) -> bool {
        matches!(self, Self::ChunkWritten(_))
    }
}

impl SessionEvent {
    /// It is the first of a session.
    pub const fn begins(&self) -> bool {
        matches!(self, Self::SessionStarted(_))
    }
}

/// What a stream can be about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    Project,
    Task,
    /// One execution under an op id.
    Op,
    /// The definition of a hook.
    Hook,
    /// One hook on its way.
    Delivery,
    Key,
    /// One execution of a workflow file.
    Run,
    /// A piece of context.
    Chunk,
    /// One sitting of an agent.
    Session,
    /// A chunk type, an agent type, a lifecycle or an agent.
    Definition,
}

impl Subject {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Task => "task",
            Self::Op => "op",
            Self::Hook => "hook",
            Self::Delivery => "delivery",
            Self::Key => "key",
            Self::Run => "run",
            Self::Chunk => "chunk",
            Self::Session => "session",
            Self::Definition => "definition",
        }
    }
}

events! {
    boxed {
        /// One fact about a run.
        Run(RunEvent) {
            RunStarted "run_started" 1;
            RunImported "run_imported" 1;
            RunEdited "run_edited" 1;
            StepStarted "step_started" 1;
            StepVerified "step_verified" 1;
            StepRetried "step_retried" 1;
            StepBlocked "step_blocked" 1;
            RunUnblocked "run_unblocked" 1;
            GateDecided "gate_decided" 1;
            GateReopened "gate_reopened" 1;
            GateOverdue "gate_overdue" 1;
            RunFinalized "run_finalized" 1;
            RunFinished "run_finished" 1;
            RunOwnerChanged "run_owner_changed" 1;
            ActionRequested "action_requested" 1;
            ActionDecided "action_decided" 1;
            ActionProgressed "action_progressed" 1;
            BudgetRecorded "budget_recorded" 1;
            BudgetChecked "budget_checked" 1;
            BudgetRaised "budget_raised" 1;
        }
        /// One fact about a chunk.
        Chunk(ChunkEvent) {
            ChunkWritten "chunk_written" 1;
            ChunkUpdated "chunk_updated" 1;
            ChunkSuperseded "chunk_superseded" 1;
            ChunkPromoted "chunk_promoted" 1;
            ChunkMoved "chunk_moved" 1;
            ChunkPinned "chunk_pinned" 1;
            ChunkUnpinned "chunk_unpinned" 1;
            ChunkExpirySet "chunk_expiry_set" 1;
            ChunkDeleted "chunk_deleted" 1;
            SourceChecked "source_checked" 1;
            ChunkLinked "chunk_linked" 1;
            ChunkUnlinked "chunk_unlinked" 1;
            ChunkReviewed "chunk_reviewed" 1;
            FlagDismissed "flag_dismissed" 1;
        }
        /// One fact about a session.
        Session(SessionEvent) {
            SessionStarted "session_started" 1;
            SessionResumed "session_resumed" 1;
            FocusRegistered "focus_registered" 1;
            ChunksInjected "chunks_injected" 1;
            SessionEnded "session_ended" 1;
            SessionExpired "session_expired" 1;
            ChunkConsolidated "chunk_consolidated" 1;
        }
        /// One fact about a definition.
        Definition(DefinitionEvent) {
            ChunkTypeSet "chunk_type_set" 1;
            AgentTypeSet "agent_type_set" 1;
            LifecycleSet "lifecycle_set" 1;
            AgentSet "agent_set" 1;
            DefinitionRemoved "definition_removed" 1;
        }
    }
    ProjectCreated "project_created" 1 Project;
    ProjectRenamed "project_renamed" 1 Project;
    ProjectFrozen "project_frozen" 1 Project;
    ProjectUnfrozen "project_unfrozen" 1 Project;
    ProjectDeleted "project_deleted" 1 Project;
    TaskCreated "task_created" 1 Task;
    TaskUpdated "task_updated" 1 Task;
    TaskClaimed "task_claimed" 1 Task;
    ClaimRenewed "claim_renewed" 1 Task;
    ClaimExpired "claim_expired" 1 Task;
    TaskReleased "task_released" 1 Task;
    TaskBlocked "task_blocked" 1 Task;
    TaskUnblocked "task_unblocked" 1 Task;
    TaskCompleted "task_completed" 1 Task;
    TaskReopened "task_reopened" 1 Task;
    StatusSet "status_set" 1 Task;
    TaskArchived "task_archived" 1 Task;
    TaskRestored "task_restored" 1 Task;
    TaskMoved "task_moved" 1 Task;
    TaskDeleted "task_deleted" 1 Task;
    TaskPruned "task_pruned" 1 Task;
    CommentAdded "comment_added" 1 Task;
    CheckpointRecorded "checkpoint_recorded" 1 Task;
    ProgressSet "progress_set" 1 Task;
    DependencyAdded "dependency_added" 1 Task;
    DependencyRemoved "dependency_removed" 1 Task;
    DependencyKept "dependency_kept" 1 Task;
    WorkflowRan "workflow_ran" 1 Task;
    OpCompleted "op_completed" 1 Op;
    HookSet "hook_set" 1 Hook;
    HookRemoved "hook_removed" 1 Hook;
    HookEnqueued "hook_enqueued" 1 Delivery;
    HookDelivered "hook_delivered" 1 Delivery;
    HookFailed "hook_failed" 1 Delivery;
    HookDiscarded "hook_discarded" 1 Delivery;
    HookRetried "hook_retried" 1 Delivery;
    KeyCreated "key_created" 1 Key;
    KeyRotated "key_rotated" 1 Key;
    KeyRevoked "key_revoked" 1 Key;
}

impl Event {
    /// It changed the status, the owner or the dependencies of a task.
    pub fn changes_fingerprint(&self) -> bool {
        match self {
            Self::TaskCreated(_)
            | Self::TaskClaimed(_)
            | Self::TaskReleased(_)
            | Self::TaskBlocked(_)
            | Self::TaskUnblocked(_)
            | Self::TaskCompleted(_)
            | Self::TaskReopened(_)
            | Self::StatusSet(_)
            | Self::TaskArchived(_)
            | Self::TaskRestored(_)
            | Self::TaskPruned(_)
            | Self::TaskDeleted(_)
            | Self::DependencyAdded(_)
            | Self::DependencyRemoved(_) => true,
            Self::TaskUpdated(data) => data.agent.is_some(),
            Self::ProjectCreated(_)
            | Self::ProjectRenamed(_)
            | Self::ProjectFrozen(_)
            | Self::ProjectUnfrozen(_)
            | Self::ProjectDeleted(_)
            | Self::ClaimRenewed(_)
            | Self::ClaimExpired(_)
            | Self::TaskMoved(_)
            | Self::CommentAdded(_)
            | Self::CheckpointRecorded(_)
            | Self::ProgressSet(_)
            | Self::DependencyKept(_)
            | Self::WorkflowRan(_)
            | Self::OpCompleted(_)
            | Self::HookSet(_)
            | Self::HookRemoved(_)
            | Self::HookEnqueued(_)
            | Self::HookDelivered(_)
            | Self::HookFailed(_)
            | Self::HookDiscarded(_)
            | Self::HookRetried(_)
            | Self::KeyCreated(_)
            | Self::KeyRotated(_)
            | Self::KeyRevoked(_)
            | Self::Run(_)
            | Self::Chunk(_)
            | Self::Session(_)
            | Self::Definition(_) => false,
        }
    }
}

impl Kind {
    pub fn from_text(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.as_str() == text)
    }
}

/// A stored event this program cannot read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unreadable {
    Kind(String),
    Version(Kind, u32),
    Data(Kind, String),
}

impl std::fmt::Display for Unreadable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Kind(kind) => write!(f, "events of kind '{kind}' are not known to this version"),
            Self::Version(kind, version) => {
                write!(f, "version {version} of '{}' is not known to this version", kind.as_str())
            }
            Self::Data(kind, why) => {
                write!(f, "an event '{}' cannot be read: {why}", kind.as_str())
            }
        }
    }
}

impl std::error::Error for Unreadable {}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde's skip_serializing_if takes a reference"
)]
fn is_false(value: &bool) -> bool {
    !value
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde's skip_serializing_if takes a reference"
)]
fn is_zero(value: &u8) -> bool {
    *value == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_read_back_as_it_was_written() {
        let event = Event::from(TaskClaimed {
            agent: "w1".into(),
            fence: 3,
            won: Won::TakenOver,
            lease_until: Some(Time::from_millis(1_794_735_000_000)),
            lease_ms: Some(60_000),
            taken_from: Some(Holder { agent: "w0".into(), fence: 2 }),
            reason: None,
        });
        let data = event.encode().unwrap();
        assert_eq!(Event::decode("task_claimed", 1, &data).unwrap(), event);
    }

    #[test]
    fn an_unknown_kind_stops_the_reader() {
        assert!(matches!(Event::decode("task_teleported", 1, "{}"), Err(Unreadable::Kind(_))));
    }

    #[test]
    fn a_newer_version_stops_the_reader() {
        assert!(matches!(Event::decode("task_reopened", 2, "{}"), Err(Unreadable::Version(..))));
    }

    #[test]
    fn every_kind_has_a_name_of_its_own() {
        for kind in Kind::ALL {
            assert_eq!(Kind::from_text(kind.as_str()), Some(*kind));
        }
    }
}
