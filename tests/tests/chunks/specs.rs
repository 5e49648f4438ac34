//! A spec and its task: whichever door is used, the two never disagree.

use serde_json::{Value, json};
use windlass_tests::ledgers::text;

use crate::shelf::{Shelf, on_both};

/// A spec and its task, by their ids.
struct Pair<'a> {
    shelf: &'a Shelf,
    spec: String,
    task: String,
}

impl<'a> Pair<'a> {
    fn on(shelf: &'a Shelf) -> Self {
        let write = ["chunk", "write", "dev_spec", "Log in by mail", "With a link", "-P", "api"];
        let spec = shelf.does(&write);
        Self { shelf, spec: text(&spec["chunk_id"]), task: text(&spec["task_id"]) }
    }

    fn fields(&self) -> Value {
        self.shelf.shows(&self.spec)["fields"].clone()
    }

    fn task(&self) -> Value {
        self.shelf.does(&["task", "show", &self.task])["task"].clone()
    }

    /// What the two say of the same: blocked or not, and how urgent.
    fn told(&self) -> [String; 4] {
        let (fields, task) = (self.fields(), self.task());
        [&fields["status"], &fields["priority"], &task["status"], &task["priority"]].map(text)
    }
}

fn with_a_pair(check: impl Fn(&Pair<'_>)) {
    on_both(|shelf| {
        check(&Pair::on(shelf));
        shelf.is_sound();
    });
}

#[test]
fn a_spec_is_written_with_its_task_in_one_transaction() {
    on_both(|shelf| {
        let write = [
            "chunk",
            "write",
            "dev_spec",
            "Log in by mail",
            "With a link",
            "-P",
            "api",
            "-t",
            "ui",
            "--field",
            "priority=critical",
            "--op-id",
            "one",
        ];
        let spec = shelf.does(&write);
        let task = shelf.does(&["task", "show", &text(&spec["task_id"])])["task"].clone();
        let told = ["title", "project", "status", "pipeline", "stage", "role"];
        assert_eq!(
            told.map(|field| text(&task[field])),
            ["Log in by mail", "api", "ready", "dev", "new", "dev_researcher"]
        );
        assert_eq!((&task["priority"], &task["tags"]), (&json!(3), &json!(["ui"])));
        let link = format!("chunk:{}", text(&spec["chunk_id"]));
        assert_eq!(task["links"], json!([link]));
        assert_eq!(shelf.does(&write)["task_id"], spec["task_id"]);
        shelf.is_sound();
    });
}

#[test]
fn c5_c35_c39_a_task_that_is_blocked_by_its_own_door_blocks_its_spec() {
    with_a_pair(|pair| {
        let shelf = pair.shelf;
        shelf.does(&["task", "block", &pair.task, "--comment", "no key", "--author", "ada"]);
        let fields = pair.fields();
        assert_eq!(
            (&fields["status"], &fields["previous_status"]),
            (&json!("blocked"), &json!("new"))
        );
        assert_eq!(fields["blocked_reason"], "no key");
        let versions = shelf.does(&["chunk", "versions", &pair.spec])["versions"].clone();
        assert_eq!(
            (&versions[1]["author"]["name"], &versions[1]["changed"]),
            (&json!("ada"), &json!(["fields"]))
        );
        shelf.does(&["task", "unblock", &pair.task]);
        let fields = pair.fields();
        assert_eq!((&fields["status"], &fields["previous_status"]), (&json!("new"), &Value::Null));
        assert_eq!(fields["blocked_reason"], Value::Null);
    });
}

#[test]
fn c5_c35_c39_a_spec_that_is_blocked_by_its_own_door_blocks_its_task() {
    with_a_pair(|pair| {
        let shelf = pair.shelf;
        let block = ["--field", "status=blocked", "--field", "blocked_reason=no key"];
        shelf.does(&[&["chunk", "update", &pair.spec][..], &block].concat());
        assert_eq!(pair.told(), ["blocked", "medium", "blocked", "1"]);
        assert_eq!(shelf.shows(&pair.spec)["version"], 2);
        shelf.does(&["chunk", "update", &pair.spec, "--field", "status=new"]);
        assert_eq!(pair.told(), ["new", "medium", "ready", "1"]);
    });
}

#[test]
fn c5_a_priority_is_the_same_on_both_sides() {
    with_a_pair(|pair| {
        pair.shelf.does(&["task", "update", &pair.task, "--priority", "3"]);
        assert_eq!(pair.told(), ["new", "critical", "ready", "3"]);
        pair.shelf.does(&["chunk", "update", &pair.spec, "--field", "priority=low"]);
        assert_eq!(pair.told(), ["new", "low", "ready", "0"]);
    });
}

#[test]
fn c1_c5_every_other_door_of_a_task_keeps_them_together() {
    with_a_pair(|pair| {
        let task = pair.task.as_str();
        let shelf = pair.shelf;
        shelf.does(&["task", "claim", task, "--agent", "w1", "--role", "dev_researcher"]);
        assert_eq!(pair.told(), ["new", "medium", "in_progress", "1"]);
        shelf.does(&["task", "block", task, "--comment", "stuck", "--agent", "w1"]);
        shelf.does(&["task", "archive", task, "--agent", "w1"]);
        assert_eq!(pair.fields()["status"], "blocked");
        shelf.does(&["task", "restore", task]);
        shelf.does(&["task", "set-status", task, "backlog"]);
        assert_eq!(pair.told(), ["new", "medium", "backlog", "1"]);
    });
}

#[test]
fn c35_a_spec_is_not_blocked_without_a_reason_through_any_door() {
    with_a_pair(|pair| {
        let (shelf, task) = (pair.shelf, pair.task.as_str());
        shelf.refuses(&["task", "block", task], "reason_required", 3);
        shelf.refuses(&["task", "set-status", task, "blocked"], "reason_required", 3);
        let block = ["chunk", "update", &pair.spec, "--field", "status=blocked"];
        shelf.refuses(&block, "reason_required", 3);
        assert_eq!(pair.told(), ["new", "medium", "ready", "1"]);
    });
}

#[test]
fn c3_c4_a_spec_reaches_no_other_status() {
    with_a_pair(|pair| {
        for field in
            ["status=planned", "status=deployed", "previous_status=new", "blocked_reason=x"]
        {
            let update = ["chunk", "update", &pair.spec, "--field", field];
            pair.shelf.refuses(&update, "invalid_transition", 3);
        }
        let write =
            ["chunk", "write", "dev_spec", "a", "b", "-P", "api", "--field", "status=planned"];
        pair.shelf.refuses(&write, "invalid_transition", 3);
    });
}

#[test]
fn c35_whoever_writes_for_the_project_blocks_a_spec_that_another_works_on() {
    with_a_pair(|pair| {
        let (shelf, task) = (pair.shelf, pair.task.as_str());
        shelf.does(&["task", "claim", task, "--agent", "w1", "--role", "dev_researcher"]);
        let block = [
            "chunk",
            "update",
            &pair.spec,
            "--field",
            "status=blocked",
            "--field",
            "blocked_reason=mine",
            "--agent",
            "w2",
        ];
        shelf.does(&block);
        let shown = pair.task();
        assert_eq!([&shown["status"], &shown["agent"]].map(text), ["blocked", "w1"]);
    });
}

#[test]
fn a_spec_neither_expires_nor_is_superseded_while_its_task_is_open() {
    with_a_pair(|pair| {
        let (shelf, spec) = (pair.shelf, pair.spec.as_str());
        let other = shelf.knows("Better", "x");
        let expire = ["chunk", "expire", spec, "30d"];
        let supersede = ["chunk", "supersede", spec, "--with", &other, "--reason", "better"];
        for ended in [&expire[..], &supersede] {
            let error = shelf.refuses(ended, "invalid_transition", 3);
            assert_eq!(error["details"]["task_id"], pair.task);
        }
        shelf.does(&["task", "archive", &pair.task]);
        shelf.does(&expire);
    });
}

#[test]
fn a_spec_belongs_to_a_project() {
    on_both(|shelf| {
        for scope in ["org", "agent"] {
            let write = ["chunk", "write", "dev_spec", "a", "b", "--scope", scope];
            shelf.refuses(&write, "invalid_value", 3);
        }
    });
}

#[test]
fn a_spec_is_deleted_once_its_task_is_put_away() {
    with_a_pair(|pair| {
        let delete = ["chunk", "delete", &pair.spec];
        let error = pair.shelf.refuses(&delete, "invalid_transition", 3);
        assert_eq!(error["details"]["task_id"], json!(pair.task));
        pair.shelf.does(&["task", "archive", &pair.task]);
        pair.shelf.does(&delete);
    });
}

/// With no ticket elsewhere, no channel and no program but this one.
#[test]
fn c120_c123_types_fields_lists_and_links_alone_carry_the_loop() {
    on_both(|shelf| {
        for (title, priority) in [("Later", "priority=low"), ("First", "priority=critical")] {
            let write =
                ["chunk", "write", "dev_spec", title, "x", "-P", "api", "--field", priority];
            shelf.does(&write);
        }
        let listed = |status: &str| -> Vec<String> {
            let field = format!("status={status}");
            let list =
                ["chunk", "list", "--type", "dev_spec", "--field", &field, "--sort", "priority"];
            let listed = shelf.does(&list);
            listed["chunks"].as_array().unwrap().iter().map(|spec| text(&spec["title"])).collect()
        };
        assert_eq!(listed("new"), ["First", "Later"]);
        let found = "## What exists\nA form\n## What must change\nIts fields\n";
        shelf.does(&["chunk", "write", "dev_research", "Found", found, "-P", "api"]);
        shelf.does(&["chunk", "link", "found", "first", "--reason", "Research for this spec"]);
        let chain = shelf.does(&["chunk", "chain", "first"]);
        assert_eq!(chain["basis_of"][0]["title"], "Found");
        let block = ["--field", "status=blocked", "--field", "blocked_reason=which fields?"];
        shelf.does(&[&["chunk", "update", "first"][..], &block].concat());
        assert_eq!(
            (listed("blocked"), listed("new")),
            (vec!["First".into()], vec!["Later".into()])
        );
        shelf.does(&["chunk", "update", "first", "--field", "status=new"]);
        assert_eq!(listed("new"), ["First", "Later"]);
    });
}

#[test]
fn c5_a_spec_goes_where_its_task_goes() {
    with_a_pair(|pair| {
        let shelf = pair.shelf;
        shelf.does(&["task", "move", &pair.task, "web", "--author", "ada"]);
        let spec = shelf.shows(&pair.spec);
        assert_eq!(
            (&spec["project"], &spec["query_key"], &spec["version"]),
            (&json!("web"), &json!("log-in-by-mail"), &json!(2))
        );
        let versions = shelf.does(&["chunk", "versions", &pair.spec])["versions"].clone();
        assert_eq!(
            (&versions[1]["change"], &versions[1]["author"]["name"]),
            (&json!("moved"), &json!("ada"))
        );
        let listed = |project: &str| {
            let list = ["chunk", "list", "--type", "dev_spec", "-P", project];
            shelf.does(&list)["total"].clone()
        };
        assert_eq!((listed("api"), listed("web")), (json!(0), json!(1)));
        let found = shelf.does(&["chunk", "search", "mail", "-P", "web"]);
        assert_eq!(found["chunks"][0]["chunk_id"], json!(pair.spec));
    });
}

#[test]
fn a_spec_gets_another_key_where_its_own_is_taken() {
    with_a_pair(|pair| {
        let shelf = pair.shelf;
        let write = ["chunk", "write", "dev_spec", "Log in by mail", "Another", "-P", "web"];
        let other = text(&shelf.does(&write)["task_id"]);
        shelf.does(&["task", "update", &pair.task, "--parent", &other]);
        let spec = shelf.shows(&pair.spec);
        assert_eq!(
            (&spec["project"], &spec["query_key"]),
            (&json!("web"), &json!("log-in-by-mail-2"))
        );
    });
}

#[test]
fn a_spec_goes_along_when_its_project_is_deleted() {
    with_a_pair(|pair| {
        pair.shelf.does(&["project", "delete", "api", "--move-to", "web"]);
        assert_eq!(pair.shelf.shows(&pair.spec)["project"], "web");
    });
}

#[test]
fn c5_the_task_of_a_spec_is_not_done_before_its_last_stage() {
    with_a_pair(|pair| {
        let (shelf, task) = (pair.shelf, pair.task.as_str());
        shelf.refuses(&["task", "set-status", task, "done"], "invalid_transition", 3);
        shelf.does(&["task", "claim", task, "--agent", "w1", "--role", "dev_researcher"]);
        for more in [&[][..], &["--force", "--reason", "I am sure"]] {
            let complete = [&["task", "complete", task][..], more].concat();
            shelf.refuses(&complete, "invalid_transition", 3);
        }
        assert_eq!(pair.told(), ["new", "medium", "in_progress", "1"]);
    });
}

#[test]
fn a_task_does_not_come_back_without_its_spec() {
    with_a_pair(|pair| {
        let shelf = pair.shelf;
        shelf.does(&["task", "archive", &pair.task]);
        shelf.does(&["chunk", "delete", &pair.spec]);
        shelf.refuses(&["task", "restore", &pair.task], "invalid_transition", 3);
    });
}

#[test]
fn a_spec_goes_with_its_task_when_a_project_is_deleted() {
    with_a_pair(|pair| {
        let shelf = pair.shelf;
        shelf.does(&["project", "delete", "api", "--delete-tasks"]);
        shelf.refuses(&["chunk", "show", &pair.spec], "chunk_not_found", 4);
    });
}

#[test]
fn a_spec_whose_task_was_pruned_says_what_it_said_and_may_say_it_better() {
    with_a_pair(|pair| {
        let shelf = pair.shelf;
        shelf.does(&["task", "archive", &pair.task]);
        shelf.does(&["task", "prune", "--all", "--older-than", "0d", "--yes"]);
        let update = ["chunk", "update", &pair.spec];
        shelf.does(&[&update[..], &["--title", "Log in by mail or phone"]].concat());
        let asked = [&update[..], &["--field", "priority=high"]].concat();
        shelf.refuses(&asked, "invalid_transition", 3);
    });
}
