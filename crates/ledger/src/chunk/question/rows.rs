//! The chunks of a page: walked in order, or gathered where there are few.

use windlass_domain::chunk::{Chunk, field_set};

use super::plan::{Base, Start};
use super::{ON_FACET, Question, facet};
use crate::cell::Cell;
use crate::chunk::list::{ChunkPlace, Direction};
use crate::fault::Fault;
use crate::record::from_json;
use crate::sql::Terms;
use crate::store::{Statements, all};

/// A chunk of a list, not yet read.
pub(crate) struct Row {
    pub(crate) place: ChunkPlace,
    state: String,
}

impl Row {
    pub(crate) fn chunk(self) -> Result<Chunk, Fault> {
        from_json(&self.state)
    }
}

impl Question<'_> {
    /// What a page is made of: its chunks, and perhaps more.
    pub(crate) fn rows(
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
}
