//! `session consolidate`: what becomes of what a session wrote. What is decided is done to the chunks
//! in the same transaction.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::chunk::access::{Reader, not_found};
use windlass_domain::chunk::promote::promote;
use windlass_domain::chunk::state::Author;
use windlass_domain::chunk::{Chunk, Owner, Scope, Slug, keep};
use windlass_domain::definition::find;
use windlass_domain::event::ChunkEvent;
use windlass_domain::id::Fragment;
use windlass_domain::session::Session;
use windlass_domain::session::consolidate::{Surfaced, Verdict, consolidate, consolidate_deleted};
use windlass_domain::{Code, Refusal, Time};
use windlass_ledger::{Error, KeptSession, Transaction};

use super::at::{At, NOTICED, at_a_session};
use super::show::{SurfacedChunk, and_surfaced};
use super::view::SessionView;
use crate::chunk::delete::dependents;
use crate::context::Context;
use crate::operation::{Access, Operation, Output};
use crate::settings::one_of;
use crate::sheet::Sheet;
use crate::view::usage;

/// What a promoted chunk becomes in a project, and in the organisation.
const KNOWLEDGE: &str = "knowledge";
const PRINCIPLE: &str = "principle";

/// Decides what becomes of what a session wrote.
#[derive(Debug, Clone, Default, Args, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Consolidate {
    #[command(flatten)]
    #[serde(flatten)]
    pub at: At,
    /// Chunks that stay as they are
    #[arg(long, value_name = "CHUNKS", value_delimiter = ',')]
    pub keep: Vec<String>,
    /// Chunks that are given to a wider scope
    #[arg(long, value_name = "CHUNKS", value_delimiter = ',')]
    pub promote: Vec<String>,
    /// Chunks that are deleted
    #[arg(long, value_name = "CHUNKS", value_delimiter = ',')]
    pub discard: Vec<String>,
    /// Promote to this scope: project or org; without one, to the session's project
    #[arg(long, value_name = "SCOPE")]
    pub to: Option<String>,
    /// Promote as chunks of this type; without one, knowledge of a project, principle of the org
    #[arg(id = "type", long = "type", value_name = "TYPE")]
    #[serde(rename = "type")]
    pub chunk_type: Option<String>,
}

/// A session, and what was decided about what it wrote.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Consolidated {
    #[serde(flatten)]
    pub session: SessionView,
    pub surfaced: Vec<SurfacedChunk>,
    /// How many nobody has decided about.
    pub undecided: u64,
}

impl Operation for Consolidate {
    type Output = Consolidated;
    const NAME: &'static str = "session.consolidate";
    const ABOUT: &'static str =
        "Decide what becomes of what a session wrote: keep, promote, discard";
    const EXAMPLE: &'static str = "windlass session consolidate 8F3K2Q --promote 4WN7ZD --to org";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<Consolidated, Error> {
        if self.verdicts().next().is_none() {
            return Err(usage(
                "nothing is decided",
                "give --keep, --promote or --discard with chunks, or several of them",
            )
            .into());
        }
        let wider = self.wider()?;
        let (asker, which) = self.at.known(cx)?;
        cx.write(&asker.name, |tx| {
            tx.expire_sessions(NOTICED)?;
            let reader = asker.reader(tx)?;
            let found = which.find(tx, &reader)?;
            // What it wrote is not listed before somebody notices that it is over.
            let mut kept = tx.expire_session(found)?;
            for (given, verdict) in self.verdicts() {
                let surfaced = surfaced(&kept.session, given)?;
                kept = decide(tx, &kept, &surfaced, verdict, &wider, &reader)?;
            }
            Ok(Consolidated {
                session: SessionView::of(tx, &kept.session)?,
                surfaced: SurfacedChunk::all(tx, &kept.session)?,
                undecided: kept.session.undecided().len() as u64,
            })
        })
    }

    at_a_session!();
}

/// What promoted chunks become.
struct Wider {
    scope: Option<Scope>,
    chunk_type: Option<Slug>,
}

impl Consolidate {
    fn verdicts(&self) -> impl Iterator<Item = (&String, Verdict)> {
        let keep = self.keep.iter().map(|chunk| (chunk, Verdict::Keep));
        let promote = self.promote.iter().map(|chunk| (chunk, Verdict::Promote));
        keep.chain(promote).chain(self.discard.iter().map(|chunk| (chunk, Verdict::Discard)))
    }

    fn wider(&self) -> Result<Wider, Refusal> {
        let scope = |given: &str| {
            let wider = [Scope::Project, Scope::Org].map(Scope::as_str);
            let scope = Scope::from_text(given).filter(|scope| *scope != Scope::Agent);
            scope.ok_or_else(|| one_of("to", given, &wider))
        };
        let chunk_type = self.chunk_type.as_deref().map(|given| Slug::parse("type", given));
        Ok(Wider {
            scope: self.to.as_deref().map(scope).transpose()?,
            chunk_type: chunk_type.transpose()?,
        })
    }
}

impl Wider {
    /// Whose a promoted chunk becomes: that of the session's project. It is everybody's only if that
    /// was said.
    fn owner(&self, chunk: &Chunk, session: &Session) -> Result<Owner, Refusal> {
        let scope = match (self.scope, &chunk.owner, session.project) {
            (Some(scope), _, _) => scope,
            (None, Owner::Agent(_), Some(_)) => Scope::Project,
            (None, Owner::Agent(_), None) | (None, Owner::Project(_) | Owner::Org, _) => {
                let message = format!("chunk {} would become everybody's", chunk.id.short());
                return Err(Refusal::new(Code::InvalidValue, message)
                    .hint("if it is to, say so: --to org")
                    .detail("field", "to")
                    .detail("chunk", chunk.id));
            }
        };
        Owner::of(scope, session.project, &session.agent)
    }

    fn slug(&self, owner: &Owner) -> Result<Slug, Refusal> {
        let usual = match owner {
            Owner::Org => PRINCIPLE,
            Owner::Project(_) | Owner::Agent(_) => KNOWLEDGE,
        };
        self.chunk_type.clone().map_or_else(|| Slug::parse("type", usual), Ok)
    }
}

/// The chunk among those that a session surfaced, by its id or a part of one.
fn surfaced(session: &Session, given: &str) -> Result<Surfaced, Refusal> {
    let hint = format!("see what it wrote: windlass session show {}", session.id);
    let part = Fragment::parse(given)
        .map_err(|refusal| refusal.hint(hint.clone()).detail("field", "chunk"))?;
    let is_meant = |one: &&Surfaced| match &part {
        Fragment::Whole(bytes) => one.chunk.to_bytes() == *bytes,
        Fragment::Part { text, .. } => one.chunk.matches(text),
    };
    let found: Vec<&Surfaced> = session.surfaced.iter().filter(is_meant).collect();
    match found.as_slice() {
        [one] => Ok((*one).clone()),
        [] => Err(not_found(given).hint(hint)),
        several => {
            let ids: Vec<String> = several.iter().map(|one| one.chunk.to_string()).collect();
            Err(Refusal::new(Code::IdAmbiguous, format!("'{given}' could be {}", ids.join(", ")))
                .hint("give more characters of the id")
                .detail("given", given)
                .detail("candidates", &ids)
                .suggest(ids))
        }
    }
}

/// Records what is decided about a chunk, and does it.
fn decide(
    tx: &mut Transaction<'_>,
    kept: &KeptSession,
    surfaced: &Surfaced,
    verdict: Verdict,
    wider: &Wider,
    reader: &Reader,
) -> Result<KeptSession, Error> {
    let (session, now) = (&kept.session, tx.now());
    let Some(chunk) = tx.chunk(surfaced.chunk)? else {
        let events = consolidate_deleted(session, surfaced.chunk, verdict, reader, now)?;
        return tx.record_session(kept, events);
    };
    let events = consolidate(session, &chunk, verdict, reader, now)?;
    if events.is_empty() {
        return Ok(kept.clone());
    }
    let done = match verdict {
        Verdict::Keep => Vec::new(),
        Verdict::Promote => promoted(tx, &kept.session, &chunk, wider, reader)?,
        Verdict::Discard => {
            let dependents = dependents(tx, &chunk, reader)?;
            keep::delete(&chunk, &dependents, None, reader)?
        }
    };
    tx.record_chunk(&chunk, done)?;
    tx.record_session(kept, events)
}

fn promoted(
    tx: &mut Transaction<'_>,
    session: &Session,
    chunk: &Chunk,
    wider: &Wider,
    reader: &Reader,
) -> Result<Vec<ChunkEvent>, Error> {
    let owner = wider.owner(chunk, session)?;
    let types = tx.chunk_types()?;
    let chunk_type = find(&types, &wider.slug(&owner)?)?;
    let taken = tx.keys_taken(chunk, &owner, &chunk_type.slug)?;
    let by = Author { name: reader.name.clone(), session: Some(session.id), run: session.run };
    Ok(promote(chunk, owner, chunk_type, &taken, reader, by)?)
}

impl Output for Consolidated {
    fn sheet(&self, now: Time) -> Sheet {
        let sheet = and_surfaced(self.session.facts(now), &self.surfaced);
        match self.undecided {
            0 => sheet.and_line("everything is decided"),
            _ => sheet,
        }
    }
}
