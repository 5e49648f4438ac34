//! The versions of a chunk: what it said each time, who wrote that, and which parts changed.

use super::access::Reader;
use super::state::Chunk;
use super::update::Part;
use crate::event::ChunkEvent;
use crate::task::Broken;
use crate::{ChunkId, Time};

/// A chunk as it was once, or is now.
#[derive(Debug, Clone, PartialEq)]
pub struct Version {
    /// What it said; its number and author are there too.
    pub chunk: Chunk,
    pub change: Change,
    pub at: Time,
    /// The place in the log of the event that made it.
    pub seq: u64,
}

/// How a version came about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    Written,
    Updated {
        parts: Vec<Part>,
        /// Why, as its author said.
        note: Option<String>,
    },
    Promoted,
    /// It went to another project.
    Moved,
}

/// The versions of a chunk, from the events of its stream, each with its place in the log and its
/// time.
pub fn versions(id: ChunkId, events: &[(u64, Time, ChunkEvent)]) -> Result<Vec<Version>, Broken> {
    let mut versions = Vec::new();
    let mut current: Option<Chunk> = None;
    for (seq, at, event) in events {
        let chunk = match current.take() {
            None => Chunk::begun(id, event, *seq, *at)?,
            Some(mut chunk) => {
                chunk.fold(event, *at)?;
                chunk
            }
        };
        if let Some(change) = change(event) {
            versions.push(Version { chunk: chunk.clone(), change, at: *at, seq: *seq });
        }
        current = Some(chunk);
    }
    Ok(versions)
}

/// Those of its versions that somebody may read. What a chunk said for fewer, before it was promoted,
/// stays with them.
pub fn read_by(reader: &Reader, mut versions: Vec<Version>) -> Vec<Version> {
    versions.retain(|one| reader.reads(&one.chunk.owner));
    versions
}

/// How an event makes a version, if it makes one.
fn change(event: &ChunkEvent) -> Option<Change> {
    match event {
        ChunkEvent::ChunkWritten(_) => Some(Change::Written),
        ChunkEvent::ChunkUpdated(data) => {
            Some(Change::Updated { parts: data.parts(), note: data.note.clone() })
        }
        ChunkEvent::ChunkPromoted(_) => Some(Change::Promoted),
        ChunkEvent::ChunkMoved(_) => Some(Change::Moved),
        ChunkEvent::ChunkSuperseded(_)
        | ChunkEvent::ChunkPinned(_)
        | ChunkEvent::ChunkUnpinned(_)
        | ChunkEvent::ChunkExpirySet(_)
        | ChunkEvent::ChunkDeleted(_)
        | ChunkEvent::SourceChecked(_)
        | ChunkEvent::ChunkLinked(_)
        | ChunkEvent::ChunkUnlinked(_)
        | ChunkEvent::ChunkReviewed(_)
        | ChunkEvent::FlagDismissed(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::Owner;
    use crate::chunk::chunk_type::tests::note;
    use crate::chunk::keep::pin;
    use crate::chunk::tests::scene::{agent, by, minute, project};
    use crate::chunk::update::{Revision, update};
    use crate::chunk::write::{Draft, Taken, write};

    /// A chunk that was written, pinned and updated.
    fn events() -> Vec<(u64, Time, ChunkEvent)> {
        let id = ChunkId::from_bytes([1; 16]);
        let owner = Owner::Project(project(1));
        let draft = Draft::new("Limits", "60 a minute");
        let written =
            write(&draft, &note(), owner, &Taken::default(), &agent("w1"), by("w1")).unwrap();
        let chunk = Chunk::written(id, &written, 1, minute(1));
        let revision = Revision {
            content: Some("90 a minute".into()),
            note: Some("measured".into()),
            ..Revision::default()
        };
        let pinned = pin(&chunk, &agent("w1")).unwrap().remove(0);
        let updated = update(&chunk, &revision, &note(), &agent("w2"), by("w2")).unwrap().remove(0);
        vec![(1, minute(1), written.into()), (2, minute(2), pinned), (3, minute(3), updated)]
    }

    #[test]
    fn c23_a_chunk_has_a_version_for_each_time_it_was_written() {
        let versions = versions(ChunkId::from_bytes([1; 16]), &events()).unwrap();
        let said: Vec<(u32, &str, &str)> = versions
            .iter()
            .map(|version| {
                let chunk = &version.chunk;
                (chunk.version, chunk.content.as_str(), chunk.author.name.as_str())
            })
            .collect();
        assert_eq!(said, [(1, "60 a minute", "w1"), (2, "90 a minute", "w2")]);
    }

    #[test]
    fn a_version_says_which_parts_it_changed_and_why() {
        let versions = versions(ChunkId::from_bytes([1; 16]), &events()).unwrap();
        let updated = Change::Updated { parts: vec![Part::Content], note: Some("measured".into()) };
        assert_eq!(versions[1].change, updated);
    }

    #[test]
    fn a_history_that_does_not_begin_with_a_write_is_broken() {
        assert!(versions(ChunkId::from_bytes([1; 16]), &events()[1..]).is_err());
    }

    #[test]
    fn what_was_said_before_a_promotion_stays_with_those_it_was_for() {
        let id = ChunkId::from_bytes([1; 16]);
        let mut versions = versions(id, &events()).unwrap();
        versions[0].chunk.owner = Owner::Agent("w1".into());
        let read_by = |name: &str| {
            let read = read_by(&agent(name), versions.clone());
            read.iter().map(|one| one.chunk.version).collect::<Vec<_>>()
        };
        assert_eq!(read_by("w1"), [1, 2]);
        assert_eq!(read_by("w2"), [2]);
    }
}
