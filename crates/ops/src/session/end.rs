//! `session end`.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::Time;
use windlass_domain::session::sit::end;
use windlass_ledger::Error;

use super::at::{At, NOTICED, at_a_session};
use super::show::{SurfacedChunk, and_surfaced};
use super::view::SessionView;
use crate::context::Context;
use crate::operation::{Access, Operation, Output};
use crate::sheet::{Sheet, counted};

/// Ends a session.
#[derive(Debug, Clone, Default, Args, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct End {
    #[command(flatten)]
    #[serde(flatten)]
    pub at: At,
}

/// A session that is over, and what it wrote that somebody decides about.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Ended {
    #[serde(flatten)]
    pub session: SessionView,
    pub surfaced: Vec<SurfacedChunk>,
    /// It wrote so much that its lifecycle asks for decisions.
    pub asks_for_consolidation: bool,
}

impl Operation for End {
    type Output = Ended;
    const NAME: &'static str = "session.end";
    const ABOUT: &'static str = "End a session; what it wrote comes up for a decision";
    const EXAMPLE: &'static str = "windlass session end 8F3K2Q --agent coder-1";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<Ended, Error> {
        let (asker, which) = self.at.known(cx)?;
        cx.write(&asker.name, |tx| {
            tx.expire_sessions(NOTICED)?;
            let reader = asker.reader(tx)?;
            let kept = which.find(tx, &reader)?;
            let (wrote, types) = (tx.chunks_of_session(kept.session.id)?, tx.chunk_types()?);
            let events = end(&kept.session, &wrote, &types, &reader, tx.now())?;
            let session = tx.record_session(&kept, events)?.session;
            Ok(Ended {
                session: SessionView::of(tx, &session)?,
                surfaced: SurfacedChunk::all(tx, &session)?,
                asks_for_consolidation: session.asks_for_consolidation(),
            })
        })
    }

    at_a_session!();
}

impl Output for Ended {
    fn sheet(&self, now: Time) -> Sheet {
        let sheet = and_surfaced(self.session.facts(now), &self.surfaced);
        match self.asks_for_consolidation {
            false => sheet,
            true => sheet.and_line(format!(
                "decide about {}: windlass session consolidate {} --keep ID --discard ID",
                counted(self.surfaced.len() as u64, "chunk"),
                self.session.session_id.short()
            )),
        }
    }
}
