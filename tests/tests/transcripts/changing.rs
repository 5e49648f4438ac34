//! Changes to a task that are not the work on it.

use crate::scene::transcript;

#[test]
fn a_status_is_set_by_hand() {
    let said = transcript(|scene| {
        scene.given("LOGIN_", "'fix the login page'");
        scene.shows("task set-status LOGIN_ ready");
        scene.says("task set-status LOGIN_ ready");
        scene.says("task set-status LOGIN_ in_progress --agent worker-1");
        scene.says("task set-status LOGIN_ backlog --agent worker-2");
        scene.says("task set-status LOGIN_ finished");
        scene.says("task set-status LOGIN_ archived");
        scene.says("task set-status LOGIN_");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass task set-status LOGIN_ ready
    LOGIN_ backlog → ready: fix the login page
    $ … --json
    {
      "task_id": "0123456789ABCDEFGHJKLOGIN_",
      "title": "fix the login page",
      "status": "ready",
      "previous_status": "backlog",
      "agent": null,
      "fence": 0,
      "lease_until": null
    }
    $ windlass task set-status LOGIN_ ready
    LOGIN_ is ready: fix the login page
    $ windlass task set-status LOGIN_ in_progress --agent worker-1
    LOGIN_ ready → in_progress · worker-1: fix the login page
    $ windlass task set-status LOGIN_ backlog --agent worker-2
    error: task LOGIN_: worker-2 does not hold it; worker-1 holds it under fence 1
    hint: see who holds it: windlass task show LOGIN_
    more: windlass explain stale_claim
    [exit code 3]
    $ windlass task set-status LOGIN_ finished
    error: 'finished' is not a status
    hint: use one of backlog, ready, in_progress, blocked, done, archived
    more: windlass explain invalid_value
    [exit code 3]
    $ windlass task set-status LOGIN_ archived
    error: a task is archived by its own command, not by set-status
    hint: windlass task archive LOGIN_
    more: windlass explain invalid_value
    [exit code 3]
    $ windlass task set-status LOGIN_
    error: missing <STATUS>
    hint: usage: windlass task set-status <TASK> <STATUS>
    more: windlass explain usage
    [exit code 2]
    "#);
}

#[test]
fn fields_are_updated() {
    let said = transcript(|scene| {
        scene.given("LOGIN_", "'fix the login page' -s ready -t web,urgent");
        scene.shows("task update LOGIN_ --priority 3 --tags web --agent worker-1");
        scene.says("task update LOGIN_ --priority 3");
        scene.says("task update LOGIN_");
        scene.says("task update LOGIN_ --due tomorrow");
        scene.does("task claim LOGIN_ --agent worker-1");
        scene.says("task update LOGIN_ --agent worker-2");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass task update LOGIN_ --priority 3 --tags web --agent worker-1
    LOGIN_ changed agent, priority, tags: fix the login page
    $ … --json
    {
      "task_id": "0123456789ABCDEFGHJKLOGIN_",
      "title": "fix the login page",
      "project": "inbox",
      "status": "ready",
      "priority": 3,
      "agent": "worker-1",
      "parent_id": null,
      "fence": 0,
      "claimable": true,
      "created_at": "2026-11-15T09:30:00.000Z",
      "due_at": null,
      "tags": ["web"],
      "lease_until": null,
      "claimed_at": null,
      "progress": null,
      "description": null,
      "links": [],
      "metadata": {},
      "stale_after_minutes": null,
      "assignee": "worker-1",
      "open_dependencies": 0,
      "open_children": 0,
      "pipeline": "simple",
      "stage": null,
      "role": null,
      "updated_at": "2026-11-15T09:30:00.000Z",
      "finished_at": null,
      "version": 2,
      "changed": ["agent", "priority", "tags"]
    }
    $ windlass task update LOGIN_ --priority 3
    LOGIN_ is unchanged: fix the login page
    $ windlass task update LOGIN_
    error: nothing to change was given
    hint: give a field, such as --priority 2
    more: windlass explain usage
    [exit code 2]
    $ windlass task update LOGIN_ --due tomorrow
    error: due 'tomorrow' is not a time
    hint: write 2026-11-15 or 2026-11-15T09:30:00Z
    more: windlass explain invalid_value
    [exit code 3]
    $ windlass task update LOGIN_ --agent worker-2
    error: task LOGIN_ is held by worker-1 and cannot be routed to another
    hint: take it over: windlass task steal LOGIN_ --force --agent NAME
    more: windlass explain already_claimed
    [exit code 3]
    "#);
}

#[test]
fn a_task_is_changed_in_an_editor() {
    let said = transcript(|scene| {
        scene.given("LOGIN_", "'fix the login page' -s ready -t web -d 'It forgets who you are.'");
        scene.says("task edit LOGIN_");
        scene.sets("EDITOR", "cat");
        scene.reads("task edit LOGIN_");
        scene.sets("EDITOR", "sed -i s/login/sign-in/");
        scene.shows("task edit LOGIN_");
        scene.sets("EDITOR", "sed -i s/priority/prio/");
        scene.says("task edit LOGIN_");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass task edit LOGIN_
    error: there is no editor to open the task in
    hint: set EDITOR, such as EDITOR=nano, or use: windlass task update
    more: windlass explain invalid_value
    [exit code 3]
    $ export EDITOR=cat
    $ windlass task edit LOGIN_
    # Task 0123456789ABCDEFGHJKLOGIN_: the fields, an empty line, the description.
    # Up here lines with # are left out, and an empty value means none.
    title: fix the login page
    priority: 0
    tags: web
    links:
    due:
    agent:
    stale_after:
    metadata:

    It forgets who you are.
    LOGIN_ is unchanged: fix the login page
    $ export EDITOR='sed -i s/login/sign-in/'
    $ windlass task edit LOGIN_
    LOGIN_ changed title: fix the sign-in page
    $ … --json
    {
      "task_id": "0123456789ABCDEFGHJKLOGIN_",
      "title": "fix the sign-in page",
      "project": "inbox",
      "status": "ready",
      "priority": 0,
      "agent": null,
      "parent_id": null,
      "fence": 0,
      "claimable": true,
      "created_at": "2026-11-15T09:30:00.000Z",
      "due_at": null,
      "tags": ["web"],
      "lease_until": null,
      "claimed_at": null,
      "progress": null,
      "description": "It forgets who you are.",
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
      "version": 2,
      "changed": ["title"]
    }
    $ export EDITOR='sed -i s/priority/prio/'
    $ windlass task edit LOGIN_
    error: there is no field 'prio'; your text is kept in
      /home/ada/work/windlass-LOGIN_-XXXXXX.md
    hint: the fields are title, priority, tags, links, due, agent, stale_after,
      metadata; the description follows an empty line
    more: windlass explain invalid_value
    [exit code 3]
    "#);
}

#[test]
fn a_task_moves_with_its_subtasks() {
    let said = transcript(|scene| {
        scene.does("project create api");
        scene.does("project create web");
        scene.given("LOGIN_", "'fix the login page' -P api");
        scene.given("CAUSE_", "'reproduce it' --parent LOGIN_");
        scene.shows("task move LOGIN_ web");
        scene.says("task move LOGIN_ web");
        scene.says("task move LOGIN_ wbe");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass task move LOGIN_ web
    LOGIN_ api → web with 1 subtask: fix the login page
    $ … --json
    {
      "task_id": "0123456789ABCDEFGHJKLOGIN_",
      "title": "fix the login page",
      "from_project": "api",
      "to_project": "web",
      "subtask_count": 1
    }
    $ windlass task move LOGIN_ web
    LOGIN_ is in web: fix the login page
    $ windlass task move LOGIN_ wbe
    error: there is no project 'wbe'
    did you mean: web
    hint: create it: windlass project create wbe
    more: windlass explain project_not_found
    [exit code 4]
    "#);
}

#[test]
fn a_task_waits_for_another() {
    let said = transcript(|scene| {
        scene.given("STORE_", "'choose a session store' -s ready");
        scene.given("LOGIN_", "'fix the login page' -s ready");
        scene.shows("task add-dep LOGIN_ STORE_");
        scene.says("task add-dep LOGIN_ STORE_");
        scene.says("task add-dep STORE_ LOGIN_");
        scene.says("task add-dep LOGIN_ LOGIN_");
        scene.shows("task remove-dep LOGIN_ STORE_");
        scene.says("task remove-dep LOGIN_ STORE_");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass task add-dep LOGIN_ STORE_
    LOGIN_ now waits for STORE_
    $ … --json
    {
      "task_id": "0123456789ABCDEFGHJKLOGIN_",
      "depends_on_id": "0123456789ABCDEFGHJKSTORE_",
      "added": true
    }
    $ windlass task add-dep LOGIN_ STORE_
    LOGIN_ already waits for STORE_
    $ windlass task add-dep STORE_ LOGIN_
    error: task STORE_ cannot wait for LOGIN_: that closes the circle STORE_ →
      LOGIN_ → STORE_
    hint: see what LOGIN_ waits for: windlass why LOGIN_
    more: windlass explain dependency_cycle
    [exit code 3]
    $ windlass task add-dep LOGIN_ LOGIN_
    error: task LOGIN_ cannot wait for itself
    hint: name another task
    more: windlass explain dependency_cycle
    [exit code 3]
    $ windlass task remove-dep LOGIN_ STORE_
    LOGIN_ no longer waits for STORE_
    $ … --json
    {
      "task_id": "0123456789ABCDEFGHJKLOGIN_",
      "depends_on_id": "0123456789ABCDEFGHJKSTORE_",
      "removed": true
    }
    $ windlass task remove-dep LOGIN_ STORE_
    LOGIN_ does not wait for STORE_
    "#);
}

#[test]
fn a_task_is_put_away_and_brought_back() {
    let said = transcript(|scene| {
        scene.given("LOGIN_", "'fix the login page' -s ready");
        scene.given("CAUSE_", "'reproduce it' --parent LOGIN_ -s ready");
        scene.says("task archive LOGIN_");
        scene.shows("task archive LOGIN_ --cascade --comment 'nobody logs in any more'");
        scene.says("task archive LOGIN_");
        scene.says("task update LOGIN_ --priority 1");
        scene.shows("task restore LOGIN_");
        scene.says("task restore LOGIN_");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass task archive LOGIN_
    error: task LOGIN_ has 1 open subtask
    hint: archive them too: windlass task archive LOGIN_ --cascade; or detach them:
      windlass task archive LOGIN_ --orphan
    more: windlass explain children_open
    [exit code 3]
    $ windlass task archive LOGIN_ --cascade --comment 'nobody logs in any more'
    LOGIN_ ready → archived: fix the login page
    $ … --json
    {
      "task_id": "0123456789ABCDEFGHJKLOGIN_",
      "title": "fix the login page",
      "status": "archived",
      "previous_status": "ready",
      "agent": null,
      "fence": 0,
      "lease_until": null
    }
    $ windlass task archive LOGIN_
    error: task LOGIN_ is archived already
    hint: bring it back: windlass task restore LOGIN_
    more: windlass explain invalid_transition
    [exit code 3]
    $ windlass task update LOGIN_ --priority 1
    error: task LOGIN_ is archived: an update is refused
    hint: bring it back first: windlass task restore LOGIN_
    more: windlass explain task_archived
    [exit code 3]
    $ windlass task restore LOGIN_
    LOGIN_ archived → ready: fix the login page
    $ … --json
    {
      "task_id": "0123456789ABCDEFGHJKLOGIN_",
      "title": "fix the login page",
      "status": "ready",
      "previous_status": "archived",
      "agent": null,
      "fence": 0,
      "lease_until": null
    }
    $ windlass task restore LOGIN_
    error: cannot restore task LOGIN_: it is ready, not archived
    hint: look at it: windlass task show LOGIN_
    more: windlass explain invalid_transition
    [exit code 3]
    "#);
}

#[test]
fn old_tasks_are_pruned() {
    let said = transcript(|scene| {
        scene.given("LOGIN_", "'fix the login page' -s done");
        scene.given("NIGHT_", "'upgrade the compiler' -s ready");
        scene.says("task prune");
        scene.says("task prune --all");
        scene.says("task prune --all --dry-run");
        scene.shows("task prune --all --older-than 0 --dry-run");
        scene.shows("task prune -P inbox --older-than 0 --export old.ndjson --yes");
        scene.says("task show LOGIN_");
        scene.says("task prune --all --older-than 0 --export old.ndjson --yes");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass task prune
    error: of which project?
    hint: give --project NAME, or --all for all projects
    more: windlass explain usage
    [exit code 2]
    $ windlass task prune --all
    error: pruned tasks do not come back
    hint: look first with --dry-run, then give --yes
    more: windlass explain usage
    [exit code 2]
    $ windlass task prune --all --dry-run
    nothing is old enough to be pruned
    $ windlass task prune --all --older-than 0 --dry-run
    ID      STATUS  PROJECT  TITLE               FINISHED
    LOGIN_  done    inbox    fix the login page  now
    1 task would be pruned
    $ … --json
    {
      "wouldPrune": [
        {
          "task_id": "0123456789ABCDEFGHJKLOGIN_",
          "title": "fix the login page",
          "project": "inbox",
          "status": "done",
          "terminal_since": "2026-11-15T09:30:00.000Z",
          "parent_id": null
        }
      ],
      "count": 1,
      "eventsDeleted": 1
    }
    $ windlass task prune -P inbox --older-than 0 --export old.ndjson --yes
    ID      STATUS  PROJECT  TITLE               FINISHED
    LOGIN_  done    inbox    fix the login page  now
    1 task pruned; the events are in old.ndjson
    $ … --json
    {
      "pruned": [
        {
          "task_id": "0123456789ABCDEFGHJKLOGIN_",
          "title": "fix the login page",
          "project": "inbox",
          "status": "done",
          "terminal_since": "2026-11-15T09:30:00.000Z",
          "parent_id": null
        }
      ],
      "count": 1,
      "eventsDeleted": 1,
      "exported": "old.ndjson"
    }
    $ windlass task show LOGIN_
    error: there is no task 'LOGIN_'
    hint: list the tasks with their ids: windlass task list
    more: windlass explain task_not_found
    [exit code 4]
    $ windlass task prune --all --older-than 0 --export old.ndjson --yes
    error: old.ndjson exists and is not overwritten
    hint: name a new file, or remove this one first
    more: windlass explain file_exists
    [exit code 3]
    "#);
}
