//! The receipt of a run: what it says, and how it is believed.

use std::fs;

use crate::scene::transcript;
use crate::telling::given_a_run;

#[test]
fn a_receipt_says_what_was_done_and_who_signs_it() {
    let said = transcript(|scene| {
        given_a_run(scene);
        scene.shows("run receipt show");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass run receipt show
    look-20261115T093000Z
      status     running
      intent     Look around
      proven     not yet
      missing    run not completed, steps not done, verification missing or failed,
                 finish disposition missing
      branch     hotl/look
      signed by  0123456789abcdef
    STEP  NAME  STATUS   ATTEMPTS  CHECKS  GATE
    1     Look  pending  0
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
