//! `session focus`.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::session::{Session, sit};
use windlass_ledger::Error;

use super::at::{At, at_a_session};
use super::choose::Chosen;
use super::view::Sat;
use crate::context::Context;
use crate::operation::{Access, Operation};

/// Says what the agent works on in a session.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
#[command(allow_missing_positional = true)]
pub struct Focus {
    #[command(flatten)]
    #[serde(flatten)]
    pub at: At,
    /// What you work on: a task's id, or a few words
    #[arg(value_name = "TASK")]
    pub task: String,
    /// What it is about; chunks for these tags are injected
    #[arg(short, long, value_name = "TAGS", value_delimiter = ',')]
    #[serde(default)]
    pub tags: Vec<String>,
}

impl Operation for Focus {
    type Output = Sat;
    const NAME: &'static str = "session.focus";
    const ABOUT: &'static str =
        "Say what a session is about; what is aimed at that comes in addition";
    const EXAMPLE: &'static str = "windlass session focus 8F3K2Q 'fix the login' --tags auth";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<Sat, Error> {
        let given =
            windlass_domain::session::Focus { task: self.task.clone(), tags: self.tags.clone() };
        let focus = given.checked()?;
        self.at.sit(
            cx,
            |snapshot, session, reader| {
                let focused = Session { focus: Some(focus.clone()), ..session.clone() };
                Ok(Chosen::of_session(snapshot, &focused, reader)?.beyond(session))
            },
            |session, injection, reader, now| sit::focus(session, &focus, injection, reader, now),
        )
    }

    at_a_session!();
}
