//! Whatever is typed for an id, durations and times included, is read or refused, never a crash;
//! and what is read as a part of an id really finds ids with that part.
#![no_main]

use libfuzzer_sys::fuzz_target;
use windlass_domain::duration::Span;
use windlass_domain::id::Fragment;
use windlass_domain::{TaskId, Time, text};

fuzz_target!(|data: &[u8]| {
    let Ok(typed) = std::str::from_utf8(data) else { return };
    match Fragment::parse(typed) {
        Ok(Fragment::Whole(bytes)) => {
            assert_eq!(TaskId::from_bytes(bytes).to_string(), typed.to_ascii_uppercase());
        }
        Ok(Fragment::Part { text, prefix, suffix }) => {
            assert!(suffix.0 <= suffix.1);
            if let Some((low, high)) = prefix {
                assert!(low <= high);
                assert!(TaskId::from_bytes(low).matches(&text));
                assert!(TaskId::from_bytes(high).matches(&text));
            }
        }
        Err(refusal) => assert!(refusal.hint.is_some()),
    }
    if let Ok(span) = Span::parse("lease", typed) {
        assert_eq!(Span::parse("lease", &span.to_string()), Ok(span));
    }
    if let Ok(time) = Time::parse("due", typed) {
        assert_eq!(Time::parse("due", &time.to_string()), Ok(time));
    }
    if let Ok(title) = text::title(typed) {
        assert!(!title.chars().any(char::is_control));
    }
});
