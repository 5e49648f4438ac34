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

/// A request of a stranger that is wrong in some other way too.
fn wrong_in_two_ways(secret: &str) -> Vec<Request> {
    let body = "{\"title\":";
    vec![
        Request::post("/v1/ops/task.add", body).bearer(secret),
        Request::post("/v1/ops/task.ad", "{}").bearer(secret),
        Request::post("/v1/ops/task.add", "{}").bearer(secret).header("windlass-fence", "x"),
        Request::post("/v1/ops/task.add", "{}").bearer(secret).header("windlass-version", "9"),
        Request::get("/v1/tasks?limit=many").bearer(secret),
        Request::get("/v1/events/stream?after=x").bearer(secret),
    ]
}

#[test]
fn whoever_has_no_valid_key_learns_nothing_else_about_a_request() {
    let place = Place::new(&[]);
    for request in wrong_in_two_ways(WRONG) {
        let _problem = place.served.send(&request).refused("key_required", 401);
    }
}

#[test]
fn a_wrong_key_is_counted_whatever_else_is_wrong() {
    let place = Place::new(&[]);
    let mut requests = wrong_in_two_ways(WRONG).into_iter().cycle();
    let limited = (0..40).any(|_| place.served.send(&requests.next().unwrap()).status == 429);
    assert!(limited);
}

#[test]
fn a_body_of_somebody_with_a_wrong_key_is_not_waited_for() {
    let place = Place::new(&[]);
    let mut wire = place.wire();
    wire.say(format!(
        "POST /v1/ops/task.add HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {WRONG}\r\n\
         connection: close\r\ncontent-length: 1000000\r\n\r\n"
    ));
    assert_eq!(wire.status(), 401);
}

#[test]
fn a_valid_key_that_is_refused_everything_is_told_to_wait_all_the_same() {
    let place = Place::new(&["--rate", "1"]);
    let key = key(&place.home, "worker");
    let asked = || Request::json("/v1/ops/key.list", &json!({})).bearer(&key);
    let answers: Vec<u16> = (0..20).map(|_| place.served.send(&asked()).status).collect();
    assert!(answers.contains(&403) && answers.contains(&429), "{answers:?}");
}

#[test]
fn wrong_keys_do_not_push_out_what_keys_were_refused() {
    let place = Place::new(&[]);
    let key = key(&place.home, "worker");
    let refused = Request::json("/v1/ops/key.list", &json!({}));
    let _wrong = place.served.send(&refused.clone().bearer(WRONG)).refused("key_required", 401);
    let _noted = place.served.send(&refused.bearer(&key)).refused("not_allowed", 403);
    // What is written later comes after the notes.
    let _added = place.served.op("project.create", &json!({"name": "later"})).ok();
    let kept = place.served.op("key.refusals", &json!({})).ok().json();
    let codes: Vec<_> =
        kept["refusals"].as_array().unwrap().iter().map(|one| &one["code"]).collect();
    assert_eq!(codes, [&json!("not_allowed")]);
    let metrics = place.served.get("/metrics").ok().text();
    assert!(metrics.contains("windlass_wrong_keys_total 1\n"), "{metrics}");
}

#[test]
fn wrong_keys_of_others_behind_a_proxy_keep_no_new_key_out() {
    let place = Place::new(&[]);
    let key = key(&place.home, "worker");
    let tried = (0..60).map(|number| listed(&place.served, &format!("{WRONG}{number}")));
    let last = tried.fold(None, |_, answer| Some(answer));
    assert_eq!(last.unwrap().status, 429);
    let _new = listed(&place.served, &key).ok();
}

#[test]
fn defect_5_nobody_gets_a_key_who_has_none() {
    let place = Place::new(&[]);
    let worker = key(&place.home, "worker");
    let wanted = json!({"for": "person:eve", "role": "admin"});
    let request = || Request::json("/v1/ops/key.create", &wanted);
    let _refused = place.served.send(&request()).refused("key_required", 401);
    let _refused = place.served.send(&request().bearer(WRONG)).refused("key_required", 401);
    let _refused = place.served.send(&request().bearer(&worker)).refused("not_allowed", 403);
    let keys = place.home.windlass(&["key", "list", "--json"]).run().ok().json()["keys"].clone();
    assert_eq!(keys.as_array().unwrap().len(), 1, "{keys}");
}
