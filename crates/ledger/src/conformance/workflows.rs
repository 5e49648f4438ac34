//! What workflows ask of the ledger, and pauses that end by themselves.

use windlass_domain::event::{
    Authority, CheckpointRecorded, CommentAdded, DependencyAdded, DependencyRemoved, TaskArchived,
    TaskBlocked, TaskCompleted, TaskReopened,
};
use windlass_domain::{CorrelationId, Event, ProjectId, Status, TaskId};

use super::{Bed, anybody, on_both};
use crate::QueueFilter;

on_both! {
    what_an_agent_has_in_progress_is_found_by_project_and_tags
    the_newest_checkpoints_are_read_among_other_notes
    events_that_belong_together_are_read_together
    a_pause_ends_with_the_last_dependency_however_that_is_settled
    a_pause_ends_when_the_last_edge_goes
    a_pause_does_not_end_while_something_is_open
    a_pause_that_ends_says_what_ended_it
    a_task_archived_with_all_it_waits_for_stays_archived
}

fn blocked() -> Event {
    TaskBlocked { reason: None, auto_unpause: true, authority: Authority::Free, forced: None }
        .into()
}

fn completed() -> Event {
    TaskCompleted { authority: Authority::Free, forced: None }.into()
}

fn archived() -> Event {
    TaskArchived { authority: Authority::Free, forced: None }.into()
}

/// A task of w1 that is paused until nothing it waits for is open, and what it waits for.
fn paused(bed: &mut Bed, waits_for: usize) -> (TaskId, Vec<TaskId>) {
    let project = bed.project("api");
    let task = bed.add(project, |_| {});
    bed.claim_next(&anybody("w1"), None).unwrap();
    let mut others = Vec::new();
    for _ in 0..waits_for {
        let other = bed.add(project, |_| {});
        bed.happen(task, DependencyAdded { on: other, because: None });
        others.push(other);
    }
    bed.happen(task, blocked());
    (task, others)
}

fn is_ready_for(bed: &mut Bed, task: TaskId, agent: &str) {
    let task = bed.task(task);
    assert_eq!((task.status, task.agent.as_deref()), (Status::Ready, Some(agent)));
    assert_eq!((task.held(), task.auto_unpause), (None, false));
    let next = bed.ledger.read(|snapshot| Ok(snapshot.claimable(&anybody(agent), 1)?)).unwrap();
    assert_eq!(next.first().map(|task| task.id), Some(task.id), "it is in the queue again");
    assert_eq!(bed.ledger.rebuild().unwrap().differences, Vec::new());
}

fn what_an_agent_has_in_progress_is_found_by_project_and_tags(bed: &mut Bed) {
    let (api, web) = (bed.project("api"), bed.project("web"));
    let tagged = bed.add(api, |task| task.tags = vec!["a".into(), "b".into()]);
    bed.add(web, |task| task.tags = vec!["a".into()]);
    bed.add(api, |_| {});
    while bed.claim_next(&anybody("w1"), None).is_some() {}
    bed.add(api, |_| {});
    bed.claim_next(&anybody("w2"), None).unwrap();
    let mut count = |projects: &[ProjectId], tags: &[&str]| {
        let tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
        let filter = QueueFilter { projects: projects.to_vec(), tags, ..anybody("w1") };
        bed.ledger.read(|snapshot| Ok(snapshot.in_hand(&filter)?)).unwrap().len()
    };
    assert_eq!(count(&[], &[]), 3);
    assert_eq!(count(&[api], &[]), 2);
    assert_eq!(count(&[], &["a"]), 2);
    assert_eq!(count(&[], &["a", "b"]), 1);
    assert_eq!(count(&[web], &["b"]), 0);
    bed.happen(tagged, completed());
    let mut again = |agent| bed.ledger.read(|s| Ok(s.in_hand(&anybody(agent))?)).unwrap().len();
    assert_eq!((again("w1"), again("w2"), again("w3")), (2, 1, 0));
}

fn the_newest_checkpoints_are_read_among_other_notes(bed: &mut Bed) {
    let project = bed.project("api");
    let task = bed.add(project, |_| {});
    for name in ["one", "two", "three"] {
        let (data, progress) = (serde_json::Map::new(), None);
        let (name, authority) = (name.to_owned(), Authority::Free);
        bed.happen(task, CheckpointRecorded { name, data, progress, authority, forced: None });
        bed.happen(task, CommentAdded { text: "and".into() });
    }
    let mut newest = |limit| {
        let found = bed.ledger.read(|snapshot| Ok(snapshot.checkpoints(task, limit)?)).unwrap();
        let name = |event| match event {
            Some(Event::CheckpointRecorded(data)) => data.name,
            other => panic!("{other:?}"),
        };
        found.iter().map(|recorded| name(recorded.event().unwrap())).collect::<Vec<_>>()
    };
    assert_eq!(newest(2), ["three", "two"]);
    assert_eq!(newest(9), ["three", "two", "one"]);
    assert_eq!(newest(0), Vec::<String>::new());
}

fn events_that_belong_together_are_read_together(bed: &mut Bed) {
    let project = bed.project("api");
    let (one, other) = (bed.add(project, |_| {}), bed.add(project, |_| {}));
    let run = |bed: &mut Bed| {
        bed.write(|tx| {
            let correlation = tx.correlate()?;
            for id in [one, other] {
                let task = tx.task(id)?.unwrap();
                tx.record_task(&task, [CommentAdded { text: "hello".into() }.into()])?;
            }
            Ok(correlation)
        })
        .unwrap()
    };
    let (first, second) = (run(bed), run(bed));
    let mut seqs = |by, after, limit| {
        let found = bed.ledger.read(|snapshot| Ok(snapshot.correlated(by, after, limit)?));
        found.unwrap().iter().map(|event| event.header.seq).collect::<Vec<_>>()
    };
    assert_eq!(seqs(first, 0, 10), [4, 5]);
    assert_eq!(seqs(first, 0, 1), [4]);
    assert_eq!(seqs(first, 4, 10), [5]);
    assert_eq!(seqs(second, 0, 10), [6, 7]);
    assert_eq!(seqs(CorrelationId::from_bytes([1; 16]), 0, 10), Vec::<u64>::new());
}

fn a_pause_ends_with_the_last_dependency_however_that_is_settled(bed: &mut Bed) {
    let (task, others) = paused(bed, 2);
    bed.claim_next(&anybody("w2"), None).unwrap();
    bed.happen(others[0], completed());
    assert_eq!(bed.task(task).status, Status::Blocked);
    bed.happen(others[1], archived());
    is_ready_for(bed, task, "w1");
}

fn a_pause_ends_when_the_last_edge_goes(bed: &mut Bed) {
    let (task, others) = paused(bed, 1);
    bed.happen(task, DependencyRemoved { on: others[0], because: None });
    is_ready_for(bed, task, "w1");
}

fn a_pause_does_not_end_while_something_is_open(bed: &mut Bed) {
    let (task, others) = paused(bed, 2);
    bed.claim_next(&anybody("w2"), None).unwrap();
    bed.happen(others[0], completed());
    bed.happen(others[0], TaskReopened { to: Status::Ready });
    bed.happen(others[1], archived());
    let task = bed.task(task);
    assert_eq!((task.status, task.auto_unpause), (Status::Blocked, true));
    assert_eq!(task.held().map(|held| held.agent), Some("w1"));
}

fn a_pause_that_ends_says_what_ended_it(bed: &mut Bed) {
    let (task, others) = paused(bed, 1);
    bed.happen(others[0], archived());
    let events = bed.ledger.read(|snapshot| Ok(snapshot.history(task.into(), 1)?)).unwrap();
    let ended = bed.ledger.read(|snapshot| Ok(snapshot.history(others[0].into(), 1)?)).unwrap();
    let provenance = &events[0].header.provenance;
    assert_eq!(events[0].header.kind, "task_unblocked");
    assert_eq!(provenance.causation, Some(ended[0].header.id));
    assert_eq!(provenance.actor, "tester");
}

fn a_task_archived_with_all_it_waits_for_stays_archived(bed: &mut Bed) {
    let (task, others) = paused(bed, 1);
    bed.write(|tx| {
        let before = tx.task(task)?.unwrap();
        let other = tx.task(others[0])?.unwrap();
        tx.record_task(&other, [archived()])?;
        // As it was read before the other was settled.
        tx.record_task(&before, [archived()])?;
        Ok(())
    })
    .unwrap();
    assert_eq!(bed.task(task).status, Status::Archived);
}
