//! `windlass hotl finish-execution`, with git itself: HOTL's arguments, texts and exit codes.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use serde_json::Value;
use windlass_testkit::{Outcome, Run};

use crate::place::{Place, error};

const FILE: &str = "docs/plans/2026-11-16-sample-workflow.md";

const WORKFLOW: &str = "\
---
intent: Leave a mark
success_criteria: The mark is there
risk_level: low
---

- [ ] **Step 1: Leave it**
action: Write mark.txt
loop: false
verify: test -f mark.txt
";

/// A repository on the branch `authoring`, with a run in a worktree of its own.
struct Work {
    place: Place,
    root: PathBuf,
    run: String,
}

impl Work {
    /// Ready to be finished.
    #[track_caller]
    fn done() -> Self {
        let work = Self::begun();
        for words in [&["step", "1", "start"][..], &["step", "1", "verify"], &["finalize"]] {
            work.rt(words);
        }
        work
    }

    /// The same, with a gate that the skill says was approved.
    #[track_caller]
    fn attested(place: Place) -> Self {
        let work = Self::begun_with(place, &format!("{WORKFLOW}gate: human\n"));
        let words = [&["step", "1", "start"][..], &["step", "1", "verify"]];
        for words in words.into_iter().chain([&["gate", "1", "approved"][..], &["finalize"]]) {
            work.rt(words);
        }
        work
    }

    #[track_caller]
    fn begun() -> Self {
        Self::begun_with(Place::new(), WORKFLOW)
    }

    #[track_caller]
    fn begun_with(place: Place, workflow: &str) -> Self {
        let home = place.home.work();
        fs::create_dir_all(home.join("docs/plans")).unwrap();
        git(&place, &home, "init -q -b main");
        git(&place, &home, "add -A");
        git(&place, &home, "commit -q -m one");
        git(&place, &home, "switch -q -c authoring");
        place.write(FILE, workflow);
        let prepared = place.windlass(&["hotl", "prepare-root", FILE]).run().ok();
        let prepared: Value = serde_json::from_str(&prepared.stdout).unwrap();
        let word = |key: &str| prepared[key].as_str().unwrap().to_owned();
        let root = PathBuf::from(word("execution_root"));
        let (file, source, repo) =
            (word("workflow_path"), word("source_workflow_path"), word("repo_root"));
        let root_text = root.display().to_string();
        let init = ["init", &file, "--source-workflow-path", &source, "--repo-root", &repo]
            .into_iter()
            .chain(["--execution-root", &root_text, "--worktree-path", &root_text])
            .chain(["--branch", "hotl/sample", "--source-branch", "authoring"]);
        let begun = place.rt(&init.collect::<Vec<_>>()).cwd(&root).run().ok();
        fs::write(root.join("mark.txt"), "mark\n").unwrap();
        git(&place, &root, "add mark.txt");
        git(&place, &root, "commit -q -m mark");
        Self { place, root, run: begun.stdout.trim().to_owned() }
    }

    #[track_caller]
    fn rt(&self, words: &[&str]) -> String {
        let words = [words, &["--run-id", &self.run]].concat();
        self.place.rt(&words).cwd(&self.root).run().ok().stdout
    }

    /// The script, called from where the workflow file was written.
    fn finish(&self, mode: &str, words: &[&str]) -> Run {
        let script = ["hotl", "finish-execution", "--run-id", &self.run, "--mode", mode];
        identified(self.place.windlass(&[&script[..], words].concat()))
    }

    #[track_caller]
    fn finished(&self, mode: &str, words: &[&str]) -> Value {
        let outcome = self.finish(mode, words).run().ok();
        serde_json::from_str(&outcome.stdout).unwrap()
    }

    #[track_caller]
    fn refused(&self, mode: &str, words: &[&str]) -> String {
        let said = error(&self.finish(mode, words).run());
        assert!(self.root.join("mark.txt").exists(), "the work is gone");
        said
    }

    fn home(&self) -> PathBuf {
        self.place.home.work()
    }

    #[track_caller]
    fn git(&self, line: &str) -> String {
        git(&self.place, &self.home(), line)
    }

    /// The state file in a folder.
    #[track_caller]
    fn state(&self, folder: &Path) -> Value {
        let path = folder.join(format!(".hotl/state/{}.json", self.run));
        serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
    }

    /// A remote repository, and an action that a person approved.
    #[track_caller]
    fn approved(&self, kind: &str, target: &str) {
        let remote = self.place.home.path().join("remote.git");
        if !remote.exists() {
            self.git(&format!("init -q --bare {}", remote.display()));
            self.git(&format!("remote add origin {}", remote.display()));
        }
        self.rt(&["action", "request", kind, "--target", target, "--idempotency-key", "k"]);
        self.rt(&["action", "decide", "action-1", "approved"]);
    }

    fn effect(&self) -> Value {
        self.state(&self.root)["external_actions"][0]["effect"]["status"].clone()
    }
}

const EFFECT: [&str; 4] = ["--effect-action-id", "action-1", "--idempotency-key", "k"];

fn identified(run: Run) -> Run {
    ["AUTHOR", "COMMITTER"].into_iter().fold(run, |run, who| {
        run.env(format!("GIT_{who}_NAME"), "Ada").env(format!("GIT_{who}_EMAIL"), "ada@example.org")
    })
}

#[track_caller]
fn git(place: &Place, folder: &Path, line: &str) -> String {
    let run = place.home.program("git").args(line.split(' ')).cwd(folder);
    identified(run).run().ok().stdout.trim().to_owned()
}

#[test]
fn a_merge_goes_back_to_where_the_work_came_from_and_keeps_only_its_files() {
    let work = Work::done();
    let summary = work.finished("merge", &[]);
    assert_eq!(summary["status"], "completed");
    let finish = &summary["finish"];
    assert_eq!(finish["disposition"], "merged");
    assert_eq!(finish["target_branch"], "authoring");
    assert_eq!(finish["branch_action"], "merged-into-authoring");
    assert_eq!(finish["worktree_action"], "removed");
    assert_eq!(finish["notes"], "Merged execution branch back into authoring.");
    assert!(work.home().join("mark.txt").is_file() && !work.root.exists());
    assert_eq!(work.git("branch --list hotl/sample"), "");
    let state = work.state(&work.home());
    let report = fs::canonicalize(work.home()).unwrap().join(".hotl/reports");
    assert!(Path::new(state["report_path"].as_str().unwrap()).starts_with(report));
}

#[test]
fn what_a_skill_approved_itself_is_merged_and_that_is_on_record() {
    for place in [Place::new(), Place::with_a_server()] {
        let work = Work::attested(place);
        let finish = work.finished("merge", &[])["finish"].clone();
        assert_eq!(finish["disposition"], "merged", "{finish:#}");
        assert_eq!(finish["attested_gates"], serde_json::json!([1]), "{finish:#}");
        assert!(work.home().join("mark.txt").is_file());
    }
}

#[test]
fn what_a_skill_says_was_merged_is_recorded_with_the_gates_that_it_approved_itself() {
    let work = Work::attested(Place::new());
    let summary: Value = serde_json::from_str(&work.rt(&["finish", "merged"])).unwrap();
    assert_eq!(summary["finish"]["attested_gates"], serde_json::json!([1]), "{summary:#}");
}

#[test]
fn a_merge_may_be_an_approved_action() {
    let work = Work::done();
    work.approved("production_change", "merge hotl/sample into authoring");
    let _summary = work.finished("merge", &EFFECT);
    let effect = &work.state(&work.home())["external_actions"][0]["effect"];
    assert_eq!(effect["status"], "succeeded");
    let merged = format!("git-merge:authoring@{}", work.git("rev-parse authoring"));
    assert_eq!(effect["evidence_ref"], merged);
}

#[test]
fn a_discard_must_be_confirmed() {
    let work = Work::done();
    let said = work.refused("discard", &[]);
    assert_eq!(said, "Discard is destructive. Re-run with --confirm discard.");
    let summary = work.finished("discard", &["--confirm", "discard"]);
    assert_eq!(summary["finish"]["branch_action"], "deleted");
    assert!(!work.root.exists() && !work.home().join("mark.txt").exists());
    assert_eq!(work.state(&work.home())["finish"]["disposition"], "discarded");
}

#[test]
fn what_is_kept_stays() {
    let work = Work::done();
    let finish = work.finished("keep", &["--notes", "for later"])["finish"].clone();
    assert_eq!((&finish["disposition"], &finish["notes"]), (&"kept".into(), &"for later".into()));
    assert!(work.root.join("mark.txt").exists());
    let again = format!("Run {} already has a recorded finish outcome: kept", work.run);
    assert_eq!(work.refused("merge", &[]), again);
}

#[test]
fn what_is_published_was_approved_and_is_on_record_before_and_after() {
    let work = Work::done();
    work.approved("external_write", "publish hotl/sample to origin");
    let finish = work.finished("publish", &EFFECT)["finish"].clone();
    assert_eq!(
        (&finish["disposition"], &finish["remote"]),
        (&"published".into(), &"origin".into())
    );
    assert_eq!(work.effect(), "succeeded");
    assert!(work.git("ls-remote origin").contains("refs/heads/hotl/sample"));
    assert!(work.root.exists(), "the worktree stays");
}

#[test]
fn an_approval_of_something_else_publishes_nothing() {
    let work = Work::done();
    work.approved("external_write", "publish another branch to origin");
    let said = work.refused("publish", &EFFECT);
    assert!(said.starts_with("Approved action does not match the bounded finish effect"), "{said}");
    assert_eq!(
        (work.effect(), work.git("ls-remote origin")),
        ("not_started".into(), String::new())
    );
}

/// Work whose pull request fails: the action that a person approved for it is begun, no more.
#[track_caller]
fn without_a_forge() -> Work {
    let work = Work::done();
    let target = "publish hotl/sample to origin and create PR against authoring";
    work.approved("external_write", target);
    let asked = [&["--create-pr"][..], &EFFECT].concat();
    let said = error(&failing(&work, &asked).run());
    assert!(said.contains("no such forge"), "{said}");
    work
}

/// Publishes with a client of the forge that always fails.
fn failing(work: &Work, words: &[&str]) -> Run {
    let client = work.place.home.path().join("bin/gh");
    fs::create_dir_all(client.parent().unwrap()).unwrap();
    fs::write(&client, "#!/bin/sh\necho no such forge >&2\nexit 42\n").unwrap();
    fs::set_permissions(&client, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", client.parent().unwrap().display());
    work.finish("publish", words).env("PATH", path)
}

#[test]
fn a_pull_request_that_fails_leaves_the_action_begun_and_nothing_finished() {
    let work = without_a_forge();
    assert_eq!(work.effect(), "in_progress");
    assert_eq!(work.state(&work.root)["finish"]["disposition"], Value::Null);
}

#[test]
fn a_pull_request_that_was_made_before_an_interruption_is_recorded_and_not_made_again() {
    let work = without_a_forge();
    let made = ["--create-pr", "--pr-url", "https://forge/1"];
    let outcome = failing(&work, &[&made[..], &EFFECT].concat()).run().ok();
    let summary: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(summary["finish"]["pr_url"], "https://forge/1", "{summary:#}");
    let effect = &work.state(&work.root)["external_actions"][0]["effect"];
    assert_eq!(effect["status"], "succeeded");
    assert_eq!(effect["evidence_ref"], "pr:https://forge/1");
}

#[test]
fn what_makes_no_sense_is_told_with_hotls_words() {
    let work = Work::done();
    for (mode, words, expected) in [
        (
            "publish",
            &[][..],
            "Publish requires --effect-action-id and --idempotency-key for its governed external \
             effect.",
        ),
        (
            "merge",
            &EFFECT[..2],
            "--effect-action-id and --idempotency-key must be provided together.",
        ),
        ("keep", &EFFECT[..], "effect lifecycle options are supported only for merge or publish."),
    ] {
        assert_eq!(work.refused(mode, words), expected);
    }
    let usage = |outcome: Outcome| {
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(1), ""), "{outcome}");
        assert!(outcome.stderr.starts_with("usage: finish-execution --run-id"), "{outcome}");
    };
    usage(work.finish("burn", &[]).run());
    usage(work.finish("keep", &["--colour", "red"]).run());
    usage(work.place.windlass(&["hotl", "finish-execution", "--mode", "keep"]).run());
}

#[test]
fn a_run_that_is_not_over_is_not_finished() {
    let work = Work::begun();
    let said = work.refused("merge", &[]);
    assert_eq!(said, "Mode 'merge' requires a completed run. Current status: running");
    let said = work.refused("keep", &[]);
    assert_eq!(said, "Mode 'keep' requires a finalized run. Current status: running");
}

#[test]
fn a_run_that_is_nowhere_and_a_folder_that_is_no_repository_are_told() {
    let work = Work::begun();
    let finish = ["hotl", "finish-execution", "--run-id", "nobody", "--mode", "keep"];
    let said = error(&work.place.windlass(&finish).run());
    assert!(said.starts_with("Could not locate HOTL run nobody in the repo"), "{said}");
    let elsewhere = work.place.windlass(&finish).cwd(work.place.home.path()).run();
    assert!(error(&elsewhere).ends_with("must run inside a git repository."));
}

#[test]
fn a_conflict_leaves_everything_as_it_was() {
    let work = Work::done();
    fs::write(work.home().join("mark.txt"), "another\n").unwrap();
    work.git("add mark.txt");
    work.git("commit -q -m another");
    let said = work.refused("merge", &[]);
    assert!(said.starts_with("Merge failed. HOTL left the execution branch/worktree intact."));
    assert!(said.contains("mark.txt"), "{said}");
}
