//! `run finish` with git itself: what becomes of the work is done, and recorded.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use windlass_testkit::{Outcome, Served, machine};
use windlass_tests::ledgers::{error_of, text};

use crate::site::{FILE, Gates, LOW, Site, workflow};

const STEP: &str = "- [ ] **Step 1: Say hello**\naction: say it\nloop: false\n\
                    verify: grep hello hello.txt\n";

/// A repository with a run in a worktree of its own, ready to be finished.
struct Work {
    site: Site,
    worktree: PathBuf,
}

impl Work {
    #[track_caller]
    fn done() -> Self {
        let site = Site::empty(Gates::Enforced);
        site.has(FILE, &workflow(LOW, STEP));
        let home = site.folder();
        for line in [
            "init -q -b main",
            "config user.email a@example.com",
            "config user.name anna",
            "add -A",
            "commit -q -m one",
        ] {
            git(&home, line);
        }
        let prepared = site.does(&format!("run prepare {FILE}"));
        let worktree = PathBuf::from(text(&prepared["worktree_path"]));
        let work = Self { site, worktree };
        work.does(&["run", "start", FILE]);
        work.does(&["run", "step", "start", "1"]);
        std::fs::write(work.worktree.join("hello.txt"), "hello\n").unwrap();
        git(&work.worktree, "add hello.txt");
        git(&work.worktree, "commit -q -m hello");
        work.does(&["run", "step", "verify", "1"]);
        work.does(&["run", "finalize"]);
        work
    }

    #[track_caller]
    fn call(&self, words: &[&str]) -> Outcome {
        self.site.ledger.windlass(words).cwd(&self.worktree).run()
    }

    #[track_caller]
    fn does(&self, words: &[&str]) -> Value {
        self.call(words).ok().json()
    }

    fn home(&self) -> PathBuf {
        self.site.folder()
    }
}

#[track_caller]
fn git(folder: &Path, line: &str) -> String {
    let mut git: Command = machine::command("git");
    let done = git.current_dir(folder).args(line.split(' ')).output().unwrap();
    assert!(done.status.success(), "git {line}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap().trim().to_owned()
}

#[test]
fn a_preview_says_what_would_be_done_and_changes_nothing() {
    let work = Work::done();
    let before = (git(&work.home(), "rev-parse main"), work.site.ledger.events());
    let seen = work.does(&["run", "finish", "merge", "--preview"]);
    assert!(text(&seen["plan"][0]).contains("into main"), "{seen:#}");
    assert_eq!((git(&work.home(), "rev-parse main"), work.site.ledger.events()), before);
}

#[test]
fn merged_work_is_on_the_target_and_its_worktree_and_branch_are_gone() {
    let work = Work::done();
    let finished = work.does(&["run", "finish", "merge"]);
    assert_eq!(finished["run"]["status"], "completed", "{finished:#}");
    assert_eq!(git(&work.home(), "show main:hello.txt"), "hello");
    assert!(!work.worktree.exists(), "the worktree is still there");
    assert_eq!(git(&work.home(), "branch --list hotl/*"), "");
}

#[test]
fn the_files_of_a_run_outlive_its_worktree() {
    let work = Work::done();
    let finished = work.does(&["run", "finish", "merge"]);
    let run_id = text(&finished["run"]["run_id"]);
    let state = work.home().join(format!(".hotl/state/{run_id}.json"));
    let state: Value = serde_json::from_str(&std::fs::read_to_string(state).unwrap()).unwrap();
    assert_eq!(state["finish"]["disposition"], "merged");
}

#[test]
fn the_evidence_of_a_merged_run_can_still_be_looked_at() {
    let work = Work::done();
    let finished = work.does(&["run", "finish", "merge"]);
    let run = text(&finished["run"]["run"]);
    let shown = work.site.ledger.answer(&["run", "evidence", &run]);
    let log = &shown["attempts"][0]["checks"][0]["log"];
    assert_eq!(log["state"], "here", "{shown:#}");
    let kept = std::fs::read_to_string(text(&log["path"])).unwrap();
    assert!(kept.contains("hello"), "{kept}");
    let served = Served::start(&work.site.ledger.home, &[]);
    let way = format!("/runs/{run}/evidence/{}", text(&log["name"]));
    assert_eq!(served.get(&way).ok().text(), kept);
}

/// How many runs there are, asked after everything that could have taken a copy for a run.
#[track_caller]
fn runs_known(work: &Work, run_id: &str) -> usize {
    let calls = [&["run", "show"][..], &["run", "summary"], &["run", "finalize"]];
    for call in calls {
        let outcome = work.site.ledger.windlass(call).run();
        let _refused = error_of(&outcome, "run_not_found", 4);
    }
    let shown = work.site.ledger.answer(&["run", "show", run_id]);
    assert_eq!(shown["status"], "completed", "{shown:#}");
    let summary = ["hotl-rt", "summary", run_id];
    let adopting = work.site.ledger.windlass(&summary).env("WINDLASS_RUNS_OUTSIDE_EDITS", "adopt");
    let _summary = adopting.run().ok();
    work.site.does("run list")["runs"].as_array().unwrap().len()
}

#[test]
fn the_files_that_outlive_a_worktree_are_neither_a_new_run_nor_an_edit() {
    let work = Work::done();
    let finished = work.does(&["run", "finish", "merge"]);
    let events = work.site.ledger.events();
    assert_eq!(runs_known(&work, &text(&finished["run"]["run_id"])), 1);
    assert_eq!(work.site.ledger.events(), events);
}

#[test]
fn the_files_that_outlive_a_cleaned_up_worktree_are_neither_a_new_run_nor_an_edit() {
    let work = Work::done();
    let finished = work.does(&["run", "finish", "keep"]);
    git(&work.home(), "merge -q hotl/demo");
    let cleaned = work.site.does("run cleanup");
    assert_eq!(cleaned["worktrees"][0]["goes"], true, "{cleaned:#}");
    let events = work.site.ledger.events();
    assert_eq!(runs_known(&work, &text(&finished["run"]["run_id"])), 1);
    assert_eq!(work.site.ledger.events(), events);
}

#[test]
fn a_merge_that_was_approved_as_an_action_is_on_record_before_and_after() {
    let work = Work::done();
    let target = "merge hotl/demo into main";
    work.does(&["run", "action", "request", "production_change", "--target", target]);
    let decide = ["run", "action", "decide", "action-1", "approved", "--json"];
    let _decided = work.site.ledger.windlass(&decide).cwd(&work.worktree).at_terminal(80).ok();
    let finished = work.does(&["run", "finish", "merge"]);
    let run_id = text(&finished["run"]["run_id"]);
    let receipt = work.site.ledger.answer(&["run", "receipt", "show", &run_id]);
    let effect = &receipt["external_actions"][0]["effect"];
    assert_eq!(effect["status"], "succeeded", "{receipt:#}");
    assert!(text(&effect["evidence_ref"]).starts_with("git-merge:main@"), "{receipt:#}");
}

#[test]
fn what_is_not_committed_is_not_merged() {
    let work = Work::done();
    std::fs::write(work.worktree.join("more.txt"), "more\n").unwrap();
    let _refused = error_of(&work.call(&["run", "finish", "merge"]), "uncommitted_changes", 3);
    assert!(work.worktree.exists());
}

#[test]
fn discarding_must_be_meant() {
    let work = Work::done();
    let _refused = error_of(&work.call(&["run", "finish", "discard"]), "invalid_value", 3);
    assert!(work.worktree.exists());
    work.does(&["run", "finish", "discard", "--confirm", "discard"]);
    assert!(!work.worktree.exists());
    let rescued = git(&work.home(), "for-each-ref refs/windlass/rescue");
    assert!(!rescued.is_empty(), "nothing was rescued");
}

#[test]
fn kept_work_stays_as_it_is() {
    let work = Work::done();
    let finished = work.does(&["run", "finish", "keep"]);
    assert_eq!(finished["run"]["status"], "completed");
    assert!(work.worktree.join("hello.txt").exists());
}

#[test]
fn publishing_waits_for_a_person_who_approves_it_word_by_word() {
    let work = Work::done();
    let remote = work.home().join("../remote.git");
    git(&work.home(), &format!("init -q --bare {}", remote.display()));
    git(&work.home(), &format!("remote add origin {}", remote.display()));
    let refused = error_of(&work.call(&["run", "finish", "publish"]), "person_required", 3);
    let wanted = text(&refused["details"]["target"]);
    work.does(&["run", "action", "request", "external_write", "--target", &wanted]);
    let decide = ["run", "action", "decide", "action-1", "approved", "--json"];
    let _decided = work.site.ledger.windlass(&decide).cwd(&work.worktree).at_terminal(80).ok();
    work.does(&["run", "finish", "publish"]);
    assert_eq!(git(&remote, "show hotl/demo:hello.txt"), "hello");
}

#[test]
fn work_that_is_not_finished_is_not_merged() {
    let work = Work::done();
    work.does(&["run", "step", "block", "1", "--reason", "wrong"]);
    let _refused = error_of(&work.call(&["run", "finish", "merge"]), "invalid_transition", 3);
    assert!(work.worktree.exists());
}
