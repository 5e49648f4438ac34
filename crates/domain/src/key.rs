//! Keys: what somebody shows to be let in by a door.
//!
//! A key belongs to an agent or a person and has a role. Its text is `wl_`, eight characters by
//! which people know it, and 32 random bytes; the ledger keeps the hash of that text and nothing
//! else of it. What an agent's key may do is decided by its owner before its role: it never
//! approves and never administers, whatever was recorded.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::chain::Hash;
use crate::event::{Event, KeyCreated, KeyRevoked, KeyRotated};
use crate::id::ALPHABET;
use crate::task::Broken;
use crate::{Code, KeyId, ProjectId, Refusal, Time, text};

/// What every key begins with.
const MARK: &str = "wl_";
/// Characters of a key that may be shown.
const PREFIX_CHARS: usize = MARK.len() + 8;
const BASE64_URL: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// What a caller must be allowed to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    Read,
    Write,
    /// To say yes or no where a person must.
    Approve,
    Admin,
}

impl Access {
    pub const ALL: [Self; 4] = [Self::Read, Self::Write, Self::Approve, Self::Admin];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Approve => "approve",
            Self::Admin => "admin",
        }
    }
}

/// Whose key it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Owner {
    Agent(String),
    Person(String),
}

impl Owner {
    /// Reads `agent:worker-1` or `person:anna`.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let wrong = || {
            Refusal::new(Code::InvalidValue, format!("'{text}' does not say whose key it is"))
                .hint("write agent:NAME or person:NAME")
                .detail("field", "for")
                .detail("given", text)
        };
        let (kind, name) = text.split_once(':').ok_or_else(wrong)?;
        let name = text::name("for", name)?;
        match kind {
            "agent" => Ok(Self::Agent(name)),
            "person" => Ok(Self::Person(name)),
            _ => Err(wrong()),
        }
    }

    /// Under which name it acts.
    pub fn name(&self) -> &str {
        match self {
            Self::Agent(name) | Self::Person(name) => name,
        }
    }

    pub const fn is_agent(&self) -> bool {
        match self {
            Self::Agent(_) => true,
            Self::Person(_) => false,
        }
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Agent(name) => write!(f, "agent:{name}"),
            Self::Person(name) => write!(f, "person:{name}"),
        }
    }
}

impl Serialize for Owner {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Owner {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        Self::parse(&text).map_err(|refusal| serde::de::Error::custom(refusal.message))
    }
}

/// What a key may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Reads and works on tasks.
    Worker,
    /// The same; it is another role to a stage that asks for a reviewer.
    Reviewer,
    /// Also says yes or no where a person must.
    Approver,
    /// Everything.
    Admin,
}

impl Role {
    pub const ALL: [Self; 4] = [Self::Worker, Self::Reviewer, Self::Approver, Self::Admin];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Worker => "worker",
            Self::Reviewer => "reviewer",
            Self::Approver => "approver",
            Self::Admin => "admin",
        }
    }

    pub fn from_text(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str() == text)
    }

    /// Whether the role allows it, before anybody asks whose key it is.
    pub const fn may(self, access: Access) -> bool {
        match (self, access) {
            (_, Access::Read | Access::Write)
            | (Self::Approver | Self::Admin, Access::Approve)
            | (Self::Admin, Access::Admin) => true,
            (Self::Worker | Self::Reviewer, Access::Approve | Access::Admin)
            | (Self::Approver, Access::Admin) => false,
        }
    }

    /// Whether an agent may have a key of this role.
    const fn is_for_agents(self) -> bool {
        match self {
            Self::Worker | Self::Reviewer => true,
            Self::Approver | Self::Admin => false,
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The text of a key. It is shown once, to whoever made it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Makes a key out of random bytes: those it is known by, and those nobody can guess.
    pub fn from_random(known: [u8; 5], guarded: [u8; 32]) -> Self {
        let known = encode(&known, ALPHABET, 5).to_ascii_lowercase();
        Self(format!("{MARK}{known}_{}", encode(&guarded, BASE64_URL, 6)))
    }

    /// The part that may be shown.
    pub fn prefix(&self) -> String {
        prefix_of(&self.0).unwrap_or_default().to_owned()
    }

    /// What the ledger keeps of it.
    pub fn digest(&self) -> Hash {
        Hash::of(self.0.as_bytes())
    }

    /// The whole text. For the answer to whoever made it, and nobody else.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secret({}…)", self.prefix())
    }
}

/// The part of a text that may be shown, if it is that of a key, or the beginning of one.
pub fn prefix_of(text: &str) -> Option<&str> {
    text.starts_with(MARK).then_some(())?;
    let end = text.char_indices().nth(PREFIX_CHARS).map_or(text.len(), |(end, _)| end);
    text.get(..end)
}

/// Bytes as characters of an alphabet that holds so many bits in each, without padding.
fn encode(bytes: &[u8], alphabet: &[u8], bits: u32) -> String {
    let mut written = String::new();
    let (mut held, mut count) = (0_usize, 0);
    let mut write = |value: usize| {
        let letter = alphabet.get(value & ((1 << bits) - 1)).copied().unwrap_or(b'?');
        written.push(char::from(letter));
    };
    for byte in bytes {
        held = ((held << 8) | usize::from(*byte)) & 0xFFFF;
        count += 8;
        while count >= bits {
            count -= bits;
            write(held >> count);
        }
    }
    if count > 0 {
        write(held << (bits - count));
    }
    written
}

/// What somebody shows to be let in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    pub id: KeyId,
    /// The part of its text that may be shown.
    pub prefix: String,
    /// The hash of its text.
    pub digest: Hash,
    pub owner: Owner,
    pub role: Role,
    /// What it may change; everything when empty. It may read everything.
    pub projects: Vec<ProjectId>,
    /// Which tools it is shown.
    pub tools: Option<String>,
    pub expires_at: Option<Time>,
    pub created_at: Time,
    /// When its text was last changed.
    pub rotated_at: Option<Time>,
    pub revoked_at: Option<Time>,
    /// How many events its stream has.
    pub version: u64,
}

/// Whether a key opens anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    Valid,
    Expired,
    Revoked,
}

impl State {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::Expired => "expired",
            Self::Revoked => "revoked",
        }
    }
}

/// The key that somebody wants to give.
#[derive(Debug, Clone)]
pub struct Wanted {
    pub owner: Owner,
    pub role: Role,
    pub projects: Vec<ProjectId>,
    pub tools: Option<String>,
    pub expires_at: Option<Time>,
}

/// Gives somebody a key.
pub fn create(wanted: Wanted, secret: &Secret, now: Time) -> Result<KeyCreated, Refusal> {
    let Wanted { owner, role, projects, tools, expires_at } = wanted;
    if owner.is_agent() && !role.is_for_agents() {
        let message = format!("{owner} is an agent: its key can be worker or reviewer, not {role}");
        return Err(Refusal::new(Code::InvalidValue, message)
            .hint(
                "what a person must approve or decide needs a person's key: --for person:NAME; an \
                 agent's is --role worker or --role reviewer",
            )
            .detail("field", "role")
            .detail("given", role)
            .detail("allowed", [Role::Worker, Role::Reviewer]));
    }
    if let Some(at) = expires_at.filter(|at| *at <= now) {
        return Err(Refusal::new(
            Code::InvalidValue,
            format!("a key cannot expire at {at}: it is over"),
        )
        .hint("write how long it holds, such as 30d, or a time to come")
        .detail("field", "expires")
        .detail("given", at));
    }
    let (prefix, digest) = (secret.prefix(), secret.digest());
    Ok(KeyCreated { prefix, digest, owner, role, projects, tools, expires_at })
}

impl Key {
    pub fn created(id: KeyId, data: &KeyCreated, at: Time) -> Self {
        let KeyCreated { prefix, digest, owner, role, projects, tools, expires_at } = data.clone();
        Self {
            id,
            prefix,
            digest,
            owner,
            role,
            projects,
            tools,
            expires_at,
            created_at: at,
            rotated_at: None,
            revoked_at: None,
            version: 1,
        }
    }

    /// Applies the next event of its stream.
    pub fn fold(&mut self, event: &Event, at: Time) -> Result<(), Broken> {
        match (self.revoked_at, event) {
            (None, Event::KeyRotated(data)) => {
                self.prefix.clone_from(&data.prefix);
                self.digest = data.digest;
                self.rotated_at = Some(at);
            }
            (None, Event::KeyRevoked(_)) => self.revoked_at = Some(at),
            (_, event) => {
                let kind = event.kind().as_str();
                return Err(Broken(format!("'{kind}' cannot happen to key {}", self.id)));
            }
        }
        self.version += 1;
        Ok(())
    }

    pub fn state(&self, now: Time) -> State {
        if self.revoked_at.is_some() {
            return State::Revoked;
        }
        match self.expires_at {
            Some(at) if at <= now => State::Expired,
            Some(_) | None => State::Valid,
        }
    }

    pub fn is_valid(&self, now: Time) -> bool {
        self.state(now) == State::Valid
    }

    /// Whether the key opens this. An agent's never opens what is for persons.
    pub const fn may(&self, access: Access) -> bool {
        let is_for_persons = match access {
            Access::Read | Access::Write => false,
            Access::Approve | Access::Admin => true,
        };
        self.role.may(access) && !(is_for_persons && self.owner.is_agent())
    }

    /// Ends it; nothing happens to a key that was revoked before.
    pub fn revoke(&self, reason: Option<String>) -> Option<KeyRevoked> {
        self.revoked_at.is_none().then_some(KeyRevoked { reason })
    }

    /// Gives it another text, so that the old one opens nothing any more.
    pub fn rotate(&self, secret: &Secret, now: Time) -> Result<KeyRotated, Refusal> {
        let state = self.state(now);
        let why = match state {
            State::Valid => {
                return Ok(KeyRotated { prefix: secret.prefix(), digest: secret.digest() });
            }
            State::Expired => "has expired",
            State::Revoked => "was revoked",
        };
        Err(Refusal::new(Code::InvalidTransition, format!("key {} {why}", self.prefix))
            .hint(format!(
                "make another: windlass key create --for {} --role {}",
                self.owner, self.role
            ))
            .detail("key_id", self.id)
            .detail("state", state))
    }
}

/// The one refusal for no key, a wrong one, and one that opens nothing any more: who guesses learns
/// nothing from it.
pub fn required() -> Refusal {
    Refusal::new(Code::KeyRequired, "this needs a key that is valid here")
        .hint("set WINDLASS_KEY to a key that an admin made for you: windlass key create")
}

#[cfg(test)]
mod tests;
