//! `chunk delete`.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::Time;
use windlass_domain::chunk::access::{Act, Reader};
use windlass_domain::chunk::keep::Dependents;
use windlass_domain::chunk::link::End;
use windlass_domain::chunk::{Chunk, keep};
use windlass_ledger::{Error, Fault, Snapshot};

use super::brief::ChunkBrief;
use super::target;
use super::writer::Writer;
use crate::caller::forced;
use crate::context::Context;
use crate::operation::{Access, Operation, Output};
use crate::sheet::Sheet;

/// Takes a chunk out of the ledger; its events stay.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Delete {
    /// The chunk: its query key, its id, or at least 4 characters of its beginning or end
    pub chunk: String,
    /// Although others point to it; needs --reason
    #[arg(long)]
    #[serde(default)]
    pub force: bool,
    /// Why nobody needs it
    #[arg(long, value_name = "TEXT")]
    #[serde(default)]
    pub reason: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    pub writer: Writer,
}

/// The chunk as it was.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Deleted {
    #[serde(flatten)]
    pub chunk: ChunkBrief,
    /// How many chunks pointed to it, as far as the asker may know of them.
    pub incoming: u64,
}

impl Operation for Delete {
    type Output = Deleted;
    const NAME: &'static str = "chunk.delete";
    const ABOUT: &'static str =
        "Delete a chunk that nothing points to; its history stays in the log";
    const EXAMPLE: &'static str = "windlass chunk delete 8F3K2Q";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<Deleted, Error> {
        let forced = forced(cx, self.force, self.reason.as_deref())?;
        let sitter = self.writer.sitter(cx)?;
        cx.write(&sitter.known.name, |tx| {
            let (reader, _) = sitter.seated(tx)?;
            let chunk = target::find(tx, &self.chunk, &reader, Act::Write)?;
            let dependents = dependents(tx, &chunk, &reader)?;
            let events = keep::delete(&chunk, &dependents, forced.as_deref(), &reader)?;
            tx.record_chunk(&chunk, events)?;
            Ok(Deleted { chunk: ChunkBrief::from(&chunk), incoming: dependents.links })
        })
    }

    fn for_a_server(&self, cx: &mut Context) -> Result<Option<Self>, Error> {
        Ok(Some(Self { writer: self.writer.settled(cx), ..self.clone() }))
    }
}

/// What would miss a chunk, as far as who deletes it may know of it: that others point to it too is
/// not told, and so does not hinder.
pub(crate) fn dependents(
    snapshot: &mut Snapshot<'_>,
    chunk: &Chunk,
    reader: &Reader,
) -> Result<Dependents, Fault> {
    let is_seen = |other: &Chunk| reader.reads(&other.owner);
    let mut pointing = snapshot.chunks_linked_to(&End::Chunk(chunk.id))?;
    let mut superseded = snapshot.chunks_superseded_by(chunk.id)?;
    pointing.retain(is_seen);
    superseded.retain(is_seen);
    Ok(Dependents {
        task: chunk.task.map(|id| snapshot.task(id)).transpose()?.flatten(),
        links: pointing.len() as u64,
        superseded: superseded.iter().map(|old| old.id).collect(),
    })
}

impl Output for Deleted {
    fn sheet(&self, _now: Time) -> Sheet {
        Sheet::line(format!("{} deleted", self.chunk.named()))
    }
}
