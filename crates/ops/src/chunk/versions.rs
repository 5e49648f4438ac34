//! `chunk versions`.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windlass_domain::Time;
use windlass_domain::chunk::access::Act;
use windlass_domain::chunk::history::{Change, Version};
use windlass_domain::chunk::update::Part;
use windlass_ledger::Error;

use super::asker::Asker;
use super::brief::ChunkBrief;
use super::past::Past;
use super::target;
use super::view::{AuthorView, ChunkViews};
use crate::context::Context;
use crate::operation::{Access, Operation, Output};
use crate::sheet::{Cell, Sheet, relative};
use crate::view::limit;

/// Lists the versions of a chunk.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Versions {
    /// The chunk: its query key, its id, or at least 4 characters of its beginning or end
    pub chunk: String,
    /// Show all that each said
    #[arg(long)]
    #[serde(default)]
    pub full: bool,
    /// Only so many, the newest
    #[arg(short, long, value_name = "N")]
    #[serde(default)]
    pub limit: Option<u64>,
    #[command(flatten)]
    #[serde(flatten)]
    pub asker: Asker,
}

/// What a chunk said each time, the oldest first, as far as the asker may read it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct VersionsShown {
    #[serde(flatten)]
    pub chunk: ChunkBrief,
    pub versions: Vec<VersionView>,
}

/// One version of a chunk.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct VersionView {
    pub version: u32,
    #[schemars(with = "String")]
    pub at: Time,
    pub author: AuthorView,
    /// written, updated, promoted or moved.
    pub change: String,
    /// The parts that changed.
    #[schemars(with = "Vec<String>")]
    pub changed: Vec<Part>,
    /// The fields that changed, with what they were before.
    pub fields: Vec<FieldChangeView>,
    /// Why, as its author said.
    pub note: Option<String>,
    /// All that it said, if that was asked for.
    pub content: Option<String>,
}

/// One field that changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FieldChangeView {
    pub name: String,
    pub before: Value,
    pub after: Value,
}

impl Operation for Versions {
    type Output = VersionsShown;
    const NAME: &'static str = "chunk.versions";
    const ABOUT: &'static str = "List the versions of a chunk: who wrote each, and what changed";
    const EXAMPLE: &'static str = "windlass chunk versions one-database";
    const ACCESS: Access = Access::Read;

    fn run(&self, cx: &mut Context) -> Result<VersionsShown, Error> {
        let limit = self.limit.map(limit).transpose()?;
        let known = self.asker.known(cx)?;
        cx.read(|snapshot| {
            let reader = known.reader(snapshot)?;
            let chunk = target::find(snapshot, &self.chunk, &reader, Act::Read)?;
            let views = ChunkViews::new(snapshot, &reader)?;
            let mut before = Map::new();
            let mut versions = Vec::new();
            for version in Past::of(snapshot, &chunk, &reader)?.versions {
                let after = views.fields(&version.chunk);
                let content = self.full.then(|| version.chunk.content.clone());
                let view = VersionView::new(version, changes(&before, &after));
                versions.push(VersionView { content, ..view });
                before = after;
            }
            let kept = limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(usize::MAX);
            versions.drain(..versions.len().saturating_sub(kept));
            Ok(VersionsShown { chunk: ChunkBrief::from(&chunk), versions })
        })
    }
}

/// The fields that differ; one that is not there is empty.
pub(super) fn changes(
    before: &Map<String, Value>,
    after: &Map<String, Value>,
) -> Vec<FieldChangeView> {
    let gone = before.keys().filter(|name| !after.contains_key(*name));
    let value = |of: &Map<String, Value>, name: &str| of.get(name).cloned().unwrap_or(Value::Null);
    let change = |name: &String| {
        let (before, after) = (value(before, name), value(after, name));
        (before != after).then(|| FieldChangeView { name: name.clone(), before, after })
    };
    after.keys().chain(gone).filter_map(change).collect()
}

impl VersionView {
    fn new(version: Version, fields: Vec<FieldChangeView>) -> Self {
        let (change, changed, note) = match version.change {
            Change::Written => ("written", Vec::new(), None),
            Change::Updated { parts, note } => ("updated", parts, note),
            Change::Promoted => ("promoted", Vec::new(), None),
            Change::Moved => ("moved", Vec::new(), None),
        };
        Self {
            version: version.chunk.version,
            at: version.at,
            author: AuthorView::from(&version.chunk.author),
            change: change.to_owned(),
            changed,
            fields,
            note,
            content: None,
        }
    }

    /// What changed, in words.
    fn told(&self) -> String {
        if self.changed.is_empty() {
            self.change.clone()
        } else {
            let parts: Vec<&str> = self.changed.iter().map(|part| part.as_str()).collect();
            parts.join(", ")
        }
    }
}

impl Output for VersionsShown {
    fn sheet(&self, now: Time) -> Sheet {
        let row = |version: &VersionView| {
            vec![
                version.version.to_string().into(),
                Cell::dim(relative(version.at, now)),
                version.author.name.clone().into(),
                version.told().into(),
                Cell::dim(version.note.clone().unwrap_or_default()),
            ]
        };
        let rows = self.versions.iter().map(row).collect();
        let sheet = Sheet::default()
            .and_heading(&self.chunk.title)
            .and_table(&["version", "when", "author", "changed", "note…"], rows);
        let said = |version: &VersionView| Some((version.version, version.content.clone()?));
        self.versions.iter().filter_map(said).fold(sheet, |sheet, (number, content)| {
            sheet.and_heading(format!("version {number}")).and_text(content)
        })
    }
}
