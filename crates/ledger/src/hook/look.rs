//! Reading hooks and their deliveries.

use windlass_domain::duration::Span;
use windlass_domain::hook::{Hook, State, in_force};
use windlass_domain::id::Fragment;
use windlass_domain::near::near;
use windlass_domain::{Code, DeliveryId, Refusal, TaskId, Time};

use super::{Backlog, Defined, HookCounts, Tracked};
use crate::fault::{Error, Fault};
use crate::snapshot::Snapshot;

/// More matches than this are not listed when an id is ambiguous.
const CANDIDATES_SHOWN: usize = 5;

/// Which deliveries a list shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// Those that ended so. (Of `Queued`, those that have not.)
    Ended(State),
    /// Those that wait to be sent.
    Waiting,
    /// Those that are being sent.
    Processing,
    /// Those that tell of a task.
    OfTask(TaskId),
    All,
}

impl Snapshot<'_> {
    /// The hooks in force, by name: those of the ledger, then those of the settings that it does
    /// not define.
    pub fn hooks(&mut self) -> Result<Vec<Defined>, Fault> {
        let mut hooks = self.store.hooks()?;
        for hook in self.settings_hooks().iter() {
            if hooks.iter().all(|other| other.hook.name != hook.name) {
                hooks.push(Defined { hook: hook.clone(), in_ledger: None });
            }
        }
        hooks.sort_by(|one, other| one.hook.name.cmp(&other.hook.name));
        Ok(hooks)
    }

    /// What sets off and sends: the definitions of [`Snapshot::hooks`] alone.
    pub(crate) fn definitions(&mut self) -> Result<Vec<Hook>, Fault> {
        let ledger = self.store.hooks()?.into_iter().map(|defined| defined.hook);
        Ok(in_force(ledger.chain(self.settings_hooks().iter().cloned())))
    }

    /// The hook of that name, or a refusal that suggests others.
    pub fn hook_named(&mut self, name: &str) -> Result<Defined, Error> {
        let hooks = self.hooks()?;
        let names: Vec<String> = hooks.iter().map(|defined| defined.hook.name.clone()).collect();
        let found = hooks.into_iter().find(|defined| defined.hook.name == name);
        found.ok_or_else(|| {
            Refusal::new(Code::HookNotFound, format!("there is no hook '{name}'"))
                .hint("list the hooks: windlass hook list")
                .detail("hook", name)
                .suggest(near(name, names.iter().map(String::as_str)))
                .into()
        })
    }

    /// The delivery that somebody names by its id or a part of it.
    pub fn delivery_named(&mut self, text: &str) -> Result<Tracked, Error> {
        let parsed = Fragment::parse(text).map_err(|refusal| {
            refusal.hint("list the deliveries: windlass hook list --state all")
        })?;
        let (part, prefix, suffix) = match parsed {
            Fragment::Whole(bytes) => {
                let found = self.store.deliveries(&[DeliveryId::from_bytes(bytes)])?.pop();
                return found.ok_or_else(|| not_found(text).into());
            }
            Fragment::Part { text, prefix, suffix } => (text, prefix, suffix),
        };
        let limit = CANDIDATES_SHOWN as u64 + 1;
        let mut found = match prefix {
            Some(range) => self.store.deliveries_with_prefix(range, limit)?,
            None => Vec::new(),
        };
        found.extend(self.store.deliveries_with_suffix(suffix, limit)?);
        // The tail key covers only the end of a long suffix.
        found.retain(|tracked| tracked.delivery.id.matches(&part));
        found.sort_by_key(|tracked| tracked.delivery.id);
        found.dedup_by_key(|tracked| tracked.delivery.id);
        match found.len() {
            0 => Err(not_found(text).into()),
            1 => found.pop().ok_or_else(|| Fault::bug("a match went away").into()),
            _ => Err(ambiguous(text, &found).into()),
        }
    }

    /// The newest deliveries, newest first.
    pub fn deliveries(&mut self, shown: Shown, limit: u64) -> Result<Vec<Tracked>, Fault> {
        self.store.shown_deliveries(shown, limit)
    }

    /// How many deliveries wait for hooks that are not defined here, by their names.
    pub fn waiting_for_unknown(&mut self) -> Result<Vec<(String, u64)>, Fault> {
        let mut waiting = self.store.waiting_by_hook()?;
        if !waiting.is_empty() {
            let known = self.definitions()?;
            waiting.retain(|(name, _)| known.iter().all(|hook| hook.name != *name));
        }
        Ok(waiting)
    }

    /// How far the outbox is behind, without counting what is over.
    pub fn backlog(&mut self) -> Result<Backlog, Fault> {
        self.store.backlog()
    }

    pub fn hook_counts(&mut self) -> Result<HookCounts, Fault> {
        self.store.hook_counts()
    }

    /// When a drain next has something to do; it may be in the past. `lock_for` is how long a
    /// worker may hold a delivery.
    pub fn next_hook_due(&mut self, lock_for: Span) -> Result<Option<Time>, Fault> {
        let hooks = self.definitions()?;
        let names: Vec<&str> = hooks.iter().map(|hook| hook.name.as_str()).collect();
        let now = self.now();
        self.store.next_due(&names, now, lock_for)
    }

    /// How many rows of the outbox have no delivery that waits, and how many of those have no row.
    pub fn outbox_strays(&mut self) -> Result<(u64, u64), Fault> {
        self.store.outbox_strays()
    }
}

fn not_found(text: &str) -> Refusal {
    Refusal::new(Code::DeliveryNotFound, format!("there is no delivery '{text}'"))
        .hint("list the deliveries: windlass hook list --state all")
        .detail("given", text)
}

fn ambiguous(text: &str, found: &[Tracked]) -> Refusal {
    let ids: Vec<String> = found
        .iter()
        .take(CANDIDATES_SHOWN)
        .map(|tracked| tracked.delivery.id.to_string())
        .collect();
    let more = if found.len() > CANDIDATES_SHOWN { " and more" } else { "" };
    Refusal::new(Code::IdAmbiguous, format!("'{text}' could be {}{more}", ids.join(", ")))
        .hint("give more characters of the id")
        .detail("given", text)
        .detail("candidates", &ids)
        .suggest(ids)
}
