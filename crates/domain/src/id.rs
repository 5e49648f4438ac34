//! Identifiers: 16 bytes, written as a ULID of 26 characters.
//!
//! People may type a part of an id: a prefix or a suffix of at least [`SHORTEST`] characters.
//! [`Fragment`] turns such a part into the two key ranges a ledger has to look at.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use ulid::Ulid;

use crate::{Code, Refusal};

/// Fewest characters of an id that are looked up.
pub const SHORTEST: usize = 4;
/// Characters of a whole id.
pub const WHOLE: usize = 26;
/// Characters shown to people in lists: the end of an id varies most.
pub const SHOWN: usize = 6;
/// Characters at the end of an id that its `tail` key covers.
const TAIL: usize = 12;

pub(crate) const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Ulid);

        impl $name {
            /// An id made at `at` with 80 bits of the caller's randomness.
            pub fn from_parts(at: crate::Time, random: u128) -> Self {
                let since_epoch = u64::try_from(at.as_millis()).unwrap_or(0);
                Self(Ulid::from_parts(since_epoch, random))
            }

            pub fn from_bytes(bytes: [u8; 16]) -> Self {
                Self(Ulid::from_bytes(bytes))
            }

            pub fn to_bytes(self) -> [u8; 16] {
                self.0.to_bytes()
            }

            /// The last characters: what people see in lists.
            pub fn short(self) -> String {
                let whole = self.to_string();
                whole.chars().skip(WHOLE - SHOWN).collect()
            }

            /// The key by which a suffix is found: the last characters, last one first, five bits
            /// each.
            pub fn tail(self) -> i64 {
                let mut bits = u128::from_be_bytes(self.to_bytes());
                let mut key = 0;
                for _ in 0..TAIL {
                    key = (key << 5) | i64::try_from(bits & 31).unwrap_or(0);
                    bits >>= 5;
                }
                key
            }

            /// Whether the written id begins or ends with `part` (upper case).
            pub fn matches(self, part: &str) -> bool {
                let whole = self.to_string();
                whole.starts_with(part) || whole.ends_with(part)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, f)
            }
        }

        impl FromStr for $name {
            type Err = Refusal;

            fn from_str(text: &str) -> Result<Self, Refusal> {
                match Fragment::parse(text)? {
                    Fragment::Whole(bytes) => Ok(Self::from_bytes(bytes)),
                    Fragment::Part { .. } => Err(Refusal::new(
                        Code::InvalidValue,
                        format!("'{text}' is a part of an id; a whole id has {WHOLE} characters"),
                    )),
                }
            }
        }

        impl Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
                text.parse().map_err(|refusal: Refusal| serde::de::Error::custom(refusal.message))
            }
        }
    };
}

id! {
    /// A task.
    TaskId
}
id! {
    /// A project. Its name may change, its id does not.
    ProjectId
}
id! {
    /// One event of the log.
    EventId
}
id! {
    /// What ties the events of one execution together.
    CorrelationId
}
id! {
    /// A hook that is defined in the ledger.
    HookId
}
id! {
    /// One hook on its way: the `webhook-id` of every attempt.
    DeliveryId
}
id! {
    /// A key, whatever its secret is just now.
    KeyId
}
id! {
    /// A run. Its name, the `run_id` of its files, is unique only within its folder.
    RunKey
}
id! {
    /// A piece of context, through all its versions.
    ChunkId
}
id! {
    /// One sitting of an agent.
    SessionId
}
id! {
    /// Something that people defined: a type, a lifecycle, an agent.
    DefinitionId
}
id! {
    /// The thing a stream of events is about: a task, a project, one execution of an operation, a
    /// hook, one delivery of it, a key, a run of a workflow file, a chunk, a session, or a
    /// definition.
    Stream
}

macro_rules! streams {
    ($($name:ident)+) => {
        $(impl From<$name> for Stream {
            fn from(id: $name) -> Self {
                Self(id.0)
            }
        })+
    };
}

streams! { TaskId ProjectId CorrelationId HookId DeliveryId KeyId RunKey ChunkId SessionId DefinitionId }

impl Stream {
    pub fn task(self) -> TaskId {
        TaskId(self.0)
    }

    pub fn project(self) -> ProjectId {
        ProjectId(self.0)
    }

    pub fn hook(self) -> HookId {
        HookId(self.0)
    }

    pub fn delivery(self) -> DeliveryId {
        DeliveryId(self.0)
    }

    pub fn key(self) -> KeyId {
        KeyId(self.0)
    }

    pub fn run(self) -> RunKey {
        RunKey(self.0)
    }

    pub fn chunk(self) -> ChunkId {
        ChunkId(self.0)
    }

    pub fn session(self) -> SessionId {
        SessionId(self.0)
    }

    pub fn definition(self) -> DefinitionId {
        DefinitionId(self.0)
    }
}

/// What somebody typed to name a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fragment {
    Whole([u8; 16]),
    Part {
        /// In upper case, as ids are written.
        text: String,
        /// Ids that begin with the text, as an inclusive range; none when no id can.
        prefix: Option<([u8; 16], [u8; 16])>,
        /// `tail` keys of the ids that end with the text, as an inclusive range.
        suffix: (i64, i64),
    },
}

impl Fragment {
    /// Reads a whole id or a part of one. Nothing is repaired but letter case.
    pub fn parse(given: &str) -> Result<Self, Refusal> {
        let text = given.to_ascii_uppercase();
        if text.chars().count() < SHORTEST {
            return Err(Refusal::new(
                Code::IdTooShort,
                format!("'{given}' is too short for an id: give at least {SHORTEST} characters"),
            )
            .hint("list the tasks with their ids: windlass task list")
            .detail("given", given)
            .detail("shortest", SHORTEST));
        }
        let Some(digits) = text.bytes().map(digit).collect::<Option<Vec<u128>>>() else {
            return Err(not_an_id(given, "ids are made of 0-9 and A-Z without I, L, O and U"));
        };
        if digits.len() > WHOLE {
            return Err(not_an_id(given, "an id has 26 characters"));
        }
        if digits.len() == WHOLE {
            // The parser would drop what does not fit into 128 bits.
            let fits = digits.first().is_some_and(|first| *first <= 7);
            return match Ulid::from_string(&text) {
                Ok(id) if fits => Ok(Self::Whole(id.to_bytes())),
                _ => Err(not_an_id(given, "the first character of an id is at most 7")),
            };
        }
        Ok(Self::Part { prefix: prefix_range(&digits), suffix: suffix_range(&digits), text })
    }
}

fn not_an_id(given: &str, why: &str) -> Refusal {
    Refusal::new(Code::InvalidValue, format!("'{given}' is not an id: {why}"))
        .hint("list the tasks with their ids: windlass task list")
        .detail("field", "task")
        .detail("given", given)
}

fn digit(byte: u8) -> Option<u128> {
    ALPHABET.iter().position(|&letter| letter == byte).map(|value| value as u128)
}

fn prefix_range(digits: &[u128]) -> Option<([u8; 16], [u8; 16])> {
    // 26 characters hold 130 bits and an id has 128, so the first character is at most 7.
    if digits.first().is_some_and(|&first| first > 7) {
        return None;
    }
    let free_bits = 5 * (WHOLE - digits.len());
    let fixed = digits.iter().fold(0_u128, |value, digit| (value << 5) | digit);
    let lowest = fixed << free_bits;
    let highest = lowest | ((1_u128 << free_bits) - 1);
    Some((lowest.to_be_bytes(), highest.to_be_bytes()))
}

fn suffix_range(digits: &[u128]) -> (i64, i64) {
    let kept = digits.len().min(TAIL);
    let free_bits = 5 * (TAIL - kept);
    let fixed = digits
        .iter()
        .rev()
        .take(kept)
        .fold(0_i64, |key, &digit| (key << 5) | i64::try_from(digit).unwrap_or(0));
    let lowest = fixed << free_bits;
    (lowest, lowest | ((1_i64 << free_bits) - 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Time;
    use proptest::prelude::*;

    fn some_id() -> impl Strategy<Value = TaskId> {
        any::<[u8; 16]>().prop_map(TaskId::from_bytes)
    }

    proptest! {
        #[test]
        fn every_prefix_of_an_id_finds_it(id in some_id(), length in SHORTEST..WHOLE) {
            let written = id.to_string();
            let Fragment::Part { prefix: Some((low, high)), .. } =
                Fragment::parse(&written[..length]).unwrap() else { panic!("no range") };
            prop_assert!(low <= id.to_bytes() && id.to_bytes() <= high);
        }

        #[test]
        fn every_suffix_of_an_id_finds_it(id in some_id(), length in SHORTEST..WHOLE) {
            let written = id.to_string();
            let Fragment::Part { suffix: (low, high), .. } =
                Fragment::parse(&written[WHOLE - length..]).unwrap() else { panic!("whole") };
            prop_assert!(low <= id.tail() && id.tail() <= high);
        }

        #[test]
        fn an_id_outside_the_prefix_range_does_not_begin_with_it(id in some_id(), other in some_id()) {
            let written = id.to_string();
            let part = &written[..8];
            let Fragment::Part { prefix: Some((low, high)), .. } =
                Fragment::parse(part).unwrap() else { panic!("no range") };
            let inside = low <= other.to_bytes() && other.to_bytes() <= high;
            prop_assert_eq!(inside, other.to_string().starts_with(part));
        }

        #[test]
        fn parsing_never_panics(text in ".{0,40}") {
            let _parsed = Fragment::parse(&text);
        }

        #[test]
        fn a_written_id_is_read_back(id in some_id()) {
            prop_assert_eq!(id.to_string().to_lowercase().parse::<TaskId>().unwrap(), id);
        }
    }

    #[test]
    fn three_characters_are_too_few() {
        assert_eq!(Fragment::parse("01J").unwrap_err().code, Code::IdTooShort);
        assert_eq!(Fragment::parse("").unwrap_err().code, Code::IdTooShort);
    }

    #[test]
    fn letters_outside_the_alphabet_are_refused() {
        for text in ["ABCU", "IIII", "ab-c", "ÄBCD", "ABCD EFG"] {
            assert_eq!(Fragment::parse(text).unwrap_err().code, Code::InvalidValue, "{text}");
        }
    }

    #[test]
    fn an_id_that_does_not_fit_is_not_taken_for_another() {
        let id = TaskId::from_bytes([1; 16]).to_string();
        let alias = format!("8{}", &id[1..]);
        assert_eq!(Fragment::parse(&alias).unwrap_err().code, Code::InvalidValue);
    }

    #[test]
    fn the_short_form_is_the_end_of_the_id() {
        let id = TaskId::from_parts(Time::from_millis(1_700_000_000_000), 42);
        assert!(id.to_string().ends_with(&id.short()));
        assert_eq!(id.short().len(), SHOWN);
    }
}
