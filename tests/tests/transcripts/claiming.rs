//! Claims: how an agent gets a task, keeps it, and loses it.

use crate::scene::transcript;

#[test]
fn a_claim_says_what_was_won() {
    let said = transcript(|scene| {
        scene.does("project create api");
        scene.given("LOGIN_", "'fix the login page' -P api -s ready -p 2");
        scene.given("NIGHT_", "'upgrade the compiler' -P api -s ready");
        scene.shows("task claim --next -P api --agent worker-1 --lease 30m");
        scene.shows("task start NIGHT_ --agent worker-2");
        scene.shows("task claim --next --agent worker-3");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass task claim --next -P api --agent worker-1 --lease 30m
    LOGIN_ claimed by worker-1 under fence 1, lease runs out in 30m: fix the login
      page
    $ … --json
    {
      "task_id": "0123456789ABCDEFGHJKLOGIN_",
      "title": "fix the login page",
      "status": "in_progress",
      "agent": "worker-1",
      "fence": 1,
      "lease_until": "2026-11-15T09:30:00.000Z",
      "taken_from": null,
      "task": {
        "task_id": "0123456789ABCDEFGHJKLOGIN_",
        "title": "fix the login page",
        "project": "api",
        "status": "in_progress",
        "priority": 2,
        "agent": "worker-1",
        "parent_id": null,
        "fence": 1,
        "claimable": false,
        "created_at": "2026-11-15T09:30:00.000Z",
        "due_at": null,
        "tags": [],
        "lease_until": "2026-11-15T09:30:00.000Z",
        "claimed_at": "2026-11-15T09:30:00.000Z",
        "progress": null
      },
      "decision_trace": {
        "version": "v1",
        "mode": "next",
        "filters": {"project": "api"},
        "eligibility": {
          "status_ready_required": true,
          "dependencies_done_required": true,
          "leaf_only_required": true
        },
        "outcome": {
          "selected": true,
          "reason_code": "claimed",
          "reason": "the first task of the queue was claimed",
          "task_id": "0123456789ABCDEFGHJKLOGIN_"
        },
        "alternatives": [
          {
            "task_id": "0123456789ABCDEFGHJKNIGHT_",
            "reason_code": "eligible",
            "reason": "it comes later in the queue"
          }
        ]
      }
    }
    $ windlass task start NIGHT_ --agent worker-2
    NIGHT_ claimed by worker-2 under fence 1: upgrade the compiler
    $ … --json
    {
      "task_id": "0123456789ABCDEFGHJKNIGHT_",
      "title": "upgrade the compiler",
      "status": "in_progress",
      "agent": "worker-2",
      "fence": 1,
      "lease_until": null,
      "taken_from": null,
      "task": {
        "task_id": "0123456789ABCDEFGHJKNIGHT_",
        "title": "upgrade the compiler",
        "project": "api",
        "status": "in_progress",
        "priority": 0,
        "agent": "worker-2",
        "parent_id": null,
        "fence": 1,
        "claimable": false,
        "created_at": "2026-11-15T09:30:00.000Z",
        "due_at": null,
        "tags": [],
        "lease_until": null,
        "claimed_at": "2026-11-15T09:30:00.000Z",
        "progress": null
      },
      "decision_trace": {
        "version": "v1",
        "mode": "explicit",
        "filters": {"task_id": "NIGHT_"},
        "eligibility": {
          "status_ready_required": true,
          "dependencies_done_required": true,
          "leaf_only_required": true
        },
        "outcome": {
          "selected": true,
          "reason_code": "claimed",
          "reason": "the named task was claimed",
          "task_id": "0123456789ABCDEFGHJKNIGHT_"
        },
        "alternatives": []
      }
    }
    $ windlass task claim --next --agent worker-3
    no task can be claimed; windlass why says what they wait for
    $ … --json
    {
      "task_id": null,
      "title": null,
      "status": null,
      "agent": null,
      "fence": null,
      "lease_until": null,
      "taken_from": null,
      "task": null,
      "decision_trace": {
        "version": "v1",
        "mode": "next",
        "filters": {},
        "eligibility": {
          "status_ready_required": true,
          "dependencies_done_required": true,
          "leaf_only_required": true
        },
        "outcome": {
          "selected": false,
          "reason_code": "no_candidates",
          "reason": "no task can be claimed; windlass why says what they wait for"
        },
        "alternatives": []
      }
    }
    "#);
}

#[test]
fn a_claim_that_cannot_be_is_refused() {
    let said = transcript(|scene| {
        scene.given("STORE_", "'choose a session store' -s ready");
        scene.given("LOGIN_", "'fix the login page' -s ready --depends-on STORE_");
        scene.given("NIGHT_", "'upgrade the compiler'");
        scene.does("task claim STORE_ --agent worker-1 --lease 30m");
        scene.says("task claim STORE_");
        scene.says("task claim --agent worker-2");
        scene.shows("task claim STORE_ --agent worker-2");
        scene.says("task start STORE_ --agent worker-1");
        scene.says("task claim LOGIN_ --agent worker-2");
        scene.says("task claim NIGHT_ --agent worker-2");
        scene.says("task claim zzzz --agent worker-2");
        scene.says("task claim STORE_ --agent worker-2 --lease soon");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass task claim STORE_
    error: a claim needs the agent that will own it
    hint: give --agent NAME or set WINDLASS_AGENT
    more: windlass explain agent_required
    [exit code 3]
    $ windlass task claim --agent worker-2
    error: which task?
    hint: windlass task claim --next, or name a task
    more: windlass explain usage
    [exit code 2]
    $ windlass task claim STORE_ --agent worker-2
    error: task STORE_ is held by worker-1 until 2026-11-15T09:30:00.000Z
    hint: take another one: windlass task claim --next
    more: windlass explain already_claimed
    $ … --json
    {
      "schema_version": "v1",
      "ok": false,
      "error": {
        "code": "already_claimed",
        "message": "task 0123456789ABCDEFGHJKSTORE_ is held by worker-1 until 2026-11-15T09:30:00.000Z",
        "hint": "take another one: windlass task claim --next",
        "details": {
          "decision_trace": {
            "alternatives": [],
            "eligibility": {
              "dependencies_done_required": true,
              "leaf_only_required": true,
              "status_ready_required": true
            },
            "filters": {"task_id": "STORE_"},
            "mode": "explicit",
            "outcome": {
              "reason": "task 0123456789ABCDEFGHJKSTORE_ is held by worker-1 until 2026-11-15T09:30:00.000Z",
              "reason_code": "not_ready",
              "selected": false,
              "task_id": "0123456789ABCDEFGHJKSTORE_"
            },
            "version": "v1"
          },
          "fence": 1,
          "holder": "worker-1",
          "lease_until": "2026-11-15T09:30:00.000Z",
          "task_id": "0123456789ABCDEFGHJKSTORE_"
        },
        "suggestions": []
      }
    }
    [exit code 3]
    $ windlass task start STORE_ --agent worker-1
    error: worker-1 already holds task STORE_ under fence 1
    hint: go on with it under --fence 1
    more: windlass explain already_held
    [exit code 3]
    $ windlass task claim LOGIN_ --agent worker-2
    error: task LOGIN_ cannot be claimed: it waits for 1 open dependency
    hint: see what it waits for: windlass why LOGIN_
    more: windlass explain dependencies_open
    [exit code 3]
    $ windlass task claim NIGHT_ --agent worker-2
    error: cannot claim task NIGHT_: it is backlog, not ready
    hint: make it ready: windlass task set-status NIGHT_ ready
    more: windlass explain invalid_transition
    [exit code 3]
    $ windlass task claim zzzz --agent worker-2
    error: there is no task 'zzzz'
    hint: list the tasks with their ids: windlass task list
    more: windlass explain task_not_found
    [exit code 4]
    $ windlass task claim STORE_ --agent worker-2 --lease soon
    error: lease 'soon' is not a duration
    hint: write a number and a unit, such as 90s, 30m, 2h or 7d
    more: windlass explain invalid_value
    [exit code 3]
    "#);
}

#[test]
fn a_lease_is_renewed() {
    let said = transcript(|scene| {
        scene.given("LOGIN_", "'fix the login page' -s ready");
        scene.does("task claim LOGIN_ --agent worker-1");
        scene.says("task renew LOGIN_ --fence 1");
        scene.shows("task renew LOGIN_ --fence 1 --lease 1h");
        scene.says("task renew LOGIN_ --fence 1");
        scene.says("task renew LOGIN_ --fence 7");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass task renew LOGIN_ --fence 1
    error: the claim of task LOGIN_ has no lease to repeat
    hint: say how long: windlass task renew LOGIN_ --lease 30m
    more: windlass explain lease_required
    [exit code 3]
    $ windlass task renew LOGIN_ --fence 1 --lease 1h
    LOGIN_ renewed: the lease runs out in 1h
    $ … --json
    {
      "task_id": "0123456789ABCDEFGHJKLOGIN_",
      "agent": "worker-1",
      "fence": 1,
      "lease_until": "2026-11-15T09:30:00.000Z",
      "renewed": true,
      "due_in_ms": <number>
    }
    $ windlass task renew LOGIN_ --fence 1
    LOGIN_ still fresh: the lease runs out in 1h
    $ windlass task renew LOGIN_ --fence 7
    error: task LOGIN_: fence 7 is not the current one, 1; worker-1 holds it under
      fence 1
    hint: see who holds it: windlass task show LOGIN_
    more: windlass explain stale_claim
    [exit code 3]
    "#);
}

#[test]
fn a_task_is_taken_from_its_holder() {
    let said = transcript(|scene| {
        scene.given("LOGIN_", "'fix the login page' -s ready");
        scene.does("task claim LOGIN_ --agent worker-1 --lease 30m");
        scene.says("task steal LOGIN_ --agent worker-2");
        scene.says("task steal LOGIN_ --if-expired --agent worker-2");
        scene.shows("task steal LOGIN_ --force --reason 'worker-1 is gone' --agent worker-2");
        scene.says("task complete LOGIN_ --agent worker-1");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass task steal LOGIN_ --agent worker-2
    error: say when it may be taken
    hint: give --if-expired, or --force
    more: windlass explain usage
    [exit code 2]
    $ windlass task steal LOGIN_ --if-expired --agent worker-2
    error: task LOGIN_ was not taken: its lease runs until 2026-11-15T09:30:00.000Z
    hint: take it all the same: windlass task steal LOGIN_ --force
    more: windlass explain lease_not_expired
    [exit code 3]
    $ windlass task steal LOGIN_ --force --reason 'worker-1 is gone' --agent worker-2
    LOGIN_ taken from worker-1 by worker-2 under fence 2: fix the login page
    $ … --json
    {
      "task_id": "0123456789ABCDEFGHJKLOGIN_",
      "title": "fix the login page",
      "status": "in_progress",
      "agent": "worker-2",
      "stolen_from": "worker-1",
      "fence": 2,
      "lease_until": null
    }
    $ windlass task complete LOGIN_ --agent worker-1
    error: task LOGIN_: worker-1 does not hold it; worker-2 holds it under fence 2
    hint: see who holds it: windlass task show LOGIN_
    more: windlass explain stale_claim
    [exit code 3]
    "#);
}

#[test]
fn a_claim_that_ran_out_is_won_by_another() {
    let said = transcript(|scene| {
        scene.given("LOGIN_", "'fix the login page' -s ready");
        scene.does("task claim LOGIN_ --agent worker-1 --lease 1s");
        scene.waits_until_a_lease_has_run_out();
        scene.shows("task stuck");
        scene.says("why LOGIN_");
        scene.says("task claim --next --agent worker-1");
        scene.says("task claim LOGIN_ --agent worker-1");
        scene.says("task claim --next --agent worker-2");
        scene.says("task complete LOGIN_ --fence 1");
        scene.shows("task stuck");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass task stuck
    ID      PROJECT  TITLE               AGENT     WHY
    LOGIN_  inbox    fix the login page  worker-1  lease ran out just now
    $ … --json
    {
      "tasks": [
        {
          "task_id": "0123456789ABCDEFGHJKLOGIN_",
          "title": "fix the login page",
          "project": "inbox",
          "agent": "worker-1",
          "fence": 1,
          "claimed_at": "2026-11-15T09:30:00.000Z",
          "lease_until": "2026-11-15T09:30:00.000Z",
          "expired_for_ms": <number>,
          "reason": "lease_expired",
          "last_activity_at": "2026-11-15T09:30:00.000Z",
          "stale_minutes": null,
          "stale_after_minutes": null
        }
      ],
      "total": 1,
      "silent": 0
    }
    $ windlass why LOGIN_
    LOGIN_: fix the login page
    · worker-1 holds it under fence 1, but the lease has run out
        windlass task claim LOGIN_ --agent NAME
    $ windlass task claim --next --agent worker-1
    no other task can be claimed; what you hold ran out and can be renewed
        windlass task renew LOGIN_
    $ windlass task claim LOGIN_ --agent worker-1
    error: worker-1 already holds task LOGIN_ under fence 1
    hint: go on with --fence 1, or start a fresh claim: windlass task steal LOGIN_
      --if-expired --agent worker-1
    more: windlass explain already_held
    [exit code 3]
    $ windlass task claim --next --agent worker-2
    LOGIN_ claimed by worker-2 under fence 2, taken over from worker-1: fix the
      login page
    $ windlass task complete LOGIN_ --fence 1
    error: task LOGIN_: fence 1 is not the current one, 2; worker-2 holds it under
      fence 2
    hint: see who holds it: windlass task show LOGIN_
    more: windlass explain stale_claim
    [exit code 3]
    $ windlass task stuck
    no task is stuck
    $ … --json
    {"tasks": [], "total": 0, "silent": 0}
    "#);
}
