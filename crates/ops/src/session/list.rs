//! `session list`.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::chunk::Slug;
use windlass_domain::session::state::SessionStatus;
use windlass_domain::{Refusal, SessionId, Time};
use windlass_ledger::{Error, SessionFilter, Snapshot};

use super::start::{project_named, run_named};
use super::view::SessionView;
use crate::chunk::asker::Asker;
use crate::context::Context;
use crate::cursor::{cursor, place};
use crate::operation::{Access, Operation, Output};
use crate::settings::one_of;
use crate::sheet::{Cell, Sheet, relative};
use crate::view::limit;

const USUAL: u64 = 50;

/// Lists sessions, the newest first.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct List {
    /// Only with this status: active, ended or expired
    #[arg(short, long, value_name = "STATUS")]
    pub status: Option<String>,
    /// Only those of this agent; an agent sees its own alone
    #[arg(long, value_name = "NAME")]
    pub of: Option<String>,
    /// Only those of this run
    #[arg(long, value_name = "RUN")]
    pub run: Option<String>,
    /// Only those about this project
    #[arg(short = 'P', long, value_name = "NAME")]
    pub project: Option<String>,
    /// Only those under this lifecycle
    #[arg(long, value_name = "SLUG")]
    pub lifecycle: Option<String>,
    /// Show at most this many
    #[arg(short, long, value_name = "N", default_value_t = USUAL)]
    pub limit: u64,
    /// Go on where an answer ended, by the cursor it named
    #[arg(long, value_name = "CURSOR")]
    pub cursor: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    pub asker: Asker,
}

impl Default for List {
    fn default() -> Self {
        Self {
            status: None,
            of: None,
            run: None,
            project: None,
            lifecycle: None,
            limit: USUAL,
            cursor: None,
            asker: Asker::default(),
        }
    }
}

/// One page of sessions.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct Listed {
    pub sessions: Vec<SessionView>,
    pub has_more: bool,
    /// Goes on after this page, with the same filters.
    pub next_cursor: Option<String>,
}

impl Operation for List {
    type Output = Listed;
    const NAME: &'static str = "session.list";
    const ABOUT: &'static str = "List the sessions of agents, the newest first";
    const EXAMPLE: &'static str = "windlass session list --status active";
    const ACCESS: Access = Access::Read;

    fn run(&self, cx: &mut Context) -> Result<Listed, Error> {
        let limit = limit(self.limit)?;
        let asker = self.asker.known(cx)?;
        cx.read(|snapshot| {
            let reader = asker.reader(snapshot)?;
            let own = reader.is_agent().then(|| reader.name.clone());
            if own.is_some() && self.of.is_some() && own != self.of {
                // To others the sessions of an agent are not there.
                return Ok(Listed::default());
            }
            let agent = own.or_else(|| self.of.clone());
            // One more than is shown tells whether there are more.
            let filter = SessionFilter { agent, limit: limit + 1, ..self.filter(snapshot)? };
            let mut found = snapshot.sessions(&filter)?;
            let has_more = found.len() as u64 > limit;
            found.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
            let last = found.last().filter(|_| has_more);
            let last =
                last.map(|kept| cursor((kept.created_seq, kept.session.id), &self.filters()));
            let mut sessions = Vec::with_capacity(found.len());
            for kept in &found {
                sessions.push(SessionView::of(snapshot, &kept.session)?);
            }
            Ok(Listed { sessions, has_more, next_cursor: last.transpose()? })
        })
    }
}

impl List {
    fn filter(&self, snapshot: &mut Snapshot<'_>) -> Result<SessionFilter, Error> {
        let lifecycle = self.lifecycle.as_deref().map(|slug| Slug::parse("lifecycle", slug));
        let run = self.run.as_deref().map(|run| run_named(snapshot, run));
        Ok(SessionFilter {
            status: self.status.as_deref().map(status).transpose()?,
            lifecycle: lifecycle.transpose()?,
            run: run.transpose()?.map(|run| run.key),
            project: project_named(snapshot, self.project.as_deref())?,
            before: self.before()?,
            ..SessionFilter::default()
        })
    }

    fn before(&self) -> Result<Option<u64>, Refusal> {
        let read = |seq: &str, session: &str| {
            session.parse::<SessionId>().ok().and_then(|_| seq.parse().ok())
        };
        self.cursor.as_deref().map(|cursor| place(cursor, &self.filters(), read)).transpose()
    }

    /// What two questions with the same cursor must have in common.
    fn filters(&self) -> Self {
        Self { limit: 0, cursor: None, ..self.clone() }
    }
}

fn status(given: &str) -> Result<SessionStatus, Refusal> {
    let words: Vec<&str> = SessionStatus::ALL.iter().map(|status| status.as_str()).collect();
    SessionStatus::from_text(given).ok_or_else(|| one_of("status", given, &words))
}

impl Output for Listed {
    fn sheet(&self, now: Time) -> Sheet {
        if self.sessions.is_empty() {
            return Sheet::line("no sessions; start one: windlass session start --agent NAME");
        }
        let row = |session: &SessionView| -> Vec<Cell> {
            let focus = session.focus.as_ref().map(|focus| focus.task.clone());
            vec![
                session.session_id.short().into(),
                session.status_cell(),
                session.agent.clone().into(),
                session.lifecycle.clone().into(),
                session.project.clone().unwrap_or_default().into(),
                focus.unwrap_or_default().into(),
                Cell::dim(relative(session.started_at, now)),
            ]
        };
        let columns = ["session", "status", "agent", "lifecycle", "project", "focus…", "started"];
        let rows = self.sessions.iter().map(row).collect();
        let sheet = Sheet::default().and_table(&columns, rows);
        match &self.next_cursor {
            Some(cursor) => sheet.and_line(Cell::dim(format!("go on with --cursor {cursor}"))),
            None => sheet,
        }
    }
}
