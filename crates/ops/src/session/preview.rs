//! `inject preview`: what a session would be given, before anything runs.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::chunk::Slug;
use windlass_domain::session::sit::speak_for;
use windlass_domain::{Code, Refusal, Time, text};
use windlass_ledger::Error;

use super::choose::{Chosen, Sitter, Whom};
use super::start::{lifecycle, project_named};
use super::view::Given;
use crate::chunk::asker::Asker;
use crate::context::Context;
use crate::operation::{Access, Operation, Output};
use crate::sheet::{Cell, Sheet};

/// Shows what a session of an agent would be given.
#[derive(Debug, Clone, Default, Args, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Preview {
    /// The agent that would sit down; without one, you
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// The lifecycle; without one, that of the agent's type
    #[arg(short, long, value_name = "SLUG")]
    pub lifecycle: Option<String>,
    /// The project it would be about
    #[arg(short = 'P', long, value_name = "NAME")]
    pub project: Option<String>,
    /// What it would work on
    #[arg(long, value_name = "TAGS", value_delimiter = ',')]
    pub focus_tags: Vec<String>,
    /// Inject at most so much, in tokens
    #[arg(long, value_name = "N")]
    pub max_tokens: Option<u32>,
}

/// What a session would be given.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Previewed {
    pub agent: String,
    pub agent_type: Option<String>,
    pub lifecycle: String,
    pub project: Option<String>,
    #[serde(flatten)]
    pub given: Given,
}

impl Operation for Preview {
    type Output = Previewed;
    const NAME: &'static str = "inject.preview";
    const ABOUT: &'static str =
        "Show what a session would be given, by which rule, and what is cut";
    const EXAMPLE: &'static str = "windlass inject preview --agent coder-1 -P api";
    const ACCESS: Access = Access::Read;

    fn run(&self, cx: &mut Context) -> Result<Previewed, Error> {
        let asker = Asker::default().known(cx)?;
        let given = self.lifecycle.as_deref().map(|slug| Slug::parse("lifecycle", slug));
        let given = given.transpose()?;
        let focus_tags = text::tags(&self.focus_tags)?;
        let project = self.project.clone();
        cx.read(|snapshot| {
            let reader = asker.reader(snapshot)?;
            let agent = match &self.agent {
                Some(name) => text::name("agent", name)?,
                None if reader.is_agent() => reader.name.clone(),
                None => return Err(nobody().into()),
            };
            speak_for(&agent, &reader)?;
            let sitter = Sitter::named(snapshot, &agent, &reader)?;
            let agent_type = sitter.agent_type.clone();
            let lifecycle = lifecycle(snapshot, given.as_ref(), agent_type.as_ref())?;
            let id = project_named(snapshot, project.as_deref())?;
            if let Some(id) = id {
                sitter.reader.admit_project(id)?;
            }
            let whom = sitter.sits(id, lifecycle.slug.clone(), focus_tags.clone());
            let chosen = Chosen::of(snapshot, &Whom { max_tokens: self.max_tokens, ..whom })?;
            Ok(Previewed {
                agent,
                agent_type: agent_type.map(String::from),
                lifecycle: lifecycle.slug.to_string(),
                project: project.clone(),
                given: Given::of(&chosen),
            })
        })
    }
}

fn nobody() -> Refusal {
    Refusal::new(Code::AgentRequired, "chunks are injected to an agent")
        .hint("say to whom: --agent NAME")
}

impl Output for Previewed {
    fn sheet(&self, _now: Time) -> Sheet {
        let known = |name: &'static str, value: &Option<String>| {
            value.clone().map(|value| (name, Cell::from(value)))
        };
        let facts = [
            Some(("agent", Cell::from(self.agent.clone()))),
            known("type", &self.agent_type),
            Some(("lifecycle", Cell::from(self.lifecycle.clone()))),
            known("project", &self.project),
        ];
        self.given.and_on(Sheet::default().and_facts(facts.into_iter().flatten()))
    }
}
