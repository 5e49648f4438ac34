//! `chunk write`.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windlass_domain::chunk::access::Reader;
use windlass_domain::chunk::event::ChunkWritten;
use windlass_domain::chunk::source::Source;
use windlass_domain::chunk::state::Visibility;
use windlass_domain::chunk::write::{CONTENT_BYTES, Draft, Taken, write};
use windlass_domain::chunk::{Chunk, ChunkType, Owner, QueryKey, Scope, Slug, spec, tie};
use windlass_domain::definition::find;
use windlass_domain::event::Change;
use windlass_domain::session::Session;
use windlass_domain::{Code, Refusal, Time};
use windlass_ledger::{Error, Transaction};

use super::audience;
use super::near::{Near, nearest};
use super::parts::{Parts, word};
use super::reference;
use super::view::{ChunkView, ChunkViews};
use super::writer::{Writer, author};
use crate::context::Context;
use crate::operation::{Access, Operation, Output};
use crate::sheet::{Cell, Sheet};
use crate::until::until;
use crate::view::usage;

/// Writes a chunk.
#[derive(Debug, Clone, Default, Args, Serialize, Deserialize, JsonSchema)]
pub struct Write {
    /// What kind of chunk it is, such as knowledge
    #[arg(value_name = "TYPE")]
    pub chunk_type: String,
    /// One line, at most 128 characters
    pub title: String,
    /// What it says, in Markdown; or give --file
    #[serde(default)]
    pub content: Option<String>,
    /// The file that has what it says; - is the standard input
    #[arg(long, value_name = "FILE")]
    #[serde(default)]
    pub file: Option<String>,
    /// How widely it is meant: org, project or agent; as its type says unless given
    #[arg(long, value_name = "WORD")]
    #[serde(default)]
    pub scope: Option<String>,
    /// The project whose it is
    #[arg(short = 'P', long, value_name = "NAME")]
    #[serde(default)]
    pub project: Option<String>,
    /// The agent whose it is, if it is one agent's; you unless given
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    pub owner: Option<String>,
    /// The name it is fetched by; made from the title unless given
    #[arg(long = "key", value_name = "KEY")]
    #[serde(default)]
    pub query_key: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    pub parts: Parts,
    /// Until when it holds: 30d, or 2026-11-15
    #[arg(long, value_name = "TIME")]
    #[serde(default)]
    pub expires: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    pub writer: Writer,
}

/// The new chunk.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Written {
    #[serde(flatten)]
    pub chunk: ChunkView,
    /// What was there already and says nearly the same, the nearest first.
    pub nearest: Vec<Near>,
}

impl Operation for Write {
    type Output = Written;
    const NAME: &'static str = "chunk.write";
    const ABOUT: &'static str = "Write a chunk: a versioned piece of context of some type";
    const EXAMPLE: &'static str =
        "windlass chunk write decision 'One database' --file why.md -P api";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<Written, Error> {
        let content = content(self.content.as_ref(), self.file.as_ref(), cx)?;
        let content = content.ok_or_else(|| {
            usage("missing <CONTENT>", "say it after the title, or give --file FILE")
        })?;
        self.record(&content, cx)
    }

    fn for_a_server(&self, cx: &mut Context) -> Result<Option<Self>, Error> {
        let content = content(self.content.as_ref(), self.file.as_ref(), cx)?;
        let parts = self.parts.for_a_server(cx)?;
        let writer = self.writer.settled(cx);
        Ok(Some(Self { content, file: None, parts, writer, ..self.clone() }))
    }
}

/// What a chunk shall say: as given, or as a file has it.
pub(super) fn content(
    given: Option<&String>,
    file: Option<&String>,
    cx: &mut Context,
) -> Result<Option<String>, Error> {
    match (given, file) {
        (Some(_), Some(_)) => {
            Err(usage("give the content or --file, not both", "one of them is enough").into())
        }
        (given, None) => Ok(given.cloned()),
        (None, Some(file)) => Ok(Some(cx.local_text_within(file, CONTENT_BYTES)?)),
    }
}

impl Write {
    /// Writes it, in one transaction with the task of a spec.
    pub(super) fn record(&self, content: &str, cx: &mut Context) -> Result<Written, Error> {
        let slug = Slug::parse("type", &self.chunk_type)?;
        let source = match self.parts.source(cx)? {
            Some(Change::To(source)) => Some(source),
            Some(Change::Cleared) | None => None,
        };
        let visibility = self.parts.visibility()?;
        let usual_project = cx.default_project().map(str::to_owned);
        let sitter = self.writer.sitter(cx)?;
        cx.write(&sitter.known.name, |tx| {
            let (reader, session) = sitter.seated(tx)?;
            let mut views = ChunkViews::new(tx, &reader)?;
            let chunk_type = find(views.types(), &slug)?.clone();
            let usual = project_of_session(tx, session.as_ref())?.or(usual_project.clone());
            let owner = self.owner(tx, &chunk_type, &reader, usual)?;
            let given = self.parts.fields_of(&chunk_type)?;
            let fields = reference::resolved(tx, &chunk_type, given, &Map::new(), &reader)?;
            let draft = self.draft(content, fields, visibility, source.clone(), tx.now())?;
            let draft = Draft { audience: audience::kept(tx, draft.audience)?, ..draft };
            let taken = taken(tx, &owner, &slug, &draft)?;
            let by = author(&reader, session.as_ref());
            let written = write(&draft, &chunk_type, owner, &taken, &reader, by)?;
            let nearest = nearest(tx, &written, &reader)?;
            let chunk = begin(tx, written)?;
            Ok(Written { chunk: views.view(tx, &chunk)?, nearest })
        })
    }

    fn draft(
        &self,
        content: &str,
        fields: Map<String, Value>,
        visibility: Option<Visibility>,
        source: Option<Source>,
        now: Time,
    ) -> Result<Draft, Refusal> {
        let expires = self.expires.as_deref();
        Ok(Draft {
            query_key: self.query_key.clone(),
            tags: self.parts.tags().unwrap_or_default(),
            fields,
            audience: self.parts.audience().unwrap_or_default(),
            gotchas: self.parts.gotchas().unwrap_or_default(),
            related: self.parts.related().unwrap_or_default(),
            visibility: visibility.unwrap_or(Visibility::Private),
            source,
            expires_at: expires.map(|given| until("expires", given, now)).transpose()?,
            ..Draft::new(&self.title, content)
        })
    }

    fn owner(
        &self,
        tx: &mut Transaction<'_>,
        chunk_type: &ChunkType,
        reader: &Reader,
        usual_project: Option<String>,
    ) -> Result<Owner, Error> {
        let given = self.scope.as_deref();
        let given =
            given.map(|given| word("scope", given, Scope::ALL, Scope::as_str)).transpose()?;
        let scope = given.unwrap_or(chunk_type.scope);
        refuse_surplus("project", scope == Scope::Project, self.project.as_ref(), scope)?;
        refuse_surplus("owner", scope == Scope::Agent, self.owner.as_ref(), scope)?;
        let project = match self.project.clone().or(usual_project) {
            Some(name) if scope == Scope::Project => Some(tx.project_named(&name)?.id),
            Some(_) | None => None,
        };
        Ok(Owner::of(scope, project, self.owner.as_deref().unwrap_or(&reader.name))?)
    }
}

/// Refuses what says whose a chunk is where its scope says something else.
fn refuse_surplus(
    field: &str,
    fits: bool,
    given: Option<&String>,
    scope: Scope,
) -> Result<(), Refusal> {
    match given {
        Some(given) if !fits => {
            let message = format!("a chunk of scope {scope} has no {field}");
            Err(Refusal::new(Code::InvalidValue, message)
                .hint(format!("leave the {field} out, or give another --scope"))
                .detail("field", field)
                .detail("given", given))
        }
        Some(_) | None => Ok(()),
    }
}

/// The name of the project in which a session is: whose a chunk is that was given none.
fn project_of_session(
    tx: &mut Transaction<'_>,
    session: Option<&Session>,
) -> Result<Option<String>, Error> {
    let project = session.and_then(|session| session.project);
    Ok(project.map(|id| tx.project(id)).transpose()?.map(|project| project.name))
}

/// The keys that are taken already.
fn taken(
    tx: &mut Transaction<'_>,
    owner: &Owner,
    slug: &Slug,
    draft: &Draft,
) -> Result<Taken, Error> {
    if let Some(key) = draft.query_key.as_deref().map(QueryKey::parse).transpose()? {
        let holder = tx.chunk_with_key(owner, slug, &key)?;
        return Ok(Taken { by: holder.map(|chunk| chunk.id), ..Taken::default() });
    }
    Ok(Taken { instead: Some(tx.free_key(owner, slug, &draft.title)?), ..Taken::default() })
}

/// Records a chunk, and with a spec its task.
fn begin(tx: &mut Transaction<'_>, written: ChunkWritten) -> Result<Chunk, Error> {
    if !spec::is_spec(&written.chunk_type) {
        return tx.begin_chunk(written);
    }
    let task = tx.new_task_id()?;
    let written = ChunkWritten { task: Some(task), ..written };
    let chunk = tx.begin_chunk(written.clone())?;
    tx.create(task, tie::task(&written, chunk.id)?)?;
    Ok(chunk)
}

impl Output for Written {
    fn sheet(&self, _now: Time) -> Sheet {
        let chunk = &self.chunk;
        let (id, kind, whose) = (chunk.chunk_id.short(), &chunk.chunk_type, chunk.whose());
        let mut sheet = Sheet::line(format!("{id} {kind} of {whose} written: {}", chunk.title))
            .and_facts([("key", chunk.query_key.to_string().into())]);
        if let Some(task) = chunk.task_id {
            sheet = sheet.and_line(format!("its task is {}", task.short()));
        }
        if self.nearest.is_empty() {
            return sheet;
        }
        let row = |near: &Near| {
            let mut row = near.chunk.row();
            row.push(Cell::dim(format!("{:.2}", near.likeness)));
            row
        };
        let rows = self.nearest.iter().map(row).collect();
        sheet.and_heading("like what was there").and_table(&["id", "type", "title…", "like"], rows)
    }
}
