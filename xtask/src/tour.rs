//! `tour`: builds windlass and lives through a small day of two agents, in a throw-away ledger.

use windlass_testkit::Home;

use crate::step::{self, Failure, say};

/// What is typed, word by word; `TASK` stands for the task that was added last.
const DAY: [&[&str]; 14] = [
    &["project", "create", "api"],
    &["task", "add", "design the schema", "-P", "api", "-s", "ready", "-p", "2"],
    &["task", "add", "write the migration", "-P", "api", "-s", "ready", "--depends-on", "TASK"],
    &["why", "TASK"],
    &["task", "claim", "--next", "--agent", "ada", "--lease", "30m"],
    &["task", "claim", "--next", "--agent", "bob"],
    &["task", "checkpoint", "FIRST", "tables drafted", "--progress", "50", "--fence", "1"],
    &["task", "complete", "FIRST", "--agent", "bob"],
    &["task", "complete", "FIRST", "--fence", "1", "--comment", "reviewed and merged"],
    &["task", "claim", "--next", "--agent", "bob", "--lease", "30m"],
    &["task", "list"],
    &["task", "history", "FIRST"],
    &["audit", "verify"],
    &["doctor", "--rebuild"],
];

pub(crate) fn run() -> Result<(), Failure> {
    step::run(&mut step::cargo(&["build", "--release", "--package", "windlass"]))?;
    let home = Home::new();
    let (mut first, mut last) = (String::new(), String::new());
    for words in DAY {
        let words: Vec<&str> = words
            .iter()
            .map(|word| match *word {
                "FIRST" => first.as_str(),
                "TASK" => last.as_str(),
                word => word,
            })
            .collect();
        let typed: Vec<String> = words
            .iter()
            .map(|word| if word.contains(' ') { format!("'{word}'") } else { (*word).to_owned() })
            .collect();
        say(&format!("\n$ windlass {}", typed.join(" ")));
        let outcome = home.windlass(&words).env("WINDLASS_FORMAT", "text").run();
        say(outcome.stdout.trim_end());
        if !outcome.stderr.is_empty() {
            say(outcome.stderr.trim_end());
        }
        if words.starts_with(&["task", "add"]) {
            let id = outcome.stdout.split(' ').next().unwrap_or_default();
            id.clone_into(&mut last);
            if first.is_empty() {
                first.clone_from(&last);
            }
        }
    }
    Ok(())
}
