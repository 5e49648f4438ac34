//! The ledger: where it is, whether it is sound, and copies of it.

use crate::scene::transcript;

#[test]
fn a_ledger_is_made_and_looked_at() {
    let said = transcript(|scene| {
        scene.shows("which-db");
        scene.shows("status");
        scene.shows("init");
        scene.says("init");
        scene.given("LOGIN_", "'fix the login page' -s ready");
        scene.says("which-db");
        scene.shows("status");
        scene.shows("db migrate");
        scene.says("init --force");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass which-db
    ledger.db
    from WINDLASS_DB; there is no ledger yet
    $ … --json
    {
      "db": "ledger.db",
      "database": "sqlite",
      "mode": "local-only",
      "source": "env",
      "origin": "WINDLASS_DB",
      "exists": false,
      "eventsDbPath": "ledger.db",
      "cacheDbPath": "ledger.db",
      "eventsDbExists": false,
      "cacheDbExists": false
    }
    $ windlass status
      ledger    ledger.db
      from      WINDLASS_DB
      size      no ledger yet
      events    0
      hash      0000000000000000000000000000000000000000000000000000000000000000
      projects  0
      outbox    empty
    STATUS       TASKS
    backlog      0
    ready        0
    in_progress  0
    blocked      0
    done         0
    archived     0
    $ … --json
    {
      "success": true,
      "data": {
        "db": "ledger.db",
        "database": "sqlite",
        "mode": "local-only",
        "source": "env",
        "origin": "WINDLASS_DB",
        "eventsDb": "ledger.db",
        "cacheDb": "ledger.db",
        "exists": false,
        "size_bytes": <number>,
        "head": {
          "seq": 0,
          "hash": "0000000000000000000000000000000000000000000000000000000000000000"
        },
        "projects": 0,
        "tasks": {
          "backlog": 0,
          "ready": 0,
          "in_progress": 0,
          "blocked": 0,
          "done": 0,
          "archived": 0
        },
        "outbox": {
          "queued": 0,
          "processing": 0,
          "delivered": 0,
          "failed": 0,
          "discarded": 0
        }
      }
    }
    $ windlass init
    ledger.db is a new ledger
    $ … --json
    {
      "db": "ledger.db",
      "database": "sqlite",
      "mode": "local-only",
      "source": "env",
      "origin": "WINDLASS_DB",
      "created": true,
      "encrypted": false,
      "eventsDbPath": "ledger.db",
      "cacheDbPath": "ledger.db"
    }
    $ windlass init
    ledger.db is a ledger already
    $ windlass which-db
    ledger.db
    from WINDLASS_DB
    $ windlass status
      ledger    ledger.db
      from      WINDLASS_DB
      size      100 kB
      events    2
      hash      0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
      projects  1
      outbox    empty
    STATUS       TASKS
    backlog      0
    ready        1
    in_progress  0
    blocked      0
    done         0
    archived     0
    $ … --json
    {
      "success": true,
      "data": {
        "db": "ledger.db",
        "database": "sqlite",
        "mode": "local-only",
        "source": "env",
        "origin": "WINDLASS_DB",
        "eventsDb": "ledger.db",
        "cacheDb": "ledger.db",
        "exists": true,
        "size_bytes": <number>,
        "head": {
          "seq": 2,
          "hash": "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
        },
        "projects": 1,
        "tasks": {
          "backlog": 0,
          "ready": 1,
          "in_progress": 0,
          "blocked": 0,
          "done": 0,
          "archived": 0
        },
        "outbox": {
          "queued": 0,
          "processing": 0,
          "delivered": 0,
          "failed": 0,
          "discarded": 0
        }
      }
    }
    $ windlass db migrate
    ledger.db is up to date
    $ … --json
    {"db": "ledger.db", "applied": 0}
    $ windlass init --force
    error: Windlass has no 'init --force'
    hint: move the ledger away yourself, and then run windlass init again: windlass
      which-db names its file
    more: windlass explain not_here
    [exit code 2]
    "#);
}

#[test]
fn settings_are_shown_with_where_they_came_from() {
    let said = transcript(|scene| {
        scene.without("WINDLASS_DATABASE_SYNCHRONOUS");
        scene.sets("WINDLASS_CLAIMS_LEASE", "30m");
        scene.shows("--db shared.db config");
        scene.sets("WINDLASS_CLAIMS_LEASE", "soon");
        scene.says("config");
    });
    insta::assert_snapshot!(said, @r#"
    $ export WINDLASS_CLAIMS_LEASE=30m
    $ windlass --db shared.db config
    SETTING                 VALUE      FROM
    agent                   –          default
    project                 –          default
    claims.lease            30m        WINDLASS_CLAIMS_LEASE
    claims.require          nothing    default
    workflows.auto_unpause  false      default
    runs.gates              enforced   default
    runs.outside_edits      refuse     default
    runs.check_timeout      30m        default
    runs.gate_timeout       never      default
    runs.browser            –          default
    database.url            shared.db  --db
    database.synchronous    full       default
    database.wait           30s        default
    server.url              –          default
    display.format          –          default
    ledger: shared.db (--db)
    $ … --json
    {
      "settings": [
        {
          "key": "agent",
          "value": null,
          "source": "default",
          "about": "who acts when nobody is named"
        },
        {
          "key": "project",
          "value": null,
          "source": "default",
          "about": "the project of new tasks and claims"
        },
        {
          "key": "claims.lease",
          "value": "30m",
          "source": "WINDLASS_CLAIMS_LEASE",
          "about": "the lease of a claim that names none"
        },
        {
          "key": "claims.require",
          "value": "nothing",
          "source": "default",
          "about": "what must be shown to act on a held task: nothing, identity or fence"
        },
        {
          "key": "workflows.auto_unpause",
          "value": "false",
          "source": "default",
          "about": "whether every task that delegate pauses goes on by itself: true or false"
        },
        {
          "key": "runs.gates",
          "value": "enforced",
          "source": "default",
          "about": "who decides gates of runs: enforced asks a person, attested believes the caller"
        },
        {
          "key": "runs.outside_edits",
          "value": "refuse",
          "source": "default",
          "about": "what becomes of a state file that another hand changed: refuse or adopt"
        },
        {
          "key": "runs.check_timeout",
          "value": "30m",
          "source": "default",
          "about": "how long a check of a run may take that does not say so itself"
        },
        {
          "key": "runs.gate_timeout",
          "value": "never",
          "source": "default",
          "about": "how long a run waits for a person before the answer is overdue: a duration, or never"
        },
        {
          "key": "runs.browser",
          "value": null,
          "source": "default",
          "about": "the browser for checks of pages; by default the first Chromium on the PATH"
        },
        {
          "key": "database.url",
          "value": "shared.db",
          "source": "--db",
          "about": "the ledger: a path or a postgres:// address"
        },
        {
          "key": "database.synchronous",
          "value": "full",
          "source": "default",
          "about": "full survives power loss; normal may lose the last commits then"
        },
        {
          "key": "database.wait",
          "value": "30s",
          "source": "default",
          "about": "how long to wait for another writer"
        },
        {
          "key": "server.url",
          "value": null,
          "source": "default",
          "about": "the server that has the ledger: an http:// or https:// address"
        },
        {
          "key": "display.format",
          "value": null,
          "source": "default",
          "about": "text or json; by default text on a terminal"
        }
      ],
      "db": {"value": "shared.db", "source": "--db"}
    }
    $ export WINDLASS_CLAIMS_LEASE=soon
    $ windlass config
    error: WINDLASS_CLAIMS_LEASE: claims.lease: lease 'soon' is not a duration
    hint: write a number and a unit, such as 90s, 30m, 2h or 7d
    more: windlass explain settings_invalid
    [exit code 3]
    "#);
}

#[test]
fn a_doctor_says_what_was_looked_at() {
    let said = transcript(|scene| {
        scene.given("LOGIN_", "'fix the login page'");
        scene.says("doctor");
        scene.shows("doctor --rebuild");
        scene.shows("validate");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass doctor
    ok    files
    ok    chain
    ok    counters
    ok    outbox
    2 events
    $ windlass doctor --rebuild
    ok    files
    ok    chain
    ok    views
    ok    counters
    ok    outbox
    2 events
    $ … --json
    {
      "success": true,
      "status": "healthy",
      "mode": "local-only",
      "healthy": true,
      "events": 2,
      "checks": {
        "files": {"status": "pass", "findings": []},
        "chain": {"status": "pass", "findings": []},
        "views": {"status": "pass", "findings": []},
        "counters": {"status": "pass", "findings": []},
        "outbox": {"status": "pass", "findings": []}
      }
    }
    $ windlass validate
    the dependencies are sound
    $ … --json
    {"isValid": true, "issues": [], "cycles": [], "missingDeps": []}
    "#);
}

#[test]
fn a_log_is_verified_against_an_end_that_was_kept() {
    let said = transcript(|scene| {
        scene.given("LOGIN_", "'fix the login page'");
        scene.shows("audit head");
        scene.shows("audit verify");
        scene.says("audit verify --expect 3:abc");
        let other = "0".repeat(64);
        scene.says(&format!("audit verify --expect 2:{other}"));
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass audit head
    2:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
    $ … --json
    {
      "seq": 2,
      "hash": "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
    }
    $ windlass audit verify
    the chain of 2 events is sound and ends in
      0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
    $ … --json
    {
      "sound": true,
      "seq": 2,
      "hash": "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
      "pruned": 0,
      "findings": []
    }
    $ windlass audit verify --expect 3:abc
    error: expect '3:abc' is not SEQ:HASH
    hint: give what windlass audit head printed
    more: windlass explain invalid_value
    [exit code 3]
    $ windlass audit verify --expect 2:0000000000000000000000000000000000000000000000000000000000000000
    the chain is sound up to event 2
    · event 2 has the hash
      0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef, expected
      0000000000000000000000000000000000000000000000000000000000000000: the log was
      rewritten
    [exit code 6]
    "#);
}

#[test]
fn a_ledger_is_copied() {
    let said = transcript(|scene| {
        scene.given("LOGIN_", "'fix the login page'");
        scene.shows("backup today.db");
        scene.says("backup today.db");
        scene.says("backup nowhere/today.db");
        scene.shows("export log.ndjson");
        scene.says("export log.ndjson");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass backup today.db
    100 kB written to today.db
    $ … --json
    {"file": "today.db", "size_bytes": <number>}
    $ windlass backup today.db
    error: today.db exists and is not overwritten
    hint: name a new file, or remove this one first
    more: windlass explain file_exists
    [exit code 3]
    $ windlass backup nowhere/today.db
    error: nowhere/today.db cannot be written: unable to open database:
      nowhere/today.db.partial
    hint: check the path, its permissions and the space left
    more: windlass explain file_unusable
    [exit code 5]
    $ windlass export log.ndjson
    2 events written to log.ndjson, ending in
      0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
    $ … --json
    {
      "file": "log.ndjson",
      "events": 2,
      "hash": "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
    }
    $ windlass export log.ndjson
    error: log.ndjson exists and is not overwritten
    hint: name a new file, or remove this one first
    more: windlass explain file_exists
    [exit code 3]
    "#);
}
