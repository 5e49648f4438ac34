//! Where in a chunk a word stands.

use crate::word::words;

words! {
    /// A part of a chunk that is searched.
    Place {
        Title "title",
        Tags "tags",
        QueryKey "query_key",
        Content "content",
        Gotchas "gotchas",
    }
}

impl Place {
    /// How much a word counts here: what somebody chose to name a chunk by says most about it.
    pub const fn weight(self) -> u8 {
        match self {
            Self::Title => 5,
            Self::Tags => 4,
            Self::QueryKey => 3,
            Self::Content | Self::Gotchas => 1,
        }
    }
}

/// How often a word stands in each place of one chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts([u16; Place::ALL.len()]);

impl Counts {
    /// Oftener than this is not counted.
    const MOST: u16 = (1 << Self::BITS) - 1;
    const BITS: u32 = 12;

    pub fn add(&mut self, place: Place) {
        if let Some(count) = self.0.get_mut(place as usize) {
            *count = (*count + 1).min(Self::MOST);
        }
    }

    pub fn of(self, place: Place) -> u16 {
        self.0.get(place as usize).copied().unwrap_or_default()
    }

    pub fn total(self) -> u32 {
        self.0.iter().copied().map(u32::from).sum()
    }

    /// How often in all, by the weights of the places.
    pub fn weighted(self) -> f64 {
        Place::ALL.iter().map(|place| self.weighted_in(*place)).sum()
    }

    pub(super) fn weighted_in(self, place: Place) -> f64 {
        f64::from(place.weight()) * f64::from(self.of(place))
    }

    /// All of them in one number.
    pub fn packed(self) -> u64 {
        self.0.iter().fold(0, |packed, count| packed << Self::BITS | u64::from(*count))
    }

    pub fn unpacked(packed: u64) -> Self {
        let mut counts = Self::default();
        let mut rest = packed;
        for count in counts.0.iter_mut().rev() {
            *count = u16::try_from(rest & u64::from(Self::MOST)).unwrap_or_default();
            rest >>= Self::BITS;
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_unpacked_as_they_were_packed() {
        let mut counts = Counts::default();
        for (place, times) in Place::ALL.iter().zip([1, 0, 7, 5_000, 3]) {
            (0..times).for_each(|_| counts.add(*place));
        }
        assert_eq!(counts.of(Place::Content), Counts::MOST);
        assert_eq!(Counts::unpacked(counts.packed()), counts);
    }
}
