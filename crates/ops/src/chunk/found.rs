//! What a search found, and how it is shown.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::chunk::{Chunk, Owner, QueryKey, Scope, Slug};
use windlass_domain::search::{Part, Place, Texts, Why, tokens};
use windlass_domain::words::{Asked, snippet};
use windlass_domain::{ChunkId, Time};
use windlass_ledger::{Error, FoundChunk, Snapshot};

use crate::operation::Output;
use crate::sheet::{Cell, Sheet};
use crate::snippet::{SNIPPET_CHARS, SnippetView};
use crate::view::ProjectNames;

/// Words that gave less than this part of what the best one gave are not what a piece of text is
/// shown for.
const TELLING: f64 = 0.5;

/// What was found, the best first.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ChunksFound {
    pub chunks: Vec<ChunkFound>,
    /// What was found too and did not fit into the budget.
    pub cut: Vec<CutChunk>,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ChunkFound {
    #[schemars(with = "String")]
    pub chunk_id: ChunkId,
    #[schemars(with = "String")]
    pub chunk_type: Slug,
    #[schemars(with = "String")]
    pub query_key: QueryKey,
    /// org, project or agent.
    #[schemars(with = "String")]
    pub scope: Scope,
    /// Whose it is, by name, if it is a project's.
    pub project: Option<String>,
    /// Whose it is, if it is one agent's alone.
    pub agent: Option<String>,
    pub title: String,
    pub tags: Vec<String>,
    pub version: u32,
    #[schemars(with = "String")]
    pub updated_at: Time,
    /// How well it answers; only the order of one answer's scores means anything.
    pub score: f64,
    /// The piece of its text that answers best, beside the title.
    pub snippet: Option<SnippetView>,
    /// All that it says, with what is easily got wrong, if that was asked for.
    pub content: Option<String>,
    /// How many tokens of the answer it takes, roughly.
    pub tokens: u32,
    /// Why it was found, if that was asked for.
    pub explanation: Option<Explanation>,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct CutChunk {
    #[schemars(with = "String")]
    pub chunk_id: ChunkId,
    pub title: String,
    pub tokens: u32,
}

/// What made up a score: the sum of what the words gave, times every factor.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Explanation {
    pub words: Vec<WordGave>,
    pub adjustments: Vec<Adjusted>,
}

/// What one word of the question gave.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct WordGave {
    pub asked: String,
    /// The word that was found for it.
    pub found: String,
    pub score: f64,
    /// What of it each place gave: title, tags, `query_key`, content or gotchas.
    pub places: BTreeMap<String, f64>,
}

/// What is known of the chunk and changed its score.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Adjusted {
    /// age, `agent_flag`, `low_score`, `source_changed` or pinned.
    #[schemars(with = "String")]
    pub why: Why,
    pub factor: f64,
}

/// How much is shown of each chunk.
pub(super) struct How {
    /// All that it says.
    pub(super) full: bool,
    /// Why it was found.
    pub(super) explain: bool,
}

/// A piece of the text where the words that gave most were found, beside the title.
fn piece(chunk: &Chunk, parts: &[Part]) -> Option<SnippetView> {
    let best = parts.first()?.score;
    let telling = parts.iter().filter(|part| part.score >= TELLING * best);
    let asked: Vec<Asked> = telling.map(|part| Asked { any: vec![part.word.clone()] }).collect();
    let texts = Texts::from(chunk);
    [Place::Content, Place::Gotchas, Place::Tags].iter().find_map(|place| {
        let found = snippet(&texts.at(*place), &asked, SNIPPET_CHARS)?;
        Some(SnippetView::new(place.as_str(), found))
    })
}

/// As many digits as mean something.
fn rounded(number: f64) -> f64 {
    (number * 1e4).round() / 1e4
}

impl From<&Part> for WordGave {
    fn from(part: &Part) -> Self {
        let place = |(place, gave): &(Place, f64)| (place.to_string(), rounded(*gave));
        Self {
            asked: part.asked.clone(),
            found: part.word.clone(),
            score: rounded(part.score),
            places: part.places.iter().map(place).collect(),
        }
    }
}

impl From<ChunkFound> for CutChunk {
    fn from(found: ChunkFound) -> Self {
        Self { chunk_id: found.chunk_id, title: found.title, tokens: found.tokens }
    }
}

impl ChunkFound {
    pub(super) fn of(
        snapshot: &mut Snapshot<'_>,
        found: FoundChunk,
        names: &mut ProjectNames,
        how: &How,
    ) -> Result<Self, Error> {
        let FoundChunk { chunk, score, parts, adjustments } = found;
        let snippet = piece(&chunk, &parts);
        let content = how.full.then(|| chunk.body());
        let (project, agent) = match &chunk.owner {
            Owner::Org => (None, None),
            Owner::Project(id) => (Some(names.of(snapshot, *id)?), None),
            Owner::Agent(name) => (None, Some(name.clone())),
        };
        let adjusted = adjustments.iter().map(|one| Adjusted { why: one.why, factor: one.factor });
        let explanation = how.explain.then(|| Explanation {
            words: parts.iter().map(WordGave::from).collect(),
            adjustments: adjusted.collect(),
        });
        let said = content.as_deref().or(snippet.as_ref().map(|piece| piece.text.as_str()));
        let tokens = tokens([chunk.title.as_str(), said.unwrap_or_default()]);
        Ok(Self {
            chunk_id: chunk.id,
            chunk_type: chunk.chunk_type,
            query_key: chunk.query_key,
            scope: chunk.owner.scope(),
            project,
            agent,
            title: chunk.title,
            tags: chunk.tags,
            version: chunk.version,
            updated_at: chunk.updated_at,
            score: rounded(score),
            snippet: snippet.filter(|_| content.is_none()),
            content,
            tokens,
            explanation,
        })
    }

    /// Whose it is, in a word.
    fn whose(&self) -> String {
        match (&self.project, &self.agent) {
            (Some(name), _) => name.clone(),
            (None, Some(name)) => format!("@{name}"),
            (None, None) => self.scope.to_string(),
        }
    }

    fn row(&self) -> Vec<Cell> {
        vec![
            self.chunk_id.short().into(),
            self.chunk_type.to_string().into(),
            self.whose().into(),
            self.title.clone().into(),
            Cell::dim(self.snippet.as_ref().map(SnippetView::shown).unwrap_or_default()),
        ]
    }

    fn heading(&self) -> String {
        format!("{} {}", self.chunk_id.short(), self.title)
    }
}

impl Explanation {
    fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for word in &self.words {
            let found = match word.asked == word.found {
                true => String::new(),
                false => format!(" as {}", word.found),
            };
            let places: Vec<String> =
                word.places.iter().map(|(place, gave)| format!("{place} {gave:.2}")).collect();
            lines.push(format!(
                "{}{found} gave {:.2}: {}",
                word.asked,
                word.score,
                places.join(", ")
            ));
        }
        lines.extend(self.adjustments.iter().map(|one| format!("{} ×{:.2}", one.why, one.factor)));
        lines
    }
}

impl Output for ChunksFound {
    fn sheet(&self, _now: Time) -> Sheet {
        if self.chunks.is_empty() && self.cut.is_empty() {
            return Sheet::line("nothing found");
        }
        let mut sheet = Sheet::default();
        if !self.chunks.is_empty() && self.chunks.iter().all(|found| found.content.is_none()) {
            let columns = ["id", "type", "of", "title…", "found…"];
            sheet = sheet.and_table(&columns, self.chunks.iter().map(ChunkFound::row).collect());
        }
        for found in &self.chunks {
            if found.content.is_none() && found.explanation.is_none() {
                continue;
            }
            sheet = sheet.and_heading(found.heading());
            if let Some(content) = &found.content {
                sheet = sheet.and_text(content.clone());
            }
            for line in found.explanation.iter().flat_map(Explanation::lines) {
                sheet = sheet.and_line(Cell::dim(line));
            }
        }
        for cut in &self.cut {
            let line =
                format!("cut: {} {}, {} tokens", cut.chunk_id.short(), cut.title, cut.tokens);
            sheet = sheet.and_line(Cell::dim(line));
        }
        sheet
    }
}
