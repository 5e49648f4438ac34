//! Chunks: what agents and people know, and what kinds of it there are.

use crate::scene::{Scene, transcript};

fn given_chunks(scene: &mut Scene) {
    scene.does("project create api");
    scene.knows("CHUNK1", "knowledge 'One database' 'Less to run.' -P api --key one");
    scene.knows("CHUNK2", "lesson 'Say it in short' 'Or nobody reads it.' -P api --key short");
}

#[test]
fn a_chunk_is_written_read_and_written_anew() {
    let said = transcript(|scene| {
        scene.does("project create api");
        scene.has("why.md", "# Why\nLess to run.\nLess to learn.\n");
        scene.writes(&["DECIDE"], "chunk write decision 'One database' --file why.md -P api -t db");
        scene.shows("chunk show one-database");
        scene.has("why.md", "# Why\nLess to run.\nLess to break.\n");
        scene.shows("chunk update one-database --file why.md --if-version 1 --note 'more exact'");
        scene.says("chunk update one-database --title 'Two' --if-version 1");
        scene.shows("chunk versions one-database");
        scene.shows("chunk diff one-database");
        scene.says("chunk show nothing");
    });
    insta::assert_snapshot!(said, @r##"
    $ cat why.md
    # Why
    Less to run.
    Less to learn.
    $ windlass chunk write decision 'One database' --file why.md -P api -t db
    DECIDE decision of api written: One database
      key  one-database
    $ … --json
    {
      "chunk_id": "0123456789ABCDEFGHJKDECIDE",
      "chunk_type": "decision",
      "scope": "project",
      "project": "api",
      "agent": null,
      "query_key": "one-database",
      "title": "One database",
      "content": "# Why\nLess to run.\nLess to learn.\n",
      "tags": ["db"],
      "fields": {},
      "audience": null,
      "gotchas": [],
      "related": [],
      "visibility": "private",
      "source": null,
      "pinned": false,
      "expires_at": null,
      "current": true,
      "superseded": null,
      "links": [],
      "task_id": null,
      "version": 1,
      "author": {"name": "ada"},
      "created_by": {"name": "ada"},
      "created_at": "2026-11-15T09:30:00.000Z",
      "updated_at": "2026-11-15T09:30:00.000Z",
      "reviews": {
        "count": 0,
        "usefulness": null,
        "correctness": null,
        "last_action": null
      },
      "signals": [],
      "nearest": []
    }
    $ windlass chunk show one-database
    One database
      id       0123456789ABCDEFGHJKDECIDE
      type     decision
      of       api
      key      one-database
      version  1 by ada, now
      tags     db

    # Why
    Less to run.
    Less to learn.


    $ … --json
    {
      "chunk": {
        "chunk_id": "0123456789ABCDEFGHJKDECIDE",
        "chunk_type": "decision",
        "scope": "project",
        "project": "api",
        "agent": null,
        "query_key": "one-database",
        "title": "One database",
        "content": "# Why\nLess to run.\nLess to learn.\n",
        "tags": ["db"],
        "fields": {},
        "audience": null,
        "gotchas": [],
        "related": [],
        "visibility": "private",
        "source": null,
        "pinned": false,
        "expires_at": null,
        "current": true,
        "superseded": null,
        "links": [],
        "task_id": null,
        "version": 1,
        "author": {"name": "ada"},
        "created_by": {"name": "ada"},
        "created_at": "2026-11-15T09:30:00.000Z",
        "updated_at": "2026-11-15T09:30:00.000Z",
        "reviews": {
          "count": 0,
          "usefulness": null,
          "correctness": null,
          "last_action": null
        },
        "signals": []
      },
      "linked": [],
      "incoming": []
    }
    $ cat why.md
    # Why
    Less to run.
    Less to break.
    $ windlass chunk update one-database --file why.md --if-version 1 --note 'more exact'
    DECIDE (One database) is at version 2: content changed
    $ … --json
    {
      "chunk_id": "0123456789ABCDEFGHJKDECIDE",
      "chunk_type": "decision",
      "scope": "project",
      "project": "api",
      "agent": null,
      "query_key": "one-database",
      "title": "One database",
      "content": "# Why\nLess to run.\nLess to break.\n",
      "tags": ["db"],
      "fields": {},
      "audience": null,
      "gotchas": [],
      "related": [],
      "visibility": "private",
      "source": null,
      "pinned": false,
      "expires_at": null,
      "current": true,
      "superseded": null,
      "links": [],
      "task_id": null,
      "version": 2,
      "author": {"name": "ada"},
      "created_by": {"name": "ada"},
      "created_at": "2026-11-15T09:30:00.000Z",
      "updated_at": "2026-11-15T09:30:00.000Z",
      "reviews": {
        "count": 0,
        "usefulness": null,
        "correctness": null,
        "last_action": null
      },
      "signals": [],
      "changed": ["content"]
    }
    $ windlass chunk update one-database --title 'Two' --if-version 1
    error: the chunk is at version 2, not 1
    hint: read it again and take your change over: windlass chunk show DECIDE
    more: windlass explain edit_conflict
    [exit code 3]
    $ windlass chunk versions one-database
    One database
    VERSION  WHEN  AUTHOR  CHANGED  NOTE
    1        now   ada     written
    2        now   ada     content  more exact
    $ … --json
    {
      "chunk_id": "0123456789ABCDEFGHJKDECIDE",
      "chunk_type": "decision",
      "query_key": "one-database",
      "title": "One database",
      "version": 2,
      "versions": [
        {
          "version": 1,
          "at": "2026-11-15T09:30:00.000Z",
          "author": {"name": "ada"},
          "change": "written",
          "changed": [],
          "fields": [],
          "note": null,
          "content": null
        },
        {
          "version": 2,
          "at": "2026-11-15T09:30:00.000Z",
          "author": {"name": "ada"},
          "change": "updated",
          "changed": ["content"],
          "fields": [],
          "note": "more exact",
          "content": null
        }
      ]
    }
    $ windlass chunk diff one-database
    One database: version 1 → 2
      # Why
      Less to run.
    - Less to learn.
    + Less to break.
    $ … --json
    {
      "chunk": {
        "chunk_id": "0123456789ABCDEFGHJKDECIDE",
        "chunk_type": "decision",
        "query_key": "one-database",
        "title": "One database",
        "version": 2
      },
      "from": 1,
      "to": 2,
      "title": null,
      "tags_added": [],
      "tags_removed": [],
      "fields": [],
      "lines": [
        {"before": 1, "after": 1, "text": "# Why"},
        {"before": 2, "after": 2, "text": "Less to run."},
        {"before": 3, "after": null, "text": "Less to learn."},
        {"before": null, "after": 3, "text": "Less to break."}
      ]
    }
    $ windlass chunk show nothing
    error: there is no chunk 'nothing'
    hint: list the chunks: windlass chunk list
    more: windlass explain chunk_not_found
    [exit code 4]
    "##);
}

#[test]
fn an_agent_remembers_and_a_chunk_holds_for_a_while() {
    let said = transcript(|scene| {
        given_chunks(scene);
        scene.writes(&["MEMORY"], "remember 'the staging API is slow' --agent worker-1");
        scene.says("chunk show MEMORY --agent worker-2");
        scene.shows("chunk pin one");
        scene.shows("chunk unpin one");
        scene.shows("chunk expire one 30d");
        scene.shows("chunk supersede short --with one --reason 'said better there'");
        scene.shows("chunk delete MEMORY");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass remember 'the staging API is slow' --agent worker-1
    MEMORY memory of @worker-1 written: the staging API is slow
      key  the-staging-api-is-slow
    $ … --json
    {
      "chunk_id": "0123456789ABCDEFGHJKMEMORY",
      "chunk_type": "memory",
      "scope": "agent",
      "project": null,
      "agent": "worker-1",
      "query_key": "the-staging-api-is-slow",
      "title": "the staging API is slow",
      "content": "the staging API is slow",
      "tags": [],
      "fields": {},
      "audience": null,
      "gotchas": [],
      "related": [],
      "visibility": "private",
      "source": null,
      "pinned": false,
      "expires_at": null,
      "current": true,
      "superseded": null,
      "links": [],
      "task_id": null,
      "version": 1,
      "author": {"name": "worker-1"},
      "created_by": {"name": "worker-1"},
      "created_at": "2026-11-15T09:30:00.000Z",
      "updated_at": "2026-11-15T09:30:00.000Z",
      "reviews": {
        "count": 0,
        "usefulness": null,
        "correctness": null,
        "last_action": null
      },
      "signals": [],
      "nearest": []
    }
    $ windlass chunk show MEMORY --agent worker-2
    error: there is no chunk 'MEMORY'
    hint: list the chunks: windlass chunk list
    more: windlass explain chunk_not_found
    [exit code 4]
    $ windlass chunk pin one
    CHUNK1 (One database) is pinned
    $ … --json
    {
      "chunk_id": "0123456789ABCDEFGHJKCHUNK1",
      "chunk_type": "knowledge",
      "query_key": "one",
      "title": "One database",
      "version": 1,
      "pinned": true,
      "expires_at": null,
      "superseded": null
    }
    $ windlass chunk unpin one
    CHUNK1 (One database) holds until somebody says otherwise
    $ … --json
    {
      "chunk_id": "0123456789ABCDEFGHJKCHUNK1",
      "chunk_type": "knowledge",
      "query_key": "one",
      "title": "One database",
      "version": 1,
      "pinned": false,
      "expires_at": null,
      "superseded": null
    }
    $ windlass chunk expire one 30d
    CHUNK1 (One database) holds until 2026-11-15T09:30:00.000Z (in 30d)
    $ … --json
    {
      "chunk_id": "0123456789ABCDEFGHJKCHUNK1",
      "chunk_type": "knowledge",
      "query_key": "one",
      "title": "One database",
      "version": 1,
      "pinned": false,
      "expires_at": "2026-11-15T09:30:00.000Z",
      "superseded": null
    }
    $ windlass chunk supersede short --with one --reason 'said better there'
    CHUNK2 (Say it in short) is superseded by CHUNK1: said better there
    $ … --json
    {
      "chunk_id": "0123456789ABCDEFGHJKCHUNK2",
      "chunk_type": "lesson",
      "query_key": "short",
      "title": "Say it in short",
      "version": 1,
      "pinned": false,
      "expires_at": null,
      "superseded": {
        "by": "0123456789ABCDEFGHJKCHUNK1",
        "reason": "said better there",
        "at": "2026-11-15T09:30:00.000Z"
      }
    }
    $ windlass chunk delete MEMORY
    MEMORY (the staging API is slow) deleted
    $ … --json
    {
      "chunk_id": "0123456789ABCDEFGHJKMEMORY",
      "chunk_type": "memory",
      "query_key": "the-staging-api-is-slow",
      "title": "the staging API is slow",
      "version": 1,
      "incoming": 0
    }
    "#);
}

#[test]
fn chunks_are_linked_and_lead_to_one_another() {
    let said = transcript(|scene| {
        given_chunks(scene);
        scene.shows("chunk link short one --reason 'learned while at it'");
        scene.says("chunk delete one");
        scene.shows("chunk chain one");
        scene.shows("chunk unlink short one --reason 'it was another'");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass chunk link short one --reason 'learned while at it'
    CHUNK2 (Say it in short) points to chunk:CHUNK1 now; it has 1 link
    $ … --json
    {
      "chunk_id": "0123456789ABCDEFGHJKCHUNK2",
      "chunk_type": "lesson",
      "query_key": "short",
      "title": "Say it in short",
      "version": 1,
      "to": "chunk:0123456789ABCDEFGHJKCHUNK1",
      "links": [
        {"to": "chunk:0123456789ABCDEFGHJKCHUNK1", "reason": "learned while at it"}
      ],
      "unchanged": false
    }
    $ windlass chunk delete one
    error: a link points to this chunk
    hint: see them: windlass chunk chain CHUNK1; or delete it with --force --reason
      TEXT
    more: windlass explain links_incoming
    [exit code 3]
    $ windlass chunk chain one
    One database

    basis of
    AWAY  ID      TYPE    TITLE            REASON
    1     CHUNK2  lesson  Say it in short  learned while at it
    $ … --json
    {
      "chunk": {
        "chunk_id": "0123456789ABCDEFGHJKCHUNK1",
        "chunk_type": "knowledge",
        "query_key": "one",
        "title": "One database",
        "version": 1
      },
      "based_on": [],
      "basis_of": [
        {
          "chunk_id": "0123456789ABCDEFGHJKCHUNK2",
          "chunk_type": "lesson",
          "query_key": "short",
          "title": "Say it in short",
          "version": 1,
          "distance": 1,
          "by": [
            {
              "chunk_id": "0123456789ABCDEFGHJKCHUNK1",
              "reason": "learned while at it"
            }
          ]
        }
      ],
      "truncated": false
    }
    $ windlass chunk unlink short one --reason 'it was another'
    CHUNK2 (Say it in short) points to chunk:CHUNK1 no more; it has 0 links
    $ … --json
    {
      "chunk_id": "0123456789ABCDEFGHJKCHUNK2",
      "chunk_type": "lesson",
      "query_key": "short",
      "title": "Say it in short",
      "version": 1,
      "to": "chunk:0123456789ABCDEFGHJKCHUNK1",
      "links": [],
      "unchanged": false
    }
    "#);
}

#[test]
fn a_chunk_is_reviewed_and_held_against_its_source() {
    let said = transcript(|scene| {
        given_chunks(scene);
        scene.shows("chunk review one --usefulness 4 --correctness 2 --action outdated");
        scene.shows("chunk inbox");
        scene.shows("chunk dismiss one");
        scene.has("limits.rs", "const LIMIT: u32 = 60;\n");
        scene.does("chunk update short --source-file limits.rs");
        scene.has("limits.rs", "const LIMIT: u32 = 90;\n");
        scene.shows("chunk check-source short");
        scene.says("chunk check-source one");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass chunk review one --usefulness 4 --correctness 2 --action outdated
    CHUNK1 (One database) has 1 review: usefulness 4.0, correctness 2.0
    somebody should look at it: agent flag, low score
    $ … --json
    {
      "chunk_id": "0123456789ABCDEFGHJKCHUNK1",
      "chunk_type": "knowledge",
      "query_key": "one",
      "title": "One database",
      "version": 1,
      "reviews": {
        "count": 1,
        "usefulness": 4.0,
        "correctness": 2.0,
        "last_action": "outdated"
      },
      "signals": ["agent_flag", "low_score"]
    }
    $ windlass chunk inbox
    ID      TYPE       TITLE         WHY                    TOUCHED
    CHUNK1  knowledge  One database  agent flag, low score  now
    $ … --json
    {
      "chunks": [
        {
          "chunk_id": "0123456789ABCDEFGHJKCHUNK1",
          "chunk_type": "knowledge",
          "query_key": "one",
          "title": "One database",
          "version": 1,
          "project": "api",
          "agent": null,
          "signals": ["agent_flag", "low_score"],
          "reviews": {
            "count": 1,
            "usefulness": 4.0,
            "correctness": 2.0,
            "last_action": "outdated"
          },
          "touched_at": "2026-11-15T09:30:00.000Z"
        }
      ],
      "has_more": false
    }
    $ windlass chunk dismiss one
    CHUNK1 (One database) has 1 review: usefulness 4.0, correctness 2.0
    $ … --json
    {
      "chunk_id": "0123456789ABCDEFGHJKCHUNK1",
      "chunk_type": "knowledge",
      "query_key": "one",
      "title": "One database",
      "version": 1,
      "reviews": {
        "count": 1,
        "usefulness": 4.0,
        "correctness": 2.0,
        "last_action": "outdated"
      },
      "signals": []
    }
    $ cat limits.rs
    const LIMIT: u32 = 60;
    $ cat limits.rs
    const LIMIT: u32 = 90;
    $ windlass chunk check-source short
    CHUNK2 (Say it in short) may be out of date: limits.rs says something else now
    $ … --json
    {
      "chunk_id": "0123456789ABCDEFGHJKCHUNK2",
      "chunk_type": "lesson",
      "query_key": "short",
      "title": "Say it in short",
      "version": 2,
      "source": {
        "file": "limits.rs",
        "lines": null,
        "digest": "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        "changed_at": "2026-11-15T09:30:00.000Z"
      },
      "changed": true
    }
    $ windlass chunk check-source one
    error: chunk 'one' is from no file that was read
    hint: say which: windlass chunk update one --source-file FILE
    more: windlass explain invalid_value
    [exit code 3]
    "#);
}

#[test]
fn a_spec_has_a_task() {
    let said = transcript(|scene| {
        scene.does("project create api");
        scene.writes(&["SPEC__", "TASK__"], "chunk write dev_spec 'Log in' 'By mail.' -P api");
        scene.says("task block TASK__ --comment 'no key for the mail server'");
        scene.says("chunk show SPEC__");
        scene.says("chunk update SPEC__ --field status=planned");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass chunk write dev_spec 'Log in' 'By mail.' -P api
    SPEC__ dev_spec of api written: Log in
      key  log-in
    its task is TASK__
    $ … --json
    {
      "chunk_id": "0123456789ABCDEFGHJKSPEC__",
      "chunk_type": "dev_spec",
      "scope": "project",
      "project": "api",
      "agent": null,
      "query_key": "log-in",
      "title": "Log in",
      "content": "By mail.",
      "tags": [],
      "fields": {
        "blocked_reason": null,
        "previous_status": null,
        "priority": "medium",
        "status": "new",
        "ticket_url": null
      },
      "audience": null,
      "gotchas": [],
      "related": [],
      "visibility": "private",
      "source": null,
      "pinned": false,
      "expires_at": null,
      "current": true,
      "superseded": null,
      "links": [],
      "task_id": "0123456789ABCDEFGHJKTASK__",
      "version": 1,
      "author": {"name": "ada"},
      "created_by": {"name": "ada"},
      "created_at": "2026-11-15T09:30:00.000Z",
      "updated_at": "2026-11-15T09:30:00.000Z",
      "reviews": {
        "count": 0,
        "usefulness": null,
        "correctness": null,
        "last_action": null
      },
      "signals": [],
      "nearest": []
    }
    $ windlass task block TASK__ --comment 'no key for the mail server'
    TASK__ ready → blocked: Log in
    $ windlass chunk show SPEC__
    Log in
      id               0123456789ABCDEFGHJKSPEC__
      type             dev_spec
      of               api
      key              log-in
      version          2 by ada, now
      blocked_reason   no key for the mail server
      previous_status  new
      priority         medium
      status           blocked
      task             0123456789ABCDEFGHJKTASK__

    By mail.

    $ windlass chunk update SPEC__ --field status=planned
    error: a spec does not go from blocked to planned
    hint: a spec begins as new; it can be blocked, and then be new again
    more: windlass explain invalid_transition
    [exit code 3]
    "#);
}

#[test]
fn chunks_are_found_by_their_words() {
    let said = transcript(|scene| {
        scene.does("project create api");
        scene.knows("DECIDE", "decision 'One database' 'PostgreSQL keeps all of it.' -P api");
        scene.knows("LESSON", "lesson 'Slow joins' 'An index on orders.day was missing.' -P api");
        scene.shows("chunk search 'which database'");
        scene.says("chunk search orders --explain");
        scene.says("chunk search whales");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass chunk search 'which database'
    ID      TYPE      OF   TITLE         FOUND
    DECIDE  decision  api  One database
    $ … --json
    {
      "chunks": [
        {
          "chunk_id": "0123456789ABCDEFGHJKDECIDE",
          "chunk_type": "decision",
          "query_key": "one-database",
          "scope": "project",
          "project": "api",
          "agent": null,
          "title": "One database",
          "tags": [],
          "version": 1,
          "updated_at": "2026-11-15T09:30:00.000Z",
          "score": 0.6627,
          "snippet": null,
          "content": null,
          "tokens": 3,
          "explanation": null
        }
      ],
      "cut": []
    }
    $ windlass chunk search orders --explain
    ID      TYPE    OF   TITLE       FOUND
    LESSON  lesson  api  Slow joins  An index on orders.day was missing.

    LESSON Slow joins
    order gave 0.35: content 0.35
    $ windlass chunk search whales
    nothing found
    "#);
}

#[test]
fn chunks_are_listed_by_what_they_are() {
    let said = transcript(|scene| {
        given_chunks(scene);
        scene.knows("SPEC_1", "dev_spec 'Log in' 'By mail.' -P api --key login");
        let urgent = "dev_spec 'Log out' 'At once.' -P api --key logout --field priority=critical";
        scene.knows("SPEC_2", urgent);
        scene.says("chunk list");
        scene.shows(
            "chunk list --type dev_spec --field status=new --sort priority --show title,priority",
        );
        scene.says("chunk list --type dev_spec --limit 1");
        scene.says("chunk list --type lesson --show content");
        scene.says("chunk list --type dev_spek");
        scene.says("chunk list --type dev_spec --field state=new");
        scene.says("chunk list --type dev_spec --sort prio");
        scene.says("chunk list --field status=new");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass chunk list
    ID      TYPE       OF   FIELDS         TITLE            CHANGED
    CHUNK1  knowledge  api                 One database     now
    CHUNK2  lesson     api                 Say it in short  now
    SPEC_1  dev_spec   api  medium, new    Log in           now
    SPEC_2  dev_spec   api  critical, new  Log out          now
    $ windlass chunk list --type dev_spec --field status=new --sort priority --show title,priority
    ID      FIELDS    TITLE
    SPEC_2  critical  Log out
    SPEC_1  medium    Log in
    $ … --json
    {
      "chunks": [
        {
          "chunk_id": "0123456789ABCDEFGHJKSPEC_2",
          "fields": {"priority": "critical"},
          "title": "Log out"
        },
        {
          "chunk_id": "0123456789ABCDEFGHJKSPEC_1",
          "fields": {"priority": "medium"},
          "title": "Log in"
        }
      ],
      "total": 2,
      "limit": 50,
      "has_more": false,
      "next_cursor": null
    }
    $ windlass chunk list --type dev_spec --limit 1
    ID      TYPE      OF   FIELDS       TITLE   CHANGED
    SPEC_1  dev_spec  api  medium, new  Log in  now
    1 of 2 chunks; go on with --cursor 4--516ab847
    $ windlass chunk list --type lesson --show content
      chunk_id  0123456789ABCDEFGHJKCHUNK2
      content   Or nobody reads it.
    $ windlass chunk list --type dev_spek
    error: there is no chunk type 'dev_spek'
    did you mean: dev_spec
    hint: see which there are: windlass chunk type list
    more: windlass explain chunk_type_not_found
    [exit code 4]
    $ windlass chunk list --type dev_spec --field state=new
    error: there is no field 'state'
    did you mean: status
    hint: the fields are status, priority, blocked_reason, previous_status,
      ticket_url
    more: windlass explain unknown_field
    [exit code 3]
    $ windlass chunk list --type dev_spec --sort prio
    error: nothing is sorted by 'prio'
    hint: sort by status, priority, blocked_reason, previous_status, ticket_url,
      created, updated
    more: windlass explain unknown_field
    [exit code 3]
    $ windlass chunk list --field status=new
    error: fields are those of a type
    hint: name it: --type TYPE
    more: windlass explain usage
    [exit code 2]
    "#);
}

#[test]
fn types_of_chunks_are_added_hidden_and_taken_back() {
    let said = transcript(|scene| {
        let risk = "description = \"What may go wrong\"\n\n[[fields]]\nname = \"level\"\n\
                    type = \"enum\"\nvalues = [\"high\", \"low\"]\ndefault = \"low\"\n";
        scene.has("risk.toml", risk);
        scene.shows("chunk type set risk --from risk.toml");
        scene.shows("chunk type show risk");
        scene.shows("chunk type list");
        scene.shows("chunk type hide lesson");
        scene.shows("chunk type remove risk");
        scene.says("chunk type remove lesson");
    });
    insta::assert_snapshot!(said, @r#"
    $ cat risk.toml
    description = "What may go wrong"

    [[fields]]
    name = "level"
    type = "enum"
    values = ["high", "low"]
    default = "low"
    $ windlass chunk type set risk --from risk.toml
    chunk type risk is set
    SLUG  NAME  ORIGIN  WHAT IT SAYS
    risk  risk  added   project: level

    {
      "audience": {
        "rules": []
      },
      "consolidation": "keep",
      "description": "What may go wrong",
      "fields": [
        {
          "default": "low",
          "name": "level",
          "type": "enum",
          "values": [
            "high",
            "low"
          ]
        }
      ],
      "name": "risk",
      "scope": "project",
      "slug": "risk",
      "template": {
        "headings": []
      }
    }

    $ … --json
    {
      "slug": "risk",
      "name": "risk",
      "description": "What may go wrong",
      "origin": "added",
      "hidden": false,
      "summary": "project: level",
      "definition": {
        "audience": {"rules": []},
        "consolidation": "keep",
        "description": "What may go wrong",
        "fields": [
          {
            "default": "low",
            "name": "level",
            "type": "enum",
            "values": ["high", "low"]
          }
        ],
        "name": "risk",
        "scope": "project",
        "slug": "risk",
        "template": {"headings": []}
      },
      "what": "chunk type"
    }
    $ windlass chunk type show risk
    SLUG  NAME  ORIGIN  WHAT IT SAYS
    risk  risk  added   project: level

    {
      "audience": {
        "rules": []
      },
      "consolidation": "keep",
      "description": "What may go wrong",
      "fields": [
        {
          "default": "low",
          "name": "level",
          "type": "enum",
          "values": [
            "high",
            "low"
          ]
        }
      ],
      "name": "risk",
      "scope": "project",
      "slug": "risk",
      "template": {
        "headings": []
      }
    }

    $ … --json
    {
      "slug": "risk",
      "name": "risk",
      "description": "What may go wrong",
      "origin": "added",
      "hidden": false,
      "summary": "project: level",
      "definition": {
        "audience": {"rules": []},
        "consolidation": "keep",
        "description": "What may go wrong",
        "fields": [
          {
            "default": "low",
            "name": "level",
            "type": "enum",
            "values": ["high", "low"]
          }
        ],
        "name": "risk",
        "scope": "project",
        "slug": "risk",
        "template": {"headings": []}
      }
    }
    $ windlass chunk type list
    SLUG                NAME                ORIGIN    WHAT IT SAYS
    constraint          Constraint          built in  project
    convention          Convention          built in  project
    decision            Decision            built in  project
    dev_deployment      dev_deployment      built in  project
    dev_implementation  dev_implementation  built in  project
    dev_incident        dev_incident        built in  project: state, severity
    dev_package         dev_package         built in  project: state
    dev_plan            dev_plan            built in  project
    dev_rejection       dev_rejection       built in  project
    dev_research        dev_research        built in  project
    dev_rollback        dev_rollback        built in  project
    dev_spec            dev_spec            built in  project: status, priority, bl…
    dev_verification    dev_verification    built in  project
    identity            Identity            built in  agent
    implementation      Implementation      built in  project
    knowledge           Knowledge           built in  project
    lesson              Lesson              built in  project
    memory              Memory              built in  agent
    plan                Plan                built in  project
    principle           Principle           built in  org
    research            Research            built in  project
    risk                risk                added     project: level
    spec                Spec                built in  project
    $ … --json
    {
      "definitions": [
        {
          "slug": "constraint",
          "name": "Constraint",
          "description": "What must not be done",
          "origin": "built_in",
          "hidden": false,
          "summary": "project",
          "definition": {
            "audience": {"rules": [{"all": true}]},
            "consolidation": "keep",
            "description": "What must not be done",
            "name": "Constraint",
            "scope": "project",
            "slug": "constraint",
            "template": {"headings": []}
          }
        },
        {
          "slug": "convention",
          "name": "Convention",
          "description": "How things are done here",
          "origin": "built_in",
          "hidden": false,
          "summary": "project",
          "definition": {
            "audience": {"rules": [{"all": true}]},
            "consolidation": "keep",
            "description": "How things are done here",
            "name": "Convention",
            "scope": "project",
            "slug": "convention",
            "template": {"headings": []}
          }
        },
        {
          "slug": "decision",
          "name": "Decision",
          "description": "What was decided and why",
          "origin": "built_in",
          "hidden": false,
          "summary": "project",
          "definition": {
            "audience": {"rules": []},
            "consolidation": "keep",
            "description": "What was decided and why",
            "name": "Decision",
            "scope": "project",
            "slug": "decision",
            "template": {"headings": []}
          }
        },
        {
          "slug": "dev_deployment",
          "name": "dev_deployment",
          "description": "Deployment of a release",
          "origin": "built_in",
          "hidden": false,
          "summary": "project",
          "definition": {
            "audience": {"rules": []},
            "consolidation": "keep",
            "creators": ["dev_delivery"],
            "description": "Deployment of a release",
            "name": "dev_deployment",
            "scope": "project",
            "slug": "dev_deployment",
            "template": {
              "headings": [
                {"asks": "where it runs", "title": "Environment"},
                {"asks": "what runs there", "title": "Version"},
                {"asks": "since when", "title": "Time"}
              ]
            }
          }
        },
        {
          "slug": "dev_implementation",
          "name": "dev_implementation",
          "description": "Implementation of a plan",
          "origin": "built_in",
          "hidden": false,
          "summary": "project",
          "definition": {
            "audience": {"rules": []},
            "consolidation": "keep",
            "creators": ["dev_coder"],
            "description": "Implementation of a plan",
            "name": "dev_implementation",
            "scope": "project",
            "slug": "dev_implementation",
            "template": {
              "headings": [
                {"asks": "its address", "title": "Pull request"},
                {"asks": "what was changed, in short", "title": "Changes"},
                {"asks": "which files were modified", "title": "Files"},
                {"asks": "what they cover", "title": "Tests"}
              ]
            }
          }
        },
        {
          "slug": "dev_incident",
          "name": "dev_incident",
          "description": "An issue in production",
          "origin": "built_in",
          "hidden": false,
          "summary": "project: state, severity",
          "definition": {
            "audience": {
              "rules": [
                {"agent_types": ["dev_operations"], "fields": {"state": "active"}}
              ]
            },
            "consolidation": "keep",
            "creators": ["dev_operations"],
            "description": "An issue in production",
            "fields": [
              {
                "default": "active",
                "name": "state",
                "required": true,
                "type": "enum",
                "values": ["active", "mitigated", "resolved"]
              },
              {
                "default": "normal",
                "name": "severity",
                "required": true,
                "type": "enum",
                "values": ["critical", "normal"]
              }
            ],
            "name": "dev_incident",
            "scope": "project",
            "slug": "dev_incident",
            "template": {"headings": []}
          }
        },
        {
          "slug": "dev_package",
          "name": "dev_package",
          "description": "A release with all it includes",
          "origin": "built_in",
          "hidden": false,
          "summary": "project: state",
          "definition": {
            "audience": {
              "rules": [
                {"agent_types": ["dev_assistant"], "fields": {"state": "pending"}}
              ]
            },
            "consolidation": "keep",
            "creators": ["dev_delivery"],
            "description": "A release with all it includes",
            "fields": [
              {
                "default": "pending",
                "name": "state",
                "required": true,
                "type": "enum",
                "values": ["pending", "merged", "deployed", "abandoned"]
              }
            ],
            "name": "dev_package",
            "scope": "project",
            "slug": "dev_package",
            "template": {
              "headings": [
                {"asks": "everything that is included", "title": "Items"},
                {"asks": "their specs", "title": "Specs"},
                {"asks": "the address of the release's", "title": "Pull request"}
              ]
            }
          }
        },
        {
          "slug": "dev_plan",
          "name": "dev_plan",
          "description": "Plan of a spec",
          "origin": "built_in",
          "hidden": false,
          "summary": "project",
          "definition": {
            "audience": {"rules": []},
            "consolidation": "keep",
            "creators": ["dev_planner"],
            "description": "Plan of a spec",
            "name": "dev_plan",
            "scope": "project",
            "slug": "dev_plan",
            "template": {
              "headings": [
                {"asks": "the steps, in order", "title": "Phases"},
                {
                  "asks": "for each phase, what must hold at its end",
                  "title": "Acceptance criteria"
                },
                {"asks": "which tests are expected", "title": "Test coverage"}
              ]
            }
          }
        },
        {
          "slug": "dev_rejection",
          "name": "dev_rejection",
          "description": "Why work was sent back",
          "origin": "built_in",
          "hidden": false,
          "summary": "project",
          "definition": {
            "audience": {"rules": []},
            "consolidation": "keep",
            "creators": ["dev_qa", "dev_delivery"],
            "description": "Why work was sent back",
            "name": "dev_rejection",
            "scope": "project",
            "slug": "dev_rejection",
            "template": {
              "headings": [
                {"asks": "as it was seen", "title": "What failed"},
                {"asks": "what was expected instead", "title": "Why"},
                {"asks": "where it comes from", "title": "Root cause"},
                {"asks": "what to do about it", "title": "Recommendation"}
              ]
            }
          }
        },
        {
          "slug": "dev_research",
          "name": "dev_research",
          "description": "Research of a spec",
          "origin": "built_in",
          "hidden": false,
          "summary": "project",
          "definition": {
            "audience": {"rules": []},
            "consolidation": "keep",
            "creators": ["dev_researcher"],
            "description": "Research of a spec",
            "name": "dev_research",
            "scope": "project",
            "slug": "dev_research",
            "template": {
              "headings": [
                {
                  "asks": "the code and context as they are",
                  "title": "What exists"
                },
                {
                  "asks": "the gaps, without saying how to close them",
                  "title": "What must change"
                }
              ]
            }
          }
        },
        {
          "slug": "dev_rollback",
          "name": "dev_rollback",
          "description": "A deployment that was reverted",
          "origin": "built_in",
          "hidden": false,
          "summary": "project",
          "definition": {
            "audience": {"rules": []},
            "consolidation": "keep",
            "creators": ["dev_operations"],
            "description": "A deployment that was reverted",
            "name": "dev_rollback",
            "scope": "project",
            "slug": "dev_rollback",
            "template": {
              "headings": [
                {"asks": "the one that was reverted", "title": "Deployment"},
                {"asks": "the one it was reverted for", "title": "Incident"}
              ]
            }
          }
        },
        {
          "slug": "dev_spec",
          "name": "dev_spec",
          "description": "A work item: what is wanted, and when it is done",
          "origin": "built_in",
          "hidden": false,
          "summary": "project: status, priority, blocked_reason, previous_status, ticket_url",
          "definition": {
            "audience": {"rules": []},
            "consolidation": "keep",
            "creators": ["dev_assistant", "dev_researcher", "dev_operations"],
            "description": "A work item: what is wanted, and when it is done",
            "fields": [
              {
                "default": "new",
                "description": "how far it has come",
                "name": "status",
                "required": true,
                "type": "enum",
                "values": [
                  "new",
                  "researched",
                  "planned",
                  "implemented",
                  "verified",
                  "packaged",
                  "deployed",
                  "blocked"
                ]
              },
              {
                "default": "medium",
                "name": "priority",
                "required": true,
                "type": "enum",
                "values": ["critical", "high", "medium", "low"]
              },
              {
                "description": "why it is blocked",
                "name": "blocked_reason",
                "type": "text"
              },
              {
                "description": "where it returns to",
                "name": "previous_status",
                "type": "enum",
                "values": [
                  "new",
                  "researched",
                  "planned",
                  "implemented",
                  "verified",
                  "packaged",
                  "deployed"
                ]
              },
              {
                "description": "its ticket elsewhere",
                "name": "ticket_url",
                "type": "url"
              }
            ],
            "name": "dev_spec",
            "scope": "project",
            "slug": "dev_spec",
            "template": {"headings": []}
          }
        },
        {
          "slug": "dev_verification",
          "name": "dev_verification",
          "description": "Verification of an implementation",
          "origin": "built_in",
          "hidden": false,
          "summary": "project",
          "definition": {
            "audience": {"rules": []},
            "consolidation": "keep",
            "creators": ["dev_qa"],
            "description": "Verification of an implementation",
            "name": "dev_verification",
            "scope": "project",
            "slug": "dev_verification",
            "template": {
              "headings": [
                {
                  "asks": "for each criterion: passed or failed, and the evidence",
                  "title": "Criteria"
                }
              ]
            }
          }
        },
        {
          "slug": "identity",
          "name": "Identity",
          "description": "Who an agent is and how it works",
          "origin": "built_in",
          "hidden": false,
          "summary": "agent",
          "definition": {
            "audience": {"rules": [{"all": true}]},
            "consolidation": "keep",
            "description": "Who an agent is and how it works",
            "name": "Identity",
            "scope": "agent",
            "slug": "identity",
            "template": {"headings": []}
          }
        },
        {
          "slug": "implementation",
          "name": "Implementation",
          "description": "What was built",
          "origin": "built_in",
          "hidden": false,
          "summary": "project",
          "definition": {
            "audience": {"rules": []},
            "consolidation": "surface",
            "description": "What was built",
            "name": "Implementation",
            "scope": "project",
            "slug": "implementation",
            "template": {"headings": []}
          }
        },
        {
          "slug": "knowledge",
          "name": "Knowledge",
          "description": "How something is",
          "origin": "built_in",
          "hidden": false,
          "summary": "project",
          "definition": {
            "audience": {"rules": []},
            "consolidation": "keep",
            "description": "How something is",
            "name": "Knowledge",
            "scope": "project",
            "slug": "knowledge",
            "template": {"headings": []}
          }
        },
        {
          "slug": "lesson",
          "name": "Lesson",
          "description": "What was learned",
          "origin": "built_in",
          "hidden": false,
          "summary": "project",
          "definition": {
            "audience": {"rules": []},
            "consolidation": "surface",
            "description": "What was learned",
            "name": "Lesson",
            "scope": "project",
            "slug": "lesson",
            "template": {"headings": []}
          }
        },
        {
          "slug": "memory",
          "name": "Memory",
          "description": "What an agent keeps for itself",
          "origin": "built_in",
          "hidden": false,
          "summary": "agent",
          "definition": {
            "audience": {"rules": []},
            "consolidation": "surface",
            "description": "What an agent keeps for itself",
            "name": "Memory",
            "scope": "agent",
            "slug": "memory",
            "template": {"headings": []}
          }
        },
        {
          "slug": "plan",
          "name": "Plan",
          "description": "What is to be done, in order",
          "origin": "built_in",
          "hidden": false,
          "summary": "project",
          "definition": {
            "audience": {"rules": []},
            "consolidation": "surface",
            "description": "What is to be done, in order",
            "name": "Plan",
            "scope": "project",
            "slug": "plan",
            "template": {"headings": []}
          }
        },
        {
          "slug": "principle",
          "name": "Principle",
          "description": "What holds everywhere",
          "origin": "built_in",
          "hidden": false,
          "summary": "org",
          "definition": {
            "audience": {"rules": [{"all": true}]},
            "consolidation": "keep",
            "description": "What holds everywhere",
            "name": "Principle",
            "scope": "org",
            "slug": "principle",
            "template": {"headings": []}
          }
        },
        {
          "slug": "research",
          "name": "Research",
          "description": "What was found out",
          "origin": "built_in",
          "hidden": false,
          "summary": "project",
          "definition": {
            "audience": {"rules": []},
            "consolidation": "surface",
            "description": "What was found out",
            "name": "Research",
            "scope": "project",
            "slug": "research",
            "template": {"headings": []}
          }
        },
        {
          "slug": "risk",
          "name": "risk",
          "description": "What may go wrong",
          "origin": "added",
          "hidden": false,
          "summary": "project: level",
          "definition": {
            "audience": {"rules": []},
            "consolidation": "keep",
            "description": "What may go wrong",
            "fields": [
              {
                "default": "low",
                "name": "level",
                "type": "enum",
                "values": ["high", "low"]
              }
            ],
            "name": "risk",
            "scope": "project",
            "slug": "risk",
            "template": {"headings": []}
          }
        },
        {
          "slug": "spec",
          "name": "Spec",
          "description": "What is wanted",
          "origin": "built_in",
          "hidden": false,
          "summary": "project",
          "definition": {
            "audience": {"rules": []},
            "consolidation": "surface",
            "description": "What is wanted",
            "name": "Spec",
            "scope": "project",
            "slug": "spec",
            "template": {"headings": []}
          }
        }
      ],
      "hidden": 0
    }
    $ windlass chunk type hide lesson
    SLUG    NAME    ORIGIN            WHAT IT SAYS
    lesson  Lesson  replaced, hidden  project

    {
      "audience": {
        "rules": []
      },
      "consolidation": "surface",
      "description": "What was learned",
      "hidden": true,
      "name": "Lesson",
      "scope": "project",
      "slug": "lesson",
      "template": {
        "headings": []
      }
    }

    $ … --json
    {
      "slug": "lesson",
      "name": "Lesson",
      "description": "What was learned",
      "origin": "replaced",
      "hidden": true,
      "summary": "project",
      "definition": {
        "audience": {"rules": []},
        "consolidation": "surface",
        "description": "What was learned",
        "hidden": true,
        "name": "Lesson",
        "scope": "project",
        "slug": "lesson",
        "template": {"headings": []}
      }
    }
    $ windlass chunk type remove risk
    chunk type risk is removed
    $ … --json
    {"what": "chunk type", "slug": "risk", "restored": false}
    $ windlass chunk type remove lesson
    chunk type lesson is removed
    the chunk type lesson that is built in holds again
    "#);
}
