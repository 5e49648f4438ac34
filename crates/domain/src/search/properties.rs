//! What holds for every chunk and every question.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::likeness::likeness;
use super::*;
use crate::words::stems;

const WORDS: [&str; 9] =
    ["lease", "claim", "rateLimit", "limits", "rate", "dictionary", "dict", "数据库", "429"];

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(WORDS.to_vec()), 1..9)
        .prop_map(|words| words.join(" "))
}

/// The words above, each in the same number of chunks.
struct Words(BTreeMap<String, Spread>);

impl Vocabulary for Words {
    fn words(&self) -> impl Iterator<Item = (&str, Spread)> {
        self.0.iter().map(|(word, spread)| (word.as_str(), *spread))
    }

    fn spread(&self, word: &str) -> Option<Spread> {
        self.0.get(word).copied()
    }
}

fn weighed(question: &str) -> Vec<Weighed> {
    let spread = Spread { chunks: 9, times: 12 };
    let words = Words(stems(&WORDS.join(" ")).into_iter().map(|word| (word, spread)).collect());
    let corpus = Corpus { chunks: 100, length: 600, postings: 500 };
    let weigh = |asked: &AskedFor| Weighed::new(asked, &corpus, &words);
    Question::parse(question).unwrap().words.iter().map(weigh).collect()
}

fn scored(question: &[Weighed], texts: Texts<'_>) -> f64 {
    let terms = Terms::of(texts);
    score(question, 6.0, &hits(question, &terms), terms.length)
}

fn said<'a>(title: &'a str, content: &'a str) -> Texts<'a> {
    Texts { title, tags: &[], query_key: "", content, gotchas: &[] }
}

proptest! {
    #[test]
    fn a_word_of_the_question_never_makes_a_chunk_worse(
        question in text(), title in text(), content in text(), added in prop::sample::select(WORDS.to_vec()),
    ) {
        let asked = weighed(&format!("{question} {added}"));
        let before = scored(&asked, said(&title, &content));
        let in_content = scored(&asked, said(&title, &format!("{content} {added}")));
        let in_title = scored(&asked, said(&format!("{title} {added}"), &content));
        prop_assert!(in_content >= before - 1e-9);
        prop_assert!(in_title >= before - 1e-9);
    }

    #[test]
    fn a_title_counts_at_least_as_much_as_content(question in text(), one in text(), other in text()) {
        let asked = weighed(&question);
        let titled = scored(&asked, said(&question, &format!("{one} {other}")));
        let told = scored(&asked, said(&one, &format!("{question} {other}")));
        let both = scored(&asked, said(&format!("{one} {question}"), &other));
        prop_assert!(both >= told - 1e-9);
        prop_assert!(titled >= 0.0);
    }

    #[test]
    fn the_parts_of_a_score_are_all_of_it(question in text(), title in text(), content in text()) {
        let asked = weighed(&question);
        let terms = Terms::of(said(&title, &content));
        let hits = hits(&asked, &terms);
        let parts = parts(&asked, 6.0, &hits, terms.length);
        let whole: f64 = parts.iter().map(|part| part.score).sum();
        prop_assert!((whole - score(&asked, 6.0, &hits, terms.length)).abs() < 1e-9);
        for part in parts {
            let placed: f64 = part.places.iter().map(|(_, gave)| gave).sum();
            prop_assert!((placed - part.score).abs() < 1e-9);
        }
    }

    #[test]
    fn what_the_question_does_not_ask_for_never_helps(question in text(), content in text()) {
        let asked = weighed(&question);
        let before = scored(&asked, said("", &content));
        let longer = scored(&asked, said("", &format!("{content} halyard")));
        prop_assert!(longer <= before + 1e-9);
    }

    #[test]
    fn how_two_words_are_alike_is_between_none_and_the_same(one in "[a-z0-9]{0,9}", other in "[a-z0-9]{0,9}") {
        let likeness = likeness(&one, &other, false);
        prop_assert!((0.0..=1.0).contains(&likeness));
        prop_assert_eq!(one == other, likeness > 0.99);
    }
}
