//! A session, and what happens to it.

use crate::built_in::lifecycles;
use crate::chunk::tests::scene::{agent, minute};
use crate::event::SessionEvent;
use crate::inject::{Injected, Injection};
use crate::session::sit::{Arrival, start};
use crate::session::{Lifecycle, Session};
use crate::{ChunkId, Refusal, RunKey, SessionId};

pub(crate) fn lifecycle(slug: &str) -> Lifecycle {
    lifecycles().into_iter().find(|known| known.slug.as_str() == slug).unwrap()
}

pub(super) fn arrival() -> Arrival {
    Arrival {
        agent: "w1".into(),
        agent_type: None,
        project: None,
        run: Some(RunKey::from_bytes([1; 16])),
        run_project: None,
        max_tokens: None,
    }
}

/// An injection of the chunks with these numbers.
pub(super) fn injection(numbers: &[u8]) -> Injection {
    let injected = |number: &u8| Injected {
        chunk: ChunkId::from_bytes([*number; 16]),
        version: 1,
        title: format!("chunk {number}"),
        rule: "identity of self".into(),
        tokens: 1,
    };
    Injection { chunks: numbers.iter().map(injected).collect(), cut: Vec::new() }
}

/// A session of `w1` that starts at minute 0 and was given chunk 1.
pub(crate) fn session(slug: &str) -> Session {
    let started =
        start(arrival(), &lifecycle(slug), None, injection(&[1]), &agent("w1"), minute(0));
    Session::started(SessionId::from_bytes([7; 16]), &started.unwrap(), minute(0))
}

/// The session after what was decided about it at some minute.
pub(super) fn after(
    session: &Session,
    decided: Result<Vec<SessionEvent>, Refusal>,
    at: i64,
) -> Session {
    let mut after = session.clone();
    for event in decided.unwrap() {
        after.fold(&event, minute(at)).unwrap();
    }
    after
}
