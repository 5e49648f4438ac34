//! What a hook says.

use serde_json::{Value, json};

use super::{Hook, Transition};
use crate::chain::Header;

/// The message of a hook about one transition, which the event of that header recorded.
pub fn payload(hook: &Hook, transition: &Transition<'_>, header: &Header) -> Value {
    let (task, by) = (transition.task, &header.provenance);
    json!({
        "trigger": hook.on,
        "hook": hook.name,
        "task": {
            "task_id": task.id,
            "title": task.title,
            "project": transition.project,
            "status": task.status,
            "priority": task.priority,
            "tags": task.tags,
            "agent": task.agent,
            "lease_until": task.lease_until,
        },
        "transition": { "from": transition.from, "to": task.status },
        "timestamp": header.at,
        "context": {
            "author": by.actor,
            "agent": transition.agent,
            "agent_id": transition.agent,
            "op_id": by.op,
            "correlation_id": by.correlation,
            "causation_id": by.causation,
            "session_id": by.session,
            "event_id": header.id,
        },
    })
}
