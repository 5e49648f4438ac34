//! Actions outside a run: asked for, decided by a person where they can do harm, begun once, and
//! told what came of them.

use super::caller::Caller;
use super::event::{ActionDecided, ActionProgress, ActionProgressed, ActionRequested};
use super::gate::Answer;
use super::state::{Action, Run};
use super::word::{ActionKind, ActionStatus, DecisionMode, EffectStatus, Mode, RunStatus};
use crate::event::RunEvent;
use crate::{Code, Refusal, Time, text};

/// What came of asking for an action.
#[derive(Debug, Clone, PartialEq)]
pub enum Requested {
    /// It was asked for before, under the same key.
    Before(Action),
    Now(Vec<RunEvent>),
}

/// Somebody wants to do something outside the run.
pub fn request(
    run: &Run,
    kind: ActionKind,
    target: &str,
    key: Option<&str>,
    caller: &Caller,
    now: Time,
) -> Result<Requested, Refusal> {
    if target.trim().is_empty() {
        let message = "--target is required and must describe the bounded action";
        return Err(run
            .refusal(Code::InvalidValue, message)
            .hint("say what exactly is done: --target TEXT")
            .detail("field", "target"));
    }
    let target = text::long("target", target)?;
    if let Some(key) = key.filter(|key| !is_key(key)) {
        return Err(run
            .refusal(Code::InvalidValue, "Invalid idempotency key")
            .hint("begin with a letter or digit, then use letters, digits and . _ : @ / -")
            .detail("field", "idempotency_key")
            .detail("given", key));
    }
    run.admit(caller, now)?;
    if run.status() == RunStatus::Completed {
        return Err(run
            .refusal(Code::InvalidTransition, "Cannot request an action for a completed run")
            .hint("start a new run of the workflow file"));
    }
    let known =
        run.actions.iter().find(|action| key.is_some() && action.idempotency_key.as_deref() == key);
    if let Some(action) = known {
        if action.kind == kind && action.target == target {
            return Ok(Requested::Before(action.clone()));
        }
        return Err(run
            .refusal(
                Code::OpConflict,
                "Idempotency key already belongs to a different bounded action",
            )
            .hint("use another key for another action")
            .detail("action", &action.id));
    }
    let action = format!("action-{}", run.actions.len() + 1);
    let made = kind.is_sensitive().then(|| format!("{}:{action}", run.name));
    let idempotency_key = key.map(str::to_owned).or(made);
    Ok(Requested::Now(vec![ActionRequested { action, kind, target, idempotency_key }.into()]))
}

fn is_key(key: &str) -> bool {
    key.starts_with(|first: char| first.is_ascii_alphanumeric())
        && key.chars().all(|letter| {
            letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_' | ':' | '@' | '/' | '-')
        })
}

/// A person says yes or no to an action.
pub fn decide(
    run: &Run,
    id: &str,
    answer: &Answer,
    caller: &Caller,
    now: Time,
) -> Result<Vec<RunEvent>, Refusal> {
    if answer.mode != Mode::Human {
        return Err(run
            .refusal(Code::PersonRequired, "Sensitive action decisions require --mode human")
            .hint("let a person decide")
            .detail("action", id));
    }
    run.admit_overseer(caller, now)?;
    run.need_person(caller, "an action that can do harm")?;
    let pending = run.action(id).filter(|action| action.status == ActionStatus::Pending);
    if pending.is_none() {
        let message = format!("Pending action not found: {id}");
        return Err(run
            .refusal(Code::ActionNotFound, message)
            .hint(format!("see what is pending: windlass run reconcile {}", run.name))
            .detail("action", id)
            .detail("status", run.action(id).map(|action| action.status)));
    }
    let reason = answer.reason_for(run)?;
    Ok(vec![
        ActionDecided {
            action: id.to_owned(),
            decision: answer.decision,
            mode: DecisionMode::Human,
            authority: caller.authority,
            by: caller.name.clone(),
            reason,
        }
        .into(),
    ])
}

/// The action is done now. That is recorded first, so that it is never done twice.
pub fn begin(
    run: &Run,
    id: &str,
    key: &str,
    caller: &Caller,
    now: Time,
) -> Result<Vec<RunEvent>, Refusal> {
    run.admit(caller, now)?;
    let Some(action) = run.action(id) else {
        return Err(wrong(run, id, &format!("Action not found: {id}")));
    };
    if let Some(message) = unready(action) {
        return Err(wrong(run, id, message));
    }
    if action.idempotency_key.as_deref() != Some(key) {
        let its_key = action.idempotency_key.as_deref().unwrap_or_default();
        return Err(wrong(run, id, "Action has another idempotency key")
            .hint(format!("if it is the one that you mean: --idempotency-key {its_key}")));
    }
    Ok(progressed(id, ActionProgress::Begun))
}

/// Why an action cannot be done now.
fn unready(action: &Action) -> Option<&'static str> {
    match (action.status, action.effect_status()) {
        (ActionStatus::Allowed | ActionStatus::HostAuthority, _)
        | (_, Some(EffectStatus::NotRequired)) => Some("Action needs no approval: just do it"),
        (ActionStatus::Pending, _) => Some("Action is not approved and ready: nobody decided it"),
        (ActionStatus::Rejected, _) => Some("Action is not approved and ready: it was rejected"),
        (ActionStatus::Approved, Some(EffectStatus::NotStarted)) => None,
        (ActionStatus::Approved, Some(EffectStatus::InProgress | EffectStatus::Uncertain)) => {
            Some("Action was begun, and its effect may already have started")
        }
        (
            ActionStatus::Approved,
            Some(EffectStatus::Succeeded | EffectStatus::Failed | EffectStatus::Cancelled),
        ) => Some("Action is over: what came of it is on record"),
        (ActionStatus::Approved, None) => {
            Some("Action is of an older tool: say what came of it by reconciling it")
        }
    }
}

/// What came of an action that was begun.
pub fn complete(
    run: &Run,
    id: &str,
    outcome: EffectStatus,
    evidence: &str,
    caller: &Caller,
    now: Time,
) -> Result<Vec<RunEvent>, Refusal> {
    let evidence = ended(run, outcome, evidence, EffectStatus::Uncertain)?;
    run.admit(caller, now)?;
    let begun = run.action(id).and_then(Action::effect_status) == Some(EffectStatus::InProgress);
    if !begun {
        return Err(wrong(run, id, "Effect is not in_progress"));
    }
    Ok(progressed(id, ActionProgress::Completed { outcome, evidence }))
}

/// What was found to have come of an action, when nobody knew. One that failed may be found to
/// have succeeded after all, or be given up; HOTL has no way on from there.
pub fn reconcile(
    run: &Run,
    id: &str,
    outcome: EffectStatus,
    evidence: &str,
    caller: &Caller,
    now: Time,
) -> Result<Vec<RunEvent>, Refusal> {
    let evidence = ended(run, outcome, evidence, EffectStatus::Succeeded)?;
    run.admit(caller, now)?;
    let open = run.action(id).is_some_and(|action| {
        action.status == ActionStatus::Approved
            && match action.effect_status() {
                Some(EffectStatus::InProgress | EffectStatus::Uncertain | EffectStatus::Failed) => {
                    true
                }
                Some(
                    EffectStatus::NotRequired
                    | EffectStatus::NotStarted
                    | EffectStatus::Succeeded
                    | EffectStatus::Cancelled,
                ) => false,
                None => action.kind.is_sensitive(),
            }
    });
    if !open {
        return Err(wrong(run, id, "Effect does not require reconciliation"));
    }
    Ok(progressed(id, ActionProgress::Reconciled { outcome, evidence }))
}

/// An outcome that ends an action, or the one `also` allowed, with what shows it.
fn ended(
    run: &Run,
    outcome: EffectStatus,
    evidence: &str,
    also: EffectStatus,
) -> Result<String, Refusal> {
    let ends = match outcome {
        EffectStatus::Succeeded | EffectStatus::Failed | EffectStatus::Cancelled => true,
        EffectStatus::Uncertain => also == EffectStatus::Uncertain,
        EffectStatus::NotRequired | EffectStatus::NotStarted | EffectStatus::InProgress => false,
    };
    if !ends {
        let message = match also == EffectStatus::Uncertain {
            true => format!("Invalid effect outcome: {outcome}"),
            false => "Reconciliation requires a terminal observed outcome".to_owned(),
        };
        return Err(run
            .refusal(Code::InvalidValue, message)
            .hint("give succeeded, failed or cancelled")
            .detail("field", "outcome")
            .detail("given", outcome));
    }
    if evidence.trim().is_empty() {
        return Err(run
            .refusal(Code::InvalidValue, "--evidence-ref is required for effect outcomes")
            .hint("say what shows it: --evidence-ref TEXT")
            .detail("field", "evidence_ref"));
    }
    text::long("evidence_ref", evidence)
}

fn progressed(id: &str, progress: ActionProgress) -> Vec<RunEvent> {
    vec![ActionProgressed { action: id.to_owned(), progress }.into()]
}

fn wrong(run: &Run, id: &str, message: &str) -> Refusal {
    let Some(action) = run.action(id) else {
        return run
            .refusal(Code::ActionNotFound, message)
            .hint(format!("see the actions of the run: windlass run show {}", run.name))
            .detail("action", id);
    };
    run.refusal(Code::InvalidTransition, message)
        .hint(format!("see what is open: windlass run reconcile {}", run.name))
        .detail("action", id)
        .detail("status", action.status)
        .detail("effect_status", action.effect_status())
}
