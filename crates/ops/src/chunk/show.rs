//! `chunk show`.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_domain::Time;
use windlass_domain::chunk::Chunk;
use windlass_domain::chunk::access::{Act, Reader};
use windlass_domain::chunk::link::End;
use windlass_ledger::{Error, Snapshot};

use super::asker::Asker;
use super::brief::ChunkBrief;
use super::past::Past;
use super::target;
use super::view::{ChunkView, ChunkViews};
use crate::context::Context;
use crate::operation::{Access, Operation, Output};
use crate::sheet::{Cell, Sheet, Tone, relative};

/// Shows a chunk with its links in both directions.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Show {
    /// The chunk: its query key, its id, or at least 4 characters of its beginning or end
    pub chunk: String,
    /// As it was in this version
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[serde(default)]
    pub version: Option<u32>,
    /// The project whose it is, where others have one with the same key
    #[arg(short = 'P', long, value_name = "NAME")]
    #[serde(default)]
    pub project: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    pub asker: Asker,
}

/// A chunk and what points to it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Shown {
    pub chunk: ChunkView,
    /// The chunks that it points to, as far as the asker may read them.
    pub linked: Vec<ChunkBrief>,
    /// The chunks that point to it, in the order in which they were written.
    pub incoming: Vec<Incoming>,
}

/// A chunk that points to another.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Incoming {
    #[serde(flatten)]
    pub from: ChunkBrief,
    /// Why, once for each link.
    pub reasons: Vec<String>,
}

impl Operation for Show {
    type Output = Shown;
    const NAME: &'static str = "chunk.show";
    const ABOUT: &'static str = "Show a chunk with its fields, its links and what is thought of it";
    const EXAMPLE: &'static str = "windlass chunk show one-database";
    const ACCESS: Access = Access::Read;

    fn run(&self, cx: &mut Context) -> Result<Shown, Error> {
        let known = self.asker.known(cx)?;
        cx.read(|snapshot| {
            let reader = known.reader(snapshot)?;
            let current = self.current(snapshot, &reader)?;
            let chunk = match self.version {
                Some(version) => Past::of(snapshot, &current, &reader)?.as_of(version)?.clone(),
                None => current,
            };
            Ok(Shown {
                linked: linked(snapshot, &chunk, &reader)?,
                incoming: incoming(snapshot, &chunk, &reader)?,
                chunk: ChunkViews::new(snapshot, &reader)?.view(snapshot, &chunk)?,
            })
        })
    }
}

impl Show {
    fn current(&self, snapshot: &mut Snapshot<'_>, reader: &Reader) -> Result<Chunk, Error> {
        match &self.project {
            None => target::find(snapshot, &self.chunk, reader, Act::Read),
            Some(name) => {
                let project = snapshot.project_named(name)?.id;
                target::find_in(snapshot, project, &self.chunk, reader, Act::Read)
            }
        }
    }
}

fn linked(
    snapshot: &mut Snapshot<'_>,
    chunk: &Chunk,
    reader: &Reader,
) -> Result<Vec<ChunkBrief>, Error> {
    let mut found: Vec<ChunkBrief> = Vec::new();
    for link in &chunk.links {
        let End::Chunk(id) = link.to else { continue };
        let Some(to) = snapshot.chunk(id)? else { continue };
        let is_known = found.iter().any(|known| known.chunk_id == id);
        if !is_known && reader.reads(&to.owner) {
            found.push(ChunkBrief::from(&to));
        }
    }
    Ok(found)
}

fn incoming(
    snapshot: &mut Snapshot<'_>,
    chunk: &Chunk,
    reader: &Reader,
) -> Result<Vec<Incoming>, Error> {
    let end = End::Chunk(chunk.id);
    let mut from = snapshot.chunks_linked_to(&end)?;
    from.retain(|chunk| reader.reads(&chunk.owner));
    let incoming = |from: &Chunk| Incoming {
        from: ChunkBrief::from(from),
        reasons: from
            .links
            .iter()
            .filter(|link| link.to == end)
            .map(|link| link.reason.clone())
            .collect(),
    };
    Ok(from.iter().map(incoming).collect())
}

impl Output for Shown {
    fn sheet(&self, now: Time) -> Sheet {
        let mut sheet = self.chunk.sheet(now);
        if !self.chunk.links.is_empty() {
            let rows = self.chunk.links.iter().map(|link| {
                let brief = self.linked.iter().find(|known| link.to == End::Chunk(known.chunk_id));
                let to = brief.map_or_else(|| link.to.to_string(), ChunkBrief::named);
                vec![to.into(), Cell::dim(link.reason.clone())]
            });
            sheet = sheet.and_heading("links").and_table(&["to…", "reason…"], rows.collect());
        }
        if !self.incoming.is_empty() {
            let rows = self.incoming.iter().map(|incoming| {
                vec![incoming.from.named().into(), Cell::dim(incoming.reasons.join("; "))]
            });
            sheet =
                sheet.and_heading("linked from").and_table(&["from…", "reason…"], rows.collect());
        }
        sheet
    }
}

impl ChunkView {
    /// The chunk as a person reads it.
    pub(super) fn sheet(&self, now: Time) -> Sheet {
        let sheet = Sheet::default().and_heading(&self.title).and_facts(self.facts(now));
        let sheet = sheet.and_text(&self.content);
        if self.gotchas.is_empty() {
            sheet
        } else {
            let gotchas: Vec<String> =
                self.gotchas.iter().map(|gotcha| format!("- {gotcha}")).collect();
            sheet.and_heading("gotchas").and_text(gotchas.join("\n"))
        }
    }

    fn facts(&self, now: Time) -> Vec<(&str, Cell)> {
        let mut facts: Vec<(&str, Cell)> = vec![
            ("id", self.chunk_id.to_string().into()),
            ("type", self.chunk_type.to_string().into()),
            ("of", self.whose().into()),
            ("key", self.query_key.to_string().into()),
            ("version", self.written(now).into()),
        ];
        if !self.tags.is_empty() {
            facts.push(("tags", self.tags.join(", ").into()));
        }
        let shown = |value: &Value| match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let fields = self.fields.iter().filter(|(_, value)| !value.is_null());
        facts.extend(fields.map(|(name, value)| (name.as_str(), Cell::from(shown(value)))));
        facts.extend(self.audience.as_ref().map(|given| ("audience", given.to_string().into())));
        if !self.related.is_empty() {
            facts.push(("related", self.related.join(", ").into()));
        }
        facts.extend(self.source.as_ref().map(|source| ("source", source.line(now))));
        facts.extend(self.holding(now));
        facts.extend(self.task_id.map(|id| ("task", Cell::from(id.to_string()))));
        if self.reviews.count > 0 {
            facts.push(("reviews", self.reviews.line().into()));
        }
        if !self.signals.is_empty() {
            let words: Vec<&str> = self.signals.iter().map(|signal| signal.as_str()).collect();
            facts.push(("look at it", Cell::toned(words.join(", ").replace('_', " "), Tone::Bad)));
        }
        facts
    }

    fn written(&self, now: Time) -> String {
        let (name, when) = (&self.author.name, relative(self.updated_at, now));
        format!("{} by {name}, {when}", self.version)
    }

    /// How long it holds.
    fn holding(&self, now: Time) -> Vec<(&'static str, Cell)> {
        let mut facts: Vec<(&str, Cell)> = Vec::new();
        if self.visibility.as_str() != "private" {
            facts.push(("visibility", self.visibility.as_str().into()));
        }
        if self.pinned {
            facts.push(("pinned", "yes".into()));
        }
        facts.extend(self.expires_at.map(|at| {
            let tone = if at <= now && !self.pinned { Tone::Bad } else { Tone::Plain };
            ("expires", Cell::toned(format!("{at} ({})", relative(at, now)), tone))
        }));
        facts.extend(self.superseded.as_ref().map(|known| {
            (
                "superseded",
                Cell::toned(format!("by {}: {}", known.by.short(), known.reason), Tone::Bad),
            )
        }));
        facts
    }
}
