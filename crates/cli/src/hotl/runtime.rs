//! The commands of HOTL's runtime.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::Serialize;
use windlass_domain::Exit;
use windlass_ops::Context;
use windlass_ops::run::{
    ActionBegin, ActionComplete, ActionDecide, ActionReconcile, ActionRequest, ActionView,
    BudgetCheck, BudgetRaise, BudgetRecord, Budgets, Doer, Finalize, Finished, Gate, Normalize,
    Origin, Owned, OwnerClaim, OwnerHandoff, OwnerHeartbeat, OwnerRelease, OwnerStatus,
    OwnerTakeover, Receipt, Reconcile, Start, StepBlock, StepRetry, StepStart, StepUnblock,
    StepVerify, Summary, Target, USUAL_LEASE_SECONDS, Work, indented,
};

use super::Trouble;
use super::words::Words;

pub(super) const USAGE: &str = "\
Usage: hotl-rt <command> [arguments]

  init <workflow-file> [metadata options]         start a run, print its id
  step <N> start|verify|retry [--run-id ID]       work on a step
  step <N> block|unblock --reason TEXT            stop a step, let it go on
  gate <N> approved|rejected [--mode auto|human]  record a decision
  finalize [--json]                               end the work, print the summary
  finish kept|merged|published|discarded          record what became of it
  summary <run-id> [--json]                       how the run stands
  receipt <run-id> [--json]                       what the run proves
  reconcile <run-id>                              what to do next
  normalize <workflow-file> [--json]              the workflow as JSON
  owner claim|status|heartbeat|release|handoff|takeover
  action request|decide|begin|complete|reconcile
  budget check|record|raise
  log-decision <json>                             append to the decision log

A run is named by --run-id, by HOTL_RUN_ID, or is the only one in .hotl/state/.
";

pub(super) fn answer(cx: &mut Context, mut words: Words) -> Result<Exit, Trouble> {
    match words.needed()?.as_str() {
        "init" => init(cx, words),
        "step" => step(cx, words),
        "gate" => gate(cx, words),
        "finalize" => finalize(cx, words),
        "finish" => finish(cx, words),
        "summary" => {
            let run = words.needed()?;
            words.switch("--json");
            words.end()?;
            summary(cx, Some(run))
        }
        "receipt" => {
            let receipt = Receipt { run: Some(words.needed()?), ..Receipt::default() };
            words.switch("--json");
            words.end()?;
            say(&indented(cx.call(&receipt)?.0.text()))
        }
        "reconcile" => {
            let reconcile = Reconcile { run: Some(words.needed()?), ..Reconcile::default() };
            words.end()?;
            say(&indented(cx.call(&reconcile)?.0.text()))
        }
        "normalize" => {
            let file = PathBuf::from(words.needed()?);
            words.switch("--json");
            words.end()?;
            must_exist(cx, &file)?;
            say(&indented(cx.call(&Normalize { file })?.text()))
        }
        "owner" => owner(cx, words),
        "action" => action(cx, words),
        "budget" => budget(cx, words),
        "log-decision" => log_decision(cx, words),
        "help" | "--help" | "-h" => say(USAGE.trim_end()),
        _ => Err(Trouble::Usage),
    }
}

pub(super) fn say(text: &str) -> Result<Exit, Trouble> {
    let mut out = std::io::stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Ok(()) => Ok(Exit::Done),
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(Exit::Done),
        Err(error) => Err(Trouble::Told(format!("the answer cannot be written: {error}"))),
    }
}

pub(super) fn say_json(value: &impl Serialize) -> Result<Exit, Trouble> {
    let text = serde_json::to_string_pretty(value);
    say(&text.map_err(|error| Trouble::Told(error.to_string()))?)
}

fn target(words: &mut Words) -> Target {
    Target { run_id: words.option("--run-id"), ..Target::default() }
}

/// A step by its number. What is none is answered as HOTL does.
fn number(words: &mut Words) -> Result<u32, Trouble> {
    let word = words.needed()?;
    word.parse().map_err(|_| Trouble::Told(format!("Invalid step number: {word}")))
}

pub(super) fn must_exist(cx: &Context, file: &Path) -> Result<(), Trouble> {
    match cx.surroundings.folder.clone().unwrap_or_default().join(file).is_file() {
        true => Ok(()),
        false => Err(Trouble::Told(format!("Workflow file not found: {}", file.display()))),
    }
}

fn init(cx: &mut Context, mut words: Words) -> Result<Exit, Trouble> {
    let file = PathBuf::from(words.needed()?);
    let or = |value: Option<String>, usual: &str| value.unwrap_or_else(|| usual.to_owned());
    let origin = Origin {
        require_owner: words.switch("--require-owner"),
        alone: false,
        executor_mode: or(words.metadata("--executor-mode"), "loop"),
        driver: or(words.metadata("--driver"), "generic"),
        host: or(words.metadata("--host"), "fallback"),
        repo_root: words.metadata("--repo-root"),
        execution_root: words.metadata("--execution-root"),
        source_workflow_path: words.metadata("--source-workflow-path"),
        worktree_path: words.metadata("--worktree-path"),
        branch: words.metadata("--branch"),
        source_branch: words.metadata("--source-branch"),
        source_head: words.metadata("--source-head"),
        stash: None,
        rescue: None,
        gates: Some("attested".to_owned()),
    };
    words.end()?;
    must_exist(cx, &file)?;
    // HOTL lints only where it is asked to.
    let begun =
        cx.call(&Start { file, no_lint: true, agent: None, work: Work::default(), origin })?;
    say(&begun.whereabouts.run_id)
}

fn step(cx: &mut Context, mut words: Words) -> Result<Exit, Trouble> {
    let step = number(&mut words)?;
    let what = words.needed()?;
    let (target, doer) = (target(&mut words), Doer::default());
    let reason = words.option("--reason");
    words.end()?;
    let reason = reason.unwrap_or_default();
    let done = match what.as_str() {
        "start" => cx.call(&StepStart { step, target, doer })?,
        "retry" => cx.call(&StepRetry { step, target, doer })?,
        "block" => cx.call(&StepBlock { step, reason, target, doer })?,
        "unblock" => cx.call(&StepUnblock { step, reason, target, doer })?,
        "verify" => {
            let verified = cx.call(&StepVerify { step, target, doer })?;
            say(&verified.changed.done)?;
            return Ok(match verified.changed.step_is_done() {
                true => Exit::Done,
                false => Exit::Unexpected,
            });
        }
        _ => return Err(Trouble::Usage),
    };
    say(&done.done)
}

fn gate(cx: &mut Context, mut words: Words) -> Result<Exit, Trouble> {
    let step = number(&mut words)?;
    let decision = words.needed()?;
    let mode = words.option("--mode").unwrap_or_else(|| "human".to_owned());
    let reason = words.option("--reason");
    let (target, doer) = (target(&mut words), Doer::default());
    words.end()?;
    say(&cx.call(&Gate { step, decision, mode, reason, target, doer })?.done)
}

fn finalize(cx: &mut Context, mut words: Words) -> Result<Exit, Trouble> {
    words.switch("--json");
    let target = target(&mut words);
    words.end()?;
    let done = cx.call(&Finalize { target, ..Finalize::default() })?;
    summary(cx, Some(done.whereabouts.run.to_string()))
}

fn finish(cx: &mut Context, mut words: Words) -> Result<Exit, Trouble> {
    let finished = Finished {
        disposition: words.needed()?,
        target_branch: words.option("--target-branch"),
        remote: words.option("--remote"),
        pr_url: words.option("--pr-url"),
        branch_action: words.option("--branch-action"),
        worktree_action: words.option("--worktree-action"),
        artifacts_preserved_at: words.option("--artifacts-preserved-at"),
        head: None,
        notes: words.option("--notes"),
        force: words.switch("--force"),
        complete_task: false,
        dry_run: false,
        target: target(&mut words),
        doer: Doer::default(),
    };
    words.end()?;
    let done = cx.call(&finished)?;
    summary(cx, Some(done.whereabouts.run.to_string()))
}

fn summary(cx: &mut Context, run: Option<String>) -> Result<Exit, Trouble> {
    say(&indented(cx.call(&Summary { run, ..Summary::default() })?.text()))
}

fn owner(cx: &mut Context, mut words: Words) -> Result<Exit, Trouble> {
    let what = words.needed()?;
    let (target, doer) = (target(&mut words), Doer::default());
    let lease_seconds = match words.option("--lease-seconds") {
        None => USUAL_LEASE_SECONDS,
        Some(given) => given
            .parse()
            .map_err(|_| Trouble::Told(format!("--lease-seconds must be a number: {given}")))?,
    };
    let owner = words.option("--owner");
    let to_owner = words.option("--to-owner");
    let reason = words.option("--reason").unwrap_or_default();
    let force = words.switch("--force");
    words.end()?;
    let named = |name: Option<String>, option: &str| {
        name.ok_or_else(|| Trouble::Told(format!("{option} is required")))
    };
    let answer: Owned = match what.as_str() {
        "claim" => {
            let owner = named(owner, "--owner")?;
            cx.call(&OwnerClaim { owner, lease_seconds, target, doer })?
        }
        "status" => cx.call(&OwnerStatus { target })?,
        "heartbeat" => cx.call(&OwnerHeartbeat { lease_seconds, target, doer })?,
        "release" => cx.call(&OwnerRelease { target, doer })?,
        "handoff" => {
            let to_owner = named(to_owner, "--to-owner")?;
            cx.call(&OwnerHandoff { to_owner, lease_seconds, target, doer })?
        }
        "takeover" => {
            let owner = named(owner, "--owner")?;
            let from = None;
            let taking = OwnerTakeover { owner, reason, force, from, lease_seconds, target, doer };
            cx.call(&taking)?
        }
        _ => return Err(Trouble::Usage),
    };
    say_json(&answer)
}

fn action(cx: &mut Context, mut words: Words) -> Result<Exit, Trouble> {
    let what = words.needed()?;
    let first = words.needed()?;
    let (target, doer) = (target(&mut words), Doer::default());
    let bounded = words.option("--target").unwrap_or_default();
    let idempotency_key = words.option("--idempotency-key");
    let evidence_ref = words.option("--evidence-ref").unwrap_or_default();
    let mode = words.option("--mode").unwrap_or_else(|| "human".to_owned());
    let reason = words.option("--reason");
    let shown: ActionView = match what.as_str() {
        "request" => {
            words.end()?;
            let (kind, what) = (first, bounded);
            cx.call(&ActionRequest { kind, what, idempotency_key, target, doer })?
        }
        "decide" => {
            let decision = words.needed()?;
            words.end()?;
            cx.call(&ActionDecide { action: first, decision, mode, reason, target, doer })?
        }
        "begin" => {
            words.end()?;
            let idempotency_key = idempotency_key.unwrap_or_default();
            cx.call(&ActionBegin { action: first, idempotency_key, target, doer })?
        }
        "complete" => {
            let outcome = words.needed()?;
            words.end()?;
            cx.call(&ActionComplete { action: first, outcome, evidence_ref, target, doer })?
        }
        "reconcile" => {
            let outcome = words.needed()?;
            words.end()?;
            cx.call(&ActionReconcile { action: first, outcome, evidence_ref, target, doer })?
        }
        _ => return Err(Trouble::Usage),
    };
    say_json(&shown)
}

fn budget(cx: &mut Context, mut words: Words) -> Result<Exit, Trouble> {
    let what = words.needed()?;
    let (target, doer) = (target(&mut words), Doer::default());
    let reason = words.option("--reason").unwrap_or_default();
    let budgets: Budgets = match what.as_str() {
        "check" => {
            words.end()?;
            cx.call(&BudgetCheck { target, doer })?
        }
        "record" => {
            let (metric, observed) = (words.needed()?, words.needed()?);
            words.end()?;
            cx.call(&BudgetRecord { metric, observed, target, doer })?
        }
        "raise" => {
            let (metric, limit) = (words.needed()?, words.needed()?);
            words.end()?;
            cx.call(&BudgetRaise { metric, limit, reason, target, doer })?
        }
        _ => return Err(Trouble::Usage),
    };
    say_json(&budgets)
}

/// Appends to the file that `.hotl/config.yml` names; without one nothing is done.
fn log_decision(cx: &Context, mut words: Words) -> Result<Exit, Trouble> {
    let decision = words.needed()?;
    words.end()?;
    if let Err(wrong) = serde_json::from_str::<serde_json::Value>(&decision) {
        return Err(Trouble::Told(format!("the decision is no JSON: {wrong}")));
    }
    let folder = cx.surroundings.folder.clone().unwrap_or_default();
    let config = fs::read_to_string(folder.join(".hotl/config.yml")).unwrap_or_default();
    let path = config.lines().find_map(|line| line.strip_prefix("decision_log_path:"));
    let Some(path) = path.map(|path| path.trim().trim_matches(['"', '\''])) else {
        return Ok(Exit::Done);
    };
    let path = folder.join(path);
    OpenOptions::new()
        .create(true)
        .append(true)
        .open(&path)
        .and_then(|mut file| writeln!(file, "{decision}"))
        .map_err(|error| Trouble::Told(format!("{}: {error}", path.display())))?;
    Ok(Exit::Done)
}
