//! Hooks: outgoing notifications of what happens to tasks, and of runs that wait for a person.
//!
//! A hook says on what ([`Trigger`]) it is sent where ([`Target`]). Which hooks a transition sets
//! off is decided here; each of them becomes one [`Delivery`] in the outbox, which is sent later.

mod check;
mod delivery;
mod payload;
mod question;
mod schedule;
mod variables;

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::duration::Span;
use crate::near::near;
use crate::task::Task;
use crate::{Code, Kind, Refusal, Status};

pub use check::check_name;
pub use delivery::{Delivery, State};
pub use payload::payload;
pub use question::{Asked, Question, Sought};
pub use schedule::{Failed, TTL, next_attempt};

/// How often a hook is sent at most, when it does not say.
pub const MAX_ATTEMPTS: u32 = 5;
/// How long one attempt may take, when a hook does not say.
pub const TIMEOUT: Span = Span::from_millis(10_000);

/// An outgoing notification.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hook {
    pub name: String,
    pub on: Trigger,
    pub target: Target,
    /// Only for tasks of these projects; of all when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub projects: Vec<String>,
    /// Only for tasks that carry all of these.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// What deliveries are signed with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<Secret>,
    pub max_attempts: u32,
    pub timeout_ms: i64,
}

impl Hook {
    /// How long one attempt may take.
    pub fn timeout(&self) -> Span {
        Span::from_millis(self.timeout_ms)
    }

    /// Whether it is about tasks like this one, of the project of that name.
    fn hears_of(&self, task: &Task, project: &str) -> bool {
        let project_fits =
            self.projects.is_empty() || self.projects.iter().any(|name| name == project);
        project_fits && self.tags.iter().all(|tag| task.tags.contains(tag))
    }
}

/// Where a hook is sent.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// By HTTP POST.
    Url {
        url: String,
        /// As written: `$NAME` is put in when the hook is sent, and is never stored.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        headers: BTreeMap<String, String>,
    },
    /// To the standard input of a program, which is started without a shell.
    Command { argv: Vec<String> },
}

/// What may be shown of the value of a header: as it is written if it names a variable; otherwise it
/// may be a secret itself.
pub fn shown_header(value: &str) -> &str {
    match variables::named(value) {
        Ok(names) if names.is_empty() && !value.is_empty() => "set",
        Ok(_) => value,
        Err(_) => "set",
    }
}

/// What may be shown of an address: its query may hold a secret.
pub fn shown_url(url: &str) -> String {
    match url.split_once('?') {
        Some((address, _)) => format!("{address}?…"),
        None => url.to_owned(),
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Url { url, headers } => {
                let shown = headers.iter().map(|(name, value)| (name, shown_header(value)));
                f.debug_struct("Url")
                    .field("url", &shown_url(url))
                    .field("headers", &shown.collect::<BTreeMap<_, _>>())
                    .finish()
            }
            Self::Command { argv } => f.debug_struct("Command").field("argv", argv).finish(),
        }
    }
}

/// A secret as it was written: the `$NAME` of a variable, or the secret itself, which is never
/// shown.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Secret(String);

impl Secret {
    pub fn new(written: impl Into<String>) -> Self {
        Self(written.into())
    }

    /// What was written. For whoever signs a delivery, and nobody else.
    pub fn as_written(&self) -> &str {
        &self.0
    }

    /// The variable that holds the secret.
    pub fn variable(&self) -> Option<&str> {
        let name = self.0.strip_prefix('$')?;
        let mut letters = name.chars();
        let begins_well = letters.next().is_some_and(|l| l.is_ascii_alphabetic() || l == '_');
        (begins_well && letters.all(|l| l.is_ascii_alphanumeric() || l == '_')).then_some(name)
    }

    /// What may be shown of it.
    pub fn shown(&self) -> &str {
        match self.variable() {
            Some(_) => &self.0,
            None => "set",
        }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.shown())
    }
}

/// What sets a hook off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trigger {
    /// A task became done, whatever led to it.
    OnDone,
    /// A task became blocked.
    OnBlocked,
    /// A task went from one status to another.
    OnStatusChanged,
    /// A lease was seen to have run out.
    OnClaimExpired,
    /// A run waits for the answer of a person, or waits too long.
    OnGate,
}

impl Trigger {
    pub const ALL: [Self; 5] =
        [Self::OnDone, Self::OnBlocked, Self::OnStatusChanged, Self::OnClaimExpired, Self::OnGate];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OnDone => "on_done",
            Self::OnBlocked => "on_blocked",
            Self::OnStatusChanged => "on_status_changed",
            Self::OnClaimExpired => "on_claim_expired",
            Self::OnGate => "on_gate",
        }
    }

    pub fn from_text(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|trigger| trigger.as_str() == text)
    }

    /// Reads a trigger that somebody typed.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        Self::from_text(text).ok_or_else(|| {
            let known = Self::ALL.map(Self::as_str);
            Refusal::new(Code::InvalidValue, format!("'{text}' does not set off hooks"))
                .hint(format!("use one of {}", known.join(", ")))
                .detail("field", "on")
                .detail("given", text)
                .detail("allowed", known)
                .suggest(near(text, known))
        })
    }

    /// What sets off the hook of that name: it says so itself, or its name does.
    pub fn of(name: &str, on: Option<&str>) -> Result<Self, Refusal> {
        let known = Self::ALL.map(Self::as_str).join(", ");
        match (Self::from_text(name), on.map(Self::parse).transpose()?) {
            (Some(named), Some(other)) if named != other => Err(Refusal::new(
                Code::InvalidValue,
                format!("the hook '{name}' cannot be sent on {}", other.as_str()),
            )
            .hint("give it another name, or leave out what its name says already")
            .detail("field", "on")
            .detail("given", other.as_str())),
            (Some(trigger), _) | (None, Some(trigger)) => Ok(trigger),
            (None, None) => Err(Refusal::new(
                Code::InvalidValue,
                format!("the hook '{name}' does not say what sets it off"),
            )
            .hint(format!("say it with --on (in a file: on = …), one of {known}; or name it so"))
            .detail("field", "on")),
        }
    }
}

/// Something that happened to a task.
#[derive(Debug, Clone, Copy)]
pub struct Transition<'a> {
    /// The task after it.
    pub task: &'a Task,
    /// The name of its project.
    pub project: &'a str,
    /// Who held the task when it happened, or holds it by it.
    pub agent: Option<&'a str>,
    /// The status before; none when the task was created.
    pub from: Option<Status>,
    pub kind: Kind,
}

impl Transition<'_> {
    /// What it sets off, before the hooks themselves are looked at.
    pub fn triggers(&self) -> Vec<Trigger> {
        Trigger::ALL.into_iter().filter(|trigger| self.sets_off(*trigger)).collect()
    }

    fn sets_off(&self, trigger: Trigger) -> bool {
        let to = self.task.status;
        let became = |status| to == status && self.from != Some(status);
        match trigger {
            Trigger::OnDone => became(Status::Done),
            Trigger::OnBlocked => became(Status::Blocked),
            // To be created in a status is no change of it.
            Trigger::OnStatusChanged => self.from.is_some_and(|from| from != to),
            Trigger::OnClaimExpired => self.kind == Kind::ClaimExpired,
            // Runs wait for answers, not tasks: see [`Question`].
            Trigger::OnGate => false,
        }
    }

    fn passes(&self, hook: &Hook) -> bool {
        hook.hears_of(self.task, self.project)
    }
}

/// The hooks that a transition sets off.
pub fn triggered<'h>(hooks: &'h [Hook], transition: &Transition<'_>) -> Vec<&'h Hook> {
    hooks.iter().filter(|hook| transition.sets_off(hook.on) && transition.passes(hook)).collect()
}

/// An event of this kind may set off a hook.
pub fn may_trigger(kind: Kind) -> bool {
    match kind {
        Kind::TaskCreated
        | Kind::TaskClaimed
        | Kind::ClaimExpired
        | Kind::TaskReleased
        | Kind::TaskBlocked
        | Kind::TaskUnblocked
        | Kind::TaskCompleted
        | Kind::TaskReopened
        | Kind::StatusSet
        | Kind::TaskArchived
        | Kind::TaskRestored
        | Kind::RunImported
        | Kind::RunEdited
        | Kind::StepVerified
        | Kind::RunUnblocked
        | Kind::GateDecided
        | Kind::GateReopened
        | Kind::GateOverdue
        | Kind::ActionRequested
        | Kind::ActionProgressed
        | Kind::BudgetRecorded
        | Kind::BudgetChecked => true,
        Kind::ProjectCreated
        | Kind::ProjectRenamed
        | Kind::ProjectFrozen
        | Kind::ProjectUnfrozen
        | Kind::ProjectDeleted
        | Kind::TaskUpdated
        | Kind::ClaimRenewed
        | Kind::TaskMoved
        | Kind::TaskDeleted
        | Kind::TaskPruned
        | Kind::CommentAdded
        | Kind::CheckpointRecorded
        | Kind::ProgressSet
        | Kind::DependencyAdded
        | Kind::DependencyRemoved
        | Kind::DependencyKept
        | Kind::WorkflowRan
        | Kind::OpCompleted
        | Kind::HookSet
        | Kind::HookRemoved
        | Kind::HookEnqueued
        | Kind::HookDelivered
        | Kind::HookFailed
        | Kind::HookDiscarded
        | Kind::HookRetried
        | Kind::KeyCreated
        | Kind::KeyRotated
        | Kind::KeyRevoked
        | Kind::RunStarted
        | Kind::StepStarted
        | Kind::StepRetried
        | Kind::StepBlocked
        | Kind::RunFinalized
        | Kind::RunFinished
        | Kind::RunOwnerChanged
        | Kind::ActionDecided
        | Kind::BudgetRaised
        | Kind::ChunkWritten
        | Kind::ChunkUpdated
        | Kind::ChunkSuperseded
        | Kind::ChunkPromoted
        | Kind::ChunkMoved
        | Kind::ChunkPinned
        | Kind::ChunkUnpinned
        | Kind::ChunkExpirySet
        | Kind::ChunkDeleted
        | Kind::SourceChecked
        | Kind::ChunkLinked
        | Kind::ChunkUnlinked
        | Kind::ChunkReviewed
        | Kind::FlagDismissed
        | Kind::SessionStarted
        | Kind::SessionResumed
        | Kind::FocusRegistered
        | Kind::ChunksInjected
        | Kind::SessionEnded
        | Kind::SessionExpired
        | Kind::ChunkConsolidated
        | Kind::ChunkTypeSet
        | Kind::AgentTypeSet
        | Kind::LifecycleSet
        | Kind::AgentSet
        | Kind::DefinitionRemoved => false,
    }
}

/// The hooks in force: the first definition of a name wins.
pub fn in_force(definitions: impl IntoIterator<Item = Hook>) -> Vec<Hook> {
    let mut hooks: Vec<Hook> = Vec::new();
    for hook in definitions {
        if hooks.iter().all(|other| other.name != hook.name) {
            hooks.push(hook);
        }
    }
    hooks
}

#[cfg(test)]
pub(crate) mod samples {
    use super::*;

    pub(crate) fn hook(name: &str, on: Trigger) -> Hook {
        let target = Target::Url { url: "http://localhost/".to_owned(), headers: BTreeMap::new() };
        Hook {
            name: name.to_owned(),
            on,
            target,
            projects: Vec::new(),
            tags: Vec::new(),
            secret: None,
            max_attempts: MAX_ATTEMPTS,
            timeout_ms: TIMEOUT.as_millis(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::samples::hook;
    use super::*;
    use crate::event::Subject;
    use crate::task::samples::in_status;

    fn set_off(from: Option<Status>, to: Status, kind: Kind) -> Vec<Trigger> {
        let task = in_status(to);
        Transition { task: &task, project: "api", agent: None, from, kind }.triggers()
    }

    #[test]
    fn becoming_done_sets_off_whatever_the_event() {
        for kind in [Kind::TaskCompleted, Kind::StatusSet, Kind::TaskRestored] {
            let triggers = set_off(Some(Status::InProgress), Status::Done, kind);
            assert_eq!(triggers, [Trigger::OnDone, Trigger::OnStatusChanged], "{kind:?}");
        }
    }

    #[test]
    fn staying_in_a_status_sets_off_nothing() {
        for status in Status::ALL {
            assert_eq!(set_off(Some(status), status, Kind::TaskBlocked), [], "{status}");
        }
    }

    #[test]
    fn being_created_done_or_blocked_counts_as_becoming_so_but_not_as_a_change() {
        let created = |to| set_off(None, to, Kind::TaskCreated);
        assert_eq!(created(Status::Done), [Trigger::OnDone]);
        assert_eq!(created(Status::Blocked), [Trigger::OnBlocked]);
        assert_eq!(created(Status::Ready), []);
    }

    #[test]
    fn being_archived_is_not_being_done() {
        let triggers = set_off(Some(Status::InProgress), Status::Archived, Kind::TaskArchived);
        assert_eq!(triggers, [Trigger::OnStatusChanged]);
    }

    #[test]
    fn a_lease_that_runs_out_is_no_change_of_status() {
        let status = Status::InProgress;
        assert_eq!(set_off(Some(status), status, Kind::ClaimExpired), [Trigger::OnClaimExpired]);
    }

    #[test]
    fn only_events_of_tasks_and_runs_may_set_off_hooks() {
        for kind in Kind::ALL.iter().filter(|kind| may_trigger(**kind)) {
            let subject = kind.subject();
            assert!(matches!(subject, Subject::Task | Subject::Run), "{kind:?}");
        }
    }

    #[test]
    fn a_hook_hears_of_its_projects_and_of_tasks_with_all_its_tags() {
        let all = hook("all", Trigger::OnDone);
        let web = Hook { projects: vec!["web".into(), "api".into()], ..all.clone() };
        let elsewhere = Hook { projects: vec!["docs".into()], ..all.clone() };
        let tagged = Hook { tags: vec!["a".into(), "b".into()], ..all.clone() };
        let half = Hook { tags: vec!["a".into(), "c".into()], ..all.clone() };
        let hooks = [all, web, elsewhere, tagged, half];
        let mut task = in_status(Status::Done);
        task.tags = vec!["b".into(), "a".into()];
        let kind = Kind::TaskCompleted;
        let from = Some(Status::InProgress);
        let done = Transition { task: &task, project: "api", agent: None, from, kind };
        let found = triggered(&hooks, &done);
        assert_eq!(found, [&hooks[0], &hooks[1], &hooks[3]]);
    }

    #[test]
    fn the_name_of_a_hook_may_say_what_sets_it_off() {
        assert_eq!(Trigger::of("on_done", None).unwrap(), Trigger::OnDone);
        assert_eq!(Trigger::of("on_done", Some("on_done")).unwrap(), Trigger::OnDone);
        assert_eq!(Trigger::of("mine", Some("on_blocked")).unwrap(), Trigger::OnBlocked);
        for (name, on) in [("mine", None), ("on_done", Some("on_blocked")), ("mine", Some("done"))]
        {
            assert_eq!(Trigger::of(name, on).unwrap_err().code, Code::InvalidValue, "{name}");
        }
    }

    #[test]
    fn a_secret_shows_its_variable_and_never_itself() {
        for text in ["$HOOK_SECRET", "$_x9"] {
            assert_eq!(format!("{:?}", Secret::new(text)), text);
        }
        for text in ["whsec_abc", "$", "$9x", "$A-B", "$A $B", ""] {
            assert_eq!(format!("{:?}", Secret::new(text)), "set", "{text}");
        }
    }

    #[test]
    fn a_target_shows_no_literal_value_of_a_header_and_no_query() {
        let headers = [("a", "Bearer canary"), ("b", "Bearer $TOKEN"), ("c", "canary $")];
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        let target = Target::Url { url: "http://x/?key=canary".to_owned(), headers };
        let expected = r#"Url { url: "http://x/?…", headers: {"a": "set", "b": "Bearer $TOKEN", "c": "set"} }"#;
        assert_eq!(format!("{target:?}"), expected);
    }

    #[test]
    fn a_definition_is_read_back_as_it_was_written() {
        let written = Hook {
            secret: Some(Secret::new("$S")),
            target: Target::Command { argv: vec!["notify".into()] },
            tags: vec!["x".into()],
            ..hook("mine", Trigger::OnGate)
        };
        let text = serde_json::to_string(&written).unwrap();
        assert_eq!(serde_json::from_str::<Hook>(&text).unwrap(), written);
    }

    #[test]
    fn the_first_definition_of_a_name_is_in_force() {
        let (first, second) = (hook("a", Trigger::OnDone), hook("a", Trigger::OnBlocked));
        let other = hook("b", Trigger::OnDone);
        assert_eq!(in_force([first.clone(), second, other.clone()]), [first, other]);
    }
}
