//! What holds for every text.

use proptest::prelude::*;
use unicode_normalization::UnicodeNormalization;

use super::*;

/// Any text, and texts of the characters most likely to go wrong.
pub(super) fn texts() -> impl Strategy<Value = String> {
    let odd = "aAsSiIzZ12_-. \"'*ßẞſΣςσıİŁøÆﬁ½①é\u{301}\u{300}\u{323}\u{345}\u{34f}\u{3099}\u{302a}\
        \u{200d}\u{200c}\u{ad}\u{fe0f}\u{20e3}かがｶﾞあー中文々가각\u{1100}\u{1161}\u{11a8}कार्य\u{93c}\
        ا\u{654}\u{64b}עברית🎉🅰Ⓜ㍿ﷺ";
    let odd: Vec<char> = odd.chars().collect();
    prop_oneof![
        any::<String>(),
        prop::collection::vec(prop::sample::select(odd), 0..24).prop_map(String::from_iter),
        "([a-z]{1,9}(ies|ing|ed|ation|s|e|y)? ?){0,6}",
    ]
}

proptest! {
    #[test]
    fn words_need_no_escaping(text in texts()) {
        let asked = asked(&text).unwrap_or_default().into_iter().flat_map(|word| word.any);
        for word in indexed(&text).into_iter().chain(asked) {
            prop_assert!(!word.is_empty() && word.chars().count() <= WORD_CHARS);
            prop_assert!(!word.chars().any(|letter| letter.is_whitespace() || letter.is_control()));
            prop_assert!(word.chars().filter(char::is_ascii)
                .all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit()), "{word:?}");
        }
    }

    #[test]
    fn the_normal_form_of_a_text_does_not_matter(text in texts()) {
        let words = indexed(&text);
        prop_assert_eq!(&indexed(&text.nfc().to_string()), &words);
        prop_assert_eq!(&indexed(&text.nfd().to_string()), &words);
        prop_assert_eq!(&indexed(&text.nfkc().to_string()), &words);
    }

    #[test]
    fn plain_words_are_what_any_word_would_be(text in "[ -~]{0,40}") {
        let mut words = BTreeSet::new();
        add_words(&text, &mut words);
        prop_assert_eq!(indexed(&text), words);
    }

    #[test]
    fn every_indexed_word_is_found_again(text in texts()) {
        let words = indexed(&text);
        for word in &words {
            prop_assert!(asked(word).unwrap().iter().all(|word| word.is_in(&words)), "{word:?}");
        }
    }

    #[test]
    fn a_text_finds_itself_or_has_no_words(text in texts()) {
        let words = indexed(&text);
        match asked(&text) {
            Ok(asked) => prop_assert!(asked.iter().all(|word| word.is_in(&words))),
            Err(_) => prop_assert!(words.is_empty()),
        }
    }

    #[test]
    fn a_snippet_is_shown_exactly_when_a_word_is_found(
        text in texts(), query in texts(), width in 0..40_usize,
    ) {
        let words = indexed(&text);
        let asked = asked(&query).unwrap_or_default();
        let snippet = snippet(&text, &asked, width);
        prop_assert_eq!(snippet.is_some(), asked.iter().any(|word| word.is_in(&words)));
        let Some(snippet) = snippet else { return Ok(()) };
        prop_assert!(snippet.text.chars().count() <= width);
        prop_assert_eq!(snippet.marks.is_empty(), width == 0);
        let mut end = 0;
        for mark in snippet.marks {
            prop_assert!(mark.start < mark.end && (mark.start > end || end == 0));
            prop_assert!(snippet.text.get(mark.clone()).is_some(), "{mark:?}");
            end = mark.end;
        }
    }
}
