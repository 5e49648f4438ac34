//! Why a run cannot begin where it wants, each with the ways on.

use std::fmt::Write as _;

use super::plan::{AtPath, Target};
use crate::run::state_file::StateFile;
use crate::run::word::RunStatus;
use crate::{Code, Refusal};

/// So many files are named; the others are counted.
const NAMED: usize = 20;
/// So many are in the details.
const LISTED: usize = 500;

pub(super) fn worktree_word(word: &str) -> Refusal {
    Refusal::new(Code::InvalidValue, format!("Invalid worktree mode '{word}'"))
        .hint("write `worktree: true`, `false` or `host`, or leave it out")
        .detail("field", "worktree")
        .detail("given", word)
}

pub(super) fn branch_name(branch: &str) -> Refusal {
    Refusal::new(
        Code::InvalidValue,
        format!("'{branch}' is not a name that git takes for a branch"),
    )
    .hint("use letters, digits, '/', '.', '_' and '-', as in feat/add-auth")
    .detail("field", "branch")
    .detail("given", branch)
}

pub(super) fn no_checkout(repository: &str) -> Refusal {
    Refusal::new(Code::CheckoutUnfit, format!("{repository} is a repository without a checkout"))
        .hint("make one with `git worktree add PATH BRANCH`, and call from there")
        .detail("repository", repository)
}

pub(super) fn outside(file: &str, root: &str) -> Refusal {
    Refusal::new(Code::CheckoutUnfit, format!("{file} is outside of the repository {root}"))
        .hint("move the workflow file into the repository, or call from the one that it is in")
        .detail("file", file)
        .detail("repo_root", root)
}

pub(super) fn dirty(file: &str, blocking: &[String]) -> Refusal {
    let message = with_files("Non-HOTL dirty files block execution.", blocking);
    Refusal::new(Code::UncommittedChanges, message)
        .hint(format!(
            "commit them or clean up, then run again; or put them aside yourself with `git stash \
             -u`; or let Windlass do that: windlass run prepare {file} --stash"
        ))
        .detail("files", listed(blocking))
        .detail("count", blocking.len())
}

pub(super) fn unsaved(path: &str, blocking: &[String]) -> Refusal {
    let message = format!("the worktree {path} holds changes that are not committed:");
    Refusal::new(Code::UncommittedChanges, with_files(&message, blocking))
        .hint("commit them there, or go on with that worktree: --on-existing reuse")
        .detail("worktree_path", path)
        .detail("files", listed(blocking))
        .detail("count", blocking.len())
}

fn with_files(message: &str, files: &[String]) -> String {
    let mut message = message.to_owned();
    for file in files.iter().take(NAMED) {
        let _infallible = write!(message, "\n  {}", in_one_line(file));
    }
    match files.len().saturating_sub(NAMED) {
        0 => {}
        more => drop(write!(message, "\n  and {more} more")),
    }
    message
}

fn listed(files: &[String]) -> &[String] {
    files.get(..LISTED).unwrap_or(files)
}

/// A name may hold whatever a file system takes.
fn in_one_line(name: &str) -> String {
    match name.contains(char::is_control) {
        true => format!("{name:?}"),
        false => name.to_owned(),
    }
}

pub(super) fn current_branch(branch: &str) -> Refusal {
    let message =
        format!("Execution branch '{branch}' is already checked out in the current checkout");
    Refusal::new(Code::CheckoutUnfit, message)
        .hint("to go on here, write `worktree: false` or `worktree: host` into the workflow file")
        .detail("branch", branch)
}

pub(super) fn host_detached() -> Refusal {
    let message = "`worktree: host` needs a branch, and none is checked out here";
    Refusal::new(Code::CheckoutUnfit, message)
        .hint("switch to a feature branch, or write `worktree: true`")
}

pub(super) fn host_trunk(current: &str) -> Refusal {
    let message = format!("`worktree: host` needs a feature branch, and this is '{current}'");
    Refusal::new(Code::CheckoutUnfit, message)
        .hint("switch to a feature branch, or write `worktree: true`")
        .detail("current_branch", current)
}

pub(super) fn host_other(current: &str, pinned: &str) -> Refusal {
    let message = format!("the workflow file wants branch '{pinned}', and this is '{current}'");
    Refusal::new(Code::CheckoutUnfit, message)
        .hint(format!("git switch {pinned}, or leave `branch:` out of the workflow file"))
        .detail("current_branch", current)
        .detail("branch", pinned)
}

pub(super) fn feature_branch(file: &str, current: &str, branch: &str) -> Refusal {
    let message = format!(
        "you are on '{current}', and the workflow file names neither a branch nor a worktree"
    );
    Refusal::new(Code::BranchUnclear, message)
        .hint(format!(
            "say where to work: windlass run prepare {file} --on-feature-branch here (on \
             '{current}', in this checkout), isolated (on '{branch}', in a worktree; recommended) \
             or NAME (on a branch of that name, in a worktree)"
        ))
        .detail("current_branch", current)
        .detail("branch", branch)
        .detail("flag", "on_feature_branch")
}

pub(super) fn living(path: &str, state: &StateFile) -> Refusal {
    let run = &state.run_id;
    // What is blocked or done may be given up; what goes on is blocked first.
    let blocks = match state.status {
        RunStatus::Blocked | RunStatus::ReadyToFinish => String::new(),
        RunStatus::Running | RunStatus::Paused | RunStatus::Completed | RunStatus::Abandoned => {
            let step = state.current_step.max(1);
            format!("windlass run step block {step} --reason TEXT --run-id {run} && ")
        }
    };
    let message = match state.is_unfinished() {
        true => format!("run {run} works in {path}"),
        false => format!("the work of run {run} waits in {path}"),
    };
    Refusal::new(Code::RunUnfinished, message)
        .hint(format!(
            "go on with it there, or end it: cd {path} && {blocks}windlass run finish discard \
             --run-id {run}"
        ))
        .detail("run_id", run)
        .detail("execution_root", path)
}

pub(super) fn path_taken(path: &str) -> Refusal {
    let message = format!("{path} is there already, and is no worktree of this branch");
    Refusal::new(Code::CheckoutUnfit, message)
        .hint("move it away, or write another `branch:` into the workflow file")
        .detail("worktree_path", path)
}

pub(super) fn checked_out(branch: &str, elsewhere: &str) -> Refusal {
    Refusal::new(Code::CheckoutUnfit, format!("branch '{branch}' is checked out at {elsewhere}"))
        .hint(format!(
            "work there with `worktree: host`, or give that checkout up: git worktree remove \
             {elsewhere}"
        ))
        .detail("branch", branch)
        .detail("checked_out_at", elsewhere)
}

pub(super) fn branch_exists(file: &str, branch: &str, commit: &str, target: &Target) -> Refusal {
    let short = commit.get(..12).unwrap_or(commit);
    let mut message = format!("branch '{branch}' exists, at {short}");
    let is_at_path = matches!(target.at_path, AtPath::Worktree { .. });
    if is_at_path {
        let _infallible = write!(message, ", with a worktree at {}", target.path);
    }
    let refusal = Refusal::new(Code::BranchExists, message)
        .hint(format!(
            "go on with it: windlass run prepare {file} --on-existing reuse; or begin again: \
             --on-existing recreate (what it holds is kept under refs/windlass/rescue/); or rename \
             or delete it yourself, then run again"
        ))
        .detail("branch", branch)
        .detail("commit", commit)
        .detail("flag", "on_existing");
    match is_at_path {
        true => refusal.detail("worktree_path", &target.path),
        false => refusal,
    }
}
