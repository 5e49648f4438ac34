//! What a list asks of the facets, with its SQL, the same in both dialects.

use windlass_domain::Time;
use windlass_domain::chunk::{Chunk, ChunkType, Field, FieldKind, Slug, field_set};

use super::facets::{ChunkOrder, Facet, Having, Part, Standing, is_filterable, orders};
use super::list::{ChunkFilter, ChunkPlace, ChunkState, Direction, Range};
use crate::cell::Cell;
use crate::fault::Fault;
use crate::record::from_json;
use crate::sql::Terms;
use crate::store::{Statements, all, first};

/// Where a chunk must be on one of some facets, by the primary key. A count is asked for each chunk;
/// a plain `EXISTS` would be answered by reading the facet from front to back.
const IS_ON: &str = "(SELECT count(*) FROM chunk_facets AS other WHERE other.facet IN (?) \
     AND other.rank = '' AND other.created_seq = chunks.created_seq) > 0";
/// By the primary key.
const IS_LINKED: &str = "(SELECT count(*) FROM chunk_links AS link WHERE link.to_end = ? \
     AND link.created_seq = chunks.created_seq) > 0";
/// The chunks of a facet, by the primary keys.
const ON_FACET: &str = "chunk_facets JOIN chunks ON chunks.created_seq = chunk_facets.created_seq";
/// The chunks that point to something, by the primary keys.
const LINKED: &str = "chunk_links JOIN chunks ON chunks.created_seq = chunk_links.created_seq";
/// By `chunks_by_key`, `chunks_created`, `chunks_updated` or `chunks_expiry`.
const CHUNKS: &str = "chunks";

/// A list, and what follows from it for the facets.
pub(super) struct Question<'a> {
    filter: &'a ChunkFilter,
    fields: &'a [Field],
    now: Time,
    parts: Vec<Part>,
    /// The first is that a chunk is of the type at all.
    conditions: Vec<Condition>,
    link: Option<String>,
    /// Every key that begins with the prefix is before this.
    keys_end: String,
}

/// Something that must be true of a chunk: one of these.
struct Condition {
    havings: Vec<Having>,
    /// Of no chunk more than one of them is true.
    is_disjoint: bool,
    /// The facets of each part on one of which a chunk must be.
    facets: Vec<Vec<String>>,
}

/// How a list is answered.
pub(super) struct Plan {
    pub(super) start: Start,
    /// The condition that fewest chunks meet.
    smallest: usize,
}

/// Where a list begins.
#[derive(Debug, Clone, Copy)]
pub(super) enum Start {
    /// At the front of the facets of a condition, which have the order of the list.
    Walk(usize),
    /// With everything that has something that few chunks have.
    Gather(Base),
}

/// What few chunks may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Base {
    /// What a condition says.
    Condition(usize),
    Link,
    Key,
    Created,
    Updated,
}

/// A chunk of a list, not yet read.
pub(super) struct Row {
    pub(super) place: ChunkPlace,
    state: String,
}

impl Row {
    pub(super) fn chunk(self) -> Result<Chunk, Fault> {
        from_json(&self.state)
    }
}

impl<'a> Question<'a> {
    pub(super) fn new(
        filter: &'a ChunkFilter,
        chunk_type: Option<&'a ChunkType>,
        now: Time,
    ) -> Result<Self, Fault> {
        let fields = chunk_type.map(|known| known.fields.as_slice()).unwrap_or_default();
        let parts = parts(filter);
        let mut asked = vec![(vec![Having::Anything], true)];
        asked.extend(filter.tags.iter().map(|tag| (vec![Having::Tag(tag.clone())], true)));
        if !filter.tags_any.is_empty() {
            let havings = filter.tags_any.iter().cloned().map(Having::Tag).collect();
            asked.push((havings, filter.tags_any.len() == 1));
        }
        if filter.own_audience {
            asked.push((vec![Having::OwnAudience], true));
        }
        for (name, values) in filter.fields.iter() {
            let field =
                field_set::find(fields, name).map_err(|refusal| Fault::bug(refusal.message))?;
            if !is_filterable(field) {
                return Err(Fault::bug(format!("chunks are not listed by field '{name}'")));
            }
            let is_disjoint = field.kind != FieldKind::StringList || values.len() == 1;
            let havings = values.iter().map(|value| Having::field(name, value)).collect();
            asked.push((havings, is_disjoint));
        }
        let conditions = asked.into_iter().map(|(havings, is_disjoint)| {
            let facets = parts.iter().map(|part| facets(filter, part, &havings)).collect();
            Condition { havings, is_disjoint, facets }
        });
        let question = Self {
            conditions: conditions.collect(),
            parts,
            filter,
            fields,
            now,
            link: filter.linked_to.as_ref().map(ToString::to_string),
            keys_end: format!("{}{}", filter.key_prefix.as_deref().unwrap_or_default(), char::MAX),
        };
        match question.has_order(&Having::Anything) {
            true => Ok(question),
            false => Err(Fault::bug(format!("chunks are not sorted by '{}'", filter.order))),
        }
    }

    /// Whether chunks that have something are kept in the order of the list.
    fn has_order(&self, having: &Having) -> bool {
        let order = &self.filter.order;
        let is_by_time = *having == Having::Anything && *order == ChunkOrder::Updated;
        *order == ChunkOrder::Created || is_by_time || orders(having, self.fields).contains(order)
    }

    /// How the list is answered: what fewer chunks than `few` have is gathered and sorted here.
    pub(super) fn plan(
        &self,
        store: &mut (impl Statements + ?Sized),
        few: u64,
    ) -> Result<Plan, Fault> {
        if self.conditions.len() == 1 && self.bases().is_empty() {
            return Ok(Plan { start: Start::Walk(0), smallest: 0 });
        }
        let (mut least, mut smallest) = (u64::MAX, 0);
        for (at, condition) in self.conditions.iter().enumerate() {
            if !condition.is_disjoint {
                continue;
            }
            let depth = self.counted(store, at)?;
            if depth <= least {
                (least, smallest) = (depth, at);
            }
        }
        let has_order = |at: usize| {
            let condition = self.conditions.get(at);
            condition.is_some_and(|one| one.havings.iter().all(|having| self.has_order(having)))
        };
        let mut start = match has_order(smallest) {
            true => Start::Walk(smallest),
            false if least < few => Start::Gather(Base::Condition(smallest)),
            // Every order there is has the first.
            false => Start::Walk(0),
        };
        for base in self.bases() {
            let depth = self.depth(store, base, few.min(least))?;
            if depth < few && depth < least {
                least = depth;
                start = Start::Gather(base);
            }
        }
        Ok(Plan { start, smallest })
    }

    /// What is asked for that is no facet.
    fn bases(&self) -> Vec<Base> {
        let Range { from, before } = self.filter.created;
        let is_created = from.is_some() || before.is_some();
        let Range { from, before } = self.filter.updated;
        let is_updated = from.is_some() || before.is_some();
        [
            (self.link.is_some(), Base::Link),
            (self.filter.key_prefix.is_some(), Base::Key),
            (is_created, Base::Created),
            (is_updated, Base::Updated),
        ]
        .into_iter()
        .filter_map(|(is_asked, base)| is_asked.then_some(base))
        .collect()
    }

    /// How many chunks meet a condition, expired or not.
    fn counted(&self, store: &mut (impl Statements + ?Sized), at: usize) -> Result<u64, Fault> {
        let mut terms = Terms::default();
        let facets = self.facets_of(at, 0..self.parts.len());
        let list: Vec<String> = facets.iter().map(|facet| terms.value(Cell::Text(facet))).collect();
        // By the primary key.
        let text = format!(
            "SELECT CAST(coalesce(sum(chunks), 0) AS BIGINT) FROM facet_counts WHERE facet IN ({})",
            list.join(", ")
        );
        count(store, &text, &terms)
    }

    /// How many chunks have what a list may begin with, at most `most`.
    fn depth(
        &self,
        store: &mut (impl Statements + ?Sized),
        base: Base,
        most: u64,
    ) -> Result<u64, Fault> {
        let mut terms = Terms::default();
        let from = self.begin(&mut terms, base);
        let conditions = terms.texts.join(" AND ");
        let limit = terms.value(Cell::count(most));
        let text = format!(
            "SELECT count(*) FROM (SELECT 1 FROM {from} WHERE {conditions} LIMIT {limit}) AS few"
        );
        count(store, &text, &terms)
    }

    /// The tables that a base which is no facet is found in; the conditions go to the terms.
    fn begin<'q>(&'q self, terms: &mut Terms<'q>, base: Base) -> &'static str {
        match base {
            Base::Condition(_) => ON_FACET,
            Base::Link => {
                let link = terms.value(Cell::Text(self.link.as_deref().unwrap_or_default()));
                terms.texts.push(format!("chunk_links.to_end = {link}"));
                LINKED
            }
            Base::Key => {
                let from = self.filter.key_prefix.as_deref().unwrap_or_default();
                let (from, end) =
                    (terms.value(Cell::Text(from)), terms.value(Cell::Text(&self.keys_end)));
                terms.texts.push(format!("query_key >= {from} AND query_key < {end}"));
                CHUNKS
            }
            Base::Created => {
                within(terms, "created_at", self.filter.created, |text| text);
                CHUNKS
            }
            Base::Updated => {
                within(terms, "updated_at", self.filter.updated, |text| text);
                CHUNKS
            }
        }
    }

    /// The facets of a condition in some parts.
    fn facets_of(&self, at: usize, parts: std::ops::Range<usize>) -> Vec<&str> {
        let by_part = self.conditions.get(at).map(|condition| condition.facets.as_slice());
        let of_parts = by_part.and_then(|all| all.get(parts)).unwrap_or_default();
        of_parts.iter().flatten().map(String::as_str).collect()
    }

    /// Everything that is asked of a chunk, but for what the list began with.
    fn check<'q>(&'q self, terms: &mut Terms<'q>, base: Base, parts: std::ops::Range<usize>) {
        let others = (1..self.conditions.len()).filter(|at| base != Base::Condition(*at));
        let mut wanted: Vec<usize> = others.collect();
        // A chunk that meets another condition is of the type.
        if wanted.is_empty() && !matches!(base, Base::Condition(_)) {
            wanted.push(0);
        }
        for at in wanted {
            let facets = self.facets_of(at, parts.clone());
            let list: Vec<String> =
                facets.iter().map(|facet| terms.value(Cell::Text(facet))).collect();
            terms.texts.push(IS_ON.replace('?', &list.join(", ")));
        }
        if let Some(link) = self.link.as_deref().filter(|_| base != Base::Link) {
            let link = terms.value(Cell::Text(link));
            terms.texts.push(IS_LINKED.replace('?', &link));
        }
        if let Some(prefix) = self.filter.key_prefix.as_deref().filter(|_| base != Base::Key) {
            terms.beside("chunks.query_key >=", Cell::Text(prefix));
            terms.beside("chunks.query_key <", Cell::Text(&self.keys_end));
        }
        let beside = |text: String| format!("({text}) IS TRUE");
        if base != Base::Created {
            within(terms, "created_at", self.filter.created, beside);
        }
        if base != Base::Updated {
            within(terms, "updated_at", self.filter.updated, beside);
        }
        if self.filter.state == ChunkState::Current {
            let now = terms.value(Cell::Int(self.now.as_millis()));
            let text = format!("chunks.expires_at IS NULL OR chunks.expires_at > {now}");
            terms.texts.push(beside(text));
        }
    }

    /// What a page is made of: its chunks, and perhaps more.
    pub(super) fn rows(
        &self,
        store: &mut (impl Statements + ?Sized),
        start: Start,
    ) -> Result<Vec<Row>, Fault> {
        match start {
            Start::Walk(condition) => self.walked(store, condition),
            Start::Gather(base) => self.gathered(store, base),
        }
    }

    /// From each facet of a condition its first chunks, as many as a page has and one more.
    fn walked(&self, store: &mut (impl Statements + ?Sized), at: usize) -> Result<Vec<Row>, Fault> {
        let mut rows = Vec::new();
        let havings = self.conditions.get(at).map(|one| one.havings.as_slice()).unwrap_or_default();
        for (place, part) in self.parts.iter().enumerate() {
            for having in havings {
                let facet = facet(self.filter, part, having, &self.filter.order);
                rows.append(&mut self.walk(store, &facet, at, place)?);
            }
        }
        Ok(rows)
    }

    fn walk(
        &self,
        store: &mut (impl Statements + ?Sized),
        facet: &str,
        at: usize,
        part: usize,
    ) -> Result<Vec<Row>, Fault> {
        let mut terms = Terms::default();
        terms.with("chunk_facets.facet =", Cell::Text(facet));
        let (after, order) = match self.filter.direction {
            Direction::Ascending => (">", "ASC"),
            Direction::Descending => ("<", "DESC"),
        };
        if let Some(ChunkPlace { rank, created_seq }) = &self.filter.after {
            let (rank, seq) =
                (terms.value(Cell::Text(rank)), terms.value(Cell::count(*created_seq)));
            terms.texts.push(format!(
                "(chunk_facets.rank, chunk_facets.created_seq) {after} ({rank}, {seq})"
            ));
        }
        self.check(&mut terms, Base::Condition(at), part..part + 1);
        let conditions = terms.texts.join(" AND ");
        let limit = terms.value(Cell::count(self.filter.limit.saturating_add(1)));
        let text = format!(
            "SELECT chunk_facets.rank, chunk_facets.created_seq, state FROM {ON_FACET} \
             WHERE {conditions} \
             ORDER BY chunk_facets.rank {order}, chunk_facets.created_seq {order} LIMIT {limit}"
        );
        all(store, &text, &terms.values, |row| {
            let place = ChunkPlace { rank: row.text(0)?, created_seq: row.count(1)? };
            Ok(Row { place, state: row.text(2)? })
        })
    }

    /// Everything that has what few chunks have, in no order.
    fn gathered(
        &self,
        store: &mut (impl Statements + ?Sized),
        base: Base,
    ) -> Result<Vec<Row>, Fault> {
        let Base::Condition(at) = base else {
            let mut terms = Terms::default();
            let from = self.begin(&mut terms, base);
            self.check(&mut terms, base, 0..self.parts.len());
            return self.gather(store, from, &terms);
        };
        let mut rows = Vec::new();
        for part in 0..self.parts.len() {
            for facet in self.facets_of(at, part..part + 1) {
                let terms = self.on(facet, at, part);
                rows.append(&mut self.gather(store, ON_FACET, &terms)?);
            }
        }
        Ok(rows)
    }

    fn gather(
        &self,
        store: &mut (impl Statements + ?Sized),
        from: &str,
        terms: &Terms<'_>,
    ) -> Result<Vec<Row>, Fault> {
        let text = format!("SELECT state FROM {from} WHERE {}", terms.texts.join(" AND "));
        all(store, &text, &terms.values, |row| {
            let state = row.text(0)?;
            let chunk: Chunk = from_json(&state)?;
            let shown = field_set::shown(self.fields, &chunk.fields);
            let rank = self.filter.order.rank(&chunk, self.fields, &shown);
            Ok(Row { place: ChunkPlace { rank, created_seq: chunk.created_seq }, state })
        })
    }

    /// The chunks of a facet that meet everything else, in the order of their creation.
    fn on<'q>(&'q self, facet: &'q str, at: usize, part: usize) -> Terms<'q> {
        let mut terms = Terms::default();
        terms.with("chunk_facets.facet =", Cell::Text(facet));
        terms.plain("chunk_facets.rank = ''");
        self.check(&mut terms, Base::Condition(at), part..part + 1);
        terms
    }

    /// How many chunks there are on all pages.
    pub(super) fn total(
        &self,
        store: &mut (impl Statements + ?Sized),
        plan: &Plan,
    ) -> Result<u64, Fault> {
        let at = plan.smallest;
        let is_all = self.bases().is_empty() && self.conditions.len() <= 1 + usize::from(at > 0);
        if is_all {
            let expired = match self.filter.state {
                ChunkState::Current => self.expired(store, at)?,
                ChunkState::Superseded | ChunkState::All => 0,
            };
            return Ok(self.counted(store, at)?.saturating_sub(expired));
        }
        let mut total = 0;
        for part in 0..self.parts.len() {
            for facet in self.facets_of(at, part..part + 1) {
                let terms = self.on(facet, at, part);
                let conditions = terms.texts.join(" AND ");
                let text = format!("SELECT count(*) FROM {ON_FACET} WHERE {conditions}");
                total += count(store, &text, &terms)?;
            }
        }
        Ok(total)
    }

    /// How many of the chunks that meet a condition are expired.
    fn expired(&self, store: &mut (impl Statements + ?Sized), at: usize) -> Result<u64, Fault> {
        let mut terms = Terms::default();
        terms.with("expires_at <=", Cell::Int(self.now.as_millis()));
        let facets = self.facets_of(at, 0..self.parts.len());
        let list: Vec<String> = facets.iter().map(|facet| terms.value(Cell::Text(facet))).collect();
        let is_on = IS_ON.replace('?', &list.join(", "));
        let expired = terms.texts.join(" AND ");
        let text = format!("SELECT count(*) FROM {CHUNKS} WHERE {expired} AND {is_on}");
        count(store, &text, &terms)
    }
}

/// Whose chunks are listed, and how they stand.
fn parts(filter: &ChunkFilter) -> Vec<Part> {
    let standings = match filter.state {
        ChunkState::Current => &[Standing::Current][..],
        ChunkState::Superseded => &[Standing::Superseded],
        ChunkState::All => &Standing::ALL,
    };
    let of = |standing: &Standing| {
        let standing = *standing;
        filter.owned_by.iter().cloned().map(move |owned_by| Part { standing, owned_by })
    };
    standings.iter().flat_map(of).collect()
}

/// The facets in the order of creation of everything that may be true in a part.
fn facets(filter: &ChunkFilter, part: &Part, havings: &[Having]) -> Vec<String> {
    havings.iter().map(|having| facet(filter, part, having, &ChunkOrder::Created)).collect()
}

fn facet(filter: &ChunkFilter, part: &Part, having: &Having, order: &ChunkOrder) -> String {
    let chunk_type = filter.chunk_type.as_ref().map(Slug::as_str);
    Facet { part, chunk_type, having, order }.to_string()
}

/// The conditions that a time is in a range.
fn within(terms: &mut Terms<'_>, column: &str, range: Range, written: impl Fn(String) -> String) {
    for (compared, time) in [(">=", range.from), ("<", range.before)] {
        if let Some(time) = time {
            let value = terms.value(Cell::Int(time.as_millis()));
            terms.texts.push(written(format!("chunks.{column} {compared} {value}")));
        }
    }
}

fn count(
    store: &mut (impl Statements + ?Sized),
    text: &str,
    terms: &Terms<'_>,
) -> Result<u64, Fault> {
    Ok(first(store, text, &terms.values, |row| row.count(0))?.unwrap_or(0))
}
