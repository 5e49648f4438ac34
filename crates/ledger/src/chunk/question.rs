//! What a list asks of the facets, with its SQL, the same in both dialects.

mod count;
mod plan;
mod rows;

use windlass_domain::Time;
use windlass_domain::chunk::{ChunkType, Field, FieldKind, Slug, field_set};

use self::plan::Base;
use super::facets::{ChunkOrder, Facet, Having, Part, Standing, is_filterable};
use super::list::{ChunkFilter, ChunkState, Range};
use crate::cell::Cell;
use crate::fault::Fault;
use crate::sql::Terms;

pub(crate) use plan::Start;
pub(crate) use rows::Row;

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
        if let Some(addressee) = &filter.addressee {
            asked.push((vec![Having::addressee(addressee)], true));
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

    /// The chunks of a facet that meet everything else, in the order of their creation.
    fn on<'q>(&'q self, facet: &'q str, at: usize, part: usize) -> Terms<'q> {
        let mut terms = Terms::default();
        terms.with("chunk_facets.facet =", Cell::Text(facet));
        terms.plain("chunk_facets.rank = ''");
        self.check(&mut terms, Base::Condition(at), part..part + 1);
        terms
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
