//! The hash chain: every event carries the hash of all that came before it.
//!
//! `hash = SHA-256(previous hash ‖ header ‖ data hash)`, where the header is the JSON array
//! written by [`Header::canonical`]. Anybody can recompute it with standard tools; the data of a
//! pruned event may be gone, its hash is not.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::{CorrelationId, EventId, Stream, Time};

/// 32 bytes of SHA-256.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hash([u8; 32]);

impl Hash {
    /// What the first event of a ledger follows.
    pub const GENESIS: Self = Self([0; 32]);

    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The hash of stored data.
    pub fn of(data: &[u8]) -> Self {
        Self(Sha256::digest(data).into())
    }

    pub fn from_hex(text: &str) -> Option<Self> {
        let mut bytes = [0; 32];
        if text.len() != 64 || !text.is_ascii() {
            return None;
        }
        for (index, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(text.get(2 * index..2 * index + 2)?, 16).ok()?;
        }
        Some(Self(bytes))
    }
}

impl std::fmt::Display for Hash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl std::fmt::Debug for Hash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

impl<'de> Deserialize<'de> for Hash {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        Self::from_hex(&text).ok_or_else(|| serde::de::Error::custom("not 64 hexadecimal digits"))
    }
}

impl Serialize for Hash {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The end of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Head {
    pub seq: u64,
    pub hash: Hash,
}

impl Head {
    pub const EMPTY: Self = Self { seq: 0, hash: Hash::GENESIS };
}

/// Who did something, for whom, in what connection.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Provenance {
    pub actor: String,
    pub on_behalf_of: Option<String>,
    pub session: Option<String>,
    pub correlation: Option<CorrelationId>,
    pub causation: Option<EventId>,
    pub op: Option<String>,
}

/// Everything about an event but its data and hashes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    pub seq: u64,
    pub id: EventId,
    pub at: Time,
    pub stream: Stream,
    pub stream_seq: u64,
    pub kind: String,
    pub version: u32,
    pub provenance: Provenance,
}

impl Header {
    /// The bytes that are hashed: a JSON array without spaces, times in milliseconds.
    pub fn canonical(&self) -> String {
        let by = &self.provenance;
        let fields = (
            self.seq,
            self.id,
            self.at.as_millis(),
            self.stream,
            self.stream_seq,
            &self.kind,
            self.version,
            &by.actor,
            &by.on_behalf_of,
            &by.session,
            by.correlation,
            by.causation,
            &by.op,
        );
        // Strings, numbers and nulls in a tuple: serialising them cannot fail.
        serde_json::to_string(&fields).unwrap_or_default()
    }

    /// The hash of this event after `previous`.
    pub fn hash(&self, previous: &Hash, data_hash: &Hash) -> Hash {
        let mut hasher = Sha256::new();
        hasher.update(previous.as_bytes());
        hasher.update(self.canonical().as_bytes());
        hasher.update(data_hash.as_bytes());
        Hash(hasher.finalize().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header() -> Header {
        Header {
            seq: 7,
            id: EventId::from_bytes([1; 16]),
            at: Time::from_millis(1_794_735_000_000),
            stream: Stream::from_bytes([2; 16]),
            stream_seq: 3,
            kind: "comment_added".into(),
            version: 1,
            provenance: Provenance { actor: "zoë \"q\"".into(), ..Provenance::default() },
        }
    }

    #[test]
    fn the_canonical_header_is_plain_json() {
        let (id, stream) = (EventId::from_bytes([1; 16]), Stream::from_bytes([2; 16]));
        assert_eq!(
            header().canonical(),
            format!(
                r#"[7,"{id}",1794735000000,"{stream}",3,"comment_added",1,"zoë \"q\"",null,null,null,null,null]"#
            )
        );
    }

    #[test]
    fn any_change_of_the_header_changes_the_hash() {
        let data = Hash::of(b"{}");
        let hash = header().hash(&Hash::GENESIS, &data);
        let mut other = header();
        other.provenance.actor.push('x');
        assert_ne!(other.hash(&Hash::GENESIS, &data), hash);
        assert_ne!(header().hash(&hash, &data), hash);
        assert_ne!(header().hash(&Hash::GENESIS, &Hash::of(b"{} ")), hash);
    }

    #[test]
    fn a_hash_is_read_back_from_hex() {
        let hash = Hash::of(b"windlass");
        assert_eq!(Hash::from_hex(&hash.to_string()), Some(hash));
        assert_eq!(Hash::from_hex("zz"), None);
        assert_eq!(Hash::from_hex(&"é".repeat(32)), None);
    }
}
