//! Links: what a chunk points to, and why.
//!
//! A link is directed, from the newer thing to what it is based on, and is stored with the chunk it
//! begins at. It can end at a chunk, a task, a run or a commit.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Chunk;
use super::access::{Act, Reader};
use super::event::{ChunkLinked, ChunkUnlinked};
use crate::event::ChunkEvent;
use crate::{ChunkId, Code, Refusal, RunKey, TaskId, text};

/// Fewest and most characters of a commit's name.
const COMMIT_CHARS: std::ops::RangeInclusive<usize> = 7..=64;

/// What a link can end at.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum End {
    Chunk(ChunkId),
    Task(TaskId),
    Run(RunKey),
    /// By its name in hexadecimal.
    Commit(String),
}

/// One thing that a chunk points to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    pub to: End,
    pub reason: String,
}

impl End {
    /// Reads `chunk:ID`, `task:ID`, `run:ID` or `commit:NAME`.
    pub fn parse(given: &str) -> Result<Self, Refusal> {
        match given.split_once(':') {
            Some(("chunk", id)) => id.parse().map(Self::Chunk),
            Some(("task", id)) => id.parse().map(Self::Task),
            Some(("run", id)) => id.parse().map(Self::Run),
            Some(("commit", name)) if is_commit(name) => {
                Ok(Self::Commit(name.to_ascii_lowercase()))
            }
            Some(("commit", name)) => {
                Err(no_end(given, format!("'{name}' names no commit")).hint(format!(
                    "give {} to {} hexadecimal digits: git rev-parse HEAD",
                    COMMIT_CHARS.start(),
                    COMMIT_CHARS.end()
                )))
            }
            _ => Err(no_end(given, format!("a link cannot end at '{given}'"))
                .hint("write chunk:ID, task:ID, run:ID or commit:NAME")),
        }
    }
}

fn no_end(given: &str, message: String) -> Refusal {
    Refusal::new(Code::InvalidValue, message).detail("field", "to").detail("given", given)
}

fn is_commit(name: &str) -> bool {
    COMMIT_CHARS.contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Points a chunk to something. The same link twice is one.
pub fn link(
    chunk: &Chunk,
    to: &End,
    target: Option<&Chunk>,
    reason: &str,
    reader: &Reader,
) -> Result<Vec<ChunkEvent>, Refusal> {
    reader.admit(Act::Write, chunk)?;
    if let Some(target) = target {
        reader.admit(Act::Link, target)?;
    }
    if *to == End::Chunk(chunk.id) {
        return Err(Refusal::new(Code::InvalidValue, "a chunk cannot be linked to itself")
            .hint("link it to what it is based on")
            .detail("field", "to")
            .detail("given", to));
    }
    let link = Link { to: to.clone(), reason: given_reason(reason)? };
    match chunk.links.contains(&link) {
        true => Ok(Vec::new()),
        false => Ok(vec![ChunkLinked { link, by: reader.name.clone() }.into()]),
    }
}

/// Takes back every link of a chunk to something. Where there is none, nothing happens.
pub fn unlink(
    chunk: &Chunk,
    to: &End,
    reason: &str,
    reader: &Reader,
) -> Result<Vec<ChunkEvent>, Refusal> {
    reader.admit(Act::Write, chunk)?;
    let reason = given_reason(reason)?;
    match chunk.links.iter().any(|link| link.to == *to) {
        true => Ok(vec![ChunkUnlinked { to: to.clone(), reason, by: reader.name.clone() }.into()]),
        false => Ok(Vec::new()),
    }
}

/// Why something is done to a chunk; a blank reason is none.
pub(super) fn given_reason(reason: &str) -> Result<String, Refusal> {
    if reason.trim().is_empty() {
        return Err(Refusal::new(Code::ReasonRequired, "a reason is required")
            .hint("say why: --reason TEXT")
            .detail("field", "reason"));
    }
    text::reason(reason.trim())
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Chunk(id) => write!(f, "chunk:{id}"),
            Self::Task(id) => write!(f, "task:{id}"),
            Self::Run(id) => write!(f, "run:{id}"),
            Self::Commit(name) => write!(f, "commit:{name}"),
        }
    }
}

impl TryFrom<String> for End {
    type Error = Refusal;

    fn try_from(given: String) -> Result<Self, Refusal> {
        Self::parse(&given)
    }
}

impl From<End> for String {
    fn from(end: End) -> Self {
        end.to_string()
    }
}
