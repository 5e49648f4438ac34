//! Operations on a ledger, run in this process under a clock that the test moves.

#![expect(clippy::panic, clippy::unwrap_used, reason = "an answer of another shape ends its test")]

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use serde_json::{Value, json};
use windlass_domain::{Refusal, Time};
use windlass_ledger::{Clock, Error, Location};
use windlass_ops::context::Surroundings;
use windlass_ops::settings::Resolved;
use windlass_ops::table::Entry;
use windlass_ops::{Context, Workplace};

use crate::ledgers::{Ledger, text};

/// A clock the test moves.
#[derive(Debug)]
struct Hand(AtomicI64);

impl Clock for Hand {
    fn now(&self) -> Time {
        Time::from_millis(self.0.load(Ordering::SeqCst))
    }
}

/// A ledger and the operations on it.
#[derive(Debug)]
pub struct Office {
    cx: Context,
    clock: Arc<Hand>,
    _ledger: Ledger,
}

impl Office {
    pub fn on(ledger: Ledger) -> Self {
        let clock = Arc::new(Hand(AtomicI64::new(1_794_735_000_000)));
        let mut workplace = Workplace::new(Location::parse(&ledger.address));
        workplace.clock = Some(Arc::clone(&clock) as Arc<dyn Clock>);
        let surroundings = Surroundings { user: "user".to_owned(), ..Surroundings::default() };
        let cx = Context::new(workplace, surroundings, Resolved::default());
        Self { cx, clock, _ledger: ledger }
    }

    #[track_caller]
    pub fn run(&mut self, name: &str, input: Value) -> Value {
        serde_json::from_str(&self.answer(name, input).unwrap()).unwrap()
    }

    /// Why something is refused, which records nothing.
    #[track_caller]
    pub fn refuses(&mut self, name: &str, input: Value) -> Refusal {
        let before = self.run("audit.head", json!({}));
        let Err(Error::Refused(refusal)) = self.answer(name, input) else {
            panic!("{name} is not refused");
        };
        assert_eq!(self.run("audit.head", json!({})), before, "something was recorded");
        refusal
    }

    /// What is answered, byte by byte.
    pub fn answer(&mut self, name: &str, input: Value) -> Result<String, Error> {
        let request = Entry::named(name).unwrap().from_json(input)?;
        Ok(request.run(&mut self.cx)?.json()?)
    }

    /// The ledger itself, for what no operation does by itself.
    #[track_caller]
    pub fn ledger(&mut self) -> &mut windlass_ledger::Ledger {
        self.cx.ledger().unwrap()
    }

    /// What an operation is refused with.
    #[track_caller]
    pub fn refused(&mut self, name: &str, input: Value) -> String {
        let request = Entry::named(name).unwrap().from_json(input).unwrap();
        request.run(&mut self.cx).err().unwrap().to_string()
    }

    /// From now on everything is done in a run, as by an agent that it drives.
    pub fn in_run(&mut self, run: &Value) {
        self.cx.surroundings.wishes.run = run.as_str().map(str::to_owned);
    }

    pub fn after_minutes(&mut self, minutes: i64) -> &mut Self {
        self.clock.0.fetch_add(minutes * 60_000, Ordering::SeqCst);
        self
    }

    /// A task that an agent claims as soon as it is there.
    #[track_caller]
    pub fn held(&mut self, title: &str, agent: &str, more: Value) -> String {
        let mut input = json!({"title": title, "status": "ready"});
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let task = text(self.run("task.add", input).get("task_id").unwrap());
        self.run("task.claim", json!({"task": task, "agent": agent, "lease": "1h"}));
        task
    }
}

/// Checks the same on both databases.
#[track_caller]
pub fn in_office(check: impl Fn(&mut Office)) {
    check(&mut Office::on(Ledger::on_sqlite()));
    if let Some(ledger) = Ledger::on_postgres() {
        check(&mut Office::on(ledger));
    }
}
