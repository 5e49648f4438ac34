//! The chunks that a session could be given, found without looking at all there are.
//!
//! What [`inject`](windlass_domain::inject::inject) makes of them is what it would make of every
//! chunk: whatever it could choose is among them, and so is whatever it counts before it chooses
//! the latest.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use windlass_domain::built_in::IDENTITY;
use windlass_domain::chunk::access::Act;
use windlass_domain::chunk::audience::Addressee;
use windlass_domain::chunk::condition::Conditions;
use windlass_domain::chunk::{Chunk, ChunkType, OwnedBy, Slug};
use windlass_domain::definition;
use windlass_domain::inject::Asked;
use windlass_domain::session::InjectionRule;
use windlass_domain::session::lifecycle::Whose;

use super::facets::is_filterable;
use super::list::{ChunkFilter, Direction, each};
use crate::fault::Fault;
use crate::snapshot::Snapshot;
use crate::store::{DEPTH_CAP, Store};

/// Where only the latest are wanted, so many are read at a time at least: some may not count.
const FEWEST: u64 = 32;

impl Snapshot<'_> {
    /// The chunks that a session could be given, in the order in which they were written.
    pub fn injection_candidates(
        &mut self,
        types: &[ChunkType],
        asked: &Asked<'_>,
    ) -> Result<Vec<Chunk>, Fault> {
        let mut search = Search { store: self.store, types, asked, found: BTreeMap::new() };
        search.identity()?;
        match &asked.lifecycle.inject {
            Some(rules) => rules.iter().try_for_each(|rule| search.by_rule(rule))?,
            None => search.by_audience()?,
        }
        Ok(search.found.into_values().collect())
    }
}

struct Search<'a> {
    store: &'a mut dyn Store,
    types: &'a [ChunkType],
    asked: &'a Asked<'a>,
    found: BTreeMap<u64, Chunk>,
}

/// Chunks of one type and owner, of which perhaps only the latest are wanted.
#[derive(Clone)]
struct Wanted<'a> {
    chunk_type: Option<&'a Slug>,
    owned_by: OwnedBy,
    fields: Conditions,
    tags_any: &'a [String],
    /// Only those that say themselves that they are for this.
    addressee: Option<Addressee>,
    latest: Option<u32>,
}

impl<'a> Search<'a> {
    fn identity(&mut self) -> Result<(), Fault> {
        let identity =
            Slug::try_from(IDENTITY.to_owned()).map_err(|refusal| Fault::bug(refusal.message))?;
        let own = self.own();
        let wanted = Wanted { chunk_type: Some(&identity), ..Wanted::all_of(own) };
        self.take(&wanted, |_| false)
    }

    fn own(&self) -> OwnedBy {
        OwnedBy::Agent(self.asked.listener.agent.clone())
    }

    fn project(&self) -> Option<OwnedBy> {
        self.asked.listener.project.map(OwnedBy::Project)
    }

    /// What a rule of the lifecycle could choose.
    fn by_rule(&mut self, rule: &InjectionRule) -> Result<(), Fault> {
        // Nothing is chosen of a type that is not known.
        let Ok(chunk_type) = definition::find(self.types, &rule.chunk_type) else { return Ok(()) };
        for owned_by in self.owners(rule.owner)? {
            let wanted = Wanted {
                chunk_type: Some(&rule.chunk_type),
                fields: findable(&rule.fields, chunk_type),
                tags_any: &rule.tags,
                latest: rule.latest,
                ..Wanted::all_of(owned_by.clone())
            };
            let counts = |chunk: &Chunk| {
                rule.is_tagged(&chunk.tags) && rule.fields.hold(&chunk.shown(chunk_type))
            };
            if !rule.aimed {
                self.take(&wanted, counts)?;
                continue;
            }
            for addressee in self.asked.listener.addressed_as() {
                self.take(&Wanted { addressee: Some(addressee), ..wanted.clone() }, counts)?;
            }
            self.by_audience_of(chunk_type, &owned_by, Some(&wanted))?;
        }
        Ok(())
    }

    /// What audiences could choose: those of types, and those of chunks.
    fn by_audience(&mut self) -> Result<(), Fault> {
        let near: Vec<OwnedBy> =
            [Some(OwnedBy::Org), self.project(), Some(self.own())].into_iter().flatten().collect();
        for chunk_type in self.types {
            for owned_by in &near {
                self.by_audience_of(chunk_type, owned_by, None)?;
            }
        }
        for addressee in self.asked.listener.addressed_as() {
            // What is for everybody reaches only those who are near.
            let owners = match addressee {
                Addressee::Everybody => near.clone(),
                Addressee::Saying(..) => self.asked.reader.reach(Act::Inject),
            };
            for owned_by in owners {
                let addressee = Some(addressee.clone());
                self.take(&Wanted { addressee, ..Wanted::all_of(owned_by) }, |_| false)?;
            }
        }
        Ok(())
    }

    /// What the audience of a type could choose among the chunks of an owner, and of that what a
    /// rule of the lifecycle asks for. What is counted is counted among all of them.
    fn by_audience_of(
        &mut self,
        chunk_type: &'a ChunkType,
        owned_by: &OwnedBy,
        within: Option<&Wanted<'_>>,
    ) -> Result<(), Fault> {
        let listener = self.asked.listener;
        let meaning = chunk_type.audience.rules.iter().enumerate();
        for (at, rule) in meaning.filter(|(_, rule)| rule.means(listener)) {
            let whole = Wanted {
                chunk_type: Some(&chunk_type.slug),
                fields: findable(&rule.fields, chunk_type),
                latest: rule.latest,
                ..Wanted::all_of(owned_by.clone())
            };
            let wanted = match (within, rule.latest) {
                (Some(within), None) => {
                    Wanted { fields: within.fields.clone(), tags_any: within.tags_any, ..whole }
                }
                (Some(_), Some(_)) | (None, _) => whole,
            };
            self.take(&wanted, |chunk| {
                let shown = chunk.shown(chunk_type);
                let mut selecting = chunk_type.audience.selecting(listener, &shown);
                chunk.audience.is_none() && selecting.any(|(place, _)| place == at + 1)
            })?;
        }
        Ok(())
    }

    fn owners(&mut self, whose: Whose) -> Result<Vec<OwnedBy>, Fault> {
        Ok(match (whose, self.project()) {
            (Whose::Own, _) => vec![self.own()],
            (Whose::Project | Whose::Projects, Some(project)) => vec![project],
            (Whose::Project, None) => Vec::new(),
            // One by one, since the latest are counted for each.
            (Whose::Projects, None) => {
                let projects = self.store.projects()?.into_iter();
                projects.map(|project| OwnedBy::Project(project.id)).collect()
            }
            (Whose::Org, _) => vec![OwnedBy::Org],
            (Whose::Shared, project) => project.into_iter().chain([OwnedBy::Org]).collect(),
            (Whose::Any, _) => self.asked.reader.reach(Act::Inject),
        })
    }

    /// Reads what is wanted, the newest first, until there is enough of what counts. What cannot be
    /// chosen is left out, and does not count either.
    fn take(&mut self, wanted: &Wanted<'_>, counts: impl Fn(&Chunk) -> bool) -> Result<(), Fault> {
        let (asked, types, found) = (self.asked, self.types, &mut self.found);
        let scope = wanted.owned_by.scope();
        let is_identity = wanted.chunk_type.is_some_and(|slug| slug.as_str() == IDENTITY);
        let can_pass = |slug| is_identity || asked.admits_some(scope, slug);
        if !wanted.chunk_type.is_none_or(can_pass) {
            return Ok(());
        }
        // The latest are counted for each owner.
        let latest = wanted.latest.filter(|_| wanted.owned_by.is_one()).map(u64::from);
        let mut counted = 0;
        if latest == Some(counted) {
            return Ok(());
        }
        let filter = wanted.filter(latest.map_or(DEPTH_CAP, |latest| latest.max(FEWEST)));
        each(self.store, &filter, asked.now, |chunk| {
            let of_type = definition::find(types, &chunk.chunk_type);
            if of_type.is_ok_and(|known| asked.can_choose(&chunk, known)) {
                counted += u64::from(counts(&chunk));
                found.insert(chunk.created_seq, chunk);
            }
            match latest == Some(counted) {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        })
    }
}

impl Wanted<'_> {
    /// Everything of an owner.
    fn all_of(owned_by: OwnedBy) -> Self {
        Self {
            chunk_type: None,
            owned_by,
            fields: Conditions::default(),
            tags_any: &[],
            addressee: None,
            latest: None,
        }
    }

    fn filter(&self, limit: u64) -> ChunkFilter {
        ChunkFilter {
            owned_by: vec![self.owned_by.clone()],
            chunk_type: self.chunk_type.cloned(),
            fields: self.fields.clone(),
            tags_any: self.tags_any.to_vec(),
            addressee: self.addressee.clone(),
            direction: Direction::Descending,
            limit,
            ..ChunkFilter::default()
        }
    }
}

/// The conditions by which chunks of a type can be found. The others are left to who chooses.
fn findable(conditions: &Conditions, chunk_type: &ChunkType) -> Conditions {
    let is_findable = |name: &str| {
        let field = chunk_type.fields.iter().find(|field| field.name == name);
        field.is_some_and(is_filterable)
    };
    conditions.only(is_findable)
}
