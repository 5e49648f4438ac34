//! Many events at once: the views are those that the same events give one by one.

use std::collections::BTreeSet;

use rusqlite::types::Value;
use serde_json::json;
use windlass_domain::chain::Provenance;
use windlass_domain::event::{CommentAdded, TaskCreated};
use windlass_domain::{Event, ProjectId, Status, Stream, TaskId, Time};

use super::{Bed, on_both, ready};
use crate::{Clock as _, Error, Happened, Location, Snapshot, audit};

on_both! {
    events_in_bulk_give_the_same_rows_as_one_by_one
    a_history_cut_into_two_bulks_gives_the_same_rows
    a_dependency_recorded_before_its_target_counts_from_its_creation
    a_task_created_in_bulk_frees_and_holds_tasks_that_were_there
    a_bulk_of_more_tasks_than_are_kept_in_memory_agrees_with_a_rebuild
    a_large_bulk_holds_what_waited_for_its_first_and_its_last_tasks
    a_bulk_reads_the_tasks_as_they_are_by_then
    a_bulk_goes_on_after_events_of_the_same_transaction
}

/// The rows of all views, as text.
pub(super) type Rows = BTreeSet<String>;

/// Every row of every view.
pub(super) fn rows(bed: &Bed) -> Rows {
    let mut rows = Rows::new();
    match &bed.location {
        Location::Sqlite(path) => {
            let raw = rusqlite::Connection::open(path).unwrap();
            for view in crate::sql::VIEWS.into_iter().chain([crate::sqlite::INDEX.readable]) {
                rows.extend(sqlite_rows(&raw, view));
            }
        }
        Location::Postgres(url) => {
            let mut raw = ::postgres::Client::connect(url, ::postgres::NoTls).unwrap();
            for view in crate::sql::VIEWS.into_iter().chain([crate::postgres::INDEX.readable]) {
                let text = format!("SELECT t::text FROM {view} AS t");
                let found = raw.query(&text, &[]).unwrap();
                rows.extend(found.iter().map(|row| format!("{view} {}", row.get::<_, String>(0))));
            }
        }
    }
    rows
}

fn sqlite_rows(raw: &rusqlite::Connection, view: &str) -> Vec<String> {
    let mut statement = raw.prepare(&format!("SELECT * FROM {view}")).unwrap();
    let columns = statement.column_count();
    let row = |row: &rusqlite::Row<'_>| {
        let cells: Vec<Value> = (0..columns).map(|column| row.get(column).unwrap()).collect();
        Ok(format!("{view} {cells:?}"))
    };
    statement.query_map([], row).unwrap().collect::<Result<_, _>>().unwrap()
}

/// Another ledger of the same kind.
pub(super) fn alike(bed: &Bed) -> Bed {
    match bed.location {
        Location::Sqlite(_) => Bed::sqlite(),
        Location::Postgres(_) => Bed::postgres().unwrap(),
    }
}

/// What happens in these tests, with who did it.
type Fact = (Stream, Event, &'static str);

fn id(number: u8) -> TaskId {
    TaskId::from_bytes([number; 16])
}

fn api() -> ProjectId {
    ProjectId::from_bytes([101; 16])
}

fn web() -> ProjectId {
    ProjectId::from_bytes([102; 16])
}

fn event(kind: &str, data: serde_json::Value) -> Event {
    Event::decode(kind, 1, &data.to_string()).unwrap()
}

fn project(name: &str) -> Event {
    event("project_created", json!({ "name": name }))
}

fn task(project: ProjectId, title: &str, change: impl Fn(&mut TaskCreated)) -> Event {
    let mut data = TaskCreated { title: title.into(), ..ready(project) };
    change(&mut data);
    data.into()
}

fn claimed(agent: &str, fence: u64, won: &str) -> Event {
    let lease_until = Time::from_millis(1_794_740_000_000);
    let data = json!({ "agent": agent, "fence": fence, "won": won, "lease_until": lease_until });
    event("task_claimed", data)
}

fn set(status: Status) -> Event {
    event("status_set", json!({ "to": status }))
}

fn tags(tags: &[&str]) -> Vec<String> {
    tags.iter().map(|tag| (*tag).to_owned()).collect()
}

/// A history with every kind of event that a view follows.
fn history() -> Vec<Fact> {
    let [design, build, test, docs, part, late] = [1, 2, 3, 4, 5, 6].map(id);
    let later = Time::from_millis(1_794_750_000_000);
    let facts: Vec<(Stream, Event)> = vec![
        (api().into(), project("api")),
        (web().into(), project("web")),
        (design.into(), task(api(), "design", |task| task.tags = tags(&["a", "b"]))),
        (build.into(), task(api(), "build", |task| task.depends_on = vec![design])),
        // Waits for a task that comes later, and for one that never comes.
        (test.into(), task(web(), "test", |task| task.depends_on = vec![late, id(99)])),
        (docs.into(), task(web(), "docs", |task| task.priority = 3)),
        (part.into(), task(api(), "part", |task| task.parent = Some(build))),
        (design.into(), claimed("ada", 1, "claimed")),
        (design.into(), event("checkpoint_recorded", json!({"name": "drafted", "progress": 40}))),
        (design.into(), event("comment_added", json!({"text": "Schlüssel fehlt"}))),
        (design.into(), event("claim_renewed", json!({"lease_until": later, "lease_ms": 60_000}))),
        (late.into(), task(web(), "late", |task| task.depends_on = vec![design, design, docs])),
        (docs.into(), event("dependency_added", json!({ "on": build }))),
        (docs.into(), event("dependency_added", json!({ "on": build }))),
        (design.into(), event("task_completed", json!({}))),
        (part.into(), event("task_updated", json!({"parent": {"to": docs}}))),
        (build.into(), event("task_moved", json!({"project": web()}))),
        (design.into(), event("task_updated", json!({"title": "drawing", "tags": ["b", "c"]}))),
        (docs.into(), event("dependency_removed", json!({ "on": build }))),
        (late.into(), event("dependency_removed", json!({ "on": docs }))),
        (build.into(), claimed("bob", 1, "claimed")),
        (build.into(), event("task_blocked", json!({"reason": "no key"}))),
        (build.into(), event("task_unblocked", json!({"to": "in_progress"}))),
        (build.into(), claimed("eve", 2, "stolen")),
        (build.into(), event("progress_set", json!({"progress": 70}))),
        (web().into(), event("project_renamed", json!({"name": "site"}))),
        (api().into(), event("project_frozen", json!({"reason": "release"}))),
        (design.into(), event("task_reopened", json!({"to": "ready"}))),
        (part.into(), set(Status::Done)),
        (part.into(), event("task_archived", json!({}))),
        (part.into(), event("task_restored", json!({"to": "backlog"}))),
        (
            docs.into(),
            event(
                "task_updated",
                json!({"description": "how to deploy", "agent": {"to": "ada"}, "due_at": {"to": later}}),
            ),
        ),
        (design.into(), set(Status::Done)),
        (late.into(), event("task_moved", json!({"project": api()}))),
    ];
    let who = ["ada", "bob", "eve"].into_iter().cycle();
    facts.into_iter().zip(who).map(|((stream, event), who)| (stream, event, who)).collect()
}

fn by(actor: &str) -> Provenance {
    Provenance { actor: actor.to_owned(), ..Provenance::default() }
}

fn record_one_by_one(bed: &mut Bed, facts: &[Fact]) {
    for (stream, event, actor) in facts {
        bed.clock.advance(1_000);
        bed.ledger
            .write(&by(actor), |tx| {
                match event {
                    Event::ProjectCreated(_) | Event::TaskCreated(_) => {
                        tx.create(*stream, event.clone())?;
                    }
                    Event::ProjectRenamed(_) | Event::ProjectFrozen(_) => {
                        let project = tx.project(stream.project())?;
                        tx.record_project(&project, [event.clone()])?;
                    }
                    event => {
                        let task = tx.task(stream.task())?.unwrap();
                        tx.record_task(&task, [event.clone()])?;
                    }
                }
                Ok(())
            })
            .unwrap();
    }
}

fn record_in_bulk(bed: &mut Bed, facts: &[Fact]) {
    let start = bed.clock.now().as_millis();
    bed.write(|tx| {
        let mut bulk = tx.bulk()?;
        for (millis, (stream, event, actor)) in (start + 1_000..).step_by(1_000).zip(facts) {
            let (stream, event, at) = (*stream, event.clone(), Time::from_millis(millis));
            bulk.record(Happened { id: None, at, stream, provenance: by(actor), event })?;
        }
        Ok(bulk.finish()?)
    })
    .unwrap();
    bed.clock.advance(1_000 * i64::try_from(facts.len()).unwrap());
}

/// Fails with the rows that only one of them has.
#[track_caller]
fn assert_same(some: &Rows, others: &Rows, when: &str) {
    let only_in = |some: &Rows, others: &Rows| {
        some.difference(others).cloned().collect::<Vec<_>>().join("\n")
    };
    assert_eq!(only_in(some, others), only_in(others, some), "{when}");
}

fn events_in_bulk_give_the_same_rows_as_one_by_one(bed: &mut Bed) {
    let mut other = alike(bed);
    record_one_by_one(&mut other, &history());
    record_in_bulk(bed, &history());
    assert_same(&rows(bed), &rows(&other), "in bulk and one by one");
    assert_eq!(bed.ledger.rebuild().unwrap().differences, Vec::new());
    let found = bed.ledger.read(|snapshot| Ok(audit(snapshot, None)?)).unwrap();
    assert_eq!((found.findings, found.head.seq), (Vec::new(), history().len() as u64));
}

fn a_history_cut_into_two_bulks_gives_the_same_rows(bed: &mut Bed) {
    record_one_by_one(bed, &history());
    let expected = rows(bed);
    for cut in (3..history().len()).step_by(6) {
        let mut other = alike(bed);
        let facts = history();
        let (first, second) = facts.split_at(cut);
        record_in_bulk(&mut other, first);
        record_in_bulk(&mut other, second);
        assert_same(&rows(&other), &expected, &format!("cut after {cut} events"));
    }
}

/// How many tasks are open before a task, and whether anybody could claim it.
fn open_before(snapshot: &mut Snapshot<'_>, number: u8) -> Result<(u64, bool), Error> {
    let task = snapshot.task(id(number))?.unwrap();
    let filter = super::anybody("w");
    let given: Vec<TaskId> =
        snapshot.claimable(&filter, 100)?.into_iter().map(|task| task.id).collect();
    Ok((task.open_dependencies, given.contains(&task.id)))
}

fn a_dependency_recorded_before_its_target_counts_from_its_creation(bed: &mut Bed) {
    let waits = |on: u8| move |task: &mut TaskCreated| task.depends_on = vec![id(on)];
    record_in_bulk(
        bed,
        &[
            (api().into(), project("api"), "ada"),
            (id(1).into(), task(api(), "waits for one that comes later", waits(2)), "ada"),
            (id(2).into(), task(api(), "comes later", |_| {}), "ada"),
            (id(3).into(), task(api(), "waits for one that was there", waits(2)), "ada"),
            (id(4).into(), task(api(), "waits for one that never comes", waits(9)), "ada"),
        ],
    );
    let counted = |snapshot: &mut Snapshot<'_>| {
        Ok([open_before(snapshot, 1)?, open_before(snapshot, 3)?, open_before(snapshot, 4)?])
    };
    let counted = bed.ledger.read(counted).unwrap();
    assert_eq!(counted, [(1, false), (1, false), (0, true)]);
}

fn a_task_created_in_bulk_frees_and_holds_tasks_that_were_there(bed: &mut Bed) {
    bed.write(|tx| {
        tx.create(api(), project("api"))?;
        tx.create(id(1), task(api(), "waits", |task| task.depends_on = vec![id(7), id(8)]))?;
        Ok(())
    })
    .unwrap();
    let done = |task: &mut TaskCreated| task.status = Status::Done;
    record_in_bulk(
        bed,
        &[
            (id(7).into(), task(api(), "open", |_| {}), "ada"),
            (id(8).into(), task(api(), "done", done), "ada"),
        ],
    );
    assert_eq!(bed.ledger.read(|snapshot| open_before(snapshot, 1)).unwrap(), (1, false));
    record_in_bulk(bed, &[(id(7).into(), set(Status::Done), "ada")]);
    assert_eq!(bed.ledger.read(|snapshot| open_before(snapshot, 1)).unwrap(), (0, true));
}

fn a_bulk_of_more_tasks_than_are_kept_in_memory_agrees_with_a_rebuild(bed: &mut Bed) {
    const MANY: u64 = 10_040;
    let numbered = |number: u64| TaskId::from_bytes(u128::from(number).to_be_bytes());
    bed.write(|tx| tx.create(api(), project("api"))).unwrap();
    let at = bed.clock.now();
    bed.write(|tx| {
        let mut bulk = tx.bulk()?;
        let mut record = |stream: Stream, event: Event| {
            bulk.record(Happened { id: None, at, stream, provenance: by("ada"), event })
        };
        for number in 1..=MANY {
            // Some wait for the one before, some for one that comes after what is kept in memory.
            let mut on = Vec::new();
            on.extend((number % 30 == 0).then(|| numbered(number - 1)));
            on.extend((number % 50 == 0).then(|| numbered(MANY + 1 - number)));
            let tagged = |task: &mut TaskCreated| {
                task.depends_on.clone_from(&on);
                task.tags = tags(&["x"]);
            };
            record(numbered(number).into(), task(api(), "many", tagged))?;
        }
        for number in (1..=MANY).step_by(40) {
            record(numbered(number).into(), set(Status::Done))?;
        }
        Ok(bulk.finish()?)
    })
    .unwrap();
    assert_eq!(bed.ledger.rebuild().unwrap().differences, Vec::new());
    let (counts, found) = bed
        .ledger
        .read(|snapshot| Ok((snapshot.project(api())?.counts, audit(snapshot, None)?)))
        .unwrap();
    assert_eq!((counts.done, counts.ready), (251, 9_789));
    assert_eq!((found.findings, found.head.seq), (Vec::new(), 1 + MANY + 251));
}

fn a_large_bulk_holds_what_waited_for_its_first_and_its_last_tasks(bed: &mut Bed) {
    const MANY: u64 = 1_500;
    let numbered = |number: u64| TaskId::from_bytes(u128::from(number).to_be_bytes());
    let waits = |task: &mut TaskCreated| task.depends_on = vec![numbered(1), numbered(MANY)];
    bed.write(|tx| {
        tx.create(api(), project("api"))?;
        tx.create(id(1), task(api(), "waits", waits))?;
        Ok(())
    })
    .unwrap();
    let facts = |numbers: std::ops::RangeInclusive<u64>| -> Vec<Fact> {
        let fact = |number| (numbered(number).into(), task(api(), "many", |_| {}), "ada");
        numbers.map(fact).collect()
    };
    let late = (id(2).into(), task(api(), "waits too", waits), "ada");
    record_in_bulk(bed, &[facts(1..=MANY - 1), vec![late], facts(MANY..=MANY)].concat());
    let counted = |snapshot: &mut Snapshot<'_>| {
        Ok([open_before(snapshot, 1)?, open_before(snapshot, 2)?].map(|(open, _)| open))
    };
    assert_eq!(bed.ledger.read(counted).unwrap(), [2, 2]);
    assert_eq!(bed.ledger.rebuild().unwrap().differences, Vec::new());
}

fn a_bulk_reads_the_tasks_as_they_are_by_then(bed: &mut Bed) {
    bed.write(|tx| {
        tx.create(api(), project("api"))?;
        let now = tx.now();
        let mut bulk = tx.bulk()?;
        assert_eq!(bulk.task(id(1))?, None);
        let moved = event("task_moved", json!({"project": api()}));
        for event in [task(api(), "new", |_| {}), moved, claimed("ada", 1, "claimed")] {
            let (stream, provenance) = (id(1).into(), by("ada"));
            bulk.record(Happened { id: None, at: now, stream, provenance, event })?;
        }
        let task = bulk.task(id(1))?.unwrap();
        assert_eq!((task.version, task.status, task.fence), (3, Status::InProgress, 1));
        Ok(bulk.finish()?)
    })
    .unwrap();
}

fn a_bulk_goes_on_after_events_of_the_same_transaction(bed: &mut Bed) {
    bed.write(|tx| {
        tx.create(api(), project("api"))?;
        tx.create(id(1), task(api(), "before", |_| {}))?;
        let now = tx.now();
        let mut bulk = tx.bulk()?;
        let event = CommentAdded { text: "in bulk".into() }.into();
        let (stream, provenance) = (id(1).into(), by("ada"));
        bulk.record(Happened { id: None, at: now, stream, provenance, event })?;
        bulk.finish()?;
        let task = tx.task(id(1))?.unwrap();
        tx.record_task(&task, [CommentAdded { text: "after".into() }.into()])?;
        Ok(())
    })
    .unwrap();
    let (version, found) = bed
        .ledger
        .read(|snapshot| Ok((snapshot.task(id(1))?.unwrap().version, audit(snapshot, None)?)))
        .unwrap();
    assert_eq!((version, found.findings, found.head.seq), (3, Vec::new(), 4));
}
