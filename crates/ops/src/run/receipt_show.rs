//! `run receipt show`: what a run proves, step by step.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::Time;
use windlass_domain::run::receipt::receipt_at;
use windlass_domain::run::word::{RunStatus, StepStatus};
use windlass_ledger::Error;

use super::receipt_sign::{key_file, signed};
use super::target::Target;
use super::tell::Document;
use super::view::{proven, run_status, spoken, spoken_fact, step_tone};
use crate::context::Context;
use crate::operation::{Access, Operation, Output};
use crate::sheet::{Cell, Sheet};

/// Shows what a run proves, signed by this installation.
#[derive(Debug, Clone, Default, Args, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Receipt {
    /// The run; without one, the only run of the folder
    #[arg(value_name = "RUN")]
    pub run: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    pub target: Target,
}

impl Operation for Receipt {
    type Output = SignedReceipt;
    const NAME: &'static str = "run.receipt.show";
    const ABOUT: &'static str = "Show what a run proves, step by step, signed";
    const EXAMPLE: &'static str = "windlass run receipt show";
    const ACCESS: Access = Access::Read;

    fn run(&self, cx: &mut Context) -> Result<SignedReceipt, Error> {
        let target = Target::named(self.run.as_ref(), &self.target).chosen(cx)?;
        let receipt = cx.read(|snapshot| {
            let kept = target.find(snapshot)?;
            Ok(receipt_at(&kept.run, snapshot.head()?))
        })?;
        Ok(SignedReceipt(Document::of(&signed(receipt, &key_file(&cx.workplace)?)?)?))
    }

    fn for_a_server(&self, cx: &mut Context) -> Result<Option<Self>, Error> {
        let target = Target::named(self.run.as_ref(), &self.target).chosen(cx)?;
        Ok(Some(Self { run: None, target }))
    }
}

/// A receipt: a document of HOTL's with a signature, of which people read the main points.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct SignedReceipt(pub Document);

/// What people read of it.
#[derive(Deserialize)]
struct Told {
    run: ToldRun,
    evidence: Vec<ToldStep>,
    external_actions: Vec<ToldAction>,
    finish: ToldFinish,
    sufficiency: ToldSufficiency,
    signature: ToldSignature,
}

#[derive(Deserialize)]
struct ToldRun {
    id: String,
    intent: String,
    status: RunStatus,
    branch: String,
    commit_before: Option<String>,
    commit_after: Option<String>,
}

#[derive(Deserialize)]
struct ToldStep {
    step: u32,
    name: String,
    status: StepStatus,
    attempts: u32,
    gate: ToldGate,
    checks: Vec<ToldCheck>,
}

#[derive(Deserialize)]
struct ToldGate {
    required: bool,
    result: Option<String>,
    by: Option<String>,
}

#[derive(Deserialize)]
struct ToldCheck {
    outcome: String,
}

#[derive(Deserialize)]
struct ToldAction {
    id: String,
    kind: String,
    status: String,
    target: String,
    effect: Option<ToldEffect>,
}

#[derive(Deserialize)]
struct ToldEffect {
    status: String,
}

#[derive(Deserialize)]
struct ToldFinish {
    disposition: Option<String>,
}

#[derive(Deserialize)]
struct ToldSufficiency {
    sufficient: bool,
    reasons: Vec<String>,
    caveats: Vec<String>,
}

#[derive(Deserialize)]
struct ToldSignature {
    key_id: String,
}

impl Output for SignedReceipt {
    fn sheet(&self, now: Time) -> Sheet {
        match serde_json::from_str::<Told>(self.0.text()) {
            Ok(told) => told.sheet(),
            Err(_) => self.0.sheet(now),
        }
    }
}

impl Told {
    fn sheet(&self) -> Sheet {
        let Self { run, sufficiency, .. } = self;
        let given = |name, value: &Option<String>| {
            value.as_ref().map(|value| (name, Cell::from(value.clone())))
        };
        let facts = [
            Some(("status", run_status(run.status))),
            Some(("intent", run.intent.clone().into())),
            Some(("proven", proven(sufficiency.sufficient))),
            spoken_fact("missing", &sufficiency.reasons),
            spoken_fact("but", &sufficiency.caveats),
            given("work", &self.finish.disposition),
            Some(("branch", run.branch.clone().into())),
            given("from", &run.commit_before),
            given("to", &run.commit_after),
            Some(("signed by", self.signature.key_id.clone().into())),
        ];
        let steps = self.evidence.iter().map(ToldStep::row).collect();
        let sheet = Sheet::default()
            .and_heading(run.id.clone())
            .and_facts(facts.into_iter().flatten())
            .and_table(&["step", "name…", "status", "attempts", "checks", "gate"], steps);
        if self.external_actions.is_empty() {
            return sheet;
        }
        let rows = self.external_actions.iter().map(ToldAction::row).collect();
        sheet.and_table(&["action", "kind", "decided", "effect", "target…"], rows)
    }
}

impl ToldStep {
    fn row(&self) -> Vec<Cell> {
        let passed = self.checks.iter().filter(|check| check.outcome == "passed").count();
        let checks = match self.checks.len() {
            0 => String::new(),
            all => format!("{passed} of {all} passed"),
        };
        vec![
            self.step.to_string().into(),
            self.name.clone().into(),
            Cell::toned(spoken(self.status.as_str()), step_tone(self.status)),
            self.attempts.to_string().into(),
            checks.into(),
            self.gate.in_words().into(),
        ]
    }
}

impl ToldGate {
    fn in_words(&self) -> String {
        match (&self.result, &self.by) {
            (Some(result), Some(by)) => format!("{result} by {by}"),
            (Some(result), None) => result.clone(),
            (None, _) if self.required => "not decided".to_owned(),
            (None, _) => String::new(),
        }
    }
}

impl ToldAction {
    fn row(&self) -> Vec<Cell> {
        let effect = self.effect.as_ref().map(|effect| spoken(&effect.status));
        vec![
            self.id.clone().into(),
            spoken(&self.kind).into(),
            spoken(&self.status).into(),
            effect.unwrap_or_default().into(),
            self.target.clone().into(),
        ]
    }
}
