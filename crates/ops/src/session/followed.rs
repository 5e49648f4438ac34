//! A session that somebody listens to the log for.

use windlass_domain::event::{Kind, Subject};
use windlass_domain::{ChunkId, SessionId, Stream};
use windlass_ledger::Error;

use super::choose::Chosen;
use super::which::Which;
use crate::chunk::asker::{Asker, Known};
use crate::context::Context;

/// A session that is listened for, and by whom.
#[derive(Debug, Clone)]
pub struct Followed {
    session: SessionId,
    asker: Known,
}

/// How an event concerns a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Concern {
    /// It happened to the session.
    Own,
    /// It happened to a chunk, which may wait for the session.
    Chunk(ChunkId),
    None,
}

impl Followed {
    /// The session that a caller names, if they may know of it.
    pub fn named(cx: &mut Context, given: String) -> Result<Self, Error> {
        let asker = Asker::default().known(cx)?;
        let which = Which::of(Some(&given), cx);
        let session = cx.read(|snapshot| {
            let reader = asker.reader(snapshot)?;
            Ok(which.find(snapshot, &reader)?.session.id)
        })?;
        Ok(Self { session, asker })
    }

    /// How an event concerns the session, as far as the event alone says.
    pub fn concern(&self, kind: &str, stream: Stream) -> Concern {
        if stream == self.session.into() {
            return Concern::Own;
        }
        match Kind::from_text(kind).map(Kind::subject) {
            Some(Subject::Chunk) => Concern::Chunk(stream.chunk()),
            _ => Concern::None,
        }
    }

    /// Whether a chunk waits to be handed over to the session.
    pub fn awaits(&self, cx: &mut Context, chunk: ChunkId) -> Result<bool, Error> {
        cx.read(|snapshot| {
            let reader = self.asker.reader(snapshot)?;
            let Some(kept) = snapshot.session(self.session)? else { return Ok(false) };
            if !kept.session.is_open(snapshot.now()) {
                return Ok(false);
            }
            let pending = Chosen::pending(snapshot, &kept.session, &reader)?;
            Ok(pending.injection.chunks.iter().any(|injected| injected.chunk == chunk))
        })
    }
}
