//! The same pages in narrow windows.

use crate::scene::transcript;

#[test]
fn in_sixty_columns_a_table_shows_what_matters_most() {
    let said = transcript(|scene| {
        scene.does("project create api");
        scene.given("LOGIN_", "'fix the login page' -P api -s ready -p 2 -t web,urgent");
        let long = "'write the reference of every command and check it against the program'";
        scene.given("MANUAL", &format!("{long} -s in_progress --agent worker-1"));
        scene.does("task comment MANUAL 'see the log of Tuesday, where the same was discussed'");
        scene.says_within(60, "task list");
        scene.says_within(60, "task show MANUAL");
        scene.says_within(60, "task complete MANUAL --agent worker-2");
    });
    insta::assert_snapshot!(said, @"
    $ windlass task list
    ID      STATUS       PROJECT  TITLE                 AGENT
    LOGIN_  ready        api      fix the login page
    MANUAL  in_progress  inbox    write the reference…  worker-1
    $ windlass task show MANUAL
    write the reference of every command and check it against
      the program
      id        0123456789ABCDEFGHJKMANUAL
      status    in_progress
      project   inbox
      priority  0
      agent     worker-1 (fence 1)
      claimed   2026-11-15T09:30:00.000Z (now)
      created   now

    comments
    WHEN  AUTHOR  COMMENT
    now   ada     see the log of Tuesday, where the same was
                  discussed
    $ windlass task complete MANUAL --agent worker-2
    error: task MANUAL: worker-2 does not hold it; worker-1
      holds it under fence 1
    hint: see who holds it: windlass task show MANUAL
    more: windlass explain stale_claim
    [exit code 3]
    ");
}

#[test]
fn in_forty_columns_a_chunk_is_still_read() {
    let said = transcript(|scene| {
        scene.does("project create api");
        let known = "knowledge 'One database' 'Less to run, less to learn.' -P api --key one";
        scene.knows("CHUNK1", known);
        scene.knows("CHUNK2", "lesson 'Say it in short' 'x' -P api --key short");
        scene.does("chunk link short one --reason 'learned while at it'");
        scene.does("chunk review one --usefulness 4 --correctness 2 --action outdated");
        scene.says_within(40, "chunk list");
        scene.says_within(40, "chunk inbox");
        scene.says_within(40, "chunk chain one");
        scene.says_within(40, "chunk show one");
        scene.says_within(40, "chunk versions one");
    });
    insta::assert_snapshot!(said, @r"
    $ windlass chunk list
    id: CHUNK1
    type: knowledge
    of: api
    title: One database
    changed: now

    id: CHUNK2
    type: lesson
    of: api
    title: Say it in short
    changed: now
    $ windlass chunk inbox
    id: CHUNK1
    type: knowledge
    title: One database
    why: agent flag, low score
    touched: now
    $ windlass chunk chain one
    One database

    basis of
    away: 1
    id: CHUNK2
    type: lesson
    title: Say it in short
    reason: learned while at it
    $ windlass chunk show one
    One database
      id          0123456789ABCDEFGHJKCHUNK1
      type        knowledge
      of          api
      key         one
      version     1 by ada, now
      reviews     1 review: usefulness 4.0,
                  correctness 2.0
      look at it  agent flag, low score

    Less to run, less to learn.

    linked from
    from: CHUNK2 (Say it in short)
    reason: learned while at it
    $ windlass chunk versions one
    One database
    VERSION  WHEN  AUTHOR  CHANGED  NOTE
    1        now   ada     written
    ");
}

#[test]
fn in_sixty_columns_dependencies_are_still_told_apart() {
    let said = transcript(|scene| {
        scene.does("project create api");
        let long = "'write the reference of every command and check it against the program'";
        scene.given("MANUAL", &format!("{long} -s in_progress --agent worker-1"));
        scene.given("LOGIN_", "'fix the login page' -P api -s ready --depends-on MANUAL");
        scene.says_within(60, "dep list");
        scene.says_within(60, "dep tree LOGIN_");
        scene.says_within(40, "dep tree LOGIN_");
        scene.says_within(60, "workflow list");
    });
    insta::assert_snapshot!(said, @"
    $ windlass dep list
    ID      TITLE                 WAITS FOR         BLOCKS
    LOGIN_  api: fix the login …  → MANUAL inbox:…  yes, in_pro…
    $ windlass dep tree LOGIN_
    LOGIN_ ready · api: fix the login page
    └─ MANUAL in_progress · inbox · worker-1: write the referen…
    it waits for 1 task, 1 open
    $ windlass dep tree LOGIN_
    LOGIN_ ready · api: fix the login page
    └─ MANUAL in_progress · inbox · worker-…
    it waits for 1 task, 1 open
    $ windlass workflow list
      start     Go on with a task of an agent, or claim the next
                one
      handoff   Finish a task and make the one that follows,
                with its checkpoints
      delegate  Give a part of a task to another one, and let it
                wait for that
    see windlass workflow show NAME
    ");
}

#[test]
fn in_twenty_columns_everything_stands_one_below_the_other() {
    let said = transcript(|scene| {
        scene.does("project create api");
        scene.given("LOGIN_", "'fix the login page' -P api -s ready -p 2 -t web,urgent");
        let long = "'write the reference of every command and check it against the program'";
        scene.given("MANUAL", &format!("{long} -s in_progress --agent worker-1"));
        scene.does("task comment MANUAL 'see the log of Tuesday, where the same was discussed'");
        scene.says_within(20, "task list");
        scene.says_within(20, "task show MANUAL");
        scene.says_within(20, "task complete MANUAL --agent worker-2");
    });
    insta::assert_snapshot!(said, @"
    $ windlass task list
    id: LOGIN_
    status: ready
    pri: 2
    project: api
    title: fix the login
      page
    created: now

    id: MANUAL
    status: in_progress
    pri: 0
    project: inbox
    title: write the
      reference of every
      command and check
      it against the
      program
    agent: worker-1
    created: now
    $ windlass task show MANUAL
    write the reference
      of every command
      and check it
      against the
      program
    id:
      0123456789ABCDEFGHJKMANUAL
    status: in_progress
    project: inbox
    priority: 0
    agent: worker-1
      (fence 1)
    claimed:
      2026-11-15T09:30:00.000Z
      (now)
    created: now

    comments
    when: now
    author: ada
    comment: see the log
      of Tuesday, where
      the same was
      discussed
    $ windlass task complete MANUAL --agent worker-2
    error: task MANUAL:
      worker-2 does not
      hold it; worker-1
      holds it under
      fence 1
    hint: see who holds
      it: windlass task
      show MANUAL
    more: windlass
      explain
      stale_claim
    [exit code 3]
    ");
}
