//! Chunks that belong together: links with their reasons, and a spec with its task.

use crate::knowing::given_chunks;
use crate::scene::transcript;

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
