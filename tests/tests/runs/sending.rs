//! `kill -9` of calls on a run whose ledger is on PostgreSQL: at everything they send from the
//! transaction on that writes, and at everything they write into the files of the run.
//!
//! A step a kill: each finds the run as the one before it found it, and what any of them left wrong
//! would be there for all that follow.

use std::collections::BTreeSet;
use std::fs;

use windlass_testkit::trace::{Call, Hit, Trace};
use windlass_tests::ledgers::text;

use crate::killing::{durable, has_no_process, is_write_point, repeated, steps, trace_files};
use crate::site::{FILE, Site, on_postgres};

/// More steps than any of these calls has points.
const STEPS: usize = 60;

/// How a transaction begins that writes.
const WRITES: &str = "BEGIN ISOLATION LEVEL READ COMMITTED";

/// A call about a step, and what is true of it before and after.
struct Transition {
    word: &'static str,
    /// Brings a step to where the call begins.
    prepare: fn(&Site, usize),
    event: &'static str,
    status: &'static str,
}

const START: Transition =
    Transition { word: "start", prepare: |_, _| {}, event: "step_started", status: "in_progress" };

const VERIFY: Transition = Transition {
    word: "verify",
    prepare: |site, step| {
        let _started = site.does(&format!("run step start {step}"));
    },
    event: "step_verified",
    status: "done",
};

impl Transition {
    fn line(&self, step: usize) -> String {
        format!("run step {} {step}", self.word)
    }

    /// Kills the call at each of its points, and has each step done by the next call. Gives the
    /// points, and how many kills came after the call took effect and before.
    #[track_caller]
    fn kill_everywhere(
        &self,
        site: &Site,
        trace: impl Fn(&Site, usize, &str) -> Trace,
        points: impl Fn(Vec<Call>) -> Vec<Call>,
    ) -> (Vec<Call>, [usize; 2]) {
        // The first makes folders that all others find.
        (self.prepare)(site, 1);
        let _done = site.does(&self.line(1));
        self.done(site, 1);
        (self.prepare)(site, 2);
        let recording = trace(site, 2, &self.line(2)).record();
        let _answered = recording.outcome.ok();
        self.done(site, 2);
        let points = points(recording.calls);
        // The calls of a thread are counted by themselves, so one thread makes the count exact.
        assert!(points.iter().all(|point| point.thread == points[0].thread), "{points:?}");
        let mut after_and_before = [0, 0];
        for (step, point) in (3..=STEPS).zip(&points) {
            (self.prepare)(site, step);
            let line = self.line(step);
            let injected = trace(site, step, &line).kill_at(&point.name, point.nth);
            assert_eq!(injected.hit, Hit::Killed, "never hit: {point:?}");
            assert_eq!(injected.outcome.signal, Some(9), "{}", injected.outcome);
            has_no_process(site);
            after_and_before[usize::from(repeated(site, &line))] += 1;
            let found = site.step(step);
            assert_eq!((&found["status"], &found["attempts"]), (&self.status.into(), &1.into()));
            assert_eq!(site.count(self.event), step, "{point:?}");
            self.done(site, step);
            site.agrees();
        }
        assert!(points.len() <= STEPS - 2, "{} points", points.len());
        (points, after_and_before)
    }

    /// Ends what is left of the step.
    #[track_caller]
    fn done(&self, site: &Site, step: usize) {
        if self.status != "done" {
            assert_eq!(site.says(&format!("run step verify {step}")), "pass");
        }
    }
}

fn trace_sent(site: &Site, _step: usize, line: &str) -> Trace {
    Trace::of(durable(site, line)).calls(&["sendto"])
}

/// What is sent before the call begins to write leaves nothing.
fn points_sent(mut calls: Vec<Call>) -> Vec<Call> {
    let begins = calls.iter().rposition(|call| call.args.contains(WRITES)).unwrap();
    calls.split_off(begins)
}

fn trace_written(site: &Site, step: usize, line: &str) -> Trace {
    trace_files(site, &text(&site.state()["run_id"]), step, line)
}

fn points_written(calls: Vec<Call>) -> Vec<Call> {
    calls.into_iter().filter(is_write_point).collect()
}

fn many_steps() -> Option<Site> {
    on_postgres(&steps(STEPS, "verify: echo seen\n"))
}

#[track_caller]
fn kill_at_everything_sent(transition: &Transition) {
    let Some(site) = many_steps() else { return };
    let (_, after_and_before) = transition.kill_everywhere(&site, trace_sent, points_sent);
    let both = after_and_before.iter().all(|count| *count > 0);
    assert!(both, "kills on one side of their commits only: {after_and_before:?}");
}

#[track_caller]
fn kill_at_everything_written(transition: &Transition) {
    let Some(site) = many_steps() else { return };
    let (points, _) = transition.kill_everywhere(&site, trace_written, points_written);
    let is_at = |name: &str, folder: &str| {
        points.iter().any(|point| point.name == name && point.path_or_fd.contains(folder))
    };
    for folder in ["/state/.", "/reports/."] {
        assert!(is_at("write", folder) && is_at("rename", folder), "{folder}: {points:?}");
    }
}

#[test]
fn a_start_killed_at_anything_it_sends_to_postgresql_happens_once() {
    kill_at_everything_sent(&START);
}

#[test]
fn a_start_killed_at_anything_it_writes_after_a_commit_to_postgresql_happens_once() {
    kill_at_everything_written(&START);
}

#[test]
fn a_verification_killed_at_anything_it_sends_to_postgresql_counts_once() {
    kill_at_everything_sent(&VERIFY);
}

#[test]
fn a_verification_killed_at_anything_it_writes_around_a_commit_to_postgresql_counts_once() {
    kill_at_everything_written(&VERIFY);
}

/// Each run has a file, and so a name, of its own.
#[test]
fn a_run_whose_start_is_killed_at_anything_it_sends_is_there_or_not_and_hinders_nobody() {
    let Some(site) = on_postgres(&steps(1, "verify: echo seen\n")) else { return };
    let starts = |number: usize| {
        let file = format!("hotl-workflow-demo{number}.md");
        fs::copy(site.folder().join(FILE), site.folder().join(&file)).unwrap();
        trace_sent(&site, 1, &format!("run start {file}"))
    };
    let recording = starts(0).record();
    let _started = recording.outcome.ok();
    let mut known = runs(&site);
    let mut begun = 0;
    for (number, point) in (1..).zip(points_sent(recording.calls)) {
        let injected = starts(number).kill_at(&point.name, point.nth);
        assert_eq!(injected.hit, Hit::Killed, "never hit: {point:?}");
        let now = runs(&site);
        assert!(known.is_subset(&now), "{point:?}");
        for run in now.difference(&known) {
            begun += 1;
            let _works = site.does(&format!("run step start 1 --run-id {run}"));
            let files = site.does(&format!("run files --run-id {run}"));
            let state = site.folder().join(format!(".hotl/state/{run}.json"));
            assert_eq!(fs::read_to_string(state).unwrap(), text(&files["state"]), "{point:?}");
        }
        known = now;
    }
    assert!(begun > 0, "no kill came after its commit");
    assert_eq!(site.ledger.answer(&["doctor", "--rebuild"])["healthy"], true);
}

#[track_caller]
fn runs(site: &Site) -> BTreeSet<String> {
    let listed = site.does("run list");
    listed["runs"].as_array().unwrap().iter().map(|run| text(&run["run_id"])).collect()
}
