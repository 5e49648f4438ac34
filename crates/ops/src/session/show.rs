//! `session show`: a session, and what it was given by which rule.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::chunk::Chunk;
use windlass_domain::chunk::access::Reader;
use windlass_domain::inject::Injected;
use windlass_domain::session::Session;
use windlass_domain::session::consolidate::Verdict;
use windlass_domain::{ChunkId, Time};
use windlass_ledger::{Error, Snapshot};

use super::at::{At, at_a_session};
use super::choose::Chosen;
use super::view::SessionView;
use crate::chunk::ChunkBrief;
use crate::context::Context;
use crate::operation::{Access, Operation, Output};
use crate::sheet::{Cell, Sheet, Tone, counted};

/// Shows a session.
#[derive(Debug, Clone, Default, Args, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Show {
    #[command(flatten)]
    #[serde(flatten)]
    pub at: At,
}

/// A session, and what it was given.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Shown {
    #[serde(flatten)]
    pub session: SessionView,
    /// Everything it was given, in the order in which it was.
    pub injected: Vec<GivenChunk>,
    /// What the budget left out when it was last given something.
    pub cut: Vec<GivenChunk>,
    /// What waits to be handed over; `session take` does that.
    #[schemars(with = "Vec<String>")]
    pub pending: Vec<ChunkId>,
    /// What was written in it first and is still there, as far as whoever asks may read it.
    pub wrote: Vec<ChunkBrief>,
    /// What it wrote and somebody decides about.
    pub surfaced: Vec<SurfacedChunk>,
}

/// A version of a chunk that a session was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GivenChunk {
    #[schemars(with = "String")]
    pub chunk_id: ChunkId,
    pub version: u32,
    /// What chose it, in words.
    pub rule: String,
    pub tokens: u32,
    /// What it was called then; nothing where whoever asks may not see it any more.
    pub title: Option<String>,
}

/// A chunk that a session wrote and somebody decides about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SurfacedChunk {
    #[schemars(with = "String")]
    pub chunk_id: ChunkId,
    /// keep, promote or discard; nothing as long as nobody has decided.
    #[schemars(with = "Option<String>")]
    pub verdict: Option<Verdict>,
    pub chunk_type: Option<String>,
    pub scope: Option<String>,
    pub query_key: Option<String>,
    pub title: Option<String>,
}

impl Operation for Show {
    type Output = Shown;
    const NAME: &'static str = "session.show";
    const ABOUT: &'static str = "Show a session: what it was given and why, what it left to decide";
    const EXAMPLE: &'static str = "windlass session show 8F3K2Q";
    const ACCESS: Access = Access::Read;

    fn run(&self, cx: &mut Context) -> Result<Shown, Error> {
        let (asker, which) = self.at.known(cx)?;
        cx.read(|snapshot| {
            let reader = asker.reader(snapshot)?;
            let session = which.find(snapshot, &reader)?.session;
            let pending = match session.is_open(snapshot.now()) {
                true => {
                    let chosen = Chosen::pending(snapshot, &session, &reader)?;
                    chosen.injection.chunks.iter().map(|one| one.chunk).collect()
                }
                false => Vec::new(),
            };
            Ok(Shown {
                session: SessionView::of(snapshot, &session)?,
                injected: GivenChunk::all(snapshot, &session.injected, &reader)?,
                cut: GivenChunk::all(snapshot, &session.cut, &reader)?,
                pending,
                wrote: wrote(snapshot, &session, &reader)?,
                surfaced: SurfacedChunk::all(snapshot, &session)?,
            })
        })
    }

    at_a_session!();
}

/// The chunks of a session that a reader may read.
fn wrote(
    snapshot: &mut Snapshot<'_>,
    session: &Session,
    reader: &Reader,
) -> Result<Vec<ChunkBrief>, Error> {
    let wrote = snapshot.chunks_of_session(session.id)?;
    let may_see = |chunk: &&Chunk| reader.reads(&chunk.owner);
    Ok(wrote.iter().filter(may_see).map(ChunkBrief::from).collect())
}

impl GivenChunk {
    fn all(
        snapshot: &mut Snapshot<'_>,
        given: &[Injected],
        reader: &Reader,
    ) -> Result<Vec<Self>, Error> {
        given.iter().map(|one| Self::of(snapshot, one, reader)).collect()
    }

    fn of(snapshot: &mut Snapshot<'_>, given: &Injected, reader: &Reader) -> Result<Self, Error> {
        let owner = snapshot.chunk(given.chunk)?.map(|chunk| chunk.owner);
        let may_see = owner.is_none_or(|owner| reader.reads(&owner));
        Ok(Self {
            chunk_id: given.chunk,
            version: given.version,
            rule: given.rule.clone(),
            tokens: given.tokens,
            title: may_see.then(|| given.title.clone()),
        })
    }

    fn row(&self) -> Vec<Cell> {
        vec![
            self.chunk_id.short().into(),
            self.version.to_string().into(),
            self.title.clone().unwrap_or_default().into(),
            Cell::dim(self.rule.clone()),
            self.tokens.to_string().into(),
        ]
    }
}

impl SurfacedChunk {
    /// What a session wrote and somebody decides about, in the order in which it was written.
    pub(super) fn all(snapshot: &mut Snapshot<'_>, session: &Session) -> Result<Vec<Self>, Error> {
        let mut all = Vec::with_capacity(session.surfaced.len());
        for surfaced in &session.surfaced {
            let chunk = snapshot.chunk(surfaced.chunk)?;
            let chunk = chunk.as_ref();
            all.push(Self {
                chunk_id: surfaced.chunk,
                verdict: surfaced.verdict,
                chunk_type: chunk.map(|chunk| chunk.chunk_type.to_string()),
                scope: chunk.map(|chunk| chunk.owner.scope().to_string()),
                query_key: chunk.map(|chunk| chunk.query_key.to_string()),
                title: chunk.map(|chunk| chunk.title.clone()),
            });
        }
        Ok(all)
    }

    fn row(&self) -> Vec<Cell> {
        let verdict = match self.verdict {
            Some(verdict) => Cell::dim(verdict.as_str()),
            None => Cell::toned("undecided", Tone::Busy),
        };
        let gone = || "gone".to_owned();
        vec![
            self.chunk_id.short().into(),
            self.chunk_type.clone().unwrap_or_else(gone).into(),
            self.scope.clone().unwrap_or_default().into(),
            self.title.clone().unwrap_or_default().into(),
            verdict,
        ]
    }
}

/// Versions of chunks, under a heading.
fn and_given(sheet: Sheet, heading: &'static str, given: &[GivenChunk]) -> Sheet {
    let columns = ["chunk", "version", "title…", "rule…", "tokens"];
    let rows = given.iter().map(GivenChunk::row).collect();
    sheet.and_heading(heading).and_table(&columns, rows)
}

/// What somebody decides about, under a heading.
pub(super) fn and_surfaced(sheet: Sheet, surfaced: &[SurfacedChunk]) -> Sheet {
    if surfaced.is_empty() {
        return sheet;
    }
    let columns = ["chunk", "type", "scope", "title…", "verdict"];
    let rows = surfaced.iter().map(SurfacedChunk::row).collect();
    sheet.and_heading("what it wrote").and_table(&columns, rows)
}

impl Output for Shown {
    fn sheet(&self, now: Time) -> Sheet {
        let sheet = self.session.facts(now);
        let sheet = match self.pending.len() as u64 {
            0 => sheet,
            count => sheet.and_line(Cell::toned(
                format!(
                    "{} came up meanwhile: windlass session take {}",
                    counted(count, "chunk"),
                    self.session.session_id.short()
                ),
                Tone::Busy,
            )),
        };
        let sheet = match self.injected.is_empty() {
            true => sheet.and_line("nothing was injected"),
            false => and_given(sheet, "injected", &self.injected),
        };
        let sheet = match self.cut.is_empty() {
            true => sheet,
            false => and_given(sheet, "left out by the budget", &self.cut),
        };
        and_surfaced(sheet, &self.surfaced)
    }
}
