//! `windlass demo`: the story plays, the README shows what it prints, and nobody else's ledger or
//! settings come into it.
//!
//! `WINDLASS_BLESS=1 cargo test -p windlass-tests --test demo` writes the README's block anew.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "an answer of another shape ends its test"
)]

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process_group};
use windlass_testkit::home::binary;
use windlass_testkit::{Home, Outcome, machine, wait};
use windlass_tests::ledgers::text;

/// What opens and closes the block of the README.
const OPEN: &str = "<!-- what `windlass demo` prints; a test compares -->\n```text\n";
const CLOSE: &str = "```\n";

/// Where the README pretends that the program is; where it really was is nobody's business.
const README_PATH: &str = "export PATH=~/windlass/target/release:$PATH";

const AGENTS: [&str; 3] = ["ada", "bob", "kim"];

/// A demo that was played, and the folder it left, which goes with this.
struct Demo {
    outcome: Outcome,
    folder: PathBuf,
}

impl Demo {
    /// Plays it as text.
    #[track_caller]
    fn plain(home: &Home) -> Self {
        let outcome = home.windlass(&["demo"]).run().ok();
        let folder = folder_in(&outcome.stdout);
        Self { outcome, folder }
    }

    #[track_caller]
    fn json(home: &Home) -> Self {
        let outcome = home.windlass(&["demo", "--json"]).run().ok();
        let folder = PathBuf::from(text(&outcome.json()["folder"]));
        Self { outcome, folder }
    }

    fn ledger(&self) -> PathBuf {
        self.folder.join("ledger.db")
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        // A test that failed may have no folder to remove.
        let _removed = fs::remove_dir_all(&self.folder);
    }
}

/// The folder that the first line names.
#[track_caller]
fn folder_in(text: &str) -> PathBuf {
    let first = text.lines().next().expect("the demo says nothing");
    let named = first.split(' ').next_back().unwrap().trim_end_matches('.');
    assert!(named.contains("/windlass-demo-"), "no folder is named: {first}");
    PathBuf::from(named)
}

fn readme() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md")
}

/// What stands before the block of the README, the block, and what comes after it.
#[track_caller]
fn block(readme: &str) -> (&str, &str, &str) {
    let (before, rest) = readme.split_once(OPEN).expect("the README has no block for the demo");
    let (block, after) = rest.split_once(CLOSE).expect("the block of the README has no end");
    (before, block, after)
}

/// The text with a name for everything that is another matter in every run.
fn same_in_every_run(text: &str) -> String {
    // Where a long line is broken depends on how long ago something was.
    let text = text.replace("\n    ", " ");
    let mut lines: Vec<String> = text.lines().map(same_words).collect();
    let tasks: Vec<String> = lines
        .iter()
        .filter_map(|line| line.split_once(" added to "))
        .map(|(id, _)| id.to_owned())
        .collect();
    let mut agents = AGENTS;
    agents.sort_by_key(|name| lines.iter().position(|line| line.starts_with(name)));
    for line in &mut lines {
        for (number, task) in tasks.iter().enumerate() {
            *line = line.replace(task, &format!("<task {number}>"));
        }
        for (number, agent) in agents.iter().enumerate() {
            *line = line.replace(agent, &format!("<agent {number}>"));
        }
    }
    lines.join("\n")
}

/// A line without times, hashes, numbers of events, and the width of columns.
fn same_words(line: &str) -> String {
    if line.starts_with("export PATH=") {
        return README_PATH.to_owned();
    }
    // The data of an event ends where the page does.
    let line = line.split("{\"").next().unwrap_or_default();
    let line = match line.split_once("/windlass-demo-") {
        Some((before, after)) => format!("{before}/<folder>{}", &after[6..]),
        None => line.to_owned(),
    };
    let is_number = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    let is_time = |word: &str| word.strip_suffix(['s', 'm']).is_some_and(is_number);
    let mut words: Vec<&str> = Vec::new();
    for word in line.split_whitespace() {
        match (words.last(), word.trim_end_matches(':')) {
            (Some(&"in"), time) if is_time(time) => {
                words.pop();
                words.push("<when>");
            }
            (Some(time), "ago") if is_time(time) => {
                words.pop();
                words.push("<when>");
            }
            (Some(&"just"), "now") => {
                words.pop();
                words.push("<when>");
            }
            (_, "now") => words.push("<when>"),
            (_, hash) if hash.len() == 64 => words.push("<hash>"),
            _ => words.push(word),
        }
    }
    match words.as_slice() {
        [number, "<when>", rest @ ..] if is_number(number) => rest.join(" "),
        words => words.join(" "),
    }
}

#[test]
fn the_readme_shows_what_the_demo_prints() {
    let demo = Demo::plain(&Home::new());
    let printed = demo.outcome.stdout.as_str();
    let kept = fs::read_to_string(readme()).unwrap();
    if machine::variable("WINDLASS_BLESS").is_some() {
        let (before, _, after) = block(&kept);
        let path = printed.lines().find(|line| line.starts_with("export PATH=")).unwrap();
        let printed = printed.replace(path, README_PATH);
        fs::write(readme(), format!("{before}{OPEN}{printed}{CLOSE}{after}")).unwrap();
    }
    let kept = fs::read_to_string(readme()).unwrap();
    let (_, shown, _) = block(&kept);
    assert_eq!(
        same_in_every_run(shown),
        same_in_every_run(printed),
        "the README is stale: run WINDLASS_BLESS=1 cargo test -p windlass-tests --test demo"
    );
}

#[test]
fn no_line_of_the_readme_is_wider_than_a_usual_page() {
    let kept = fs::read_to_string(readme()).unwrap();
    let wide = block(&kept).1.lines().find(|line| line.chars().count() > 80);
    assert_eq!(wide, None);
}

#[test]
fn the_folder_is_left_for_its_owner_alone() {
    let demo = Demo::plain(&Home::new());
    let mode = fs::metadata(&demo.folder).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}

#[test]
fn the_ledger_that_is_left_is_sound() {
    let home = Home::new();
    let demo = Demo::plain(&home);
    for check in [&["doctor", "--rebuild"][..], &["audit", "verify"]] {
        let _sound = home.windlass(check).db(demo.ledger()).run().ok();
    }
}

#[test]
fn no_file_is_made_in_the_home_of_the_user() {
    let home = Home::new();
    let _demo = Demo::plain(&home);
    let found = home.program("find").args([home.path()]).args(["-type", "f"]).run().ok();
    assert_eq!(found.stdout, "");
}

#[test]
fn settings_and_variables_of_the_user_do_not_come_into_it() {
    let home = Home::new();
    let wrong = "this = 'is not a setting'";
    for folder in [home.config().join("windlass"), home.work().join(".windlass")] {
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("config.toml"), wrong).unwrap();
    }
    // The folder of the demo is then below the one with the settings.
    let temporary = home.work().join("tmp");
    fs::create_dir(&temporary).unwrap();
    let own = home.path().join("own.db");
    let played = home
        .windlass(&["demo"])
        .db(&own)
        .env("TMPDIR", &temporary)
        .env("WINDLASS_AGENT", "somebody-else")
        .env("WINDLASS_PROJECT", "another")
        .env("WINDLASS_CLAIMS_REQUIRE", "nonsense")
        .run()
        .ok();
    assert_eq!((played.stderr.as_str(), own.exists()), ("", false));
}

#[test]
fn as_json_it_is_one_document_with_every_scene() {
    let demo = Demo::json(&Home::new());
    let told = demo.outcome.json();
    let scenes = told["scenes"].as_array().unwrap();
    let titles = scenes.iter().map(|scene| text(&scene["title"]));
    let kept = fs::read_to_string(readme()).unwrap();
    // The first line of the README's block says where the ledger is, the last one that it stays.
    let shown: Vec<&str> =
        block(&kept).1.lines().filter_map(|line| line.strip_prefix("# ")).collect();
    let shown = &shown[1..shown.len() - 1];
    let anybody =
        |title: &str| AGENTS.iter().fold(title.to_owned(), |all, name| all.replace(name, "?"));
    assert_eq!(
        titles.map(|title| anybody(&title)).collect::<Vec<_>>(),
        shown.iter().map(|title| anybody(title)).collect::<Vec<_>>()
    );
}

#[test]
fn as_json_a_step_is_a_command_with_its_exit_code_and_answer() {
    let demo = Demo::json(&Home::new());
    let told = demo.outcome.json();
    let scenes = told["scenes"].as_array().unwrap();
    let mut steps = scenes.iter().flat_map(|scene| scene["steps"].as_array().unwrap());
    let refused = steps.find(|step| step["exit"] == 3).expect("nobody is refused");
    let command = text(&refused["command"]);
    assert!(AGENTS.iter().any(|name| {
        command.starts_with(&format!("WINDLASS_AGENT={name} windlass task complete "))
    }));
    assert!(text(&refused["output"]).contains("stale_claim"));
}

#[test]
fn what_it_suggests_can_be_typed() {
    let home = Home::new();
    let demo = Demo::json(&home);
    let told = demo.outcome.json();
    let lines: Vec<String> = told["explore"].as_array().unwrap().iter().map(text).collect();
    let script = format!("set -e\n{}", lines.join("\n"));
    let typed = home.program("/bin/sh").args(["-c", &script]).run().ok();
    assert!(typed.stdout.contains("tell the customers"), "{typed}");
}

#[test]
fn a_command_that_ends_otherwise_stops_it_and_is_named() {
    let home = Home::new();
    let temporary = home.work();
    // No file may grow: the first command that writes fails.
    let stopped = home
        .program("/bin/sh")
        .args(["-c", "ulimit -f 0; exec \"$0\" demo"])
        .args([binary()])
        .env("TMPDIR", &temporary)
        .run();
    assert_eq!(stopped.code, Some(1), "{stopped}");
    assert!(stopped.stderr.contains("`windlass project create shop`"), "{stopped}");
}

#[test]
fn a_ledger_cannot_be_named() {
    let home = Home::new();
    let _refusal = home.windlass(&["demo", "--json", "--db", "x.db"]).run().refused("usage", 2);
}

#[test]
fn an_interrupt_leaves_nothing_running() {
    let home = Home::new();
    let temporary = home.work();
    let mut command = home.windlass(&["demo"]).env("TMPDIR", &temporary).command();
    let mut child = command.process_group(0).stderr(Stdio::null()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    // From here on it waits for a lease to run out.
    let renewed = lines.map_while(Result::ok).find(|line| line.contains("renewed"));
    assert!(renewed.is_some());
    kill_process_group(Pid::from_child(&child), Signal::INT).unwrap();
    child.wait().unwrap();
    let temporary = temporary.display().to_string();
    wait::until("no process of the demo is left", || !somebody_runs_in(&temporary));
}

/// Whether a process was given something in that folder.
fn somebody_runs_in(folder: &str) -> bool {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    processes.filter_map(|process| fs::read(process.path().join("environ")).ok()).any(|environ| {
        String::from_utf8_lossy(&environ)
            .split('\0')
            .any(|variable| variable.starts_with(&format!("WINDLASS_DB={folder}")))
    })
}
