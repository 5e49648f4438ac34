//! `chunk search`.

use std::collections::BTreeMap;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_domain::chunk::access::{Act, Reader};
use windlass_domain::chunk::condition::Conditions;
use windlass_domain::chunk::{Chunk, ChunkType, Owner, QueryKey, Scope, Slug};
use windlass_domain::definition::find;
use windlass_domain::search::{Kept, Part, Place, Question, Sight, Texts, Why, spend, tokens};
use windlass_domain::session::{AgentType, Filter};
use windlass_domain::words::{Asked, snippet};
use windlass_domain::{ChunkId, Code, Refusal, Time, text};
use windlass_ledger::{Error, FoundChunk, Snapshot};

use super::asker::Asker;
use super::owner;
use crate::context::Context;
use crate::operation::{Access, Operation, Output};
use crate::sheet::{Cell, Sheet};
use crate::snippet::{SNIPPET_CHARS, SnippetView};
use crate::view::{JsonObject, ProjectNames, limit};

/// Words that gave less than this part of what the best one gave are not what a piece of text is
/// shown for.
const TELLING: f64 = 0.5;

/// Finds chunks that answer a question, the best first.
#[derive(Debug, Clone, Default, Args, Serialize, Deserialize, JsonSchema)]
pub struct Search {
    /// What to find, in words; a part of a name or a path will do
    pub question: String,
    /// Only of this type; may be given more than once
    #[arg(long = "type", value_name = "TYPE")]
    #[serde(default)]
    pub chunk_types: Vec<String>,
    /// Only with these fields, as JSON; a list means any of it
    #[arg(long, value_name = "JSON")]
    #[serde(default)]
    pub fields: Option<JsonObject>,
    /// Only of this project
    #[arg(short = 'P', long, value_name = "NAME")]
    #[serde(default)]
    pub project: Option<String>,
    /// Only of this scope: org, project or agent
    #[arg(long, value_name = "SCOPE")]
    #[serde(default)]
    pub scope: Option<String>,
    /// Only of this owner: org, project:NAME or agent:NAME
    #[arg(long, value_name = "OWNER")]
    #[serde(default)]
    pub owner: Option<String>,
    /// Only with this query key
    #[arg(long = "key", value_name = "KEY")]
    #[serde(default)]
    pub query_key: Option<String>,
    /// Only what is injected to somebody
    #[arg(long)]
    #[serde(default)]
    pub injected: bool,
    /// Only with all of these tags
    #[arg(
        short,
        long = "tag",
        visible_alias = "tags",
        value_name = "TAG,…",
        value_delimiter = ','
    )]
    #[serde(default)]
    pub tags: Vec<String>,
    /// At most this many chunks
    #[arg(short, long, value_name = "N", default_value_t = 10, allow_negative_numbers = true)]
    #[serde(default = "ten")]
    pub limit: u64,
    /// The answer may take this many tokens; what does not fit is named
    #[arg(long, value_name = "TOKENS")]
    #[serde(default)]
    pub budget: Option<u32>,
    /// Show all that the chunks say, not only a piece
    #[arg(long)]
    #[serde(default)]
    pub full: bool,
    /// Say which words gave how much, and what else counted
    #[arg(long)]
    #[serde(default)]
    pub explain: bool,
    #[command(flatten)]
    #[serde(flatten)]
    pub asker: Asker,
}

fn ten() -> u64 {
    10
}

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

impl Operation for Search {
    type Output = ChunksFound;
    const NAME: &'static str = "chunk.search";
    const ABOUT: &'static str = "Find chunks that answer a question";
    const EXAMPLE: &'static str = "windlass chunk search 'rate limit of the API' --type decision";
    const ACCESS: Access = Access::Read;

    fn run(&self, cx: &mut Context) -> Result<ChunksFound, Error> {
        let question = Question::parse(&self.question)?;
        let limit = usize::try_from(limit(self.limit)?).unwrap_or(usize::MAX);
        let scope = self.scope.as_deref().map(scope).transpose()?;
        let known = self.asker.known(cx)?;
        cx.read(|snapshot| {
            let reader = known.reader(snapshot)?;
            let types = snapshot.chunk_types()?;
            let sight = self.sight(snapshot, &reader, &types, scope)?;
            let mut names = ProjectNames::default();
            let mut chunks = Vec::new();
            for found in snapshot.search_chunks(&question, &sight, limit)? {
                chunks.push(self.shown(snapshot, found, &mut names)?);
            }
            let Kept { kept, cut } = spend(chunks, self.budget, |found| found.tokens);
            Ok(ChunksFound { chunks: kept, cut: cut.into_iter().map(CutChunk::from).collect() })
        })
    }
}

impl Search {
    /// What may be found: what the asker may find at all, and of that what it asks for.
    fn sight<'a>(
        &self,
        snapshot: &mut Snapshot<'_>,
        reader: &'a Reader,
        types: &'a [ChunkType],
        scope: Option<Scope>,
    ) -> Result<Sight<'a>, Error> {
        let mut chunk_types = Vec::new();
        for given in &self.chunk_types {
            chunk_types.push(find(types, &given.parse()?)?.slug.clone());
        }
        let project =
            self.project.as_deref().map(|name| snapshot.project_named(name)).transpose()?;
        let owner = self.owner.as_deref();
        let owner =
            owner.map(|given| owner::named(snapshot, given, reader, Act::Search)).transpose()?;
        let (filter, scopes) = allowed(snapshot, reader, scope)?;
        Ok(Sight {
            scopes,
            project: project.map(|project| project.id),
            owner,
            query_key: self.query_key.as_deref().map(QueryKey::parse).transpose()?,
            injected: self.injected,
            filter,
            fields: self.conditions(types, &chunk_types)?,
            chunk_types,
            tags: text::tags(&self.tags)?,
            types,
            ..Sight::of(reader)
        })
    }

    /// The conditions on fields, on types that have these fields.
    fn conditions(&self, types: &[ChunkType], wanted: &[Slug]) -> Result<Conditions, Refusal> {
        let Some(JsonObject(given)) = &self.fields else { return Ok(Conditions::default()) };
        let conditions = Conditions::read(&Value::Object(given.clone()))?;
        let is_wanted = |of: &&ChunkType| wanted.is_empty() || wanted.contains(&of.slug);
        let mut refused = None;
        for chunk_type in types.iter().filter(is_wanted) {
            match conditions.checked_for(&chunk_type.fields) {
                Ok(checked) => return Ok(checked),
                Err(refusal) => refused = Some(refusal),
            }
        }
        refused.map_or(Ok(conditions), Err)
    }

    fn shown(
        &self,
        snapshot: &mut Snapshot<'_>,
        found: FoundChunk,
        names: &mut ProjectNames,
    ) -> Result<ChunkFound, Error> {
        let FoundChunk { chunk, score, parts, adjustments } = found;
        let snippet = piece(&chunk, &parts);
        let content = self.full.then(|| chunk.body());
        let (project, agent) = match &chunk.owner {
            Owner::Org => (None, None),
            Owner::Project(id) => (Some(names.of(snapshot, *id)?), None),
            Owner::Agent(name) => (None, Some(name.clone())),
        };
        let adjusted = adjustments.iter().map(|one| Adjusted { why: one.why, factor: one.factor });
        let explanation = self.explain.then(|| Explanation {
            words: parts.iter().map(WordGave::from).collect(),
            adjustments: adjusted.collect(),
        });
        let said = content.as_deref().or(snippet.as_ref().map(|piece| piece.text.as_str()));
        let tokens = tokens([chunk.title.as_str(), said.unwrap_or_default()]);
        Ok(ChunkFound {
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
}

fn scope(given: &str) -> Result<Scope, Refusal> {
    Scope::from_text(given).ok_or_else(|| {
        Refusal::new(Code::InvalidValue, format!("there is no scope '{given}'"))
            .hint("give org, project or agent as --scope")
            .detail("field", "scope")
            .detail("given", given)
    })
}

/// What the searches of an agent may find, and which scopes they look at: as its type says, but for
/// what it overrides.
fn allowed(
    snapshot: &mut Snapshot<'_>,
    reader: &Reader,
    scope: Option<Scope>,
) -> Result<(Filter, Vec<Scope>), Error> {
    let agent = match reader.is_agent() {
        true => snapshot.known_agent(&reader.name)?,
        false => None,
    };
    let Some(agent) = agent else {
        let filter = Filter::default();
        let scopes = filter.scopes(scope);
        return Ok((filter, scopes));
    };
    let types = snapshot.agent_types()?;
    let of = find(&types, &agent.agent_type)?;
    let own = AgentType { search: agent.search(of), ..of.clone() };
    let scopes = own.searched(scope);
    Ok((own.search, scopes))
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
