//! Help, and what is said to a command line that makes no sense.

use crate::scene::transcript;

#[test]
fn the_first_page_of_help_names_every_command() {
    let said = transcript(|scene| {
        scene.reads("--help");
        scene.reads("--version");
    });
    insta::assert_snapshot!(said, @"
    $ windlass --help
    A control plane for coding agents.
    Tasks are claimed once, never lost, and really done.

    Usage: windlass [OPTIONS] <COMMAND>

    Work:
      board     Show the tasks by status, with what they wait for
      task      Tasks: add, claim, report, complete
      project   Projects: named queues of tasks
      dep       Dependencies: which task waits for which, in all projects
      workflow  Workflows: atomic recipes over tasks
      run       Runs: workflow files that are executed, checked and gated
      hook      Hooks: who is told what happens, and what did not arrive
      agent     Agents: who is at work, who did what, who is of which type
      prime     Say what an agent needs to know at the start of a sitting
      stats     Count the queue and what was finished lately
      timeline  Tell who held what when
      why       Say why a task is not being worked on, or why nothing is

    Context:
      chunk      Chunks: what agents and people know, typed, versioned and linked
      remember   Keep something in mind: a memory of the agent that asks
      session    Sessions: the sittings of agents, and what is injected
      lifecycle  Lifecycles: how sessions go, and what each is given
      inject     What would be injected

    The ledger:
      init      Make the ledger if it is not there; the first write does so too
      status    Show the ledger: where it is, its size, its end, its tasks
      which-db  Say which ledger is meant, and what decided that
      events    Read the log, event by event, in its order
      audit     The hash chain of the log
      doctor    Check the ledger: files, hash chain, counters; --rebuild the views
      validate  Check the dependencies for circles and missing tasks
      gc        Forget old op ids; record what ran out and what is overdue
      backup    Copy the ledger file while others go on working
      export    Write the whole log to a file, in lines of JSON
      import    Coming from elsewhere: another ledger, HZL, beads
      db        The database of the ledger

    Doors:
      serve     Serve the ledger: the HTTP API, live events, MCP and the web pages
      open      Open the web pages of a server in a browser
      mcp       Serve the ledger to one agent, as MCP tools on the standard streams
      hotl-rt   Behave as HOTL's runtime, for skills that were written for it
      hotl      Do what HOTL's helper scripts do, for skills that call them
      key       Keys: who is let in by a server, and as what
      whoami    Tell as whom you are known, and what you may do

    Settings and help:
      setup     Tell a coding agent of Windlass in its own files, or undo that
      config    Show every setting and where it came from
      guide     Print a short guide for an agent
      explain   Explain an error code and what to do about it
      help      Show the help of a command: windlass help task add

    This terminal:
      demo         Play a short story of three agents, in a throw-away ledger
      completions  Print a script that completes commands, tasks and projects
      man          Print the manual page, or write one for every command

    Known from HZL:
      sync            Not here: several machines share a ledger on PostgreSQL
      lock            Not here: no lock outlives its process
      sample-project  Not here: see windlass demo

    Options:
      --db <PATH_OR_URL>  The ledger: a path or a postgres:// address
      --server <URL>      The server that has the ledger: http:// or https://…
      --format <FORMAT>   How to answer: text or json
      --op-id <KEY>       A key of yours, under which it happens once
      --json              Answer with one JSON document
      -h, --help          Show this page, or the help of a command
      -V, --version       Show the version

    First steps:
      windlass task add 'fix the login page' -s ready
      windlass task claim --next --agent worker-1 --lease 30m
      windlass task complete 8F3K2Q --fence 1
    $ windlass --version
    windlass 0.1.0
    ");
}

#[test]
fn every_command_says_how_it_is_used() {
    let said = transcript(|scene| {
        scene.reads("task --help");
        scene.reads("task claim --help");
        scene.reads("task complete --help");
        scene.reads("events --help");
    });
    insta::assert_snapshot!(said, @"
    $ windlass task --help
    Tasks: add, claim, report, complete

    Usage: windlass task [OPTIONS] <COMMAND>

    Commands:
      add         Make a task
      list        List tasks, the most urgent first
      search      Find tasks by words of all that was written about them
      show        Show a task with everything that belongs to it
      claim       Claim a task by id, or the best one with --next
      start       Claim a task by id
      renew       Extend the lease of a claim
      checkpoint  Save a point of progress on a task
      progress    Say how far the work on a task has come
      comment     Add a comment to a task
      complete    Say that a task is finished
      release     Give a task back, so that anybody can claim it
      block       Stop work on a task that cannot go on; its owner stays
      unblock     Let a blocked task go on, with its owner or in the pool
      steal       Take a task in progress from its holder
      reopen      Take back that a task is done
      set-status  Set the status of a task by hand; recorded as an override
      update      Change the fields of a task
      edit        Change a task in your editor
      move        Move tasks and their subtasks to another project
      add-dep     Let a task wait for another
      remove-dep  Let a task no longer wait for another
      archive     Put a task away; restore brings it back
      restore     Bring an archived task back to the status it had
      prune       Remove tasks that were finished long ago
      history     Tell what happened to a task, event by event
      stuck       List held tasks that do not move
      help        Show the help of a command

    Options:
      -h, --help  Print help

    Options of every command:
          --db <PATH_OR_URL>  The ledger: a path or a postgres:// address
          --server <URL>      The server that has the ledger: http:// or https://…
          --format <FORMAT>   How to answer: text or json
          --op-id <KEY>       A key of yours, under which it happens once
          --json              Answer with one JSON document
    $ windlass task claim --help
    Claim a task by id, or the best one with --next

    Usage: windlass task claim [OPTIONS] [TASK]

    Arguments:
      [TASK]  The task to claim; or give --next

    Options:
          --next              The best task that can be claimed
      -P, --project <NAME>    Only of this project
      -t, --tags <TAG,…>      Only with all of these tags
          --parent <TASK>     Only subtasks of this task
          --agent <NAME>      Who will own it
          --author <NAME>     The same, where no --agent is given
          --role <NAME>       The caller's role, for tasks that wait for one
      -l, --lease <DURATION>  How long the claim holds without renewal, such as 30m
          --view <VIEW>       How much of the task to show [default: standard]
                              [possible values: summary, standard, full]
      -h, --help              Print help

    Options of every command:
          --db <PATH_OR_URL>  The ledger: a path or a postgres:// address
          --server <URL>      The server that has the ledger: http:// or https://…
          --format <FORMAT>   How to answer: text or json
          --op-id <KEY>       A key of yours, under which it happens once
          --json              Answer with one JSON document

    As in HZL:
          --agent-id <ID>  Recorded as the session of the claim; without another
                           name, also who will own it
          --no-stagger     Changes nothing: claims need not be spread over time to
                           be won once

    Example:
      windlass task claim --next -P api --agent worker-1 --lease 30m
    $ windlass task complete --help
    Say that a task is finished

    Usage: windlass task complete [OPTIONS] <TASK>

    Arguments:
      <TASK>  The task: its id, or at least 4 characters of its beginning or end

    Options:
          --comment <TEXT>  A last comment
          --agent <NAME>    Who acts; must hold the task if somebody does
          --author <NAME>   The same, where no --agent is given
          --fence <N>       The fence of the claim under which this is done
          --force           Override the rules; needs --reason, and is recorded
          --reason <TEXT>   Why the rules are overridden
      -h, --help            Print help

    Options of every command:
          --db <PATH_OR_URL>  The ledger: a path or a postgres:// address
          --server <URL>      The server that has the ledger: http:// or https://…
          --format <FORMAT>   How to answer: text or json
          --op-id <KEY>       A key of yours, under which it happens once
          --json              Answer with one JSON document

    Example:
      windlass task complete 8F3K2Q --fence 3 --comment 'all tests pass'
    $ windlass events --help
    Read the log, event by event, in its order

    Usage: windlass events [OPTIONS]

    Options:
          --from <SEQ>        Only events after this seq
      -l, --limit <N>         At most this many; without it 1,000, and as JSON on
                              the command line all there are
      -f, --follow            Go on with new events as they come; without --from,
                              only with those
          --correlation <ID>  Only what one run or one execution under an op id
                              recorded
      -P, --project <NAME>    Only this project, its tasks and their runs
          --task <TASK>       Only this task and its runs
          --kind <KIND>       Only events of this kind; may be repeated
          --compat <TOOL>     Tell the events in the words of another tool [possible
                              values: hzl]
      -h, --help              Print help

    Options of every command:
          --db <PATH_OR_URL>  The ledger: a path or a postgres:// address
          --server <URL>      The server that has the ledger: http:// or https://…
          --format <FORMAT>   How to answer: text or json
          --op-id <KEY>       A key of yours, under which it happens once
          --json              Answer with one JSON document

    Example:
      windlass events --from 100 --follow
    ");
}

#[test]
fn a_code_is_explained() {
    let said = transcript(|scene| {
        scene.shows("explain stale_claim");
        scene.says("explain stale_claims");
    });
    insta::assert_snapshot!(said, @r##"
    $ windlass explain stale_claim

    # stale_claim

    Exit code 3 · refused by a rule

    **What happened.** You acted on a task under a claim that is not the present
    one. Either the fence you showed is not the current fence, or the agent you
    named does not hold the task, or you showed a fence and nobody holds the task
    any more. The message says who holds it now.

    **Why.** Every claim that is won has a number, its fence. When a lease runs out
    and another agent takes the task, or the task is stolen, released or finished,
    the old claim has ended. Work under an old claim must not overwrite the work of
    the new holder. Nothing was changed.

    **What to do.** Look who holds the task. If it is not you, stop working on it;
    what you have can still be left as a comment, which needs no claim. If the task
    is free, claim it again. If you have to act all the same, override the rule and
    say why: it is recorded.

    ```
    windlass task show ID
    windlass task complete ID --force --reason 'finished by hand'
    ```

    $ … --json
    {
      "code": "stale_claim",
      "exit": 3,
      "page": "# stale_claim\n\nExit code 3 · refused by a rule\n\n**What …"
    }
    $ windlass explain stale_claims
    error: 'stale_claims' is not an error code
    did you mean: stale_claim
    hint: errors name their code; with --json it is error.code
    more: windlass explain code_not_found
    [exit code 4]
    "##);
}

#[test]
fn a_mistake_is_told_and_not_repaired() {
    let said = transcript(|scene| {
        scene.says("tsk list");
        scene.shows("task done LOGIN_");
        scene.says("task list --limit many");
        scene.reads("task list --format yaml");
        scene.says("task claim --next --agent");
        scene.says("audit");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass tsk list
    error: unrecognized subcommand 'tsk'
    did you mean: windlass session take, task
    hint: usage: windlass [OPTIONS] <COMMAND>
    more: windlass explain usage
    [exit code 2]
    $ windlass task done LOGIN_
    error: unrecognized subcommand 'done'
    did you mean: windlass task complete
    hint: usage: windlass task [OPTIONS] <COMMAND>
    more: windlass explain usage
    $ … --json
    {
      "schema_version": "v1",
      "ok": false,
      "error": {
        "code": "usage",
        "message": "unrecognized subcommand 'done'",
        "hint": "usage: windlass task [OPTIONS] <COMMAND>",
        "details": {},
        "suggestions": ["windlass task complete"]
      }
    }
    [exit code 2]
    $ windlass task list --limit many
    error: invalid value 'many' for '--limit <N>': not a whole number
    hint: see windlass task list --help
    more: windlass explain invalid_value
    [exit code 3]
    $ windlass task list --format yaml
    error: format 'yaml' is not one of text, json
    hint: use text or json
    more: windlass explain invalid_value
    [exit code 3]
    $ windlass task claim --next --agent
    error: a value is required for '--agent <NAME>' but none was supplied
    hint: see windlass task claim --help
    more: windlass explain usage
    [exit code 2]
    $ windlass audit
    The hash chain of the log

    Usage: windlass audit [OPTIONS] <COMMAND>

    Commands:
      head    Print seq and hash of the last event, to be kept elsewhere
      verify  Recompute the hash chain of the log
      help    Show the help of a command

    Options:
      -h, --help  Print help

    Options of every command:
          --db <PATH_OR_URL>  The ledger: a path or a postgres:// address
          --server <URL>      The server that has the ledger: http:// or https://…
          --format <FORMAT>   How to answer: text or json
          --op-id <KEY>       A key of yours, under which it happens once
          --json              Answer with one JSON document
    [exit code 2]
    "#);
}
