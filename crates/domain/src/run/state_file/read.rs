//! A run from its state file: an import, or an edit that is taken over.

use super::{ActionJson, StateFile, StepJson, VerifyJson};
use crate::run::check::REVIEW;
use crate::run::event::{FinishDetails, Place, RunImported};
use crate::run::file::{Assert, AssertKind, Budgets, Check, Form};
use crate::run::fold::REJECTED;
use crate::run::state::{
    Action, Block, Decided, Effect, Finalized, Finish, Observed, Owner, OwnerRecord, Run, StepState,
};
use crate::run::waiting::Waiting;
use crate::run::word::{Authority, Cause, DecisionMode, Mode, RunStatus, StepStatus};
use crate::task::Broken;
use crate::{Code, Refusal, RunKey, Time};

/// Reads a state file. Keys nobody knows are dropped.
pub fn parse(text: &str) -> Result<StateFile, Refusal> {
    let state: StateFile = serde_json::from_str(text).map_err(|error| {
        Refusal::new(Code::ImportInvalid, format!("the state file cannot be read: {error}"))
            .hint("restore it, or remove it to have it written again")
            .detail("line", error.line())
            .detail("column", error.column())
    })?;
    if state.steps.is_empty() {
        return Err(Refusal::new(Code::ImportInvalid, "the state file has no steps")
            .hint("restore it, or remove it and start the workflow file again: windlass run start")
            .detail("run_id", state.run_id.as_str()));
    }
    Ok(state)
}

impl StateFile {
    /// It tells of a run that ended in another folder: what was kept of it when its worktree went.
    pub fn is_keepsake_in(&self, folder: &str) -> bool {
        let is_over = matches!(self.status, RunStatus::Completed | RunStatus::Abandoned)
            || self.finish.disposition.is_some();
        is_over && !self.execution_root.is_empty() && self.execution_root != folder
    }
}

impl Run {
    pub(in crate::run) fn imported(
        key: RunKey,
        data: &RunImported,
        at: Time,
    ) -> Result<Self, Broken> {
        let place = Place {
            folder: data.folder.clone(),
            machine: data.machine.clone(),
            ..place(&data.state)
        };
        let mut run = Self {
            key,
            name: data.state.run_id.clone(),
            place: place.clone(),
            intent: String::new(),
            success_criteria: String::new(),
            risk: data.state.risk_level,
            auto_approve: false,
            file_sha256: None,
            report_full: false,
            progress_verbose: false,
            policy_profile: String::new(),
            gates: data.gates,
            gate_timeout: data.gate_timeout,
            tie: None,
            head_before: data.state.source_head.clone(),
            head_after: None,
            limits: Budgets::default(),
            observed: Observed::default(),
            exceeded: Vec::new(),
            exceeded_at: None,
            actions: Vec::new(),
            owner: Owner::NOBODY,
            require_owner: false,
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
            steps: Vec::new(),
            refused_edit: None,
        };
        run.adopt(&data.state, at)?;
        // An import changes nothing, so the file still says what the ledger says.
        run.revision = data.state.revision;
        run.updated_at = data.state.last_update.time();
        run.place = place;
        Ok(run)
    }

    /// Takes over what a state file says. What it does not say stays as it was.
    pub(in crate::run) fn adopt(&mut self, state: &StateFile, at: Time) -> Result<(), Broken> {
        if state.run_id != self.name {
            return Err(Broken(format!("run {} cannot become {}", self.name, state.run_id)));
        }
        let known = self.waiting();
        self.place = Place {
            folder: self.place.folder.clone(),
            machine: self.place.machine.clone(),
            stash: self.place.stash.clone(),
            rescue: self.place.rescue.clone(),
            ..place(state)
        };
        self.intent.clone_from(&state.intent);
        self.success_criteria.clone_from(&state.success_criteria);
        self.risk = state.risk_level;
        self.auto_approve = state.auto_approve;
        self.policy_profile.clone_from(&state.policy.profile);
        self.adopt_budgets(state);
        self.adopt_owner(state);
        let actions = state.external_actions.iter();
        self.actions = actions.map(|action| adopted_action(action, &self.actions)).collect();
        self.revision = self.revision.max(state.revision);
        self.started_at = state.started_at.or_known(Some(self.started_at));
        self.completed_at = state.completed_at.map(super::Moment::time);
        self.current_step = state.current_step;
        self.finish = finish(state);
        let steps = state.steps.iter().enumerate();
        self.steps = steps
            .map(|(at_place, step)| adopted_step(step, self.steps.get(at_place), at))
            .collect();
        self.adopt_status(state);
        self.forget_overdue(&known);
        self.note_exceeded(at);
        Ok(())
    }

    /// That an answer is overdue was noticed of the waits that were known, and of no other.
    fn forget_overdue(&mut self, known: &[Waiting]) {
        let is_new = |waiting: &Waiting| !known.iter().any(|known| known.is_that(waiting));
        let new: Vec<u32> = self
            .waiting()
            .iter()
            .filter(|new| is_new(new))
            .filter_map(|new| new.on.step())
            .collect();
        for (number, step) in (1..).zip(&mut self.steps) {
            if new.contains(&number) {
                step.overdue_since = None;
            }
        }
    }

    fn adopt_budgets(&mut self, state: &StateFile) {
        let (limits, observed) = (&state.budgets.limits, &state.budgets.observed);
        self.limits = Budgets {
            total_attempts: limits.total_attempts,
            agents: limits.agents,
            cost_usd: limits.cost_usd,
            elapsed_minutes: limits.elapsed_minutes,
        };
        self.observed = Observed {
            agents: observed.agents,
            cost_usd: observed.cost_usd,
            elapsed_minutes: observed.elapsed_minutes,
        };
        self.exceeded.clone_from(&state.budgets.exceeded);
    }

    fn adopt_owner(&mut self, state: &StateFile) {
        let controller = &state.controller;
        let from_epoch = |epoch: i64| Time::from_millis(epoch.saturating_mul(1_000));
        self.owner = Owner {
            status: controller.status,
            id: controller.owner_id.clone(),
            token_sha256: controller.token_sha256.clone(),
            claimed_at: controller.claimed_at.map(super::Moment::time),
            heartbeat_at: controller.heartbeat_at.map(super::Moment::time),
            lease_until: controller.lease_expires_epoch.map(from_epoch),
            released_at: controller.released_at.map(super::Moment::time),
        };
        self.require_owner = state.ownership_required;
        let history = state.ownership_history.iter().map(|record| OwnerRecord {
            change: record.event,
            owner: record.owner_id.clone(),
            from: record.from_owner.clone(),
            at: record.at.time(),
            reason: record.reason.clone(),
            forced: record.forced.unwrap_or(false),
        });
        self.ownership = history.collect();
    }

    /// Most of a status follows from the rest; what does not is kept beside it.
    fn adopt_status(&mut self, state: &StateFile) {
        let at = state.finalized_at.unwrap_or(state.last_update).time();
        self.held = None;
        self.finalized = match state.status {
            RunStatus::ReadyToFinish | RunStatus::Completed => {
                Some(Finalized { at, status: state.status })
            }
            RunStatus::Blocked if state.finalized_at.is_some() => {
                Some(Finalized { at, status: RunStatus::Blocked })
            }
            RunStatus::Running | RunStatus::Paused | RunStatus::Blocked | RunStatus::Abandoned => {
                None
            }
        };
        if state.status != RunStatus::Blocked {
            // It went on all the same.
            self.actions.iter_mut().for_each(|action| action.acknowledged |= action.blocks());
        }
        let follows = self.status();
        let stops = match (state.status, follows) {
            (RunStatus::Abandoned, _) => true,
            (RunStatus::Blocked, follows) => follows != RunStatus::Blocked,
            (RunStatus::Paused, follows) => follows == RunStatus::Running,
            (RunStatus::Running | RunStatus::ReadyToFinish | RunStatus::Completed, _) => false,
        };
        self.held = stops.then_some(state.status);
    }
}

fn place(state: &StateFile) -> Place {
    Place {
        workflow_path: state.workflow_path.clone(),
        source_workflow_path: state.source_workflow_path.clone(),
        source_branch: state.source_branch.clone(),
        source_head: state.source_head.clone(),
        stash: None,
        rescue: None,
        workflow_slug: state.workflow_slug.clone(),
        branch: state.branch.clone(),
        repo_root: state.repo_root.clone(),
        execution_root: state.execution_root.clone(),
        worktree_path: state.worktree_path.clone(),
        executor_mode: state.executor_mode.clone(),
        driver: state.driver.clone(),
        host: state.host.clone(),
        folder: String::new(),
        machine: String::new(),
    }
}

fn finish(state: &StateFile) -> Option<Finish> {
    let finish = state.finish.clone();
    Some(Finish {
        disposition: finish.disposition?,
        recorded_at: finish.recorded_at.unwrap_or(state.last_update).time(),
        details: FinishDetails {
            target_branch: finish.target_branch,
            remote: finish.remote,
            pr_url: finish.pr_url,
            branch_action: finish.branch_action,
            worktree_action: finish.worktree_action,
            artifacts_preserved_at: finish.artifacts_preserved_at,
            notes: finish.notes,
            attested_gates: finish.attested_gates,
            landed_head: finish.landed_head,
        },
    })
}

fn adopted_action(action: &ActionJson, known: &[Action]) -> Action {
    let before = known.iter().find(|before| before.id == action.id);
    Action {
        id: action.id.clone(),
        kind: action.kind,
        target: action.target.clone(),
        status: action.status,
        requested_at: action.requested_at.time(),
        decided_at: action.decided_at.map(super::Moment::time),
        mode: action.decision_mode.unwrap_or(DecisionMode::Human),
        reason: before
            .filter(|before| before.status == action.status)
            .and_then(|before| before.reason.clone()),
        idempotency_key: action.idempotency_key.clone(),
        // Without its two companions an effect proves nothing.
        effect: action.effect.as_ref().filter(|_| action.effect_required.is_some()).map(|effect| {
            Effect {
                status: effect.status,
                intent_recorded_at: effect.intent_recorded_at.map(super::Moment::time),
                completed_at: effect.completed_at.map(super::Moment::time),
                evidence_ref: effect.evidence_ref.clone(),
            }
        }),
        acknowledged: before.is_some_and(|before| before.acknowledged),
    }
}

fn adopted_step(step: &StepJson, before: Option<&StepState>, at: Time) -> StepState {
    let (form, checks) = checks(step.verify.as_ref());
    let before = before.filter(|before| before.name == step.name);
    let same = before.filter(|before| before.checks == checks && before.status == step.status);
    let decided = step.gate_result.map(|decision| {
        let mode = step.gate_mode.unwrap_or(Mode::Human);
        let known = before.and_then(|before| before.decided.clone());
        known.filter(|known| known.decision == decision && known.mode == mode).unwrap_or(Decided {
            decision,
            mode,
            authority: Authority::Attested,
            by: None,
            reason: None,
            at,
        })
    });
    let verify = step.verify.clone().unwrap_or_default();
    StepState {
        number: step.number,
        name: step.name.clone(),
        action: step.action.clone(),
        repeat: step.repeat.clone(),
        max_iterations: step.max_iterations,
        form,
        gate: step.gate.clone(),
        depends_on: step.depends_on.clone(),
        status: step.status,
        attempts: step.attempts,
        // Whether somebody works on it already, a file does not say.
        retried: step.status == StepStatus::InProgress
            && before.is_none_or(|before| before.retried),
        started_by: before.and_then(|before| before.started_by.clone()),
        started_at: step.started_at.map(|at| at.or_known(before.and_then(|b| b.started_at))),
        completed_at: step.completed_at.map(|at| at.or_known(before.and_then(|b| b.completed_at))),
        passed: verify.passed,
        stdout: verify.stdout,
        stderr: verify.stderr,
        results: same.map(|same| same.results.clone()).unwrap_or_default(),
        reopened_at: same.and_then(|same| same.reopened_at),
        overdue_since: same.and_then(|same| same.overdue_since),
        decided,
        block: (step.status == StepStatus::Blocked).then(|| {
            let known = same.and_then(|same| same.block.clone());
            let reason = step.block_reason.clone().unwrap_or_default();
            known
                .filter(|known| known.reason == reason)
                .unwrap_or_else(|| block(reason, &checks, at))
        }),
        checks,
    }
}

/// Why a step is blocked, read from its reason alone.
fn block(reason: String, checks: &[Check], at: Time) -> Block {
    let review = reason.starts_with(REVIEW);
    let cause = match reason.as_str() {
        _ if review => Cause::Review,
        REJECTED => Cause::Rejected,
        _ => Cause::Asked,
    };
    let asks = |check: &Check| match check {
        Check::Review { .. } | Check::Browser { .. } => true,
        Check::Shell { .. } | Check::Artifact { .. } | Check::Unknown { .. } => false,
    };
    let check = checks.iter().position(asks).filter(|_| review);
    Block { cause, reason, from: StepStatus::InProgress, check, seen: None, at }
}

fn checks(verify: Option<&VerifyJson>) -> (Form, Vec<Check>) {
    let Some(verify) = verify else {
        return (Form::None, Vec::new());
    };
    if let Some(checks) = verify.checks.as_ref().filter(|_| verify.kind == "multi") {
        return (Form::Many, checks.iter().map(check).collect());
    }
    let is_empty = verify.kind == "shell" && verify.command.as_deref().unwrap_or("").is_empty();
    match is_empty {
        true => (Form::None, Vec::new()),
        false => (Form::One, vec![check(verify)]),
    }
}

fn check(verify: &VerifyJson) -> Check {
    let given = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
    let timeout = verify.timeout;
    match verify.kind.as_str() {
        "shell" => Check::Shell { command: given(&verify.command), timeout },
        "browser" => {
            Check::Browser { url: given(&verify.url), check: given(&verify.check), timeout }
        }
        "human-review" => Check::Review { prompt: given(&verify.prompt) },
        "artifact" => Check::Artifact {
            path: given(&verify.path),
            assert: verify.assert.as_ref().map(|assert| Assert {
                kind: AssertKind::from(assert.kind.clone()),
                value: given(&assert.value),
            }),
            timeout,
        },
        kind => Check::Unknown { kind: kind.to_owned() },
    }
}
