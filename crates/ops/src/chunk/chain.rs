//! `chunk chain`.

use std::collections::{BTreeMap, VecDeque};

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::chunk::Chunk;
use windlass_domain::chunk::access::{Act, Reader};
use windlass_domain::chunk::chain::{Way, chain};
use windlass_domain::chunk::link::End;
use windlass_domain::{ChunkId, Time};
use windlass_ledger::{Error, Snapshot};

use super::asker::Asker;
use super::brief::ChunkBrief;
use super::target;
use crate::context::Context;
use crate::operation::{Access, Operation, Output};
use crate::sheet::{Cell, Sheet};

/// Longer chains are cut here, and say so.
const MOST: usize = 1_000;

/// Shows what a chunk is based on, up to its spec, and everything that is based on it.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Chain {
    /// The chunk: its query key, its id, or at least 4 characters of its beginning or end
    pub chunk: String,
    #[command(flatten)]
    #[serde(flatten)]
    pub asker: Asker,
}

/// What a chunk is linked with, near and far.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Chained {
    pub chunk: ChunkBrief,
    /// What it is based on, the nearest first.
    pub based_on: Vec<ElementView>,
    /// What is based on it, the nearest first, then in the order of creation.
    pub basis_of: Vec<ElementView>,
    /// There is more than is shown.
    pub truncated: bool,
}

/// A chunk on a chain.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ElementView {
    #[serde(flatten)]
    pub chunk: ChunkBrief,
    /// How many links it is away.
    pub distance: u32,
    /// The links between it and what is nearer.
    pub by: Vec<ByLink>,
}

/// A link of a chain.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ByLink {
    /// The end that is nearer.
    #[schemars(with = "String")]
    pub chunk_id: ChunkId,
    pub reason: String,
}

impl Operation for Chain {
    type Output = Chained;
    const NAME: &'static str = "chunk.chain";
    const ABOUT: &'static str =
        "Show what a chunk is based on and what is based on it, with reasons";
    const EXAMPLE: &'static str = "windlass chunk chain spec-1";
    const ACCESS: Access = Access::Read;

    fn run(&self, cx: &mut Context) -> Result<Chained, Error> {
        let known = self.asker.known(cx)?;
        cx.read(|snapshot| {
            let reader = known.reader(snapshot)?;
            let chunk = target::find(snapshot, &self.chunk, &reader, Act::Read)?;
            let back = Reached::from(snapshot, &chunk, &reader, Way::Back)?;
            let forth = Reached::from(snapshot, &chunk, &reader, Way::Forth)?;
            Ok(Chained {
                chunk: ChunkBrief::from(&chunk),
                based_on: back.elements(chunk.id, Way::Back),
                basis_of: forth.elements(chunk.id, Way::Forth),
                truncated: back.truncated || forth.truncated,
            })
        })
    }
}

/// The chunks that can be reached from one, as far as the asker may read them.
struct Reached {
    /// By id.
    chunks: Vec<Chunk>,
    truncated: bool,
}

impl Reached {
    /// The nearest come first, so that what is left out is what is furthest away.
    fn from(
        snapshot: &mut Snapshot<'_>,
        chunk: &Chunk,
        reader: &Reader,
        way: Way,
    ) -> Result<Self, Error> {
        let mut reached = BTreeMap::from([(chunk.id, chunk.clone())]);
        let mut ahead = VecDeque::from([chunk.clone()]);
        while let Some(nearest) = ahead.pop_front() {
            for found in neighbours(snapshot, &nearest, way)? {
                let is_seen = reader.reads(&found.owner);
                if !is_seen || reached.contains_key(&found.id) {
                    continue;
                }
                if reached.len() > MOST {
                    return Ok(Self { chunks: reached.into_values().collect(), truncated: true });
                }
                reached.insert(found.id, found.clone());
                ahead.push_back(found);
            }
        }
        Ok(Self { chunks: reached.into_values().collect(), truncated: false })
    }

    fn elements(&self, from: ChunkId, way: Way) -> Vec<ElementView> {
        let brief = |id: ChunkId| {
            let place = self.chunks.binary_search_by_key(&id, |one| one.id).ok()?;
            self.chunks.get(place).map(ChunkBrief::from)
        };
        let elements = chain(from, &self.chunks, way).into_iter();
        let view = elements.filter_map(|element| {
            let by = element.by.into_iter();
            let by = by.map(|(chunk_id, reason)| ByLink { chunk_id, reason }).collect();
            Some(ElementView { chunk: brief(element.chunk)?, distance: element.distance, by })
        });
        view.collect()
    }
}

/// The chunks that are one link away.
fn neighbours(snapshot: &mut Snapshot<'_>, chunk: &Chunk, way: Way) -> Result<Vec<Chunk>, Error> {
    match way {
        Way::Forth => Ok(snapshot.chunks_linked_to(&End::Chunk(chunk.id))?),
        Way::Back => {
            let mut found = Vec::new();
            for link in &chunk.links {
                let End::Chunk(id) = link.to else { continue };
                found.extend(snapshot.chunk(id)?);
            }
            Ok(found)
        }
    }
}

impl Output for Chained {
    fn sheet(&self, _now: Time) -> Sheet {
        let mut sheet = Sheet::default().and_heading(&self.chunk.title);
        let row = |element: &ElementView| {
            let reasons: Vec<&str> = element.by.iter().map(|by| by.reason.as_str()).collect();
            let mut row = vec![Cell::dim(element.distance.to_string())];
            row.extend(element.chunk.row());
            row.push(Cell::dim(reasons.join("; ")));
            row
        };
        let columns = ["away", "id", "type", "title…", "reason…"];
        for (heading, elements) in [("based on", &self.based_on), ("basis of", &self.basis_of)] {
            if !elements.is_empty() {
                let rows = elements.iter().map(row).collect();
                sheet = sheet.and_heading(heading).and_table(&columns, rows);
            }
        }
        if self.based_on.is_empty() && self.basis_of.is_empty() {
            sheet = sheet.and_line("nothing is linked with it");
        }
        match self.truncated {
            true => sheet.and_line(format!("only the nearest {MOST} are shown each way")),
            false => sheet,
        }
    }
}
