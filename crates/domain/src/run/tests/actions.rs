//! Actions outside a run.

use super::scene::{
    LOW, Scene, THREE, agent, approve, attested, both, enforced, person, refused, reject,
};
use crate::run::action::{self, Requested};
use crate::run::gate::Answer;
use crate::run::word::{
    ActionKind, ActionStatus, Decision, EffectStatus, Mode, NextAction, Reason, RunStatus,
};
use crate::run::{receipt, reconcile};
use crate::{Code, Refusal};

fn request(scene: &mut Scene, kind: ActionKind, key: Option<&str>) -> Result<(), Refusal> {
    let asked = action::request(&scene.run, kind, "publish it", key, &agent(), scene.now);
    scene.take(asked.map(|asked| match asked {
        Requested::Now(events) => events,
        Requested::Before(_) => Vec::new(),
    }))
}

fn decide(scene: &mut Scene, decision: Decision) {
    let id = scene.run.actions.last().unwrap().id.clone();
    let answer = match decision {
        Decision::Approved => approve(),
        Decision::Rejected => reject(),
    };
    let decided = action::decide(&scene.run, &id, &answer, &person(), scene.now);
    scene.take(decided).unwrap();
}

fn begun(key: &str) -> Scene {
    let mut scene = attested(LOW, THREE);
    request(&mut scene, ActionKind::ExternalWrite, Some(key)).unwrap();
    decide(&mut scene, Decision::Approved);
    let begun = action::begin(&scene.run, "action-1", key, &agent(), scene.now);
    scene.take(begun).unwrap();
    scene
}

fn complete(scene: &mut Scene, outcome: EffectStatus) -> Result<(), Refusal> {
    let ended = action::complete(&scene.run, "action-1", outcome, "log", &agent(), scene.now);
    scene.take(ended)
}

fn next(scene: &Scene) -> NextAction {
    reconcile::reconcile(&scene.run, scene.now).next_action
}

fn lacks(scene: &Scene, reason: Reason) -> bool {
    receipt::receipt(&scene.run).sufficiency.reasons.contains(&reason)
}

#[test]
fn letting_a_run_go_on_decides_nothing_about_an_action_that_is_still_waited_for() {
    let mut scene = enforced(LOW, THREE);
    request(&mut scene, ActionKind::ExternalWrite, Some("one")).unwrap();
    request(&mut scene, ActionKind::ExternalWrite, Some("two")).unwrap();
    let rejected = |scene: &mut Scene, id| {
        let decided = action::decide(&scene.run, id, &reject(), &person(), scene.now);
        scene.take(decided).unwrap();
    };
    rejected(&mut scene, "action-1");
    scene.unblock(None, &person()).unwrap();
    rejected(&mut scene, "action-2");
    assert_eq!(scene.status(), RunStatus::Blocked);
}

#[test]
fn row_17_what_an_action_of_each_kind_waits_for() {
    for (kind, status, run) in [
        (ActionKind::LocalWrite, ActionStatus::Allowed, RunStatus::Running),
        (ActionKind::NetworkRead, ActionStatus::HostAuthority, RunStatus::Running),
        (ActionKind::ExternalWrite, ActionStatus::Pending, RunStatus::Paused),
        (ActionKind::ProductionChange, ActionStatus::Pending, RunStatus::Paused),
        (ActionKind::SecretAccess, ActionStatus::Pending, RunStatus::Paused),
    ] {
        for mut scene in both(LOW, THREE) {
            request(&mut scene, kind, None).unwrap();
            let action = &scene.run.actions[0];
            assert_eq!((action.id.as_str(), action.status), ("action-1", status));
            assert_eq!(scene.status(), run);
            let key = format!("{}:action-1", scene.run.name);
            let expected = kind.is_sensitive().then_some(key);
            assert_eq!(action.idempotency_key, expected);
        }
    }
}

#[test]
fn row_17_the_same_key_gives_the_same_action_and_another_use_of_it_is_refused() {
    let mut scene = attested(LOW, THREE);
    request(&mut scene, ActionKind::ExternalWrite, Some("release-42")).unwrap();
    let again = action::request(
        &scene.run,
        ActionKind::ExternalWrite,
        "publish it",
        Some("release-42"),
        &agent(),
        scene.now,
    );
    assert_eq!(again.unwrap(), Requested::Before(scene.run.actions[0].clone()));
    let (code, message) =
        refused(request(&mut scene, ActionKind::ProductionChange, Some("release-42")));
    assert_eq!(code, Code::OpConflict);
    assert_eq!(message, "Idempotency key already belongs to a different bounded action");
}

#[test]
fn row_17_an_action_says_what_it_is_about() {
    let scene = attested(LOW, THREE);
    let ask = |target: &str, key: Option<&str>| {
        let kind = ActionKind::LocalWrite;
        action::request(&scene.run, kind, target, key, &agent(), scene.now).map(drop)
    };
    assert_eq!(
        refused(ask(" ", None)).1,
        "--target is required and must describe the bounded action"
    );
    assert_eq!(refused(ask("x", Some("-a"))).1, "Invalid idempotency key");
}

#[test]
fn row_17_an_approved_action_ends_the_pause_and_a_rejected_one_blocks_the_run() {
    for mut scene in both(LOW, THREE) {
        request(&mut scene, ActionKind::ExternalWrite, None).unwrap();
        assert_eq!(next(&scene), NextAction::AwaitActionDecision);
        let mut rejected = scene.clone();
        decide(&mut scene, Decision::Approved);
        assert_eq!(scene.status(), RunStatus::Running);
        assert_eq!(next(&scene), NextAction::ExecuteApprovedAction);
        decide(&mut rejected, Decision::Rejected);
        assert_eq!(rejected.status(), RunStatus::Blocked);
        rejected.unblock(None, &person()).unwrap();
        assert_eq!(rejected.status(), RunStatus::Running, "it goes on without the action");
    }
}

#[test]
fn row_17_an_action_is_decided_by_a_person_and_once() {
    let mut scene = enforced(LOW, THREE);
    request(&mut scene, ActionKind::SecretAccess, None).unwrap();
    let decide_as = |scene: &Scene, mode, caller: &crate::run::Caller| {
        let answer = Answer { mode, ..approve() };
        action::decide(&scene.run, "action-1", &answer, caller, scene.now).map(drop)
    };
    assert_eq!(
        refused(decide_as(&scene, Mode::Auto, &person())).1,
        "Sensitive action decisions require --mode human"
    );
    assert_eq!(refused(decide_as(&scene, Mode::Human, &agent())).0, Code::PersonRequired);
    decide(&mut scene, Decision::Approved);
    let (code, message) = refused(decide_as(&scene, Mode::Human, &person()));
    assert_eq!(code, Code::ActionNotFound);
    assert_eq!(message, "Pending action not found: action-1");
}

#[test]
fn row_17_an_action_begins_once_when_it_is_approved_and_the_key_fits() {
    let mut scene = attested(LOW, THREE);
    request(&mut scene, ActionKind::ExternalWrite, Some("k")).unwrap();
    let begin = |scene: &Scene, key: &str| {
        action::begin(&scene.run, "action-1", key, &agent(), scene.now).map(drop)
    };
    let undecided = "Action is not approved and ready: nobody decided it";
    assert_eq!(refused(begin(&scene, "k")).1, undecided);
    decide(&mut scene, Decision::Approved);
    assert_eq!(refused(begin(&scene, "other")).1, "Action has another idempotency key");
    begin(&scene, "k").unwrap();
    let begun_before = "Action was begun, and its effect may already have started";
    assert_eq!(refused(begin(&begun("k"), "k")).1, begun_before);
}

#[test]
fn row_17_what_came_of_an_action() {
    for (outcome, status, step) in [
        (EffectStatus::Succeeded, RunStatus::Running, NextAction::VerifyNextIncompleteStep),
        (EffectStatus::Cancelled, RunStatus::Running, NextAction::VerifyNextIncompleteStep),
        (EffectStatus::Failed, RunStatus::Blocked, NextAction::InspectBlocker),
        (EffectStatus::Uncertain, RunStatus::Paused, NextAction::ReconcileActionEffect),
    ] {
        let mut scene = begun("k");
        assert_eq!(next(&scene), NextAction::ReconcileActionEffect);
        complete(&mut scene, outcome).unwrap();
        assert_eq!((scene.status(), next(&scene)), (status, step), "{outcome}");
    }
    let mut scene = begun("k");
    complete(&mut scene, EffectStatus::Uncertain).unwrap();
    assert_eq!(scene.run.pauses(), ["effect:action-1"]);
}

#[test]
fn row_17_an_outcome_needs_something_begun_and_something_that_shows_it() {
    let mut scene = attested(LOW, THREE);
    request(&mut scene, ActionKind::ExternalWrite, None).unwrap();
    assert_eq!(
        refused(complete(&mut scene, EffectStatus::Succeeded)).1,
        "Effect is not in_progress"
    );
    let mut scene = begun("k");
    assert_eq!(
        refused(complete(&mut scene, EffectStatus::InProgress)).1,
        "Invalid effect outcome: in_progress"
    );
    let unproven =
        action::complete(&scene.run, "action-1", EffectStatus::Succeeded, "", &agent(), scene.now);
    assert_eq!(refused(unproven.map(drop)).1, "--evidence-ref is required for effect outcomes");
}

#[test]
fn row_17_an_effect_nobody_is_sure_of_is_reconciled() {
    let reconciled = |scene: &mut Scene, outcome| {
        let found =
            action::reconcile(&scene.run, "action-1", outcome, "looked", &agent(), scene.now);
        scene.take(found)
    };
    let mut scene = begun("k");
    complete(&mut scene, EffectStatus::Uncertain).unwrap();
    assert_eq!(
        refused(reconciled(&mut scene, EffectStatus::Uncertain)).1,
        "Reconciliation requires a terminal observed outcome"
    );
    reconciled(&mut scene, EffectStatus::Succeeded).unwrap();
    assert_eq!(scene.status(), RunStatus::Running);
    assert_eq!(
        refused(reconciled(&mut scene, EffectStatus::Succeeded)).1,
        "Effect does not require reconciliation"
    );
    let mut failed = begun("k");
    complete(&mut failed, EffectStatus::Failed).unwrap();
    assert!(lacks(&failed, Reason::SensitiveActionEffectFailed));
    reconciled(&mut failed, EffectStatus::Cancelled).unwrap();
    assert_eq!(failed.status(), RunStatus::Running, "a failure is no dead end");
}

#[test]
fn row_17_a_record_without_an_effect_proves_nothing_until_it_is_reconciled() {
    let mut scene = attested(LOW, THREE);
    request(&mut scene, ActionKind::ExternalWrite, None).unwrap();
    decide(&mut scene, Decision::Approved);
    scene.run.actions[0].effect = None;
    scene.run.actions[0].idempotency_key = None;
    assert!(lacks(&scene, Reason::SensitiveActionEffectEvidenceMissing));
    assert_eq!(next(&scene), NextAction::ReconcileActionEffect);
    let found = action::reconcile(
        &scene.run,
        "action-1",
        EffectStatus::Succeeded,
        "seen",
        &agent(),
        scene.now,
    );
    scene.take(found).unwrap();
    assert!(!lacks(&scene, Reason::SensitiveActionEffectEvidenceMissing));
    let key = scene.run.actions[0].idempotency_key.clone().unwrap();
    assert!(key.ends_with(":action-1:legacy-reconcile"), "{key}");
}

#[test]
fn whoever_rejects_an_action_says_why_where_gates_are_enforced() {
    let silent = Answer { reason: None, ..reject() };
    for (mut scene, refused) in both(LOW, THREE).into_iter().zip([false, true]) {
        request(&mut scene, ActionKind::SecretAccess, None).unwrap();
        let decided = action::decide(&scene.run, "action-1", &silent, &person(), scene.now);
        let code = decided.err().map(|refusal| refusal.code);
        assert_eq!(code, refused.then_some(Code::ReasonRequired));
    }
}
