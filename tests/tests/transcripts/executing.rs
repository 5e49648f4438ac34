//! A run of a workflow file, from its start to its end.

use std::fs;

use crate::scene::{Scene, transcript};

/// A file with a step that is proven, one that is tried until it works and then approved, and one
/// that nothing proves.
const FILE: &str = "---
intent: Limit the rate of requests
success_criteria: The test passes
risk_level: medium
---

- [ ] **Step 1: Write the test**
action: Write limit.test, which fails without a limit
loop: false
verify:
  type: artifact
  path: limit.test
  assert:
    kind: exists

- [ ] **Step 2: Make it pass**
action: Write limit.conf
loop: until the test passes
max_iterations: 3
verify: sh limit.test
gate: human

- [ ] **Step 3: Tell the others**
action: Write to the list
loop: false
";

fn started(scene: &mut Scene) {
    scene.has("limit-workflow.md", FILE);
    scene.shows("run start limit-workflow.md");
}

#[test]
fn a_step_is_done_when_its_checks_pass() {
    let said = transcript(|scene| {
        started(scene);
        scene.says("run step start 2");
        scene.shows("run step start 1 --agent worker-1");
        scene.says("run step start 1 --agent worker-2");
        scene.has("limit.test", "grep -q rate limit.conf\n");
        scene.shows("run step verify 1");
        scene.says("run step start 2 --agent worker-1");
        scene.says("run step verify 2");
        scene.shows("run step retry 2");
        scene.has("limit.conf", "rate = 3/s\n");
        scene.says("run step verify 2");
        scene.says("run list");
        scene.says("run step start 3");
        scene.decides("run gate 2 approved");
        scene.says("run step start 3");
        scene.says("run step verify 3");
        scene.shows("run show");
        scene.shows("run finalize");
        scene.shows("run finish keep --preview");
        scene.shows("run finished kept");
    });
    insta::assert_snapshot!(said, @r#"
    $ cat limit-workflow.md
    ---
    intent: Limit the rate of requests
    success_criteria: The test passes
    risk_level: medium
    ---

    - [ ] **Step 1: Write the test**
    action: Write limit.test, which fails without a limit
    loop: false
    verify:
      type: artifact
      path: limit.test
      assert:
        kind: exists

    - [ ] **Step 2: Make it pass**
    action: Write limit.conf
    loop: until the test passes
    max_iterations: 3
    verify: sh limit.test
    gate: human

    - [ ] **Step 3: Tell the others**
    action: Write to the list
    loop: false
    $ windlass run start limit-workflow.md
    run limit-20261115T093000Z started: 3 steps
    run limit-20261115T093000Z is running
    $ … --json
    {
      "run": "0123456789ABCDEFGHJKMNPQRS",
      "run_id": "limit-20261115T093000Z",
      "folder": "/home/ada/work",
      "machine": "<host>",
      "done": "run limit-20261115T093000Z started: 3 steps",
      "status": "running",
      "next_action": "verify_next_incomplete_step"
    }
    $ windlass run step start 2
    error: step 1 must be done before step 2 can start
    hint: windlass run step start 1 --run-id limit-20261115T093000Z
    more: windlass explain step_order
    [exit code 3]
    $ windlass run step start 1 --agent worker-1
    started step 1
    run limit-20261115T093000Z is running
    $ … --json
    {
      "run": "0123456789ABCDEFGHJKMNPQRS",
      "run_id": "limit-20261115T093000Z",
      "folder": "/home/ada/work",
      "machine": "<host>",
      "done": "started step 1",
      "status": "running",
      "step": {
        "step": 1,
        "name": "Write the test",
        "action": "Write limit.test, which fails without a limit",
        "checks": ["artifact: limit.test exists"],
        "status": "in_progress",
        "attempts": 1,
        "max_attempts": 1,
        "checked": true,
        "started_by": "worker-1"
      },
      "next_action": "verify_next_incomplete_step"
    }
    $ windlass run step start 1 --agent worker-2
    error: Step 1 is 'in_progress', expected 'pending'
    hint: worker-1 works on it; when that is over: windlass run step verify 1
      --run-id limit-20261115T093000Z
    more: windlass explain invalid_transition
    [exit code 3]
    $ cat limit.test
    grep -q rate limit.conf
    $ windlass run step verify 1
    pass
    run limit-20261115T093000Z is running
    $ … --json
    {
      "run": "0123456789ABCDEFGHJKMNPQRS",
      "run_id": "limit-20261115T093000Z",
      "folder": "/home/ada/work",
      "machine": "<host>",
      "done": "pass",
      "status": "running",
      "step": {
        "step": 1,
        "name": "Write the test",
        "action": "Write limit.test, which fails without a limit",
        "checks": ["artifact: limit.test exists"],
        "status": "done",
        "attempts": 1,
        "max_attempts": 1,
        "checked": true,
        "passed": true,
        "started_by": "worker-1",
        "stdout": "artifact exists: limit.test"
      },
      "next_action": "verify_next_incomplete_step"
    }
    $ windlass run step start 2 --agent worker-1
    started step 2
    run limit-20261115T093000Z is running
    $ windlass run step verify 2
    fail
    check 1 of 1 ended with 2: shell: sh limit.test

    grep: limit.conf: No such file or directory

    go on with: windlass run step retry 2 --run-id limit-20261115T093000Z
    run limit-20261115T093000Z is running
    [exit code 6]
    $ windlass run step retry 2
    retrying step 2 (attempt 2/3)
    run limit-20261115T093000Z is running
    $ … --json
    {
      "run": "0123456789ABCDEFGHJKMNPQRS",
      "run_id": "limit-20261115T093000Z",
      "folder": "/home/ada/work",
      "machine": "<host>",
      "done": "retrying step 2 (attempt 2/3)",
      "status": "running",
      "step": {
        "step": 2,
        "name": "Make it pass",
        "action": "Write limit.conf",
        "checks": ["shell: sh limit.test"],
        "status": "in_progress",
        "attempts": 2,
        "max_attempts": 3,
        "checked": true,
        "gate": "human",
        "started_by": "worker-1"
      },
      "next_action": "verify_next_incomplete_step"
    }
    $ cat limit.conf
    rate = 3/s
    $ windlass run step verify 2
    pass
    waits for a person (gate of step 2): step 2 is done: Make it pass. May the run
      go on?
      windlass run gate 2 approved --run-id limit-20261115T093000Z
      windlass run gate 2 rejected --reason TEXT --run-id limit-20261115T093000Z
    run limit-20261115T093000Z is paused
    $ windlass run list
    RUN                     STATUS  WAITS FOR       INTENT
    limit-20261115T093000Z  paused  gate of step 2  Limit the rate of requests
    $ windlass run step start 3
    error: Run is 'paused'; resolve gates, policy pauses, or budgets before step
      start
    hint: decide it: windlass run gate 2 approved --run-id limit-20261115T093000Z
    more: windlass explain gate_undecided
    [exit code 3]
    $ windlass run gate 2 approved
    gate 2: approved (human)
    run limit-20261115T093000Z is running
    $ … --json
    {
      "run": "0123456789ABCDEFGHJKMNPQRS",
      "run_id": "limit-20261115T093000Z",
      "folder": "/home/ada/work",
      "machine": "<host>",
      "done": "gate 2: approved (human)",
      "status": "running",
      "step": {
        "step": 2,
        "name": "Make it pass",
        "action": "Write limit.conf",
        "checks": ["shell: sh limit.test"],
        "status": "done",
        "attempts": 2,
        "max_attempts": 3,
        "checked": true,
        "passed": true,
        "gate": "human",
        "decision": "approved",
        "decided_by": "ada",
        "authority": "terminal",
        "started_by": "worker-1"
      },
      "next_action": "verify_next_incomplete_step"
    }
    $ windlass run step start 3
    started step 3
    run limit-20261115T093000Z is running
    $ windlass run step verify 3
    pass (no verify command)
    run limit-20261115T093000Z is running
    $ windlass run show
    limit-20261115T093000Z
      status   running
      intent   Limit the rate of requests
      branch   hotl/limit
      folder   /home/ada/work
      gates    enforced
      risk     medium
      started  just now
    STEP  NAME             STATUS            ATTEMPTS  GATE
    1     Write the test   done              1 of 1
    2     Make it pass     done              2 of 3    approved
    3     Tell the others  done, unverified  1 of 1
    $ … --json
    {
      "run": "0123456789ABCDEFGHJKMNPQRS",
      "run_id": "limit-20261115T093000Z",
      "status": "running",
      "intent": "Limit the rate of requests",
      "success_criteria": "The test passes",
      "risk_level": "medium",
      "gates": "enforced",
      "workflow_path": "/home/ada/work/limit-workflow.md",
      "branch": "hotl/limit",
      "folder": "/home/ada/work",
      "machine": "<host>",
      "started_at": "2026-11-15T09:30:00.000Z",
      "updated_at": "2026-11-15T09:30:00.000Z",
      "waiting": [],
      "blockers": [],
      "steps": [
        {
          "step": 1,
          "name": "Write the test",
          "action": "Write limit.test, which fails without a limit",
          "checks": ["artifact: limit.test exists"],
          "status": "done",
          "attempts": 1,
          "max_attempts": 1,
          "checked": true,
          "passed": true,
          "started_by": "worker-1",
          "stdout": "artifact exists: limit.test"
        },
        {
          "step": 2,
          "name": "Make it pass",
          "action": "Write limit.conf",
          "checks": ["shell: sh limit.test"],
          "status": "done",
          "attempts": 2,
          "max_attempts": 3,
          "checked": true,
          "passed": true,
          "gate": "human",
          "decision": "approved",
          "decided_by": "ada",
          "authority": "terminal",
          "started_by": "worker-1"
        },
        {
          "step": 3,
          "name": "Tell the others",
          "action": "Write to the list",
          "status": "done",
          "attempts": 1,
          "max_attempts": 1,
          "checked": false,
          "passed": true,
          "started_by": "ada"
        }
      ]
    }
    $ windlass run finalize
    Run finalized: ready_to_finish
    run limit-20261115T093000Z is ready to finish
    $ … --json
    {
      "run": "0123456789ABCDEFGHJKMNPQRS",
      "run_id": "limit-20261115T093000Z",
      "folder": "/home/ada/work",
      "machine": "<host>",
      "done": "Run finalized: ready_to_finish",
      "status": "ready_to_finish",
      "next_action": "record_finish_disposition"
    }
    $ windlass run finish keep --preview
    the work stays as it is
    $ … --json
    {"plan": ["the work stays as it is"]}
    $ windlass run finished kept
    Finish recorded: kept
    run limit-20261115T093000Z is completed
    $ … --json
    {
      "run": "0123456789ABCDEFGHJKMNPQRS",
      "run_id": "limit-20261115T093000Z",
      "folder": "/home/ada/work",
      "machine": "<host>",
      "done": "Finish recorded: kept",
      "status": "completed",
      "next_action": "complete"
    }
    "#);
}

#[test]
fn what_the_checks_of_a_run_showed_is_shown() {
    let said = transcript(|scene| {
        let file =
            FILE.replace("verify: sh limit.test", "verify: echo built; echo careful >&2; false");
        fs::write(scene.home().work().join("limit-workflow.md"), file).unwrap();
        scene.does("run start limit-workflow.md");
        scene.says("run evidence");
        fs::write(scene.home().work().join("limit.test"), "").unwrap();
        scene.does("run step start 1");
        scene.does("run step verify 1");
        scene.does("run step start 2");
        scene.says("run step verify 2");
        scene.shows("run evidence --step 2");
        scene.says("run evidence --step 9");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass run evidence
    no checks of run limit-20261115T093000Z were made
    $ windlass run step verify 2
    fail
    check 1 of 1 ended with 1: shell: echo built; echo careful >&2; false

    careful


    built

    go on with: windlass run step retry 2 --run-id limit-20261115T093000Z
    run limit-20261115T093000Z is running
    [exit code 6]
    $ windlass run evidence --step 2
    step 2, attempt 1: failed, just now
    check 1 failed, exit code 1: shell: echo built; echo careful >&2; false

    built


    careful

    /home/ada/work/.hotl/evidence/limit-20261115T093000Z/step-2-attempt-1-check-1.log
    $ … --json
    {
      "run": "0123456789ABCDEFGHJKMNPQRS",
      "run_id": "limit-20261115T093000Z",
      "folder": "/home/ada/work",
      "machine": "<host>",
      "attempts": [
        {
          "step": 2,
          "attempt": 1,
          "at": "2026-11-15T09:30:00.000Z",
          "verdict": "failed",
          "failed_check": "check 1 of 1 ended with 1: shell: echo built; echo careful >&2; false",
          "checks": [
            {
              "check": 1,
              "what": "shell: echo built; echo careful >&2; false",
              "outcome": "failed",
              "exit_code": 1,
              "took_ms": <number>,
              "stdout": {"size_bytes": <number>, "head": "built\n"},
              "stderr": {"size_bytes": <number>, "head": "careful\n"},
              "log": {
                "name": "step-2-attempt-1-check-1.log",
                "path": "/home/ada/work/.hotl/evidence/limit-20261115T093000Z/step-2-attempt-1-check-1.log",
                "size_bytes": <number>,
                "sha256": "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
                "state": "here"
              }
            }
          ]
        }
      ]
    }
    $ windlass run evidence --step 9
    error: Invalid step number: 9
    hint: run limit-20261115T093000Z has the steps 1 to 3
    more: windlass explain step_not_found
    [exit code 4]
    "#);
}

#[test]
fn runs_are_listed() {
    let said = transcript(|scene| {
        fs::write(scene.home().work().join("limit-workflow.md"), FILE).unwrap();
        scene.does("run start limit-workflow.md");
        scene.shows("run list");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass run list
    RUN                     STATUS   DONE    WHEN      INTENT
    limit-20261115T093000Z  running  0 of 3  just now  Limit the rate of requests
    $ … --json
    {
      "runs": [
        {
          "run": "0123456789ABCDEFGHJKMNPQRS",
          "run_id": "limit-20261115T093000Z",
          "status": "running",
          "intent": "Limit the rate of requests",
          "branch": "hotl/limit",
          "folder": "/home/ada/work",
          "machine": "<host>",
          "current_step": 1,
          "total_steps": 3,
          "completed_steps": 0,
          "waiting": 0,
          "started_at": "2026-11-15T09:30:00.000Z",
          "updated_at": "2026-11-15T09:30:00.000Z"
        }
      ]
    }
    "#);
}

#[test]
fn what_an_agent_says_of_a_gate_does_not_count() {
    let said = transcript(|scene| {
        scene.has("note-workflow.md", "### 1. Write it down\nverify: true\ngate: human\n");
        scene.does("run start note-workflow.md --no-lint");
        scene.does("run step start 1");
        scene.does("run step verify 1");
        scene.asks("run gate 1 approved --agent worker-1");
    });
    insta::assert_snapshot!(said, @r#"
    $ cat note-workflow.md
    ### 1. Write it down
    verify: true
    gate: human
    $ windlass run gate 1 approved --agent worker-1 --json
    {
      "schema_version": "v1",
      "ok": false,
      "error": {
        "code": "person_required",
        "message": "a gate needs a person",
        "hint": "do it at a terminal, on the page of the run, or with a key that may approve",
        "details": {"authority": "attested", "run_id": "note-20261115T093000Z"},
        "suggestions": []
      }
    }
    [exit code 3]
    "#);
}

#[test]
fn a_run_is_driven_until_a_person_is_needed() {
    let said = transcript(|scene| {
        scene.has(
            "notes-workflow.md",
            "---\nintent: Write notes\nsuccess_criteria: They are there\nrisk_level: low\n---\n\n\
             ### 1. Write them\naction: Write notes.txt\nloop: until they are there\n\
             max_iterations: 3\nverify: test -f notes.txt\ngate: human\n",
        );
        scene.has("agent.sh", "test -e tried && echo hello > notes.txt\ntouch tried\n");
        scene.follows("run exec notes-workflow.md --harness 'sh agent.sh'");
        scene.decides("run gate 1 approved");
        scene.follows("run exec --harness 'sh agent.sh'");
    });
    insta::assert_snapshot!(said, @r#"
    $ cat notes-workflow.md
    ---
    intent: Write notes
    success_criteria: They are there
    risk_level: low
    ---

    ### 1. Write them
    action: Write notes.txt
    loop: until they are there
    max_iterations: 3
    verify: test -f notes.txt
    gate: human
    $ cat agent.sh
    test -e tried && echo hello > notes.txt
    touch tried
    $ windlass run exec notes-workflow.md --harness 'sh agent.sh'
    Skipping branch setup (no git history)
    run notes-20261115T093000Z started: 1 step
    → Step 1: Write them (attempt 1)
    ✗ Step 1: fail
    → Step 1: Write them (attempt 2)
    ✓ Step 1: pass
    notes-20261115T093000Z
      status   paused
      intent   Write notes
      branch   hotl/notes
      folder   /home/ada/work
      gates    enforced
      risk     low
      started  just now
    STEP  NAME        STATUS  ATTEMPTS  GATE
    1     Write them  done    2 of 3    waits
    waits for a person (gate of step 1): step 1 is done: Write them. May the run go
      on?
      windlass run gate 1 approved --run-id notes-20261115T093000Z
      windlass run gate 1 rejected --reason TEXT --run-id notes-20261115T093000Z
    $ … --json
    {
      "run": {
        "run": "0123456789ABCDEFGHJKMNPQRS",
        "run_id": "notes-20261115T093000Z",
        "status": "paused",
        "intent": "Write notes",
        "success_criteria": "They are there",
        "risk_level": "low",
        "gates": "enforced",
        "workflow_path": "/home/ada/work/notes-workflow.md",
        "branch": "hotl/notes",
        "folder": "/home/ada/work",
        "machine": "<host>",
        "started_at": "2026-11-15T09:30:00.000Z",
        "updated_at": "2026-11-15T09:30:00.000Z",
        "waiting": [
          {
            "waits_for": "gate",
            "title": "gate of step 1",
            "question": "step 1 is done: Write them. May the run go on?",
            "ways": [
              "windlass run gate 1 approved --run-id notes-20261115T093000Z",
              "windlass run gate 1 rejected --reason TEXT --run-id notes-20261115T093000Z"
            ],
            "since": "2026-11-15T09:30:00.000Z",
            "step": 1
          }
        ],
        "blockers": [],
        "steps": [
          {
            "step": 1,
            "name": "Write them",
            "action": "Write notes.txt",
            "checks": ["shell: test -f notes.txt"],
            "status": "done",
            "attempts": 2,
            "max_attempts": 3,
            "checked": true,
            "passed": true,
            "gate": "human",
            "started_by": "ada"
          }
        ]
      },
      "next": "waits for a person (gate of step 1): step 1 is done: Write them. May the run go on? (windlass run gate 1 approved --run-id notes-20261115T093000Z)"
    }
    [exit code 6]
    $ windlass run gate 1 approved
    gate 1: approved (human)
    run notes-20261115T093000Z is running
    $ … --json
    {
      "run": "0123456789ABCDEFGHJKMNPQRS",
      "run_id": "notes-20261115T093000Z",
      "folder": "/home/ada/work",
      "machine": "<host>",
      "done": "gate 1: approved (human)",
      "status": "running",
      "step": {
        "step": 1,
        "name": "Write them",
        "action": "Write notes.txt",
        "checks": ["shell: test -f notes.txt"],
        "status": "done",
        "attempts": 2,
        "max_attempts": 3,
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
    $ windlass run exec --harness 'sh agent.sh'
    notes-20261115T093000Z
      status   ready to finish
      intent   Write notes
      branch   hotl/notes
      folder   /home/ada/work
      gates    enforced
      risk     low
      started  just now
    STEP  NAME        STATUS  ATTEMPTS  GATE
    1     Write them  done    2 of 3    approved
    say what becomes of it: windlass run finish keep|merge|publish|discard --run-id
      notes-20261115T093000Z
    $ … --json
    {
      "run": {
        "run": "0123456789ABCDEFGHJKMNPQRS",
        "run_id": "notes-20261115T093000Z",
        "status": "ready_to_finish",
        "intent": "Write notes",
        "success_criteria": "They are there",
        "risk_level": "low",
        "gates": "enforced",
        "workflow_path": "/home/ada/work/notes-workflow.md",
        "branch": "hotl/notes",
        "folder": "/home/ada/work",
        "machine": "<host>",
        "started_at": "2026-11-15T09:30:00.000Z",
        "updated_at": "2026-11-15T09:30:00.000Z",
        "waiting": [],
        "blockers": [],
        "steps": [
          {
            "step": 1,
            "name": "Write them",
            "action": "Write notes.txt",
            "checks": ["shell: test -f notes.txt"],
            "status": "done",
            "attempts": 2,
            "max_attempts": 3,
            "checked": true,
            "passed": true,
            "gate": "human",
            "decision": "approved",
            "decided_by": "ada",
            "authority": "terminal",
            "started_by": "ada"
          }
        ]
      }
    }
    "#);
}

#[test]
fn a_run_works_on_a_task_and_completes_it() {
    let said = transcript(|scene| {
        scene.does("project create api");
        scene.given("FIXBUG", "'fix the bug' -P api -s ready");
        scene.has("bug-workflow.md", "### 1. Fix it\nverify: true\n");
        scene.says("run start bug-workflow.md --no-lint --task FIXBUG --agent worker-1");
        scene.does("run step start 1");
        scene.does("run step verify 1");
        scene.does("run finalize");
        scene.shows("run finish keep --complete-task");
        scene.says("task list");
    });
    insta::assert_snapshot!(said, @r#"
    $ cat bug-workflow.md
    ### 1. Fix it
    verify: true
    $ windlass run start bug-workflow.md --no-lint --task FIXBUG --agent worker-1
    run bug-20261115T093000Z started: 1 step
    run bug-20261115T093000Z is running
    $ windlass run finish keep --complete-task
    Finish recorded: kept
    run bug-20261115T093000Z is completed
    the work stays as it is
    $ … --json
    {
      "plan": ["the work stays as it is"],
      "done": ["the work stays as it is"],
      "run": {
        "run": "0123456789ABCDEFGHJKMNPQRS",
        "run_id": "bug-20261115T093000Z",
        "folder": "/home/ada/work",
        "machine": "<host>",
        "done": "Finish recorded: kept",
        "status": "completed",
        "next_action": "complete"
      }
    }
    $ windlass task list
    ID      STATUS  PRI  PROJECT  TITLE        AGENT     CREATED
    FIXBUG  done    0    api      fix the bug  worker-1  now
    "#);
}
