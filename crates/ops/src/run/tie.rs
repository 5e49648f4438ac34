//! A run that works on a task: under the claim of the task, and for its end.

use serde_json::{Map, Value};
use windlass_domain::claim::Request;
use windlass_domain::duration::Span;
use windlass_domain::event::{CheckpointRecorded, RunEvent};
use windlass_domain::ownership::{Bearer, authorise};
use windlass_domain::run::Run;
use windlass_domain::run::event::Tie;
use windlass_domain::run::receipt::{must_prove, receipt};
use windlass_domain::run::word::RunStatus;
use windlass_domain::transition::{self, Until};
use windlass_domain::{Event, Refusal, Status, Task};
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
pub(super) enum Claim {
    /// It works on no task.
    None,
    Held(Box<Task>),
    /// Somebody else has the task, or nobody.
    Lost(Refusal),
}

impl Claim {
    pub(super) fn of(tx: &mut Transaction<'_>, run: &Run) -> Result<Self, Error> {
        let Some(tie) = run.tie else { return Ok(Self::None) };
        let gone = || Fault::bug(format!("the task of run {} left its view", run.name));
        let task = tx.task(tie.task)?.ok_or_else(gone)?;
        if is_over(run) {
            return Ok(Self::Held(Box::new(task)));
        }
        Ok(match authorise(&task, &bearer(tie)) {
            Ok(_) => Self::Held(Box::new(task)),
            Err(refusal) => Self::Lost(refusal.hint(format!(
                "give this run up: windlass run step block N --reason TEXT --run-id {name}, then \
                 windlass run finalize --run-id {name}; then start another one with --task {}",
                task.id,
                name = run.name
            ))),
        })
    }

    /// The task that follows what happens to the run. Without its claim a run is only given up.
    pub(super) fn under(self, events: &[RunEvent]) -> Result<Option<Box<Task>>, Refusal> {
        match self {
            Self::None => Ok(None),
            Self::Held(task) => Ok(Some(task)),
            Self::Lost(_) if !events.is_empty() && events.iter().all(gives_up) => Ok(None),
            Self::Lost(refusal) => Err(refusal),
        }
    }
}

/// It moves a run towards its end, whoever has the task.
fn gives_up(event: &RunEvent) -> bool {
    matches!(event, RunEvent::StepBlocked(_) | RunEvent::RunFinalized(_) | RunEvent::RunFinished(_))
}

/// Nothing is done under its claim any more.
fn is_over(run: &Run) -> bool {
    run.status().is_over()
}

fn bearer(tie: Tie) -> Bearer {
    Bearer { name: "run".to_owned(), fence: Some(tie.fence), ..Bearer::default() }
}

/// A run that is blocked blocks its task, with its reason; one that goes on lets it go on.
pub(super) fn follow(
    tx: &mut Transaction<'_>,
    task: &Task,
    before: &Run,
    after: &Run,
) -> Result<(), Error> {
    let Some(tie) = after.tie else { return Ok(()) };
    let is_blocked = |run: &Run| run.status() == RunStatus::Blocked;
    let event = match (is_blocked(before), is_blocked(after), task.status) {
        (false, true, Status::InProgress) => {
            let blockers: Vec<String> =
                after.blockers().into_iter().map(|blocker| blocker.what).collect();
            let why = format!("run {}: {}", after.name, blockers.join("; "));
            transition::block(task, &bearer(tie), Some(why), Until::Unblocked)?
        }
        (true, false, Status::Blocked) => {
            let how = transition::Unblock::Resume;
            transition::unblock(task, &bearer(tie), how, None, tx.now())?
        }
        _ => return Ok(()),
    };
    tx.record_task(task, [event]).map(drop)
}

/// Completes the task of a run that proves its end, with the receipt as evidence. Whoever says a name
/// must be the one that holds the task.
pub(super) fn complete(
    tx: &mut Transaction<'_>,
    run: &Run,
    agent: Option<&str>,
) -> Result<(), Error> {
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
    let gone = || Fault::bug(format!("the task of run {} left its view", run.name));
    let task = tx.task(tie.task)?.ok_or_else(gone)?;
    let obstacles = tx.obstacles(&task)?;
    if let Some(agent) = agent {
        authorise(&task, &Bearer { name: agent.to_owned(), named: true, ..Bearer::default() })?;
    }
    let completed = transition::complete(&task, &bearer(tie), &obstacles)?;
    tx.record_task(&task, [evidence(run)?, completed]).map(drop)
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
