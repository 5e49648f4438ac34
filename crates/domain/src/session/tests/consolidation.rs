use super::scene::{after, session};
use crate::Code;
use crate::built_in::chunk_types;
use crate::chunk::tests::scene::{agent, minute, owned, person, project};
use crate::chunk::write::Draft;
use crate::chunk::{Chunk, Owner};
use crate::session::Session;
use crate::session::consolidate::{Verdict, consolidate, consolidate_deleted};
use crate::session::sit::{end, expire};

fn wrote(number: u8, chunk_type: &str, owner: Owner) -> Chunk {
    let chunk = owned(number, owner, &Draft::new("Found", "text"));
    Chunk { chunk_type: chunk_type.parse().unwrap(), ..chunk }
}

fn memory(number: u8) -> Chunk {
    wrote(number, "memory", Owner::Agent("w1".into()))
}

/// A session that ended after it wrote these.
fn ended(wrote: &[Chunk]) -> Session {
    let open = session("dev");
    after(&open, end(&open, wrote, &chunk_types(), &agent("w1"), minute(10)), 10)
}

#[test]
fn the_end_surfaces_what_was_written_whosever_it_is() {
    let research = wrote(1, "research", Owner::Project(project(1)));
    let decision = wrote(2, "decision", Owner::Project(project(1)));
    let session = ended(&[memory(3), decision, research.clone()]);
    assert_eq!(session.undecided(), [research.id, memory(3).id]);
}

#[test]
fn what_is_gone_already_is_not_surfaced() {
    let deleted = Chunk { deleted: true, ..memory(1) };
    assert!(ended(&[deleted]).undecided().is_empty());
}

#[test]
fn a_session_that_expired_surfaces_what_it_wrote_too() {
    let open = session("dev");
    let late = minute(8 * 60);
    let over = after(&open, Ok(expire(&open, &[memory(1)], &chunk_types(), late)), 8 * 60);
    assert_eq!(over.undecided(), [memory(1).id]);
}

#[test]
fn from_the_threshold_on_decisions_are_asked_for() {
    assert!(!ended(&[memory(1), memory(2)]).asks_for_consolidation());
    assert!(ended(&[memory(1), memory(2), memory(3)]).asks_for_consolidation());
}

#[test]
fn the_agent_itself_or_a_person_decides_about_each_chunk() {
    let session = ended(&[memory(1), memory(2), memory(3)]);
    let session = after(
        &session,
        consolidate(&session, &memory(1), Verdict::Keep, &agent("w1"), minute(11)),
        11,
    );
    let session = after(
        &session,
        consolidate(&session, &memory(2), Verdict::Promote, &person(), minute(11)),
        11,
    );
    let session = after(
        &session,
        consolidate(&session, &memory(3), Verdict::Discard, &person(), minute(11)),
        11,
    );
    assert!(session.undecided().is_empty() && !session.asks_for_consolidation());
}

#[test]
fn another_agent_decides_nothing() {
    let decided =
        consolidate(&ended(&[memory(1)]), &memory(1), Verdict::Keep, &agent("w2"), minute(11));
    assert_eq!(decided.unwrap_err().code, Code::SessionNotFound);
}

#[test]
fn the_same_verdict_twice_is_one_and_another_is_refused() {
    let session = ended(&[memory(1)]);
    let session = after(
        &session,
        consolidate(&session, &memory(1), Verdict::Keep, &person(), minute(11)),
        11,
    );
    assert!(
        consolidate(&session, &memory(1), Verdict::Keep, &person(), minute(11)).unwrap().is_empty()
    );
    let refusal =
        consolidate(&session, &memory(1), Verdict::Discard, &person(), minute(11)).unwrap_err();
    assert_eq!(refusal.code, Code::InvalidTransition);
}

#[test]
fn what_was_deleted_since_can_only_be_discarded() {
    let session = ended(&[memory(1)]);
    let decided =
        |verdict| consolidate_deleted(&session, memory(1).id, verdict, &agent("w1"), minute(11));
    for verdict in [Verdict::Keep, Verdict::Promote] {
        assert_eq!(decided(verdict).unwrap_err().code, Code::ChunkNotFound);
    }
    assert!(after(&session, decided(Verdict::Discard), 11).undecided().is_empty());
}

#[test]
fn what_was_kept_and_deleted_since_stays_decided() {
    let session = ended(&[memory(1)]);
    let kept = consolidate(&session, &memory(1), Verdict::Keep, &person(), minute(11));
    let session = after(&session, kept, 11);
    let again = consolidate_deleted(&session, memory(1).id, Verdict::Keep, &person(), minute(12));
    assert_eq!(again, Ok(Vec::new()));
}

#[test]
fn nothing_is_decided_while_the_session_goes_on() {
    let refusal =
        consolidate(&session("dev"), &memory(1), Verdict::Keep, &person(), minute(11)).unwrap_err();
    assert_eq!(refusal.code, Code::SessionOpen);
}

#[test]
fn nothing_is_decided_about_what_the_session_did_not_surface() {
    let refusal =
        consolidate(&ended(&[]), &memory(1), Verdict::Keep, &person(), minute(11)).unwrap_err();
    assert_eq!(refusal.code, Code::InvalidValue);
}
