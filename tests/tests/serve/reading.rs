//! Reading by address, and what the API says about itself.

use serde_json::{Value, json};
use windlass_testkit::http::Request;

use crate::Place;

/// Adds a task to the project `api` and answers its id.
fn add(place: &Place, title: &str) -> String {
    let arguments = json!({"title": title, "project": "api", "status": "ready", "tags": ["db"]});
    place.served.op("task.add", &arguments).ok().json()["task_id"].as_str().unwrap().to_owned()
}

fn with_tasks() -> (Place, String) {
    let place = Place::new(&[]);
    let _done = place.home.windlass(&["project", "create", "api"]).run().ok();
    let id = add(&place, "fix the login");
    add(&place, "rotate the keys");
    (place, id)
}

#[test]
fn an_address_answers_what_its_operation_does() {
    let (place, id) = with_tasks();
    let pairs = [
        (
            "/v1/tasks?project=api&tags=db&limit=1".to_owned(),
            "task.list",
            json!({"project": "api", "tags": ["db"], "limit": 1}),
        ),
        (
            format!("/v1/tasks/{id}?view=summary"),
            "task.show",
            json!({"task": id, "view": "summary"}),
        ),
        (format!("/v1/tasks/{id}/history"), "task.history", json!({"task": id})),
        (
            format!("/v1/tasks/{id}/dependencies?dependents=true"),
            "dep.tree",
            json!({"task": id, "dependents": true}),
        ),
        ("/v1/projects".to_owned(), "project.list", json!({})),
        ("/v1/projects/api".to_owned(), "project.show", json!({"name": "api"})),
        ("/v1/events?from=1&limit=2".to_owned(), "events", json!({"from": 1, "limit": 2})),
        ("/v1/search?q=login+fix".to_owned(), "task.search", json!({"query": "login fix"})),
        ("/v1/dependencies?project=api".to_owned(), "dep.list", json!({"project": "api"})),
        ("/v1/hooks?state=all".to_owned(), "hook.list", json!({"state": "all"})),
        ("/v1/workflows/start".to_owned(), "workflow.show", json!({"name": "start"})),
        ("/v1/head".to_owned(), "audit.head", json!({})),
    ];
    for (path, operation, arguments) in pairs {
        let read = place.served.get(&path).ok().json();
        assert_eq!(read, place.served.op(operation, &arguments).ok().json(), "{path}");
    }
}

#[test]
fn an_address_refuses_as_its_operation_does() {
    let (place, _) = with_tasks();
    let get = |path: &str| place.served.get(path);
    let _none = get("/v1/tasks/01ARZ3NDEKTSV4RRFFQ69G5FAV").refused("task_not_found", 404);
    let _short = get("/v1/tasks/x").refused("id_too_short", 422);
    let _other = get("/v1/projects/apis").refused("project_not_found", 404);
    let _word = get("/v1/tasks?status=redy").refused("invalid_value", 422);
    let _number = get("/v1/tasks?limit=many").refused("invalid_value", 422);
    let _twice = get("/v1/tasks?status=ready&status=done").refused("usage", 400);
    let _without = get("/v1/search").refused("invalid_value", 422);
    let unknown = get("/v1/tasks?statsu=ready").refused("unknown_field", 422);
    assert_eq!(unknown["suggestions"], json!(["status"]));
}

#[test]
fn a_problem_says_what_to_do_and_leads_to_its_page() {
    let place = Place::new(&[]);
    let request = Request::get("/v1/tasks/x").header("x-request-id", "mine-7");
    let answer = place.served.send(&request.bearer(&place.served.token()));
    let problem = answer.refused("id_too_short", 422);
    assert_eq!(answer.header("content-type"), Some("application/problem+json"));
    assert_eq!(answer.header("x-request-id"), Some("mine-7"));
    assert_eq!((&problem["status"], &problem["exit"]), (&json!(422), &json!(3)));
    assert_eq!(problem["instance"], "mine-7");
    let page = place.served.send(&Request::get(problem["type"].as_str().unwrap())).ok();
    assert!(page.text().starts_with("# id_too_short\n"), "{page}");
}

#[test]
fn the_description_of_the_api_needs_no_key() {
    let place = Place::new(&[]);
    let document: Value = place.served.send(&Request::get("/openapi.json")).ok().json();
    assert_eq!(document["openapi"], "3.1.0");
    assert!(document["paths"]["/v1/tasks"]["get"].is_object());
}

#[test]
fn every_address_of_the_description_is_there() {
    let place = Place::new(&[]);
    let document: Value = place.served.send(&Request::get("/openapi.json")).ok().json();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys().filter(|key| *key != "parameters") {
            let request = Request::new(&method.to_uppercase(), path);
            let answer = place.served.send(&request);
            let is_open = !methods[method]["security"].is_null();
            let expected: &[u16] = if is_open { &[200, 404] } else { &[401] };
            assert!(expected.contains(&answer.status), "{method} {path}\n{answer}");
        }
    }
}
