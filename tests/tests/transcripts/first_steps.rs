//! From an empty ledger to a task that is done.

use crate::scene::transcript;

#[test]
fn a_task_goes_from_added_to_done() {
    let said = transcript(|scene| {
        scene.says("project create shop -d 'Everything that customers see'");
        scene.adds(&["LOGIN_"], "task add 'fix the login page' -P shop -s ready -p 2");
        scene.says("task list");
        scene.sets("WINDLASS_AGENT", "worker-1");
        scene.says("task claim --next --lease 30m");
        scene.says("task checkpoint LOGIN_ 'found the cause' --progress 40 --fence 1");
        scene.says("task complete LOGIN_ --fence 1 --comment 'all tests pass'");
        scene.says("task show LOGIN_");
        scene.says("task claim --next");
        scene.says("why");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass project create shop -d 'Everything that customers see'
    project shop is open, with no tasks
    $ windlass task add 'fix the login page' -P shop -s ready -p 2
    LOGIN_ added to shop as ready: fix the login page
    $ … --json
    {
      "task_id": "0123456789ABCDEFGHJKLOGIN_",
      "title": "fix the login page",
      "project": "shop",
      "status": "ready",
      "priority": 2,
      "agent": null,
      "parent_id": null,
      "fence": 0,
      "claimable": true,
      "created_at": "2026-11-15T09:30:00.000Z",
      "due_at": null,
      "tags": [],
      "lease_until": null,
      "claimed_at": null,
      "progress": null,
      "description": null,
      "links": [],
      "metadata": {},
      "stale_after_minutes": null,
      "assignee": null,
      "open_dependencies": 0,
      "open_children": 0,
      "pipeline": "simple",
      "stage": null,
      "role": null,
      "updated_at": "2026-11-15T09:30:00.000Z",
      "finished_at": null,
      "version": 1
    }
    $ windlass task list
    ID      STATUS  PRI  PROJECT  TITLE               AGENT  CREATED
    LOGIN_  ready   2    shop     fix the login page         now
    $ export WINDLASS_AGENT=worker-1
    $ windlass task claim --next --lease 30m
    LOGIN_ claimed by worker-1 under fence 1, lease runs out in 30m: fix the login
      page
    $ windlass task checkpoint LOGIN_ 'found the cause' --progress 40 --fence 1
    LOGIN_ checkpoint at 40%: found the cause
    $ windlass task complete LOGIN_ --fence 1 --comment 'all tests pass'
    LOGIN_ in_progress → done · worker-1: fix the login page
    $ windlass task show LOGIN_
    fix the login page
      id        0123456789ABCDEFGHJKLOGIN_
      status    done
      project   shop
      priority  2
      agent     worker-1 (fence 1)
      progress  100%
      created   now

    claims
    FENCE  AGENT     CLAIMED  ENDED  HOW
    1      worker-1  now      now    completed

    checkpoints
    WHEN  AUTHOR    NAME             DATA
    now   worker-1  found the cause

    comments
    WHEN  AUTHOR    COMMENT
    now   worker-1  all tests pass
    $ windlass task claim --next
    no task can be claimed; windlass why says what they wait for
    $ windlass why
    nothing can be given out
    · there are no open tasks
        windlass task add TITLE -s ready
    "#);
}

#[test]
fn an_agent_is_told_how_to_work_by_the_guide() {
    let said = transcript(|scene| {
        scene.shows("guide");
    });
    insta::assert_snapshot!(said, @r##"
    $ windlass guide

    # Working with Windlass

    Windlass keeps the tasks. You claim one, work on it, save points of progress,
    and say when it is done. Every command answers with one JSON document when its
    output is not a terminal; a refusal has `error.code`, `error.message` and
    `error.hint`.

    Say who you are once, and every command knows it:

        export WINDLASS_AGENT=worker-1

    ## Take a task

        windlass task claim --next -P PROJECT --lease 30m

    `task_id` is null when there is nothing to claim: stop, or ask `windlass why -P
    PROJECT`. Otherwise keep `task_id` and `fence`. The fence is the number of your
    claim; show it with everything you do:

        export WINDLASS_TASK=<task_id> WINDLASS_FENCE=<fence>

    Or begin with `windlass workflow run start --agent worker-1 --lease 30m`: it
    goes on with what you have in progress and otherwise claims the next task
    (`selected` in the answer, with its `fence`).

    Read what was done before you: `windlass task show TASK` has the description,
    the comments, the checkpoints of those who worked on it, and the tasks it waits
    for.

    ## Work

        windlass task checkpoint TASK "parser done, next: errors" --progress 60
        windlass task renew TASK

    A checkpoint says what somebody else would need to go on from here. Renew before
    the lease runs out; a claim that ran out can be won by others.

        windlass task add "write the tests" --parent TASK -s ready
        windlass task add "fix the schema first" -P PROJECT -s ready
        windlass task add-dep TASK OTHER
        windlass task comment TASK "the API answers 500 on Sundays"

    ## End it, one way or another

        windlass task complete TASK --comment "all tests pass"
        windlass task block TASK --comment "waiting for the API key"
        windlass task release TASK --comment "needs somebody with access"

    When somebody else should go on, or do a part of it:

        windlass workflow run handoff --from TASK --title "review it" -P PROJECT
        windlass workflow run delegate --from TASK --title "find the cause"
          --pause-parent

    Add `--op-id KEY` to anything you may have to repeat: it happens once, and
    answers the same again.

    Never leave a task as it is: what you do not finish, block or release.

    ## When you are refused

    Exit code 2: the command line is wrong. 3: the rules say no. 4: there is no such
    task or project. 5: the ledger cannot be used. Nothing was changed. Do what
    `error.hint` says; `windlass explain CODE` says more.

    - `stale_claim`: somebody else holds the task now. Stop working on it; do not
      force anything. What you know that the new holder needs, say in a comment.
    - `already_claimed`: take another: `windlass task claim --next`.
    - `dependencies_open`, `children_open`: the task waits for the tasks in
      `error.details`. Work on those, or release this one.
    - `invalid_transition`: look at it first: `windlass task show TASK`.
    - `ledger_locked`, `op_running`: try again.

    `--force --reason "…"` overrides a rule and is recorded with your name. Use it
    only when a person told you to.

    $ … --json
    {"guide": "# Working with Windlass\n\nWindlass keeps the tasks. You cl…"}
    "##);
}
