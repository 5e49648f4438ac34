//! Bodies that are wrong, too long or too slow.

use serde_json::json;
use windlass_testkit::http::Request;

use crate::Place;

/// Posts a text to an operation.
fn posted(place: &Place, operation: &str, body: &str) -> windlass_testkit::http::Response {
    let request = Request::post(&format!("/v1/ops/{operation}"), body);
    place.served.send(&request.bearer(&place.served.token()))
}

#[test]
fn malformed_json_is_refused() {
    let place = Place::new(&[]);
    let _problem = posted(&place, "task.add", "{\"title\":").refused("usage", 400);
}

#[test]
fn a_body_that_is_no_object_is_refused() {
    let place = Place::new(&[]);
    let _problem = posted(&place, "task.add", "[1, 2]").refused("usage", 400);
}

#[test]
fn json_that_is_nested_without_end_is_refused() {
    let place = Place::new(&[]);
    let _problem = posted(&place, "task.add", &"[".repeat(200_000)).refused("usage", 400);
}

#[test]
fn a_body_that_is_no_text_is_refused() {
    let place = Place::new(&[]);
    let request = Request::post("/v1/ops/task.add", b"{\"title\":\"\xff\xfe\"}".to_vec());
    let _problem = place.served.send(&request.bearer(&place.served.token())).refused("usage", 400);
}

#[test]
fn a_value_of_the_wrong_type_is_refused() {
    let place = Place::new(&[]);
    let answer = place.served.op("task.add", &json!({"title": 7}));
    let problem = answer.refused("invalid_value", 422);
    assert_eq!(problem["detail"], "title 7 is not text");
    assert_eq!(problem["details"]["field"], "title");
    let problem = place.served.get("/v1/tasks?limit=-1").refused("invalid_value", 422);
    assert_eq!(problem["details"]["field"], "limit");
}

#[test]
fn a_name_that_is_there_twice_is_refused() {
    let place = Place::new(&[]);
    let twice = "{\"title\":\"a\",\"title\":\"b\"}";
    let _problem = posted(&place, "task.add", twice).refused("usage", 400);
}

#[test]
fn a_body_that_is_packed_is_refused() {
    let place = Place::new(&[]);
    let request = Request::post("/v1/ops/task.add", b"\x1f\x8b".to_vec());
    let request = request.header("content-encoding", "gzip").bearer(&place.served.token());
    let _problem = place.served.send(&request).refused("usage", 415);
}

#[test]
fn an_unknown_field_is_refused_with_what_may_have_been_meant() {
    let place = Place::new(&[]);
    let problem = place.served.op("task.add", &json!({"titel": "x"})).refused("unknown_field", 422);
    assert_eq!(problem["suggestions"], json!(["title"]));
}

#[test]
fn an_unknown_operation_is_refused_with_what_may_have_been_meant() {
    let place = Place::new(&[]);
    let problem = place.served.op("task.ad", &json!({})).refused("operation_not_found", 404);
    assert_eq!(problem["suggestions"], json!(["task.add"]));
}

#[test]
fn an_operation_on_local_files_is_refused() {
    let place = Place::new(&[]);
    let answer = place.served.op("backup", &json!({"path": "/tmp/x"}));
    let _problem = answer.refused("workplace_only", 409);
}

#[test]
fn a_body_that_says_it_is_too_long_is_refused_before_any_of_it_is_read() {
    let place = Place::new(&[]);
    let mut wire = place.wire();
    wire.say(place.head("task.add") + "content-length: 100000000\r\n\r\n");
    assert_eq!(wire.status(), 413);
}

#[test]
fn whoever_sends_a_hundred_megabytes_all_the_same_hears_the_refusal() {
    let place = Place::new(&[]);
    let mut wire = place.wire();
    wire.say(place.head("task.add") + "content-length: 100000000\r\n\r\n");
    let part = vec![b' '; 1_000_000];
    (0..100).for_each(|_| wire.say(&part));
    assert_eq!(wire.status(), 413);
}

#[test]
fn a_body_that_hides_its_length_is_read_no_further_than_others() {
    let place = Place::new(&[]);
    let mut wire = place.wire();
    wire.say(place.head("task.add") + "transfer-encoding: chunked\r\n\r\n");
    let chunk = [b"10000\r\n".as_slice(), &vec![b' '; 0x10000], b"\r\n"].concat();
    (0..160).for_each(|_| wire.say(&chunk));
    assert_eq!(wire.status(), 413);
}

#[test]
fn a_body_that_does_not_come_is_not_waited_for_without_end() {
    let place = Place::new(&[]);
    let mut wire = place.wire();
    wire.say(place.head("task.add") + "content-length: 20\r\n\r\n{");
    assert_eq!(wire.status(), 408);
}

#[test]
fn a_body_that_is_cut_off_changes_nothing() {
    let place = Place::new(&[]);
    let mut wire = place.wire();
    wire.say(place.head("task.add") + "content-length: 60\r\n\r\n{\"title\": \"half\"");
    drop(wire);
    let list = place.served.get("/v1/tasks").ok().json();
    assert_eq!(list["total"], 0);
}
