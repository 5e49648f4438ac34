//! `chunk search`.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_domain::chunk::access::{Act, Reader};
use windlass_domain::chunk::condition::Conditions;
use windlass_domain::chunk::{ChunkType, QueryKey, Scope, Slug};
use windlass_domain::definition::find;
use windlass_domain::search::{Kept, Question, Sight, spend};
use windlass_domain::session::{AgentType, Filter};
use windlass_domain::{Refusal, text};
use windlass_ledger::{Error, Snapshot};

use super::asker::Asker;
use super::found::{ChunkFound, ChunksFound, CutChunk, How};
use super::owner;
use super::parts::word;
use crate::context::Context;
use crate::operation::{Access, Operation};
use crate::view::{JsonObject, ProjectNames, limit};

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

impl Operation for Search {
    type Output = ChunksFound;
    const NAME: &'static str = "chunk.search";
    const ABOUT: &'static str = "Find chunks that answer a question";
    const EXAMPLE: &'static str = "windlass chunk search 'rate limit of the API' --type decision";
    const ACCESS: Access = Access::Read;

    fn run(&self, cx: &mut Context) -> Result<ChunksFound, Error> {
        let question = Question::parse(&self.question)?;
        let limit = usize::try_from(limit(self.limit)?).unwrap_or(usize::MAX);
        let scope = self.scope.as_deref();
        let scope =
            scope.map(|given| word("scope", given, Scope::ALL, Scope::as_str)).transpose()?;
        let known = self.asker.known(cx)?;
        cx.read(|snapshot| {
            let reader = known.reader(snapshot)?;
            let types = snapshot.chunk_types()?;
            let sight = self.sight(snapshot, &reader, &types, scope)?;
            let mut names = ProjectNames::default();
            let shown = How { full: self.full, explain: self.explain };
            let mut chunks = Vec::new();
            for found in snapshot.search_chunks(&question, &sight, limit)? {
                chunks.push(ChunkFound::of(snapshot, found, &mut names, &shown)?);
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
