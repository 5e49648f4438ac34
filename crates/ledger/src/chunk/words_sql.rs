//! The statements of the index of words. Both databases take a list as one JSON text and differ only
//! in how they read it, so every statement is written once. Parameters are numbered in the order in
//! which they appear: SQLite takes `$1` for a name. Lists come first in a `CROSS JOIN`, whose order
//! SQLite keeps.

/// The statements of one database.
pub(crate) struct Texts {
    pub(crate) count_owner: &'static str,
    pub(crate) owners: &'static str,
    pub(crate) unknown: &'static str,
    pub(crate) add_postings: &'static str,
    pub(crate) remove_postings: &'static str,
    pub(crate) count_words: &'static str,
    pub(crate) forget_words: &'static str,
    pub(crate) add_trigrams: &'static str,
    pub(crate) remove_trigrams: &'static str,
    pub(crate) spreads: &'static str,
    pub(crate) beginning: &'static str,
    pub(crate) spelt_like: &'static str,
    pub(crate) postings: &'static str,
    pub(crate) newest_postings: &'static str,
    pub(crate) postings_of: &'static str,
    pub(crate) states: &'static str,
}

macro_rules! sqlite_list {
    ($number:literal, $name:literal) => {
        concat!("json_each($", $number, ") AS ", $name)
    };
}

/// PostgreSQL takes the elements of a JSON list for a hundred rows, and would rather read a whole
/// table than look up a hundred; an array it does not know is taken for ten.
macro_rules! postgres_list {
    ($number:literal, $name:literal) => {
        concat!(
            "unnest(ARRAY(SELECT json_array_elements($",
            $number,
            "::json))) AS ",
            $name,
            " (value)"
        )
    };
}

macro_rules! texts {
    ($list:ident) => {
        Texts {
            // By the unique index on `owner`. Owners keep their number when their chunks are gone.
            count_owner: "INSERT INTO chunk_owners (number, owner, chunks, length, postings) \
                 SELECT coalesce(max(number), 0) + 1, $1, $2, $3, $4 FROM chunk_owners WHERE true \
                 ON CONFLICT (owner) DO UPDATE SET chunks = chunk_owners.chunks + excluded.chunks, \
                 length = chunk_owners.length + excluded.length, \
                 postings = chunk_owners.postings + excluded.postings RETURNING number",
            // One row for each owner.
            owners: "SELECT number, owner, chunks, length, postings FROM chunk_owners",
            // By the primary key of the vocabulary.
            unknown: concat!(
                "SELECT given.value ->> 0 FROM ", $list!(1, "given"), " WHERE NOT EXISTS \
                 (SELECT 1 FROM chunk_vocabulary WHERE word = given.value ->> 0)"
            ),
            add_postings: concat!(
                "INSERT INTO chunk_words (word, owner, created_seq, places, length) \
                 SELECT given.value ->> 0, $1, $2, CAST(given.value ->> 1 AS BIGINT), $3 FROM ",
                $list!(4, "given")
            ),
            // By the primary key.
            remove_postings: concat!(
                "DELETE FROM chunk_words WHERE owner = $1 AND created_seq = $2 \
                 AND word IN (SELECT given.value ->> 0 FROM ", $list!(3, "given"), ")"
            ),
            // By the primary key; with $2 = -1 it counts back.
            count_words: concat!(
                "INSERT INTO chunk_vocabulary (word, owner, chunks, times) \
                 SELECT given.value ->> 0, $1, $2, $2 * CAST(given.value ->> 2 AS BIGINT) FROM ",
                $list!(3, "given"), " WHERE true ON CONFLICT (word, owner) DO UPDATE SET \
                 chunks = chunk_vocabulary.chunks + excluded.chunks, \
                 times = chunk_vocabulary.times + excluded.times"
            ),
            // By the primary key.
            forget_words: concat!(
                "DELETE FROM chunk_vocabulary WHERE owner = $1 AND chunks = 0 \
                 AND word IN (SELECT given.value ->> 0 FROM ", $list!(2, "given"), ")"
            ),
            add_trigrams: concat!(
                "INSERT INTO chunk_trigrams (trigram, word) \
                 SELECT given.value ->> 0, given.value ->> 1 FROM ", $list!(1, "given")
            ),
            // By the primary key.
            remove_trigrams: concat!(
                "DELETE FROM chunk_trigrams WHERE (trigram, word) IN \
                 (SELECT given.value ->> 0, given.value ->> 1 FROM ", $list!(1, "given"), ")"
            ),
            // By the primary key of the vocabulary.
            spreads: concat!(
                "SELECT word, owner, chunks, times FROM ", $list!(1, "given"),
                " CROSS JOIN chunk_vocabulary WHERE word = given.value ->> 0"
            ),
            // By the primary key of the vocabulary, in its order.
            beginning: concat!(
                "SELECT word, owner, chunks, times FROM chunk_vocabulary \
                 WHERE word > $1 AND word < $2 \
                 AND owner IN (SELECT CAST(given.value ->> 0 AS BIGINT) FROM ", $list!(3, "given"), ") \
                 ORDER BY word, owner LIMIT $4"
            ),
            // By the primary keys of trigrams and vocabulary. Sorts the words that are alike.
            spelt_like: concat!(
                "SELECT word FROM (SELECT word, count(*) AS shared FROM ", $list!(1, "given"),
                " CROSS JOIN chunk_trigrams WHERE trigram = given.value ->> 0 GROUP BY word) AS alike \
                 WHERE shared >= $2 AND EXISTS (SELECT 1 FROM chunk_vocabulary \
                 WHERE chunk_vocabulary.word = alike.word AND owner IN \
                 (SELECT CAST(other.value ->> 0 AS BIGINT) FROM ", $list!(3, "other"), ")) \
                 ORDER BY shared DESC, word LIMIT $4"
            ),
            // By the primary key: as many rows as the vocabulary says.
            postings: concat!(
                "SELECT CAST(given.value ->> 0 AS BIGINT), owner, created_seq, places, length FROM ",
                $list!(1, "given"), " CROSS JOIN chunk_words WHERE word = given.value ->> 1 \
                 AND owner = CAST(given.value ->> 2 AS BIGINT)"
            ),
            // By the primary key, backwards.
            newest_postings: "SELECT owner, created_seq, places, length FROM chunk_words \
                 WHERE word = $1 AND owner = $2 ORDER BY created_seq DESC LIMIT $3",
            // By the primary key: at most one row for each word and chunk. Put together first, so that
            // nobody looks for all chunks with a word.
            postings_of: concat!(
                "WITH pairs AS MATERIALIZED (SELECT CAST(given.value ->> 0 AS BIGINT) AS number, \
                 given.value ->> 1 AS asked, CAST(other.value ->> 0 AS BIGINT) AS whose, \
                 CAST(other.value ->> 1 AS BIGINT) AS created FROM ",
                $list!(1, "given"), " CROSS JOIN ", $list!(2, "other"),
                ") SELECT number, owner, created_seq, places, length FROM pairs \
                 CROSS JOIN chunk_words WHERE word = asked AND owner = whose AND created_seq = created"
            ),
            // By the primary key.
            states: concat!(
                "SELECT state FROM ", $list!(1, "given"), " CROSS JOIN chunks \
                 WHERE created_seq = CAST(given.value ->> 0 AS BIGINT)"
            ),
        }
    };
}

pub(crate) const SQLITE: Texts = texts!(sqlite_list);
pub(crate) const POSTGRES: Texts = texts!(postgres_list);
