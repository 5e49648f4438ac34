//! What a hook says.

use serde_json::{Value, json};

use super::{Hook, Question, Transition};
use crate::chain::Header;
use crate::run::StepState;
use crate::task::Task;

/// The message of a hook about one transition, which the event of that header recorded.
pub fn payload(hook: &Hook, transition: &Transition<'_>, header: &Header) -> Value {
    let task = transition.task;
    json!({
        "trigger": hook.on,
        "hook": hook.name,
        "task": told(task, transition.project),
        "transition": { "from": transition.from, "to": task.status },
        "timestamp": header.at,
        "context": context(header, transition.agent),
    })
}

impl Question<'_> {
    /// The message of a hook about it, which the event of that header recorded.
    pub fn payload(&self, hook: &Hook, header: &Header) -> Value {
        let Self { run, waiting, asked, task } = *self;
        let step = waiting.on.step().and_then(|number| run.step(number).ok());
        let seen = step.into_iter().flat_map(StepState::seen);
        let evidence: Vec<&str> =
            seen.flat_map(|seen| &seen.exhibits).map(|file| file.path.as_str()).collect();
        json!({
            "trigger": hook.on,
            "hook": hook.name,
            "state": asked,
            "run": run.key,
            "run_id": run.name,
            "waits_for": waiting.on.as_str(),
            "subject": waiting.on.subject(),
            "step": waiting.on.step(),
            "name": step.map(|step| &step.name),
            "question": waiting.on.question(run),
            "evidence": evidence,
            "folder": run.place.folder,
            "machine": run.place.machine,
            "waiting_since": waiting.since,
            "overdue_since": waiting.overdue_since(header.at),
            "gate_timeout": run.gate_timeout,
            "ways": waiting.on.ways(run),
            "task": task.map(|(task, project)| told(task, project)),
            "timestamp": header.at,
            "context": context(header, step.and_then(|step| step.started_by.as_deref())),
        })
    }
}

fn told(task: &Task, project: &str) -> Value {
    json!({
        "task_id": task.id,
        "title": task.title,
        "project": project,
        "status": task.status,
        "priority": task.priority,
        "tags": task.tags,
        "agent": task.agent,
        "lease_until": task.lease_until,
    })
}

fn context(header: &Header, agent: Option<&str>) -> Value {
    let by = &header.provenance;
    json!({
        "author": by.actor,
        "agent": agent,
        "agent_id": agent,
        "op_id": by.op,
        "correlation_id": by.correlation,
        "causation_id": by.causation,
        "session_id": by.session,
        "event_id": header.id,
    })
}
