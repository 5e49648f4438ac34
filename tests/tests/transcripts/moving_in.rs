//! Coming from elsewhere: another ledger, HZL, beads.

use std::os::unix::fs::symlink;

use crate::scene::{Scene, transcript};

/// A database of HZL, as `hzl` in the folder where commands are run.
fn with_hzl(scene: &Scene) {
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/hzl-sample");
    symlink(sample, scene.home().work().join("hzl")).unwrap();
}

#[test]
fn a_ledger_goes_on_elsewhere() {
    let said = transcript(|scene| {
        scene.given("LOGIN_", "'fix the login page'");
        scene.does("export log.ndjson");
        scene.shows("--db new.db import ledger log.ndjson");
        scene.says("--db new.db import ledger log.ndjson");
        scene.says("--db new.db task list");
        scene.does("--db other.db task add 'something else'");
        scene.says("--db other.db import ledger log.ndjson");
        scene.says("import ledger nowhere.ndjson");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass --db new.db import ledger log.ndjson
    2 events added; the log ends at
      2:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
    $ … --json
    {
      "file": "log.ndjson",
      "added": 2,
      "known": 0,
      "seq": 2,
      "hash": "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
    }
    $ windlass --db new.db import ledger log.ndjson
    0 events added, 2 were here already; the log ends at
      2:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
    $ windlass --db new.db task list
    ID      STATUS   PRI  PROJECT  TITLE               AGENT  CREATED
    LOGIN_  backlog  0    inbox    fix the login page         now
    $ windlass --db other.db import ledger log.ndjson
    error: event 1 of the file is not event 1 of this ledger
    hint: import into an empty ledger: windlass --db NEW.db import ledger FILE
    more: windlass explain import_conflict
    [exit code 3]
    $ windlass import ledger nowhere.ndjson
    error: nowhere.ndjson: No such file or directory
    hint: check the path, its permissions and the space left
    more: windlass explain file_unusable
    [exit code 5]
    "#);
}

#[test]
fn the_tasks_of_hzl_are_brought_here() {
    let said = transcript(|scene| {
        with_hzl(scene);
        scene.shows("import hzl hzl");
        scene.says("import hzl hzl");
        scene.says("project show api");
        scene.says("import hzl ledger.db");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass import hzl hzl
    9 tasks and 4 projects made from 36 events of HZL; 36 events recorded; 2 hooks
      and 2 op ids carried

    What did not come over as it was
    - 2 hooks whose address and headers were not read: define them here; such as
      windlass hook set on_done
    $ … --json
    {
      "source": "hzl",
      "projects": 4,
      "tasks": 9,
      "events_read": 36,
      "events_recorded": 36,
      "already_here": 0,
      "hooks": 2,
      "ops": 2,
      "notes": [
        {
          "what": "hooks whose address and headers were not read: define them here",
          "count": 2,
          "example": "windlass hook set on_done"
        }
      ],
      "seq": 40,
      "hash": "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
    }
    $ windlass import hzl hzl
    0 tasks and 0 projects made from 36 events of HZL; 0 events recorded, 36 were
      here already

    What did not come over as it was
    - 2 hooks whose address and headers were not read: define them here; such as
      windlass hook set on_done
    $ windlass project show api
    project api is open, with 4 tasks
      description  The API
      created      2026-11-15T09:30:00.000Z
    STATUS       TASKS
    backlog      0
    ready        1
    in_progress  1
    blocked      1
    done         1
    archived     0
    $ windlass import hzl ledger.db
    error: ledger.db: this database is not one of HZL's
    hint: `hzl which-db` says where HZL keeps its files; nothing was imported
    more: windlass explain import_invalid
    [exit code 3]
    "#);
}

#[test]
fn what_hzl_has_and_windlass_has_not_is_said() {
    let said = transcript(|scene| {
        scene.shows("sync");
        scene.shows("lock clear");
        scene.shows("sample-project");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass sync
    error: Windlass has no 'sync'
    hint: several machines share a ledger on PostgreSQL (windlass --db
      postgres://host/database db migrate); a ledger is carried elsewhere by
      windlass export and windlass import
    more: windlass explain not_here
    $ … --json
    {
      "schema_version": "v1",
      "ok": false,
      "error": {
        "code": "not_here",
        "message": "Windlass has no 'sync'",
        "hint": "several machines share a ledger on PostgreSQL (windlass --db postgres://host/database db migrate); a ledger is carried elsewhere by windlass export and windlass import",
        "details": {"asked_for": "sync"},
        "suggestions": []
      }
    }
    [exit code 2]
    $ windlass lock clear
    error: Windlass has no 'lock'
    hint: no lock outlives the process that took it, so there is none to clear;
      check the ledger: windlass doctor
    more: windlass explain not_here
    $ … --json
    {
      "schema_version": "v1",
      "ok": false,
      "error": {
        "code": "not_here",
        "message": "Windlass has no 'lock'",
        "hint": "no lock outlives the process that took it, so there is none to clear; check the ledger: windlass doctor",
        "details": {"asked_for": "lock"},
        "suggestions": []
      }
    }
    [exit code 2]
    $ windlass sample-project
    error: Windlass has no 'sample-project'
    hint: look around in a ledger of its own: windlass demo
    more: windlass explain not_here
    $ … --json
    {
      "schema_version": "v1",
      "ok": false,
      "error": {
        "code": "not_here",
        "message": "Windlass has no 'sample-project'",
        "hint": "look around in a ledger of its own: windlass demo",
        "details": {"asked_for": "sample-project"},
        "suggestions": []
      }
    }
    [exit code 2]
    "#);
}

#[test]
fn the_issues_of_beads_are_brought_here() {
    let said = transcript(|scene| {
        let login = r#"{"id":"bd-1","title":"Fix the login page","status":"open","priority":1}"#;
        let tell = r#"{"id":"bd-2","title":"Tell the customers","status":"closed","priority":2}"#;
        scene.has("issues.jsonl", &format!("{login}\n{tell}\n"));
        scene.shows("import beads issues.jsonl -P shop");
        scene.says("import beads issues.jsonl -P shop");
        scene.says("project list");
        scene.has("wrong.jsonl", "{\"title\": 12}\n");
        scene.says("import beads wrong.jsonl");
    });
    insta::assert_snapshot!(said, @r#"
    $ cat issues.jsonl
    {"id":"bd-1","title":"Fix the login page","status":"open","priority":1}
    {"id":"bd-2","title":"Tell the customers","status":"closed","priority":2}
    $ windlass import beads issues.jsonl -P shop
    2 tasks and 1 project made from 2 issues of beads

    What did not come over as it was
    - 2 issues without the time of their creation: that of the import counts; such
      as bd-1
    $ … --json
    {
      "source": "issues.jsonl",
      "projects": 1,
      "tasks": 2,
      "issues_read": 2,
      "events_recorded": 4,
      "already_here": 0,
      "notes": [
        {
          "what": "issues without the time of their creation: that of the import counts",
          "count": 2,
          "example": "bd-1"
        }
      ],
      "seq": 4,
      "hash": "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
    }
    $ windlass import beads issues.jsonl -P shop
    0 tasks and 0 projects made from 2 issues of beads, 2 were here already
    $ windlass project list
    PROJECT  STATE  TASKS  CLAIMABLE  DESCRIPTION  CREATED
    shop     open   2      1                       now
    $ cat wrong.jsonl
    {"title": 12}
    $ windlass import beads wrong.jsonl
    error: line 1: the issue has no id
    hint: mend the line, or write the file again: bd export; nothing was imported
    more: windlass explain import_invalid
    [exit code 3]
    "#);
}
