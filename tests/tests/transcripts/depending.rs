//! Dependencies across projects, and what becomes of them when tasks go elsewhere.

use crate::scene::{Scene, transcript};

/// A page that waits for a server, which waits for a schema; and a done sketch.
fn given_some_work(scene: &mut Scene) {
    scene.does("project create api");
    scene.does("project create web");
    scene.given("SCHEMA", "'design the schema' -P api -s ready --agent ada");
    scene.given("SERVER", "'answer with \"JSON\"' -P api -t http --depends-on SCHEMA");
    scene.given("SKETCH", "'sketch the page' -P web -s done");
    scene.given("PAGE__", "'show the answer' -P web -t http --depends-on SERVER,SKETCH");
}

#[test]
fn what_waits_for_what_is_listed_across_projects() {
    let said = transcript(|scene| {
        given_some_work(scene);
        scene.says("dep list");
        scene.shows("dep list --from-project web --blocking-only --tag http");
        scene.says("dep list --limit 1 -P api");
        scene.says("dep list --agent nobody");
        scene.says("dep list -P ap");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass dep list
    ID      TITLE                 WAITS FOR                         BLOCKS
    SERVER  answer with "JSON"    → SCHEMA design the schema        yes, ready
    PAGE__  web: show the answer  → SERVER api: answer with "JSON"  yes, backlog
    PAGE__  show the answer       → SKETCH sketch the page          no, done
    $ windlass dep list --from-project web --blocking-only --tag http
    ID      TITLE                 WAITS FOR                         BLOCKS
    PAGE__  web: show the answer  → SERVER api: answer with "JSON"  yes, backlog
    $ … --json
    {
      "dependencies": [
        {
          "from_task_id": "0123456789ABCDEFGHJKPAGE__",
          "to_task_id": "0123456789ABCDEFGHJKSERVER",
          "from_title": "show the answer",
          "to_title": "answer with \"JSON\"",
          "from_project": "web",
          "to_project": "api",
          "from_agent": null,
          "to_agent": null,
          "from_status": "backlog",
          "to_status": "backlog",
          "from_tags": ["http"],
          "to_tags": ["http"],
          "cross_project": true,
          "blocking": true,
          "missing_from": false,
          "missing_to": false
        }
      ],
      "total": 1,
      "limit": 50,
      "has_more": false,
      "next_cursor": null
    }
    $ windlass dep list --limit 1 -P api
    ID      TITLE               WAITS FOR                   BLOCKS
    SERVER  answer with "JSON"  → SCHEMA design the schema  yes, ready
    1 of 2 dependencies; go on with --cursor
      0123456789ABCDEFGHJKSERVER-0123456789ABCDEFGHJKSCHEMA-f06654cd
    $ windlass dep list --agent nobody
    no dependencies
    $ windlass dep list -P ap
    error: there is no project 'ap'
    did you mean: api
    hint: list them: windlass project list
    more: windlass explain project_not_found
    [exit code 4]
    "#);
}

#[test]
fn a_tree_shows_all_that_a_task_waits_for() {
    let said = transcript(|scene| {
        given_some_work(scene);
        scene.shows("dep tree PAGE__");
        scene.says("dep tree PAGE__ --depth 1");
        scene.says("dep tree SCHEMA --dependents");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass dep tree PAGE__
    PAGE__ backlog · web: show the answer
    ├─ SERVER backlog · api: answer with "JSON"
    │  └─ SCHEMA ready · api · ada: design the schema
    └─ SKETCH done · web: sketch the page
    it waits for 3 tasks, 2 open
    $ … --json
    {
      "direction": "dependencies",
      "tree": {
        "task_id": "0123456789ABCDEFGHJKPAGE__",
        "title": "show the answer",
        "project": "web",
        "status": "backlog",
        "agent": null,
        "settled": false,
        "repeated": false,
        "cut": false,
        "below": [
          {
            "task_id": "0123456789ABCDEFGHJKSERVER",
            "title": "answer with \"JSON\"",
            "project": "api",
            "status": "backlog",
            "agent": null,
            "settled": false,
            "repeated": false,
            "cut": false,
            "below": [
              {
                "task_id": "0123456789ABCDEFGHJKSCHEMA",
                "title": "design the schema",
                "project": "api",
                "status": "ready",
                "agent": "ada",
                "settled": false,
                "repeated": false,
                "cut": false,
                "below": []
              }
            ]
          },
          {
            "task_id": "0123456789ABCDEFGHJKSKETCH",
            "title": "sketch the page",
            "project": "web",
            "status": "done",
            "agent": null,
            "settled": true,
            "repeated": false,
            "cut": false,
            "below": []
          }
        ]
      },
      "total": 3,
      "open": 2,
      "cut": false
    }
    $ windlass dep tree PAGE__ --depth 1
    PAGE__ backlog · web: show the answer
    ├─ SERVER backlog · api · more below: answer with "JSON"
    └─ SKETCH done · web: sketch the page
    it waits for 2 tasks, 1 open; there is more below, see --depth
    $ windlass dep tree SCHEMA --dependents
    SCHEMA ready · api · ada: design the schema
    └─ SERVER backlog · api: answer with "JSON"
       └─ PAGE__ backlog · web: show the answer
    2 tasks wait for it, 2 open
    "#);
}

#[test]
fn a_graph_is_drawn_by_other_programs() {
    let said = transcript(|scene| {
        given_some_work(scene);
        scene.shows("dep graph -P api");
        scene.reads("dep graph --format mermaid");
        scene.says("dep graph --format svg");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass dep graph -P api
    digraph dependencies {
      rankdir=LR;
      node [shape=box];
      subgraph cluster_0 {
        label="api";
        "0123456789ABCDEFGHJKSCHEMA" [label="SCHEMA ready\ndesign the schema"];
        "0123456789ABCDEFGHJKSERVER" [label="SERVER backlog\nanswer with \"JSON\""];
      }
      subgraph cluster_1 {
        label="web";
        "0123456789ABCDEFGHJKPAGE__" [label="PAGE__ backlog\nshow the answer"];
      }
      "0123456789ABCDEFGHJKSERVER" -> "0123456789ABCDEFGHJKSCHEMA";
      "0123456789ABCDEFGHJKPAGE__" -> "0123456789ABCDEFGHJKSERVER";
    }
    $ … --json
    {
      "nodes": [
        {
          "task_id": "0123456789ABCDEFGHJKSCHEMA",
          "title": "design the schema",
          "project": "api",
          "status": "ready",
          "agent": "ada",
          "missing": false
        },
        {
          "task_id": "0123456789ABCDEFGHJKSERVER",
          "title": "answer with \"JSON\"",
          "project": "api",
          "status": "backlog",
          "agent": null,
          "missing": false
        },
        {
          "task_id": "0123456789ABCDEFGHJKPAGE__",
          "title": "show the answer",
          "project": "web",
          "status": "backlog",
          "agent": null,
          "missing": false
        }
      ],
      "edges": [
        {
          "from_task_id": "0123456789ABCDEFGHJKSERVER",
          "to_task_id": "0123456789ABCDEFGHJKSCHEMA",
          "cross_project": false,
          "blocking": true
        },
        {
          "from_task_id": "0123456789ABCDEFGHJKPAGE__",
          "to_task_id": "0123456789ABCDEFGHJKSERVER",
          "cross_project": true,
          "blocking": true
        }
      ],
      "total": 2
    }
    $ windlass dep graph --format mermaid
    flowchart LR
      subgraph project_0["api"]
        t0123456789ABCDEFGHJKSCHEMA["SCHEMA ready<br/>design the schema"]
        t0123456789ABCDEFGHJKSERVER["SERVER backlog<br/>answer with #34;JSON#34;"]
      end
      subgraph project_1["web"]
        t0123456789ABCDEFGHJKSKETCH["SKETCH done<br/>sketch the page"]:::settled
        t0123456789ABCDEFGHJKPAGE__["PAGE__ backlog<br/>show the answer"]
      end
      t0123456789ABCDEFGHJKSERVER --> t0123456789ABCDEFGHJKSCHEMA
      t0123456789ABCDEFGHJKPAGE__ --> t0123456789ABCDEFGHJKSERVER
      t0123456789ABCDEFGHJKPAGE__ -.-> t0123456789ABCDEFGHJKSKETCH
      classDef settled stroke-dasharray: 5 5
    $ windlass dep graph --format svg
    error: format 'svg' is not one of dot, mermaid, json
    hint: use dot or mermaid or json
    more: windlass explain invalid_value
    [exit code 3]
    "#);
}

#[test]
fn a_project_is_deleted_with_a_word_about_its_tasks_and_dependencies() {
    let said = transcript(|scene| {
        given_some_work(scene);
        scene.says("project delete api");
        scene.shows("project delete api --archive-tasks");
        scene.shows("project delete api --archive-tasks --edges settle");
        scene.says("task restore SCHEMA");
        scene.says("task move SCHEMA web");
        scene.says("task restore SCHEMA");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass project delete api
    error: project 'api' has 2 tasks
    hint: say what becomes of them: --move-to PROJECT, --archive-tasks (they stay
      readable) or --delete-tasks (they leave the ledger)
    more: windlass explain usage
    [exit code 2]
    $ windlass project delete api --archive-tasks
    error: 1 dependency leads from these tasks to others, or back
      PAGE__ show the answer (web) → SERVER answer with "JSON" (api)
    hint: say what becomes of them: --edges keep (they stay), --edges settle
      (nothing waits any more), or --rewrite-deps TASK (others wait for that task
      instead)
    more: windlass explain edges_outside
    $ … --json
    {
      "schema_version": "v1",
      "ok": false,
      "error": {
        "code": "edges_outside",
        "message": "1 dependency leads from these tasks to others, or back\n  0123456789ABCDEFGHJKPAGE__ show the answer (web) → 0123456789ABCDEFGHJKSERVER answer with \"JSON\" (api)",
        "hint": "say what becomes of them: --edges keep (they stay), --edges settle (nothing waits any more), or --rewrite-deps TASK (others wait for that task instead)",
        "details": {
          "edge_count": 1,
          "edges": [
            {
              "from_project": "web",
              "from_task_id": "0123456789ABCDEFGHJKPAGE__",
              "from_title": "show the answer",
              "to_project": "api",
              "to_task_id": "0123456789ABCDEFGHJKSERVER",
              "to_title": "answer with \"JSON\""
            }
          ]
        },
        "suggestions": []
      }
    }
    [exit code 3]
    $ windlass project delete api --archive-tasks --edges settle
    project api deleted: 2 tasks archived or done, and still readable
      PAGE__ no longer waits for SERVER
    $ … --json
    {
      "name": "api",
      "task_count": 2,
      "archived_task_count": 0,
      "chunk_count": 0,
      "action": "archive",
      "edges": [
        {
          "from_task_id": "0123456789ABCDEFGHJKPAGE__",
          "to_task_id": "0123456789ABCDEFGHJKSERVER",
          "from_title": "show the answer",
          "to_title": "answer with \"JSON\"",
          "from_project": "web",
          "to_project": "api",
          "outcome": "removed"
        }
      ]
    }
    $ windlass task restore SCHEMA
    error: project 'api', in which task SCHEMA is, was deleted
    hint: move it to another project first: windlass task move SCHEMA PROJECT
    more: windlass explain project_deleted
    [exit code 3]
    $ windlass task move SCHEMA web
    SCHEMA api → web: design the schema
    $ windlass task restore SCHEMA
    SCHEMA archived → ready · ada: design the schema
    "#);
}

#[test]
fn deleted_tasks_are_gone_and_others_wait_for_another_one() {
    let said = transcript(|scene| {
        given_some_work(scene);
        scene.does("task claim SCHEMA --agent ada");
        scene.says("project delete api --delete-tasks --rewrite-deps SKETCH");
        scene.says(
            "project delete api --delete-tasks --rewrite-deps SKETCH --force --reason 'it was a try'",
        );
        scene.says("task show SERVER");
        scene.says("task history PAGE__");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass project delete api --delete-tasks --rewrite-deps SKETCH
    error: 1 task of project 'api' is held, by ada
    hint: let them finish, or override: --force --reason 'why the holders do not
      matter'
    more: windlass explain tasks_held
    [exit code 3]
    $ windlass project delete api --delete-tasks --rewrite-deps SKETCH --force --reason 'it was a try'
    project api deleted: 2 tasks deleted
      PAGE__ waits for SKETCH instead of SERVER
    $ windlass task show SERVER
    error: there is no task 'SERVER'
    hint: list the tasks with their ids: windlass task list
    more: windlass explain task_not_found
    [exit code 4]
    $ windlass task history PAGE__
    SEQ  WHEN  ACTOR  KIND                DATA
    6    now   ada    task_created        {"depends_on":["0123456789ABCDEFGHJKMNPQR…
    8    now   ada    dependency_removed  {"because":"project api was deleted","on"…
    "#);
}

#[test]
fn many_tasks_move_together() {
    let said = transcript(|scene| {
        given_some_work(scene);
        scene.does("project create shelf");
        scene.says("task move SCHEMA SERVER shelf");
        scene.shows("task move --all-from api shelf --edges keep");
        scene.says("task move shelf");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass task move SCHEMA SERVER shelf
    error: 1 dependency leads from these tasks to others, or back
      PAGE__ show the answer (web) → SERVER answer with "JSON" (api)
    hint: say what becomes of them: --edges keep (they stay), --edges settle
      (nothing waits any more), or --rewrite-deps TASK (others wait for that task
      instead)
    more: windlass explain edges_outside
    [exit code 3]
    $ windlass task move --all-from api shelf --edges keep
    SCHEMA api → shelf: design the schema
    SERVER api → shelf: answer with "JSON"
    2 tasks moved to shelf
      PAGE__ → SERVER stays
    $ … --json
    {
      "to_project": "shelf",
      "tasks": [
        {
          "task_id": "0123456789ABCDEFGHJKSCHEMA",
          "title": "design the schema",
          "from_project": "api",
          "to_project": "shelf",
          "subtask_count": 0
        },
        {
          "task_id": "0123456789ABCDEFGHJKSERVER",
          "title": "answer with \"JSON\"",
          "from_project": "api",
          "to_project": "shelf",
          "subtask_count": 0
        }
      ],
      "count": 2,
      "edges": [
        {
          "from_task_id": "0123456789ABCDEFGHJKPAGE__",
          "to_task_id": "0123456789ABCDEFGHJKSERVER",
          "from_title": "show the answer",
          "to_title": "answer with \"JSON\"",
          "from_project": "web",
          "to_project": "api",
          "outcome": "kept"
        }
      ]
    }
    $ windlass task move shelf
    error: which tasks?
    hint: name them before the project: windlass task move TASK PROJECT
    more: windlass explain usage
    [exit code 2]
    "#);
}
