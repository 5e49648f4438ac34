//! The rows of the facets: written, taken out and counted as chunks and their types change.

use std::collections::BTreeMap;

use super::facets;
use crate::cell::Cell;
use crate::fault::Fault;
use crate::store::Statements;

pub(crate) const PUT_ON: &str =
    "INSERT INTO chunk_facets (facet, rank, created_seq) VALUES ($1, $2, $3)";
/// By the primary key.
const TAKE_OFF: &str =
    "DELETE FROM chunk_facets WHERE facet = $1 AND rank = $2 AND created_seq = $3";
/// Adds to the count, or takes from it.
pub(crate) const COUNT: &str = "INSERT INTO facet_counts (facet, chunks) VALUES ($1, $2) \
     ON CONFLICT (facet) DO UPDATE SET chunks = facet_counts.chunks + excluded.chunks";
/// By the primary key.
const FORGET_EMPTY: &str = "DELETE FROM facet_counts WHERE facet = $1 AND chunks = 0";
/// The part of the seam that is about facets. A row is a facet and the rank there.
pub(crate) trait Facets: Statements {
    fn put_on(&mut self, created_seq: u64, rows: &[(&str, &str)]) -> Result<(), Fault> {
        for (facet, rank) in rows {
            let cells = [Cell::Text(facet), Cell::Text(rank), Cell::count(created_seq)];
            self.run(PUT_ON, &cells)?;
        }
        Ok(())
    }

    fn take_off(&mut self, created_seq: u64, rows: &[(&str, &str)]) -> Result<(), Fault> {
        for (facet, rank) in rows {
            let cells = [Cell::Text(facet), Cell::Text(rank), Cell::count(created_seq)];
            self.run(TAKE_OFF, &cells)?;
        }
        Ok(())
    }

    /// Changes how many chunks are on facets.
    fn count_on(&mut self, changes: &[(&str, i64)]) -> Result<(), Fault> {
        for (facet, change) in changes {
            self.run(COUNT, &[Cell::Text(facet), Cell::Int(*change)])?;
        }
        Ok(())
    }

    /// Facets that no chunk is on have no count, as if none ever was.
    fn forget_empty(&mut self, facets: &[&str]) -> Result<(), Fault> {
        for facet in facets {
            self.run(FORGET_EMPTY, &[Cell::Text(facet)])?;
        }
        Ok(())
    }

    /// Takes a chunk from the facets it was on to those it is on now.
    fn move_between(
        &mut self,
        created_seq: u64,
        before: &BTreeMap<String, String>,
        after: &BTreeMap<String, String>,
    ) -> Result<(), Fault> {
        let off = rows_of(before, |facet, rank| after.get(facet) != Some(rank));
        self.take_off(created_seq, &off)?;
        let on = rows_of(after, |facet, rank| before.get(facet) != Some(rank));
        self.put_on(created_seq, &on)?;
        let fewer = counted(before, after);
        let more = counted(after, before);
        let changes: Vec<(&str, i64)> = fewer
            .iter()
            .map(|facet| (*facet, -1))
            .chain(more.into_iter().map(|facet| (facet, 1)))
            .collect();
        self.count_on(&changes)?;
        self.forget_empty(&fewer)
    }
}

fn rows_of(
    on: &BTreeMap<String, String>,
    is_wanted: impl Fn(&String, &String) -> bool,
) -> Vec<(&str, &str)> {
    let rows = on.iter().filter(|(facet, rank)| is_wanted(facet, rank));
    rows.map(|(facet, rank)| (facet.as_str(), rank.as_str())).collect()
}

/// The counted facets that are in the first and not in the second.
fn counted<'a>(
    first: &'a BTreeMap<String, String>,
    second: &BTreeMap<String, String>,
) -> Vec<&'a str> {
    let is_new = |facet: &&String| facets::is_counted(facet) && !second.contains_key(*facet);
    first.keys().filter(is_new).map(String::as_str).collect()
}
