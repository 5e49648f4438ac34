//! Keys as they are shown: never their text, but in the one answer to whoever made it.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::key::{Owner, Role, Secret, State};
use windlass_domain::{Key, KeyId, Time};
use windlass_ledger::{Fault, Snapshot};

use crate::operation::Output;
use crate::sheet::{Cell, Sheet, Tone, relative};

/// A key as lists show it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct KeyView {
    #[schemars(with = "String")]
    pub key_id: KeyId,
    /// The beginning of its text, by which it is known.
    pub prefix: String,
    /// `agent:NAME` or `person:NAME`.
    #[schemars(with = "String")]
    pub owner: Owner,
    /// `worker`, `reviewer`, `approver` or `admin`.
    #[schemars(with = "String")]
    pub role: Role,
    /// What it may change; everything when empty.
    pub projects: Vec<String>,
    /// Which tools it is shown.
    pub tools: Option<String>,
    /// `valid`, `expired` or `revoked`.
    #[schemars(with = "String")]
    pub state: State,
    #[schemars(with = "String")]
    pub created_at: Time,
    #[schemars(with = "Option<String>")]
    pub expires_at: Option<Time>,
    #[schemars(with = "Option<String>")]
    pub rotated_at: Option<Time>,
    #[schemars(with = "Option<String>")]
    pub revoked_at: Option<Time>,
}

impl KeyView {
    pub(super) fn load(snapshot: &mut Snapshot<'_>, key: &Key) -> Result<Self, Fault> {
        let mut projects = Vec::with_capacity(key.projects.len());
        for id in &key.projects {
            projects.push(snapshot.project(*id)?.name);
        }
        Ok(Self {
            key_id: key.id,
            prefix: key.prefix.clone(),
            owner: key.owner.clone(),
            role: key.role,
            projects,
            tools: key.tools.clone(),
            state: key.state(snapshot.now()),
            created_at: key.created_at,
            expires_at: key.expires_at,
            rotated_at: key.rotated_at,
            revoked_at: key.revoked_at,
        })
    }

    /// What it opens, for how long.
    pub(super) fn in_words(&self, now: Time) -> String {
        let Self { owner, role, .. } = self;
        let projects = match self.projects.is_empty() {
            true => String::new(),
            false => format!(" in {}", self.projects.join(", ")),
        };
        let expires = match self.expires_at {
            Some(at) if at <= now => format!(", expired {}", relative(at, now)),
            Some(at) => format!(", expires {}", relative(at, now)),
            None => String::new(),
        };
        format!("a key for {owner} as {role}{projects}{expires}")
    }

    pub(super) fn state_cell(&self) -> Cell {
        let tone = match self.state {
            State::Valid => Tone::Good,
            State::Expired => Tone::Dim,
            State::Revoked => Tone::Bad,
        };
        Cell::toned(self.state.as_str(), tone)
    }
}

/// The text of a key on its way to whoever made it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct ShownOnce(String);

impl ShownOnce {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for ShownOnce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ShownOnce")
    }
}

/// A key with its text, which is shown in this answer and in no other.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Given {
    /// The whole key.
    #[schemars(with = "String")]
    pub key: ShownOnce,
    /// That it is not shown again.
    pub note: String,
    #[serde(flatten)]
    pub about: KeyView,
}

impl Given {
    pub(super) fn new(secret: &Secret, about: KeyView) -> Self {
        let key = ShownOnce(secret.expose().to_owned());
        Self { key, note: "keep it now: it is not shown again".to_owned(), about }
    }
}

impl Output for Given {
    fn sheet(&self, now: Time) -> Sheet {
        let Self { key, note, about } = self;
        Sheet::line(format!("{} is {}", about.prefix, about.in_words(now)))
            .and_text(key.as_str())
            .and_line(Cell::dim(note))
    }
}
