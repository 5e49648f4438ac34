//! Hooks and deliveries as answers show them. No answer shows a secret.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::hook::{Hook, State, Target, shown_header, shown_url};
use windlass_domain::{DeliveryId, RunKey, TaskId, Time};
use windlass_ledger::{Defined, Fault, HookCounts, Snapshot, Tracked};

use super::dispatch::LOCK_FOR;
use crate::settings::Resolved;
use crate::sheet::{Cell, Tone, ago, relative};

/// Where a hook of the ledger is defined.
const LEDGER: &str = "ledger";

/// A hook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HookView {
    pub name: String,
    /// What sets it off.
    pub on: String,
    /// Where it is sent by HTTP, without the query, which may hold a secret.
    pub url: Option<String>,
    /// As they are written where they name a variable: `$NAME` is put in when the hook is sent. Any
    /// other value is `set`.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// The program that gets it instead, with its arguments.
    pub command: Option<Vec<String>>,
    /// Only for tasks of these projects; of all when empty.
    pub projects: Vec<String>,
    /// Only for tasks that carry all of these.
    pub tags: Vec<String>,
    /// The variable that holds the secret, or `set`.
    pub secret: Option<String>,
    pub max_attempts: u32,
    pub timeout: String,
    /// `ledger`, or the file of settings that defines it.
    pub source: String,
}

impl HookView {
    pub(crate) fn new(hook: &Hook, source: impl Into<String>) -> Self {
        let (url, headers, command) = match &hook.target {
            Target::Url { url, headers } => {
                let shown = headers.iter();
                let shown = shown.map(|(name, value)| (name.clone(), shown_header(value).into()));
                (Some(shown_url(url)), shown.collect(), None)
            }
            Target::Command { argv } => (None, BTreeMap::new(), Some(argv.clone())),
        };
        Self {
            name: hook.name.clone(),
            on: hook.on.as_str().to_owned(),
            url,
            headers,
            command,
            projects: hook.projects.clone(),
            tags: hook.tags.clone(),
            secret: hook.secret.as_ref().map(|secret| secret.shown().to_owned()),
            max_attempts: hook.max_attempts,
            timeout: hook.timeout().to_string(),
            source: source.into(),
        }
    }

    pub(crate) fn of(defined: &Defined, settings: &Resolved) -> Self {
        let source = match defined.in_ledger {
            Some(_) => LEDGER.to_owned(),
            None => settings.source_of_hook(&defined.hook.name),
        };
        Self::new(&defined.hook, source)
    }

    /// Where it is sent, in a line.
    pub(crate) fn target(&self) -> String {
        match (&self.url, &self.command) {
            (Some(url), _) => url.clone(),
            (None, Some(argv)) => argv.join(" "),
            (None, None) => String::new(),
        }
    }

    /// What it does, in a line, without any value of a header.
    pub(crate) fn in_words(&self) -> String {
        let headers = self.headers.keys().map(|name| format!("header {name}"));
        let secret = self.secret.iter().map(|secret| format!("secret {secret}"));
        let extras = [self.filter()].into_iter().filter(|filter| !filter.is_empty());
        let extras: Vec<String> = extras.chain(headers).chain(secret).collect();
        let sent = format!("{} to {}", self.on, self.target());
        match extras.is_empty() {
            true => sent,
            false => format!("{sent} ({})", extras.join(", ")),
        }
    }

    /// Which tasks it is about, in a line.
    pub(crate) fn filter(&self) -> String {
        let projects = self.projects.iter().map(|name| format!("project {name}"));
        let tags = self.tags.iter().map(|tag| format!("tag {tag}"));
        projects.chain(tags).collect::<Vec<_>>().join(", ")
    }
}

/// A hook on its way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DeliveryView {
    /// The `webhook-id` of every attempt.
    #[schemars(with = "String")]
    pub delivery_id: DeliveryId,
    pub hook: String,
    /// Its hook is defined here. If not, it waits for somebody who knows the hook.
    pub hook_defined: bool,
    pub trigger: String,
    /// The task that it tells of; none where a run without one waits for a person.
    #[schemars(with = "Option<String>")]
    pub task_id: Option<TaskId>,
    /// The run that it tells of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub run: Option<RunKey>,
    /// `queued`, `processing`, `delivered`, `failed` or `discarded`.
    pub state: String,
    /// How often it was tried.
    pub attempts: u32,
    pub max_attempts: u32,
    /// Why the last attempt failed, or why it was discarded.
    pub last_error: Option<String>,
    #[schemars(with = "String")]
    pub enqueued_at: Time,
    /// When it is tried next.
    #[schemars(with = "Option<String>")]
    pub next_attempt_at: Option<Time>,
    /// When it is not tried any more.
    #[schemars(with = "Option<String>")]
    pub expires_at: Option<Time>,
    /// Who is sending it.
    pub worker: Option<String>,
    #[schemars(with = "Option<String>")]
    pub locked_at: Option<Time>,
    /// When others may take it over from whoever is sending it.
    #[schemars(with = "Option<String>")]
    pub locked_until: Option<Time>,
    /// When it was delivered, failed or was discarded.
    #[schemars(with = "Option<String>")]
    pub ended_at: Option<Time>,
}

impl DeliveryView {
    /// A delivery where these hooks are defined.
    pub(crate) fn new(tracked: &Tracked, hooks: &[Defined]) -> Self {
        let Tracked { delivery, waiting } = tracked;
        let waiting = waiting.as_ref();
        let sending = waiting.and_then(|waiting| waiting.sending.as_ref());
        let state = match sending {
            Some(_) => "processing",
            None => delivery.state.as_str(),
        };
        let last = waiting.and_then(|waiting| waiting.last_error.clone());
        Self {
            delivery_id: delivery.id,
            hook: delivery.hook.clone(),
            hook_defined: hooks.iter().any(|defined| defined.hook.name == delivery.hook),
            trigger: delivery.trigger.as_str().to_owned(),
            task_id: delivery.task,
            run: delivery.run,
            state: state.to_owned(),
            attempts: waiting.map_or(delivery.attempts, |waiting| waiting.attempts),
            max_attempts: delivery.max_attempts,
            last_error: last.or_else(|| delivery.error.clone()),
            enqueued_at: delivery.enqueued_at,
            next_attempt_at: waiting
                .filter(|waiting| waiting.sending.is_none())
                .map(|waiting| waiting.next_attempt_at),
            expires_at: waiting.map(|waiting| waiting.expires_at),
            worker: sending.map(|sending| sending.worker.clone()),
            locked_at: sending.map(|sending| sending.since),
            locked_until: sending.map(|sending| sending.since.plus(LOCK_FOR)),
            ended_at: delivery.ended_at,
        }
    }

    /// What it tells of, in short: its task, else its run.
    pub(crate) fn subject(&self) -> String {
        let task = self.task_id.map(TaskId::short);
        task.or(self.run.map(RunKey::short)).unwrap_or_default()
    }

    pub(crate) fn state_cell(&self) -> Cell {
        let tone = match State::from_text(&self.state) {
            Some(State::Queued) => Tone::Plain,
            Some(State::Delivered) => Tone::Good,
            Some(State::Failed) => Tone::Bad,
            Some(State::Discarded) => Tone::Dim,
            None => Tone::Busy,
        };
        Cell::toned(&self.state, tone)
    }

    /// Somebody is sending it and may still do so.
    pub(crate) fn is_held(&self, now: Time) -> bool {
        let is_past = |since: Time| since <= now.plus(LOCK_FOR);
        self.locked_until.is_some_and(|until| until > now) && self.locked_at.is_some_and(is_past)
    }

    /// When it is tried next, when whoever sends it began, or when it ended.
    pub(crate) fn next(&self, now: Time) -> String {
        match (self.ended_at, self.next_attempt_at, self.locked_at) {
            (Some(ended), _, _) => relative(ended, now),
            (None, _, Some(since)) => ago(since, now),
            (None, _, None) if !self.hook_defined => "not from here".to_owned(),
            (None, Some(next), None) if next > now => relative(next, now),
            (None, Some(_) | None, None) => "now".to_owned(),
        }
    }
}

/// Deliveries that nobody can send from here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Unknown {
    /// The hook, which is not defined here.
    pub hook: String,
    pub waiting: u64,
}

impl Unknown {
    pub(crate) fn all(snapshot: &mut Snapshot<'_>) -> Result<Vec<Self>, Fault> {
        let waiting = snapshot.waiting_for_unknown()?.into_iter();
        Ok(waiting.map(|(hook, waiting)| Self { hook, waiting }).collect())
    }

    pub(crate) fn in_words(&self) -> String {
        let Self { hook, waiting } = self;
        let wait = if *waiting == 1 { "waits" } else { "wait" };
        format!("{} {wait} for hook {hook}, which is not defined here", deliveries(*waiting))
    }
}

/// A number of deliveries.
pub(crate) fn deliveries(count: u64) -> String {
    match count {
        1 => "1 delivery".to_owned(),
        count => format!("{count} deliveries"),
    }
}

/// How many deliveries are in each state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OutboxCounts {
    /// They wait to be sent.
    pub queued: u64,
    /// They are being sent.
    pub processing: u64,
    pub delivered: u64,
    pub failed: u64,
    pub discarded: u64,
}

impl From<HookCounts> for OutboxCounts {
    fn from(counts: HookCounts) -> Self {
        let HookCounts { queued, processing, delivered, failed, discarded } = counts;
        Self { queued, processing, delivered, failed, discarded }
    }
}

impl OutboxCounts {
    /// The states there are deliveries in.
    pub(crate) fn in_words(&self) -> String {
        let counts = [
            (self.queued, "queued"),
            (self.processing, "processing"),
            (self.failed, "failed"),
            (self.delivered, "delivered"),
            (self.discarded, "discarded"),
        ];
        let some = counts.iter().filter(|(count, _)| *count > 0);
        let words: Vec<String> = some.map(|(count, state)| format!("{count} {state}")).collect();
        match words.is_empty() {
            true => "empty".to_owned(),
            false => words.join(", "),
        }
    }
}
