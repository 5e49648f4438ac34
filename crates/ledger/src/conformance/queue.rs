//! The queue: what a claim gets, and in which order.

use windlass_domain::duration::Span;
use windlass_domain::event::{Change, ProjectFrozen, TaskUpdated};
use windlass_domain::{ProjectId, Status, TaskId, Time};

use super::{Bed, anybody, on_both};
use crate::QueueFilter;

on_both! {
    claims_follow_priority_then_due_date_then_creation
    a_task_routed_to_the_caller_comes_first_among_equals
    a_task_routed_to_somebody_else_is_skipped
    only_ready_tasks_are_given_out
    a_frozen_project_gives_nothing_out
    all_tags_must_match
    changing_what_decides_the_order_moves_a_task_in_the_queue
    a_claim_that_ran_out_is_given_to_another
    a_claim_that_ran_out_is_not_given_back_to_its_own_holder
    subtasks_of_one_task_can_be_claimed
    a_claimed_task_leaves_the_queue_at_once
}

fn drain(bed: &mut Bed, agent: &str) -> Vec<TaskId> {
    std::iter::from_fn(|| bed.claim_next(&anybody(agent), None)).collect()
}

fn claims_follow_priority_then_due_date_then_creation(bed: &mut Bed) {
    let project = bed.project("api");
    let due = |day: i64| Some(Time::from_millis(1_794_735_000_000 + day * 86_400_000));
    let plain = bed.add(project, |_| {});
    let later = bed.add(project, |task| task.due_at = due(9));
    let sooner = bed.add(project, |task| task.due_at = due(2));
    let urgent = bed.add(project, |task| task.priority = 3);
    let last = bed.add(project, |_| {});
    assert_eq!(drain(bed, "w"), [urgent, sooner, later, plain, last]);
}

fn a_task_routed_to_the_caller_comes_first_among_equals(bed: &mut Bed) {
    let project = bed.project("api");
    let anyone = bed.add(project, |_| {});
    let mine = bed.add(project, |task| task.agent = Some("w".into()));
    let urgent = bed.add(project, |task| task.priority = 1);
    assert_eq!(drain(bed, "w"), [urgent, mine, anyone]);
}

fn a_task_routed_to_somebody_else_is_skipped(bed: &mut Bed) {
    let project = bed.project("api");
    bed.add(project, |task| {
        task.agent = Some("bob".into());
        task.priority = 3;
    });
    let anyone = bed.add(project, |_| {});
    assert_eq!(drain(bed, "w"), [anyone]);
}

fn only_ready_tasks_are_given_out(bed: &mut Bed) {
    let project = bed.project("api");
    for status in [Status::Backlog, Status::Blocked, Status::Done] {
        bed.add(project, |task| task.status = status);
    }
    assert_eq!(drain(bed, "w"), []);
}

fn a_frozen_project_gives_nothing_out(bed: &mut Bed) {
    let (frozen, open) = (bed.project("frozen"), bed.project("open"));
    bed.add(frozen, |task| task.priority = 3);
    let free = bed.add(open, |_| {});
    bed.write(|tx| {
        let project = tx.project(frozen)?;
        tx.record_project(&project, [ProjectFrozen { reason: None }.into()])?;
        Ok(())
    })
    .unwrap();
    assert_eq!(drain(bed, "w"), [free]);
}

fn all_tags_must_match(bed: &mut Bed) {
    let project = bed.project("api");
    let tags = |tags: &[&str]| tags.iter().map(|tag| (*tag).to_owned()).collect::<Vec<_>>();
    bed.add(project, |task| task.tags = tags(&["a"]));
    bed.add(project, |task| task.tags = tags(&["b"]));
    let both = bed.add(project, |task| task.tags = tags(&["b", "a", "c"]));
    let mut with = |wanted: &[&str]| {
        let filter = QueueFilter { tags: tags(wanted), ..anybody("w") };
        bed.ledger
            .read(|snapshot| {
                Ok(snapshot.claimable(&filter, 10)?.iter().map(|task| task.id).collect::<Vec<_>>())
            })
            .unwrap()
    };
    assert_eq!(with(&["a", "b"]), [both]);
    assert_eq!(with(&["a"]).len(), 2);
    assert_eq!(with(&["a", "missing"]), []);
}

fn changing_what_decides_the_order_moves_a_task_in_the_queue(bed: &mut Bed) {
    let project = bed.project("api");
    let first = bed.add(project, |_| {});
    let second = bed.add(project, |task| task.tags = vec!["old".into()]);
    let update = TaskUpdated {
        priority: Some(2),
        tags: Some(vec!["new".into()]),
        agent: Some(Change::To("w".into())),
        ..TaskUpdated::default()
    };
    bed.happen(second, update);
    let old = QueueFilter { tags: vec!["old".into()], ..anybody("w") };
    assert_eq!(bed.claim_next(&old, None), None);
    assert_eq!(drain(bed, "w"), [second, first]);
}

const HALF_AN_HOUR: Option<Span> = Some(Span::from_millis(1_800_000));

fn a_claim_that_ran_out_is_given_to_another(bed: &mut Bed) {
    let project = bed.project("api");
    let task = bed.add(project, |_| {});
    bed.claim_next(&anybody("w1"), HALF_AN_HOUR).unwrap();
    assert_eq!(bed.claim_next(&anybody("w2"), None), None);
    bed.clock.advance(1_800_000);
    assert_eq!(bed.claim_next(&anybody("w2"), None), Some(task));
    let taken = bed.task(task);
    assert_eq!((taken.agent.as_deref(), taken.fence), (Some("w2"), 2));
}

fn a_claim_that_ran_out_is_not_given_back_to_its_own_holder(bed: &mut Bed) {
    let project = bed.project("api");
    let task = bed.add(project, |_| {});
    bed.claim_next(&anybody("w1"), HALF_AN_HOUR).unwrap();
    bed.clock.advance(1_800_000);
    assert_eq!(bed.claim_next(&anybody("w1"), None), None);
    let own = bed.ledger.read(|snapshot| Ok(snapshot.own_expired("w1")?)).unwrap();
    assert_eq!(own, [task]);
}

fn subtasks_of_one_task_can_be_claimed(bed: &mut Bed) {
    let project = bed.project("api");
    let parent = bed.add(project, |_| {});
    bed.add(project, |task| task.priority = 3);
    let late = bed.add(project, |task| task.parent = Some(parent));
    let urgent = bed.add(project, |task| {
        task.parent = Some(parent);
        task.priority = 2;
    });
    let filter = anybody("w");
    let found: Vec<TaskId> = bed
        .ledger
        .read(|snapshot| {
            Ok(snapshot
                .claimable_children(parent, &filter, 10)?
                .iter()
                .map(|task| task.id)
                .collect())
        })
        .unwrap();
    assert_eq!(found, [urgent, late]);
}

fn a_claimed_task_leaves_the_queue_at_once(bed: &mut Bed) {
    let project: ProjectId = bed.project("api");
    bed.add(project, |task| task.tags = vec!["x".into()]);
    assert!(bed.claim_next(&anybody("w1"), None).is_some());
    assert_eq!(bed.claim_next(&anybody("w2"), None), None);
    let tagged = QueueFilter { tags: vec!["x".into()], ..anybody("w2") };
    assert_eq!(bed.claim_next(&tagged, None), None);
}
