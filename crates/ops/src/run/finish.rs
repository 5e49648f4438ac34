//! `run finish`: what becomes of the work of a run is done, and recorded.
//!
//! In this order, so that nothing is done that may not be, and nothing is forgotten that was done:
//! look at the work, ask the rules, merge or publish, record, take away what is no longer needed. If
//! it is interrupted, it can be called again.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::run::approval::waits_for;
use windlass_domain::run::disposal::Way;
use windlass_domain::run::event::{FinishDetails, Place as RunPlace};
use windlass_domain::run::state_file::{ActionJson, StateFile, parse};
use windlass_domain::run::word::{Disposition, EffectStatus};
use windlass_domain::{Code, Refusal, Time};
use windlass_ledger::Error;

use super::actions::{ActionBegin, ActionComplete};
use super::attendance::end_abandoned;
use super::change::{Changed, Doer};
use super::ending::Finished;
use super::files::{Files, RunFiles};
use super::landing::{Landing, Subject};
use super::mirror;
use super::target::Target;
use crate::context::Context;
use crate::operation::{Access, Operation, Output, Place, Remotely};
use crate::settings::one_of;
use crate::sheet::{Cell, Sheet, Tone};

/// Finishes a run.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Finish {
    /// keep, merge, publish or discard
    pub way: String,
    /// The branch to merge into; without one, where the work came from
    #[arg(long, value_name = "BRANCH")]
    #[serde(default)]
    pub into: Option<String>,
    /// The remote to publish to
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    pub remote: Option<String>,
    /// Also ask for a pull request against this branch, with the client of the forge
    #[arg(long, value_name = "BRANCH")]
    #[serde(default)]
    pub pull_request: Option<String>,
    /// The pull request that was made already; none is asked for then
    #[arg(long, value_name = "URL")]
    #[serde(default)]
    pub pr_url: Option<String>,
    /// The approved action that this is, where several say the same
    #[arg(long, value_name = "ACTION")]
    #[serde(default)]
    pub action: Option<String>,
    /// Only say what would be done
    #[arg(long)]
    #[serde(default)]
    pub preview: bool,
    /// Must say `discard` to discard where nobody can be asked
    #[arg(long, value_name = "WORD")]
    #[serde(default)]
    pub confirm: Option<String>,
    /// Also complete the task of the run, with the receipt as evidence
    #[arg(long)]
    #[serde(default)]
    pub complete_task: bool,
    /// Anything to remember
    #[arg(long, value_name = "TEXT")]
    #[serde(default)]
    pub notes: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    pub target: Target,
    #[command(flatten)]
    #[serde(flatten)]
    pub doer: Doer,
}

/// What became of the work, or would.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct Settled {
    /// What would be done.
    pub plan: Vec<String>,
    /// Why it would be refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub obstacle: Option<Obstacle>,
    /// What was done; nothing where it was only looked at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub done: Vec<String>,
    /// The reference that keeps commits which were in the branch alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rescue: Option<String>,
    /// Nothing where it was only looked at, or on record already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<Changed>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pull_request: Option<String>,
    /// The branch that the work goes into, or is meant for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_branch: Option<String>,
}

/// A rule that stands in the way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Obstacle {
    pub code: String,
    pub message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl From<Refusal> for Obstacle {
    fn from(refusal: Refusal) -> Self {
        let Refusal { code, message, hint, .. } = refusal;
        Self { code: code.as_str().to_owned(), message, hint }
    }
}

impl Operation for Finish {
    type Output = Settled;
    const NAME: &'static str = "run.finish";
    const ABOUT: &'static str = "Keep, merge, publish or discard the work of a run, and record it";
    const EXAMPLE: &'static str = "windlass run finish merge --preview";
    const ACCESS: Access = Access::Write;
    const PLACE: Place = Place::Workplace;
    const REMOTELY: Remotely = Remotely::Here;

    fn run(&self, cx: &mut Context) -> Result<Settled, Error> {
        let way = self.way()?;
        let files = self.target.look(cx)?;
        let state = parse(&files.state)?;
        let place = place(&state, &files);
        let asked = Files { target: Target::of(files.run), plan: true, ..Files::default() };
        let workflow = cx.perform(&asked)?.workflow;
        let subject = Subject {
            run_id: &files.run_id,
            place: &place,
            ended_at: files.ended_at.as_deref(),
            file_sha256: workflow.as_ref().map(|file| file.file_sha256.as_str()),
        };
        if let Some(left) = left_of(cx, subject, &state, &way)? {
            return self.end(cx, &left, &files);
        }
        let landing = Landing::look(cx, subject, &way)?;
        let preview = landing.preview();
        let mut settled = Settled {
            plan: preview.lines(),
            target_branch: landing.target_branch().map(str::to_owned),
            ..Settled::default()
        };
        let mut finished = self.finished(&landing, &Target::of(files.run), cx);
        let allowed = self.must_be_allowed(cx, &landing, &state, &finished);
        if self.preview {
            settled.obstacle = match allowed {
                Ok(_) => None,
                Err(Error::Refused(refusal)) => Some(refusal.into()),
                Err(failed) => return Err(failed),
            };
            return Ok(settled);
        }
        let action = allowed?;
        self.must_be_meant(cx, &landing, &preview)?;
        end_abandoned(cx, &files.whereabouts());
        let landed = self.land(cx, &landing, action, &finished);
        if landed.is_err() {
            // What was begun is on record.
            mirror::write(cx, &files.whereabouts());
        }
        settled.pull_request = landed?;
        finished.pr_url.clone_from(&settled.pull_request);
        let run = cx.perform(&finished)?;
        mirror::write(cx, &run.whereabouts);
        settled.rescue = landing.clear_up()?;
        settled.done = landing.done(settled.rescue.as_deref());
        Ok(Settled { run: Some(run), ..settled })
    }
}

impl Finish {
    /// Takes away what a call that was interrupted has left, once it had recorded the outcome.
    fn end(&self, cx: &mut Context, left: &Landing, files: &RunFiles) -> Result<Settled, Error> {
        let preview = left.preview();
        let mut settled = Settled {
            plan: preview.lines(),
            target_branch: left.target_branch().map(str::to_owned),
            ..Settled::default()
        };
        if self.preview {
            return Ok(settled);
        }
        self.must_be_meant(cx, left, &preview)?;
        mirror::write(cx, &files.whereabouts());
        settled.rescue = left.clear_up()?;
        settled.done = left.done(settled.rescue.as_deref());
        Ok(settled)
    }

    fn way(&self) -> Result<Way, Refusal> {
        let given = |option: &str, value: &Option<String>| match value {
            None => Ok(()),
            Some(value) => Err(Refusal::new(
                Code::InvalidValue,
                format!("--{option} {value} is not for {}", self.way),
            )
            .hint(format!("leave --{option} out"))
            .detail("field", option)),
        };
        let way = Way::named(&self.way).ok_or_else(|| one_of("way", &self.way, &Way::NAMES))?;
        let disposition = way.disposition();
        if !disposition.lands() {
            given("action", &self.action)?;
        }
        if disposition != Disposition::Merged {
            given("into", &self.into)?;
        }
        if disposition != Disposition::Published {
            given("remote", &self.remote)?;
            given("pull-request", &self.pull_request)?;
            given("pr-url", &self.pr_url)?;
        }
        Ok(match way {
            Way::Keep | Way::Discard => way,
            Way::Merge { .. } => Way::Merge { into: self.into.clone() },
            Way::Publish { .. } => Way::Publish { remote: self.remote.clone() },
        })
    }

    fn finished(&self, landing: &Landing, target: &Target, cx: &Context) -> Finished {
        let details = landing.details();
        let FinishDetails { target_branch, remote, pr_url, branch_action, .. } = details;
        Finished {
            disposition: landing.disposition().to_string(),
            target_branch: self.pull_request.clone().or(target_branch),
            remote,
            pr_url,
            branch_action,
            worktree_action: details.worktree_action,
            artifacts_preserved_at: details.artifacts_preserved_at,
            head: landing.commit().map(str::to_owned),
            notes: self.notes.clone(),
            force: false,
            complete_task: self.complete_task,
            dry_run: false,
            target: target.clone(),
            doer: self.doer.here(cx),
        }
    }

    /// Asks the rules, and finds the action that a person approved for this. A run may wait for
    /// nothing but what comes of that.
    fn must_be_allowed<'a>(
        &self,
        cx: &mut Context,
        landing: &Landing,
        state: &'a StateFile,
        finished: &Finished,
    ) -> Result<Option<&'a ActionJson>, Error> {
        let approved = self.approved(landing, state);
        let is_awaited = |refusal: &Refusal| {
            let action = approved.as_ref().ok().copied().flatten();
            action.is_some_and(|action| waits_for(refusal, action, &state.external_actions))
        };
        match cx.perform(&Finished { dry_run: true, ..finished.clone() }) {
            Err(Error::Refused(refusal)) if is_awaited(&refusal) => {}
            allowed => drop(allowed?),
        }
        Ok(approved?)
    }

    /// What cannot be taken back is asked about.
    fn must_be_meant(&self, cx: &Context, landing: &Landing, preview: &Sheet) -> Result<(), Error> {
        let is_discarded = landing.disposition() == Disposition::Discarded;
        if !is_discarded || self.confirm.as_deref() == Some("discard") {
            return Ok(());
        }
        match cx.confirm(preview, "discard it?") {
            Some(true) => Ok(()),
            Some(false) | None => Err(Refusal::new(
                Code::InvalidValue,
                "nothing was discarded: nobody said that it is meant",
            )
            .hint("look at it with --preview, then give --confirm discard")
            .detail("field", "confirm")
            .into()),
        }
    }

    /// What goes out of the house was approved by a person, word by word.
    fn approved<'a>(
        &self,
        landing: &Landing,
        state: &'a StateFile,
    ) -> Result<Option<&'a ActionJson>, Refusal> {
        match landing.action(self.pull_request.as_deref()) {
            Some(outward) => {
                let run_id = state.run_id.as_str();
                outward.must_be_approved(run_id, &state.external_actions, self.action.as_deref())
            }
            None => Ok(None),
        }
    }

    /// Merges or publishes; what goes out is told before and after.
    fn land(
        &self,
        cx: &mut Context,
        landing: &Landing,
        action: Option<&ActionJson>,
        finished: &Finished,
    ) -> Result<Option<String>, Error> {
        let (target, doer) = (finished.target.clone(), finished.doer.clone());
        let is_new = |action: &ActionJson| {
            action.effect.as_ref().is_some_and(|effect| effect.status == EffectStatus::NotStarted)
        };
        if let Some(action) = action.filter(|action| is_new(action)) {
            let idempotency_key = action.idempotency_key.clone().unwrap_or_default();
            let action = action.id.clone();
            let (target, doer) = (target.clone(), doer.clone());
            cx.perform(&ActionBegin { action, idempotency_key, target, doer })?;
        }
        landing.land()?;
        let url = match (&self.pr_url, &self.pull_request) {
            // It was made before, by hand or by a call that was interrupted.
            (Some(url), _) => Some(url.clone()),
            (None, Some(base)) => Some(landing.create_pull_request(base)?),
            (None, None) => None,
        };
        if let Some(action) = action {
            let evidence_ref = match &url {
                Some(url) => format!("pr:{url}"),
                None => landing.evidence()?,
            };
            let (action, outcome) = (action.id.clone(), EffectStatus::Succeeded.to_string());
            cx.perform(&ActionComplete { action, outcome, evidence_ref, target, doer })?;
        }
        Ok(url)
    }
}

/// What is left of a run of which the same is on record already.
fn left_of(
    cx: &Context,
    subject: Subject<'_>,
    state: &StateFile,
    way: &Way,
) -> Result<Option<Landing>, Error> {
    match state.finish.disposition {
        Some(disposition) if disposition == way.disposition() => {
            Landing::left(cx, subject, disposition, state.finish.target_branch.as_deref())
        }
        Some(_) | None => Ok(None),
    }
}

/// Where a run takes place, by its state file.
fn place(state: &StateFile, files: &RunFiles) -> RunPlace {
    let state = state.clone();
    RunPlace {
        workflow_path: state.workflow_path,
        source_workflow_path: state.source_workflow_path,
        source_branch: state.source_branch,
        source_head: state.source_head,
        stash: None,
        rescue: None,
        workflow_slug: state.workflow_slug,
        branch: state.branch,
        repo_root: state.repo_root,
        execution_root: state.execution_root,
        worktree_path: state.worktree_path,
        executor_mode: state.executor_mode,
        driver: state.driver,
        host: state.host,
        folder: files.folder.clone(),
        machine: files.machine.clone(),
    }
}

impl Output for Settled {
    fn sheet(&self, now: Time) -> Sheet {
        let lines = |sheet: Sheet, lines: &[String]| {
            lines.iter().fold(sheet, |sheet, line| sheet.and_line(line.as_str()))
        };
        let Some(run) = &self.run else {
            if !self.done.is_empty() {
                return lines(Sheet::default(), &self.done);
            }
            let planned = lines(Sheet::default(), &self.plan);
            return self.obstacle.iter().fold(planned, |sheet, obstacle| obstacle.onto(sheet));
        };
        let sheet = lines(run.sheet(now), &self.done);
        match &self.pull_request {
            Some(url) => sheet.and_line(url.clone()),
            None => sheet,
        }
    }
}

impl Obstacle {
    fn onto(&self, sheet: Sheet) -> Sheet {
        let refused = format!("it would be refused: {}", self.message);
        let sheet = sheet.and_line(Cell::toned(refused, Tone::Bad));
        match &self.hint {
            Some(hint) => sheet.and_line(format!("hint: {hint}")),
            None => sheet,
        }
    }
}
