//! `chunk diff`.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windlass_domain::Time;
use windlass_domain::chunk::Chunk;
use windlass_domain::chunk::access::Act;
use windlass_ledger::Error;

use super::asker::Asker;
use super::brief::ChunkBrief;
use super::lines::{LineView, lines};
use super::past::Past;
use super::target;
use super::versions::{FieldChangeView, changes};
use super::view::{ChunkView, ChunkViews, SourceView};
use crate::context::Context;
use crate::operation::{Access, Operation, Output};
use crate::sheet::{Cell, Sheet};

/// Shows what differs between two versions of a chunk.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Diff {
    /// The chunk: its query key, its id, or at least 4 characters of its beginning or end
    pub chunk: String,
    /// The older version; the one before --to unless given
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[serde(default)]
    pub from: Option<u32>,
    /// The newer version; the one there is now unless given
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[serde(default)]
    pub to: Option<u32>,
    #[command(flatten)]
    #[serde(flatten)]
    pub asker: Asker,
}

/// What differs between two versions.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Differs {
    pub chunk: ChunkBrief,
    pub from: u32,
    pub to: u32,
    /// Before and after, if it changed.
    pub title: Option<(String, String)>,
    pub tags_added: Vec<String>,
    pub tags_removed: Vec<String>,
    pub fields: Vec<FieldChangeView>,
    /// What else differs, by name: whose it is, its type, audience, gotchas, related keys,
    /// visibility and source.
    pub others: Vec<FieldChangeView>,
    /// The lines of the content that changed, with some around them.
    pub lines: Vec<LineView>,
}

impl Operation for Diff {
    type Output = Differs;
    const NAME: &'static str = "chunk.diff";
    const ABOUT: &'static str = "Show what differs between two versions of a chunk";
    const EXAMPLE: &'static str = "windlass chunk diff one-database --from 1 --to 3";
    const ACCESS: Access = Access::Read;

    fn run(&self, cx: &mut Context) -> Result<Differs, Error> {
        let known = self.asker.known(cx)?;
        cx.read(|snapshot| {
            let reader = known.reader(snapshot)?;
            let chunk = target::find(snapshot, &self.chunk, &reader, Act::Read)?;
            let to = self.to.unwrap_or(chunk.version);
            let past = Past::of(snapshot, &chunk, &reader)?;
            let from = self.from.unwrap_or(to.saturating_sub(1).max(past.first()));
            let (before, after) = (past.as_of(from)?, past.as_of(to)?);
            let mut views = ChunkViews::new(snapshot, &reader)?;
            let before_view = views.view(snapshot, before)?;
            let after_view = views.view(snapshot, after)?;
            Ok(Differs {
                chunk: ChunkBrief::from(&chunk),
                from,
                to,
                title: (before.title != after.title)
                    .then(|| (before.title.clone(), after.title.clone())),
                tags_added: beyond(after, before),
                tags_removed: beyond(before, after),
                fields: changes(&before_view.fields, &after_view.fields),
                others: changes(&others(&before_view), &others(&after_view)),
                lines: lines(&before.content, &after.content),
            })
        })
    }
}

/// The tags that one has and the other has not.
fn beyond(one: &Chunk, other: &Chunk) -> Vec<String> {
    one.tags.iter().filter(|tag| !other.tags.contains(tag)).cloned().collect()
}

/// What a person reads of a chunk beside its title, tags, fields and content.
fn others(of: &ChunkView) -> Map<String, Value> {
    let source = of.source.as_ref().map(SourceView::place);
    let named = [
        ("of", Value::from(of.whose())),
        ("type", of.chunk_type.as_str().into()),
        ("key", of.query_key.as_str().into()),
        ("audience", of.audience.clone().unwrap_or_default()),
        ("gotchas", of.gotchas.clone().into()),
        ("related", of.related.clone().into()),
        ("visibility", of.visibility.as_str().into()),
        ("source", source.into()),
    ];
    named.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

impl Output for Differs {
    fn sheet(&self, _now: Time) -> Sheet {
        let Self { from, to, .. } = self;
        let mut sheet =
            Sheet::default().and_heading(format!("{}: version {from} → {to}", self.chunk.title));
        let mut facts: Vec<(&str, Cell)> = Vec::new();
        facts.extend(
            self.title.as_ref().map(|(old, new)| ("title", format!("{old} → {new}").into())),
        );
        if !self.tags_added.is_empty() {
            facts.push(("tags added", self.tags_added.join(", ").into()));
        }
        if !self.tags_removed.is_empty() {
            facts.push(("tags removed", self.tags_removed.join(", ").into()));
        }
        facts.extend(self.fields.iter().chain(&self.others).map(|field| {
            (field.name.as_str(), format!("{} → {}", field.before, field.after).into())
        }));
        let is_same = facts.is_empty() && self.lines.is_empty();
        if !facts.is_empty() {
            sheet = sheet.and_facts(facts);
        }
        let mut last: Option<usize> = None;
        for line in &self.lines {
            if let (Some(last), Some(next)) = (last, line.before)
                && next > last + 1
            {
                sheet = sheet.and_drawn(Cell::dim("  …"));
            }
            last = line.before.or(last);
            sheet = sheet.and_drawn(line.drawn());
        }
        match is_same {
            true => sheet.and_line("nothing differs in what it says"),
            false => sheet,
        }
    }
}
