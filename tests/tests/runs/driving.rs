//! `run exec`: a command works on each step, and Windlass checks it.

use std::fs;
use std::process::Child;

use serde_json::{Value, json};
use windlass_testkit::barrier::start_together;
use windlass_testkit::{Outcome, wait};
use windlass_tests::clock::FileClock;
use windlass_tests::ledgers::{error_of, text};

use crate::site::{FILE, GATED, Gates, LOW, REVIEWED, Site, THREE, enforced, one_step, workflow};

/// A folder with a workflow file and a command that works on its steps.
#[track_caller]
fn site(steps: &str, harness: &str) -> Site {
    let site = Site::empty(Gates::Enforced);
    site.has(FILE, &workflow(LOW, steps));
    site.has("agent.sh", harness);
    site
}

#[track_caller]
fn drives(site: &Site, words: &[&str]) -> Outcome {
    let line = ["run", "exec", "--harness", "sh agent.sh"];
    let line: Vec<&str> = line.iter().chain(words).copied().collect();
    site.ledger.windlass(&line).run()
}

#[track_caller]
fn status(run: &Value) -> String {
    text(&run["run"]["status"])
}

#[test]
fn a_run_is_driven_to_its_end() {
    let site = site(THREE, "cat > /dev/null; touch one two three\n");
    let driven = drives(&site, &[FILE]).ok().json();
    assert_eq!(status(&driven), "ready_to_finish");
}

#[test]
fn what_the_checks_showed_is_told_at_the_next_attempt() {
    let checked = "- [ ] **Step 1: Build**\naction: build it\nloop: until it builds\n\
                   max_iterations: 3\nverify: test -e one || { echo it is mis''sing; false; }\n";
    let site = site(
        checked,
        "cat > \"asked-$(ls asked-* 2>/dev/null | wc -l)\"; test -e asked-1 && touch one; true\n",
    );
    let driven = drives(&site, &[FILE]).ok().json();
    assert_eq!(driven["run"]["steps"][0]["attempts"], 2);
    let asked = |number| fs::read_to_string(site.folder().join(format!("asked-{number}"))).unwrap();
    assert!(!asked(0).contains("it is missing"), "{}", asked(0));
    assert!(asked(1).contains("it is missing"), "{}", asked(1));
}

#[test]
fn what_the_checks_showed_is_told_also_to_who_goes_on_with_an_attempt() {
    let checked = "- [ ] **Step 1: Build**\naction: build it\nloop: until it builds\n\
                   max_iterations: 2\nverify: test -e one || { echo it is mis''sing; false; }\n";
    let site = site(checked, "cat > asked; touch one\n");
    site.begin(FILE);
    site.does("run step start 1");
    site.finds("run step verify 1");
    site.does("run step retry 1");
    let driven = drives(&site, &[]).ok().json();
    assert_eq!(driven["run"]["steps"][0]["attempts"], 2);
    let asked = fs::read_to_string(site.folder().join("asked")).unwrap();
    let told = "This is attempt 2 of 2. The last one failed:\n\ncheck 1 of 1 ended with 1: ";
    assert!(asked.contains(told), "{asked}");
    assert!(asked.contains("commit what you have made"), "{asked}");
    assert!(asked.contains("```\nit is missing\n```"), "{asked}");
}

#[test]
fn why_a_person_rejected_an_attempt_is_told_at_the_next_one() {
    let site = site(REVIEWED, "cat > \"asked-$(ls asked-* 2>/dev/null | wc -l)\"\n");
    assert_eq!(status(&drives(&site, &[FILE]).json()), "paused");
    site.person("run gate 1 rejected --reason too-dark");
    site.person("run step unblock 1 --reason once-more");
    assert_eq!(status(&drives(&site, &[]).json()), "paused");
    let asked = fs::read_to_string(site.folder().join("asked-1")).unwrap();
    assert!(asked.contains("failed (too-dark): human review: is it blue?"), "{asked}");
}

#[test]
fn a_run_of_many_short_steps_keeps_its_lease() {
    let site = site(
        THREE,
        "cat > /dev/null; printf %s \"$(($(cat \"$CLOCK\") + 25000))\" > next\n\
         mv next \"$CLOCK\"; touch one two three\n",
    );
    let clock = FileClock::made(site.ledger.home.path().join("clock"));
    let arguments = json!({"file": FILE, "in_place": true, "harness": "sh agent.sh"});
    let words = [clock.file(), "run.exec".to_owned(), arguments.to_string()];
    let program = site.ledger.home.program(env!("CARGO_BIN_EXE_at_a_time")).args(words);
    let program = program.db(&site.ledger.address).env("CLOCK", clock.file());
    let driven = program.cwd(site.folder()).run().ok().json();
    assert_eq!(status(&driven), "ready_to_finish");
}

/// What a program gets as its first argument, from a harness with this in it, for a step that asks
/// for this.
#[track_caller]
fn argument(word: &str, action: &str) -> String {
    let steps =
        format!("- [ ] **Step 1: Work**\naction: {action}\nloop: false\nverify: test -e asked\n");
    let site = site(&steps, "printf %s \"$1\" > asked; test $# = 1 || rm asked\n");
    let harness = format!("sh agent.sh {word}");
    let line = ["run", "exec", FILE, "--harness", &harness];
    let _driven = site.ledger.windlass(&line).run().ok();
    assert!(!site.folder().join("made").exists(), "the prompt was read by a shell");
    fs::read_to_string(site.folder().join("asked")).unwrap()
}

#[test]
fn no_shell_reads_the_prompt_however_its_place_is_quoted() {
    let action = "use `touch made` and $(touch made), it's \"so\"; touch made '$HOME' \\";
    for word in ["{prompt}", "\"{prompt}\"", "'{prompt}'", "\"$WINDLASS_PROMPT\""] {
        let asked = argument(word, action);
        assert!(asked.contains(action), "{word}: {asked}");
    }
}

#[test]
fn a_prompt_among_other_words_in_quotes_begins_nothing() {
    let site = site(THREE, "");
    let line = ["run", "exec", FILE, "--harness", "sh -c 'codex {prompt}'"];
    let error = error_of(&site.ledger.windlass(&line).run(), "invalid_value", 3);
    assert!(text(&error["hint"]).contains("$WINDLASS_PROMPT"), "{error}");
    assert_eq!(site.ledger.events(), 0);
}

#[test]
fn a_prompt_too_long_for_an_argument_uses_up_no_attempt() {
    let action = "a".repeat(200 << 10);
    let steps = THREE.replace("build it", &action);
    let site = site(&steps, "cat > asked; touch one two three\n");
    let line = ["run", "exec", FILE, "--harness", "sh agent.sh {prompt}"];
    let refused = site.ledger.windlass(&line).run();
    let error = refused.json()["error"].clone();
    assert_eq!((text(&error["code"]).as_str(), refused.code), ("too_large", Some(3)), "{refused}");
    assert!(text(&error["hint"]).contains("read it on its input"), "{refused}");
    assert_eq!(site.step(1)["attempts"], 0);
    let driven = drives(&site, &[]).ok().json();
    assert_eq!(status(&driven), "ready_to_finish");
}

#[test]
fn what_a_check_wrote_that_no_argument_can_hold_stops_no_retry() {
    let steps = "- [ ] **Step 1: Work**\naction: work\nloop: until it is there\nmax_iterations: 2\n\
                 verify: test -e one || { printf 'a\\000b'; false; }\n";
    let site = site(steps, "test -e tried && touch one; touch tried; true\n");
    let line = ["run", "exec", FILE, "--harness", "sh agent.sh {prompt}"];
    let driven = site.ledger.windlass(&line).run().ok().json();
    assert_eq!(status(&driven), "ready_to_finish");
}

#[test]
fn of_a_long_output_the_next_attempt_hears_the_beginning_and_the_end() {
    let checked = "- [ ] **Step 1: Build**\naction: build it\nloop: until it builds\n\
                   max_iterations: 2\nverify: seq 1 9000; echo assertion fa''iled; test -e one\n";
    let site = site(checked, "cat > asked; test -e again && touch one; touch again\n");
    let _driven = drives(&site, &[FILE]).ok();
    let asked = fs::read_to_string(site.folder().join("asked")).unwrap();
    assert!(asked.contains("\n1\n2\n3\n"), "{asked}");
    assert!(asked.contains("bytes are left out"), "{asked}");
    assert!(asked.contains("\n9000\nassertion failed\n"), "{asked}");
    // The report has the beginning alone, as HOTL's has.
    assert!(!site.report().contains("assertion failed"));
}

#[test]
fn a_prompt_can_be_an_argument() {
    let site = site(THREE, "");
    let line =
        ["run", "exec", FILE, "--harness", "printf %s {prompt} > asked; touch one two three"];
    let _driven = site.ledger.windlass(&line).run().ok();
    let asked = fs::read_to_string(site.folder().join("asked")).unwrap();
    assert!(asked.starts_with("# Step 3 of 3: Ship"), "{asked}");
}

#[test]
fn a_step_that_never_passes_blocks_the_run_when_its_attempts_are_used_up() {
    let site = site(THREE, "cat > /dev/null\n");
    let driven = drives(&site, &[FILE]);
    assert_eq!(driven.code, Some(6), "{driven}");
    let driven = driven.json();
    assert_eq!(status(&driven), "blocked");
    assert_eq!(driven["run"]["steps"][0]["attempts"], 3);
}

#[test]
fn a_driver_that_ends_at_a_block_tells_what_failed_and_how_to_go_on() {
    let steps = one_step("verify: seq 1 20; echo it is mis''sing >&2; false\n");
    let site = site(&steps, "cat > /dev/null\n");
    let line = ["run", "exec", FILE, "--harness", "sh agent.sh"];
    let screen = site.ledger.windlass(&line).at_terminal(500);
    let said = &screen.stdout;
    assert!(said.contains("check 1 of 1 ended with 1: shell: seq 1 20"), "{said}");
    assert!(said.contains("it is missing"), "{said}");
    let has_line = |line: &str| said.lines().any(|said| said.trim() == line);
    assert!(has_line("20") && !has_line("10"), "{said}");
    let run = text(&site.state()["run_id"]);
    let way = format!("windlass run step unblock 1 --reason TEXT --run-id {run}");
    assert!(said.contains(&way), "{said}");
}

#[test]
fn nothing_is_asked_of_whoever_drives_a_run_that_was_finished() {
    let site = site(THREE, "cat > /dev/null; touch one two three\n");
    let _driven = drives(&site, &[FILE]).ok();
    let run = text(&site.state()["run_id"]);
    site.does("run finish keep");
    let line = ["run", "exec", "--run-id", &run, "--harness", "true"];
    let screen = site.ledger.windlass(&line).at_terminal(200);
    assert!(!screen.stdout.contains("say what becomes"), "{}", screen.stdout);
}

#[test]
fn an_agent_that_says_it_succeeded_is_not_believed() {
    let site = site(THREE, "echo all done; exit 0\n");
    assert_eq!(status(&drives(&site, &[FILE]).json()), "blocked");
}

#[test]
fn a_gate_stops_a_driven_run_which_goes_on_once_it_is_decided() {
    let site = site(GATED, "cat > /dev/null\n");
    let driven = drives(&site, &[FILE]);
    assert_eq!(driven.code, Some(6), "{driven}");
    assert!(text(&driven.json()["next"]).contains("windlass run gate 1"), "{driven}");
    site.person("run gate 1 approved");
    assert_eq!(status(&drives(&site, &[]).ok().json()), "ready_to_finish");
}

#[test]
fn a_run_that_somebody_drives_is_not_driven_by_another() {
    let site = site(GATED, "cat > /dev/null\n");
    site.begin(FILE);
    site.does("run owner claim --owner driver-1");
    let _refused = error_of(&drives(&site, &[]), "already_claimed", 3);
}

#[test]
fn the_agent_knows_its_run_and_step_and_no_secret() {
    let site = site(THREE, "cat > /dev/null; env > \"env-$WINDLASS_STEP\"; touch one two three\n");
    let line = ["run", "exec", FILE, "--harness", "sh agent.sh"];
    let driven = site.ledger.windlass(&line).env("WINDLASS_KEY", "wl_secret").run().ok().json();
    let seen = fs::read_to_string(site.folder().join("env-2")).unwrap();
    let run_id = text(&driven["run"]["run_id"]);
    assert!(seen.contains(&format!("HOTL_RUN_ID={run_id}\n")), "{seen}");
    assert!(!seen.contains("wl_secret"), "{seen}");
}

#[test]
fn a_file_with_mistakes_is_not_driven() {
    let site = site("", "cat > /dev/null\n");
    let driven = drives(&site, &[FILE]);
    let _refused = error_of(&driven, "file_invalid", 3);
    assert_eq!(site.ledger.events(), 0);
}

const UNCHECKED: &str = "- [ ] **Step 1: Think**\naction: think\nloop: false\n";

#[test]
fn a_step_without_a_check_is_not_done_when_its_agent_failed() {
    let site = site(UNCHECKED, "exit 3\n");
    let driven = drives(&site, &[FILE]).json();
    assert_eq!(status(&driven), "blocked");
    assert_eq!(site.step(1)["status"], "blocked");
    site.agrees();
}

#[test]
fn a_harness_that_cannot_be_run_uses_up_no_more_than_the_attempt_that_showed_it() {
    let site = site(THREE, "");
    let line = ["run", "exec", FILE, "--harness", "no-such-agent"];
    let refused = site.ledger.windlass(&line).run();
    assert_eq!(text(&refused.json()["error"]["code"]), "invalid_value", "{refused}");
    assert!(text(&refused.json()["error"]["hint"]).contains("agent.log"), "{refused}");
    assert_eq!(
        (&site.step(1)["status"], &site.step(1)["attempts"]),
        (&"in_progress".into(), &1.into())
    );
}

#[test]
fn a_run_whose_driver_was_killed_goes_on_at_once() {
    let site = site(THREE, "cat > /dev/null; touch one two three\n");
    let gone = site.ledger.home.program("sh").args(["-c", "echo $$"]).run().ok().stdout;
    site.does(&format!("run start {FILE}"));
    site.does(&format!("run owner claim --owner driver-ann:{}", gone.trim()));
    let driven = drives(&site, &[]).ok().json();
    assert_eq!(status(&driven), "ready_to_finish");
}

#[test]
fn a_killed_driver_that_nobody_reaps_is_not_waited_for() {
    let site = site(THREE, "cat > /dev/null; touch one two three\n");
    site.does(&format!("run start {FILE}"));
    let mut driver = site.ledger.home.program("sleep").args(["600"]).spawn();
    site.does(&format!("run owner claim --owner driver-ann:{}", driver.id()));
    driver.kill().unwrap();
    let stat = format!("/proc/{}/stat", driver.id());
    wait::until("it has ended", || fs::read_to_string(&stat).unwrap().contains(") Z "));
    let went_on = drives(&site, &[]).ok().json();
    assert_eq!(status(&went_on), "ready_to_finish");
    driver.wait().unwrap();
}

#[test]
fn of_many_that_find_a_driver_killed_one_drives_on() {
    let site = site(
        THREE,
        "cat > /dev/null; until test -e go; do sleep 0.02; done; touch one two three\n",
    );
    site.does(&format!("run start {FILE}"));
    let gone = site.ledger.home.program("sh").args(["-c", "echo $$"]).run().ok().stdout;
    site.does(&format!("run owner claim --owner driver-ann:{}", gone.trim()));
    let exec = site.ledger.windlass(&["run", "exec", "--harness", "sh agent.sh"]);
    let mut drivers = start_together(&vec![exec.clone(); 6]);
    let has_ended = |driver: &mut Child| driver.try_wait().unwrap().is_some();
    wait::until("all but one have given up", || {
        drivers.iter_mut().map(has_ended).filter(|ended| *ended).count() == 5
    });
    site.has("go", "");
    let driven: Vec<Outcome> = drivers.into_iter().map(|driver| exec.finish(driver)).collect();
    let (done, refused): (Vec<_>, Vec<_>) =
        driven.into_iter().partition(|outcome| outcome.code == Some(0));
    assert_eq!(done.len(), 1);
    for refused in refused {
        let _other = error_of(&refused, "already_claimed", 3);
    }
    assert_eq!(site.step(1)["attempts"], 1);
}

#[test]
fn where_gates_are_enforced_a_person_takes_a_run_from_a_driver_at_work() {
    let site = enforced(THREE);
    site.does("run owner claim --owner worker-1");
    let line = "run owner takeover --owner worker-2 --reason stuck --force";
    let _message = site.refuses(line, "person_required");
    assert_eq!(site.person(line)["owner_id"], "worker-2");
}

#[test]
fn a_run_whose_driver_is_at_work_is_not_taken_from_it() {
    let site = site(THREE, "");
    site.does(&format!("run start {FILE}"));
    site.does(&format!("run owner claim --owner driver-ann:{}", std::process::id()));
    let _refused = error_of(&drives(&site, &[]), "already_claimed", 3);
}

/// What is said to whoever drives a file whose run has come to its end and was not finished.
#[track_caller]
fn is_to_be_finished(site: &Site) {
    let before = site.ledger.events();
    let error = error_of(&drives(site, &[FILE, "--in-place"]), "run_unfinished", 3);
    let hint = text(&error["hint"]);
    assert!(hint.starts_with("finish it: windlass run finish keep|merge"), "{hint}");
    assert_eq!(site.ledger.events(), before);
}

#[test]
fn a_run_whose_work_waits_is_finished_before_another_is_begun_in_its_place() {
    let site = site(THREE, "cat > /dev/null; touch one two three\n");
    let _driven = drives(&site, &[FILE]).ok();
    is_to_be_finished(&site);
    site.does("run finish keep");
    assert_eq!(status(&drives(&site, &[FILE]).ok().json()), "ready_to_finish");
}

#[test]
fn a_run_that_only_the_ledger_knows_is_in_the_way_of_another_too() {
    let site = site(THREE, "cat > /dev/null; touch one two three\n");
    let _driven = drives(&site, &[FILE]).ok();
    fs::remove_dir_all(site.folder().join(".hotl")).unwrap();
    is_to_be_finished(&site);
}
