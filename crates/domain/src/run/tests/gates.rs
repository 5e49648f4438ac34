//! Gates, where they are enforced and where the caller is believed.

use super::scene::{
    BEGIN, GATED, HIGH, LOW, REVIEWED, THREE, agent, approve, attested, both, enforced, person,
    refused, reject,
};
use crate::Code;
use crate::run::caller::Caller;
use crate::run::finish::Force;
use crate::run::gate::{self, Answer};
use crate::run::waiting::Awaited;
use crate::run::word::{
    Authority, Decision, Disposition, Door, Mode, Reopen, RunStatus, StepStatus,
};

const AUTO: &str = "auto_approve: true";

fn key(name: &str) -> Caller {
    Caller {
        name: name.into(),
        is_named: true,
        authority: Authority::Key,
        door: Door::Own,
        token_sha256: None,
    }
}

#[test]
fn rule_10_auto_approve_approves_a_human_gate_where_risk_is_not_high() {
    for risk in ["low", "medium"] {
        let front = format!("intent: x\nsuccess_criteria: y\nrisk_level: {risk}\n{AUTO}");
        let mut scene = enforced(&front, GATED);
        scene.done(1);
        let decided = scene.step(1).decided.clone().unwrap();
        assert_eq!((decided.decision, decided.mode), (Decision::Approved, Mode::Auto));
        assert_eq!(decided.authority, Authority::Rule);
        scene.start(2).unwrap();
    }
}

#[test]
fn rule_10_high_risk_always_asks_whatever_the_file_says() {
    for gate in ["gate: human", "gate: auto", ""] {
        let steps = format!("### 1. Do\naction: x\nloop: false\nverify: make\n{gate}\n");
        let mut scene = enforced(&format!("{HIGH}\n{AUTO}"), &steps);
        scene.done(1);
        assert_eq!(scene.step(1).decided, None, "{gate}");
        assert_eq!(scene.status(), RunStatus::Paused, "{gate}");
    }
}

#[test]
fn rule_10_gate_auto_is_approved_by_the_file_itself() {
    let steps = GATED.replace("gate: human", "gate: auto");
    let mut scene = enforced(LOW, &steps);
    scene.done(1);
    assert_eq!(scene.step(1).decided.clone().unwrap().authority, Authority::Rule);
}

#[test]
fn rule_10_a_gate_with_a_word_nobody_knows_asks_a_person() {
    let steps = GATED.replace("gate: human", "gate: whatever");
    let mut scene = enforced(&format!("{LOW}\n{AUTO}"), &steps);
    scene.done(1);
    assert_eq!(scene.status(), RunStatus::Paused);
}

#[test]
fn rule_10_a_review_asks_even_where_gates_are_approved_by_themselves() {
    let mut scene = enforced(&format!("{LOW}\n{AUTO}"), REVIEWED);
    scene.done(1);
    assert_eq!(scene.status(), RunStatus::Paused);
}

#[test]
fn rule_10_high_risk_asks_after_the_last_check_also_when_an_earlier_one_was_a_review() {
    let steps = "### 1. Do\naction: x\nloop: false\nverify:\n  - type: human-review\n    prompt: \
                 look\n  - make\n";
    let mut scene = enforced(HIGH, steps);
    scene.done(1);
    scene.gate(1, &approve(), &person()).unwrap();
    scene.verify(1).unwrap();
    assert_eq!(scene.step_status(1), StepStatus::Done);
    assert_eq!(scene.run.waiting()[0].on, Awaited::Gate { step: 1 });
}

#[test]
fn a_named_caller_that_works_on_a_step_does_not_decide_its_gate_at_a_terminal_either() {
    let mut scene = enforced(LOW, GATED);
    scene.done(1);
    let worker = Caller { authority: Authority::Terminal, ..agent() };
    assert_eq!(refused(scene.gate(1, &approve(), &worker)).0, Code::PersonRequired);
    let logged_in = Caller { is_named: false, ..worker };
    scene.gate(1, &approve(), &logged_in).unwrap();
}

#[test]
fn rule_10_no_step_starts_before_the_gate_of_an_earlier_one_is_decided() {
    let mut scene = enforced(LOW, GATED);
    scene.done(1);
    assert_eq!(scene.status(), RunStatus::Paused);
    assert_eq!(scene.run.waiting()[0].on, Awaited::Gate { step: 1 });
    let (code, message) = refused(scene.start(2));
    assert_eq!(code, Code::GateUndecided);
    assert_eq!(
        message,
        "Run is 'paused'; resolve gates, policy pauses, or budgets before step start"
    );
}

#[test]
fn rule_10_where_gates_are_attested_the_next_step_may_start_before() {
    let mut scene = attested(LOW, GATED);
    scene.done(1);
    scene.start(2).unwrap();
}

#[test]
fn rule_10_the_word_of_an_agent_does_not_decide_an_enforced_gate() {
    let mut scene = enforced(LOW, GATED);
    scene.done(1);
    assert_eq!(refused(scene.gate(1, &approve(), &agent())).0, Code::PersonRequired);
    let auto = Answer { mode: Mode::Auto, ..approve() };
    assert_eq!(refused(scene.gate(1, &auto, &person())).0, Code::PersonRequired);
}

#[test]
fn rule_10_whoever_works_on_a_step_does_not_decide_its_gate_with_a_key() {
    let mut scene = enforced(LOW, GATED);
    scene.done(1);
    assert_eq!(refused(scene.gate(1, &approve(), &key("worker-1"))).0, Code::PersonRequired);
    scene.gate(1, &approve(), &key("anna")).unwrap();
    assert_eq!(scene.step(1).decided.clone().unwrap().authority, Authority::Key);
}

#[test]
fn rule_10_the_word_of_the_caller_is_recorded_as_such() {
    let mut scene = attested(LOW, GATED);
    scene.done(1);
    scene.gate(1, &approve(), &agent()).unwrap();
    let decided = scene.step(1).decided.clone().unwrap();
    assert_eq!((decided.mode, decided.authority), (Mode::Human, Authority::Attested));
}

#[test]
fn rule_10_an_enforced_gate_is_decided_once() {
    let mut scene = enforced(LOW, GATED);
    scene.done(1);
    scene.gate(1, &approve(), &person()).unwrap();
    let (code, message) = refused(scene.gate(1, &reject(), &person()));
    assert_eq!(code, Code::InvalidTransition);
    assert_eq!(message, "the gate of step 1 is decided");
}

#[test]
fn rule_10_an_enforced_rejection_says_why() {
    let mut scene = enforced(LOW, GATED);
    scene.done(1);
    let silent = Answer { reason: None, ..reject() };
    assert_eq!(refused(scene.gate(1, &silent, &person())).0, Code::ReasonRequired);
}

#[test]
fn rule_10_a_person_decides_without_the_token_of_the_owner() {
    let mut scene = enforced(LOW, GATED);
    scene.done(1);
    let bid = crate::run::owner::Bid {
        owner: "controller-a".into(),
        token_sha256: "aa".into(),
        lease_seconds: 60,
    };
    let claimed = crate::run::owner::claim(&scene.run, &bid, BEGIN);
    scene.take(claimed).unwrap();
    scene.gate(1, &approve(), &person()).unwrap();
}

fn rejected() -> super::scene::Scene {
    let mut scene = enforced(LOW, GATED);
    scene.done(1);
    scene.gate(1, &reject(), &person()).unwrap();
    scene
}

#[test]
fn rule_10_a_rejected_gate_can_be_reopened_and_decided_again() {
    let mut scene = rejected();
    let reopened =
        gate::reopen(&scene.run, 1, Reopen::Decide, "it is blue now", &person(), scene.now);
    scene.take(reopened).unwrap();
    assert_eq!(scene.status(), RunStatus::Paused);
    scene.gate(1, &approve(), &person()).unwrap();
    scene.start(2).unwrap();
}

#[test]
fn rule_10_a_rejected_gate_can_be_reopened_to_do_the_step_again() {
    let mut scene = rejected();
    let reopened = gate::reopen(&scene.run, 1, Reopen::Redo, "paint again", &person(), scene.now);
    scene.take(reopened).unwrap();
    assert_eq!(scene.step_status(1), StepStatus::Failed);
    assert_eq!(scene.run.ways_on(), [scene.run.command("step retry 1")]);
    scene.retry(1).unwrap();
    scene.verify(1).unwrap();
    assert_eq!(scene.step(1).attempts, 2);
    assert_eq!(scene.status(), RunStatus::Paused, "what is new is decided anew");
}

#[test]
fn rule_10_reopening_a_gate_needs_a_person_a_reason_and_a_decision() {
    let scene = rejected();
    let reopen = |reason: &str, caller: &Caller| {
        gate::reopen(&scene.run, 1, Reopen::Decide, reason, caller, scene.now).map(drop)
    };
    assert_eq!(refused(reopen("", &person())).0, Code::ReasonRequired);
    assert_eq!(refused(reopen("why not", &agent())).0, Code::PersonRequired);
    let mut open = enforced(LOW, GATED);
    open.done(1);
    let early = gate::reopen(&open.run, 1, Reopen::Decide, "x", &person(), open.now).map(drop);
    assert_eq!(refused(early).0, Code::InvalidTransition);
}

#[test]
fn rule_10_a_gate_reopened_after_the_end_takes_the_end_back() {
    for mut scene in both(LOW, REVIEWED) {
        scene.done(1);
        scene.gate(1, &approve(), &person()).unwrap();
        scene.finalize().unwrap();
        let reopened =
            gate::reopen(&scene.run, 1, Reopen::Redo, "look again", &person(), scene.now);
        scene.take(reopened).unwrap();
        assert_eq!(scene.status(), RunStatus::Running);
        assert_eq!(scene.step_status(1), StepStatus::Failed);
    }
}

#[test]
fn rule_10_who_reopens_a_rejected_review_is_told_how_it_goes_on() {
    for mut scene in both(LOW, REVIEWED) {
        scene.done(1);
        scene.gate(1, &reject(), &person()).unwrap();
        let now = scene.now;
        let refusal =
            gate::reopen(&scene.run, 1, Reopen::Decide, "it is", &person(), now).unwrap_err();
        assert_eq!(
            refusal.message,
            "the review of step 1 was rejected: the step is done again first"
        );
        assert!(refusal.hint.unwrap().contains("step unblock 1 --reason TEXT"));
    }
}

#[test]
fn rule_10_a_rejected_review_can_be_unblocked_and_tried_again() {
    for mut scene in both(LOW, REVIEWED) {
        scene.done(1);
        scene.gate(1, &reject(), &person()).unwrap();
        scene.unblock(Some(1), &person()).unwrap();
        assert_eq!(scene.step_status(1), StepStatus::Failed);
        assert_eq!(scene.status(), RunStatus::Running);
        scene.retry(1).unwrap();
        scene.verify(1).unwrap();
        scene.gate(1, &approve(), &person()).unwrap();
        assert_eq!(scene.step_status(1), StepStatus::Done);
    }
}

#[test]
fn rule_10_a_run_of_high_risk_needs_a_person_for_every_step() {
    let mut scene = enforced(HIGH, THREE);
    for number in 1..=3 {
        scene.done(number);
        assert_eq!(scene.status(), RunStatus::Paused);
        scene.gate(number, &approve(), &person()).unwrap();
    }
    scene.finalize().unwrap();
    scene.finish(Disposition::Merged, Force::No).unwrap();
    assert_eq!(scene.status(), RunStatus::Completed);
}
