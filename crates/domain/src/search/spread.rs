//! How words are spread over the chunks that a search looks at.

/// How often a word is taken to have been seen before it was: one that stands in few chunks is not
/// judged by these alone.
const SEEN_BEFORE: f64 = 10.0;

/// All chunks that a search looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Corpus {
    pub chunks: u64,
    /// How many words they have in all.
    pub length: u64,
    /// The same, each word of a chunk counted once.
    pub postings: u64,
}

/// How a word is spread over them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spread {
    /// In so many chunks.
    pub chunks: u64,
    /// So many times.
    pub times: u64,
}

impl Corpus {
    /// How long a chunk is.
    pub fn mean_length(&self) -> f64 {
        (number(self.length) / number(self.chunks.max(1))).max(1.0)
    }

    /// How much it says about a chunk that a word is in it.
    ///
    /// A word in many chunks says little. Of two words in as many chunks, the one that comes again
    /// and again where it comes at all is what those chunks are about; the other, such as `how`, only
    /// happens to be there.
    pub fn rarity(&self, spread: Spread) -> f64 {
        let (all, chunks) = (number(self.chunks), number(spread.chunks));
        let rare = (1.0 + ((all - chunks).max(0.0) + 0.5) / (chunks + 0.5)).ln();
        let usual = (number(self.length) / number(self.postings.max(1))).max(1.0);
        let again = (number(spread.times) + SEEN_BEFORE * usual) / (chunks + SEEN_BEFORE);
        rare * again / usual
    }
}

/// A count as a number to calculate with.
fn number(count: u64) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CORPUS: Corpus = Corpus { chunks: 1_000, length: 90_000, postings: 60_000 };

    fn rarity(chunks: u64, times: u64) -> f64 {
        CORPUS.rarity(Spread { chunks, times })
    }

    #[test]
    fn a_word_in_fewer_chunks_says_more() {
        assert!(rarity(3, 4) > rarity(30, 40));
        assert!(rarity(30, 40) > rarity(900, 1_200));
        assert!(rarity(1_000, 3_000) > 0.0);
    }

    #[test]
    fn a_word_that_comes_again_where_it_comes_says_more() {
        assert!(rarity(30, 90) > rarity(30, 30));
    }
}
