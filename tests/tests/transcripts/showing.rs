//! All that is known of one task, and all that happened to it.

use crate::scene::transcript;

#[test]
fn a_task_is_shown_with_everything_that_belongs_to_it() {
    let said = transcript(|scene| {
        scene.given("STORE_", "'choose a session store' -s done");
        let more = "-t web,urgent -l https://example.org/1 -d 'It forgets who you are.'";
        scene.given("LOGIN_", &format!("'fix the login page' -s ready -p 2 {more}"));
        scene.given("TELL__", "'tell the customers' --depends-on LOGIN_");
        scene.given("CAUSE_", "'reproduce it' --parent LOGIN_ -s done");
        scene.does("task add-dep LOGIN_ STORE_");
        scene.does("task claim LOGIN_ --agent worker-1");
        scene.does("task release LOGIN_ --fence 1");
        scene.does("task claim LOGIN_ --agent worker-2 --lease 30m");
        let data = r#"--progress 40 --data '{"file":"login.rs"}'"#;
        scene.does(&format!("task checkpoint LOGIN_ 'found the cause' {data} --fence 2"));
        scene.does("task comment LOGIN_ 'see the log of Tuesday' --author kim");
        scene.shows("task show LOGIN_");
        scene.says("task show LOGIN_ --view summary --no-subtasks");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass task show LOGIN_
    fix the login page
      id        0123456789ABCDEFGHJKLOGIN_
      status    in_progress
      project   inbox
      priority  2
      agent     worker-2 (fence 2)
      lease     2026-11-15T09:30:00.000Z (in 30m)
      claimed   2026-11-15T09:30:00.000Z (now)
      tags      web, urgent
      progress  40%
      link      https://example.org/1
      created   now

    It forgets who you are.

    waits for
    ID      STATUS  PROJECT  TITLE                   AGENT
    STORE_  done    inbox    choose a session store

    needed by
    ID      STATUS   PROJECT  TITLE               AGENT
    TELL__  backlog  inbox    tell the customers

    subtasks
    ID      STATUS  PROJECT  TITLE         AGENT
    CAUSE_  done    inbox    reproduce it

    claims
    FENCE  AGENT     CLAIMED  ENDED  HOW
    1      worker-1  now      now    released
    2      worker-2  now             holds it

    checkpoints
    WHEN  AUTHOR  NAME             DATA
    now   ada     found the cause  {"file":"login.rs"}

    comments
    WHEN  AUTHOR  COMMENT
    now   kim     see the log of Tuesday
    $ … --json
    {
      "task": {
        "task_id": "0123456789ABCDEFGHJKLOGIN_",
        "title": "fix the login page",
        "project": "inbox",
        "status": "in_progress",
        "priority": 2,
        "agent": "worker-2",
        "parent_id": null,
        "fence": 2,
        "claimable": false,
        "created_at": "2026-11-15T09:30:00.000Z",
        "due_at": null,
        "tags": ["web", "urgent"],
        "lease_until": "2026-11-15T09:30:00.000Z",
        "claimed_at": "2026-11-15T09:30:00.000Z",
        "progress": 40,
        "description": "It forgets who you are.",
        "links": ["https://example.org/1"],
        "metadata": {},
        "stale_after_minutes": null,
        "assignee": "worker-2",
        "open_dependencies": 0,
        "open_children": 0,
        "pipeline": "simple",
        "stage": null,
        "role": null,
        "updated_at": "2026-11-15T09:30:00.000Z",
        "finished_at": null,
        "version": 7
      },
      "comments": [
        {
          "text": "see the log of Tuesday",
          "author": "kim",
          "timestamp": "2026-11-15T09:30:00.000Z"
        }
      ],
      "checkpoints": [
        {
          "name": "found the cause",
          "data": {"file": "login.rs"},
          "progress": 40,
          "author": "ada",
          "timestamp": "2026-11-15T09:30:00.000Z"
        }
      ],
      "subtasks": [
        {
          "task_id": "0123456789ABCDEFGHJKCAUSE_",
          "title": "reproduce it",
          "project": "inbox",
          "status": "done",
          "agent": null,
          "settled": true
        }
      ],
      "claims": [
        {
          "agent": "worker-1",
          "fence": 1,
          "claimed_at": "2026-11-15T09:30:00.000Z",
          "ended_at": "2026-11-15T09:30:00.000Z",
          "ended": "released",
          "renewals": 0
        },
        {
          "agent": "worker-2",
          "fence": 2,
          "claimed_at": "2026-11-15T09:30:00.000Z",
          "ended_at": null,
          "ended": null,
          "renewals": 0
        }
      ],
      "dependencies": [
        {
          "task_id": "0123456789ABCDEFGHJKSTORE_",
          "title": "choose a session store",
          "project": "inbox",
          "status": "done",
          "agent": null,
          "settled": true
        }
      ],
      "dependents": [
        {
          "task_id": "0123456789ABCDEFGHJKTELL__",
          "title": "tell the customers",
          "project": "inbox",
          "status": "backlog",
          "agent": null,
          "settled": false
        }
      ]
    }
    $ windlass task show LOGIN_ --view summary --no-subtasks
    fix the login page
      id        0123456789ABCDEFGHJKLOGIN_
      status    in_progress
      project   inbox
      priority  2
      agent     worker-2 (fence 2)
      created   now

    waits for
    ID      STATUS  PROJECT  TITLE                   AGENT
    STORE_  done    inbox    choose a session store

    needed by
    ID      STATUS   PROJECT  TITLE               AGENT
    TELL__  backlog  inbox    tell the customers
    "#);
}

#[test]
fn a_task_that_is_not_there_is_not_shown() {
    let said = transcript(|scene| {
        scene.says("task show zzzz");
        scene.says("task show 12");
        scene.says("task show login");
        scene.says("task show");
        scene.says("task history zzzz");
    });
    insta::assert_snapshot!(said, @"
    $ windlass task show zzzz
    error: there is no task 'zzzz'
    hint: list the tasks with their ids: windlass task list
    more: windlass explain task_not_found
    [exit code 4]
    $ windlass task show 12
    error: '12' is too short for an id: give at least 4 characters
    hint: list the tasks with their ids: windlass task list
    more: windlass explain id_too_short
    [exit code 3]
    $ windlass task show login
    error: 'login' is not an id: ids are made of 0-9 and A-Z without I, L, O and U
    hint: list the tasks with their ids: windlass task list
    more: windlass explain invalid_value
    [exit code 3]
    $ windlass task show
    error: missing <TASK>
    hint: usage: windlass task show <TASK>
    more: windlass explain usage
    [exit code 2]
    $ windlass task history zzzz
    error: there is no task 'zzzz'
    hint: list the tasks with their ids: windlass task list
    more: windlass explain task_not_found
    [exit code 4]
    ");
}

#[test]
fn a_part_of_two_ids_shows_neither() {
    let said = transcript(|scene| {
        scene.given("LOGIN_", "'fix the login page'");
        scene.given("NIGHT_", "'upgrade the compiler'");
        scene.calls_what_ids_share("SHARED");
        scene.says("task show SHARED");
    });
    insta::assert_snapshot!(said, @"
    $ windlass task show SHARED
    error: 'SHARED' could be LOGIN_ (fix the login page), NIGHT_ (upgrade the
      compiler)
    did you mean: LOGIN_, NIGHT_
    hint: give more characters of the id
    more: windlass explain id_ambiguous
    [exit code 3]
    ");
}

#[test]
fn a_history_tells_every_event_in_its_order() {
    let said = transcript(|scene| {
        scene.given("LOGIN_", "'fix the login page' -s ready --author kim");
        scene.does("task claim LOGIN_ --agent worker-1");
        scene.does("task complete LOGIN_ --agent worker-1 --comment 'all tests pass'");
        scene.says("task history LOGIN_");
        scene.shows("task history LOGIN_ --limit 2");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass task history LOGIN_
    SEQ  WHEN  ACTOR     KIND            DATA
    2    now   kim       task_created    {"project":"0123456789ABCDEFGHJKMNPQRS","s…
    3    now   worker-1  task_claimed    {"agent":"worker-1","fence":1,"won":"claim…
    4    now   worker-1  task_completed  {"authority":"holder"}
    5    now   worker-1  comment_added   {"text":"all tests pass"}
    $ windlass task history LOGIN_ --limit 2
    SEQ  WHEN  ACTOR     KIND            DATA
    4    now   worker-1  task_completed  {"authority":"holder"}
    5    now   worker-1  comment_added   {"text":"all tests pass"}
    the newest 2 of 4 events
    $ … --json
    {
      "task_id": "0123456789ABCDEFGHJKLOGIN_",
      "events": [
        {
          "seq": 4,
          "event_id": "0123456789ABCDEFGHJKMNPQRS",
          "at": "2026-11-15T09:30:00.000Z",
          "kind": "task_completed",
          "stream": "0123456789ABCDEFGHJKLOGIN_",
          "stream_seq": 3,
          "v": 1,
          "actor": "worker-1",
          "data": {"authority": "holder"},
          "hash": "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
          "timestamp": "2026-11-15T09:30:00.000Z",
          "author": "worker-1"
        },
        {
          "seq": 5,
          "event_id": "0123456789ABCDEFGHJKMNPQRS",
          "at": "2026-11-15T09:30:00.000Z",
          "kind": "comment_added",
          "stream": "0123456789ABCDEFGHJKLOGIN_",
          "stream_seq": 4,
          "v": 1,
          "actor": "worker-1",
          "data": {"text": "all tests pass"},
          "hash": "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
          "timestamp": "2026-11-15T09:30:00.000Z",
          "author": "worker-1"
        }
      ],
      "total": 4
    }
    "#);
}
