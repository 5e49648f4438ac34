//! `run finish` with git itself: what becomes of the work is done, and recorded.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use windlass_testkit::{Outcome, Served, machine};
use windlass_tests::ledgers::{error_of, text};

use crate::site::{FILE, Gates, LOW, Site, workflow};

pub(crate) const STEP: &str = "- [ ] **Step 1: Say hello**\naction: say it\nloop: false\n\
                    verify: grep hello hello.txt\n";
const GATED: &str = "- [ ] **Step 1: Say hello**\naction: say it\nloop: false\n\
                     verify: grep hello hello.txt\ngate: human\n";

/// A repository with a run in a worktree of its own, ready to be finished.
pub(crate) struct Work {
    pub(crate) site: Site,
    pub(crate) worktree: PathBuf,
}

impl Work {
    #[track_caller]
    pub(crate) fn done() -> Self {
        let work = Self::verified(Gates::Enforced, STEP);
        work.does(&["run", "finalize"]);
        work
    }

    /// The same, with a gate that the caller says was approved.
    #[track_caller]
    fn attested() -> Self {
        let work = Self::verified(Gates::Attested, GATED);
        work.does(&["run", "gate", "1", "approved"]);
        work.does(&["run", "finalize"]);
        work
    }

    #[track_caller]
    fn verified(gates: Gates, step: &str) -> Self {
        let work = Self::prepared_for(gates, step);
        work.starts();
        work.works();
        work
    }

    /// A worktree that was prepared, and no run in it yet.
    #[track_caller]
    pub(crate) fn prepared() -> Self {
        Self::prepared_for(Gates::Enforced, STEP)
    }

    #[track_caller]
    fn prepared_for(gates: Gates, step: &str) -> Self {
        let site = Site::empty(gates);
        site.has(FILE, &workflow(LOW, step));
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
        Self { site, worktree }
    }

    /// A run that has worked in that worktree.
    #[track_caller]
    pub(crate) fn in_worktree(site: Site, worktree: PathBuf) -> Self {
        let work = Self { site, worktree };
        work.starts();
        work.works();
        work
    }

    #[track_caller]
    fn starts(&self) {
        let gates = match self.site.gates {
            Gates::Enforced => "enforced",
            Gates::Attested => "attested",
        };
        self.does(&["run", "start", FILE, "--gates", gates]);
    }

    /// Does the only step, and commits what came of it.
    #[track_caller]
    pub(crate) fn works(&self) {
        self.does(&["run", "step", "start", "1"]);
        std::fs::write(self.worktree.join("hello.txt"), "hello\n").unwrap();
        git(&self.worktree, "add hello.txt");
        git(&self.worktree, "commit -q -m hello");
        self.does(&["run", "step", "verify", "1"]);
    }

    #[track_caller]
    pub(crate) fn call(&self, words: &[&str]) -> Outcome {
        self.site.ledger.windlass(words).cwd(&self.worktree).run()
    }

    #[track_caller]
    pub(crate) fn does(&self, words: &[&str]) -> Value {
        self.call(words).ok().json()
    }

    /// What a person at a terminal does.
    #[track_caller]
    pub(crate) fn person(&self, line: &str) {
        let words: Vec<&str> = line.split(' ').collect();
        let _done = self.site.ledger.windlass(&words).cwd(&self.worktree).at_terminal(80).ok();
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.site.folder()
    }

    /// A repository that the work can be published to.
    #[track_caller]
    fn has_remote(&self) -> PathBuf {
        let remote = self.home().join("../remote.git");
        git(&self.home(), &format!("init -q --bare {}", remote.display()));
        git(&self.home(), &format!("remote add origin {}", remote.display()));
        remote
    }
}

#[track_caller]
pub(crate) fn git(folder: &Path, line: &str) -> String {
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
    let done: Vec<String> = finished["done"].as_array().unwrap().iter().map(text).collect();
    let worktree = format!("the worktree {} is gone", work.worktree.display());
    assert_eq!(
        done,
        ["1 commit of hotl/demo went into main", &worktree, "the branch hotl/demo is gone"]
    );
}

#[test]
fn work_whose_gates_were_only_attested_does_not_land_until_a_person_decides() {
    let work = Work::attested();
    let refused = error_of(&work.call(&["run", "finish", "merge"]), "evidence_missing", 3);
    assert_eq!(refused["details"]["steps"], serde_json::json!([1]), "{refused:#}");
    assert!(work.worktree.exists());
    let run = text(&refused["details"]["run_id"]);
    let hint = text(&refused["hint"]);
    for command in [
        &format!("run reopen 1 --reason TEXT --run-id {run}"),
        &format!("run gate 1 approved --run-id {run}"),
        &format!("run finalize --run-id {run}"),
    ] {
        assert!(hint.contains(command), "{hint}");
        work.person(command);
    }
    work.does(&["run", "finish", "merge"]);
    assert_eq!(git(&work.home(), "show main:hello.txt"), "hello");
}

#[test]
fn work_whose_gates_were_only_attested_is_not_published() {
    let work = Work::attested();
    let remote = work.has_remote();
    let refused = error_of(&work.call(&["run", "finish", "publish"]), "evidence_missing", 3);
    assert_eq!(refused["details"]["reasons"], serde_json::json!(["gate_attested_only"]));
    assert_eq!(git(&remote, "for-each-ref"), "");
}

#[test]
fn a_preview_says_that_work_whose_gates_were_only_attested_would_be_refused() {
    let work = Work::attested();
    let seen = work.does(&["run", "finish", "merge", "--preview"]);
    assert_eq!(seen["obstacle"]["code"], "evidence_missing", "{seen:#}");
    let seen = work.does(&["run", "finish", "keep", "--preview"]);
    assert_eq!(seen["obstacle"], Value::Null, "{seen:#}");
}

#[test]
fn work_whose_gates_were_only_attested_may_be_discarded() {
    let work = Work::attested();
    work.does(&["run", "finish", "discard", "--confirm", "discard"]);
    assert!(!work.worktree.exists());
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
    let discarded = work.does(&["run", "finish", "discard", "--confirm", "discard"]);
    assert!(!work.worktree.exists());
    let rescued = git(&work.home(), "for-each-ref --format=%(refname) refs/windlass/rescue");
    assert_eq!(text(&discarded["rescue"]), rescued);
}

#[test]
fn a_run_whose_folders_are_gone_can_still_be_discarded() {
    let work = Work::done();
    let run = text(&work.does(&["run", "show"])["run_id"]);
    for folder in [work.worktree.clone(), work.home().join(".git")] {
        std::fs::remove_dir_all(folder).unwrap();
    }
    let elsewhere = work.site.ledger.home.path();
    let gone = elsewhere.join("gone");
    std::fs::rename(work.home(), &gone).unwrap();
    let discard = ["run", "finish", "discard", "--confirm", "discard", "--run-id", &run];
    let discarded = work.site.ledger.windlass(&discard).cwd(elsewhere).run();
    std::fs::rename(&gone, work.home()).unwrap();
    assert_eq!(discarded.ok().json()["run"]["status"], "completed");
}

#[test]
fn the_evidence_of_a_run_that_came_from_a_linked_worktree_is_found_after_a_cleanup() {
    let site = Site::empty(Gates::Enforced);
    let pinned = format!("{LOW}worktree: true\nbranch: hotl/demo\n");
    site.has(FILE, &workflow(&pinned, STEP));
    let home = site.folder();
    for line in [
        "init -q -b main",
        "config user.email a@example.com",
        "config user.name anna",
        "add -A",
        "commit -q -m one",
        "worktree add -q -b beside ../beside",
    ] {
        git(&home, line);
    }
    let beside = home.join("../beside");
    let prepare = site.ledger.windlass(&["run", "prepare", FILE]).cwd(&beside);
    let worktree = PathBuf::from(text(&prepare.run().ok().json()["worktree_path"]));
    let work = Work::in_worktree(site, worktree);
    work.does(&["run", "finalize"]);
    let kept = work.does(&["run", "finish", "keep"]);
    git(&work.home(), "merge -q hotl/demo");
    work.site.does("run cleanup");
    assert!(!work.worktree.exists(), "it was not cleaned up");
    let shown = work.site.ledger.answer(&["run", "evidence", &text(&kept["run"]["run_id"])]);
    assert_eq!(shown["attempts"][0]["checks"][0]["log"]["state"], "here", "{shown:#}");
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
    let remote = work.has_remote();
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
