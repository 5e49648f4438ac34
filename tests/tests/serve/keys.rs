//! Who is let in, how often, and what others are told.

use std::net::{Ipv4Addr, SocketAddr};

use serde_json::{Value, json};
use windlass_testkit::http::{Request, Response, follow};
use windlass_testkit::{Home, Served};

use crate::Place;

const WRONG: &str = "wl_00000000_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// Makes a key with the command line.
fn key(home: &Home, role: &str) -> String {
    let words = ["key", "create", "--for", "person:anna", "--role", role, "--json"];
    home.windlass(&words).run().ok().json()["key"].as_str().unwrap().to_owned()
}

fn listed(served: &Served, secret: &str) -> Response {
    served.send(&Request::get("/v1/tasks").bearer(secret))
}

/// A problem without the id of its request.
fn without_instance(answer: &Response) -> Value {
    let mut problem = answer.refused("key_required", 401);
    problem.as_object_mut().unwrap().remove("instance");
    problem
}

#[test]
fn no_key_a_wrong_one_and_a_revoked_one_are_answered_alike() {
    let place = Place::new(&[]);
    let revoked = key(&place.home, "worker");
    let _listed = listed(&place.served, &revoked).ok();
    let _done = place.home.windlass(&["key", "revoke", &revoked[..11]]).run().ok();
    let nothing = place.served.send(&Request::get("/v1/tasks"));
    for secret in [WRONG, &revoked, "", "x", "wlt_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"] {
        let answer = listed(&place.served, secret);
        assert_eq!(without_instance(&answer), without_instance(&nothing), "{secret}");
        assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
    }
}

#[test]
fn other_machines_are_not_served_without_any_key() {
    let home = Home::new();
    let outcome = home.windlass(&["serve", "--listen", "0.0.0.0:0", "--json"]).run();
    let _error = outcome.refused("key_required", 7);
}

#[test]
fn other_machines_are_served_by_keys_alone() {
    let home = Home::new();
    let key = key(&home, "worker");
    let served = Served::start_at(&home, SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)), &[]);
    assert!(!served.token_file().exists());
    assert_eq!(listed(&served, &key).ok().json()["total"], 0);
}

#[test]
fn a_key_that_comes_too_often_is_told_to_wait() {
    let place = Place::new(&["--rate", "1"]);
    let key = key(&place.home, "worker");
    let answers: Vec<Response> = (0..20).map(|_| listed(&place.served, &key)).collect();
    let limited = answers.iter().find(|answer| answer.status != 200).expect("one is too many");
    let _problem = limited.refused("rate_limited", 429);
    assert_eq!(limited.header("retry-after"), Some("1"));
}

#[test]
fn the_token_may_always_come() {
    let place = Place::new(&["--rate", "1"]);
    (0..20).for_each(|_| drop(place.served.get("/v1/tasks").ok()));
}

#[test]
fn wrong_keys_from_one_address_are_bounded_and_keep_nobody_out_who_was_in() {
    let place = Place::new(&[]);
    let key = key(&place.home, "worker");
    let _known = listed(&place.served, &key).ok();
    let answers: Vec<u16> =
        (0..60).map(|number| listed(&place.served, &format!("{WRONG}{number}")).status).collect();
    assert!(answers.contains(&401) && answers.contains(&429), "{answers:?}");
    let _still = listed(&place.served, &key).ok();
    let _token = place.served.get("/v1/tasks").ok();
}

/// The kinds of events that a key is shown.
fn kinds(served: &Served, path: &str, secret: &str) -> Vec<String> {
    let page = served.send(&Request::get(path).bearer(secret)).ok().json();
    let kind = |event: &Value| event.get("kind").or(event.get("type")).cloned();
    let kinds = page["events"].as_array().unwrap().iter().filter_map(kind);
    kinds.map(|kind| kind.as_str().unwrap().to_owned()).collect()
}

#[test]
fn events_about_keys_are_for_admins() {
    let place = Place::new(&[]);
    let (worker, admin) = (key(&place.home, "worker"), key(&place.home, "admin"));
    let made = place.served.get("/v1/events").ok().json()["events"][0].clone();
    let by_maker = format!("/v1/agents/{}/log?limit=5", made["actor"].as_str().unwrap());
    for path in ["/v1/events", &by_maker] {
        let shown = |secret| kinds(&place.served, path, secret);
        assert!(shown(&admin).contains(&"key_created".to_owned()), "{path}");
        assert!(!shown(&worker).contains(&"key_created".to_owned()), "{path}");
    }
    for path in ["/v1/events?kind=key_created", "/v1/events/stream?kind=key_created"] {
        let request = Request::get(path).bearer(&worker);
        let _problem = place.served.send(&request).refused("not_allowed", 403);
    }
}

#[test]
fn a_follower_with_a_worker_key_hears_nothing_of_keys() {
    let place = Place::new(&[]);
    let worker = key(&place.home, "worker");
    let request = Request::get("/v1/events/stream?after=0").bearer(&worker);
    let stream = follow(place.served.address(), &request);
    let _created = place.home.windlass(&["project", "create", "api"]).run().ok();
    assert_eq!(stream.event().unwrap().kind, "project_created");
}

#[test]
fn a_worker_key_cannot_do_what_is_for_admins() {
    let place = Place::new(&[]);
    let key = key(&place.home, "worker");
    let request = Request::json("/v1/ops/key.list", &json!({})).bearer(&key);
    let _problem = place.served.send(&request).refused("not_allowed", 403);
}
