//! Chunks: what is recorded is read back, by every name, with every link, and after every rebuild.

use windlass_domain::chunk::event::{
    ChunkPromoted, ChunkReviewed, ChunkSuperseded, ChunkUnlinked, SourceChecked,
};
use windlass_domain::chunk::history::Version;
use windlass_domain::chunk::link::End;
use windlass_domain::chunk::review::{Action, Review};
use windlass_domain::chunk::{Chunk, Owner, QueryKey};
use windlass_domain::{ChunkId, Code, Event, Refusal, SessionId};

use super::bulk::{alike, rows};
use super::chunk_scene::{
    author, by_id, deleted, happen, happen_in, linked, linked_task, project, slug, updated, write,
    written,
};
use super::pruning::is_sound;
use super::{Bed, on_both};
use crate::{Error, Fate, Happened, Recorded, Undo, export, import};

on_both! {
    all_of_a_chunk_is_read_back_by_its_id_and_its_key
    a_chunk_that_is_not_there_is_not_found
    a_chunk_is_what_its_events_make_of_it
    of_chunks_with_one_key_the_newest_is_first
    a_key_made_from_a_title_is_free_for_one_owner_and_type
    r45_a_key_is_had_once_by_an_owner_in_a_type_and_again_in_another
    a_key_that_was_taken_leaves_nothing_behind
    a_key_is_free_again_when_its_chunk_is_deleted
    chunks_are_found_by_the_session_that_wrote_them
    c45_chunks_are_found_by_what_supersedes_them
    c54_chunks_are_found_by_what_they_point_to
    c23_every_version_of_a_chunk_is_read_back_also_when_it_is_deleted
    what_was_decided_about_an_older_state_is_refused
    a_chunk_that_is_deleted_cannot_be_changed
    a_chunk_that_changes_twice_in_a_transaction_is_followed
    a_chunk_that_changes_twice_in_a_group_is_followed
    what_an_undone_part_did_to_a_chunk_is_as_it_was_before
    chunks_survive_a_rebuild_row_by_row
    a_rebuild_repairs_a_chunk_and_says_so
    chunks_go_along_with_an_export_under_the_same_hashes
    chunks_in_bulk_give_the_same_rows_as_one_by_one
    a_chunk_belongs_to_the_project_whose_it_is
    a_chunk_cannot_leave_the_projects_of_a_key
    what_an_agent_keeps_for_itself_is_of_no_project
    a_key_for_a_project_says_what_it_found_of_what_everybody_shares
}

fn here() -> Owner {
    Owner::Project(project(1))
}

fn key(text: &str) -> QueryKey {
    text.to_owned().try_into().unwrap()
}

fn with_key(bed: &mut Bed, owner: &Owner, chunk_type: &str, of: &str) -> Option<Chunk> {
    bed.ledger
        .read(|snapshot| Ok(snapshot.chunk_with_key(owner, &slug(chunk_type), &key(of))?))
        .unwrap()
}

fn called(bed: &mut Bed, of: &str) -> Vec<Chunk> {
    bed.ledger.read(|snapshot| Ok(snapshot.chunks_called(&key(of))?)).unwrap()
}

fn linked_to(bed: &mut Bed, end: &End) -> Vec<ChunkId> {
    let chunks = bed.ledger.read(|snapshot| Ok(snapshot.chunks_linked_to(end)?)).unwrap();
    chunks.iter().map(|chunk| chunk.id).collect()
}

fn superseded_by(bed: &mut Bed, by: ChunkId) -> Vec<Chunk> {
    bed.ledger.read(|snapshot| Ok(snapshot.chunks_superseded_by(by)?)).unwrap()
}

fn versions(bed: &mut Bed, id: ChunkId) -> Vec<Version> {
    bed.ledger.read(|snapshot| Ok(snapshot.versions(id)?)).unwrap()
}

fn all_of_a_chunk_is_read_back_by_its_id_and_its_key(bed: &mut Bed) {
    let event = written("knowledge", here(), "rate-limits");
    let begun = write(bed, &event);
    assert_eq!(begun, Chunk::written(begun.id, &event, 1, begun.created_at));
    assert_eq!(by_id(bed, begun.id), Some(begun.clone()));
    assert_eq!(with_key(bed, &here(), "knowledge", "rate-limits"), Some(begun.clone()));
    assert_eq!(called(bed, "rate-limits"), [begun]);
}

fn a_chunk_that_is_not_there_is_not_found(bed: &mut Bed) {
    write(bed, &written("knowledge", here(), "rate-limits"));
    assert_eq!(by_id(bed, ChunkId::from_bytes([7; 16])), None);
    assert_eq!(called(bed, "Rate-Limits"), [], "keys are told apart by the letter");
    for (owner, chunk_type, of) in [
        (Owner::Org, "knowledge", "rate-limits"),
        (Owner::Project(project(2)), "knowledge", "rate-limits"),
        (here(), "decision", "rate-limits"),
        (here(), "knowledge", "rate-limit"),
    ] {
        assert_eq!(with_key(bed, &owner, chunk_type, of), None, "{owner} {chunk_type} {of}");
    }
    assert_eq!(versions(bed, ChunkId::from_bytes([7; 16])), []);
}

fn a_chunk_is_what_its_events_make_of_it(bed: &mut Bed) {
    let begun = write(bed, &written("knowledge", here(), "rate-limits"));
    bed.clock.advance(60_000);
    happen(bed, begun.id, linked(linked_task()));
    bed.clock.advance(60_000);
    let last = happen(bed, begun.id, updated(&begun, "90 a minute"));
    let id = begun.id;
    let events = bed.ledger.read(|snapshot| Ok(snapshot.history(id.into(), 10)?)).unwrap();
    let mut folded: Option<Chunk> = None;
    for recorded in &events {
        let Some(Event::Chunk(event)) = recorded.event().unwrap() else { panic!("not of a chunk") };
        let header = &recorded.header;
        match &mut folded {
            None => folded = Some(Chunk::begun(id, &event, header.seq, header.at).unwrap()),
            Some(chunk) => chunk.fold(&event, header.at).unwrap(),
        }
    }
    assert_eq!(folded.as_ref(), Some(&last));
    assert_eq!(by_id(bed, id), Some(last));
}

fn of_chunks_with_one_key_the_newest_is_first(bed: &mut Bed) {
    let older = write(bed, &written("knowledge", here(), "limits"));
    let newer = write(bed, &written("decision", Owner::Org, "limits"));
    assert_eq!(called(bed, "limits"), [newer, older]);
}

fn a_key_made_from_a_title_is_free_for_one_owner_and_type(bed: &mut Bed) {
    for of in ["limits", "limits-2"] {
        write(bed, &written("knowledge", here(), of));
    }
    let mut free = |owner: Owner, of: &str| {
        let found =
            bed.ledger.read(|snapshot| Ok(snapshot.free_key(&owner, &slug(of), "Limits")?));
        found.unwrap().to_string()
    };
    assert_eq!(free(here(), "knowledge"), "limits-3");
    assert_eq!(free(Owner::Org, "knowledge"), "limits");
    assert_eq!(free(here(), "decision"), "limits");
}

fn r45_a_key_is_had_once_by_an_owner_in_a_type_and_again_in_another(bed: &mut Bed) {
    write(bed, &written("knowledge", here(), "limits"));
    write(bed, &written("decision", here(), "limits"));
    write(bed, &written("knowledge", Owner::Org, "limits"));
    let twice = bed.write(|tx| tx.begin_chunk(written("knowledge", here(), "limits")));
    assert!(twice.is_err());
    assert_eq!(called(bed, "limits").len(), 3);
}

fn a_key_that_was_taken_leaves_nothing_behind(bed: &mut Bed) {
    write(bed, &written("knowledge", here(), "limits"));
    let before = rows(bed);
    let twice = bed.write(|tx| {
        tx.begin_chunk(written("knowledge", here(), "other"))?;
        tx.begin_chunk(written("knowledge", here(), "limits"))
    });
    assert!(twice.is_err());
    assert_eq!(rows(bed), before);
    is_sound(bed);
}

fn a_key_is_free_again_when_its_chunk_is_deleted(bed: &mut Bed) {
    let first = write(bed, &written("knowledge", here(), "limits"));
    happen(bed, first.id, deleted());
    assert_eq!(with_key(bed, &here(), "knowledge", "limits"), None);
    let second = write(bed, &written("knowledge", here(), "limits"));
    assert_eq!(with_key(bed, &here(), "knowledge", "limits"), Some(second));
    is_sound(bed);
}

fn chunks_are_found_by_the_session_that_wrote_them(bed: &mut Bed) {
    let session = SessionId::from_bytes([5; 16]);
    let by = author(Some(session));
    let mut of_session = |of: &str| {
        let mut event = written("memory", Owner::Agent("me".into()), of);
        event.by = by.clone();
        write(bed, &event)
    };
    let (one, two) = (of_session("one"), of_session("two"));
    write(bed, &written("memory", Owner::Agent("me".into()), "three"));
    let found = bed.ledger.read(|snapshot| Ok(snapshot.chunks_of_session(session)?)).unwrap();
    assert_eq!(found, [one, two]);
    let count = bed.ledger.read(|snapshot| Ok(snapshot.count_chunks_of_session(session)?)).unwrap();
    assert_eq!(count, 2);
}

fn c45_chunks_are_found_by_what_supersedes_them(bed: &mut Bed) {
    let old = write(bed, &written("knowledge", here(), "old"));
    let new = write(bed, &written("knowledge", here(), "new"));
    let data = ChunkSuperseded { with: new.id, reason: "newer".into(), by: "me".into() };
    let old = happen(bed, old.id, data);
    assert_eq!(superseded_by(bed, new.id), std::slice::from_ref(&old));
    assert_eq!(superseded_by(bed, old.id), []);
    happen(bed, old.id, deleted());
    assert_eq!(superseded_by(bed, new.id), []);
}

fn c54_chunks_are_found_by_what_they_point_to(bed: &mut Bed) {
    let spec = write(bed, &written("knowledge", here(), "spec"));
    let plan = write(bed, &written("knowledge", here(), "plan"));
    let to_spec = End::Chunk(spec.id);
    happen(bed, plan.id, linked(to_spec.clone()));
    happen(bed, plan.id, linked(linked_task()));
    let again = windlass_domain::chunk::event::ChunkLinked {
        link: windlass_domain::chunk::link::Link { to: to_spec.clone(), reason: "again".into() },
        by: "tester".into(),
    };
    happen(bed, plan.id, again);
    assert_eq!(linked_to(bed, &to_spec), [plan.id], "two links to one end are one answer");
    assert_eq!(linked_to(bed, &linked_task()), [plan.id]);
    assert_eq!(linked_to(bed, &End::Chunk(plan.id)), []);
    let undone =
        ChunkUnlinked { to: to_spec.clone(), reason: "wrong one".into(), by: "tester".into() };
    happen(bed, plan.id, undone);
    assert_eq!(linked_to(bed, &to_spec), []);
    happen(bed, plan.id, deleted());
    assert_eq!(linked_to(bed, &linked_task()), []);
}

fn c23_every_version_of_a_chunk_is_read_back_also_when_it_is_deleted(bed: &mut Bed) {
    let begun = write(bed, &written("knowledge", here(), "limits"));
    happen(bed, begun.id, linked(linked_task()));
    happen(bed, begun.id, updated(&begun, "90 a minute"));
    let before = versions(bed, begun.id);
    assert_eq!(before.iter().map(|version| version.chunk.version).collect::<Vec<_>>(), [1, 2]);
    happen(bed, begun.id, deleted());
    assert_eq!(versions(bed, begun.id), before);
}

fn what_was_decided_about_an_older_state_is_refused(bed: &mut Bed) {
    let begun = write(bed, &written("knowledge", here(), "limits"));
    let now = happen(bed, begun.id, updated(&begun, "90 a minute"));
    let late = updated(&begun, "120 a minute");
    let refused = bed.write(|tx| tx.record_chunk(&begun, [late.clone().into()]));
    assert_eq!(refused.unwrap_err().code(), Code::EditConflict);
    assert_eq!(by_id(bed, begun.id), Some(now));
}

fn a_chunk_that_is_deleted_cannot_be_changed(bed: &mut Bed) {
    let begun = write(bed, &written("knowledge", here(), "limits"));
    happen(bed, begun.id, deleted());
    let late = updated(&begun, "120 a minute");
    let refused = bed.write(|tx| tx.record_chunk(&begun, [late.clone().into()]));
    assert_eq!(refused.unwrap_err().code(), Code::EditConflict);
}

fn a_chunk_that_changes_twice_in_a_transaction_is_followed(bed: &mut Bed) {
    let last = bed
        .write(|tx| {
            let begun = tx.begin_chunk(written("knowledge", here(), "limits"))?;
            let linked = happen_in(tx, begun.id, linked(linked_task()))?;
            assert_eq!(tx.chunk(begun.id)?, Some(linked));
            happen_in(tx, begun.id, updated(&begun, "90 a minute"))
        })
        .unwrap();
    assert_eq!((last.version, last.events), (2, 3));
    assert_eq!(by_id(bed, last.id), Some(last));
    is_sound(bed);
}

fn a_chunk_that_changes_twice_in_a_group_is_followed(bed: &mut Bed) {
    bed.ledger.begin_group(Undo::Each).unwrap();
    let begun = write(bed, &written("knowledge", here(), "limits"));
    let one = happen(bed, begun.id, linked(linked_task()));
    assert_eq!(by_id(bed, begun.id), Some(one));
    let two = happen(bed, begun.id, updated(&begun, "90 a minute"));
    assert_eq!(called(bed, "limits"), std::slice::from_ref(&two));
    assert_eq!(bed.ledger.end_group().unwrap(), Fate::Committed);
    assert_eq!(by_id(bed, begun.id), Some(two));
    is_sound(bed);
}

fn what_an_undone_part_did_to_a_chunk_is_as_it_was_before(bed: &mut Bed) {
    let begun = write(bed, &written("knowledge", here(), "limits"));
    bed.ledger.begin_group(Undo::Each).unwrap();
    let undone: Result<(), Error> = bed.write(|tx| {
        happen_in(tx, begun.id, updated(&begun, "90 a minute"))?;
        tx.begin_chunk(written("knowledge", here(), "other"))?;
        Err(Refusal::new(Code::InvalidValue, "no").into())
    });
    assert!(undone.is_err());
    assert_eq!(by_id(bed, begun.id), Some(begun.clone()));
    assert_eq!(called(bed, "other"), []);
    let changed = happen(bed, begun.id, updated(&begun, "120 a minute"));
    assert_eq!(changed.version, 2);
    bed.ledger.end_group().unwrap();
    is_sound(bed);
}

/// Chunks in several states: as written, changed, linked, promoted, deleted.
fn several(bed: &mut Bed) {
    let plain = write(bed, &written("knowledge", here(), "plain"));
    bed.clock.advance(60_000);
    let memory = write(bed, &written("memory", Owner::Agent("me".into()), "memory"));
    happen(bed, memory.id, linked(End::Chunk(plain.id)));
    let promoted = ChunkPromoted {
        version: 2,
        owner: here(),
        chunk_type: slug("knowledge"),
        query_key: key("promoted"),
        fields: serde_json::Map::new(),
        by: author(None),
    };
    happen(bed, memory.id, promoted);
    happen(bed, plain.id, updated(&plain, "said again"));
    let gone = write(bed, &written("decision", Owner::Org, "gone"));
    happen(bed, gone.id, deleted());
    write(bed, &written("dev_spec", here(), "spec"));
}

fn chunks_survive_a_rebuild_row_by_row(bed: &mut Bed) {
    several(bed);
    let before = rows(bed);
    assert_eq!(before.iter().filter(|row| row.starts_with("chunks ")).count(), 3);
    assert_eq!(bed.ledger.rebuild().unwrap().differences, Vec::new());
    assert_eq!(rows(bed), before);
}

fn a_rebuild_repairs_a_chunk_and_says_so(bed: &mut Bed) {
    let kept = write(bed, &written("knowledge", here(), "limits"));
    let forged = Chunk { title: "forged".into(), ..kept.clone() };
    bed.write(|tx| {
        tx.store.update_chunk(&kept, &forged)?;
        tx.demand("here", "keep this transaction", "{}")?;
        Ok(())
    })
    .unwrap();
    let rebuilt = bed.ledger.rebuild().unwrap();
    let found: Vec<_> =
        rebuilt.differences.iter().map(|d| (d.view.as_str(), d.wrong, d.missing)).collect();
    assert_eq!(found, [("chunks", 1, 1)]);
    assert_eq!(by_id(bed, kept.id), Some(kept));
}

fn chunks_go_along_with_an_export_under_the_same_hashes(bed: &mut Bed) {
    several(bed);
    let mut file = Vec::new();
    bed.ledger.read(|snapshot| export(snapshot, &mut file)).unwrap();
    let mut other = Bed::sqlite();
    other.write(|tx| import(tx, &mut file.as_slice())).unwrap();
    assert_eq!(called(&mut other, "promoted"), called(bed, "promoted"));
    let head = |bed: &mut Bed| bed.ledger.read(|snapshot| Ok(snapshot.head()?)).unwrap();
    assert_eq!(head(&mut other), head(bed));
    let mut again = Vec::new();
    other.ledger.read(|snapshot| export(snapshot, &mut again)).unwrap();
    assert_eq!(String::from_utf8(again).unwrap(), String::from_utf8(file).unwrap());
    is_sound(&mut other);
}

/// The same history, in another ledger of the same kind, all at once.
pub(super) fn in_bulk(bed: &mut Bed) -> Bed {
    let recorded = bed.ledger.read(|snapshot| Ok(snapshot.events_after(0, 1_000)?)).unwrap();
    let mut other = alike(bed);
    other
        .write(|tx| {
            let mut bulk = tx.bulk()?;
            for recorded in &recorded {
                let event = recorded.event().unwrap().unwrap();
                let Recorded { header, .. } = recorded.clone();
                bulk.record(Happened {
                    id: Some(header.id),
                    at: header.at,
                    stream: header.stream,
                    provenance: header.provenance,
                    event,
                })?;
            }
            Ok(bulk.finish()?)
        })
        .unwrap();
    other
}

fn chunks_in_bulk_give_the_same_rows_as_one_by_one(bed: &mut Bed) {
    several(bed);
    let other = in_bulk(bed);
    assert_eq!(rows(&other), rows(bed));
}

/// What becomes of something that a key for one project does.
fn within(
    bed: &mut Bed,
    own: windlass_domain::ProjectId,
    mut work: impl FnMut(&mut crate::Transaction<'_>) -> Result<Chunk, Error>,
) -> Result<(), Code> {
    let done = bed.write(|tx| {
        tx.bound_to(&[own]);
        work(tx)
    });
    done.map(drop).map_err(|error| error.code())
}

fn a_chunk_belongs_to_the_project_whose_it_is(bed: &mut Bed) {
    let (own, other) = (bed.project("own"), bed.project("other"));
    let mut writes = |owner: Owner| {
        within(bed, own, |tx| tx.begin_chunk(written("knowledge", owner.clone(), "limits")))
    };
    assert_eq!(writes(Owner::Project(own)), Ok(()));
    assert_eq!(writes(Owner::Project(other)), Err(Code::NotAllowed));
    assert_eq!(writes(Owner::Org), Err(Code::NotAllowed));
    let foreign = write(bed, &written("knowledge", Owner::Project(other), "foreign"));
    let changed = within(bed, own, |tx| happen_in(tx, foreign.id, updated(&foreign, "mine")));
    assert_eq!(changed, Err(Code::NotAllowed));
}

fn a_chunk_cannot_leave_the_projects_of_a_key(bed: &mut Bed) {
    let own = bed.project("own");
    let chunk = write(bed, &written("knowledge", Owner::Project(own), "limits"));
    let to_all = ChunkPromoted {
        version: 2,
        owner: Owner::Org,
        chunk_type: slug("principle"),
        query_key: key("limits"),
        fields: serde_json::Map::new(),
        by: author(None),
    };
    let promoted = within(bed, own, |tx| happen_in(tx, chunk.id, to_all.clone()));
    assert_eq!(promoted, Err(Code::NotAllowed));
}

fn what_an_agent_keeps_for_itself_is_of_no_project(bed: &mut Bed) {
    let own = bed.project("own");
    let kept = within(bed, own, |tx| {
        tx.begin_chunk(written("memory", Owner::Agent("me".into()), "memory"))
    });
    assert_eq!(kept, Ok(()));
}

fn a_key_for_a_project_says_what_it_found_of_what_everybody_shares(bed: &mut Bed) {
    let own = bed.project("own");
    let shared = write(bed, &written("principle", Owner::Org, "limits")).id;
    let review = Review {
        usefulness: 1,
        correctness: 1,
        action: Action::Incorrect,
        task: None,
        usefulness_note: None,
        correctness_note: None,
    };
    let reviewed = ChunkReviewed { review, by: "me".into() };
    let checked = SourceChecked { digest: None, changed: true };
    assert_eq!(within(bed, own, |tx| happen_in(tx, shared, reviewed.clone())), Ok(()));
    assert_eq!(within(bed, own, |tx| happen_in(tx, shared, checked.clone())), Ok(()));
    let gone = within(bed, own, |tx| happen_in(tx, shared, deleted()));
    assert_eq!(gone, Err(Code::NotAllowed));
}
