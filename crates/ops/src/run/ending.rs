//! `run finalize` and `run finished`: the end of a run, as it is recorded.

use std::path::Path;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::run::event::FinishDetails;
use windlass_domain::run::finish::{self, Force};
use windlass_domain::run::word::Disposition;
use windlass_domain::run::{Caller, Run};
use windlass_ledger::Error;

use super::change::{Act, Changed, Doer, word};
use super::files::Files;
use super::repository::head_in;
use super::steps::run_operation;
use super::target::Target;
use super::tie::{complete, may_complete};
use crate::context::{Context, Files as Place};
use crate::operation::{Access, Operation};

/// Ends the work on a run.
#[derive(Debug, Clone, Default, Args, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Finalize {
    /// The commit that the work ends at; without one, where the folder is
    #[arg(long, value_name = "COMMIT")]
    pub head: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    pub target: Target,
    #[command(flatten)]
    #[serde(flatten)]
    pub doer: Doer,
}

impl Operation for Finalize {
    type Output = Changed;
    const NAME: &'static str = "run.finalize";
    const ABOUT: &'static str = "End the work on a run: all is done and proven, or it is blocked";
    const EXAMPLE: &'static str = "windlass run finalize";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<Changed, Error> {
        let head = self.ends_at(cx);
        Act { target: &self.target, doer: &self.doer }.change(
            cx,
            None,
            |run, caller, now| Ok(finish::finalize(run, head.clone(), caller, now)?),
            |run| format!("Run finalized: {}", run.status()),
        )
    }

    fn for_a_server(&self, cx: &mut Context) -> Result<Option<Self>, Error> {
        let head = self.ends_at(cx);
        let target = self.target.settled(cx)?;
        Ok(Some(Self { head, target, doer: self.doer.here(cx) }))
    }

    fn afterwards(&self, answer: &Changed, cx: &mut Context) {
        answer.mirror(cx);
    }
}

impl Finalize {
    /// The commit that the work ends at: that of the folder of the run, wherever the caller is.
    fn ends_at(&self, cx: &mut Context) -> Option<String> {
        if self.head.is_some() || cx.surroundings.files == Place::Servers {
            return self.head.clone();
        }
        let asked = Files { target: self.target.clone(), ..Files::default() };
        let run = cx.perform(&asked).ok()?;
        let is_here = run.machine == cx.surroundings.host;
        is_here.then(|| head_in(cx, Path::new(&run.folder))).flatten()
    }
}

/// Records what became of the work of a run.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Finished {
    /// kept, merged, published or discarded
    pub disposition: String,
    /// The branch that it was merged into
    #[arg(long, value_name = "BRANCH")]
    #[serde(default)]
    pub target_branch: Option<String>,
    /// The remote that it was pushed to
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    pub remote: Option<String>,
    /// The address of the pull request
    #[arg(long, value_name = "URL")]
    #[serde(default)]
    pub pr_url: Option<String>,
    /// What became of the branch
    #[arg(long, value_name = "TEXT")]
    #[serde(default)]
    pub branch_action: Option<String>,
    /// What became of the worktree
    #[arg(long, value_name = "TEXT")]
    #[serde(default)]
    pub worktree_action: Option<String>,
    /// Where state file, report and evidence were kept
    #[arg(long, value_name = "PATH")]
    #[serde(default)]
    pub artifacts_preserved_at: Option<String>,
    /// The commit that landed
    #[arg(long, value_name = "COMMIT")]
    #[serde(default)]
    pub head: Option<String>,
    /// Anything else
    #[arg(long, value_name = "TEXT")]
    #[serde(default)]
    pub notes: Option<String>,
    /// Replace what was recorded before
    #[arg(long)]
    #[serde(default)]
    pub force: bool,
    /// Only say whether it may be recorded
    #[arg(long)]
    #[serde(default)]
    pub dry_run: bool,
    /// Also complete the task of the run, with the receipt as evidence
    #[arg(long)]
    #[serde(default)]
    pub complete_task: bool,
    #[command(flatten)]
    #[serde(flatten)]
    pub target: Target,
    #[command(flatten)]
    #[serde(flatten)]
    pub doer: Doer,
}

impl Operation for Finished {
    type Output = Changed;
    const NAME: &'static str = "run.finished";
    const ABOUT: &'static str = "Record what became of the work of a run";
    const EXAMPLE: &'static str = "windlass run finished kept";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<Changed, Error> {
        let disposition =
            word("disposition", &self.disposition, Disposition::ALL, Disposition::as_str)?;
        if self.force {
            cx.refuse_force()?;
        }
        let force = if self.force { Force::Yes } else { Force::No };
        let details = FinishDetails {
            target_branch: self.target_branch.clone(),
            remote: self.remote.clone(),
            pr_url: self.pr_url.clone(),
            branch_action: self.branch_action.clone(),
            worktree_action: self.worktree_action.clone(),
            artifacts_preserved_at: self.artifacts_preserved_at.clone(),
            notes: self.notes.clone(),
            landed_head: self.head.clone(),
            ..FinishDetails::default()
        };
        let act = Act { target: &self.target, doer: &self.doer };
        let decide = |run: &Run, caller: &Caller, now| {
            Ok(finish::finish(run, disposition, details.clone(), force, caller, now)?)
        };
        let tell = |_: &Run, run: &Run, now| {
            Ok(Changed::new(run, None, format!("Finish recorded: {disposition}"), now))
        };
        let agent = self.doer.agent.as_deref();
        match (self.dry_run, self.complete_task) {
            (true, completes) => act.rehearse(
                cx,
                decide,
                |tx, run| if completes { may_complete(tx, run, agent) } else { Ok(()) },
                tell,
            ),
            (false, true) => act.record_and(cx, decide, |tx, run| complete(tx, run, agent), tell),
            (false, false) => act.record(cx, decide, tell),
        }
    }

    run_operation!();
}
