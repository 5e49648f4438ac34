//! What happened lately, and that a long log does not make it dearer to ask.

use rusqlite::Connection;
use windlass_domain::duration::Span;
use windlass_domain::event::{Authority, CommentAdded, StatusSet, TaskCompleted, TaskMoved};
use windlass_domain::{Status, TaskId, Time, holding};

use super::{Bed, anybody, on_both};
use crate::cell::Cell;
use crate::lately::{ADDED_SINCE, READY_SINCE, TURNS_SINCE, TURNS_SINCE_IN};
use crate::{Added, Location, Turn};

on_both! {
    turns_are_told_in_the_order_of_the_log_from_a_time_on
    turns_of_a_project_are_those_of_the_tasks_that_are_in_it
    additions_are_counted_by_steps_back_from_now
    the_ages_of_a_queue_are_those_of_its_ready_tasks
}

const MINUTE: i64 = 60_000;

fn now(bed: &Bed) -> Time {
    crate::Clock::now(&bed.clock)
}

fn done() -> TaskCompleted {
    TaskCompleted { authority: Authority::Free, forced: None }
}

fn kinds(turns: &[Turn]) -> Vec<(TaskId, &'static str)> {
    turns.iter().map(|turn| (turn.task, turn.event.kind().as_str())).collect()
}

fn turns_are_told_in_the_order_of_the_log_from_a_time_on(bed: &mut Bed) {
    let project = bed.project("api");
    let (one, other) = (bed.add(project, |_| {}), bed.add(project, |_| {}));
    bed.claim_next(&anybody("ada"), None);
    bed.clock.advance(MINUTE);
    let since = now(bed);
    bed.happen(one, CommentAdded { text: "no turn".into() });
    bed.happen(one, done());
    bed.claim_next(&anybody("bob"), None);
    let mut turns = |since| {
        let turns = bed.ledger.read(|snapshot| Ok(snapshot.turns_since(since, None)?)).unwrap();
        assert!(turns.iter().all(|turn| holding::KINDS.contains(&turn.event.kind())));
        turns
    };
    assert_eq!(kinds(&turns(since)), [(one, "task_completed"), (other, "task_claimed")]);
    let earlier = turns(Time::from_millis(0));
    assert_eq!(kinds(&earlier).first(), Some(&(one, "task_claimed")));
    assert_eq!(earlier.len(), 3);
}

fn turns_of_a_project_are_those_of_the_tasks_that_are_in_it(bed: &mut Bed) {
    let (api, web) = (bed.project("api"), bed.project("web"));
    let (moved, stays) = (bed.add(api, |_| {}), bed.add(api, |_| {}));
    for task in [moved, stays] {
        bed.happen(task, StatusSet { to: Status::Done, authority: Authority::Free, forced: None });
    }
    bed.happen(moved, TaskMoved { project: web, from: None });
    let mut of = |project| {
        let since = Time::from_millis(0);
        bed.ledger.read(|snapshot| Ok(kinds(&snapshot.turns_since(since, project)?))).unwrap()
    };
    assert_eq!(of(Some(web)), [(moved, "status_set")]);
    assert_eq!(of(Some(api)), [(stays, "status_set")]);
    assert_eq!(of(None).len(), 2);
}

fn additions_are_counted_by_steps_back_from_now(bed: &mut Bed) {
    let (api, web) = (bed.project("api"), bed.project("web"));
    bed.add(api, |_| {});
    bed.clock.advance(10 * MINUTE);
    let since = now(bed);
    bed.add(api, |_| {});
    bed.add(web, |_| {});
    bed.clock.advance(7 * MINUTE);
    bed.add(api, |_| {});
    bed.clock.advance(MINUTE);
    let step = Span::from_millis(5 * MINUTE);
    let mut added = bed.ledger.read(|snapshot| Ok(snapshot.added_since(since, step)?)).unwrap();
    added.sort_by_key(|added| (added.steps_ago, added.project == web));
    let expected = [(api, 0), (api, 1), (web, 1)];
    let expected = expected.map(|(project, steps_ago)| Added { project, steps_ago, count: 1 });
    assert_eq!(added, expected);
}

fn the_ages_of_a_queue_are_those_of_its_ready_tasks(bed: &mut Bed) {
    let (api, web) = (bed.project("api"), bed.project("web"));
    let first = now(bed);
    bed.add(api, |_| {});
    bed.add(web, |_| {});
    bed.clock.advance(MINUTE);
    bed.add(api, |task| task.priority = 3);
    bed.add(api, |task| task.status = Status::Backlog);
    let mut since = bed.ledger.read(|snapshot| Ok(snapshot.ready_since(api)?)).unwrap();
    since.sort();
    assert_eq!(since, [first, now(bed)]);
}

/// What SQLite says about how it looks something up.
fn plan(connection: &Connection, sql: &str, cells: &[Cell<'_>]) -> String {
    let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
    let rows = statement.query_map(rusqlite::params_from_iter(cells), |row| row.get(3)).unwrap();
    rows.collect::<Result<Vec<String>, _>>().unwrap().join("; ")
}

#[test]
fn what_happened_lately_is_looked_up_by_its_time_on_sqlite() {
    let mut bed = Bed::sqlite();
    let project = bed.project("api").to_bytes();
    let Location::Sqlite(path) = &bed.location else { panic!() };
    let raw = Connection::open(path).unwrap();
    let [since, step] = [Cell::Int(0), Cell::Int(1)];
    let turns = plan(&raw, TURNS_SINCE, &[since]);
    assert_eq!(turns, "SEARCH events USING INDEX events_holding (at>?)");
    let of_project = plan(&raw, TURNS_SINCE_IN, &[since, Cell::Bytes(&project)]);
    assert!(of_project.starts_with(&turns), "{of_project}");
    assert!(!of_project.contains("SCAN"), "{of_project}");
    let added = plan(&raw, ADDED_SINCE, &[since, step, since]);
    assert!(added.contains("INDEX events_holding (at>?)") && !added.contains("SCAN"), "{added}");
    let ready = plan(&raw, READY_SINCE, &[Cell::Bytes(&project)]);
    assert!(ready.contains("USING COVERING INDEX tasks_project_status"), "{ready}");
}
