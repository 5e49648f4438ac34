//! Chains: what a chunk is based on, up to the spec it is for, and everything that is based on it.

use std::collections::{BTreeMap, BTreeSet};

use super::Chunk;
use super::link::End;
use crate::ChunkId;

/// A chunk on a chain, with the links by which it was reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Element {
    pub chunk: ChunkId,
    /// How many links it is away from where the chain begins.
    pub distance: u32,
    /// For each link between it and what is nearer: the other end, and why.
    pub by: Vec<(ChunkId, String)>,
}

/// Which way links are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// From an artifact to what it is based on.
    Back,
    /// From a spec to all that is based on it.
    Forth,
}

/// Every chunk that can be reached from one, the nearest first, then in the order of creation. What
/// was not loaded, because the asker may not know of it, is not on the chain.
pub fn chain(from: ChunkId, chunks: &[Chunk], way: Way) -> Vec<Element> {
    let mut ordered: Vec<&Chunk> = chunks.iter().collect();
    ordered.sort_by_key(|chunk| (chunk.created_seq, chunk.id));
    let links = links(&ordered, way);
    let mut reached: BTreeSet<ChunkId> = BTreeSet::from([from]);
    let mut nearest: BTreeSet<ChunkId> = reached.clone();
    let mut elements = Vec::new();
    for distance in 1.. {
        let found = step(&ordered, &links, &nearest, &reached, distance);
        if found.is_empty() {
            break;
        }
        nearest = found.iter().map(|element| element.chunk).collect();
        reached.extend(&nearest);
        elements.extend(found);
    }
    elements
}

/// From a chunk to what one link leads to, and why.
type Links<'a> = BTreeMap<ChunkId, Vec<(ChunkId, &'a str)>>;

fn links<'a>(chunks: &[&'a Chunk], way: Way) -> Links<'a> {
    let mut links = Links::new();
    for chunk in chunks {
        for link in &chunk.links {
            let End::Chunk(to) = link.to else { continue };
            let (from, to) = match way {
                Way::Back => (chunk.id, to),
                Way::Forth => (to, chunk.id),
            };
            links.entry(from).or_default().push((to, link.reason.as_str()));
        }
    }
    links
}

/// The chunks that are one link further than the nearest, and were not reached before.
fn step(
    chunks: &[&Chunk],
    links: &Links<'_>,
    nearest: &BTreeSet<ChunkId>,
    reached: &BTreeSet<ChunkId>,
    distance: u32,
) -> Vec<Element> {
    let mut by: BTreeMap<ChunkId, Vec<(ChunkId, String)>> = BTreeMap::new();
    for from in nearest {
        for (to, reason) in links.get(from).into_iter().flatten() {
            if !reached.contains(to) {
                by.entry(*to).or_default().push((*from, (*reason).to_owned()));
            }
        }
    }
    let element =
        |chunk: &&Chunk| by.remove(&chunk.id).map(|by| Element { chunk: chunk.id, distance, by });
    chunks.iter().filter_map(element).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::link::Link;
    use crate::chunk::tests::scene::plain;

    /// A chunk that points to others.
    fn chunk(number: u8, links: &[(u8, &str)]) -> Chunk {
        let link = |(to, reason): &(u8, &str)| Link {
            to: End::Chunk(ChunkId::from_bytes([*to; 16])),
            reason: (*reason).to_owned(),
        };
        Chunk { links: links.iter().map(link).collect(), ..plain(number) }
    }

    /// A spec, its research, its plan and its implementation.
    fn pipeline() -> Vec<Chunk> {
        vec![
            chunk(4, &[(1, "Implementation for this spec"), (3, "Implementation of this plan")]),
            chunk(1, &[]),
            chunk(3, &[(1, "Plan for this spec"), (2, "Plan based on this research")]),
            chunk(2, &[(1, "Research for this spec")]),
        ]
    }

    fn shown(from: u8, chunks: &[Chunk], way: Way) -> Vec<String> {
        let elements = chain(ChunkId::from_bytes([from; 16]), chunks, way);
        let number = |id: ChunkId| id.to_bytes()[0];
        let line = |element: &Element| {
            let by: Vec<String> =
                element.by.iter().map(|(id, reason)| format!("{} {reason}", number(*id))).collect();
            format!("{} {}: {}", element.distance, number(element.chunk), by.join("; "))
        };
        elements.iter().map(line).collect()
    }

    #[test]
    fn c56_from_an_artifact_the_chain_leads_to_its_spec_with_reasons() {
        assert_eq!(
            shown(4, &pipeline(), Way::Back),
            [
                "1 1: 4 Implementation for this spec",
                "1 3: 4 Implementation of this plan",
                "2 2: 3 Plan based on this research",
            ]
        );
    }

    #[test]
    fn c56_from_a_spec_the_chain_has_everything_in_order() {
        assert_eq!(
            shown(1, &pipeline(), Way::Forth),
            [
                "1 2: 1 Research for this spec",
                "1 3: 1 Plan for this spec",
                "1 4: 1 Implementation for this spec",
            ]
        );
    }

    #[test]
    fn links_that_go_in_a_circle_end() {
        let circle = [chunk(1, &[(2, "a")]), chunk(2, &[(1, "b")])];
        assert_eq!(shown(1, &circle, Way::Back), ["1 2: 1 a"]);
    }

    #[test]
    fn what_was_not_loaded_is_not_on_the_chain() {
        assert!(shown(1, &[chunk(1, &[(9, "secret")])], Way::Back).is_empty());
    }
}
