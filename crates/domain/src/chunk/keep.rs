//! How long a chunk holds: pins, expiry, what supersedes it, and its end.

use super::access::{Act, Reader};
use super::event::{
    ChunkDeleted, ChunkExpirySet, ChunkPinned, ChunkSuperseded, ChunkUnpinned, SourceChecked,
};
use super::link::given_reason;
use super::{Chunk, tie};
use crate::chain::Hash;
use crate::event::{Change, ChunkEvent};
use crate::{ChunkId, Code, Refusal, Task, Time};

const HOLDS_NOW: &str = "name the chunk that holds now";

/// Pins a chunk: it does not expire, and comes first.
pub fn pin(chunk: &Chunk, reader: &Reader) -> Result<Vec<ChunkEvent>, Refusal> {
    reader.admit(Act::Write, chunk)?;
    if let Some(known) = &chunk.superseded {
        let message =
            format!("the chunk is superseded by {} and cannot be pinned", known.by.short());
        return Err(Refusal::new(Code::InvalidTransition, message)
            .hint(format!("pin the one that holds now: windlass chunk pin {}", known.by))
            .detail("chunk", chunk.id)
            .detail("superseded_by", known.by));
    }
    match chunk.pinned {
        true => Ok(Vec::new()),
        false => Ok(vec![ChunkPinned { by: reader.name.clone() }.into()]),
    }
}

pub fn unpin(chunk: &Chunk, reader: &Reader) -> Result<Vec<ChunkEvent>, Refusal> {
    reader.admit(Act::Write, chunk)?;
    match chunk.pinned {
        true => Ok(vec![ChunkUnpinned { by: reader.name.clone() }.into()]),
        false => Ok(Vec::new()),
    }
}

/// Says from when on a chunk does not hold any more, or that it always does.
pub fn expire(
    chunk: &Chunk,
    expires_at: Option<Time>,
    reader: &Reader,
) -> Result<Vec<ChunkEvent>, Refusal> {
    reader.admit(Act::Write, chunk)?;
    if chunk.expires_at == expires_at {
        return Ok(Vec::new());
    }
    let expires_at = expires_at.map_or(Change::Cleared, Change::To);
    Ok(vec![ChunkExpirySet { expires_at, by: reader.name.clone() }.into()])
}

/// Says that another chunk says it better. This one stays readable, and is not found any more: so
/// whoever could read it must be able to read the other.
pub fn supersede(
    chunk: &Chunk,
    with: &Chunk,
    reason: &str,
    reader: &Reader,
) -> Result<Vec<ChunkEvent>, Refusal> {
    reader.admit(Act::Write, chunk)?;
    reader.admit(Act::Link, with)?;
    let reason = given_reason(reason)?;
    let refuse = |message: &str, hint: &str| {
        Err(Refusal::new(Code::InvalidValue, message)
            .hint(hint)
            .detail("chunk", chunk.id)
            .detail("given", with.id))
    };
    if with.id == chunk.id {
        return refuse("a chunk cannot supersede itself", HOLDS_NOW);
    }
    if with.superseded.is_some() {
        return refuse("a chunk that is superseded itself says nothing better", HOLDS_NOW);
    }
    if !with.owner.is_as_wide_as(&chunk.owner) {
        return refuse(
            "not everybody who reads this chunk could read the one that supersedes it",
            "write the other for the same project or scope first, or for a wider one",
        );
    }
    match &chunk.superseded {
        Some(known) if known.by == with.id => Ok(Vec::new()),
        Some(_) | None => {
            Ok(vec![ChunkSuperseded { with: with.id, reason, by: reader.name.clone() }.into()])
        }
    }
}

/// What would miss a chunk.
#[derive(Debug, Clone, Default)]
pub struct Dependents {
    /// The task of a spec.
    pub task: Option<Task>,
    /// How many chunks point to it.
    pub links: u64,
    /// The chunks that it supersedes.
    pub superseded: Vec<ChunkId>,
}

impl Dependents {
    fn refuse_deletion(&self, chunk: &Chunk, reader: &Reader) -> Result<(), Refusal> {
        let chain = format!("see them: windlass chunk chain {}", chunk.id);
        let (message, look) = match (self.links, self.superseded.as_slice()) {
            (0, []) => return Ok(()),
            (1, []) => ("a link points to this chunk".to_owned(), chain),
            (count, []) => (format!("{count} links point to this chunk"), chain),
            (_, [old, ..]) => (
                format!("this chunk says now what chunk {old} said"),
                format!("see it: windlass chunk show {old}"),
            ),
        };
        let hint = match reader.is_agent() {
            true => "leave it, or ask a person to delete it".to_owned(),
            false => format!("{look}; or delete it with --force --reason TEXT"),
        };
        Err(Refusal::new(Code::LinksIncoming, message)
            .hint(hint)
            .detail("chunk", chunk.id)
            .detail("links", self.links)
            .detail("supersedes", &self.superseded))
    }
}

/// Deletes a chunk. One that others point to, or that says what they said before, is deleted only with
/// a reason why nobody needs it, and a spec only once its task is put away.
pub fn delete(
    chunk: &Chunk,
    dependents: &Dependents,
    forced: Option<&str>,
    reader: &Reader,
) -> Result<Vec<ChunkEvent>, Refusal> {
    reader.admit(Act::Write, chunk)?;
    let forced = forced.map(given_reason).transpose()?;
    if let Some(task) = &dependents.task {
        tie::refuse_end(task)?;
    }
    if forced.is_none() {
        dependents.refuse_deletion(chunk, reader)?;
    }
    Ok(vec![ChunkDeleted { forced, by: reader.name.clone() }.into()])
}

/// Holds a chunk against the file it is from, as its lines are now; nothing when they are gone. What
/// was known already is not recorded again.
pub fn check_source(chunk: &Chunk, found: Option<Hash>) -> Vec<ChunkEvent> {
    let Some(known) = chunk.source.as_ref().and_then(|source| source.digest) else {
        return Vec::new();
    };
    let changed = found != Some(known);
    match changed == chunk.source_changed_at.is_some() {
        true => Vec::new(),
        false => vec![SourceChecked { digest: found, changed }.into()],
    }
}
