//! Words that stand for others: the beginning of a word for the whole and the whole for its
//! beginning (`dict`, `dictionary`), a name for a part of it, a word for a slip of the pen.

use std::collections::BTreeSet;

/// A word that is only like the one that is asked for counts at most so much.
const LIKE: f64 = 0.8;
/// What is less like it does not count.
const LEAST: f64 = 0.2;
/// Shorter beginnings stand for too many words.
const CUT_CHARS: usize = 3;
/// A shorter beginning of a word counts as if it were so much of it: it was meant as its short form.
const SHORT_FORM: f64 = 0.5;
/// So much of their trigrams two spellings of one word have in common.
const SAME_SPELLING: f64 = 0.5;

/// How much a word counts for one that is asked for: 1 for itself, less for what is like it, 0 for
/// everything else. What is only spelt alike counts where nobody wrote the word itself.
pub(super) fn likeness(asked: &str, word: &str, is_known: bool) -> f64 {
    if asked == word {
        return 1.0;
    }
    // Another number is not a similar number.
    if is_number(asked) || is_number(word) {
        return 0.0;
    }
    let found = if word.starts_with(asked) && is_cut(asked) {
        chars(asked) / chars(word)
    } else if asked.starts_with(word) && is_cut(word) {
        (chars(word) / chars(asked)).max(SHORT_FORM)
    } else if is_known {
        0.0
    } else {
        spelling(asked, word)
    };
    Some(LIKE * found).filter(|likeness| *likeness >= LEAST).unwrap_or_default()
}

/// How much of a word another is that is a name with the word in it, or the word misspelt.
fn spelling(asked: &str, word: &str) -> f64 {
    if word.contains(asked) && is_part(asked) {
        return chars(asked) / chars(word);
    }
    Some(common(asked, word)).filter(|common| *common >= SAME_SPELLING).unwrap_or_default()
}

/// The beginnings of a word that may stand for it.
pub fn beginnings(word: &str) -> impl Iterator<Item = &str> {
    let ends = word.char_indices().map(|(at, _)| at).skip(CUT_CHARS);
    ends.filter_map(|end| word.get(..end)).filter(|_| !is_number(word))
}

/// Whether other words may stand for one.
pub fn has_likes(word: &str) -> bool {
    is_cut(word) && !is_number(word)
}

/// Every three characters of a word that follow each other; none of a shorter word.
pub fn trigrams(word: &str) -> BTreeSet<String> {
    let letters: Vec<char> = word.chars().collect();
    letters.windows(3).map(|three| three.iter().collect()).collect()
}

/// How many of the trigrams of two words they have in common, from 0 to 1.
fn common(one: &str, other: &str) -> f64 {
    let (one, other) = (trigrams(one), trigrams(other));
    let both = one.intersection(&other).count();
    let count = |number: usize| f64::from(u32::try_from(number).unwrap_or(u32::MAX));
    match one.len() + other.len() {
        0 => 0.0,
        all => 2.0 * count(both) / count(all),
    }
}

fn is_number(word: &str) -> bool {
    word.bytes().all(|letter| letter.is_ascii_digit())
}

fn is_cut(word: &str) -> bool {
    word.chars().count() >= CUT_CHARS
}

/// Long enough to be looked for inside of names.
fn is_part(word: &str) -> bool {
    word.chars().count() > CUT_CHARS
}

fn chars(word: &str) -> f64 {
    f64::from(u32::try_from(word.chars().count()).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_most_like_itself() {
        assert!((likeness("lease", "lease", true) - 1.0).abs() < f64::EPSILON);
    }

    #[test]
    fn a_word_stands_for_its_beginning_its_short_form_its_part_and_its_misspelling() {
        for (asked, word) in [
            ("reserv", "reservoir"),
            ("dictionary", "dict"),
            ("budgetexceed", "retrybudgetexceed"),
            ("distributino", "distribut"),
        ] {
            let likeness = likeness(asked, word, false);
            assert!((LEAST..=LIKE).contains(&likeness), "{asked} {word}: {likeness}");
        }
    }

    #[test]
    fn other_words_and_other_numbers_are_not_alike() {
        for (asked, word) in
            [("lease", "claim"), ("429", "4290"), ("4290", "429"), ("in", "invoice"), ("", "x")]
        {
            assert!(likeness(asked, word, false).abs() < f64::EPSILON, "{asked} {word}");
        }
    }

    #[test]
    fn what_is_spelt_alike_counts_only_where_the_word_itself_is_not_known() {
        assert!(likeness("budget", "retrybudget", false) > 0.0);
        assert!(likeness("budget", "retrybudget", true).abs() < f64::EPSILON);
    }

    #[test]
    fn the_beginnings_of_a_word_are_long_enough_and_shorter_than_the_word() {
        assert_eq!(beginnings("größer").collect::<Vec<_>>(), ["grö", "größ", "größe"]);
        assert_eq!(beginnings("429100").count(), 0);
    }
}
