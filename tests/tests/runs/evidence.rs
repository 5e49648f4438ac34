//! What checks leave, on the page of a run: outputs, logs and pictures, and nothing else of the
//! machine.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use serde_json::{Value, json};
use windlass_domain::chain::Hash;
use windlass_testkit::http::Request;
use windlass_testkit::{Served, wait};
use windlass_tests::ledgers::text;

use crate::site::{GATED, Gates, LOW, Site, attested, enforced, one_step};

const PAGE: &str =
    "verify:\n  type: browser\n  url: http://localhost:9/\n  check: it looks right\n";
const PICTURE: &[u8] = b"\x89PNG\r\n\x1a\nnot much of one";
const NAME: &str = "step-1-attempt-1-check-1.png";

struct Gallery {
    site: Site,
    served: Served,
    run: Value,
}

impl Gallery {
    /// The run of a site, and a server that shows it.
    #[track_caller]
    fn of(site: Site) -> Self {
        let served = Served::start(&site.ledger.home, &[]);
        let run = site.does("run show");
        Self { site, served, run }
    }

    /// A page that a person is asked about, with its picture.
    #[track_caller]
    fn pictured() -> Self {
        let site = Site::with(Gates::Enforced, LOW, &one_step(PAGE));
        let _started = site.says("run step start 1");
        let gallery = Self::of(site);
        gallery.keeps(NAME, PICTURE);
        gallery.shows(&gallery.place().join(NAME).display().to_string(), PICTURE);
        gallery
    }

    fn place(&self) -> PathBuf {
        self.site.folder().join(".hotl/evidence").join(text(&self.run["run_id"]))
    }

    #[track_caller]
    fn keeps(&self, name: &str, bytes: &[u8]) {
        fs::create_dir_all(self.place()).unwrap();
        fs::write(self.place().join(name), bytes).unwrap();
    }

    /// Reports that the check of the page left a file, as whoever verifies does.
    #[track_caller]
    fn shows(&self, path: &str, bytes: &[u8]) {
        let exhibit = json!({"path": path, "size_bytes": bytes.len(), "sha256": Hash::of(bytes)});
        let results = json!([{
            "check": 0,
            "outcome": {"undecided": "human review required: it looks right"},
            "stderr": {"text": "the page said: x is not defined"},
            "exhibits": [exhibit],
        }]);
        let checked =
            json!({"step": 1, "attempt": 1, "results": results, "run_id": self.run["run"]});
        let _told = self.served.op("run.step.checked", &checked).ok();
    }

    fn path(&self) -> String {
        format!("/runs/{}", text(&self.run["run"]))
    }

    fn way(&self, name: &str) -> String {
        format!("{}/evidence/{name}", self.path())
    }

    #[track_caller]
    fn page(&self) -> String {
        self.served.get(&self.path()).ok().text()
    }

    /// That a file is not handed out.
    #[track_caller]
    fn refuses(&self, name: &str) -> String {
        let answer = self.served.get(&self.way(name));
        assert_eq!(answer.status, 404, "{name}");
        answer.text()
    }
}

#[test]
fn a_person_is_shown_the_picture_that_they_are_asked_about() {
    let gallery = Gallery::pictured();
    let page = gallery.page();
    let waiting = page.split_once("id=\"waiting\"").unwrap().1.split_once("</section>").unwrap().0;
    assert!(waiting.contains(&format!("<img src=\"{}\"", gallery.way(NAME))), "{waiting}");
    assert!(waiting.contains("the page said: x is not defined"), "{waiting}");
    let picture = gallery.served.get(&gallery.way(NAME)).ok();
    assert_eq!(picture.body, PICTURE);
    assert_eq!(picture.header("content-type"), Some("image/png"));
    assert_eq!(picture.header("x-content-type-options"), Some("nosniff"));
    assert!(picture.header("content-security-policy").unwrap().starts_with("sandbox;"));
    let shown = gallery.site.does("run show");
    let path = gallery.place().join(NAME).display().to_string();
    assert_eq!(shown["waiting"][0]["evidence"], json!([path]));
    assert_eq!(shown["waiting"][0]["notes"], "the page said: x is not defined");
}

#[test]
fn the_receipt_keeps_the_picture_that_was_approved() {
    let gallery = Gallery::pictured();
    let exhibits = || {
        let receipt = gallery.site.does("run receipt show");
        receipt["evidence"][0]["checks"][0].clone()
    };
    assert_eq!(exhibits()["outcome"], "undecided");
    gallery.site.person("run gate 1 approved");
    let check = exhibits();
    assert_eq!(check["outcome"], "passed");
    assert_eq!(check["exhibits"][0]["sha256"], json!(Hash::of(PICTURE)));
}

#[test]
fn only_what_a_check_left_is_handed_out() {
    let gallery = Gallery::pictured();
    gallery.keeps("other.png", PICTURE);
    fs::write(gallery.site.folder().join("secret.log"), "canary").unwrap();
    for name in ["other.png", "..%2F..%2F..%2Fsecret.log", "%2Fetc%2Fhostname", "..", "nothing.log"]
    {
        let said = gallery.refuses(name);
        assert!(!said.contains("canary"), "{name}");
    }
    gallery.keeps(NAME, b"another picture");
    assert!(gallery.refuses(NAME).contains("not what the check left"));
    fs::remove_file(gallery.place().join(NAME)).unwrap();
    let copy = gallery.site.folder().join("copy.png");
    fs::write(&copy, PICTURE).unwrap();
    symlink(copy, gallery.place().join(NAME)).unwrap();
    assert!(gallery.refuses(NAME).contains("is no file in its place"));
    assert!(gallery.page().contains(&format!("{NAME} cannot be read")));
    fs::remove_file(gallery.place().join(NAME)).unwrap();
    assert!(gallery.page().contains("is not there any more"));
    assert!(gallery.refuses(NAME).contains("not there any more"));
}

#[test]
fn a_log_that_was_changed_is_called_so_everywhere() {
    let site = attested(&one_step("verify: echo fine\n"));
    site.completes(1);
    let log = |site: &Site| site.does("run evidence")["attempts"][0]["checks"][0]["log"].clone();
    let (path, name) = (text(&log(&site)["path"]), text(&log(&site)["name"]));
    assert_eq!(log(&site)["state"], "here");
    fs::write(&path, "finer\n").unwrap();
    assert_eq!(log(&site)["state"], "changed");
    let told = site.call("run evidence --format text").run().ok().stdout;
    assert!(told.contains(&format!("{path} (changed since)")), "{told}");
    let gallery = Gallery::of(site);
    assert!(gallery.page().contains(&format!("{name} is not what the check left")));
    assert!(gallery.refuses(&name).contains("not what the check left"));
}

#[test]
fn an_answer_on_the_page_is_recorded_as_one() {
    let site = enforced(GATED);
    site.completes(1);
    let gallery = Gallery::of(site);
    let form = format!("run_id={}&step=1&decision=approved", text(&gallery.run["run"]));
    let posted = Request::post("/do/run.gate", form)
        .header("content-type", "application/x-www-form-urlencoded");
    let sent_back = gallery.served.send(&posted.bearer(&gallery.served.token()));
    assert_eq!(sent_back.status, 303, "{sent_back:?}");
    assert_eq!(gallery.site.does("run show")["steps"][0]["authority"], "page");
    let receipt = gallery.site.does("run receipt show");
    assert_eq!(receipt["evidence"][0]["gate"]["authority"], "page");
}

#[test]
fn a_file_elsewhere_is_named_and_never_read() {
    let site = Site::with(Gates::Enforced, LOW, &one_step(PAGE));
    let _started = site.says("run step start 1");
    let gallery = Gallery::of(site);
    let secret = gallery.site.folder().join("secret.log");
    fs::write(&secret, "canary").unwrap();
    gallery.shows(&secret.display().to_string(), b"canary");
    assert!(!gallery.page().contains("canary"));
    assert!(!gallery.refuses("secret.log").contains("canary"));
}

#[test]
fn each_attempt_shows_the_ends_of_its_output_and_leads_to_all_of_it() {
    let steps = "- [ ] **Step 1: Count**\naction: count\nloop: until it counts\nmax_iterations: 2\n\
                 verify: seq 1 9000; test -e there\n";
    let site = attested(steps);
    let _started = site.says("run step start 1");
    assert_eq!(site.finds("run step verify 1"), "fail");
    let _again = site.says("run step retry 1");
    site.has("there", "");
    let _passed = site.says("run step verify 1");
    let shown = site.does("run evidence --step 1");
    let verdicts: Vec<String> =
        shown["attempts"].as_array().unwrap().iter().map(|one| text(&one["verdict"])).collect();
    assert_eq!(verdicts, ["failed", "passed"]);
    let written = &shown["attempts"][0]["checks"][0]["stdout"];
    assert!(text(&written["head"]).starts_with("1\n2\n"));
    assert!(text(&written["tail"]).ends_with("8999\n9000\n"));
    let gallery = Gallery::of(site);
    let page = gallery.page();
    assert!(page.contains("bytes are left out"), "{page}");
    let log = gallery.served.get(&gallery.way("step-1-attempt-1-check-1.log")).ok();
    assert_eq!(log.header("content-type"), Some("text/plain; charset=utf-8"));
    assert!(log.text().contains("\n4500\n"));
}

#[test]
fn why_a_check_was_cut_off_is_told_however_much_it_wrote() {
    let check = "verify:\n  type: shell\n  command: seq 1 9000 >&2; sleep 600\n  timeout: 1s\n";
    let site = attested(&one_step(check));
    let _started = site.says("run step start 1");
    assert_eq!(site.finds("run step verify 1"), "fail");
    let why = "timed out after 1s";
    assert!(text(&site.step(1)["verify"]["stderr"]).ends_with(&format!("\n{why}\n")));
    assert!(text(&site.does("run show")["steps"][0]["stderr"]).ends_with(&format!("9000\n{why}")));
    assert_eq!(site.does("run evidence")["attempts"][0]["checks"][0]["ending"], why);
    assert!(Gallery::of(site).page().contains(why));
}

#[test]
fn a_log_too_large_to_show_is_named_and_not_led_to() {
    let site = attested(&one_step("verify: head -c 17000000 /dev/zero\n"));
    site.completes(1);
    let log = site.does("run evidence")["attempts"][0]["checks"][0]["log"].clone();
    assert_eq!(log["state"], "too_large");
    let gallery = Gallery::of(site);
    let page = gallery.page();
    let name = text(&log["name"]);
    assert!(!page.contains(&format!("href=\"{}\"", gallery.way(&name))), "{page}");
    assert!(page.contains("too large to show"), "{page}");
    let _said = gallery.refuses(&name);
}

#[test]
fn whoever_is_not_let_in_to_a_picture_gets_a_guarded_page() {
    let gallery = Gallery::pictured();
    let answer = gallery.served.send(&Request::get(&gallery.way(NAME)));
    assert_eq!(answer.status, 401);
    let policy = answer.header("content-security-policy").unwrap_or_default();
    assert!(policy.contains("frame-ancestors 'none'"), "{policy}");
    assert_eq!(answer.header("cache-control"), Some("no-store"));
}

#[test]
fn a_task_leads_to_its_runs_and_a_run_to_its_task() {
    let site = Site::empty(Gates::Enforced);
    let task = site.ledger.add(&["-s", "ready"]);
    site.has("hotl-workflow-demo.md", &crate::site::workflow(LOW, &one_step("verify: \"true\"\n")));
    site.does(&format!("run start hotl-workflow-demo.md --task {task} --agent w1"));
    let gallery = Gallery::of(site);
    assert!(gallery.page().contains(&format!("href=\"/tasks/{task}\"")));
    let page = gallery.served.get(&format!("/tasks/{task}")).ok().text();
    assert!(page.contains(&format!("href=\"{}\"", gallery.path())), "{page}");
}

/// The step is moved on by somebody else while its check runs.
#[test]
fn a_verification_that_is_refused_leaves_no_log() {
    let check = "verify: touch begun; until test -e go; do sleep 0.02; done\n";
    let site = Site::with(Gates::Enforced, LOW, &one_step(check));
    site.does("run step start 1");
    let verify = site.call("run step verify 1");
    let child = verify.spawn();
    let begun = site.folder().join("begun");
    wait::until("the check has begun", || begun.exists());
    site.does("run step block 1 --reason lost");
    site.has("go", "");
    let refused = verify.finish(child);
    assert_eq!(refused.code, Some(3), "{refused}");
    let place = site.folder().join(".hotl/evidence").join(text(&site.state()["run_id"]));
    assert_eq!(fs::read_dir(place).unwrap().count(), 0);
}
