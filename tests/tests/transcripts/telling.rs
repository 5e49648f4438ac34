//! What a run tells other tools, and the commands by which Windlass itself keeps a run.

use std::fs;
use std::path::PathBuf;

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

fn given_a_run(scene: &Scene) {
    given_a_file(scene);
    scene.does("run start look-workflow.md");
}

fn state_file(scene: &Scene) -> PathBuf {
    let folder = fs::read_dir(scene.home().work().join(".hotl/state")).unwrap();
    folder.map(|file| file.unwrap().path()).next().unwrap()
}

#[test]
fn a_workflow_file_and_a_run_are_told_as_hotl_tells_them() {
    let said = transcript(|scene| {
        given_a_run(scene);
        scene.shows("run normalize look-workflow.md");
        scene.shows("run reconcile");
        scene.shows("run summary");
        scene.shows("run receipt show");
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
            "verify": {"type": "shell", "command": "true"},
            "gate": null
          }
        ]
      }
    }
    $ windlass run reconcile

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
    $ windlass run receipt show

    {
      "schema": "hotl.receipt/v1",
      "generated_at": "2026-11-15T09:30:00+00:00",
      "run": {
        "id": "look-20261115T093000Z",
        "workflow_path": "/home/ada/work/look-workflow.md",
        "source_workflow_path": "/home/ada/work/look-workflow.md",
        "workflow_slug": "look",
        "intent": "Look around",
        "risk_level": "low",
        "branch": "hotl/look",
        "repo_root": "/home/ada/work",
        "execution_root": "/home/ada/work",
        "worktree_path": null,
        "executor_mode": "loop",
        "status": "running",
        "started_at": "2026-11-15T09:30:00+00:00",
        "completed_at": null,
        "workflow_sha256":
          "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        "commit_before": null,
        "commit_after": null,
        "gates": "enforced",
        "task": null
      },
      "implementation": {
        "driver": "generic",
        "host": "fallback"
      },
      "controller": {
        "status": "unclaimed",
        "owner_id": null,
        "claimed_at": null,
        "heartbeat_at": null,
        "lease_expires_epoch": null
      },
      "evidence": [
        {
          "step": 1,
          "name": "Look",
          "status": "pending",
          "attempts": 0,
          "verification": {
            "required": true,
            "type": "shell",
            "reference": "true",
            "passed": null
          },
          "gate": {
            "required": false,
            "required_mode": null,
            "configured": null,
            "result": null,
            "mode": null,
            "authority": null,
            "by": null,
            "reason": null,
            "decided_at": null
          },
          "block_reason": null,
          "checks": []
        }
      ],
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
      "sufficiency": {
        "sufficient": false,
        "reasons": [
          "run_not_completed",
          "steps_not_done",
          "verification_missing_or_failed",
          "finish_disposition_missing"
        ],
        "caveats": []
      },
      "redaction": {
        "stdout_included": false,
        "stderr_included": false,
        "environment_included": false
      },
      "ledger": {
        "run": "0123456789ABCDEFGHJKMNPQRS",
        "version": 1,
        "seq": 1,
        "hash": "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
      },
      "signature": {
        "algorithm": "ed25519",
        "key_id": "0123456789abcdef",
        "public_key": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx=",
        "digests": {
          "budgets": {
            "exceeded": [],
            "limits": {
              "agents": "0123456789abcdef",
              "cost_usd": "0123456789abcdef",
              "elapsed_minutes": "0123456789abcdef",
              "total_attempts": "0123456789abcdef"
            },
            "observed": {
              "agents": "0123456789abcdef",
              "cost_usd": "0123456789abcdef",
              "elapsed_minutes": "0123456789abcdef"
            }
          },
          "controller": {
            "claimed_at": "0123456789abcdef",
            "heartbeat_at": "0123456789abcdef",
            "lease_expires_epoch": "0123456789abcdef",
            "owner_id": "0123456789abcdef",
            "status": "0123456789abcdef"
          },
          "evidence": [
            {
              "attempts": "0123456789abcdef",
              "block_reason": "0123456789abcdef",
              "checks": [],
              "gate": {
                "authority": "0123456789abcdef",
                "by": "0123456789abcdef",
                "configured": "0123456789abcdef",
                "decided_at": "0123456789abcdef",
                "mode": "0123456789abcdef",
                "reason": "0123456789abcdef",
                "required": "0123456789abcdef",
                "required_mode": "0123456789abcdef",
                "result": "0123456789abcdef"
              },
              "name": "0123456789abcdef",
              "status": "0123456789abcdef",
              "step": "0123456789abcdef",
              "verification": {
                "passed": "0123456789abcdef",
                "reference": "0123456789abcdef",
                "required": "0123456789abcdef",
                "type": "0123456789abcdef"
              }
            }
          ],
          "external_actions": [],
          "finish": {
            "artifacts_preserved_at": "0123456789abcdef",
            "branch_action": "0123456789abcdef",
            "disposition": "0123456789abcdef",
            "notes": "0123456789abcdef",
            "pr_url": "0123456789abcdef",
            "recorded_at": "0123456789abcdef",
            "remote": "0123456789abcdef",
            "target_branch": "0123456789abcdef",
            "worktree_action": "0123456789abcdef"
          },
          "generated_at": "0123456789abcdef",
          "implementation": {
            "driver": "0123456789abcdef",
            "host": "0123456789abcdef"
          },
          "ledger": {
            "hash": "0123456789abcdef",
            "run": "0123456789abcdef",
            "seq": "0123456789abcdef",
            "version": "0123456789abcdef"
          },
          "policy": {
            "profile": "0123456789abcdef",
            "sensitive_actions": "0123456789abcdef"
          },
          "redaction": {
            "environment_included": "0123456789abcdef",
            "stderr_included": "0123456789abcdef",
            "stdout_included": "0123456789abcdef"
          },
          "run": {
            "branch": "0123456789abcdef",
            "commit_after": "0123456789abcdef",
            "commit_before": "0123456789abcdef",
            "completed_at": "0123456789abcdef",
            "execution_root": "0123456789abcdef",
            "executor_mode": "0123456789abcdef",
            "gates": "0123456789abcdef",
            "id": "0123456789abcdef",
            "intent": "0123456789abcdef",
            "repo_root": "0123456789abcdef",
            "risk_level": "0123456789abcdef",
            "source_workflow_path": "0123456789abcdef",
            "started_at": "0123456789abcdef",
            "status": "0123456789abcdef",
            "task": "0123456789abcdef",
            "workflow_path": "0123456789abcdef",
            "workflow_sha256": "0123456789abcdef",
            "workflow_slug": "0123456789abcdef",
            "worktree_path": "0123456789abcdef"
          },
          "schema": "0123456789abcdef",
          "sufficiency": {
            "caveats": [],
            "reasons": [
              "0123456789abcdef",
              "0123456789abcdef",
              "0123456789abcdef",
              "0123456789abcdef"
            ],
            "sufficient": "0123456789abcdef"
          }
        },
        "value":
          "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx="
      }
    }

    $ … --json
    {
      "schema": "hotl.receipt/v1",
      "generated_at": "2026-11-15T09:30:00+00:00",
      "run": {
        "id": "look-20261115T093000Z",
        "workflow_path": "/home/ada/work/look-workflow.md",
        "source_workflow_path": "/home/ada/work/look-workflow.md",
        "workflow_slug": "look",
        "intent": "Look around",
        "risk_level": "low",
        "branch": "hotl/look",
        "repo_root": "/home/ada/work",
        "execution_root": "/home/ada/work",
        "worktree_path": null,
        "executor_mode": "loop",
        "status": "running",
        "started_at": "2026-11-15T09:30:00+00:00",
        "completed_at": null,
        "workflow_sha256": "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        "commit_before": null,
        "commit_after": null,
        "gates": "enforced",
        "task": null
      },
      "implementation": {"driver": "generic", "host": "fallback"},
      "controller": {
        "status": "unclaimed",
        "owner_id": null,
        "claimed_at": null,
        "heartbeat_at": null,
        "lease_expires_epoch": null
      },
      "evidence": [
        {
          "step": 1,
          "name": "Look",
          "status": "pending",
          "attempts": 0,
          "verification": {
            "required": true,
            "type": "shell",
            "reference": "true",
            "passed": null
          },
          "gate": {
            "required": false,
            "required_mode": null,
            "configured": null,
            "result": null,
            "mode": null,
            "authority": null,
            "by": null,
            "reason": null,
            "decided_at": null
          },
          "block_reason": null,
          "checks": []
        }
      ],
      "policy": {"profile": "standard", "sensitive_actions": "human"},
      "budgets": {
        "limits": {
          "total_attempts": null,
          "agents": null,
          "cost_usd": null,
          "elapsed_minutes": null
        },
        "observed": {"agents": null, "cost_usd": null, "elapsed_minutes": null},
        "exceeded": []
      },
      "external_actions": [],
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
      "sufficiency": {
        "sufficient": false,
        "reasons": [
          "run_not_completed",
          "steps_not_done",
          "verification_missing_or_failed",
          "finish_disposition_missing"
        ],
        "caveats": []
      },
      "redaction": {
        "stdout_included": false,
        "stderr_included": false,
        "environment_included": false
      },
      "ledger": {
        "run": "0123456789ABCDEFGHJKMNPQRS",
        "version": 1,
        "seq": 1,
        "hash": "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
      },
      "signature": {
        "algorithm": "ed25519",
        "key_id": "0123456789abcdef",
        "public_key": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx=",
        "digests": {
          "budgets": {
            "exceeded": [],
            "limits": {
              "agents": "0123456789abcdef",
              "cost_usd": "0123456789abcdef",
              "elapsed_minutes": "0123456789abcdef",
              "total_attempts": "0123456789abcdef"
            },
            "observed": {
              "agents": "0123456789abcdef",
              "cost_usd": "0123456789abcdef",
              "elapsed_minutes": "0123456789abcdef"
            }
          },
          "controller": {
            "claimed_at": "0123456789abcdef",
            "heartbeat_at": "0123456789abcdef",
            "lease_expires_epoch": "0123456789abcdef",
            "owner_id": "0123456789abcdef",
            "status": "0123456789abcdef"
          },
          "evidence": [
            {
              "attempts": "0123456789abcdef",
              "block_reason": "0123456789abcdef",
              "checks": [],
              "gate": {
                "authority": "0123456789abcdef",
                "by": "0123456789abcdef",
                "configured": "0123456789abcdef",
                "decided_at": "0123456789abcdef",
                "mode": "0123456789abcdef",
                "reason": "0123456789abcdef",
                "required": "0123456789abcdef",
                "required_mode": "0123456789abcdef",
                "result": "0123456789abcdef"
              },
              "name": "0123456789abcdef",
              "status": "0123456789abcdef",
              "step": "0123456789abcdef",
              "verification": {
                "passed": "0123456789abcdef",
                "reference": "0123456789abcdef",
                "required": "0123456789abcdef",
                "type": "0123456789abcdef"
              }
            }
          ],
          "external_actions": [],
          "finish": {
            "artifacts_preserved_at": "0123456789abcdef",
            "branch_action": "0123456789abcdef",
            "disposition": "0123456789abcdef",
            "notes": "0123456789abcdef",
            "pr_url": "0123456789abcdef",
            "recorded_at": "0123456789abcdef",
            "remote": "0123456789abcdef",
            "target_branch": "0123456789abcdef",
            "worktree_action": "0123456789abcdef"
          },
          "generated_at": "0123456789abcdef",
          "implementation": {
            "driver": "0123456789abcdef",
            "host": "0123456789abcdef"
          },
          "ledger": {
            "hash": "0123456789abcdef",
            "run": "0123456789abcdef",
            "seq": "0123456789abcdef",
            "version": "0123456789abcdef"
          },
          "policy": {
            "profile": "0123456789abcdef",
            "sensitive_actions": "0123456789abcdef"
          },
          "redaction": {
            "environment_included": "0123456789abcdef",
            "stderr_included": "0123456789abcdef",
            "stdout_included": "0123456789abcdef"
          },
          "run": {
            "branch": "0123456789abcdef",
            "commit_after": "0123456789abcdef",
            "commit_before": "0123456789abcdef",
            "completed_at": "0123456789abcdef",
            "execution_root": "0123456789abcdef",
            "executor_mode": "0123456789abcdef",
            "gates": "0123456789abcdef",
            "id": "0123456789abcdef",
            "intent": "0123456789abcdef",
            "repo_root": "0123456789abcdef",
            "risk_level": "0123456789abcdef",
            "source_workflow_path": "0123456789abcdef",
            "started_at": "0123456789abcdef",
            "status": "0123456789abcdef",
            "task": "0123456789abcdef",
            "workflow_path": "0123456789abcdef",
            "workflow_sha256": "0123456789abcdef",
            "workflow_slug": "0123456789abcdef",
            "worktree_path": "0123456789abcdef"
          },
          "schema": "0123456789abcdef",
          "sufficiency": {
            "caveats": [],
            "reasons": [
              "0123456789abcdef",
              "0123456789abcdef",
              "0123456789abcdef",
              "0123456789abcdef"
            ],
            "sufficient": "0123456789abcdef"
          }
        },
        "value": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx="
      }
    }
    "#);
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
        "file_sha256": "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        "sha256": "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
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
             \"last_update\":\"2026-11-15T09:30:00+00:00\",\"status\":\"running\",\"steps\":[{\"number\":1,\"name\":\"Look\"}]}'",
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
    $ windlass run import --folder /srv/app --machine box --state '{"run_id":"old-20261115T093000Z","started_at":"2026-11-15T09:30:00+00:00","last_update":"2026-11-15T09:30:00+00:00","status":"running","steps":[{"number":1,"name":"Look"}]}'
    error: the state file cannot be read: missing field `status` at line 1 column
      170
    hint: restore it, or remove it to have it written again
    more: windlass explain import_invalid
    $ … --json
    {
      "schema_version": "v1",
      "ok": false,
      "error": {
        "code": "import_invalid",
        "message": "the state file cannot be read: missing field `status` at line 1 column 170",
        "hint": "restore it, or remove it to have it written again",
        "details": {"column": 170, "line": 1},
        "suggestions": []
      }
    }
    [exit code 3]
    $ windlass run edited --state '{}' --run-id old-20261115T093000Z
    error: there is no run old-20261115T093000Z
    hint: see the runs: windlass run list
    more: windlass explain run_not_found
    $ … --json
    {
      "schema_version": "v1",
      "ok": false,
      "error": {
        "code": "run_not_found",
        "message": "there is no run old-20261115T093000Z",
        "hint": "see the runs: windlass run list",
        "details": {"run_id": "old-20261115T093000Z"},
        "suggestions": []
      }
    }
    [exit code 4]
    "#);
}

#[test]
fn a_verification_asks_for_the_checks_and_then_records_them() {
    let said = transcript(|scene| {
        given_a_run(scene);
        scene.does("run step start 1");
        scene.shows("run step checks 1");
        scene.shows(
            "run step checked 1 --attempt 1 --results '[{\"check\":0,\"outcome\":\"passed\"}]'",
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
      "attempt": 1,
      "execution_root": "/home/ada/work",
      "checks": [[0, {"type": "shell", "command": "true"}]]
    }
    $ windlass run step checked 1 --attempt 1 --results '[{"check":0,"outcome":"passed"}]'
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

#[test]
fn a_receipt_says_what_was_changed_in_it() {
    let said = transcript(|scene| {
        given_a_run(scene);
        scene.does("run step start 1");
        scene.does("run step verify 1");
        scene.keeps("run receipt show", "receipt.json");
        scene.shows("run receipt verify receipt.json");
        let file = scene.home().work().join("receipt.json");
        let text = fs::read_to_string(&file).unwrap();
        fs::write(&file, text.replace("Look around", "Look away")).unwrap();
        scene.says("run receipt verify receipt.json");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass run receipt show --json > receipt.json
    $ windlass run receipt verify receipt.json
    receipt.json: right
      run        look-20261115T093000Z
      signed by  key 0123456789abcdef, of this installation
      ledger     says the same
    $ … --json
    {
      "file": "receipt.json",
      "right": true,
      "run_id": "look-20261115T093000Z",
      "signature": "right",
      "key_id": "0123456789abcdef",
      "public_key": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx=",
      "signer": "this_installation",
      "changed": [],
      "ledger": "same",
      "differences": [],
      "problems": [],
      "notes": []
    }
    $ windlass run receipt verify receipt.json
    receipt.json: not right
    it was changed after it was signed
    the ledger says otherwise
      run        look-20261115T093000Z
      signed by  key 0123456789abcdef, of this installation
      ledger     says otherwise
    changed: .run.intent
    PATH         RECEIPT      LEDGER
    .run.intent  "Look away"  "Look around"
    [exit code 6]
    "#);
}
