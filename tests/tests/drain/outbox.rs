//! A ledger with hooks, its processes, and their clock.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value, json};
use windlass_domain::Time;
use windlass_domain::chain::Provenance;
use windlass_domain::duration::Span;
use windlass_domain::hook::{Hook, MAX_ATTEMPTS, TIMEOUT, Target, Trigger};
use windlass_ledger::{Clock as _, HookCounts, Location, Options, Shown, Tracked, Transaction};
use windlass_testkit::Run;
use windlass_testkit::receiver::Receiver;
use windlass_tests::clock::FileClock;
use windlass_tests::ledgers::Ledger;

pub(crate) const SECOND: i64 = 1_000;
pub(crate) const MINUTE: i64 = 60 * SECOND;
pub(crate) const HOUR: i64 = 60 * MINUTE;

/// What a test looks at.
pub(crate) struct Outbox {
    pub(crate) ledger: Ledger,
    pub(crate) clock: FileClock,
}

impl Outbox {
    #[track_caller]
    pub(crate) fn on_sqlite() -> Self {
        Self::on(Ledger::on_sqlite())
    }

    /// Nothing when this run has no PostgreSQL.
    #[track_caller]
    pub(crate) fn on_postgres() -> Option<Self> {
        Ledger::on_postgres().map(Self::on)
    }

    pub(crate) fn on(ledger: Ledger) -> Self {
        let clock = FileClock::made(ledger.home.path().join("clock"));
        Self { ledger, clock }
    }

    /// With a hook on everything that becomes done, to that receiver.
    #[track_caller]
    pub(crate) fn to(receiver: &Receiver) -> Self {
        let outbox = Self::on_sqlite();
        outbox.define(url(receiver.url("/hook")));
        outbox
    }

    /// An operation in a process of its own, by the clock of the test.
    pub(crate) fn operation(&self, name: &str, arguments: &Value) -> Run {
        let program = PathBuf::from(env!("CARGO_BIN_EXE_at_a_time"));
        let words = [self.clock.file(), name.to_owned(), arguments.to_string()];
        self.ledger.home.program(program).args(words).db(&self.ledger.address)
    }

    #[track_caller]
    pub(crate) fn does(&self, name: &str, arguments: &Value) -> Value {
        self.operation(name, arguments).run().ok().json()
    }

    pub(crate) fn drain_run(&self) -> Run {
        self.operation("hook.drain", &json!({}))
    }

    #[track_caller]
    pub(crate) fn drain(&self) -> Value {
        self.drain_run().run().ok().json()
    }

    /// So many tasks become done, in one command.
    #[track_caller]
    pub(crate) fn finish(&self, count: usize) {
        let titles: Vec<String> = (0..count).map(|number| format!("task {number}")).collect();
        let add = self.operation("task.add", &json!({"from": "-", "status": "done"}));
        let _added = add.stdin(titles.join("\n")).run().ok();
    }

    pub(crate) fn advance(&self, millis: i64) {
        self.clock.advance(Span::from_millis(millis));
    }

    /// Lets time pass until then.
    pub(crate) fn advance_to(&self, time: Time) {
        self.advance(time.millis_since(self.clock.now()));
    }

    /// Defines a hook, or defines it anew.
    #[track_caller]
    pub(crate) fn define(&self, hook: Hook) {
        let hook = hook.checked().unwrap();
        self.write(|tx| tx.set_hook(hook.clone()));
    }

    #[track_caller]
    pub(crate) fn write<T>(
        &self,
        work: impl FnMut(&mut Transaction<'_>) -> Result<T, windlass_ledger::Error>,
    ) -> T {
        let ada = Provenance { actor: "ada".to_owned(), ..Provenance::default() };
        self.open().write(&ada, work).unwrap()
    }

    fn open(&self) -> windlass_ledger::Ledger {
        let location = Location::parse(&self.ledger.address);
        let clock = Some(Arc::new(self.clock.clone()) as _);
        windlass_ledger::Ledger::open(&location, Options { clock, ..Options::default() }).unwrap()
    }

    /// Every delivery, oldest first.
    #[track_caller]
    pub(crate) fn deliveries(&self) -> Vec<Tracked> {
        let mut all =
            self.open().read(|snapshot| Ok(snapshot.deliveries(Shown::All, 10_000)?)).unwrap();
        all.reverse();
        all
    }

    /// The one delivery there is.
    #[track_caller]
    pub(crate) fn delivery(&self) -> Tracked {
        let mut all = self.deliveries();
        assert_eq!(all.len(), 1);
        all.remove(0)
    }

    #[track_caller]
    pub(crate) fn counts(&self) -> HookCounts {
        self.open().read(|snapshot| Ok(snapshot.hook_counts()?)).unwrap()
    }
}

/// On everything that becomes done.
pub(crate) fn url(url: impl Into<String>) -> Hook {
    on_done(Target::Url { url: url.into(), headers: BTreeMap::new() })
}

pub(crate) fn with_header(url: impl Into<String>, name: &str, value: &str) -> Hook {
    let headers = BTreeMap::from([(name.to_owned(), value.to_owned())]);
    on_done(Target::Url { url: url.into(), headers })
}

pub(crate) fn command(argv: &[&str]) -> Hook {
    on_done(Target::Command { argv: argv.iter().map(|&word| word.to_owned()).collect() })
}

fn on_done(target: Target) -> Hook {
    Hook {
        name: "on_done".to_owned(),
        on: Trigger::OnDone,
        target,
        projects: Vec::new(),
        tags: Vec::new(),
        secret: None,
        max_attempts: MAX_ATTEMPTS,
        timeout_ms: TIMEOUT.as_millis(),
    }
}

/// Those figures of a drain that are not 0, as `name count` in their order.
#[track_caller]
pub(crate) fn figures(drained: &Value) -> String {
    let names = [
        "claimed",
        "attempted",
        "delivered",
        "retried",
        "failed",
        "reclaimed",
        "reclaimed_failed",
        "preflight_failed",
        "lost",
    ];
    let told = names.map(|name| (name, drained[name].as_u64().unwrap()));
    let told: Vec<String> = told
        .iter()
        .filter(|(_, count)| *count > 0)
        .map(|(name, n)| format!("{name} {n}"))
        .collect();
    told.join(", ")
}
