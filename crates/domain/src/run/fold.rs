//! How each event changes a run: the only place where one becomes state.

use super::check::{CheckResult, Outcome, Output, Verdict, beginnings};
use super::event::{
    ActionDecided, ActionProgress, ActionProgressed, ActionRequested, BudgetChecked, GateDecided,
    GateOverdue, GateReopened, RunEdited, RunFinalized, RunFinished, RunOwnerChanged, RunStarted,
    RunUnblocked, StepBlocked, StepStarted, StepVerified,
};
use super::file::{Amount, Loop, Progress, ReportDetail, Step};
use super::state::{
    Action, Block, Decided, Effect, Finalized, Finish, Observed, Owner, OwnerRecord, Run, StepState,
};
use super::waiting::Waiting;
use super::word::{
    ActionKind, ActionStatus, Cause, Decision, DecisionMode, EffectStatus, Gates, Metric,
    OwnerChange, OwnerStatus, Reopen, RunStatus, StepStatus,
};
use crate::event::RunEvent;
use crate::task::Broken;
use crate::{Kind, RunKey, Time};

/// What a review writes where a check would have output.
const APPROVED: &str = "human review approved";
pub(super) const REJECTED: &str = "human review rejected";

impl Run {
    /// The run that its first event makes.
    pub fn begun(key: RunKey, event: &RunEvent, at: Time) -> Result<Self, Broken> {
        match event {
            RunEvent::RunStarted(data) => Ok(Self::started(key, data, at)),
            RunEvent::RunImported(data) => Self::imported(key, data, at),
            RunEvent::RunEdited(_)
            | RunEvent::StepStarted(_)
            | RunEvent::StepVerified(_)
            | RunEvent::StepRetried(_)
            | RunEvent::StepBlocked(_)
            | RunEvent::RunUnblocked(_)
            | RunEvent::GateDecided(_)
            | RunEvent::GateReopened(_)
            | RunEvent::GateOverdue(_)
            | RunEvent::RunFinalized(_)
            | RunEvent::RunFinished(_)
            | RunEvent::RunOwnerChanged(_)
            | RunEvent::ActionRequested(_)
            | RunEvent::ActionDecided(_)
            | RunEvent::ActionProgressed(_)
            | RunEvent::BudgetRecorded(_)
            | RunEvent::BudgetChecked(_)
            | RunEvent::BudgetRaised(_) => {
                Err(Broken(format!("a run cannot begin with '{}'", event.kind().as_str())))
            }
        }
    }

    pub fn started(key: RunKey, data: &RunStarted, at: Time) -> Self {
        let front = &data.file.front;
        let steps = data.file.steps.iter().map(|step| StepState::planned(step, data.gates));
        Self {
            key,
            name: data.name.clone(),
            place: data.place.clone(),
            intent: front.intent.clone().unwrap_or_default(),
            success_criteria: front.success_criteria.clone().unwrap_or_default(),
            risk: front.risk.unwrap_or_default(),
            auto_approve: front.auto_approve,
            file_sha256: Some(data.file_sha256),
            report_full: front.report_detail == Some(ReportDetail::Full),
            progress_verbose: front.progress == Some(Progress::Verbose),
            policy_profile: front.policy_profile.clone().unwrap_or_else(|| "standard".to_owned()),
            gates: data.gates,
            gate_timeout: match front.gate_timeout {
                Some(timeout) => timeout.span(),
                None => data.gate_timeout,
            },
            tie: data.tie,
            head_before: data.head.clone(),
            head_after: None,
            limits: front.budgets.clone(),
            observed: Observed::default(),
            exceeded: Vec::new(),
            exceeded_at: None,
            actions: Vec::new(),
            owner: Owner::NOBODY,
            require_owner: data.require_owner,
            ownership: Vec::new(),
            version: 1,
            revision: 0,
            started_at: at,
            updated_at: at,
            completed_at: None,
            finalized: None,
            held: None,
            current_step: 1,
            finish: None,
            steps: steps.collect(),
            refused_edit: None,
        }
    }

    /// Applies the next event of this run's stream. One that cannot follow changes nothing.
    pub fn fold(&mut self, event: &RunEvent, at: Time) -> Result<(), Broken> {
        match event {
            RunEvent::RunStarted(_) | RunEvent::RunImported(_) => {
                return Err(Broken(format!("run {} began already", self.name)));
            }
            RunEvent::RunEdited(data) => self.edit(data, at)?,
            RunEvent::StepStarted(data) => self.start(data, at)?,
            RunEvent::StepVerified(data) => self.verify(data, at)?,
            RunEvent::StepRetried(data) => {
                let step = self.step_in(data.step, Kind::StepRetried, &[StepStatus::Failed])?;
                step.forget();
                step.status = StepStatus::InProgress;
                step.attempts = data.attempt;
                step.retried = true;
            }
            RunEvent::StepBlocked(data) => self.block(data, at)?,
            RunEvent::RunUnblocked(data) => self.unblock(data)?,
            RunEvent::GateDecided(data) => self.decide(data, at)?,
            RunEvent::GateReopened(data) => self.reopen(data, at)?,
            RunEvent::GateOverdue(data) => self.overdue(data)?,
            RunEvent::RunFinalized(data) => self.finalize(data, at),
            RunEvent::RunFinished(data) => self.finish(data, at),
            RunEvent::RunOwnerChanged(data) => self.change_owner(data, at),
            RunEvent::ActionRequested(data) => self.request(data, at),
            RunEvent::ActionDecided(data) => self.decide_action(data, at)?,
            RunEvent::ActionProgressed(data) => self.progress_action(data, at)?,
            RunEvent::BudgetRecorded(data) => {
                self.observe(data.metric, data.observed);
                self.look_again(data.metric);
            }
            RunEvent::BudgetChecked(data) => self.check_budgets(data),
            RunEvent::BudgetRaised(data) => {
                self.set_limit(data.metric, data.limit);
                self.look_again(data.metric);
            }
        }
        self.note_exceeded(at);
        self.version += 1;
        // A refused edit is remembered and changes nothing of the run, so that its file, once it is
        // put back, is what it was.
        if !matches!(event, RunEvent::RunEdited(RunEdited { adopted: None, .. })) {
            self.revision = self.revision.saturating_add(1);
            self.updated_at = at;
        }
        Ok(())
    }

    fn step_mut(&mut self, number: u32) -> Result<&mut StepState, Broken> {
        let place = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
        let name = self.name.clone();
        place
            .and_then(|place| self.steps.get_mut(place))
            .ok_or_else(|| Broken(format!("run {name} has no step {number}")))
    }

    /// A step, if it is in one of the statuses that the event can follow.
    fn step_in(
        &mut self,
        number: u32,
        kind: Kind,
        from: &[StepStatus],
    ) -> Result<&mut StepState, Broken> {
        let name = self.name.clone();
        let step = self.step_mut(number)?;
        if from.contains(&step.status) {
            return Ok(step);
        }
        let kind = kind.as_str();
        Err(Broken(format!(
            "'{kind}' cannot happen to step {number} of run {name}, which is {}",
            step.status
        )))
    }

    fn start(&mut self, data: &StepStarted, at: Time) -> Result<(), Broken> {
        let from = [StepStatus::Pending, StepStatus::InProgress];
        let step = self.step_in(data.step, Kind::StepStarted, &from)?;
        step.forget();
        step.status = StepStatus::InProgress;
        step.attempts = data.attempt;
        step.started_at = Some(at);
        step.started_by = Some(data.by.clone());
        step.retried = false;
        self.current_step = data.step;
        self.observe_elapsed(self.elapsed_minutes(at));
        Ok(())
    }

    fn verify(&mut self, data: &StepVerified, at: Time) -> Result<(), Broken> {
        let is_gated = self.gates == Gates::Enforced
            && self.step(data.step).is_ok_and(|step| self.needs_gate(step));
        let step = self.step_in(data.step, Kind::StepVerified, &[StepStatus::InProgress])?;
        step.retried = false;
        step.results.extend(data.results.iter().cloned());
        match &data.verdict {
            Verdict::Passed => {
                // Who reviewed one check has not seen what the checks after it showed.
                if is_gated {
                    step.decided = None;
                }
                step.complete(at);
            }
            Verdict::Failed => {
                step.status = StepStatus::Failed;
                step.passed = Some(false);
                step.keep_outputs();
            }
            Verdict::NeedsPerson { check, reason } => {
                // What a person decides takes the place of what could not be decided.
                let seen = step.results.iter().find(|result| result.check == *check).cloned();
                step.results.retain(|result| result.outcome == Outcome::Passed);
                step.overdue_since = None;
                step.block = Some(Block {
                    cause: Cause::Review,
                    reason: reason.clone(),
                    from: StepStatus::InProgress,
                    check: Some(*check),
                    seen: seen.filter(CheckResult::shows_something),
                    at,
                });
                step.status = StepStatus::Blocked;
            }
            Verdict::Undecidable { reason } => {
                step.results.retain(|result| result.outcome == Outcome::Passed);
                step.stop(Cause::Undecidable, reason, at);
            }
        }
        self.observe_elapsed(self.elapsed_minutes(at));
        self.head_after = None;
        Ok(())
    }

    fn block(&mut self, data: &StepBlocked, at: Time) -> Result<(), Broken> {
        self.step_mut(data.step)?.stop(data.cause, &data.reason, at);
        Ok(())
    }

    fn unblock(&mut self, data: &RunUnblocked) -> Result<(), Broken> {
        if let Some(number) = data.step {
            let step = self.step_in(number, Kind::RunUnblocked, &[StepStatus::Blocked])?;
            step.max_iterations = step.max_iterations.saturating_add(data.granted);
            step.resume();
        } else {
            self.held = None;
            // What is still to be decided may yet stop it.
            for action in self.actions.iter_mut().filter(|action| action.blocks()) {
                action.acknowledged = true;
            }
        }
        self.go_on();
        Ok(())
    }

    /// What was ended because it was stuck is not at its end any more. It may have been finished
    /// without having been finalized.
    fn go_on(&mut self) {
        let was_stuck = match self.finalized {
            Some(finalized) => finalized.status == RunStatus::Blocked,
            None => self.held.is_none(),
        };
        if was_stuck {
            self.finalized = None;
            self.completed_at = None;
            self.finish = None;
        }
    }

    fn decide(&mut self, data: &GateDecided, at: Time) -> Result<(), Broken> {
        let from = match data.check {
            Some(_) => StepStatus::Blocked,
            None => StepStatus::Done,
        };
        let step = self.step_in(data.step, Kind::GateDecided, &[from])?;
        step.decided = Some(Decided {
            decision: data.decision,
            mode: data.mode,
            authority: data.authority,
            by: data.by.clone(),
            reason: data.reason.clone(),
            at,
        });
        step.overdue_since = None;
        if let Some(check) = data.check {
            step.review(check, data, at);
        }
        if data.decision == Decision::Approved {
            self.go_on();
        }
        Ok(())
    }

    /// It is noticed once for each wait. The step waits on.
    fn overdue(&mut self, data: &GateOverdue) -> Result<(), Broken> {
        let place = Some((data.step, data.check));
        let is_meant =
            |waiting: &Waiting| waiting.on.place() == place && waiting.since == data.waiting_since;
        if !self.waiting().iter().any(|waiting| is_meant(waiting) && !waiting.noticed) {
            let (name, step) = (&self.name, data.step);
            return Err(Broken(format!("step {step} of run {name} does not wait for an answer")));
        }
        self.step_mut(data.step)?.overdue_since = Some(data.waiting_since.plus(data.timeout));
        Ok(())
    }

    fn reopen(&mut self, data: &GateReopened, at: Time) -> Result<(), Broken> {
        let step = self.step_in(data.step, Kind::GateReopened, &[StepStatus::Done])?;
        step.decided = None;
        step.reopened_at = Some(at);
        step.overdue_since = None;
        step.max_iterations = step.max_iterations.saturating_add(data.granted);
        match data.then {
            Reopen::Decide => {}
            Reopen::Redo => {
                step.status = StepStatus::Failed;
                step.completed_at = None;
                step.passed = Some(false);
            }
        }
        self.finalized = None;
        self.completed_at = None;
        self.finish = None;
        Ok(())
    }

    fn finalize(&mut self, data: &RunFinalized, at: Time) {
        self.finalized = Some(Finalized { at, status: data.status });
        self.completed_at = (data.status == RunStatus::Blocked).then_some(at);
        // What was not verified since does not become what the work ends at.
        if self.head_after.is_none() {
            self.head_after.clone_from(&data.head);
        }
    }

    fn finish(&mut self, data: &RunFinished, at: Time) {
        if let Some(finalized) = &mut self.finalized
            && matches!(finalized.status, RunStatus::ReadyToFinish | RunStatus::Completed)
        {
            finalized.status = RunStatus::Completed;
            self.completed_at = Some(at);
        }
        self.finish = Some(Finish {
            disposition: data.disposition,
            recorded_at: at,
            details: data.details.clone(),
        });
    }

    fn change_owner(&mut self, data: &RunOwnerChanged, at: Time) {
        match data.change {
            OwnerChange::Heartbeat => {
                self.owner.heartbeat_at = Some(at);
                self.owner.lease_until = data.lease_until;
                return;
            }
            OwnerChange::Release => {
                self.owner.status = OwnerStatus::Released;
                self.owner.token_sha256 = None;
                self.owner.lease_until = None;
                self.owner.released_at = Some(at);
            }
            OwnerChange::Claim | OwnerChange::Handoff | OwnerChange::Takeover => {
                self.owner = Owner {
                    status: OwnerStatus::Active,
                    id: Some(data.owner.clone()),
                    token_sha256: data.token_sha256.clone(),
                    claimed_at: Some(at),
                    heartbeat_at: Some(at),
                    lease_until: data.lease_until,
                    released_at: None,
                };
            }
        }
        self.ownership.push(OwnerRecord {
            change: data.change,
            owner: data.owner.clone(),
            from: data.from.clone(),
            at,
            reason: data.reason.clone(),
            forced: data.forced,
        });
    }

    fn request(&mut self, data: &ActionRequested, at: Time) {
        let (status, mode, effect) = match data.kind {
            ActionKind::LocalWrite => {
                (ActionStatus::Allowed, DecisionMode::Policy, EffectStatus::NotRequired)
            }
            ActionKind::NetworkRead => {
                (ActionStatus::HostAuthority, DecisionMode::Host, EffectStatus::NotRequired)
            }
            ActionKind::ExternalWrite | ActionKind::ProductionChange | ActionKind::SecretAccess => {
                (ActionStatus::Pending, DecisionMode::Human, EffectStatus::NotStarted)
            }
        };
        self.actions.push(Action {
            id: data.action.clone(),
            kind: data.kind,
            target: data.target.clone(),
            status,
            requested_at: at,
            decided_at: None,
            mode,
            reason: None,
            idempotency_key: data.idempotency_key.clone(),
            effect: Some(Effect {
                status: effect,
                intent_recorded_at: None,
                completed_at: None,
                evidence_ref: None,
            }),
            acknowledged: false,
        });
    }

    fn action_mut(&mut self, id: &str) -> Result<&mut Action, Broken> {
        let name = self.name.clone();
        let found = self.actions.iter_mut().find(|action| action.id == id);
        found.ok_or_else(|| Broken(format!("run {name} has no action {id}")))
    }

    fn decide_action(&mut self, data: &ActionDecided, at: Time) -> Result<(), Broken> {
        let action = self.action_mut(&data.action)?;
        action.status = match data.decision {
            Decision::Approved => ActionStatus::Approved,
            Decision::Rejected => ActionStatus::Rejected,
        };
        action.decided_at = Some(at);
        action.mode = data.mode;
        action.reason.clone_from(&data.reason);
        Ok(())
    }

    fn progress_action(&mut self, data: &ActionProgressed, at: Time) -> Result<(), Broken> {
        let legacy_key = format!("{}:{}:legacy-reconcile", self.name, data.action);
        let action = self.action_mut(&data.action)?;
        if action.effect.is_none() {
            action.idempotency_key.get_or_insert(legacy_key);
        }
        let effect = action.effect.get_or_insert(Effect {
            status: EffectStatus::NotStarted,
            intent_recorded_at: None,
            completed_at: None,
            evidence_ref: None,
        });
        match &data.progress {
            ActionProgress::Begun => {
                effect.status = EffectStatus::InProgress;
                effect.intent_recorded_at = Some(at);
            }
            ActionProgress::Completed { outcome, evidence }
            | ActionProgress::Reconciled { outcome, evidence } => {
                effect.status = *outcome;
                effect.completed_at = Some(at);
                effect.evidence_ref = Some(evidence.clone());
                action.acknowledged = false;
            }
        }
        Ok(())
    }

    /// Budgets are used up since the first of them was.
    pub(super) fn note_exceeded(&mut self, at: Time) {
        self.exceeded_at = match self.exceeded.is_empty() {
            true => None,
            false => self.exceeded_at.or(Some(at)),
        };
    }

    /// Whether one budget is used up may have changed.
    fn look_again(&mut self, metric: Metric) {
        self.exceeded.retain(|exceeded| *exceeded != metric);
        if self.used_up(0, 0).contains(&metric) {
            self.exceeded.push(metric);
            self.exceeded.sort_unstable();
        }
    }

    fn check_budgets(&mut self, data: &BudgetChecked) {
        self.observe_elapsed(data.elapsed_minutes);
        self.exceeded.clone_from(&data.exceeded);
    }

    fn edit(&mut self, data: &RunEdited, at: Time) -> Result<(), Broken> {
        match &data.adopted {
            Some(state) => {
                self.adopt(state, at)?;
                self.refused_edit = None;
            }
            None => self.refused_edit = Some(data.sha256),
        }
        Ok(())
    }

    /// Time only adds up, also where somebody reported more than the clock says.
    fn observe_elapsed(&mut self, minutes: u64) {
        let measured = Amount::whole(minutes);
        self.observed.elapsed_minutes = self.observed.elapsed_minutes.max(measured);
    }

    fn observe(&mut self, metric: Metric, amount: Amount) {
        match metric {
            Metric::TotalAttempts => {}
            Metric::Agents => self.observed.agents = Some(amount),
            Metric::CostUsd => self.observed.cost_usd = Some(amount),
            Metric::ElapsedMinutes => self.observed.elapsed_minutes = Some(amount),
        }
    }

    fn set_limit(&mut self, metric: Metric, amount: Amount) {
        let limit = match metric {
            Metric::TotalAttempts => &mut self.limits.total_attempts,
            Metric::Agents => &mut self.limits.agents,
            Metric::CostUsd => &mut self.limits.cost_usd,
            Metric::ElapsedMinutes => &mut self.limits.elapsed_minutes,
        };
        *limit = Some(amount);
    }
}

impl StepState {
    fn planned(step: &Step, gates: Gates) -> Self {
        Self {
            number: step.number,
            name: step.name.clone(),
            action: step.action.clone().unwrap_or_default(),
            repeat: step.repeat.clone(),
            max_iterations: allowance(step, gates),
            checks: step.checks.clone(),
            form: step.form,
            gate: step.gate.clone(),
            depends_on: step.depends_on.clone(),
            status: StepStatus::Pending,
            attempts: 0,
            retried: false,
            started_by: None,
            started_at: None,
            completed_at: None,
            passed: None,
            stdout: None,
            stderr: None,
            results: Vec::new(),
            decided: None,
            reopened_at: None,
            overdue_since: None,
            block: None,
        }
    }

    /// A new attempt owes nothing to the one before.
    fn forget(&mut self) {
        self.passed = None;
        self.stdout = None;
        self.stderr = None;
        self.results.clear();
        self.decided = None;
        self.reopened_at = None;
        self.overdue_since = None;
        self.completed_at = None;
    }

    fn keep_outputs(&mut self) {
        let (stdout, stderr) = beginnings(&self.results);
        self.stdout = Some(stdout);
        self.stderr = Some(stderr);
    }

    fn complete(&mut self, at: Time) {
        self.status = StepStatus::Done;
        self.block = None;
        self.reopened_at = None;
        self.overdue_since = None;
        self.completed_at = Some(at);
        self.passed = Some(true);
        if self.is_checked() {
            self.keep_outputs();
        }
    }

    fn stop(&mut self, cause: Cause, reason: &str, at: Time) {
        let from = self.block.take().map_or(self.status, |block| block.from);
        self.block =
            Some(Block { cause, reason: reason.to_owned(), from, check: None, seen: None, at });
        self.status = StepStatus::Blocked;
    }

    /// Goes back to where it was before it was blocked, or to be tried again.
    fn resume(&mut self) {
        let Some(block) = self.block.take() else {
            self.status = StepStatus::Failed;
            return;
        };
        self.status = match block.cause {
            Cause::Asked | Cause::Undecidable | Cause::Review => block.from,
            Cause::Exhausted | Cause::Rejected => StepStatus::Failed,
        };
        if self.status != StepStatus::Done {
            self.decided = None;
        }
    }

    fn review(&mut self, check: usize, decided: &GateDecided, at: Time) {
        let seen = self.block.as_mut().and_then(|block| block.seen.take());
        let seen = seen.unwrap_or_else(|| CheckResult::new(check, Outcome::Passed));
        match decided.decision {
            Decision::Approved => {
                let mut result = CheckResult { outcome: Outcome::Passed, ..seen };
                result.stdout = Output { text: APPROVED.to_owned(), ..Output::default() };
                result.ended_at = Some(at);
                self.results.push(result);
                self.block = None;
                if self.pending_checks().next().is_some() {
                    self.status = StepStatus::InProgress;
                    return;
                }
                self.complete(at);
                if self.is_review() {
                    self.stdout = Some(APPROVED.to_owned());
                    self.stderr = None;
                }
            }
            Decision::Rejected => {
                // What was rejected is still there to be looked at, and whoever tries again is told
                // why.
                self.results.push(CheckResult {
                    outcome: Outcome::Failed,
                    ending: decided.reason.clone(),
                    ended_at: Some(at),
                    ..seen
                });
                self.stop(Cause::Rejected, REJECTED, at);
                self.passed = Some(false);
                self.stdout = None;
                self.stderr = Some(REJECTED.to_owned());
            }
        }
    }
}

/// How often a step may be tried. Where gates are enforced, so are loops: a step that is not to be
/// repeated is tried once.
fn allowance(step: &Step, gates: Gates) -> u32 {
    match (gates, &step.repeat) {
        (Gates::Attested, _) => step.max_iterations,
        (Gates::Enforced, Loop::Once) => 1,
        (Gates::Enforced, Loop::Until(_) | Loop::Other(_)) => step.max_iterations.max(1),
    }
}
