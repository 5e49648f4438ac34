//! The matrix of statuses: every command on a task in every status, on both databases.
//!
//! The table below is the specification; it follows `DESIGN.md`, "Task status", not the program.

#![expect(clippy::indexing_slicing, reason = "an answer of another shape ends its test")]

use std::collections::HashMap;
use std::fmt::Write as _;

use windlass_testkit::{Outcome, wait};
use windlass_tests::ledgers::{Ledger, rows, text};

/// A status, and how a task comes to be in it: what it is added with, and the commands after that.
struct Way {
    to: &'static str,
    begins: &'static str,
    commands: &'static [&'static str],
}

/// `holder` holds a task wherever one is held.
#[rustfmt::skip]
const WAYS: [Way; 6] = [
    Way { to: "backlog",     begins: "backlog", commands: &[] },
    Way { to: "ready",       begins: "ready",   commands: &[] },
    Way { to: "in_progress", begins: "ready",   commands: &["claim TASK --agent holder"] },
    Way { to: "blocked",     begins: "ready",   commands: &["claim TASK --agent holder", "block TASK"] },
    Way { to: "done",        begins: "ready",   commands: &["claim TASK --agent holder", "complete TASK"] },
    Way { to: "archived",    begins: "ready",   commands: &["archive TASK"] },
];

/// A cell is the status afterwards; in brackets when the command succeeds but has nothing to record;
/// else the code of the refusal, with which the command exits with 3 and leaves no event.
/// `no` is `invalid_transition`.
///
/// TASK waits for OLD, which is done; NEW is done too, and TASK does not wait for it yet.
const TABLE: &str = "
command                                    | backlog        | ready          | in_progress       | blocked         | done           | archived
-------------------------------------------|----------------|----------------|-------------------|-----------------|----------------|---------------
claim TASK --agent another                 | no             | in_progress    | already_claimed   | no              | no             | no
claim TASK --agent holder                  | no             | in_progress    | already_held      | no              | no             | no
claim TASK                                 | agent_required | agent_required | agent_required    | agent_required  | agent_required | agent_required
start TASK --agent another                 | no             | in_progress    | already_claimed   | no              | no             | no
start TASK --agent holder                  | no             | in_progress    | already_held      | no              | no             | no
steal TASK --force --agent another         | no             | no             | in_progress       | no              | no             | no
steal TASK --force --agent holder          | no             | no             | in_progress       | no              | no             | no
steal TASK --if-expired --agent another    | no             | no             | lease_not_expired | no              | no             | no
renew TASK --lease 30m                     | no             | no             | in_progress       | no              | no             | no
renew TASK                                 | no             | no             | lease_required    | no              | no             | no
release TASK                               | no             | no             | ready             | no              | no             | no
block TASK                                 | no             | blocked        | blocked           | blocked         | no             | no
unblock TASK                               | no             | no             | no                | in_progress     | no             | no
unblock TASK --release                     | no             | no             | no                | ready           | no             | no
complete TASK                              | no             | no             | done              | done            | no             | no
reopen TASK                                | no             | no             | no                | no              | ready          | no
reopen TASK --status backlog               | no             | no             | no                | no              | backlog        | no
reopen TASK --status done                  | invalid_value  | invalid_value  | invalid_value     | invalid_value   | invalid_value  | invalid_value
set-status TASK backlog                    | (backlog)      | backlog        | backlog           | backlog         | backlog        | no
set-status TASK ready                      | ready          | (ready)        | ready             | ready           | ready          | no
set-status TASK in_progress                | agent_required | agent_required | (in_progress)     | agent_required  | agent_required | no
set-status TASK in_progress --agent holder | in_progress    | in_progress    | (in_progress)     | in_progress     | in_progress    | no
set-status TASK blocked                    | blocked        | blocked        | blocked           | (blocked)       | blocked        | no
set-status TASK done                       | done           | done           | done              | done            | (done)         | no
set-status TASK archived                   | invalid_value  | invalid_value  | invalid_value     | invalid_value   | invalid_value  | no
archive TASK                               | archived       | archived       | archived          | archived        | archived       | no
restore TASK                               | no             | no             | no                | no              | no             | ready
checkpoint TASK half                       | backlog        | ready          | in_progress       | blocked         | done           | task_archived
checkpoint TASK half --progress 50         | backlog        | ready          | in_progress       | blocked         | no             | task_archived
progress TASK 50                           | backlog        | ready          | in_progress       | blocked         | no             | task_archived
comment TASK hello                         | backlog        | ready          | in_progress       | blocked         | done           | archived
update TASK --priority 2                   | backlog        | ready          | in_progress       | blocked         | done           | task_archived
update TASK --agent another                | backlog        | ready          | already_claimed   | already_claimed | done           | task_archived
add-dep TASK NEW                           | backlog        | ready          | in_progress       | blocked         | done           | task_archived
add-dep TASK OLD                           | (backlog)      | (ready)        | (in_progress)     | (blocked)       | (done)         | task_archived
remove-dep TASK OLD                        | backlog        | ready          | in_progress       | blocked         | done           | task_archived
remove-dep TASK NEW                        | (backlog)      | (ready)        | (in_progress)     | (blocked)       | (done)         | task_archived
";

/// What a command is expected to do, or did.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Effect {
    /// 0, or the exit code of a refusal.
    exit: i32,
    /// The code of a refusal.
    code: Option<String>,
    /// The status of the task afterwards.
    status: String,
    /// Whether there are more events than before.
    recorded: bool,
}

impl Effect {
    fn of_cell(cell: &str, status_before: &str) -> Self {
        let accepted = |status: &str, recorded| Self {
            exit: 0,
            code: None,
            status: status.to_owned(),
            recorded,
        };
        if WAYS.iter().any(|way| way.to == cell) {
            return accepted(cell, true);
        }
        if let Some(unrecorded) = cell.strip_prefix('(').and_then(|cell| cell.strip_suffix(')')) {
            return accepted(unrecorded, false);
        }
        let code = if cell == "no" { "invalid_transition" } else { cell };
        Self {
            exit: 3,
            code: Some(code.to_owned()),
            status: status_before.to_owned(),
            recorded: false,
        }
    }
}

/// One ledger with a task for every cell that changes one.
struct Bench {
    ledger: Ledger,
    old: String,
    new: String,
    /// A task a status that no command has changed yet.
    unchanged: HashMap<&'static str, String>,
    events: u64,
}

impl Bench {
    fn on(ledger: Ledger) -> Self {
        let old = ledger.add(&["--status", "done"]);
        let new = ledger.add(&["--status", "done"]);
        let events = ledger.events();
        Self { ledger, old, new, unchanged: HashMap::new(), events }
    }

    #[track_caller]
    fn run(&self, command: &str, task: &str) -> Outcome {
        let word = |word| match word {
            "TASK" => task.to_owned(),
            "OLD" => self.old.clone(),
            "NEW" => self.new.clone(),
            other => String::from(other),
        };
        let words: Vec<String> = command.split_whitespace().map(word).collect();
        let words = std::iter::once("task").chain(words.iter().map(String::as_str));
        self.ledger.windlass(&words.collect::<Vec<_>>()).run()
    }

    /// A task in the status that the way leads to.
    #[track_caller]
    fn task_in(&mut self, way: &Way) -> String {
        if let Some(task) = self.unchanged.get(way.to) {
            return task.clone();
        }
        let task = self.ledger.add(&["--status", way.begins, "--depends-on", &self.old]);
        for command in way.commands {
            let _done = self.run(command, &task).ok();
        }
        self.events = self.ledger.events();
        self.unchanged.insert(way.to, task.clone());
        task
    }

    /// Runs the command on a task in that status and looks at what became of both. Without an event
    /// nothing has changed: in the end the views are compared with what the events say.
    #[track_caller]
    fn try_cell(&mut self, command: &str, way: &Way) -> (Effect, Outcome) {
        let task = self.task_in(way);
        let outcome = self.run(command, &task);
        let events = self.ledger.events();
        let recorded = events > self.events;
        let status = if recorded {
            self.unchanged.remove(way.to);
            self.ledger.status(&task)
        } else {
            way.to.to_owned()
        };
        self.events = events;
        let effect = Effect {
            exit: outcome.code.unwrap_or(-1),
            code: outcome.json().pointer("/error/code").map(text),
            status,
            recorded,
        };
        (effect, outcome)
    }
}

#[track_caller]
fn follows_the_table(ledger: Ledger) {
    let mut bench = Bench::on(ledger);
    let mut differences = String::new();
    for [command, cells @ ..] in rows::<7>(TABLE) {
        for (way, cell) in WAYS.iter().zip(cells) {
            let expected = Effect::of_cell(cell, way.to);
            let (found, outcome) = bench.try_cell(command, way);
            if found != expected {
                let case =
                    format!("{command} in {}: expected {expected:?}, found {found:?}", way.to);
                writeln!(differences, "{case}\n{outcome}\n").unwrap_or_default();
            }
        }
    }
    assert!(differences.is_empty(), "{differences}");
    let examined = bench.ledger.answer(&["doctor", "--rebuild"]);
    assert_eq!(examined["healthy"], true, "{examined}");
}

#[test]
fn every_command_in_every_status_does_what_the_table_says_on_sqlite() {
    follows_the_table(Ledger::on_sqlite());
}

#[test]
fn every_command_in_every_status_does_what_the_table_says_on_postgresql() {
    if let Some(ledger) = Ledger::on_postgres() {
        follows_the_table(ledger);
    }
}

/// A blocked task comes back ready, like a held one: the table has no way from archived to blocked.
#[test]
fn a_restored_task_has_the_status_from_before_it_was_archived_but_is_never_held() {
    let mut bench = Bench::on(Ledger::on_sqlite());
    let after = ["backlog", "ready", "ready", "ready", "done"];
    for (way, after) in WAYS.iter().zip(after) {
        let task = bench.task_in(way);
        let _archived = bench.run("archive TASK", &task).ok();
        let restored = bench.run("restore TASK", &task).ok().json();
        assert_eq!(restored["status"], after, "archived from {}", way.to);
        let claimed_at = &bench.ledger.answer(&["task", "show", &task])["task"]["claimed_at"];
        assert!(claimed_at.is_null(), "archived from {}: {claimed_at}", way.to);
    }
}

#[test]
fn a_blocked_task_that_nobody_holds_goes_back_to_the_pool() {
    let ledger = Ledger::on_sqlite();
    let task = ledger.add(&["--status", "ready"]);
    let _blocked = ledger.answer(&["task", "block", &task]);
    assert_eq!(ledger.answer(&["task", "unblock", &task])["status"], "ready");
}

#[test]
fn blocking_keeps_owner_and_fence_and_drops_the_lease() {
    let ledger = Ledger::on_sqlite();
    let task = ledger.add(&["--status", "ready"]);
    let claimed = ledger.answer(&["task", "claim", &task, "--agent", "holder", "--lease", "1h"]);
    assert!(claimed["lease_until"].is_string(), "{claimed}");
    let blocked = ledger.answer(&["task", "block", &task]);
    assert_eq!((&blocked["agent"], &blocked["fence"]), (&"holder".into(), &1.into()));
    assert!(blocked["lease_until"].is_null(), "{blocked}");
    let resumed = ledger.answer(&["task", "unblock", &task]);
    assert_eq!((&resumed["agent"], &resumed["fence"]), (&"holder".into(), &1.into()));
}

#[track_caller]
fn is_taken_over_when_its_lease_has_run_out(take: &[&str], won: &str, from: &str) {
    let ledger = Ledger::on_sqlite();
    let task = ledger.add(&["--status", "ready"]);
    let _claimed = ledger.answer(&["task", "claim", &task, "--agent", "holder", "--lease", "1s"]);
    let take = ledger.windlass(&[&["task"], take, &[&task, "--agent", "another"]].concat());
    let mut taken = None;
    wait::until("the lease has run out", || {
        let outcome = take.run();
        taken = (outcome.code == Some(0)).then(|| outcome.json());
        taken.is_some()
    });
    let taken = taken.unwrap_or_default();
    assert_eq!((&taken["status"], &taken["fence"]), (&"in_progress".into(), &2.into()), "{taken}");
    assert_eq!(taken[from], "holder", "{taken}");
    let event = ledger.newest_event(&task);
    assert_eq!(event["data"]["won"], won, "{event}");
    assert_eq!(event["data"]["taken_from"]["agent"], "holder", "{event}");
    // The fact that the lease ran out is recorded once, before its consequence.
    let history = ledger.answer(&["task", "history", &task]);
    let events = history["events"].as_array().cloned().unwrap_or_default();
    let kinds: Vec<String> = events.iter().map(|event| text(&event["kind"])).collect();
    assert_eq!(kinds, ["task_created", "task_claimed", "claim_expired", "task_claimed"]);
}

#[test]
fn a_claim_takes_over_a_task_whose_lease_has_run_out() {
    is_taken_over_when_its_lease_has_run_out(&["claim"], "taken_over", "taken_from");
}

#[test]
fn a_task_whose_lease_has_run_out_is_stolen_without_force() {
    is_taken_over_when_its_lease_has_run_out(&["steal", "--if-expired"], "stolen", "stolen_from");
}

/// Every way to `done`, and what it says while something is open.
#[test]
fn no_way_to_done_passes_open_dependencies_or_subtasks() {
    let ledger = Ledger::on_sqlite();
    let open = ledger.add(&[]);
    let waiting = ledger.add(&["--status", "ready"]);
    let parent = ledger.add(&["--status", "ready"]);
    for task in [&waiting, &parent] {
        let _claimed = ledger.answer(&["task", "claim", task, "--agent", "holder"]);
    }
    let _waits = ledger.answer(&["task", "add-dep", &waiting, &open]);
    let _child = ledger.add(&["--parent", &parent]);
    let ways: [(&str, &[&str]); 4] = [
        ("dependencies_open", &["complete", &waiting]),
        ("dependencies_open", &["set-status", &waiting, "done"]),
        ("children_open", &["complete", &parent]),
        ("children_open", &["set-status", &parent, "done"]),
    ];
    let before = ledger.events();
    for (code, way) in ways {
        let refused = ledger.windlass(&[&["task"], way].concat()).run().refused(code, 3);
        assert!(refused["error"]["hint"].is_string(), "{refused}");
    }
    let add = ["task", "add", "x", "--status", "done", "--depends-on", &open];
    let _refused = ledger.windlass(&add).run().refused("dependencies_open", 3);
    assert_eq!(ledger.events(), before);

    let force = ["--force", "--reason", "it no longer matters"];
    let _done = ledger.answer(&[&["task", "complete", &waiting][..], &force].concat());
    assert_eq!(ledger.newest_event(&waiting)["data"]["forced"], "it no longer matters");
    let done = ledger.answer(&[&["task", "set-status", &parent, "done"][..], &force].concat());
    assert_eq!(done["status"], "done");
    assert_eq!(ledger.newest_event(&parent)["data"]["forced"], "it no longer matters");
    let added = ledger.answer(&[&add[..], &force].concat());
    assert_eq!(added["status"], "done");
    assert_eq!(
        ledger.newest_event(&text(&added["task_id"]))["data"]["forced"],
        "it no longer matters"
    );
}

#[test]
fn no_claim_passes_open_dependencies_subtasks_or_a_frozen_project() {
    let ledger = Ledger::on_sqlite();
    let open = ledger.add(&[]);
    let waiting = ledger.add(&["--status", "ready", "--depends-on", &open]);
    let parent = ledger.add(&["--status", "ready"]);
    let _child = ledger.add(&["--parent", &parent]);
    let _project = ledger.answer(&["project", "create", "cold"]);
    let frozen = ledger.add(&["--status", "ready", "-P", "cold"]);
    let _frozen = ledger.answer(&["project", "freeze", "cold"]);
    let before = ledger.events();
    for (task, code) in
        [(&waiting, "dependencies_open"), (&parent, "children_open"), (&frozen, "project_frozen")]
    {
        for command in ["claim", "start"] {
            let run = ledger.windlass(&["task", command, task, "--agent", "another"]).run();
            let _refused = run.refused(code, 3);
        }
    }
    // The queue passes over all of them, which is no error.
    let next = ledger.answer(&["task", "claim", "--next", "--agent", "another"]);
    assert!(next["task_id"].is_null(), "{next}");
    assert_eq!(ledger.events(), before);
}
