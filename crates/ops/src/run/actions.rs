//! `run action …`: what a run does to the world outside, asked for first and proven after.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::Time;
use windlass_domain::event::RunEvent;
use windlass_domain::run::Run;
use windlass_domain::run::action::{self, Requested};
use windlass_domain::run::gate::Answer;
use windlass_domain::run::state::Action;
use windlass_domain::run::word::{ActionKind, Decision, EffectStatus, Mode};
use windlass_ledger::{Error, Fault};

use super::change::{Act, Doer, Whereabouts, word};
use super::mirror;
use super::steps::run_operation;
use super::target::Target;
use super::waiting::{WaitingView, answers};
use crate::context::Context;
use crate::operation::{Access, Operation, Output};
use crate::sheet::Sheet;

/// An action of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ActionView {
    #[serde(flatten)]
    pub whereabouts: Whereabouts,
    pub id: String,
    pub kind: String,
    pub target: String,
    /// allowed, `host_authority`, pending, approved or rejected.
    pub status: String,
    pub idempotency_key: Option<String>,
    pub effect_status: Option<String>,
    pub evidence_ref: Option<String>,
    /// It had been asked for before, under the same key.
    pub deduplicated: bool,
    /// How far the run has come.
    pub run_status: String,
    /// The commands that answer it, while the run waits for that.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ways: Vec<String>,
}

impl ActionView {
    fn of(run: &Run, action: &Action, deduplicated: bool) -> Self {
        let effect = action.effect.as_ref();
        Self {
            whereabouts: Whereabouts::of(run),
            id: action.id.clone(),
            kind: action.kind.to_string(),
            target: action.target.clone(),
            status: action.status.to_string(),
            idempotency_key: action.idempotency_key.clone(),
            effect_status: effect.map(|effect| effect.status.to_string()),
            evidence_ref: effect.and_then(|effect| effect.evidence_ref.clone()),
            deduplicated,
            run_status: run.status().to_string(),
            ways: WaitingView::ways(run, |on| on.action() == Some(action.id.as_str())),
        }
    }

    /// The action of that id, or the newest.
    fn found(run: &Run, id: Option<&str>) -> Result<Self, Fault> {
        let action = match id {
            Some(id) => run.action(id),
            None => run.actions.last(),
        };
        action
            .map(|action| Self::of(run, action, false))
            .ok_or_else(|| Fault::bug("an action went away"))
    }

    fn mirror(&self, cx: &mut Context) {
        mirror::write(cx, &self.whereabouts);
    }
}

impl Output for ActionView {
    fn sheet(&self, _now: Time) -> Sheet {
        let Self { id, kind, target, status, .. } = self;
        let sheet = Sheet::line(format!("{id} ({kind}) is {status}: {target}"));
        let sheet = match &self.effect_status {
            Some(effect) => sheet.and_line(format!("effect: {}", effect.replace('_', " "))),
            None => sheet,
        };
        let sheet = match &self.idempotency_key {
            Some(key) => sheet.and_line(format!("idempotency key: {key}")),
            None => sheet,
        };
        answers(sheet, &self.ways)
    }
}

/// Asks for an action.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct ActionRequest {
    /// `local_write`, `network_read`, `external_write`, `production_change` or `secret_access`
    pub kind: String,
    /// What exactly is done
    #[arg(long = "target", value_name = "TEXT", default_value = "")]
    #[serde(default)]
    pub what: String,
    /// A key of yours, under which it is one action however often it is asked for
    #[arg(long, value_name = "KEY")]
    #[serde(default)]
    pub idempotency_key: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    pub target: Target,
    #[command(flatten)]
    #[serde(flatten)]
    pub doer: Doer,
}

impl Operation for ActionRequest {
    type Output = ActionView;
    const NAME: &'static str = "run.action.request";
    const ABOUT: &'static str =
        "Ask for something outside the run; what can do harm needs a person";
    const EXAMPLE: &'static str =
        "windlass run action request external_write --target \"publish v2 to origin\"";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<ActionView, Error> {
        let kind = word("kind", &self.kind, ActionKind::ALL, ActionKind::as_str)?;
        let key = self.idempotency_key.as_deref();
        Act { target: &self.target, doer: &self.doer }.record(
            cx,
            |run, caller, now| match action::request(run, kind, &self.what, key, caller, now)? {
                Requested::Before(_) => Ok(Vec::new()),
                Requested::Now(events) => Ok(events),
            },
            |before, run, _| {
                let is_new = run.actions.len() > before.actions.len();
                let known = run
                    .actions
                    .iter()
                    .find(|action| !is_new && action.idempotency_key.as_deref() == key);
                match known {
                    Some(action) => Ok(ActionView::of(run, action, true)),
                    None => ActionView::found(run, None),
                }
            },
        )
    }

    run_operation!();
}

/// Decides an action.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct ActionDecide {
    /// The id of the action
    pub action: String,
    /// approved or rejected
    pub decision: String,
    /// Who decides
    #[arg(long, value_name = "MODE", default_value = "human")]
    #[serde(default = "human")]
    pub mode: String,
    /// Why; a rejection needs it
    #[arg(long, value_name = "TEXT")]
    #[serde(default)]
    pub reason: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    pub target: Target,
    #[command(flatten)]
    #[serde(flatten)]
    pub doer: Doer,
}

fn human() -> String {
    Mode::Human.as_str().to_owned()
}

impl Operation for ActionDecide {
    type Output = ActionView;
    const NAME: &'static str = "run.action.decide";
    const ABOUT: &'static str = "Approve or reject an action that waits for a person";
    const EXAMPLE: &'static str = "windlass run action decide action-1 approved";
    const ACCESS: Access = Access::Approve;

    fn run(&self, cx: &mut Context) -> Result<ActionView, Error> {
        let decision = word("decision", &self.decision, Decision::ALL, Decision::as_str)?;
        let mode = word("mode", &self.mode, Mode::ALL, Mode::as_str)?;
        let answer = Answer { decision, mode, reason: self.reason.clone() };
        let id = &self.action;
        Act { target: &self.target, doer: &self.doer }.record(
            cx,
            |run, caller, now| Ok(action::decide(run, id, &answer, caller, now)?),
            |_, run, _| ActionView::found(run, Some(id)),
        )
    }

    run_operation!();
}

/// Begins an action that was approved.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct ActionBegin {
    /// The id of the action
    pub action: String,
    /// The key under which it was asked for
    #[arg(long, value_name = "KEY", default_value = "")]
    #[serde(default)]
    pub idempotency_key: String,
    #[command(flatten)]
    #[serde(flatten)]
    pub target: Target,
    #[command(flatten)]
    #[serde(flatten)]
    pub doer: Doer,
}

impl Operation for ActionBegin {
    type Output = ActionView;
    const NAME: &'static str = "run.action.begin";
    const ABOUT: &'static str = "Say that an approved action begins; it begins once";
    const EXAMPLE: &'static str = "windlass run action begin action-1 --idempotency-key KEY";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<ActionView, Error> {
        let (id, key) = (&self.action, &self.idempotency_key);
        Act { target: &self.target, doer: &self.doer }.record(
            cx,
            |run, caller, now| Ok(action::begin(run, id, key, caller, now)?),
            |_, run, _| ActionView::found(run, Some(id)),
        )
    }

    run_operation!();
}

/// Says what came of an action.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct ActionComplete {
    /// The id of the action
    pub action: String,
    /// succeeded, failed, uncertain or cancelled
    pub outcome: String,
    /// What shows it
    #[arg(long, value_name = "TEXT", default_value = "")]
    #[serde(default)]
    pub evidence_ref: String,
    #[command(flatten)]
    #[serde(flatten)]
    pub target: Target,
    #[command(flatten)]
    #[serde(flatten)]
    pub doer: Doer,
}

impl Operation for ActionComplete {
    type Output = ActionView;
    const NAME: &'static str = "run.action.complete";
    const ABOUT: &'static str = "Say what came of an action, and what shows it";
    const EXAMPLE: &'static str =
        "windlass run action complete action-1 succeeded --evidence-ref https://ci/42";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<ActionView, Error> {
        let outcome = word("outcome", &self.outcome, EffectStatus::ALL, EffectStatus::as_str)?;
        let (id, evidence) = (&self.action, &self.evidence_ref);
        Act { target: &self.target, doer: &self.doer }.record(
            cx,
            |run, caller, now| -> Result<Vec<RunEvent>, _> {
                Ok(action::complete(run, id, outcome, evidence, caller, now)?)
            },
            |_, run, _| ActionView::found(run, Some(id)),
        )
    }

    run_operation!();
}

/// Says what was found to have come of an action.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct ActionReconcile {
    /// The id of the action
    pub action: String,
    /// succeeded, failed or cancelled
    pub outcome: String,
    /// What shows it
    #[arg(long, value_name = "TEXT", default_value = "")]
    #[serde(default)]
    pub evidence_ref: String,
    #[command(flatten)]
    #[serde(flatten)]
    pub target: Target,
    #[command(flatten)]
    #[serde(flatten)]
    pub doer: Doer,
}

impl Operation for ActionReconcile {
    type Output = ActionView;
    const NAME: &'static str = "run.action.reconcile";
    const ABOUT: &'static str = "Say what was found to have come of an action nobody was sure of";
    const EXAMPLE: &'static str =
        "windlass run action reconcile action-1 succeeded --evidence-ref seen";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<ActionView, Error> {
        let outcome = word("outcome", &self.outcome, EffectStatus::ALL, EffectStatus::as_str)?;
        let (id, evidence) = (&self.action, &self.evidence_ref);
        Act { target: &self.target, doer: &self.doer }.record(
            cx,
            |run, caller, now| -> Result<Vec<RunEvent>, _> {
                Ok(action::reconcile(run, id, outcome, evidence, caller, now)?)
            },
            |_, run, _| ActionView::found(run, Some(id)),
        )
    }

    run_operation!();
}
