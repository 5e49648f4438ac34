//! Any text is cut into words that need no escaping and that find it again, and what is shown of
//! it can be shown.
#![no_main]

use libfuzzer_sys::fuzz_target;
use windlass_domain::words::{WORD_CHARS, asked, indexed, snippet};

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let words = indexed(text);
    for word in &words {
        assert!(!word.is_empty() && word.chars().count() <= WORD_CHARS);
        assert!(word.chars().all(|letter| {
            !letter.is_ascii() || letter.is_ascii_lowercase() || letter.is_ascii_digit()
        }));
        assert!(asked(word).unwrap().iter().all(|word| word.is_in(&words)));
    }
    // The first line is taken for a query over all of them.
    let query = text.lines().next().unwrap_or_default();
    let Ok(asked) = asked(query) else { return };
    assert!(asked.iter().all(|word| word.is_in(&words)));
    let snippet = snippet(text, &asked, 40).unwrap();
    assert!(snippet.text.chars().count() <= 40);
    for mark in snippet.marks {
        assert!(!snippet.text[mark].is_empty());
    }
});
