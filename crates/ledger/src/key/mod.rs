//! Keys in the ledger, and what their owners were refused.
//!
//! `keys` is a view of the log. `refusals` holds working rows: they tell somebody who looks what was
//! tried lately, are bounded, and are never rebuilt.

mod bound;
mod seam;

use windlass_domain::chain::Hash;
use windlass_domain::event::KeyCreated;
use windlass_domain::id::Fragment;
use windlass_domain::key::{Secret, prefix_of};
use windlass_domain::{Code, Event, Key, KeyId, Refusal, Time};

use crate::fault::{Error, Fault};
use crate::snapshot::Snapshot;
use crate::transaction::Transaction;
use crate::world::{random_bits, random_bytes};

pub(crate) use seam::Keys;

/// Refusals that are kept.
pub const REFUSALS_KEPT: u64 = 1_000;
/// Longer messages are cut.
const MESSAGE_CHARS: usize = 1_024;
/// More matches than this are not listed when a key is ambiguous.
const CANDIDATES_SHOWN: usize = 5;

/// What somebody with a key was refused, or somebody without a valid one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    pub at: Time,
    /// The key that was shown, where there is one like it.
    pub key_id: Option<KeyId>,
    /// The part of the key that may be shown.
    pub prefix: Option<String>,
    pub operation: String,
    /// The code of the refusal.
    pub code: String,
    pub message: String,
}

impl Snapshot<'_> {
    /// The key whose text has this hash, valid or not.
    pub fn key_by_digest(&mut self, digest: &Hash) -> Result<Option<Key>, Fault> {
        self.store.key_by_digest(digest)
    }

    pub fn key(&mut self, id: KeyId) -> Result<Option<Key>, Fault> {
        self.store.key(id)
    }

    /// All keys that were ever made, the oldest first.
    pub fn keys(&mut self) -> Result<Vec<Key>, Fault> {
        self.store.keys()
    }

    /// The key that somebody names by its id, a part of that, or the part of its text that is shown.
    /// Whoever gives the whole text has named it too, and does not see it again.
    pub fn key_named(&mut self, text: &str) -> Result<Key, Error> {
        let mut found = self.keys()?;
        let shown = prefix_of(text).unwrap_or(text);
        if prefix_of(text).is_some() {
            found.retain(|key| key.prefix == shown);
        } else {
            let part = Fragment::parse(text).map_err(|refusal| {
                refusal.hint("list the keys: windlass key list").detail("field", "key")
            })?;
            found.retain(|key| match &part {
                Fragment::Whole(bytes) => key.id.to_bytes() == *bytes,
                Fragment::Part { text, .. } => key.id.matches(text),
            });
        }
        match found.len() {
            0 => Err(not_found(shown).into()),
            1 => found.pop().ok_or_else(|| Fault::bug("a match went away").into()),
            _ => Err(ambiguous(shown, &found).into()),
        }
    }

    /// What was refused lately, the newest first.
    pub fn refusals(&mut self, limit: u64) -> Result<Vec<Refused>, Fault> {
        self.store.refusals(limit)
    }
}

impl Transaction<'_> {
    /// The text of a new key.
    pub fn new_secret(&self) -> Result<Secret, Fault> {
        Ok(Secret::from_random(random_bytes()?, random_bytes()?))
    }

    /// Records a key that somebody was given.
    pub fn create_key(&mut self, created: KeyCreated) -> Result<Key, Error> {
        let id = KeyId::from_parts(self.now(), random_bits()?);
        self.create(id, created)?;
        Ok(self.key_now(id)?)
    }

    /// Records what happened to a key and returns the key as it is now.
    pub fn record_key(&mut self, key: &Key, event: impl Into<Event>) -> Result<Key, Error> {
        self.act(key.id.into(), key.version, vec![event.into()])?;
        Ok(self.key_now(key.id)?)
    }

    fn key_now(&mut self, id: KeyId) -> Result<Key, Fault> {
        self.key(id)?.ok_or_else(|| Fault::bug(format!("key {id} left its view")))
    }

    /// Keeps what was refused for somebody who looks; the oldest make room.
    pub fn keep_refusals(&mut self, refused: &[Refused]) -> Result<(), Fault> {
        if refused.is_empty() {
            return Ok(());
        }
        self.changed_working_rows();
        for one in refused {
            let plain = |letter: char| if letter.is_control() { ' ' } else { letter };
            let message: String = one.message.chars().map(plain).take(MESSAGE_CHARS).collect();
            self.store.insert_refusal(&Refused { message, ..one.clone() })?;
        }
        self.store.trim_refusals(REFUSALS_KEPT)
    }
}

fn not_found(shown: &str) -> Refusal {
    Refusal::new(Code::KeyNotFound, format!("there is no key '{shown}'"))
        .hint("list the keys: windlass key list --all")
        .detail("given", shown)
}

fn ambiguous(shown: &str, found: &[Key]) -> Refusal {
    let ids: Vec<String> =
        found.iter().take(CANDIDATES_SHOWN).map(|key| key.id.to_string()).collect();
    let more = if found.len() > CANDIDATES_SHOWN { " and more" } else { "" };
    Refusal::new(Code::IdAmbiguous, format!("'{shown}' could be {}{more}", ids.join(", ")))
        .hint("give more characters of the id")
        .detail("given", shown)
        .detail("candidates", &ids)
        .suggest(ids)
}
