//! Query plans at 100,000 rows, with the worst rows in front: the work of a claim, a list or a
//! history must not grow with what it passes over.
//!
//! On SQLite the machine's own instructions are counted, on PostgreSQL the rows that a plan
//! touched. Neither depends on how fast the machine is.

use rusqlite::{Connection, StatementStatus, params_from_iter};
use windlass_domain::event::TaskCreated;
use windlass_domain::words::{Asked, asked};
use windlass_domain::{ProjectId, Status, Time};

use super::{Bed, ready};
use crate::cell::Cell;
use crate::edges::{self, EdgeFilter, EndFilter, Start};
use crate::lately;
use crate::search::{Within, Words};
use crate::sql::{self, Narrow, What};
use crate::store::{ListFilter, Order};
use crate::{Location, QueueFilter, SearchFilter, sqlite};

const MANY: usize = 100_000;
/// Due dates count from here.
const DUE: i64 = 1_794_735_000_000;
/// Later than everything in the log.
const LATE: i64 = 2 * DUE;
/// More instructions than a handful of index probes need, fewer than a scan.
const STEPS: i32 = 3_000;

/// 100,000 tasks that a plain caller must pass over, then one it can have.
struct Field {
    bed: Bed,
    open: ProjectId,
    /// A project of one task, which waits for one of the many.
    small: ProjectId,
}

impl Field {
    fn question(&mut self, asked: &[Asked], within: Within) -> String {
        self.bed.ledger.read(|snapshot| Ok(snapshot.store.question(asked, within))).unwrap()
    }

    fn edge_start<'f>(&mut self, filter: &'f EdgeFilter) -> Option<Start<'f>> {
        self.bed.ledger.read(|snapshot| Ok(snapshot.store.edge_start(filter)?)).unwrap()
    }

    fn rarest_first<'f>(&mut self, filter: &'f ListFilter, question: &'f str) -> Vec<Narrow<'f>> {
        self.bed.ledger.read(|snapshot| Ok(snapshot.store.rarest_first(filter, question)?)).unwrap()
    }
}

/// One task of each kind that must be passed over is made by the ledger and then copied by the
/// database, row by row of every view: 100,000 commands would show nothing more.
fn worst_in_front(mut bed: Bed) -> Field {
    let (frozen, open) = (bed.project("frozen"), bed.project("open"));
    let elsewhere = bed.add(open, |task| task.status = Status::Backlog);
    let worst =
        |project| TaskCreated { priority: 3, tags: vec!["common".into()], ..ready(project) };
    let kinds = [
        worst(frozen),
        TaskCreated { agent: Some("bob".into()), ..worst(open) },
        TaskCreated { depends_on: vec![elsewhere], ..worst(open) },
        TaskCreated { status: Status::Done, ..worst(open) },
        TaskCreated { status: Status::Blocked, ..worst(open) },
    ];
    for kind in &kinds {
        bed.add(open, |task| *task = kind.clone());
    }
    copy_rows(&bed, MANY / kinds.len());
    let small = bed.project("small");
    bed.add(small, |task| {
        task.tags = vec!["scarce".into()];
        task.depends_on = vec![elsewhere];
    });
    bed.write(|tx| {
        let last = TaskCreated {
            title: "a rare task".into(),
            tags: vec!["common".into(), "rare".into()],
            ..ready(open)
        };
        let task =
            windlass_domain::Task::created(tx.new_task_id()?, &last, 2 * MANY as u64, tx.now());
        let details = crate::Details::default();
        tx.store.insert_tasks(&[(&task, &details)])?;
        tx.store.add_words(&[Words::of(&task, &details)])?;
        tx.store.enqueue_all(&["", "common", "rare"].map(|tag| (&task, tag)))?;
        tx.store.add_tags(&["common", "rare"].map(|tag| (tag, task.created_seq)))?;
        let project = tx.project(frozen)?;
        let event = project.freeze(None).unwrap();
        tx.record_project(&project, [event])?;
        Ok(())
    })
    .unwrap();
    Field { bed, open, small }
}

/// Copies every task, its places in the queue, its tags and its words `times` times. Each copy of a
/// blocked task is due a minute after the one before.
fn copy_rows(bed: &Bed, times: usize) {
    let tasks = sql::TASK_COLUMNS.replace("created_seq, id,", "");
    let new_id = match bed.location {
        Location::Sqlite(_) => "randomblob(16)",
        Location::Postgres(_) => "decode(md5(created_seq::text || ' ' || n::text), 'hex')",
    };
    let shifted = "created_seq + 10 * n";
    let copies = format!(
        "WITH RECURSIVE copies (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copies WHERE n < {times})"
    );
    let statements = [
        format!(
            "INSERT INTO tasks (created_seq, id, {tasks}) {copies} \
             SELECT {shifted}, {new_id}, {tasks} FROM tasks, copies"
        ),
        format!(
            "INSERT INTO queue (tag, project_id, role, agent, urgency, due_key, created_seq) {copies} \
             SELECT tag, project_id, role, agent, urgency, due_key, {shifted} FROM queue, copies"
        ),
        format!(
            "INSERT INTO task_tags (tag, created_seq) {copies} SELECT tag, {shifted} FROM task_tags, copies"
        ),
        // Every copy of the task that waits waits for the blocked one beside it.
        "INSERT INTO dependencies (task_id, depends_on) \
         SELECT waiting.id, blocked.id FROM tasks AS waiting, tasks AS blocked \
         WHERE waiting.open_dependencies > 0 AND waiting.created_seq > 9 \
         AND blocked.created_seq = waiting.created_seq + 2"
            .to_owned(),
        format!("UPDATE tasks SET due_at = {DUE} + 6000 * created_seq WHERE status = 'blocked'"),
        match bed.location {
            Location::Sqlite(_) => {
                "INSERT INTO search (rowid, title, body, notes) \
                 SELECT created_seq, 'a task', 'common', '' FROM tasks WHERE created_seq > 9"
            }
            Location::Postgres(_) => {
                "INSERT INTO search (created_seq, words) \
                 SELECT created_seq, 'a:1A common:2B task:1A' FROM tasks WHERE created_seq > 9"
            }
        }
        .to_owned(),
    ];
    match &bed.location {
        Location::Sqlite(path) => {
            let raw = Connection::open(path).unwrap();
            raw.execute_batch(&statements.join(";")).unwrap();
        }
        Location::Postgres(url) => {
            let mut client = postgres::Client::connect(url, postgres::NoTls).unwrap();
            client.batch_execute(&statements.join(";")).unwrap();
            // The planner chooses by the size of a table, so the log must be long too.
            let columns = "stream_seq, kind, v, data, data_hash, actor, hash";
            let events = format!(
                "INSERT INTO events (seq, id, at, stream, {columns}) {copies} \
                 SELECT 1000 + 10 * n + seq, id, at, decode(md5((n / 10)::text), 'hex'), \
                 1000 + 10 * n + seq, kind, v, data, data_hash, actor, hash FROM events, copies WHERE seq < 9"
            );
            client.batch_execute(&events).unwrap();
            client.batch_execute("ANALYZE").unwrap();
        }
    }
}

/// Runs a statement to its end and returns how many instructions that took.
fn steps(connection: &Connection, sql: &str, cells: &[Cell<'_>]) -> i32 {
    let (steps, sorts) = steps_and_sorts(connection, sql, cells);
    assert_eq!(sorts, 0, "sorts: {sql}");
    steps
}

pub(super) fn steps_and_sorts(
    connection: &Connection,
    sql: &str,
    cells: &[Cell<'_>],
) -> (i32, i32) {
    let mut statement = connection.prepare(sql).unwrap();
    let mut rows = statement.query(params_from_iter(cells)).unwrap();
    while rows.next().unwrap().is_some() {}
    drop(rows);
    assert_eq!(statement.get_status(StatementStatus::AutoIndex), 0, "makes an index: {sql}");
    let [steps, sorts] =
        [StatementStatus::VmStep, StatementStatus::Sort].map(|status| statement.get_status(status));
    (steps, sorts)
}

fn lists(project: ProjectId) -> Vec<(&'static str, ListFilter)> {
    let base = || ListFilter { limit: 50, ..ListFilter::default() };
    vec![
        ("all", base()),
        ("project", ListFilter { project: Some(project), ..base() }),
        ("status", ListFilter { status: Some(Status::Blocked), ..base() }),
        (
            "project and status",
            ListFilter { project: Some(project), status: Some(Status::Done), ..base() },
        ),
        (
            "finished last",
            ListFilter { status: Some(Status::Done), order: Order::Finished, ..base() },
        ),
        ("agent", ListFilter { agent: Some("bob".into()), ..base() }),
        (
            "available to an agent",
            ListFilter { agent: Some("bob".into()), available: true, unfrozen: true, ..base() },
        ),
    ]
}

/// Lists by something that few tasks have. These few may be sorted, and are counted as quickly.
fn narrow_lists(project: ProjectId) -> Vec<(&'static str, ListFilter)> {
    let base = || ListFilter { limit: 50, ..ListFilter::default() };
    let tags = |tags: &[&str]| tags.iter().map(|tag| (*tag).to_owned()).collect::<Vec<_>>();
    let due = |minutes: i64| Some(Time::from_millis(DUE + 60_000 * minutes));
    let range = || ListFilter { due_after: due(10_000), due_before: due(10_020), ..base() };
    let words = |words| asked(words).unwrap();
    vec![
        ("tag", ListFilter { tags: tags(&["rare"]), ..base() }),
        ("two tags", ListFilter { tags: tags(&["common", "rare"]), ..base() }),
        ("tag and project", ListFilter { project: Some(project), tags: tags(&["rare"]), ..base() }),
        (
            "tag and status",
            ListFilter { status: Some(Status::Ready), tags: tags(&["rare"]), ..base() },
        ),
        ("one of two tags", ListFilter { tags_any: tags(&["rare", "missing"]), ..base() }),
        ("due range", range()),
        ("due range and status", ListFilter { status: Some(Status::Blocked), ..range() }),
        ("due range and project", ListFilter { project: Some(project), ..range() }),
        ("due soon", ListFilter { due_before: due(20), ..base() }),
        ("due range and tag", ListFilter { tags: tags(&["common"]), ..range() }),
        ("word", ListFilter { text: words("rare"), ..base() }),
        (
            "word and project",
            ListFilter { project: Some(project), text: words("rare task"), ..base() },
        ),
    ]
}

/// Edges by something that few tasks have; each finds one.
fn narrow_edges(field: &Field) -> Vec<(&'static str, EdgeFilter)> {
    let base = || EdgeFilter { limit: 50, ..EdgeFilter::default() };
    let tagged = || EndFilter { tags: vec!["scarce".into()], ..EndFilter::default() };
    let within = || EndFilter { project: Some(field.small), ..EndFilter::default() };
    vec![
        ("edges from a tag", EdgeFilter { from: tagged(), ..base() }),
        ("edges of a tag", EdgeFilter { either: tagged(), ..base() }),
        ("edges to a tag", EdgeFilter { to: tagged(), ..base() }),
        ("edges from a project", EdgeFilter { from: within(), ..base() }),
        ("edges of a project", EdgeFilter { either: within(), ..base() }),
        ("open edges of a project", EdgeFilter { either: within(), blocking: true, ..base() }),
        (
            "edges of a small project to a large one",
            EdgeFilter {
                from: within(),
                to: EndFilter { project: Some(field.open), ..EndFilter::default() },
                cross_project: true,
                ..base()
            },
        ),
    ]
}

/// Edges by what many have: a page ends where it is full.
fn wide_edges(field: &Field) -> Vec<(&'static str, EdgeFilter)> {
    let base = || EdgeFilter { limit: 20, ..EdgeFilter::default() };
    let within = || EndFilter { project: Some(field.open), ..EndFilter::default() };
    vec![
        ("all edges", base()),
        ("open edges", EdgeFilter { blocking: true, ..base() }),
        ("edges of a large project", EdgeFilter { either: within(), ..base() }),
    ]
}

#[test]
fn edges_of_few_tasks_are_found_in_few_steps_on_sqlite() {
    let mut field = worst_in_front(Bed::sqlite());
    let Location::Sqlite(path) = field.bed.location.clone() else { panic!() };
    let raw = Connection::open(path).unwrap();
    let mut measured = Vec::new();
    for (name, filter) in narrow_edges(&field) {
        let start = field.edge_start(&filter);
        assert!(start.is_some(), "{name} begins with the many edges");
        for what in [What::Rows, What::Count] {
            let steps = edges::edges(&filter, start, what, |text, cells| {
                steps_and_sorts(&raw, text, cells).0
            });
            measured.push((name, what, steps));
        }
    }
    for (name, filter) in wide_edges(&field) {
        let start = field.edge_start(&filter);
        let steps =
            edges::edges(&filter, start, What::Rows, |text, cells| steps(&raw, text, cells));
        measured.push((name, What::Rows, steps));
    }
    measured.retain(|(_, _, steps)| *steps >= STEPS);
    assert_eq!(measured, Vec::new());
}

#[test]
fn counting_what_nothing_narrows_is_one_walk_over_the_edges_on_sqlite() {
    let mut field = worst_in_front(Bed::sqlite());
    let Location::Sqlite(path) = field.bed.location.clone() else { panic!() };
    let raw = Connection::open(path).unwrap();
    let edges = i32::try_from(MANY / 5).unwrap();
    let agent = || EndFilter { agent: Some("bob".into()), ..EndFilter::default() };
    let filters = [
        EdgeFilter { blocking: true, ..EdgeFilter::default() },
        EdgeFilter { either: agent(), ..EdgeFilter::default() },
        EdgeFilter { from: agent(), cross_project: true, ..EdgeFilter::default() },
    ];
    for filter in filters {
        let start = field.edge_start(&filter);
        let steps =
            edges::edges(&filter, start, What::Count, |text, cells| steps(&raw, text, cells));
        assert!(steps < 30 * edges, "{filter:?} took {steps} steps");
    }
}

/// Somebody with many tasks, but none in progress.
fn in_hand() -> QueueFilter {
    QueueFilter { tags: vec!["common".into()], ..super::anybody("bob") }
}

fn searches(project: ProjectId) -> [(&'static str, SearchFilter, Within); 3] {
    let all = SearchFilter::default();
    [
        ("search", all.clone(), Within::Everything),
        ("search in titles", all.clone(), Within::Title),
        ("search in a project", SearchFilter { project: Some(project), ..all }, Within::Text),
    ]
}

#[test]
fn claims_lists_and_histories_take_few_steps_on_sqlite() {
    let mut field = worst_in_front(Bed::sqlite());
    let Location::Sqlite(path) = &field.bed.location else { panic!() };
    let raw = Connection::open(path).unwrap();
    let project = field.open.to_bytes();
    let front = |tag, others: Option<&str>| {
        let mut cells =
            vec![Cell::Text(tag), Cell::Bytes(&project), Cell::Text(""), Cell::Text("w")];
        cells.extend(others.map(Cell::Text));
        cells.push(Cell::Int(4));
        let sql = if others.is_some() { sqlite::QUEUE_FRONT_TAGGED } else { sqlite::QUEUE_FRONT };
        steps(&raw, sql, &cells)
    };
    let ran_out = [Cell::Bytes(&project), Cell::Text(""), Cell::Int(i64::MAX), Cell::Text("w")];
    let [project_cell, role, now, _] = ran_out;
    let queue = |cells: &[Cell<'static>]| [&[Cell::Text(""), project_cell, role], cells].concat();
    let task = field.bed.add(field.open, |_| {});
    let mut measured = vec![
        ("open front", steps(&raw, sqlite::OPEN_FRONT, &queue(&[Cell::Int(20)]))),
        ("routed front", {
            steps(&raw, sqlite::ROUTED_FRONT, &queue(&[Cell::Text("w"), Cell::Int(4)]))
        }),
        ("anything routed", steps(&raw, sqlite::HAS_ROUTED, &queue(&[]))),
        ("anything that ran out", steps(&raw, sqlite::ANY_OUT, &[project_cell, role, now])),
        ("claim", front("", None)),
        ("claim by tag", front("common", None)),
        ("claim by two tags", front("rare", Some("[\"common\"]"))),
        ("claim of a lease that ran out", steps(&raw, sqlite::RAN_OUT, &ran_out)),
        (
            "own leases",
            steps(&raw, sql::RAN_OUT_OF, &[Cell::Text("bob"), Cell::Int(i64::MAX), Cell::Int(5)]),
        ),
        ("history", steps(&raw, sql::HISTORY, &[Cell::Bytes(&task.to_bytes()), Cell::Int(100)])),
        ("notes", steps(&raw, sql::NOTES, &[Cell::Bytes(&task.to_bytes())])),
        (
            "checkpoints",
            steps(&raw, sql::CHECKPOINTS, &[Cell::Bytes(&task.to_bytes()), Cell::Int(3)]),
        ),
        (
            "correlated",
            steps(&raw, sql::CORRELATED, &[Cell::Bytes(&[7; 16]), Cell::Int(0), Cell::Int(10)]),
        ),
        ("pauses that are over", steps(&raw, sql::PAUSE_OVER, &[])),
        ("in hand", sql::in_hand(&in_hand(), |text, cells| steps(&raw, text, cells))),
        ("events", steps(&raw, sql::EVENTS_AFTER, &[Cell::Int(3), Cell::Int(10)])),
        (
            "by suffix",
            steps(
                &raw,
                sql::WITH_SUFFIX,
                &[Cell::Int(task.tail()), Cell::Int(task.tail()), Cell::Int(6)],
            ),
        ),
    ];
    for (name, filter) in lists(field.open) {
        measured.push((
            name,
            sql::list(sqlite::INDEX, &filter, &[], What::Rows, |text, cells| {
                steps(&raw, text, cells)
            }),
        ));
    }
    for (name, steps) in measured {
        assert!(steps < STEPS, "{name} took {steps} steps");
    }
    let next = field.bed.claim_next(&super::anybody("w"), None);
    assert!(next.is_some(), "the one task behind them all is found");
}

#[test]
fn what_is_rare_is_listed_and_found_in_few_steps_on_sqlite() {
    let mut field = worst_in_front(Bed::sqlite());
    let Location::Sqlite(path) = &field.bed.location else { panic!() };
    let raw = Connection::open(path).unwrap();
    let mut measured = Vec::new();
    for (name, filter) in narrow_lists(field.open) {
        let question = field.question(&filter.text, Within::Everything);
        let narrow = field.rarest_first(&filter, &question);
        for what in [What::Rows, What::Count, What::CountByAgent] {
            let steps = sql::list(sqlite::INDEX, &filter, &narrow, what, |text, cells| {
                steps_and_sorts(&raw, text, cells).0
            });
            measured.push((name, what, steps));
        }
    }
    for (name, filter, within) in searches(field.open) {
        let question = field.question(&asked("rare").unwrap(), within);
        for what in [What::Rows, What::Count] {
            let steps = sql::search(sqlite::INDEX, &filter, what, &question, 20, |text, cells| {
                steps(&raw, text, cells)
            });
            measured.push((name, what, steps));
        }
    }
    // A page of what many have is not read to the end.
    let (question, all) =
        (field.question(&asked("task").unwrap(), Within::Title), SearchFilter::default());
    let steps = sql::search(sqlite::INDEX, &all, What::Rows, &question, 20, |text, cells| {
        steps(&raw, text, cells)
    });
    measured.push(("search of a common word", What::Rows, steps));
    measured.retain(|(_, _, steps)| *steps >= STEPS);
    assert_eq!(measured, Vec::new());
}

#[test]
fn a_scan_would_take_many_more_steps_than_allowed() {
    let field = worst_in_front(Bed::sqlite());
    let Location::Sqlite(path) = &field.bed.location else { panic!() };
    let raw = Connection::open(path).unwrap();
    let scan = "SELECT count(*) FROM tasks WHERE status = 'ready' AND open_dependencies = 0";
    assert!(steps(&raw, scan, &[]) > 10 * STEPS);
}

/// A number as bytes that sort as it does, in SQL.
pub(super) fn bytes_on_sqlite(number: &str) -> String {
    format!("CAST(printf('%016d', {number}) AS BLOB)")
}

pub(super) fn bytes_on_postgres(number: &str) -> String {
    format!("convert_to(lpad(({number})::text, 16, '0'), 'UTF8')")
}

/// A question by its name, with the statement that asks it and its values.
pub(super) type Query = (&'static str, &'static str, Vec<Cell<'static>>);

/// The questions that take so many steps or more, or sort, once rows were copied; with both counts.
pub(super) fn slow_on_sqlite(
    bed: &Bed,
    copies: &str,
    asked: Vec<Query>,
    too_many: i32,
) -> Vec<(&'static str, i32, i32)> {
    let Location::Sqlite(path) = &bed.location else { panic!() };
    let raw = Connection::open(path).unwrap();
    raw.execute_batch(copies).unwrap();
    let counted = asked.into_iter().map(|(name, sql, cells)| {
        let (steps, sorts) = steps_and_sorts(&raw, sql, &cells);
        (name, steps, sorts)
    });
    counted.filter(|(_, steps, sorts)| *steps >= too_many || *sorts > 0).collect()
}

/// The questions that touch more rows than this, once rows were copied; with their number.
pub(super) fn wide_on_postgres(
    bed: &Bed,
    copies: &str,
    asked: Vec<Query>,
    most: f64,
) -> Vec<(&'static str, f64)> {
    let Location::Postgres(url) = &bed.location else { panic!() };
    let mut client = postgres::Client::connect(url, postgres::NoTls).unwrap();
    client.batch_execute(copies).unwrap();
    client.batch_execute("ANALYZE").unwrap();
    let counted = asked.into_iter();
    let counted = counted.map(|(name, sql, cells)| (name, rows_touched(&mut client, sql, &cells)));
    counted.filter(|(_, rows)| *rows > most).collect()
}

/// Rows that each node of an executed plan touched, with the names of nodes that scan or sort.
fn touched(plan: &serde_json::Value, most: &mut f64, bad: &mut Vec<String>) {
    let number = |key: &str| plan[key].as_f64().unwrap_or(0.0);
    let rows = (number("Actual Rows") + number("Rows Removed by Filter"))
        * number("Actual Loops").max(1.0);
    *most = most.max(rows);
    let kind = plan["Node Type"].as_str().unwrap_or_default();
    let relation = plan["Relation Name"].as_str().unwrap_or_default();
    let is_small = matches!(relation, "projects" | "head" | "");
    if kind == "Seq Scan" && !is_small {
        bad.push(format!("{kind} on {relation}"));
    }
    for below in plan["Plans"].as_array().into_iter().flatten() {
        touched(below, most, bad);
    }
}

/// Executes a statement and returns the most rows a node of its plan touched.
pub(super) fn rows_touched(client: &mut postgres::Client, sql: &str, cells: &[Cell<'_>]) -> f64 {
    let explained = format!("EXPLAIN (ANALYZE, FORMAT JSON) {sql}");
    let typed: Vec<_> = crate::postgres::typed(cells);
    let row = client.query_typed(&explained, &typed).unwrap().remove(0);
    let plan: Json = row.get(0);
    let (mut most, mut bad) = (0.0, Vec::new());
    touched(&plan.0[0]["Plan"], &mut most, &mut bad);
    assert!(bad.is_empty(), "{bad:?} in {sql}: {:#}", plan.0);
    most
}

/// A column of type json.
struct Json(serde_json::Value);

impl<'a> postgres::types::FromSql<'a> for Json {
    fn from_sql(
        _kind: &postgres::types::Type,
        raw: &'a [u8],
    ) -> Result<Self, Box<dyn std::error::Error + Sync + Send>> {
        Ok(Self(serde_json::from_slice(raw)?))
    }

    fn accepts(kind: &postgres::types::Type) -> bool {
        *kind == postgres::types::Type::JSON
    }
}

#[test]
fn claims_lists_and_histories_touch_few_rows_on_postgres() {
    let Some(bed) = Bed::postgres() else { return };
    let mut field = worst_in_front(bed);
    let Location::Postgres(url) = &field.bed.location else { panic!() };
    let mut client = postgres::Client::connect(url, postgres::NoTls).unwrap();
    let project = field.open.to_bytes();
    let front = |tag: &'static str, others: &'static str| {
        [
            Cell::Text(tag),
            Cell::Text(""),
            Cell::Text("w"),
            Cell::Text(others),
            Cell::Int(4),
            Cell::Null,
        ]
    };
    let ran_out = [
        Cell::Text(""),
        Cell::Int(i64::MAX),
        Cell::Text("w"),
        Cell::Text("[]"),
        Cell::Bytes(&project),
    ];
    let task = field.bed.add(field.open, |_| {}).to_bytes();
    let statements: Vec<(&str, &str, Vec<Cell<'_>>)> = vec![
        ("claim", crate::postgres::QUEUE_FRONT, front("", "[]").to_vec()),
        ("claim by tag", crate::postgres::QUEUE_FRONT, front("common", "[]").to_vec()),
        ("claim by two tags", crate::postgres::QUEUE_FRONT, front("rare", "[\"common\"]").to_vec()),
        ("claim of a lease that ran out", crate::postgres::RAN_OUT, ran_out.to_vec()),
        ("own leases", sql::RAN_OUT_OF, vec![Cell::Text("bob"), Cell::Int(i64::MAX), Cell::Int(5)]),
        ("history", sql::HISTORY, vec![Cell::Bytes(&task), Cell::Int(100)]),
        ("notes", sql::NOTES, vec![Cell::Bytes(&task)]),
        ("checkpoints", sql::CHECKPOINTS, vec![Cell::Bytes(&task), Cell::Int(3)]),
        ("correlated", sql::CORRELATED, vec![Cell::Bytes(&task), Cell::Int(0), Cell::Int(10)]),
        ("pauses that are over", sql::PAUSE_OVER, Vec::new()),
        ("events", sql::EVENTS_AFTER, vec![Cell::Int(50_000), Cell::Int(10)]),
        ("turns", lately::TURNS_SINCE, vec![Cell::Int(LATE)]),
        (
            "turns of a project",
            lately::TURNS_SINCE_IN,
            vec![Cell::Int(LATE), Cell::Bytes(&project)],
        ),
        ("additions", lately::ADDED_SINCE, [LATE, 60_000, LATE].map(Cell::Int).to_vec()),
    ];
    let rows = sql::in_hand(&in_hand(), |text, cells| rows_touched(&mut client, text, cells));
    assert!(rows <= 200.0, "in hand touched {rows} rows");
    for (name, text, cells) in statements {
        let rows = rows_touched(&mut client, text, &cells);
        assert!(rows <= 200.0, "{name} touched {rows} rows");
    }
    for (name, filter) in lists(field.open) {
        let rows = sql::list(crate::postgres::INDEX, &filter, &[], What::Rows, |text, cells| {
            rows_touched(&mut client, text, cells)
        });
        assert!(rows <= 200.0, "{name} touched {rows} rows");
    }
    // The words of the copies are so few that reading them all would be thought cheap.
    client.batch_execute("SET random_page_cost = 1.1").unwrap();
    for (name, filter) in narrow_lists(field.open) {
        let question = field.question(&filter.text, Within::Everything);
        let narrow = field.rarest_first(&filter, &question);
        for what in [What::Rows, What::Count] {
            let rows = sql::list(crate::postgres::INDEX, &filter, &narrow, what, |text, cells| {
                rows_touched(&mut client, text, cells)
            });
            assert!(rows <= 200.0, "{name} touched {rows} rows ({what:?})");
        }
    }
    for (name, filter) in narrow_edges(&field) {
        let start = field.edge_start(&filter);
        for what in [What::Rows, What::Count] {
            let rows = edges::edges(&filter, start, what, |text, cells| {
                rows_touched(&mut client, text, cells)
            });
            assert!(rows <= 200.0, "{name} touched {rows} rows ({what:?})");
        }
    }
    for (name, filter, within) in searches(field.open) {
        let question = field.question(&asked("rare").unwrap(), within);
        let rows = sql::search(
            crate::postgres::INDEX,
            &filter,
            What::Rows,
            &question,
            20,
            |text, cells| rows_touched(&mut client, text, cells),
        );
        assert!(rows <= 200.0, "{name} touched {rows} rows");
    }
}
