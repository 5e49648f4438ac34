//! `chunk link` and `chunk unlink`.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::chunk::Chunk;
use windlass_domain::chunk::access::{Act, Reader};
use windlass_domain::chunk::link::{End, link, unlink};
use windlass_domain::{Code, Refusal, RunKey, Time};
use windlass_ledger::{Error, Snapshot};

use super::brief::ChunkBrief;
use super::seen::Seen;
use super::target;
use super::view::LinkView;
use super::writer::Writer;
use crate::context::Context;
use crate::operation::{Access, Operation, Output};
use crate::sheet::{Sheet, counted, in_short};

/// Points a chunk to something, and says why.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Link {
    /// The chunk that the link begins at: the newer one
    pub chunk: String,
    /// What it is based on: a chunk, or task:ID, run:ID, commit:NAME
    pub to: String,
    /// Why
    #[arg(long, value_name = "TEXT")]
    pub reason: String,
    #[command(flatten)]
    #[serde(flatten)]
    pub writer: Writer,
}

/// Takes back every link of a chunk to something.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Unlink {
    /// The chunk that the link begins at
    pub chunk: String,
    /// What it points to: a chunk, or task:ID, run:ID, commit:NAME
    pub to: String,
    /// Why
    #[arg(long, value_name = "TEXT")]
    pub reason: String,
    #[command(flatten)]
    #[serde(flatten)]
    pub writer: Writer,
}

/// What the chunk points to now.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Linked {
    #[serde(flatten)]
    pub chunk: ChunkBrief,
    /// The end that was asked for.
    #[schemars(with = "String")]
    pub to: End,
    pub links: Vec<LinkView>,
    /// The same link was there, or none to take back.
    pub unchanged: bool,
}

impl Operation for Link {
    type Output = Linked;
    const NAME: &'static str = "chunk.link";
    const ABOUT: &'static str = "Point a chunk to what it is based on, with the reason";
    const EXAMPLE: &'static str = "windlass chunk link plan-1 spec-1 --reason 'Plan for this spec'";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<Linked, Error> {
        let sitter = self.writer.sitter(cx)?;
        cx.write(&sitter.known.name, |tx| {
            let (reader, _) = sitter.seated(tx)?;
            let chunk = target::find(tx, &self.chunk, &reader, Act::Write)?;
            let (to, target) = end(tx, &self.to, &reader)?;
            let events = link(&chunk, &to, target.as_ref(), &self.reason, &reader)?;
            let unchanged = events.is_empty();
            let chunk = tx.record_chunk(&chunk, events)?;
            let links = Seen::by(&reader).links(tx, &chunk)?;
            Ok(Linked { chunk: ChunkBrief::from(&chunk), to, links, unchanged })
        })
    }

    fn for_a_server(&self, cx: &mut Context) -> Result<Option<Self>, Error> {
        Ok(Some(Self { writer: self.writer.settled(cx), ..self.clone() }))
    }
}

impl Operation for Unlink {
    type Output = Linked;
    const NAME: &'static str = "chunk.unlink";
    const ABOUT: &'static str = "Take back the links of a chunk to something, with the reason";
    const EXAMPLE: &'static str = "windlass chunk unlink plan-1 spec-1 --reason 'wrong spec'";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<Linked, Error> {
        let sitter = self.writer.sitter(cx)?;
        cx.write(&sitter.known.name, |tx| {
            let (reader, _) = sitter.seated(tx)?;
            let chunk = target::find(tx, &self.chunk, &reader, Act::Write)?;
            // A link may outlive what it points to, and is taken back all the same.
            let to = match End::parse(&self.to) {
                Ok(to)
                    if chunk.links.iter().any(|link| link.to == to)
                        && Seen::by(&reader).reaches(tx, &to)? =>
                {
                    to
                }
                _ => end(tx, &self.to, &reader)?.0,
            };
            let events = unlink(&chunk, &to, &self.reason, &reader)?;
            let unchanged = events.is_empty();
            let chunk = tx.record_chunk(&chunk, events)?;
            let links = Seen::by(&reader).links(tx, &chunk)?;
            Ok(Linked { chunk: ChunkBrief::from(&chunk), to, links, unchanged })
        })
    }

    fn for_a_server(&self, cx: &mut Context) -> Result<Option<Self>, Error> {
        Ok(Some(Self { writer: self.writer.settled(cx), ..self.clone() }))
    }
}

/// What a link shall end at; if that is a chunk, the chunk too.
pub(super) fn end(
    snapshot: &mut Snapshot<'_>,
    given: &str,
    reader: &Reader,
) -> Result<(End, Option<Chunk>), Error> {
    match given.split_once(':') {
        Some(("task", id)) => Ok((End::Task(snapshot.task_named(id)?.id), None)),
        Some(("run", id)) => {
            let run: RunKey = id.parse().map_err(|_no_id| no_run(id))?;
            snapshot.run(run)?.ok_or_else(|| no_run(id))?;
            Ok((End::Run(run), None))
        }
        Some(("commit", _)) => Ok((End::parse(given)?, None)),
        split => {
            let named = split.map_or(given, |(kind, id)| if kind == "chunk" { id } else { given });
            let chunk = target::find(snapshot, named, reader, Act::Link)?;
            Ok((End::Chunk(chunk.id), Some(chunk)))
        }
    }
}

fn no_run(given: &str) -> Refusal {
    Refusal::new(Code::RunNotFound, format!("there is no run '{given}'"))
        .hint("see the runs: windlass run list")
        .detail("given", given)
}

impl Output for Linked {
    fn sheet(&self, _now: Time) -> Sheet {
        let named = self.chunk.named();
        let count = counted(self.links.len() as u64, "link");
        let is_there = self.links.iter().any(|link| link.to == self.to);
        let said = match (is_there, self.unchanged) {
            (true, false) => format!("{named} points to {} now; it has {count}", self.to),
            (true, true) => format!("{named} points to {} already, for that reason", self.to),
            (false, false) => format!("{named} points to {} no more; it has {count}", self.to),
            (false, true) => format!("{named} did not point to {}", self.to),
        };
        Sheet::line(in_short(&said))
    }
}
