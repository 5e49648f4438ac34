//! New tasks: one, a part of another, or many at once.

use crate::scene::transcript;

#[test]
fn a_task_is_added_with_all_that_is_known_of_it() {
    let said = transcript(|scene| {
        scene.does("project create api");
        let what = "-P api -s ready -p 2 -t web,urgent -d 'It forgets who you are.'";
        let more = "-l https://example.org/1 --due 2036-12-01 --stale-after 2h";
        scene.adds(&["LOGIN_"], &format!("task add 'fix the login page' {what} {more}"));
        scene.adds(&["CAUSE_"], "task add 'reproduce it' --parent LOGIN_ -s ready");
        scene.adds(&["TELL__"], "task add 'tell the customers' -P api --depends-on LOGIN_");
        scene.says("task list");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass task add 'fix the login page' -P api -s ready -p 2 -t web,urgent -d 'It forgets who you are.' -l https://example.org/1 --due 2036-12-01 --stale-after 2h
    LOGIN_ added to api as ready: fix the login page
    $ … --json
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
      "due_at": "2036-12-01T00:00:00.000Z",
      "tags": ["web", "urgent"],
      "lease_until": null,
      "claimed_at": null,
      "progress": null,
      "description": "It forgets who you are.",
      "links": ["https://example.org/1"],
      "metadata": {},
      "stale_after_minutes": 120,
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
    $ windlass task add 'reproduce it' --parent LOGIN_ -s ready
    CAUSE_ added to api as ready: reproduce it
    $ … --json
    {
      "task_id": "0123456789ABCDEFGHJKCAUSE_",
      "title": "reproduce it",
      "project": "api",
      "status": "ready",
      "priority": 0,
      "agent": null,
      "parent_id": "0123456789ABCDEFGHJKLOGIN_",
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
    $ windlass task add 'tell the customers' -P api --depends-on LOGIN_
    TELL__ added to api as backlog: tell the customers
    $ … --json
    {
      "task_id": "0123456789ABCDEFGHJKTELL__",
      "title": "tell the customers",
      "project": "api",
      "status": "backlog",
      "priority": 0,
      "agent": null,
      "parent_id": null,
      "fence": 0,
      "claimable": false,
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
      "open_dependencies": 1,
      "open_children": 0,
      "pipeline": "simple",
      "stage": null,
      "role": null,
      "updated_at": "2026-11-15T09:30:00.000Z",
      "finished_at": null,
      "version": 1
    }
    $ windlass task list
    ID      STATUS   PRI  PROJECT  TITLE               AGENT  CREATED
    LOGIN_  ready    2    api      fix the login page         now
    CAUSE_  ready    0    api      reproduce it               now
    TELL__  backlog  0    api      tell the customers         now
    "#);
}

#[test]
fn many_tasks_are_added_from_a_file_all_or_none() {
    let said = transcript(|scene| {
        let schema = r#"{"key": "schema", "title": "write the schema", "status": "ready"}"#;
        let import = r#"{"title": "import the data", "depends_on": ["schema"]}"#;
        scene.has("plan.ndjson", &format!("{schema}\n{import}\n"));
        scene.adds(&["SCHEMA", "IMPORT"], "task add --from plan.ndjson");
        scene.has("titles.txt", "paint the boat\nsell the boat\n");
        scene.adds(&["PAINT_", "SELL__"], "task add --from titles.txt -p 3");
        scene.has("wrong.ndjson", "{\"title\": \"a\"}\n{\"titel\": \"b\"}\n");
        scene.says("task add --from wrong.ndjson");
        scene.says("task add --from nowhere.txt");
    });
    insta::assert_snapshot!(said, @r#"
    $ cat plan.ndjson
    {"key": "schema", "title": "write the schema", "status": "ready"}
    {"title": "import the data", "depends_on": ["schema"]}
    $ windlass task add --from plan.ndjson
    SCHEMA added to inbox as ready: write the schema
    IMPORT added to inbox as backlog: import the data
    2 tasks
    $ … --json
    {
      "tasks": [
        {
          "key": "schema",
          "task_id": "0123456789ABCDEFGHJKSCHEMA",
          "title": "write the schema",
          "project": "inbox",
          "status": "ready",
          "priority": 0,
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
        {
          "task_id": "0123456789ABCDEFGHJKIMPORT",
          "title": "import the data",
          "project": "inbox",
          "status": "backlog",
          "priority": 0,
          "agent": null,
          "parent_id": null,
          "fence": 0,
          "claimable": false,
          "created_at": "2026-11-15T09:30:00.000Z",
          "due_at": null,
          "tags": [],
          "lease_until": null,
          "claimed_at": null,
          "progress": null
        }
      ],
      "count": 2
    }
    $ cat titles.txt
    paint the boat
    sell the boat
    $ windlass task add --from titles.txt -p 3
    PAINT_ added to inbox as backlog: paint the boat
    SELL__ added to inbox as backlog: sell the boat
    2 tasks
    $ … --json
    {
      "tasks": [
        {
          "task_id": "0123456789ABCDEFGHJKPAINT_",
          "title": "paint the boat",
          "project": "inbox",
          "status": "backlog",
          "priority": 3,
          "agent": null,
          "parent_id": null,
          "fence": 0,
          "claimable": false,
          "created_at": "2026-11-15T09:30:00.000Z",
          "due_at": null,
          "tags": [],
          "lease_until": null,
          "claimed_at": null,
          "progress": null
        },
        {
          "task_id": "0123456789ABCDEFGHJKSELL__",
          "title": "sell the boat",
          "project": "inbox",
          "status": "backlog",
          "priority": 3,
          "agent": null,
          "parent_id": null,
          "fence": 0,
          "claimable": false,
          "created_at": "2026-11-15T09:30:00.000Z",
          "due_at": null,
          "tags": [],
          "lease_until": null,
          "claimed_at": null,
          "progress": null
        }
      ],
      "count": 2
    }
    $ cat wrong.ndjson
    {"title": "a"}
    {"titel": "b"}
    $ windlass task add --from wrong.ndjson
    error: line 2: task.add has no field titel; nothing was added
    did you mean: title
    hint: its fields are agent, comment, depends_on, description, due, force, links,
      metadata, parent, priority, progress, project, reason, stale_after, status,
      tags, title, key
    more: windlass explain unknown_field
    [exit code 3]
    $ windlass task add --from nowhere.txt
    error: nowhere.txt: No such file or directory
    hint: check the path, its permissions, and that it is UTF-8 text
    more: windlass explain file_unusable
    [exit code 5]
    "#);
}

#[test]
fn a_task_that_makes_no_sense_is_refused() {
    let said = transcript(|scene| {
        scene.given("LOGIN_", "'fix the login page'");
        scene.given("CAUSE_", "'reproduce it' --parent LOGIN_");
        scene.says("task add");
        scene.says("task add ''");
        scene.says("task add x -P nowhere");
        scene.says("task add x -p 9");
        scene.says("task add x -s archived");
        scene.says("task add x -s in_progress");
        scene.says("task add x --depends-on zzzz");
        scene.says("task add x --parent CAUSE_");
        scene.says("task add x --metadata '[1]'");
    });
    insta::assert_snapshot!(said, @"
    $ windlass task add
    error: missing <TITLE>
    hint: windlass task add 'what to do'
    more: windlass explain usage
    [exit code 2]
    $ windlass task add ''
    error: title must not be empty
    hint: give at least 1 character as title
    more: windlass explain invalid_value
    [exit code 3]
    $ windlass task add x -P nowhere
    error: there is no project 'nowhere'
    hint: create it: windlass project create nowhere
    more: windlass explain project_not_found
    [exit code 4]
    $ windlass task add x -p 9
    error: priority 9 is not between 0 and 3
    hint: give a priority from 0 to 3
    more: windlass explain invalid_value
    [exit code 3]
    $ windlass task add x -s archived
    error: a task cannot begin archived
    hint: leave --status out, or give --status ready
    more: windlass explain invalid_value
    [exit code 3]
    $ windlass task add x -s in_progress
    error: a task begins in progress only with an agent that holds it
    hint: give --agent NAME or set WINDLASS_AGENT
    more: windlass explain agent_required
    [exit code 3]
    $ windlass task add x --depends-on zzzz
    error: there is no task 'zzzz'
    hint: list the tasks with their ids: windlass task list
    more: windlass explain task_not_found
    [exit code 4]
    $ windlass task add x --parent CAUSE_
    error: task CAUSE_ is a subtask itself, and subtasks go one level deep
    hint: make it a subtask of the parent, or use --depends-on
    more: windlass explain subtask_depth
    [exit code 3]
    $ windlass task add x --metadata '[1]'
    error: invalid value '[1]' for '--metadata <JSON>': not a JSON object
    hint: see windlass task add --help
    more: windlass explain invalid_value
    [exit code 3]
    ");
}
