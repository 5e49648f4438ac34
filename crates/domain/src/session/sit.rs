//! A session from its start to its end.

use super::consolidate::surfaced;
use super::event::{
    ChunksInjected, FocusRegistered, SessionEnded, SessionExpired, SessionResumed, SessionStarted,
};
use super::state::{Session, SessionStatus};
use super::{Focus, Lifecycle};
use crate::chunk::access::{Reader, Standing};
use crate::chunk::{Chunk, ChunkType, Slug};
use crate::event::SessionEvent;
use crate::inject::Injection;
use crate::{Code, ProjectId, Refusal, RunKey, Time, text};

/// Somebody who wants to sit down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrival {
    pub agent: String,
    pub agent_type: Option<Slug>,
    pub project: Option<ProjectId>,
    pub run: Option<RunKey>,
    /// The project of the task that the run works on, if it works on one.
    pub run_project: Option<ProjectId>,
    /// How much may be injected, in tokens.
    pub max_tokens: Option<u32>,
}

/// Starts a session under a lifecycle. A run has one at a time; an agent may have several.
pub fn start(
    arrival: Arrival,
    lifecycle: &Lifecycle,
    of_run: Option<&Session>,
    injection: Injection,
    reader: &Reader,
    now: Time,
) -> Result<SessionStarted, Refusal> {
    let agent = text::name("agent", &arrival.agent)?;
    speak_for(&agent, reader)?;
    for project in arrival.project.into_iter().chain(arrival.run_project) {
        reader.admit_project(project)?;
    }
    refuse_foreign_run(&arrival)?;
    if let Some(open) = of_run.filter(|session| session.is_open(now)) {
        let message = format!("the run has session {} already", open.id.short());
        return Err(Refusal::new(Code::SessionOpen, message)
            .hint(format!("resume it: windlass session resume {}", open.id))
            .detail("session", open.id)
            .detail("agent", &open.agent)
            .detail("expires_at", open.expires_at));
    }
    Ok(SessionStarted {
        agent,
        agent_type: arrival.agent_type,
        lifecycle: lifecycle.slug.clone(),
        project: arrival.project,
        run: arrival.run,
        max_tokens: arrival.max_tokens,
        ttl: lifecycle.ttl,
        expires_at: now.plus(lifecycle.ttl),
        required_steps: lifecycle.required_steps.clone(),
        consolidation_threshold: lifecycle.consolidation_threshold,
        injection,
    })
}

/// A session and the run that it is part of are about the same project.
fn refuse_foreign_run(arrival: &Arrival) -> Result<(), Refusal> {
    match (arrival.project, arrival.run_project) {
        (Some(project), Some(of_run)) if project != of_run => {
            Err(Refusal::new(Code::InvalidValue, "the run works on a task of another project")
                .hint("name the project of that task with -P, or start without the run")
                .detail("field", "run")
                .detail("project", project)
                .detail("project_of_run", of_run))
        }
        _ => Ok(()),
    }
}

/// Lets an agent say what concerns itself, and people what concerns any agent.
pub fn speak_for(agent: &str, reader: &Reader) -> Result<(), Refusal> {
    if !reader.is_agent() || agent == reader.name {
        return Ok(());
    }
    let message = format!("{} may not speak for {agent}", reader.name);
    Err(Refusal::new(Code::NotAllowed, message)
        .hint("do it under your own name, or ask a person")
        .detail("agent", agent))
}

/// Comes back to a session, whose time begins anew.
pub fn resume(
    session: &Session,
    injection: Injection,
    reader: &Reader,
    now: Time,
) -> Result<Vec<SessionEvent>, Refusal> {
    session.admit(reader)?;
    session.need_open(now)?;
    Ok(vec![SessionResumed { expires_at: now.plus(session.ttl), injection }.into()])
}

/// Says what the agent works on. `injection` is what is chosen with that focus; what the session was
/// given before is not given again.
pub fn focus(
    session: &Session,
    focus: &Focus,
    injection: Injection,
    reader: &Reader,
    now: Time,
) -> Result<Vec<SessionEvent>, Refusal> {
    session.admit(reader)?;
    session.need_open(now)?;
    let Focus { task, tags } = focus.checked()?;
    let injection = injection.beyond(&session.given());
    Ok(vec![FocusRegistered { task, tags, injection }.into()])
}

/// Hands over what is chosen now and was not given before; nothing when there is nothing new.
pub fn hand_over(
    session: &Session,
    injection: Injection,
    reader: &Reader,
    now: Time,
) -> Result<Vec<SessionEvent>, Refusal> {
    session.admit(reader)?;
    session.need_open(now)?;
    let injection = injection.beyond(&session.given());
    Ok(match injection.chunks.is_empty() {
        true => Vec::new(),
        false => vec![ChunksInjected { injection }.into()],
    })
}

/// Ends a session. What it wrote of types that are surfaced is listed for somebody to decide about.
pub fn end(
    session: &Session,
    wrote: &[Chunk],
    types: &[ChunkType],
    reader: &Reader,
    now: Time,
) -> Result<Vec<SessionEvent>, Refusal> {
    session.admit(reader)?;
    session.need_open(now)?;
    let surfaced = surfaced(wrote, types, now);
    Ok(vec![SessionEnded { surfaced, by: reader.name.clone() }.into()])
}

/// Records that the time of a session ran out.
pub fn expire(
    session: &Session,
    wrote: &[Chunk],
    types: &[ChunkType],
    now: Time,
) -> Vec<SessionEvent> {
    match session.status == SessionStatus::Active && !session.is_open(now) {
        true => vec![SessionExpired { surfaced: surfaced(wrote, types, now) }.into()],
        false => Vec::new(),
    }
}

impl Session {
    /// Lets in the agent whose session it is, and people. To others it is not there.
    pub fn admit(&self, reader: &Reader) -> Result<(), Refusal> {
        match &reader.standing {
            Standing::Agent(_) if reader.name != self.agent => Err(not_found(&self.id.to_string())),
            Standing::Agent(_) | Standing::Person => Ok(()),
        }
    }

    /// Refuses a write before what the lifecycle asks for first was done.
    pub fn admit_write(&self, now: Time) -> Result<(), Refusal> {
        self.need_open(now)?;
        let Some(step) = self.missing_steps().into_iter().next() else { return Ok(()) };
        let message = format!("{step} must be done before anything is written in this session");
        Err(Refusal::new(Code::StepRequired, message)
            .hint(format!("say what you work on: windlass session focus {} TASK", self.id))
            .detail("session", self.id)
            .detail("lifecycle", &self.lifecycle)
            .detail("required_steps", &self.required_steps))
    }

    fn need_open(&self, now: Time) -> Result<(), Refusal> {
        if self.is_open(now) {
            return Ok(());
        }
        let how = self.status_at(now);
        Err(Refusal::new(Code::SessionOver, format!("session {} {how}", self.id.short()))
            .hint(format!("start another: windlass session start --agent {}", self.agent))
            .detail("session", self.id)
            .detail("status", how)
            .detail("expires_at", self.expires_at))
    }
}

/// There is no such session, or none that the asker may know of.
pub fn not_found(given: &str) -> Refusal {
    Refusal::new(Code::SessionNotFound, format!("there is no session '{given}'"))
        .hint("list the sessions: windlass session list")
        .detail("given", given)
}
