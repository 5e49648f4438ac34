//! Random histories: whatever happens, in whatever order, the views follow from the log, the
//! chain verifies, and the ledger can move to the other database without changing a hash.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

#[path = "histories/runs.rs"]
mod runs;

use std::collections::BTreeMap;
use std::io::BufReader;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use windlass_domain::chain::Provenance;
use windlass_domain::duration::Span;
use windlass_domain::op::OpId;
use windlass_domain::{Code, Time};
use windlass_ledger::{
    Again, Attempt, Clock, Error, Ledger, Location, Options, Sent, Settled, Shown, Tracked, audit,
    export, import,
};
use windlass_ops::context::Surroundings;
use windlass_ops::settings::Resolved;
use windlass_ops::table::Entry;
use windlass_ops::{Context, Workplace};
use windlass_testkit::postgres;

/// Operations of a history that are not refused.
const OPERATIONS: u32 = 500;

/// Of so many op ids.
const OP_IDS: usize = 60;

/// A small generator of numbers, so that a seed tells the whole history.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % sides
    }

    fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.roll(from.len())]
    }
}

struct Hand(AtomicI64);

impl Clock for Hand {
    fn now(&self) -> Time {
        Time::from_millis(self.0.load(Ordering::SeqCst))
    }
}

struct World {
    cx: Context,
    clock: Arc<Hand>,
    tasks: Vec<String>,
    outcomes: BTreeMap<&'static str, (u32, u32)>,
    pruned: usize,
    /// Deliveries that arrived or failed.
    drained: usize,
    /// Runs of which it was said what became of the work.
    runs_ended: usize,
}

impl World {
    fn new(location: Location) -> Self {
        let clock = Arc::new(Hand(AtomicI64::new(1_794_735_000_000)));
        let mut workplace = Workplace::new(location);
        workplace.clock = Some(Arc::clone(&clock) as Arc<dyn Clock>);
        let cx = Context::new(
            workplace,
            Surroundings { user: "user".into(), ..Surroundings::default() },
            Resolved::default(),
        );
        Self {
            cx,
            clock,
            tasks: Vec::new(),
            outcomes: BTreeMap::new(),
            pruned: 0,
            drained: 0,
            runs_ended: 0,
        }
    }

    /// Another one that looks at a ledger at the same time.
    fn beside(&self, location: Location) -> Self {
        let world = Self::new(location);
        world.clock.0.store(self.clock.0.load(Ordering::SeqCst), Ordering::SeqCst);
        world
    }

    /// How many operations were not refused.
    fn done(&self) -> u32 {
        self.outcomes.values().map(|(done, _)| done).sum()
    }

    /// An operation that was always refused, or had nothing to do.
    fn misses(&self) -> Option<&'static str> {
        let mut outcomes = self.outcomes.iter();
        let refused = outcomes.find(|(_, (done, _))| *done == 0).map(|(name, _)| *name);
        let pruned = refused.or((self.pruned == 0).then_some("task.prune"));
        let drained = pruned.or((self.drained == 0).then_some("hook.drain"));
        drained.or((self.runs_ended == 0).then_some("the end of a run"))
    }

    fn run(&mut self, name: &'static str, input: serde_json::Value) -> Option<serde_json::Value> {
        let request = Entry::named(name).unwrap().from_json(input).unwrap();
        let counted = self.outcomes.entry(name).or_default();
        match request.run(&mut self.cx) {
            Ok(answer) => {
                counted.0 += 1;
                Some(serde_json::from_str(&answer.json().unwrap()).unwrap())
            }
            Err(Error::Refused(_)) => {
                counted.1 += 1;
                None
            }
            Err(Error::Failed(fault)) => panic!("{name} failed: {fault:?}"),
        }
    }

    fn prune(&mut self, input: serde_json::Value) {
        let Some(pruned) = self.run("task.prune", input) else { return };
        let gone = pruned["pruned"].as_array().into_iter().flatten();
        let gone: Vec<&str> = gone.filter_map(|task| task["task_id"].as_str()).collect();
        self.pruned += gone.len();
        self.tasks.retain(|task| !gone.contains(&task.as_str()));
    }

    fn move_both(&mut self, dice: &mut Dice, tasks: [&str; 2], project: &str) {
        let edges = dice.pick(&["keep", "settle"]);
        let input = serde_json::json!({"tasks": tasks, "project": project, "edges": edges});
        self.run("task.move", input);
    }

    fn delete_and_make_again(&mut self, dice: &mut Dice, project: &str, task: &str) {
        use serde_json::json;
        let mut input = json!({"name": project, "force": true, "reason": "because"});
        match dice.roll(4) {
            0 => input["move_to"] = json!("inbox"),
            1 => input["delete_tasks"] = json!(true),
            _ => input["archive_tasks"] = json!(true),
        }
        match dice.roll(4) {
            0 => input["rewrite_deps"] = json!(task),
            1 => input["edges"] = json!("settle"),
            2 => input["edges"] = json!("keep"),
            _ => {}
        }
        if self.run("project.delete", input).is_some() {
            self.run("project.create", json!({"name": project}));
        }
    }

    /// Sends some of what waits in the outbox, well or badly; some of it stays with its worker.
    fn drain(&mut self, dice: &mut Dice) {
        let outcomes = [(); 8].map(|()| dice.roll(6));
        let lock_for = Span::from_millis(120_000);
        let ledger = self.cx.ledger().unwrap();
        let settled = ledger.write(&Provenance::default(), |tx| {
            let mut attempts = Vec::new();
            let claims = tx.claim_hooks("a worker", 8, lock_for)?;
            for (claimed, outcome) in claims.claimed.into_iter().zip(outcomes) {
                let failed = |again| Sent::Failed { reason: "no".into(), retry_after: None, again };
                let sent = match outcome {
                    0 => continue,
                    1 => {
                        tx.unclaim_hook(claimed.delivery, claimed.lock)?;
                        continue;
                    }
                    2 => failed(Again::Never),
                    3 => failed(Again::ByTheSchedule),
                    _ => Sent::Delivered,
                };
                attempts.push(Attempt { delivery: claimed.delivery, lock: claimed.lock, sent });
            }
            Ok(tx.settle_hooks(&attempts)?)
        });
        let is_over = |settled: &&Settled| matches!(settled, Settled::Delivered | Settled::Failed);
        self.drained += settled.unwrap().iter().filter(is_over).count();
    }

    /// Defines, removes, tries again, gives up.
    fn tend_hooks(&mut self, dice: &mut Dice) {
        use serde_json::json;
        let trigger = dice.pick(&["on_done", "on_status_changed", "on_blocked"]);
        match dice.roll(6) {
            0 => drop(self.run("hook.remove", json!({"name": trigger}))),
            1 => drop(self.run("hook.retry", json!({"all_failed": true}))),
            2..=3 => {
                let newest = self.cx.read(|snapshot| Ok(snapshot.deliveries(Shown::All, 20)?));
                let newest = newest.unwrap();
                if !newest.is_empty() {
                    let id = newest[dice.roll(newest.len())].delivery.id.to_string();
                    let name = dice.pick(&["hook.discard", "hook.retry"]);
                    self.run(name, json!({"ids": [id]}));
                }
            }
            _ => {
                let tags = dice.pick::<[&str]>(&[&[], &["a"]]);
                let input = json!({"name": trigger, "command": ["true"], "tag": tags});
                self.run("hook.set", input);
            }
        }
    }

    /// Knows a task that a workflow made, or had made before.
    fn made(&mut self, task: Option<&serde_json::Value>) {
        let id = task.and_then(|task| task["task_id"].as_str()).map(str::to_owned);
        self.tasks.extend(id.filter(|id| !self.tasks.contains(id)));
    }

    fn run_a_workflow(
        &mut self,
        dice: &mut Dice,
        agent: &str,
        project: &str,
        mut input: serde_json::Value,
    ) {
        use serde_json::json;
        match dice.roll(5) {
            0 => drop(self.run("workflow.run.start", json!({"agent": agent, "lease": "5m"}))),
            1..=2 => {
                input["project"] = json!(project);
                input["auto_op_id"] = json!(dice.roll(4) == 0);
                let handed = self.run("workflow.run.handoff", input);
                self.made(handed.as_ref().map(|handed| &handed["follow_on"]));
            }
            _ => {
                input["pause_parent"] = json!(true);
                input["auto_unpause"] = json!(dice.roll(3) > 0);
                input["as_subtask"] = json!(dice.roll(3) == 0);
                let delegated = self.run("workflow.run.delegate", input);
                self.made(delegated.as_ref().map(|delegated| &delegated["delegated"]));
            }
        }
    }

    fn turn(&mut self, dice: &mut Dice) {
        if dice.roll(6) == 0 {
            // Few enough that some come again: the same request is replayed, another refused.
            self.cx.op_id = Some(op_id(dice.roll(OP_IDS)));
        }
        match dice.roll(40) {
            0..=2 => self.drain(dice),
            3..=5 => self.tend_hooks(dice),
            6..=9 => self.tend_runs(dice),
            _ => self.step(dice),
        }
    }

    fn step(&mut self, dice: &mut Dice) {
        use serde_json::json;
        self.clock.0.fetch_add(i64::try_from(dice.roll(40_000)).unwrap(), Ordering::SeqCst);
        let agent = dice.pick(&["w1", "w2", "w3"]);
        let project = dice.pick(&["api", "web", "inbox"]);
        let status = dice.pick(&["backlog", "ready", "ready", "blocked", "done", "in_progress"]);
        let tags = dice.pick::<[&str]>(&[&[], &["a"], &["a", "b"], &["c"]]);
        let some = |dice: &mut Dice, tasks: &[String]| match tasks.is_empty() {
            true => "none".to_owned(),
            false => tasks[dice.roll(tasks.len())].clone(),
        };
        let task = some(dice, &self.tasks);
        let other = some(dice, &self.tasks);
        let force = dice.roll(4) == 0;
        let by = |mut input: serde_json::Value| {
            if force {
                input["force"] = json!(true);
                input["reason"] = json!("because");
            }
            input
        };
        match dice.roll(43) {
            0..=4 => {
                let mut input = by(
                    json!({"title": "t", "project": project, "status": status, "tags": tags,
                    "priority": dice.roll(4), "agent": if status == "in_progress" || force { Some(agent) } else { None }}),
                );
                if dice.roll(3) == 0 {
                    input["depends_on"] = json!([other]);
                }
                if dice.roll(4) == 0 {
                    input["parent"] = json!(task);
                }
                let added = self.run("task.add", input);
                self.made(added.as_ref());
            }
            5..=8 => {
                let lease = dice.pick(&["30s", "5m", "1h"]);
                self.run("task.claim", json!({"next": true, "agent": agent, "lease": lease, "tags": if force { json!(tags) } else { json!([]) }}));
            }
            9 => drop(self.run("task.claim", json!({"task": task, "agent": agent, "lease": "1m"}))),
            10..=11 => {
                drop(self.run("task.complete", by(json!({"task": task, "comment": "done"}))));
            }
            12 => drop(self.run("task.release", by(json!({"task": task, "agent": agent})))),
            13 => drop(self.run("task.block", by(json!({"task": task, "comment": "why"})))),
            14 => drop(
                self.run("task.unblock", by(json!({"task": task, "release": dice.roll(2) == 0}))),
            ),
            15 => drop(self.run("task.reopen", json!({"task": task}))),
            16 => drop(self.run(
                "task.set-status",
                by(json!({"task": task, "status": status, "agent": agent})),
            )),
            17 => {
                let how = dice.pick(&["cascade", "orphan", "force"]);
                let mut input = json!({"task": task, how: true});
                if how == "force" {
                    input["reason"] = json!("because");
                }
                self.run("task.archive", input);
            }
            18 => drop(self.run("task.restore", json!({"task": task}))),
            19 => drop(self.run("task.add-dep", json!({"task": task, "depends_on": other}))),
            20 => drop(self.run("task.remove-dep", json!({"task": task, "depends_on": other}))),
            21 => {
                let parent = if force { String::new() } else { other };
                self.run(
                    "task.update",
                    json!({"task": task, "priority": dice.roll(4), "tags": tags, "parent": parent}),
                );
            }
            22..=24 => {
                let title = dice.pick(&["repaint", "GitHub 数据库", "задача", "t"]);
                let comment = dice.pick(&["Größe", "repainted twice", "据库", "no"]);
                self.run("task.update", json!({"task": task, "title": title}));
                self.run("task.comment", json!({"task": other, "text": comment}));
            }
            25..=27 => drop(self.run("task.move", json!({"tasks": [task], "project": project}))),
            28 => {
                let older_than = dice.pick(&["90m", "2h", "4h"]);
                self.prune(json!({"all": true, "older_than": older_than, "yes": true}));
            }
            29..=34 => {
                let forced = dice.roll(2) == 0;
                self.run(
                    "task.steal",
                    json!({"task": task, "agent": agent, "if_expired": !forced, "force": forced}),
                );
            }
            35 => self.move_both(dice, [&task, &other], project),
            36 if dice.roll(3) == 0 => self.delete_and_make_again(dice, project, &task),
            37..=41 => {
                self.run_a_workflow(dice, agent, project, by(json!({"from": task, "title": "n"})));
            }
            _ => drop(self.run(
                "task.checkpoint",
                by(json!({"task": task, "name": "c", "progress": dice.roll(101)})),
            )),
        }
    }
}

impl World {
    /// Everything that can be seen of the ledger, but for how deliveries go that are not over.
    fn views(&mut self) -> BTreeMap<String, String> {
        use serde_json::json;
        self.cx.op_id = None;
        let mut views = BTreeMap::new();
        for kept in self.runs() {
            views.insert(format!("run {}", kept.run.key), format!("{kept:?}"));
        }
        for (name, input) in [
            ("project.list", json!({})),
            ("task.list", json!({"archived": true, "limit": 1_000, "view": "full"})),
            ("task.list", json!({"available": true, "limit": 1_000})),
            ("task.search", json!({"query": "repaint"})),
            ("dep.list", json!({"limit": 1_000})),
            ("agent.status", json!({})),
            ("stats", json!({})),
        ] {
            let seen = self.run(name, input.clone()).unwrap_or_else(|| panic!("{name} is refused"));
            views.insert(format!("{name} {input}"), seen.to_string());
        }
        self.cx
            .read(|snapshot| {
                for Tracked { delivery, .. } in snapshot.deliveries(Shown::All, 10_000)? {
                    views.insert(format!("delivery {}", delivery.id), format!("{delivery:?}"));
                }
                for number in 0..OP_IDS {
                    let op_id = op_id(number);
                    let record = snapshot.op(&op_id)?;
                    views.insert(format!("op id '{}'", op_id.as_str()), format!("{record:?}"));
                }
                views.insert("hooks".into(), format!("{:?}", snapshot.hooks()?));
                Ok(())
            })
            .unwrap();
        views
    }
}

fn op_id(number: usize) -> OpId {
    OpId::parse(&format!("op {number}")).unwrap()
}

/// Runs a history and checks what must hold after any.
fn history(seed: u64, location: &Location, other: &Location) {
    let mut world = World::new(location.clone());
    let mut dice = Dice(seed | 1);
    for name in ["api", "web"] {
        world.run("project.create", serde_json::json!({"name": name}));
    }
    world.run("hook.set", serde_json::json!({"name": "on_done", "command": ["true"]}));
    while world.done() < OPERATIONS || (world.misses().is_some() && world.done() < 4 * OPERATIONS) {
        world.turn(&mut dice);
    }
    assert_eq!(world.misses(), None, "seed {seed}: never happened");

    let mut ledger = Ledger::open(location, Options::default()).unwrap();
    let rebuilt = ledger.rebuild().unwrap();
    assert_eq!(
        rebuilt.differences,
        Vec::new(),
        "seed {seed}: the views do not follow from the log"
    );
    let (found, file) = ledger
        .read(|snapshot| {
            let mut file = Vec::new();
            export(snapshot, &mut file)?;
            Ok((audit(snapshot, None)?, file))
        })
        .unwrap();
    assert_eq!(found.findings, Vec::<String>::new(), "seed {seed}: the chain does not verify");

    let mut copy = Ledger::open(other, Options::default()).unwrap();
    let taken = copy
        .write(&Provenance::default(), |tx| import(tx, &mut BufReader::new(&file[..])))
        .unwrap();
    assert_eq!(taken.head, found.head, "seed {seed}: the hashes changed on the way");
    assert_eq!(
        copy.rebuild().unwrap().differences,
        Vec::new(),
        "seed {seed}: the copy's views differ"
    );
    no_circle(&mut copy);
    let (here, there) = (world.views(), world.beside(other.clone()).views());
    for (view, seen) in &here {
        assert_eq!(there.get(view), Some(seen), "seed {seed}: {view} of the copy");
    }
    assert_eq!(here.len(), there.len(), "seed {seed}: the copy has more");
}

/// Nobody waits for itself, over dependencies and subtasks.
fn no_circle(ledger: &mut Ledger) {
    ledger
        .read(|snapshot| {
            for (task, on) in snapshot.edges()? {
                let back = snapshot.waiting_path(on, task)?;
                assert_eq!(back, None, "{task} waits for itself");
            }
            Ok(())
        })
        .unwrap();
}

fn sqlite(folder: &tempfile::TempDir, name: &str) -> Location {
    Location::Sqlite(folder.path().join(name))
}

fn migrated() -> Option<postgres::Database> {
    let server = postgres::shared()?;
    Some(server.database_from("windlass_ledger", |url| {
        Ledger::migrate(&Location::parse(url), Options::default()).unwrap();
    }))
}

#[test]
fn after_any_history_on_sqlite_the_views_and_the_chain_are_sound_and_it_moves_to_postgres() {
    for seed in [1, 20_261_115, 77] {
        let folder = tempfile::tempdir().unwrap();
        let database = migrated();
        let other = match &database {
            Some(database) => Location::parse(&database.url),
            None => sqlite(&folder, "copy.db"),
        };
        history(seed, &sqlite(&folder, "ledger.db"), &other);
    }
}

#[test]
fn after_any_history_on_postgres_the_views_and_the_chain_are_sound_and_it_moves_to_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let Some(database) = migrated() else { return };
    history(4_711, &Location::parse(&database.url), &sqlite(&folder, "copy.db"));
}

#[test]
fn an_unknown_field_is_refused() {
    let entry = Entry::named("task.add").unwrap();
    let refused = entry.from_json(serde_json::json!({"title": "t", "prioriti": 1})).err().unwrap();
    assert_eq!(refused.code, Code::UnknownField);
    assert_eq!(refused.suggestions, ["priority"]);
}
