//! HOTL's script that finishes an execution, as `windlass hotl finish-execution`.
//!
//! The checks and their texts are those of the script; what is done is done by `run finish`.

use serde::Deserialize;
use windlass_domain::run::disposal::{Way, merge_action, publish_action};
use windlass_domain::run::finish::must_be_first;
use windlass_domain::run::state_file::ActionJson;
use windlass_domain::run::word::{Disposition, EffectStatus, RunStatus};
use windlass_domain::{Code, Exit};
use windlass_ledger::Error;
use windlass_ops::Context;
use windlass_ops::run::{Document, Doer, Finish, Locate, Receipt, Summary, Target, indented};

use super::Trouble;
use super::runtime::say;
use super::words::Words;

const USAGE: &str = "\
usage: finish-execution --run-id <run-id> --mode <keep|merge|publish|discard>
       [--target-branch <branch>] [--remote <name>] [--create-pr]
       [--pr-url <url>] [--notes <text>] [--confirm discard]
       --effect-action-id <id> --idempotency-key <key>   # required for publish
";

/// What the script publishes to when it is not told.
const REMOTE: &str = "origin";

/// What the script was asked for.
#[derive(Debug)]
struct Asked {
    run_id: String,
    way: Way,
    target_branch: Option<String>,
    remote: String,
    create_pr: bool,
    pr_url: Option<String>,
    notes: Option<String>,
    confirm: Option<String>,
    effect: Option<Effect>,
}

/// The action that a person approved, as the caller names it.
#[derive(Debug)]
struct Effect {
    action: String,
    key: String,
}

/// What a summary says that matters here.
#[derive(Debug, Deserialize)]
struct Told {
    status: RunStatus,
    branch: String,
    finish: ToldFinish,
}

#[derive(Debug, Deserialize)]
struct ToldFinish {
    disposition: Option<String>,
}

#[derive(Debug, Deserialize)]
struct ToldActions {
    external_actions: Vec<ActionJson>,
}

pub(super) fn answer(cx: &mut Context, words: Words) -> Result<Exit, Trouble> {
    let asked = Asked::read(words)?;
    let target = asked.located(cx)?;
    let summary = Summary { run: None, target: target.clone() };
    let told: Told = read(&cx.call(&summary)?)?;
    asked.must_be_possible(&told)?;
    let finish = asked.finish(cx, &target, &told)?;
    let settled = cx.call(&finish).map_err(|error| trouble(error, &asked.way))?;
    // Its worktree may be gone, and others may have its name.
    let run = settled.run.map(|run| run.whereabouts.run.to_string());
    say(&indented(cx.call(&Summary { run, ..Summary::default() })?.text()))
}

fn read<T: for<'a> Deserialize<'a>>(document: &Document) -> Result<T, Trouble> {
    serde_json::from_str(document.text())
        .map_err(|wrong| Trouble::Told(format!("the run cannot be read: {wrong}")))
}

impl Asked {
    fn read(mut words: Words) -> Result<Self, Trouble> {
        let way = words.option("--mode").and_then(|word| Way::named(&word));
        let (Some(run_id), Some(way)) = (words.metadata("--run-id"), way) else {
            return Err(Trouble::Misused(USAGE));
        };
        let asked = Self {
            run_id,
            target_branch: words.metadata("--target-branch"),
            remote: words.metadata("--remote").unwrap_or_else(|| REMOTE.to_owned()),
            create_pr: words.switch("--create-pr"),
            pr_url: words.metadata("--pr-url"),
            notes: words.metadata("--notes"),
            confirm: words.metadata("--confirm"),
            effect: effect(&mut words, &way)?,
            way,
        };
        words.end().map_err(|_| Trouble::Misused(USAGE))?;
        Ok(asked)
    }

    /// The run, in the checkout that it is in.
    fn located(&self, cx: &mut Context) -> Result<Target, Trouble> {
        let folder = cx.surroundings.folder.clone().unwrap_or_default();
        if !folder.ancestors().any(|above| above.join(".git").exists()) {
            return told("hotl-finish-execution.sh must run inside a git repository.");
        }
        let run_id = Some(self.run_id.clone());
        let located = cx.call(&Locate { run_id: run_id.clone(), all: true, workflow: None })?;
        let Some(run) = located.runs.into_iter().next() else {
            let run_id = &self.run_id;
            return told(&format!(
                "Could not locate HOTL run {run_id} in the repo checkout or its worktrees."
            ));
        };
        Ok(Target { run_id, folder: Some(run.run_root), machine: None })
    }

    fn must_be_possible(&self, run: &Told) -> Result<(), Trouble> {
        let (mode, status) = (self.way.as_str(), run.status);
        if let Some(needed) = must_be_first(status, self.way.disposition()) {
            return told(&format!(
                "Mode '{mode}' requires a {needed} run. Current status: {status}"
            ));
        }
        if let Some(disposition) = &run.finish.disposition {
            let run_id = &self.run_id;
            return told(&format!(
                "Run {run_id} already has a recorded finish outcome: {disposition}"
            ));
        }
        if self.way == Way::Discard && self.confirm.as_deref() != Some("discard") {
            return told("Discard is destructive. Re-run with --confirm discard.");
        }
        Ok(())
    }

    /// What `run finish` shall do. Where it goes is looked up first, since the approval names it.
    fn finish(&self, cx: &mut Context, target: &Target, run: &Told) -> Result<Finish, Trouble> {
        let is = |disposition: Disposition| self.way.disposition() == disposition;
        let publishes = is(Disposition::Published);
        let mut finish = Finish {
            way: self.way.as_str().to_owned(),
            into: self.target_branch.clone().filter(|_| is(Disposition::Merged)),
            remote: publishes.then(|| self.remote.clone()),
            pull_request: None,
            pr_url: self.pr_url.clone().filter(|_| publishes),
            action: self.effect.as_ref().map(|effect| effect.action.clone()),
            preview: true,
            confirm: self.confirm.clone(),
            complete_task: false,
            notes: self.notes.clone(),
            target: target.clone(),
            doer: Doer::default(),
        };
        let looked = cx.call(&finish).map_err(|error| trouble(error, &self.way))?;
        let into = self.target_branch.clone().or(looked.target_branch);
        if publishes && self.create_pr {
            finish.pull_request = Some(into.clone().ok_or_else(|| {
                let told = "Could not determine a PR base branch. Pass --target-branch explicitly.";
                Trouble::Told(told.to_owned())
            })?);
        }
        self.must_be_approved(cx, &finish, run, into.as_deref().unwrap_or_default())?;
        let into = into.unwrap_or_default();
        finish.notes = self.notes.clone().or_else(|| Some(notes(&self.way, &into)));
        finish.preview = false;
        Ok(finish)
    }

    /// The action that the caller names is the one that a person approved for exactly this.
    fn must_be_approved(
        &self,
        cx: &mut Context,
        finish: &Finish,
        run: &Told,
        into: &str,
    ) -> Result<(), Trouble> {
        let Some(Effect { action, key }) = &self.effect else { return Ok(()) };
        let wanted = match self.way {
            Way::Merge { .. } => merge_action(&run.branch, into),
            Way::Publish { .. } => {
                publish_action(&run.branch, &self.remote, finish.pull_request.as_deref())
            }
            Way::Keep | Way::Discard => return Ok(()),
        };
        let receipt = Receipt { run: None, target: finish.target.clone() };
        let known: ToldActions = read(&cx.call(&receipt)?.0)?;
        let approved = wanted.approved(&known.external_actions, Some(action));
        let is_meant = approved.is_some_and(|approved| {
            let effect = approved.effect.as_ref().map(|effect| effect.status);
            // What was begun goes on only with the pull request that came of it.
            let is_ready = effect == Some(EffectStatus::NotStarted) || finish.pr_url.is_some();
            approved.idempotency_key.as_deref() == Some(key) && is_ready
        });
        match is_meant {
            true => Ok(()),
            false => told(
                "Approved action does not match the bounded finish effect or is not ready to begin.",
            ),
        }
    }
}

/// What is remembered when nobody says anything.
fn notes(way: &Way, into: &str) -> String {
    match way {
        Way::Keep => "Kept execution branch/worktree for later.".to_owned(),
        Way::Merge { .. } => format!("Merged execution branch back into {into}."),
        Way::Publish { .. } => "Published execution branch for review.".to_owned(),
        Way::Discard => "Discarded execution branch/worktree after review.".to_owned(),
    }
}

fn effect(words: &mut Words, way: &Way) -> Result<Option<Effect>, Trouble> {
    let action = words.metadata("--effect-action-id");
    match (action, words.metadata("--idempotency-key")) {
        (Some(_), Some(_)) if !way.disposition().lands() => {
            told("effect lifecycle options are supported only for merge or publish.")
        }
        (Some(action), Some(key)) => Ok(Some(Effect { action, key })),
        (None, None) if way.disposition() == Disposition::Published => told(
            "Publish requires --effect-action-id and --idempotency-key for its governed external \
             effect.",
        ),
        (None, None) => Ok(None),
        (Some(_), None) | (None, Some(_)) => {
            told("--effect-action-id and --idempotency-key must be provided together.")
        }
    }
}

fn told<T>(message: &str) -> Result<T, Trouble> {
    Err(Trouble::Told(message.to_owned()))
}

/// What HOTL says, and then what is known of the reason and the way on.
fn trouble(error: Error, way: &Way) -> Trouble {
    let Error::Refused(refusal) = error else { return error.into() };
    let says = match refusal.code {
        Code::UncommittedChanges => {
            "Non-HOTL dirty files block finishing operations that switch or merge branches."
        }
        Code::MergeConflict => "Merge failed. HOTL left the execution branch/worktree intact.",
        Code::CheckoutUnfit if *way == Way::Discard => {
            "Cannot safely auto-discard a shared-checkout run on the current/source branch."
        }
        _ => return Trouble::with_hint(refusal),
    };
    match Trouble::with_hint(refusal) {
        Trouble::Told(reason) => Trouble::Told(format!("{says}\n{reason}")),
        other => other,
    }
}
