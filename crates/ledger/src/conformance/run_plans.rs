//! Query plans of runs with 100,000 others around them, in front and behind: what is asked for must
//! not grow with them, and is never sorted.

use super::Bed;
use super::plans::{Query, bytes_on_postgres, bytes_on_sqlite, slow_on_sqlite, wide_on_postgres};
use super::runs::started;
use crate::cell::Cell;
use crate::run;

const MANY: i64 = 100_000;
/// More instructions than a page of probes needs, fewer than a scan.
const STEPS: i32 = 3_000;
const ROWS: f64 = 60.0;
const KEY: [u8; 16] = *b"0000000000050000";
const TASK: [u8; 16] = *b"0000000000000007";

/// Copies the one run of the ledger. Every one has the same name in a folder of its own, but for one
/// in a hundred, which are in one folder; every tenth is of a task; one in a thousand is stuck; every
/// third waits for an answer.
fn copies(bytes: impl Fn(&str) -> String) -> String {
    let (id, task) = (bytes("n"), bytes("n % 1000"));
    format!(
        "INSERT INTO runs (id, version, machine, folder, name, status, task_id, answer_due, state, created_seq) \
         WITH RECURSIVE numbers (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM numbers WHERE n < {MANY}) \
         SELECT {id}, 1, 'harbour', \
         CASE WHEN n % 100 = 0 THEN '/one' ELSE '/trees/' || n END, \
         CASE WHEN n % 100 = 0 THEN 'boat-' || n ELSE 'boat-1' END, \
         CASE WHEN n % 1000 = 0 THEN 'blocked' ELSE 'running' END, \
         CASE WHEN n % 10 = 7 THEN {task} END, \
         CASE WHEN n % 3 = 0 THEN n END, state, n FROM numbers, runs"
    )
}

/// What is asked of runs, by name.
fn asked() -> Vec<Query> {
    let (late, early, limit) = (Cell::Int(i64::MAX), Cell::Int(MANY / 2), Cell::Int(20));
    let (machine, folder, name) = (Cell::Text("harbour"), Cell::Text("/one"), Cell::Text("boat-1"));
    let task = Cell::Bytes(&TASK);
    let mut all = vec![
        ("by key", run::RUN, vec![Cell::Bytes(&KEY)]),
        ("by place", run::RUN_NAMED, vec![machine, folder, name]),
        ("by a name that many have", run::RUNS_CALLED, vec![name]),
        ("by a name that one has", run::RUNS_CALLED, vec![Cell::Text("boat-50000")]),
        ("whose answers are overdue", run::RUNS_OVERDUE, vec![early, limit]),
        ("whose answers are not", run::RUNS_OVERDUE, vec![Cell::Int(0), limit]),
        ("the next answer", run::ANSWER_DUE_NEXT, vec![]),
        ("by a name that none has", run::RUNS_CALLED, vec![Cell::Text("ship")]),
    ];
    for before in [late, early] {
        all.extend([
            ("all", run::RUNS, vec![before, limit]),
            ("many with a status", run::RUNS_WITH, vec![Cell::Text("running"), before, limit]),
            ("few with a status", run::RUNS_WITH, vec![Cell::Text("blocked"), before, limit]),
            ("none with a status", run::RUNS_WITH, vec![Cell::Text("paused"), before, limit]),
            ("in a folder", run::RUNS_AT, vec![machine, folder, before, limit]),
            ("in an empty folder", run::RUNS_AT, vec![machine, Cell::Text("/"), before, limit]),
            ("of a task", run::RUNS_OF_TASK, vec![task, before, limit]),
            ("of a task without", run::RUNS_OF_TASK, vec![Cell::Bytes(&KEY), before, limit]),
        ]);
    }
    all
}

fn one_run(bed: &mut Bed) {
    bed.write(|tx| tx.begin_run(started("boat-1", "/one"))).unwrap();
}

#[test]
fn runs_are_found_in_few_steps_on_sqlite() {
    let mut bed = Bed::sqlite();
    one_run(&mut bed);
    let slow = slow_on_sqlite(&bed, &copies(bytes_on_sqlite), asked(), STEPS);
    assert_eq!(slow, Vec::new());
}

#[test]
fn runs_touch_few_rows_on_postgres() {
    let Some(mut bed) = Bed::postgres() else { return };
    one_run(&mut bed);
    let wide = wide_on_postgres(&bed, &copies(bytes_on_postgres), asked(), ROWS);
    assert_eq!(wide, Vec::new());
}
