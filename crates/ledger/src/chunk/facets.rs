//! Facets: the sorted lists that every chunk is on, so that no list of chunks reads more than it
//! shows.
//!
//! A facet is whose chunks they are × of which type × what is true of them × their order, written
//! as one text. A chunk is on a facet once, at a rank; chunks of the same rank are in the order of
//! their creation. What a chunk is on follows from the chunk and from its type as it is now.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde_json::{Map, Value};
use windlass_domain::Time;
use windlass_domain::chain::Hash;
use windlass_domain::chunk::audience::Addressee;
use windlass_domain::chunk::{Chunk, ChunkType, Field, FieldKind, OwnedBy, field_set, sort};

/// A longer value is known by its hash.
const VALUE_BYTES: usize = 64;
/// By so many fields at most chunks with something in common are sorted: their facets multiply.
const CROSSED: usize = 8;
/// What divides the parts of a facet. None of them has it: names and tags are lines, and values are
/// JSON.
const DIVIDER: char = '\n';
/// Of every type.
const ANY_TYPE: &str = "";
/// The rank of every chunk in the order of creation.
const NO_RANK: &str = "";

/// Whether something better has taken the place of the chunks of a facet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Standing {
    Current,
    Superseded,
}

impl Standing {
    pub(crate) const ALL: [Self; 2] = [Self::Current, Self::Superseded];

    fn of(chunk: &Chunk) -> Self {
        match chunk.superseded {
            None => Self::Current,
            Some(_) => Self::Superseded,
        }
    }
}

/// Whose chunks are listed, and how they stand. The chunks there are fall into parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) standing: Standing,
    pub(crate) owned_by: OwnedBy,
}

/// What is true of the chunks of a facet.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Having {
    /// Nothing in particular.
    Anything,
    /// A field is this, or has it in its list; as JSON.
    Field(String, String),
    Tag(String),
    /// They say themselves whom they are injected to.
    OwnAudience,
    /// They say themselves that they are injected to these.
    For(String),
}

impl Having {
    pub(crate) fn field(name: &str, value: &Value) -> Self {
        Self::Field(name.to_owned(), short(value))
    }

    pub(crate) fn addressee(addressee: &Addressee) -> Self {
        match addressee {
            Addressee::Everybody => Self::For("all".to_owned()),
            Addressee::Saying(predicate, word) => {
                Self::For(format!("{predicate}={}", short(&Value::from(word.as_str()))))
            }
        }
    }
}

/// A value as JSON, or its hash.
fn short(value: &Value) -> String {
    let value = value.to_string();
    match value.len() > VALUE_BYTES {
        true => Hash::of(value.as_bytes()).to_string(),
        false => value,
    }
}

impl fmt::Display for Having {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Anything => Ok(()),
            Self::Field(name, value) => write!(f, "{name}={value}"),
            Self::Tag(tag) => write!(f, "#{tag}"),
            Self::OwnAudience => f.write_str("@audience"),
            Self::For(addressee) => write!(f, "@for {addressee}"),
        }
    }
}

/// In which order a facet has its chunks.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum ChunkOrder {
    /// As they were written.
    #[default]
    Created,
    /// By when what they say was last written.
    Updated,
    /// By a field of their type; what has none is last.
    Field(String),
}

impl ChunkOrder {
    /// Where a chunk stands in the order; its creation decides between equals.
    pub(crate) fn rank(
        &self,
        chunk: &Chunk,
        fields: &[Field],
        shown: &Map<String, Value>,
    ) -> String {
        match self {
            Self::Created => NO_RANK.to_owned(),
            Self::Updated => by_time(chunk.updated_at),
            Self::Field(name) => {
                let field = fields.iter().find(|field| field.name == *name);
                let key =
                    field.zip(shown.get(name)).and_then(|(field, value)| sort::key(field, value));
                by_key(key)
            }
        }
    }
}

impl fmt::Display for ChunkOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Created => Ok(()),
            Self::Updated => f.write_str("@updated"),
            Self::Field(name) => f.write_str(name),
        }
    }
}

/// Every key is before the rank of what has none.
fn by_key(key: Option<String>) -> String {
    key.map_or_else(|| "~".to_owned(), |key| format!("={key}"))
}

/// The bits of a time, such that later times have larger bits.
fn by_time(time: Time) -> String {
    format!("{:016x}", time.as_millis().cast_unsigned() ^ (1 << 63))
}

/// A list of chunks that is kept sorted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Facet<'a> {
    pub(crate) part: &'a Part,
    /// Of one type, or of all.
    pub(crate) chunk_type: Option<&'a str>,
    pub(crate) having: &'a Having,
    pub(crate) order: &'a ChunkOrder,
}

impl fmt::Display for Facet<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { part: Part { standing, owned_by }, chunk_type, having, order } = self;
        if *standing == Standing::Superseded {
            f.write_str("old ")?;
        }
        let chunk_type = chunk_type.unwrap_or(ANY_TYPE);
        write!(f, "{owned_by}{DIVIDER}{chunk_type}{DIVIDER}{having}{DIVIDER}{order}")
    }
}

/// Whether it is known how many chunks are on a facet: those in the order of creation are counted.
pub(crate) fn is_counted(facet: &str) -> bool {
    facet.ends_with(DIVIDER)
}

/// Whether a field has few values, by each of which chunks of a facet are sorted too.
const fn has_few_values(field: &Field) -> bool {
    match field.kind {
        FieldKind::Enum | FieldKind::Boolean => true,
        FieldKind::Text
        | FieldKind::Url
        | FieldKind::Number
        | FieldKind::Date
        | FieldKind::StringList
        | FieldKind::ChunkReference
        | FieldKind::Json => false,
    }
}

/// Whether chunks can be listed by the value of a field.
pub const fn is_filterable(field: &Field) -> bool {
    match field.kind {
        FieldKind::Enum
        | FieldKind::Boolean
        | FieldKind::Text
        | FieldKind::Url
        | FieldKind::Number
        | FieldKind::Date
        | FieldKind::StringList
        | FieldKind::ChunkReference => true,
        // It has no bound on how much it holds.
        FieldKind::Json => false,
    }
}

/// Whether chunks can be sorted by a field.
pub const fn is_sortable(field: &Field) -> bool {
    match field.kind {
        FieldKind::Enum
        | FieldKind::Boolean
        | FieldKind::Text
        | FieldKind::Url
        | FieldKind::Number
        | FieldKind::Date
        | FieldKind::ChunkReference => true,
        FieldKind::StringList | FieldKind::Json => false,
    }
}

/// What chunks with something in common are sorted by, besides their creation.
pub(crate) fn orders(having: &Having, fields: &[Field]) -> Vec<ChunkOrder> {
    let by_field = |field: &Field| ChunkOrder::Field(field.name.clone());
    let by_few = fields.iter().filter(|field| has_few_values(field)).take(CROSSED);
    match having {
        Having::Anything => {
            let by_any = fields.iter().filter(|field| is_sortable(field)).map(by_field);
            by_any.chain([ChunkOrder::Updated]).collect()
        }
        Having::Field(name, _) if !by_few.clone().any(|few| few.name == *name) => Vec::new(),
        Having::Field(..) | Having::Tag(_) => by_few.map(by_field).collect(),
        Having::OwnAudience | Having::For(..) => Vec::new(),
    }
}

/// Every facet that a chunk is on, with its rank there.
pub(crate) fn facets(chunk: &Chunk, chunk_type: Option<&ChunkType>) -> BTreeMap<String, String> {
    let mut on = BTreeMap::new();
    if chunk.deleted {
        return on;
    }
    let fields = chunk_type.map(|known| known.fields.as_slice()).unwrap_or_default();
    let shown = field_set::shown(fields, &chunk.fields);
    let standing = Standing::of(chunk);
    let parts =
        OwnedBy::all_of(&chunk.owner).into_iter().map(|owned_by| Part { standing, owned_by });
    let parts: Vec<Part> = parts.collect();
    let mut put = |chunk_type: Option<&str>, having: &Having, order: &ChunkOrder, rank: &str| {
        for part in &parts {
            let facet = Facet { part, chunk_type, having, order };
            on.insert(facet.to_string(), rank.to_owned());
        }
    };
    for having in havings(chunk, fields, &shown) {
        let slug = Some(chunk.chunk_type.as_str());
        put(slug, &having, &ChunkOrder::Created, NO_RANK);
        for order in orders(&having, fields) {
            put(slug, &having, &order, &order.rank(chunk, fields, &shown));
        }
        // What the fields of one type are says nothing about other types.
        if !matches!(having, Having::Field(..)) {
            put(None, &having, &ChunkOrder::Created, NO_RANK);
        }
    }
    put(None, &Having::Anything, &ChunkOrder::Updated, &by_time(chunk.updated_at));
    on
}

/// Everything that is true of a chunk.
fn havings(chunk: &Chunk, fields: &[Field], shown: &Map<String, Value>) -> BTreeSet<Having> {
    let mut havings = BTreeSet::from([Having::Anything]);
    havings.extend(chunk.tags.iter().cloned().map(Having::Tag));
    if let Some(audience) = &chunk.audience {
        havings.insert(Having::OwnAudience);
        havings.extend(audience.addressees().iter().map(Having::addressee));
    }
    for field in fields.iter().filter(|field| is_filterable(field)) {
        let name = &field.name;
        match shown.get(name) {
            Some(Value::Array(items)) => {
                havings.extend(items.iter().map(|item| Having::field(name, item)));
            }
            Some(value) => {
                havings.insert(Having::field(name, value));
            }
            None => {}
        }
    }
    havings
}
