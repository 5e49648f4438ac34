//! How many chunks meet what a list asks for.

use super::plan::{Base, Plan};
use super::{CHUNKS, IS_ON, ON_FACET, Question};
use crate::cell::Cell;
use crate::chunk::list::ChunkState;
use crate::fault::Fault;
use crate::sql::Terms;
use crate::store::{Statements, first};

impl Question<'_> {
    /// How many chunks meet a condition, expired or not.
    pub(super) fn counted(
        &self,
        store: &mut (impl Statements + ?Sized),
        at: usize,
    ) -> Result<u64, Fault> {
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
    pub(super) fn depth(
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

    /// How many chunks there are on all pages.
    pub(crate) fn total(
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

fn count(
    store: &mut (impl Statements + ?Sized),
    text: &str,
    terms: &Terms<'_>,
) -> Result<u64, Fault> {
    Ok(first(store, text, &terms.values, |row| row.count(0))?.unwrap_or(0))
}
