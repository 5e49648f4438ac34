//! `session take`: what came up for a session meanwhile is handed over. This is the one place where
//! that happens; that something waits is told by `session show` and by the stream of events.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::session::sit::hand_over;
use windlass_ledger::Error;

use super::at::{At, at_a_session};
use super::choose::Chosen;
use super::view::Sat;
use crate::context::Context;
use crate::operation::{Access, Operation};

/// Takes what came up for a session since it was last given something.
#[derive(Debug, Clone, Default, Args, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Take {
    #[command(flatten)]
    #[serde(flatten)]
    pub at: At,
}

impl Operation for Take {
    type Output = Sat;
    const NAME: &'static str = "session.take";
    const ABOUT: &'static str = "Take what came up for a session since it was last given something";
    const EXAMPLE: &'static str = "windlass session take --agent operations";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<Sat, Error> {
        self.at.sit(cx, Chosen::pending, hand_over)
    }

    at_a_session!();
}
