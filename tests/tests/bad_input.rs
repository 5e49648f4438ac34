//! What others write: every limit, every letter that does not belong, ids, flags, numbers, settings.
//!
//! Whatever is refused here leaves no trace: no event in a ledger that is there, and no file where
//! there is none.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "an answer of another shape ends its test"
)]

use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use windlass_testkit::{Outcome, Run};
use windlass_tests::ledgers::{Ledger, error_of, rows, text};

/// Looks like an id, but nobody has it.
const NOBODYS_ID: &str = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

/// The limits of contract HZL, section 2.2. CHARS is that many characters, each of two bytes;
/// LETTERS the same of ASCII; ITEMS a list of that many; KEYS and BYTES an object of that many;
/// NUMBER the number itself.
const LIMITS: &str = "
command                                          | field       | at most
-------------------------------------------------|-------------|--------
task add CHARS                                   | title       | 128
task update TASK --title CHARS                   | title       | 128
task add x --description CHARS                   | description | 16384
task update TASK --description CHARS             | description | 16384
project create long --description CHARS          | description | 16384
task add x --links CHARS                         | link        | 2048
task update TASK --links CHARS                   | link        | 2048
project create bound --repo CHARS                | repo        | 2048
task add x --tags CHARS                          | tag         | 64
task update TASK --tags CHARS                    | tag         | 64
task claim --next --agent a --tags CHARS         | tag         | 64
task comment TASK CHARS                          | text        | 16384
task add x --comment CHARS                       | comment     | 16384
task complete TASK --comment CHARS               | comment     | 16384
task release TASK --comment CHARS                | comment     | 16384
task block TASK --comment CHARS                  | comment     | 16384
task unblock TASK --comment CHARS                | comment     | 16384
task reopen TASK --comment CHARS                 | comment     | 16384
task archive TASK --comment CHARS                | comment     | 16384
task restore TASK --comment CHARS                | comment     | 16384
task checkpoint TASK CHARS                       | name        | 256
task checkpoint TASK x --data BYTES              | data        | 16384
project create LETTERS                           | project     | 255
project rename inbox LETTERS                     | project     | 255
task add x --project LETTERS                     | project     | 255
task add x --agent CHARS                         | agent       | 255
task add x --author CHARS                        | author      | 255
task update TASK --agent CHARS                   | agent       | 255
task claim TASK --agent CHARS                    | agent       | 255
task claim TASK --author CHARS                   | author      | 255
task claim TASK --agent a --role CHARS           | role        | 255
task complete TASK --agent CHARS                 | agent       | 255
task complete TASK --author CHARS                | author      | 255
task comment TASK x --author CHARS               | author      | 255
project create by --author CHARS                 | author      | 255
task complete TASK --force --reason CHARS        | reason      | 1024
task steal TASK --force --agent a --reason CHARS | reason      | 1024
project freeze inbox --reason CHARS              | reason      | 1024
task add x --tags ITEMS                          | tags        | 100
task update TASK --tags ITEMS                    | tags        | 100
task add x --links ITEMS                         | links       | 100
task add x --depends-on ITEMS                    | depends_on  | 100
task add x --metadata KEYS                       | metadata    | 50
task add x --metadata BYTES                      | metadata    | 65536
task update TASK --metadata BYTES                | metadata    | 65536
task add x --priority NUMBER                     | priority    | 3
task progress TASK NUMBER                        | progress    | 100
task checkpoint TASK x --progress NUMBER         | progress    | 100
";

/// Where something must be said, in one line of plain letters.
const ONE_LINE: &str = "
command                                   | field
------------------------------------------|---------
task add GIVEN                            | title
task update TASK --title GIVEN            | title
task add x --tags GIVEN                   | tag
task add x --links GIVEN                  | link
task add x --agent GIVEN                  | agent
task claim TASK --agent GIVEN             | agent
task comment TASK x --author GIVEN        | author
task claim TASK --agent a --role GIVEN    | role
task checkpoint TASK GIVEN                | name
project create GIVEN                      | project
project create a --repo GIVEN             | repo
task complete TASK --force --reason GIVEN | reason
";

/// Where something must be said, and lines and tabs belong.
const LONG: &str = "
command                         | field
--------------------------------|--------
task comment TASK GIVEN         | text
task add x --comment GIVEN      | comment
task block TASK --comment GIVEN | comment
";

/// Numbers, spans and times that are none, or out of range; the argument is named by the message.
const NUMBERS: &str = "
command                                 | argument | given
----------------------------------------|----------|---------------------
task list --limit GIVEN                 | limit    | x
task list --limit GIVEN                 | limit    | 0
task list --limit GIVEN                 | limit    | 10001
task list --limit GIVEN                 | limit    | 1.5
task list --limit GIVEN                 | limit    | 99999999999999999999
task list --limit GIVEN                 | limit    | -1
task list --page GIVEN                  | page     | 0
task list --page GIVEN                  | page     | -1
task list --page GIVEN                  | page     | 18446744073709551615
task history TASK --limit GIVEN         | limit    | 0
events --limit GIVEN                    | limit    | 0
events --from GIVEN                     | from     | x
events --from GIVEN                     | from     | -1
task add x --priority GIVEN             | priority | 4
task add x --priority GIVEN             | priority | -1
task add x --priority GIVEN             | priority | high
task add x --priority GIVEN             | priority |
task progress TASK GIVEN                | progress | 101
task progress TASK GIVEN                | progress | -1
task progress TASK GIVEN                | progress | 50%
task checkpoint TASK x --progress GIVEN | progress | -1
task checkpoint TASK x --fence GIVEN    | fence    | x
task checkpoint TASK x --fence GIVEN    | fence    | -1
task claim TASK --agent a --lease GIVEN | lease    | soon
task claim TASK --agent a --lease GIVEN | lease    | 0
task claim TASK --agent a --lease GIVEN | lease    | 1.5h
task claim TASK --agent a --lease GIVEN | lease    | 99999d
task claim TASK --agent a --lease GIVEN | lease    | -5m
task add x --stale-after GIVEN          | stale    | often
task add x --stale-after GIVEN          | stale    | -1
task add x --due GIVEN                  | due      | tomorrow
task add x --due GIVEN                  | due      | 2026-02-30
";

/// What is near something known, and what that is.
const NEAR_MISSES: &str = "
command                            | meant
-----------------------------------|-------------
tsk list                           | task
task ad x                          | add
task ADD x                         | add
task clam TASK --agent a           | claim
task comp TASK                     | complete
task set_status TASK ready         | set-status
task why TASK                      | why
projects list                      | project
task add x --duee 2026-01-01       | --due
task add x --tag a                 | --tags
task add x --proj inbox            | --project
task add x --depends_on TASK       | --depends-on
task claim TASK --agnet a          | --agent
task list --jsn                    | --json
";

/// Command lines that say too little, too much or two things at once.
const NONSENSE: &str = "
command
----------------------------------

task
task add
task add one two
task add x --title
task claim --agent a
task claim TASK --next --agent a
task claim TASK --tags a --agent a
task steal TASK --agent a
task archive TASK --cascade --orphan
task update TASK
task list -status ready
";

/// Where a task is named.
const NAMES_A_TASK: &str = "
command
----------------------------------
task show GIVEN
task history GIVEN
task list --parent GIVEN
why GIVEN
task claim GIVEN --agent a
task claim --next --agent a --parent GIVEN
task complete GIVEN
task comment GIVEN x
task archive GIVEN
task add x --parent GIVEN
task add x --depends-on GIVEN
task add-dep GIVEN TASK
";

/// The run of a command line of a table, with TASK and one more word replaced.
#[track_caller]
fn run(ledger: &Ledger, command: &str, task: &str, (word, value): (&str, &str)) -> Outcome {
    let replaced = command.split_whitespace().map(|this| match this {
        "TASK" => task,
        this if this == word => value,
        other => other,
    });
    ledger.windlass(&replaced.collect::<Vec<_>>()).run()
}

/// The run of a command of [`LIMITS`] with something of that size in it.
#[track_caller]
fn run_sized(ledger: &Ledger, command: &str, task: &str, size: usize) -> Outcome {
    let word = command.split_whitespace().last().unwrap_or_default();
    let value = match word {
        "CHARS" => "ä".repeat(size),
        "LETTERS" => "a".repeat(size),
        "ITEMS" => vec!["a-b"; size].join(","),
        "KEYS" => {
            let keys = (0..size).map(|n| (n.to_string(), Value::Null));
            Value::Object(keys.collect()).to_string()
        }
        "BYTES" => json!({ "k": "x".repeat(size - r#"{"k":""}"#.len()) }).to_string(),
        _ => size.to_string(),
    };
    run(ledger, command, task, (word, &value))
}

/// Tries something on a ledger, with a task of it, and on one that does not exist yet; neither may
/// change.
#[track_caller]
fn leaves_no_trace(attempt: impl Fn(&Ledger, &str)) {
    let ledger = Ledger::on_sqlite();
    let task = ledger.add(&[]);
    let before = ledger.answer(&["audit", "head"]);
    attempt(&ledger, &task);
    assert_eq!(ledger.answer(&["audit", "head"]), before);

    let nothing = Ledger::on_sqlite();
    attempt(&nothing, NOBODYS_ID);
    assert_no_ledger(&nothing);
}

/// No file was made, neither where the ledger would be nor where the commands ran.
#[track_caller]
fn assert_no_ledger(ledger: &Ledger) {
    for folder in [ledger.home.data(), ledger.home.work()] {
        let found: Vec<_> = fs::read_dir(&folder).into_iter().flatten().flatten().collect();
        assert!(found.is_empty(), "{found:?}");
    }
}

/// Whether one of the suggestions is the word, or a command with the word in it.
fn suggests(error: &Value, wanted: &str) -> bool {
    let suggestions = error["suggestions"].as_array().into_iter().flatten();
    suggestions.map(text).any(|one| one.split(' ').any(|word| word == wanted))
}

#[test]
fn whatever_exceeds_its_limit_is_refused_with_the_field_the_limit_and_what_was_given() {
    leaves_no_trace(|ledger, task| {
        for [command, field, limit] in rows(LIMITS) {
            let limit: usize = limit.parse().unwrap();
            let outcome = run_sized(ledger, command, task, limit + 1);
            let error = error_of(&outcome, "invalid_value", 3);
            let details = json!({ "field": field, "limit": limit, "given": limit + 1 });
            assert_eq!(error["details"], details, "{command}: {error}");
            let message = text(&error["message"]);
            for named in [field, &limit.to_string(), &(limit + 1).to_string()] {
                assert!(message.contains(named), "{command}: {message:?} does not name {named}");
            }
        }
    });
}

#[track_caller]
fn accepts_what_is_just_within_its_limit(ledger: &Ledger) {
    let task = ledger.add(&[]);
    for [command, _, limit] in rows(LIMITS) {
        let outcome = run_sized(ledger, command, &task, limit.parse().unwrap());
        // It may well be refused for another reason: the status of the task, an id of no task.
        let error = &outcome.json()["error"];
        assert!(error["details"]["limit"].is_null(), "{command}: {outcome}");
        assert!(matches!(outcome.code, Some(0 | 3 | 4)), "{command}: {outcome}");
    }
    assert_eq!(ledger.answer(&["doctor"])["healthy"], true);
}

#[test]
fn whatever_is_just_within_its_limit_is_accepted_on_both_databases() {
    accepts_what_is_just_within_its_limit(&Ledger::on_sqlite());
    if let Some(ledger) = Ledger::on_postgres() {
        accepts_what_is_just_within_its_limit(&ledger);
    }
}

#[test]
fn where_something_must_be_said_nothing_and_space_are_refused() {
    leaves_no_trace(|ledger, task| {
        for [command, field] in rows(ONE_LINE).chain(rows(LONG)) {
            for blank in ["", "  "] {
                let outcome = run(ledger, command, task, ("GIVEN", blank));
                let error = error_of(&outcome, "invalid_value", 3);
                assert_eq!(error["details"]["field"], field, "{command}: {error}");
            }
        }
    });
}

/// Tries each letter in each command of the table.
#[track_caller]
fn letters_are_refused(table: &'static str, letters: &[char]) {
    leaves_no_trace(|ledger, task| {
        for [command, field] in rows(table) {
            for letter in letters {
                let outcome = run(ledger, command, task, ("GIVEN", &format!("a{letter}b")));
                names_the_letter(&outcome, field, *letter);
            }
        }
    });
}

#[track_caller]
fn names_the_letter(outcome: &Outcome, field: &str, letter: char) {
    let error = error_of(outcome, "invalid_value", 3);
    let point = format!("U+{:04X}", u32::from(letter));
    assert_eq!(error["details"]["field"], field, "{outcome}");
    assert_eq!(error["details"]["character"], point.as_str(), "{outcome}");
    let message = text(&error["message"]);
    assert!(message.contains(field) && message.contains(&point), "{outcome}");
}

#[test]
fn control_characters_and_bidi_overrides_are_refused_in_titles_and_names() {
    letters_are_refused(
        ONE_LINE,
        &[
            '\u{1}', '\u{1b}', '\u{7f}', '\u{9b}', '\n', '\r', '\t', '\u{202a}', '\u{202e}',
            '\u{2066}', '\u{2069}', '\u{2028}',
        ],
    );
}

#[test]
fn control_characters_are_refused_in_long_text_too_but_lines_and_tabs_are_kept() {
    letters_are_refused(LONG, &['\u{1}', '\u{1b}', '\u{7f}', '\u{9b}']);
    let ledger = Ledger::on_sqlite();
    let task = ledger.add(&["--description", "one\n\ttwo\r\n"]);
    let shown = ledger.answer(&["task", "show", &task]);
    assert_eq!(shown["task"]["description"], "one\n\ttwo\r\n");
}

/// The kernel ends arguments and variables at a NUL, so only JSON and settings can hold one.
#[test]
fn nul_is_refused_in_json_and_in_settings() {
    leaves_no_trace(|ledger, task| {
        for json in [r#"{"k":"a\u0000b"}"#, r#"{"a\u0000b":1}"#, r#"{"k":[{"l":"\u0000"}]}"#] {
            for (command, field) in [
                ("task add x --metadata GIVEN", "metadata"),
                ("task update TASK --metadata GIVEN", "metadata"),
                ("task checkpoint TASK x --data GIVEN", "data"),
            ] {
                names_the_letter(&run(ledger, command, task, ("GIVEN", json)), field, '\0');
            }
        }
        let settings = settings_file(ledger, "agent = \"a\\u0000b\"\n");
        let error = error_of(&ledger.windlass(&["task", "add", "x"]).run(), "settings_invalid", 3);
        assert!(text(&error["message"]).contains("U+0000"), "{error}");
        fs::remove_file(settings).unwrap();
    });
}

#[test]
fn what_is_not_utf_8_is_refused() {
    leaves_no_trace(|ledger, task| {
        for [command, _] in rows(ONE_LINE).chain(rows(LONG)) {
            let words = command.split_whitespace().map(|word| match word {
                "TASK" => OsStr::new(task),
                "GIVEN" => OsStr::from_bytes(b"a\xffb"),
                other => OsStr::new(other),
            });
            let outcome = ledger.windlass(&[]).args(words).run();
            let error = error_of(&outcome, "invalid_value", 3);
            assert!(text(&error["message"]).contains("UTF-8"), "{outcome}");
        }
    });
}

/// A variable that cannot be read is not one that is absent: the command would act as somebody
/// else, or write elsewhere.
#[test]
fn a_variable_that_is_not_utf_8_is_refused_not_ignored() {
    leaves_no_trace(|ledger, _| {
        for name in ["WINDLASS_AGENT", "WINDLASS_DB", "WINDLASS_PROJECT", "WINDLASS_CLAIMS_REQUIRE"]
        {
            let run = ledger.windlass(&["task", "add", "x"]);
            let outcome = run.env(name, OsStr::from_bytes(b"a\xffb")).run();
            assert_eq!(outcome.code, Some(3), "{name}: {outcome}");
            assert!(outcome.stdout.contains(name), "{name}: {outcome}");
        }
    });
}

#[test]
fn a_variable_with_a_wrong_value_is_refused_by_its_name() {
    leaves_no_trace(|ledger, task| {
        let long = "a".repeat(256);
        for (name, value, code) in [
            ("WINDLASS_AGENT", "a\u{202e}b", "settings_invalid"),
            ("WINDLASS_AGENT", "a\nb", "settings_invalid"),
            ("WINDLASS_AGENT", &long, "settings_invalid"),
            ("WINDLASS_PROJECT", "a b", "settings_invalid"),
            ("WINDLASS_CLAIMS_LEASE", "soon", "settings_invalid"),
            ("WINDLASS_CLAIMS_REQUIRE", "trust", "settings_invalid"),
            ("WINDLASS_DATABASE_WAIT", "-1s", "settings_invalid"),
            ("WINDLASS_DATABASE_SYNCHRONOUS", "off", "settings_invalid"),
            ("WINDLASS_FORMAT", "yaml", "settings_invalid"),
            ("WINDLASS_FENCE", "two", "invalid_value"),
        ] {
            let run = ledger.windlass(&["task", "checkpoint", task, "x"]);
            let outcome = run.env("WINDLASS_TASK", task).env(name, value).run();
            let error = error_of(&outcome, code, 3);
            assert!(text(&error["message"]).contains(name), "{outcome}");
        }
    });
}

/// The name of the machine's user stands in every event of a caller who gives no other.
#[test]
fn the_name_of_the_user_is_held_to_the_limits_of_names() {
    let long = "u".repeat(1_000);
    for user in ["ev\u{202e}il", "a\u{1b}[2Jb", "a\nb", &long] {
        let ledger = Ledger::on_sqlite();
        let outcome = ledger.windlass(&["task", "add", "x"]).env("USER", user).run();
        if outcome.code == Some(0) {
            let actor = text(&ledger.events_after(0)[0]["actor"]);
            let is_plain = |letter: char| !letter.is_control() && letter != '\u{202e}';
            assert!(
                actor.chars().count() <= 255 && actor.chars().all(is_plain),
                "the events of USER={user:?} are by {actor:?}"
            );
        }
    }
}

#[test]
fn names_of_projects_are_plain_words() {
    leaves_no_trace(|ledger, _| {
        for name in ["-a", "_a", "a b", "a/b", "a.b", "ä", "a:b", "../a"] {
            let outcome = ledger.windlass(&["project", "create", "--", name]).run();
            let error = error_of(&outcome, "invalid_value", 3);
            assert_eq!(error["details"], json!({ "field": "project", "given": name }), "{outcome}");
        }
    });
}

#[test]
fn an_object_is_asked_for_and_nothing_else_is_taken() {
    leaves_no_trace(|ledger, task| {
        for given in ["[]", "1", "\"text\"", "null", "{", "{}x", "{'a':1}", ""] {
            for (command, flag) in [
                ("task add x --metadata GIVEN", "--metadata"),
                ("task checkpoint TASK x --data GIVEN", "--data"),
            ] {
                let error =
                    error_of(&run(ledger, command, task, ("GIVEN", given)), "invalid_value", 3);
                assert!(text(&error["message"]).contains(flag), "{given}: {error}");
            }
        }
    });
}

#[test]
fn a_number_that_is_none_or_out_of_range_is_refused_by_its_name() {
    leaves_no_trace(|ledger, task| {
        for [command, argument, given] in rows(NUMBERS) {
            let outcome = run(ledger, command, task, ("GIVEN", given));
            let message = text(&error_of(&outcome, "invalid_value", 3)["message"]).to_lowercase();
            let named = message.contains(argument) && message.contains(given);
            assert!(named, "{message:?} does not name {argument} or {given}");
        }
    });
}

#[test]
fn a_word_that_is_not_among_the_known_ones_is_refused_with_the_nearest() {
    leaves_no_trace(|ledger, task| {
        for (command, nearest) in [
            ("task add x --status redy", "ready"),
            ("task list --status dnoe", "done"),
            ("task set-status TASK block", "blocked"),
            ("task list --view ful", "full"),
            ("task list --format jason", "json"),
        ] {
            let error = error_of(&run(ledger, command, task, ("", "")), "invalid_value", 3);
            assert!(suggests(&error, nearest), "{command}: {error}");
        }
    });
}

#[test]
fn unknown_commands_and_flags_are_suggested_and_never_repaired() {
    leaves_no_trace(|ledger, task| {
        for [command, meant] in rows(NEAR_MISSES) {
            let error = error_of(&run(ledger, command, task, ("", "")), "usage", 2);
            assert!(suggests(&error, meant), "{command} does not suggest {meant}: {error}");
        }
        for [command] in rows(NONSENSE) {
            let _error = error_of(&run(ledger, command, task, ("", "")), "usage", 2);
        }
    });
}

#[test]
fn an_id_that_nobody_has_is_not_found() {
    leaves_no_trace(|ledger, task| {
        for [command] in rows(NAMES_A_TASK) {
            for given in [NOBODYS_ID, "01ARZ3", "zzzz"] {
                // The other end of a dependency must not be what is missing.
                if task != given {
                    let outcome = run(ledger, command, task, ("GIVEN", given));
                    let error = error_of(&outcome, "task_not_found", 4);
                    assert!(text(&error["message"]).contains(given), "{outcome}");
                }
            }
        }
    });
}

#[test]
fn fewer_than_four_characters_of_an_id_are_refused() {
    leaves_no_trace(|ledger, task| {
        for [command] in rows(NAMES_A_TASK) {
            for given in ["", "0", &task[..3], &task[23..]] {
                let outcome = run(ledger, command, task, ("GIVEN", given));
                let error = error_of(&outcome, "id_too_short", 3);
                assert_eq!(error["details"], json!({ "given": given, "shortest": 4 }), "{outcome}");
            }
        }
    });
}

#[test]
fn what_cannot_be_an_id_is_refused_and_never_taken_for_another() {
    leaves_no_trace(|ledger, task| {
        // 26 characters hold 130 bits, an id 128: the first one is at most 7.
        let (eight, g) = (format!("8{}", &task[1..]), format!("G{}", &task[1..]));
        let (long, spaced) = ("0".repeat(27), format!(" {task}"));
        for given in ["ab-c", "ILOU", "日本語の", "' OR 1=1 --", "%%%%", &long, &spaced, &eight, &g]
        {
            let outcome = ledger.windlass(&["task", "show", given]).run();
            let error = error_of(&outcome, "invalid_value", 3);
            assert_eq!(error["details"]["given"], given, "{outcome}");
        }
    });
}

#[track_caller]
fn ids_may_be_shortened(ledger: &Ledger) {
    let task = ledger.add(&[]);
    // Alone in its ledger, every part of at least four characters names it.
    for length in [4, 6, 13, 25, 26] {
        for part in [&task[..length], &task[task.len() - length..]] {
            for given in [part.to_owned(), part.to_lowercase()] {
                let shown = ledger.answer(&["task", "show", &given]);
                assert_eq!(shown["task"]["task_id"], task.as_str(), "{given}");
            }
        }
    }
    // Together with others, a part that is its alone still does.
    let others: Vec<String> = (0..6).map(|_| ledger.add(&[])).collect();
    for given in [&task[..25], &task[10..], &task.to_lowercase()] {
        let shown = ledger.answer(&["task", "show", given]);
        assert_eq!(shown["task"]["task_id"], task.as_str(), "{given}");
    }
    // Ids begin with the time, so tasks of one day share their first characters.
    let before = ledger.events();
    let outcome = ledger.windlass(&["task", "archive", &task[..4]]).run();
    let error = error_of(&outcome, "id_ambiguous", 3);
    let candidates = error["details"]["candidates"].as_array().cloned().unwrap_or_default();
    assert!((2..=5).contains(&candidates.len()), "{outcome}");
    for id in candidates.iter().map(text) {
        assert!(id == task || others.contains(&id), "{outcome}");
        assert!(suggests(&error, &id) && text(&error["message"]).contains(&id), "{outcome}");
    }
    assert_eq!(ledger.events(), before);
}

#[test]
fn an_id_may_be_shortened_to_four_characters_of_its_beginning_or_end_unless_it_is_ambiguous() {
    ids_may_be_shortened(&Ledger::on_sqlite());
    if let Some(ledger) = Ledger::on_postgres() {
        ids_may_be_shortened(&ledger);
    }
}

#[test]
fn an_unknown_project_is_not_found_and_the_nearest_is_suggested() {
    let ledger = Ledger::on_sqlite();
    let task = ledger.add(&[]);
    let before = ledger.events();
    for command in [
        "project show inbx",
        "project rename inbx y",
        "project freeze inbx",
        "task add x --project inbx",
        "task list --project inbx",
        "task claim --next --agent a --project inbx",
        "why --project inbx",
    ] {
        let error = error_of(&run(&ledger, command, &task, ("", "")), "project_not_found", 4);
        assert!(suggests(&error, "inbox"), "{command}: {error}");
    }
    assert_eq!(ledger.events(), before);
}

#[test]
fn an_error_is_one_document_on_stdout_or_text_on_stderr() {
    leaves_no_trace(|ledger, _| {
        let failing: [(&[&str], &str, i32); 4] = [
            (&["task", "nothing"], "usage", 2),
            (&["task", "add", ""], "invalid_value", 3),
            (&["task", "show", NOBODYS_ID], "task_not_found", 4),
            (&["--db", "/dev/null/ledger.db", "task", "add", "x"], "ledger_unreachable", 5),
        ];
        for (args, code, exit) in failing {
            let plain = ledger.windlass(args);
            for run in [
                plain.clone().args(["--json"]),
                plain.clone().args(["--format", "json"]),
                plain.clone().args(["--format=json"]),
                plain.clone().env("WINDLASS_FORMAT", "json"),
            ] {
                let _error = error_of(&run.run(), code, exit);
            }
            for run in [
                plain.clone().env("WINDLASS_FORMAT", "text"),
                plain.clone().args(["--format", "text"]),
                plain.clone().args(["--format=text"]),
            ] {
                let outcome = run.run();
                assert_eq!(outcome.code, Some(exit), "{outcome}");
                assert_eq!(outcome.stdout, "", "{outcome}");
                assert!(outcome.stderr.starts_with("error: "), "{outcome}");
                assert!(outcome.stderr.contains("\nhint: "), "{outcome}");
                let more = format!("more: windlass explain {code}\n");
                assert!(outcome.stderr.ends_with(&more), "{outcome}");
            }
        }
    });
}

fn settings_file(ledger: &Ledger, contents: impl AsRef<[u8]>) -> PathBuf {
    write(&ledger.home.config().join("windlass/config.toml"), contents)
}

fn write(file: &Path, contents: impl AsRef<[u8]>) -> PathBuf {
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, contents).unwrap();
    file.to_owned()
}

#[test]
fn a_mistake_in_the_settings_names_the_file_the_line_and_the_key() {
    leaves_no_trace(|ledger, _| {
        for (contents, line, key) in [
            ("agent = \"a\"\n\n[claims]\nleas = \"30m\"\n", 4, Some("leas")),
            ("[clams]\nlease = \"30m\"\n", 1, Some("clams")),
            ("[database]\nwait = \"5s\"\npassword = \"x\"\n", 3, Some("password")),
            ("project = \"a\"\nagent = 7\n", 2, None),
            ("\n[claims]\nlease = 30\n", 3, None),
            ("claims = \"30m\"\n", 1, None),
            ("agent = \"a\"\nagent = \"b\"\n", 2, None),
            ("agent = \"a\"\nproject = \n", 2, None),
        ] {
            let file = settings_file(ledger, contents);
            let outcome = ledger.windlass(&["task", "add", "x"]).run();
            let error = error_of(&outcome, "settings_invalid", 3);
            let details = json!({ "file": file.display().to_string(), "line": line, "key": key });
            assert_eq!(error["details"], details, "{contents:?}\n{outcome}");
            let message = text(&error["message"]);
            let place = format!("{}, line {line}: ", file.display());
            assert!(message.starts_with(&place), "{outcome}");
            assert!(key.is_none_or(|key| message.contains(key)), "{outcome}");
            fs::remove_file(file).unwrap();
        }
    });
}

#[test]
fn a_setting_that_makes_no_sense_names_the_file_and_the_key() {
    leaves_no_trace(|ledger, _| {
        for (contents, key) in [
            ("[claims]\nlease = \"soon\"\n", "claims.lease"),
            ("[claims]\nrequire = \"trust\"\n", "claims.require"),
            ("project = \"a b\"\n", "project"),
            ("agent = \"a\\u202Eb\"\n", "agent"),
            ("[database]\nwait = \"long\"\n", "database.wait"),
            ("[display]\nformat = \"yaml\"\n", "display.format"),
        ] {
            let file = settings_file(ledger, contents);
            let outcome = ledger.windlass(&["task", "add", "x"]).run();
            let error = error_of(&outcome, "settings_invalid", 3);
            assert_eq!(error["details"]["key"], key, "{outcome}");
            let message = text(&error["message"]);
            let place = file.display().to_string();
            assert!(message.contains(&place) && message.contains(key), "{outcome}");
            fs::remove_file(file).unwrap();
        }
        let file = settings_file(ledger, b"agent = \"a\xff\"\n");
        let error = error_of(&ledger.windlass(&["task", "add", "x"]).run(), "settings_invalid", 3);
        assert!(text(&error["message"]).contains(&*file.to_string_lossy()), "{error}");
        fs::remove_file(file).unwrap();
    });
}

/// Cloning a repository must not decide where work is stored or who may change it.
#[test]
fn what_a_repository_may_not_set_is_ignored_with_a_warning() {
    let ledger = Ledger::on_sqlite();
    let elsewhere = ledger.home.path().join("elsewhere.db");
    let contents = format!(
        "agent = \"of-the-repository\"\n[database]\nurl = \"{}\"\n[claims]\nrequire = \"fence\"\n",
        elsewhere.display()
    );
    let file = write(&ledger.home.work().join(".windlass/config.toml"), contents);
    let below = ledger.home.work().join("src/deep");
    fs::create_dir_all(&below).unwrap();
    for (n, folder) in [ledger.home.work(), below].into_iter().enumerate() {
        // Without WINDLASS_DB, so that only the file speaks of a database.
        let outcome = ledger.home.windlass(&["task", "add", "x"]).cwd(&folder).run().ok();
        assert_eq!(outcome.json()["title"], "x");
        let warnings: Vec<&str> = outcome.stderr.lines().collect();
        assert_eq!(warnings.len(), 2, "{outcome}");
        for (warning, key) in warnings.iter().zip(["claims.require", "database.url"]) {
            assert!(warning.starts_with("warning: "), "{outcome}");
            assert!(
                warning.contains(key) && warning.contains(&*file.to_string_lossy()),
                "{outcome}"
            );
        }
        assert_eq!(ledger.answer(&["task", "list"])["total"], n + 1);
    }
    assert!(!elsewhere.exists());
    // What it may set counts.
    assert_eq!(ledger.events_after(0)[1]["actor"], "of-the-repository");
}

#[test]
fn a_mistake_in_the_settings_of_a_repository_is_told_too() {
    leaves_no_trace(|ledger, _| {
        let folder = ledger.home.path().join("repository");
        let file = write(&folder.join(".windlass/config.toml"), "projct = \"api\"\n");
        let outcome = ledger.windlass(&["task", "add", "x"]).cwd(&folder).run();
        let error = error_of(&outcome, "settings_invalid", 3);
        let details = json!({ "file": file.display().to_string(), "line": 1, "key": "projct" });
        assert_eq!(error["details"], details, "{outcome}");
        assert!(suggests(&error, "project"), "{outcome}");
    });
}

/// SQLite takes these for a database in memory, and whatever was written there is lost.
#[test]
fn a_ledger_that_would_be_forgotten_is_refused() {
    for address in ["", ":memory:"] {
        let ledger = Ledger::on_sqlite();
        let outcome = ledger.home.windlass(&["--db", address, "task", "add", "x"]).run();
        assert!(matches!(outcome.code, Some(3 | 5)), "{outcome}");
        assert_no_ledger(&ledger);
    }
}

#[test]
fn reading_a_ledger_that_is_not_there_makes_none() {
    let ledger = Ledger::on_sqlite();
    for args in [
        &["task", "list"][..],
        &["project", "list"],
        &["events"],
        &["why"],
        &["doctor"],
        &["validate"],
        &["audit", "head"],
        &["audit", "verify"],
        &["config"],
    ] {
        let _read = ledger.windlass(args).run().ok();
    }
    assert_no_ledger(&ledger);
}

/// The answer is more than a pipe holds, so that the reader is gone before all of it is written.
#[test]
fn a_reader_that_goes_away_ends_the_command_quietly() {
    let ledger = Ledger::on_sqlite();
    let long = "x".repeat(16_000);
    for _ in 0..12 {
        let _added = ledger.add(&["--description", &long]);
    }
    for args in [&["events"][..], &["task", "list", "--view", "full"], &["task", "list"]] {
        let run = ledger.windlass(args);
        // As `windlass events | head -1` does.
        let mut child = run.spawn();
        let mut reader = BufReader::with_capacity(64, child.stdout.take().unwrap());
        assert!(reader.read_until(b'}', &mut Vec::new()).unwrap() > 0);
        drop(reader);
        ends_quietly(&run.finish(child));
        // A reader that was never there.
        let mut child = run.spawn();
        drop(child.stdout.take());
        ends_quietly(&run.finish(child));
    }
}

#[track_caller]
fn ends_quietly(outcome: &Outcome) {
    assert_eq!((outcome.code, outcome.signal), (Some(0), None), "{outcome}");
    assert_eq!(outcome.stderr, "", "{outcome}");
}

/// A disk that is full is no reader that went away: half an answer must not look like a whole one.
#[test]
fn an_answer_that_cannot_be_written_is_no_success() {
    let ledger = Ledger::on_sqlite();
    let _task = ledger.add(&[]);
    for args in [&["events"][..], &["task", "list"], &["task", "list", "--format", "text"]] {
        let outcome = to_full_disk(&ledger.windlass(args));
        assert_ne!(outcome.code, Some(0), "{outcome}");
        assert_ne!(outcome.stderr, "", "{outcome}");
    }
}

fn to_full_disk(run: &Run) -> Outcome {
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    run.finish(run.command().stdout(full).spawn().unwrap())
}
