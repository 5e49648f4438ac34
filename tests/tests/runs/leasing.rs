//! Leases while checks run: each is renewed when a third of it has passed, however short it is.
//!
//! The clock stands still unless a test moves it, and is moved on only once the lease was renewed.

use std::process::Child;

use serde_json::{Value, json};
use windlass_domain::duration::Span;
use windlass_testkit::{Run, wait};
use windlass_tests::clock::FileClock;
use windlass_tests::ledgers::text;

use crate::site::{FILE, Gates, LOW, Site, one_step, workflow};

/// A lease so short that a look every second comes too late, and more than a third of it.
const LEASE: &str = "1s";
const LEASE_SECONDS: i64 = 1;
const STEP: Span = Span::from_millis(400);

/// A check that ends when the test lets it.
const WAITS: &str = "verify: touch begun; until test -e go; do sleep 0.02; done\n";

/// A folder with a workflow file, and a clock.
struct Bench {
    site: Site,
    clock: FileClock,
}

impl Bench {
    #[track_caller]
    fn new() -> Self {
        let site = Site::empty(Gates::Enforced);
        site.has(FILE, &workflow(LOW, &one_step(WAITS)));
        let clock = FileClock::made(site.ledger.home.path().join("clock"));
        Self { site, clock }
    }

    /// An operation, at the time that the clock shows.
    fn call(&self, operation: &str, arguments: &Value) -> Run {
        let words = [self.clock.file(), operation.to_owned(), arguments.to_string()];
        let home = &self.site.ledger.home;
        let run = home.program(env!("CARGO_BIN_EXE_at_a_time")).args(words);
        run.db(&self.site.ledger.address).cwd(self.site.folder())
    }

    #[track_caller]
    fn does(&self, operation: &str, arguments: &Value) -> Value {
        self.call(operation, arguments).run().ok().json()
    }

    /// A task that waits for a run.
    #[track_caller]
    fn task(&self) -> String {
        text(&self.does("task.add", &json!({"title": "work", "status": "ready"}))["task_id"])
    }

    /// Lets several leases pass while the check runs, which must be renewed by events of that kind,
    /// and then lets the check end.
    #[track_caller]
    fn outlasts(&self, run: &Run, child: Child, kind: &str) {
        let begun = self.site.folder().join("begun");
        wait::until("the check has begun", || begun.exists());
        for _ in 0..6 {
            let before = self.site.count(kind);
            self.clock.advance(STEP);
            wait::until("the lease is renewed", || self.site.count(kind) > before);
        }
        self.site.has("go", "");
        let _done = run.finish(child).ok();
        assert_eq!(self.site.step(1)["status"], "done");
    }
}

#[test]
fn a_short_lease_of_a_task_outlasts_a_verification() {
    let bench = Bench::new();
    let task = bench.task();
    let begin = json!({"file": FILE, "task": task, "lease": LEASE, "agent": "worker-1"});
    bench.does("run.start", &begin);
    bench.does("run.step.start", &json!({"step": 1}));
    let verify = bench.call("run.step.verify", &json!({"step": 1}));
    bench.outlasts(&verify, verify.spawn(), "claim_renewed");
}

#[test]
fn a_short_lease_of_a_task_outlasts_a_step_that_is_driven() {
    let bench = Bench::new();
    let task = bench.task();
    let arguments = json!({
        "file": FILE, "in_place": true, "harness": "true",
        "task": task, "lease": LEASE, "agent": "worker-1",
    });
    let exec = bench.call("run.exec", &arguments);
    bench.outlasts(&exec, exec.spawn(), "claim_renewed");
}

#[test]
fn a_short_lease_of_an_owner_outlasts_a_verification() {
    let bench = Bench::new();
    bench.does("run.start", &json!({"file": FILE}));
    let claim = json!({"owner": "worker-1", "lease_seconds": LEASE_SECONDS});
    let token = text(&bench.does("run.owner.claim", &claim)["token"]);
    let step = json!({"step": 1, "owner_token": token});
    bench.does("run.step.start", &step);
    let verify = bench.call("run.step.verify", &step);
    bench.outlasts(&verify, verify.spawn(), "run_owner_changed");
}
