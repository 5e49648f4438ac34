use windlass_domain::chain::{Hash, Header};
use windlass_domain::event::{TaskArchived, TaskBlocked, TaskCreated};

use super::*;

const NOW: Time = Time::from_millis(1_794_735_000_000);

fn id(number: u8) -> EventId {
    EventId::from_bytes([number; 16])
}

fn history(ids: &[EventId]) -> Vec<Recorded> {
    let recorded = |id: &EventId| Recorded {
        header: Header {
            seq: 1,
            id: *id,
            at: NOW,
            stream: Stream::from_bytes([9; 16]),
            stream_seq: 1,
            kind: "comment_added".into(),
            version: 1,
            provenance: Provenance::default(),
        },
        data: None,
        pruned: None,
        hash: Hash::GENESIS,
    };
    ids.iter().map(recorded).collect()
}

#[test]
fn a_stream_is_known_up_to_the_last_event_of_hzl_in_it() {
    // Event 3 of HZL left no trace here, event 4 led to three events.
    let log = [(10, id(1)), (20, id(2)), (30, id(3)), (40, id(4)), (50, id(5))];
    let here = [id(1), id(2), id(4), follower(id(4), 1), follower(id(4), 2)];
    assert_eq!(known(&history(&here), &log), Known { up_to: 40, went_on: false });
    assert_eq!(known(&[], &log), Known::default());
}

#[test]
fn a_stream_with_anything_else_after_it_went_on_here() {
    let log = [(10, id(1)), (20, id(2))];
    let more = history(&[id(1), follower(id(1), 1), id(77)]);
    assert_eq!(known(&more, &log), Known { up_to: 10, went_on: true });
    let others = history(&[id(77)]);
    assert_eq!(known(&others, &log), Known { up_to: 0, went_on: true });
}

#[test]
fn what_cannot_happen_is_noted_and_left_out_with_all_after_it() {
    let created = TaskCreated {
        project: ProjectId::from_bytes([1; 16]),
        title: "t".into(),
        status: Status::Ready,
        parent: None,
        description: None,
        links: vec![],
        tags: vec![],
        priority: 0,
        due_at: None,
        metadata: serde_json::Map::new(),
        stale_after_minutes: None,
        agent: None,
        depends_on: vec![],
        stage: None,
        forced: None,
    };
    let task = Task::created(TaskId::from_bytes([2; 16]), &created, 1, NOW);
    let authority = windlass_domain::event::Authority::Free;
    let archived: Event = TaskArchived { authority: authority.clone(), forced: None }.into();
    let blocked: Event =
        TaskBlocked { reason: None, auto_unpause: false, authority, forced: None }.into();
    let mut notes = Notes::default();
    let kept = possible(task, vec![archived.clone(), blocked, archived], NOW, &mut notes);
    assert_eq!(kept.len(), 1);
    assert_eq!(notes.into_list()[0].what, IMPOSSIBLE);
}
