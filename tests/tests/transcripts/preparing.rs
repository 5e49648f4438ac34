//! Checkouts for runs, and runs that are found again.

use std::fs;

use crate::scene::{Scene, transcript};

const FILE: &str = "hotl-workflow-add-auth.md";

/// A repository with one commit, which is the same every time.
fn has_a_repository(scene: &mut Scene, steps: &str) {
    scene.has(
        FILE,
        &format!(
            "---\nintent: Add auth\nsuccess_criteria: The tests pass\nrisk_level: low\n---\n\n\
             - [ ] **Step 1: Write tests**\naction: Write them\nloop: false\n{steps}"
        ),
    );
    fs::write(scene.home().work().join("README"), "An API\n").unwrap();
    for words in [
        &["init", "--quiet", "-b", "main"][..],
        &["add", "README"],
        &["commit", "--quiet", "-m", "Begin"],
    ] {
        let mut run = scene.home().program("git").args(words);
        for who in ["AUTHOR", "COMMITTER"] {
            run = run
                .env(format!("GIT_{who}_NAME"), "Ada")
                .env(format!("GIT_{who}_EMAIL"), "ada@example.org")
                .env(format!("GIT_{who}_DATE"), "2026-11-15T09:30:00Z");
        }
        let _done = run.run().ok();
    }
}

#[test]
fn a_run_gets_a_worktree_of_its_own() {
    let said = transcript(|scene| {
        has_a_repository(scene, "verify: npm test\n");
        scene.shows("run prepare hotl-workflow-add-auth.md");
        scene.shows("run prepare hotl-workflow-add-auth.md --on-existing fail");
        scene.shows("run prepare hotl-workflow-add-auth.md --on-existing recreate");
    });
    insta::assert_snapshot!(said, @"");
}

#[test]
fn a_file_with_errors_prepares_nothing() {
    let said = transcript(|scene| {
        has_a_repository(scene, "gate: humna\n");
        scene.shows("run prepare hotl-workflow-add-auth.md");
    });
    insta::assert_snapshot!(said, @"");
}

#[test]
fn runs_are_found_by_their_state_files() {
    let said = transcript(|scene| {
        has_a_repository(scene, "verify: npm test\n");
        let folder = scene.home().work().join(".hotl/state");
        fs::create_dir_all(&folder).unwrap();
        let state = r#"{"run_id":"add-auth-20261115T093000Z","branch":"hotl/add-auth",
            "status":"running","started_at":"2026-11-15T09:30:00+00:00","current_step":1,
            "last_update":"2026-11-15T09:31:00+00:00","total_steps":1,
            "workflow_path":"hotl-workflow-add-auth.md","report_path":".hotl/reports/x.md",
            "steps":[{"number":1,"name":"Write tests","status":"in_progress"}]}"#;
        fs::write(folder.join("add-auth-20261115T093000Z.json"), state).unwrap();
        scene.shows("run locate");
        scene.says("run locate --run-id other");
    });
    insta::assert_snapshot!(said, @"");
}

#[test]
fn worktrees_whose_runs_have_ended_go() {
    let said = transcript(|scene| {
        has_a_repository(scene, "verify: npm test\n");
        scene.does("run prepare hotl-workflow-add-auth.md");
        scene.shows("run cleanup --dry-run");
    });
    insta::assert_snapshot!(said, @"");
}
