//! The views: counters under every transition, ids by their parts, rebuilds, working rows.

use windlass_domain::event::{
    Authority, Change, DependencyAdded, DependencyRemoved, ProjectRenamed, StatusSet, TaskArchived,
    TaskRestored, TaskUpdated,
};
use windlass_domain::{Code, Event, Status, Task, TaskId};

use super::{Bed, anybody, on_both};
use crate::ListFilter;

on_both! {
    counters_follow_every_way_into_and_out_of_settled
    a_dependency_on_a_settled_task_is_not_open
    removing_a_dependency_frees_the_task
    children_are_counted_and_follow_their_parent
    a_dependency_that_arrives_before_its_task_counts_from_then_on
    projects_count_their_tasks_by_status
    ids_are_found_by_prefix_and_suffix
    an_ambiguous_part_names_its_candidates
    rebuilt_views_equal_the_live_ones
    a_rebuild_repairs_and_names_what_was_wrong
    renames_that_swap_names_survive_a_rebuild
    working_rows_survive_a_rebuild
    an_effect_is_there_until_it_is_settled
    lists_show_what_is_asked_for_in_their_order
}

fn set(to: Status) -> Event {
    StatusSet { to, authority: Authority::Free, forced: None }.into()
}

fn archive() -> Event {
    TaskArchived { authority: Authority::Free, forced: None }.into()
}

fn open_dependencies(bed: &mut Bed, id: TaskId) -> u64 {
    bed.task(id).open_dependencies
}

fn counters_follow_every_way_into_and_out_of_settled(bed: &mut Bed) {
    let project = bed.project("api");
    let first = bed.add(project, |_| {});
    let second = bed.add(project, |task| task.depends_on = vec![first]);
    assert_eq!(open_dependencies(bed, second), 1);
    for (event, open) in [
        (set(Status::Done), 0),
        (set(Status::Backlog), 1),
        (archive(), 0),
        (TaskRestored { to: Status::Backlog }.into(), 1),
        (set(Status::Done), 0),
        (archive(), 0),
        (TaskRestored { to: Status::Done }.into(), 0),
        (set(Status::Blocked), 1),
    ] {
        let what = event.kind().as_str();
        bed.happen(first, event);
        assert_eq!(open_dependencies(bed, second), open, "after {what}");
        let claimable = bed.claimable_ids("w").contains(&second);
        assert_eq!(claimable, open == 0, "queue after {what}");
    }
}

impl Bed {
    fn claimable_ids(&mut self, agent: &str) -> Vec<TaskId> {
        let filter = anybody(agent);
        self.ledger
            .read(|snapshot| {
                Ok(snapshot.claimable(&filter, 100)?.iter().map(|task| task.id).collect())
            })
            .unwrap()
    }
}

fn a_dependency_on_a_settled_task_is_not_open(bed: &mut Bed) {
    let project = bed.project("api");
    let done = bed.add(project, |task| task.status = Status::Done);
    let waiting = bed.add(project, |task| task.depends_on = vec![done]);
    assert_eq!(open_dependencies(bed, waiting), 0);
}

fn removing_a_dependency_frees_the_task(bed: &mut Bed) {
    let project = bed.project("api");
    let first = bed.add(project, |_| {});
    let second = bed.add(project, |_| {});
    bed.happen(second, DependencyAdded { on: first, because: None });
    assert_eq!(open_dependencies(bed, second), 1);
    bed.happen(second, DependencyRemoved { on: first, because: None });
    assert_eq!(open_dependencies(bed, second), 0);
    bed.happen(second, DependencyRemoved { on: first, because: None });
    assert_eq!(open_dependencies(bed, second), 0, "what is not there is not removed twice");
}

fn children_are_counted_and_follow_their_parent(bed: &mut Bed) {
    let project = bed.project("api");
    let parent = bed.add(project, |_| {});
    let other = bed.add(project, |_| {});
    let child = bed.add(project, |task| task.parent = Some(parent));
    assert_eq!(bed.task(parent).open_children, 1);
    assert!(!bed.claimable_ids("w").contains(&parent), "a parent waits for its subtasks");
    let moved = TaskUpdated { parent: Some(Change::To(other)), ..TaskUpdated::default() };
    bed.happen(child, moved);
    assert_eq!((bed.task(parent).open_children, bed.task(other).open_children), (0, 1));
    bed.happen(child, set(Status::Done));
    assert_eq!(bed.task(other).open_children, 0);
    let detached = TaskUpdated { parent: Some(Change::Cleared), ..TaskUpdated::default() };
    bed.happen(child, detached);
    assert_eq!(bed.task(other).open_children, 0, "a settled subtask is not subtracted twice");
}

fn a_dependency_that_arrives_before_its_task_counts_from_then_on(bed: &mut Bed) {
    let project = bed.project("api");
    let later = bed.write(|tx| Ok(tx.new_task_id()?)).unwrap();
    let waiting = bed.add(project, |task| task.depends_on = vec![later]);
    assert_eq!(open_dependencies(bed, waiting), 0, "missing counts as settled");
    bed.write(|tx| tx.create(later, super::ready(project))).unwrap();
    assert_eq!(open_dependencies(bed, waiting), 1);
}

fn projects_count_their_tasks_by_status(bed: &mut Bed) {
    let project = bed.project("api");
    for status in [Status::Backlog, Status::Ready, Status::Blocked, Status::Done] {
        bed.add(project, |task| task.status = status);
    }
    bed.claim_next(&anybody("w"), None).unwrap();
    let gone = bed.add(project, |_| {});
    bed.happen(gone, archive());
    let counts = bed.ledger.read(|snapshot| Ok(snapshot.project(project)?.counts)).unwrap();
    let by_status = Status::ALL.map(|status| counts.of(status));
    assert_eq!((by_status, counts.claimable), ([1, 0, 1, 1, 1, 1], 0));
}

fn ids_are_found_by_prefix_and_suffix(bed: &mut Bed) {
    let project = bed.project("api");
    let id = bed.add(project, |_| {});
    let whole = id.to_string();
    for part in [&whole[..10], &whole[20..], &whole[14..], &whole[5..], &whole.to_lowercase()[21..]]
    {
        let found = bed.ledger.read(|snapshot| snapshot.task_named(part)).unwrap();
        assert_eq!(found.id, id, "{part}");
    }
    let unknown = bed.ledger.read(|snapshot| snapshot.task_named("ZZZZZZ")).unwrap_err();
    assert_eq!(unknown.code(), Code::TaskNotFound);
}

fn an_ambiguous_part_names_its_candidates(bed: &mut Bed) {
    let project = bed.project("api");
    let ids = [bed.add(project, |_| {}), bed.add(project, |_| {})];
    let common = &ids[0].to_string()[..6];
    let crate::Error::Refused(refusal) =
        bed.ledger.read(|snapshot| snapshot.task_named(common)).unwrap_err()
    else {
        panic!("not refused")
    };
    assert_eq!(refusal.code, Code::IdAmbiguous);
    for id in ids {
        assert!(refusal.message.contains(&id.to_string()), "{}", refusal.message);
    }
}

fn rebuilt_views_equal_the_live_ones(bed: &mut Bed) {
    let project = bed.project("api");
    let first = bed.add(project, |task| task.tags = vec!["a".into(), "b".into()]);
    bed.add(project, |task| task.depends_on = vec![first]);
    bed.claim_next(&anybody("w"), None).unwrap();
    bed.happen(first, set(Status::Done));
    let rebuilt = bed.ledger.rebuild().unwrap();
    assert_eq!((rebuilt.events, rebuilt.differences), (5, Vec::new()));
}

fn a_rebuild_repairs_and_names_what_was_wrong(bed: &mut Bed) {
    let project = bed.project("api");
    let id = bed.add(project, |_| {});
    // An event applied twice leaves the view wrong: simulate by changing the row.
    bed.write(|tx| {
        let task = tx.task(id)?.unwrap();
        let forged = Task { title: "forged".into(), ..task.clone() };
        tx.store.update_task(&task, &forged)?;
        tx.demand("here", "keep this transaction", "{}")?;
        Ok(())
    })
    .unwrap();
    let rebuilt = bed.ledger.rebuild().unwrap();
    let found: Vec<_> =
        rebuilt.differences.iter().map(|d| (d.view.as_str(), d.wrong, d.missing)).collect();
    assert_eq!(found, [("tasks", 1, 1)]);
    assert_eq!(bed.task(id).title, "a task");
    assert_eq!(bed.ledger.rebuild().unwrap().differences, Vec::new());
}

fn renames_that_swap_names_survive_a_rebuild(bed: &mut Bed) {
    let (first, second) = (bed.project("a"), bed.project("b"));
    for (id, name) in [(first, "c"), (second, "a"), (first, "b")] {
        bed.write(|tx| {
            let project = tx.project(id)?;
            tx.record_project(&project, [ProjectRenamed { name: name.into() }.into()])?;
            Ok(())
        })
        .unwrap();
    }
    assert_eq!(bed.ledger.rebuild().unwrap().differences, Vec::new());
}

fn working_rows_survive_a_rebuild(bed: &mut Bed) {
    bed.project("api");
    bed.write(|tx| Ok(tx.demand("this-host", "make_worktree", "{}")?)).unwrap();
    bed.ledger.rebuild().unwrap();
    let effects = bed.ledger.read(|snapshot| Ok(snapshot.effects_for("this-host", 10)?)).unwrap();
    assert_eq!(effects.len(), 1);
}

fn an_effect_is_there_until_it_is_settled(bed: &mut Bed) {
    bed.project("api");
    bed.write(|tx| Ok(tx.demand("this-host", "make_worktree", "{\"x\":1}")?)).unwrap();
    let due = |bed: &mut Bed, host: &str| {
        bed.ledger.read(|snapshot| Ok(snapshot.effects_for(host, 10)?)).unwrap()
    };
    assert!(due(bed, "another-host").is_empty());
    let effects = due(bed, "this-host");
    assert_eq!((effects[0].event_seq, effects[0].kind.as_str()), (1, "make_worktree"));
    bed.write(|tx| Ok(tx.settle(&effects[0])?)).unwrap();
    assert!(due(bed, "this-host").is_empty());
}

fn lists_show_what_is_asked_for_in_their_order(bed: &mut Bed) {
    let (api, web) = (bed.project("api"), bed.project("web"));
    let low = bed.add(api, |_| {});
    let high = bed.add(api, |task| task.priority = 3);
    let elsewhere = bed.add(web, |task| task.priority = 1);
    let backlog = bed.add(api, |task| task.status = Status::Backlog);
    let gone = bed.add(api, |task| task.priority = 3);
    bed.happen(gone, archive());
    let child = bed.add(web, |task| task.parent = Some(elsewhere));
    bed.add(web, |task| task.agent = Some("bob".into()));
    let mut list = |change: fn(&mut ListFilter), project, parent| {
        let mut filter = ListFilter { limit: 10, project, parent, ..ListFilter::default() };
        change(&mut filter);
        bed.ledger
            .read(|snapshot| {
                let ids: Vec<TaskId> = snapshot.list(&filter)?.iter().map(|task| task.id).collect();
                assert_eq!(snapshot.count(&filter)?, ids.len() as u64);
                Ok(ids)
            })
            .unwrap()
    };
    assert_eq!(list(|_| {}, Some(api), None), [high, low, backlog]);
    assert_eq!(list(|f| f.status = Some(Status::Ready), Some(api), None), [high, low]);
    assert_eq!(list(|f| f.status = Some(Status::Archived), None, None), [gone]);
    assert_eq!(list(|_| {}, None, Some(elsewhere)), [child]);
    assert_eq!(list(|f| f.agent = Some("bob".into()), None, None).len(), 1);
    assert_eq!(list(|f| f.root = true, Some(web), None).len(), 2);
    assert_eq!(list(|f| f.available = true, Some(web), None).len(), 2, "the parent waits");
}
