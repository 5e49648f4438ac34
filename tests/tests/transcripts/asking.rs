//! Chunks that are searched for by words, or listed by what they are.

use crate::knowing::given_chunks;
use crate::scene::transcript;

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
    ID      TYPE       OF   FIELDS                         TITLE            CHANGED
    CHUNK1  knowledge  api                                 One database     now
    CHUNK2  lesson     api                                 Say it in short  now
    SPEC_1  dev_spec   api  priority=medium, status=new    Log in           now
    SPEC_2  dev_spec   api  priority=critical, status=new  Log out          now
    $ windlass chunk list --type dev_spec --field status=new --sort priority --show title,priority
    ID      PRIORITY  TITLE
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
    ID      TYPE      OF   PRIORITY  STATUS  TITLE   CHANGED
    SPEC_1  dev_spec  api  medium    new     Log in  now
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
