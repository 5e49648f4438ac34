//! Hooks: who is told what happens, and what did not arrive.

use crate::scene::transcript;

#[test]
fn a_hook_is_defined_and_taken_away() {
    let said = transcript(|scene| {
        scene.shows("hook list");
        scene.shows("hook set on_done --url http://127.0.0.1:9/events --secret $HOOK_SECRET");
        scene.shows(
            "hook set tell-ada --on on_blocked --command notify --quiet ';' --tag urgent --timeout 5s",
        );
        scene.shows("hook list");
        scene.shows("hook show on_done");
        scene.shows("hook remove tell-ada");
        scene.says("hook remove tell-ada");
        scene.says("hook set on_done --url http://127.0.0.1:9/events --secret plain");
        scene.says("hook set on_done --url http://ada:secret@127.0.0.1/");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass hook list
    no hooks; define one: windlass hook set on_done --url URL
    outbox: empty
    $ … --json
    {
      "hooks": [],
      "state": "failed",
      "deliveries": [],
      "total": 0,
      "has_more": false,
      "counts": {
        "queued": 0,
        "processing": 0,
        "delivered": 0,
        "failed": 0,
        "discarded": 0
      },
      "unknown": []
    }
    $ windlass hook set on_done --url http://127.0.0.1:9/events --secret $HOOK_SECRET
    hook on_done is set: on_done to http://127.0.0.1:9/events (secret $HOOK_SECRET)
    $ … --json
    {
      "name": "on_done",
      "on": "on_done",
      "url": "http://127.0.0.1:9/events",
      "headers": {},
      "command": null,
      "projects": [],
      "tags": [],
      "secret": "$HOOK_SECRET",
      "max_attempts": 5,
      "timeout": "10s",
      "source": "ledger",
      "replaced": false,
      "warnings": []
    }
    $ windlass hook set tell-ada --on on_blocked --command notify --quiet ';' --tag urgent --timeout 5s
    hook tell-ada is set: on_blocked to notify --quiet (tag urgent)
    $ … --json
    {
      "name": "tell-ada",
      "on": "on_blocked",
      "url": null,
      "headers": {},
      "command": ["notify", "--quiet"],
      "projects": [],
      "tags": ["urgent"],
      "secret": null,
      "max_attempts": 5,
      "timeout": "5s",
      "source": "ledger",
      "replaced": false,
      "warnings": []
    }
    $ windlass hook list
    HOOK      ON          TO                         FOR         FROM
    on_done   on_done     http://127.0.0.1:9/events              ledger
    tell-ada  on_blocked  notify --quiet             tag urgent  ledger
    outbox: empty
    $ … --json
    {
      "hooks": [
        {
          "name": "on_done",
          "on": "on_done",
          "url": "http://127.0.0.1:9/events",
          "headers": {},
          "command": null,
          "projects": [],
          "tags": [],
          "secret": "$HOOK_SECRET",
          "max_attempts": 5,
          "timeout": "10s",
          "source": "ledger"
        },
        {
          "name": "tell-ada",
          "on": "on_blocked",
          "url": null,
          "headers": {},
          "command": ["notify", "--quiet"],
          "projects": [],
          "tags": ["urgent"],
          "secret": null,
          "max_attempts": 5,
          "timeout": "5s",
          "source": "ledger"
        }
      ],
      "state": "failed",
      "deliveries": [],
      "total": 0,
      "has_more": false,
      "counts": {
        "queued": 0,
        "processing": 0,
        "delivered": 0,
        "failed": 0,
        "discarded": 0
      },
      "unknown": []
    }
    $ windlass hook show on_done
      hook      on_done
      on        on_done
      to        http://127.0.0.1:9/events
      secret    $HOOK_SECRET
      attempts  at most 5, 10s each
      from      ledger
    $ … --json
    {
      "hook": {
        "name": "on_done",
        "on": "on_done",
        "url": "http://127.0.0.1:9/events",
        "headers": {},
        "command": null,
        "projects": [],
        "tags": [],
        "secret": "$HOOK_SECRET",
        "max_attempts": 5,
        "timeout": "10s",
        "source": "ledger"
      }
    }
    $ windlass hook remove tell-ada
    hook tell-ada is removed
    $ … --json
    {"name": "tell-ada", "waiting": 0}
    $ windlass hook remove tell-ada
    error: there is no hook 'tell-ada'
    hint: list the hooks: windlass hook list
    more: windlass explain hook_not_found
    [exit code 4]
    $ windlass hook set on_done --url http://127.0.0.1:9/events --secret plain
    error: a secret is not kept in the ledger, only the name of the variable that
      holds it
    hint: write --secret '$NAME', and set NAME where hooks are sent
    more: windlass explain invalid_value
    [exit code 3]
    $ windlass hook set on_done --url http://ada:secret@127.0.0.1/
    error: the url of a hook must not contain a user or password; use a header with
      $NAME
    hint: write it as http://HOST[:PORT]/PATH or https://…
    more: windlass explain invalid_value
    [exit code 3]
    "#);
}

#[test]
fn a_delivery_waits_is_given_up_and_is_tried_again() {
    let said = transcript(|scene| {
        scene.does("hook set on_done --url http://127.0.0.1:9/events");
        scene.given("LOGIN_", "'fix the login page' -s ready");
        scene.does("task set-status LOGIN_ done --op-id op-7");
        scene.calls_the_newest_delivery("FIRST_");
        scene.shows("hook list --state queued");
        scene.shows("hook show FIRST_");
        scene.says("hook retry FIRST_");
        scene.shows("hook discard FIRST_ --reason 'the receiver is gone'");
        scene.says("hook list --state discarded --task LOGIN_");
        scene.shows("hook retry FIRST_");
        scene.says("hook retry --all-failed");
        scene.says("hook remove on_done");
        scene.says("hook show NOTHER");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass hook list --state queued
    HOOK     ON       TO                         FOR  FROM
    on_done  on_done  http://127.0.0.1:9/events       ledger
    DELIVERY  HOOK     TASK    STATE   TRIED   WHEN  ERROR
    FIRST_    on_done  LOGIN_  queued  0 of 5  now
    outbox: 1 queued
    $ … --json
    {
      "hooks": [
        {
          "name": "on_done",
          "on": "on_done",
          "url": "http://127.0.0.1:9/events",
          "headers": {},
          "command": null,
          "projects": [],
          "tags": [],
          "secret": null,
          "max_attempts": 5,
          "timeout": "10s",
          "source": "ledger"
        }
      ],
      "state": "queued",
      "deliveries": [
        {
          "delivery_id": "0123456789ABCDEFGHJKFIRST_",
          "hook": "on_done",
          "hook_defined": true,
          "trigger": "on_done",
          "task_id": "0123456789ABCDEFGHJKLOGIN_",
          "state": "queued",
          "attempts": 0,
          "max_attempts": 5,
          "last_error": null,
          "enqueued_at": "2026-11-15T09:30:00.000Z",
          "next_attempt_at": "2026-11-15T09:30:00.000Z",
          "expires_at": "2026-11-15T09:30:00.000Z",
          "worker": null,
          "locked_at": null,
          "locked_until": null,
          "ended_at": null
        }
      ],
      "total": 1,
      "has_more": false,
      "counts": {
        "queued": 1,
        "processing": 0,
        "delivered": 0,
        "failed": 0,
        "discarded": 0
      },
      "unknown": []
    }
    $ windlass hook show FIRST_
      delivery     0123456789ABCDEFGHJKFIRST_
      hook         on_done
      task         LOGIN_
      state        queued
      tried        0 of 5
      next         now
      op id        op-7
      correlation  0123456789ABCDEFGHJKMNPQRS

    payload

    {
      "context": {
        "agent": null,
        "agent_id": null,
        "author": "ada",
        "causation_id": null,
        "correlation_id": "0123456789ABCDEFGHJKMNPQRS",
        "event_id": "0123456789ABCDEFGHJKMNPQRS",
        "op_id": "op-7",
        "session_id": null
      },
      "hook": "on_done",
      "task": {
        "agent": null,
        "lease_until": null,
        "priority": 0,
        "project": "inbox",
        "status": "done",
        "tags": [],
        "task_id": "0123456789ABCDEFGHJKLOGIN_",
        "title": "fix the login page"
      },
      "timestamp": "2026-11-15T09:30:00.000Z",
      "transition": {
        "from": "ready",
        "to": "done"
      },
      "trigger": "on_done"
    }

    $ … --json
    {
      "delivery": {
        "delivery_id": "0123456789ABCDEFGHJKFIRST_",
        "hook": "on_done",
        "hook_defined": true,
        "trigger": "on_done",
        "task_id": "0123456789ABCDEFGHJKLOGIN_",
        "state": "queued",
        "attempts": 0,
        "max_attempts": 5,
        "last_error": null,
        "enqueued_at": "2026-11-15T09:30:00.000Z",
        "next_attempt_at": "2026-11-15T09:30:00.000Z",
        "expires_at": "2026-11-15T09:30:00.000Z",
        "worker": null,
        "locked_at": null,
        "locked_until": null,
        "ended_at": null
      },
      "message": {
        "payload": {
          "context": {
            "agent": null,
            "agent_id": null,
            "author": "ada",
            "causation_id": null,
            "correlation_id": "0123456789ABCDEFGHJKMNPQRS",
            "event_id": "0123456789ABCDEFGHJKMNPQRS",
            "op_id": "op-7",
            "session_id": null
          },
          "hook": "on_done",
          "task": {
            "agent": null,
            "lease_until": null,
            "priority": 0,
            "project": "inbox",
            "status": "done",
            "tags": [],
            "task_id": "0123456789ABCDEFGHJKLOGIN_",
            "title": "fix the login page"
          },
          "timestamp": "2026-11-15T09:30:00.000Z",
          "transition": {"from": "ready", "to": "done"},
          "trigger": "on_done"
        },
        "op_id": "op-7",
        "correlation_id": "0123456789ABCDEFGHJKMNPQRS",
        "event_id": "0123456789ABCDEFGHJKMNPQRS"
      }
    }
    $ windlass hook retry FIRST_
    1 delivery waits to be sent again
    windlass hook drain sends them
    $ windlass hook discard FIRST_ --reason 'the receiver is gone'
    1 delivery discarded
    $ … --json
    {"count": 1, "delivery_ids": ["0123456789ABCDEFGHJKFIRST_"]}
    $ windlass hook list --state discarded --task LOGIN_
    HOOK     ON       TO                         FOR  FROM
    on_done  on_done  http://127.0.0.1:9/events       ledger
    DELIVERY  HOOK     TASK    STATE      TRIED   WHEN  ERROR
    FIRST_    on_done  LOGIN_  discarded  0 of 5  now   the receiver is gone
    outbox: 1 discarded
    $ windlass hook retry FIRST_
    1 delivery waits to be sent again
    windlass hook drain sends them
    $ … --json
    {"count": 1, "delivery_ids": ["0123456789ABCDEFGHJKFIRST_"]}
    $ windlass hook retry --all-failed
    0 deliveries wait to be sent again
    $ windlass hook remove on_done
    hook on_done is removed
    1 delivery of it still waits: define it again, or discard it
    $ windlass hook show NOTHER
    error: there is no hook 'NOTHER'
    hint: list the hooks: windlass hook list
    more: windlass explain hook_not_found
    [exit code 4]
    "#);
}

#[test]
fn hooks_of_the_settings_are_shown_with_their_file() {
    let said = transcript(|scene| {
        let folder = scene.home().config().join("windlass");
        std::fs::create_dir_all(&folder).unwrap();
        let file = "[hooks.on_done]\nurl = 'http://127.0.0.1:9/events?key=1'\nsecret = 'whsec_x'\n";
        std::fs::write(folder.join("config.toml"), file).unwrap();
        scene.says_within(160, "hook list");
        scene.says_within(160, "hook show on_done");
        scene.says_within(160, "config");
    });
    insta::assert_snapshot!(said, @"
    $ windlass hook list
    HOOK     ON       TO                           FOR  FROM
    on_done  on_done  http://127.0.0.1:9/events?…       /home/ada/.config/windlass/config.toml
    outbox: empty
    $ windlass hook show on_done
      hook      on_done
      on        on_done
      to        http://127.0.0.1:9/events?…
      secret    set
      attempts  at most 5, 10s each
      from      /home/ada/.config/windlass/config.toml
    $ windlass config
    SETTING                 VALUE                                                FROM
    agent                   –                                                    default
    project                 –                                                    default
    claims.lease            –                                                    default
    claims.require          nothing                                              default
    workflows.auto_unpause  false                                                default
    runs.gates              enforced                                             default
    runs.outside_edits      refuse                                               default
    runs.check_timeout      30m                                                  default
    runs.gate_timeout       never                                                default
    runs.browser            –                                                    default
    database.url            ledger.db                                            WINDLASS_DB
    database.synchronous    normal                                               WINDLASS_DATABASE_SYNCHRONOUS
    database.wait           30s                                                  default
    server.url              –                                                    default
    display.format          –                                                    default
    hooks.on_done           on_done to http://127.0.0.1:9/events?… (secret set)  /home/ada/.config/windlass/config.toml
    ledger: ledger.db (WINDLASS_DB)
    ");
}

#[test]
fn hooks_are_sent_by_a_drain() {
    let said = transcript(|scene| {
        scene.shows("hook drain");
        scene.does("hook set on_done --command true ';'");
        scene.does("hook set all --on on_done --command false ';' --max-attempts 2");
        scene.given("LOGIN_", "'fix the login page' -s done");
        scene.given("NIGHT_", "'upgrade the compiler' -s done");
        scene.shows("hook drain");
        scene.says("hook drain --limit 0");
        scene.says("hook drain --limit all");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass hook drain
    no hook was due
    $ … --json
    {
      "worker_id": "ada@<host>-<number>",
      "claimed": 0,
      "attempted": 0,
      "delivered": 0,
      "retried": 0,
      "failed": 0,
      "reclaimed": 0,
      "reclaimed_failed": 0,
      "preflight_failed": 0,
      "lost": 0,
      "answered": 0,
      "unknown": [],
      "duration_ms": <number>
    }
    $ windlass hook drain
    2 hooks delivered
    2 will be tried again
    $ … --json
    {
      "worker_id": "ada@<host>-<number>",
      "claimed": 4,
      "attempted": 4,
      "delivered": 2,
      "retried": 2,
      "failed": 0,
      "reclaimed": 0,
      "reclaimed_failed": 0,
      "preflight_failed": 0,
      "lost": 0,
      "answered": 0,
      "unknown": [],
      "duration_ms": <number>
    }
    $ windlass hook drain --limit 0
    error: limit 0 is not between 1 and 10000
    hint: give --limit 500
    more: windlass explain invalid_value
    [exit code 3]
    $ windlass hook drain --limit all
    error: invalid value 'all' for '--limit <N>': not a whole number
    hint: see windlass hook drain --help
    more: windlass explain invalid_value
    [exit code 3]
    "#);
}

#[test]
fn hooks_are_sent_by_a_worker_until_it_is_asked_to_end() {
    let said = transcript(|scene| {
        // The hook itself asks the process that sends it to end.
        scene.does("hook set on_done --command sh -c 'kill -TERM $PPID' ';'");
        scene.given("LOGIN_", "'fix the login page' -s done");
        scene.shows("hook worker");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass hook worker
    1 hook delivered
    $ … --json
    {
      "worker_id": "ada@<host>-<number>",
      "claimed": 1,
      "attempted": 1,
      "delivered": 1,
      "retried": 0,
      "failed": 0,
      "reclaimed": 0,
      "reclaimed_failed": 0,
      "preflight_failed": 0,
      "lost": 0,
      "answered": 0,
      "unknown": [],
      "duration_ms": <number>,
      "claims_expired": 0,
      "gates_overdue": 0,
      "sessions_expired": 0
    }
    "#);
}
