//! `session start`.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::chunk::Slug;
use windlass_domain::definition::find;
use windlass_domain::run::Run;
use windlass_domain::session::sit::{Arrival, start};
use windlass_domain::session::state::SessionStatus;
use windlass_domain::session::{Lifecycle, Session};
use windlass_domain::{Code, ProjectId, Refusal, RunKey};
use windlass_ledger::{Error, SessionFilter, Snapshot};

use super::at::NOTICED;
use super::choose::{Chosen, Sitter, Whom};
use super::view::{Given, Sat, SessionView};
use crate::chunk::asker::Asker;
use crate::context::{Context, Name};
use crate::operation::{Access, Operation};
use crate::run::Target;

/// The lifecycle of an agent whose type says none.
const DEFAULT: &str = "default";

/// Starts a session.
#[derive(Debug, Clone, Default, Args, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Start {
    /// The lifecycle; without one, that of the agent's type
    #[arg(short, long, value_name = "SLUG")]
    pub lifecycle: Option<String>,
    /// The project it is about
    #[arg(short = 'P', long, value_name = "NAME")]
    pub project: Option<String>,
    /// The run it is part of; without one, `WINDLASS_RUN`
    #[arg(long, value_name = "RUN")]
    pub run: Option<String>,
    /// Inject at most so much, in tokens, as long as the session lasts
    #[arg(long, value_name = "N")]
    pub max_tokens: Option<u32>,
    #[command(flatten)]
    #[serde(flatten)]
    pub asker: Asker,
}

impl Operation for Start {
    type Output = Sat;
    const NAME: &'static str = "session.start";
    const ABOUT: &'static str = "Start a session: an agent sits down, and is given its context";
    const EXAMPLE: &'static str = "windlass session start --agent coder-1 -P api";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<Sat, Error> {
        let agent = agent(&self.asker, cx)?;
        let asker = self.asker.known(cx)?;
        let given = self.lifecycle.as_deref().map(|slug| Slug::parse("lifecycle", slug));
        let given = given.transpose()?;
        let (project, run) = (self.project(cx), self.run_named(cx));
        cx.write(&agent, |tx| {
            tx.expire_sessions(NOTICED)?;
            let reader = asker.reader(tx)?;
            let sitter = Sitter::named(tx, &agent, &reader)?;
            let agent_type = sitter.agent_type.clone();
            let lifecycle = lifecycle(tx, given.as_ref(), agent_type.as_ref())?;
            let project = project_named(tx, project.as_deref())?;
            if let Some(id) = project {
                // Before anything of it is looked at.
                reader.admit_project(id)?;
            }
            let (run, run_project) = match &run {
                Some(given) => {
                    let run = run_named(tx, given)?;
                    (Some(run.key), project_of(tx, &run)?)
                }
                None => (None, None),
            };
            let of_run = of_run(tx, run)?;
            let whom = sitter.sits(project, lifecycle.slug.clone(), Vec::new());
            let max_tokens = self.max_tokens;
            let chosen = Chosen::of(tx, &Whom { max_tokens, ..whom })?;
            let agent = agent.clone();
            let arrival = Arrival { agent, agent_type, project, run, run_project, max_tokens };
            let injection = chosen.injection.clone();
            let started =
                start(arrival, &lifecycle, of_run.as_ref(), injection, &reader, tx.now())?;
            let id = tx.new_session_id()?;
            let kept = tx.begin_session(id, started)?;
            Ok(Sat { session: SessionView::of(tx, &kept.session)?, given: Given::of(&chosen) })
        })
    }

    fn for_a_server(&self, cx: &mut Context) -> Result<Option<Self>, Error> {
        Ok(Some(Self { project: self.project(cx), run: self.run_named(cx), ..self.clone() }))
    }
}

impl Start {
    fn project(&self, cx: &Context) -> Option<String> {
        self.project.clone().or_else(|| cx.default_project().map(str::to_owned))
    }

    fn run_named(&self, cx: &Context) -> Option<String> {
        self.run.clone().or_else(|| cx.surroundings.wishes.run.clone())
    }
}

/// Whose session it will be: it must be named.
fn agent(asker: &Asker, cx: &Context) -> Result<String, Refusal> {
    cx.agent(Name::agent(asker.agent.as_ref())).map_err(|refusal| match refusal.code {
        Code::AgentRequired => Refusal::new(Code::AgentRequired, "a session is that of an agent")
            .hint("give --agent NAME or set WINDLASS_AGENT"),
        _ => refusal,
    })
}

/// The lifecycle that is asked for, or that of the agent's type, or the one for everybody.
pub(super) fn lifecycle(
    snapshot: &mut Snapshot<'_>,
    given: Option<&Slug>,
    agent_type: Option<&Slug>,
) -> Result<Lifecycle, Error> {
    let lifecycles = snapshot.lifecycles()?;
    let slug = match (given, agent_type) {
        (Some(given), _) => given.clone(),
        (None, Some(slug)) => find(&snapshot.agent_types()?, slug)?.lifecycle.clone(),
        (None, None) => Slug::parse("lifecycle", DEFAULT)?,
    };
    Ok(find(&lifecycles, &slug)?.clone())
}

pub(super) fn project_named(
    snapshot: &mut Snapshot<'_>,
    name: Option<&str>,
) -> Result<Option<ProjectId>, Error> {
    match name {
        Some(name) => Ok(Some(snapshot.project_named(name)?.id)),
        None => Ok(None),
    }
}

pub(super) fn run_named(snapshot: &mut Snapshot<'_>, given: &str) -> Result<Run, Error> {
    let target = Target { run_id: Some(given.to_owned()), ..Target::default() };
    Ok(target.find(snapshot)?.run)
}

/// The project of the task that a run works on.
fn project_of(snapshot: &mut Snapshot<'_>, run: &Run) -> Result<Option<ProjectId>, Error> {
    let Some(tie) = &run.tie else { return Ok(None) };
    Ok(snapshot.task(tie.task)?.map(|task| task.project))
}

/// The session that a run has open.
fn of_run(snapshot: &mut Snapshot<'_>, run: Option<RunKey>) -> Result<Option<Session>, Error> {
    let Some(run) = run else { return Ok(None) };
    let filter = SessionFilter {
        run: Some(run),
        status: Some(SessionStatus::Active),
        limit: 1,
        ..SessionFilter::default()
    };
    Ok(snapshot.sessions(&filter)?.pop().map(|kept| kept.session))
}
