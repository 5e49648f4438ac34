//! Chunks as answers show them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windlass_domain::chunk::access::Reader;
use windlass_domain::chunk::link::{End, Link};
use windlass_domain::chunk::review::{Action, Reviews, Signal, signals};
use windlass_domain::chunk::source::Source;
use windlass_domain::chunk::state::{Superseded, Visibility};
use windlass_domain::chunk::{Author, Chunk, ChunkType, Owner, QueryKey, Scope, Slug};
use windlass_domain::{ChunkId, RunKey, SessionId, TaskId, Time};
use windlass_ledger::{Fault, Snapshot};

use super::audience;
use super::seen::Seen;
use crate::sheet::{Cell, Tone, ago, counted};
use crate::view::ProjectNames;

/// A chunk.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ChunkView {
    #[schemars(with = "String")]
    pub chunk_id: ChunkId,
    #[schemars(with = "String")]
    pub chunk_type: Slug,
    /// org, project or agent.
    #[schemars(with = "String")]
    pub scope: Scope,
    /// Whose it is, by name, if it is a project's.
    pub project: Option<String>,
    /// Whose it is, if it is one agent's or person's alone.
    pub agent: Option<String>,
    #[schemars(with = "String")]
    pub query_key: QueryKey,
    pub title: String,
    /// Markdown, as it was given.
    pub content: String,
    pub tags: Vec<String>,
    /// Every field that its type has now.
    pub fields: Map<String, Value>,
    /// Whom it is injected to; null when its type says that.
    pub audience: Option<Value>,
    /// What a reader would get wrong.
    pub gotchas: Vec<String>,
    /// Query keys of others that belong to it.
    pub related: Vec<String>,
    /// private or public.
    #[schemars(with = "String")]
    pub visibility: Visibility,
    /// The file that it is from.
    pub source: Option<SourceView>,
    pub pinned: bool,
    #[schemars(with = "Option<String>")]
    pub expires_at: Option<Time>,
    /// It says what holds now: it is neither superseded nor expired.
    pub current: bool,
    /// The chunk that says it better, if the asker may know of it.
    pub superseded: Option<SupersededView>,
    /// What it points to, as far as the asker may know of it.
    pub links: Vec<LinkView>,
    /// The task of a spec.
    #[schemars(with = "Option<String>")]
    pub task_id: Option<TaskId>,
    /// How often what it says was written.
    pub version: u32,
    /// Who wrote what it says now.
    pub author: AuthorView,
    /// Who wrote it first.
    pub created_by: AuthorView,
    #[schemars(with = "String")]
    pub created_at: Time,
    #[schemars(with = "String")]
    pub updated_at: Time,
    pub reviews: ReviewsView,
    /// Why somebody should look at it: `agent_flag`, `low_score`, aging or `source_changed`.
    #[schemars(with = "Vec<String>")]
    pub signals: Vec<Signal>,
}

/// A file, or lines of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SourceView {
    pub file: String,
    /// The first line and the last, from 1.
    pub lines: Option<(u32, u32)>,
    /// SHA-256 of the lines as they were read.
    pub digest: Option<String>,
    /// Since when the file is known to say something else.
    #[schemars(with = "Option<String>")]
    pub changed_at: Option<Time>,
}

/// Another chunk says it better.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SupersededView {
    #[schemars(with = "String")]
    pub by: ChunkId,
    pub reason: String,
    #[schemars(with = "String")]
    pub at: Time,
}

/// One thing that a chunk points to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LinkView {
    /// `chunk:ID`, `task:ID`, `run:ID` or `commit:NAME`.
    #[schemars(with = "String")]
    pub to: End,
    pub reason: String,
}

/// Who wrote something, in which session and run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AuthorView {
    pub name: String,
    #[schemars(with = "Option<String>")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    #[schemars(with = "Option<String>")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunKey>,
}

/// What all readers thought together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewsView {
    pub count: u32,
    /// The average, from 1 to 5.
    pub usefulness: Option<f64>,
    pub correctness: Option<f64>,
    /// What the last reader found should be done.
    #[schemars(with = "Option<String>")]
    pub last_action: Option<Action>,
}

/// What is looked up once to show any number of chunks.
#[derive(Debug)]
pub struct ChunkViews {
    types: Vec<ChunkType>,
    projects: ProjectNames,
    seen: Seen,
}

impl ChunkViews {
    /// For somebody who asks.
    pub fn new(snapshot: &mut Snapshot<'_>, reader: &Reader) -> Result<Self, Fault> {
        Ok(Self {
            types: snapshot.chunk_types()?,
            projects: ProjectNames::default(),
            seen: Seen::by(reader),
        })
    }

    /// Every chunk type there is, by slug.
    pub fn types(&self) -> &[ChunkType] {
        &self.types
    }

    /// The fields of a chunk as its type has them now.
    pub fn fields(&self, chunk: &Chunk) -> Map<String, Value> {
        let known = self.types.iter().find(|known| known.slug == chunk.chunk_type);
        known.map_or_else(|| chunk.fields.clone(), |known| chunk.shown(known))
    }

    /// Whose chunks of an owner are, by name: of a project, or of an agent.
    pub fn owner(
        &mut self,
        snapshot: &mut Snapshot<'_>,
        owner: &Owner,
    ) -> Result<(Option<String>, Option<String>), Fault> {
        match owner {
            Owner::Org => Ok((None, None)),
            Owner::Project(id) => Ok((Some(self.projects.of(snapshot, *id)?), None)),
            Owner::Agent(name) => Ok((None, Some(name.clone()))),
        }
    }

    pub fn view(&mut self, snapshot: &mut Snapshot<'_>, chunk: &Chunk) -> Result<ChunkView, Fault> {
        let now = snapshot.now();
        let (project, agent) = self.owner(snapshot, &chunk.owner)?;
        let audience = match chunk.audience.clone() {
            Some(kept) => Some(audience::shown(snapshot, kept.into(), &mut self.projects)?),
            None => None,
        };
        Ok(ChunkView {
            chunk_id: chunk.id,
            chunk_type: chunk.chunk_type.clone(),
            scope: chunk.owner.scope(),
            project,
            agent,
            query_key: chunk.query_key.clone(),
            title: chunk.title.clone(),
            content: chunk.content.clone(),
            tags: chunk.tags.clone(),
            fields: self.fields(chunk),
            audience,
            gotchas: chunk.gotchas.clone(),
            related: chunk.related.clone(),
            visibility: chunk.visibility,
            source: chunk.source.as_ref().map(|source| SourceView::new(source, chunk)),
            pinned: chunk.pinned,
            expires_at: chunk.expires_at,
            current: chunk.is_current(now),
            superseded: self.seen.superseded(snapshot, chunk)?,
            links: self.seen.links(snapshot, chunk)?,
            task_id: chunk.task,
            version: chunk.version,
            author: AuthorView::from(&chunk.author),
            created_by: AuthorView::from(&chunk.created_by),
            created_at: chunk.created_at,
            updated_at: chunk.updated_at,
            reviews: ReviewsView::from(&chunk.reviews),
            signals: signals(chunk, now),
        })
    }
}

impl ChunkView {
    /// Whose it is, in a word or two.
    pub fn whose(&self) -> String {
        match (&self.project, &self.agent) {
            (Some(name), _) => name.clone(),
            (None, Some(name)) => format!("@{name}"),
            (None, None) => self.scope.to_string(),
        }
    }
}

impl SourceView {
    pub(super) fn new(source: &Source, of: &Chunk) -> Self {
        Self {
            file: source.file.clone(),
            lines: source.lines,
            digest: source.digest.as_ref().map(ToString::to_string),
            changed_at: of.source_changed_at,
        }
    }
}

impl From<&Superseded> for SupersededView {
    fn from(known: &Superseded) -> Self {
        Self { by: known.by, reason: known.reason.clone(), at: known.at }
    }
}

impl From<&Link> for LinkView {
    fn from(link: &Link) -> Self {
        Self { to: link.to.clone(), reason: link.reason.clone() }
    }
}

impl From<&Author> for AuthorView {
    fn from(author: &Author) -> Self {
        Self { name: author.name.clone(), session_id: author.session, run: author.run }
    }
}

impl From<&Reviews> for ReviewsView {
    fn from(reviews: &Reviews) -> Self {
        let average =
            |sum: u32| (reviews.count > 0).then(|| f64::from(sum) / f64::from(reviews.count));
        Self {
            count: reviews.count,
            usefulness: average(reviews.usefulness),
            correctness: average(reviews.correctness),
            last_action: reviews.last.map(|(action, _)| action),
        }
    }
}

impl SourceView {
    /// The file, and its lines if they are named.
    pub(super) fn place(&self) -> String {
        match self.lines {
            Some((first, last)) => format!("{}:{first}-{last}", self.file),
            None => self.file.clone(),
        }
    }

    /// The file and its lines, and whether they are as they were.
    pub(super) fn line(&self, now: Time) -> Cell {
        let place = self.place();
        match self.changed_at {
            Some(at) => Cell::toned(format!("{place}, changed {}", ago(at, now)), Tone::Bad),
            None => place.into(),
        }
    }
}

impl ReviewsView {
    /// How many there are, and what they say together.
    pub(super) fn line(&self) -> String {
        let mark =
            |average: Option<f64>| average.map_or_else(String::new, |mark| format!("{mark:.1}"));
        let (useful, correct) = (mark(self.usefulness), mark(self.correctness));
        format!(
            "{}: usefulness {useful}, correctness {correct}",
            counted(self.count.into(), "review")
        )
    }
}
