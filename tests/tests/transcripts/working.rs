//! What the holder of a task says about it, and how the work on it ends.

use crate::scene::transcript;

#[test]
fn progress_is_told_along_the_way() {
    let said = transcript(|scene| {
        scene.given("LOGIN_", "'fix the login page' -s ready");
        scene.does("task claim LOGIN_ --agent worker-1");
        scene.shows(
            r#"task checkpoint LOGIN_ 'found the cause' --progress 40 --data '{"file":"login.rs"}' --fence 1"#,
        );
        scene.shows("task progress LOGIN_ 60 --agent worker-1");
        scene.shows("task comment LOGIN_ 'see the log of Tuesday' --author kim");
        scene.says("task checkpoint LOGIN_ 'nearly there' --agent worker-2");
        scene.says("task checkpoint LOGIN_ 'nearly there' --data 12");
        scene.says("task progress LOGIN_ 110");
        scene.says("task comment LOGIN_ ''");
        scene.says("task comment LOGIN_");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass task checkpoint LOGIN_ 'found the cause' --progress 40 --data '{"file":"login.rs"}' --fence 1
    LOGIN_ checkpoint at 40%: found the cause
    $ … --json
    {
      "task_id": "0123456789ABCDEFGHJKLOGIN_",
      "name": "found the cause",
      "data": {"file": "login.rs"},
      "progress": 40
    }
    $ windlass task progress LOGIN_ 60 --agent worker-1
    LOGIN_ is at 60%: fix the login page
    $ … --json
    {
      "task_id": "0123456789ABCDEFGHJKLOGIN_",
      "title": "fix the login page",
      "progress": 60
    }
    $ windlass task comment LOGIN_ 'see the log of Tuesday' --author kim
    LOGIN_ commented by kim
    $ … --json
    {
      "task_id": "0123456789ABCDEFGHJKLOGIN_",
      "text": "see the log of Tuesday",
      "author": "kim"
    }
    $ windlass task checkpoint LOGIN_ 'nearly there' --agent worker-2
    error: task LOGIN_: worker-2 does not hold it; worker-1 holds it under fence 1
    hint: see who holds it: windlass task show LOGIN_
    more: windlass explain stale_claim
    [exit code 3]
    $ windlass task checkpoint LOGIN_ 'nearly there' --data 12
    error: invalid value '12' for '--data <JSON>': not a JSON object
    hint: see windlass task checkpoint --help
    more: windlass explain invalid_value
    [exit code 3]
    $ windlass task progress LOGIN_ 110
    error: progress 110 is not between 0 and 100
    hint: give a progress from 0 to 100
    more: windlass explain invalid_value
    [exit code 3]
    $ windlass task comment LOGIN_ ''
    error: text must not be empty
    hint: give at least 1 character as text
    more: windlass explain invalid_value
    [exit code 3]
    $ windlass task comment LOGIN_
    error: missing <TEXT>
    hint: usage: windlass task comment <TASK> <TEXT>
    more: windlass explain usage
    [exit code 2]
    "#);
}

#[test]
fn a_task_is_completed_and_reopened() {
    let said = transcript(|scene| {
        scene.given("LOGIN_", "'fix the login page' -s ready");
        scene.says("task complete LOGIN_");
        scene.does("task claim LOGIN_ --agent worker-1");
        scene.says("task complete LOGIN_ --agent worker-2");
        scene.says("task complete LOGIN_ --agent worker-2 --force");
        scene.shows("task complete LOGIN_ --fence 1 --comment 'all tests pass'");
        scene.says("task complete LOGIN_ --fence 1");
        scene.shows("task reopen LOGIN_ --comment 'the bug is back'");
        scene.says("task reopen LOGIN_");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass task complete LOGIN_
    error: cannot complete task LOGIN_: it is ready, not in_progress or blocked
    hint: claim it first: windlass task claim LOGIN_
    more: windlass explain invalid_transition
    [exit code 3]
    $ windlass task complete LOGIN_ --agent worker-2
    error: task LOGIN_: worker-2 does not hold it; worker-1 holds it under fence 1
    hint: see who holds it: windlass task show LOGIN_
    more: windlass explain stale_claim
    [exit code 3]
    $ windlass task complete LOGIN_ --agent worker-2 --force
    error: --force needs a reason, which is recorded
    hint: add --reason "why this is right"
    more: windlass explain reason_required
    [exit code 3]
    $ windlass task complete LOGIN_ --fence 1 --comment 'all tests pass'
    LOGIN_ in_progress → done · worker-1: fix the login page
    $ … --json
    {
      "task_id": "0123456789ABCDEFGHJKLOGIN_",
      "title": "fix the login page",
      "status": "done",
      "previous_status": "in_progress",
      "agent": "worker-1",
      "fence": 1,
      "lease_until": null
    }
    $ windlass task complete LOGIN_ --fence 1
    error: task LOGIN_: claim 1 has ended; nobody holds it and it is done
    hint: see who holds it: windlass task show LOGIN_
    more: windlass explain stale_claim
    [exit code 3]
    $ windlass task reopen LOGIN_ --comment 'the bug is back'
    LOGIN_ done → ready: fix the login page
    $ … --json
    {
      "task_id": "0123456789ABCDEFGHJKLOGIN_",
      "title": "fix the login page",
      "status": "ready",
      "previous_status": "done",
      "agent": null,
      "fence": 1,
      "lease_until": null
    }
    $ windlass task reopen LOGIN_
    error: cannot reopen task LOGIN_: it is ready, not done
    hint: look at it: windlass task show LOGIN_
    more: windlass explain invalid_transition
    [exit code 3]
    "#);
}

#[test]
fn a_task_that_waits_for_others_is_not_done() {
    let said = transcript(|scene| {
        scene.given("LOGIN_", "'fix the login page' -s ready");
        scene.does("task claim LOGIN_ --agent worker-1");
        scene.given("CAUSE_", "'reproduce it' --parent LOGIN_ -s ready");
        scene.shows("task complete LOGIN_ --fence 1");
        scene.says("task claim --next --parent LOGIN_ --agent worker-1");
        scene.says("task complete CAUSE_ --agent worker-1");
        scene.says("task complete LOGIN_ --fence 1");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass task complete LOGIN_ --fence 1
    error: task LOGIN_ cannot be done: it has 1 open subtask
    hint: work on the subtasks: windlass task claim --next --parent LOGIN_
    more: windlass explain children_open
    $ … --json
    {
      "schema_version": "v1",
      "ok": false,
      "error": {
        "code": "children_open",
        "message": "task 0123456789ABCDEFGHJKLOGIN_ cannot be done: it has 1 open subtask",
        "hint": "work on the subtasks: windlass task claim --next --parent 0123456789ABCDEFGHJKLOGIN_",
        "details": {
          "open_children": ["0123456789ABCDEFGHJKCAUSE_"],
          "task_id": "0123456789ABCDEFGHJKLOGIN_"
        },
        "suggestions": []
      }
    }
    [exit code 3]
    $ windlass task claim --next --parent LOGIN_ --agent worker-1
    CAUSE_ claimed by worker-1 under fence 1: reproduce it
    $ windlass task complete CAUSE_ --agent worker-1
    CAUSE_ in_progress → done · worker-1: reproduce it
    $ windlass task complete LOGIN_ --fence 1
    LOGIN_ in_progress → done · worker-1: fix the login page
    "#);
}

#[test]
fn a_task_is_given_back() {
    let said = transcript(|scene| {
        scene.given("LOGIN_", "'fix the login page' -s ready");
        scene.does("task claim LOGIN_ --agent worker-1");
        scene.shows("task release LOGIN_ --fence 1 --comment 'needs somebody with access'");
        scene.says("task release LOGIN_");
        scene.says("task release LOGIN_ --fence 1");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass task release LOGIN_ --fence 1 --comment 'needs somebody with access'
    LOGIN_ in_progress → ready: fix the login page
    $ … --json
    {
      "task_id": "0123456789ABCDEFGHJKLOGIN_",
      "title": "fix the login page",
      "status": "ready",
      "previous_status": "in_progress",
      "agent": null,
      "fence": 1,
      "lease_until": null
    }
    $ windlass task release LOGIN_
    error: cannot release task LOGIN_: it is ready, not in_progress
    hint: claim it first: windlass task claim LOGIN_
    more: windlass explain invalid_transition
    [exit code 3]
    $ windlass task release LOGIN_ --fence 1
    error: task LOGIN_: claim 1 has ended; nobody holds it and it is ready
    hint: see who holds it: windlass task show LOGIN_
    more: windlass explain stale_claim
    [exit code 3]
    "#);
}

#[test]
fn a_task_that_cannot_go_on_is_blocked() {
    let said = transcript(|scene| {
        scene.given("LOGIN_", "'fix the login page' -s ready");
        scene.does("task claim LOGIN_ --agent worker-1 --lease 30m");
        scene.says("task block LOGIN_ --agent worker-2");
        scene.shows("task block LOGIN_ --fence 1 --comment 'waiting for the key'");
        scene.says("why LOGIN_");
        scene.shows("task unblock LOGIN_");
        scene.says("task unblock LOGIN_");
        scene.does("task block LOGIN_");
        scene.says("task unblock LOGIN_ --release");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass task block LOGIN_ --agent worker-2
    error: task LOGIN_: worker-2 does not hold it; worker-1 holds it under fence 1
    hint: see who holds it: windlass task show LOGIN_
    more: windlass explain stale_claim
    [exit code 3]
    $ windlass task block LOGIN_ --fence 1 --comment 'waiting for the key'
    LOGIN_ in_progress → blocked · worker-1: fix the login page
    $ … --json
    {
      "task_id": "0123456789ABCDEFGHJKLOGIN_",
      "title": "fix the login page",
      "status": "blocked",
      "previous_status": "in_progress",
      "agent": "worker-1",
      "fence": 1,
      "lease_until": null
    }
    $ windlass why LOGIN_
    LOGIN_: fix the login page
    · it is blocked: waiting for the key
        windlass task unblock LOGIN_
    $ windlass task unblock LOGIN_
    LOGIN_ blocked → in_progress · worker-1: fix the login page
    $ … --json
    {
      "task_id": "0123456789ABCDEFGHJKLOGIN_",
      "title": "fix the login page",
      "status": "in_progress",
      "previous_status": "blocked",
      "agent": "worker-1",
      "fence": 1,
      "lease_until": null
    }
    $ windlass task unblock LOGIN_
    error: cannot unblock task LOGIN_: it is in_progress, not blocked
    hint: see who holds it: windlass task show LOGIN_
    more: windlass explain invalid_transition
    [exit code 3]
    $ windlass task unblock LOGIN_ --release
    LOGIN_ blocked → ready: fix the login page
    "#);
}
