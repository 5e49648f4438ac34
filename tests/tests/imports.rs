//! Coming from elsewhere: HZL's database and the file of beads, brought over by the real binary.
//!
//! What HZL says of its sample stands beside it in `fixtures/hzl-sample`; the tests compare with
//! those files and not with values written down here.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "an answer of another shape ends its test"
)]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use serde_json::{Value, json};
use windlass_domain::{EventId, TaskId, Time};
use windlass_testkit::{Outcome, wait};
use windlass_tests::ledgers::{Ledger, error_of, text};

/// Events of HZL that one transaction takes.
const CHUNK: u64 = 20_000;
const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/hzl-sample");

fn on_both(test: impl Fn(&Ledger)) {
    test(&Ledger::on_sqlite());
    if let Some(ledger) = Ledger::on_postgres() {
        test(&ledger);
    }
}

/// One of the files in which HZL tells of its sample.
fn said(file: &str) -> Value {
    serde_json::from_str(&fs::read_to_string(Path::new(SAMPLE).join(file)).unwrap()).unwrap()
}

/// The log of the sample, as HZL prints it.
fn log() -> Vec<Value> {
    let lines = fs::read_to_string(Path::new(SAMPLE).join("events.ndjson")).unwrap();
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

#[track_caller]
fn note(answer: &Value, what: &str) -> (u64, String) {
    let found = list(&answer["notes"]).iter().find(|note| text(&note["what"]).contains(what));
    assert!(found.is_some(), "no note of '{what}' in {answer}");
    let found = found.unwrap();
    (found["count"].as_u64().unwrap(), text(&found["example"]))
}

/// What the ledger itself finds wrong with it.
#[track_caller]
fn is_sound(ledger: &Ledger) {
    assert_eq!(ledger.answer(&["audit", "verify"])["sound"], true);
    let doctor = ledger.answer(&["doctor", "--rebuild"]);
    assert_eq!(doctor["healthy"], true, "{doctor}");
    assert_eq!(doctor["checks"]["views"]["findings"], json!([]), "{doctor}");
}

mod hzl {
    use super::*;

    fn bring(ledger: &Ledger, from: impl AsRef<Path>) -> Value {
        ledger.answer(&["import", "hzl", from.as_ref().to_str().unwrap()])
    }

    /// What HZL leaves out where it is empty.
    fn or(value: &Value, usual: Value) -> Value {
        if value.is_null() { usual } else { value.clone() }
    }

    #[test]
    fn every_task_of_the_sample_is_here_what_it_is_in_hzl() {
        on_both(|ledger| {
            let _brought = bring(ledger, SAMPLE);
            let theirs = said("task-list.json");
            let listed = ledger.answer(&["task", "list", "--limit", "100"]);
            assert_eq!(listed["total"], theirs["total"]);
            for (theirs, listed) in list(&theirs["tasks"]).iter().zip(list(&listed["tasks"])) {
                assert_eq!(theirs["task_id"], listed["task_id"], "another order");
                let ours = ledger.answer(&["task", "show", &text(&theirs["task_id"])]);
                for key in
                    ["title", "project", "status", "priority", "agent", "parent_id", "created_at"]
                {
                    assert_eq!(ours["task"][key], theirs[key], "{key} of {theirs}");
                }
                for key in ["due_at", "description"] {
                    assert_eq!(ours["task"][key], or(&theirs[key], Value::Null), "{key}");
                }
                for key in ["tags", "links"] {
                    assert_eq!(ours["task"][key], or(&theirs[key], json!([])), "{key}");
                }
            }
        });
    }

    #[test]
    fn every_status_counts_as_many_tasks_of_the_sample_as_in_hzl() {
        on_both(|ledger| {
            let _brought = bring(ledger, SAMPLE);
            let queue = &said("stats.json")["queue"];
            for status in ["backlog", "ready", "in_progress", "blocked", "done", "archived"] {
                let ours = ledger.answer(&["task", "list", "-s", status]);
                assert_eq!(ours["total"], queue[status], "{status}");
            }
            let projects = ledger.answer(&["project", "list"]);
            let mut names: Vec<String> =
                list(&projects["projects"]).iter().map(|project| text(&project["name"])).collect();
            names.sort();
            assert_eq!(json!(names), said("stats.json")["projects"]);
        });
    }

    #[test]
    fn every_dependency_of_the_sample_is_here() {
        on_both(|ledger| {
            let _brought = bring(ledger, SAMPLE);
            let theirs = said("dep-list.json");
            let mut ours = 0;
            for task in list(&said("task-list.json")["tasks"]) {
                let shown = ledger.answer(&["task", "show", &text(&task["task_id"])]);
                for on in list(&shown["dependencies"]) {
                    ours += 1;
                    let is_theirs = |edge: &&Value| {
                        edge["from_task_id"] == task["task_id"]
                            && edge["to_task_id"] == on["task_id"]
                    };
                    assert!(
                        list(&theirs["dependencies"]).iter().any(|edge| is_theirs(&edge)),
                        "{on}"
                    );
                }
            }
            assert_eq!(json!(ours), theirs["total"]);
        });
    }

    #[test]
    fn everything_that_was_said_about_the_sample_is_here() {
        on_both(|ledger| {
            let _brought = bring(ledger, SAMPLE);
            let mut compared = 0;
            for (kind, shown_as) in
                [("comment_added", "comments"), ("checkpoint_recorded", "checkpoints")]
            {
                for task in list(&said("task-list.json")["tasks"]) {
                    let shown = ledger.answer(&["task", "show", &text(&task["task_id"])]);
                    let is_it = |event: &&Value| {
                        event["type"] == kind && event["task_id"] == task["task_id"]
                    };
                    let theirs: Vec<Value> = log().iter().filter(is_it).cloned().collect();
                    let ours = list(&shown[shown_as]);
                    assert_eq!(ours.len(), theirs.len(), "{kind} of {task}");
                    for (ours, theirs) in ours.iter().zip(&theirs) {
                        assert_eq!(ours["timestamp"], theirs["timestamp"]);
                        assert_eq!(ours["author"], or(&theirs["author"], json!("hzl")));
                        for key in ["text", "name", "progress"] {
                            assert_eq!(ours[key], theirs["data"][key], "{key} of {theirs}");
                        }
                        if kind == "checkpoint_recorded" {
                            assert_eq!(ours["data"], or(&theirs["data"]["data"], json!({})));
                        }
                        compared += 1;
                    }
                }
            }
            assert_eq!(compared, 5, "the sample has comments and checkpoints");
        });
    }

    #[test]
    fn the_history_of_the_sample_is_hzls_own_event_by_event() {
        on_both(|ledger| {
            let _brought = bring(ledger, SAMPLE);
            let ours = ledger.events_after(0);
            // After its history: two hooks that wait, and two op ids that were used.
            assert_eq!(ours.len(), log().len() + 4);
            for (ours, theirs) in ours.iter().zip(log()) {
                assert_eq!(ours["event_id"], theirs["event_id"]);
                assert_eq!(ours["at"], theirs["timestamp"]);
                assert_eq!(ours["actor"], or(&theirs["author"], json!("hzl")));
                if theirs["task_id"] != "__project__" {
                    assert_eq!(ours["stream"], theirs["task_id"]);
                }
                let lease = &theirs["data"]["lease_until"];
                assert_eq!(ours["data"]["lease_until"], *lease, "{theirs}");
            }
        });
    }

    #[test]
    fn the_ledger_is_sound_after_an_import_and_a_second_one_adds_nothing() {
        on_both(|ledger| {
            let first = bring(ledger, SAMPLE);
            assert_eq!((&first["projects"], &first["tasks"]), (&json!(4), &json!(9)));
            assert_eq!(first["events_read"], json!(log().len()));
            let again = bring(ledger, SAMPLE);
            assert_eq!((&again["events_recorded"], &again["tasks"]), (&json!(0), &json!(0)));
            assert_eq!(again["already_here"], first["events_read"]);
            assert_eq!((&again["seq"], &again["hash"]), (&first["seq"], &first["hash"]));
            is_sound(ledger);
        });
    }

    #[test]
    fn hooks_that_wait_come_over_once_without_their_headers() {
        let ledger = Ledger::on_sqlite();
        let folder = copy_of_sample(&ledger);
        let told = bring(&ledger, &folder);
        assert_eq!(told["hooks"], 2);
        assert_eq!(note(&told, "address and headers").0, 2);
        let file = fs::read(ledger.home.path().join("ledger.db")).unwrap_or_default();
        let shown = format!("{told}{}", String::from_utf8_lossy(&file));
        assert!(!shown.contains("Bearer"), "a header of a hook came over");
        assert_eq!(bring(&ledger, &folder)["hooks"], 0);
        is_sound(&ledger);
    }

    #[test]
    fn an_op_id_that_hzl_used_is_used_here_too() {
        let ledger = Ledger::on_sqlite();
        let folder = copy_of_sample(&ledger);
        let cache = Connection::open(folder.join("cache.db")).unwrap();
        let today = "UPDATE workflow_ops SET updated_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')";
        cache.execute(today, []).unwrap();
        drop(cache);
        assert_eq!(bring(&ledger, &folder)["ops"], 2);
        assert_eq!(bring(&ledger, &folder)["ops"], 0);
        let again = ledger.windlass(&["task", "add", "again", "--op-id", "op-delegate-1"]);
        let _refused = error_of(&again.run(), "op_conflict", 3);
        is_sound(&ledger);
    }

    #[test]
    fn a_missing_cache_of_hzl_is_told() {
        let ledger = Ledger::on_sqlite();
        let folder = copy_of_sample(&ledger);
        fs::remove_file(folder.join("cache.db")).unwrap();
        assert_eq!(note(&bring(&ledger, &folder), "caches of HZL").0, 1);
    }

    /// The sample in a folder of its own.
    fn copy_of_sample(ledger: &Ledger) -> PathBuf {
        let folder = ledger.home.path().join("hzl");
        fs::create_dir(&folder).unwrap();
        for name in ["events.db", "cache.db"] {
            fs::copy(Path::new(SAMPLE).join(name), folder.join(name)).unwrap();
        }
        folder
    }

    #[test]
    fn the_files_of_hzl_are_read_in_a_read_only_folder_and_not_touched() {
        let ledger = Ledger::on_sqlite();
        let folder = copy_of_sample(&ledger);
        let contents = || {
            let mut files: Vec<(PathBuf, Vec<u8>)> = fs::read_dir(&folder)
                .unwrap()
                .map(|file| file.unwrap().path())
                .map(|path| (path.clone(), fs::read(path).unwrap()))
                .collect();
            files.sort();
            files
        };
        let before = contents();
        let mode = |mode| fs::set_permissions(&folder, fs::Permissions::from_mode(mode)).unwrap();
        mode(0o555);
        let by_folder = bring(&ledger, &folder);
        let by_file = bring(&ledger, folder.join("events.db"));
        mode(0o755);
        assert_eq!((&by_folder["tasks"], &by_file["tasks"]), (&json!(9), &json!(0)));
        assert_eq!(contents(), before);
        let left: Vec<_> = fs::read_dir(ledger.home.work()).unwrap().collect();
        assert!(left.is_empty(), "{left:?}");
    }

    #[test]
    fn what_hzl_goes_on_with_is_taken_up_but_not_over_what_was_done_here() {
        on_both(|ledger| {
            let folder = copy_of_sample(ledger);
            let _first = bring(ledger, &folder);
            let tasks = said("task-list.json");
            let id = |title: &str| {
                let is_it = |task: &&Value| task["title"] == title;
                text(&list(&tasks["tasks"]).iter().find(is_it).unwrap()["task_id"])
            };
            let (ours, theirs) = (id("Login page"), id("Rename me"));
            let _claimed = ledger.answer(&["task", "claim", &ours, "--agent", "here"]);
            let hzl = Log::of(&folder.join("events.db"));
            for task in [&ours, &theirs] {
                hzl.add(task, "status_changed", json!({"to": "done"}), Some("there"));
                hzl.add(task, "comment_added", json!({"text": "finished"}), Some("there"));
            }
            hzl.add("__project__", "project_created", json!({"name": "later"}), None);
            drop(hzl);
            let again = bring(ledger, &folder);
            assert_eq!((&again["events_recorded"], &again["projects"]), (&json!(3), &json!(1)));
            assert_eq!(note(&again, "went on here").0, 2);
            assert_eq!(ledger.status(&ours), "in_progress");
            assert_eq!(ledger.status(&theirs), "done");
            is_sound(ledger);
        });
    }

    #[test]
    fn a_paused_task_goes_on_when_hzl_has_finished_what_it_waits_for_row_d10() {
        on_both(|ledger| {
            let (path, hzl) = Log::new(ledger);
            let theirs = Log::task(1);
            hzl.add("__project__", "project_created", json!({"name": "p"}), None);
            hzl.add(&theirs, "task_created", json!({"title": "theirs", "project": "p"}), None);
            let _first = bring(ledger, &path);
            let ours = ledger.add(&["-s", "in_progress", "--agent", "w1"]);
            let _waits = ledger.answer(&["task", "add-dep", &ours, &theirs]);
            let delegate = ["workflow", "run", "delegate", "--from", &ours, "--title", "part"];
            let pause = ["--pause-parent", "--auto-unpause"];
            let paused = ledger.answer(&[&delegate[..], &pause].concat());
            let part = text(&paused["delegated"]["task_id"]);
            let _settled = ledger.answer(&["task", "set-status", &part, "done"]);
            assert_eq!(ledger.status(&ours), "blocked");
            hzl.add(&theirs, "status_changed", json!({"to": "done"}), Some("there"));
            drop(hzl);
            let _again = bring(ledger, &path);
            assert_eq!(ledger.status(&ours), "ready");
            is_sound(ledger);
        });
    }

    #[test]
    fn projects_that_are_here_already_are_used_and_keep_their_name() {
        on_both(|ledger| {
            let _ours = ledger.add(&["--project", "inbox"]);
            let _ours = ledger.answer(&["project", "create", "operations"]);
            let _ours = ledger.answer(&["project", "create", "ops"]);
            let brought = bring(ledger, SAMPLE);
            assert_eq!(brought["projects"], 2, "api and web");
            let counts = |name: &str| ledger.answer(&["project", "show", name])["project"].clone();
            assert_eq!(counts("operations")["task_count"], 2, "one of them archived");
            assert_eq!(counts("ops")["task_count"], 0);
            assert_eq!(bring(ledger, SAMPLE)["events_recorded"], 0);
            is_sound(ledger);
        });
    }

    #[test]
    fn what_does_not_fit_here_is_mended_or_left_out_and_told() {
        on_both(|ledger| {
            let (path, hzl) = Log::new(ledger);
            let [parent, child, odd] = [1, 2, 3].map(Log::task);
            hzl.add("__project__", "project_created", json!({"name": "p"}), None);
            hzl.add(&parent, "task_created", json!({"title": "parent", "project": "p"}), None);
            let own_parent = json!({"title": "child", "project": "p", "parent_id": parent,
                "depends_on": [parent, Log::task(99)]});
            hzl.add(&child, "task_created", own_parent, None);
            let long = "ä".repeat(200);
            let created = json!({"title": format!("a\u{0}b\n{long}"), "project": "nowhere"});
            hzl.add(&odd, "task_created", created, Some("x\u{7}y"));
            // Half of a surrogate pair, as JavaScript writes it when it cuts a text.
            hzl.add_raw(&odd, "comment_added", r#"{"text":"cut \ud83d"}"#);
            hzl.add_raw(&odd, "comment_added", "{\"text\":");
            hzl.add(&odd, "task_teleported", json!({}), None);
            hzl.add(&odd, "status_changed", json!({"to": "ready"}), None);
            hzl.add(&odd, "status_changed", json!({"to": "in_progress"}), Some("ada"));
            hzl.add(&odd, "status_changed", json!({"to": "ready"}), Some("ada"));
            hzl.add(&odd, "task_archived", json!({}), None);
            hzl.add(&odd, "checkpoint_recorded", json!({"name": "too late"}), None);
            hzl.add(&Log::task(77), "comment_added", json!({"text": "of nobody"}), None);
            hzl.add("no-id", "comment_added", json!({"text": "of nobody"}), None);
            drop(hzl);
            let brought = bring(ledger, &path);
            assert_eq!((&brought["tasks"], &brought["projects"]), (&json!(3), &json!(2)));
            for (what, count) in [
                ("replaced by U+FFFD", 2),
                ("too long", 1),
                ("close a circle", 1),
                ("kept, they hold nothing up", 1),
                ("cannot be read", 1),
                ("not known here", 1),
                ("free here", 1),
                ("refused here", 1),
                ("never created", 1),
                ("is no id", 1),
            ] {
                assert_eq!(note(&brought, what).0, count, "{what}");
            }
            let circle = note(&brought, "close a circle").1;
            assert_eq!(circle, format!("{child} → {parent} → {child}"));
            let shown = ledger.answer(&["task", "show", &odd]);
            let title = format!("a\u{fffd}b\u{fffd}{}…", "ä".repeat(123));
            assert_eq!(shown["task"]["title"], title);
            assert_eq!(shown["task"]["project"], "nowhere");
            assert_eq!(shown["comments"][0]["text"], "cut \u{fffd}");
            let again = bring(ledger, &path);
            assert_eq!(again["events_recorded"], 0, "{again}");
            is_sound(ledger);
        });
    }

    #[test]
    fn a_project_that_hzl_deleted_gives_nothing_out() {
        let ledger = Ledger::on_sqlite();
        let (path, hzl) = Log::new(&ledger);
        for (task, project) in [(1, "old"), (2, "old")] {
            if task == 1 {
                hzl.add("__project__", "project_created", json!({"name": project}), None);
            }
            let created = json!({"title": "t", "project": project});
            hzl.add(&Log::task(task), "task_created", created, None);
            hzl.add(&Log::task(task), "status_changed", json!({"to": "ready"}), None);
            if task == 1 {
                hzl.add("__project__", "project_deleted", json!({"name": project}), None);
                hzl.add("__project__", "project_created", json!({"name": project}), None);
            }
        }
        drop(hzl);
        let brought = bring(&ledger, &path);
        assert_eq!(note(&brought, "HZL deleted").1, "old, now old-deleted");
        let next = ledger.answer(&["task", "claim", "--next", "--agent", "w"]);
        assert_eq!(text(&next["task_id"]), Log::task(2));
        let nothing = ledger.answer(&["task", "claim", "--next", "--agent", "w"]);
        assert!(nothing["task_id"].is_null(), "{nothing}");
        is_sound(&ledger);
    }

    #[test]
    fn an_import_killed_in_the_middle_and_begun_again_is_the_same_as_one() {
        kill_in_the_middle(&Ledger::on_sqlite(), &Ledger::on_sqlite());
        if let (Some(one), Some(other)) = (Ledger::on_postgres(), Ledger::on_postgres()) {
            kill_in_the_middle(&one, &other);
        }
    }

    /// Imports the same into one ledger at once and into the other in two goes.
    #[track_caller]
    fn kill_in_the_middle(at_once: &Ledger, cut: &Ledger) {
        let (path, hzl) = Log::new(at_once);
        hzl.fill(CHUNK + CHUNK / 2);
        drop(hzl);
        let whole = bring(at_once, &path);
        let path = path.to_str().unwrap();
        // What a killed process leaves in the temporary folder goes with this home.
        let run = cut.windlass(&["import", "hzl", path]).env("TMPDIR", cut.home.path().as_os_str());
        let mut child = run.spawn();
        wait::until("the first part is committed", || cut.events() > 0);
        child.kill().unwrap();
        let killed = run.finish(child);
        assert_eq!(killed.signal, Some(9), "it was done too early\n{killed}");
        let so_far = cut.events();
        assert!(so_far < whole["seq"].as_u64().unwrap());
        is_sound(cut);
        let rest = bring(cut, path);
        assert_eq!(so_far + rest["events_recorded"].as_u64().unwrap(), rest["seq"]);
        assert_eq!((&rest["seq"], &rest["hash"]), (&whole["seq"], &whole["hash"]));
        is_sound(cut);
    }

    #[test]
    fn what_is_not_hzls_is_refused_and_changes_nothing() {
        let ledger = Ledger::on_sqlite();
        let ours = ledger.add(&[]);
        let folder = ledger.home.path().join("elsewhere");
        fs::create_dir(&folder).unwrap();
        let file = |name: &str| folder.join(name).to_str().unwrap().to_owned();
        fs::write(file("text.db"), "no database at all").unwrap();
        fs::write(file("empty.db"), "").unwrap();
        let other = Connection::open(file("other.db")).unwrap();
        other.execute_batch("CREATE TABLE events (id, task_id, data)").unwrap();
        drop(other);
        let cut = fs::read(Path::new(SAMPLE).join("events.db")).unwrap();
        fs::write(file("cut.db"), &cut[..cut.len() / 2]).unwrap();
        let before = ledger.answer(&["audit", "head"]);
        for (path, code, exit) in [
            (folder.to_str().unwrap(), "import_invalid", 3),
            (&file("text.db"), "import_invalid", 3),
            (&file("empty.db"), "import_invalid", 3),
            (&file("other.db"), "import_invalid", 3),
            (&file("cut.db"), "import_invalid", 3),
            (&format!("{SAMPLE}/cache.db"), "import_invalid", 3),
            (&ledger.address, "import_invalid", 3),
            (&file("missing.db"), "file_unusable", 5),
        ] {
            let outcome = ledger.windlass(&["import", "hzl", path]).run();
            let _error = error_of(&outcome, code, exit);
            assert_eq!(ledger.answer(&["audit", "head"]), before, "{path}");
        }
        assert_eq!(ledger.status(&ours), "backlog");
    }

    /// A log of HZL in the making.
    struct Log(Connection);

    impl Log {
        /// An empty one, and where it is.
        fn new(ledger: &Ledger) -> (PathBuf, Self) {
            let path = ledger.home.path().join("hzl.db");
            let connection = Connection::open(&path).unwrap();
            // Of a copy: SQLite writes beside what it opens.
            let sample = ledger.home.path().join("sample.db");
            fs::copy(Path::new(SAMPLE).join("events.db"), &sample).unwrap();
            let sql = "SELECT sql FROM sqlite_schema WHERE name = 'events'";
            let sample = Connection::open(sample).unwrap();
            let schema: String = sample.query_row(sql, [], |row| row.get(0)).unwrap();
            // As HZL does it, but for the check that its data are JSON: some here are not.
            let schema = schema.replace("CHECK (json_valid(data))", "");
            connection.execute_batch(&schema).unwrap();
            connection.execute_batch("CREATE INDEX i ON events (task_id, id)").unwrap();
            (path, Self(connection))
        }

        fn of(path: &Path) -> Self {
            Self(Connection::open(path).unwrap())
        }

        fn task(number: u64) -> String {
            TaskId::from_parts(Time::from_millis(1_790_000_000_000), u128::from(number)).to_string()
        }

        fn add(&self, task: &str, kind: &str, data: Value, author: Option<&str>) {
            self.insert(task, kind, &data.to_string(), author);
        }

        fn add_raw(&self, task: &str, kind: &str, data: &str) {
            self.insert(task, kind, data, None);
        }

        fn insert(&self, task: &str, kind: &str, data: &str, author: Option<&str>) {
            let sql = "INSERT INTO events (event_id, task_id, type, data, author, timestamp) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
            let next: i64 = self
                .0
                .prepare_cached("SELECT coalesce(max(id), 0) + 1 FROM events")
                .unwrap()
                .query_row([], |row| row.get(0))
                .unwrap();
            let at = Time::from_millis(1_790_000_000_000 + next);
            let id = EventId::from_parts(at, u128::from(next.unsigned_abs())).to_string();
            let at = at.to_string();
            let values = rusqlite::params![id, task, kind, data, author, at];
            self.0.prepare_cached(sql).unwrap().execute(values).unwrap();
        }

        /// The lives of many tasks, in which everything happens that leads to no, one or two
        /// events here. Some come back later, so that their streams lie across the parts.
        fn fill(&self, events: u64) {
            self.0.execute_batch("BEGIN").unwrap();
            self.add("__project__", "project_created", json!({"name": "p"}), None);
            let go = |to: &str| json!({"to": to});
            for round in 0..events / 6 {
                let task = Self::task(round);
                let on = Self::task(round.saturating_sub(5));
                let created = json!({"title": format!("task {round}"), "project": "p",
                    "tags": ["x"], "depends_on": if round > 5 { vec![on] } else { vec![] }});
                self.add(&task, "task_created", created, None);
                for (kind, data) in [
                    ("status_changed", go("ready")),
                    ("status_changed", go("in_progress")),
                    ("status_changed", go("in_progress")),
                    ("checkpoint_recorded", json!({"name": "half", "progress": 50})),
                    ("status_changed", go("done")),
                ] {
                    self.add(&task, kind, data, Some("ada"));
                }
                if round % 20 == 0 {
                    let older = Self::task(round / 2);
                    self.add(&older, "task_archived", json!({}), Some("ada"));
                    self.add(&older, "status_changed", go("in_progress"), Some("ada"));
                }
            }
            self.0.execute_batch("COMMIT").unwrap();
        }
    }
}

mod beads {
    use super::*;

    /// Issues that one transaction takes.
    const CHUNK: u64 = 5_000;

    /// A file of these lines.
    fn file(ledger: &Ledger, lines: &[String]) -> String {
        let path = ledger.home.path().join("issues.jsonl");
        fs::write(&path, lines.join("\n") + "\n").unwrap();
        path.to_str().unwrap().to_owned()
    }

    fn bring(ledger: &Ledger, lines: &[String]) -> Value {
        ledger.answer(&["import", "beads", &file(ledger, lines)])
    }

    fn issue(id: &str, more: Value) -> String {
        let mut issue = json!({"id": id, "title": format!("title of {id}"), "status": "open",
            "priority": 2, "issue_type": "task", "created_at": "2026-01-01T00:00:00Z",
            "updated_at": "2026-01-02T00:00:00Z"});
        issue.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        issue.to_string()
    }

    fn tie(kind: &str, on: &str) -> Value {
        json!({"depends_on_id": on, "type": kind, "created_at": "2026-01-01T00:00:00Z"})
    }

    /// The task that was made of an issue.
    fn task(ledger: &Ledger, id: &str) -> Value {
        let listed = ledger.answer(&["task", "list", "--view", "full", "--limit", "1000"]);
        let is_it = |task: &&Value| task["metadata"]["beads"]["id"] == id;
        list(&listed["tasks"]).iter().find(is_it).cloned().unwrap_or_default()
    }

    #[test]
    fn issues_become_tasks_with_all_that_belongs_to_them() {
        on_both(|ledger| {
            let brought = bring(
                ledger,
                &[
                    issue("bd-1", json!({"issue_type": "epic", "labels": ["web"], "priority": 0})),
                    issue(
                        "bd-1.1",
                        json!({"status": "in_progress", "assignee": "ada", "description": "D",
                            "design": "how", "dependencies": [tie("parent-child", "bd-1"),
                            tie("blocks", "bd-2"), tie("related", "bd-3")]}),
                    ),
                    issue(
                        "bd-2",
                        json!({"status": "closed", "closed_at": "2026-01-05T00:00:00Z",
                            "comments": [{"author": "eve", "text": "hm",
                            "created_at": "2026-01-03T00:00:00Z"}]}),
                    ),
                    issue("bd-3", json!({"status": "deferred", "external_ref": "gh-9"})),
                    issue("bd-4", json!({"status": "tombstone"})),
                ],
            );
            assert_eq!((&brought["tasks"], &brought["projects"]), (&json!(4), &json!(1)));
            assert_eq!(note(&brought, "deleted in beads").0, 1);
            let [epic, child, closed, deferred] =
                ["bd-1", "bd-1.1", "bd-2", "bd-3"].map(|id| task(ledger, id));
            assert_eq!((&epic["project"], &epic["priority"]), (&json!("bd"), &json!(3)));
            assert_eq!(epic["tags"], json!(["web", "epic"]));
            assert_eq!(epic["created_at"], "2026-01-01T00:00:00.000Z");
            assert_eq!((&child["status"], &child["agent"]), (&json!("in_progress"), &json!("ada")));
            assert_eq!(child["parent_id"], epic["task_id"]);
            assert_eq!(child["description"], "D\n\n## Design\n\nhow");
            assert_eq!(child["metadata"]["beads"]["related"][0]["id"], "bd-3");
            let shown = ledger.answer(&["task", "show", &text(&child["task_id"])]);
            assert_eq!(shown["dependencies"][0]["task_id"], closed["task_id"]);
            assert_eq!(closed["status"], "done");
            assert_eq!(closed["finished_at"], "2026-01-05T00:00:00.000Z");
            let shown = ledger.answer(&["task", "show", &text(&closed["task_id"])]);
            assert_eq!(shown["comments"][0]["author"], "eve");
            assert_eq!(shown["comments"][0]["timestamp"], "2026-01-03T00:00:00.000Z");
            assert_eq!(deferred["status"], "backlog");
            assert_eq!(deferred["metadata"]["beads"]["external_ref"], "gh-9");
            is_sound(ledger);
        });
    }

    #[test]
    fn a_second_import_takes_only_what_is_new_and_tells_what_changed() {
        on_both(|ledger| {
            let first = [issue("bd-1", json!({})), issue("bd-2", json!({}))];
            let brought = bring(ledger, &first);
            let again = bring(ledger, &first);
            assert_eq!((&again["events_recorded"], &again["already_here"]), (&json!(0), &json!(2)));
            assert_eq!((&again["seq"], &again["hash"]), (&brought["seq"], &brought["hash"]));
            let changed = json!({"title": "new", "updated_at": "2026-02-01T00:00:00Z"});
            let child = json!({"dependencies": [tie("parent-child", "bd-2")]});
            let more =
                bring(ledger, &[issue("bd-1", changed), first[1].clone(), issue("bd-3", child)]);
            assert_eq!((&more["tasks"], &more["already_here"]), (&json!(1), &json!(2)));
            assert_eq!(note(&more, "changed in beads"), (1, "bd-1".to_owned()));
            assert_eq!(task(ledger, "bd-1")["title"], "title of bd-1");
            assert_eq!(task(ledger, "bd-3")["parent_id"], task(ledger, "bd-2")["task_id"]);
            is_sound(ledger);
        });
    }

    #[test]
    fn a_named_project_takes_all_issues() {
        let ledger = Ledger::on_sqlite();
        let lines = [issue("bd-1", json!({})), issue("other-1", json!({}))];
        let path = file(&ledger, &lines);
        let brought = ledger.answer(&["import", "beads", &path, "-P", "mine"]);
        assert_eq!(brought["projects"], 1);
        assert_eq!(ledger.answer(&["project", "show", "mine"])["project"]["task_count"], 2);
    }

    #[test]
    fn circles_are_left_out_with_their_way_and_missing_issues_hold_nothing_up() {
        on_both(|ledger| {
            let brought = bring(
                ledger,
                &[
                    issue("bd-1", json!({"dependencies": [tie("blocks", "bd-2")]})),
                    issue("bd-2", json!({"dependencies": [tie("blocks", "bd-1")]})),
                    issue("bd-3", json!({"dependencies": [tie("blocks", "bd-9")]})),
                    issue("bd-4", json!({"dependencies": [tie("parent-child", "bd-9")]})),
                ],
            );
            let [one, two, three] =
                ["bd-1", "bd-2", "bd-3"].map(|id| text(&task(ledger, id)["task_id"]));
            assert_eq!(note(&brought, "circle"), (1, format!("{two} → {one} → {two}")));
            assert_eq!(note(&brought, "kept, they hold nothing up").0, 1);
            assert_eq!(note(&brought, "parents that are not in the file").0, 1);
            assert_eq!(task(ledger, "bd-3")["claimable"], true);
            let found = ledger.windlass(&["validate"]).run().json();
            assert_eq!(found["cycles"], json!([]));
            assert_eq!(found["missingDeps"].as_array().map(Vec::len), Some(1), "{found}");
            assert!(found["missingDeps"].to_string().contains(&three));
        });
    }

    #[test]
    fn an_import_killed_in_the_middle_and_begun_again_gives_the_same_tasks() {
        kill_in_the_middle(&Ledger::on_sqlite(), &Ledger::on_sqlite());
        if let (Some(one), Some(other)) = (Ledger::on_postgres(), Ledger::on_postgres()) {
            kill_in_the_middle(&one, &other);
        }
    }

    /// Imports the same into one ledger at once and into the other in two goes.
    #[track_caller]
    fn kill_in_the_middle(at_once: &Ledger, cut: &Ledger) {
        // Whoever looks at a ledger that is there need not wait for who writes to it.
        let _made = cut.windlass(&["init"]).run().ok();
        // Enough after the first part that nobody is done before they are killed.
        let lines: Vec<String> = (1..=2 * CHUNK + CHUNK / 2).map(tied).collect();
        let whole = bring(at_once, &lines);
        let path = file(cut, &lines);
        let run = cut.windlass(&["import", "beads", &path]);
        let mut child = run.spawn();
        wait::until("the first part is committed", || cut.events() > 0);
        child.kill().unwrap();
        let killed = run.finish(child);
        assert_eq!(killed.signal, Some(9), "it was done too early\n{killed}");
        let so_far = cut.events();
        assert!(so_far < whole["seq"].as_u64().unwrap());
        is_sound(cut);
        let rest = bring(cut, &lines);
        assert_eq!(so_far + rest["events_recorded"].as_u64().unwrap(), whole["seq"]);
        let here = rest["already_here"].as_u64().unwrap();
        assert!(here >= CHUNK && here.is_multiple_of(CHUNK), "{here} are not whole parts");
        let all = |ledger: &Ledger| {
            // What an event is about and says; its id and the project's are made anew each time.
            let of_tasks = |event: &Value| event["kind"] != "project_created";
            let events = ledger.events_after(0).into_iter().filter(of_tasks);
            let said = |mut event: Value| {
                event["data"].as_object_mut().unwrap().remove("project");
                let keys = ["stream", "stream_seq", "kind", "at", "actor", "data"];
                json!(keys.map(|key| event[key].take()))
            };
            events.map(said).collect::<Vec<Value>>()
        };
        assert!(all(cut) == all(at_once), "the events differ");
        is_sound(cut);
    }

    /// One of many issues: some wait for the next, which may come in a later part.
    fn tied(number: u64) -> String {
        let mut ties = Vec::new();
        ties.extend(number.is_multiple_of(3).then(|| tie("blocks", &format!("bd-{}", number + 1))));
        ties.extend(number.is_multiple_of(7).then(|| tie("parent-child", "bd-1")));
        let status = if number.is_multiple_of(5) { "closed" } else { "open" };
        issue(&format!("bd-{number}"), json!({"status": status, "dependencies": ties}))
    }

    #[test]
    fn a_file_that_cannot_be_read_twice_is_refused() {
        let ledger = Ledger::on_sqlite();
        let outcome = ledger.windlass(&["import", "beads", "-"]).stdin("").run();
        let error = error_of(&outcome, "usage", 2);
        assert_eq!(error["details"]["file"], "-");
        let folder = ledger.home.work().display().to_string();
        let error =
            error_of(&ledger.windlass(&["import", "beads", &folder]).run(), "file_unusable", 5);
        assert_eq!(error["details"]["file"], folder);
        assert!(text(&error["hint"]).contains("issues.jsonl"), "{error}");
    }

    /// The outcome of an import of one good line and these bytes after it.
    fn with(ledger: &Ledger, bytes: &[u8]) -> Outcome {
        let path = file(ledger, &[issue("bd-1", json!({}))]);
        let good = fs::read(&path).unwrap();
        fs::write(&path, [&good, bytes].concat()).unwrap();
        ledger.windlass(&["import", "beads", &path]).run()
    }

    #[test]
    fn a_file_with_anything_wrong_is_refused_whole_and_its_line_is_named() {
        let ledger = Ledger::on_sqlite();
        let _ours = ledger.add(&[]);
        let before = ledger.answer(&["audit", "head"]);
        let line = |fields: Value| issue("bd-2", fields).into_bytes();
        let cut = line(json!({}));
        for (wrong, said) in [
            (b"no json\n".to_vec(), "not a JSON object"),
            (b"[]\n".to_vec(), "not a JSON object"),
            (cut[..cut.len() - 1].to_vec(), "cut off"),
            (line(json!({"status": "hooked"})), "'hooked'"),
            (line(json!({"status": "pinned"})), "'pinned'"),
            (line(json!({"id": ""})), "no id"),
            (line(json!({"title": null})), "no title"),
            (line(json!({"created_at": "yesterday"})), "created_at"),
            (issue("bd-1", json!({})).into_bytes(), "on line 1 already"),
            (b"\xff\xfe\n".to_vec(), "UTF-8"),
            (vec![b' '; 9 * 1024 * 1024], "bytes"),
        ] {
            let outcome = with(&ledger, &wrong);
            let error = error_of(&outcome, "import_invalid", 3);
            let message = text(&error["message"]);
            assert!(message.starts_with("line 2: ") && message.contains(said), "{message}");
            assert_eq!(error["details"]["line"], 2, "{error}");
            assert!(text(&error["hint"]).contains("nothing was imported"), "{error}");
            assert_eq!(ledger.answer(&["audit", "head"]), before, "{said}");
        }
        let path = ledger.home.path().join("missing.jsonl").display().to_string();
        let missing = ledger.windlass(&["import", "beads", &path]).run();
        let error = error_of(&missing, "file_unusable", 5);
        assert_eq!(error["details"]["file"], path);
        assert!(text(&error["message"]).starts_with(&path), "{error}");
    }

    #[test]
    fn a_refused_file_makes_no_ledger() {
        let ledger = Ledger::on_sqlite();
        let _error = error_of(&with(&ledger, b"no json\n"), "import_invalid", 3);
        assert!(!Path::new(&ledger.address).exists());
    }

    #[test]
    fn a_last_line_without_its_end_counts_if_the_issue_is_whole() {
        let ledger = Ledger::on_sqlite();
        let outcome = with(&ledger, issue("bd-2", json!({})).as_bytes()).ok();
        assert_eq!(outcome.json()["tasks"], 2);
    }
}
