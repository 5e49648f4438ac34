//! `timeline`, and what `stats` and `agent status` tell of a window: who held what when, how much was
//! finished and added, how long it took and how long the queue waits.

#![expect(clippy::unwrap_used, reason = "an answer of another shape ends its test")]

use serde_json::{Value, json};
use windlass_tests::ledgers::{Ledger, error_of, text};
use windlass_tests::office::{Office, in_office};

const MINUTE: i64 = 60_000;

/// Title, agent, fence, minutes from the beginning of the window to both ends, and how it ended.
fn told(lanes: &Value) -> Vec<String> {
    let since = windlass_domain::Time::parse("since", &text(&lanes["since"])).unwrap();
    let minutes = |value: &Value| match value.as_str() {
        Some(time) => {
            let time = windlass_domain::Time::parse("time", time).unwrap();
            (time.millis_since(since) / MINUTE).to_string()
        }
        None => String::new(),
    };
    let line = |claim: &Value| {
        let ended = claim["ended"].as_str().unwrap_or("held");
        let (from, until) = (minutes(&claim["from"]), minutes(&claim["until"]));
        let title = claim["title"].as_str().unwrap_or("gone");
        format!("{title} {}/{} {from}-{until} {ended}", text(&claim["agent"]), claim["fence"])
    };
    lanes["claims"].as_array().unwrap().iter().map(line).collect()
}

fn timeline(office: &mut Office, input: Value) -> Vec<String> {
    told(&office.run("timeline", input))
}

#[test]
fn every_way_in_which_a_claim_ends_is_told_the_newest_first() {
    in_office(|office| {
        let done = office.held("done", "ada", json!({}));
        let given_back = office.held("given back", "bob", json!({}));
        office.after_minutes(10);
        office.run("task.complete", json!({"task": done, "agent": "ada"}));
        office.run("task.release", json!({"task": given_back, "agent": "bob"}));
        let stolen = office.held("stolen", "ada", json!({}));
        let expired = office.held("expired", "cyd", json!({}));
        office.after_minutes(10);
        office.run("task.steal", json!({"task": stolen, "agent": "bob", "force": true}));
        office.after_minutes(60);
        office.run("task.claim", json!({"task": expired, "agent": "bob"}));
        let expected = [
            "expired bob/2 80- held",
            "stolen bob/2 20- held",
            "expired cyd/1 10-80 expired",
            "stolen ada/1 10-20 taken_over",
            "given back bob/1 0-10 released",
            "done ada/1 0-10 done",
        ];
        let mut told = timeline(office, json!({"window": "80m"}));
        // What began together is in no order.
        told[2..].sort();
        let mut sorted = expected;
        sorted[2..].sort_unstable();
        assert_eq!(told, sorted);
    });
}

#[test]
fn what_was_blocked_and_gone_on_with_is_held_twice_under_one_fence() {
    in_office(|office| {
        let task = office.held("login", "ada", json!({}));
        office.after_minutes(5);
        office.run("task.block", json!({"task": task, "agent": "ada"}));
        office.after_minutes(5);
        office.run("task.unblock", json!({"task": task, "agent": "ada"}));
        office.after_minutes(5);
        office.run("task.complete", json!({"task": task, "agent": "ada"}));
        let expected = ["login ada/1 10-15 done", "login ada/1 0-5 blocked"];
        assert_eq!(timeline(office, json!({"window": "15m"})), expected);
    });
}

#[test]
fn a_claim_from_before_the_window_is_told_with_its_own_beginning() {
    in_office(|office| {
        let ended = office.held("ended", "ada", json!({}));
        office.held("goes on", "bob", json!({}));
        let before = office.held("ended before", "cyd", json!({}));
        // More than is looked through at first lies between the claim and its end.
        for step in 0..40 {
            let text = format!("step {step}");
            office.run("task.comment", json!({"task": ended, "text": text, "author": "ada"}));
        }
        office.run("task.complete", json!({"task": before, "agent": "cyd"}));
        office.after_minutes(120);
        office.run("task.complete", json!({"task": ended, "agent": "ada"}));
        let mut told = timeline(office, json!({"window": "60m"}));
        told.sort();
        assert_eq!(told, ["ended ada/1 -60-60 done", "goes on bob/1 -60- held"]);
    });
}

#[test]
fn the_timeline_of_a_project_an_agent_and_so_many_claims() {
    in_office(|office| {
        for project in ["api", "web"] {
            office.run("project.create", json!({ "name": project }));
        }
        office.held("one", "ada", json!({"project": "api"}));
        office.after_minutes(1);
        office.held("two", "bob", json!({"project": "web"}));
        office.after_minutes(1);
        office.held("three", "ada", json!({"project": "web"}));
        let mut titles = |input: Value| -> Vec<String> {
            let lanes = office.run("timeline", input);
            lanes["claims"].as_array().unwrap().iter().map(|claim| text(&claim["title"])).collect()
        };
        assert_eq!(titles(json!({"project": "web"})), ["three", "two"]);
        assert_eq!(titles(json!({"agent": "ada"})), ["three", "one"]);
        assert_eq!(titles(json!({"limit": 1})), ["three"]);
        assert_eq!(office.run("timeline", json!({"limit": 1}))["total"], 3);
    });
}

#[test]
fn a_lease_that_ran_out_is_told_of_who_still_holds_the_task() {
    let mut office = Office::on(Ledger::on_sqlite());
    office.held("forgotten", "ada", json!({}));
    office.after_minutes(90);
    let lanes = office.run("timeline", json!({}));
    assert_eq!(
        (&lanes["claims"][0]["ended"], &lanes["claims"][0]["lease_expired"]),
        (&json!(null), &json!(true))
    );
}

#[test]
fn what_was_pruned_does_not_stop_the_timeline() {
    let mut office = Office::on(Ledger::on_sqlite());
    let gone = office.held("gone", "ada", json!({}));
    office.run("task.complete", json!({"task": gone, "agent": "ada"}));
    office.after_minutes(60 * 24 * 2);
    office.held("here", "ada", json!({}));
    office.run("task.prune", json!({"older_than": "1d", "all": true, "yes": true}));
    assert_eq!(timeline(&mut office, json!({"window": "7d"})).len(), 1);
}

#[test]
fn a_timeline_refuses_a_window_that_is_none() {
    let ledger = Ledger::on_sqlite();
    for window in ["0", "soon", "-1h"] {
        let outcome = ledger.windlass(&["timeline", "--window", window]).run();
        let _refused = error_of(&outcome, "invalid_value", 3);
    }
}

// The work of each agent

#[test]
fn the_work_of_an_agent_is_what_became_of_its_claims() {
    in_office(|office| {
        for title in ["one", "two", "three"] {
            let task = office.held(title, "ada", json!({}));
            office.run("task.complete", json!({"task": task, "agent": "ada"}));
        }
        let back = office.held("back", "ada", json!({}));
        office.run("task.release", json!({"task": back, "agent": "ada"}));
        office.held("still", "ada", json!({}));
        let status = office.run("agent.status", json!({"agent": "ada", "window": "1h"}));
        let expected = json!({"completed": 3, "ended": 4, "failed": 1, "failureRate": 0.25});
        assert_eq!(status["agents"][0]["work"], expected);
        office.after_minutes(61);
        let later = office.run("agent.status", json!({"agent": "ada", "window": "1h"}));
        let nothing = json!({"completed": 0, "ended": 0, "failed": 0, "failureRate": null});
        assert_eq!(later["agents"][0]["work"], nothing);
    });
}

#[test]
fn work_is_counted_only_where_a_window_is_given() {
    let mut office = Office::on(Ledger::on_sqlite());
    office.held("one", "ada", json!({}));
    assert!(office.run("agent.status", json!({}))["agents"][0].get("work").is_none());
}

// The numbers of a window

#[test]
fn what_was_finished_and_added_is_told_step_by_step() {
    in_office(|office| {
        office.held("before", "ada", json!({}));
        office.after_minutes(10);
        let one = office.held("one", "ada", json!({}));
        office.held("two", "bob", json!({}));
        office.after_minutes(6);
        office.run("task.complete", json!({"task": one, "agent": "ada"}));
        office.after_minutes(4);
        let stats = office.run("stats", json!({"window": "10m"}));
        assert_eq!(
            (&stats["throughput"]["step"], &stats["throughput"]["added"]),
            (&json!("5m"), &json!(2))
        );
        let series = stats["throughput"]["series"].as_array().unwrap();
        let counts: Vec<[Value; 2]> = series
            .iter()
            .map(|bucket| [bucket["completed"].clone(), bucket["added"].clone()])
            .collect();
        assert_eq!(counts, [[json!(0), json!(2)], [json!(1), json!(0)]]);
        assert_eq!(stats["completions"]["total"], 1);
    });
}

#[test]
fn lead_time_begins_with_the_task_and_cycle_time_with_its_claim() {
    in_office(|office| {
        let added = office.run("task.add", json!({"title": "slow", "status": "ready"}));
        let slow = text(&added["task_id"]);
        office.after_minutes(30);
        office.run("task.claim", json!({"task": slow, "agent": "ada"}));
        office.after_minutes(10);
        office.run("task.complete", json!({"task": slow, "agent": "ada"}));
        let by_hand = office.run("task.add", json!({"title": "by hand", "status": "ready"}));
        office.run("task.set-status", json!({"task": by_hand["task_id"], "status": "done"}));
        let stats = office.run("stats", json!({}));
        let lead = json!({"count": 2, "p50": 0, "p90": 40 * MINUTE});
        let cycle = json!({"count": 1, "p50": 10 * MINUTE, "p90": 10 * MINUTE});
        assert_eq!((&stats["lead_time_ms"], &stats["cycle_time_ms"]), (&lead, &cycle));
    });
}

#[test]
fn the_age_of_the_queue_is_that_of_ready_tasks() {
    in_office(|office| {
        let empty = office.run("stats", json!({}))["queue_age_ms"].clone();
        assert_eq!(empty, json!({"oldest": null, "p50": null}));
        for title in ["oldest", "middle", "newest"] {
            office.run("task.add", json!({"title": title, "status": "ready"}));
            office.after_minutes(10);
        }
        office.run("task.add", json!({"title": "not ready"}));
        office.held("taken", "ada", json!({}));
        let age = office.run("stats", json!({}))["queue_age_ms"].clone();
        assert_eq!(age, json!({"oldest": 30 * MINUTE, "p50": 20 * MINUTE}));
    });
}
