//! A chunk, and who asks for it.

use crate::chunk::access::{Reader, Standing};
use crate::chunk::chunk_type::tests::note;
use crate::chunk::write::{Draft, Taken, write};
use crate::chunk::{Author, Chunk, Owner};
use crate::event::ChunkEvent;
use crate::{ChunkId, ProjectId, Refusal, Time};

pub(crate) fn project(number: u8) -> ProjectId {
    ProjectId::from_bytes([number; 16])
}

/// A minute of the day on which everything happens.
pub(crate) fn minute(minute: i64) -> Time {
    Time::from_millis(1_794_735_000_000 + minute * 60_000)
}

pub(crate) fn agent(name: &str) -> Reader {
    Reader { name: name.into(), standing: Standing::Agent(None), projects: Vec::new() }
}

pub(crate) fn person() -> Reader {
    Reader { name: "anna".into(), standing: Standing::Person, projects: Vec::new() }
}

pub(crate) fn by(name: &str) -> Author {
    Author { name: name.into(), session: None, run: None }
}

/// A note of project 1, as it was written; the number is its id and its place in the order.
pub(crate) fn chunk(number: u8, draft: &Draft) -> Chunk {
    owned(number, Owner::Project(project(1)), draft)
}

pub(crate) fn owned(number: u8, owner: Owner, draft: &Draft) -> Chunk {
    let name = match &owner {
        Owner::Agent(name) => name.clone(),
        Owner::Org | Owner::Project(_) => "w1".to_owned(),
    };
    let written =
        write(draft, &note(), owner, &Taken::default(), &agent(&name), by(&name)).unwrap();
    let id = ChunkId::from_bytes([number; 16]);
    Chunk::written(id, &written, u64::from(number), minute(i64::from(number)))
}

pub(crate) fn plain(number: u8) -> Chunk {
    chunk(number, &Draft::new("Rate limits", "60 a minute"))
}

/// The chunk after what was decided about it.
pub(crate) fn after(chunk: &Chunk, decided: Result<Vec<ChunkEvent>, Refusal>) -> Chunk {
    let mut after = chunk.clone();
    for event in decided.unwrap() {
        after.fold(&event, minute(100)).unwrap();
    }
    after
}
