//! A run to try commands on.

use crate::chain::Hash;
use crate::event::RunEvent;
use crate::run::caller::{Caller, Denied};
use crate::run::check::{CheckResult, Outcome, foregone};
use crate::run::event::{FinishDetails, Place, RunImported, RunStarted};
use crate::run::file::parse;
use crate::run::finish::Force;
use crate::run::gate::Answer;
use crate::run::name::{RunId, slug};
use crate::run::state::{Run, StepState};
use crate::run::state_file::StateFile;
use crate::run::word::{
    Authority, Decision, Disposition, Door, Gates, Mode, Reopen, RunStatus, StepStatus,
};
use crate::run::{finish, gate, step};
use crate::{Code, Refusal, RunKey, Time};

/// 2026-11-15 09:30:00
pub(super) const BEGIN: Time = Time::from_millis(1_794_735_000_000);

pub(super) const LOW: &str = "intent: try it\nsuccess_criteria: it works\nrisk_level: low";
pub(super) const HIGH: &str = "intent: try it\nsuccess_criteria: it works\nrisk_level: high";

/// Three steps, each with a command that is checked.
pub(super) const THREE: &str = "\
- [ ] **Step 1: Build**\naction: build it\nloop: until it builds\nverify: make\n\n\
- [ ] **Step 2: Test**\naction: test it\nloop: until green\nmax_iterations: 2\nverify: make test\n\n\
- [ ] **Step 3: Ship**\naction: ship it\nloop: until shipped\nverify: make ship\n";

pub(super) const REVIEWED: &str = "\
- [ ] **Step 1: Paint**\naction: paint it\nloop: until nice\nverify:\n  type: human-review\n  \
prompt: is it blue?\n";

/// A person in the middle of a list.
pub(super) const MIXED: &str = "\
- [ ] **Step 1: Paint**\naction: paint it\nloop: until nice\nverify:\n  - type: shell\n    \
command: make\n  - type: human-review\n    prompt: is it blue?\n  - type: artifact\n    \
path: out\n    assert:\n      kind: exists\n";

pub(super) const GATED: &str = "\
- [ ] **Step 1: Plan**\naction: plan it\nloop: until planned\nverify: make plan\ngate: human\n\n\
- [ ] **Step 2: Do**\naction: do it\nloop: until done\nverify: make\n";

/// A run, the events that made it, and a clock.
#[derive(Debug, Clone)]
pub(super) struct Scene {
    pub(super) run: Run,
    pub(super) log: Vec<(RunEvent, Time)>,
    pub(super) now: Time,
}

pub(super) fn agent() -> Caller {
    Caller {
        name: "worker-1".into(),
        is_named: true,
        authority: Authority::Attested,
        door: Door::Own,
        token_sha256: None,
    }
}

pub(super) fn person() -> Caller {
    Caller {
        name: "anna".into(),
        is_named: false,
        authority: Authority::Terminal,
        door: Door::Own,
        token_sha256: None,
    }
}

pub(super) fn with_token(token: &str) -> Caller {
    Caller { token_sha256: Some(token.into()), ..agent() }
}

pub(super) fn approve() -> Answer {
    Answer { decision: Decision::Approved, mode: Mode::Human, reason: None }
}

pub(super) fn reject() -> Answer {
    let reason = Some("not blue".into());
    Answer { decision: Decision::Rejected, mode: Mode::Human, reason }
}

pub(super) fn attested(front: &str, steps: &str) -> Scene {
    Scene::new(Gates::Attested, front, steps)
}

pub(super) fn enforced(front: &str, steps: &str) -> Scene {
    Scene::new(Gates::Enforced, front, steps)
}

/// The same with both ways to decide gates.
pub(super) fn both(front: &str, steps: &str) -> [Scene; 2] {
    [Gates::Attested, Gates::Enforced].map(|gates| Scene::new(gates, front, steps))
}

pub(super) fn started(gates: Gates, front: &str, steps: &str) -> RunStarted {
    let text = format!("---\n{front}\n---\n\n{steps}");
    let path = "/repo/docs/hotl-workflow-boat.md";
    RunStarted {
        name: RunId::new(&slug(path), BEGIN),
        file: parse(&text).unwrap().file,
        file_sha256: Hash::of(text.as_bytes()),
        place: Place {
            workflow_path: path.into(),
            source_workflow_path: path.into(),
            source_branch: Some("main".into()),
            source_head: Some("0123abc".into()),
            stash: None,
            rescue: None,
            workflow_slug: slug(path),
            branch: "hotl/boat".into(),
            repo_root: "/repo".into(),
            execution_root: "/trees/boat".into(),
            worktree_path: Some("/trees/boat".into()),
            executor_mode: "loop".into(),
            driver: "generic".into(),
            host: "fallback".into(),
            folder: "/trees/boat".into(),
            machine: "harbour".into(),
        },
        gates,
        require_owner: false,
        tie: None,
        gate_timeout: None,
        head: Some("0123abc".into()),
    }
}

/// The first event of a run that was found in a state file.
pub(super) fn imported(state: StateFile, folder: &str, gates: Gates) -> RunEvent {
    let (folder, machine) = (folder.to_owned(), "harbour".to_owned());
    RunImported { state, folder, machine, gates, gate_timeout: None }.into()
}

impl Scene {
    pub(super) fn new(gates: Gates, front: &str, steps: &str) -> Self {
        Self::of(started(gates, front, steps))
    }

    pub(super) fn of(started: RunStarted) -> Self {
        let first = RunEvent::from(started);
        let run = Run::begun(RunKey::from_bytes([7; 16]), &first, BEGIN).unwrap();
        Self { run, log: vec![(first, BEGIN)], now: BEGIN }
    }

    pub(super) fn later(&mut self, minutes: i64) {
        self.now = Time::from_millis(self.now.as_millis() + minutes * 60_000);
    }

    /// Records events as a ledger would: encoded and read back.
    pub(super) fn record(&mut self, events: Vec<RunEvent>) {
        for event in events {
            let stored = crate::Event::from(event);
            let kind = stored.kind();
            let data = stored.encode().unwrap();
            let read = crate::Event::decode(kind.as_str(), kind.version(), &data).unwrap();
            assert_eq!(read, stored);
            let crate::Event::Run(event) = read else { panic!("not about a run") };
            self.run.fold(&event, self.now).unwrap();
            self.log.push((*event, self.now));
        }
    }

    /// Records what was decided, or what stopped it.
    pub(super) fn take<E: Into<Denied>>(
        &mut self,
        decided: Result<Vec<RunEvent>, E>,
    ) -> Result<(), Refusal> {
        match decided.map_err(Into::into) {
            Ok(events) => {
                self.record(events);
                Ok(())
            }
            Err(Denied::Refused(refusal)) => Err(refusal),
            Err(Denied::Stopped(event, refusal)) => {
                self.record(vec![*event]);
                Err(refusal)
            }
        }
    }

    pub(super) fn start(&mut self, number: u32) -> Result<(), Refusal> {
        let decided = step::start(&self.run, number, &agent(), self.now);
        self.take(decided)
    }

    /// Runs the pending checks: those that nobody has to run are decided, of the others all pass
    /// but those of `fails`.
    pub(super) fn verify_but(&mut self, number: u32, fails: &[usize]) -> Result<(), Refusal> {
        if let Err(denied) = step::may_verify(&self.run, number, &agent(), self.now) {
            return self.take(Err::<Vec<RunEvent>, _>(denied));
        }
        let mut results = Vec::new();
        for (place, check) in step::pending_checks(&self.run, number).unwrap() {
            let outcome = match foregone(&check) {
                Some(outcome) => outcome,
                None if fails.contains(&place) => Outcome::Failed,
                None => Outcome::Passed,
            };
            let stops = outcome != Outcome::Passed;
            let mut result = CheckResult::new(place, outcome);
            result.exit_code = Some(i32::from(stops));
            result.stdout.text = format!("check {place}\n");
            results.push(result);
            if stops {
                break;
            }
        }
        let attempt = self.step(number).attempts;
        let decided = step::verified(&self.run, number, attempt, results, &agent(), self.now);
        self.take(decided)
    }

    pub(super) fn verify(&mut self, number: u32) -> Result<(), Refusal> {
        self.verify_but(number, &[])
    }

    pub(super) fn fail(&mut self, number: u32) {
        self.verify_but(number, &[0, 1, 2]).unwrap();
    }

    pub(super) fn done(&mut self, number: u32) {
        self.start(number).unwrap();
        self.verify(number).unwrap();
    }

    /// All three steps.
    pub(super) fn all_done(&mut self) {
        (1..=3).for_each(|number| self.done(number));
    }

    pub(super) fn retry(&mut self, number: u32) -> Result<(), Refusal> {
        let decided = step::retry(&self.run, number, &agent(), self.now);
        self.take(decided)
    }

    pub(super) fn block(&mut self, number: u32, reason: &str) -> Result<(), Refusal> {
        let decided = step::block(&self.run, number, reason, &agent(), self.now);
        self.take(decided)
    }

    pub(super) fn unblock(&mut self, number: Option<u32>, caller: &Caller) -> Result<(), Refusal> {
        let decided = step::unblock(&self.run, number, "looked at it", caller, self.now);
        self.take(decided)
    }

    pub(super) fn gate(
        &mut self,
        number: u32,
        answer: &Answer,
        caller: &Caller,
    ) -> Result<(), Refusal> {
        let decided = gate::decide(&self.run, number, answer, caller, self.now);
        self.take(decided)
    }

    pub(super) fn finalize(&mut self) -> Result<(), Refusal> {
        let head = Some("4567def".to_owned());
        let decided = finish::finalize(&self.run, head, &agent(), self.now);
        self.take(decided)
    }

    pub(super) fn finish(&mut self, disposition: Disposition, force: Force) -> Result<(), Refusal> {
        self.finish_as(disposition, force, &agent())
    }

    pub(super) fn finish_as(
        &mut self,
        disposition: Disposition,
        force: Force,
        caller: &Caller,
    ) -> Result<(), Refusal> {
        let details = FinishDetails { notes: Some("as planned".into()), ..Default::default() };
        self.finish_with(disposition, details, force, caller)
    }

    pub(super) fn finish_with(
        &mut self,
        disposition: Disposition,
        details: FinishDetails,
        force: Force,
        caller: &Caller,
    ) -> Result<(), Refusal> {
        let decided = finish::finish(&self.run, disposition, details, force, caller, self.now);
        self.take(decided)
    }

    pub(super) fn reopen(&mut self, number: u32, caller: &Caller) -> Result<(), Refusal> {
        let then = Reopen::Decide;
        let decided = gate::reopen(&self.run, number, then, "look again", caller, self.now);
        self.take(decided)
    }

    pub(super) fn step(&self, number: u32) -> &StepState {
        self.run.step(number).unwrap()
    }

    pub(super) fn status(&self) -> RunStatus {
        self.run.status()
    }

    pub(super) fn step_status(&self, number: u32) -> StepStatus {
        self.step(number).status
    }
}

/// The code and message of what was refused.
#[track_caller]
pub(super) fn refused(result: Result<(), Refusal>) -> (Code, String) {
    let refusal = result.expect_err("this is refused");
    assert!(refusal.hint.is_some(), "every refusal says what to try: {refusal}");
    (refusal.code, refusal.message)
}
