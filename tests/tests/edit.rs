//! `task edit`, with editors that are one line of shell.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "an answer of another shape ends its test"
)]

use serde_json::Value;
use windlass_testkit::Outcome;
use windlass_tests::ledgers::{Ledger, text};

/// A task to edit, and its ledger.
struct Desk {
    ledger: Ledger,
    task: String,
}

impl Desk {
    fn new() -> Self {
        let ledger = Ledger::on_sqlite();
        let add = ["task", "add", "paint the boat", "-d", "in blue", "-t", "boat", "-p", "1"];
        let task = text(&ledger.windlass(&add).run().ok().json()["task_id"]);
        Self { ledger, task }
    }

    /// Opens the task in an editor that runs `script` on the file, `$1`.
    fn edit(&self, script: &str) -> Outcome {
        let editor = self.ledger.home.work().join("editor.sh");
        std::fs::write(&editor, format!("set -e\n{script}\n")).unwrap();
        let editor = format!("sh '{}'", editor.display());
        self.ledger.windlass(&["task", "edit", &self.task]).env("EDITOR", editor).run()
    }

    fn shown(&self) -> Value {
        self.ledger.windlass(&["task", "show", &self.task]).run().ok().json()["task"].clone()
    }
}

#[test]
fn what_was_changed_in_the_text_is_recorded_and_nothing_else() {
    let desk = Desk::new();
    let edited =
        desk.edit("sed -i -e 's/^title: .*/title: paint it red/' -e 's/in blue/in red/' \"$1\"");
    assert_eq!(edited.ok().json()["changed"], serde_json::json!(["description", "title"]));
    let task = desk.shown();
    assert_eq!(
        (text(&task["title"]), text(&task["description"])),
        ("paint it red".into(), "in red".into())
    );
    assert_eq!(task["tags"], serde_json::json!(["boat"]));
}

#[test]
fn an_empty_value_clears_a_field() {
    let desk = Desk::new();
    let _edited = desk.edit("sed -i 's/^tags:.*/tags:/' \"$1\"").ok();
    assert_eq!(desk.shown()["tags"], serde_json::json!([]));
}

#[test]
fn a_text_that_was_emptied_or_left_alone_changes_nothing() {
    for script in [": > \"$1\"", "true", "printf 'title: paint the boat\\n' > \"$1\""] {
        let desk = Desk::new();
        let before = desk.shown();
        assert_eq!(desk.edit(script).ok().json()["changed"], serde_json::json!([]), "{script}");
        assert_eq!(desk.shown(), before, "{script}");
    }
}

#[test]
fn a_text_that_is_refused_is_kept_in_a_file() {
    let desk = Desk::new();
    let before = desk.shown();
    for (script, words) in [
        ("sed -i 's/^priority: .*/priority: 9/' \"$1\"", "priority: 9"),
        ("sed -i 's/^title:/titel:/' \"$1\"", "titel: paint the boat"),
        ("sed -i 's/^metadata:.*/metadata: {/' \"$1\"", "metadata: {"),
    ] {
        let refused = desk.edit(script).refused("invalid_value", 3);
        let file = text(&refused["error"]["details"]["file"]);
        assert!(text(&refused["error"]["message"]).contains(&file), "{refused}");
        assert!(std::fs::read_to_string(&file).unwrap().contains(words), "{script}");
        std::fs::remove_file(file).unwrap();
        assert_eq!(desk.shown(), before, "{script}");
    }
}

#[test]
fn a_task_that_somebody_changed_meanwhile_is_not_overwritten() {
    let desk = Desk::new();
    let windlass = desk.ledger.windlass(&[]).command();
    let other = format!(
        "'{}' task update {} --priority 3 >/dev/null; sed -i 's/blue/red/' \"$1\"",
        windlass.get_program().to_str().unwrap(),
        desk.task
    );
    let refused = desk.edit(&other).refused("edit_conflict", 3);
    std::fs::remove_file(text(&refused["error"]["details"]["file"])).unwrap();
    let task = desk.shown();
    assert_eq!(
        (task["priority"].as_u64(), text(&task["description"])),
        (Some(3), "in blue".into())
    );
}

#[test]
fn an_editor_that_fails_or_is_not_set_changes_nothing() {
    let desk = Desk::new();
    let before = desk.shown();
    let refused = desk.edit("exit 1").refused("invalid_value", 3);
    std::fs::remove_file(text(&refused["error"]["details"]["file"])).unwrap();
    let none = desk.ledger.windlass(&["task", "edit", &desk.task]).run();
    assert_eq!(none.refused("invalid_value", 3)["error"]["details"]["field"], "EDITOR");
    assert_eq!(desk.shown(), before);
}
