//! A run as its state file.

use super::{
    ActionJson, BudgetsJson, ControllerJson, EffectJson, FinishJson, LimitsJson, Moment,
    ObservedJson, OwnershipJson, PolicyJson, StateFile, StepJson, VerifyJson,
};
use crate::run::file::Form;
use crate::run::state::{Action, Finish, Owner, OwnerRecord, Run, StepState};
use crate::run::word::OwnerChange;

impl Run {
    /// What its state file says.
    pub fn state_file(&self) -> StateFile {
        let place = self.place.clone();
        StateFile {
            run_id: self.name.clone(),
            report_path: self.report_path(),
            workflow_path: place.workflow_path,
            source_workflow_path: place.source_workflow_path,
            source_branch: place.source_branch,
            source_head: place.source_head,
            workflow_slug: place.workflow_slug,
            intent: self.intent.clone(),
            success_criteria: self.success_criteria.clone(),
            risk_level: self.risk,
            auto_approve: self.auto_approve,
            branch: place.branch,
            repo_root: place.repo_root,
            execution_root: place.execution_root,
            worktree_path: place.worktree_path,
            executor_mode: place.executor_mode,
            driver: place.driver,
            host: place.host,
            policy: PolicyJson { profile: self.policy_profile.clone(), ..PolicyJson::default() },
            budgets: self.budgets_json(),
            external_actions: self.actions.iter().map(ActionJson::of).collect(),
            policy_pauses: self.pauses(),
            controller: ControllerJson::of(&self.owner),
            ownership_required: self.require_owner,
            ownership_history: self.ownership.iter().map(OwnershipJson::of).collect(),
            revision: self.revision,
            started_at: Moment::new(self.started_at),
            last_update: Moment::new(self.updated_at),
            completed_at: self.completed_at.map(Moment::new),
            finalized_at: self.finalized.map(|finalized| Moment::new(finalized.at)),
            status: self.status(),
            current_step: self.current_step,
            total_steps: self.steps.len(),
            finish: self.finish.as_ref().map(FinishJson::of).unwrap_or_default(),
            steps: self.steps.iter().map(StepJson::of).collect(),
        }
    }

    /// The text of its state file.
    pub fn state_text(&self) -> serde_json::Result<String> {
        let mut text = serde_json::to_string_pretty(&self.state_file())?;
        text.push('\n');
        Ok(text)
    }

    /// Where its report is.
    pub fn report_path(&self) -> String {
        let root = self.place.folder.trim_end_matches('/');
        format!("{root}/.hotl/reports/{}.md", self.name)
    }

    pub(in crate::run) fn budgets_json(&self) -> BudgetsJson {
        BudgetsJson {
            limits: LimitsJson {
                total_attempts: self.limits.total_attempts,
                agents: self.limits.agents,
                cost_usd: self.limits.cost_usd,
                elapsed_minutes: self.limits.elapsed_minutes,
            },
            observed: ObservedJson {
                agents: self.observed.agents,
                cost_usd: self.observed.cost_usd,
                elapsed_minutes: self.observed.elapsed_minutes,
            },
            exceeded: self.exceeded.clone(),
        }
    }
}

impl ActionJson {
    pub(in crate::run) fn of(action: &Action) -> Self {
        Self {
            id: action.id.clone(),
            kind: action.kind,
            target: action.target.clone(),
            status: action.status,
            requested_at: Moment::new(action.requested_at),
            decided_at: action.decided_at.map(Moment::new),
            decision_mode: Some(action.mode),
            effect_required: action.effect.as_ref().map(|_| action.kind.is_sensitive()),
            idempotency_key: action.idempotency_key.clone(),
            effect: action.effect.as_ref().map(|effect| EffectJson {
                status: effect.status,
                intent_recorded_at: effect.intent_recorded_at.map(Moment::new),
                completed_at: effect.completed_at.map(Moment::new),
                evidence_ref: effect.evidence_ref.clone(),
            }),
        }
    }
}

impl ControllerJson {
    pub(in crate::run) fn of(owner: &Owner) -> Self {
        Self {
            status: owner.status,
            owner_id: owner.id.clone(),
            token_sha256: owner.token_sha256.clone(),
            claimed_at: owner.claimed_at.map(Moment::new),
            heartbeat_at: owner.heartbeat_at.map(Moment::new),
            lease_expires_epoch: owner.lease_until.map(|until| until.as_millis() / 1_000),
            released_at: owner.released_at.map(Moment::new),
        }
    }
}

impl OwnershipJson {
    fn of(record: &OwnerRecord) -> Self {
        Self {
            event: record.change,
            owner_id: record.owner.clone(),
            from_owner: record.from.clone(),
            at: Moment::new(record.at),
            reason: record.reason.clone(),
            forced: (record.change == OwnerChange::Takeover).then_some(record.forced),
        }
    }
}

impl FinishJson {
    pub(in crate::run) fn of(finish: &Finish) -> Self {
        let details = finish.details.clone();
        Self {
            disposition: Some(finish.disposition),
            recorded_at: Some(Moment::new(finish.recorded_at)),
            target_branch: details.target_branch,
            remote: details.remote,
            pr_url: details.pr_url,
            branch_action: details.branch_action,
            worktree_action: details.worktree_action,
            artifacts_preserved_at: details.artifacts_preserved_at,
            notes: details.notes,
            attested_gates: details.attested_gates,
            landed_head: details.landed_head,
        }
    }
}

impl StepJson {
    fn of(step: &StepState) -> Self {
        Self {
            number: step.number,
            name: step.name.clone(),
            action: step.action.clone(),
            status: step.status,
            attempts: step.attempts,
            max_iterations: step.max_iterations,
            repeat: step.repeat.clone(),
            started_at: step.started_at.map(Moment::new),
            completed_at: step.completed_at.map(Moment::new),
            verify: Some(verify(step)),
            gate: step.gate.clone(),
            gate_result: step.decided.as_ref().map(|decided| decided.decision),
            gate_mode: step.decided.as_ref().map(|decided| decided.mode),
            block_reason: step.block.as_ref().map(|block| block.reason.clone()),
            depends_on: step.depends_on.clone(),
        }
    }
}

/// The checks of a step with what came of them. A step without one has an empty command.
pub(in crate::run) fn verify(step: &StepState) -> VerifyJson {
    let said = plan(step.form, &step.checks);
    VerifyJson {
        passed: step.passed,
        stdout: step.stdout.clone(),
        stderr: step.stderr.clone(),
        ..said
    }
}

/// The checks of a step, as they are planned.
pub(in crate::run) fn plan(form: Form, checks: &[crate::run::file::Check]) -> VerifyJson {
    match (form, checks) {
        (Form::Many, checks) => VerifyJson {
            kind: "multi".to_owned(),
            checks: Some(checks.iter().map(VerifyJson::of).collect()),
            ..VerifyJson::default()
        },
        (Form::One | Form::None, [check, ..]) => VerifyJson::of(check),
        (Form::One | Form::None, []) => VerifyJson {
            kind: "shell".to_owned(),
            command: Some(String::new()),
            ..VerifyJson::default()
        },
    }
}
