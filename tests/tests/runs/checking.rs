//! Checks that behave badly, each through the binary once: whatever a check does, its step gets a
//! verdict, Windlass stays small, and no process is left. What the checks themselves are capable of
//! is shown beside their code.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use windlass_testkit::{Tool, machine};
use windlass_tests::ledgers::{Ledger, text};
use windlass_tests::office::Office;

use crate::killing::has_no_process;
use crate::site::{FILE, Site, attested, enforced, one_step, workflow};

/// One step whose check is this command; it is in progress.
#[track_caller]
fn checked_by(command: &str) -> Site {
    let quoted = command.replace('\'', "''");
    let site = enforced(&one_step(&format!("verify: '{quoted}'\n")));
    site.does("run step start 1");
    site
}

/// The data of the newest verification.
#[track_caller]
fn result(site: &Site) -> Value {
    let events = site.ledger.events_after(0);
    let verified = events.iter().rfind(|event| event["kind"] == "step_verified").unwrap();
    let results = verified["data"]["results"].as_array().unwrap();
    results.last().unwrap().clone()
}

/// What a step says that did not pass.
#[track_caller]
fn trouble(site: &Site) -> String {
    text(&site.step(1)["verify"]["stderr"])
}

#[test]
fn row_9_a_check_that_hangs_fails_when_its_time_is_over_and_nothing_of_it_is_left() {
    let check = "verify:\n  type: shell\n  command: trap '' TERM; sleep 600 & sleep 600\n  \
                 timeout: 1s\n";
    let site = attested(&one_step(check));
    site.does("run step start 1");
    let begun = Instant::now();
    assert_eq!(site.finds("run step verify 1"), "fail");
    assert!(begun.elapsed() < Duration::from_mins(1), "{:?}", begun.elapsed());
    assert!(trouble(&site).contains("timed out after 1s"), "{}", trouble(&site));
    has_no_process(&site);
    site.agrees();
}

#[test]
fn a_check_that_ends_well_when_its_time_is_over_failed_and_says_why() {
    let check = "verify:\n  type: shell\n  command: trap 'exit 0' TERM; sleep 600 & wait\n  \
                 timeout: 1s\n";
    let site = attested(&one_step(check));
    site.does("run step start 1");
    assert_eq!(site.finds("run step verify 1"), "fail");
    assert!(trouble(&site).contains("timed out after 1s"), "{}", trouble(&site));
}

#[test]
fn row_9_a_check_without_a_time_of_its_own_has_that_of_the_settings() {
    let site = checked_by("sleep 600");
    let outcome = site.call("run step verify 1").env("WINDLASS_RUNS_CHECK_TIMEOUT", "1s").run();
    assert_eq!(outcome.code, Some(6), "{outcome}");
    assert!(trouble(&site).contains("timed out after 1s"), "{}", trouble(&site));
    has_no_process(&site);
}

#[test]
fn a_check_that_leaves_children_is_not_held_up_by_them_and_they_are_ended() {
    let site =
        checked_by("sleep 600 & setsid sleep 600 & (setsid sh -c \"sleep 600\" &); echo done");
    assert_eq!(site.says("run step verify 1"), "pass");
    assert_eq!(site.step(1)["verify"]["stdout"], "done\n");
    has_no_process(&site);
}

/// Kilobytes of memory that Windlass may take.
const MEMORY_KB: u64 = 200_000;

/// `WINDLASS_LONG_TESTS=1` makes it a gigabyte.
#[test]
fn a_check_that_floods_is_counted_and_windlass_stays_small() {
    let is_long = machine::variable("WINDLASS_LONG_TESTS").is_some();
    let size_bytes: u64 = if is_long { 1 << 30 } else { 100_000_000 };
    let site = checked_by(&format!("head -c {size_bytes} /dev/zero"));
    let run = site.call("run step verify 1");
    let mut child = run.spawn();
    let status = PathBuf::from(format!("/proc/{}/status", child.id()));
    let mut most_kb = 0;
    while child.try_wait().unwrap().is_none() {
        most_kb = most_kb.max(memory_kb(&fs::read_to_string(&status).unwrap_or_default()));
        thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(run.finish(child).ok().json()["done"], "pass");
    assert!((1..MEMORY_KB).contains(&most_kb), "{most_kb} kB");
    assert_eq!(result(&site)["stdout"]["size_bytes"], size_bytes);
    // The state file shows the beginning, and the log does not fill the disk.
    assert!(site.state_text().len() < 64 << 10);
    let log = fs::metadata(text(&result(&site)["log"]["path"])).unwrap().len();
    assert!(log <= 64 << 20, "{log}");
    assert!(result(&site)["log"]["sha256"].is_string(), "what is in the log has a digest");
    site.agrees();
}

/// The most that a process had in memory.
fn memory_kb(status: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok()).unwrap_or(0)
}

#[test]
fn a_check_that_kills_its_parent_fails_and_all_of_it_is_ended() {
    let site = checked_by("setsid sleep 600 & sleep 600 & kill -9 $PPID; sleep 600");
    let outcome = site.call("run step verify 1").run();
    assert_eq!(outcome.code, Some(6), "{outcome}");
    assert_ne!(site.step(1)["status"], "done");
    assert!(trouble(&site).contains("killed the process that guards it"), "{}", trouble(&site));
    has_no_process(&site);
    site.agrees();
}

#[test]
fn a_check_that_changes_its_folder_changes_it_for_itself() {
    let checks = "verify:\n  - type: shell\n    command: cd /; pwd\n  - type: shell\n    \
                  command: pwd -P\n  - type: artifact\n    path: here\n    assert:\n      kind: exists\n";
    let site = enforced(&one_step(checks));
    site.has("here", "");
    site.completes(1);
    let folder = site.folder().canonicalize().unwrap();
    let expected = format!("/\n{}\nartifact exists: here\n", folder.display());
    assert_eq!(site.step(1)["verify"]["stdout"], expected);
}

#[test]
fn a_check_that_closes_its_output_is_judged_by_its_end() {
    let site = checked_by("exec >&- 2>&-; sleep 0.2; exit 0");
    assert_eq!(site.says("run step verify 1"), "pass");
    let site = checked_by("exec >&- 2>&-; exit 7");
    site.finds("run step verify 1");
    assert_eq!(result(&site)["exit_code"], 7);
}

#[test]
fn a_check_that_prints_no_text_leaves_a_state_file_that_is_and_a_log_with_its_bytes() {
    let site = checked_by(r"printf 'a\377\376b\000c\033[31m'");
    assert_eq!(site.says("run step verify 1"), "pass");
    let shown = text(&site.step(1)["verify"]["stdout"]);
    assert!(shown.starts_with("a\u{fffd}"), "{shown:?}");
    let log = fs::read(text(&result(&site)["log"]["path"])).unwrap();
    assert_eq!(log, b"a\xff\xfeb\0c\x1b[31m");
    site.agrees();
}

/// Codes that a shell, a signal or HOTL (200) gives a meaning, and some that mean nothing. That all
/// codes are alike to a check is shown beside its code; `WINDLASS_LONG_TESTS=1` makes it all here.
fn codes() -> Vec<i64> {
    match machine::variable("WINDLASS_LONG_TESTS") {
        Some(_) => (0..=255).rev().collect(),
        None => vec![255, 254, 201, 200, 199, 143, 137, 130, 128, 127, 126, 125, 64, 2, 1, 0],
    }
}

#[test]
fn row_9_a_check_passes_with_0_and_fails_with_every_other_code() {
    let all = codes();
    let steps = one_step("max_iterations: 300\nverify: exit $(cat code)\n");
    let site = attested(&steps.replace("loop: false", "loop: until it is 0"));
    site.does("run step start 1");
    for code in all.iter().filter(|code| **code > 0) {
        site.has("code", &code.to_string());
        assert_eq!(site.finds("run step verify 1"), "fail", "{code}");
        site.does("run step retry 1");
    }
    site.has("code", "0");
    assert_eq!(site.says("run step verify 1"), "pass");
    let events = site.ledger.events_after(0);
    let verified = events.iter().filter(|event| event["kind"] == "step_verified");
    let codes = verified.map(|event| event["data"]["results"][0]["exit_code"].as_i64().unwrap());
    assert_eq!(codes.collect::<Vec<_>>(), all);
}

#[test]
fn row_9_a_check_that_reads_finds_nothing_to_read() {
    let site = checked_by("cat; test ! -t 0");
    let verified = site.call("run step verify 1").stdin("typed\n").run().ok().json();
    assert_eq!(verified["done"], "pass");
    assert_eq!(site.step(1)["verify"]["stdout"], "\n");
}

#[test]
fn row_9_a_check_does_not_see_the_secrets_of_its_caller() {
    let site = enforced(&one_step("verify: env\n"));
    let claimed = site.does("run owner claim --owner o1");
    let token = text(&claimed["token"]);
    assert!(token.len() >= 32, "{claimed}");
    let call = |line: &str| site.call(line).env("HOTL_OWNER_TOKEN", &token);
    let _started = call("run step start 1").run().ok();
    let secrets = [("WINDLASS_TOKEN", "canary-1"), ("WINDLASS_HOOK_SECRET", "canary-2")];
    let verify =
        secrets.iter().fold(call("run step verify 1").env("MINE", "seen"), |run, secret| {
            run.env(secret.0, secret.1)
        });
    let _verified = verify.run().ok();
    let seen = fs::read_to_string(text(&result(&site)["log"]["path"])).unwrap();
    assert!(seen.contains("MINE=seen"), "{seen}");
    for secret in [token.as_str(), "canary", "HOTL_OWNER_TOKEN", "WINDLASS_TOKEN"] {
        assert!(!seen.contains(secret), "{secret}\n{seen}");
    }
    for (path, content) in site.files() {
        assert!(!content.contains(&token) && !content.contains("canary"), "{path}");
    }
}

#[test]
fn row_9_an_artifact_outside_the_folder_never_passes() {
    for path in ["../secret", "/etc/passwd", "out/../../secret", "link", "folder/passwd"] {
        for assert in ["kind: exists", "kind: contains\n      value: root"] {
            let check =
                format!("verify:\n  type: artifact\n  path: {path}\n  assert:\n      {assert}\n");
            let site = enforced(&one_step(&check));
            fs::write(site.ledger.home.path().join("secret"), "root").unwrap();
            fs::create_dir(site.folder().join("out")).unwrap();
            symlink("/etc/passwd", site.folder().join("link")).unwrap();
            symlink("/etc", site.folder().join("folder")).unwrap();
            site.does("run step start 1");
            let outcome = site.call("run step verify 1").run();
            assert_eq!(outcome.code, Some(6), "{path}\n{outcome}");
            assert_ne!(site.step(1)["verify"]["passed"], true, "{path}");
            assert!(!site.state_text().contains("/bin/"), "{path}");
        }
    }
}

/// A page at an address on this machine.
fn page() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for connection in listener.incoming().map_while(Result::ok) {
            thread::spawn(move || answer(connection));
        }
    });
    address
}

fn answer(mut connection: TcpStream) {
    let mut asked = [0; 4096];
    let length = connection.read(&mut asked).unwrap_or_default();
    let asked = String::from_utf8_lossy(&asked[..length]).into_owned();
    let body = match asked.split(' ').nth(1).unwrap_or_default() {
        "/silent" => {
            // Until the browser has had enough.
            connection.read_exact(&mut [0; 1]).ok();
            return;
        }
        "/throws" => "<p>All orders</p><script>null.price</script>",
        _ => "<h1>All orders</h1>",
    };
    let page = format!(
        "<!doctype html><html lang=en><title>Orders</title><link rel=icon href=data:><body>{body}"
    );
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        page.len()
    );
    connection.write_all(format!("{head}{page}").as_bytes()).ok();
}

/// For what comes in time, and for what never does.
const ENOUGH: &str = "60s";
const ALL_THE_SAME: &str = "4s";

/// A step that looks at a page; it was verified with that browser.
#[track_caller]
fn looked(path: &str, check: &str, timeout: &str, browser: &str) -> (Site, i32) {
    let url = format!("{}{path}", page());
    let check = format!(
        "verify:\n  type: browser\n  url: {url}\n  check: \"{check}\"\n  timeout: {timeout}\n"
    );
    let site = attested(&one_step(&check));
    site.does("run step start 1");
    let outcome = site.call("run step verify 1").env("WINDLASS_RUNS_BROWSER", browser).run();
    has_no_process(&site);
    (site, outcome.code.unwrap())
}

#[track_caller]
fn browser() -> Option<String> {
    Tool::Browser.program().map(|program| program.display().to_string())
}

#[test]
fn row_9_a_browser_check_passes_when_the_page_shows_it_and_keeps_a_picture() {
    let Some(browser) = browser() else { return };
    let (site, code) = looked("/", "text:All orders", ENOUGH, &browser);
    assert_eq!(code, 0, "{}", site.state_text());
    let picture = text(&result(&site)["exhibits"][0]["path"]);
    assert!(fs::read(&picture).unwrap().starts_with(b"\x89PNG"), "{picture}");
    assert!(PathBuf::from(picture).starts_with(site.folder().canonicalize().unwrap()));
    site.agrees();
}

#[test]
fn row_9_a_browser_check_fails_when_the_page_does_not_show_it() {
    let Some(browser) = browser() else { return };
    let (site, code) = looked("/", "js:1 === 2", ALL_THE_SAME, &browser);
    assert_eq!((code, &site.step(1)["status"]), (6, &json!("failed")));
}

#[test]
fn row_9_a_browser_check_fails_when_the_page_never_comes() {
    let Some(browser) = browser() else { return };
    let (site, code) = looked("/silent", "text:All orders", ALL_THE_SAME, &browser);
    assert_eq!((code, &site.step(1)["status"]), (6, &json!("failed")));
    let said = text(&site.step(1)["verify"]["stdout"]);
    assert!(said.starts_with("timed out after 4s"), "{said}");
}

#[test]
fn row_9_a_browser_check_fails_when_the_page_is_in_trouble() {
    let Some(browser) = browser() else { return };
    let (site, code) = looked("/throws", "text:All orders", ENOUGH, &browser);
    assert_eq!((code, &site.step(1)["status"]), (6, &json!("failed")));
}

#[test]
fn row_9_a_browser_check_without_a_browser_waits_for_a_person_and_is_no_pass() {
    let (site, code) = looked("/", "text:All orders", ENOUGH, "/no/such/browser");
    assert_eq!((code, &site.step(1)["status"]), (6, &json!("blocked")));
    let reason = text(&site.step(1)["block_reason"]);
    assert!(reason.starts_with("human review required"), "{reason}");
    assert_eq!(site.state()["status"], "paused");
    site.says("run gate 1 approved");
    assert_eq!(site.step(1)["status"], "done");
}

#[test]
fn a_run_keeps_the_workflow_that_it_was_started_with() {
    let site = enforced(&one_step("verify: echo as it was\n"));
    let was = site.does("run receipt show")["run"]["workflow_sha256"].clone();
    assert!(was.is_string(), "{was}");
    site.has(FILE, &workflow("risk_level: high\n", &one_step("verify: echo changed; exit 1\n")));
    let started = site.call("run step start 1").run().ok();
    assert!(started.stderr.contains("keeps what it was started with"), "{started}");
    assert_eq!(site.says("run step verify 1"), "pass");
    assert_eq!(site.step(1)["verify"]["stdout"], "as it was\n");
    assert_eq!(site.state()["risk_level"], "low");
    assert_eq!(site.does("run receipt show")["run"]["workflow_sha256"], was);
    fs::remove_file(site.folder().join(FILE)).unwrap();
    assert_eq!(site.says("run finalize"), "Run finalized: ready_to_finish");
}

/// The clock of this ledger is moved by hand.
#[test]
fn a_clock_that_jumps_back_and_forth_stops_no_run_and_time_only_adds_up() {
    let mut office = Office::on(Ledger::on_sqlite());
    let file = workflow("risk_level: low\nmax_elapsed_minutes: 100\n", &one_step("verify: make\n"));
    let begun = office.run(
        "run.begin",
        json!({"text": file, "workflow_path": "/work/w.md", "folder": "/work", "machine": "m",
            "gates": "attested"}),
    );
    let run = text(&begun["run"]);
    let at = json!({"run_id": run, "folder": "/", "machine": "elsewhere"});
    let asked = |more: Value| {
        let mut input = at.clone();
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        input
    };
    let elapsed = |office: &mut Office| {
        let files = office.run("run.files", at.clone());
        let state: Value = serde_json::from_str(&text(&files["state"])).unwrap();
        state["budgets"]["observed"]["elapsed_minutes"].as_f64().unwrap()
    };
    office.after_minutes(30).run("run.step.start", asked(json!({"step": 1})));
    assert!((elapsed(&mut office) - 30.0).abs() < 0.1);
    // An hour back, before the run began.
    let results = json!([{"check": 0, "outcome": "failed"}]);
    let checked = json!({"step": 1, "attempt": 1, "results": results});
    office.after_minutes(-60).run("run.step.checked", asked(checked));
    assert!((elapsed(&mut office) - 30.0).abs() < 0.1, "it does not run backwards");
    office.after_minutes(60).run("run.step.retry", asked(json!({"step": 1})));
    assert!((elapsed(&mut office) - 30.0).abs() < 0.1);
    let shown = office.run("run.show", at.clone());
    assert_eq!((&shown["status"], &shown["steps"][0]["attempts"]), (&json!("running"), &json!(2)));
}
