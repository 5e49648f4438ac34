//! Definitions in the ledger, and how a transition puts deliveries into the outbox: in the same
//! transaction, whatever led to it.

use std::sync::Arc;

use windlass_domain::chain::Provenance;
use windlass_domain::event::{HookEnqueued, HookRemoved, HookSet};
use windlass_domain::hook::{Hook, Transition, may_trigger, payload, triggered};
use windlass_domain::{DeliveryId, Event, HookId, Stream, Task};

use super::Defined;
use crate::fault::{Error, Fault};
use crate::record::Recorded;
use crate::transaction::{Happened, Transaction};
use crate::world::random_bits;

/// The hooks that events about to be recorded may set off, and the task as it was before them.
pub(crate) struct Listening {
    hooks: Arc<[Hook]>,
    before: Option<Task>,
}

impl Transaction<'_> {
    /// Defines a hook in the ledger, or defines it anew.
    pub fn set_hook(&mut self, definition: Hook) -> Result<(), Error> {
        self.refuse_if_bound()?;
        Ok(self.define(definition)?)
    }

    fn define(&mut self, definition: Hook) -> Result<(), Fault> {
        let known = self.store.hooks()?.into_iter().find(|old| old.hook.name == definition.name);
        let (id, version) = match known.and_then(|old| old.in_ledger) {
            Some(old) => (old.id, old.version),
            None => (HookId::from_parts(self.now(), random_bits()?), 0),
        };
        self.record(id.into(), version, vec![HookSet { definition }.into()])?;
        self.definitions_changed();
        Ok(())
    }

    /// Hooks of the ledger that hear of a project go on to do so under its new name.
    pub(crate) fn rename_in_hooks(&mut self, from: &str, to: &str) -> Result<(), Fault> {
        for Defined { mut hook, .. } in self.store.hooks()? {
            let named: Vec<&mut String> =
                hook.projects.iter_mut().filter(|name| *name == from).collect();
            if named.is_empty() {
                continue;
            }
            for name in named {
                to.clone_into(name);
            }
            self.define(hook)?;
        }
        Ok(())
    }

    /// Takes a definition out of the ledger. What it enqueued is still there to be sent.
    pub fn remove_hook(&mut self, defined: &Defined) -> Result<(), Error> {
        let Some(known) = defined.in_ledger else {
            return Err(Fault::bug("only a hook of the ledger is removed from it").into());
        };
        self.act(known.id.into(), known.version, vec![HookRemoved {}.into()])?;
        self.definitions_changed();
        Ok(())
    }

    /// What must be known before events are recorded; nothing when no hook can hear of them.
    pub(crate) fn listen(
        &mut self,
        stream: Stream,
        events: &[Event],
    ) -> Result<Option<Listening>, Fault> {
        if !events.iter().any(|event| may_trigger(event.kind())) {
            return Ok(None);
        }
        let hooks = self.hooks_once()?;
        if hooks.is_empty() {
            return Ok(None);
        }
        let before = match events.first() {
            Some(Event::TaskCreated(_)) => None,
            _ => self.store.task(stream.task())?,
        };
        Ok(Some(Listening { hooks, before }))
    }

    /// Enqueues what the events set off.
    pub(crate) fn enqueue(
        &mut self,
        listening: Listening,
        recorded: &[Recorded],
    ) -> Result<(), Fault> {
        let Listening { hooks, before: mut task } = listening;
        let mut enqueued = Vec::new();
        for event in recorded {
            let Some(next) = after(task.as_ref(), event)? else { continue };
            enqueued.append(&mut self.heard(&hooks, task.as_ref(), &next, event)?);
            task = Some(next);
        }
        self.append_all(enqueued)
    }

    /// The deliveries that one event sets off.
    fn heard(
        &mut self,
        hooks: &[Hook],
        before: Option<&Task>,
        task: &Task,
        recorded: &Recorded,
    ) -> Result<Vec<Happened>, Fault> {
        let header = &recorded.header;
        let Some(kind) = windlass_domain::Kind::from_text(&header.kind) else {
            return Ok(Vec::new());
        };
        let holder = before.and_then(Task::held).map(|held| held.agent);
        let agent = holder.or(task.agent.as_deref());
        let from = before.map(|task| task.status);
        let unnamed = Transition { task, project: "", agent, from, kind };
        if unnamed.triggers().iter().all(|trigger| hooks.iter().all(|hook| hook.on != *trigger)) {
            return Ok(Vec::new());
        }
        let project = self.project(task.project)?.name;
        let transition = Transition { project: &project, ..unnamed };
        let mut heard = Vec::new();
        for hook in triggered(hooks, &transition) {
            let event = HookEnqueued {
                hook: hook.name.clone(),
                trigger: hook.on,
                task: task.id,
                payload: payload(hook, &transition, header),
                max_attempts: hook.max_attempts,
            };
            heard.push(Happened {
                id: None,
                at: header.at,
                stream: DeliveryId::from_parts(header.at, random_bits()?).into(),
                provenance: Provenance { causation: Some(header.id), ..header.provenance.clone() },
                event: event.into(),
            });
        }
        Ok(heard)
    }
}

/// The task after an event of its stream.
fn after(before: Option<&Task>, recorded: &Recorded) -> Result<Option<Task>, Fault> {
    let header = &recorded.header;
    match (before, recorded.event()?) {
        (None, Some(Event::TaskCreated(data))) => {
            Ok(Some(Task::created(header.stream.task(), &data, header.seq, header.at)))
        }
        (Some(task), Some(event)) => {
            let mut task = task.clone();
            task.fold(&event, header.at)?;
            Ok(Some(task))
        }
        (_, _) => Ok(None),
    }
}
