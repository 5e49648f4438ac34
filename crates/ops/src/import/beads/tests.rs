use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tempfile::TempDir;
use windlass_ledger::Location;

use super::*;
use crate::context::{Progress, Surroundings, Workplace};
use crate::project::Create;
use crate::settings::Resolved;

/// A folder with a ledger and five issues, each of which waits for the next.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let line = |number: u64| {
        let next = number + 1;
        format!(
            r#"{{"id":"bd-{number}","title":"t","status":"open","created_at":"2026-01-01T00:00:0{number}Z","dependencies":[{{"type":"blocks","depends_on_id":"bd-{next}"}}]}}"#
        )
    };
    let lines: Vec<String> = (1..=5).map(line).collect();
    fs::write(folder.path().join("issues.jsonl"), lines.join("\n")).unwrap();
    folder
}

fn context(folder: &Path) -> Context {
    let mut workplace = Workplace::new(Location::Sqlite(folder.join("ledger.db")));
    // Whoever would have to wait fails.
    workplace.wait = Duration::from_millis(1);
    let surroundings = Surroundings { user: "user".into(), ..Surroundings::default() };
    Context::new(workplace, surroundings, Resolved::default())
}

fn beads(folder: &Path) -> Beads {
    Beads { file: folder.join("issues.jsonl"), project: None }
}

/// Does something each time that a part is done, and counts the parts.
fn after_each_part(cx: &mut Context, act: impl Fn() + Send + Sync + 'static) -> Arc<AtomicU64> {
    let parts = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&parts);
    cx.progress = Some(Arc::new(move |progress| {
        if matches!(progress, Progress::Counted(step) if step.doing == "importing from beads") {
            counted.fetch_add(1, Ordering::SeqCst);
            act();
        }
    }));
    parts
}

#[test]
fn others_can_write_between_the_parts() {
    let folder = folder();
    let mut cx = context(folder.path());
    let path = folder.path().to_owned();
    let made = AtomicU64::new(0);
    let parts = after_each_part(&mut cx, move || {
        let name = format!("p{}", made.fetch_add(1, Ordering::SeqCst));
        let create = Create { name, description: None, repo: None, author: None };
        create.run(&mut context(&path)).unwrap();
    });
    let imported = beads(folder.path()).import(&mut cx, 2).unwrap();
    assert_eq!(parts.load(Ordering::SeqCst), 3);
    assert_eq!((imported.tasks, imported.projects, imported.events_recorded), (5, 1, 6));
    // The last project was made after the last part.
    assert_eq!(imported.seq, 6 + 2);
    let again = beads(folder.path()).import(&mut cx, 2).unwrap();
    assert_eq!((again.already_here, again.events_recorded, again.seq), (5, 0, 9));
}

#[test]
fn what_somebody_else_imports_meanwhile_is_not_taken_twice() {
    let folder = folder();
    let mut cx = context(folder.path());
    let path = folder.path().to_owned();
    let _parts = after_each_part(&mut cx, move || {
        beads(&path).run(&mut context(&path)).unwrap();
    });
    let imported = beads(folder.path()).import(&mut cx, 2).unwrap();
    assert_eq!((imported.tasks, imported.already_here, imported.seq), (2, 3, 6));
}

#[test]
fn a_task_waits_for_one_that_comes_in_a_later_part() {
    let folder = folder();
    let mut cx = context(folder.path());
    beads(folder.path()).import(&mut cx, 1).unwrap();
    let open = cx
        .read(|snapshot| {
            let edges = snapshot.edges()?;
            let tasks: Result<Vec<_>, _> =
                edges.iter().map(|(task, _)| snapshot.task(*task)).collect();
            Ok(tasks?.into_iter().flatten().map(|task| task.open_dependencies).sum::<u64>())
        })
        .unwrap();
    assert_eq!(open, 4, "the last waits for an issue that never comes");
}

#[test]
fn known_issues_make_no_project_and_it_is_told_where_they_are() {
    let folder = folder();
    let mut cx = context(folder.path());
    let first = beads(folder.path()).import(&mut cx, 2).unwrap();
    let other = Beads { project: Some("other".into()), ..beads(folder.path()) };
    let again = other.run(&mut cx).unwrap();
    assert_eq!((again.projects, again.seq), (0, first.seq));
    let elsewhere = again.notes.iter().find(|note| note.what.contains("another project")).unwrap();
    assert_eq!((elsewhere.count, elsewhere.example.as_str()), (5, "bd-1 in bd"));
}

#[test]
fn what_cannot_be_read_twice_is_named_and_not_opened() {
    let folder = folder();
    for (file, code, said) in [
        (PathBuf::from("-"), Code::Usage, "standard input"),
        (folder.path().to_owned(), Code::FileUnusable, "this is a folder"),
        (PathBuf::from("/dev/null"), Code::FileUnusable, "a pipe or a device"),
        (folder.path().join("missing"), Code::FileUnusable, "No such file"),
    ] {
        let beads = Beads { file: file.clone(), project: None };
        let error = beads.run(&mut context(folder.path())).unwrap_err();
        assert_eq!(error.code(), code);
        assert!(error.to_string().contains(said), "{error}");
        let (hint, details) = match error {
            Error::Refused(refusal) => (refusal.hint, refusal.details),
            Error::Failed(fault) => (fault.hint, fault.details),
        };
        assert!(hint.is_some());
        assert_eq!(details["file"], file.display().to_string());
    }
    assert!(!folder.path().join("ledger.db").exists());
}
