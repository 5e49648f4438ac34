//! Audiences: whom a chunk is injected to.
//!
//! An audience is a list of [`Rule`]s of which one is enough; of a rule everything must hold. With
//! no rule a chunk is only found by searching. A chunk without an audience of its own has that of
//! its type.

mod addressee;
mod named;
mod projects;
mod read;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

pub use addressee::Addressee;

use super::condition::Conditions;
use super::{Field, Slug};
use crate::word::words;
use crate::{Code, ProjectId, Refusal};

pub use projects::rename_projects;

words! {
    /// What a rule asks of the session that a chunk would be injected to: one of the words it
    /// lists.
    Predicate {
        AgentIds "agent_ids",
        AgentTypes "agent_types",
        ProjectIds "project_ids",
        OrgIds "org_ids",
        LifecycleTypes "lifecycle_types",
        AgentTags "agent_tags",
        FocusTags "focus_tags",
    }
}

/// Whom a chunk is injected to.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(try_from = "Value", into = "Value")]
pub struct Audience {
    pub rules: Vec<Rule>,
}

/// One way to be meant.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Rule {
    /// What is asked of the session; with nothing asked, every session is meant.
    pub asks: BTreeMap<Predicate, BTreeSet<String>>,
    /// What must hold for the chunk itself, so that an injection ends with the state it is for.
    pub fields: Conditions,
    /// Of the chunks of one type and owner that it selects, only so many: the newest.
    pub latest: Option<u32>,
}

/// A session, as far as audiences ask for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listener {
    pub agent: String,
    pub agent_type: Option<Slug>,
    pub agent_tags: Vec<String>,
    pub project: Option<ProjectId>,
    /// What the organisation of this ledger is called.
    pub org: String,
    pub lifecycle: Slug,
    pub focus_tags: Vec<String>,
}

impl Audience {
    /// Everybody.
    pub fn all() -> Self {
        Self { rules: vec![Rule::default()] }
    }

    /// The same audience for chunks that have these fields.
    pub fn checked_for(mut self, defined: &[Field]) -> Result<Self, Refusal> {
        for rule in &mut self.rules {
            rule.fields = rule.fields.checked_for(defined)?;
        }
        Ok(self)
    }

    /// The same audience for one chunk, which cannot be the latest of several.
    pub fn checked_for_chunk(self, defined: &[Field]) -> Result<Self, Refusal> {
        if self.rules.iter().any(|rule| rule.latest.is_some()) {
            let message = "'latest' chooses among chunks and cannot be asked by one of them";
            return Err(Refusal::new(Code::InvalidValue, message)
                .hint("put it into the audience of the type, or into a rule of the lifecycle")
                .detail("field", "latest"));
        }
        self.checked_for(defined)
    }

    /// The rules that select a chunk with these fields for a session, by their place from 1.
    pub fn selecting<'a>(
        &'a self,
        listener: &'a Listener,
        shown: &'a Map<String, Value>,
    ) -> impl Iterator<Item = (usize, &'a Rule)> {
        let rules = self.rules.iter().enumerate().map(|(at, rule)| (at + 1, rule));
        rules.filter(move |(_, rule)| rule.means(listener) && rule.fields.hold(shown))
    }
}

impl Rule {
    /// A rule that asks one thing of a session.
    pub fn asking(predicate: Predicate, words: &[&str]) -> Self {
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        Self { asks: BTreeMap::from([(predicate, words)]), ..Self::default() }
    }

    /// Whether a session is meant, as far as the session decides it.
    pub fn means(&self, listener: &Listener) -> bool {
        self.asks.iter().all(|(predicate, wanted)| {
            listener.words(*predicate).iter().any(|word| wanted.contains(word))
        })
    }

    fn written(self) -> Value {
        let mut written = Map::new();
        if self.asks.is_empty() {
            written.insert("all".to_owned(), Value::Bool(true));
        }
        for (predicate, words) in self.asks {
            written.insert(predicate.as_str().to_owned(), words.into_iter().collect());
        }
        if !self.fields.is_empty() {
            written.insert("fields".to_owned(), self.fields.into());
        }
        if let Some(latest) = self.latest {
            written.insert("latest".to_owned(), Value::from(latest));
        }
        Value::Object(written)
    }
}

impl Listener {
    /// What a session says to a predicate.
    fn words(&self, predicate: Predicate) -> Vec<String> {
        match predicate {
            Predicate::AgentIds => vec![self.agent.clone()],
            Predicate::AgentTypes => self.agent_type.iter().map(Slug::to_string).collect(),
            Predicate::ProjectIds => self.project.iter().map(ProjectId::to_string).collect(),
            Predicate::OrgIds => vec![self.org.clone()],
            Predicate::LifecycleTypes => vec![self.lifecycle.to_string()],
            Predicate::AgentTags => self.agent_tags.clone(),
            Predicate::FocusTags => self.focus_tags.clone(),
        }
    }
}

impl TryFrom<Value> for Audience {
    type Error = Refusal;

    fn try_from(given: Value) -> Result<Self, Refusal> {
        Self::read(&given)
    }
}

impl From<Audience> for Value {
    fn from(audience: Audience) -> Self {
        let rules: Vec<Self> = audience.rules.into_iter().map(Rule::written).collect();
        json!({ "rules": rules })
    }
}
