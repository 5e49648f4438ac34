//! The matrix of ownership: every fenced command by every kind of caller, on both databases.
//!
//! The table below is the specification; it follows `DESIGN.md`, "Ownership".

#![expect(clippy::indexing_slicing, reason = "an answer of another shape ends its test")]

use std::fmt::Write as _;
use std::fs;

use windlass_testkit::{Outcome, Run, wait};
use windlass_tests::ledgers::{Ledger, rows, text};

/// The fenced commands. `unblock` is tried on a task that is blocked, the others on one in progress.
const COMMANDS: [&str; 9] = [
    "checkpoint TASK half",
    "progress TASK 50",
    "complete TASK",
    "block TASK",
    "unblock TASK",
    "release TASK",
    "renew TASK --lease 30m",
    "archive TASK",
    "set-status TASK ready",
];

/// Who calls, and what happens, for every command. `holder` holds TASK under fence 2, `before` held
/// it under fence 1, `other` never did; OTHER is another task.
///
/// The answer is the authority that the event records, or the code of the refusal, with which the
/// command exits with 3 and leaves no event.
const EVERY_COMMAND: &str = "
flags                                   | environment                          | answer
----------------------------------------|--------------------------------------|----------------
                                        |                                      | unfenced
--agent holder                          |                                      | holder
                                        | WINDLASS_AGENT=holder                | holder
--agent other                           |                                      | stale_claim
                                        | WINDLASS_AGENT=other                 | stale_claim
--agent before                          |                                      | stale_claim
--fence 2                               |                                      | fence
--fence 1                               |                                      | stale_claim
                                        | WINDLASS_TASK=TASK WINDLASS_FENCE=2  | fence
                                        | WINDLASS_TASK=TASK WINDLASS_FENCE=1  | stale_claim
                                        | WINDLASS_TASK=OTHER WINDLASS_FENCE=1 | unfenced
--agent other --force --reason because  |                                      | forced
--fence 1 --force --reason because      |                                      | forced
--agent other --force                   |                                      | reason_required
                                        | WINDLASS_CLAIMS_REQUIRE=identity     | agent_required
--agent holder                          | WINDLASS_CLAIMS_REQUIRE=identity     | holder
                                        | WINDLASS_CLAIMS_REQUIRE=fence        | fence_required
--agent holder                          | WINDLASS_CLAIMS_REQUIRE=fence        | fence_required
--fence 2                               | WINDLASS_CLAIMS_REQUIRE=fence        | fence
";

/// What counts when a caller says several things, for a checkpoint. SETTINGS is a file of settings
/// that names the agent.
const PRECEDENCE: &str = "
flags                                   | environment                          | answer
----------------------------------------|--------------------------------------|----------------
--author holder                         |                                      | holder
--author other                          |                                      | stale_claim
--agent holder --author other           |                                      | holder
--agent other --author holder           |                                      | stale_claim
                                        | SETTINGS=holder                      | holder
                                        | SETTINGS=other                       | stale_claim
--agent holder                          | WINDLASS_AGENT=other                 | holder
--author holder                         | WINDLASS_AGENT=other                 | holder
                                        | WINDLASS_AGENT=holder SETTINGS=other | holder
                                        | WINDLASS_AGENT=other SETTINGS=holder | stale_claim
--fence 0                               |                                      | stale_claim
--fence 3                               |                                      | stale_claim
--fence 2 --agent holder                |                                      | fence
--fence 2 --agent other                 |                                      | fence
--fence 1 --agent holder                |                                      | stale_claim
--agent holder                          | WINDLASS_TASK=TASK WINDLASS_FENCE=1  | stale_claim
--agent other                           | WINDLASS_TASK=TASK WINDLASS_FENCE=2  | fence
--fence 2                               | WINDLASS_TASK=TASK WINDLASS_FENCE=1  | fence
--fence 1                               | WINDLASS_TASK=TASK WINDLASS_FENCE=2  | stale_claim
                                        | WINDLASS_TASK=OTHER WINDLASS_FENCE=2 | unfenced
--agent holder                          | WINDLASS_TASK=OTHER WINDLASS_FENCE=1 | holder
--agent other                           | WINDLASS_TASK=OTHER WINDLASS_FENCE=2 | stale_claim
                                        | WINDLASS_FENCE=1                     | unfenced
                                        | WINDLASS_TASK=TASK                   | unfenced
--agent holder --force --reason because |                                      | holder
--fence 2 --force --reason because      |                                      | fence
--agent holder --force                  |                                      | reason_required
--agent holder --reason because         |                                      | invalid_value
--agent other                           | WINDLASS_CLAIMS_REQUIRE=identity     | stale_claim
--fence 2                               | WINDLASS_CLAIMS_REQUIRE=identity     | fence
--force --reason because                | WINDLASS_CLAIMS_REQUIRE=identity     | forced
                                        | WINDLASS_CLAIMS_REQUIRE=identity WINDLASS_AGENT=holder            | holder
--fence 1                               | WINDLASS_CLAIMS_REQUIRE=fence        | stale_claim
--force --reason because                | WINDLASS_CLAIMS_REQUIRE=fence        | forced
                                        | WINDLASS_CLAIMS_REQUIRE=fence WINDLASS_TASK=TASK WINDLASS_FENCE=2  | fence
                                        | WINDLASS_CLAIMS_REQUIRE=fence WINDLASS_TASK=OTHER WINDLASS_FENCE=2 | fence_required
";

/// A ready task that `before` held under fence 1 and released: nobody holds it, and `free` is an
/// event that records no authority.
const FREE: &str = "
flags                                   | environment                          | answer
----------------------------------------|--------------------------------------|----------------
                                        |                                      | free
--agent other                           |                                      | free
                                        | WINDLASS_AGENT=before                | free
--fence 1                               |                                      | stale_claim
--fence 0                               |                                      | stale_claim
                                        | WINDLASS_TASK=TASK WINDLASS_FENCE=1  | stale_claim
                                        | WINDLASS_TASK=OTHER WINDLASS_FENCE=1 | free
--fence 1 --force --reason because      |                                      | forced
--force                                 |                                      | reason_required
                                        | WINDLASS_CLAIMS_REQUIRE=identity     | free
                                        | WINDLASS_CLAIMS_REQUIRE=fence        | free
";

/// By what the former holder may still believe to own the task.
const FORMER: &str = "
flags                                   | environment                          | answer
----------------------------------------|--------------------------------------|----------------
--agent before                          |                                      | stale_claim
                                        | WINDLASS_AGENT=before                | stale_claim
--fence 1                               |                                      | stale_claim
--agent before --fence 1                |                                      | stale_claim
                                        | WINDLASS_TASK=TASK WINDLASS_FENCE=1  | stale_claim
";

/// The fenced commands that a ready task takes.
const COMMANDS_ON_READY: [&str; 5] = [
    "checkpoint TASK half",
    "progress TASK 50",
    "block TASK",
    "archive TASK",
    "set-status TASK backlog",
];

/// One row of a table.
#[derive(Debug)]
struct Caller {
    flags: Vec<&'static str>,
    environment: Vec<(&'static str, &'static str)>,
    answer: &'static str,
}

fn callers(table: &'static str) -> impl Iterator<Item = Caller> {
    rows(table).map(|[flags, environment, answer]| {
        let pairs = environment.split_whitespace();
        Caller {
            flags: flags.split_whitespace().collect(),
            environment: pairs.filter_map(|pair| pair.split_once('=')).collect(),
            answer,
        }
    })
}

/// One ledger with a task for every command that changes one.
struct Bench {
    ledger: Ledger,
    other: String,
    events: u64,
}

impl Bench {
    #[track_caller]
    fn on(ledger: Ledger) -> Self {
        let other = ledger.add(&[]);
        let events = ledger.events();
        Self { ledger, other, events }
    }

    /// The run of a command by that caller.
    #[track_caller]
    fn run(&self, command: &str, task: &str, caller: &Caller) -> Run {
        let word = |word| match word {
            "TASK" => task,
            "OTHER" => &self.other,
            other => other,
        };
        let words = std::iter::once("task").chain(command.split_whitespace().map(word));
        let words: Vec<&str> = words.chain(caller.flags.iter().copied()).collect();
        let mut run = self.ledger.windlass(&words);
        for (name, value) in &caller.environment {
            run = match *name {
                "SETTINGS" => self.with_settings(run, value),
                name => run.env(name, word(value)),
            };
        }
        run
    }

    /// The same run with settings that name the agent.
    #[track_caller]
    fn with_settings(&self, run: Run, agent: &str) -> Run {
        let folder = self.ledger.home.path().join(format!("settings-{agent}"));
        let file = folder.join("windlass/config.toml");
        let written = fs::create_dir_all(folder.join("windlass"))
            .and_then(|()| fs::write(&file, format!("agent = \"{agent}\"\n")));
        assert!(written.is_ok(), "{}: {written:?}", file.display());
        run.env("XDG_CONFIG_HOME", folder)
    }

    /// A task that `holder` holds under fence 2, after `before` held it under fence 1.
    #[track_caller]
    fn held_task(&mut self, command: &str) -> String {
        let task = self.ledger.add(&["--status", "in_progress", "--agent", "before"]);
        let stolen = self.ledger.answer(&["task", "steal", &task, "--force", "--agent", "holder"]);
        assert_eq!(stolen["fence"], 2, "{stolen}");
        if command.starts_with("unblock") {
            let _blocked = self.ledger.answer(&["task", "block", &task, "--agent", "holder"]);
        }
        self.events = self.ledger.events();
        task
    }

    /// A task that `before` held under fence 1 and released.
    #[track_caller]
    fn free_task(&mut self, _command: &str) -> String {
        let task = self.ledger.add(&["--status", "in_progress", "--agent", "before"]);
        let _released = self.ledger.answer(&["task", "release", &task, "--agent", "before"]);
        self.events = self.ledger.events();
        task
    }

    /// What the caller got: the authority recorded, or the code of a refusal without a trace.
    #[track_caller]
    fn answer(&mut self, outcome: &Outcome) -> Result<String, String> {
        let recorded = self.ledger.events_after(self.events);
        self.events += recorded.len() as u64;
        let code = outcome.json().pointer("/error/code").map(text);
        match (outcome.code, code, &recorded[..]) {
            (Some(3), Some(code), []) => Ok(code),
            (Some(0), None, [event]) => {
                let data = &event["data"];
                let authority = data.get("authority").map_or("free".to_owned(), text);
                let expected = (authority == "forced").then_some("because");
                if data["forced"].as_str() == expected {
                    return Ok(authority);
                }
                Err(format!("the reason is not recorded with its authority: {event}"))
            }
            _ => Err(format!("recorded {recorded:?}")),
        }
    }
}

/// Whether the task is as good for the next caller as before.
fn leaves_the_claim(command: &str) -> bool {
    ["checkpoint", "progress", "block"].iter().any(|kept| command.starts_with(kept))
}

#[track_caller]
fn follows_the_table(
    ledger: Ledger,
    table: &'static str,
    commands: &[&str],
    new_task: fn(&mut Bench, &str) -> String,
) {
    let mut bench = Bench::on(ledger);
    let mut differences = String::new();
    for command in commands {
        let mut task = new_task(&mut bench, command);
        for caller in callers(table) {
            let outcome = bench.run(command, &task, &caller).run();
            let found = bench.answer(&outcome);
            if found.as_deref() != Ok(caller.answer) {
                let case = format!("{command} by {caller:?}: found {found:?}");
                writeln!(differences, "{case}\n{outcome}\n").unwrap_or_default();
            }
            if outcome.code == Some(0) && !leaves_the_claim(command) {
                task = new_task(&mut bench, command);
            }
        }
    }
    assert!(differences.is_empty(), "{differences}");
}

#[track_caller]
fn is_changed_only_by_right(ledger: Ledger) {
    follows_the_table(ledger, EVERY_COMMAND, &COMMANDS, Bench::held_task);
}

#[test]
fn a_held_task_is_changed_only_by_right_on_sqlite() {
    is_changed_only_by_right(Ledger::on_sqlite());
}

#[test]
fn a_held_task_is_changed_only_by_right_on_postgresql() {
    if let Some(ledger) = Ledger::on_postgres() {
        is_changed_only_by_right(ledger);
    }
}

#[test]
fn what_a_caller_says_most_plainly_counts() {
    follows_the_table(Ledger::on_sqlite(), PRECEDENCE, &["checkpoint TASK half"], Bench::held_task);
}

#[test]
fn a_task_that_nobody_holds_is_anybodys_but_refuses_the_fence_of_a_claim_that_ended() {
    follows_the_table(Ledger::on_sqlite(), FREE, &COMMANDS_ON_READY, Bench::free_task);
}

#[track_caller]
fn is_refused_to_the_former_holder(ledger: Ledger, task: &str) {
    let bench = Bench::on(ledger);
    for caller in callers(FORMER) {
        for command in COMMANDS {
            let outcome = bench.run(command, task, &caller).run();
            let error = outcome.refused(caller.answer, 3)["error"].clone();
            let (holder, fence) = (&error["details"]["holder"], &error["details"]["fence"]);
            assert_eq!((holder, fence), (&"holder".into(), &2.into()), "{outcome}");
            let says_who = text(&error["message"]).contains("holder holds it under fence 2");
            assert!(says_who, "{outcome}");
        }
    }
    assert_eq!(bench.ledger.events(), bench.events);
}

#[test]
fn after_a_theft_the_former_holder_is_refused_everywhere_and_told_who_holds_the_task() {
    let ledger = Ledger::on_sqlite();
    let task = ledger.add(&["--status", "in_progress", "--agent", "before"]);
    let _stolen = ledger.answer(&["task", "steal", &task, "--force", "--agent", "holder"]);
    is_refused_to_the_former_holder(ledger, &task);
}

#[test]
fn after_a_takeover_the_former_holder_is_refused_everywhere_and_told_who_holds_the_task() {
    let ledger = Ledger::on_sqlite();
    let task = ledger.add(&["--status", "ready"]);
    let _claimed = ledger.answer(&["task", "claim", &task, "--agent", "before", "--lease", "1s"]);
    let take = ledger.windlass(&["task", "claim", &task, "--agent", "holder"]);
    wait::until("the lease has run out", || take.run().code == Some(0));
    is_refused_to_the_former_holder(ledger, &task);
}

/// An expired lease changes nothing by itself.
#[test]
fn until_somebody_else_wins_it_the_holder_of_an_expired_lease_goes_on() {
    let ledger = Ledger::on_sqlite();
    let task = ledger.add(&["--status", "ready"]);
    let _claimed = ledger.answer(&["task", "claim", &task, "--agent", "holder", "--lease", "1s"]);
    wait::until("the lease has run out", || {
        let why = ledger.answer(&["why", &task]);
        why["reasons"][0]["code"] == "lease_expired"
    });
    assert_eq!(ledger.status(&task), "in_progress");
    for command in [
        &["checkpoint", &task, "half"][..],
        &["renew", &task, "--lease", "1h"],
        &["complete", &task],
    ] {
        let _done =
            ledger.answer(&[&["task"], command, &["--agent", "holder", "--fence", "1"]].concat());
        assert_eq!(ledger.newest_event(&task)["data"]["authority"], "fence");
    }
    assert_eq!(ledger.status(&task), "done");
}

#[test]
fn a_comment_is_free_whoever_holds_the_task() {
    let ledger = Ledger::on_sqlite();
    let task = ledger.add(&["--status", "in_progress", "--agent", "holder"]);
    let comment = ledger.windlass(&["task", "comment", &task, "hello"]);
    let before = ledger.events();
    let runs = [
        comment.clone(),
        comment.clone().args(["--author", "other"]),
        comment.clone().env("WINDLASS_AGENT", "other"),
        comment.clone().env("WINDLASS_TASK", &task).env("WINDLASS_FENCE", "7"),
        comment.clone().env("WINDLASS_CLAIMS_REQUIRE", "identity"),
        comment.clone().env("WINDLASS_CLAIMS_REQUIRE", "fence"),
    ];
    let count = runs.len() as u64;
    for run in runs {
        let _said = run.run().ok();
    }
    assert_eq!(ledger.events(), before + count);
}

/// Setting `in_progress` by hand begins a claim, so it takes the task from whoever holds it.
#[test]
fn a_blocked_task_is_not_taken_from_its_holder_by_set_status() {
    let ledger = Ledger::on_sqlite();
    let task = ledger.add(&["--status", "in_progress", "--agent", "holder"]);
    let _blocked = ledger.answer(&["task", "block", &task, "--agent", "holder"]);
    let before = ledger.events();
    let set = ["task", "set-status", &task, "in_progress", "--agent", "other"];
    let _refused = ledger.windlass(&set).run().refused("stale_claim", 3);
    assert_eq!(ledger.events(), before);
    let force = ["--force", "--reason", "the holder is on leave"];
    let taken = ledger.answer(&[&set[..], &force].concat());
    assert_eq!((&taken["agent"], &taken["fence"]), (&"other".into(), &2.into()));
    let event = ledger.newest_event(&task);
    assert_eq!(event["data"]["reason"], "the holder is on leave", "{event}");
    assert_eq!(event["data"]["taken_from"]["agent"], "holder", "{event}");
}

/// With `--cascade` each subtask is asked for by itself, and one refusal keeps all of them.
#[test]
fn archiving_a_family_needs_the_right_to_every_held_member() {
    let ledger = Ledger::on_sqlite();
    let parent = ledger.add(&[]);
    let mine = ledger.add(&["--parent", &parent, "--status", "in_progress", "--agent", "holder"]);
    let theirs = ledger.add(&["--parent", &parent, "--status", "in_progress", "--agent", "other"]);
    let before = ledger.events();
    let archive = ["task", "archive", &parent, "--cascade", "--agent", "holder"];
    let _refused = ledger.windlass(&archive).run().refused("stale_claim", 3);
    assert_eq!(ledger.events(), before);
    for task in [&mine, &theirs] {
        assert_eq!(ledger.status(task), "in_progress");
    }
}
