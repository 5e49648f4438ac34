//! Which chunks a session is given, in which order.
//!
//! The agent's own identity always comes first. The rest is chosen by the rules of the lifecycle, and
//! by nothing else; a lifecycle without rules leaves it to the audiences of the chunks. Both see only
//! what the agent may read and what its type lets pass.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::Asked;
use crate::ChunkId;
use crate::built_in::IDENTITY;
use crate::chunk::access::{Act, Answer};
use crate::chunk::audience::Audience;
use crate::chunk::state::Visibility;
use crate::chunk::{Chunk, ChunkType, Owner, Scope};
use crate::session::InjectionRule;
use crate::session::lifecycle::Whose;

/// A chunk that was chosen, and by what.
#[derive(Debug)]
pub(super) struct Selected<'a> {
    pub(super) chunk: &'a Chunk,
    pub(super) rule: String,
    /// It comes whatever the budget says.
    pub(super) always: bool,
}

/// A chunk that may be chosen, with what its type says of it.
struct Candidate<'a> {
    chunk: &'a Chunk,
    shown: Map<String, Value>,
    audience: &'a Audience,
}

impl Candidate<'_> {
    fn has_own_audience(&self) -> bool {
        self.chunk.audience.is_some()
    }
}

/// How an audience means the session.
struct Meant {
    /// The first rule that does.
    rule: String,
    /// One of the rules that do says for whom it is, and does not mean everybody.
    by_name: bool,
}

pub(super) fn select<'a>(
    chunks: &'a [Chunk],
    types: &'a [ChunkType],
    asked: &Asked<'_>,
) -> Vec<Selected<'a>> {
    let mut live: Vec<&Chunk> = chunks.iter().filter(|chunk| may_come(chunk, asked)).collect();
    // What is pinned first, then the newest; the id is there for chunks that are made up.
    live.sort_by_key(|chunk| (Reverse(chunk.pinned), Reverse(chunk.created_seq), chunk.id));
    let mut selected: Vec<Selected<'a>> = live
        .iter()
        .filter(|chunk| is_own_identity(chunk, asked))
        .map(|chunk| Selected { chunk, rule: "identity of self".to_owned(), always: true })
        .collect();
    let candidates: Vec<Candidate<'a>> = live
        .into_iter()
        .filter(|chunk| !is_own_identity(chunk, asked) && passes(chunk, asked))
        .filter_map(|chunk| candidate(chunk, types))
        .collect();
    let meant = meant(&candidates, asked);
    selected.extend(match &asked.lifecycle.inject {
        Some(rules) => by_rules(rules, &candidates, &meant, asked),
        None => by_audience(&candidates, meant, asked),
    });
    selected
}

/// Whether it holds now, and the agent may be given it.
pub(super) fn may_come(chunk: &Chunk, asked: &Asked<'_>) -> bool {
    chunk.is_current(asked.now)
        && chunk.visibility == Visibility::Private
        && asked.reader.may(Act::Inject, &chunk.owner) == Answer::Allowed
}

pub(super) fn is_own_identity(chunk: &Chunk, asked: &Asked<'_>) -> bool {
    chunk.chunk_type.as_str() == IDENTITY && is_own(&chunk.owner, asked)
}

fn is_own(owner: &Owner, asked: &Asked<'_>) -> bool {
    matches!(owner, Owner::Agent(name) if *name == asked.listener.agent)
}

fn is_of_project(owner: &Owner, asked: &Asked<'_>) -> bool {
    matches!(owner, Owner::Project(id) if Some(*id) == asked.listener.project)
}

/// Whether the lifecycle and the agent type let it pass.
pub(super) fn passes(chunk: &Chunk, asked: &Asked<'_>) -> bool {
    let scope = chunk.owner.scope();
    let key = chunk.query_key.as_str();
    asked.lifecycle.admits(scope)
        && asked
            .agent_type
            .is_none_or(|agent_type| agent_type.inject.admits(scope, &chunk.chunk_type, key))
}

fn candidate<'a>(chunk: &'a Chunk, types: &'a [ChunkType]) -> Option<Candidate<'a>> {
    let known = types.iter().find(|known| known.slug == chunk.chunk_type)?;
    let audience = chunk.audience.as_ref().unwrap_or(&known.audience);
    Some(Candidate { chunk, shown: chunk.shown(known), audience })
}

/// The chunks whose audience means the session.
fn meant(candidates: &[Candidate<'_>], asked: &Asked<'_>) -> BTreeMap<ChunkId, Meant> {
    let mut meant = BTreeMap::new();
    let mut counted = Counted::default();
    for candidate in newest_first(candidates) {
        for (place, rule) in candidate.audience.selecting(asked.listener, &candidate.shown) {
            // Counted for every rule, so that what one rule chose does not make room in another.
            let is_in = counted.is_in(rule.latest, place, candidate.chunk);
            let chunk_type = &candidate.chunk.chunk_type;
            let whose = match candidate.has_own_audience() {
                true => "the chunk".to_owned(),
                false => format!("type {chunk_type}"),
            };
            let found =
                || Meant { rule: format!("audience rule {place} of {whose}"), by_name: false };
            if is_in {
                let known = meant.entry(candidate.chunk.id).or_insert_with(found);
                known.by_name |= !rule.asks.is_empty();
            }
        }
    }
    meant
}

/// By the rules of the lifecycle, in their order. A chunk that says for whom it is goes to nobody
/// else.
fn by_rules<'a>(
    rules: &[InjectionRule],
    candidates: &[Candidate<'a>],
    meant: &BTreeMap<ChunkId, Meant>,
    asked: &Asked<'_>,
) -> Vec<Selected<'a>> {
    let mut chosen = BTreeSet::new();
    let mut selected = Vec::new();
    for (place, rule) in rules.iter().enumerate() {
        let is_meant = |candidate: &Candidate<'_>| {
            let must_be_meant = rule.aimed || candidate.has_own_audience();
            !must_be_meant || meant.contains_key(&candidate.chunk.id)
        };
        let fits = |candidate: &&Candidate<'_>| {
            candidate.chunk.chunk_type == rule.chunk_type
                && is_whose(rule.owner, &candidate.chunk.owner, asked)
                && rule.is_tagged(&candidate.chunk.tags)
                && rule.fields.hold(&candidate.shown)
                && is_meant(candidate)
        };
        let mut counted = Counted::default();
        let latest: BTreeSet<ChunkId> = newest_first(candidates)
            .into_iter()
            .filter(fits)
            .filter(|candidate| counted.is_in(rule.latest, place, candidate.chunk))
            .map(|candidate| candidate.chunk.id)
            .collect();
        let fitting = candidates.iter().filter(|candidate| latest.contains(&candidate.chunk.id));
        for candidate in fitting.filter(|candidate| chosen.insert(candidate.chunk.id)) {
            let rule = rule.to_string();
            selected.push(Selected { chunk: candidate.chunk, rule, always: false });
        }
    }
    selected
}

fn is_whose(whose: Whose, owner: &Owner, asked: &Asked<'_>) -> bool {
    match whose {
        Whose::Own => is_own(owner, asked),
        Whose::Project => is_of_project(owner, asked),
        Whose::Projects => match asked.listener.project {
            Some(_) => is_of_project(owner, asked),
            None => owner.scope() == Scope::Project,
        },
        Whose::Org => *owner == Owner::Org,
        Whose::Shared => *owner == Owner::Org || is_of_project(owner, asked),
        Whose::Any => true,
    }
}

/// By the audiences of the chunks: what is the agent's own, then what is everybody's, then what is
/// the project's. A chunk of another project comes only when it names the session itself.
fn by_audience<'a>(
    candidates: &[Candidate<'a>],
    mut meant: BTreeMap<ChunkId, Meant>,
    asked: &Asked<'_>,
) -> Vec<Selected<'a>> {
    let mut selected = Vec::new();
    for scope in [Scope::Agent, Scope::Org, Scope::Project] {
        let of_scope = |candidate: &&Candidate<'_>| candidate.chunk.owner.scope() == scope;
        for candidate in candidates.iter().filter(of_scope) {
            let Some(Meant { rule, by_name }) = meant.remove(&candidate.chunk.id) else { continue };
            let is_near = scope != Scope::Project || is_of_project(&candidate.chunk.owner, asked);
            if is_near || (by_name && candidate.has_own_audience()) {
                selected.push(Selected { chunk: candidate.chunk, rule, always: false });
            }
        }
    }
    selected
}

/// The candidates in the order in which `latest` counts them: pins change what comes first, not what
/// is newest.
fn newest_first<'c, 'a>(candidates: &'c [Candidate<'a>]) -> Vec<&'c Candidate<'a>> {
    let mut ordered: Vec<&Candidate<'a>> = candidates.iter().collect();
    ordered.sort_by_key(|candidate| (Reverse(candidate.chunk.created_seq), candidate.chunk.id));
    ordered
}

/// How many chunks of one type and owner a rule has seen, the newest first.
#[derive(Default)]
struct Counted<'a>(BTreeMap<(usize, &'a str, &'a Owner), u32>);

impl<'a> Counted<'a> {
    /// Counts one more, and says whether it is among the latest.
    fn is_in(&mut self, latest: Option<u32>, rule: usize, chunk: &'a Chunk) -> bool {
        let Some(latest) = latest else { return true };
        let count = self.0.entry((rule, chunk.chunk_type.as_str(), &chunk.owner)).or_default();
        *count += 1;
        *count <= latest
    }
}
