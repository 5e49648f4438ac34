//! Whatever is done to a run in whatever order, it stays whole.

use proptest::prelude::*;

use super::scene::{LOW, Scene, agent, approve, imported, person, reject};
use crate::event::RunEvent;
use crate::hook::{Question, may_trigger};
use crate::run::event::FinishDetails;
use crate::run::file::Amount;
use crate::run::finish::Force;
use crate::run::gate::{self, Answer};
use crate::run::report::replay;
use crate::run::state::Run;
use crate::run::state_file::parse;
use crate::run::word::{
    ActionKind, Decision, Disposition, EffectStatus, Gates, Metric, Mode, Reopen, RunStatus,
    StepStatus,
};
use crate::run::{action, budget, finish};

const STEPS: &str = "\
### 1. Build\naction: a\nloop: until built\nmax_iterations: 2\nverify: make\ngate: human\n\n\
### 2. Look\naction: b\nloop: until nice\nverify:\n  - type: shell\n    command: make\n  \
- type: human-review\n    prompt: nice?\n  - type: shell\n    command: make\n\n\
### 3. Odd\naction: c\nloop: false\nverify: make\ngate: auto\ndepends_on: [1]\n\n\
### 4. Tell\naction: d\nloop: false\n";

#[derive(Debug, Clone, Copy)]
enum Command {
    Start(u32),
    Verify(u32, bool),
    Retry(u32),
    Block(u32),
    Unblock(Option<u32>),
    Gate(u32, Decision, bool),
    Reopen(u32, Reopen),
    Request(ActionKind),
    DecideAction(Decision),
    BeginAction,
    CompleteAction(EffectStatus),
    ReconcileAction(EffectStatus),
    Spend(u64),
    Raise(Metric),
    Finalize,
    Finish(Disposition),
    Wait(u8),
    Look,
}

fn word<T: Copy + std::fmt::Debug + 'static>(all: &'static [T]) -> impl Strategy<Value = T> {
    proptest::sample::select(all)
}

fn command() -> impl Strategy<Value = Command> {
    let number = 0..6_u32;
    let person = any::<bool>();
    prop_oneof![
        6 => number.clone().prop_map(Command::Start),
        6 => (number.clone(), proptest::bool::weighted(0.7))
            .prop_map(|(number, passes)| Command::Verify(number, passes)),
        2 => number.clone().prop_map(Command::Retry),
        1 => number.clone().prop_map(Command::Block),
        2 => proptest::option::of(number.clone()).prop_map(Command::Unblock),
        4 => (number.clone(), word(Decision::ALL), person)
            .prop_map(|(number, decision, person)| Command::Gate(number, decision, person)),
        1 => (number, word(Reopen::ALL)).prop_map(|(number, then)| Command::Reopen(number, then)),
        1 => word(ActionKind::ALL).prop_map(Command::Request),
        1 => word(Decision::ALL).prop_map(Command::DecideAction),
        1 => Just(Command::BeginAction),
        1 => word(EffectStatus::ALL).prop_map(Command::CompleteAction),
        1 => word(EffectStatus::ALL).prop_map(Command::ReconcileAction),
        1 => (0..4_u64).prop_map(Command::Spend),
        1 => word(Metric::ALL).prop_map(Command::Raise),
        1 => Just(Command::Finalize),
        1 => word(Disposition::ALL).prop_map(Command::Finish),
        1 => (0..5_u8).prop_map(Command::Wait),
        1 => Just(Command::Look),
    ]
}

/// Does it, or finds it refused.
fn perform(scene: &mut Scene, command: Command) {
    let now = scene.now;
    let refused = match command {
        Command::Start(number) => scene.start(number),
        Command::Verify(number, true) => scene.verify(number),
        Command::Verify(number, false) => scene.verify_but(number, &[0, 1, 2]),
        Command::Retry(number) => scene.retry(number),
        Command::Block(number) => scene.block(number, "wait"),
        Command::Unblock(number) => scene.unblock(number, &person()),
        Command::Gate(number, decision, by_person) => {
            let answer = if decision == Decision::Approved { approve() } else { reject() };
            let caller = if by_person { person() } else { agent() };
            scene.gate(number, &answer, &caller)
        }
        Command::Reopen(number, then) => {
            let reopened = gate::reopen(&scene.run, number, then, "again", &person(), now);
            scene.take(reopened)
        }
        Command::Request(kind) => {
            let asked = action::request(&scene.run, kind, "x", None, &agent(), now);
            scene.take(asked.map(|asked| match asked {
                action::Requested::Now(events) => events,
                action::Requested::Before(_) => Vec::new(),
            }))
        }
        Command::DecideAction(decision) => {
            let id = last_action(&scene.run);
            let answer = Answer { decision, mode: Mode::Human, reason: Some("because".into()) };
            let decided = action::decide(&scene.run, &id, &answer, &person(), now);
            scene.take(decided)
        }
        Command::BeginAction => {
            let id = last_action(&scene.run);
            let key = scene.run.action(&id).and_then(|action| action.idempotency_key.clone());
            let key = key.unwrap_or_default();
            let begun = action::begin(&scene.run, &id, &key, &agent(), now);
            scene.take(begun)
        }
        Command::CompleteAction(outcome) => {
            let id = last_action(&scene.run);
            let ended = action::complete(&scene.run, &id, outcome, "seen", &agent(), now);
            scene.take(ended)
        }
        Command::ReconcileAction(outcome) => {
            let id = last_action(&scene.run);
            let ended = action::reconcile(&scene.run, &id, outcome, "seen", &agent(), now);
            scene.take(ended)
        }
        Command::Spend(cost) => {
            let cost = Amount::whole(cost).unwrap();
            let spent = budget::record(&scene.run, Metric::CostUsd, cost, &agent(), now);
            scene.take(spent)
        }
        Command::Raise(metric) => {
            let limit = Amount::whole(1_000).unwrap();
            let raised = budget::raise_limit(&scene.run, metric, limit, "more", &person(), now);
            scene.take(raised)
        }
        Command::Finalize => scene.finalize(),
        Command::Finish(disposition) => {
            let details = FinishDetails::default();
            let ended = finish::finish(&scene.run, disposition, details, Force::No, &agent(), now);
            scene.take(ended)
        }
        Command::Look => {
            scene.record(gate::overdue(&scene.run, now));
            Ok(())
        }
        Command::Wait(minutes) => {
            scene.later(minutes.into());
            Ok(())
        }
    };
    if let Err(refusal) = refused {
        let hint = refusal.hint.as_deref().expect("every refusal says what to try");
        let names_the_run = hint.contains(scene.run.name.as_str());
        assert!(
            names_the_run || !hint.contains("windlass run"),
            "several runs may be there: {hint}"
        );
    }
}

fn last_action(run: &Run) -> String {
    run.actions.last().map_or_else(|| "none".to_owned(), |action| action.id.clone())
}

/// What a step starts from holds before it started.
fn starts_in_order(before: &Run, event: &RunEvent) {
    let RunEvent::StepStarted(data) = event else { return };
    for (_, earlier) in before.before(data.step) {
        assert_eq!(earlier.status, StepStatus::Done);
        assert!(before.gates == Gates::Attested || !before.gate_is_open(earlier));
    }
    assert_eq!(before.status(), RunStatus::Running);
}

/// Attempts never go beyond what is allowed, and what is stuck has a way on.
fn is_whole(scene: &Scene) {
    let run = &scene.run;
    for step in &run.steps {
        assert!(step.attempts <= step.max_iterations, "{step:?}");
        assert_eq!(step.block.is_some(), step.status == StepStatus::Blocked);
        assert!(step.results.len() <= step.checks.len());
        assert!(
            run.gates == Gates::Attested
                || step.decided.as_ref().is_none_or(|decided| {
                    decided.authority.is_person() || decided.mode == Mode::Auto
                })
        );
    }
    let discarded =
        run.finish.as_ref().is_some_and(|finish| finish.disposition != Disposition::Kept);
    if run.status() == RunStatus::Blocked && !discarded {
        assert!(has_way_on(scene), "{run:?}");
    }
}

/// Some command of a person makes a blocked run go on.
fn has_way_on(scene: &Scene) -> bool {
    let mut scene = scene.clone();
    assert!(!scene.run.ways_on().is_empty(), "it says how it goes on");
    for number in 1..=4 {
        let _refused = scene.unblock(Some(number), &person());
        let reopened =
            gate::reopen(&scene.run, number, Reopen::Decide, "again", &person(), scene.now);
        if scene.step(number).is_rejected() {
            let _refused = scene.take(reopened);
        }
    }
    let _refused = scene.unblock(None, &person());
    scene.status() != RunStatus::Blocked
}

fn front() -> String {
    format!(
        "{LOW}\nmax_total_attempts: 6\nmax_cost_usd: 2\nmax_elapsed_minutes: 30\ngate_timeout: 2m"
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn any_sequence_of_commands_leaves_a_whole_run(
        gates in word(Gates::ALL),
        commands in proptest::collection::vec(command(), 0..60),
    ) {
        let mut scene = Scene::new(gates, &front(), STEPS);
        for command in commands {
            let before = scene.run.clone();
            let known = scene.log.len();
            perform(&mut scene, command);
            for (event, _) in scene.log.iter().skip(known) {
                starts_in_order(&before, event);
            }
            is_whole(&scene);
        }
        let events = scene.log.iter().map(|(event, at)| (event, *at));
        let folded = replay(scene.run.key, None, events).unwrap().run;
        prop_assert_eq!(&folded, &scene.run);
        prop_assert_eq!(folded.version, scene.log.len() as u64);
        let stored = serde_json::to_string(&scene.run).unwrap();
        prop_assert_eq!(&serde_json::from_str::<Run>(&stored).unwrap(), &scene.run);
        let text = scene.run.state_text().unwrap();
        let event = imported(parse(&text).unwrap(), "/trees/boat", gates);
        let read = Run::begun(scene.run.key, &event, scene.now).unwrap();
        prop_assert_eq!(read.state_text().unwrap(), text);
    }

    #[test]
    fn whatever_a_hook_hears_of_a_run_comes_with_an_event_that_may_set_one_off(
        gates in word(Gates::ALL),
        commands in proptest::collection::vec(command(), 0..60),
    ) {
        let mut scene = Scene::new(gates, &front(), STEPS);
        for command in commands {
            let (before, known) = (scene.run.clone(), scene.log.len());
            perform(&mut scene, command);
            let events: Vec<&RunEvent> = scene.log[known..].iter().map(|(event, _)| event).collect();
            let arisen = Question::arisen(Some(&before), &events, &scene.run);
            let may = events.iter().any(|event| may_trigger(event.kind()));
            prop_assert!(may || arisen.is_empty(), "{events:?} made {arisen:?}");
        }
    }

    #[test]
    fn a_run_driven_to_its_end_ends(passes in proptest::collection::vec(any::<bool>(), 0..20)) {
        let mut scene = Scene::new(Gates::Enforced, LOW, STEPS);
        let mut passes = passes.into_iter();
        for number in 1..=4 {
            if scene.step_status(number) == StepStatus::Pending {
                scene.start(number).unwrap();
            }
            while scene.step_status(number) != StepStatus::Done {
                match scene.step_status(number) {
                    StepStatus::InProgress => {
                        let fails: &[usize] =
                            if passes.next().unwrap_or(true) { &[] } else { &[0, 2] };
                        scene.verify_but(number, fails).unwrap();
                    }
                    StepStatus::Failed => scene.retry(number).unwrap(),
                    StepStatus::Blocked if scene.run.waiting().is_empty() => {
                        scene.unblock(Some(number), &person()).unwrap();
                    }
                    StepStatus::Blocked => scene.gate(number, &approve(), &person()).unwrap(),
                    StepStatus::Pending | StepStatus::Done => unreachable!(),
                }
            }
            if !scene.run.waiting().is_empty() {
                scene.gate(number, &approve(), &person()).unwrap();
            }
        }
        scene.finalize().unwrap();
        scene.finish(Disposition::Merged, Force::No).unwrap();
        prop_assert_eq!(scene.status(), RunStatus::Completed);
    }
}
