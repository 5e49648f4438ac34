use super::scene::{injection, session};
use crate::Event;
use crate::built_in::chunk_types;
use crate::chunk::tests::scene::{agent, minute, owned};
use crate::chunk::write::Draft;
use crate::chunk::{Chunk, Owner};
use crate::event::SessionEvent;
use crate::session::consolidate::{Verdict, consolidate};
use crate::session::sit::{end, focus, hand_over, resume};
use crate::session::{Focus, Session};

/// Something that is done in a session.
type Deed<'a> = &'a dyn Fn(&Session) -> Vec<SessionEvent>;

/// An event as it is read from the log.
fn stored(event: SessionEvent) -> SessionEvent {
    let event = Event::from(event);
    let kind = event.kind();
    let read = Event::decode(kind.as_str(), kind.version(), &event.encode().unwrap()).unwrap();
    let Event::Session(event) = read else { panic!("{read:?}") };
    *event
}

#[test]
fn c68_the_stored_events_of_a_session_make_it_again() {
    let me = agent("w1");
    let memory = Chunk {
        chunk_type: "memory".parse().unwrap(),
        ..owned(5, Owner::Agent("w1".into()), &Draft::new("Found", "text"))
    };
    let on = Focus { task: "login".into(), tags: vec!["auth".into()] };
    let deeds: [Deed<'_>; 5] = [
        &|session| focus(session, &on, injection(&[1, 2]), &me, minute(1)).unwrap(),
        &|session| resume(session, injection(&[2]), &me, minute(2)).unwrap(),
        &|session| hand_over(session, injection(&[3]), &me, minute(3)).unwrap(),
        &|session| {
            end(session, std::slice::from_ref(&memory), &chunk_types(), &me, minute(4)).unwrap()
        },
        &|session| consolidate(session, &memory, Verdict::Keep, &me, minute(5)).unwrap(),
    ];
    let (mut live, mut rebuilt) = (session("dev"), session("dev"));
    for deed in deeds {
        let events = deed(&live);
        assert_eq!(events.len(), 1);
        for event in events {
            live.fold(&event, minute(9)).unwrap();
            rebuilt.fold(&stored(event), minute(9)).unwrap();
        }
    }
    assert_eq!(rebuilt, live);
    assert_eq!((live.events, live.injected.len()), (6, 3));
}
