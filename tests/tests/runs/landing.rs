//! What `run finish` may do to the worktrees and branches of people, and how it ends after a kill.

use std::fs;

use serde_json::Value;
use windlass_testkit::trace::{Hit, Trace};
use windlass_tests::ledgers::{error_of, text};

use crate::finishing::{STEP, Work, git};
use crate::site::{FILE, Gates, LOW, Site, workflow};

/// A run in the first checkout, on `main`, ready to be finished. Somebody has a branch of the name
/// that a run of the file would give its own.
fn in_the_first_checkout() -> Site {
    let site = Site::empty(Gates::Enforced);
    site.has(FILE, &workflow(LOW, STEP));
    site.has("hello.txt", "hello\n");
    for line in [
        "init -q -b main",
        "config user.email a@example.com",
        "config user.name anna",
        "add -A",
        "commit -q -m one",
        "switch -q -c hotl/demo",
        "commit -q --allow-empty -m theirs",
        "switch -q main",
    ] {
        git(&site.folder(), line);
    }
    site.does(&format!("run start {FILE}"));
    site.completes(1);
    site.does("run finalize");
    site
}

#[test]
fn a_run_knows_the_branch_that_its_folder_is_on() {
    assert_eq!(in_the_first_checkout().state()["branch"], "main");
}

#[test]
fn a_branch_of_somebody_else_is_neither_merged_nor_discarded_by_a_run_in_the_first_checkout() {
    let site = in_the_first_checkout();
    let before = git(&site.folder(), "for-each-ref");
    for line in ["run finish merge", "run finish discard --confirm discard"] {
        let _refused = site.refuses(line, "checkout_unfit");
    }
    assert_eq!(git(&site.folder(), "for-each-ref"), before);
    site.does("run finish keep");
}

#[test]
fn a_worktree_that_somebody_made_for_themselves_outlives_the_run_in_it() {
    let site = Site::empty(Gates::Enforced);
    site.has(FILE, &workflow(LOW, STEP));
    for line in [
        "init -q -b main",
        "config user.email a@example.com",
        "config user.name anna",
        "add -A",
        "commit -q -m one",
        "worktree add -q -b mine ../mine",
    ] {
        git(&site.folder(), line);
    }
    let mine = site.folder().join("../mine").canonicalize().unwrap();
    let work = Work::in_worktree(site, mine.clone());
    work.does(&["run", "finalize"]);
    let discard = ["run", "finish", "discard", "--confirm", "discard"];
    let _refused = error_of(&work.call(&discard), "checkout_unfit", 3);
    let finished = work.does(&["run", "finish", "merge"]);
    assert_eq!(text(&finished["done"][0]), "1 commit of mine went into main");
    assert_eq!(git(&work.home(), "show main:hello.txt"), "hello");
    assert_eq!(git(&mine, "branch --show-current"), "mine");
    work.site.does("run cleanup");
    assert!(mine.join(".hotl/state").is_dir());
}

#[test]
fn commits_that_came_after_the_end_of_a_run_do_not_land_until_they_are_verified() {
    let work = Work::done();
    git(&work.worktree, "commit -q --allow-empty -m later");
    let refused = error_of(&work.call(&["run", "finish", "merge"]), "evidence_missing", 3);
    assert_eq!(text(&refused["details"]["head"]), git(&work.worktree, "rev-parse HEAD"));
    let (run, hint) = (text(&refused["details"]["run_id"]), text(&refused["hint"]));
    for command in [
        "run reopen N --redo --reason TEXT",
        "run step retry N",
        "run step verify N",
        "run finalize",
    ] {
        let command = format!("{command} --run-id {run}");
        assert!(hint.contains(&command), "{hint}");
        work.person(&command.replace(" N ", " 1 "));
    }
    work.does(&["run", "finish", "merge"]);
    assert_eq!(git(&work.home(), "log -1 --format=%s main^2"), "later");
}

#[test]
fn commits_that_came_after_the_end_of_a_run_may_be_kept() {
    let work = Work::done();
    git(&work.worktree, "commit -q --allow-empty -m later");
    work.does(&["run", "finish", "keep"]);
}

/// The outcome is on record by then, and nothing is taken away yet.
#[test]
fn a_finish_that_was_killed_once_it_had_recorded_is_ended_by_the_same_call() {
    for way in [&["merge"][..], &["discard", "--confirm", "discard"]] {
        let work = Work::done();
        let words = [&["run", "finish"], way].concat();
        let kept = work.home().canonicalize().unwrap().join(".hotl");
        let call = work.site.ledger.windlass(&words).cwd(&work.worktree);
        let killed = Trace::of(call).calls(&["mkdir"]).only_on(&kept).kill_at("mkdir", 1);
        assert_eq!(killed.hit, Hit::Killed, "{}", killed.outcome);
        assert!(work.worktree.exists(), "it was killed too late");
        assert_eq!(work.does(&["run", "show"])["status"], "completed");
        let ended = work.does(&words);
        assert_eq!(ended["run"], Value::Null, "it was recorded twice: {ended:#}");
        assert!(!work.worktree.exists());
        assert_eq!(git(&work.home(), "branch --list hotl/*"), "");
        let states = fs::read_dir(kept.join("state")).unwrap().count();
        assert_eq!(states, 1, "its files were not kept");
    }
}

/// A run in a worktree, on a task.
fn on_a_task() -> (Work, String) {
    let work = Work::prepared();
    let task = text(&work.site.does("task add work -s ready")["task_id"]);
    work.does(&["run", "start", FILE, "--task", &task, "--agent", "worker-1"]);
    work.works();
    work.does(&["run", "finalize"]);
    (work, task)
}

#[test]
fn work_whose_task_cannot_be_completed_with_it_is_not_merged_first() {
    let (work, _) = on_a_task();
    let before = git(&work.home(), "rev-parse main");
    let merge = ["run", "finish", "merge", "--complete-task", "--agent", "worker-2"];
    let _refused = error_of(&work.call(&merge), "stale_claim", 3);
    assert_eq!(git(&work.home(), "rev-parse main"), before);
    work.does(&["run", "finish", "merge", "--complete-task", "--agent", "worker-1"]);
    assert_ne!(git(&work.home(), "rev-parse main"), before);
}

#[test]
fn a_run_whose_claim_was_lost_can_be_kept_or_discarded() {
    for way in [&["keep"][..], &["discard", "--confirm", "discard"]] {
        let (work, task) = on_a_task();
        let steal = ["task", "steal", &task, "--agent", "worker-2", "--force", "--reason", "gone"];
        work.does(&steal);
        work.does(&[&["run", "finish"], way].concat());
    }
}
