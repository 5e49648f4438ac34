//! Who is at work, what waits for what, and what has happened.

use crate::scene::transcript;

#[test]
fn why_says_what_a_task_and_the_queue_wait_for() {
    let said = transcript(|scene| {
        scene.given("STORE_", "'choose a session store'");
        scene.given("LOGIN_", "'fix the login page' -s ready --depends-on STORE_");
        scene.given("TELL__", "'tell the customers' -s ready");
        scene.does("task block TELL__ --comment 'the press is on strike'");
        scene.shows("why LOGIN_");
        scene.says("why TELL__");
        scene.shows("why");
        scene.does("task set-status STORE_ ready");
        scene.says("why STORE_");
        scene.says("why");
        scene.says("why zzzz");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass why LOGIN_
    LOGIN_: fix the login page
    · it waits for 1 open task
        STORE_
    $ … --json
    {
      "task_id": "0123456789ABCDEFGHJKLOGIN_",
      "title": "fix the login page",
      "status": "ready",
      "claimable": false,
      "next": null,
      "reasons": [
        {
          "code": "dependencies_open",
          "message": "it waits for 1 open task",
          "next": null,
          "count": 1,
          "tasks": ["0123456789ABCDEFGHJKSTORE_"]
        }
      ],
      "projects": []
    }
    $ windlass why TELL__
    TELL__: tell the customers
    · it is blocked: the press is on strike
        windlass task unblock TELL__
    $ windlass why
    nothing can be given out
    · 1 ready, but behind open dependencies or subtasks
        windlass task list -s ready
    · 1 blocked
        windlass task list -s blocked
    · 1 in the backlog, not ready
        windlass task set-status TASK ready
    $ … --json
    {
      "task_id": null,
      "title": null,
      "status": null,
      "claimable": false,
      "next": null,
      "reasons": [
        {
          "code": "waiting",
          "message": "1 ready, but behind open dependencies or subtasks",
          "next": "windlass task list -s ready",
          "count": 1,
          "tasks": []
        },
        {
          "code": "blocked",
          "message": "1 blocked",
          "next": "windlass task list -s blocked",
          "count": 1,
          "tasks": []
        },
        {
          "code": "backlog",
          "message": "1 in the backlog, not ready",
          "next": "windlass task set-status TASK ready",
          "count": 1,
          "tasks": []
        }
      ],
      "projects": [
        {
          "project": "inbox",
          "is_frozen": false,
          "claimable": 0,
          "waiting": 1,
          "in_progress": 0,
          "blocked": 1,
          "backlog": 1
        }
      ]
    }
    $ windlass why STORE_
    STORE_ waits only for an agent: windlass task claim STORE_
    $ windlass why
    STORE_ would be given out next
    · 1 ready, but behind open dependencies or subtasks
        windlass task list -s ready
    · 1 blocked
        windlass task list -s blocked
    $ windlass why zzzz
    error: there is no task 'zzzz'
    hint: list the tasks with their ids: windlass task list
    more: windlass explain task_not_found
    [exit code 4]
    "#);
}

#[test]
fn the_queue_and_what_was_finished_are_counted() {
    let said = transcript(|scene| {
        scene.does("project create api");
        scene.given("LOGIN_", "'fix the login page' -P api -s ready");
        scene.given("NIGHT_", "'upgrade the compiler' -P api -s ready");
        scene.does("task claim LOGIN_ --agent worker-1");
        scene.does("task complete LOGIN_ --agent worker-1");
        scene.shows("stats --window 10m");
        scene.says("stats --window soon");
        scene.says("stats -P apo");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass stats --window 10m
    now
      backlog         0
      ready           1
      available       1
      in progress     0
      stale           0
      leases run out  0
      blocked         0
      done            1
      archived        0
      waiting         the oldest less than 1 s, p50 less than 1 s

    the last 10m
      done                1
      added               2
      from claim to done  less than 1 s on average, 1 task
      lead time           p50 less than 1 s, p90 less than 1 s
      cycle time          p50 less than 1 s, p90 less than 1 s
      done over time      ▁█
      added over time     ▁█
      by worker-1         1
    $ … --json
    {
      "window": "10m",
      "generated_at": "2026-11-15T09:30:00.000Z",
      "projects": ["api"],
      "queue": {
        "backlog": 0,
        "ready": 1,
        "in_progress": 0,
        "blocked": 0,
        "done": 1,
        "archived": 0,
        "available": 1,
        "stale": 0,
        "expired_leases": 0
      },
      "completions": {"total": 1, "by_agent": {"worker-1": 1}},
      "execution_time_ms": {
        "count": 1,
        "mean": <number>,
        "min": <number>,
        "max": <number>,
        "excluded_without_start": 0
      },
      "throughput": {
        "step": "5m",
        "added": 2,
        "series": [
          {"from": "2026-11-15T09:30:00.000Z", "completed": 0, "added": 0},
          {"from": "2026-11-15T09:30:00.000Z", "completed": 1, "added": 2}
        ]
      },
      "lead_time_ms": {"count": 1, "p50": <number>, "p90": <number>},
      "cycle_time_ms": {"count": 1, "p50": <number>, "p90": <number>},
      "queue_age_ms": {"oldest": <number>, "p50": <number>}
    }
    $ windlass stats --window soon
    error: window 'soon' is not a duration
    hint: write a number and a unit, such as 90s, 30m, 2h or 7d
    more: windlass explain invalid_value
    [exit code 3]
    $ windlass stats -P apo
    error: there is no project 'apo'
    did you mean: api
    hint: list them: windlass project list
    more: windlass explain project_not_found
    [exit code 4]
    "#);
}

#[test]
fn who_held_what_when() {
    let said = transcript(|scene| {
        scene.says("timeline");
        scene.given("LOGIN_", "'fix the login page' -s ready");
        scene.given("NIGHT_", "'upgrade the compiler' -s ready");
        scene.does("task claim LOGIN_ --agent worker-1");
        scene.does("task complete LOGIN_ --agent worker-1");
        scene.does("task claim NIGHT_ --agent worker-2");
        scene.does("task release NIGHT_ --agent worker-2");
        scene.does("task claim NIGHT_ --agent worker-1 --lease 30m");
        scene.shows("timeline --agent worker-1");
        scene.says("timeline --limit 1");
        scene.says("timeline --window soon");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass timeline
    nobody held anything in the last 24h
    $ windlass timeline --agent worker-1
    AGENT     TASK    PROJECT  TITLE                 FENCE  FROM  HELD   ENDED
    worker-1  NIGHT_  inbox    upgrade the compiler  2      now   < 1 s  held
    worker-1  LOGIN_  inbox    fix the login page    1      now   < 1 s  done
    $ … --json
    {
      "window": "24h",
      "since": "2026-11-15T09:30:00.000Z",
      "generated_at": "2026-11-15T09:30:00.000Z",
      "claims": [
        {
          "agent": "worker-1",
          "task_id": "0123456789ABCDEFGHJKNIGHT_",
          "title": "upgrade the compiler",
          "project": "inbox",
          "fence": 2,
          "from": "2026-11-15T09:30:00.000Z",
          "until": null,
          "ended": null,
          "lease_until": "2026-11-15T09:30:00.000Z",
          "lease_expired": false
        },
        {
          "agent": "worker-1",
          "task_id": "0123456789ABCDEFGHJKLOGIN_",
          "title": "fix the login page",
          "project": "inbox",
          "fence": 1,
          "from": "2026-11-15T09:30:00.000Z",
          "until": "2026-11-15T09:30:00.000Z",
          "ended": "done",
          "lease_until": null,
          "lease_expired": false
        }
      ],
      "total": 2
    }
    $ windlass timeline --limit 1
    AGENT     TASK    PROJECT  TITLE                 FENCE  FROM  HELD   ENDED
    worker-1  NIGHT_  inbox    upgrade the compiler  2      now   < 1 s  held
    1 of 3 claims; see more with --limit
    $ windlass timeline --window soon
    error: window 'soon' is not a duration
    hint: write a number and a unit, such as 90s, 30m, 2h or 7d
    more: windlass explain invalid_value
    [exit code 3]
    "#);
}

#[test]
fn agents_are_shown_at_work() {
    let said = transcript(|scene| {
        scene.says("agent status");
        scene.given("LOGIN_", "'fix the login page' -s ready");
        scene.given("NIGHT_", "'upgrade the compiler' -s ready");
        scene.does("task claim LOGIN_ --agent worker-1 --lease 30m");
        scene.does("task progress LOGIN_ 60 --agent worker-1");
        scene.shows("agent status");
        scene.says("agent status --agent worker-1 --stats --window 8h");
        scene.shows("agent log worker-1");
        scene.says("agent log worker-1 --limit 1");
        scene.says("agent log nobody");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass agent status
    nobody has done anything yet
    $ windlass agent status
    AGENT     TASK    PROJECT  TITLE               PROGRESS  LEASE   LAST SEEN
    worker-1  LOGIN_  inbox    fix the login page  60%       in 30m  now
    ada                                                              now
    1 of 2 at work
    $ … --json
    {
      "agents": [
        {
          "agent": "worker-1",
          "isActive": true,
          "activeDurationMs": <number>,
          "tasks": [
            {
              "taskId": "0123456789ABCDEFGHJKLOGIN_",
              "title": "fix the login page",
              "project": "inbox",
              "fence": 1,
              "claimedAt": "2026-11-15T09:30:00.000Z",
              "activeAt": "2026-11-15T09:30:00.000Z",
              "progress": 60,
              "leaseUntil": "2026-11-15T09:30:00.000Z",
              "leaseExpired": false
            }
          ],
          "lastActivity": "2026-11-15T09:30:00.000Z"
        },
        {
          "agent": "ada",
          "isActive": false,
          "activeDurationMs": null,
          "tasks": [],
          "lastActivity": "2026-11-15T09:30:00.000Z"
        }
      ],
      "summary": {"total": 2, "active": 1, "idle": 1}
    }
    $ windlass agent status --agent worker-1 --stats --window 8h
    AGENT     TASK    PROJECT  TITLE               PROGRESS  LEASE   LAST SEEN
    worker-1  LOGIN_  inbox    fix the login page  60%       in 30m  now
    1 of 1 at work

    tasks
    AGENT     BACKLOG  READY  IN PROGRESS  BLOCKED  DONE  ARCHIVED  ALL
    worker-1  0        0      1            0        0     0         1

    claims of the window
    AGENT     DONE  ENDED  FAILED  FAILURE RATE
    worker-1  0     0      0
    $ windlass agent log worker-1
    SEQ  WHEN  KIND          TASK    TITLE
    5    now   progress_set  LOGIN_  fix the login page
    4    now   task_claimed  LOGIN_  fix the login page
    $ … --json
    {
      "events": [
        {
          "id": 5,
          "eventId": "0123456789ABCDEFGHJKMNPQRS",
          "taskId": "0123456789ABCDEFGHJKLOGIN_",
          "type": "progress_set",
          "data": {"authority": "holder", "progress": 60},
          "author": "worker-1",
          "timestamp": "2026-11-15T09:30:00.000Z",
          "taskTitle": "fix the login page",
          "taskStatus": "in_progress"
        },
        {
          "id": 4,
          "eventId": "0123456789ABCDEFGHJKMNPQRS",
          "taskId": "0123456789ABCDEFGHJKLOGIN_",
          "type": "task_claimed",
          "data": {
            "agent": "worker-1",
            "fence": 1,
            "lease_ms": 1800000,
            "lease_until": "2026-11-15T09:30:00.000Z",
            "won": "claimed"
          },
          "author": "worker-1",
          "timestamp": "2026-11-15T09:30:00.000Z",
          "taskTitle": "fix the login page",
          "taskStatus": "in_progress"
        }
      ],
      "total": 2
    }
    $ windlass agent log worker-1 --limit 1
    SEQ  WHEN  KIND          TASK    TITLE
    5    now   progress_set  LOGIN_  fix the login page
    1 of 2 events; go on with --before 5
    $ windlass agent log nobody
    no events by that name
    "#);
}

#[test]
fn the_log_is_read_event_by_event() {
    let said = transcript(|scene| {
        scene.says("events");
        scene.given("LOGIN_", "'fix the login page' -s ready");
        scene.does("task claim LOGIN_ --agent worker-1");
        scene.does("task release LOGIN_ --agent worker-1");
        scene.shows("events");
        scene.says("events --from 1 --limit 2");
        scene.shows("events --from 2 --compat hzl");
        scene.says("events --compat jira");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass events
    no events
    $ windlass events
    SEQ  WHEN  ACTOR     KIND             DATA
    1    now   ada       project_created  {"name":"inbox","protected":true}
    2    now   ada       task_created     {"project":"0123456789ABCDEFGHJKMNPQRS","…
    3    now   worker-1  task_claimed     {"agent":"worker-1","fence":1,"won":"clai…
    4    now   worker-1  task_released    {"authority":"holder"}
    $ … --json
    {
      "seq": 1,
      "event_id": "0123456789ABCDEFGHJKMNPQRS",
      "at": "2026-11-15T09:30:00.000Z",
      "kind": "project_created",
      "stream": "0123456789ABCDEFGHJKMNPQRS",
      "stream_seq": 1,
      "v": 1,
      "actor": "ada",
      "data": {"name": "inbox", "protected": true},
      "hash": "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
    }
    {
      "seq": 2,
      "event_id": "0123456789ABCDEFGHJKMNPQRS",
      "at": "2026-11-15T09:30:00.000Z",
      "kind": "task_created",
      "stream": "0123456789ABCDEFGHJKLOGIN_",
      "stream_seq": 1,
      "v": 1,
      "actor": "ada",
      "data": {
        "project": "0123456789ABCDEFGHJKMNPQRS",
        "status": "ready",
        "title": "fix the login page"
      },
      "hash": "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
    }
    {
      "seq": 3,
      "event_id": "0123456789ABCDEFGHJKMNPQRS",
      "at": "2026-11-15T09:30:00.000Z",
      "kind": "task_claimed",
      "stream": "0123456789ABCDEFGHJKLOGIN_",
      "stream_seq": 2,
      "v": 1,
      "actor": "worker-1",
      "data": {"agent": "worker-1", "fence": 1, "won": "claimed"},
      "hash": "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
    }
    {
      "seq": 4,
      "event_id": "0123456789ABCDEFGHJKMNPQRS",
      "at": "2026-11-15T09:30:00.000Z",
      "kind": "task_released",
      "stream": "0123456789ABCDEFGHJKLOGIN_",
      "stream_seq": 3,
      "v": 1,
      "actor": "worker-1",
      "data": {"authority": "holder"},
      "hash": "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
    }
    $ windlass events --from 1 --limit 2
    SEQ  WHEN  ACTOR     KIND          DATA
    2    now   ada       task_created  {"project":"0123456789ABCDEFGHJKMNPQRS","sta…
    3    now   worker-1  task_claimed  {"agent":"worker-1","fence":1,"won":"claimed…
    there are more; go on with --from 3
    $ windlass events --from 2 --compat hzl
    SEQ  WHEN  ACTOR     KIND            DATA
    3    now   worker-1  status_changed  {"agent":"worker-1","from":"ready","to":"i…
    4    now   worker-1  status_changed  {"from":"in_progress","to":"ready"}
    $ … --json
    {
      "rowid": 3,
      "event_id": "0123456789ABCDEFGHJKMNPQRS",
      "task_id": "0123456789ABCDEFGHJKLOGIN_",
      "type": "status_changed",
      "data": {"agent": "worker-1", "from": "ready", "to": "in_progress"},
      "author": "worker-1",
      "timestamp": "2026-11-15T09:30:00.000Z"
    }
    {
      "rowid": 4,
      "event_id": "0123456789ABCDEFGHJKMNPQRS",
      "task_id": "0123456789ABCDEFGHJKLOGIN_",
      "type": "status_changed",
      "data": {"from": "in_progress", "to": "ready"},
      "author": "worker-1",
      "timestamp": "2026-11-15T09:30:00.000Z"
    }
    $ windlass events --compat jira
    error: invalid value 'jira' for '--compat <TOOL>'
    hint: use one of hzl
    more: windlass explain invalid_value
    [exit code 3]
    "#);
}

#[test]
fn the_board_shows_the_tasks_by_status_with_what_they_wait_for() {
    let said = transcript(|scene| {
        scene.says("board");
        scene.given("STORE_", "'choose a session store' -s ready");
        scene.given("LOGIN_", "'fix the login page' -s ready -p 2 --depends-on STORE_");
        scene.given("NIGHT_", "'upgrade the compiler' -s ready");
        scene.does("task claim NIGHT_ --agent worker-1 --lease 30m");
        scene.does("task block NIGHT_ --comment 'waiting for the release' --agent worker-1");
        scene.says("board");
        scene.shows("board --status blocked");
        scene.says("board --limit 1 --status ready");
        scene.says("board --status doing");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass board
    no tasks
    $ windlass board
    ready (2)
    ID      PRI  PROJECT  TITLE                   AGENT  NOTE
    LOGIN_  2    inbox    fix the login page             waits for STORE_
    STORE_  0    inbox    choose a session store

    blocked (1)
    ID      PRI  PROJECT  TITLE                 AGENT     NOTE
    NIGHT_  0    inbox    upgrade the compiler  worker-1  waiting for the release
    $ windlass board --status blocked
    blocked (1)
    ID      PRI  PROJECT  TITLE                 AGENT     NOTE
    NIGHT_  0    inbox    upgrade the compiler  worker-1  waiting for the release
    $ … --json
    {
      "generated_at": "2026-11-15T09:30:00.000Z",
      "columns": [
        {
          "status": "blocked",
          "total": 1,
          "page": 1,
          "limit": 20,
          "has_more": false,
          "tasks": [
            {
              "task_id": "0123456789ABCDEFGHJKNIGHT_",
              "title": "upgrade the compiler",
              "project": "inbox",
              "status": "blocked",
              "priority": 0,
              "agent": "worker-1",
              "parent_id": null,
              "fence": 1,
              "claimable": false,
              "created_at": "2026-11-15T09:30:00.000Z",
              "due_at": null,
              "tags": [],
              "lease_until": null,
              "claimed_at": "2026-11-15T09:30:00.000Z",
              "progress": null,
              "version": 3,
              "stale": false,
              "stale_minutes": null,
              "lease_expired": false,
              "overdue": false,
              "open_dependencies": 0,
              "waits_for": [],
              "blocked_for": "waiting for the release",
              "children": 0,
              "open_children": 0,
              "finished_at": null
            }
          ]
        }
      ]
    }
    $ windlass board --limit 1 --status ready
    ready (2)
    ID      PRI  PROJECT  TITLE               AGENT  NOTE
    LOGIN_  2    inbox    fix the login page         waits for STORE_
    1 of 2; more with --status ready --page 2
    $ windlass board --status doing
    error: 'doing' is not a status
    did you mean: done
    hint: use one of backlog, ready, in_progress, blocked, done, archived
    more: windlass explain invalid_value
    [exit code 3]
    "#);
}
