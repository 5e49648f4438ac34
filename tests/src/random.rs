//! Chance that can be repeated: `WINDLASS_SEED` plays a run again.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};

use windlass_testkit::machine;

/// `SplitMix64`: enough to choose moments with, and repeatable by its seed.
#[derive(Debug, Clone, Copy)]
pub struct Random(u64);

impl Random {
    /// Of the seed in `WINDLASS_SEED`, or of any.
    #[expect(clippy::new_without_default, reason = "each is another one")]
    pub fn new() -> Self {
        let given = machine::variable("WINDLASS_SEED").and_then(|seed| seed.to_str()?.parse().ok());
        Self(given.unwrap_or_else(|| RandomState::new().build_hasher().finish()))
    }

    /// One that belongs to a text: always the same, whoever asks first.
    #[must_use]
    pub fn of(self, text: &str) -> Self {
        let mixed = text.bytes().fold(self.0, |mixed, byte| Self(mixed ^ u64::from(byte)).next());
        Self(mixed)
    }

    pub fn seed(&self) -> u64 {
        self.0
    }

    #[expect(clippy::should_implement_trait, reason = "it never ends")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }
}
