//! Chunks by what somebody typed, those to look at, how a type is used, and specs that follow their
//! tasks.

use serde_json::{Map, Value, json};
use windlass_domain::chunk::event::{ChunkReviewed, ChunkWritten, FlagDismissed};
use windlass_domain::chunk::review::{Action, Review};
use windlass_domain::chunk::{Chunk, Owner, tie};
use windlass_domain::event::{Authority, DependencyAdded, StatusSet, TaskBlocked, TaskUpdated};
use windlass_domain::id::Fragment;
use windlass_domain::ownership::Bearer;
use windlass_domain::transition::{self, Until};
use windlass_domain::{ChunkId, Code, Event, Status, TaskId};

use super::chunk_scene::{by_id, deleted, happen, report, write, written};
use super::pruning::is_sound;
use super::{Bed, on_both};
use crate::Error;

on_both! {
    a_chunk_is_found_by_its_id_and_by_either_end_of_it
    what_was_deleted_is_not_found_by_its_id
    flagged_chunks_are_found_until_somebody_looked_at_them
    chunks_that_nobody_touched_are_found_the_oldest_first_page_by_page
    the_use_of_a_type_is_what_its_chunks_have
    a_spec_follows_its_task_in_the_same_transaction
    a_spec_follows_a_task_that_goes_on_by_itself
    a_spec_that_cannot_follow_undoes_what_was_done_to_its_task
    a_spec_follows_its_task_after_a_rebuild_too
}

const DAY: i64 = 24 * 60 * 60 * 1_000;

fn known(bed: &mut Bed, key: &str) -> Chunk {
    write(bed, &written("knowledge", Owner::Org, key))
}

fn like(bed: &mut Bed, typed: &str) -> Vec<ChunkId> {
    let typed = Fragment::parse(typed).unwrap();
    let found = bed.ledger.read(|snapshot| Ok(snapshot.chunks_like(&typed)?)).unwrap();
    found.into_iter().map(|chunk| chunk.id).collect()
}

fn a_chunk_is_found_by_its_id_and_by_either_end_of_it(bed: &mut Bed) {
    let (one, other) = (known(bed, "one").id, known(bed, "other").id);
    let whole = one.to_string();
    for typed in [&whole[..], &whole[..25], &whole[14..], &whole[20..]] {
        assert_eq!(like(bed, typed), [one], "{typed}");
    }
    let mut both = [one, other];
    both.sort();
    assert_eq!(like(bed, &whole[..4]), both);
    assert_eq!(like(bed, "ZZZZZZ"), []);
}

fn what_was_deleted_is_not_found_by_its_id(bed: &mut Bed) {
    let id = known(bed, "one").id;
    happen(bed, id, deleted());
    assert_eq!(like(bed, &id.to_string()), []);
    assert_eq!(like(bed, &id.to_string()[20..]), []);
}

fn reviewed(action: Action) -> ChunkReviewed {
    let review = Review {
        usefulness: 4,
        correctness: 4,
        action,
        task: None,
        usefulness_note: None,
        correctness_note: None,
    };
    ChunkReviewed { review, by: "tester".into() }
}

fn flagged(bed: &mut Bed, last: Option<&Chunk>) -> Vec<Chunk> {
    bed.ledger.read(|snapshot| Ok(snapshot.chunks_flagged(last, 1)?)).unwrap()
}

fn flagged_chunks_are_found_until_somebody_looked_at_them(bed: &mut Bed) {
    let (one, other) = (known(bed, "one").id, known(bed, "other").id);
    known(bed, "fine");
    for id in [one, other] {
        happen(bed, id, reviewed(Action::Outdated));
    }
    let first = flagged(bed, None);
    assert_eq!(first[0].id, other);
    let second = flagged(bed, first.first());
    assert_eq!(second[0].id, one);
    assert_eq!(flagged(bed, second.first()), []);
    bed.clock.advance(1);
    happen(bed, other, FlagDismissed { by: "tester".into() });
    assert_eq!(flagged(bed, None)[0].id, one);
    is_sound(bed);
}

fn aging(bed: &mut Bed, last: Option<&Chunk>) -> Vec<Chunk> {
    bed.ledger.read(|snapshot| Ok(snapshot.chunks_aging(last, 1)?)).unwrap()
}

fn chunks_that_nobody_touched_are_found_the_oldest_first_page_by_page(bed: &mut Bed) {
    let (one, other) = (known(bed, "one").id, known(bed, "other").id);
    let touched = known(bed, "touched").id;
    bed.clock.advance(59 * DAY);
    happen(bed, touched, reviewed(Action::Useful));
    assert_eq!(aging(bed, None), []);
    bed.clock.advance(DAY);
    let first = aging(bed, None);
    assert_eq!(first[0].id, one);
    let second = aging(bed, first.first());
    assert_eq!(second[0].id, other);
    assert_eq!(aging(bed, second.first()), []);
}

fn the_use_of_a_type_is_what_its_chunks_have(bed: &mut Bed) {
    for (key, fields) in
        [("a", json!({"status": "new"})), ("b", json!({"status": "seen", "cost": 2}))]
    {
        let fields: Map<String, Value> = fields.as_object().unwrap().clone();
        write(bed, &ChunkWritten { fields, ..written("report", Owner::Org, key) });
    }
    known(bed, "another");
    let used = bed.ledger.read(|snapshot| Ok(snapshot.use_of_type(&report())?)).unwrap();
    assert_eq!((used.chunks, used.fields["status"].chunks, used.fields["cost"].chunks), (2, 2, 1));
    assert_eq!(used.fields["status"].values["seen"], 1);
}

/// A spec and its task.
fn pair(bed: &mut Bed) -> (ChunkId, TaskId) {
    let project = bed.project("api");
    let fields = json!({"status": "new", "priority": "medium"});
    let written = ChunkWritten {
        fields: fields.as_object().unwrap().clone(),
        ..written("dev_spec", Owner::Project(project), "spec")
    };
    bed.write(|tx| {
        let task = tx.new_task_id()?;
        let written = ChunkWritten { task: Some(task), ..written.clone() };
        let spec = tx.begin_chunk(written.clone())?;
        tx.create(task, tie::task(&written, spec.id)?)?;
        Ok((spec.id, task))
    })
    .unwrap()
}

fn field(bed: &mut Bed, spec: ChunkId, name: &str) -> Value {
    by_id(bed, spec).unwrap().fields.get(name).cloned().unwrap_or_default()
}

fn blocked(reason: Option<&str>) -> Event {
    let (reason, authority) = (reason.map(str::to_owned), Authority::Free);
    TaskBlocked { reason, auto_unpause: false, authority, forced: None }.into()
}

fn a_spec_follows_its_task_in_the_same_transaction(bed: &mut Bed) {
    let (spec, task) = pair(bed);
    assert_eq!(by_id(bed, spec).unwrap().version, 1);
    bed.happen(task, blocked(Some("no key")));
    assert_eq!(field(bed, spec, "status"), "blocked");
    assert_eq!(field(bed, spec, "blocked_reason"), "no key");
    bed.happen(task, TaskUpdated { priority: Some(3), ..TaskUpdated::default() });
    assert_eq!(field(bed, spec, "priority"), "critical");
    assert_eq!(by_id(bed, spec).unwrap().version, 3);
    is_sound(bed);
}

fn a_spec_follows_a_task_that_goes_on_by_itself(bed: &mut Bed) {
    let (spec, task) = pair(bed);
    let project = bed.task(task).project;
    let first = bed.add(project, |_| {});
    bed.happen(task, DependencyAdded { on: first, because: None });
    bed.write(|tx| {
        let waits = tx.task(task)?.unwrap();
        let bearer = Bearer::default();
        let reason = Some("waits".to_owned());
        let paused = transition::block(&waits, &bearer, reason, Until::NothingOpen)?;
        tx.record_task(&waits, [paused])
    })
    .unwrap();
    assert_eq!(field(bed, spec, "status"), "blocked");
    bed.happen(first, StatusSet { to: Status::Done, authority: Authority::Free, forced: None });
    assert_eq!(field(bed, spec, "status"), "new");
    is_sound(bed);
}

fn a_spec_that_cannot_follow_undoes_what_was_done_to_its_task(bed: &mut Bed) {
    let (spec, task) = pair(bed);
    let refused = bed.write(|tx| {
        let before = tx.task(task)?.unwrap();
        tx.record_task(&before, [blocked(None)])
    });
    let Err(Error::Refused(refusal)) = refused else { panic!("{refused:?}") };
    assert_eq!(refusal.code, Code::ReasonRequired);
    assert_eq!(bed.task(task).status, Status::Ready);
    assert_eq!(by_id(bed, spec).unwrap().version, 1);
}

fn a_spec_follows_its_task_after_a_rebuild_too(bed: &mut Bed) {
    let (spec, task) = pair(bed);
    bed.ledger.rebuild().unwrap();
    bed.happen(task, blocked(Some("no key")));
    assert_eq!(field(bed, spec, "status"), "blocked");
    let found = bed.ledger.read(|snapshot| Ok(snapshot.spec_of_task(task)?)).unwrap();
    assert_eq!(found.map(|chunk| chunk.id), Some(spec));
}
