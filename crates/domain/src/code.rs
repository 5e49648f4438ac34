//! Every error code, for ever, with the exit code it ends a command with.
//!
//! `docs/errors/CODE.md` explains each; a test compares the two lists.

use serde::{Serialize, Serializer};

/// How a process ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Done; also: nothing to claim.
    Done = 0,
    Unexpected = 1,
    Usage = 2,
    Refused = 3,
    NotFound = 4,
    Storage = 5,
    /// A check found something.
    Findings = 6,
    NotAllowed = 7,
    /// The same operation is running elsewhere; try again.
    Elsewhere = 8,
}

macro_rules! codes {
    ($($name:ident $text:literal $exit:ident;)+) => {
        /// What went wrong, in a word that never changes its meaning.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Code { $($name),+ }

        impl Code {
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text),+ }
            }

            pub const fn exit(self) -> Exit {
                match self { $(Self::$name => Exit::$exit),+ }
            }
        }
    };
}

codes! {
    Bug "bug" Unexpected;
    Usage "usage" Usage;
    NotHere "not_here" Usage;
    // Values.
    InvalidValue "invalid_value" Refused;
    UnknownField "unknown_field" Refused;
    IdTooShort "id_too_short" Refused;
    IdAmbiguous "id_ambiguous" Refused;
    SettingsInvalid "settings_invalid" Refused;
    // Rules of tasks.
    InvalidTransition "invalid_transition" Refused;
    AlreadyClaimed "already_claimed" Refused;
    AlreadyHeld "already_held" Refused;
    StaleClaim "stale_claim" Refused;
    AgentRequired "agent_required" Refused;
    FenceRequired "fence_required" Refused;
    ReasonRequired "reason_required" Refused;
    LeaseRequired "lease_required" Refused;
    LeaseNotExpired "lease_not_expired" Refused;
    WrongRole "wrong_role" Refused;
    DependenciesOpen "dependencies_open" Refused;
    DependencyCycle "dependency_cycle" Refused;
    EditConflict "edit_conflict" Refused;
    ChildrenOpen "children_open" Refused;
    SubtaskDepth "subtask_depth" Refused;
    TaskArchived "task_archived" Refused;
    EdgesOutside "edges_outside" Refused;
    // Rules of runs.
    RunNotRunning "run_not_running" Refused;
    StepOrder "step_order" Refused;
    GateUndecided "gate_undecided" Refused;
    AttemptsExhausted "attempts_exhausted" Refused;
    BudgetExceeded "budget_exceeded" Refused;
    PersonRequired "person_required" Refused;
    OwnerRequired "owner_required" Refused;
    RunUnfinished "run_unfinished" Refused;
    EvidenceMissing "evidence_missing" Refused;
    RunEdited "run_edited" Refused;
    // Rules of chunks and sessions.
    TypeInUse "type_in_use" Refused;
    DefinitionInUse "definition_in_use" Refused;
    ContentIncomplete "content_incomplete" Refused;
    QueryKeyTaken "query_key_taken" Refused;
    LinksIncoming "links_incoming" Refused;
    StepRequired "step_required" Refused;
    SessionOpen "session_open" Refused;
    SessionOver "session_over" Refused;
    // Where runs work.
    CheckoutUnfit "checkout_unfit" Refused;
    UncommittedChanges "uncommitted_changes" Refused;
    BranchUnclear "branch_unclear" Refused;
    BranchExists "branch_exists" Refused;
    MergeConflict "merge_conflict" Refused;
    GitRefused "git_refused" Refused;
    // Op ids.
    OpConflict "op_conflict" Refused;
    OpRunning "op_running" Elsewhere;
    // Rules of projects.
    ProjectExists "project_exists" Refused;
    ProjectProtected "project_protected" Refused;
    ProjectFrozen "project_frozen" Refused;
    ProjectDeleted "project_deleted" Refused;
    TasksHeld "tasks_held" Refused;
    // Moving ledgers.
    ImportInvalid "import_invalid" Refused;
    ImportConflict "import_conflict" Refused;
    FileExists "file_exists" Refused;
    // Doors.
    NotAllowed "not_allowed" NotAllowed;
    KeyRequired "key_required" NotAllowed;
    ForeignOrigin "foreign_origin" NotAllowed;
    WorkplaceOnly "workplace_only" Refused;
    TooLarge "too_large" Refused;
    TooSlow "too_slow" Refused;
    VersionMismatch "version_mismatch" Refused;
    RateLimited "rate_limited" Elsewhere;
    ServerBusy "server_busy" Elsewhere;
    ServerUnreachable "server_unreachable" Storage;
    AddressUnusable "address_unusable" Storage;
    // Files of coding agents.
    FileInvalid "file_invalid" Refused;
    EntryExists "entry_exists" Refused;
    // Not found.
    TaskNotFound "task_not_found" NotFound;
    ProjectNotFound "project_not_found" NotFound;
    HookNotFound "hook_not_found" NotFound;
    DeliveryNotFound "delivery_not_found" NotFound;
    WorkflowNotFound "workflow_not_found" NotFound;
    RunNotFound "run_not_found" NotFound;
    StepNotFound "step_not_found" NotFound;
    ActionNotFound "action_not_found" NotFound;
    ChunkNotFound "chunk_not_found" NotFound;
    ChunkTypeNotFound "chunk_type_not_found" NotFound;
    AgentTypeNotFound "agent_type_not_found" NotFound;
    LifecycleNotFound "lifecycle_not_found" NotFound;
    SessionNotFound "session_not_found" NotFound;
    CodeNotFound "code_not_found" NotFound;
    OperationNotFound "operation_not_found" NotFound;
    PathNotFound "path_not_found" NotFound;
    KeyNotFound "key_not_found" NotFound;
    // Storage.
    LedgerLocked "ledger_locked" Storage;
    LedgerReadOnly "ledger_read_only" Storage;
    LedgerFull "ledger_full" Storage;
    LedgerCorrupt "ledger_corrupt" Storage;
    LedgerNewer "ledger_newer" Storage;
    LedgerUnreachable "ledger_unreachable" Storage;
    LedgerUnmigrated "ledger_unmigrated" Storage;
    NotALedger "not_a_ledger" Storage;
    NetworkFileSystem "network_file_system" Storage;
    StorageFailed "storage_failed" Storage;
    FileUnusable "file_unusable" Storage;
}

impl Code {
    pub fn from_text(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.as_str() == text)
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
