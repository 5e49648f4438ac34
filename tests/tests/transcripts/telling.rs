//! What a run tells other tools, in the words of HOTL.

use std::fs;

use crate::scene::{Scene, transcript};

const FILE: &str = "---
intent: Look around
success_criteria: Somebody looked
risk_level: low
---

### 1. Look
action: Look
loop: false
verify: true
";

fn given_a_file(scene: &Scene) {
    fs::write(scene.home().work().join("look-workflow.md"), FILE).unwrap();
}

pub(crate) fn given_a_run(scene: &Scene) {
    given_a_file(scene);
    scene.does("run start look-workflow.md");
}

#[test]
fn a_workflow_file_and_a_run_are_told_as_hotl_tells_them() {
    let said = transcript(|scene| {
        given_a_run(scene);
        scene.shows("run normalize look-workflow.md");
        scene.shows("run reconcile");
        scene.shows("run summary");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass run normalize look-workflow.md

    {
      "schema": "hotl.workflow/v1",
      "source": {
        "format": "hotl-markdown",
        "path": "/home/ada/work/look-workflow.md"
      },
      "workflow": {
        "slug": "look",
        "intent": "Look around",
        "success_criteria": "Somebody looked",
        "risk_level": "low",
        "auto_approve": false,
        "branch": "hotl/look",
        "policy": {
          "profile": "standard",
          "sensitive_actions": "human",
          "budgets": {
            "max_total_attempts": null,
            "max_agents": null,
            "max_cost_usd": null,
            "max_elapsed_minutes": null
          }
        },
        "total_steps": 1,
        "steps": [
          {
            "number": 1,
            "name": "Look",
            "action": "Look",
            "loop": false,
            "max_iterations": 3,
            "verify": {
              "type": "shell",
              "command": "true"
            },
            "gate": null
          }
        ]
      }
    }

    $ … --json
    (the same)
    $ windlass run reconcile
    look-20261115T093000Z
      status   running
      proven   not yet
      missing  run not completed, steps not done, verification missing or failed,
               finish disposition missing
      next     verify next incomplete step
    $ … --json
    {
      "schema": "hotl.reconciliation/v1",
      "run_id": "look-20261115T093000Z",
      "status": "running",
      "sufficient": false,
      "unresolved_actions": 0,
      "exceeded_budgets": [],
      "next_action": "verify_next_incomplete_step",
      "reasons": [
        "run_not_completed",
        "steps_not_done",
        "verification_missing_or_failed",
        "finish_disposition_missing"
      ],
      "owner_stale": false
    }
    $ windlass run summary

    {
      "run_id": "look-20261115T093000Z",
      "workflow_path": "/home/ada/work/look-workflow.md",
      "source_workflow_path": "/home/ada/work/look-workflow.md",
      "source_branch": null,
      "source_head": null,
      "workflow_slug": "look",
      "intent": "Look around",
      "branch": "hotl/look",
      "repo_root": "/home/ada/work",
      "execution_root": "/home/ada/work",
      "worktree_path": null,
      "executor_mode": "loop",
      "driver": "generic",
      "host": "fallback",
      "status": "running",
      "started_at": "2026-11-15T09:30:00+00:00",
      "last_update": "2026-11-15T09:30:00+00:00",
      "completed_at": null,
      "total_steps": 1,
      "completed_steps": 0,
      "failed_steps": 0,
      "blocked_steps": 0,
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
          "status": "pending",
          "attempts": 0,
          "verify_passed": null,
          "gate_result": null,
          "gate_mode": null,
          "block_reason": null
        }
      ]
    }

    $ … --json
    (the same)
    "#);
}
