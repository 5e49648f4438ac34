//! Who is not let in, what cannot be sent, what is no server, and what is decided where the caller is.

use std::collections::BTreeSet;
use std::fs;

use serde_json::{Value, json};
use windlass_ops::operation::Remotely;
use windlass_ops::table::TABLE;
use windlass_testkit::http::Request;
use windlass_testkit::receiver::{Answer, Receiver};
use windlass_testkit::{Home, Outcome, Run};
use windlass_tests::ledgers::text;

use crate::house::{House, ours};

/// A command of somebody who does not have the token.
fn stranger(house: &House, home: &Home, args: &[&str]) -> Run {
    ours(home, args).env("WINDLASS_SERVER", house.served.url(""))
}

// Who is let in

#[test]
fn no_key_a_wrong_one_and_a_revoked_one_get_one_and_the_same_answer() {
    let (house, home) = (House::new(), Home::new());
    let create = ["key", "create", "--for", "agent:w1", "--role", "worker"];
    let made = house.windlass(&create).run().ok().json();
    let key = text(&made["key"]);
    let list =
        |key: &str| stranger(&house, &home, &["task", "list"]).env("WINDLASS_KEY", key).run();
    let _listed = list(&key).ok();
    let _revoked = house.windlass(&["key", "revoke", &text(&made["prefix"])]).run().ok();
    let none = list("");
    let _refused = none.refused("key_required", 7);
    for key in [key.as_str(), "wl_wrong", "nonsense"] {
        assert_eq!(list(key).stdout, none.stdout);
    }
}

#[test]
fn who_shows_a_key_acts_as_its_owner() {
    let (house, home) = (House::new(), Home::new());
    let create = ["key", "create", "--for", "agent:w1", "--role", "worker"];
    let key = text(&house.windlass(&create).run().ok().json()["key"]);
    let added = house.windlass(&["task", "add", "x", "-s", "ready"]).run().ok().json();
    let claim = ["task", "claim", &text(&added["task_id"])];
    let claimed = stranger(&house, &home, &claim).env("WINDLASS_KEY", &key);
    // Whatever the environment says.
    let claimed = claimed.env("WINDLASS_AGENT", "w2").run().ok().json();
    assert_eq!(claimed["agent"], "w1");
}

#[test]
fn a_key_that_no_header_can_carry_is_refused_and_not_shown() {
    let house = House::new();
    let run = house.windlass(&["task", "list"]).env("WINDLASS_KEY", "hush\nhush");
    let refused = run.run();
    assert_eq!(refused.refused("invalid_value", 3)["error"]["details"]["field"], "WINDLASS_KEY");
    assert!(!refused.stdout.contains("hush"), "{refused}");
}

// What is no server of ours

fn sent_to(receiver: &Receiver) -> Outcome {
    let home = Home::new();
    home.windlass(&["--server", &receiver.url(""), "task", "add", "x"]).run()
}

#[test]
fn a_server_of_another_version_is_not_used() {
    let newer = || Answer::with_header(200, "windlass-version", "9.9.9");
    let receiver = Receiver::start(move |_| newer());
    let refused = sent_to(&receiver).refused("version_mismatch", 3);
    assert_eq!(refused["error"]["details"]["server"], "9.9.9");
    assert_eq!(receiver.count(), 1);
}

#[test]
fn a_server_does_nothing_for_a_client_of_another_version() {
    let house = House::new();
    let request = Request::json("/v1/ops/task.add", &json!({ "title": "x" }));
    let request = request.bearer(&house.served.token()).header("windlass-version", "9.9.9");
    let _refused = house.served.send(&request).refused("version_mismatch", 409);
    assert_eq!(house.titles(), Vec::<String>::new());
}

#[test]
fn what_does_not_answer_as_a_server_does_is_told_with_its_status() {
    for status in [200, 301, 404, 500] {
        let receiver = Receiver::answering(status);
        let lost = sent_to(&receiver).refused("server_unreachable", 5);
        assert_eq!(lost["error"]["details"]["status"], status);
        assert_eq!(receiver.count(), 1);
    }
}

#[test]
fn where_nobody_listens_nothing_was_done() {
    let receiver = Receiver::answering(200);
    receiver.disappear();
    let lost = sent_to(&receiver).refused("server_unreachable", 5);
    assert!(text(&lost["error"]["message"]).ends_with("nothing was done"), "{lost}");
}

#[test]
fn an_address_with_the_path_of_the_api_is_told_to_leave_it_out() {
    let house = House::new();
    let server = house.served.url("/v1");
    let refused = house.windlass(&["--server", &server, "task", "list"]).run();
    let hint = text(&refused.refused("path_not_found", 4)["error"]["hint"]);
    assert_eq!(hint, format!("leave /v1 out of the address: {}", house.served.url("")));
}

#[test]
fn a_server_without_tls_is_told_apart_from_none() {
    let house = House::new();
    let server = house.served.url("").replace("http://", "https://");
    let lost = house.windlass(&["--server", &server, "task", "list"]).run();
    let lost = lost.refused("server_unreachable", 5);
    assert!(text(&lost["error"]["hint"]).ends_with(&house.served.url("")), "{lost}");
}

// What cannot be sent

#[test]
fn what_needs_files_of_the_place_is_refused_with_what_to_do() {
    let house = House::new();
    let commands = [
        "init",
        "task prune --older-than 1d --yes",
        "hook drain",
        "hook worker",
        "backup copy.db",
        "export out.ndjson",
        "import ledger in.ndjson",
        "import hzl in",
        "import beads in.jsonl",
        "db migrate",
    ];
    let mut seen = BTreeSet::new();
    for command in commands {
        let words: Vec<&str> = command.split(' ').collect();
        let refused = house.windlass(&words).run().refused("workplace_only", 3);
        let operation = text(&refused["error"]["details"]["operation"]);
        let hint = format!("windlass {} --db PATH_OR_URL", operation.replace('.', " "));
        assert!(text(&refused["error"]["hint"]).ends_with(&hint), "{refused}");
        seen.insert(operation);
    }
    let here = TABLE.iter().filter(|entry| entry.remotely == Remotely::Refused);
    let here: BTreeSet<String> = here.map(|entry| entry.name.to_owned()).collect();
    assert_eq!(seen, here);
}

#[test]
fn a_server_opens_no_file_for_a_caller() {
    let house = House::new();
    fs::write(house.home.work().join("secret.txt"), "hush").unwrap();
    let file = house.home.work().join("secret.txt").display().to_string();
    let refused = house.served.op("task.add", &json!({ "from": file }));
    let _document = refused.refused("workplace_only", 409);
    assert!(!refused.text().contains("hush"));
    assert_eq!(house.titles(), Vec::<String>::new());
}

#[test]
fn a_text_longer_than_a_server_reads_is_refused_before_it_is_sent() {
    let house = House::new();
    let lines = "a title of some length\n".repeat(100_000);
    let add = house.windlass(&["task", "add", "--from", "-"]).stdin(lines);
    let _refused = add.run().refused("too_large", 3);
    assert_eq!(house.titles(), Vec::<String>::new());
}

#[test]
fn a_ledger_and_a_server_cannot_be_named_together() {
    let house = House::new();
    let both = ["task", "list", "--db", "x.db", "--server", "http://127.0.0.1:9"];
    let _refused = ours(&house.home, &both).run().refused("usage", 2);
    // A flag is closer than a variable.
    let _listed = house.windlass(&["task", "list", "--db", "other.db"]).run().ok();
    let served = house.windlass(&["serve", "--server", &house.served.url("")]);
    let _refused = served.run().refused("usage", 2);
}

// What is decided where the caller is

#[test]
fn a_task_is_edited_where_the_caller_is() {
    let house = House::new();
    let added = house.windlass(&["task", "add", "paint the boat", "-d", "in blue"]).run().ok();
    let task = text(&added.json()["task_id"]);
    let edit = |script: &str| {
        let editor = house.home.work().join("editor.sh");
        fs::write(&editor, format!("set -e\n{script}\n")).unwrap();
        let editor = format!("sh '{}'", editor.display());
        house.windlass(&["task", "edit", &task]).env("EDITOR", editor).run()
    };
    let windlass = house.windlass(&[]).command();
    let windlass = windlass.get_program().to_str().unwrap().to_owned();
    // A comment changes nothing of the text.
    let comment = format!("'{windlass}' task comment {task} hm >/dev/null");
    let edited = edit(&format!("{comment}; sed -i 's/in blue/in red/' \"$1\"")).ok().json();
    assert_eq!(edited["changed"], json!(["description"]));
    let update = format!("'{windlass}' task update {task} --priority 3 >/dev/null");
    let refused = edit(&format!("{update}; sed -i 's/in red/in green/' \"$1\""));
    let refused = refused.refused("edit_conflict", 3);
    fs::remove_file(text(&refused["error"]["details"]["file"])).unwrap();
    assert_eq!(edit("true").ok().json()["changed"], json!([]));
}

#[test]
fn the_settings_of_the_caller_count_where_an_argument_is_left_out() {
    let house = House::new();
    let _made = house.windlass(&["project", "create", "api"]).run().ok();
    let mine = |args: &[&str]| {
        let run =
            house.windlass(args).env("WINDLASS_PROJECT", "api").env("WINDLASS_AGENT", "wörker");
        run.env("WINDLASS_CLAIMS_LEASE", "1h").run().ok().json()
    };
    let added = mine(&["task", "add", "x", "-s", "ready"]);
    assert_eq!(added["project"], "api");
    let claimed = mine(&["task", "claim", "--next"]);
    assert_eq!(claimed["agent"], "wörker");
    assert_ne!(claimed["lease_until"], Value::Null);
    let renew = house.windlass(&["task", "checkpoint", &text(&added["task_id"]), "y"]);
    let renew = renew.env("WINDLASS_TASK", text(&added["task_id"])).env("WINDLASS_FENCE", "9");
    let _stale = renew.env("WINDLASS_AGENT", "wörker").run().refused("stale_claim", 3);
}

#[test]
fn an_op_id_of_any_characters_reaches_the_server() {
    let house = House::new();
    for op_id in [" ", "a\nb", "é/%41", "\u{1b}[31m"] {
        let add = ["task", "add", "x", "--op-id", op_id];
        let first = house.windlass(&add).run().ok().json();
        let again = house.windlass(&add).run().ok().json();
        assert_eq!((&first["op_id"], &first["replayed"]), (&json!(op_id), &json!(false)));
        assert_eq!((&again["task_id"], &again["replayed"]), (&first["task_id"], &json!(true)));
    }
}

#[test]
fn it_is_said_that_a_server_is_used_and_what_decided_that() {
    let house = House::new();
    let url = house.served.url("");
    let config = house.home.config().join("windlass");
    fs::create_dir_all(&config).unwrap();
    fs::write(config.join("config.toml"), format!("[server]\nurl = '{url}'\n")).unwrap();
    let answer = |args: &[&str]| ours(&house.home, args).run().ok().json();
    let settings = answer(&["config"]);
    assert_eq!(settings["db"]["value"], url);
    assert!(text(&settings["db"]["source"]).ends_with("config.toml"));
    let which = answer(&["which-db"]);
    assert_eq!((&which["db"], &which["database"]), (&json!(url), &json!("server")));
    assert_eq!(which["exists"], true);
    let status = answer(&["status"]);
    assert_eq!(status["data"]["server"], url);
    assert!(text(&status["data"]["origin"]).ends_with("config.toml"));
}

#[test]
fn a_repository_does_not_decide_which_server_is_used() {
    let home = Home::new();
    fs::create_dir_all(home.work().join(".windlass")).unwrap();
    let file = home.work().join(".windlass/config.toml");
    fs::write(file, "[server]\nurl = 'http://127.0.0.1:9'\n").unwrap();
    let listed = home.windlass(&["task", "list"]).run().ok();
    assert!(listed.stderr.contains("'server.url' is ignored"), "{listed}");
}

#[test]
fn what_needs_no_ledger_needs_no_server() {
    let home = Home::new();
    for args in [&["explain", "server_unreachable"][..], &["guide"], &["config"], &["--help"]] {
        let _told = home.windlass(args).env("WINDLASS_SERVER", "http://127.0.0.1:9").run().ok();
    }
}
