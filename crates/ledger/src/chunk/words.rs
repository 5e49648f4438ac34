//! The index of words: which words stand for which chunk, and how they are spread.
//!
//! It holds the words that [`windlass_domain::search`] makes and knows nothing of ranking. Owners
//! have numbers, so that a search reads only what it may look at.

use windlass_domain::chunk::{Chunk, Owner};
use windlass_domain::search::{Counts, Spread, Terms, Texts as Said, trigrams};

use super::words_sql::Texts;
use crate::cell::{Cell, Columns};
use crate::fault::Fault;
use crate::record::{from_json, to_json};
use crate::store::{Statements, all, first};

/// An owner of chunks that can be found, with what they have in all.
#[derive(Debug, Clone)]
pub(crate) struct Owned {
    pub(crate) number: u64,
    pub(crate) owner: Owner,
    pub(crate) chunks: u64,
    pub(crate) length: u64,
    pub(crate) postings: u64,
}

/// How a word is spread over the chunks of one owner.
#[derive(Debug, Clone)]
pub(crate) struct KnownWord {
    pub(crate) word: String,
    pub(crate) owner: u64,
    pub(crate) spread: Spread,
}

/// A word in a chunk.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Posting {
    /// The number of the word in the list that was asked for.
    pub(crate) word: usize,
    pub(crate) owner: u64,
    pub(crate) created_seq: u64,
    pub(crate) counts: Counts,
    /// How many words the chunk has.
    pub(crate) length: u32,
}

/// The part of the seam that is about the words of chunks.
pub(crate) trait ChunkWords: Statements {
    fn texts(&self) -> &'static Texts;

    /// Writes what became of a chunk into the index; `before` is nothing when it is new.
    fn index_chunk(&mut self, before: Option<&Chunk>, now: &Chunk) -> Result<(), Fault> {
        let was = before.and_then(|chunk| Some((&chunk.owner, Said::found(chunk)?)));
        let is = Said::found(now).map(|said| (&now.owner, said));
        if was == is {
            return Ok(());
        }
        if let Some((owner, said)) = was {
            self.take_out(now.created_seq, owner, &Terms::of(said))?;
        }
        match is {
            Some((owner, said)) => self.put_in(now.created_seq, owner, &Terms::of(said)),
            None => Ok(()),
        }
    }

    fn put_in(&mut self, created_seq: u64, owner: &Owner, terms: &Terms) -> Result<(), Fault> {
        let owner = self.count_owner(owner, terms, 1)?;
        let words = listed(terms);
        let unknown = self.unknown(&words)?;
        let (list, number) = (Cell::Text(&words), Cell::count(owner));
        let length = Cell::Int(terms.length.into());
        let texts = self.texts();
        self.run(texts.add_postings, &[number, Cell::count(created_seq), length, list])?;
        self.run(texts.count_words, &[number, Cell::Int(1), list])?;
        match unknown.is_empty() {
            true => Ok(()),
            false => self.run(texts.add_trigrams, &[Cell::Text(&spelt(&unknown))]).map(drop),
        }
    }

    fn take_out(&mut self, created_seq: u64, owner: &Owner, terms: &Terms) -> Result<(), Fault> {
        let owner = self.count_owner(owner, terms, -1)?;
        let words = listed(terms);
        let (list, number) = (Cell::Text(&words), Cell::count(owner));
        let texts = self.texts();
        self.run(texts.remove_postings, &[number, Cell::count(created_seq), list])?;
        self.run(texts.count_words, &[number, Cell::Int(-1), list])?;
        self.run(texts.forget_words, &[number, list])?;
        let gone = self.unknown(&words)?;
        match gone.is_empty() {
            true => Ok(()),
            false => self.run(texts.remove_trigrams, &[Cell::Text(&spelt(&gone))]).map(drop),
        }
    }

    /// Counts a chunk to its owner, or back with -1, and returns the owner's number.
    fn count_owner(&mut self, owner: &Owner, terms: &Terms, by: i64) -> Result<u64, Fault> {
        let postings = i64::try_from(terms.words.len()).unwrap_or(i64::MAX);
        let owner = owner.to_string();
        let cells = [
            Cell::Text(&owner),
            Cell::Int(by),
            Cell::Int(by * i64::from(terms.length)),
            Cell::Int(by * postings),
        ];
        let number = first(self, self.texts().count_owner, &cells, |row| row.count(0))?;
        number.ok_or_else(|| Fault::bug("an owner of chunks has no number"))
    }

    /// Which words of a list no chunk has.
    fn unknown(&mut self, words: &str) -> Result<Vec<String>, Fault> {
        all(self, self.texts().unknown, &[Cell::Text(words)], |row| row.text(0))
    }

    fn chunk_owners(&mut self) -> Result<Vec<Owned>, Fault> {
        all(self, self.texts().owners, &[], |row| {
            let owner =
                Owner::parse(&row.text(1)?).map_err(|refusal| Fault::bug(refusal.message))?;
            let (chunks, length, postings) = (row.count(2)?, row.count(3)?, row.count(4)?);
            Ok(Owned { number: row.count(0)?, owner, chunks, length, postings })
        })
    }

    /// How each of these words is spread over each owner that has it.
    fn spreads(&mut self, words: &[&str]) -> Result<Vec<KnownWord>, Fault> {
        let words: Vec<[&str; 1]> = words.iter().map(|word| [*word]).collect();
        all(self, self.texts().spreads, &[Cell::Text(&to_json(&words))], read_known)
    }

    /// Words of these owners that begin with another and are longer, in their order.
    fn beginning(&mut self, with: &str, owners: &str, limit: u64) -> Result<Vec<KnownWord>, Fault> {
        let end = format!("{with}{}", char::MAX);
        let cells = [Cell::Text(with), Cell::Text(&end), Cell::Text(owners), Cell::count(limit)];
        all(self, self.texts().beginning, &cells, read_known)
    }

    /// Words of these owners that have at least half of their trigrams in common with another, the
    /// most alike first.
    fn spelt_like(&mut self, word: &str, owners: &str, limit: u64) -> Result<Vec<String>, Fault> {
        let of: Vec<[String; 1]> = trigrams(word).into_iter().map(|trigram| [trigram]).collect();
        let half = of.len().div_ceil(2) as u64;
        let of = to_json(&of);
        let cells = [Cell::Text(&of), Cell::count(half), Cell::Text(owners), Cell::count(limit)];
        all(self, self.texts().spelt_like, &cells, |row| row.text(0))
    }

    /// Every chunk that has one of these words, each of one owner.
    fn postings(&mut self, words: &[(usize, &str, u64)]) -> Result<Vec<Posting>, Fault> {
        all(self, self.texts().postings, &[Cell::Text(&to_json(&words))], read_posting)
    }

    /// The newest chunks of an owner that have a word.
    fn newest_postings(
        &mut self,
        (number, word, owner): (usize, &str, u64),
        limit: u64,
    ) -> Result<Vec<Posting>, Fault> {
        let cells = [Cell::Text(word), Cell::count(owner), Cell::count(limit)];
        all(self, self.texts().newest_postings, &cells, |row| posting(number, row, 0))
    }

    /// Which of these chunks, by owner and creation, have which of these words.
    fn postings_of(
        &mut self,
        words: &[(usize, &str)],
        chunks: &[(u64, u64)],
    ) -> Result<Vec<Posting>, Fault> {
        let (words, chunks) = (to_json(&words), to_json(&chunks));
        let cells = [Cell::Text(&words), Cell::Text(&chunks)];
        all(self, self.texts().postings_of, &cells, read_posting)
    }

    /// The chunks that were created at these places of the log, in any order.
    fn chunks_created_at(&mut self, created: &[u64]) -> Result<Vec<Chunk>, Fault> {
        let created: Vec<[u64; 1]> = created.iter().map(|seq| [*seq]).collect();
        let cells = [Cell::Text(&to_json(&created))];
        all(self, self.texts().states, &cells, |row| from_json(&row.text(0)?))
    }
}

/// The words of a chunk as a list of word, packed counts and times.
fn listed(terms: &Terms) -> String {
    let each = terms.words.iter().map(|(word, counts)| (word, counts.packed(), counts.total()));
    to_json(&each.collect::<Vec<_>>())
}

/// Every trigram of every word, with the word.
fn spelt(words: &[String]) -> String {
    let each = words.iter().flat_map(|word| trigrams(word).into_iter().map(move |of| (of, word)));
    to_json(&each.collect::<Vec<_>>())
}

fn read_known(row: &dyn Columns) -> Result<KnownWord, Fault> {
    let spread = Spread { chunks: row.count(2)?, times: row.count(3)? };
    Ok(KnownWord { word: row.text(0)?, owner: row.count(1)?, spread })
}

fn read_posting(row: &dyn Columns) -> Result<Posting, Fault> {
    let word = usize::try_from(row.count(0)?).unwrap_or(usize::MAX);
    posting(word, row, 1)
}

/// A posting whose columns begin at a place of the row.
fn posting(word: usize, row: &dyn Columns, from: usize) -> Result<Posting, Fault> {
    Ok(Posting {
        word,
        owner: row.count(from)?,
        created_seq: row.count(from + 1)?,
        counts: Counts::unpacked(row.count(from + 2)?),
        length: u32::try_from(row.count(from + 3)?).unwrap_or(u32::MAX),
    })
}
