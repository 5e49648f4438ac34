//! What meets and what does not, as tables.

use std::collections::BTreeSet;

use super::*;

fn finds(query: &str, text: &str) -> bool {
    let indexed = indexed(text);
    asked(query).unwrap().iter().all(|word| word.is_in(&indexed))
}

#[track_caller]
fn meet(words: &[&str]) {
    for query in words {
        for text in words {
            assert!(finds(query, text), "{query} does not find {text}");
        }
    }
}

#[track_caller]
fn are_indexed(text: &str, words: &[&str]) {
    let words: BTreeSet<String> = words.iter().map(|&word| word.to_owned()).collect();
    assert_eq!(indexed(text), words);
}

#[track_caller]
fn are_asked(query: &str, words: &[&[&str]]) {
    let found: Vec<Vec<String>> = asked(query).unwrap().into_iter().map(|word| word.any).collect();
    assert_eq!(found, words);
}

#[test]
fn german_meets_without_its_dots_but_not_as_it_is_spelt_out() {
    meet(&["Größe", "GRÖSSE", "GRÖẞE", "grosse"]);
    assert!(!finds("groesse", "Größe"));
}

#[test]
fn accents_do_not_matter() {
    meet(&["déjà", "DEJA", "de\u{301}ja\u{300}"]);
    meet(&["cœur", "coeur", "CŒUR"]);
    meet(&["Łódź", "lodz"]);
    meet(&["Ærøskøbing", "aeroskobing"]);
    meet(&["đường", "duong"]);
    meet(&["ﬁle", "file", "ｆｉｌｅ"]);
}

#[test]
fn cyrillic_meets_in_both_cases_and_without_its_breve() {
    meet(&["Задай", "задаи", "ЗАДАЙ"]);
    assert!(finds("задач", "Все задачи"));
}

#[test]
fn greek_meets_with_its_final_sigma() {
    meet(&["ΟΔΟΣ", "οδός", "οδοσ"]);
}

#[test]
fn turkish_meets_with_and_without_dots() {
    meet(&["IŞIK", "ışık", "isik"]);
    meet(&["İstanbul", "istanbul", "ISTANBUL"]);
}

#[test]
fn devanagari_words_keep_their_vowel_signs() {
    are_indexed("कार्य सूची", &["कार्य", "सूची"]);
    assert!(finds("का", "कार्य सूची"));
}

#[test]
fn a_word_written_with_a_joiner_is_one_word() {
    meet(&["می\u{200c}خواهم", "میخواهم"]);
}

#[test]
fn chinese_is_indexed_by_pairs_and_the_last_character() {
    are_indexed("数据库", &["数据", "据库", "库"]);
    are_asked("数据库", &[&["数据"], &["据库"]]);
    are_asked("库", &[&["库"]]);
    for query in ["数据库", "数", "据", "库", "据库"] {
        assert!(finds(query, "修复数据库连接"), "{query}");
    }
    assert!(!finds("数库", "数据库"));
}

#[test]
fn japanese_meets_in_both_widths() {
    meet(&["データベース", "ﾃﾞｰﾀﾍﾞｰｽ"]);
    assert!(finds("移行", "データベースの移行"));
    are_indexed("が", &["が"]);
}

#[test]
fn korean_meets_composed_and_decomposed() {
    meet(&["데이터", "\u{1103}\u{1166}\u{110b}\u{1175}\u{1110}\u{1165}"]);
    assert!(finds("이터", "데이터베이스"));
}

#[test]
fn a_run_is_cut_where_chinese_begins() {
    are_indexed("v2版", &["v2", "版"]);
    are_asked("v2版本API", &[&["v2"], &["版本"], &["api"]]);
}

#[test]
fn names_are_indexed_in_parts_and_as_a_whole() {
    are_indexed("parseHTTPRequest", &["http", "parse", "parsehttprequest", "request"]);
    are_indexed("PascalCase", &["case", "pascal", "pascalcase"]);
    are_indexed("v2API", &["api", "v2", "v2api"]);
    are_indexed("OAuth2Token", &["auth2", "o", "oauth2token", "token"]);
}

#[test]
fn names_are_asked_for_by_their_parts() {
    for query in ["parseRequest", "httpRequest", "HTTP", "parsehttp", "ParseHttpRequest"] {
        assert!(finds(query, "parseHTTPRequest"), "{query}");
    }
    for text in ["git hub", "github", "GitHub", "hub_git"] {
        assert!(finds("GitHub", text), "{text}");
    }
    assert!(!finds("GitHub", "git"));
}

#[test]
fn the_plural_of_an_acronym_is_one_word() {
    are_indexed("URLs", &["urls"]);
    meet(&["URL", "URLs", "urls"]);
}

#[test]
fn versions_paths_and_ids_are_cut_at_their_signs() {
    are_indexed("v1.2.3-rc1", &["v1", "2", "3", "rc1"]);
    are_indexed("src/foo_bar.rs", &["src", "foo", "bar", "rs"]);
    are_indexed("01M7FA9NY5TZE610VWPYT0EWK1", &["01m7fa9ny5tze610vwpyt0ewk1"]);
    assert!(finds("foo_bar.rs", "see src/foo_bar.rs:12"));
    assert!(finds("oauth2", "use OAuth2 here"));
}

#[test]
fn the_forms_of_english_words_meet() {
    for forms in [
        "migrate migrates migrated migrating migration migrations",
        "test tests testing tested",
        "query queries queried querying",
        "index indexes indexed indexing",
        "address addresses addressed addressing",
        "fix fixes fixed fixing",
        "release releases released releasing",
        "dependency dependencies",
        "note notes noted noting",
        "cache caches cached caching",
        "lease leases leased leasing",
        "try tries tried trying",
        "copy copies copied copying",
        "stop stops stopped stopping",
        "use uses used using",
        "type types typed typing",
        "cancel cancels cancelled canceled cancelling cancellation",
        "install installs installed installing installation",
        "document documents documented documentation",
        "configure configured configuring configuration configurations",
        "validate validated validating validation",
        "notify notifies notified notification notifications",
        "delete deleted deleting deletion",
        "class classes",
        "status statuses",
        "key keys",
    ] {
        meet(&forms.split(' ').collect::<Vec<_>>());
    }
}

#[test]
fn a_stem_is_not_so_short_that_it_finds_other_words() {
    for (query, text) in [
        ("note", "not"),
        ("file", "filter"),
        ("base", "bash"),
        ("this", "think"),
        ("string", "strong"),
        ("station", "state"),
        ("general", "generate"),
    ] {
        assert!(!finds(query, text), "{query} finds {text}");
    }
}

#[test]
fn a_word_is_found_while_it_is_typed() {
    for text in ["migrations", "dependencies", "addresses", "releasing", "queries", "Größenangabe"]
    {
        for (end, _) in text.char_indices().skip(1) {
            assert!(finds(&text[..end], text), "{}", &text[..end]);
        }
    }
}

#[test]
fn an_alternative_that_another_finds_is_left_out() {
    are_asked("testing", &[&["test"]]);
    are_asked("query Query", &[&["queri", "query"]]);
}

#[test]
fn a_query_without_a_letter_is_refused() {
    for query in ["", " ", "\"*\" -()", "🎉🚀", "❤️", "🅰", "\u{301}", "\u{93e}"] {
        let refusal = asked(query).unwrap_err();
        assert_eq!(refusal.code, Code::InvalidValue, "{query:?}");
        assert_eq!(refusal.details["field"], "query");
        assert!(refusal.hint.is_some());
        assert!(indexed(query).is_empty(), "{query:?}");
    }
}

#[test]
fn long_words_are_cut_alike_in_texts_and_queries() {
    let long = "ß".repeat(100);
    are_indexed(&long, &[&"s".repeat(WORD_CHARS)]);
    assert!(finds(&long, &long));
}

#[test]
fn a_query_ends_after_its_first_words() {
    let many: Vec<String> = (0..1000).map(|n| n.to_string()).collect();
    assert_eq!(asked(&many.join(" ")).unwrap().len(), QUERY_WORDS);
    assert_eq!(asked(&many.join("aB")).unwrap().len(), QUERY_WORDS);
    assert!(asked(&"\"OR*(🎉".repeat(10_000)).is_ok());
}

#[test]
fn no_character_folds_to_one_that_folds_on() {
    for letter in '\0'..=char::MAX {
        let words = indexed(&letter.to_string());
        for word in &words {
            assert!(indexed(word).contains(word), "{letter:?} {word:?}");
            assert!(asked(word).unwrap().iter().all(|word| word.is_in(&words)), "{letter:?}");
        }
    }
}
