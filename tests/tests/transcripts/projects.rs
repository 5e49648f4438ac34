//! Projects: named queues of tasks.

use crate::scene::transcript;

#[test]
fn a_project_is_made_and_shown() {
    let said = transcript(|scene| {
        scene.shows("project list");
        scene.shows("project create api --repo /src/api -d 'Everything that answers requests'");
        scene.given("LOGIN_", "'fix the login page' -P api -s ready");
        scene.given("NIGHT_", "'upgrade the compiler' -P api");
        scene.does("project create web");
        scene.shows("project show api");
        scene.shows("project list");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass project list
    no projects yet; make one: windlass project create NAME
    $ … --json
    {"projects": []}
    $ windlass project create api --repo /src/api -d 'Everything that answers requests'
    project api is open, with no tasks
    $ … --json
    {
      "name": "api",
      "description": "Everything that answers requests",
      "repo": "/src/api",
      "is_protected": false,
      "is_frozen": false,
      "frozen_reason": null,
      "task_count": 0,
      "active_task_count": 0,
      "archived_task_count": 0,
      "claimable_task_count": 0,
      "created_at": "2026-11-15T09:30:00.000Z"
    }
    $ windlass project show api
    project api is open, with 2 tasks
      description  Everything that answers requests
      repo         /src/api
      created      2026-11-15T09:30:00.000Z
    STATUS       TASKS
    backlog      1
    ready        1
    in_progress  0
    blocked      0
    done         0
    archived     0
    $ … --json
    {
      "project": {
        "name": "api",
        "description": "Everything that answers requests",
        "repo": "/src/api",
        "is_protected": false,
        "is_frozen": false,
        "frozen_reason": null,
        "task_count": 2,
        "active_task_count": 2,
        "archived_task_count": 0,
        "claimable_task_count": 1,
        "created_at": "2026-11-15T09:30:00.000Z"
      },
      "statuses": {
        "backlog": 1,
        "ready": 1,
        "in_progress": 0,
        "blocked": 0,
        "done": 0,
        "archived": 0
      }
    }
    $ windlass project list
    PROJECT  STATE  TASKS  CLAIMABLE  DESCRIPTION                       CREATED
    api      open   2      1          Everything that answers requests  now
    web      open   0      0                                            now
    $ … --json
    {
      "projects": [
        {
          "name": "api",
          "description": "Everything that answers requests",
          "repo": "/src/api",
          "is_protected": false,
          "is_frozen": false,
          "frozen_reason": null,
          "task_count": 2,
          "active_task_count": 2,
          "archived_task_count": 0,
          "claimable_task_count": 1,
          "created_at": "2026-11-15T09:30:00.000Z"
        },
        {
          "name": "web",
          "description": null,
          "repo": null,
          "is_protected": false,
          "is_frozen": false,
          "frozen_reason": null,
          "task_count": 0,
          "active_task_count": 0,
          "archived_task_count": 0,
          "claimable_task_count": 0,
          "created_at": "2026-11-15T09:30:00.000Z"
        }
      ]
    }
    "#);
}

#[test]
fn a_frozen_project_gives_out_nothing() {
    let said = transcript(|scene| {
        scene.does("project create api");
        scene.given("LOGIN_", "'fix the login page' -P api -s ready");
        scene.shows("project freeze api --reason 'release on Friday'");
        scene.says("task claim LOGIN_ --agent worker-1");
        scene.says("why LOGIN_");
        scene.says("project list");
        scene.shows("project unfreeze api");
        scene.says("task claim LOGIN_ --agent worker-1");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass project freeze api --reason 'release on Friday'
    project api is frozen (release on Friday), with 1 task
    $ … --json
    {
      "name": "api",
      "description": null,
      "repo": null,
      "is_protected": false,
      "is_frozen": true,
      "frozen_reason": "release on Friday",
      "task_count": 1,
      "active_task_count": 1,
      "archived_task_count": 0,
      "claimable_task_count": 1,
      "created_at": "2026-11-15T09:30:00.000Z"
    }
    $ windlass task claim LOGIN_ --agent worker-1
    error: project 'api' is frozen: release on Friday
    hint: let it go on: windlass project unfreeze api
    more: windlass explain project_frozen
    [exit code 3]
    $ windlass why LOGIN_
    LOGIN_: fix the login page
    · project 'api' is frozen: release on Friday
        windlass project unfreeze api
    $ windlass project list
    PROJECT  STATE   TASKS  CLAIMABLE  DESCRIPTION  CREATED
    api      frozen  1      –                       now
    $ windlass project unfreeze api
    project api is open, with 1 task
    $ … --json
    {
      "name": "api",
      "description": null,
      "repo": null,
      "is_protected": false,
      "is_frozen": false,
      "frozen_reason": null,
      "task_count": 1,
      "active_task_count": 1,
      "archived_task_count": 0,
      "claimable_task_count": 1,
      "created_at": "2026-11-15T09:30:00.000Z"
    }
    $ windlass task claim LOGIN_ --agent worker-1
    LOGIN_ claimed by worker-1 under fence 1: fix the login page
    "#);
}

#[test]
fn a_project_gets_another_name() {
    let said = transcript(|scene| {
        scene.does("project create api");
        scene.does("project create web");
        scene.shows("project rename api backend");
        scene.says("project rename backend web");
        scene.says("project rename api server");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass project rename api backend
    project api is now backend
    $ … --json
    {"old_name": "api", "new_name": "backend"}
    $ windlass project rename backend web
    error: there is a project 'web' already
    hint: look at it: windlass project show web
    more: windlass explain project_exists
    [exit code 3]
    $ windlass project rename api server
    error: there is no project 'api'
    hint: list them: windlass project list
    more: windlass explain project_not_found
    [exit code 4]
    "#);
}

#[test]
fn what_cannot_be_a_project_is_refused() {
    let said = transcript(|scene| {
        scene.does("project create api");
        scene.says("project create api");
        scene.says("project create inbox");
        scene.says("project create 'my project'");
        scene.says("project create");
        scene.says("project show apo");
        scene.says("project freeze nowhere");
    });
    insta::assert_snapshot!(said, @"
    $ windlass project create api
    error: there is a project 'api' already
    hint: look at it: windlass project show api
    more: windlass explain project_exists
    [exit code 3]
    $ windlass project create inbox
    error: project 'inbox' is built in and keeps its name
    hint: make a project of your own: windlass project create NAME
    more: windlass explain project_protected
    [exit code 3]
    $ windlass project create 'my project'
    error: 'my project' is not a project name
    hint: begin with a letter or digit, then use letters, digits, _ and -
    more: windlass explain invalid_value
    [exit code 3]
    $ windlass project create
    error: missing <NAME>
    hint: usage: windlass project create <NAME>
    more: windlass explain usage
    [exit code 2]
    $ windlass project show apo
    error: there is no project 'apo'
    did you mean: api
    hint: list them: windlass project list
    more: windlass explain project_not_found
    [exit code 4]
    $ windlass project freeze nowhere
    error: there is no project 'nowhere'
    hint: list them: windlass project list
    more: windlass explain project_not_found
    [exit code 4]
    ");
}
