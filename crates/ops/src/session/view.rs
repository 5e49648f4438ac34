//! Sessions and what they were given, as they are shown.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::chunk::Chunk;
use windlass_domain::inject::fence::fenced;
use windlass_domain::inject::{Injected, Injection};
use windlass_domain::session::Session;
use windlass_domain::session::lifecycle::RequiredStep;
use windlass_domain::session::state::SessionStatus;
use windlass_domain::{ChunkId, RunKey, SessionId, Time};
use windlass_ledger::{Fault, Snapshot};

use super::choose::Chosen;
use crate::operation::Output;
use crate::sheet::{Cell, Sheet, Tone, counted, relative};

/// A session.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct SessionView {
    #[schemars(with = "String")]
    pub session_id: SessionId,
    pub agent: String,
    pub agent_type: Option<String>,
    pub lifecycle: String,
    pub project: Option<String>,
    /// The run it is part of.
    #[schemars(with = "Option<String>")]
    pub run: Option<RunKey>,
    /// active, ended or expired.
    #[schemars(with = "String")]
    pub status: SessionStatus,
    pub focus: Option<FocusView>,
    /// What the lifecycle asks for before anything is written: `register_focus`.
    #[schemars(with = "Vec<String>")]
    pub required_steps: Vec<RequiredStep>,
    /// What of that was not done yet.
    #[schemars(with = "Vec<String>")]
    pub missing_steps: Vec<RequiredStep>,
    pub resume_count: u32,
    /// Chunks that were written in it first.
    pub chunks_written: u64,
    /// From so many surfaced chunks on somebody is asked what becomes of them.
    pub consolidation_threshold: u32,
    #[schemars(with = "String")]
    pub started_at: Time,
    #[schemars(with = "String")]
    pub expires_at: Time,
    #[schemars(with = "Option<String>")]
    pub ended_at: Option<Time>,
}

/// What an agent works on in a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FocusView {
    pub task: String,
    pub tags: Vec<String>,
}

impl SessionView {
    pub(super) fn of(snapshot: &mut Snapshot<'_>, session: &Session) -> Result<Self, Fault> {
        let project = match session.project {
            Some(id) => Some(snapshot.project(id)?.name),
            None => None,
        };
        let focus = session.focus.as_ref();
        Ok(Self {
            session_id: session.id,
            agent: session.agent.clone(),
            agent_type: session.agent_type.as_ref().map(ToString::to_string),
            lifecycle: session.lifecycle.to_string(),
            project,
            run: session.run,
            status: session.status_at(snapshot.now()),
            focus: focus
                .map(|focus| FocusView { task: focus.task.clone(), tags: focus.tags.clone() }),
            required_steps: session.required_steps.clone(),
            missing_steps: session.missing_steps(),
            resume_count: session.resumes,
            chunks_written: snapshot.count_chunks_of_session(session.id)?,
            consolidation_threshold: session.consolidation_threshold,
            started_at: session.started_at,
            expires_at: session.expires_at,
            ended_at: session.ended_at,
        })
    }

    pub(super) fn status_cell(&self) -> Cell {
        let tone = match self.status {
            SessionStatus::Active => Tone::Busy,
            SessionStatus::Ended => Tone::Dim,
            SessionStatus::Expired => Tone::Bad,
        };
        Cell::toned(self.status.as_str(), tone)
    }

    /// What people want to know of it.
    pub(super) fn facts(&self, now: Time) -> Sheet {
        let known = |name: &'static str, value: &Option<String>| {
            value.clone().map(|value| (name, Cell::from(value)))
        };
        let focus = self.focus.as_ref().map(|focus| match focus.tags.is_empty() {
            true => focus.task.clone(),
            false => format!("{} ({})", focus.task, focus.tags.join(", ")),
        });
        let run = self.run.map(|run| run.to_string());
        let until = match self.ended_at {
            Some(ended) => ("over", Cell::from(relative(ended, now))),
            None => ("expires", Cell::from(relative(self.expires_at, now))),
        };
        let first = [
            ("session", Cell::from(self.session_id.to_string())),
            ("status", self.status_cell()),
            ("agent", Cell::from(self.agent.clone())),
            ("lifecycle", Cell::from(self.lifecycle.clone())),
        ];
        let rest = [
            known("type", &self.agent_type),
            known("project", &self.project),
            known("run", &run),
            known("focus", &focus),
        ];
        let wrote = ("wrote", Cell::from(counted(self.chunks_written, "chunk")));
        let facts = first.into_iter().chain(rest.into_iter().flatten()).chain([until, wrote]);
        let sheet = Sheet::default().and_facts(facts);
        match self.missing_steps.is_empty() || self.status != SessionStatus::Active {
            true => sheet,
            false => sheet.and_line(Cell::toned(
                format!(
                    "say what you work on before you write: windlass session focus {} TASK",
                    self.session_id.short()
                ),
                Tone::Bad,
            )),
        }
    }
}

/// A chunk that a session was given, as it was then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InjectedChunk {
    #[schemars(with = "String")]
    pub chunk_id: ChunkId,
    pub version: u32,
    /// What chose it, in words.
    pub rule: String,
    /// How much it takes of a budget, roughly.
    pub tokens: u32,
    pub chunk_type: String,
    pub scope: String,
    pub query_key: String,
    pub title: String,
    /// What it says, and what is easily got wrong.
    pub content: String,
    pub author: String,
    #[schemars(with = "String")]
    pub updated_at: Time,
}

/// A chunk that would have been given too, had the budget been larger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CutChunk {
    #[schemars(with = "String")]
    pub chunk_id: ChunkId,
    pub version: u32,
    pub title: String,
    pub rule: String,
    pub tokens: u32,
}

/// What somebody is given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Given {
    pub injected: Vec<InjectedChunk>,
    /// What a budget left out.
    pub cut: Vec<CutChunk>,
    /// The same chunks as one text for an agent: fenced as data, with where each comes from.
    pub text: String,
}

impl Given {
    pub(super) fn of(chosen: &Chosen) -> Self {
        let Injection { chunks, cut } = &chosen.injection;
        let known = |injected: &Injected| Some((injected.clone(), chosen.chunk(injected.chunk)?));
        let given: Vec<(Injected, &Chunk)> = chunks.iter().filter_map(known).collect();
        let cut = cut.iter().filter_map(known);
        let shown: Vec<&Chunk> = given.iter().map(|(_, chunk)| *chunk).collect();
        let text = fenced(&shown);
        Self {
            injected: given.into_iter().map(|(how, chunk)| injected(how, chunk)).collect(),
            cut: cut
                .map(|(how, chunk)| CutChunk {
                    chunk_id: how.chunk,
                    version: how.version,
                    title: chunk.title.clone(),
                    rule: how.rule,
                    tokens: how.tokens,
                })
                .collect(),
            text,
        }
    }

    /// What was given by which rule, what was left out, and the text itself.
    pub(super) fn and_on(&self, sheet: Sheet) -> Sheet {
        let sheet = if self.injected.is_empty() {
            sheet.and_line("nothing is injected")
        } else {
            let rows = self.injected.iter().map(InjectedChunk::row).collect();
            sheet.and_heading("injected").and_table(&COLUMNS, rows)
        };
        let sheet = if self.cut.is_empty() {
            sheet
        } else {
            let rows = self.cut.iter().map(CutChunk::row).collect();
            sheet.and_heading("left out by the budget").and_table(&CUT_COLUMNS, rows)
        };
        match self.text.is_empty() {
            true => sheet,
            false => sheet.and_heading("as the agent reads it").and_text(self.text.clone()),
        }
    }
}

const COLUMNS: [&str; 5] = ["chunk", "type", "title…", "rule…", "tokens"];
const CUT_COLUMNS: [&str; 4] = ["chunk", "title…", "rule…", "tokens"];

fn injected(how: Injected, chunk: &Chunk) -> InjectedChunk {
    InjectedChunk {
        chunk_id: how.chunk,
        version: how.version,
        rule: how.rule,
        tokens: how.tokens,
        chunk_type: chunk.chunk_type.to_string(),
        scope: chunk.owner.scope().to_string(),
        query_key: chunk.query_key.to_string(),
        title: chunk.title.clone(),
        content: chunk.body(),
        author: chunk.author.name.clone(),
        updated_at: chunk.updated_at,
    }
}

impl InjectedChunk {
    fn row(&self) -> Vec<Cell> {
        vec![
            self.chunk_id.short().into(),
            self.chunk_type.clone().into(),
            self.title.clone().into(),
            Cell::dim(self.rule.clone()),
            self.tokens.to_string().into(),
        ]
    }
}

impl CutChunk {
    fn row(&self) -> Vec<Cell> {
        vec![
            self.chunk_id.short().into(),
            self.title.clone().into(),
            Cell::dim(self.rule.clone()),
            self.tokens.to_string().into(),
        ]
    }
}

/// A session, and what it is given now.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Sat {
    #[serde(flatten)]
    pub session: SessionView,
    #[serde(flatten)]
    pub given: Given,
}

impl Output for Sat {
    fn sheet(&self, now: Time) -> Sheet {
        self.given.and_on(self.session.facts(now))
    }
}
