//! Deleted tasks and projects: gone from every view, their events kept.

use std::io::BufReader;

use windlass_domain::event::{
    Authority, DependencyKept, Emptied, TaskArchived, TaskDeleted, TaskMoved,
};
use windlass_domain::{Event, ProjectId, Status, TaskId};

use super::bulk::rows;
use super::{Bed, anybody, on_both};
use crate::{EdgeFilter, Error, Ledger, Location, Options, audit, export, import};

on_both! {
    a_deleted_task_leaves_every_view_in_whatever_status_it_is
    what_waited_for_a_deleted_task_waits_no_longer
    a_kept_edge_of_a_deleted_task_is_seen_and_holds_nothing_up
    a_deleted_task_keeps_its_events_and_never_comes_back
    a_parent_counts_a_deleted_subtask_no_more
    the_name_of_a_deleted_project_is_free_again
    what_was_archived_in_a_deleted_project_still_names_it
    deleted_tasks_stay_deleted_in_another_ledger
    a_kept_dependency_changes_nothing_but_the_history
}

fn gone() -> TaskDeleted {
    TaskDeleted { project: None, kept: Vec::new(), authority: Authority::Free, forced: None }
}

fn delete(bed: &mut Bed, id: TaskId) -> Result<(), Error> {
    bed.write(|tx| {
        let task = tx.task(id)?.unwrap();
        tx.delete(&task, gone())
    })
}

fn delete_project(bed: &mut Bed, id: ProjectId) {
    bed.write(|tx| {
        let project = tx.project(id)?;
        let event = project.delete(Emptied::Archive, None, None)?;
        tx.record_project(&project, [event])
    })
    .unwrap();
}

#[track_caller]
fn is_sound(bed: &mut Bed) {
    assert_eq!(bed.ledger.rebuild().unwrap().differences, Vec::new());
    let found = bed.ledger.read(|snapshot| Ok(audit(snapshot, None)?)).unwrap();
    assert_eq!((found.findings, found.pruned), (Vec::<String>::new(), 0));
}

fn archived() -> Event {
    TaskArchived { authority: Authority::Free, forced: None }.into()
}

fn a_deleted_task_leaves_every_view_in_whatever_status_it_is(bed: &mut Bed) {
    let project = bed.project("api");
    let other = bed.add(project, |task| task.status = Status::Done);
    let before = rows(bed);
    let make = |bed: &mut Bed, status| {
        bed.add(project, |task| {
            task.status = status;
            task.title = "Brunnen".into();
            task.tags = vec!["stone".into()];
            task.depends_on = vec![other];
        })
    };
    let mut ids: Vec<TaskId> = [Status::Backlog, Status::Ready, Status::Blocked, Status::Done]
        .map(|s| make(bed, s))
        .into();
    let put_away = make(bed, Status::Ready);
    bed.happen(put_away, archived());
    let held = bed.claim_next(&anybody("ada"), None).unwrap();
    assert!(ids.contains(&held));
    ids.push(put_away);
    for id in ids {
        delete(bed, id).unwrap();
    }
    let of_log = |row: &&String| row.starts_with("activity") || row.starts_with("agents");
    let after = rows(bed);
    let left: Vec<_> = after.difference(&before).filter(|row| !of_log(row)).collect();
    assert_eq!(left, Vec::<&String>::new());
    is_sound(bed);
}

fn what_waited_for_a_deleted_task_waits_no_longer(bed: &mut Bed) {
    let (api, web) = (bed.project("api"), bed.project("web"));
    let first = bed.add(api, |task| task.status = Status::Backlog);
    let waiting = bed.add(web, |task| task.depends_on = vec![first]);
    assert_eq!(bed.claim_next(&anybody("ada"), None), None);
    delete(bed, first).unwrap();
    assert_eq!(bed.task(waiting).open_dependencies, 0);
    let edges = bed.ledger.read(|snapshot| Ok(snapshot.orphan_edges()?)).unwrap();
    assert_eq!(edges, [(waiting, first)], "the edge stays and shows that something was there");
    assert_eq!(bed.claim_next(&anybody("ada"), None), Some(waiting));
    is_sound(bed);
}

fn a_kept_edge_of_a_deleted_task_is_seen_and_holds_nothing_up(bed: &mut Bed) {
    let (api, web) = (bed.project("api"), bed.project("web"));
    let logo = bed.add(web, |_| {});
    let schema = bed.add(api, |_| {});
    let server = bed.add(api, |task| task.depends_on = vec![schema, logo]);
    let page = bed.add(web, |task| task.depends_on = vec![server]);
    bed.write(|tx| {
        let task = tx.task(server)?.unwrap();
        tx.delete(&task, TaskDeleted { kept: vec![logo], ..gone() })
    })
    .unwrap();
    let (kept, blocking, here, circle) = bed
        .ledger
        .read(|snapshot| {
            let all = EdgeFilter { limit: 10, ..EdgeFilter::default() };
            let blocking = EdgeFilter { blocking: true, ..all.clone() };
            let kept = snapshot.list_edges(&all)?;
            let blocking =
                snapshot.list_edges(&blocking)?.len() as u64 + snapshot.count_edges(&blocking)?;
            Ok((kept, blocking, snapshot.edges()?, snapshot.waiting_path(page, logo)?))
        })
        .unwrap();
    let from_server: Vec<_> = kept.iter().filter(|edge| edge.from.id == server).collect();
    assert_eq!(from_server.len(), 1, "{kept:?}");
    assert_eq!((from_server[0].to.id, &from_server[0].from.task), (logo, &None));
    assert!(!from_server[0].is_blocking());
    assert_eq!((blocking, here, circle), (0, vec![(page, server)], None));
    is_sound(bed);
    bed.happen(logo, archived());
    delete(bed, logo).unwrap();
    is_sound(bed);
}

fn a_deleted_task_keeps_its_events_and_never_comes_back(bed: &mut Bed) {
    let project = bed.project("api");
    let id = bed.add(project, |_| {});
    bed.happen(id, archived());
    delete(bed, id).unwrap();
    is_sound(bed);
    let (task, history) = bed
        .ledger
        .read(|snapshot| Ok((snapshot.task(id)?, snapshot.history(id.into(), 10)?)))
        .unwrap();
    assert_eq!(task, None);
    let kinds: Vec<&str> = history.iter().map(|event| event.header.kind.as_str()).collect();
    assert_eq!(kinds, ["task_created", "task_archived", "task_deleted"]);
    assert!(history.iter().all(|event| event.data.is_some()));
}

fn a_parent_counts_a_deleted_subtask_no_more(bed: &mut Bed) {
    let project = bed.project("api");
    let parent = bed.add(project, |_| {});
    let child = bed.add(project, |task| task.parent = Some(parent));
    assert_eq!(bed.task(parent).open_children, 1);
    delete(bed, child).unwrap();
    assert_eq!(bed.task(parent).open_children, 0);
    is_sound(bed);
}

fn the_name_of_a_deleted_project_is_free_again(bed: &mut Bed) {
    let old = bed.project("api");
    delete_project(bed, old);
    let new = bed.project("api");
    delete_project(bed, new);
    let newest = bed.project("api");
    let (named, here, all) = bed
        .ledger
        .read(|snapshot| {
            let named = snapshot.project_named("api")?.id;
            Ok((named, snapshot.projects()?.len(), snapshot.all_projects()?.len()))
        })
        .unwrap();
    assert_eq!((named, here, all), (newest, 1, 3));
    is_sound(bed);
}

fn what_was_archived_in_a_deleted_project_still_names_it(bed: &mut Bed) {
    let (api, web) = (bed.project("api"), bed.project("web"));
    let id = bed.add(api, |_| {});
    bed.happen(id, archived());
    delete_project(bed, api);
    let name = |bed: &mut Bed, id: TaskId| {
        let project = bed.task(id).project;
        bed.ledger.read(|snapshot| Ok(snapshot.project(project)?.name)).unwrap()
    };
    assert_eq!(name(bed, id), "api");
    bed.happen(id, TaskMoved { project: web, from: None });
    assert_eq!(name(bed, id), "web");
    is_sound(bed);
}

fn deleted_tasks_stay_deleted_in_another_ledger(bed: &mut Bed) {
    let project = bed.project("api");
    let id = bed.add(project, |_| {});
    let kept = bed.add(project, |task| task.depends_on = vec![id]);
    delete(bed, id).unwrap();
    let file = bed
        .ledger
        .read(|snapshot| {
            let mut file = Vec::new();
            export(snapshot, &mut file)?;
            Ok(file)
        })
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let location = Location::Sqlite(folder.path().join("copy.db"));
    let mut copy = Ledger::open(&location, Options::default()).unwrap();
    copy.write(&windlass_domain::chain::Provenance::default(), |tx| {
        import(tx, &mut BufReader::new(&file[..]))
    })
    .unwrap();
    let found = copy.read(|snapshot| Ok((snapshot.task(id)?, snapshot.task(kept)?))).unwrap();
    assert_eq!((found.0, found.1.map(|task| task.open_dependencies)), (None, Some(0)));
    assert_eq!(copy.rebuild().unwrap().differences, Vec::new());
}

fn a_kept_dependency_changes_nothing_but_the_history(bed: &mut Bed) {
    let project = bed.project("api");
    let first = bed.add(project, |_| {});
    let waiting = bed.add(project, |task| task.depends_on = vec![first]);
    bed.happen(waiting, archived());
    let before = bed.task(waiting);
    let after = bed.happen(waiting, DependencyKept { on: first, because: "moved".into() });
    let same = windlass_domain::Task { version: before.version + 1, ..before };
    assert_eq!(windlass_domain::Task { updated_at: same.updated_at, ..after }, same);
    is_sound(bed);
}
