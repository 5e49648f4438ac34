//! `run exec` and `run step verify` at a terminal: the step that is worked on, in place, and how it is
//! stopped.

use std::fs::File;

use windlass_testkit::{Outcome, Run, screen, screen_of, wait};
use windlass_tests::ledgers::text;

use crate::site::{FILE, Gates, LOW, Site, THREE, enforced, one_step, workflow};

#[track_caller]
fn site(front: &str, steps: &str, harness: &str) -> Site {
    let site = Site::empty(Gates::Enforced);
    site.has(FILE, &workflow(front, steps));
    site.has("agent.sh", harness);
    site
}

fn drive(site: &Site) -> Run {
    let line = ["run", "exec", FILE, "--harness", "sh agent.sh"];
    site.ledger.windlass(&line).env("TERM", "xterm-256color")
}

/// All that ever stood on the screen, line by line.
fn lines(shown: &Outcome) -> Vec<String> {
    let plain = shown.stdout.replace("\u{1b}[2m", "").replace("\u{1b}[0m", "");
    plain.split(['\n', '\r']).map(|line| line.replace("\u{1b}[2K", "")).collect()
}

/// An agent that says something and then works in silence for two seconds.
const TALKS: &str = "cat > /dev/null; printf '\\033[31mhello\\033[2J there\\n'; sleep 2; \
                     touch one two three\n";

#[test]
fn the_step_that_is_worked_on_is_seen_with_what_was_last_heard() {
    let site = site(LOW, &one_step("verify: test -e one\n"), TALKS);
    let shown = drive(&site).at_terminal(80).ok();
    let lines = lines(&shown);
    let has = |wanted: &str| lines.iter().any(|line| line.ends_with(wanted));
    assert!(has("step 1 of 1: Work · attempt 1 of 1 · 0:00"), "{shown}");
    assert!(has("step 1 of 1: Work · attempt 1 of 1 · 0:01"), "no tick without output\n{shown}");
    assert!(has("  agent: hello there"), "{shown}");
    assert!(has("  check 1 of 1…"), "{shown}");
}

#[test]
fn nothing_of_the_view_stays_and_what_was_told_does() {
    for columns in [80, 40] {
        let site = site(LOW, &one_step("verify: test -e one\n"), TALKS);
        let shown = drive(&site).at_terminal(columns).ok();
        let left = screen(&shown.stdout);
        assert!(shown.stdout.contains("step 1 of 1"), "{shown}");
        assert!(!left.contains("step 1 of 1"), "{left}");
        assert!(left.contains("→ Step 1: Work (attempt 1)\n✓ Step 1: pass\n"), "{left}");
    }
}

#[test]
fn nothing_of_the_view_stays_in_a_very_narrow_window() {
    let site = site(LOW, &one_step("verify: test -e one\n"), TALKS);
    let shown = drive(&site).at_terminal(12).ok();
    let left = screen_of(12, &shown.stdout);
    assert!(shown.stdout.contains("step 1 of"), "{shown}");
    assert!(!left.contains("step 1 of") && !left.contains("hello"), "{left}");
}

#[test]
fn the_view_has_no_colour_for_who_wants_none() {
    let site = site(LOW, &one_step("verify: test -e one\n"), TALKS);
    let shown = drive(&site).env("NO_COLOR", "1").at_terminal(80).ok();
    assert!(shown.stdout.contains("  agent: hello there"), "{shown}");
    let is_colour = |part: &str| {
        let end = part.find(|letter: char| letter.is_ascii_alphabetic());
        end.is_some_and(|end| &part[end..=end] == "m")
    };
    assert!(!shown.stdout.split("\u{1b}[").skip(1).any(is_colour), "{shown}");
}

/// A step to be verified, whose check says something and then works in silence for two seconds.
#[track_caller]
fn begun() -> Site {
    let site = enforced(&one_step("verify: echo hello there; sleep 2\n"));
    site.does("run step start 1");
    site
}

fn verify(site: &Site) -> Run {
    site.call("run step verify 1").env("TERM", "xterm-256color")
}

#[test]
fn the_check_that_is_made_is_seen_with_what_was_last_heard() {
    let shown = verify(&begun()).at_terminal(80).ok();
    let lines = lines(&shown);
    let has = |wanted: &str| lines.iter().any(|line| line.ends_with(wanted));
    assert!(has("step 1 of 1: Work · attempt 1 of 1 · 0:01"), "{shown}");
    assert!(has("  check 1 of 1: hello there"), "{shown}");
    let left = screen(&shown.stdout);
    assert!(left.contains("pass") && !left.contains("step 1 of 1"), "{left}");
}

#[test]
fn behind_a_pipe_nothing_is_told_of_a_check() {
    assert_eq!(verify(&begun()).run().ok().stderr, "");
}

#[test]
fn behind_a_pipe_only_lines_are_told() {
    let site = site(LOW, THREE, "touch one two three\n");
    let driven = drive(&site).run().ok();
    let told: Vec<&str> = driven.stderr.lines().skip(2).collect();
    let expected = [
        "→ Step 1: Build (attempt 1)",
        "✓ Step 1: pass",
        "→ Step 2: Test (attempt 1)",
        "✓ Step 2: pass",
        "→ Step 3: Ship (attempt 1)",
        "✓ Step 3: pass",
    ];
    assert_eq!(told, expected, "{driven}");
}

/// An agent that asks its driver to stop, as Ctrl-C does, once, and works the next time.
const INTERRUPTS: &str = "\
if test -e asked; then touch one; exit 0; fi
touch asked
kill -INT $(sed -n 's/.*\"driver-[^:]*:\\([0-9]*\\)\".*/\\1/p' .hotl/state/*.json | head -n 1)
sleep 600
";

#[test]
fn ctrl_c_ends_the_agent_leaves_a_clean_screen_and_blocks_nothing() {
    let site = site(LOW, &one_step("verify: test -e one\n"), INTERRUPTS);
    let shown = drive(&site).at_terminal(80);
    assert_eq!(shown.code, Some(6), "{shown}");
    let left = screen(&shown.stdout);
    assert!(!left.contains("step 1 of 1"), "{left}");
    assert!(left.contains("stopped; go on: windlass run exec --run-id"), "{left}");
    assert_eq!(text(&site.state()["controller"]["status"]), "released");
    assert_eq!(text(&site.step(1)["status"]), "in_progress");

    let line = ["run", "exec", "--harness", "sh agent.sh"];
    let driven = site.ledger.windlass(&line).run().ok().json();
    assert_eq!(text(&driven["run"]["status"]), "ready_to_finish");
    assert_eq!(driven["run"]["steps"][0]["attempts"], 1);
}

/// An agent that asks its driver to stop and, when it is to end itself, asks once more.
const INSISTS: &str = "\
driver=$(sed -n 's/.*\"driver-[^:]*:\\([0-9]*\\)\".*/\\1/p' .hotl/state/*.json | head -n 1)
trap 'kill -INT $driver; exit' TERM
touch begun
until test -e go; do sleep 0.02; done
kill -INT $driver
while :; do sleep 0.02; done
";

#[test]
fn a_second_ctrl_c_gives_the_run_back_too() {
    let site = site(LOW, &one_step("verify: test -e one\n"), INSISTS);
    site.has("go", "");
    let driven = drive(&site).run();
    assert_eq!(driven.code, Some(6), "{driven}");
    assert_eq!(text(&site.state()["controller"]["status"]), "released");
}

#[test]
fn a_second_ctrl_c_does_not_wait_for_a_ledger_that_is_not_to_be_had() {
    let site = site(LOW, &one_step("verify: test -e one\n"), INSISTS);
    let drive = drive(&site).env("WINDLASS_DATABASE_WAIT", "10m");
    let child = drive.spawn();
    let begun = site.folder().join("begun");
    wait::until("the agent is at work", || begun.exists());
    let ledger = File::options().write(true).open(format!("{}.lock", site.ledger.address)).unwrap();
    ledger.lock().unwrap();
    site.has("go", "");
    let driven = drive.finish(child);
    assert_eq!(driven.code, Some(130), "{driven}");
}

#[test]
fn verbose_progress_tells_all_steps_at_every_transition() {
    let front = format!("{LOW}progress: verbose\n");
    let steps = "- [ ] **Step 1: Build**\naction: b\nloop: until it is there\nmax_iterations: 2\n\
                 verify: test -e one\n\n- [ ] **Step 2: Ship**\naction: s\nloop: false\n\
                 verify: \"true\"\n";
    let site = site(&front, steps, "test -e tried && touch one; touch tried\n");
    let driven = drive(&site).run().ok();
    let told: Vec<&str> = driven.stderr.lines().skip(2).collect();
    let expected = [
        "→ Step 1: Build (attempt 1)",
        "  → 1. Build (attempt 1 of 2)",
        "  · 2. Ship",
        "✗ Step 1: fail",
        "  ✗ 1. Build (attempt 1 of 2)",
        "  · 2. Ship",
        "→ Step 1: Build (attempt 2)",
        "  → 1. Build (attempt 2 of 2)",
        "  · 2. Ship",
        "✓ Step 1: pass",
        "  ✓ 1. Build (attempt 2 of 2)",
        "  · 2. Ship",
        "→ Step 2: Ship (attempt 1)",
        "  ✓ 1. Build (attempt 2 of 2)",
        "  → 2. Ship (attempt 1 of 1)",
        "✓ Step 2: pass",
        "  ✓ 1. Build (attempt 2 of 2)",
        "  ✓ 2. Ship (attempt 1 of 1)",
    ];
    assert_eq!(told, expected, "{driven}");
}

#[test]
fn verbose_progress_is_told_to_who_works_step_by_step_too() {
    for (front, count) in [(LOW.to_owned(), 0), (format!("{LOW}progress: verbose\n"), 3)] {
        let site = Site::with(Gates::Enforced, &front, THREE);
        let started = site.call("run step start 1 --format text").run().ok();
        let listed = started.stdout.lines().filter(|line| line.contains(". ")).count();
        assert_eq!(listed, count, "{started}");
    }
}
