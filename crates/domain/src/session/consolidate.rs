//! Consolidation: what becomes of what a session wrote.

use serde::{Deserialize, Serialize};

use super::event::ChunkConsolidated;
use super::state::Session;
use crate::chunk::access::{Act, Reader};
use crate::chunk::chunk_type::Consolidation;
use crate::chunk::{Chunk, ChunkType};
use crate::event::SessionEvent;
use crate::word::words;
use crate::{ChunkId, Code, Refusal, Time};

words! {
    /// What becomes of a chunk.
    Verdict {
        Keep "keep",
        /// It is given to a wider scope.
        Promote "promote",
        Discard "discard",
    }
}

/// A chunk that somebody must decide about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Surfaced {
    pub chunk: ChunkId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
}

impl Surfaced {
    pub const fn undecided(chunk: ChunkId) -> Self {
        Self { chunk, verdict: None }
    }
}

/// Of what a session wrote, what somebody must decide about, in the order it was written. Whose the
/// chunks are does not matter: research of a project is surfaced as a memory is.
pub(super) fn surfaced(wrote: &[Chunk], types: &[ChunkType], now: Time) -> Vec<ChunkId> {
    let is_surfaced = |chunk: &&Chunk| {
        let of_type = types.iter().find(|known| known.slug == chunk.chunk_type);
        let surfaces = of_type.is_some_and(|known| known.consolidation == Consolidation::Surface);
        surfaces && chunk.is_current(now)
    };
    let mut found: Vec<&Chunk> = wrote.iter().filter(is_surfaced).collect();
    found.sort_by_key(|chunk| (chunk.created_seq, chunk.id));
    found.into_iter().map(|chunk| chunk.id).collect()
}

impl Session {
    /// What nobody has decided about.
    pub fn undecided(&self) -> Vec<ChunkId> {
        let undecided = self.surfaced.iter().filter(|one| one.verdict.is_none());
        undecided.map(|one| one.chunk).collect()
    }

    /// It wrote so much that its lifecycle asks for decisions, and some are open.
    pub fn asks_for_consolidation(&self) -> bool {
        let written = u32::try_from(self.surfaced.len()).unwrap_or(u32::MAX);
        written >= self.consolidation_threshold && !self.undecided().is_empty()
    }
}

/// Decides about one chunk of a session that is over. That it is promoted or discarded is done to the
/// chunk, in the same transaction.
pub fn consolidate(
    session: &Session,
    chunk: &Chunk,
    verdict: Verdict,
    reader: &Reader,
    now: Time,
) -> Result<Vec<SessionEvent>, Refusal> {
    session.admit(reader)?;
    reader.admit(Act::Write, chunk)?;
    decide(session, chunk.id, verdict, reader, now)
}

/// The same about a chunk that somebody has deleted since: there is nothing left to keep.
pub fn consolidate_deleted(
    session: &Session,
    chunk: ChunkId,
    verdict: Verdict,
    reader: &Reader,
    now: Time,
) -> Result<Vec<SessionEvent>, Refusal> {
    session.admit(reader)?;
    let events = decide(session, chunk, verdict, reader, now)?;
    match verdict {
        Verdict::Keep | Verdict::Promote if !events.is_empty() => {
            let hint = format!("windlass session consolidate {} --discard {chunk}", session.id);
            Err(Refusal::new(Code::ChunkNotFound, "the chunk was deleted meanwhile")
                .hint(format!("it can only be discarded: {hint}"))
                .detail("session", session.id)
                .detail("chunk", chunk))
        }
        Verdict::Keep | Verdict::Promote | Verdict::Discard => Ok(events),
    }
}

fn decide(
    session: &Session,
    chunk: ChunkId,
    verdict: Verdict,
    reader: &Reader,
    now: Time,
) -> Result<Vec<SessionEvent>, Refusal> {
    let refuse = |code: Code, message: &str, hint: String| {
        Err(Refusal::new(code, message)
            .hint(hint)
            .detail("session", session.id)
            .detail("chunk", chunk))
    };
    if session.is_open(now) {
        let hint = format!("end it first: windlass session end {}", session.id);
        return refuse(Code::SessionOpen, "the session still goes on", hint);
    }
    let Some(known) = session.surfaced.iter().find(|one| one.chunk == chunk) else {
        let hint = format!("see what it wrote: windlass session show {}", session.id);
        return refuse(Code::InvalidValue, "the session left nothing to decide about it", hint);
    };
    match known.verdict {
        None => {
            let by = reader.name.clone();
            Ok(vec![ChunkConsolidated { chunk, verdict, by }.into()])
        }
        Some(decided) if decided == verdict => Ok(Vec::new()),
        Some(decided) => refuse(
            Code::InvalidTransition,
            &format!("it was decided already: {decided}"),
            format!("change the chunk itself: windlass chunk show {chunk}"),
        ),
    }
}
