//! `task search`: what is found, in which order, with which piece of text, the same on SQLite and
//! PostgreSQL.
//!
//! This is the part "non-ASCII search" of contract HZL, section 6, check "Prefix resolution,
//! ambiguity, empty prefix, non-ASCII search". HZL fails this check: it reads letters and digits of
//! ASCII only, so a Cyrillic or Chinese question finds nothing.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "an answer of another shape ends its test"
)]

use std::collections::BTreeSet;

use serde_json::{Value, json};
use windlass_tests::ledgers::{Ledger, error_of, rows, text};

/// What is searched, oldest first. A comment and a checkpoint are added afterwards.
const TASKS: &str = "
title                    | tags       | description                     | comment          | checkpoint
-------------------------|------------|---------------------------------|------------------|-----------
Fix the login cookie     | auth,web   | sessions end after a minute     | Safari too       |
修复数据库连接           |            | 连接池已满                      |                  |
Починить вход в систему  | срочно     | пользователи ждут               | готово завтра    |
Größe der Schaltfläche   |            | zu klein auf Łódź-Bildschirmen  |                  |
parseHTTPRequest fails   | http-api   | see src/net/foo_bar.rs          |                  |
Rotate the keys          | security   | v1.2.3-rc1 leaks a token        | cookie jar empty | keys listed
Write the release notes  |            | the login page, the cookie note |                  |
cookie banner            | web        | GDPR                            |                  | login asked
";

/// Questions and the titles they find, best first, by the first word of each.
const QUESTIONS: &str = "
query                     | found
--------------------------|---------------------------
cookie                    | cookie Fix Write Rotate
Cookies                   | cookie Fix Write Rotate
login cookie              | Fix Write cookie
cookie login              | Fix Write cookie
coo log                   | Fix Write cookie
web                       | cookie Fix
web cookie                | cookie Fix
safari                    | Fix
keys                      | Rotate
listed                    | Rotate
数据库                    | 修复数据库连接
数据库连接                | 修复数据库连接
库                        | 修复数据库连接
连接池                    | 修复数据库连接
数库                      |
вход                      | Починить
ВХОД                      | Починить
пользовател               | Починить
срочно                    | Починить
завтра                    | Починить
größe                     | Größe
GROSSE                    | Größe
schaltflache              | Größe
lodz                      | Größe
Łódź                      | Größe
http                      | parseHTTPRequest
httpRequest               | parseHTTPRequest
parseRequest              | parseHTTPRequest
parsehttp                 | parseHTTPRequest
foo_bar.rs                | parseHTTPRequest
net/foo                   | parseHTTPRequest
v1.2.3                    | Rotate
rc1 token                 | Rotate
tokens leaking            | Rotate
NOT cookie                | Write
cookie OR vanished        |
cookie AND login          |
cookie AND notes          |
-login +cookie            | Fix Write cookie
\"login cookie\"          | Fix Write cookie
'cookie' & !jar           | Rotate
cookie*                   | cookie Fix Write Rotate
title:cookie              |
{title}:cookie ^cookie    |
(cookie NEAR/2 login)     |
cookie:*A | x             |
cookie ; -- DROP          |
%cookie_                  | cookie Fix Write Rotate
🎉 cookie 🎉              | cookie Fix Write Rotate
cookie\\                  | cookie Fix Write Rotate
nothing like it           |
";

/// A ledger with the tasks of the table.
#[track_caller]
fn library(ledger: Ledger) -> Ledger {
    for [title, tags, description, comment, checkpoint] in rows(TASKS) {
        let mut args = vec!["task", "add", title, "-s", "ready", "-d", description];
        args.extend(["-t", tags].into_iter().filter(|_| !tags.is_empty()));
        let id = text(&ledger.answer(&args)["task_id"]);
        if !comment.is_empty() {
            ledger.answer(&["task", "comment", &id, comment]);
        }
        if !checkpoint.is_empty() {
            ledger.answer(&["task", "checkpoint", &id, checkpoint]);
        }
    }
    ledger
}

#[track_caller]
fn on_both(check: impl Fn(&Ledger)) {
    check(&library(Ledger::on_sqlite()));
    if let Some(ledger) = Ledger::on_postgres() {
        check(&library(ledger));
    }
}

#[track_caller]
fn search(ledger: &Ledger, query: &str) -> Value {
    ledger.answer(&["task", "search", "--", query])
}

/// The first words of the titles that were found, as a table has them.
fn found(answer: &Value) -> String {
    let first = |task: &Value| text(&task["title"]).split(' ').next().unwrap().to_owned();
    answer["tasks"].as_array().unwrap().iter().map(first).collect::<Vec<_>>().join(" ")
}

#[test]
fn check_each_question_finds_what_the_table_says_in_its_order() {
    on_both(|ledger| {
        for [query, expected] in questions() {
            let answer = search(ledger, query);
            assert_eq!(found(&answer), expected, "{query}");
            assert_eq!(answer["total"], answer["tasks"].as_array().unwrap().len(), "{query}");
        }
    });
}

/// A question may hold the bar that parts the columns, so the last one does.
fn questions() -> impl Iterator<Item = [&'static str; 2]> {
    let parts = |line: &'static str| line.rsplit_once('|').unwrap();
    QUESTIONS.trim().lines().skip(2).map(parts).map(|(query, found)| [query.trim(), found.trim()])
}

#[test]
fn check_an_answer_has_the_keys_of_hzl_and_an_agent_and_a_snippet() {
    let ledger = library(Ledger::on_sqlite());
    let answer = search(&ledger, "banner");
    let keys = |value: &Value| {
        value.as_object().unwrap().keys().cloned().collect::<BTreeSet<_>>().into_iter().collect()
    };
    let all: Vec<String> = keys(&answer);
    assert_eq!(all, ["limit", "page", "tasks", "total"]);
    let task: Vec<String> = keys(&answer["tasks"][0]);
    assert_eq!(task, ["agent", "project", "snippet", "status", "task_id", "title"]);
}

/// The piece that is shown, with its marks in brackets.
fn piece(answer: &Value) -> String {
    let snippet = &answer["tasks"][0]["snippet"];
    let mut shown = text(&snippet["text"]);
    for mark in snippet["marks"].as_array().unwrap().iter().rev() {
        let at = |index: usize| usize::try_from(mark[index].as_u64().unwrap()).unwrap();
        shown.insert(at(1), ']');
        shown.insert(at(0), '[');
    }
    let dots = |key: &str| if snippet[key] == true { ".." } else { "" };
    format!("{}: {}{shown}{}", text(&snippet["field"]), dots("cut_before"), dots("cut_after"))
}

#[test]
fn a_snippet_shows_where_the_words_are_and_says_which_text_it_is_of() {
    on_both(|ledger| {
        for (query, expected) in [
            ("sessions", "description: [sessions] end after a minute"),
            ("池", "description: 连接[池]已满"),
            ("lodz", "description: zu klein auf [Łódź]-Bildschirmen"),
            ("auth", "tags: [auth], web"),
            ("safari fix", "comment: [Safari] too"),
            ("listed", "checkpoint: keys [listed]"),
            ("foo_bar", "description: see src/net/[foo]_[bar].rs"),
        ] {
            assert_eq!(piece(&search(ledger, query)), expected, "{query}");
        }
        let only_title = search(ledger, "banner");
        assert_eq!(only_title["tasks"][0]["snippet"], Value::Null);
    });
}

#[test]
fn a_snippet_of_a_long_text_is_cut_on_both_sides() {
    let ledger = Ledger::on_sqlite();
    let long = format!("{} needle {}", "hay ".repeat(400), "straw ".repeat(400));
    ledger.add(&["-d", &long]);
    let answer = search(&ledger, "needle");
    let shown = piece(&answer);
    assert!(shown.starts_with("description: ..hay") && shown.ends_with("straw.."), "{shown}");
    assert!(shown.contains("[needle]") && shown.chars().count() < 110, "{shown}");
}

#[test]
fn check_a_question_without_a_letter_or_digit_is_refused_and_says_so() {
    let ledger = library(Ledger::on_sqlite());
    for query in ["", " ", "🎉", "\"\"", "*", "&|!()", "--", "…—„“", "\u{200d}"] {
        let outcome = ledger.windlass(&["task", "search", "--", query]).run();
        let error = error_of(&outcome, "invalid_value", 3);
        assert_eq!(error["details"]["field"], "query", "{query}");
    }
}

#[test]
fn check_a_question_of_ten_thousand_characters_is_answered() {
    on_both(|ledger| {
        for query in [
            "cookie ".repeat(1_400),
            "c".repeat(10_000),
            "数".repeat(10_000),
            "'\"*&|!():<>\\".repeat(900) + "cookie",
            (0..2_000).map(|number| format!("w{number}")).collect::<Vec<_>>().join(" "),
        ] {
            let answer = search(ledger, &query);
            let expected = if query.contains("cookie") { "cookie Fix Write Rotate" } else { "" };
            assert_eq!(found(&answer), expected, "{}", &query[..12]);
        }
    });
}

#[test]
fn a_project_a_status_and_a_limit_narrow_a_search() {
    on_both(|ledger| {
        ledger.answer(&["project", "create", "api"]);
        let answer =
            |flags: &[&str]| ledger.answer(&[&["task", "search", "cookie"], flags].concat());
        let id = text(&answer(&["-l", "1"])["tasks"][0]["task_id"]);
        ledger.answer(&["task", "move", &id, "api"]);
        ledger.answer(&["task", "set-status", &id, "done"]);
        assert_eq!(found(&answer(&["-P", "api"])), "cookie");
        assert_eq!(found(&answer(&["-P", "inbox"])), "Fix Write Rotate");
        assert_eq!(found(&answer(&["-s", "done"])), "cookie");
        assert_eq!(found(&answer(&["-s", "ready", "-P", "api"])), "");
        let first = answer(&["--limit", "2"]);
        assert_eq!((found(&first).as_str(), &first["total"]), ("cookie Fix", &json!(4)));
        for (flags, code, exit) in [
            (["-P", "nowhere"], "project_not_found", 4),
            (["-s", "nearly"], "invalid_value", 3),
            (["-l", "0"], "invalid_value", 3),
            (["-l", "10001"], "invalid_value", 3),
        ] {
            let outcome = ledger.windlass(&[&["task", "search", "x"], &flags[..]].concat()).run();
            let _refused = error_of(&outcome, code, exit);
        }
    });
}

#[test]
fn a_task_is_found_by_what_it_is_called_now() {
    on_both(|ledger| {
        let id = text(&search(ledger, "rotate")["tasks"][0]["task_id"]);
        ledger.answer(&["task", "update", &id, "--title", "Turn the locks", "-t", "", "-d", ""]);
        for (query, expected) in
            [("rotate", ""), ("locks", "Turn"), ("security", ""), ("leaks", ""), ("jar", "Turn")]
        {
            assert_eq!(found(&search(ledger, query)), expected, "{query}");
        }
        ledger.answer(&["task", "archive", &id]);
        assert_eq!(found(&search(ledger, "locks")), "Turn", "archived tasks are found");
        ledger.answer(&["doctor", "--rebuild"]);
        assert_eq!(found(&search(ledger, "locks")), "Turn", "and found again after a rebuild");
    });
}

#[test]
fn check_both_databases_give_the_same_tasks_in_the_same_order() {
    let Some(postgres) = Ledger::on_postgres() else { return };
    let postgres = library(postgres);
    let sqlite = Ledger::on_sqlite();
    let file = postgres.home.work().join("log.ndjson").display().to_string();
    postgres.answer(&["export", &file]);
    sqlite.answer(&["import", "ledger", &file]);
    for [query, _] in questions() {
        assert_eq!(search(&sqlite, query), search(&postgres, query), "{query}");
    }
}

#[test]
fn a_search_for_people_shows_the_titles_and_says_when_there_is_more() {
    let ledger = library(Ledger::on_sqlite());
    let page = |args: &[&str]| {
        ledger.windlass(&[&["task", "search", "--format", "text"], args].concat()).run().ok().stdout
    };
    let shown = page(&["cookie", "-l", "2"]);
    assert!(shown.contains("2 of 4 tasks; see more with --page 2"), "{shown}");
    assert_eq!(page(&["vanished"]), "nothing found\n");
}
