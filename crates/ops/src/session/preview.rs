//! `inject preview`: what a session would be given, before anything runs.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::chunk::Slug;
use windlass_domain::chunk::access::Reader;
use windlass_domain::definition::find;
use windlass_domain::session::sit::speak_for;
use windlass_domain::{Code, Refusal, Time, text};
use windlass_ledger::{Error, Snapshot};

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
    /// As an agent of this type, whatever it is; without an agent, one that keeps nothing yet
    #[arg(long, value_name = "SLUG")]
    pub agent_type: Option<String>,
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
    /// Nothing where only its type was named.
    pub agent: Option<String>,
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
            let agent = self.agent(&reader)?;
            let sitter = self.sitter(snapshot, agent.as_deref(), &reader)?;
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

impl Preview {
    /// The name of who would sit down; a type alone has none.
    fn agent(&self, reader: &Reader) -> Result<Option<String>, Refusal> {
        match (&self.agent, &self.agent_type) {
            (Some(name), _) => text::name("agent", name).map(Some),
            (None, None) if reader.is_agent() => Ok(Some(reader.name.clone())),
            (None, None) => Err(nobody()),
            (None, Some(_)) => Ok(None),
        }
    }

    /// Who would sit down. An agent asks for itself, as what it is.
    fn sitter(
        &self,
        snapshot: &mut Snapshot<'_>,
        agent: Option<&str>,
        reader: &Reader,
    ) -> Result<Sitter, Error> {
        let sitter = match agent {
            Some(name) => {
                speak_for(name, reader)?;
                Sitter::named(snapshot, name, reader)?
            }
            None => Sitter::nameless(reader),
        };
        let Some(given) = &self.agent_type else { return Ok(sitter) };
        if reader.is_agent() {
            return Err(as_another(given).into());
        }
        let given = Slug::parse("agent type", given)?;
        find(&snapshot.agent_types()?, &given)?;
        Ok(sitter.of_type(given))
    }
}

fn as_another(given: &str) -> Refusal {
    Refusal::new(Code::NotAllowed, "an agent does not choose of which type it is")
        .hint("leave the type out, or ask a person")
        .detail("field", "agent_type")
        .detail("given", given)
}

fn nobody() -> Refusal {
    Refusal::new(Code::AgentRequired, "chunks are injected to an agent")
        .hint("say to whom: --agent NAME, or --agent-type SLUG")
}

impl Output for Previewed {
    fn sheet(&self, _now: Time) -> Sheet {
        let known = |name: &'static str, value: &Option<String>| {
            value.clone().map(|value| (name, Cell::from(value)))
        };
        let facts = [
            known("agent", &self.agent),
            known("type", &self.agent_type),
            Some(("lifecycle", Cell::from(self.lifecycle.clone()))),
            known("project", &self.project),
        ];
        self.given.and_on(Sheet::default().and_facts(facts.into_iter().flatten()))
    }
}
