//! Sixteen processes at one run, all started at the same moment: one winner of each transition, and
//! nothing lost, on SQLite and on PostgreSQL.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::sync::Barrier;
use std::thread;

use serde_json::json;
use windlass_domain::chain::Hash;
use windlass_testkit::barrier::start_together;
use windlass_testkit::{Outcome, Run};
use windlass_tests::history;
use windlass_tests::ledgers::{Ledger, error_of, text};

use crate::site::{FILE, GATED, Gates, LOW, Site, THREE, everywhere, one_step, workflow};

const CROWD: usize = 16;

/// The same call from everybody, each under a name of its own.
#[track_caller]
fn race(site: &Site, line: impl Fn(usize) -> String) -> Vec<Outcome> {
    let runs: Vec<Run> = (0..CROWD)
        .map(|number| site.call(&line(number)).env("WINDLASS_DATABASE_WAIT", "60s"))
        .collect();
    let children = start_together(&runs);
    runs.iter().zip(children).map(|(run, child)| run.finish(child)).collect()
}

/// The one that won; all others were refused with that code.
#[track_caller]
fn winner(outcomes: Vec<Outcome>, code: &str) -> Outcome {
    let (mut won, refused): (Vec<Outcome>, Vec<Outcome>) =
        outcomes.into_iter().partition(|outcome| outcome.code == Some(0));
    for loser in &refused {
        let _told = error_of(loser, code, 3);
    }
    assert_eq!(won.len(), 1, "{won:?}");
    won.remove(0)
}

/// The log has no gap, the views are what it says, and so are the files.
#[track_caller]
fn is_whole(site: &Site) {
    let log = site.ledger.windlass(&["events"]).run().ok();
    assert_eq!(history::wrong_in_log(&history::events(&log.stdout).unwrap()), []);
    assert_eq!(site.ledger.answer(&["audit", "verify"])["sound"], true);
    site.agrees();
}

/// On each database, with gates that are enforced and with gates that are attested.
#[track_caller]
fn under_both_rules(steps: &str) -> Vec<Site> {
    [Gates::Enforced, Gates::Attested]
        .map(|gates| everywhere(gates, steps))
        .into_iter()
        .flatten()
        .collect()
}

#[test]
fn of_sixteen_that_start_a_step_one_wins_and_the_attempt_counts_once() {
    for site in under_both_rules(THREE) {
        let outcomes = race(&site, |number| format!("run step start 1 --agent w{number}"));
        let won = winner(outcomes, "invalid_transition").json();
        let holder = text(&won["step"]["started_by"]);
        assert_eq!(site.step(1)["attempts"], 1);
        assert_eq!(site.count("step_started"), 1);
        assert_eq!(text(&site.does("run show")["steps"][0]["started_by"]), holder);
        is_whole(&site);
    }
}

/// All of them run the check, since no lock is held meanwhile; one of them is heard.
#[test]
fn of_sixteen_that_verify_a_step_one_is_heard() {
    for site in under_both_rules(&one_step("verify: echo seen by $$\n")) {
        site.does("run step start 1");
        let outcomes = race(&site, |_| "run step verify 1".to_owned());
        let won = winner(outcomes, "invalid_transition");
        assert_eq!(won.json()["done"], "pass");
        assert_eq!(site.count("step_verified"), 1);
        assert_eq!(
            (&site.step(1)["status"], &site.step(1)["attempts"]),
            (&json!("done"), &json!(1))
        );
        // The log is that of the one that was heard, whoever wrote last, and no other is kept.
        let log = site.does("run evidence")["attempts"][0]["checks"][0]["log"].clone();
        let path = PathBuf::from(text(&log["path"]));
        assert_eq!(log["sha256"], json!(Hash::of(&fs::read(&path).unwrap())));
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
        is_whole(&site);
    }
}

#[test]
fn of_sixteen_that_retry_a_step_one_wins_and_the_attempt_counts_once() {
    for site in everywhere(Gates::Enforced, THREE) {
        site.does("run step start 1");
        site.finds("run step verify 1");
        let _won = winner(race(&site, |_| "run step retry 1".to_owned()), "invalid_transition");
        assert_eq!(site.step(1)["attempts"], 2);
        assert_eq!(site.count("step_retried"), 1);
        is_whole(&site);
    }
}

/// Each at a terminal, since only a person decides.
#[test]
fn of_sixteen_who_decide_an_enforced_gate_one_is_heard() {
    for site in everywhere(Gates::Enforced, GATED) {
        site.completes(1);
        let together = Barrier::new(CROWD);
        let outcomes: Vec<Outcome> = thread::scope(|scope| {
            let people: Vec<_> = (0..CROWD)
                .map(|number| {
                    let (site, together) = (&site, &together);
                    let decision = if number % 2 == 0 { "approved" } else { "rejected" };
                    let line = format!("run gate 1 {decision} --reason r --agent p{number} --json");
                    scope.spawn(move || {
                        let call = site.call(&line).env("WINDLASS_DATABASE_WAIT", "60s");
                        together.wait();
                        call.at_terminal(80)
                    })
                })
                .collect();
            people.into_iter().map(|person| person.join().unwrap()).collect()
        });
        let (won, refused): (Vec<_>, Vec<_>) =
            outcomes.into_iter().partition(|outcome| outcome.code == Some(0));
        assert_eq!(won.len(), 1, "{won:?}");
        assert!(refused.iter().all(|loser| loser.code == Some(3)), "{refused:?}");
        assert_eq!(site.count("gate_decided"), 1);
        is_whole(&site);
    }
}

#[test]
fn sixteen_that_ask_for_one_action_under_one_key_get_the_same_one() {
    for site in everywhere(Gates::Attested, THREE) {
        let line = "run action request external_write --target mail --idempotency-key k";
        let answers: Vec<_> = race(&site, |_| line.to_owned())
            .into_iter()
            .map(|outcome| outcome.ok().json())
            .collect();
        assert!(answers.iter().all(|answer| answer["id"] == "action-1"), "{answers:?}");
        let first = answers.iter().filter(|answer| answer["deduplicated"] == false).count();
        assert_eq!(first, 1);
        assert_eq!(site.count("action_requested"), 1);
        is_whole(&site);
    }
}

#[test]
fn sixteen_that_ask_for_actions_of_their_own_each_get_one() {
    for site in everywhere(Gates::Attested, THREE) {
        let outcomes = race(&site, |number| {
            format!("run action request local_write --target t{number} --idempotency-key k{number}")
        });
        let ids: BTreeSet<String> =
            outcomes.into_iter().map(|outcome| text(&outcome.ok().json()["id"])).collect();
        assert_eq!(ids.len(), CROWD);
        assert_eq!(site.state()["external_actions"].as_array().unwrap().len(), CROWD);
        assert_eq!(site.state()["revision"], CROWD);
        is_whole(&site);
    }
}

#[test]
fn of_sixteen_who_claim_a_run_one_owns_it() {
    for site in everywhere(Gates::Enforced, THREE) {
        let outcomes = race(&site, |number| format!("run owner claim --owner o{number}"));
        let won: Vec<_> = outcomes.iter().filter(|outcome| outcome.code == Some(0)).collect();
        assert_eq!(won.len(), 1, "{won:?}");
        assert_eq!(site.state()["controller"]["status"], "active");
        assert_eq!(site.count("run_owner_changed"), 1);
        is_whole(&site);
    }
}

#[test]
fn sixteen_that_finalize_end_the_run_once() {
    for site in everywhere(Gates::Enforced, &one_step("verify: \"true\"\n")) {
        site.completes(1);
        for outcome in race(&site, |_| "run finalize".to_owned()) {
            assert_eq!(outcome.ok().json()["done"], "Run finalized: ready_to_finish");
        }
        assert_eq!(site.count("run_finalized"), 1);
        is_whole(&site);
    }
}

#[test]
fn sixteen_runs_that_start_in_one_folder_have_sixteen_names() {
    for site in everywhere(Gates::Enforced, THREE) {
        let outcomes = race(&site, |_| format!("run start {FILE} --gates enforced"));
        let mut names: BTreeSet<String> =
            outcomes.into_iter().map(|outcome| text(&outcome.ok().json()["run_id"])).collect();
        names.insert(text(&site.ledger.answer(&["run", "list"])["runs"][CROWD]["run_id"]));
        assert_eq!(names.len(), CROWD + 1);
        let states = site.files().into_iter().filter(|(path, _)| path.contains("/state/"));
        assert_eq!(states.count(), CROWD + 1);
    }
}

/// They look whether there is a run already, and none of them finds one.
#[test]
fn of_sixteen_that_drive_a_file_one_begins_a_run() {
    let ledgers = [Some(Ledger::on_sqlite()), Ledger::on_postgres()];
    for ledger in ledgers.into_iter().flatten() {
        let site = Site { ledger, gates: Gates::Enforced };
        site.has(FILE, &workflow(LOW, &one_step("verify: \"true\"\n")));
        let outcomes = race(&site, |_| format!("run exec {FILE} --in-place --harness true"));
        let won = winner(outcomes, "run_unfinished").json();
        assert_eq!(won["run"]["status"], "ready_to_finish");
        assert_eq!(site.count("run_started"), 1);
        is_whole(&site);
    }
}
