//! Where a list begins, so that it reads little more than it shows.

use super::Question;
use crate::chunk::facets::{ChunkOrder, Having, orders};
use crate::chunk::list::Range;
use crate::fault::Fault;
use crate::store::Statements;

/// How a list is answered.
pub(crate) struct Plan {
    pub(crate) start: Start,
    /// The condition that fewest chunks meet.
    pub(super) smallest: usize,
}

/// Where a list begins.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Start {
    /// At the front of the facets of a condition, which have the order of the list.
    Walk(usize),
    /// With everything that has something that few chunks have.
    Gather(Base),
}

/// What few chunks may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Base {
    /// What a condition says.
    Condition(usize),
    Link,
    Key,
    Created,
    Updated,
}

impl Question<'_> {
    /// Whether chunks that have something are kept in the order of the list.
    pub(super) fn has_order(&self, having: &Having) -> bool {
        let order = &self.filter.order;
        let is_by_time = *having == Having::Anything && *order == ChunkOrder::Updated;
        *order == ChunkOrder::Created || is_by_time || orders(having, self.fields).contains(order)
    }

    /// How the list is answered: what fewer chunks than `few` have is gathered and sorted here.
    pub(crate) fn plan(
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
    pub(super) fn bases(&self) -> Vec<Base> {
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
}
