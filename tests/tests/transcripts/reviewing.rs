//! What readers find of chunks, and what became of the files that they are from.

use crate::knowing::given_chunks;
use crate::scene::transcript;

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
