//! Chunks of several types and owners, and what happens to them.

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use windlass_domain::chunk::audience::Audience;
use windlass_domain::chunk::chunk_type::Consolidation;
use windlass_domain::chunk::event::{
    ChunkDeleted, ChunkLinked, ChunkPinned, ChunkSuperseded, ChunkUpdated, ChunkWritten,
};
use windlass_domain::chunk::link::{End, Link};
use windlass_domain::chunk::state::Visibility;
use windlass_domain::chunk::template::Template;
use windlass_domain::chunk::{Author, Chunk, ChunkType, Field, FieldKind, Owner, Scope, Slug};
use windlass_domain::definition::event::ChunkTypeSet;
use windlass_domain::event::ChunkEvent;
use windlass_domain::{ChunkId, ProjectId, SessionId, TaskId, Time};

use super::Bed;
use crate::{Clock as _, DefinitionKind, Error, Transaction};

pub(super) fn slug(text: &str) -> Slug {
    text.parse().unwrap()
}

pub(super) fn project(number: u8) -> ProjectId {
    ProjectId::from_bytes([number; 16])
}

/// A type with a field of every kind.
pub(super) fn report() -> ChunkType {
    ChunkType {
        slug: slug("report"),
        name: "Report".into(),
        description: None,
        scope: Scope::Project,
        audience: Audience::default(),
        fields: vec![
            Field::one_of("status", &["new", "seen", "done"]).always("new"),
            Field::new("urgent", FieldKind::Boolean),
            Field::new("cost", FieldKind::Number),
            Field::new("due", FieldKind::Date),
            Field::new("place", FieldKind::Text),
            Field::new("parts", FieldKind::StringList),
            Field::new("raw", FieldKind::Json),
        ],
        template: Template::default(),
        creators: Vec::new(),
        consolidation: Consolidation::Keep,
        hidden: false,
    }
}

pub(super) fn define(bed: &mut Bed, definition: &ChunkType) {
    let by = "tester".to_owned();
    let event = ChunkTypeSet { definition: definition.clone(), by };
    bed.write(|tx| tx.set_definition(event.clone())).unwrap();
}

/// Takes the definition of a chunk type back.
pub(super) fn take_back(bed: &mut Bed, chunk_type: &str) {
    bed.write(|tx| {
        let kept = tx.definition(DefinitionKind::ChunkType, chunk_type)?.unwrap();
        tx.remove_definition(&kept, "tester")
    })
    .unwrap();
}

pub(super) fn author(session: Option<SessionId>) -> Author {
    Author { name: "tester".into(), session, run: None }
}

pub(super) fn written(chunk_type: &str, owner: Owner, key: &str) -> ChunkWritten {
    ChunkWritten {
        chunk_type: slug(chunk_type),
        owner,
        query_key: key.to_owned().try_into().unwrap(),
        title: format!("Größe of {key}"),
        content: "60 a 'minute'".into(),
        tags: Vec::new(),
        fields: Map::new(),
        audience: None,
        gotchas: Vec::new(),
        related: Vec::new(),
        visibility: Visibility::Private,
        source: None,
        expires_at: None,
        task: None,
        by: author(None),
    }
}

pub(super) fn write(bed: &mut Bed, event: &ChunkWritten) -> Chunk {
    bed.write(|tx| tx.begin_chunk(event.clone())).unwrap()
}

/// The content of a chunk becomes something else.
pub(super) fn updated(chunk: &Chunk, content: &str) -> ChunkUpdated {
    ChunkUpdated {
        version: chunk.version + 1,
        title: None,
        content: Some(content.into()),
        tags: None,
        fields: Vec::new(),
        audience: None,
        gotchas: None,
        related: None,
        visibility: None,
        source: None,
        note: None,
        by: author(None),
    }
}

pub(super) fn linked(to: End) -> ChunkLinked {
    ChunkLinked { link: Link { to, reason: "based on it".into() }, by: "tester".into() }
}

pub(super) fn deleted() -> ChunkDeleted {
    ChunkDeleted { forced: None, by: "tester".into() }
}

/// What happens to a chunk that is there, in a transaction.
pub(super) fn happen_in(
    tx: &mut Transaction<'_>,
    id: ChunkId,
    event: impl Into<ChunkEvent>,
) -> Result<Chunk, Error> {
    let chunk = tx.chunk(id)?.unwrap();
    tx.record_chunk(&chunk, [event.into()])
}

pub(super) fn happen(bed: &mut Bed, id: ChunkId, event: impl Into<ChunkEvent>) -> Chunk {
    let event = event.into();
    bed.write(|tx| happen_in(tx, id, event.clone())).unwrap()
}

pub(super) fn by_id(bed: &mut Bed, id: ChunkId) -> Option<Chunk> {
    bed.ledger.read(|snapshot| Ok(snapshot.chunk(id)?)).unwrap()
}

/// What some of the chunks point to.
pub(super) fn linked_task() -> End {
    End::Task(TaskId::from_bytes([9; 16]))
}

/// What a chunk of a made-up store is like.
#[derive(Debug, Clone)]
pub(super) struct Made {
    owner: Owner,
    chunk_type: &'static str,
    tags: Vec<String>,
    fields: Map<String, Value>,
    own_audience: Option<Audience>,
    /// It ends so many minutes after the store was made.
    ends: Option<i64>,
    fate: Fate,
    is_linked: bool,
    is_updated: bool,
    is_public: bool,
}

/// What becomes of a chunk after it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Stays,
    Pinned,
    Superseded,
    Deleted,
}

pub(super) fn owners() -> impl Strategy<Value = Owner> {
    let project = |number| Owner::Project(project(number));
    let agent = |name: &str| Owner::Agent(name.to_owned());
    prop::sample::select(vec![
        Owner::Org,
        project(1),
        project(1),
        project(2),
        agent("me"),
        agent("other"),
    ])
}

pub(super) const TAGS: [&str; 4] = ["rust", "sql", "testing", "deployment"];

pub(super) fn some_tags() -> impl Strategy<Value = Vec<String>> {
    let tags: Vec<String> = TAGS.iter().map(|tag| (*tag).to_owned()).collect();
    prop::sample::subsequence(tags, 0..=3)
}

fn long() -> String {
    "a place with a long name ".repeat(9)
}

/// A value that a field of a report can have.
pub(super) fn value(field: &'static str) -> BoxedStrategy<Value> {
    let one_of = |values: Vec<Value>| prop::sample::select(values).boxed();
    match field {
        "status" => one_of(vec![json!("new"), json!("seen"), json!("done")]),
        "urgent" => one_of(vec![json!(true), json!(false), Value::Null]),
        "cost" => one_of(vec![json!(-3), json!(0), json!(2.5), json!(20), Value::Null]),
        "due" => one_of(vec![json!("2026-11-15"), json!("2026-11-15T09:30:00.000Z"), Value::Null]),
        "place" => one_of(vec![json!("Mole"), json!("mole"), json!(long()), Value::Null]),
        _ => one_of(vec![json!("hull"), json!("mast"), Value::Null]),
    }
}

fn fields() -> impl Strategy<Value = Map<String, Value>> {
    let parts = prop::option::of(prop::sample::subsequence(vec!["hull", "mast"], 0..=2));
    let singles = (value("status"), value("urgent"), value("cost"), value("due"), value("place"));
    (singles, parts).prop_map(|((status, urgent, cost, due, place), parts)| {
        let given = [("urgent", urgent), ("cost", cost), ("due", due), ("place", place)];
        let mut fields: Map<String, Value> = Map::from_iter([("status".to_owned(), status)]);
        // What is empty was never given, or was given and then emptied: both are the same.
        fields.extend(given.into_iter().map(|(name, value)| (name.to_owned(), value)));
        fields.retain(|name, value| !value.is_null() || name == "urgent");
        fields.extend(parts.map(|parts| ("parts".to_owned(), json!(parts))));
        fields
    })
}

fn fates() -> impl Strategy<Value = Fate> {
    prop_oneof![
        7 => Just(Fate::Stays),
        1 => Just(Fate::Pinned),
        1 => Just(Fate::Superseded),
        1 => Just(Fate::Deleted),
    ]
}

/// Chunks of a made-up store, with audiences of their own now and then.
pub(super) fn made(
    audiences: impl Strategy<Value = Option<Audience>>,
) -> impl Strategy<Value = Made> {
    let types = prop_oneof![
        6 => Just("report"),
        2 => Just("convention"),
        1 => Just("memory"),
        1 => Just("identity"),
    ];
    let flags = (prop::bool::weighted(0.1), prop::bool::weighted(0.3), prop::bool::weighted(0.1));
    let ends = prop::option::weighted(0.3, prop::sample::select(vec![-5_i64, 5]));
    ((owners(), types), some_tags(), fields(), audiences, (ends, fates()), flags).prop_map(
        |((owner, chunk_type), tags, fields, own_audience, (ends, fate), flags)| {
            let (is_linked, is_updated, is_public) = flags;
            Made {
                owner,
                chunk_type,
                tags,
                fields: if chunk_type == "report" { fields } else { Map::new() },
                own_audience,
                ends,
                fate,
                is_linked,
                is_updated,
                is_public,
            }
        },
    )
}

/// Writes chunks, and returns those that are there in the end, in their order.
pub(super) fn make(bed: &mut Bed, all: &[Made]) -> Vec<Chunk> {
    let minute = 60_000;
    // By the end of the store its clock has moved on for so long.
    let last = bed.clock.now().as_millis() + minute * i64::try_from(all.len()).unwrap();
    let mut ids = Vec::new();
    for (at, one) in all.iter().enumerate() {
        bed.clock.advance(minute);
        let id = bed.write(|tx| make_one(tx, at, one, last)).unwrap();
        ids.push(id);
    }
    ids.into_iter().filter_map(|id| by_id(bed, id)).collect()
}

fn make_one(tx: &mut Transaction<'_>, at: usize, one: &Made, last: i64) -> Result<ChunkId, Error> {
    let stem = if at.is_multiple_of(7) { "seventh" } else { "key" };
    let chunk = tx.begin_chunk(ChunkWritten {
        tags: one.tags.clone(),
        fields: one.fields.clone(),
        audience: one.own_audience.clone(),
        expires_at: one.ends.map(|ends| Time::from_millis(last + ends * 60_000)),
        visibility: if one.is_public { Visibility::Public } else { Visibility::Private },
        ..written(one.chunk_type, one.owner.clone(), &format!("{stem}-{at}"))
    })?;
    let id = chunk.id;
    if one.is_linked {
        happen_in(tx, id, linked(linked_task()))?;
    }
    if one.is_updated {
        happen_in(tx, id, updated(&chunk, "said again"))?;
    }
    let by = "tester".to_owned();
    match one.fate {
        Fate::Stays => {}
        Fate::Pinned => drop(happen_in(tx, id, ChunkPinned { by })?),
        Fate::Superseded => {
            let with = ChunkId::from_bytes([1; 16]);
            drop(happen_in(tx, id, ChunkSuperseded { with, reason: "better".into(), by })?);
        }
        Fate::Deleted => drop(happen_in(tx, id, deleted())?),
    }
    Ok(id)
}
