//! `session resume`.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::session::sit::resume;
use windlass_ledger::Error;

use super::at::{At, at_a_session};
use super::choose::Chosen;
use super::view::Sat;
use crate::context::Context;
use crate::operation::{Access, Operation};

/// Comes back to a session.
#[derive(Debug, Clone, Default, Args, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Resume {
    #[command(flatten)]
    #[serde(flatten)]
    pub at: At,
}

impl Operation for Resume {
    type Output = Sat;
    const NAME: &'static str = "session.resume";
    const ABOUT: &'static str =
        "Come back to a session: its time begins anew, its context comes again";
    const EXAMPLE: &'static str = "windlass session resume 8F3K2Q --agent coder-1";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<Sat, Error> {
        self.at.sit(cx, Chosen::of_session, resume)
    }

    at_a_session!();
}
