//! The arguments by which a caller shows its right to act on a task.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::id::SHORTEST;
use windlass_domain::ownership::Bearer;
use windlass_domain::{Code, Refusal, Task, text};

use crate::context::{Context, Name};

/// Who acts, and by what right.
#[derive(Debug, Clone, Default, PartialEq, Args, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct By {
    /// Who acts; must hold the task if somebody does
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// The same, where no --agent is given
    #[arg(long, value_name = "NAME")]
    pub author: Option<String>,
    /// The fence of the claim under which this is done
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub fence: Option<u64>,
    /// Override the rules; needs --reason, and is recorded
    #[arg(long)]
    pub force: bool,
    /// Why the rules are overridden
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
}

impl By {
    /// The reason of an override; a refusal when it is missing or has nothing to override.
    pub fn force(&self, cx: &Context) -> Result<Option<String>, Refusal> {
        forced(cx, self.force, self.reason.as_deref())
    }

    /// Who acts, before a task is known.
    pub fn caller(&self, cx: &Context) -> Result<Caller, Refusal> {
        let (name, named) = cx.identity(Name::either(self.agent.as_ref(), self.author.as_ref()))?;
        let bearer = Bearer {
            name,
            named,
            fence: self.fence,
            force: self.force(cx)?,
            required: cx.required(),
        };
        Ok(Caller { bearer, fence_of_task: cx.surroundings.fence.clone() })
    }
}

/// The same where `--agent` names somebody else: who gets the task that is made.
#[derive(Debug, Clone, Default, PartialEq, Args, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ByAuthor {
    /// Who acts; a source that is held is finished, paused or spoken for by its holder only
    #[arg(long, value_name = "NAME")]
    pub author: Option<String>,
    /// The fence of the claim under which this is done
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub fence: Option<u64>,
    /// Override the rules; needs --reason, and is recorded
    #[arg(long)]
    pub force: bool,
    /// Why the rules are overridden
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
}

impl ByAuthor {
    pub fn caller(&self, cx: &Context) -> Result<Caller, Refusal> {
        let Self { author, fence, force, reason } = self.clone();
        By { agent: None, author, fence, force, reason }.caller(cx)
    }
}

/// A refusal where `--agent` names somebody else: it does not say who is calling.
pub fn by_author(refusal: Refusal) -> Refusal {
    match refusal.code {
        Code::AgentRequired => refusal.hint("give --author NAME or set WINDLASS_AGENT"),
        _ => refusal,
    }
}

/// The reason that goes with `--force`, which is not for an agent's key.
pub fn forced(cx: &Context, force: bool, reason: Option<&str>) -> Result<Option<String>, Refusal> {
    if force {
        cx.refuse_force()?;
    }
    match (force, reason) {
        (false, None) => Ok(None),
        (true, Some(reason)) => Ok(Some(text::reason(reason)?)),
        (true, None) => {
            Err(Refusal::new(Code::ReasonRequired, "--force needs a reason, which is recorded")
                .hint("add --reason \"why this is right\""))
        }
        (false, Some(_)) => Err(Refusal::new(Code::InvalidValue, "--reason is for --force only")
            .hint("add --force, or leave --reason out")
            .detail("field", "reason")),
    }
}

/// A caller whose arguments are in order.
#[derive(Debug, Clone)]
pub struct Caller {
    bearer: Bearer,
    fence_of_task: Option<(String, u64)>,
}

impl Caller {
    pub fn name(&self) -> &str {
        &self.bearer.name
    }

    pub fn is_named(&self) -> bool {
        self.bearer.named
    }

    /// What the caller shows for this task: a fence from the environment counts only for the task
    /// it was given for.
    pub fn bearer(&self, task: &Task) -> Bearer {
        let own = self.fence_of_task.as_ref();
        let from_surroundings = own
            .filter(|(id, _)| id.len() >= SHORTEST && task.id.matches(&id.to_ascii_uppercase()))
            .map(|(_, fence)| *fence);
        Bearer { fence: self.bearer.fence.or(from_surroundings), ..self.bearer.clone() }
    }
}
