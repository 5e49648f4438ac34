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
    insta::assert_snapshot!(said, @r#"
    $ cat hotl-workflow-add-auth.md
    ---
    intent: Add auth
    success_criteria: The tests pass
    risk_level: low
    ---

    - [ ] **Step 1: Write tests**
    action: Write them
    loop: false
    verify: npm test
    $ windlass run prepare hotl-workflow-add-auth.md
    a worktree is ready on hotl/add-auth
      root      /home/ada/.hotl-worktrees/work/hotl-add-auth
      workflow  /home/ada/.hotl-worktrees/work/hotl-add-auth/hotl-workflow-add-auth.md
      from      main at ef15b57bae32
    next: cd /home/ada/.hotl-worktrees/work/hotl-add-auth
    $ … --json
    {
      "branch": "hotl/add-auth",
      "executor_mode": "loop",
      "repo_root": "/home/ada/work",
      "execution_root": "/home/ada/.hotl-worktrees/work/hotl-add-auth",
      "workflow_path": "/home/ada/.hotl-worktrees/work/hotl-add-auth/hotl-workflow-add-auth.md",
      "source_workflow_path": "/home/ada/work/hotl-workflow-add-auth.md",
      "source_branch": "main",
      "source_head": "ef15b57bae32f6cc2b04980fa82837c20c545b26",
      "worktree_path": "/home/ada/.hotl-worktrees/work/hotl-add-auth"
    }
    $ windlass run prepare hotl-workflow-add-auth.md --on-existing fail
    error: branch 'hotl/add-auth' exists, at ef15b57bae32, with a worktree at
      /home/ada/.hotl-worktrees/work/hotl-add-auth
    hint: go on with it: windlass run prepare hotl-workflow-add-auth.md
      --on-existing reuse; or begin again: --on-existing recreate (what it holds is
      kept under refs/windlass/rescue/); or rename or delete it yourself, then run
      again
    more: windlass explain branch_exists
    $ … --json
    {
      "schema_version": "v1",
      "ok": false,
      "error": {
        "code": "branch_exists",
        "message": "branch 'hotl/add-auth' exists, at ef15b57bae32, with a worktree at /home/ada/.hotl-worktrees/work/hotl-add-auth",
        "hint": "go on with it: windlass run prepare hotl-workflow-add-auth.…",
        "details": {
          "branch": "hotl/add-auth",
          "commit": "ef15b57bae32f6cc2b04980fa82837c20c545b26",
          "flag": "on_existing",
          "worktree_path": "/home/ada/.hotl-worktrees/work/hotl-add-auth"
        },
        "suggestions": []
      }
    }
    [exit code 3]
    $ windlass run prepare hotl-workflow-add-auth.md --on-existing recreate
    a worktree is ready on hotl/add-auth
      root      /home/ada/.hotl-worktrees/work/hotl-add-auth
      workflow  /home/ada/.hotl-worktrees/work/hotl-add-auth/hotl-workflow-add-auth.md
      from      main at ef15b57bae32
      kept      refs/windlass/rescue/hotl-add-auth-ef15b57bae32
    next: cd /home/ada/.hotl-worktrees/work/hotl-add-auth
    $ … --json
    {
      "branch": "hotl/add-auth",
      "executor_mode": "loop",
      "repo_root": "/home/ada/work",
      "execution_root": "/home/ada/.hotl-worktrees/work/hotl-add-auth",
      "workflow_path": "/home/ada/.hotl-worktrees/work/hotl-add-auth/hotl-workflow-add-auth.md",
      "source_workflow_path": "/home/ada/work/hotl-workflow-add-auth.md",
      "source_branch": "main",
      "source_head": "ef15b57bae32f6cc2b04980fa82837c20c545b26",
      "worktree_path": "/home/ada/.hotl-worktrees/work/hotl-add-auth",
      "rescue": "refs/windlass/rescue/hotl-add-auth-ef15b57bae32"
    }
    "#);
}

#[test]
fn a_file_with_errors_prepares_nothing() {
    let said = transcript(|scene| {
        has_a_repository(scene, "gate: humna\n");
        scene.shows("run prepare hotl-workflow-add-auth.md");
    });
    insta::assert_snapshot!(said, @r#"
    $ cat hotl-workflow-add-auth.md
    ---
    intent: Add auth
    success_criteria: The tests pass
    risk_level: low
    ---

    - [ ] **Step 1: Write tests**
    action: Write them
    loop: false
    gate: humna
    $ windlass run prepare hotl-workflow-add-auth.md
    error: /home/ada/work/hotl-workflow-add-auth.md:10:7: gate must
      be human or auto (got: 'humna')
    hint: see it underlined: windlass run lint
      /home/ada/work/hotl-workflow-add-auth.md
    more: windlass explain file_invalid
    $ … --json
    {
      "schema_version": "v1",
      "ok": false,
      "error": {
        "code": "file_invalid",
        "message": "/home/ada/work/hotl-workflow-add-auth.md:10:7: gate must be human or auto (got: 'humna')",
        "hint": "see it underlined: windlass run lint /home/ada/work/hotl-workflow-add-auth.md",
        "details": {
          "file": "/home/ada/work/hotl-workflow-add-auth.md",
          "findings": [
            "/home/ada/work/hotl-workflow-add-auth.md:10:7: gate must be human or auto (got: 'humna')"
          ]
        },
        "suggestions": []
      }
    }
    [exit code 3]
    "#);
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
    insta::assert_snapshot!(said, @r#"
    $ cat hotl-workflow-add-auth.md
    ---
    intent: Add auth
    success_criteria: The tests pass
    risk_level: low
    ---

    - [ ] **Step 1: Write tests**
    action: Write them
    loop: false
    verify: npm test
    $ windlass run locate
    RUN                        STATUS   STEP  BRANCH         FOLDER
    add-auth-20261115T093000Z  running  1/1   hotl/add-auth  .
    1 run
    $ … --json
    {
      "runs": [
        {
          "run_id": "add-auth-20261115T093000Z",
          "status": "running",
          "current_step": 1,
          "total_steps": 1,
          "branch": "hotl/add-auth",
          "executor_mode": "loop",
          "last_update": "2026-11-15T09:30:00+00:00",
          "workflow_path": "hotl-workflow-add-auth.md",
          "source_workflow_path": "",
          "repo_root": "",
          "execution_root": "",
          "worktree_path": null,
          "report_path": ".hotl/reports/x.md",
          "state_file": "/home/ada/work/.hotl/state/add-auth-20261115T093000Z.json",
          "run_root": "/home/ada/work"
        }
      ]
    }
    $ windlass run locate --run-id other
    no run was found that has not ended
    "#);
}

#[test]
fn worktrees_whose_runs_have_ended_go() {
    let said = transcript(|scene| {
        has_a_repository(scene, "verify: npm test\n");
        scene.does("run prepare hotl-workflow-add-auth.md");
        scene.shows("run cleanup --dry-run");
    });
    insta::assert_snapshot!(said, @r#"
    $ cat hotl-workflow-add-auth.md
    ---
    intent: Add auth
    success_criteria: The tests pass
    risk_level: low
    ---

    - [ ] **Step 1: Write tests**
    action: Write them
    loop: false
    verify: npm test
    $ windlass run cleanup --dry-run
    ../.hotl-worktrees/work/hotl-add-auth stays: no run is known to have worked in
      it
    0 worktrees would go
    $ … --json
    {
      "dry_run": true,
      "worktrees": [
        {
          "path": "/home/ada/.hotl-worktrees/work/hotl-add-auth",
          "branch": "hotl/add-auth",
          "goes": false,
          "stays": "no run is known to have worked in it"
        }
      ]
    }
    "#);
}
