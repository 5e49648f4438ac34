//! What people read of a run: what is said is how it stands, and no old news is told again.

use std::fs;

use windlass_testkit::Served;
use windlass_testkit::http::Request;
use windlass_tests::ledgers::{error_of, text};

use crate::site::{GATED, Gates, LOW, Site, attested, enforced, one_step};

/// What somebody at a terminal reads of a call.
#[track_caller]
fn read(site: &Site, line: &str) -> String {
    site.call(line).at_terminal(100).ok().stdout
}

#[test]
fn a_step_that_is_to_be_done_again_is_called_so_with_the_way_on() {
    let site = enforced(GATED);
    site.completes(1);
    site.person("run gate 1 rejected --reason crooked");
    let told = read(&site, "run reopen 1 --redo --reason straighten");
    assert!(told.contains("step 1 is to be done again"), "{told}");
    assert!(told.contains("go on with: windlass run step retry 1"), "{told}");
    assert!(!told.contains("gate"), "{told}");
}

#[test]
fn who_blocks_a_step_is_not_told_again_what_its_checks_wrote() {
    let steps = "- [ ] **Step 1: Work**\naction: work\nloop: until it works\nmax_iterations: 3\n\
                 verify: echo noise; false\n";
    let site = attested(steps);
    let _started = site.says("run step start 1");
    assert_eq!(site.finds("run step verify 1"), "fail");
    let told = read(&site, "run step block 1 --reason lost");
    assert!(told.contains("blocked step 1: lost") && !told.contains("noise"), "{told}");
}

#[test]
fn an_answer_about_one_check_is_not_shown_as_the_gate_of_the_step() {
    let checks = "gate: human\nverify:\n  - type: human-review\n    prompt: is it blue?\n  \
                  - type: shell\n    command: \"true\"\n";
    let site = Site::with(Gates::Enforced, LOW, &one_step(checks));
    let _started = site.says("run step start 1");
    let _asked = site.call("run step verify 1").run();
    site.person("run gate 1 approved");
    let step = site.does("run show")["steps"][0].clone();
    assert_eq!((step["status"].as_str(), step["decision"].as_str()), (Some("in_progress"), None));
    let told = read(&site, "run show");
    assert!(told.contains("asks a person") && !told.contains("approved"), "{told}");
}

#[test]
fn runs_that_share_an_id_are_told_apart_by_their_keys() {
    let site = attested(&one_step("verify: \"true\"\n"));
    let run = site.does("run show");
    let id = text(&run["run_id"]);
    let [here, there] = ["one", "two"].map(|name| site.folder().join(name));
    for folder in [&here, &there] {
        fs::create_dir_all(folder.join(".hotl/state")).unwrap();
        let state = site.state_text().replace(&id, "same-20260501T101500Z");
        fs::write(folder.join(".hotl/state/same-20260501T101500Z.json"), state).unwrap();
        let place = folder.display().to_string();
        site.does(&format!("run show --folder {place}"));
    }
    fs::remove_dir_all(&there).unwrap();
    let outcome = site.call("run show same-20260501T101500Z").run();
    let error = error_of(&outcome, "id_ambiguous", 3);
    let keys: Vec<String> =
        error["details"]["runs"].as_array().unwrap().iter().map(|run| text(&run["run"])).collect();
    for key in &keys {
        assert!(text(&error["hint"]).contains(key.as_str()), "{error}");
        assert_eq!(text(&site.does(&format!("run show {key}"))["run"]), *key);
    }
    let gone = format!("--run-id same-20260501T101500Z --folder {}", there.display());
    let shown = site.does(&format!("run show {gone}"));
    assert_eq!(text(&shown["folder"]), there.display().to_string());
    site.does(&format!("run step block 1 --reason lost {gone}"));
    site.does(&format!("run finished discarded {gone}"));
    assert_eq!(site.does(&format!("run show {gone}"))["disposition"], "discarded");
}

#[test]
fn the_id_of_a_run_that_fits_into_a_line_of_its_own_stays_whole_in_a_narrow_window() {
    let site = attested(&one_step("verify: \"true\"\n"));
    let long = "hotl-workflow-a-name-wide-as-a-line.md";
    site.has(long, &fs::read_to_string(site.folder().join(crate::site::FILE)).unwrap());
    let id = site.begin(long);
    assert_eq!(id.len(), 38, "{id}");
    for line in ["run list", "run locate"] {
        let told = site.call(line).at_terminal(40).ok().stdout;
        assert!(told.contains(&id), "{told}");
    }
}

#[test]
fn a_folder_outside_of_git_is_not_called_a_checkout() {
    let site = Site::empty(Gates::Enforced);
    site.has(crate::site::FILE, &crate::site::workflow(LOW, &one_step("verify: \"true\"\n")));
    let told = read(&site, &format!("run prepare {}", crate::site::FILE));
    assert!(told.contains("this folder is ready") && !told.contains("checkout"), "{told}");
}

/// What a form of a page answers.
#[track_caller]
fn posted(served: &Served, operation: &str, form: String) -> windlass_testkit::http::Response {
    let request = Request::post(&format!("/do/{operation}"), form)
        .header("content-type", "application/x-www-form-urlencoded");
    served.send(&request.bearer(&served.token()))
}

#[test]
fn a_rejected_gate_is_reopened_on_the_page_which_speaks_of_no_options() {
    let site = enforced(GATED);
    site.completes(1);
    site.person("run gate 1 rejected --reason crooked");
    let run = text(&site.does("run show")["run"]);
    let served = Served::start(&site.ledger.home, &[]);
    let page = served.get(&format!("/runs/{run}")).ok().text();
    assert!(page.contains("id=\"reopen-1\""), "{page}");
    let refused = posted(&served, "run.reopen", format!("run_id={run}&step=1")).text();
    assert!(!refused.contains("--reason TEXT"), "{refused}");
    let done = posted(&served, "run.reopen", format!("run_id={run}&step=1&reason=looked"));
    assert_eq!(done.status, 303);
    assert_eq!(site.does("run show")["status"], "paused");
}
