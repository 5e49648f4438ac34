//! Sessions whose time runs out, and sessions by a part of their ids.

use windlass_domain::chunk::event::ChunkWritten;
use windlass_domain::chunk::state::{Author, Visibility};
use windlass_domain::chunk::{Owner, QueryKey};
use windlass_domain::duration::Span;
use windlass_domain::id::Fragment;
use windlass_domain::inject::Injection;
use windlass_domain::session::event::SessionStarted;
use windlass_domain::session::state::SessionStatus;
use windlass_domain::{ChunkId, SessionId};

use super::{Bed, on_both};
use crate::SessionFilter;

on_both! {
    a_session_whose_time_ran_out_is_recorded_as_expired_once
    what_an_expired_session_wrote_is_surfaced
    many_sessions_expire_part_by_part
    a_bound_caller_notices_sessions_elsewhere_too
    a_session_is_expired_for_a_list_before_it_is_recorded
    a_session_is_found_by_either_end_of_its_id
}

const HOUR: i64 = 60 * 60 * 1_000;

fn begin(bed: &mut Bed) -> SessionId {
    bed.write(|tx| {
        let ttl = Span::from_millis(HOUR);
        let started = SessionStarted {
            agent: "w1".into(),
            agent_type: None,
            lifecycle: "default".parse()?,
            project: None,
            run: None,
            max_tokens: None,
            ttl,
            expires_at: tx.now().plus(ttl),
            required_steps: Vec::new(),
            consolidation_threshold: 1,
            injection: Injection::default(),
        };
        let id = tx.new_session_id()?;
        Ok(tx.begin_session(id, started)?.session.id)
    })
    .unwrap()
}

/// A memory of the agent that is written in a session.
fn remember(bed: &mut Bed, session: SessionId) -> ChunkId {
    bed.write(|tx| {
        let written = ChunkWritten {
            chunk_type: "memory".parse()?,
            owner: Owner::Agent("w1".into()),
            query_key: QueryKey::parse("one")?,
            title: "One".into(),
            content: "It hangs.".into(),
            tags: Vec::new(),
            fields: serde_json::Map::new(),
            audience: None,
            gotchas: Vec::new(),
            related: Vec::new(),
            visibility: Visibility::Private,
            source: None,
            expires_at: None,
            task: None,
            by: Author { name: "w1".into(), session: Some(session), run: None },
        };
        Ok(tx.begin_chunk(written)?.id)
    })
    .unwrap()
}

fn expire(bed: &mut Bed, limit: u64) -> u64 {
    bed.write(|tx| Ok(tx.expire_sessions(limit)?)).unwrap()
}

fn listed(bed: &mut Bed, status: SessionStatus) -> Vec<SessionId> {
    let filter = SessionFilter { status: Some(status), limit: 10, ..SessionFilter::default() };
    let found = bed.ledger.read(|snapshot| Ok(snapshot.sessions(&filter)?)).unwrap();
    found.into_iter().map(|kept| kept.session.id).collect()
}

fn a_session_whose_time_ran_out_is_recorded_as_expired_once(bed: &mut Bed) {
    let id = begin(bed);
    assert_eq!(expire(bed, 10), 0);
    bed.clock.advance(HOUR);
    let due = bed.ledger.read(|snapshot| Ok(snapshot.next_session_expiry()?)).unwrap();
    assert!(due.is_some());
    assert_eq!((expire(bed, 10), expire(bed, 10)), (1, 0));
    let due = bed.ledger.read(|snapshot| Ok(snapshot.next_session_expiry()?)).unwrap();
    assert_eq!(due, None);
    let kept = bed.ledger.read(|snapshot| Ok(snapshot.session(id)?)).unwrap().unwrap();
    assert_eq!(kept.session.status, SessionStatus::Expired);
}

fn what_an_expired_session_wrote_is_surfaced(bed: &mut Bed) {
    let id = begin(bed);
    let memory = remember(bed, id);
    bed.clock.advance(HOUR);
    expire(bed, 10);
    let kept = bed.ledger.read(|snapshot| Ok(snapshot.session(id)?)).unwrap().unwrap();
    assert_eq!(kept.session.undecided(), [memory]);
}

fn many_sessions_expire_part_by_part(bed: &mut Bed) {
    for _ in 0..5 {
        begin(bed);
    }
    bed.clock.advance(HOUR);
    assert_eq!([expire(bed, 2), expire(bed, 2), expire(bed, 2), expire(bed, 2)], [2, 2, 1, 0]);
}

fn a_bound_caller_notices_sessions_elsewhere_too(bed: &mut Bed) {
    let project = bed.project("api");
    begin(bed);
    bed.clock.advance(HOUR);
    let expired = bed.write(|tx| {
        tx.bound_to(&[project]);
        Ok(tx.expire_sessions(10)?)
    });
    assert_eq!(expired.unwrap(), 1);
}

fn a_session_is_expired_for_a_list_before_it_is_recorded(bed: &mut Bed) {
    let old = begin(bed);
    bed.clock.advance(HOUR);
    let new = begin(bed);
    for _ in 0..2 {
        assert_eq!(listed(bed, SessionStatus::Active), [new]);
        assert_eq!(listed(bed, SessionStatus::Expired), [old]);
        expire(bed, 10);
    }
}

fn a_session_is_found_by_either_end_of_its_id(bed: &mut Bed) {
    let id = begin(bed);
    bed.clock.advance(HOUR);
    begin(bed);
    let whole = id.to_string();
    for part in [&whole, &whole[..10], &whole[20..], &whole[6..]] {
        let part = Fragment::parse(part).unwrap();
        let found = bed.ledger.read(|snapshot| Ok(snapshot.sessions_like(&part)?)).unwrap();
        let found: Vec<SessionId> = found.into_iter().map(|kept| kept.session.id).collect();
        assert_eq!(found, [id]);
    }
}
