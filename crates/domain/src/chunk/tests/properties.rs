use proptest::prelude::*;
use serde_json::{Map, json};

use super::scene::{agent, by, minute, plain};
use crate::chunk::chunk_type::tests::note;
use crate::chunk::link::{End, link};
use crate::chunk::update::{Revision, update};
use crate::chunk::{Chunk, keep};
use crate::event::ChunkEvent;
use crate::{ChunkId, Event, Refusal};

/// Something that somebody does to a chunk.
#[derive(Debug, Clone)]
enum Deed {
    Write(String),
    Status(bool),
    Pin,
    Unpin,
    Link(u8),
}

fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        "[a-c]{1,2}".prop_map(Deed::Write),
        any::<bool>().prop_map(Deed::Status),
        Just(Deed::Pin),
        Just(Deed::Unpin),
        (2..5_u8).prop_map(Deed::Link),
    ]
}

fn decide(chunk: &Chunk, deed: &Deed) -> Result<Vec<ChunkEvent>, Refusal> {
    let revise = |revision: Revision| update(chunk, &revision, &note(), &agent("w1"), by("w1"));
    match deed {
        Deed::Write(text) => {
            revise(Revision { content: Some(text.clone()), ..Revision::default() })
        }
        Deed::Status(old) => {
            let status = json!(if *old { "old" } else { "new" });
            let fields = Map::from_iter([("status".to_owned(), status)]);
            revise(Revision { fields, ..Revision::default() })
        }
        Deed::Pin => keep::pin(chunk, &agent("w1")),
        Deed::Unpin => keep::unpin(chunk, &agent("w1")),
        Deed::Link(number) => {
            let end = End::Chunk(ChunkId::from_bytes([*number; 16]));
            link(chunk, &end, None, "because", &agent("w1"))
        }
    }
}

proptest! {
    #[test]
    fn the_stored_events_of_a_chunk_make_it_again(deeds in prop::collection::vec(deed(), 0..20)) {
        let first = plain(1);
        let (mut live, mut rebuilt) = (first.clone(), first);
        for (at, deed) in deeds.iter().enumerate() {
            let now = minute(i64::try_from(at).unwrap());
            for event in decide(&live, deed).unwrap() {
                live.fold(&event, now).unwrap();
                let stored = Event::from(event);
                let kind = stored.kind();
                let read =
                    Event::decode(kind.as_str(), kind.version(), &stored.encode().unwrap()).unwrap();
                let Event::Chunk(event) = read else { panic!("{read:?}") };
                rebuilt.fold(&event, now).unwrap();
            }
        }
        prop_assert_eq!(rebuilt, live);
    }

    #[test]
    fn what_was_just_decided_is_not_decided_again(deed in deed()) {
        let mut chunk = plain(1);
        for event in decide(&chunk, &deed).unwrap() {
            chunk.fold(&event, minute(1)).unwrap();
        }
        prop_assert!(decide(&chunk, &deed).unwrap().is_empty());
    }
}
