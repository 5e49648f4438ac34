//! Keys: who is let in by a server, and as what.

use crate::scene::transcript;

#[test]
fn a_key_is_made_changed_and_ended() {
    let said = transcript(|scene| {
        scene.does("project create api");
        scene.shows("key list");
        scene.makes_a_key(
            "WORKER",
            "key create --for agent:worker-1 --role worker -P api --expires 30d",
        );
        scene.makes_a_key("PERSON", "key create --for person:anna --role admin --tools all");
        scene.shows("key list");
        scene.shows("key rotate WORKER");
        scene.shows("key revoke WORKER --reason 'it was in a log'");
        scene.says("key revoke WORKER");
        scene.says("key list");
        scene.shows("key list --all");
        scene.shows("key refusals");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass key list
    no keys; make one: windlass key create --for agent:NAME --role worker
    $ … --json
    {"keys": [], "left_out": 0}
    $ windlass key create --for agent:worker-1 --role worker -P api --expires 30d
    wl_4gx0t2m9 is a key for agent:worker-1 as worker in api, expires in 30d

    wl_4gx0t2m9_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx

    keep it now: it is not shown again
    $ … --json
    {
      "key": "wl_4gx0t2m9_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
      "note": "keep it now: it is not shown again",
      "key_id": "0123456789ABCDEFGHJKWORKER",
      "prefix": "wl_4gx0t2m9",
      "owner": "agent:worker-1",
      "role": "worker",
      "projects": ["api"],
      "tools": null,
      "state": "valid",
      "created_at": "2026-11-15T09:30:00.000Z",
      "expires_at": "2026-11-15T09:30:00.000Z",
      "rotated_at": null,
      "revoked_at": null
    }
    $ windlass key create --for person:anna --role admin --tools all
    wl_4gx0t2m9 is a key for person:anna as admin

    wl_4gx0t2m9_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx

    keep it now: it is not shown again
    $ … --json
    {
      "key": "wl_4gx0t2m9_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
      "note": "keep it now: it is not shown again",
      "key_id": "0123456789ABCDEFGHJKPERSON",
      "prefix": "wl_4gx0t2m9",
      "owner": "person:anna",
      "role": "admin",
      "projects": [],
      "tools": "all",
      "state": "valid",
      "created_at": "2026-11-15T09:30:00.000Z",
      "expires_at": null,
      "rotated_at": null,
      "revoked_at": null
    }
    $ windlass key list
    KEY     PREFIX       FOR             ROLE    PROJECTS  EXPIRES  STATE
    WORKER  wl_4gx0t2m9  agent:worker-1  worker  api       in 30d   valid
    PERSON  wl_4gx0t2m9  person:anna     admin   all       never    valid
    $ … --json
    {
      "keys": [
        {
          "key_id": "0123456789ABCDEFGHJKWORKER",
          "prefix": "wl_4gx0t2m9",
          "owner": "agent:worker-1",
          "role": "worker",
          "projects": ["api"],
          "tools": null,
          "state": "valid",
          "created_at": "2026-11-15T09:30:00.000Z",
          "expires_at": "2026-11-15T09:30:00.000Z",
          "rotated_at": null,
          "revoked_at": null
        },
        {
          "key_id": "0123456789ABCDEFGHJKPERSON",
          "prefix": "wl_4gx0t2m9",
          "owner": "person:anna",
          "role": "admin",
          "projects": [],
          "tools": "all",
          "state": "valid",
          "created_at": "2026-11-15T09:30:00.000Z",
          "expires_at": null,
          "rotated_at": null,
          "revoked_at": null
        }
      ],
      "left_out": 0
    }
    $ windlass key rotate WORKER
    wl_4gx0t2m9 is a key for agent:worker-1 as worker in api, expires in 30d

    wl_4gx0t2m9_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx

    keep it now: it is not shown again
    $ … --json
    {
      "key": "wl_4gx0t2m9_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
      "note": "keep it now: it is not shown again",
      "key_id": "0123456789ABCDEFGHJKWORKER",
      "prefix": "wl_4gx0t2m9",
      "owner": "agent:worker-1",
      "role": "worker",
      "projects": ["api"],
      "tools": null,
      "state": "valid",
      "created_at": "2026-11-15T09:30:00.000Z",
      "expires_at": "2026-11-15T09:30:00.000Z",
      "rotated_at": "2026-11-15T09:30:00.000Z",
      "revoked_at": null
    }
    $ windlass key revoke WORKER --reason 'it was in a log'
    wl_4gx0t2m9 of agent:worker-1 is revoked: it opens nothing any more
    $ … --json
    {
      "key_id": "0123456789ABCDEFGHJKWORKER",
      "prefix": "wl_4gx0t2m9",
      "owner": "agent:worker-1",
      "role": "worker",
      "projects": ["api"],
      "tools": null,
      "state": "revoked",
      "created_at": "2026-11-15T09:30:00.000Z",
      "expires_at": "2026-11-15T09:30:00.000Z",
      "rotated_at": "2026-11-15T09:30:00.000Z",
      "revoked_at": "2026-11-15T09:30:00.000Z",
      "already": false
    }
    $ windlass key revoke WORKER
    wl_4gx0t2m9 of agent:worker-1 was revoked just now
    $ windlass key list
    KEY     PREFIX       FOR          ROLE   PROJECTS  EXPIRES  STATE
    PERSON  wl_4gx0t2m9  person:anna  admin  all       never    valid
    and 1 more that ended: --all
    $ windlass key list --all
    KEY     PREFIX       FOR             ROLE    PROJECTS  EXPIRES  STATE
    WORKER  wl_4gx0t2m9  agent:worker-1  worker  api       in 30d   revoked
    PERSON  wl_4gx0t2m9  person:anna     admin   all       never    valid
    $ … --json
    {
      "keys": [
        {
          "key_id": "0123456789ABCDEFGHJKWORKER",
          "prefix": "wl_4gx0t2m9",
          "owner": "agent:worker-1",
          "role": "worker",
          "projects": ["api"],
          "tools": null,
          "state": "revoked",
          "created_at": "2026-11-15T09:30:00.000Z",
          "expires_at": "2026-11-15T09:30:00.000Z",
          "rotated_at": "2026-11-15T09:30:00.000Z",
          "revoked_at": "2026-11-15T09:30:00.000Z"
        },
        {
          "key_id": "0123456789ABCDEFGHJKPERSON",
          "prefix": "wl_4gx0t2m9",
          "owner": "person:anna",
          "role": "admin",
          "projects": [],
          "tools": "all",
          "state": "valid",
          "created_at": "2026-11-15T09:30:00.000Z",
          "expires_at": null,
          "rotated_at": null,
          "revoked_at": null
        }
      ],
      "left_out": 0
    }
    $ windlass key refusals
    nothing was refused lately
    $ … --json
    {"refusals": [], "has_more": false}
    "#);
}

#[test]
fn what_no_key_can_be_is_refused() {
    let said = transcript(|scene| {
        scene.shows("key create --for agent:worker-1 --role admin");
        scene.says("key create --for worker-1 --role worker");
        scene.says("key create --for agent:worker-1 --role worker --expires yesterday");
        scene.says("key create --for agent:worker-1 --role worker -P nowhere");
        scene.says("key create --for agent:worker-1 --role worker --op-id k1");
        scene.makes_a_key("WORKER", "key create --for agent:worker-1 --role reviewer");
        scene.does("key revoke WORKER");
        scene.shows("key rotate WORKER");
        scene.says("key revoke wl_4gx0t2m9");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass key create --for agent:worker-1 --role admin
    error: agent:worker-1 is an agent: its key can be worker or reviewer, not admin
    hint: what a person must approve or decide needs a person's key: --for
      person:NAME; an agent's is --role worker or --role reviewer
    more: windlass explain invalid_value
    $ … --json
    {
      "schema_version": "v1",
      "ok": false,
      "error": {
        "code": "invalid_value",
        "message": "agent:worker-1 is an agent: its key can be worker or reviewer, not admin",
        "hint": "what a person must approve or decide needs a person's key: --for person:NAME; an agent's is --role worker or --role reviewer",
        "details": {
          "allowed": ["worker", "reviewer"],
          "field": "role",
          "given": "admin"
        },
        "suggestions": []
      }
    }
    [exit code 3]
    $ windlass key create --for worker-1 --role worker
    error: 'worker-1' does not say whose key it is
    hint: write agent:NAME or person:NAME
    more: windlass explain invalid_value
    [exit code 3]
    $ windlass key create --for agent:worker-1 --role worker --expires yesterday
    error: expires 'yesterday' is not a time
    hint: write how long it holds, such as 30d, or until which day: YYYY-MM-DD
    more: windlass explain invalid_value
    [exit code 3]
    $ windlass key create --for agent:worker-1 --role worker -P nowhere
    error: there is no project 'nowhere'
    hint: list them: windlass project list
    more: windlass explain project_not_found
    [exit code 4]
    $ windlass key create --for agent:worker-1 --role worker --op-id k1
    error: key create takes no op id: its answer is a secret
    hint: leave --op-id out: what is answered under an op id is kept, and a secret
      must not be
    more: windlass explain usage
    [exit code 2]
    $ windlass key create --for agent:worker-1 --role reviewer
    wl_4gx0t2m9 is a key for agent:worker-1 as reviewer

    wl_4gx0t2m9_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx

    keep it now: it is not shown again
    $ … --json
    {
      "key": "wl_4gx0t2m9_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
      "note": "keep it now: it is not shown again",
      "key_id": "0123456789ABCDEFGHJKWORKER",
      "prefix": "wl_4gx0t2m9",
      "owner": "agent:worker-1",
      "role": "reviewer",
      "projects": [],
      "tools": null,
      "state": "valid",
      "created_at": "2026-11-15T09:30:00.000Z",
      "expires_at": null,
      "rotated_at": null,
      "revoked_at": null
    }
    $ windlass key rotate WORKER
    error: key wl_4gx0t2m9 was revoked
    hint: make another: windlass key create --for agent:worker-1 --role reviewer
    more: windlass explain invalid_transition
    $ … --json
    {
      "schema_version": "v1",
      "ok": false,
      "error": {
        "code": "invalid_transition",
        "message": "key wl_4gx0t2m9 was revoked",
        "hint": "make another: windlass key create --for agent:worker-1 --role reviewer",
        "details": {"key_id": "0123456789ABCDEFGHJKWORKER", "state": "revoked"},
        "suggestions": []
      }
    }
    [exit code 3]
    $ windlass key revoke wl_4gx0t2m9
    error: there is no key 'wl_4gx0t2m9'
    hint: list the keys: windlass key list --all
    more: windlass explain key_not_found
    [exit code 4]
    "#);
}

#[test]
fn whoever_calls_is_told_as_whom() {
    let said = transcript(|scene| {
        scene.shows("whoami");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass whoami
    ada, a person
      role     no key
      may      read, write, approve, admin
      changes  all
    $ … --json
    {
      "name": "ada",
      "is_agent": false,
      "role": null,
      "may": ["read", "write", "approve", "admin"],
      "projects": [],
      "tools": null,
      "expires_at": null
    }
    "#);
}
