//! Who owns a run, what it does to the world outside, and what it may use up.

use crate::scene::{Scene, transcript};

const FILE: &str = "---
intent: Publish version 2
success_criteria: It can be downloaded
risk_level: low
max_total_attempts: 1
max_cost_usd: 2.50
---

### 1. Build it
action: Build
loop: until it builds
max_iterations: 3
verify: test -f v2.tar
";

fn given_a_run(scene: &Scene) {
    std::fs::write(scene.home().work().join("publish-workflow.md"), FILE).unwrap();
    scene.does("run start publish-workflow.md");
}

#[test]
fn an_owner_works_on_a_run_alone() {
    let said = transcript(|scene| {
        std::fs::write(scene.home().work().join("publish-workflow.md"), FILE).unwrap();
        scene.does("run start publish-workflow.md --gates attested");
        scene.shows("run owner status");
        scene.owns("run owner claim --owner worker-1");
        scene.shows("run owner heartbeat --lease-seconds 600");
        scene.without("HOTL_OWNER_TOKEN");
        scene.asks("run step start 1 --agent worker-2");
        scene.says("run owner takeover --owner worker-2 --reason 'worker-1 is slow'");
        scene.owns("run owner takeover --owner worker-2 --reason 'worker-1 is gone' --force");
        scene.owns("run owner handoff --to-owner worker-3");
        scene.shows("run owner release");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass run owner status
    nobody owns run publish-20261115T093000Z
    $ … --json
    {
      "run": "0123456789ABCDEFGHJKMNPQRS",
      "run_id": "publish-20261115T093000Z",
      "folder": "/home/ada/work",
      "machine": "<host>",
      "status": "unclaimed",
      "owner_id": null,
      "claimed_at": null,
      "heartbeat_at": null,
      "lease_expires_epoch": null,
      "released_at": null
    }
    $ windlass run owner claim --owner worker-1
    worker-1 owns run publish-20261115T093000Z
    HOTL_OWNER_TOKEN=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
    the token is shown once
    $ … --json
    {
      "run": "0123456789ABCDEFGHJKMNPQRS",
      "run_id": "publish-20261115T093000Z",
      "folder": "/home/ada/work",
      "machine": "<host>",
      "status": "active",
      "owner_id": "worker-1",
      "claimed_at": "2026-11-15T09:30:00+00:00",
      "heartbeat_at": "2026-11-15T09:30:00+00:00",
      "lease_expires_epoch": <number>,
      "released_at": null,
      "token": "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
      "token_sha256": "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
    }
    $ export HOTL_OWNER_TOKEN=…
    $ windlass run owner heartbeat --lease-seconds 600
    worker-1 owns run publish-20261115T093000Z
    $ … --json
    {
      "run": "0123456789ABCDEFGHJKMNPQRS",
      "run_id": "publish-20261115T093000Z",
      "folder": "/home/ada/work",
      "machine": "<host>",
      "status": "active",
      "owner_id": "worker-1",
      "claimed_at": "2026-11-15T09:30:00+00:00",
      "heartbeat_at": "2026-11-15T09:30:00+00:00",
      "lease_expires_epoch": <number>,
      "released_at": null,
      "token_sha256": "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
    }
    $ windlass run step start 1 --agent worker-2 --json
    {
      "schema_version": "v1",
      "ok": false,
      "error": {
        "code": "owner_required",
        "message": "Active run requires the controller ownership token in HOTL_OWNER_TOKEN",
        "hint": "set HOTL_OWNER_TOKEN to the token that the claim answered",
        "details": {"run_id": "publish-20261115T093000Z"},
        "suggestions": []
      }
    }
    [exit code 3]
    $ windlass run owner takeover --owner worker-2 --reason 'worker-1 is slow'
    error: Controller lease is still active; use --force only after explicit human
      review
    hint: wait until it has run out, or give --force
    more: windlass explain lease_not_expired
    [exit code 3]
    $ windlass run owner takeover --owner worker-2 --reason 'worker-1 is gone' --force
    worker-2 owns run publish-20261115T093000Z
    HOTL_OWNER_TOKEN=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
    the token is shown once
    $ … --json
    {
      "run": "0123456789ABCDEFGHJKMNPQRS",
      "run_id": "publish-20261115T093000Z",
      "folder": "/home/ada/work",
      "machine": "<host>",
      "status": "active",
      "owner_id": "worker-2",
      "claimed_at": "2026-11-15T09:30:00+00:00",
      "heartbeat_at": "2026-11-15T09:30:00+00:00",
      "lease_expires_epoch": <number>,
      "released_at": null,
      "token": "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
      "token_sha256": "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
    }
    $ export HOTL_OWNER_TOKEN=…
    $ windlass run owner handoff --to-owner worker-3
    worker-3 owns run publish-20261115T093000Z
    HOTL_OWNER_TOKEN=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
    the token is shown once
    $ … --json
    {
      "run": "0123456789ABCDEFGHJKMNPQRS",
      "run_id": "publish-20261115T093000Z",
      "folder": "/home/ada/work",
      "machine": "<host>",
      "status": "active",
      "owner_id": "worker-3",
      "claimed_at": "2026-11-15T09:30:00+00:00",
      "heartbeat_at": "2026-11-15T09:30:00+00:00",
      "lease_expires_epoch": <number>,
      "released_at": null,
      "token": "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
      "token_sha256": "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
    }
    $ export HOTL_OWNER_TOKEN=…
    $ windlass run owner release
    nobody owns run publish-20261115T093000Z; worker-3 gave it back
    $ … --json
    {
      "run": "0123456789ABCDEFGHJKMNPQRS",
      "run_id": "publish-20261115T093000Z",
      "folder": "/home/ada/work",
      "machine": "<host>",
      "status": "released",
      "owner_id": "worker-3",
      "claimed_at": "2026-11-15T09:30:00+00:00",
      "heartbeat_at": "2026-11-15T09:30:00+00:00",
      "lease_expires_epoch": null,
      "released_at": "2026-11-15T09:30:00+00:00"
    }
    "#);
}

#[test]
fn what_can_do_harm_outside_is_asked_for_decided_and_proven() {
    let said = transcript(|scene| {
        given_a_run(scene);
        scene.says("run action request local_write --target 'write the notes'");
        scene.shows("run action request external_write --target 'publish v2' --idempotency-key v2");
        scene.says("run step start 1");
        scene.decides("run action decide action-2 approved");
        scene.says("run action begin action-2");
        scene.shows("run action begin action-2 --idempotency-key v2");
        scene.shows("run action complete action-2 uncertain --evidence-ref 'no answer'");
        scene.shows("run action reconcile action-2 succeeded --evidence-ref 'seen on the page'");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass run action request local_write --target 'write the notes'
    action-1 (local_write) is allowed: write the notes
    effect: not required
    $ windlass run action request external_write --target 'publish v2' --idempotency-key v2
    action-2 (external_write) is pending: publish v2
    effect: not started
    idempotency key: v2
    waits for a person:
      windlass run action decide action-2 approved --run-id publish-20261115T093000Z
      windlass run action decide action-2 rejected --reason TEXT --run-id
        publish-20261115T093000Z
    $ … --json
    {
      "run": "0123456789ABCDEFGHJKMNPQRS",
      "run_id": "publish-20261115T093000Z",
      "folder": "/home/ada/work",
      "machine": "<host>",
      "id": "action-2",
      "kind": "external_write",
      "target": "publish v2",
      "status": "pending",
      "idempotency_key": "v2",
      "effect_status": "not_started",
      "evidence_ref": null,
      "deduplicated": false,
      "run_status": "paused",
      "ways": [
        "windlass run action decide action-2 approved --run-id publish-20261115T093000Z",
        "windlass run action decide action-2 rejected --reason TEXT --run-id publish-20261115T093000Z"
      ]
    }
    $ windlass run step start 1
    error: Run is 'paused'; resolve gates, policy pauses, or budgets before step
      start
    hint: decide it: windlass run action decide action-2 approved --run-id
      publish-20261115T093000Z
    more: windlass explain run_not_running
    [exit code 3]
    $ windlass run action decide action-2 approved
    action-2 (external_write) is approved: publish v2
    effect: not started
    idempotency key: v2
    $ … --json
    {
      "run": "0123456789ABCDEFGHJKMNPQRS",
      "run_id": "publish-20261115T093000Z",
      "folder": "/home/ada/work",
      "machine": "<host>",
      "id": "action-2",
      "kind": "external_write",
      "target": "publish v2",
      "status": "approved",
      "idempotency_key": "v2",
      "effect_status": "not_started",
      "evidence_ref": null,
      "deduplicated": false,
      "run_status": "running"
    }
    $ windlass run action begin action-2
    error: Action has another idempotency key
    hint: if it is the one that you mean: --idempotency-key v2
    more: windlass explain invalid_transition
    [exit code 3]
    $ windlass run action begin action-2 --idempotency-key v2
    action-2 (external_write) is approved: publish v2
    effect: in progress
    idempotency key: v2
    $ … --json
    {
      "run": "0123456789ABCDEFGHJKMNPQRS",
      "run_id": "publish-20261115T093000Z",
      "folder": "/home/ada/work",
      "machine": "<host>",
      "id": "action-2",
      "kind": "external_write",
      "target": "publish v2",
      "status": "approved",
      "idempotency_key": "v2",
      "effect_status": "in_progress",
      "evidence_ref": null,
      "deduplicated": false,
      "run_status": "running"
    }
    $ windlass run action complete action-2 uncertain --evidence-ref 'no answer'
    action-2 (external_write) is approved: publish v2
    effect: uncertain
    idempotency key: v2
    waits for a person:
      windlass run action reconcile action-2 succeeded --evidence-ref TEXT --run-id
        publish-20261115T093000Z
      windlass run action reconcile action-2 failed --evidence-ref TEXT --run-id
        publish-20261115T093000Z
      windlass run action reconcile action-2 cancelled --evidence-ref TEXT --run-id
        publish-20261115T093000Z
    $ … --json
    {
      "run": "0123456789ABCDEFGHJKMNPQRS",
      "run_id": "publish-20261115T093000Z",
      "folder": "/home/ada/work",
      "machine": "<host>",
      "id": "action-2",
      "kind": "external_write",
      "target": "publish v2",
      "status": "approved",
      "idempotency_key": "v2",
      "effect_status": "uncertain",
      "evidence_ref": "no answer",
      "deduplicated": false,
      "run_status": "paused",
      "ways": [
        "windlass run action reconcile action-2 succeeded --evidence-ref TEXT --run-id publish-20261115T093000Z",
        "windlass run action reconcile action-2 failed --evidence-ref TEXT --run-id publish-20261115T093000Z",
        "windlass run action reconcile action-2 cancelled --evidence-ref TEXT --run-id publish-20261115T093000Z"
      ]
    }
    $ windlass run action reconcile action-2 succeeded --evidence-ref 'seen on the page'
    action-2 (external_write) is approved: publish v2
    effect: succeeded
    idempotency key: v2
    $ … --json
    {
      "run": "0123456789ABCDEFGHJKMNPQRS",
      "run_id": "publish-20261115T093000Z",
      "folder": "/home/ada/work",
      "machine": "<host>",
      "id": "action-2",
      "kind": "external_write",
      "target": "publish v2",
      "status": "approved",
      "idempotency_key": "v2",
      "effect_status": "succeeded",
      "evidence_ref": "seen on the page",
      "deduplicated": false,
      "run_status": "running"
    }
    "#);
}

#[test]
fn a_budget_that_is_used_up_pauses_a_run() {
    let said = transcript(|scene| {
        given_a_run(scene);
        scene.shows("run budget record cost_usd 2");
        scene.does("run step start 1");
        scene.fails("run step verify 1");
        scene.says("run step retry 1");
        scene.shows("run budget check");
        scene.decides("run budget raise total_attempts 3 --reason 'nearly there'");
        scene.says("run step retry 1");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass run budget record cost_usd 2
    BUDGET           USED  LIMIT  STATUS
    total attempts   0     1      within
    agents           –     –      unset
    cost usd         2     2.5    within
    elapsed minutes  0     –      unset
    run publish-20261115T093000Z is running
    $ … --json
    {
      "run": "0123456789ABCDEFGHJKMNPQRS",
      "run_id": "publish-20261115T093000Z",
      "folder": "/home/ada/work",
      "machine": "<host>",
      "metrics": [
        {"metric": "total_attempts", "limit": 1, "observed": 0, "status": "within"},
        {"metric": "agents", "limit": null, "observed": null, "status": "unset"},
        {"metric": "cost_usd", "limit": 2.5, "observed": 2, "status": "within"},
        {
          "metric": "elapsed_minutes",
          "limit": null,
          "observed": 0,
          "status": "unset"
        }
      ],
      "within_budget": true,
      "has_unknown": false,
      "run_status": "running"
    }
    $ windlass run step retry 1
    error: runtime budget total_attempts exceeded
    hint: raise it: windlass run budget raise total_attempts LIMIT --reason TEXT
      --run-id publish-20261115T093000Z
    more: windlass explain budget_exceeded
    [exit code 3]
    $ windlass run budget check
    BUDGET           USED  LIMIT  STATUS
    total attempts   1     1      exceeded
    agents           –     –      unset
    cost usd         2     2.5    within
    elapsed minutes  0     –      unset
    run publish-20261115T093000Z is paused
    waits for a person:
      windlass run budget raise total_attempts LIMIT --reason TEXT --run-id
        publish-20261115T093000Z
    $ … --json
    {
      "run": "0123456789ABCDEFGHJKMNPQRS",
      "run_id": "publish-20261115T093000Z",
      "folder": "/home/ada/work",
      "machine": "<host>",
      "metrics": [
        {
          "metric": "total_attempts",
          "limit": 1,
          "observed": 1,
          "status": "exceeded"
        },
        {"metric": "agents", "limit": null, "observed": null, "status": "unset"},
        {"metric": "cost_usd", "limit": 2.5, "observed": 2, "status": "within"},
        {
          "metric": "elapsed_minutes",
          "limit": null,
          "observed": 0,
          "status": "unset"
        }
      ],
      "within_budget": false,
      "has_unknown": false,
      "run_status": "paused",
      "ways": [
        "windlass run budget raise total_attempts LIMIT --reason TEXT --run-id publish-20261115T093000Z"
      ]
    }
    $ windlass run budget raise total_attempts 3 --reason 'nearly there'
    BUDGET           USED  LIMIT  STATUS
    total attempts   1     3      within
    agents           –     –      unset
    cost usd         2     2.5    within
    elapsed minutes  0     –      unset
    run publish-20261115T093000Z is running
    $ … --json
    {
      "run": "0123456789ABCDEFGHJKMNPQRS",
      "run_id": "publish-20261115T093000Z",
      "folder": "/home/ada/work",
      "machine": "<host>",
      "metrics": [
        {"metric": "total_attempts", "limit": 3, "observed": 1, "status": "within"},
        {"metric": "agents", "limit": null, "observed": null, "status": "unset"},
        {"metric": "cost_usd", "limit": 2.5, "observed": 2, "status": "within"},
        {
          "metric": "elapsed_minutes",
          "limit": null,
          "observed": 0,
          "status": "unset"
        }
      ],
      "within_budget": true,
      "has_unknown": false,
      "run_status": "running"
    }
    $ windlass run step retry 1
    retrying step 1 (attempt 2/3)
    run publish-20261115T093000Z is running
    "#);
}
