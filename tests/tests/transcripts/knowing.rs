//! Chunks: what agents and people know.

use crate::scene::{Scene, transcript};

pub(crate) fn given_chunks(scene: &mut Scene) {
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
      "others": [],
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
