//! One suite over both databases. It grows with every change to the seam.

mod activity;
mod bulk;
mod candidates;
mod chunk_desk;
mod chunk_desk_plans;
mod chunk_plans;
mod chunk_scene;
mod chunk_words;
mod chunk_words_plans;
mod chunks;
mod definitions;
mod deleting;
mod edges;
mod facets;
mod groups;
mod hooks;
mod keys;
mod known;
mod lately;
mod lists;
mod log;
mod moving;
mod ops;
mod outbox;
mod outbox_plans;
mod plans;
mod pruning;
mod questions;
mod queue;
mod run_plans;
mod runs;
mod search;
mod session_expiry;
mod sessions;
mod views;
mod workflows;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use tempfile::TempDir;
use windlass_domain::chain::Provenance;
use windlass_domain::claim::{Request, claim};
use windlass_domain::duration::Span;
use windlass_domain::event::{ProjectCreated, TaskCreated};
use windlass_domain::{Event, ProjectId, Status, Task, TaskId, Time};
use windlass_testkit::postgres;

use crate::{Clock, Error, Ledger, Location, Options, QueueFilter, Transaction};

/// A clock the test moves.
#[derive(Clone)]
pub(crate) struct Hand(Arc<AtomicI64>);

impl Hand {
    pub(crate) fn new() -> Self {
        Self(Arc::new(AtomicI64::new(1_794_735_000_000)))
    }

    pub(crate) fn advance(&self, millis: i64) {
        self.0.fetch_add(millis, Ordering::SeqCst);
    }
}

impl Clock for Hand {
    fn now(&self) -> Time {
        Time::from_millis(self.0.load(Ordering::SeqCst))
    }
}

/// A ledger of one test.
pub(crate) struct Bed {
    pub(crate) ledger: Ledger,
    pub(crate) location: Location,
    pub(crate) clock: Hand,
    _folder: Option<TempDir>,
    _database: Option<postgres::Database>,
}

impl Bed {
    pub(crate) fn sqlite() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let location = Location::Sqlite(folder.path().join("ledger.db"));
        Self::open(location, Some(folder), None)
    }

    pub(crate) fn postgres() -> Option<Self> {
        let database = postgres::shared()?.database_from("windlass_ledger", |url| {
            Ledger::migrate(&Location::parse(url), Options::default()).unwrap();
        });
        Some(Self::open(Location::parse(&database.url), None, Some(database)))
    }

    fn open(
        location: Location,
        folder: Option<TempDir>,
        database: Option<postgres::Database>,
    ) -> Self {
        let clock = Hand::new();
        let options = Options { clock: Some(Arc::new(clock.clone())), ..Options::default() };
        let ledger = Ledger::open(&location, options).unwrap();
        Self { ledger, location, clock, _folder: folder, _database: database }
    }

    /// The same ledger, opened with hooks of the settings.
    pub(crate) fn reopen_with(&mut self, hooks: Vec<windlass_domain::hook::Hook>) {
        let clock = Some(Arc::new(self.clock.clone()) as Arc<dyn Clock>);
        let options = Options { clock, hooks, ..Options::default() };
        self.ledger = Ledger::open(&self.location, options).unwrap();
    }

    /// Does something as "tester".
    pub(crate) fn write<T>(
        &mut self,
        work: impl FnMut(&mut Transaction<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let by = Provenance { actor: "tester".to_owned(), ..Provenance::default() };
        self.ledger.write(&by, work)
    }

    pub(crate) fn project(&mut self, name: &str) -> ProjectId {
        self.write(|tx| {
            let id = tx.new_project_id()?;
            let data = ProjectCreated {
                name: name.into(),
                description: None,
                repo: None,
                protected: false,
            };
            tx.create(id, data)?;
            Ok(id)
        })
        .unwrap()
    }

    pub(crate) fn add(&mut self, project: ProjectId, change: impl Fn(&mut TaskCreated)) -> TaskId {
        self.write(|tx| {
            let mut data = ready(project);
            change(&mut data);
            let id = tx.new_task_id()?;
            tx.create(id, data)?;
            Ok(id)
        })
        .unwrap()
    }

    pub(crate) fn task(&mut self, id: TaskId) -> Task {
        self.ledger.read(|snapshot| Ok(snapshot.task(id)?)).unwrap().unwrap()
    }

    pub(crate) fn happen(&mut self, id: TaskId, event: impl Into<Event>) -> Task {
        let event = event.into();
        self.write(|tx| {
            let task = tx.task(id)?.unwrap();
            tx.record_task(&task, [event.clone()])
        })
        .unwrap()
    }

    /// Claims the next task as the operation does.
    pub(crate) fn claim_next(
        &mut self,
        filter: &QueueFilter,
        lease: Option<Span>,
    ) -> Option<TaskId> {
        self.write(|tx| {
            let Some(task) = tx.claimable(filter, 1)?.into_iter().next() else {
                return Ok(None);
            };
            let project = tx.project(task.project)?;
            let obstacles = tx.obstacles(&task)?;
            let role = filter.role.as_deref();
            let request = Request { agent: &filter.agent, role, lease, now: tx.now() };
            let events = claim(&task, &project, &obstacles, &request)?;
            Ok(Some(tx.record_task(&task, events)?.id))
        })
        .unwrap()
    }
}

pub(crate) fn ready(project: ProjectId) -> TaskCreated {
    TaskCreated {
        project,
        title: "a task".into(),
        status: Status::Ready,
        parent: None,
        description: None,
        links: Vec::new(),
        tags: Vec::new(),
        priority: 0,
        due_at: None,
        metadata: serde_json::Map::new(),
        stale_after_minutes: None,
        agent: None,
        depends_on: Vec::new(),
        stage: None,
        forced: None,
    }
}

pub(crate) fn anybody(agent: &str) -> QueueFilter {
    QueueFilter { agent: agent.to_owned(), ..QueueFilter::default() }
}

/// Makes one test for each database out of a function over a [`Bed`].
macro_rules! on_both {
    ($($name:ident)+) => {
        mod on_sqlite {
            $(#[test]
            fn $name() {
                super::$name(&mut crate::conformance::Bed::sqlite());
            })+
        }

        mod on_postgres {
            $(#[test]
            fn $name() {
                if let Some(mut bed) = crate::conformance::Bed::postgres() {
                    super::$name(&mut bed);
                }
            })+
        }
    };
}

pub(crate) use on_both;
