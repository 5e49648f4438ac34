//! `chunk list`.

use std::fmt::Write as _;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windlass_domain::chunk::access::{Act, Reader};
use windlass_domain::chunk::condition::Conditions;
use windlass_domain::chunk::{ChunkType, OwnedBy, Scope, field_set};
use windlass_domain::definition::find;
use windlass_domain::near::near;
use windlass_domain::{Code, Refusal, Time, text};
use windlass_ledger::{
    ChunkFilter, ChunkOrder, ChunkPlace, ChunkState, Direction, Error, Range, Snapshot,
    is_filterable, is_sortable,
};

use super::asker::Asker;
use super::link::end;
use super::owner;
use super::parts::{typed_as, word};
use super::projection::{ChunkParts, Projection};
use super::table::table;
use super::view::ChunkViews;
use crate::context::Context;
use crate::cursor::{cursor, place};
use crate::operation::{Access, Operation, Output};
use crate::sheet::{Cell, Sheet};
use crate::view::{JsonObject, limit, usage};

/// What a list can be sorted by, besides the fields of its type.
pub(super) const CREATED: &str = "created";
pub(super) const UPDATED: &str = "updated";

/// Lists chunks: exactly those that are asked for, in a steady order.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct List {
    /// Only of this type
    #[arg(id = "type", long = "type", value_name = "TYPE")]
    #[serde(default, rename = "type")]
    pub chunk_type: Option<String>,
    /// Only with this in a field of the type; given twice for a field, either will do
    #[arg(long, value_name = "NAME=VALUE")]
    #[serde(default)]
    pub field: Vec<String>,
    /// The same as JSON; a list means any of it
    #[arg(long, value_name = "JSON")]
    #[serde(default)]
    pub fields: Option<JsonObject>,
    /// Only of this project
    #[arg(short = 'P', long, value_name = "NAME")]
    #[serde(default)]
    pub project: Option<String>,
    /// Only of this scope: org, project or agent
    #[arg(long, value_name = "SCOPE")]
    #[serde(default)]
    pub scope: Option<String>,
    /// Only of this owner: org, project:NAME or agent:NAME
    #[arg(long, value_name = "OWNER")]
    #[serde(default)]
    pub owner: Option<String>,
    /// Only with all of these tags
    #[arg(
        short,
        long = "tag",
        visible_alias = "tags",
        value_name = "TAG,…",
        value_delimiter = ','
    )]
    #[serde(default)]
    pub tags: Vec<String>,
    /// Only with one of these tags at least
    #[arg(long, value_name = "TAG,…", value_delimiter = ',')]
    #[serde(default)]
    pub tags_any: Vec<String>,
    /// Only that point to this: a chunk, or task:ID, run:ID, commit:NAME
    #[arg(long, value_name = "TARGET")]
    #[serde(default)]
    pub linked_to: Option<String>,
    /// Only whose query key begins so
    #[arg(long, value_name = "KEY")]
    #[serde(default)]
    pub key_prefix: Option<String>,
    /// Only that say themselves whom they are injected to
    #[arg(long)]
    #[serde(default)]
    pub aimed: bool,
    /// Only written at this time or later
    #[arg(long, value_name = "TIME")]
    #[serde(default)]
    pub created_after: Option<String>,
    /// Only written before this time
    #[arg(long, value_name = "TIME")]
    #[serde(default)]
    pub created_before: Option<String>,
    /// Only last changed at this time or later
    #[arg(long, value_name = "TIME")]
    #[serde(default)]
    pub updated_after: Option<String>,
    /// Only last changed before this time
    #[arg(long, value_name = "TIME")]
    #[serde(default)]
    pub updated_before: Option<String>,
    /// current (neither superseded nor expired), superseded, or all
    #[arg(long, value_name = "STATE", default_value = "current")]
    #[serde(default = "current")]
    pub state: String,
    /// By a field of the type, created or updated; with - before it the other way round
    #[arg(long, value_name = "FIELD", default_value = CREATED, allow_hyphen_values = true)]
    #[serde(default = "created")]
    pub sort: String,
    /// Only these parts of each chunk; a field of the type is a part too
    #[arg(long, value_name = "PART,…", value_delimiter = ',')]
    #[serde(default)]
    pub show: Vec<String>,
    /// At most this many chunks
    #[arg(short, long, value_name = "N", default_value_t = 50, allow_negative_numbers = true)]
    #[serde(default = "fifty")]
    pub limit: u64,
    /// Go on where an answer ended, by the cursor it named: steady while chunks come and go
    #[arg(long, value_name = "CURSOR")]
    #[serde(default)]
    pub cursor: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    pub asker: Asker,
}

fn current() -> String {
    "current".to_owned()
}

fn created() -> String {
    CREATED.to_owned()
}

fn fifty() -> u64 {
    50
}

impl Default for List {
    fn default() -> Self {
        Self {
            chunk_type: None,
            field: Vec::new(),
            fields: None,
            project: None,
            scope: None,
            owner: None,
            tags: Vec::new(),
            tags_any: Vec::new(),
            linked_to: None,
            key_prefix: None,
            aimed: false,
            created_after: None,
            created_before: None,
            updated_after: None,
            updated_before: None,
            state: current(),
            sort: created(),
            show: Vec::new(),
            limit: fifty(),
            cursor: None,
            asker: Asker::default(),
        }
    }
}

/// One page of chunks.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ChunksListed {
    pub chunks: Vec<ChunkParts>,
    pub total: u64,
    pub limit: u64,
    pub has_more: bool,
    /// Goes on after this page, with the same filters.
    pub next_cursor: Option<String>,
}

impl Operation for List {
    type Output = ChunksListed;
    const NAME: &'static str = "chunk.list";
    const ABOUT: &'static str = "List chunks by type, fields, owner, tags and links";
    const EXAMPLE: &'static str =
        "windlass chunk list --type dev_spec --field status=new --sort priority";
    const ACCESS: Access = Access::Read;

    fn run(&self, cx: &mut Context) -> Result<ChunksListed, Error> {
        let limit = limit(self.limit)?;
        let known = self.asker.known(cx)?;
        cx.read(|snapshot| {
            let reader = known.reader(snapshot)?;
            let mut views = ChunkViews::new(snapshot, &reader)?;
            let of = self.chunk_type.as_deref();
            let of = of.map(|slug| Ok::<_, Refusal>(find(views.types(), &slug.parse()?)?.clone()));
            let of = of.transpose()?;
            let projection = Projection::read(&self.show, of.as_ref())?;
            let filter = ChunkFilter {
                owned_by: self.owned_by(snapshot, &reader)?,
                limit,
                ..self.filter(snapshot, &reader, of.as_ref())?
            };
            let page = snapshot.list_chunks(&filter)?;
            let mut chunks = Vec::with_capacity(page.chunks.len());
            for chunk in &page.chunks {
                chunks.push(projection.of(&views.view(snapshot, chunk)?)?);
            }
            let next = page.next.map(|place| (place.created_seq, hex(&place.rank)));
            let next_cursor = next.map(|place| cursor(place, &self.filters())).transpose()?;
            let has_more = next_cursor.is_some();
            Ok(ChunksListed { chunks, total: page.total, limit, has_more, next_cursor })
        })
    }
}

impl List {
    /// Whose chunks are meant, among those that the reader may read.
    fn owned_by(
        &self,
        snapshot: &mut Snapshot<'_>,
        reader: &Reader,
    ) -> Result<Vec<OwnedBy>, Error> {
        let mut wanted = Vec::new();
        if let Some(name) = &self.project {
            wanted.push(OwnedBy::Project(snapshot.project_named(name)?.id));
        }
        if let Some(scope) = &self.scope {
            wanted.push(word("scope", scope, Scope::ALL, Scope::as_str)?.into());
        }
        if let Some(owner) = &self.owner {
            wanted.push(owner::named(snapshot, owner, reader, Act::Read)?.into());
        }
        let mut owned_by = reader.reach(Act::Read);
        for wanted in &wanted {
            owned_by = owned_by.iter().filter_map(|one| one.and(wanted)).collect();
        }
        Ok(owned_by)
    }

    /// The filter, but for whose chunks are meant.
    fn filter(
        &self,
        snapshot: &mut Snapshot<'_>,
        reader: &Reader,
        of: Option<&ChunkType>,
    ) -> Result<ChunkFilter, Error> {
        let (order, direction) = self.order(of)?;
        let linked_to = match &self.linked_to {
            Some(given) => Some(end(snapshot, given, reader)?.0),
            None => None,
        };
        let range = |from, before| -> Result<Range, Refusal> {
            Ok(Range { from: time(from)?, before: time(before)? })
        };
        Ok(ChunkFilter {
            owned_by: Vec::new(),
            state: state(&self.state)?,
            chunk_type: of.map(|known| known.slug.clone()),
            fields: self.conditions(of)?,
            tags: text::tags(&self.tags)?,
            tags_any: text::tags(&self.tags_any)?,
            own_audience: self.aimed,
            addressee: None,
            linked_to,
            key_prefix: self.key_prefix.clone().filter(|prefix| !prefix.is_empty()),
            created: range(
                ("created_after", &self.created_after),
                ("created_before", &self.created_before),
            )?,
            updated: range(
                ("updated_after", &self.updated_after),
                ("updated_before", &self.updated_before),
            )?,
            order,
            direction,
            after: self.after()?,
            limit: self.limit,
        })
    }

    /// The conditions on fields, each field with the values of which one will do.
    fn conditions(&self, of: Option<&ChunkType>) -> Result<Conditions, Refusal> {
        let given = self.fields.as_ref().map(|object| object.0.clone()).unwrap_or_default();
        if given.is_empty() && self.field.is_empty() {
            return Ok(Conditions::default());
        }
        let Some(of) = of else {
            return Err(usage("fields are those of a type", "name it: --type TYPE"));
        };
        let mut wanted: Map<String, Value> = given;
        for typed in &self.field {
            let Some((name, text)) = typed.split_once('=') else {
                let message = format!("'{typed}' asks for no value of a field");
                return Err(Refusal::new(Code::InvalidValue, message)
                    .hint("write it as --field NAME=VALUE")
                    .detail("field", "field")
                    .detail("given", typed));
            };
            let value = typed_as(field_set::find(&of.fields, name)?, text)?;
            let either = wanted.entry(name).or_insert_with(|| Value::Array(Vec::new()));
            if !either.is_array() {
                *either = Value::Array(vec![either.take()]);
            }
            if let Value::Array(values) = either {
                match value {
                    Value::Array(more) => values.extend(more),
                    one => values.push(one),
                }
            }
        }
        let conditions = Conditions::read(&Value::Object(wanted))?.checked_for(&of.fields)?;
        for (name, _) in conditions.iter() {
            if !is_filterable(field_set::find(&of.fields, name)?) {
                let message = format!("chunks are not listed by field '{name}', which is JSON");
                return Err(Refusal::new(Code::InvalidValue, message)
                    .hint("list by another field, or search for words in it")
                    .detail("field", name));
            }
        }
        Ok(conditions)
    }

    fn order(&self, of: Option<&ChunkType>) -> Result<(ChunkOrder, Direction), Refusal> {
        let (name, direction) = match self.sort.strip_prefix('-') {
            Some(name) => (name, Direction::Descending),
            None => (self.sort.as_str(), Direction::Ascending),
        };
        let fields = of.map(|known| known.fields.as_slice()).unwrap_or_default();
        let by = fields.iter().find(|field| field.name == name);
        match (by, name) {
            (Some(field), _) if is_sortable(field) => {
                Ok((ChunkOrder::Field(name.to_owned()), direction))
            }
            (Some(field), _) => {
                let message = format!("chunks are not sorted by a {}", field.kind);
                Err(Refusal::new(Code::InvalidValue, message)
                    .hint("sort by a field with one value, created or updated")
                    .detail("field", "sort")
                    .detail("given", name))
            }
            (None, CREATED) => Ok((ChunkOrder::Created, direction)),
            (None, UPDATED) => Ok((ChunkOrder::Updated, direction)),
            (None, _) => {
                let fields = fields.iter().filter(|field| is_sortable(field));
                let mut known: Vec<&str> = fields.map(|field| field.name.as_str()).collect();
                known.extend([CREATED, UPDATED]);
                let of_type = if of.is_some() { "" } else { "; fields need --type" };
                Err(Refusal::new(Code::UnknownField, format!("nothing is sorted by '{name}'"))
                    .hint(format!("sort by {}{of_type}", known.join(", ")))
                    .detail("field", "sort")
                    .detail("given", name)
                    .detail("allowed", &known)
                    .suggest(near(name, known.iter().copied())))
            }
        }
    }

    fn after(&self) -> Result<Option<ChunkPlace>, Refusal> {
        let read = |created_seq: &str, rank: &str| {
            Some(ChunkPlace { rank: from_hex(rank)?, created_seq: created_seq.parse().ok()? })
        };
        self.cursor.as_deref().map(|cursor| place(cursor, &self.filters(), read)).transpose()
    }

    /// What two questions with the same cursor must have in common.
    fn filters(&self) -> Self {
        Self { limit: 0, cursor: None, show: Vec::new(), ..self.clone() }
    }
}

fn state(given: &str) -> Result<ChunkState, Refusal> {
    const ALL: [ChunkState; 3] = [ChunkState::Current, ChunkState::Superseded, ChunkState::All];
    word("state", given, &ALL, |state| match state {
        ChunkState::Current => "current",
        ChunkState::Superseded => "superseded",
        ChunkState::All => "all",
    })
}

fn time((field, given): (&str, &Option<String>)) -> Result<Option<Time>, Refusal> {
    given.as_deref().map(|given| Time::parse(field, given)).transpose()
}

/// A rank as a cursor can hold it, whatever letters it has.
fn hex(rank: &str) -> String {
    rank.bytes().fold(String::new(), |mut text, byte| {
        let _infallible = write!(text, "{byte:02x}");
        text
    })
}

fn from_hex(text: &str) -> Option<String> {
    let digits = text.as_bytes().chunks(2);
    let bytes = digits.map(|pair| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok());
    String::from_utf8(bytes.collect::<Option<Vec<u8>>>()?).ok()
}

impl Output for ChunksListed {
    fn sheet(&self, now: Time) -> Sheet {
        if self.chunks.is_empty() {
            return Sheet::line("no chunks");
        }
        let sheet = match self.chunks.iter().all(ChunkParts::is_short) {
            true => table(&self.chunks, now),
            false => self.chunks.iter().fold(Sheet::default(), |sheet, chunk| {
                let facts = chunk.0.keys().filter_map(|part| Some((part, chunk.text(part)?)));
                sheet.and_facts(facts.map(|(part, text)| (part.as_str(), text.into())))
            }),
        };
        let next = match &self.next_cursor {
            Some(cursor) => format!("; go on with --cursor {cursor}"),
            None if self.chunks.len() as u64 == self.total => return sheet,
            None => String::new(),
        };
        sheet.and_line(Cell::dim(format!("{} of {} chunks{next}", self.chunks.len(), self.total)))
    }
}
