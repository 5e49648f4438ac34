//! Weighing a question: which indexed words stand for its words, and how they are spread over what
//! the search looks at. Nothing else is counted, so that a score tells nothing of what is hidden.

use std::collections::{BTreeMap, BTreeSet};

use windlass_domain::search::Vocabulary as _;
use windlass_domain::search::{
    self, AskedFor, Corpus, Question, Sight, Spread, Weighed, beginnings, has_likes,
};

use super::words::KnownWord;
use crate::fault::Fault;
use crate::record::to_json;
use crate::store::Store;

/// So many words that begin alike are looked at.
const BEGINNING: u64 = 200;
/// So many words that are spelt alike are looked at.
const SPELT_LIKE: u64 = 40;

/// What a search looks at.
pub(super) struct Field {
    pub(super) corpus: Corpus,
    owners: BTreeSet<u64>,
    /// The same as a list for statements.
    listed: String,
}

/// The spread of words over a field, by owner.
#[derive(Default)]
pub(super) struct Vocabulary(BTreeMap<String, BTreeMap<u64, Spread>>);

impl Field {
    pub(super) fn of(store: &mut dyn Store, sight: &Sight<'_>) -> Result<Self, Fault> {
        let (mut corpus, mut owners) = (Corpus::default(), BTreeSet::new());
        for owned in store.chunk_owners()? {
            if sight.reaches(&owned.owner) {
                corpus.chunks += owned.chunks;
                corpus.length += owned.length;
                corpus.postings += owned.postings;
                owners.insert(owned.number);
            }
        }
        let listed = to_json(&owners.iter().map(|number| [*number]).collect::<Vec<_>>());
        Ok(Self { corpus, owners, listed })
    }

    /// How words are spread over the field.
    pub(super) fn spreads(
        &self,
        store: &mut dyn Store,
        words: &[&str],
    ) -> Result<Vocabulary, Fault> {
        let mut vocabulary = Vocabulary::default();
        vocabulary.meet(self, store.spreads(words)?);
        Ok(vocabulary)
    }

    /// The words of a question with everything in the field that stands for them.
    pub(super) fn weigh(
        &self,
        store: &mut dyn Store,
        question: &Question,
    ) -> Result<(Vec<Weighed>, Vocabulary), Fault> {
        let mut vocabulary = self.spreads(store, &looked_up(question))?;
        for asked in question.words.iter().filter(|asked| !asked.exact && has_likes(&asked.stem)) {
            let found = store.beginning(&asked.stem, &self.listed, BEGINNING)?;
            vocabulary.meet(self, found);
            if vocabulary.spread(&asked.stem).is_none() {
                let alike = store.spelt_like(&asked.stem, &self.listed, SPELT_LIKE)?;
                let alike: Vec<&str> = alike.iter().map(String::as_str).collect();
                let found = store.spreads(&alike)?;
                vocabulary.meet(self, found);
            }
        }
        let weigh = |asked: &AskedFor| Weighed::new(asked, &self.corpus, &vocabulary);
        Ok((question.words.iter().map(weigh).collect(), vocabulary))
    }
}

impl search::Vocabulary for Vocabulary {
    fn words(&self) -> impl Iterator<Item = (&str, Spread)> {
        self.0.iter().map(|(word, owners)| (word.as_str(), whole(owners)))
    }

    fn spread(&self, word: &str) -> Option<Spread> {
        self.0.get(word).map(whole)
    }
}

impl Vocabulary {
    /// Adds what is in the field.
    fn meet(&mut self, field: &Field, found: Vec<KnownWord>) {
        for known in found.into_iter().filter(|known| field.owners.contains(&known.owner)) {
            self.0.entry(known.word).or_default().insert(known.owner, known.spread);
        }
    }

    /// The owners that have a word, with in how many chunks.
    pub(super) fn owners(&self, word: &str) -> impl Iterator<Item = (u64, u64)> {
        let owners = self.0.get(word).into_iter().flatten();
        owners.map(|(owner, spread)| (*owner, spread.chunks))
    }
}

/// How a word is spread over the whole field.
fn whole(owners: &BTreeMap<u64, Spread>) -> Spread {
    let mut whole = Spread::default();
    for spread in owners.values() {
        whole.chunks += spread.chunks;
        whole.times += spread.times;
    }
    whole
}

/// Every word of a question, and every shorter word that may stand for one.
fn looked_up(question: &Question) -> Vec<&str> {
    let mut words = BTreeSet::new();
    for asked in &question.words {
        words.insert(asked.stem.as_str());
        if !asked.exact {
            words.extend(beginnings(&asked.stem));
        }
    }
    words.into_iter().collect()
}
