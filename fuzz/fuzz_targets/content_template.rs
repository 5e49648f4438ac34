//! Any content is held against any template without a crash: what is missing are headings of the
//! template, and content that begins with all of them lacks none.
#![no_main]

use libfuzzer_sys::fuzz_target;
use windlass_domain::Code;
use windlass_domain::chunk::template::{Heading, Template};

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    // The first line has the titles of the template, the rest is content.
    let (titles, content) = text.split_once('\n').unwrap_or((text, ""));
    let titles = titles.split(',').map(|title| Heading { title: title.to_owned(), asks: None });
    let Ok(template) = (Template { headings: titles.collect() }).checked() else { return };
    if let Err(refusal) = template.check(content) {
        assert_eq!(refusal.code, Code::ContentIncomplete);
        let missing = refusal.details["missing"].as_array().unwrap();
        assert!(!missing.is_empty());
        for title in missing {
            assert!(template.headings.iter().any(|heading| *title == heading.title.as_str()));
        }
    }
    // A title may hold what Markdown reads as something else than a part of it.
    let is_plain = |title: &str| title.chars().all(|letter| letter.is_alphanumeric() || letter == ' ');
    if template.headings.iter().all(|heading| is_plain(&heading.title)) {
        let said = |heading: &Heading| format!("## {}\n\nsaid\n\n", heading.title);
        let whole: String = template.headings.iter().map(said).collect();
        assert_eq!(template.check(&format!("{whole}{content}")), Ok(()));
    }
});
