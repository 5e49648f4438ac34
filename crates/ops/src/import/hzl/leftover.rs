//! What HZL still had to do, or had done once: its outbox and its op records.

use serde_json::Value;
use windlass_domain::chain::{Hash, Provenance};
use windlass_domain::event::{HookEnqueued, HookFailed, OpCompleted};
use windlass_domain::hook::{MAX_ATTEMPTS, Trigger};
use windlass_domain::op::OpId;
use windlass_domain::{DeliveryId, Event, EventId, Stream, TaskId, Time, text};
use windlass_ledger::{Error, Happened, HzlHook, HzlOp, Transaction};

use super::super::notes::Notes;
use super::ids::{derived, id_of, task_id};

/// HZL does not say who.
const ACTOR: &str = "hzl";

/// As much of an error as HZL keeps.
const ERROR_CHARS: usize = 280;

const ARRIVED: &str = "hooks that HZL delivered: not carried, they arrived";
const UNREADABLE: &str = "hooks that are about no task here or cannot be read: not carried";
const ADDRESSES: &str = "hooks whose address and headers were not read: define them here";
const UNFINISHED: &str = "op records of workflows that did not complete: not carried";

/// What was carried over.
#[derive(Debug, Default)]
pub(super) struct Leftover {
    pub(super) hooks: u64,
    pub(super) ops: u64,
    pub(super) notes: Notes,
}

/// Carries over what is not here yet. Every id follows from HZL's, so it is here once.
pub(super) fn carry(
    tx: &mut Transaction<'_>,
    hooks: &[HzlHook],
    ops: &[HzlOp],
) -> Result<Leftover, Error> {
    let mut left = Leftover::default();
    let mut happened = Vec::new();
    for hook in hooks {
        if hook.status == "delivered" {
            left.notes.add(ARRIVED, &hook.name);
            continue;
        }
        let known = enqueued(hook).map(|(task, enqueued)| Ok((tx.task(task)?, enqueued)));
        let Some((Some(_), enqueued)) = known.transpose().map_err(Error::Failed)? else {
            left.notes.add(UNREADABLE, format_args!("{}, {}", hook.name, hook.status));
            continue;
        };
        left.notes.add(ADDRESSES, format_args!("windlass hook set {}", enqueued.hook));
        let id = id_of(&format!("hook {} {}", hook.row, hook.at));
        if tx.whole_history(stream(id))?.is_empty() {
            left.hooks += 1;
            happened.extend(waiting(hook, id, enqueued));
        }
    }
    for op in ops {
        let Some((op_id, completed)) = completed(op) else {
            left.notes.add(UNFINISHED, format_args!("{} of {}, {}", op.id, op.workflow, op.state));
            continue;
        };
        let id = id_of(&format!("op {}", op.id));
        if tx.op(&op_id)?.is_none() && tx.whole_history(stream(id))?.is_empty() {
            left.ops += 1;
            happened.push(recorded(&op_id, id, time(&op.at), completed));
        }
    }
    let mut bulk = tx.bulk()?;
    for happened in happened {
        bulk.record(happened)?;
    }
    bulk.finish()?;
    Ok(left)
}

/// The stream of what is carried over under an id.
fn stream(id: EventId) -> Stream {
    Stream::from_bytes(id.to_bytes())
}

fn time(text: &str) -> Time {
    Time::parse("time", text).unwrap_or(Time::from_millis(0))
}

/// What HZL wanted to tell, under the hook of the same name here.
fn enqueued(hook: &HzlHook) -> Option<(TaskId, HookEnqueued)> {
    let payload: Value = serde_json::from_str(&hook.payload).ok()?;
    let task = task_id(payload.get("task")?.get("task_id")?.as_str()?)?;
    let name = text::name("hook", &hook.name).ok()?;
    let (trigger, max_attempts) = (Trigger::OnDone, MAX_ATTEMPTS);
    let (told, run) = (Some(task), None);
    Some((task, HookEnqueued { hook: name, trigger, task: told, run, payload, max_attempts }))
}

/// A delivery that waits, or one that HZL gave up.
fn waiting(hook: &HzlHook, id: EventId, enqueued: HookEnqueued) -> Vec<Happened> {
    let happened = |what: &str, event: Event| Happened {
        id: Some(derived(id, what)),
        at: time(&hook.at),
        stream: DeliveryId::from_bytes(id.to_bytes()).into(),
        provenance: Provenance { actor: ACTOR.to_owned(), ..Provenance::default() },
        event,
    };
    let mut events = vec![happened("enqueued", enqueued.into())];
    if hook.status == "failed" {
        let attempts = u32::try_from(hook.attempts).unwrap_or(0);
        let plain = |letter: char| if letter.is_control() { ' ' } else { letter };
        let error = hook.error.as_deref().unwrap_or_default();
        let error = error.chars().map(plain).take(ERROR_CHARS).collect();
        events.push(happened("failed", HookFailed { attempts, error }.into()));
    }
    events
}

/// A workflow that HZL ran to its end. HZL recognises a request in its own way, so here the op id
/// is only known to be used.
fn completed(op: &HzlOp) -> Option<(OpId, OpCompleted)> {
    let op_id = OpId::parse(&op.id).ok().filter(|_| op.state == "completed")?;
    let operation = format!("workflow {} of HZL", op.workflow);
    let result = op.result.as_deref().and_then(|text| serde_json::from_str(text).ok());
    let input = Hash::of(op.id.as_bytes());
    let result = result.unwrap_or(Value::Null);
    Some((op_id, OpCompleted { operation, input, result, fingerprint: None }))
}

fn recorded(op_id: &OpId, id: EventId, at: Time, completed: OpCompleted) -> Happened {
    let correlation = windlass_domain::CorrelationId::from_bytes(id.to_bytes());
    Happened {
        id: Some(derived(id, "completed")),
        at,
        stream: correlation.into(),
        provenance: Provenance {
            actor: ACTOR.to_owned(),
            correlation: Some(correlation),
            op: Some(op_id.as_str().to_owned()),
            ..Provenance::default()
        },
        event: completed.into(),
    }
}
