//! What stops a run, and how it goes on.

use crate::scene::{Scene, transcript};

const FILE: &str = "---
intent: Rotate the keys
success_criteria: The old keys are gone
risk_level: low
---

### 1. Make new keys
action: Make them
loop: until they are there
max_iterations: 1
verify: test -f keys
gate: human
";

fn given_a_run(scene: &Scene, file: &str) {
    std::fs::write(scene.home().work().join("keys-workflow.md"), file).unwrap();
    scene.does("run start keys-workflow.md");
    scene.does("run step start 1");
}

#[test]
fn a_step_that_cannot_go_on_is_blocked_until_somebody_says_why_it_can() {
    let said = transcript(|scene| {
        given_a_run(scene, FILE);
        scene.says("run step block 1");
        scene.shows("run step block 1 --reason 'the vault is shut'");
        scene.says("run step verify 1");
        scene.shows("run step unblock 1 --reason 'it is open'");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass run step block 1
    error: --reason is required for block
    hint: say why: --reason TEXT
    more: windlass explain reason_required
    [exit code 3]
    $ windlass run step block 1 --reason 'the vault is shut'
    blocked step 1: the vault is shut
    go on with: windlass run step unblock 1 --reason TEXT --run-id
      keys-20261115T093000Z
    run keys-20261115T093000Z is blocked
    $ … --json
    {
      "run": "0123456789ABCDEFGHJKMNPQRS",
      "run_id": "keys-20261115T093000Z",
      "folder": "/home/ada/work",
      "machine": "<host>",
      "done": "blocked step 1: the vault is shut",
      "status": "blocked",
      "step": {
        "step": 1,
        "name": "Make new keys",
        "action": "Make them",
        "checks": ["shell: test -f keys"],
        "status": "blocked",
        "attempts": 1,
        "max_attempts": 1,
        "checked": true,
        "gate": "human",
        "started_by": "ada",
        "block_reason": "the vault is shut"
      },
      "blockers": ["step 1: the vault is shut"],
      "ways_on": [
        "windlass run step unblock 1 --reason TEXT --run-id keys-20261115T093000Z"
      ],
      "next_action": "inspect_blocker"
    }
    $ windlass run step verify 1
    error: Run is 'blocked'; resolve gates, policy pauses, or budgets before step
      verify
    hint: let it go on: windlass run step unblock 1 --reason TEXT --run-id
      keys-20261115T093000Z
    more: windlass explain run_not_running
    [exit code 3]
    $ windlass run step unblock 1 --reason 'it is open'
    step 1 can go on
    run keys-20261115T093000Z is running
    $ … --json
    {
      "run": "0123456789ABCDEFGHJKMNPQRS",
      "run_id": "keys-20261115T093000Z",
      "folder": "/home/ada/work",
      "machine": "<host>",
      "done": "step 1 can go on",
      "status": "running",
      "step": {
        "step": 1,
        "name": "Make new keys",
        "action": "Make them",
        "checks": ["shell: test -f keys"],
        "status": "in_progress",
        "attempts": 1,
        "max_attempts": 1,
        "checked": true,
        "gate": "human",
        "started_by": "ada"
      },
      "next_action": "verify_next_incomplete_step"
    }
    "#);
}

#[test]
fn a_step_that_failed_too_often_needs_a_person() {
    let said = transcript(|scene| {
        given_a_run(scene, FILE);
        scene.says("run step verify 1");
        scene.says("run step retry 1");
        scene.asks("run step unblock 1 --reason 'once more'");
        scene.decides("run step unblock 1 --reason 'once more'");
        scene.says("run step retry 1");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass run step verify 1
    blocked: checks failed in 1 of 1 attempts
    check 1 of 1 ended with 1: shell: test -f keys
    go on with: windlass run step unblock 1 --reason TEXT --run-id
      keys-20261115T093000Z
    run keys-20261115T093000Z is blocked
    [exit code 6]
    $ windlass run step retry 1
    error: Run is 'blocked'; resolve gates, policy pauses, or budgets before step
      retry
    hint: let it go on: windlass run step unblock 1 --reason TEXT --run-id
      keys-20261115T093000Z
    more: windlass explain run_not_running
    [exit code 3]
    $ windlass run step unblock 1 --reason 'once more' --json
    {
      "schema_version": "v1",
      "ok": false,
      "error": {
        "code": "person_required",
        "message": "another attempt needs a person",
        "hint": "do it at a terminal, on the page of the run, or with a key that may approve",
        "details": {"authority": "attested", "run_id": "keys-20261115T093000Z"},
        "suggestions": []
      }
    }
    [exit code 3]
    $ windlass run step unblock 1 --reason 'once more'
    step 1 can go on
    go on with: windlass run step retry 1 --run-id keys-20261115T093000Z
    run keys-20261115T093000Z is running
    $ … --json
    {
      "run": "0123456789ABCDEFGHJKMNPQRS",
      "run_id": "keys-20261115T093000Z",
      "folder": "/home/ada/work",
      "machine": "<host>",
      "done": "step 1 can go on",
      "status": "running",
      "step": {
        "step": 1,
        "name": "Make new keys",
        "action": "Make them",
        "checks": ["shell: test -f keys"],
        "status": "failed",
        "attempts": 1,
        "max_attempts": 2,
        "checked": true,
        "passed": false,
        "gate": "human",
        "started_by": "ada",
        "failed_check": "check 1 of 1 ended with 1: shell: test -f keys"
      },
      "ways_on": ["windlass run step retry 1 --run-id keys-20261115T093000Z"],
      "next_action": "retry_or_block_failed_step"
    }
    $ windlass run step retry 1
    retrying step 1 (attempt 2/2)
    run keys-20261115T093000Z is running
    "#);
}

#[test]
fn a_decision_can_be_taken_back() {
    let said = transcript(|scene| {
        given_a_run(scene, FILE);
        scene.has("keys", "new\n");
        scene.says("run step verify 1");
        scene.decides("run gate 1 rejected");
        scene.decides("run gate 1 rejected --reason 'too short'");
        scene.decides("run reopen 1 --reason 'they are long enough'");
        scene.decides("run gate 1 approved");
    });
    insta::assert_snapshot!(said, @r#"
    $ cat keys
    new
    $ windlass run step verify 1
    pass
    waits for a person (gate of step 1): step 1 is done: Make new keys. May the run
      go on?
      windlass run gate 1 approved --run-id keys-20261115T093000Z
      windlass run gate 1 rejected --reason TEXT --run-id keys-20261115T093000Z
    run keys-20261115T093000Z is paused
    $ windlass run gate 1 rejected
    error: a rejection needs a reason
    hint: say why: --reason TEXT
    more: windlass explain reason_required
    $ … --json
    {
      "schema_version": "v1",
      "ok": false,
      "error": {
        "code": "reason_required",
        "message": "a rejection needs a reason",
        "hint": "say why: --reason TEXT",
        "details": {"run_id": "keys-20261115T093000Z"},
        "suggestions": []
      }
    }
    [exit code 3]
    $ windlass run gate 1 rejected --reason 'too short'
    gate 1: rejected (human)
    blocked: the gate of step 1 was rejected: too short
    go on with: windlass run reopen 1 --reason TEXT --run-id keys-20261115T093000Z
    run keys-20261115T093000Z is blocked
    $ … --json
    {
      "run": "0123456789ABCDEFGHJKMNPQRS",
      "run_id": "keys-20261115T093000Z",
      "folder": "/home/ada/work",
      "machine": "<host>",
      "done": "gate 1: rejected (human)",
      "status": "blocked",
      "step": {
        "step": 1,
        "name": "Make new keys",
        "action": "Make them",
        "checks": ["shell: test -f keys"],
        "status": "done",
        "attempts": 1,
        "max_attempts": 1,
        "checked": true,
        "passed": true,
        "gate": "human",
        "decision": "rejected",
        "decided_by": "ada",
        "authority": "terminal",
        "started_by": "ada"
      },
      "blockers": ["the gate of step 1 was rejected: too short"],
      "ways_on": [
        "windlass run reopen 1 --reason TEXT --run-id keys-20261115T093000Z"
      ],
      "next_action": "inspect_blocker"
    }
    $ windlass run reopen 1 --reason 'they are long enough'
    the gate of step 1 is open again
    waits for a person (gate of step 1): step 1 is done: Make new keys. May the run
      go on?
      windlass run gate 1 approved --run-id keys-20261115T093000Z
      windlass run gate 1 rejected --reason TEXT --run-id keys-20261115T093000Z
    run keys-20261115T093000Z is paused
    $ … --json
    {
      "run": "0123456789ABCDEFGHJKMNPQRS",
      "run_id": "keys-20261115T093000Z",
      "folder": "/home/ada/work",
      "machine": "<host>",
      "done": "the gate of step 1 is open again",
      "status": "paused",
      "step": {
        "step": 1,
        "name": "Make new keys",
        "action": "Make them",
        "checks": ["shell: test -f keys"],
        "status": "done",
        "attempts": 1,
        "max_attempts": 1,
        "checked": true,
        "passed": true,
        "gate": "human",
        "started_by": "ada"
      },
      "waiting": [
        {
          "waits_for": "gate",
          "title": "gate of step 1",
          "question": "step 1 is done: Make new keys. May the run go on?",
          "ways": [
            "windlass run gate 1 approved --run-id keys-20261115T093000Z",
            "windlass run gate 1 rejected --reason TEXT --run-id keys-20261115T093000Z"
          ],
          "since": "2026-11-15T09:30:00.000Z",
          "step": 1
        }
      ],
      "next_action": "resume_after_gate_or_policy"
    }
    $ windlass run gate 1 approved
    gate 1: approved (human)
    run keys-20261115T093000Z is running
    $ … --json
    {
      "run": "0123456789ABCDEFGHJKMNPQRS",
      "run_id": "keys-20261115T093000Z",
      "folder": "/home/ada/work",
      "machine": "<host>",
      "done": "gate 1: approved (human)",
      "status": "running",
      "step": {
        "step": 1,
        "name": "Make new keys",
        "action": "Make them",
        "checks": ["shell: test -f keys"],
        "status": "done",
        "attempts": 1,
        "max_attempts": 1,
        "checked": true,
        "passed": true,
        "gate": "human",
        "decision": "approved",
        "decided_by": "ada",
        "authority": "terminal",
        "started_by": "ada"
      },
      "next_action": "verify_next_incomplete_step"
    }
    "#);
}

#[test]
fn a_run_that_ended_as_blocked_can_go_on() {
    let said = transcript(|scene| {
        given_a_run(scene, FILE);
        scene.does("run step block 1 --reason 'the vault is shut'");
        scene.says("run finalize");
        scene.decides("run unblock --reason 'it opens at nine'");
        scene.says("run show");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass run finalize
    Run finalized: blocked
    blocked: step 1: the vault is shut
    go on with: windlass run step unblock 1 --reason TEXT --run-id
      keys-20261115T093000Z
    run keys-20261115T093000Z is blocked
    $ windlass run unblock --reason 'it opens at nine'
    the end of the run is taken back; what blocks it stays
    blocked: step 1: the vault is shut
    go on with: windlass run step unblock 1 --reason TEXT --run-id
      keys-20261115T093000Z
    run keys-20261115T093000Z is blocked
    $ … --json
    {
      "run": "0123456789ABCDEFGHJKMNPQRS",
      "run_id": "keys-20261115T093000Z",
      "folder": "/home/ada/work",
      "machine": "<host>",
      "done": "the end of the run is taken back; what blocks it stays",
      "status": "blocked",
      "blockers": ["step 1: the vault is shut"],
      "ways_on": [
        "windlass run step unblock 1 --reason TEXT --run-id keys-20261115T093000Z"
      ],
      "next_action": "inspect_blocker"
    }
    $ windlass run show
    keys-20261115T093000Z
      status   blocked
      intent   Rotate the keys
      branch   hotl/keys
      folder   /home/ada/work
      gates    enforced
      risk     low
      started  just now
    STEP  NAME           STATUS   ATTEMPTS  GATE
    1     Make new keys  blocked  1 of 1    asks a person
    blocked: step 1: the vault is shut
    go on with: windlass run step unblock 1 --reason TEXT --run-id
      keys-20261115T093000Z
    "#);
}

#[test]
fn a_check_may_ask_a_person_and_then_go_on() {
    let said = transcript(|scene| {
        let file = FILE.replace(
            "verify: test -f keys\n",
            "verify:\n  - type: human-review\n    prompt: Are they in the safe?\n  - type: shell\n    \
             command: test -f keys\n",
        );
        given_a_run(scene, &file);
        scene.says("run step verify 1");
        scene.decides("run gate 1 approved");
        scene.says("run step verify 1");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass run step verify 1
    blocked: human review required: Are they in the safe?
    waits for a person (review of step 1): Are they in the safe?
      windlass run gate 1 approved --run-id keys-20261115T093000Z
      windlass run gate 1 rejected --reason TEXT --run-id keys-20261115T093000Z
    run keys-20261115T093000Z is paused
    [exit code 6]
    $ windlass run gate 1 approved
    human-review 1: approved (human)
    run keys-20261115T093000Z is running
    $ … --json
    {
      "run": "0123456789ABCDEFGHJKMNPQRS",
      "run_id": "keys-20261115T093000Z",
      "folder": "/home/ada/work",
      "machine": "<host>",
      "done": "human-review 1: approved (human)",
      "status": "running",
      "step": {
        "step": 1,
        "name": "Make new keys",
        "action": "Make them",
        "checks": ["human review: Are they in the safe?", "shell: test -f keys"],
        "status": "in_progress",
        "attempts": 1,
        "max_attempts": 1,
        "checked": true,
        "checks_made": 1,
        "gate": "human",
        "started_by": "ada"
      },
      "next_action": "verify_next_incomplete_step"
    }
    $ windlass run step verify 1
    blocked: checks failed in 1 of 1 attempts
    check 2 of 2 ended with 1: shell: test -f keys

    human review approved

    go on with: windlass run step unblock 1 --reason TEXT --run-id
      keys-20261115T093000Z
    run keys-20261115T093000Z is blocked
    [exit code 6]
    "#);
}

#[test]
fn in_forty_columns_a_run_still_says_how_its_steps_stand() {
    let said = transcript(|scene| {
        given_a_run(scene, FILE);
        scene.does("run action request external_write --target 'the safe'");
        scene.says_within(40, "run show");
    });
    insta::assert_snapshot!(said, @"
    $ windlass run show
    keys-20261115T093000Z
      status   paused
      intent   Rotate the keys
      branch   hotl/keys
      folder   /home/ada/work
      gates    enforced
      risk     low
      started  just now
    STEP  NAME           STATUS
    1     Make new keys  in progress
    waits for a person (action-1): may this
      be done (external write): the safe
      windlass run action decide action-1
        approved --run-id
        keys-20261115T093000Z
      windlass run action decide action-1
        rejected --reason TEXT --run-id
        keys-20261115T093000Z
    ");
}
