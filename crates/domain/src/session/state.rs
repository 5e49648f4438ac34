//! A session as the ledger remembers it, and how each event changes it.

use serde::{Deserialize, Serialize};

use super::consolidate::Surfaced;
use super::event::SessionStarted;
use super::lifecycle::RequiredStep;
use crate::chunk::Slug;
use crate::chunk::audience::Listener;
use crate::duration::Span;
use crate::event::SessionEvent;
use crate::inject::{Injected, Injection};
use crate::task::Broken;
use crate::word::words;
use crate::{ChunkId, ProjectId, Refusal, RunKey, SessionId, Time, text};

words! {
    /// How far a session has come.
    SessionStatus {
        Active "active",
        Ended "ended",
        /// Nobody ended it in time.
        Expired "expired",
    }
}

/// What an agent works on in a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Focus {
    pub task: String,
    pub tags: Vec<String>,
}

impl Focus {
    /// The same, if it says something.
    pub fn checked(&self) -> Result<Self, Refusal> {
        Ok(Self { task: text::said("task", &self.task)?, tags: text::tags(&self.tags)? })
    }
}

/// One sitting of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    pub id: SessionId,
    /// How many events its stream has.
    pub events: u64,
    pub agent: String,
    pub agent_type: Option<Slug>,
    pub lifecycle: Slug,
    pub project: Option<ProjectId>,
    /// The run it is part of; a run has one session at a time.
    pub run: Option<RunKey>,
    /// The budget it was started with, in tokens. It holds for all that is injected later too.
    pub max_tokens: Option<u32>,
    pub status: SessionStatus,
    pub focus: Option<Focus>,
    /// Everything it was given, in order; what it was given again is there once.
    pub injected: Vec<Injected>,
    /// What the budget left out when it was last given something.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cut: Vec<Injected>,
    pub resumes: u32,
    pub ttl: Span,
    pub expires_at: Time,
    pub required_steps: Vec<RequiredStep>,
    pub consolidation_threshold: u32,
    /// What it wrote and somebody must decide about.
    pub surfaced: Vec<Surfaced>,
    pub started_at: Time,
    pub ended_at: Option<Time>,
}

impl Session {
    /// The session that its first event makes.
    pub fn started(id: SessionId, data: &SessionStarted, at: Time) -> Self {
        Self {
            id,
            events: 1,
            agent: data.agent.clone(),
            agent_type: data.agent_type.clone(),
            lifecycle: data.lifecycle.clone(),
            project: data.project,
            run: data.run,
            max_tokens: data.max_tokens,
            status: SessionStatus::Active,
            focus: None,
            injected: data.injection.chunks.clone(),
            cut: data.injection.cut.clone(),
            resumes: 0,
            ttl: data.ttl,
            expires_at: data.expires_at,
            required_steps: data.required_steps.clone(),
            consolidation_threshold: data.consolidation_threshold,
            surfaced: Vec::new(),
            started_at: at,
            ended_at: None,
        }
    }

    /// Applies the next event of this session's stream. One that cannot follow changes nothing.
    pub fn fold(&mut self, event: &SessionEvent, at: Time) -> Result<(), Broken> {
        if !self.may_follow(event) {
            let (kind, id) = (event.kind().as_str(), self.id);
            let status = self.status;
            return Err(Broken(format!("'{kind}' cannot happen to session {id}, {status}")));
        }
        match event {
            SessionEvent::SessionStarted(_) => {}
            SessionEvent::SessionResumed(data) => {
                self.resumes += 1;
                self.expires_at = data.expires_at;
                self.take(&data.injection);
            }
            SessionEvent::FocusRegistered(data) => {
                self.focus = Some(Focus { task: data.task.clone(), tags: data.tags.clone() });
                self.take(&data.injection);
            }
            SessionEvent::ChunksInjected(data) => self.take(&data.injection),
            SessionEvent::SessionEnded(data) => {
                self.finish(SessionStatus::Ended, &data.surfaced, at);
            }
            SessionEvent::SessionExpired(data) => {
                self.finish(SessionStatus::Expired, &data.surfaced, at);
            }
            SessionEvent::ChunkConsolidated(data) => {
                let decided = self.surfaced.iter_mut().find(|one| one.chunk == data.chunk);
                if let Some(surfaced) = decided {
                    surfaced.verdict = Some(data.verdict);
                }
            }
        }
        self.events += 1;
        Ok(())
    }

    fn may_follow(&self, event: &SessionEvent) -> bool {
        let is_active = self.status == SessionStatus::Active;
        match event {
            SessionEvent::SessionStarted(_) => false,
            SessionEvent::SessionResumed(_)
            | SessionEvent::FocusRegistered(_)
            | SessionEvent::ChunksInjected(_)
            | SessionEvent::SessionEnded(_)
            | SessionEvent::SessionExpired(_) => is_active,
            SessionEvent::ChunkConsolidated(data) => {
                self.surfaced.iter().any(|one| one.chunk == data.chunk && one.verdict.is_none())
            }
        }
    }

    fn take(&mut self, injection: &Injection) {
        for injected in &injection.chunks {
            self.injected.retain(|before| before.chunk != injected.chunk);
            self.injected.push(injected.clone());
        }
        let given = self.given();
        let left_out = injection.cut.iter().filter(|cut| !given.contains(&cut.chunk));
        self.cut = left_out.cloned().collect();
    }

    fn finish(&mut self, status: SessionStatus, surfaced: &[ChunkId], at: Time) {
        self.status = status;
        self.ended_at = Some(at);
        self.surfaced = surfaced.iter().copied().map(Surfaced::undecided).collect();
    }

    /// It goes on: nobody ended it, and its time has not run out. Whether that was recorded does not
    /// matter, so that an agent that died blocks nobody.
    pub fn is_open(&self, now: Time) -> bool {
        self.status == SessionStatus::Active && now < self.expires_at
    }

    /// How far it has come, whether that was recorded or not.
    pub fn status_at(&self, now: Time) -> SessionStatus {
        match self.status == SessionStatus::Active && !self.is_open(now) {
            true => SessionStatus::Expired,
            false => self.status,
        }
    }

    /// What must be done before it writes, and was not.
    pub fn missing_steps(&self) -> Vec<RequiredStep> {
        let is_missing = |step: &&RequiredStep| match step {
            RequiredStep::RegisterFocus => self.focus.is_none(),
        };
        self.required_steps.iter().filter(is_missing).copied().collect()
    }

    /// Whom chunks are chosen for while it goes on.
    pub fn listener(&self, agent_tags: &[String], org: &str) -> Listener {
        let focus_tags = self.focus.as_ref().map(|focus| focus.tags.clone());
        Listener {
            agent: self.agent.clone(),
            agent_type: self.agent_type.clone(),
            agent_tags: agent_tags.to_vec(),
            project: self.project,
            org: org.to_owned(),
            lifecycle: self.lifecycle.clone(),
            focus_tags: focus_tags.unwrap_or_default(),
        }
    }

    /// The chunks that it was given.
    pub fn given(&self) -> Vec<ChunkId> {
        self.injected.iter().map(|injected| injected.chunk).collect()
    }
}
