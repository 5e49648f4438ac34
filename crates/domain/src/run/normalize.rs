//! A workflow file in the portable form `hotl.workflow/v1`.

use serde::{Serialize, Serializer};

use super::file::{Amount, Gate, Loop, Risk, Step, WorkflowFile};
use super::name::{branch, slug};
use super::state_file::{VerifyJson, plan};

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Normalized {
    pub schema: &'static str,
    pub source: Source,
    pub workflow: Workflow,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Source {
    pub format: &'static str,
    pub path: String,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Workflow {
    pub slug: String,
    pub intent: String,
    pub success_criteria: String,
    pub risk_level: Risk,
    pub auto_approve: bool,
    pub branch: String,
    pub policy: Policy,
    pub total_steps: usize,
    pub steps: Vec<NormalStep>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Policy {
    pub profile: String,
    pub sensitive_actions: &'static str,
    pub budgets: Limits,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Limits {
    pub max_total_attempts: Option<Amount>,
    pub max_agents: Option<Amount>,
    pub max_cost_usd: Option<Amount>,
    pub max_elapsed_minutes: Option<Amount>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NormalStep {
    pub number: u32,
    pub name: String,
    pub action: String,
    #[serde(rename = "loop", serialize_with = "repeat")]
    pub repeat: Loop,
    pub max_iterations: u32,
    pub verify: Plan,
    pub gate: Option<Gate>,
    /// The steps that it waits for; without them, all earlier ones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<u32>,
}

/// The checks of a step. Results are no part of it; in a list, as in HOTL, they stand empty.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Plan {
    #[serde(rename = "type")]
    pub kind: String,
    pub command: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assert: Option<super::state_file::AssertJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checks: Option<Vec<VerifyJson>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout: Option<crate::duration::Span>,
}

/// `false`, or the text.
fn repeat<S: Serializer>(repeat: &Loop, serializer: S) -> Result<S::Ok, S::Error> {
    match repeat {
        Loop::Once => serializer.serialize_bool(false),
        Loop::Until(_) | Loop::Other(_) => serializer.collect_str(repeat),
    }
}

/// A workflow file in the portable form.
pub fn normalize(file: &WorkflowFile, path: &str) -> Normalized {
    let front = &file.front;
    let slug = slug(path);
    Normalized {
        schema: "hotl.workflow/v1",
        source: Source { format: "hotl-markdown", path: path.to_owned() },
        workflow: Workflow {
            intent: front.intent.clone().unwrap_or_default(),
            success_criteria: front.success_criteria.clone().unwrap_or_default(),
            risk_level: front.risk.unwrap_or_default(),
            auto_approve: front.auto_approve,
            branch: front.branch.clone().unwrap_or_else(|| branch(&slug)),
            policy: Policy {
                profile: front.policy_profile.clone().unwrap_or_else(|| "standard".to_owned()),
                sensitive_actions: "human",
                budgets: Limits {
                    max_total_attempts: front.budgets.total_attempts,
                    max_agents: front.budgets.agents,
                    max_cost_usd: front.budgets.cost_usd,
                    max_elapsed_minutes: front.budgets.elapsed_minutes,
                },
            },
            total_steps: file.steps.len(),
            steps: file.steps.iter().map(step).collect(),
            slug,
        },
    }
}

fn step(step: &Step) -> NormalStep {
    let said = plan(step.form, &step.checks);
    NormalStep {
        number: step.number,
        name: step.name.clone(),
        action: step.action.clone().unwrap_or_default(),
        repeat: step.repeat.clone(),
        max_iterations: step.max_iterations,
        verify: Plan {
            kind: said.kind,
            command: said.command,
            url: said.url,
            check: said.check,
            prompt: said.prompt,
            path: said.path,
            assert: said.assert,
            checks: said.checks,
            timeout: said.timeout,
        },
        gate: step.gate.clone(),
        depends_on: step.depends_on.clone(),
    }
}
