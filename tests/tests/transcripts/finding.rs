//! Finding tasks: lists and searches.

use crate::scene::transcript;

#[test]
fn tasks_are_listed_in_a_table_that_fits_the_page() {
    let said = transcript(|scene| {
        scene.says("task list");
        scene.does("project create api");
        scene.given("LOGIN_", "'fix the login page' -P api -s ready -p 2 -t web");
        let long = "'write the reference of every command and check it against the program'";
        scene.given("MANUAL", &format!("{long} -s ready --agent docs"));
        scene.given("JAPAN_", "日本語の題名 -P api");
        scene.given("NIGHT_", "'upgrade the compiler' -P api -s in_progress --agent worker-1");
        scene.says("task list");
        scene.shows("task list -P api --limit 1");
        scene.shows("task list -s ready --group-by-agent");
        scene.says("task list --tags web --available");
        scene.says("task list -s done");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass task list
    no tasks
    $ windlass task list
    ID      STATUS       PRI  PROJECT  TITLE                       AGENT     CREATED
    LOGIN_  ready        2    api      fix the login page                    now
    MANUAL  ready        0    inbox    write the reference of ev…  docs      now
    JAPAN_  backlog      0    api      日本語の題名                          now
    NIGHT_  in_progress  0    api      upgrade the compiler        worker-1  now
    $ windlass task list -P api --limit 1
    ID      STATUS  PRI  PROJECT  TITLE               AGENT  CREATED
    LOGIN_  ready   2    api      fix the login page         now
    1 of 3 tasks; go on with --cursor 2-2-2c5c9a96
    $ … --json
    {
      "tasks": [
        {
          "task_id": "0123456789ABCDEFGHJKLOGIN_",
          "title": "fix the login page",
          "project": "api",
          "status": "ready",
          "priority": 2,
          "agent": null,
          "parent_id": null,
          "fence": 0,
          "claimable": true,
          "created_at": "2026-11-15T09:30:00.000Z",
          "stale": false,
          "stale_minutes": null
        }
      ],
      "total": 3,
      "page": 1,
      "limit": 1,
      "has_more": true,
      "next_cursor": "2-2-2c5c9a96"
    }
    $ windlass task list -s ready --group-by-agent
    nobody (1)
    ID      STATUS  PRI  PROJECT  TITLE               AGENT  CREATED
    LOGIN_  ready   2    api      fix the login page         now

    docs (1)
    ID      STATUS  PRI  PROJECT  TITLE                               AGENT  CREATED
    MANUAL  ready   0    inbox    write the reference of every comm…  docs   now
    $ … --json
    {
      "tasks": [
        {
          "task_id": "0123456789ABCDEFGHJKLOGIN_",
          "title": "fix the login page",
          "project": "api",
          "status": "ready",
          "priority": 2,
          "agent": null,
          "parent_id": null,
          "fence": 0,
          "claimable": true,
          "created_at": "2026-11-15T09:30:00.000Z",
          "stale": false,
          "stale_minutes": null
        },
        {
          "task_id": "0123456789ABCDEFGHJKMANUAL",
          "title": "write the reference of every command and check it against the program",
          "project": "inbox",
          "status": "ready",
          "priority": 0,
          "agent": "docs",
          "parent_id": null,
          "fence": 0,
          "claimable": true,
          "created_at": "2026-11-15T09:30:00.000Z",
          "stale": false,
          "stale_minutes": null
        }
      ],
      "total": 2,
      "page": 1,
      "limit": 50,
      "has_more": false,
      "next_cursor": null,
      "groups": [
        {
          "agent": null,
          "tasks": [
            {
              "task_id": "0123456789ABCDEFGHJKLOGIN_",
              "title": "fix the login page",
              "project": "api",
              "status": "ready",
              "priority": 2,
              "agent": null,
              "parent_id": null,
              "fence": 0,
              "claimable": true,
              "created_at": "2026-11-15T09:30:00.000Z",
              "stale": false,
              "stale_minutes": null
            }
          ],
          "total": 1
        },
        {
          "agent": "docs",
          "tasks": [
            {
              "task_id": "0123456789ABCDEFGHJKMANUAL",
              "title": "write the reference of every command and check it against the program",
              "project": "inbox",
              "status": "ready",
              "priority": 0,
              "agent": "docs",
              "parent_id": null,
              "fence": 0,
              "claimable": true,
              "created_at": "2026-11-15T09:30:00.000Z",
              "stale": false,
              "stale_minutes": null
            }
          ],
          "total": 1
        }
      ],
      "total_tasks": 2
    }
    $ windlass task list --tags web --available
    ID      STATUS  PRI  PROJECT  TITLE               AGENT  CREATED
    LOGIN_  ready   2    api      fix the login page         now
    $ windlass task list -s done
    no tasks
    "#);
}

#[test]
fn a_list_of_nothing_that_exists_is_refused() {
    let said = transcript(|scene| {
        scene.says("task list -s redy");
        scene.says("task list -P nowhere");
        scene.says("task list --limit 0");
        scene.says("task list --page 0");
        scene.says("task list --cursor 12");
        scene.says("task list --limt 3");
    });
    insta::assert_snapshot!(said, @"
    $ windlass task list -s redy
    error: 'redy' is not a status
    did you mean: ready
    hint: use one of backlog, ready, in_progress, blocked, done, archived
    more: windlass explain invalid_value
    [exit code 3]
    $ windlass task list -P nowhere
    error: there is no project 'nowhere'
    hint: list them: windlass project list
    more: windlass explain project_not_found
    [exit code 4]
    $ windlass task list --limit 0
    error: limit 0 is not between 1 and 10000
    hint: give --limit 50
    more: windlass explain invalid_value
    [exit code 3]
    $ windlass task list --page 0
    error: page 0 is not a page
    hint: the first page is 1
    more: windlass explain invalid_value
    [exit code 3]
    $ windlass task list --cursor 12
    error: cursor '12' is not a cursor of this list
    hint: give the next_cursor of the last answer, with the same filters as there
    more: windlass explain invalid_value
    [exit code 3]
    $ windlass task list --limt 3
    error: unexpected argument '--limt' found
    did you mean: --limit
    hint: usage: windlass task list --limit <N>
    more: windlass explain usage
    [exit code 2]
    ");
}

#[test]
fn tasks_are_found_by_what_was_written_about_them() {
    let said = transcript(|scene| {
        scene.given("STORE_", "'choose a session store' -d 'The login page needs one.'");
        scene.given("LOGIN_", "'fix the login page' -s ready");
        scene.given("NIGHT_", "'upgrade the compiler'");
        scene.does("task comment NIGHT_ 'the logins of the night go first'");
        scene.shows("task search login");
        scene.says("task search login --limit 1");
        scene.says("task search zebra");
        scene.says("task search '?!'");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass task search login
    ID      STATUS   PROJECT  TITLE                   FOUND
    LOGIN_  ready    inbox    fix the login page
    STORE_  backlog  inbox    choose a session store  The login page needs one.
    NIGHT_  backlog  inbox    upgrade the compiler    the logins of the night go fi…
    $ … --json
    {
      "tasks": [
        {
          "task_id": "0123456789ABCDEFGHJKLOGIN_",
          "title": "fix the login page",
          "project": "inbox",
          "status": "ready",
          "agent": null,
          "snippet": null
        },
        {
          "task_id": "0123456789ABCDEFGHJKSTORE_",
          "title": "choose a session store",
          "project": "inbox",
          "status": "backlog",
          "agent": null,
          "snippet": {
            "field": "description",
            "text": "The login page needs one.",
            "marks": [[4, 9]],
            "cut_before": false,
            "cut_after": false
          }
        },
        {
          "task_id": "0123456789ABCDEFGHJKNIGHT_",
          "title": "upgrade the compiler",
          "project": "inbox",
          "status": "backlog",
          "agent": null,
          "snippet": {
            "field": "comment",
            "text": "the logins of the night go first",
            "marks": [[4, 10]],
            "cut_before": false,
            "cut_after": false
          }
        }
      ],
      "total": 3,
      "page": 1,
      "limit": 20
    }
    $ windlass task search login --limit 1
    ID      STATUS  PROJECT  TITLE               FOUND
    LOGIN_  ready   inbox    fix the login page
    1 of 3 tasks; see more with --page 2
    $ windlass task search zebra
    nothing found
    $ windlass task search '?!'
    error: query has no letter or digit to search for
    hint: give at least 1 letter or digit as query; signs and emoji are not searched
    more: windlass explain invalid_value
    [exit code 3]
    "#);
}
