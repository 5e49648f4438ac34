//! Definitions in the ledger, and how a transition puts deliveries into the outbox: in the same
//! transaction, whatever led to it.

use std::sync::Arc;

use windlass_domain::chain::{Header, Provenance};
use windlass_domain::event::{HookEnqueued, HookRemoved, HookSet, RunEvent};
use windlass_domain::hook::{Hook, Question, Transition, Trigger, may_trigger, payload, triggered};
use windlass_domain::run::Run;
use windlass_domain::{DeliveryId, Event, HookId, Stream, Task};

use super::Defined;
use crate::fault::{Error, Fault};
use crate::record::Recorded;
use crate::transaction::{Happened, Transaction};
use crate::world::random_bits;

/// The hooks that events about to be recorded may set off, and what they happen to, as it was before
/// them.
pub(crate) struct Listening {
    hooks: Arc<[Hook]>,
    before: Before,
}

enum Before {
    Task(Option<Box<Task>>),
    Run(Option<Box<Run>>),
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
        let Some(first) = events.first().filter(|_| !hooks.is_empty()) else {
            return Ok(None);
        };
        let before = match first {
            Event::Run(_) if hooks.iter().all(|hook| hook.on != Trigger::OnGate) => {
                return Ok(None);
            }
            Event::Run(event) if event.begins() => Before::Run(None),
            Event::Run(_) => {
                let kept = self.store.run_of(stream.run())?;
                Before::Run(kept.map(|kept| Box::new(kept.run)))
            }
            Event::TaskCreated(_) => Before::Task(None),
            _ => Before::Task(self.store.task(stream.task())?.map(Box::new)),
        };
        Ok(Some(Listening { hooks, before }))
    }

    /// Enqueues what the events set off.
    pub(crate) fn enqueue(
        &mut self,
        listening: Listening,
        recorded: &[Recorded],
    ) -> Result<(), Fault> {
        let Listening { hooks, before } = listening;
        let mut task = match before {
            Before::Task(task) => task.map(|task| *task),
            Before::Run(run) => {
                let asked = self.asked(&hooks, run.as_deref(), recorded)?;
                return self.append_all(asked);
            }
        };
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
                task: Some(task.id),
                run: None,
                payload: payload(hook, &transition, header),
                max_attempts: hook.max_attempts,
            };
            heard.push(set_off(header, event)?);
        }
        Ok(heard)
    }

    /// The deliveries about questions to people that events of a run raise.
    fn asked(
        &mut self,
        hooks: &[Hook],
        before: Option<&Run>,
        recorded: &[Recorded],
    ) -> Result<Vec<Happened>, Fault> {
        let Some(header) = recorded.last().map(|event| &event.header) else {
            return Ok(Vec::new());
        };
        let Some(kept) = self.store.run_of(header.stream.run())? else {
            return Ok(Vec::new());
        };
        let events = recorded.iter().map(|event| Ok(event.event()?.and_then(run_event)));
        let events: Vec<RunEvent> =
            events.collect::<Result<Vec<_>, Fault>>()?.into_iter().flatten().collect();
        let arisen = Question::arisen(before, &events.iter().collect::<Vec<_>>(), &kept.run);
        let mut heard = Vec::new();
        if arisen.is_empty() {
            return Ok(heard);
        }
        let (run, task) = (&kept.run, self.task_and_project(&kept.run)?);
        for (waiting, asked) in &arisen {
            let task = task.as_ref().map(|(task, project)| (task, project.as_str()));
            let question = Question { run, waiting, asked: *asked, task };
            for hook in hooks.iter().filter(|hook| question.reaches(hook)) {
                let event = HookEnqueued {
                    hook: hook.name.clone(),
                    trigger: hook.on,
                    task: task.map(|(task, _)| task.id),
                    run: Some(run.key),
                    payload: question.payload(hook, header),
                    max_attempts: hook.max_attempts,
                };
                heard.push(set_off(header, event)?);
            }
        }
        Ok(heard)
    }

    /// The task that a run works on, with the name of its project; nothing if it is gone.
    fn task_and_project(&mut self, run: &Run) -> Result<Option<(Task, String)>, Fault> {
        let Some(tie) = run.tie else { return Ok(None) };
        let Some(task) = self.store.task(tie.task)? else { return Ok(None) };
        let project = self.project(task.project)?.name;
        Ok(Some((task, project)))
    }
}

fn run_event(event: Event) -> Option<RunEvent> {
    match event {
        Event::Run(event) => Some(*event),
        _ => None,
    }
}

/// A delivery that the event of a header sets off.
fn set_off(header: &Header, event: HookEnqueued) -> Result<Happened, Fault> {
    Ok(Happened {
        id: None,
        at: header.at,
        stream: DeliveryId::from_parts(header.at, random_bits()?).into(),
        provenance: Provenance { causation: Some(header.id), ..header.provenance.clone() },
        event: event.into(),
    })
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
