//! A run that works on a task: under the claim of the task, and for its end.

use serde_json::{Map, Value};
use windlass_domain::claim::Request;
use windlass_domain::duration::Span;
use windlass_domain::event::CheckpointRecorded;
use windlass_domain::ownership::{Bearer, authorise};
use windlass_domain::run::Run;
use windlass_domain::run::event::Tie;
use windlass_domain::run::receipt::{must_prove, receipt};
use windlass_domain::run::tie::{self, Claim};
use windlass_domain::{Event, Refusal, Task, transition};
use windlass_ledger::{Error, Fault, Transaction};

use crate::task::win;

/// Who ties a run to a task.
pub(super) struct Claimant<'a> {
    pub(super) agent: &'a str,
    /// The fence of a claim there is.
    pub(super) fence: Option<u64>,
    pub(super) lease: Option<Span>,
}

/// Ties a run to a task: under the claim that the caller has, or under one that it wins now.
pub(super) fn tie(
    tx: &mut Transaction<'_>,
    task: &str,
    claimant: &Claimant<'_>,
) -> Result<Tie, Error> {
    let task = tx.task_named(task)?;
    let Claimant { agent, fence, lease } = *claimant;
    let is_own = |held: &windlass_domain::task::Held<'_>| held.agent == agent;
    if fence.is_some() || task.held().as_ref().is_some_and(is_own) {
        let bearer = Bearer {
            name: agent.to_owned(),
            named: true,
            fence: fence.or_else(|| task.held().map(|held| held.fence)),
            ..Bearer::default()
        };
        authorise(&task, &bearer)?;
        return Ok(Tie { task: task.id, fence: task.fence });
    }
    let request = Request { agent, role: None, lease, now: tx.now() };
    let won = win(tx, &task, &request)?;
    Ok(Tie { task: won.id, fence: won.fence })
}

/// How it stands with the claim under which a run works.
pub(super) fn claim_of(tx: &mut Transaction<'_>, run: &Run) -> Result<Claim, Error> {
    match run.tie {
        None => Ok(Claim::None),
        Some(tie) => Ok(Claim::on(task_of(tx, run, tie)?, run, tie)),
    }
}

fn task_of(tx: &mut Transaction<'_>, run: &Run, tie: Tie) -> Result<Task, Error> {
    let gone = || Fault::bug(format!("the task of run {} left its view", run.name));
    Ok(tx.task(tie.task)?.ok_or_else(gone)?)
}

/// Lets the task follow what happened to its run.
pub(super) fn follow(
    tx: &mut Transaction<'_>,
    task: &Task,
    before: &Run,
    after: &Run,
) -> Result<(), Error> {
    let Some(tie) = after.tie else { return Ok(()) };
    let now = tx.now();
    let event = tie::follow(task, tie, before, after, now, || history_of(tx, task))?;
    match event {
        Some(event) => tx.record_task(task, [event]).map(drop),
        None => Ok(()),
    }
}

fn history_of(tx: &mut Transaction<'_>, task: &Task) -> Result<Vec<Event>, Error> {
    let mut events = Vec::new();
    for recorded in tx.whole_history(task.id.into())? {
        events.extend(recorded.event().map_err(Fault::from)?);
    }
    Ok(events)
}

/// Completes the task of a run that proves its end, with the receipt as evidence. Whoever says a name
/// must be the one that holds the task.
pub(super) fn complete(
    tx: &mut Transaction<'_>,
    run: &Run,
    agent: Option<&str>,
) -> Result<(), Error> {
    let (task, completed) = completion(tx, run, agent)?;
    tx.record_task(&task, [evidence(run)?, completed]).map(drop)
}

/// Refuses what would be refused then.
pub(super) fn may_complete(
    tx: &mut Transaction<'_>,
    run: &Run,
    agent: Option<&str>,
) -> Result<(), Error> {
    completion(tx, run, agent).map(drop)
}

fn completion(
    tx: &mut Transaction<'_>,
    run: &Run,
    agent: Option<&str>,
) -> Result<(Task, Event), Error> {
    let Some(tie) = run.tie else {
        return Err(Refusal::new(
            windlass_domain::Code::InvalidValue,
            format!("run {} works on no task", run.name),
        )
        .hint("leave --complete-task out, or start runs with --task TASK")
        .detail("run_id", run.name.as_str())
        .into());
    };
    must_prove(run)?;
    let task = task_of(tx, run, tie)?;
    let obstacles = tx.obstacles(&task)?;
    if let Some(agent) = agent {
        authorise(&task, &Bearer { name: agent.to_owned(), named: true, ..Bearer::default() })?;
    }
    let completed = transition::complete(&task, &tie.bearer(), &obstacles)?;
    Ok((task, completed))
}

/// The receipt of a run, kept with its task.
fn evidence(run: &Run) -> Result<Event, Fault> {
    let receipt = serde_json::to_value(receipt(run))
        .map_err(|source| Fault::bug("a receipt is not JSON").because(source))?;
    let data = Map::from_iter([
        ("run".to_owned(), Value::String(run.key.to_string())),
        ("run_id".to_owned(), Value::String(run.name.to_string())),
        ("receipt".to_owned(), receipt),
    ]);
    let name = format!("run {} proves it", run.name);
    Ok(CheckpointRecorded {
        name,
        data,
        progress: None,
        authority: windlass_domain::event::Authority::Fence,
        forced: None,
    }
    .into())
}
