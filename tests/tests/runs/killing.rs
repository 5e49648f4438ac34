//! `kill -9` of calls on a run: at every one of their write points, and at random moments. Whatever
//! the moment, the next call works at once, the attempt counts once, the files agree with the ledger
//! and no process is left.
//!
//! The points of a call are found by watching it once; then it is killed at each of them in turn,
//! and a point that was never reached fails the test.

use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use windlass_testkit::trace::{Call, Hit, Trace, WRITE_POINTS};
use windlass_testkit::{Run, machine, wait};
use windlass_tests::ledgers::{error_of, text};
use windlass_tests::random::Random;

use crate::site::{FILE, Gates, LOW, Site, enforced, on_postgres, one_step, workflow};

/// A site that can be put back to what it was, in the same place.
struct Start {
    site: Site,
    kept: PathBuf,
    run: String,
}

impl Start {
    #[track_caller]
    fn of(site: Site) -> Self {
        let kept = site.ledger.home.path().join("kept");
        let run = text(&site.state()["run_id"]);
        for (place, folder) in Self::places(&site) {
            copy(&folder, &kept.join(place));
        }
        Self { site, kept, run }
    }

    fn places(site: &Site) -> [(&'static str, PathBuf); 2] {
        [("work", site.folder()), ("data", site.ledger.home.data())]
    }

    #[track_caller]
    fn again(&self) {
        for (place, folder) in Self::places(&self.site) {
            fs::remove_dir_all(&folder).unwrap();
            copy(&self.kept.join(place), &folder);
        }
    }

    /// Watches whatever a call makes or changes of the ledger and of the files of the run. The
    /// processes of a check touch none of these, so that only the call itself is counted.
    fn trace(&self, line: &str) -> Trace {
        let ledger = Path::new(&self.site.ledger.address);
        let own = ["", "-wal", "-shm", ".lock"];
        own.into_iter()
            .map(|end| PathBuf::from(format!("{}{end}", self.site.ledger.address)))
            .chain([ledger.parent().unwrap().to_owned()])
            .fold(trace_files(&self.site, &self.run, 1, line), Trace::only_on)
    }

    /// Kills the call at each of its write points, every time from this same state.
    #[track_caller]
    fn kill_everywhere(&self, line: &str, mut examine: impl FnMut(&Site, &Call)) -> Vec<Call> {
        let recording = self.trace(line).record();
        let _answered = recording.outcome.ok();
        let points: Vec<Call> = recording.calls.into_iter().filter(is_write_point).collect();
        // The calls of a thread are counted by themselves, so one thread makes the count exact.
        assert!(points.iter().all(|point| point.thread == points[0].thread), "{points:?}");
        for point in &points {
            self.again();
            let injected = self.trace(line).kill_at(&point.name, point.nth);
            assert_eq!(injected.hit, Hit::Killed, "never hit: {point:?}");
            assert_eq!(injected.outcome.signal, Some(9), "{}", injected.outcome);
            has_no_process(&self.site);
            examine(&self.site, point);
        }
        points
    }
}

/// Watches whatever a call about a step makes or changes of the files of its run.
pub(crate) fn trace_files(site: &Site, run: &str, step: usize, line: &str) -> Trace {
    let calls = [&WRITE_POINTS[..], &["openat", "mkdir"]].concat();
    let files = site.folder().canonicalize().unwrap().join(".hotl");
    let paths = [
        String::new(),
        "locks".to_owned(),
        format!("locks/{run}.windlass"),
        format!("locks/{run}.guards"),
        "state".to_owned(),
        format!("state/{run}.json"),
        format!("state/.{run}.json.new"),
        "reports".to_owned(),
        format!("reports/{run}.md"),
        format!("reports/.{run}.md.new"),
        "evidence".to_owned(),
        format!("evidence/{run}"),
        format!("evidence/{run}/step-{step}-attempt-1-check-1.log"),
    ];
    let trace = Trace::of(durable(site, line)).calls(&calls);
    paths.iter().map(|path| files.join(path)).fold(trace, Trace::only_on)
}

#[track_caller]
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &to),
            false => _ = fs::copy(entry.path(), to).unwrap(),
        }
    }
}

/// As in life: it waits for the disk.
pub(crate) fn durable(site: &Site, line: &str) -> Run {
    site.call(line).env_remove("WINDLASS_DATABASE_SYNCHRONOUS")
}

/// Most that is opened is only read, and most folders are there.
pub(crate) fn is_write_point(call: &Call) -> bool {
    match call.name.as_str() {
        "openat" => call.args.contains("O_CREAT"),
        _ => true,
    }
}

/// Nothing runs in the folder any more.
#[track_caller]
pub(crate) fn has_no_process(site: &Site) {
    let folder = site.folder().canonicalize().unwrap();
    wait::until("no process is left", || processes_in(&folder).is_empty());
}

fn processes_in(folder: &Path) -> Vec<String> {
    let all = fs::read_dir("/proc").unwrap().flatten();
    let ids = all.filter_map(|entry| entry.file_name().into_string().ok());
    let is_there = |id: &String| {
        fs::read_link(format!("/proc/{id}/cwd")).is_ok_and(|cwd| cwd.starts_with(folder))
    };
    ids.filter(|id| id.bytes().all(|byte| byte.is_ascii_digit())).filter(is_there).collect()
}

/// A call that does not wait for anybody: what a dead one held is free.
#[track_caller]
fn at_once(site: &Site, line: &str) -> windlass_testkit::Outcome {
    site.call(line).env("WINDLASS_DATABASE_WAIT", "1s").run()
}

/// Whether the call was done now; it may have been done before.
#[track_caller]
pub(crate) fn repeated(site: &Site, line: &str) -> bool {
    let outcome = at_once(site, line);
    if outcome.code == Some(0) {
        return true;
    }
    let _done_before = error_of(&outcome, "invalid_transition", 3);
    false
}

const CHECKED: &str = "verify: echo seen\n";

#[test]
fn a_start_killed_at_any_write_point_happens_once() {
    let start = Start::of(enforced(&one_step(CHECKED)));
    let mut before_and_after = [0, 0];
    let points = start.kill_everywhere("run step start 1", |site, point| {
        let is_new = repeated(site, "run step start 1");
        before_and_after[usize::from(is_new)] += 1;
        assert_eq!(site.step(1)["status"], "in_progress", "{point:?}");
        assert_eq!(site.step(1)["attempts"], 1, "{point:?}");
        assert_eq!(site.count("step_started"), 1, "{point:?}");
        site.agrees();
        assert_eq!(site.says("run step verify 1"), "pass");
    });
    covers(&points);
    assert!(before_and_after.iter().all(|count| *count > 0), "{before_and_after:?}");
}

#[test]
fn a_verification_killed_at_any_write_point_counts_once() {
    let site = enforced(&one_step(CHECKED));
    site.does("run step start 1");
    let start = Start::of(site);
    let mut before_and_after = [0, 0];
    let points = start.kill_everywhere("run step verify 1", |site, point| {
        let is_new = repeated(site, "run step verify 1");
        before_and_after[usize::from(is_new)] += 1;
        assert_eq!(site.step(1)["status"], "done", "{point:?}");
        assert_eq!(site.step(1)["attempts"], 1, "{point:?}");
        assert_eq!(site.step(1)["verify"]["stdout"], "seen\n", "{point:?}");
        assert_eq!(site.count("step_verified"), 1, "{point:?}");
        site.agrees();
    });
    covers(&points);
    let is_evidence = |point: &Call| point.path_or_fd.contains("/evidence/");
    assert!(points.iter().any(|point| point.name == "write" && is_evidence(point)), "{points:?}");
    assert!(before_and_after.iter().all(|count| *count > 0), "{before_and_after:?}");
}

/// The points are those of the ledger and of both files.
#[track_caller]
fn covers(points: &[Call]) {
    let has = |name: &str, file: &str| {
        points.iter().any(|point| point.name == name && point.path_or_fd.contains(file))
    };
    for (name, file) in [
        ("pwrite64", "ledger.db-wal"),
        ("fdatasync", "ledger.db-wal"),
        ("write", "/state/."),
        ("fdatasync", "/state/."),
        ("rename", "/state/."),
        ("write", "/reports/."),
        ("rename", "/reports/."),
    ] {
        assert!(has(name, file), "{name} {file}: {points:?}");
    }
}

/// The first call of all in a folder, which makes everything.
#[test]
fn a_run_whose_start_is_killed_at_any_moment_is_there_or_not_and_hinders_nobody() {
    let site = enforced(&one_step(CHECKED));
    fs::remove_dir_all(site.folder().join(".hotl")).unwrap();
    let line = format!("run start {FILE}");
    let calls = ["rename", "mkdir", "fdatasync", "ftruncate"];
    let recording = Trace::of(durable(&site, &line)).calls(&calls).record();
    let _started = recording.outcome.ok();
    for point in recording.calls {
        let site = enforced(&one_step(CHECKED));
        fs::remove_dir_all(site.folder().join(".hotl")).unwrap();
        let known = site.does("run list")["runs"][0]["run_id"].clone();
        let injected =
            Trace::of(durable(&site, &line)).calls(&calls).kill_at(&point.name, point.nth);
        assert_eq!(injected.hit, Hit::Killed, "never hit: {point:?}");
        let all = site.does("run list")["runs"].as_array().unwrap().clone();
        for run in &all {
            let id = text(&run["run_id"]);
            site.does(&format!("run step start 1 --run-id {id}"));
            let files = site.does(&format!("run files --report --run-id {id}"));
            let state = site.folder().join(format!(".hotl/state/{id}.json"));
            assert_eq!(fs::read_to_string(state).unwrap(), text(&files["state"]), "{point:?}");
            let report = site.folder().join(format!(".hotl/reports/{id}.md"));
            assert_eq!(fs::read_to_string(report).unwrap(), text(&files["report"]), "{point:?}");
        }
        assert!(all.iter().any(|run| run["run_id"] == known));
        assert_eq!(site.ledger.answer(&["doctor", "--rebuild"])["healthy"], true);
    }
}

/// The check leaves processes everywhere, and Windlass is killed in the middle of it.
#[test]
fn a_verification_killed_while_its_check_runs_leaves_no_process_and_can_be_repeated() {
    let check = "verify: if test -e again; then exit 0; fi; setsid sleep 600 & sleep 600 & \
                 touch begun; sleep 600\n";
    let site = enforced(&one_step(check));
    site.does("run step start 1");
    let mut verifying = site.call("run step verify 1").spawn();
    let begun = site.folder().join("begun");
    wait::until("the check has begun", || begun.exists());
    verifying.kill().unwrap();
    verifying.wait().unwrap();
    has_no_process(&site);
    site.agrees();
    assert_eq!(site.step(1)["status"], "in_progress");
    site.has("again", "");
    let outcome = at_once(&site, "run step verify 1").ok();
    assert_eq!(outcome.json()["done"], "pass");
    assert_eq!(site.step(1)["attempts"], 1);
    site.agrees();
}

/// Kills its guard and the call that waits for it at once, and stays.
const KILLS_ITS_KEEPERS: &str = "sleep 600 & setsid sleep 600 & touch begun; \
    kill -9 $(cut -d' ' -f4 /proc/$PPID/stat) $PPID; wait";

/// A site where a check has killed its guard and the call, and goes on.
#[track_caller]
fn abandoned() -> Site {
    let check = format!("verify: if test -e begun; then exit 0; fi; {KILLS_ITS_KEEPERS}\n");
    let site = enforced(&one_step(&check));
    site.does("run step start 1");
    let verified = site.call("run step verify 1").run();
    assert_eq!(verified.code, None, "{verified}");
    assert!(!processes_in(&site.folder().canonicalize().unwrap()).is_empty());
    site
}

#[test]
fn what_outlived_its_guard_and_its_call_is_ended_by_the_next_check() {
    let site = abandoned();
    let outcome = at_once(&site, "run step verify 1").ok();
    assert_eq!(outcome.json()["done"], "pass");
    has_no_process(&site);
    assert!(fs::read_dir(site.folder().join(".hotl/locks")).unwrap().count() == 1);
}

#[test]
fn what_outlived_its_guard_and_its_call_is_ended_by_the_next_driver() {
    let site = abandoned();
    let _driven = site.call("run exec").args(["--harness", "true"]).run().ok();
    has_no_process(&site);
}

#[test]
fn what_outlived_its_guard_and_its_call_is_ended_when_the_run_is_finished() {
    let site = abandoned();
    site.does("run step block 1 --reason stuck");
    site.does("run finalize");
    site.does("run finish keep");
    has_no_process(&site);
}

/// An agent that leaves processes everywhere and waits, and works only the next time.
const WAITS: &str = "\
cat > /dev/null
if test -e begun; then touch one; exit; fi
setsid sleep 600 & sleep 600 &
touch begun
sleep 600
";

#[test]
fn a_run_whose_driver_is_killed_while_its_agent_works_goes_on_at_once() {
    let site = Site::empty(Gates::Enforced);
    site.has(FILE, &workflow(LOW, &one_step("verify: test -e one\n")));
    site.has("agent.sh", WAITS);
    let harness = ["--harness", "sh agent.sh"];
    let mut driving = site.call(&format!("run exec {FILE}")).args(harness).spawn();
    let begun = site.folder().join("begun");
    wait::until("the agent is at work", || begun.exists());
    driving.kill().unwrap();
    driving.wait().unwrap();
    has_no_process(&site);
    let on = site.call("run exec").args(harness).env("WINDLASS_DATABASE_WAIT", "1s").run().ok();
    assert_eq!(on.json()["run"]["status"], "ready_to_finish", "{on}");
    assert_eq!(site.step(1)["attempts"], 1);
    assert_eq!(site.count("step_started"), 1);
    has_no_process(&site);
    site.agrees();
}

/// So many calls are killed before they have ended.
const KILLS: usize = 20;
const ALL_KILLS: usize = 150;

#[test]
fn kills_at_random_moments_lose_nothing_and_count_nothing_twice_on_sqlite() {
    let random = Random::new();
    eprintln!("WINDLASS_SEED={} repeats this run", random.seed());
    kill_at_random_moments(&enforced(&enough_steps()), random);
}

#[test]
fn kills_at_random_moments_lose_nothing_and_count_nothing_twice_on_postgresql() {
    let Some(site) = on_postgres(&enough_steps()) else { return };
    let random = Random::new();
    eprintln!("WINDLASS_SEED={} repeats this run", random.seed());
    kill_at_random_moments(&site, random);
}

/// `WINDLASS_LONG_TESTS=1` makes it 150.
fn kills() -> usize {
    let is_long = machine::variable("WINDLASS_LONG_TESTS").is_some();
    if is_long { ALL_KILLS } else { KILLS }
}

/// One to see how long calls take, and more than one for each kill: some come too late.
fn enough_steps() -> String {
    steps(1 + 3 * kills(), "verify: sleep 0.02\n")
}

/// So many steps, each with these fields.
pub(crate) fn steps(count: usize, fields: &str) -> String {
    let step =
        |number| format!("- [ ] **Step {number}: Work**\naction: work\nloop: false\n{fields}\n");
    (1..=count).map(step).collect()
}

/// A kill a step, until enough calls were killed that had not ended.
#[track_caller]
fn kill_at_random_moments(site: &Site, mut random: Random) {
    let starting = time_of(site, "run step start 1");
    let verifying = time_of(site, "run step verify 1");
    let (mut killed, mut number) = (0, 1);
    while killed < kills() {
        number += 1;
        assert!(number <= 1 + 3 * kills(), "only {killed} of {} kills came in time", kills());
        let start = format!("run step start {number}");
        let verify = format!("run step verify {number}");
        let hit = if random.below(2) == 0 {
            let hit = kill_within(site, &start, starting, &mut random);
            let _is_new = repeated(site, &start);
            hit
        } else {
            site.does(&start);
            kill_within(site, &verify, verifying, &mut random)
        };
        killed += usize::from(hit);
        has_no_process(site);
        let _is_new = repeated(site, &verify);
        let step = site.step(number);
        assert_eq!((&step["status"], &step["attempts"]), (&json!("done"), &json!(1)), "{number}");
        if number % 5 == 0 {
            site.agrees();
        }
    }
    assert_eq!(site.count("step_started"), number);
    assert_eq!(site.count("step_verified"), number);
    site.agrees();
}

/// How long a call takes here and now.
#[track_caller]
fn time_of(site: &Site, line: &str) -> Duration {
    let start = Instant::now();
    let _done = durable(site, line).run().ok();
    start.elapsed()
}

/// Kills a call at some moment within a time; whether it had not ended by then.
#[track_caller]
fn kill_within(site: &Site, line: &str, time: Duration, random: &mut Random) -> bool {
    let micros = u64::try_from(time.as_micros()).unwrap();
    let mut child = durable(site, line).spawn();
    thread::sleep(Duration::from_micros(random.below(micros)));
    child.kill().unwrap();
    child.wait().unwrap().signal() == Some(9)
}
