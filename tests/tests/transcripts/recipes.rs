//! Workflows: recipes that are one step for an agent and one transaction for the ledger.

use crate::scene::transcript;

#[test]
fn workflows_say_what_they_take_and_do() {
    let said = transcript(|scene| {
        scene.shows("workflow list");
        scene.shows("workflow show start");
        scene.says("workflow show handoff");
        scene.says("workflow show delegate");
        scene.says("workflow show hand");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass workflow list
      start     Go on with a task of an agent, or claim the next one
      handoff   Finish a task and make the one that follows, with its checkpoints
      delegate  Give a part of a task to another one, and let it wait for that
    see windlass workflow show NAME
    $ … --json
    {
      "workflows": [
        {
          "name": "start",
          "description": "Go on with a task of an agent, or claim the next one"
        },
        {
          "name": "handoff",
          "description": "Finish a task and make the one that follows, with its checkpoints"
        },
        {
          "name": "delegate",
          "description": "Give a part of a task to another one, and let it wait for that"
        }
      ]
    }
    $ windlass workflow show start
    start: Go on with a task of an agent, or claim the next one
    windlass workflow run start --agent worker-1 --lease 30m

    Arguments
      --agent <NAME>            Who begins; needed unless the environment or the
                                settings tell
      -P, --project <NAME>      Only of this project
      --any-project             Of any project, even where the settings name one
      -t, --tags <TAG,…>        Only with all of these tags (list of tags)
      -l, --lease <DURATION>    How long the claim holds from now without renewal,
                                such as 30m
      --resume-policy <POLICY>  Which of several tasks in progress to go on with
                                (first|latest|priority; default priority)
      --include-others <BOOL>   Tell of the agent's other tasks in progress
                                (true|false; default true)
      --no-include-others       The same as --include-others=false
      --others-limit <N>        Tell of at most this many others; or all (number;
                                default 5)
      --auto-op-id              Refused here: the same start rightly gives different
                                results
      --op-id <KEY>             A key of yours, under which it happens once

    Notes
    --auto-op-id is unsupported: agents poll with start, and the same input rightly
      gives different results over time. Give --op-id when you repeat one and the
      same start.
    Tasks whose lease ran out are resumed too. With --lease, or the setting
      claims.lease, the lease counts from now, unless more than two thirds of it are
      left, as with task renew; the claim and its fence stay the same. A start that
      changes nothing leaves no event.
    Others are the agent's other tasks in progress, as ids and titles: at most
      --others-limit of them, all with --others-limit all.
    When there is nothing to do, the mode is none and the exit code 0.
    $ … --json
    {
      "workflow": {
        "name": "start",
        "description": "Go on with a task of an agent, or claim the next one",
        "example": "windlass workflow run start --agent worker-1 --lease 30m",
        "supports_auto_op_id": false,
        "args": [
          {
            "name": "--agent <NAME>",
            "field": "agent",
            "required": false,
            "type": "name",
            "description": "Who begins; needed unless the environment or the settings tell"
          },
          {
            "name": "--project <NAME>",
            "short": "-P",
            "field": "project",
            "required": false,
            "type": "name",
            "description": "Only of this project"
          },
          {
            "name": "--any-project",
            "field": "any_project",
            "required": false,
            "type": "flag",
            "description": "Of any project, even where the settings name one"
          },
          {
            "name": "--tags <TAG,…>",
            "short": "-t",
            "field": "tags",
            "required": false,
            "type": "list of tags",
            "description": "Only with all of these tags"
          },
          {
            "name": "--lease <DURATION>",
            "short": "-l",
            "field": "lease",
            "required": false,
            "type": "duration",
            "description": "How long the claim holds from now without renewal, such as 30m"
          },
          {
            "name": "--resume-policy <POLICY>",
            "field": "resume_policy",
            "required": false,
            "type": "first|latest|priority",
            "description": "Which of several tasks in progress to go on with",
            "default": "priority"
          },
          {
            "name": "--include-others <BOOL>",
            "field": "include_others",
            "required": false,
            "type": "true|false",
            "description": "Tell of the agent's other tasks in progress",
            "default": "true"
          },
          {
            "name": "--no-include-others",
            "field": null,
            "required": false,
            "type": "flag",
            "description": "The same as --include-others=false"
          },
          {
            "name": "--others-limit <N>",
            "field": "others_limit",
            "required": false,
            "type": "number",
            "description": "Tell of at most this many others; or all",
            "default": "5"
          },
          {
            "name": "--auto-op-id",
            "field": "auto_op_id",
            "required": false,
            "type": "flag",
            "description": "Refused here: the same start rightly gives different results"
          },
          {
            "name": "--op-id <KEY>",
            "field": null,
            "required": false,
            "type": "key",
            "description": "A key of yours, under which it happens once"
          }
        ],
        "notes": [
          "--auto-op-id is unsupported: agents poll with start, and the same input rightly gives different results over time. Give --op-id when you repeat one and the same start.",
          "Tasks whose lease ran out are resumed too. With --lease, or…",
          "Others are the agent's other tasks in progress, as ids and titles: at most --others-limit of them, all with --others-limit all.",
          "When there is nothing to do, the mode is none and the exit code 0."
        ]
      }
    }
    $ windlass workflow show handoff
    handoff: Finish a task and make the one that follows, with its checkpoints
    windlass workflow run handoff --from 8F3K2Q --title 'review it' -P review

    Arguments
      --from <TASK>            The task that is finished (required)
      --title <TEXT>           The title of the follow-on (required)
      -P, --project <NAME>     The queue of the follow-on; the source's by default
      --agent <NAME>           Whom the follow-on is routed to; without it anybody
                               can claim it
      --carry-checkpoints <N>  How many of the last checkpoints go along; 0 is none
                               (number; default 3)
      --carry-max-chars <N>    How many characters of them go along (number; default
                               4000)
      --author <NAME>          Who acts; a source that is held is finished, paused
                               or spoken for by its holder only
      --fence <N>              The fence of the claim under which this is done
                               (number)
      --force                  Override the rules; needs --reason, and is recorded
      --reason <TEXT>          Why the rules are overridden
      --auto-op-id             Happen once for what is asked and the state of the
                               source, so that it can be repeated
      --op-id <KEY>            A key of yours, under which it happens once

    Notes
    Without --agent the follow-on goes to the pool on purpose: it is assigned to
      nobody, and any eligible agent can claim it from its project. So without
      --agent, --project is required: it says which queue.
    The newest checkpoints are carried first. Of --carry-max-chars five eighths go
      into the description and three eighths into a first checkpoint with the same
      text; both say where it is from and how much was left out. With nothing to
      carry there is no checkpoint.
    The follow-on is as urgent as its source and has no tags. In the same project it
      is a subtask of the same parent, if that is open; else it stands alone.
    The source must be able to become done: in progress or blocked, held by whoever
      calls, with nothing open that it waits for.
    $ windlass workflow show delegate
    delegate: Give a part of a task to another one, and let it wait for that
    windlass workflow run delegate --from 8F3K2Q --title tests --pause-parent

    Arguments
      --from <TASK>         The task whose work is given away (required)
      --title <TEXT>        The title of the delegated task (required)
      -P, --project <NAME>  The queue of the delegated task; the source's by default
      --agent <NAME>        Whom the delegated task is routed to; without it anybody
                            can claim it
      --as-subtask          Make it a subtask of the source
      --no-depends          Do not let the source wait for it
      --checkpoint <TEXT>   Note this on the source, as a checkpoint
      --pause-parent        Block the source, with a reason that names the delegated
                            task
      --auto-unpause        End that block when the last task the source waits for
                            is settled
      --author <NAME>       Who acts; a source that is held is finished, paused or
                            spoken for by its holder only
      --fence <N>           The fence of the claim under which this is done (number)
      --force               Override the rules; needs --reason, and is recorded
      --reason <TEXT>       Why the rules are overridden
      --auto-op-id          Happen once for what is asked and the state of the
                            source, so that it can be repeated
      --op-id <KEY>         A key of yours, under which it happens once

    Notes
    The dependency gates availability only: a source that is in progress goes on. To
      stop it, give --pause-parent.
    A paused parent stays blocked until somebody unblocks it; with --auto-unpause,
      or the setting workflows.auto_unpause, it goes back to ready, routed to its
      former owner, when the last task it waits for is settled. A block by hand, or
      a pause without it, still ends by hand; the answer says so.
    The delegated task is ready, as urgent as its source, and has no tags. With
      --as-subtask it is a part of the source; the dependency is added all the same.
    With --pause-parent or --checkpoint the caller must hold the source, if anybody
      does.
    $ windlass workflow show hand
    error: there is no workflow 'hand'
    did you mean: handoff
    hint: list them: windlass workflow list
    more: windlass explain workflow_not_found
    [exit code 4]
    "#);
}

#[test]
fn a_session_begins_with_what_was_begun_or_with_the_next_task() {
    let said = transcript(|scene| {
        scene.does("project create api");
        scene.given("LOGIN_", "'fix the login page' -P api -s ready -p 2");
        scene.given("NIGHT_", "'upgrade the compiler' -P api -s ready");
        scene.shows("workflow run start --agent worker-1 --lease 30m");
        scene.does("task claim NIGHT_ --agent worker-1");
        scene.shows("workflow run start --agent worker-1 --lease 30m");
        scene
            .says("workflow run start --agent worker-1 --resume-policy latest --no-include-others");
        scene.shows("workflow run start --agent worker-2");
        scene.says("workflow run start --agent worker-1 --auto-op-id");
        scene.says("workflow run start --agent worker-1 --resume-policy oldest");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass workflow run start --agent worker-1 --lease 30m
    LOGIN_ claimed by worker-1 under fence 1, lease runs out in 30m: fix the login
      page
    $ … --json
    {
      "workflow": "start",
      "mode": "claim_next",
      "selected": {
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
      "filters": {},
      "in_progress_count": 1,
      "others": [],
      "others_total": 0,
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
    $ windlass workflow run start --agent worker-1 --lease 30m
    LOGIN_ resumed by worker-1 under fence 1, lease runs out in 30m: fix the login
      page
    1 other in progress
        NIGHT_ upgrade the compiler
    $ … --json
    {
      "workflow": "start",
      "mode": "resume",
      "selected": {
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
      "filters": {},
      "in_progress_count": 2,
      "others": [
        {"task_id": "0123456789ABCDEFGHJKNIGHT_", "title": "upgrade the compiler"}
      ],
      "others_total": 1,
      "decision_trace": null
    }
    $ windlass workflow run start --agent worker-1 --resume-policy latest --no-include-others
    NIGHT_ resumed by worker-1 under fence 1: upgrade the compiler
    1 other in progress
    $ windlass workflow run start --agent worker-2
    no task can be claimed; windlass why says what they wait for
    $ … --json
    {
      "workflow": "start",
      "mode": "none",
      "selected": null,
      "filters": {},
      "in_progress_count": 0,
      "others": [],
      "others_total": 0,
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
    $ windlass workflow run start --agent worker-1 --auto-op-id
    error: workflow run start does not support --auto-op-id: polling with the same
      input rightly gives different results
    hint: give --op-id KEY when you repeat one and the same start
    more: windlass explain invalid_value
    [exit code 3]
    $ windlass workflow run start --agent worker-1 --resume-policy oldest
    error: invalid value 'oldest' for '--resume-policy <POLICY>'
    did you mean: latest
    hint: use one of first, latest, priority
    more: windlass explain invalid_value
    [exit code 3]
    "#);
}

#[test]
fn work_is_handed_off_with_what_was_learned() {
    let said = transcript(|scene| {
        scene.does("project create api");
        scene.does("project create review");
        scene.given("LOGIN_", "'fix the login page' -P api -s ready -p 2");
        scene.does("task claim LOGIN_ --agent worker-1");
        scene.does("task checkpoint LOGIN_ 'cause found' --agent worker-1");
        scene.does(
            "task checkpoint LOGIN_ 'fixed' --progress 90 --agent worker-1 \
             --data '{\"branch\":\"login\",\"left\":\"the test on Safari\"}'",
        );
        scene.says("workflow run handoff --from LOGIN_ --title 'review the login page'");
        scene.adds(
            &["REVIEW"],
            "workflow run handoff --from LOGIN_ --title 'review the login page' -P review \
             --author worker-1 --op-id 7c1e",
        );
        scene.shows(
            "workflow run handoff --from LOGIN_ --title 'review the login page' -P review \
             --author worker-1 --op-id 7c1e",
        );
        scene.says(
            "workflow run handoff --from LOGIN_ --title 'something else' -P review --op-id 7c1e",
        );
        scene.says("task show REVIEW");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass workflow run handoff --from LOGIN_ --title 'review the login page'
    error: handoff requires --agent, --project, or both. Omitting --agent creates a
      pool-routed task - specify --project to define the queue.
    hint: add -P NAME for a queue, or --agent NAME for somebody
    more: windlass explain invalid_value
    [exit code 3]
    $ windlass workflow run handoff --from LOGIN_ --title 'review the login page' -P review --author worker-1 --op-id 7c1e
    LOGIN_ done, REVIEW follows in review for anybody: review the login page
    118 characters of checkpoints went along
    $ … --json
    {
      "workflow": "handoff",
      "source_task_id": "0123456789ABCDEFGHJKLOGIN_",
      "source_status": "done",
      "follow_on": {
        "task_id": "0123456789ABCDEFGHJKREVIEW",
        "title": "review the login page",
        "project": "review",
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
        "progress": null
      },
      "carried_checkpoint_count": 2,
      "carried_chars": 118,
      "left_out_chars": 0,
      "correlation_id": "0123456789ABCDEFGHJKMNPQRS",
      "op_id": "7c1e",
      "replayed": false,
      "idempotency": {"op_id": "7c1e", "replayed": false}
    }
    $ windlass workflow run handoff --from LOGIN_ --title 'review the login page' -P review --author worker-1 --op-id 7c1e
    LOGIN_ done, REVIEW follows in review for anybody: review the login page
    118 characters of checkpoints went along
    replayed: it was done before, nothing was done now
    $ … --json
    {
      "workflow": "handoff",
      "source_task_id": "0123456789ABCDEFGHJKLOGIN_",
      "source_status": "done",
      "follow_on": {
        "task_id": "0123456789ABCDEFGHJKREVIEW",
        "title": "review the login page",
        "project": "review",
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
        "progress": null
      },
      "carried_checkpoint_count": 2,
      "carried_chars": 118,
      "left_out_chars": 0,
      "correlation_id": "0123456789ABCDEFGHJKMNPQRS",
      "op_id": "7c1e",
      "replayed": true,
      "idempotency": {"op_id": "7c1e", "replayed": true}
    }
    $ windlass workflow run handoff --from LOGIN_ --title 'something else' -P review --op-id 7c1e
    error: op id '7c1e' was used with other arguments, or by somebody else
    hint: repeat the very same request, or give this one an op id of its own
    more: windlass explain op_conflict
    [exit code 3]
    $ windlass task show REVIEW
    review the login page
      id        0123456789ABCDEFGHJKREVIEW
      status    ready
      project   review
      priority  2
      created   now

    Handed off from task 0123456789ABCDEFGHJKLOGIN_: fix the login page
    Its last 2 checkpoints, newest first:

    2026-11-15T09:30:00.000Z fixed (90%)
      branch: login
      left: the test on Safari

    2026-11-15T09:30:00.000Z cause found

    checkpoints
    WHEN  AUTHOR    NAME             DATA
    now   worker-1  Handoff context  {"left_out_chars":0,"source_task_id":"01234567…
    "#);
}

#[test]
fn a_part_of_the_work_is_delegated() {
    let said = transcript(|scene| {
        scene.does("project create api");
        scene.given("LOGIN_", "'fix the login page' -P api -s ready -p 2");
        scene.does("task claim LOGIN_ --agent worker-1");
        scene.adds(
            &["CAUSE_"],
            "workflow run delegate --from LOGIN_ --title 'find the cause' --agent worker-2 \
             --checkpoint 'the log is full' --author worker-1",
        );
        scene.says("task complete LOGIN_ --agent worker-1");
        scene.adds(
            &["BROWSE"],
            "workflow run delegate --from LOGIN_ --title 'try another browser' --as-subtask \
             --pause-parent --auto-unpause --author worker-1",
        );
        scene.says("why LOGIN_");
        scene.says("task set-status CAUSE_ done");
        scene.says("task set-status BROWSE done");
        scene.says("task list");
        scene.says("workflow run delegate --from CAUSE_ --title 'one more'");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass workflow run delegate --from LOGIN_ --title 'find the cause' --agent worker-2 --checkpoint 'the log is full' --author worker-1
    CAUSE_ delegated to api for worker-2: find the cause
    LOGIN_ is in_progress and waits for CAUSE_
    $ … --json
    {
      "workflow": "delegate",
      "source_task_id": "0123456789ABCDEFGHJKLOGIN_",
      "source_status": "in_progress",
      "delegated": {
        "task_id": "0123456789ABCDEFGHJKCAUSE_",
        "title": "find the cause",
        "project": "api",
        "status": "ready",
        "priority": 2,
        "agent": "worker-2",
        "parent_id": null,
        "fence": 0,
        "claimable": true,
        "created_at": "2026-11-15T09:30:00.000Z",
        "due_at": null,
        "tags": [],
        "lease_until": null,
        "claimed_at": null,
        "progress": null
      },
      "dependency_added": true,
      "checkpoint_added": true,
      "parent_paused": false,
      "auto_unpause": false,
      "correlation_id": "0123456789ABCDEFGHJKMNPQRS"
    }
    $ windlass task complete LOGIN_ --agent worker-1
    error: task LOGIN_ cannot be done: it waits for 1 open dependency
    hint: see what it waits for: windlass why LOGIN_
    more: windlass explain dependencies_open
    [exit code 3]
    $ windlass workflow run delegate --from LOGIN_ --title 'try another browser' --as-subtask --pause-parent --auto-unpause --author worker-1
    BROWSE delegated to api for anybody: try another browser
    LOGIN_ is blocked until nothing it waits for is open
    $ … --json
    {
      "workflow": "delegate",
      "source_task_id": "0123456789ABCDEFGHJKLOGIN_",
      "source_status": "blocked",
      "delegated": {
        "task_id": "0123456789ABCDEFGHJKBROWSE",
        "title": "try another browser",
        "project": "api",
        "status": "ready",
        "priority": 2,
        "agent": null,
        "parent_id": "0123456789ABCDEFGHJKLOGIN_",
        "fence": 0,
        "claimable": true,
        "created_at": "2026-11-15T09:30:00.000Z",
        "due_at": null,
        "tags": [],
        "lease_until": null,
        "claimed_at": null,
        "progress": null
      },
      "dependency_added": true,
      "checkpoint_added": false,
      "parent_paused": true,
      "auto_unpause": true,
      "correlation_id": "0123456789ABCDEFGHJKMNPQRS"
    }
    $ windlass why LOGIN_
    LOGIN_: fix the login page
    · it is blocked: paused until nothing it waits for is open; delegated task
      0123456789ABCDEFGHJKBROWSE: try another browser
        windlass task unblock LOGIN_
    · it waits for 2 open tasks
        CAUSE_, BROWSE
    · it has 1 open subtask
        BROWSE
        windlass task claim --next --parent LOGIN_
    $ windlass task set-status CAUSE_ done
    CAUSE_ ready → done · worker-2: find the cause
    $ windlass task set-status BROWSE done
    BROWSE ready → done: try another browser
    $ windlass task list
    ID      STATUS  PRI  PROJECT  TITLE                AGENT     CREATED
    LOGIN_  ready   2    api      fix the login page   worker-1  now
    CAUSE_  done    2    api      find the cause       worker-2  now
    BROWSE  done    2    api      try another browser            now
    $ windlass workflow run delegate --from CAUSE_ --title 'one more'
    error: cannot delegate from task CAUSE_: it is done, not backlog or ready or
      in_progress or blocked
    hint: reopen it: windlass task reopen CAUSE_
    more: windlass explain invalid_transition
    [exit code 3]
    "#);
}

#[test]
fn old_op_ids_are_forgotten() {
    let said = transcript(|scene| {
        scene.given("LOGIN_", "'fix the login page' -s ready");
        scene.does("task claim LOGIN_ --agent worker-1 --lease 1s");
        scene.waits_until_a_lease_has_run_out();
        scene.shows("gc");
        scene.says("gc");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass gc
    0 old op ids forgotten, 1 lease recorded as run out
    $ … --json
    {
      "ops_expired": 0,
      "claims_expired": 1,
      "gates_overdue": 0,
      "sessions_expired": 0
    }
    $ windlass gc
    0 old op ids forgotten, 0 leases recorded as run out
    "#);
}
