use std::fs;
use std::sync::Arc;
use std::sync::mpsc;
use std::time::Duration;

use tempfile::TempDir;
use windlass_domain::Code;
use windlass_domain::chain::Provenance;
use windlass_ledger::Location;

use super::*;
use crate::context::{Progress, Surroundings, Workplace};
use crate::settings::Resolved;
use crate::table::Entry;

/// Long after everything here.
const LATER: &str = "2099-01-01";

fn context(folder: &Path) -> Context {
    let mut workplace = Workplace::new(Location::Sqlite(folder.join("ledger.db")));
    // Whoever would have to wait fails.
    workplace.wait = Duration::from_millis(1);
    let surroundings = Surroundings { user: "user".into(), ..Surroundings::default() };
    Context::new(workplace, surroundings, Resolved::default())
}

fn run(folder: &Path, name: &str, input: serde_json::Value) -> serde_json::Value {
    let request = Entry::named(name).unwrap().from_json(input).unwrap();
    let answer = request.run(&mut context(folder)).unwrap();
    serde_json::from_str(&answer.json().unwrap()).unwrap()
}

/// A ledger with so many finished tasks, and these tasks.
fn finished(count: usize) -> (TempDir, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let add = |_| {
        let added = run(
            folder.path(),
            "task.add",
            serde_json::json!({"title": "t", "status": "done", "project": "inbox"}),
        );
        added["task_id"].as_str().unwrap().to_owned()
    };
    let tasks = (0..count).map(add).collect();
    (folder, tasks)
}

/// Prunes all, two tasks at a time, and does something when so many are done.
fn prune(
    folder: &Path,
    export: Option<PathBuf>,
    when: u64,
    act: impl Fn() + Send + Sync + 'static,
) -> Result<Pruned, Error> {
    let mut cx = context(folder);
    cx.progress = Some(Arc::new(move |progress| {
        if matches!(progress, Progress::Counted(step) if step.doing == "pruning" && step.done == when)
        {
            act();
        }
    }));
    let prune = Prune {
        project: None,
        all: true,
        older_than: "0".into(),
        as_of: None,
        dry_run: false,
        export,
        yes: true,
        author: None,
    };
    prune.prune(&mut cx, Some(Time::parse("as_of", LATER)?), Span::from_millis(0), 2)
}

fn ids(pruned: &Pruned) -> Vec<String> {
    pruned.pruned.iter().flatten().map(|task| task.task_id.to_string()).collect()
}

#[test]
fn families_are_cut_into_parts_and_none_of_them_in_two() {
    let family = |size: usize| Family(vec![(TaskId::from_bytes([7; 16]), 1); size]);
    let families = [1, 1, 1, 5, 2, 1].map(family);
    let sizes: Vec<usize> = parts(&families, 3).iter().map(|part| part.len()).collect();
    assert_eq!(sizes, [3, 1, 2]);
}

#[test]
fn what_is_open_again_when_its_turn_comes_stays_and_the_rest_goes() {
    let (folder, tasks) = finished(5);
    let (path, reopened) = (folder.path().to_owned(), tasks[3].clone());
    let pruned = prune(folder.path(), None, 2, move || {
        run(&path, "task.reopen", serde_json::json!({"task": reopened}));
    })
    .unwrap();
    let expected = [&tasks[0], &tasks[1], &tasks[2], &tasks[4]];
    assert_eq!(ids(&pruned).iter().collect::<Vec<_>>(), expected);
    assert_eq!((pruned.count, pruned.events_deleted), (4, 4));
}

#[test]
fn what_was_said_after_the_export_is_not_lost() {
    let (folder, tasks) = finished(3);
    let (path, commented) = (folder.path().to_owned(), tasks[1].clone());
    let file = folder.path().join("old.ndjson");
    let pruned = prune(folder.path(), Some(file.clone()), 0, move || {
        run(&path, "task.comment", serde_json::json!({"task": commented, "text": "wait"}));
    })
    .unwrap();
    assert_eq!(ids(&pruned), [tasks[0].as_str(), &tasks[2]]);
    assert_eq!(fs::read_to_string(file).unwrap().lines().count(), 1 + 3);
    let shown = run(folder.path(), "task.show", serde_json::json!({"task": tasks[1]}));
    assert_eq!(shown["comments"][0]["text"], "wait");
}

#[test]
fn a_fault_in_the_middle_keeps_the_export_and_names_it() {
    let (folder, tasks) = finished(5);
    let path = folder.path().to_owned();
    let file = folder.path().join("old.ndjson");
    let (release, released) = mpsc::channel::<()>();
    let released = Arc::new(std::sync::Mutex::new(Some(released)));
    let error = prune(folder.path(), Some(file.clone()), 2, move || {
        // Somebody else writes for a long time.
        let released = released.lock().unwrap().take().unwrap();
        let (held, is_held) = mpsc::channel();
        let mut cx = context(&path);
        std::thread::spawn(move || {
            let by = Provenance { actor: "other".into(), ..Provenance::default() };
            cx.ledger().unwrap().write(&by, |_| {
                held.send(()).unwrap();
                let _end = released.recv();
                Ok(())
            })
        });
        is_held.recv().unwrap();
    })
    .unwrap_err();
    drop(release);
    assert_eq!(error.code(), Code::LedgerLocked);
    let said = format!("2 tasks pruned before that, the events are in {}", file.display());
    assert!(error.to_string().contains(&said), "{error}");
    assert_eq!(fs::read_to_string(file).unwrap().lines().count(), 1 + 5);
    let left = run(folder.path(), "task.list", serde_json::json!({}));
    assert_eq!(left["total"], tasks.len() - 2);
}
