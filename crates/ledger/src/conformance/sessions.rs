//! Sessions: what is recorded is read back, in every list, and after every rebuild.

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use windlass_domain::duration::Span;
use windlass_domain::event::SessionEvent;
use windlass_domain::inject::Injection;
use windlass_domain::session::Session;
use windlass_domain::session::event::{
    FocusRegistered, SessionEnded, SessionExpired, SessionResumed, SessionStarted,
};
use windlass_domain::session::state::SessionStatus;
use windlass_domain::{Code, ProjectId, Refusal, RunKey, SessionId, Time};

use super::bulk::rows;
use super::chunk_scene::slug;
use super::chunks::in_bulk;
use super::pruning::is_sound;
use super::{Bed, on_both};
use crate::{Clock as _, Error, KeptSession, SessionFilter, Transaction, Undo, export, import};

on_both! {
    all_of_a_session_is_read_back_by_its_id
    a_session_that_is_not_there_is_not_found
    a_session_that_ends_is_found_by_its_new_status_only
    any_filter_lists_and_pages_exactly_the_sessions_it_says
    sessions_whose_time_ran_out_are_found_until_somebody_notices
    a_session_that_is_resumed_runs_out_later
    what_was_decided_about_an_older_state_of_a_session_is_refused
    a_session_that_changes_twice_in_a_transaction_is_followed
    what_an_undone_part_did_to_a_session_is_as_it_was_before
    sessions_are_found_by_their_project_and_by_their_lifecycle
    sessions_survive_a_rebuild_row_by_row
    sessions_go_along_with_an_export_under_the_same_hashes
    sessions_in_bulk_give_the_same_rows_as_one_by_one
    a_session_belongs_to_its_project
}

const HOUR: i64 = 3_600_000;

fn started(now: Time, agent: &str) -> SessionStarted {
    SessionStarted {
        agent: agent.into(),
        agent_type: Some(slug("dev")),
        lifecycle: slug("dev"),
        project: None,
        run: None,
        max_tokens: None,
        ttl: Span::from_millis(HOUR),
        expires_at: Time::from_millis(now.as_millis() + HOUR),
        required_steps: Vec::new(),
        consolidation_threshold: 3,
        injection: Injection::default(),
    }
}

fn begin_in(tx: &mut Transaction<'_>, data: &SessionStarted) -> Result<KeptSession, Error> {
    let id = tx.new_session_id()?;
    tx.begin_session(id, data.clone())
}

fn begin(bed: &mut Bed, change: impl FnOnce(&mut SessionStarted)) -> KeptSession {
    let mut data = started(bed.clock.now(), "worker-1");
    change(&mut data);
    bed.write(|tx| begin_in(tx, &data)).unwrap()
}

fn happen_in(
    tx: &mut Transaction<'_>,
    id: SessionId,
    event: &SessionEvent,
) -> Result<KeptSession, Error> {
    let kept = tx.session(id)?.unwrap();
    tx.record_session(&kept, [event.clone()])
}

fn happen(bed: &mut Bed, id: SessionId, event: impl Into<SessionEvent>) -> KeptSession {
    let event = event.into();
    bed.write(|tx| happen_in(tx, id, &event)).unwrap()
}

fn focus() -> SessionEvent {
    let tags = vec!["rust".to_owned()];
    FocusRegistered { task: "the ledger".into(), tags, injection: Injection::default() }.into()
}

fn ended() -> SessionEnded {
    SessionEnded { surfaced: Vec::new(), by: "worker-1".into() }
}

fn by_id(bed: &mut Bed, id: SessionId) -> Option<KeptSession> {
    bed.ledger.read(|snapshot| Ok(snapshot.session(id)?)).unwrap()
}

fn list(bed: &mut Bed, filter: &SessionFilter) -> Vec<KeptSession> {
    bed.ledger.read(|snapshot| Ok(snapshot.sessions(filter)?)).unwrap()
}

fn with(status: SessionStatus) -> SessionFilter {
    SessionFilter { status: Some(status), limit: 10, ..SessionFilter::default() }
}

fn overdue(bed: &mut Bed) -> Vec<SessionId> {
    let now = bed.clock.now();
    let found = bed.ledger.read(|snapshot| Ok(snapshot.store.sessions_overdue(now, 10)?)).unwrap();
    found.iter().map(|kept| kept.session.id).collect()
}

fn all_of_a_session_is_read_back_by_its_id(bed: &mut Bed) {
    let run = RunKey::from_bytes([3; 16]);
    let data = SessionStarted {
        run: Some(run),
        project: Some(ProjectId::from_bytes([1; 16])),
        ..started(bed.clock.now(), "Größe '1'")
    };
    let begun = bed.write(|tx| begin_in(tx, &data)).unwrap();
    assert_eq!(begun.created_seq, 1);
    let session = &begun.session;
    assert_eq!(*session, Session::started(session.id, &data, session.started_at));
    assert_eq!(by_id(bed, session.id), Some(begun.clone()));
    let of_run = SessionFilter { run: Some(run), limit: 10, ..SessionFilter::default() };
    assert_eq!(list(bed, &of_run), [begun]);
}

fn a_session_that_is_not_there_is_not_found(bed: &mut Bed) {
    begin(bed, |_| ());
    assert_eq!(by_id(bed, SessionId::from_bytes([7; 16])), None);
    let other = SessionFilter { agent: Some("worker".into()), limit: 9, ..Default::default() };
    assert_eq!(list(bed, &other), []);
}

fn sessions_are_found_by_their_project_and_by_their_lifecycle(bed: &mut Bed) {
    let api = ProjectId::from_bytes([1; 16]);
    let about = begin(bed, |data| data.project = Some(api));
    let other = begin(bed, |data| data.lifecycle = slug("default"));
    let of_api = SessionFilter { project: Some(api), limit: 9, ..Default::default() };
    assert_eq!(list(bed, &of_api), [about]);
    let default = SessionFilter { lifecycle: Some(slug("default")), ..of_api.clone() };
    assert_eq!(list(bed, &default), []);
    assert_eq!(list(bed, &SessionFilter { project: None, ..default }), [other]);
}

fn a_session_that_ends_is_found_by_its_new_status_only(bed: &mut Bed) {
    let id = begin(bed, |_| ()).session.id;
    assert_eq!(list(bed, &with(SessionStatus::Active)).len(), 1);
    let over = happen(bed, id, ended());
    assert_eq!(list(bed, &with(SessionStatus::Active)), []);
    assert_eq!(list(bed, &with(SessionStatus::Ended)), [over]);
}

const AGENTS: [&str; 2] = ["worker-1", "worker-2"];

fn runs() -> [RunKey; 2] {
    [RunKey::from_bytes([1; 16]), RunKey::from_bytes([2; 16])]
}

/// How a session goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    On,
    Ended,
    /// Its time ran out, and nobody noticed.
    Overdue,
}

fn any_filter_lists_and_pages_exactly_the_sessions_it_says(bed: &mut Bed) {
    let ways = prop::sample::select(vec![Way::On, Way::On, Way::Ended, Way::Overdue]);
    let one = (0..2_usize, prop::option::of(0..2_usize), ways);
    let all = prop::collection::vec(one, 230).new_tree(&mut TestRunner::default()).unwrap();
    let mut sessions = Vec::new();
    for (agent, run, way) in all.current() {
        let kept = begin(bed, |data| {
            data.agent = AGENTS[agent].into();
            data.run = run.map(|run| runs()[run]);
            if way == Way::Overdue {
                data.expires_at = Time::from_millis(data.expires_at.as_millis() - HOUR);
            }
        });
        sessions.push(match way {
            Way::Ended => happen(bed, kept.session.id, ended()),
            Way::On | Way::Overdue => kept,
        });
    }
    let now = bed.clock.now();
    let statuses = prop::option::of(prop::sample::select(SessionStatus::ALL.to_vec()));
    let wanted = (prop::option::of(0..2_usize), prop::option::of(0..2_usize), statuses, 1_u64..150);
    let bed = std::cell::RefCell::new(bed);
    let config = ProptestConfig { cases: 60, failure_persistence: None, ..Default::default() };
    TestRunner::new(config)
        .run(&wanted, |(agent, run, status, limit)| {
            let agent = agent.map(|agent| AGENTS[agent].to_owned());
            let run = run.map(|run| runs()[run]);
            let mut filter =
                SessionFilter { agent, status, run, limit, ..SessionFilter::default() };
            let is_wanted = |kept: &&KeptSession| {
                let session = &kept.session;
                filter.agent.as_ref().is_none_or(|agent| session.agent == *agent)
                    && filter.status.is_none_or(|status| session.status_at(now) == status)
                    && filter.run.is_none_or(|run| session.run == Some(run))
            };
            let expected: Vec<u64> =
                sessions.iter().rev().filter(is_wanted).map(|kept| kept.created_seq).collect();
            let mut found = Vec::new();
            loop {
                let page = list(&mut bed.borrow_mut(), &filter);
                found.extend(page.iter().map(|kept| kept.created_seq));
                match page.last() {
                    Some(last) if page.len() as u64 == limit => {
                        filter.before = Some(last.created_seq);
                    }
                    _ => break,
                }
            }
            prop_assert_eq!(found, expected);
            Ok(())
        })
        .unwrap();
}

fn sessions_whose_time_ran_out_are_found_until_somebody_notices(bed: &mut Bed) {
    let first = begin(bed, |_| ()).session.id;
    bed.clock.advance(HOUR / 2);
    let second = begin(bed, |_| ()).session.id;
    let over = begin(bed, |_| ()).session.id;
    happen(bed, over, ended());
    assert_eq!(overdue(bed), []);
    bed.clock.advance(HOUR / 2);
    assert_eq!(overdue(bed), [first], "the moment itself is too late");
    bed.clock.advance(HOUR);
    assert_eq!(overdue(bed), [first, second], "what ended in time is not overdue");
    happen(bed, first, SessionExpired { surfaced: Vec::new() });
    assert_eq!(overdue(bed), [second]);
}

fn a_session_that_is_resumed_runs_out_later(bed: &mut Bed) {
    let id = begin(bed, |_| ()).session.id;
    let expires_at = Time::from_millis(bed.clock.now().as_millis() + 3 * HOUR);
    happen(bed, id, SessionResumed { expires_at, injection: Injection::default() });
    bed.clock.advance(2 * HOUR);
    assert_eq!(overdue(bed), []);
    bed.clock.advance(HOUR);
    assert_eq!(overdue(bed), [id]);
}

fn what_was_decided_about_an_older_state_of_a_session_is_refused(bed: &mut Bed) {
    let begun = begin(bed, |_| ());
    let now = happen(bed, begun.session.id, focus());
    let refused = bed.write(|tx| tx.record_session(&begun, [ended().into()]));
    assert_eq!(refused.unwrap_err().code(), Code::EditConflict);
    assert_eq!(by_id(bed, begun.session.id), Some(now));
}

fn a_session_that_changes_twice_in_a_transaction_is_followed(bed: &mut Bed) {
    let data = started(bed.clock.now(), "worker-1");
    let last = bed
        .write(|tx| {
            let id = begin_in(tx, &data)?.session.id;
            let focused = happen_in(tx, id, &focus())?;
            assert_eq!(tx.session(id)?, Some(focused));
            happen_in(tx, id, &ended().into())
        })
        .unwrap();
    assert_eq!((last.session.events, last.session.status), (3, SessionStatus::Ended));
    assert_eq!(by_id(bed, last.session.id), Some(last));
    is_sound(bed);
}

fn what_an_undone_part_did_to_a_session_is_as_it_was_before(bed: &mut Bed) {
    let begun = begin(bed, |_| ());
    let id = begun.session.id;
    bed.ledger.begin_group(Undo::Each).unwrap();
    let undone: Result<(), Error> = bed.write(|tx| {
        happen_in(tx, id, &ended().into())?;
        Err(Refusal::new(Code::InvalidValue, "no").into())
    });
    assert!(undone.is_err());
    assert_eq!(by_id(bed, id), Some(begun));
    assert_eq!(happen(bed, id, focus()).session.events, 2);
    bed.ledger.end_group().unwrap();
    is_sound(bed);
}

/// Sessions in several states.
fn several(bed: &mut Bed) {
    begin(bed, |_| ());
    let focused = begin(bed, |data| data.run = Some(runs()[0]));
    happen(bed, focused.session.id, focus());
    let over = begin(bed, |data| data.agent = "worker-2".into());
    bed.clock.advance(60_000);
    happen(bed, over.session.id, ended());
}

fn sessions_survive_a_rebuild_row_by_row(bed: &mut Bed) {
    several(bed);
    let before = rows(bed);
    assert_eq!(before.iter().filter(|row| row.starts_with("sessions ")).count(), 3);
    assert_eq!(bed.ledger.rebuild().unwrap().differences, Vec::new());
    assert_eq!(rows(bed), before);
}

fn sessions_go_along_with_an_export_under_the_same_hashes(bed: &mut Bed) {
    several(bed);
    let mut file = Vec::new();
    bed.ledger.read(|snapshot| export(snapshot, &mut file)).unwrap();
    let mut other = Bed::sqlite();
    other.write(|tx| import(tx, &mut file.as_slice())).unwrap();
    let all = SessionFilter { limit: 10, ..SessionFilter::default() };
    assert_eq!(list(&mut other, &all), list(bed, &all));
    let head = |bed: &mut Bed| bed.ledger.read(|snapshot| Ok(snapshot.head()?)).unwrap();
    assert_eq!(head(&mut other), head(bed));
    is_sound(&mut other);
}

fn sessions_in_bulk_give_the_same_rows_as_one_by_one(bed: &mut Bed) {
    several(bed);
    let other = in_bulk(bed);
    assert_eq!(rows(&other), rows(bed));
}

fn a_session_belongs_to_its_project(bed: &mut Bed) {
    let (own, other) = (bed.project("own"), bed.project("other"));
    let now = bed.clock.now();
    let mut within = |project: Option<ProjectId>| {
        let data = SessionStarted { project, ..started(now, "worker-1") };
        let done = bed.write(|tx| {
            tx.bound_to(&[own]);
            let id = begin_in(tx, &data)?.session.id;
            happen_in(tx, id, &focus())
        });
        done.map(drop).map_err(|error| error.code())
    };
    assert_eq!(within(Some(own)), Ok(()));
    assert_eq!(within(None), Ok(()), "it is its agent's own");
    assert_eq!(within(Some(other)), Err(Code::NotAllowed));
}
