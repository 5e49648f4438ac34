//! `chunk update`.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::chunk::access::{Act, Reader};
use windlass_domain::chunk::update::{Part, Revision, update};
use windlass_domain::chunk::{Chunk, tie};
use windlass_domain::definition::find;
use windlass_domain::event::ChunkEvent;
use windlass_domain::ownership::{Bearer, Required};
use windlass_domain::{Code, Refusal, Time};
use windlass_ledger::{Error, Transaction};

use super::audience;
use super::parts::Parts;
use super::reference;
use super::target;
use super::view::{ChunkView, ChunkViews};
use super::write::content;
use super::writer::{Writer, author};
use crate::context::Context;
use crate::operation::{Access, Operation, Output};
use crate::sheet::Sheet;
use crate::view::usage;

/// Changes what a chunk says: its next version.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Update {
    /// The chunk: its query key, its id, or at least 4 characters of its beginning or end
    pub chunk: String,
    /// What it shall say, in Markdown
    #[arg(long, value_name = "TEXT")]
    #[serde(default)]
    pub content: Option<String>,
    /// The file that has what it shall say; - is the standard input
    #[arg(long, value_name = "FILE")]
    #[serde(default)]
    pub file: Option<String>,
    /// One line, at most 128 characters
    #[arg(long, value_name = "TEXT")]
    #[serde(default)]
    pub title: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    pub parts: Parts,
    /// Only if it is still of this version
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[serde(default)]
    pub if_version: Option<u32>,
    /// Why it is changed
    #[arg(long, value_name = "TEXT")]
    #[serde(default)]
    pub note: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    pub writer: Writer,
}

/// The chunk as it is now.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Updated {
    #[serde(flatten)]
    pub chunk: ChunkView,
    /// The parts that changed; without one there is no new version.
    #[schemars(with = "Vec<String>")]
    pub changed: Vec<Part>,
}

impl Operation for Update {
    type Output = Updated;
    const NAME: &'static str = "chunk.update";
    const ABOUT: &'static str = "Change what a chunk says, its fields or its tags: a new version";
    const EXAMPLE: &'static str = "windlass chunk update one-database --file why.md --if-version 3";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<Updated, Error> {
        let revision = self.revision(cx)?;
        let required = cx.required();
        let sitter = self.writer.sitter(cx)?;
        cx.write(&sitter.known.name, |tx| {
            let (reader, session) = sitter.seated(tx)?;
            let chunk = target::find(tx, &self.chunk, &reader, Act::Write)?;
            let mut views = ChunkViews::new(tx, &reader)?;
            let chunk_type = find(views.types(), &chunk.chunk_type)?.clone();
            let given = self.parts.fields_of(&chunk_type)?;
            let fields = reference::resolved(tx, &chunk_type, given, &chunk.fields, &reader)?;
            let audience = revision.audience.clone();
            let audience = audience.map(|written| audience::kept(tx, written)).transpose()?;
            let revision = Revision { fields, audience, ..revision.clone() };
            let by = author(&reader, session.as_ref());
            let events = update(&chunk, &revision, &chunk_type, &reader, by)?;
            tell_task(tx, &chunk, &events, &reader, required)?;
            let changed = events.iter().flat_map(parts).collect();
            let chunk = tx.record_chunk(&chunk, events)?;
            Ok(Updated { chunk: views.view(tx, &chunk)?, changed })
        })
    }

    fn for_a_server(&self, cx: &mut Context) -> Result<Option<Self>, Error> {
        let content = content(self.content.as_ref(), self.file.as_ref(), cx)?;
        let parts = self.parts.for_a_server(cx)?;
        let writer = self.writer.settled(cx);
        Ok(Some(Self { content, file: None, parts, writer, ..self.clone() }))
    }
}

impl Update {
    /// What shall change, but for the fields, which only the type of the chunk can read.
    fn revision(&self, cx: &mut Context) -> Result<Revision, Error> {
        let nothing = self.parts == Parts::default() && self.title.is_none();
        if nothing && self.content.is_none() && self.file.is_none() {
            return Err(usage(
                "nothing to change was given",
                "give a part, such as --content TEXT",
            )
            .into());
        }
        Ok(Revision {
            expected: self.if_version,
            title: self.title.clone(),
            content: content(self.content.as_ref(), self.file.as_ref(), cx)?,
            tags: self.parts.tags(),
            fields: serde_json::Map::new(),
            audience: self.parts.audience(),
            gotchas: self.parts.gotchas(),
            related: self.parts.related(),
            visibility: self.parts.visibility()?,
            source: self.parts.source(cx)?,
            note: self.note.clone(),
        })
    }
}

fn parts(event: &ChunkEvent) -> Vec<Part> {
    match event {
        ChunkEvent::ChunkUpdated(data) => data.parts(),
        _ => Vec::new(),
    }
}

/// Does to the task of a spec what is asked of the spec, under the rules of who holds the task.
fn tell_task(
    tx: &mut Transaction<'_>,
    chunk: &Chunk,
    events: &[ChunkEvent],
    reader: &Reader,
    required: Required,
) -> Result<(), Error> {
    let Some(id) = chunk.task else { return Ok(()) };
    let bearer = Bearer {
        name: reader.name.clone(),
        named: reader.is_agent(),
        required,
        ..Bearer::default()
    };
    for event in events {
        let ChunkEvent::ChunkUpdated(data) = event else { continue };
        if !tie::is_asked(&data.fields) {
            continue;
        }
        let Some(task) = tx.task(id)? else {
            return Err(gone(chunk).into());
        };
        let happened = tie::asked(&task, &data.fields, &bearer, tx.now())?;
        if !happened.is_empty() {
            tx.record_task(&task, happened)?;
        }
    }
    Ok(())
}

fn gone(chunk: &Chunk) -> Refusal {
    Refusal::new(Code::InvalidTransition, "the task of this spec is gone, and so is its state")
        .hint("write another spec, and supersede this one with it")
        .detail("chunk", chunk.id)
}

impl Output for Updated {
    fn sheet(&self, _now: Time) -> Sheet {
        let (id, title) = (self.chunk.chunk_id.short(), &self.chunk.title);
        if self.changed.is_empty() {
            return Sheet::line(format!("{id} ({title}) is like that already"));
        }
        let parts: Vec<&str> = self.changed.iter().map(|part| part.as_str()).collect();
        let version = self.chunk.version;
        Sheet::line(format!("{id} ({title}) is at version {version}: {} changed", parts.join(", ")))
    }
}
