//! `chunk inbox`.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::chunk::access::Reader;
use windlass_domain::chunk::review::{Signal, signals, touched_at};
use windlass_domain::chunk::{Chunk, Owner};
use windlass_domain::{ProjectId, Time};
use windlass_ledger::{Error, Fault, Snapshot};

use super::asker::Asker;
use super::brief::ChunkBrief;
use super::parts::word;
use super::view::{ChunkViews, ReviewsView};
use crate::context::Context;
use crate::operation::{Access, Operation, Output};
use crate::sheet::{Cell, Sheet, Tone, relative};
use crate::view::limit;

/// So many chunks are read at a time.
const PAGE: u64 = 100;

/// Lists the chunks that somebody should look at.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Inbox {
    /// Only of this project
    #[arg(short = 'P', long, value_name = "NAME")]
    #[serde(default)]
    pub project: Option<String>,
    /// Only for this: `agent_flag`, `low_score`, aging or `source_changed`
    #[arg(long, value_name = "WORD")]
    #[serde(default)]
    pub signal: Option<String>,
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = 50)]
    #[serde(default = "usual")]
    pub limit: u64,
    #[command(flatten)]
    #[serde(flatten)]
    pub asker: Asker,
}

fn usual() -> u64 {
    50
}

/// Chunks that somebody should look at: flagged ones, the newest first, then those that nobody
/// touched for long.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct InboxShown {
    pub chunks: Vec<InboxItem>,
    /// There are more than these.
    pub has_more: bool,
}

/// A chunk that somebody should look at.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct InboxItem {
    #[serde(flatten)]
    pub chunk: ChunkBrief,
    pub project: Option<String>,
    pub agent: Option<String>,
    /// Why.
    #[schemars(with = "Vec<String>")]
    pub signals: Vec<Signal>,
    pub reviews: ReviewsView,
    /// When somebody last wrote or reviewed it, or dismissed a flag.
    #[schemars(with = "String")]
    pub touched_at: Time,
}

impl Operation for Inbox {
    type Output = InboxShown;
    const NAME: &'static str = "chunk.inbox";
    const ABOUT: &'static str =
        "List the chunks that are flagged, badly marked, aging or out of date";
    const EXAMPLE: &'static str = "windlass chunk inbox -P api";
    const ACCESS: Access = Access::Read;

    fn run(&self, cx: &mut Context) -> Result<InboxShown, Error> {
        let signal = self.signal.as_deref();
        let signal = signal.map(|given| word("signal", given, Signal::ALL, Signal::as_str));
        let (signal, known) = (signal.transpose()?, self.asker.known(cx)?);
        let limit = usize::try_from(limit(self.limit)?).unwrap_or(usize::MAX);
        cx.read(|snapshot| {
            let project = self.project.as_deref();
            let project = project.map(|name| snapshot.project_named(name)).transpose()?;
            let wanted = Wanted {
                reader: known.reader(snapshot)?,
                project: project.map(|project| project.id),
                signal,
                limit,
            };
            wanted.shown(snapshot)
        })
    }
}

/// What is looked for.
struct Wanted {
    reader: Reader,
    project: Option<ProjectId>,
    signal: Option<Signal>,
    limit: usize,
}

impl Wanted {
    fn shown(&self, snapshot: &mut Snapshot<'_>) -> Result<InboxShown, Error> {
        let mut found = Vec::new();
        let is_aging = |signal| signal == Signal::Aging;
        if !self.signal.is_some_and(is_aging) {
            self.collect(
                snapshot,
                |snapshot, last| snapshot.chunks_flagged(last, PAGE),
                &mut found,
            )?;
        }
        if self.signal.is_none_or(is_aging) {
            self.collect(snapshot, |snapshot, last| snapshot.chunks_aging(last, PAGE), &mut found)?;
        }
        let has_more = found.len() > self.limit;
        found.truncate(self.limit);
        let mut views = ChunkViews::new(snapshot, &self.reader)?;
        let now = snapshot.now();
        let mut chunks = Vec::with_capacity(found.len());
        for chunk in &found {
            let (project, agent) = views.owner(snapshot, &chunk.owner)?;
            chunks.push(InboxItem {
                chunk: ChunkBrief::from(chunk),
                project,
                agent,
                signals: signals(chunk, now),
                reviews: ReviewsView::from(&chunk.reviews),
                touched_at: touched_at(chunk),
            });
        }
        Ok(InboxShown { chunks, has_more })
    }

    /// Adds what is wanted, page by page, until there is one more than is shown.
    fn collect(
        &self,
        snapshot: &mut Snapshot<'_>,
        page: Page,
        found: &mut Vec<Chunk>,
    ) -> Result<(), Error> {
        let now = snapshot.now();
        let mut last: Option<Chunk> = None;
        while found.len() <= self.limit {
            let chunks = page(snapshot, last.as_ref())?;
            last = chunks.last().cloned();
            if last.is_none() {
                break;
            }
            for chunk in chunks {
                let is_known = found.iter().any(|known| known.id == chunk.id);
                if !is_known && self.admits(&chunk, now) {
                    found.push(chunk);
                }
            }
        }
        Ok(())
    }

    fn admits(&self, chunk: &Chunk, now: Time) -> bool {
        let is_of = |project: ProjectId| chunk.owner == Owner::Project(project);
        self.reader.reads(&chunk.owner)
            && chunk.is_current(now)
            && self.project.is_none_or(is_of)
            && self.signal.is_none_or(|signal| signals(chunk, now).contains(&signal))
    }
}

/// The next chunks after some chunk.
type Page = fn(&mut Snapshot<'_>, Option<&Chunk>) -> Result<Vec<Chunk>, Fault>;

impl Output for InboxShown {
    fn sheet(&self, now: Time) -> Sheet {
        if self.chunks.is_empty() {
            return Sheet::line("nobody needs to look at any chunk");
        }
        let row = |item: &InboxItem| {
            let words: Vec<&str> = item.signals.iter().map(|signal| signal.as_str()).collect();
            let mut row = item.chunk.row();
            row.push(Cell::toned(words.join(", ").replace('_', " "), Tone::Bad));
            row.push(Cell::dim(relative(item.touched_at, now)));
            row
        };
        let rows = self.chunks.iter().map(row).collect();
        let columns = ["id", "type", "title…", "why", "touched"];
        let sheet = Sheet::default().and_table(&columns, rows);
        match self.has_more {
            true => sheet.and_line(Cell::dim("there are more: give a larger --limit")),
            false => sheet,
        }
    }
}
