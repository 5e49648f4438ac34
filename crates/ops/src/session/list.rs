//! `session list`.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::Time;
use windlass_domain::session::state::SessionStatus;
use windlass_ledger::{Error, SessionFilter};

use super::start::run_named;
use super::view::SessionView;
use crate::chunk::asker::Asker;
use crate::context::Context;
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
    /// Show at most this many
    #[arg(short, long, value_name = "N", default_value_t = USUAL)]
    pub limit: u64,
    #[command(flatten)]
    #[serde(flatten)]
    pub asker: Asker,
}

impl Default for List {
    fn default() -> Self {
        Self { status: None, of: None, run: None, limit: USUAL, asker: Asker::default() }
    }
}

/// Sessions.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Listed {
    pub sessions: Vec<SessionView>,
}

impl Operation for List {
    type Output = Listed;
    const NAME: &'static str = "session.list";
    const ABOUT: &'static str = "List the sessions of agents, the newest first";
    const EXAMPLE: &'static str = "windlass session list --status active";
    const ACCESS: Access = Access::Read;

    fn run(&self, cx: &mut Context) -> Result<Listed, Error> {
        let status = self.status.as_deref().map(status).transpose()?;
        let limit = limit(self.limit)?;
        let asker = self.asker.known(cx)?;
        cx.read(|snapshot| {
            let reader = asker.reader(snapshot)?;
            let own = reader.is_agent().then(|| reader.name.clone());
            if own.is_some() && self.of.is_some() && own != self.of {
                // To others the sessions of an agent are not there.
                return Ok(Listed { sessions: Vec::new() });
            }
            let run = self.run.as_deref().map(|run| run_named(snapshot, run)).transpose()?;
            let run = run.map(|run| run.key);
            let agent = own.or_else(|| self.of.clone());
            let filter = SessionFilter { agent, status, run, before: None, limit };
            let mut sessions = Vec::new();
            for kept in snapshot.sessions(&filter)? {
                sessions.push(SessionView::of(snapshot, &kept.session)?);
            }
            Ok(Listed { sessions })
        })
    }
}

fn status(given: &str) -> Result<SessionStatus, windlass_domain::Refusal> {
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
        Sheet::default().and_table(&columns, self.sessions.iter().map(row).collect())
    }
}
