//! `chunk supersede`, `pin`, `unpin` and `expire`: how long a chunk holds.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::chunk::access::{Act, Reader};
use windlass_domain::chunk::{Chunk, keep, tie};
use windlass_domain::event::ChunkEvent;
use windlass_domain::{Refusal, Time};
use windlass_ledger::{Error, Transaction};

use super::brief::ChunkBrief;
use super::seen::Seen;
use super::target;
use super::view::SupersededView;
use super::writer::Writer;
use crate::context::Context;
use crate::operation::{Access, Operation, Output};
use crate::sheet::{Sheet, relative};
use crate::until::until;

/// Takes away that a chunk expires.
const NEVER: &str = "never";

/// Says that another chunk says it better.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Supersede {
    /// The chunk that does not hold any more
    pub chunk: String,
    /// The chunk that holds now
    #[arg(long, value_name = "CHUNK")]
    pub with: String,
    /// Why
    #[arg(long, value_name = "TEXT")]
    pub reason: String,
    #[command(flatten)]
    #[serde(flatten)]
    pub writer: Writer,
}

/// Pins a chunk.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Pin {
    /// The chunk: its query key, its id, or at least 4 characters of its beginning or end
    pub chunk: String,
    #[command(flatten)]
    #[serde(flatten)]
    pub writer: Writer,
}

/// Takes a pin away.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Unpin {
    /// The chunk: its query key, its id, or at least 4 characters of its beginning or end
    pub chunk: String,
    #[command(flatten)]
    #[serde(flatten)]
    pub writer: Writer,
}

/// Says until when a chunk holds.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Expire {
    /// The chunk: its query key, its id, or at least 4 characters of its beginning or end
    pub chunk: String,
    /// How long it holds from now, such as 30d, until which day, or never
    #[arg(value_name = "TIME")]
    pub until: String,
    #[command(flatten)]
    #[serde(flatten)]
    pub writer: Writer,
}

/// How long the chunk holds now.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Kept {
    #[serde(flatten)]
    pub chunk: ChunkBrief,
    pub pinned: bool,
    #[schemars(with = "Option<String>")]
    pub expires_at: Option<Time>,
    pub superseded: Option<SupersededView>,
}

impl Operation for Supersede {
    type Output = Kept;
    const NAME: &'static str = "chunk.supersede";
    const ABOUT: &'static str = "Say that another chunk says it better; the old one stays readable";
    const EXAMPLE: &'static str =
        "windlass chunk supersede 8F3K2Q --with 4M1XZA --reason 'we moved'";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<Kept, Error> {
        change(cx, &self.writer, &self.chunk, |tx, chunk, reader| {
            refuse_open(tx, chunk)?;
            let with = target::find(tx, &self.with, reader, Act::Link)?;
            Ok(keep::supersede(chunk, &with, &self.reason, reader)?)
        })
    }

    fn for_a_server(&self, cx: &mut Context) -> Result<Option<Self>, Error> {
        Ok(Some(Self { writer: self.writer.settled(cx), ..self.clone() }))
    }
}

impl Operation for Pin {
    type Output = Kept;
    const NAME: &'static str = "chunk.pin";
    const ABOUT: &'static str = "Pin a chunk: it does not expire, and is found first";
    const EXAMPLE: &'static str = "windlass chunk pin one-database";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<Kept, Error> {
        change(cx, &self.writer, &self.chunk, |_, chunk, reader| Ok(keep::pin(chunk, reader)?))
    }

    fn for_a_server(&self, cx: &mut Context) -> Result<Option<Self>, Error> {
        Ok(Some(Self { writer: self.writer.settled(cx), ..self.clone() }))
    }
}

impl Operation for Unpin {
    type Output = Kept;
    const NAME: &'static str = "chunk.unpin";
    const ABOUT: &'static str = "Take the pin of a chunk away";
    const EXAMPLE: &'static str = "windlass chunk unpin one-database";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<Kept, Error> {
        change(cx, &self.writer, &self.chunk, |_, chunk, reader| Ok(keep::unpin(chunk, reader)?))
    }

    fn for_a_server(&self, cx: &mut Context) -> Result<Option<Self>, Error> {
        Ok(Some(Self { writer: self.writer.settled(cx), ..self.clone() }))
    }
}

impl Operation for Expire {
    type Output = Kept;
    const NAME: &'static str = "chunk.expire";
    const ABOUT: &'static str = "Say until when a chunk holds, or that it always does";
    const EXAMPLE: &'static str = "windlass chunk expire one-database 30d";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<Kept, Error> {
        change(cx, &self.writer, &self.chunk, |tx, chunk, reader| {
            let end = self.end(tx.now())?;
            if end.is_some() {
                refuse_open(tx, chunk)?;
            }
            Ok(keep::expire(chunk, end, reader)?)
        })
    }

    fn for_a_server(&self, cx: &mut Context) -> Result<Option<Self>, Error> {
        Ok(Some(Self { writer: self.writer.settled(cx), ..self.clone() }))
    }
}

impl Expire {
    fn end(&self, now: Time) -> Result<Option<Time>, Refusal> {
        match self.until.as_str() {
            NEVER => Ok(None),
            given => until("until", given, now).map(Some),
        }
    }
}

/// Refuses that a spec is left behind while its task is open.
fn refuse_open(tx: &mut Transaction<'_>, chunk: &Chunk) -> Result<(), Error> {
    let task = chunk.task.map(|id| tx.task(id)).transpose()?.flatten();
    Ok(task.as_ref().map_or(Ok(()), tie::refuse_end)?)
}

/// Loads a chunk, lets `decide` say what happens to it, and records that.
pub(super) fn change(
    cx: &mut Context,
    writer: &Writer,
    named: &str,
    mut decide: impl FnMut(&mut Transaction<'_>, &Chunk, &Reader) -> Result<Vec<ChunkEvent>, Error>,
) -> Result<Kept, Error> {
    let sitter = writer.sitter(cx)?;
    cx.write(&sitter.known.name, |tx| {
        let (reader, _) = sitter.seated(tx)?;
        let chunk = target::find(tx, named, &reader, Act::Write)?;
        let events = decide(tx, &chunk, &reader)?;
        let kept = tx.record_chunk(&chunk, events)?;
        Ok(Kept {
            chunk: ChunkBrief::from(&kept),
            pinned: kept.pinned,
            expires_at: kept.expires_at,
            superseded: Seen::by(&reader).superseded(tx, &kept)?,
        })
    })
}

impl Output for Kept {
    fn sheet(&self, now: Time) -> Sheet {
        let how = match (&self.superseded, self.pinned, self.expires_at) {
            (Some(known), _, _) => {
                format!("is superseded by {}: {}", known.by.short(), known.reason)
            }
            (None, true, _) => "is pinned".to_owned(),
            (None, false, Some(end)) => format!("holds until {end} ({})", relative(end, now)),
            (None, false, None) => "holds until somebody says otherwise".to_owned(),
        };
        Sheet::line(format!("{} {how}", self.chunk.named()))
    }
}
