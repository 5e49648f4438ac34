//! Manners at the terminal: pages of any width for people, JSON for pipes, readers that go away,
//! completions in real shells, manual pages, help, and mistakes that are told and never repaired.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "an answer of another shape ends its test"
)]

use std::fs;
use std::net::TcpListener;
use std::path::Path;

use windlass_domain::Code;
use windlass_ops::table::TABLE;
use windlass_testkit::home::binary;
use windlass_testkit::{Outcome, Run, machine};
use windlass_tests::ledgers::{Ledger, error_of, rows, text};

/// What begins a colour, and everything else that is more than text.
const ESCAPE: char = '\u{1b}';

/// A ledger with a few tasks and one very long title.
fn busy_ledger() -> Ledger {
    let ledger = Ledger::on_sqlite();
    let long = "write the reference of every command and check it against the program";
    for args in [
        &["project", "create", "api", "-d", "Everything that answers requests"][..],
        &["task", "add", "fix the login page", "-P", "api", "-s", "ready", "-p", "2"],
        &["task", "add", long, "-s", "ready", "--agent", "docs"],
        &["task", "add", "upgrade the compiler", "-s", "in_progress", "--agent", "worker-1"],
    ] {
        let _done = ledger.windlass(args).run().ok();
    }
    ledger
}

/// A run at which somebody looks.
fn watched(ledger: &Ledger, args: &[&str]) -> Run {
    ledger.windlass(args).env("TERM", "xterm-256color")
}

/// The end of the id of the task with that title, as lists show it.
fn short_id(ledger: &Ledger, title: &str) -> String {
    let listed = ledger.answer(&["task", "list"]);
    let tasks = listed["tasks"].as_array().unwrap();
    let task = tasks.iter().find(|task| task["title"] == title).unwrap();
    text(&task["task_id"])[20..].to_owned()
}

/// What is shown without colours.
fn plain(shown: &str) -> String {
    let mut plain = String::new();
    for (index, part) in shown.split(ESCAPE).enumerate() {
        let text = if index == 0 { Some(part) } else { part.split_once('m').map(|(_, text)| text) };
        plain.push_str(text.unwrap_or_default());
    }
    plain
}

#[track_caller]
fn fits(shown: &str, columns: usize) {
    for line in plain(shown).lines() {
        assert!(line.chars().count() <= columns, "wider than {columns}: {line:?}\n{shown}");
    }
}

// Pages

#[test]
fn every_table_fits_the_terminal() {
    let ledger = busy_ledger();
    let task = short_id(&ledger, "upgrade the compiler");
    let comment = "see the log of Tuesday, where the same thing was discussed at length";
    let _said = ledger.windlass(&["task", "comment", &task, comment]).run().ok();
    for columns in [20, 60, 80, 120] {
        for args in
            [&["task", "list"][..], &["project", "list"], &["events"], &["task", "history", &task]]
        {
            let outcome = watched(&ledger, args).at_terminal(columns).ok();
            fits(&outcome.stdout, usize::from(columns));
        }
    }
}

#[test]
fn a_terminal_of_sixty_columns_shows_what_matters() {
    let ledger = busy_ledger();
    let shown = watched(&ledger, &["task", "list"]).at_terminal(60).ok().stdout;
    let login = short_id(&ledger, "fix the login page");
    let shown = plain(&shown);
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines[0], "ID      STATUS       PROJECT  TITLE                 AGENT");
    assert_eq!(lines[1], format!("{login}  ready        api      fix the login page"));
    assert!(lines[2].ends_with("  write the reference…  docs"), "{shown}");
    assert_eq!(lines.len(), 4, "{shown}");
}

#[test]
fn a_terminal_of_eighty_columns_shows_everything() {
    let ledger = busy_ledger();
    let shown = plain(&watched(&ledger, &["task", "list"]).at_terminal(80).ok().stdout);
    let header = shown.lines().next().unwrap();
    let columns: Vec<&str> = header.split_whitespace().collect();
    let expected = ["ID", "STATUS", "PRI", "PROJECT", "TITLE", "AGENT", "CREATED"];
    assert_eq!(columns, expected, "{shown}");
}

#[test]
fn a_terminal_of_twenty_columns_shows_one_thing_below_the_other() {
    let ledger = busy_ledger();
    let shown = plain(&watched(&ledger, &["task", "list"]).at_terminal(20).ok().stdout);
    let id = short_id(&ledger, "fix the login page");
    let first =
        format!("id: {id}\nstatus: ready\npri: 2\nproject: api\ntitle: fix the login\n  page\n");
    assert!(shown.starts_with(&first), "{shown}");
}

#[test]
fn an_error_is_broken_at_words_too() {
    let ledger = Ledger::on_sqlite();
    let outcome = watched(&ledger, &["project", "show", "nothing"]).at_terminal(30);
    assert_eq!(outcome.code, Some(4), "{outcome}");
    fits(&outcome.stdout, 30);
    let expected = "error: there is no project\n  'nothing'\nhint: list them: windlass\n  project list\nmore: windlass explain\n  project_not_found\n";
    assert_eq!(plain(&outcome.stdout), expected, "{outcome}");
}

// Who reads: colours and JSON

#[test]
fn a_person_sees_colours_unless_they_are_not_wanted_or_not_possible() {
    let ledger = busy_ledger();
    let failing = ["task", "show", "zzzz"];
    for args in [&["task", "list"][..], &["--help"], &["task", "add", "--help"], &failing] {
        let run = watched(&ledger, args);
        let has_colour = |run: &Run| run.at_terminal(80).stdout.contains(ESCAPE);
        assert!(has_colour(&run), "{args:?}");
        assert!(has_colour(&run.clone().env("NO_COLOR", "")), "an empty NO_COLOR counts as none");
        assert!(!has_colour(&run.clone().env("NO_COLOR", "1")), "{args:?}");
        assert!(!has_colour(&run.clone().env("TERM", "dumb")), "{args:?}");
        assert!(!run.clone().args(["--format", "text"]).run().stdout.contains(ESCAPE), "{args:?}");
    }
}

#[test]
fn a_program_gets_json_and_a_person_text_unless_they_ask_for_the_other() {
    let ledger = busy_ledger();
    let list = watched(&ledger, &["task", "list"]);
    let is_json = |outcome: Outcome| outcome.ok().stdout.starts_with(r#"{"tasks":["#);
    assert!(is_json(list.run()));
    assert!(!is_json(list.at_terminal(80)));
    for (asked, wanted) in [("json", true), ("text", false)] {
        let by_flag = list.clone().args(["--format", asked]);
        let by_variable = list.clone().env("WINDLASS_FORMAT", asked);
        for run in [by_flag, by_variable] {
            assert_eq!(is_json(run.run()), wanted, "{asked}");
            assert_eq!(is_json(run.at_terminal(80)), wanted, "{asked}");
        }
    }
    assert!(is_json(list.clone().args(["--json"]).at_terminal(80)));
}

#[test]
fn md_is_another_word_for_text() {
    let ledger = busy_ledger();
    let as_text = ledger.windlass(&["task", "list", "--format", "text"]).run().ok().stdout;
    for args in [["--format", "md"].as_slice(), &["--format=md"]] {
        let run = ledger.windlass(&["task", "list"]).args(args);
        assert_eq!(run.run().ok().stdout, as_text);
    }
    // Also when the rest makes no sense.
    let outcome = ledger.windlass(&["task", "nothing", "--format", "md"]).run();
    assert!(outcome.stderr.starts_with("error: "), "{outcome}");
}

// Readers that go away

/// What bash says of the first program of a pipeline, and what it wrote to standard error.
#[track_caller]
fn in_pipeline(ledger: &Ledger, script: &str) -> Outcome {
    let script = format!("{script}; exit \"${{PIPESTATUS[0]}}\"");
    let program = |run: Run| run.env("WINDLASS_DB", &ledger.address).env("W", binary());
    program(ledger.home.program("bash").args(["-c", &script])).run()
}

#[test]
fn a_pipe_that_closes_early_ends_a_command_quietly() {
    let ledger = busy_ledger();
    for command in [
        "task list",
        "task list --format text",
        "--help",
        "task add --help",
        "--version",
        "events",
        "events --format text",
        "man",
        "completions bash",
        "completions bash -- task ''",
    ] {
        for reader in ["head -1", "head -c 1", "true"] {
            let outcome = in_pipeline(&ledger, &format!("\"$W\" {command} | {reader}"));
            assert_eq!((outcome.code, outcome.signal), (Some(0), None), "{outcome}");
            assert_eq!(outcome.stderr, "", "{outcome}");
        }
    }
}

#[test]
fn a_refusal_stays_a_refusal_when_nobody_reads_it() {
    let ledger = busy_ledger();
    // A reader that is gone for certain: the other end was closed before the command began.
    let gone = "exec 3> >(true); wait $!;";
    for format in ["text", "json"] {
        let refused = format!("\"$W\" task show zzzz --format {format}");
        for ends in [">&3", "2>&3", ">&3 2>&3", ">&-", "2>&-", ">&- 2>&-"] {
            let outcome = in_pipeline(&ledger, &format!("{gone} {refused} {ends}"));
            assert_eq!((outcome.code, outcome.signal), (Some(4), None), "{outcome}");
        }
    }
}

#[test]
fn a_closed_standard_error_changes_nothing() {
    let ledger = busy_ledger();
    // A repository's file that may not set something is warned of on standard error.
    let settings = ledger.home.work().join(".windlass/config.toml");
    fs::create_dir_all(settings.parent().unwrap()).unwrap();
    fs::write(settings, "[database]\nwait = '1s'\n").unwrap();
    for end in ["2>&3", "2>&-"] {
        let script = format!("exec 3> >(true); wait $!; \"$W\" task list {end}");
        let outcome = in_pipeline(&ledger, &script).ok();
        assert_eq!(outcome.json()["total"], 3, "{outcome}");
    }
}

// Completions

/// The candidates of the program itself, without what is said about them.
#[track_caller]
fn candidates(run: &Run, words: &[&str]) -> Vec<String> {
    let outcome = run.clone().args(["completions", "bash", "--"]).args(words).run().ok();
    assert_eq!(outcome.stderr, "", "{outcome}");
    outcome.stdout.lines().map(|line| line.split('\t').next().unwrap().to_owned()).collect()
}

/// A shell in the home of the ledger that has the binary under test on its path.
fn shell(ledger: &Ledger, shell: &str, script: &str) -> Run {
    let folder = binary().parent().unwrap().to_owned();
    let path = machine::variable("PATH").unwrap_or_default();
    let path = format!("{}:{}", folder.display(), path.display());
    let run = ledger.home.program(shell).args(["-c", script]);
    run.env("PATH", path).env("WINDLASS_DB", &ledger.address)
}

#[test]
fn bash_completes_commands_flags_values_tasks_and_projects() {
    let ledger = busy_ledger();
    let id = short_id(&ledger, "fix the login page");
    let begin = &id[..3];
    // bash parts words at '=', so that a flag with its value are three words to it.
    for (words, offered) in [
        ("ta", "task"),
        ("task compl", "complete"),
        ("task add x --depends-", "--depends-on"),
        ("task list --status in", "in_progress"),
        ("task list --status = in", "in_progress"),
        ("task list --project = a", "api"),
        ("project show a", "api"),
        ("task claim --agent work", "worker-1"),
        ("explain stale", "stale_claim"),
        ("help task compl", "complete"),
        (&format!("task show {begin}"), &id),
        (&format!("task show {}", begin.to_lowercase()), &id),
        (&format!("task add x --depends-on {id},{begin}"), &format!("{id},{id}")),
    ] {
        let script = format!(
            "source <(windlass completions bash)
             COMP_WORDS=(windlass {words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); COMP_TYPE=9
             _windlass; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        );
        let outcome = shell(&ledger, "bash", &script).run().ok();
        assert_eq!(outcome.stdout, format!("{offered}\n"), "{words}\n{outcome}");
        assert_eq!(outcome.stderr, "", "{outcome}");
    }
}

#[test]
fn bash_shows_titles_where_it_only_lists() {
    let ledger = busy_ledger();
    let script = "source <(windlass completions bash)
        COMP_WORDS=(windlass task show ''); COMP_CWORD=3; COMP_TYPE=63
        _windlass; printf '%s\\n' \"${COMPREPLY[@]}\"";
    let outcome = shell(&ledger, "bash", script).run().ok();
    let id = short_id(&ledger, "fix the login page");
    let line = format!("{id}  (fix the login page)\n");
    assert!(outcome.stdout.contains(&line), "{outcome}");
}

/// What is known of a script without its shell, and, where the shell is there, that it takes it.
#[track_caller]
fn accepts(ledger: &Ledger, name: &str, registers: &str) {
    let script = ledger.windlass(&["completions", name]).run().ok().stdout;
    assert!(script.contains(registers), "{script}");
    assert!(script.contains(&format!("windlass completions {name} -- ")), "{script}");
    assert!(script.contains("2>/dev/null"), "an error would be written into the line: {script}");
    if machine::find(name).is_some() {
        let file = ledger.home.work().join(name);
        fs::write(&file, &script).unwrap();
        let outcome = ledger.home.program(name).args([Path::new("-n"), &file]).run().ok();
        assert_eq!(outcome.stderr, "", "{outcome}");
    }
}

#[test]
fn every_shell_takes_its_script() {
    let ledger = busy_ledger();
    accepts(&ledger, "bash", "complete -F _windlass windlass");
    accepts(&ledger, "zsh", "compdef _windlass windlass");
    accepts(&ledger, "fish", "complete --command windlass");
}

#[test]
fn fish_and_zsh_are_told_what_their_scripts_ask_for() {
    let ledger = busy_ledger();
    let id = short_id(&ledger, "fix the login page");
    let line = format!("{id}\tfix the login page\n");
    for name in ["fish", "zsh"] {
        let run = ledger.windlass(&["completions", name, "--", "task", "show", &id[..4]]);
        assert_eq!(run.run().ok().stdout, line);
    }
    if machine::find("fish").is_some() {
        let ask = format!(
            "source (windlass completions fish | psub); complete -C 'windlass task show {}'",
            &id[..4]
        );
        assert_eq!(shell(&ledger, "fish", &ask).run().ok().stdout, line);
    }
    if machine::find("zsh").is_some() {
        // What completes in zsh is a builtin that works at a prompt only; here it tells its words.
        let ask = format!(
            "compadd() {{ print -l -- $candidates }}; compdef() {{ }}
             source <(windlass completions zsh)
             words=(windlass task show {}); CURRENT=4; _windlass",
            &id[..4]
        );
        assert_eq!(shell(&ledger, "zsh", &ask).run().ok().stdout, format!("{id}\n"));
    }
}

#[test]
fn statuses_codes_and_flags_are_all_offered() {
    let ledger = Ledger::on_sqlite();
    let run = ledger.windlass(&[]);
    let codes: Vec<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(candidates(&run, &["explain", ""]), codes);
    assert_eq!(candidates(&run, &["task", "list", "-s", ""]).len(), 6);
    let flags = candidates(&run, &["task", "claim", "-"]);
    for flag in ["--next", "--lease", "--db", "--json", "--help"] {
        assert!(flags.contains(&flag.to_owned()), "{flag}: {flags:?}");
    }
}

#[test]
fn the_ledger_that_was_typed_is_asked() {
    let ledger = busy_ledger();
    let elsewhere = Ledger::on_sqlite();
    let words = ["--db", &ledger.address, "project", "show", ""];
    assert!(candidates(&elsewhere.windlass(&[]), &words).contains(&"api".to_owned()));
}

#[test]
fn a_ledger_that_is_not_there_offers_nothing_and_is_not_made() {
    let ledger = Ledger::on_sqlite();
    for words in [["task", "show", ""], ["project", "show", ""], ["task", "claim", "--agent="]] {
        assert!(candidates(&ledger.windlass(&[]), &words).is_empty());
    }
    assert!(!Path::new(&ledger.address).exists());
    assert_eq!(fs::read_dir(ledger.home.data()).unwrap().count(), 0);
}

#[test]
fn a_ledger_that_cannot_be_read_offers_nothing() {
    let ledger = busy_ledger();
    let words = ["task", "show", ""];
    let run = ledger.windlass(&[]);
    assert!(!candidates(&run, &words).is_empty());

    let locked = rusqlite::Connection::open(&ledger.address).unwrap();
    locked.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE").unwrap();
    assert!(candidates(&run, &words).is_empty(), "locked");
    drop(locked);

    for nonsense in ["no database at all", "SQLite format 3\0 and then nothing"] {
        fs::write(&ledger.address, nonsense).unwrap();
        assert!(candidates(&run, &words).is_empty(), "{nonsense}");
    }
    let server = |port| format!("postgres://nobody@127.0.0.1:{port}/nothing?sslmode=disable");
    assert!(candidates(&run.clone().db(server(1)), &words).is_empty(), "no server");
    // It is there, and that is all.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    assert!(candidates(&run.clone().db(server(port)), &words).is_empty(), "a silent server");

    let mistaken = run.env("WINDLASS_CLAIMS_REQUIRE", "nonsense");
    assert!(candidates(&mistaken, &words).is_empty(), "settings that make no sense");
}

#[test]
fn nothing_that_is_typed_leads_to_an_error() {
    let ledger = busy_ledger();
    let run = ledger.windlass(&[]);
    for words in [
        &["nonsense", ""][..],
        &["task", "nonsense", ""],
        &["--nonsense", "task", ""],
        &["task", "show", "--nonsense", "x", "--"],
        &["task", "list", "--", "-"],
        &["--db"],
        &["--", "--"],
        &["-"],
        &["'half a quote"],
    ] {
        let _offered = candidates(&run, words);
    }
}

// The manual

#[test]
fn every_operation_has_its_manual_page() {
    let ledger = Ledger::on_sqlite();
    let folder = ledger.home.work().join("man/man1");
    let written = ledger.windlass(&["man", folder.to_str().unwrap()]).run().ok().json();
    let names: Vec<String> = written["pages"].as_array().unwrap().iter().map(text).collect();
    assert_eq!(fs::read_dir(&folder).unwrap().count(), names.len());
    let others = ["", "task", "project", "completions", "man"];
    for name in TABLE.iter().map(|entry| entry.name).chain(others) {
        let name = format!("windlass.{name}").trim_end_matches('.').replace('.', "-");
        let page = fs::read_to_string(folder.join(format!("{name}.1"))).unwrap();
        for heading in [&format!(".TH {name} 1 "), ".SH NAME", ".SH SYNOPSIS", ".SH DESCRIPTION"] {
            assert!(page.contains(heading), "{heading}: {page}");
        }
    }
}

#[test]
fn the_first_manual_page_is_printed() {
    let ledger = Ledger::on_sqlite();
    let page = ledger.windlass(&["man"]).run().ok().stdout;
    assert!(page.contains(".TH windlass 1 "), "{page}");
    assert!(page.contains("windlass\\-task(1)"), "{page}");
}

#[test]
fn a_folder_that_cannot_be_written_is_told() {
    let ledger = Ledger::on_sqlite();
    let outcome = ledger.windlass(&["man", "/dev/null/man"]).run();
    let error = error_of(&outcome, "file_unusable", 5);
    assert!(text(&error["message"]).contains("/dev/null/man"), "{outcome}");
}

// Help

#[test]
fn help_fits_eighty_columns_and_tells_a_command_in_a_line() {
    let ledger = Ledger::on_sqlite();
    for args in [&["--help"][..], &["task", "--help"], &["project", "--help"]] {
        let shown = plain(&watched(&ledger, args).at_terminal(80).ok().stdout);
        fits(&shown, 80);
        let is_continued = |line: &str| line.starts_with("        ");
        assert!(!shown.lines().any(is_continued), "{shown}");
    }
}

#[test]
fn help_can_be_read_in_a_narrow_window() {
    let ledger = Ledger::on_sqlite();
    for args in [&["--help"][..], &["task", "--help"], &["task", "list", "--help"]] {
        let shown = plain(&watched(&ledger, args).at_terminal(30).ok().stdout);
        // A usage is one line, and so is a flag with the name of its value.
        let is_text = |line: &&str| !line.starts_with("Usage:") && !line.trim().starts_with('-');
        let lines = shown.lines().filter(is_text);
        assert!(lines.map(|line| line.chars().count()).max() <= Some(30), "{shown}");
    }
}

#[test]
fn every_command_shows_its_example() {
    let ledger = Ledger::on_sqlite();
    let operations = TABLE.iter().map(|entry| (entry.name, entry.example));
    let others = [("completions", "source <(windlass completions"), ("man", "windlass man ")];
    for (name, example) in operations.chain(others) {
        let words: Vec<&str> = name.split('.').chain(["--help"]).collect();
        let shown = ledger.windlass(&words).run().ok().stdout;
        let (_, after) = shown.split_once("Example:\n  ").unwrap();
        assert!(after.starts_with(example), "{shown}");
    }
}

#[test]
fn help_of_a_command_is_the_same_however_it_is_asked_for() {
    let ledger = Ledger::on_sqlite();
    let said = |args: &[&str]| ledger.windlass(args).run().ok().stdout;
    assert_eq!(said(&["help"]), said(&["--help"]));
    assert_eq!(said(&["help", "task"]), said(&["task", "--help"]));
    assert_eq!(said(&["help", "task", "add"]), said(&["task", "add", "--help"]));
    assert_eq!(said(&["task", "help", "add"]), said(&["task", "add", "--help"]));
    assert_eq!(said(&["help", "man"]), said(&["man", "--help"]));
}

// Mistakes

/// What people type, and what is suggested instead. Nothing of it is carried out.
const MISTAKES: &str = "
command                           | meant
----------------------------------|----------------------
task ad x                         | windlass task add
task lst                          | windlass task list
task done TASK                    | windlass task complete
task finish TASK                  | windlass task complete
task new x                        | windlass task add
task rm TASK                      | windlass task archive
help tsk                          | task
help task ad                      | windlass task add
hepl                              | help
compl bash                        | completions
task add x --projct inbox         | --project
task add x --tgas web             | --tags
task list --statsu ready          | --status
task list --projct inbox          | --project
task list --avialable             | --available
task claim --nxt --agent a        | --next
task complete TASK --comemnt x    | --comment
--jsno task list                  | --json
completions bahs                  | bash
";

#[test]
fn a_near_miss_is_suggested_and_nothing_is_done() {
    let ledger = busy_ledger();
    let task = short_id(&ledger, "upgrade the compiler");
    let before = ledger.answer(&["audit", "head"]);
    for [command, meant] in rows(MISTAKES) {
        let words: Vec<&str> = command
            .split_whitespace()
            .map(|word| if word == "TASK" { task.as_str() } else { word })
            .collect();
        let outcome = ledger.windlass(&words).run();
        let (code, exit) = if meant == "bash" { ("invalid_value", 3) } else { ("usage", 2) };
        let error = error_of(&outcome, code, exit);
        let suggestions: Vec<String> =
            error["suggestions"].as_array().unwrap().iter().map(text).collect();
        assert!(suggestions.contains(&meant.to_owned()), "{command}: {suggestions:?}");
    }
    assert_eq!(ledger.answer(&["audit", "head"]), before);
}

/// Other tools have taken these for `--page`, `--db` and more, and acted on it.
#[test]
fn a_flag_that_a_command_does_not_have_is_never_taken_for_another() {
    let ledger = busy_ledger();
    let before = ledger.answer(&["audit", "head"]);
    for command in [
        "task list --pag 2",
        "task list --lim 1",
        "task list --tgas web",
        "task add x --duee 2026-01-01",
        "task add x --d 2026-01-01",
        "task add x --db",
    ] {
        let words: Vec<&str> = command.split_whitespace().collect();
        let _error = error_of(&ledger.windlass(&words).run(), "usage", 2);
    }
    assert_eq!(ledger.answer(&["audit", "head"]), before);
    assert_eq!(fs::read_dir(ledger.home.work()).unwrap().count(), 0);
}

#[test]
fn a_person_is_told_what_may_have_been_meant() {
    let ledger = Ledger::on_sqlite();
    let outcome = watched(&ledger, &["task", "done", "8F3K2Q"]).at_terminal(80);
    let expected = "error: unrecognized subcommand 'done'\ndid you mean: windlass task complete\n\
                    hint: usage: windlass task [OPTIONS] <COMMAND>\nmore: windlass explain usage\n";
    assert_eq!((outcome.code, plain(&outcome.stdout).as_str()), (Some(2), expected), "{outcome}");
}

#[test]
fn what_may_have_been_meant_is_looked_for_in_the_same_group_first() {
    let ledger = Ledger::on_sqlite();
    for (command, meant) in [("task", "windlass task list"), ("project", "windlass project list")] {
        let outcome = ledger.windlass(&[command, "lst"]).run();
        assert_eq!(error_of(&outcome, "usage", 2)["suggestions"][0], meant);
    }
}
