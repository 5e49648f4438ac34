//! How long a chunk holds: pins, expiry, what supersedes it, and its end.

use super::Chunk;
use super::access::{Act, Reader};
use super::event::{
    ChunkDeleted, ChunkExpirySet, ChunkPinned, ChunkSuperseded, ChunkUnpinned, SourceChecked,
};
use super::link::given_reason;
use crate::chain::Hash;
use crate::event::{Change, ChunkEvent};
use crate::{Code, Refusal, Time};

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

/// Says that another chunk says it better. This one stays readable, and is not found any more.
pub fn supersede(
    chunk: &Chunk,
    with: &Chunk,
    reason: &str,
    reader: &Reader,
) -> Result<Vec<ChunkEvent>, Refusal> {
    reader.admit(Act::Write, chunk)?;
    reader.admit(Act::Link, with)?;
    let reason = given_reason(reason)?;
    let refuse = |message: &str| {
        Err(Refusal::new(Code::InvalidValue, message)
            .hint("name the chunk that holds now")
            .detail("chunk", chunk.id)
            .detail("given", with.id))
    };
    if with.id == chunk.id {
        return refuse("a chunk cannot supersede itself");
    }
    if with.superseded.is_some() {
        return refuse("a chunk that is superseded itself says nothing better");
    }
    match &chunk.superseded {
        Some(known) if known.by == with.id => Ok(Vec::new()),
        Some(_) | None => {
            Ok(vec![ChunkSuperseded { with: with.id, reason, by: reader.name.clone() }.into()])
        }
    }
}

/// Deletes a chunk. One that others point to is deleted only with a reason why nobody needs it.
pub fn delete(
    chunk: &Chunk,
    incoming_links: u64,
    forced: Option<&str>,
    reader: &Reader,
) -> Result<Vec<ChunkEvent>, Refusal> {
    reader.admit(Act::Write, chunk)?;
    let forced = forced.map(given_reason).transpose()?;
    if incoming_links > 0 && forced.is_none() {
        let message = match incoming_links {
            1 => "a link points to this chunk".to_owned(),
            count => format!("{count} links point to this chunk"),
        };
        let hint = match reader.is_agent() {
            true => "take those links back, or ask a person to delete it".to_owned(),
            false => format!(
                "see them: windlass chunk chain {}; or delete it with --force --reason TEXT",
                chunk.id
            ),
        };
        return Err(Refusal::new(Code::LinksIncoming, message)
            .hint(hint)
            .detail("chunk", chunk.id)
            .detail("links", incoming_links));
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
