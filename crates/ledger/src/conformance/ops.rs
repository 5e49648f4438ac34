//! Records of executions under an op id: found, replayed by fingerprint, and forgotten after their time.

use serde_json::json;
use windlass_domain::chain::Hash;
use windlass_domain::event::{Authority, CommentAdded, Fingerprint, OpCompleted, StatusSet};
use windlass_domain::op::{KEPT, OpId, OpRecord};
use windlass_domain::{EventId, Status, TaskId};

use super::pruning::is_sound;
use super::{Bed, on_both};

on_both! {
    an_execution_is_found_by_its_op_id
    every_event_of_an_execution_carries_its_op_id_and_correlation
    an_execution_is_found_by_the_turn_it_left_behind
    a_comment_is_no_turn
    a_record_is_forgotten_after_its_time_and_the_chain_still_verifies
    any_write_takes_old_records_along
    an_op_id_whose_time_is_over_can_be_used_again
    records_survive_a_rebuild
    pruning_a_task_forgets_what_was_answered_about_it
}

fn key(text: &str) -> OpId {
    OpId::parse(text).unwrap()
}

fn completed(fingerprint: Option<Fingerprint>) -> OpCompleted {
    let (operation, input) = ("task.add".to_owned(), Hash::of(b"asked"));
    OpCompleted { operation, input, result: json!({ "answer": 42 }), fingerprint }
}

/// Adds a task under an op id.
fn execute(bed: &mut Bed, op_id: &str) -> TaskId {
    let project = bed.project(op_id);
    bed.write(|tx| {
        tx.act_under(&key(op_id));
        let id = tx.new_task_id()?;
        tx.correlate()?;
        tx.create(id, super::ready(project))?;
        tx.complete_op(completed(None))?;
        Ok(id)
    })
    .unwrap()
}

fn found(bed: &mut Bed, op_id: &str) -> Option<OpRecord> {
    bed.ledger.read(|snapshot| Ok(snapshot.op(&key(op_id))?)).unwrap()
}

/// The data of recorded executions that are still there.
fn kept(bed: &mut Bed) -> usize {
    let events = bed.ledger.read(|snapshot| Ok(snapshot.events_after(0, 1_000)?)).unwrap();
    events
        .iter()
        .filter(|event| event.header.kind == "op_completed" && event.data.is_some())
        .count()
}

fn fingerprint(bed: &mut Bed, task: TaskId) -> EventId {
    let task = bed.task(task);
    bed.ledger.read(|snapshot| Ok(snapshot.fingerprint(&task)?)).unwrap()
}

fn an_execution_is_found_by_its_op_id(bed: &mut Bed) {
    execute(bed, "one");
    let record = found(bed, "one").unwrap();
    assert_eq!(record.result, json!({ "answer": 42 }));
    assert_eq!((record.operation.as_str(), record.input), ("task.add", Hash::of(b"asked")));
    assert_eq!(found(bed, "other"), None);
}

fn every_event_of_an_execution_carries_its_op_id_and_correlation(bed: &mut Bed) {
    execute(bed, "one");
    let events = bed.ledger.read(|snapshot| Ok(snapshot.events_after(1, 10)?)).unwrap();
    assert_eq!(events.len(), 2);
    let by = &events[0].header.provenance;
    assert!(by.correlation.is_some());
    for event in &events {
        assert_eq!(event.header.provenance.op.as_deref(), Some("one"));
        assert_eq!(event.header.provenance.correlation, by.correlation);
    }
}

fn an_execution_is_found_by_the_turn_it_left_behind(bed: &mut Bed) {
    let task = execute(bed, "one");
    let (before, input) = (fingerprint(bed, task), Hash::of(b"asked"));
    bed.write(|tx| {
        tx.act_under(&key("auto"));
        tx.complete_op(completed(Some(Fingerprint { before, after: before })))
    })
    .unwrap();
    let ask = |bed: &mut Bed, operation: &str, input: &Hash| {
        let look =
            |snapshot: &mut crate::Snapshot<'_>| Ok(snapshot.op_leaving(before, operation, input)?);
        bed.ledger.read(look).unwrap().map(|record| record.op_id)
    };
    assert_eq!(ask(bed, "task.add", &input).as_deref(), Some("auto"));
    assert_eq!(ask(bed, "task.add", &Hash::of(b"else")), None);
    assert_eq!(ask(bed, "task.move", &input), None);
}

fn a_comment_is_no_turn(bed: &mut Bed) {
    let task = execute(bed, "one");
    let before = fingerprint(bed, task);
    for _ in 0..20 {
        bed.happen(task, CommentAdded { text: "still at it".into() });
    }
    assert_eq!(fingerprint(bed, task), before);
}

fn a_record_is_forgotten_after_its_time_and_the_chain_still_verifies(bed: &mut Bed) {
    execute(bed, "one");
    bed.clock.advance(KEPT.as_millis() - 1);
    assert_eq!(bed.write(|tx| Ok(tx.expire_ops(10)?)).unwrap(), 0);
    bed.clock.advance(1);
    assert_eq!(found(bed, "one"), None);
    assert_eq!(bed.write(|tx| Ok(tx.expire_ops(10)?)).unwrap(), 1);
    assert_eq!(kept(bed), 0);
    is_sound(bed);
}

fn any_write_takes_old_records_along(bed: &mut Bed) {
    execute(bed, "one");
    bed.clock.advance(KEPT.as_millis());
    bed.project("something else");
    assert_eq!(kept(bed), 0);
}

fn an_op_id_whose_time_is_over_can_be_used_again(bed: &mut Bed) {
    let first = execute(bed, "one");
    bed.clock.advance(KEPT.as_millis());
    let second = bed
        .write(|tx| {
            tx.act_under(&key("one"));
            let (id, task) = (tx.new_task_id()?, tx.task(first)?.unwrap());
            tx.create(id, super::ready(task.project))?;
            tx.complete_op(completed(None))?;
            Ok(id)
        })
        .unwrap();
    assert_ne!(first, second);
    assert!(found(bed, "one").is_some());
    assert_eq!(kept(bed), 1);
    is_sound(bed);
}

fn records_survive_a_rebuild(bed: &mut Bed) {
    execute(bed, "one");
    let before = found(bed, "one");
    is_sound(bed);
    assert_eq!(found(bed, "one"), before);
}

fn pruning_a_task_forgets_what_was_answered_about_it(bed: &mut Bed) {
    let (pruned, _kept) = (execute(bed, "one"), execute(bed, "two"));
    let done = StatusSet { to: Status::Done, authority: Authority::Free, forced: None };
    let task = bed.happen(pruned, done);
    bed.write(|tx| tx.prune(&task)).unwrap();
    assert_eq!((found(bed, "one"), kept(bed)), (None, 1));
    assert!(found(bed, "two").is_some());
    is_sound(bed);
}
