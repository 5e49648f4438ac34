//! Who held which task when, over a window of time: one walk for the timeline and for the work of
//! each agent.

use std::collections::{HashMap, HashSet};

use windlass_domain::duration::Span;
use windlass_domain::holding::{Claims, End, Holding};
use windlass_domain::{Kind, ProjectId, TaskId, Time};
use windlass_ledger::{Fault, Snapshot};

/// Events of a task in which the beginning of a holding is looked for first.
const LOOKED_BACK: u64 = 32;

/// A holding of the window, which may have begun before it.
#[derive(Debug, Clone)]
pub(crate) struct Held {
    pub(crate) task: TaskId,
    pub(crate) holding: Holding,
    /// When and how it ended; nothing while it goes on.
    pub(crate) end: Option<(Time, End)>,
}

/// The beginning of a window that ends now.
pub(crate) fn since(snapshot: &Snapshot<'_>, window: Span) -> Time {
    snapshot.now().before(window)
}

/// Every holding that ended since then or goes on, in the order in which they ended.
pub(crate) fn held_since(
    snapshot: &mut Snapshot<'_>,
    since: Time,
    project: Option<ProjectId>,
) -> Result<Vec<Held>, Fault> {
    let mut all: Vec<Held> = Vec::new();
    let mut tasks: HashMap<TaskId, Claims> = HashMap::new();
    for turn in snapshot.turns_since(since, project)? {
        let claims = match tasks.remove(&turn.task) {
            Some(claims) => claims,
            None => claims_before(snapshot, turn.task, turn.seq)?,
        };
        let claims = tasks.entry(turn.task).or_insert(claims);
        let ended = claims.read(&turn.event, turn.at);
        all.extend(ended.map(|(holding, end)| Held {
            task: turn.task,
            holding,
            end: Some((turn.at, end)),
        }));
    }
    // What was not touched in the window may be held all the same.
    let known: HashSet<TaskId> = tasks.keys().copied().collect();
    for task in snapshot.held()? {
        let is_here = project.is_none_or(|project| project == task.project);
        if is_here && !known.contains(&task.id) {
            tasks.insert(task.id, claims_before(snapshot, task.id, u64::MAX)?);
        }
    }
    let open = tasks.into_iter().filter_map(|(task, claims)| {
        claims.holding().cloned().map(|holding| Held { task, holding, end: None })
    });
    all.extend(open);
    Ok(all)
}

/// What was known of a task's claims before an event.
fn claims_before(snapshot: &mut Snapshot<'_>, task: TaskId, seq: u64) -> Result<Claims, Fault> {
    let mut asked = LOOKED_BACK;
    loop {
        let history = snapshot.history(task.into(), asked)?;
        let is_whole = (history.len() as u64) < asked;
        let before: Vec<_> = history.iter().filter(|event| event.header.seq < seq).collect();
        let claimed = Kind::TaskClaimed.as_str();
        let last_claim = before.iter().rposition(|event| event.header.kind == claimed);
        if last_claim.is_none() && !is_whole {
            asked *= 8;
            continue;
        }
        let mut claims = Claims::default();
        for recorded in before.into_iter().skip(last_claim.unwrap_or(usize::MAX)) {
            if let Some(event) = recorded.event()? {
                claims.read(&event, recorded.header.at);
            }
        }
        return Ok(claims);
    }
}
