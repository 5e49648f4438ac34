//! Lists of chunks: exactly those with some properties, in an order, a page at a time.
//!
//! A list walks the smallest facet that has its order and checks the rest of what is asked in the
//! same statement. What few chunks have is gathered and sorted here instead. Either way a page reads
//! no more than it shows, or no more than few.

use std::ops::ControlFlow;
use std::sync::Arc;

use windlass_domain::Time;
use windlass_domain::chunk::audience::Addressee;
use windlass_domain::chunk::condition::Conditions;
use windlass_domain::chunk::link::End;
use windlass_domain::chunk::{Chunk, ChunkType, OwnedBy, Slug};

use super::facets::ChunkOrder;
use super::question::{Question, Row, Start};
use crate::definition::Definitions;
use crate::fault::Fault;
use crate::snapshot::Snapshot;
use crate::store::DEPTH_CAP;

/// Which chunks a list shows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ChunkFilter {
    /// Whose chunks: those of any of these, of which no two have a chunk in common; none of nobody.
    pub owned_by: Vec<OwnedBy>,
    pub state: ChunkState,
    /// Of one type only; fields can be asked for only then.
    pub chunk_type: Option<Slug>,
    /// As the type has checked them.
    pub fields: Conditions,
    /// All of them must be on the chunk.
    pub tags: Vec<String>,
    /// One of them at least must be on the chunk.
    pub tags_any: Vec<String>,
    /// Only chunks that say themselves whom they are injected to.
    pub own_audience: bool,
    /// Only chunks that say themselves that they are injected to sessions of which this is true.
    pub addressee: Option<Addressee>,
    /// What the chunk must point to.
    pub linked_to: Option<End>,
    /// What its query key must begin with.
    pub key_prefix: Option<String>,
    pub created: Range,
    pub updated: Range,
    pub order: ChunkOrder,
    pub direction: Direction,
    /// Only what comes after this place of the list.
    pub after: Option<ChunkPlace>,
    pub limit: u64,
}

/// How the chunks of a list stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ChunkState {
    /// They say what holds now: they are neither superseded nor expired.
    #[default]
    Current,
    /// Another chunk says it better.
    Superseded,
    All,
}

/// Which way a list goes. Descending is the exact reverse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Direction {
    #[default]
    Ascending,
    Descending,
}

/// A part of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Range {
    pub from: Option<Time>,
    /// This moment itself is no part of it.
    pub before: Option<Time>,
}

/// A place of a list.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ChunkPlace {
    /// By what the list is sorted, as text that sorts the same.
    pub rank: String,
    pub created_seq: u64,
}

/// A page of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct ChunkPage {
    pub chunks: Vec<Chunk>,
    /// How many there are on all pages.
    pub total: u64,
    /// Where the next page goes on, if there is one.
    pub next: Option<ChunkPlace>,
}

impl Snapshot<'_> {
    /// A page of the chunks that a filter lets through.
    pub fn list_chunks(&mut self, filter: &ChunkFilter) -> Result<ChunkPage, Fault> {
        let now = self.now();
        page(self.store, filter, now, DEPTH_CAP)
    }
}

/// A page of a list; what fewer chunks than `few` have is gathered instead of walked.
pub(crate) fn page(
    store: &mut (impl Definitions + ?Sized),
    filter: &ChunkFilter,
    now: Time,
    few: u64,
) -> Result<ChunkPage, Fault> {
    if filter.owned_by.is_empty() {
        return Ok(ChunkPage { chunks: Vec::new(), total: 0, next: None });
    }
    let chunk_type = type_of(store, filter)?;
    let question = Question::new(filter, chunk_type.as_deref(), now)?;
    let plan = question.plan(store, few)?;
    let rows = question.rows(store, plan.start)?;
    let total = match plan.start {
        Start::Walk(_) => question.total(store, &plan)?,
        Start::Gather(_) => rows.len() as u64,
    };
    let (chunks, next) = cut(rows, filter)?;
    Ok(ChunkPage { chunks, total, next })
}

/// The chunks of a list, whose limit is how many are read at a time, until somebody has enough.
pub(super) fn each(
    store: &mut (impl Definitions + ?Sized),
    filter: &ChunkFilter,
    now: Time,
    mut with: impl FnMut(Chunk) -> ControlFlow<()>,
) -> Result<(), Fault> {
    let chunk_type = type_of(store, filter)?;
    let mut filter = filter.clone();
    let mut start = None;
    loop {
        let question = Question::new(&filter, chunk_type.as_deref(), now)?;
        let chosen = match start {
            Some(start) => start,
            None => question.plan(store, filter.limit)?.start,
        };
        start = Some(chosen);
        let rows = question.rows(store, chosen)?;
        let (chunks, next) = cut(rows, &filter)?;
        if chunks.into_iter().try_for_each(&mut with).is_break() || next.is_none() {
            return Ok(());
        }
        filter.after = next;
    }
}

/// The type that a list is about, as it is now.
fn type_of(
    store: &mut (impl Definitions + ?Sized),
    filter: &ChunkFilter,
) -> Result<Option<Arc<ChunkType>>, Fault> {
    match &filter.chunk_type {
        Some(slug) => store.chunk_type(slug),
        None => Ok(None),
    }
}

/// The first of some rows behind where the list goes on, in order, and where the next page begins.
fn cut(
    mut rows: Vec<Row>,
    filter: &ChunkFilter,
) -> Result<(Vec<Chunk>, Option<ChunkPlace>), Fault> {
    rows.retain(|row| filter.is_ahead(&row.place));
    rows.sort_by(|one, other| match filter.direction {
        Direction::Ascending => one.place.cmp(&other.place),
        Direction::Descending => other.place.cmp(&one.place),
    });
    let limit = usize::try_from(filter.limit).unwrap_or(usize::MAX);
    let has_more = rows.len() > limit;
    rows.truncate(limit);
    let next = rows.last().filter(|_| has_more).map(|row| row.place.clone());
    let chunks = rows.into_iter().map(Row::chunk).collect::<Result<_, Fault>>()?;
    Ok((chunks, next))
}

impl ChunkFilter {
    /// Whether a place comes after the one where the list goes on.
    fn is_ahead(&self, place: &ChunkPlace) -> bool {
        self.after.as_ref().is_none_or(|after| match self.direction {
            Direction::Ascending => place > after,
            Direction::Descending => place < after,
        })
    }
}
