//! `project delete` and moving many tasks: what becomes of tasks, and of dependencies that lead to
//! others.
//!
//! They follow contract HZL, section 1.2 (`project delete`, `task move`) and section 3.8, rows R2
//! and R3. A test whose name ends in `row_…` shows that row.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "an answer of another shape ends its test"
)]

use serde_json::Value;
use windlass_tests::ledgers::{Ledger, error_of, text};

/// Two projects: in `api` there are `schema` (backlog), `server` (ready, waits for schema) and
/// `old` (done); in `web` there are `page`, which waits for `server`, and `logo`, for which `server`
/// waits.
struct Yard {
    ledger: Ledger,
    schema: String,
    server: String,
    old: String,
    page: String,
    logo: String,
}

impl Yard {
    #[track_caller]
    fn new() -> Self {
        Self::on(Ledger::on_sqlite())
    }

    #[track_caller]
    fn on(ledger: Ledger) -> Self {
        for project in ["api", "web", "shelf"] {
            ledger.answer(&["project", "create", project]);
        }
        let logo = ledger.add(&["-P", "web", "-s", "ready"]);
        let schema = ledger.add(&["-P", "api"]);
        let both = format!("{schema},{logo}");
        let server = ledger.add(&["-P", "api", "-s", "ready", "--depends-on", &both]);
        let old = ledger.add(&["-P", "api", "-s", "done"]);
        let page = ledger.add(&["-P", "web", "-s", "ready", "--depends-on", &server]);
        Self { ledger, schema, server, old, page, logo }
    }

    /// A refusal that changed nothing.
    #[track_caller]
    fn refused(&self, args: &[&str], code: &str, exit: i32) -> Value {
        let seq = self.ledger.events();
        let outcome = self.ledger.windlass(args).run();
        let error = error_of(&outcome, code, exit);
        assert_eq!(self.ledger.events(), seq, "something was recorded\n{outcome}");
        error
    }

    #[track_caller]
    fn is_sound(&self) {
        let examined = self.ledger.answer(&["doctor", "--rebuild"]);
        assert_eq!(examined["healthy"], true, "{examined}");
        self.ledger.answer(&["audit", "verify"]);
    }

    #[track_caller]
    fn project_of(&self, task: &str) -> String {
        text(&self.ledger.answer(&["task", "show", task, "--view", "summary"])["task"]["project"])
    }

    #[track_caller]
    fn waits_for(&self, task: &str) -> Vec<String> {
        let shown = self.ledger.answer(&["task", "show", task]);
        shown["dependencies"].as_array().unwrap().iter().map(|on| text(&on["task_id"])).collect()
    }

    /// The kinds of the events of a task after its creation.
    #[track_caller]
    fn kinds(&self, task: &str) -> Vec<String> {
        let history = self.ledger.events_after(0);
        let own = history.iter().filter(|event| event["stream"] == task);
        own.skip(1).map(|event| text(&event["kind"])).collect()
    }
}

// What becomes of the tasks

#[test]
fn an_empty_project_is_simply_deleted_and_its_name_is_free() {
    let yard = Yard::new();
    let deleted = yard.ledger.answer(&["project", "delete", "shelf"]);
    let expected = serde_json::json!({
        "name": "shelf", "task_count": 0, "archived_task_count": 0, "chunk_count": 0,
        "action": "none", "edges": [],
    });
    assert_eq!(deleted, expected);
    yard.refused(&["project", "show", "shelf"], "project_not_found", 4);
    yard.refused(&["project", "delete", "shelf"], "project_not_found", 4);
    yard.refused(&["task", "add", "x", "-P", "shelf"], "project_not_found", 4);
    yard.ledger.answer(&["project", "create", "shelf"]);
    yard.is_sound();
}

#[test]
fn a_project_with_tasks_is_refused_with_their_number_and_the_ways_on() {
    let yard = Yard::new();
    let error = yard.refused(&["project", "delete", "api"], "usage", 2);
    assert_eq!(error["details"]["task_count"], 3);
    for way in ["--move-to", "--archive-tasks", "--delete-tasks"] {
        assert!(text(&error["hint"]).contains(way), "{error}");
    }
    let two = ["project", "delete", "api", "--archive-tasks", "--delete-tasks"];
    yard.refused(&two, "usage", 2);
    yard.refused(&["project", "delete", "api", "--move-to", "nowhere"], "project_not_found", 4);
    yard.refused(&["project", "delete", "api", "--move-to", "api"], "invalid_value", 3);
}

#[test]
fn the_inbox_is_never_deleted() {
    let yard = Yard::new();
    yard.ledger.add(&[]);
    yard.refused(&["project", "delete", "inbox", "--delete-tasks"], "project_protected", 3);
}

#[test]
fn moved_tasks_are_all_in_the_other_project_with_what_they_wait_for() {
    let yard = Yard::new();
    yard.ledger.answer(&["task", "archive", &yard.old]);
    let deleted =
        yard.ledger.answer(&["project", "delete", "api", "--move-to", "shelf", "--edges", "keep"]);
    assert_eq!((&deleted["action"], &deleted["moved_to"]), (&"move".into(), &"shelf".into()));
    assert_eq!((&deleted["task_count"], &deleted["archived_task_count"]), (&3.into(), &1.into()));
    for task in [&yard.schema, &yard.server, &yard.old] {
        assert_eq!(yard.project_of(task), "shelf");
    }
    assert_eq!(yard.waits_for(&yard.page), [yard.server.as_str()]);
    let kinds: Vec<String> =
        yard.ledger.events_after(0).iter().map(|event| text(&event["kind"])).collect();
    assert_eq!(kinds.last().map(String::as_str), Some("project_deleted"), "it comes last");
    yard.is_sound();
}

#[test]
fn archived_tasks_stay_readable_and_are_restored_elsewhere_only() {
    let yard = Yard::new();
    yard.ledger.answer(&["project", "delete", "api", "--archive-tasks", "--edges", "keep"]);
    assert_eq!(yard.ledger.status(&yard.schema), "archived");
    assert_eq!(yard.ledger.status(&yard.old), "done");
    assert_eq!(yard.project_of(&yard.schema), "api");
    let listed = yard.ledger.answer(&["project", "list"]);
    assert_eq!(listed["projects"].as_array().unwrap().len(), 2);
    let total = yard.ledger.answer(&["task", "list", "--archived"]);
    assert_eq!(total["total"], total["tasks"].as_array().unwrap().len());
    for args in [
        &["task", "restore", &yard.schema][..],
        &["task", "reopen", &yard.old],
        &["task", "set-status", &yard.old, "ready"],
        &["task", "add", "x", "--parent", &yard.old],
        &["task", "update", &yard.logo, "--parent", &yard.old],
    ] {
        let error = yard.refused(args, "project_deleted", 3);
        assert!(text(&error["hint"]).contains("task move"), "{error}");
    }
    for (args, code) in [
        (&["task", "complete", &yard.schema][..], "invalid_transition"),
        (&["task", "add-dep", &yard.schema, &yard.logo], "task_archived"),
    ] {
        let error = yard.refused(args, code, 3);
        assert!(text(&error["hint"]).contains("task move"), "{error}");
    }
    yard.ledger.answer(&["task", "move", &yard.schema, "web"]);
    yard.ledger.answer(&["task", "restore", &yard.schema]);
    assert_eq!(yard.ledger.status(&yard.schema), "backlog");
    yard.ledger.answer(&["project", "create", "api"]);
    yard.ledger.add(&["-P", "api"]);
    assert_eq!(yard.ledger.answer(&["project", "show", "api"])["project"]["task_count"], 1);
    yard.is_sound();
}

#[test]
fn deleted_tasks_are_gone_for_good_and_nothing_waits_for_them() {
    let yard = Yard::new();
    yard.ledger.answer(&["project", "delete", "api", "--delete-tasks", "--edges", "keep"]);
    for task in [&yard.schema, &yard.server, &yard.old] {
        yard.refused(&["task", "show", task], "task_not_found", 4);
    }
    let claimable = yard.ledger.answer(&["task", "list", "--available"]);
    assert_eq!(claimable["total"], 2, "the page waits for nothing any more");
    yard.is_sound();
    yard.refused(&["task", "show", &yard.server], "task_not_found", 4);
    assert_eq!(yard.kinds(&yard.old), ["task_deleted"]);
}

#[test]
fn kept_edges_of_deleted_tasks_are_seen_and_hold_nothing_up() {
    let yard = Yard::new();
    yard.ledger.answer(&["project", "delete", "api", "--delete-tasks", "--edges", "keep"]);
    let listed = yard.ledger.answer(&["dep", "list"]);
    let seen = |edge: &Value| (text(&edge["from_task_id"]), text(&edge["to_task_id"]));
    let edges: Vec<_> = listed["dependencies"].as_array().unwrap().iter().collect();
    let out = edges.iter().find(|edge| edge["missing_from"] == true).unwrap();
    assert_eq!(seen(out), (yard.server.clone(), yard.logo.clone()));
    assert_eq!((&out["missing_to"], &out["blocking"]), (&false.into(), &false.into()));
    assert_eq!(edges.len(), 2, "what led from one deleted task to another is gone: {listed}");
    let back = yard.ledger.answer(&["task", "add-dep", &yard.logo, &yard.page]);
    assert_eq!(back["added"], true, "no circle goes through a task that is gone");
    yard.is_sound();
    let left = yard.ledger.answer(&["validate"]);
    assert_eq!(
        (&left["isValid"], &left["issues"][0]["severity"]),
        (&true.into(), &"warning".into())
    );
    assert_eq!(left["missingDeps"].as_array().unwrap().len(), 1);
    let hint = text(&left["issues"][0]["hint"]);
    let words: Vec<&str> = hint.split(' ').skip(1).collect();
    yard.ledger.answer(&words);
    assert_eq!(yard.ledger.answer(&["validate"])["issues"], serde_json::json!([]));
}

#[test]
fn deleted_tasks_stay_deleted_in_a_copy_of_the_ledger() {
    let yard = Yard::new();
    yard.ledger.answer(&["project", "delete", "api", "--delete-tasks", "--edges", "keep"]);
    let file = yard.ledger.home.work().join("ledger.ndjson").display().to_string();
    yard.ledger.answer(&["export", &file]);
    let copy = Ledger::on_sqlite();
    copy.answer(&["import", "ledger", &file]);
    let heads = [&yard.ledger, &copy].map(|ledger| ledger.answer(&["audit", "head"]));
    assert_eq!(heads[0], heads[1]);
    let _error =
        error_of(&copy.windlass(&["task", "show", &yard.server]).run(), "task_not_found", 4);
    assert_eq!(copy.answer(&["doctor", "--rebuild"])["healthy"], true);
    assert_eq!(copy.answer(&["task", "list", "--archived"])["total"], 2);
}

#[test]
fn a_subtask_elsewhere_becomes_a_task_of_its_own() {
    let yard = Yard::new();
    let child = yard.ledger.add(&["--parent", &yard.schema]);
    yard.ledger.answer(&["task", "move", &child, "web"]);
    yard.ledger.answer(&["project", "delete", "api", "--delete-tasks", "--edges", "settle"]);
    let shown = yard.ledger.answer(&["task", "show", &child]);
    assert_eq!(shown["task"]["parent_id"], Value::Null);
    yard.is_sound();
}

#[test]
fn a_project_in_which_somebody_is_at_work_is_deleted_only_by_force_and_with_a_reason() {
    let yard = Yard::new();
    let held = yard.ledger.add(&["-P", "api", "-s", "in_progress", "--agent", "ada"]);
    for way in [&["--archive-tasks"][..], &["--delete-tasks"]] {
        let args = [&["project", "delete", "api", "--edges", "keep"][..], way].concat();
        let error = yard.refused(&args, "tasks_held", 3);
        assert_eq!(error["details"]["held"][0]["task_id"], *held);
        assert_eq!(error["details"]["held"][0]["agent"], "ada");
        yard.refused(&[&args[..], &["--force"]].concat(), "reason_required", 3);
    }
    let force = ["--force", "--reason", "ada is gone"];
    let args = ["project", "delete", "api", "--edges", "keep", "--archive-tasks"];
    yard.ledger.answer(&[&args[..], &force].concat());
    let last = yard.ledger.newest_event(&held);
    assert_eq!(last["kind"], "task_archived");
    assert_eq!(last["data"]["forced"], "ada is gone");
    yard.is_sound();
}

#[test]
fn who_holds_a_task_that_moves_with_its_project_still_holds_it() {
    let yard = Yard::new();
    let held = yard.ledger.add(&["-P", "api", "-s", "in_progress", "--agent", "ada"]);
    let args = ["project", "delete", "api", "--move-to", "shelf", "--edges", "keep"];
    yard.ledger.answer(&args);
    let shown = yard.ledger.answer(&["task", "show", &held]);
    let task = &shown["task"];
    assert_eq!((&task["project"], &task["agent"]), (&"shelf".into(), &"ada".into()));
    assert_eq!((&task["status"], &task["fence"]), (&"in_progress".into(), &1.into()));
    yard.is_sound();
}

// What becomes of the dependencies

#[test]
fn edges_to_tasks_that_are_there_already_are_inside_after_the_move() {
    let yard = Yard::new();
    let moved = yard.ledger.answer(&["task", "move", "--all-from", "api", "web"]);
    assert_eq!(moved["edges"], serde_json::json!([]));
    let yard = Yard::new();
    let args = ["project", "delete", "api", "--move-to", "web", "--edges", "settle"];
    assert_eq!(yard.ledger.answer(&args)["edges"], serde_json::json!([]));
    assert_eq!(yard.waits_for(&yard.page), [yard.server.as_str()], "nothing was settled");
    assert_eq!(yard.kinds(&yard.server), ["task_moved"]);
    yard.is_sound();
}

#[test]
fn a_person_who_must_choose_is_shown_the_titles() {
    let yard = Yard::new();
    let message = text(
        &yard.refused(&["project", "delete", "api", "--delete-tasks"], "edges_outside", 3)["message"],
    );
    let lines: Vec<&str> = message.lines().collect();
    let line = format!("  {} a task (web) → {} a task (api)", yard.page, yard.server);
    assert_eq!(lines.len(), 3, "{message}");
    assert_eq!(lines[2], line);
    for _ in 0..10 {
        yard.ledger.add(&["-P", "web", "--depends-on", &yard.server]);
    }
    let refused = yard.refused(&["project", "delete", "api", "--delete-tasks"], "edges_outside", 3);
    assert!(text(&refused["message"]).ends_with("\n  and 2 more"), "{refused}");
    assert_eq!(refused["details"]["edges"].as_array().unwrap().len(), 12);
}

#[test]
fn deleting_a_project_that_others_depend_on_is_refused_with_the_list_of_edges_row_r2() {
    let yard = Yard::new();
    for way in [&["--archive-tasks"][..], &["--delete-tasks"], &["--move-to", "shelf"]] {
        let args = [&["project", "delete", "api"][..], way].concat();
        let error = yard.refused(&args, "edges_outside", 3);
        let edges = error["details"]["edges"].as_array().unwrap();
        assert_eq!((edges.len(), &error["details"]["edge_count"]), (2, &2.into()), "{error}");
        let ends = |edge: &Value| (text(&edge["from_task_id"]), text(&edge["to_task_id"]));
        assert_eq!(ends(&edges[0]), (yard.server.clone(), yard.logo.clone()));
        assert_eq!(ends(&edges[1]), (yard.page.clone(), yard.server.clone()));
        assert_eq!(
            (&edges[1]["from_project"], &edges[1]["to_project"]),
            (&"web".into(), &"api".into())
        );
        for way in ["--edges keep", "--edges settle", "--rewrite-deps"] {
            assert!(text(&error["hint"]).contains(way), "{error}");
        }
        let forced = [&args[..], &["--force", "--reason", "now"]].concat();
        yard.refused(&forced, "edges_outside", 3);
    }
}

#[test]
fn moving_many_tasks_that_others_depend_on_is_refused_row_r2() {
    let yard = Yard::new();
    yard.refused(&["task", "move", &yard.server, &yard.schema, "shelf"], "edges_outside", 3);
    yard.refused(&["task", "move", "--all-from", "api", "shelf"], "edges_outside", 3);
    let error =
        yard.refused(&["task", "move", &yard.schema, &yard.old, "shelf"], "edges_outside", 3);
    assert_eq!(error["details"]["edges"][0]["from_task_id"], *yard.server, "it stays behind");
}

#[test]
fn kept_edges_cross_projects_and_leave_an_event_row_r3() {
    let yard = Yard::new();
    let moved =
        yard.ledger.answer(&["task", "move", "--all-from", "api", "shelf", "--edges", "keep"]);
    assert_eq!((&moved["count"], &moved["to_project"]), (&3.into(), &"shelf".into()));
    let outcomes: Vec<String> =
        moved["edges"].as_array().unwrap().iter().map(|edge| text(&edge["outcome"])).collect();
    assert_eq!(outcomes, ["kept", "kept"]);
    assert_eq!(yard.kinds(&yard.page), ["dependency_kept"]);
    assert_eq!(yard.kinds(&yard.server), ["dependency_kept", "task_moved"]);
    assert_eq!(yard.waits_for(&yard.page), [yard.server.as_str()]);
    let crossing = yard.ledger.answer(&["dep", "list", "--cross-project-only"]);
    assert_eq!(crossing["total"], 2);
    yard.is_sound();
}

#[test]
fn settled_edges_are_gone_and_leave_an_event_row_r3() {
    let yard = Yard::new();
    yard.ledger.answer(&["task", "archive", &yard.page]);
    let args = ["project", "delete", "api", "--delete-tasks", "--edges", "settle"];
    let deleted = yard.ledger.answer(&args);
    assert_eq!(deleted["edges"][1]["outcome"], "removed");
    assert_eq!(yard.kinds(&yard.page), ["task_archived", "dependency_removed"]);
    assert_eq!(yard.newest_because(&yard.page), "project api was deleted");
    assert_eq!(yard.waits_for(&yard.page), Vec::<String>::new());
    assert_eq!(yard.kinds(&yard.server), ["dependency_removed", "task_deleted"]);
    assert_eq!(yard.ledger.answer(&["validate"])["isValid"], true, "no edge leads nowhere");
    yard.is_sound();
}

#[test]
fn rewritten_edges_lead_to_the_task_that_was_named_row_r3() {
    let yard = Yard::new();
    let instead = yard.ledger.add(&["-P", "shelf"]);
    yard.ledger.answer(&["task", "add-dep", &yard.page, &yard.schema]);
    let args = ["project", "delete", "api", "--archive-tasks", "--rewrite-deps", &instead];
    let deleted = yard.ledger.answer(&args);
    let outcomes: Vec<String> =
        deleted["edges"].as_array().unwrap().iter().map(|edge| text(&edge["outcome"])).collect();
    assert_eq!(outcomes, ["kept", "rewritten", "rewritten"]);
    assert_eq!(yard.waits_for(&yard.page), [instead]);
    assert_eq!(yard.waits_for(&yard.server).len(), 2, "what it waited for outside stays");
    let added: Vec<String> = yard.kinds(&yard.page);
    assert_eq!(added.iter().filter(|kind| *kind == "dependency_added").count(), 2, "{added:?}");
    yard.is_sound();
}

#[test]
fn edges_are_not_rewritten_into_a_circle_or_to_a_task_that_goes() {
    let yard = Yard::new();
    let delete = ["project", "delete", "api", "--archive-tasks", "--rewrite-deps"];
    yard.refused(&[&delete[..], &[&yard.server]].concat(), "invalid_value", 3);
    yard.refused(&[&delete[..], &[&yard.page]].concat(), "dependency_cycle", 3);
    let behind = yard.ledger.add(&["-P", "web", "--depends-on", &yard.page]);
    yard.refused(&[&delete[..], &[&behind]].concat(), "dependency_cycle", 3);
    yard.refused(&[&delete[..], &["ZZZZZZ"]].concat(), "task_not_found", 4);
    let both = [&delete[..], &[&yard.logo, "--edges", "keep"]].concat();
    yard.refused(&both, "usage", 2);
    yard.refused(
        &["project", "delete", "api", "--archive-tasks", "--edges", "cut"],
        "invalid_value",
        3,
    );
}

#[test]
fn saying_what_becomes_of_edges_is_fine_where_there_are_none() {
    let yard = Yard::new();
    yard.ledger.answer(&["project", "delete", "shelf", "--edges", "settle"]);
    let moved = yard.ledger.answer(&["task", "move", &yard.old, "web", "--edges", "keep"]);
    assert_eq!((&moved["subtask_count"], moved.get("edges")), (&0.into(), None));
}

// Moving

#[test]
fn one_task_is_always_free_to_go_wherever_its_edges_lead() {
    let yard = Yard::new();
    let moved = yard.ledger.answer(&["task", "move", &yard.server, "shelf"]);
    let expected = serde_json::json!({
        "task_id": yard.server, "title": "a task", "from_project": "api", "to_project": "shelf",
        "subtask_count": 0,
    });
    assert_eq!(moved, expected);
    assert_eq!(yard.kinds(&yard.server), ["task_moved"]);
    yard.ledger.answer(&["task", "move", &yard.server, "--author", "ada", "web"]);
    yard.ledger.answer(&["task", "move", &yard.server, "--to", "api"]);
    assert_eq!(yard.project_of(&yard.server), "api");
}

#[test]
fn many_tasks_take_their_subtasks_along_and_inner_edges_need_no_word() {
    let yard = Yard::new();
    let child = yard.ledger.add(&["--parent", &yard.schema]);
    let all = [&yard.schema, &yard.server, &yard.logo, &yard.page, &child];
    let args: Vec<&str> = ["task", "move"]
        .into_iter()
        .chain(all.iter().map(|id| id.as_str()))
        .chain(["shelf"])
        .collect();
    let moved = yard.ledger.answer(&args);
    assert_eq!((&moved["count"], &moved["edges"]), (&5.into(), &serde_json::json!([])));
    assert_eq!(moved["tasks"].as_array().unwrap().len(), 4, "the subtask came with its parent");
    assert_eq!(moved["tasks"][0]["subtask_count"], 1);
    for task in all {
        assert_eq!(yard.project_of(task), "shelf");
    }
    let again = yard.ledger.events();
    yard.ledger.answer(&args);
    assert_eq!(yard.ledger.events(), again, "they are there already");
    yard.is_sound();
}

#[test]
fn a_move_must_say_what_goes_where() {
    let yard = Yard::new();
    yard.refused(&["task", "move"], "usage", 2);
    yard.refused(&["task", "move", "shelf"], "usage", 2);
    yard.refused(&["task", "move", &yard.old, "--all-from", "api", "shelf"], "usage", 2);
    yard.refused(&["task", "move", "--all-from", "nowhere", "shelf"], "project_not_found", 4);
    yard.refused(&["task", "move", &yard.old, &yard.schema, "nowhere"], "project_not_found", 4);
    yard.refused(&["task", "move", &yard.old, "ZZZZZZ", "shelf"], "task_not_found", 4);
}

impl Yard {
    #[track_caller]
    fn newest_because(&self, task: &str) -> String {
        text(&self.ledger.newest_event(task)["data"]["because"])
    }
}

#[test]
fn on_postgres_a_project_is_deleted_in_the_same_way() {
    let Some(ledger) = Ledger::on_postgres() else { return };
    let yard = Yard::on(ledger);
    yard.refused(&["project", "delete", "api", "--delete-tasks"], "edges_outside", 3);
    yard.ledger.answer(&["project", "delete", "api", "--delete-tasks", "--edges", "settle"]);
    yard.ledger.answer(&["project", "create", "api"]);
    yard.is_sound();
}
