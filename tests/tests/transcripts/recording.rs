//! The commands by which Windlass itself keeps a run: those of its files, and those between the
//! machine that has the folder and the one that has the ledger.

use std::fs;
use std::path::PathBuf;

use crate::scene::{Scene, transcript};
use crate::telling::given_a_run;

fn state_file(scene: &Scene) -> PathBuf {
    let folder = fs::read_dir(scene.home().work().join(".hotl/state")).unwrap();
    folder.map(|file| file.unwrap().path()).next().unwrap()
}

#[test]
fn the_files_of_a_run_are_mirrors() {
    let said = transcript(|scene| {
        given_a_run(scene);
        let state = state_file(scene);
        let run = state.file_stem().unwrap().to_string_lossy();
        scene.shows(&format!("run files --report --run-id {run}"));
        let text = fs::read_to_string(&state).unwrap();
        fs::write(&state, text.replace("\"pending\"", "\"done\"")).unwrap();
        scene.says("run step start 1");
        fs::remove_file(&state).unwrap();
        scene.says("run step start 1");
    });
    insta::assert_snapshot!(said, @r##"
    $ windlass run files --report --run-id look-20261115T093000Z

    {
      "run_id": "look-20261115T093000Z",
      "workflow_path": "/home/ada/work/look-workflow.md",
      "source_workflow_path": "/home/ada/work/look-workflow.md",
      "source_branch": null,
      "source_head": null,
      "workflow_slug": "look",
      "intent": "Look around",
      "success_criteria": "Somebody looked",
      "risk_level": "low",
      "auto_approve": false,
      "branch": "hotl/look",
      "repo_root": "/home/ada/work",
      "execution_root": "/home/ada/work",
      "worktree_path": null,
      "executor_mode": "loop",
      "driver": "generic",
      "host": "fallback",
      "policy": {
        "profile": "standard",
        "sensitive_actions": "human"
      },
      "budgets": {
        "limits": {
          "total_attempts": null,
          "agents": null,
          "cost_usd": null,
          "elapsed_minutes": null
        },
        "observed": {
          "agents": null,
          "cost_usd": null,
          "elapsed_minutes": null
        },
        "exceeded": []
      },
      "external_actions": [],
      "policy_pauses": [],
      "controller": {
        "status": "unclaimed",
        "owner_id": null,
        "token_sha256": null,
        "claimed_at": null,
        "heartbeat_at": null,
        "lease_expires_epoch": null,
        "released_at": null
      },
      "ownership_required": false,
      "ownership_history": [],
      "revision": 0,
      "started_at": "2026-11-15T09:30:00+00:00",
      "last_update": "2026-11-15T09:30:00+00:00",
      "completed_at": null,
      "status": "running",
      "current_step": 1,
      "total_steps": 1,
      "report_path":
        "/home/ada/work/.hotl/reports/look-20261115T093000Z.md",
      "finish": {
        "disposition": null,
        "recorded_at": null,
        "target_branch": null,
        "remote": null,
        "pr_url": null,
        "branch_action": null,
        "worktree_action": null,
        "artifacts_preserved_at": null,
        "notes": null
      },
      "steps": [
        {
          "number": 1,
          "name": "Look",
          "action": "Look",
          "status": "pending",
          "attempts": 0,
          "max_iterations": 1,
          "loop": "false",
          "started_at": null,
          "completed_at": null,
          "verify": {
            "type": "shell",
            "command": "true",
            "passed": null,
            "stdout": null,
            "stderr": null
          },
          "gate": null,
          "gate_result": null,
          "gate_mode": null,
          "block_reason": null
        }
      ]
    }


    # Execution Report: look-20261115T093000Z

    **Workflow:** look-workflow.md
    **Source Workflow:** /home/ada/work/look-workflow.md
    **Intent:** Look around
    **Branch:** hotl/look
    **Executor:** loop
    **Execution Root:** /home/ada/work
    **Started:** 2026-11-15T09:30:00+00:00
    **Updated:** 2026-11-15T09:30:00+00:00
    **Status:** running

    | Step | Name | Status | Iterations |
    |------|------|--------|------------|
    |  1   | Look | · Pending | - |

    ## Event Log

    $ … --json
    {
      "run": "0123456789ABCDEFGHJKMNPQRS",
      "run_id": "look-20261115T093000Z",
      "folder": "/home/ada/work",
      "machine": "<host>",
      "revision": 0,
      "state": "{\n  \"run_id\": \"look-20261115T093000Z\",\n  \"workflow_p…",
      "report": "# Execution Report: look-20261115T093000Z\n\n**Workflow:** …",
      "workflow": {
        "path": "/home/ada/work/look-workflow.md",
        "file_sha256": "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
      }
    }
    $ windlass run step start 1
    error: the state file of run look-20261115T093000Z was changed by another hand
    hint: put it back by removing the file and calling again, or set
      runs.outside_edits = "adopt" to take such changes over
    more: windlass explain run_edited
    [exit code 3]
    $ windlass run step start 1
    started step 1
    run look-20261115T093000Z is running
    "##);
}

#[test]
fn a_run_is_recorded_from_the_machine_that_has_its_folder() {
    let said = transcript(|scene| {
        scene.shows(
            "run begin --text '### 1. Look' --workflow-path look.md --folder /srv/app --machine box",
        );
        scene.shows(
            "run import --folder /srv/app --machine box --state \
             '{\"run_id\":\"old-20261115T093000Z\",\"started_at\":\"2026-11-15T09:30:00+00:00\",\
             \"last_update\":\"2026-11-15T09:30:00+00:00\",\"status\":\"running\",\
             \"steps\":[{\"number\":1,\"name\":\"Look\",\"status\":\"pending\"}]}'",
        );
        scene.shows("run edited --state '{}' --run-id old-20261115T093000Z");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass run begin --text '### 1. Look' --workflow-path look.md --folder /srv/app --machine box
    run look-20261115T093000Z started: 1 step
    run look-20261115T093000Z is running
    $ … --json
    {
      "run": "0123456789ABCDEFGHJKMNPQRS",
      "run_id": "look-20261115T093000Z",
      "folder": "/srv/app",
      "machine": "<host>",
      "done": "run look-20261115T093000Z started: 1 step",
      "status": "running",
      "next_action": "verify_next_incomplete_step"
    }
    $ windlass run import --folder /srv/app --machine box --state '{"run_id":"old-20261115T093000Z","started_at":"2026-11-15T09:30:00+00:00","last_update":"2026-11-15T09:30:00+00:00","status":"running","steps":[{"number":1,"name":"Look","status":"pending"}]}'
    run old-20261115T093000Z was taken over
    run old-20261115T093000Z is running
    $ … --json
    {
      "run": "0123456789ABCDEFGHJKMNPQRS",
      "run_id": "old-20261115T093000Z",
      "folder": "/srv/app",
      "machine": "<host>",
      "done": "run old-20261115T093000Z was taken over",
      "status": "running",
      "next_action": "verify_next_incomplete_step"
    }
    $ windlass run edited --state '{}' --run-id old-20261115T093000Z
    error: the state file of run old-20261115T093000Z was changed by another hand
    hint: put it back by removing the file and calling again, or set
      runs.outside_edits = "adopt" to take such changes over
    more: windlass explain run_edited
    $ … --json
    {
      "schema_version": "v1",
      "ok": false,
      "error": {
        "code": "run_edited",
        "message": "the state file of run old-20261115T093000Z was changed by another hand",
        "hint": "put it back by removing the file and calling again, or set runs.outside_edits = \"adopt\" to take such changes over",
        "details": {
          "changed": [
            ".auto_approve",
            ".branch",
            ".budgets",
            ".completed_at",
            ".controller",
            ".current_step",
            ".driver",
            ".execution_root",
            ".executor_mode",
            ".external_actions",
            ".finish",
            ".host",
            ".intent",
            ".last_update",
            ".ownership_history",
            ".ownership_required",
            ".policy",
            ".policy_pauses",
            ".repo_root",
            ".report_path",
            ".revision",
            ".risk_level",
            ".run_id",
            ".source_branch",
            ".source_head",
            ".source_workflow_path",
            ".started_at",
            ".status",
            ".steps",
            ".success_criteria",
            ".total_steps",
            ".workflow_path",
            ".workflow_slug",
            ".worktree_path"
          ],
          "run_id": "old-20261115T093000Z"
        },
        "suggestions": []
      }
    }
    [exit code 3]
    "#);
}

#[test]
fn a_verification_asks_for_the_checks_and_then_records_them() {
    let said = transcript(|scene| {
        given_a_run(scene);
        scene.does("run step start 1");
        scene.shows("run step checks 1");
        scene.shows(
            "run step checked 1 --attempt 1 --results '[{\"check\":0,\"outcome\":\"passed\",\"exit_code\":0}]'",
        );
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass run step checks 1
    step 1, attempt 1: 1 check to run
    $ … --json
    {
      "run": "0123456789ABCDEFGHJKMNPQRS",
      "run_id": "look-20261115T093000Z",
      "folder": "/home/ada/work",
      "machine": "<host>",
      "step": 1,
      "of_steps": 1,
      "name": "Look",
      "attempt": 1,
      "max_attempts": 1,
      "checks": [[0, {"type": "shell", "command": "true"}]]
    }
    $ windlass run step checked 1 --attempt 1 --results '[{"check":0,"outcome":"passed","exit_code":0}]'
    pass
    run look-20261115T093000Z is running
    $ … --json
    {
      "run": "0123456789ABCDEFGHJKMNPQRS",
      "run_id": "look-20261115T093000Z",
      "folder": "/home/ada/work",
      "machine": "<host>",
      "done": "pass",
      "status": "running",
      "step": {
        "step": 1,
        "name": "Look",
        "action": "Look",
        "checks": ["shell: true"],
        "status": "done",
        "attempts": 1,
        "max_attempts": 1,
        "checked": true,
        "passed": true,
        "started_by": "ada"
      },
      "next_action": "verify_next_incomplete_step"
    }
    "#);
}
