//! Pruned tasks: gone from every view, their place in the chain kept.

use std::io::BufReader;

use serde_json::json;
use windlass_domain::event::{
    Authority, Change, CommentAdded, DependencyAdded, ProjectRenamed, StatusSet, TaskArchived,
    TaskMoved, TaskUpdated,
};
use windlass_domain::words::asked;
use windlass_domain::{Event, ProjectId, Status, TaskId};

use super::bulk::rows;
use super::{Bed, on_both};
use crate::{Error, Happened, ListFilter, SearchFilter, audit, export, import};

on_both! {
    a_pruned_task_leaves_every_view
    a_pruned_task_keeps_its_place_in_the_chain_and_loses_its_data
    a_rebuild_after_pruning_gives_the_same_views
    a_former_child_of_a_pruned_parent_survives_a_rebuild
    an_edge_to_a_pruned_task_stays_and_holds_nothing_up
    an_edge_from_a_pruned_task_goes
    a_pruned_family_is_counted_out_of_its_projects
    only_a_settled_task_can_be_pruned
    a_pruned_ledger_moves_with_equal_hashes
    a_ledger_that_knew_the_task_forgets_it_with_an_import
    a_task_created_and_pruned_in_one_bulk_leaves_nothing
}

fn set(to: Status) -> Event {
    StatusSet { to, authority: Authority::Free, forced: None }.into()
}

fn comment(text: &str) -> Event {
    CommentAdded { text: text.into() }.into()
}

fn prune(bed: &mut Bed, id: TaskId) -> Result<u64, Error> {
    bed.write(|tx| {
        let task = tx.task(id)?.unwrap();
        tx.prune(&task)
    })
}

#[track_caller]
pub(super) fn is_sound(bed: &mut Bed) {
    assert_eq!(bed.ledger.rebuild().unwrap().differences, Vec::new());
    let found = bed.ledger.read(|snapshot| Ok(audit(snapshot, None)?)).unwrap();
    assert_eq!(found.findings, Vec::<String>::new());
}

/// A finished task with tags, long texts, notes and a dependency.
fn finished(bed: &mut Bed, project: ProjectId) -> TaskId {
    let before = bed.add(project, |task| task.status = Status::Done);
    let id = bed.add(project, |task| {
        task.title = "Brunnen".into();
        task.tags = vec!["stone".into(), "water".into()];
        task.description = Some("dig".into());
        task.links = vec!["https://example.org".into()];
        task.metadata.insert("depth".into(), json!(12));
        task.depends_on = vec![before];
    });
    bed.happen(id, comment("deeper"));
    bed.happen(id, set(Status::Done));
    id
}

fn a_pruned_task_leaves_every_view(bed: &mut Bed) {
    let project = bed.project("api");
    bed.add(project, |task| task.status = Status::Done);
    let before = rows(bed);
    let id = finished(bed, project);
    let prerequisite = bed.ledger.read(|snapshot| Ok(snapshot.prerequisites(id)?)).unwrap()[0];
    prune(bed, id).unwrap();
    prune(bed, prerequisite).unwrap();
    let of_log = |row: &&String| row.starts_with("activity") || row.starts_with("agents");
    let after = rows(bed);
    let left: Vec<_> = after.difference(&before).filter(|row| !of_log(row)).collect();
    assert_eq!(left, Vec::<&String>::new());
    let found = bed
        .ledger
        .read(|snapshot| {
            let words = asked("brunnen").unwrap();
            let whole = snapshot.task_named(&id.to_string()).unwrap_err().code();
            let filter = ListFilter { limit: 10, archived: true, ..ListFilter::default() };
            let listed = snapshot.list(&filter)?.len();
            Ok((whole, listed, snapshot.count_found(&words, &SearchFilter::default())?))
        })
        .unwrap();
    assert_eq!(found, (windlass_domain::Code::TaskNotFound, 1, 0));
}

fn a_pruned_task_keeps_its_place_in_the_chain_and_loses_its_data(bed: &mut Bed) {
    let project = bed.project("api");
    let id = finished(bed, project);
    let kept =
        |bed: &mut Bed| bed.ledger.read(|snapshot| Ok(snapshot.history(id.into(), 100)?)).unwrap();
    let before = kept(bed);
    assert_eq!(prune(bed, id).unwrap(), 3, "created, commented, done");
    let mut after = kept(bed);
    let last = after.pop().unwrap();
    assert_eq!((last.header.kind.as_str(), last.data.as_deref()), ("task_pruned", Some("{}")));
    assert!(after.iter().all(|event| event.data.is_none()));
    let without_data = |event: crate::Recorded| crate::Recorded {
        pruned: Some(event.data_hash()),
        data: None,
        ..event
    };
    assert_eq!(after, before.into_iter().map(without_data).collect::<Vec<_>>());
    let found = bed.ledger.read(|snapshot| Ok(audit(snapshot, None)?)).unwrap();
    assert_eq!((found.findings.len(), found.pruned), (0, 3));
}

fn a_rebuild_after_pruning_gives_the_same_views(bed: &mut Bed) {
    let (api, web) = (bed.project("api"), bed.project("web"));
    let ids = [finished(bed, api), finished(bed, web), finished(bed, api)];
    bed.happen(ids[0], TaskMoved { project: web, from: None });
    bed.happen(ids[1], TaskArchived { authority: Authority::Free, forced: None });
    bed.write(|tx| {
        let project = tx.project(web)?;
        tx.record_project(&project, [ProjectRenamed { name: "site".into() }.into()])?;
        Ok(())
    })
    .unwrap();
    prune(bed, ids[0]).unwrap();
    prune(bed, ids[1]).unwrap();
    let before = rows(bed);
    is_sound(bed);
    assert_eq!(rows(bed), before);
}

fn a_former_child_of_a_pruned_parent_survives_a_rebuild(bed: &mut Bed) {
    let project = bed.project("api");
    let parent = bed.add(project, |_| {});
    let child = bed.add(project, |task| task.parent = Some(parent));
    let other = bed.add(project, |task| task.parent = Some(parent));
    let adoptive = bed.add(project, |_| {});
    let to = |parent| TaskUpdated { parent: Some(parent), ..TaskUpdated::default() };
    bed.happen(child, to(Change::Cleared));
    bed.happen(other, to(Change::To(adoptive)));
    bed.happen(parent, set(Status::Done));
    prune(bed, parent).unwrap();
    is_sound(bed);
    assert_eq!((bed.task(child).parent, bed.task(adoptive).open_children), (None, 1));
}

fn an_edge_to_a_pruned_task_stays_and_holds_nothing_up(bed: &mut Bed) {
    let project = bed.project("api");
    let id = finished(bed, project);
    let settled = bed.add(project, |task| task.depends_on = vec![id]);
    let added = bed.add(project, |_| {});
    bed.happen(added, DependencyAdded { on: id, because: None });
    bed.happen(settled, set(Status::Done));
    prune(bed, id).unwrap();
    bed.happen(settled, set(Status::Ready));
    is_sound(bed);
    for task in [settled, added] {
        assert_eq!(bed.task(task).open_dependencies, 0);
        let on = bed.ledger.read(|snapshot| Ok(snapshot.prerequisites(task)?)).unwrap();
        assert_eq!(on, [id], "it shows that something was there");
    }
}

fn an_edge_from_a_pruned_task_goes(bed: &mut Bed) {
    let project = bed.project("api");
    let id = finished(bed, project);
    let open = bed.add(project, |_| {});
    bed.happen(id, DependencyAdded { on: open, because: None });
    prune(bed, id).unwrap();
    assert_eq!(bed.ledger.read(|snapshot| Ok(snapshot.dependents(open)?)).unwrap(), []);
    bed.happen(open, set(Status::Done));
    is_sound(bed);
}

fn a_pruned_family_is_counted_out_of_its_projects(bed: &mut Bed) {
    let (api, web) = (bed.project("api"), bed.project("web"));
    let parent = bed.add(api, |_| {});
    let children = [api, web].map(|project| bed.add(project, |task| task.parent = Some(parent)));
    for id in [children[0], children[1], parent] {
        bed.happen(id, set(Status::Done));
    }
    bed.write(|tx| {
        for id in [parent, children[0], children[1]] {
            let task = tx.task(id)?.unwrap();
            tx.prune(&task)?;
        }
        Ok(())
    })
    .unwrap();
    let all = |bed: &mut Bed, id| bed.ledger.read(|tx| Ok(tx.project(id)?.counts.all())).unwrap();
    assert_eq!((all(bed, api), all(bed, web)), (0, 0));
    is_sound(bed);
}

fn only_a_settled_task_can_be_pruned(bed: &mut Bed) {
    let project = bed.project("api");
    let open = bed.add(project, |_| {});
    assert!(prune(bed, open).is_err());
    assert_eq!(bed.task(open).version, 1, "and it is still there");
}

fn exported(bed: &mut Bed) -> Vec<u8> {
    let mut file = Vec::new();
    bed.ledger
        .read(|snapshot| {
            file.clear();
            export(snapshot, &mut file)
        })
        .unwrap();
    file
}

fn a_pruned_ledger_moves_with_equal_hashes(bed: &mut Bed) {
    let project = bed.project("api");
    let id = finished(bed, project);
    bed.add(project, |task| task.depends_on = vec![id]);
    prune(bed, id).unwrap();
    let head = bed.ledger.read(|snapshot| Ok(snapshot.head()?)).unwrap();
    let file = exported(bed);
    let mut other = super::moving::another(bed);
    let taken = other.write(|tx| import(tx, &mut BufReader::new(&file[..]))).unwrap();
    assert_eq!(taken.head, head);
    assert_eq!(exported(&mut other), file);
    is_sound(&mut other);
}

fn a_ledger_that_knew_the_task_forgets_it_with_an_import(bed: &mut Bed) {
    let project = bed.project("api");
    let id = finished(bed, project);
    let mut other = super::moving::another(bed);
    let file = exported(bed);
    other.write(|tx| import(tx, &mut BufReader::new(&file[..]))).unwrap();
    prune(bed, id).unwrap();
    let file = exported(bed);
    let taken = other.write(|tx| import(tx, &mut BufReader::new(&file[..]))).unwrap();
    assert_eq!(taken.added, 1);
    assert_eq!(other.ledger.read(|snapshot| Ok(snapshot.task(id)?)).unwrap(), None);
    is_sound(&mut other);
    assert!(exported(&mut other) == file, "nothing that was pruned is kept here either");
}

fn a_task_created_and_pruned_in_one_bulk_leaves_nothing(bed: &mut Bed) {
    let project = bed.project("api");
    let id = TaskId::from_bytes([7; 16]);
    let waits = bed.add(project, |task| task.depends_on = vec![id]);
    let at = windlass_domain::Time::from_millis(1_794_735_000_000);
    bed.write(|tx| {
        let mut bulk = tx.bulk()?;
        let created = Event::from(super::ready(project));
        let pruned = windlass_domain::event::TaskPruned { project: None }.into();
        for event in [created, set(Status::Done), pruned] {
            let provenance = windlass_domain::chain::Provenance::default();
            bulk.record(Happened { id: None, at, stream: id.into(), provenance, event })?;
        }
        Ok(bulk.finish()?)
    })
    .unwrap();
    assert_eq!(bed.ledger.read(|snapshot| Ok(snapshot.task(id)?)).unwrap(), None);
    assert_eq!(bed.task(waits).open_dependencies, 0);
    is_sound(bed);
}
