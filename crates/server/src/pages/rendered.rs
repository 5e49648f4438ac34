//! Whole pages, made from a real ledger and asked for as a browser does.

use axum::http::{StatusCode, header};
use serde_json::{Value, json};

use crate::indoors::{Answer, Indoors, TOKEN, request};
use crate::ticket;

/// What must never be alive on a page.
const ATTACK: &str = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'&";

fn column<'a>(page: &'a Answer, status: &str) -> &'a str {
    page.between(&format!("<section class=\"column\" id=\"column-{status}\""), "</section>")
}

#[test]
fn the_board_shows_each_task_in_its_column_with_what_it_waits_for() {
    let pages = Indoors::new();
    let store = pages.add("choose a store", json!({"priority": 2, "tags": ["a", "b", "c", "d"]}));
    pages.add("fix the login", json!({"depends_on": [store]}));
    pages.add("some idea", json!({"status": "backlog", "due": "2020-01-01"}));
    let held = pages.add("held", json!({}));
    pages.does("task.claim", json!({"task": held, "agent": "worker-1", "lease": "2m"}));
    let stuck = pages.add("stuck", json!({}));
    pages.does("task.claim", json!({"task": stuck, "agent": "worker-2"}));
    pages.does("task.block", json!({"task": stuck, "comment": "no access"}));
    let board = pages.get("/");
    assert_eq!(board.status, StatusCode::OK);
    let ready = column(&board, "ready");
    assert!(ready.contains("choose a store") && ready.contains("P2") && ready.contains("+1"));
    assert!(ready.contains("Waits for"), "{ready}");
    assert!(column(&board, "backlog").contains("overdue"));
    let in_progress = column(&board, "in_progress");
    assert!(in_progress.contains("worker-1") && in_progress.contains("lease ends"));
    assert!(column(&board, "blocked").contains("no access"));
    assert!(column(&board, "done").contains("Nothing is done yet."));
}

#[test]
fn filters_in_the_address_narrow_the_board() {
    let pages = Indoors::new();
    pages.does("project.create", json!({"name": "api"}));
    pages.add("alpha", json!({"project": "api", "tags": ["db"]}));
    pages.add("beta", json!({"agent": "worker-1", "due": "2020-01-01"}));
    let shown = |path: &str| {
        let ready = column(&pages.get(path), "ready").to_owned();
        (ready.contains("alpha"), ready.contains("beta"))
    };
    assert_eq!(shown("/"), (true, true));
    for path in ["/?project=api", "/?tag=db", "/?q=alpha"] {
        assert_eq!(shown(path), (true, false), "{path}");
    }
    for path in ["/?agent=worker-1", "/?due=overdue", "/?due=week", "/?q=beta&tag="] {
        assert_eq!(shown(path), (false, true), "{path}");
    }
    assert_eq!(pages.get("/?project=nowhere").status, StatusCode::NOT_FOUND);
}

#[test]
fn a_long_column_is_shown_in_part_and_can_be_paged_through() {
    let pages = Indoors::new();
    for number in 0..51 {
        pages.add(&format!("task number {number}"), json!({}));
    }
    let board = pages.get("/");
    assert_eq!(column(&board, "ready").matches("<li class=\"card\"").count(), 50);
    assert!(column(&board, "ready").contains("Show all 51"));
    let last = pages.get("/?status=ready&page=2");
    assert_eq!(last.text.matches("<li class=\"card\"").count(), 1);
    assert!(last.text.contains("Page 2 of 2") && last.text.contains("rel=\"prev\""));
}

#[test]
fn what_is_done_last_comes_first() {
    let pages = Indoors::new();
    for title in ["first", "second"] {
        let id = pages.add(title, json!({"priority": 0}));
        pages.does("task.claim", json!({"task": id, "agent": "w"}));
        pages.does("task.complete", json!({"task": id, "agent": "w"}));
    }
    let board = pages.get("/");
    let done = column(&board, "done");
    assert!(done.find("second").unwrap() < done.find("first").unwrap());
}

#[test]
fn the_page_of_a_task_tells_everything_about_it() {
    let pages = Indoors::new();
    let store = pages.add("choose a store", json!({}));
    let more = json!({
        "depends_on": [store], "links": ["https://example.org/1", "docs/a.md"],
        "metadata": {"customer": "ACME"}, "description": "It **forgets** you.",
    });
    let id = pages.add("fix the login", more);
    pages.add("tell them", json!({"depends_on": [id]}));
    pages.add("reproduce it", json!({"parent": id}));
    let page = pages.get(&format!("/tasks/{id}"));
    for told in [
        "<strong>forgets</strong>",
        "Why nobody is working on it",
        "Waits for",
        "Needed by",
        "Subtasks",
        "href=\"https://example.org/1\" rel=\"noopener noreferrer nofollow\"",
        "<code>docs/a.md</code>",
        "ACME",
        "task created",
        "Chain verified up to event",
    ] {
        assert!(page.text.contains(told), "{told}");
    }
    pages.does("task.claim", json!({"task": store, "agent": "worker-1"}));
    pages.does(
        "task.checkpoint",
        json!({"task": store, "name": "half way", "progress": 40, "data": {"file": "a.rs"}}),
    );
    pages.does("task.comment", json!({"task": store, "text": "see _this_"}));
    pages.does("task.release", json!({"task": store}));
    let page = pages.get(&format!("/tasks/{}", &store[20..]));
    for told in ["half way", "a.rs", "<em>this</em>", "Claims", "released", "Claim it"] {
        assert!(page.text.contains(told), "{told}");
    }
}

#[test]
fn no_text_of_a_task_is_alive_on_a_page() {
    let pages = Indoors::new();
    let title = format!("title {ATTACK}");
    let more = json!({
        "description": ATTACK, "tags": ["<b>tag</b>"], "links": [format!("javascript:{ATTACK}")],
        "metadata": {ATTACK: ATTACK},
    });
    let id = pages.add(&title, more);
    pages.does("task.claim", json!({"task": id, "agent": "<u>agent</u>"}));
    pages.does("task.checkpoint", json!({"task": id, "name": ATTACK, "data": {ATTACK: ATTACK}}));
    pages.does("task.comment", json!({"task": id, "text": ATTACK}));
    pages.does("task.block", json!({"task": id, "comment": ATTACK}));
    let asked = "/?q=title&agent=%3Cscript%3Ealert(1)&tag=%3Cscript%3Ealert(1)";
    for path in ["/", &format!("/tasks/{id}"), asked, "/tasks/%3Cscript%3Ealert(1)"] {
        let page = pages.get(path);
        for alive in ["<script>alert", "<img", "<b>tag", "<u>agent", "href=\"javascript:"] {
            assert!(!page.text.contains(alive), "{path}: {alive}");
        }
    }
    let refused =
        pages.post("/do/task.complete", &format!("task={id}&comment=%3Cimg%20src%3Dx%3E"));
    assert!(!refused.text.contains("<img"));
}

#[test]
fn a_form_does_an_operation_and_leads_back() {
    let pages = Indoors::new();
    let form = "title=from+a+form&status=ready&priority=1&tags=a,b&back=%2F%3Ftag%3Da";
    let answer = pages.post("/do/task.add", form);
    assert_eq!(answer.status, StatusCode::SEE_OTHER);
    assert_eq!(answer.header(header::LOCATION), "/?tag=a");
    assert!(column(&pages.get("/"), "ready").contains("from a form"));
    let foreign = pages.post("/do/task.add", "title=x&back=https%3A%2F%2Fevil.example%2F");
    assert_eq!(foreign.header(header::LOCATION), "/");
}

#[test]
fn a_refusal_keeps_what_was_typed_and_offers_what_the_rules_allow() {
    let pages = Indoors::new();
    let id = pages.add("held by another", json!({}));
    pages.does("task.claim", json!({"task": id, "agent": "worker-1"}));
    let form = format!("task={id}&agent=worker-2&comment=my+long+words&back=%2Ftasks%2F{id}");
    let refused = pages.post("/do/task.complete", &form);
    assert_eq!(refused.status, StatusCode::CONFLICT);
    assert!(refused.text.contains("stale_claim") && refused.text.contains("my long words"));
    assert!(refused.text.contains("name=\"force\"") && refused.text.contains("name=\"reason\""));
    let forced = pages.post("/do/task.complete", &format!("{form}&force=true&reason=they+left"));
    assert_eq!(forced.status, StatusCode::SEE_OTHER);
    assert!(column(&pages.get("/"), "done").contains("held by another"));
    assert_eq!(pages.post("/do/task.nothing", "").status, StatusCode::NOT_FOUND);
}

#[test]
fn a_script_gets_the_same_answers_as_over_the_api() {
    let pages = Indoors::new();
    let asked = |form: &str| {
        let mut request = request("POST", "/do/task.add", &pages.cookie, form);
        request.headers_mut().insert(header::ACCEPT, "application/json".parse().unwrap());
        pages.ask(request)
    };
    let done = asked("title=from+a+script");
    assert_eq!(done.status, StatusCode::OK);
    let answer: Value = serde_json::from_str(&done.text).unwrap();
    assert_eq!(answer["title"], "from a script");
    let refused = asked("title=x&status=nonsense");
    assert_eq!(refused.header(header::CONTENT_TYPE), "application/problem+json");
    let problem: Value = serde_json::from_str(&refused.text).unwrap();
    assert_eq!(problem["code"], "invalid_value");
}

#[test]
fn who_is_not_let_in_is_asked_who_they_are_and_told_nothing() {
    let pages = Indoors::new();
    pages.add("a secret plan", json!({}));
    let key = pages.does("key.create", json!({"for": "person:berta", "role": "worker"}));
    let key = format!("windlass_7077={}", key["key"].as_str().unwrap());
    let token = format!("windlass_7077={TOKEN}");
    for cookie in ["", "windlass_7077=wrong", "windlass_7077=", &token, &key] {
        for path in ["/", "/tasks/ABCDEF", "/help"] {
            let page = pages.ask(request("GET", path, cookie, ""));
            assert_eq!(page.status, StatusCode::UNAUTHORIZED, "{path} {cookie}");
            assert!(page.text.contains("Sign in") && !page.text.contains("secret plan"));
        }
        let done = pages.ask(request("POST", "/do/task.add", cookie, "title=x"));
        assert_eq!(done.status, StatusCode::UNAUTHORIZED);
    }
}

#[test]
fn a_ticket_in_the_address_brings_a_cookie_once_and_nothing_else_does() {
    let pages = Indoors::new();
    let enter = |secret: &str| pages.ask(request("GET", &format!("/enter?token={secret}"), "", ""));
    let ticket = ticket::ticket(TOKEN, windlass_ledger::Clock::now(&windlass_ledger::SystemClock));
    let ticket = ticket.unwrap();
    let own = enter(&ticket);
    assert_eq!((own.status, own.header(header::LOCATION)), (StatusCode::SEE_OTHER, "/"));
    assert!(own.header(header::SET_COOKIE).starts_with("windlass_7077="));
    let made = pages.does("key.create", json!({"for": "person:berta", "role": "worker"}));
    let key = made["key"].as_str().unwrap();
    for wrong in [ticket.as_str(), TOKEN, key, "wrong", "wl_12345678_x"] {
        let refused = enter(wrong);
        assert_eq!(refused.status, StatusCode::UNAUTHORIZED, "{wrong}");
        assert!(refused.headers.get(header::SET_COOKIE).is_none());
    }
}

#[test]
fn the_token_or_a_key_in_a_form_brings_a_cookie_that_is_neither() {
    let pages = Indoors::new();
    let made = pages.does("key.create", json!({"for": "person:berta", "role": "worker"}));
    for secret in [TOKEN, made["key"].as_str().unwrap()] {
        let form = format!("key={secret}&back=//evil.example");
        let typed = pages.ask(request("POST", "/enter", "", &form));
        assert_eq!((typed.status, typed.header(header::LOCATION)), (StatusCode::SEE_OTHER, "/"));
        let cookie = typed.header(header::SET_COOKIE);
        assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
        assert!(!cookie.contains(secret) && !cookie.contains("Secure"), "{cookie}");
    }
    let wrong = pages.ask(request("POST", "/enter", "", "key=wl_12345678_x"));
    assert_eq!(wrong.status, StatusCode::UNAUTHORIZED);
    assert!(wrong.headers.get(header::SET_COOKIE).is_none());
}

#[test]
fn over_tls_the_cookie_never_goes_another_way() {
    let pages = Indoors::new();
    let mut typed = request("POST", "/enter", "", &format!("key={TOKEN}"));
    let host = typed.headers()[header::HOST].to_str().unwrap().to_owned();
    typed.headers_mut().insert(header::ORIGIN, format!("https://{host}").parse().unwrap());
    assert!(pages.ask(typed).header(header::SET_COOKIE).contains("; Secure"));
}

#[test]
fn a_cookie_opens_nothing_once_its_owner_has_left() {
    let pages = Indoors::new();
    let cookie = pages.enter(TOKEN);
    let board = || pages.ask(request("GET", "/", &cookie, "")).status;
    assert_eq!(board(), StatusCode::OK);
    pages.ask(request("POST", "/leave", &cookie, ""));
    assert_eq!(board(), StatusCode::UNAUTHORIZED);
    assert_eq!(pages.get("/").status, StatusCode::OK);
}

#[test]
fn the_stay_of_a_key_ends_with_the_key() {
    let pages = Indoors::new();
    let made = pages.does("key.create", json!({"for": "person:berta", "role": "worker"}));
    let cookie = pages.enter(made["key"].as_str().unwrap());
    assert_eq!(pages.ask(request("GET", "/", &cookie, "")).status, StatusCode::OK);
    pages.does("key.revoke", json!({"key": made["key_id"]}));
    assert_eq!(pages.ask(request("GET", "/", &cookie, "")).status, StatusCode::UNAUTHORIZED);
}

#[test]
fn whoever_has_a_key_acts_as_its_owner() {
    let pages = Indoors::new();
    let made = pages.does("key.create", json!({"for": "person:berta", "role": "worker"}));
    let cookie = pages.enter(made["key"].as_str().unwrap());
    pages.ask(request("POST", "/enter/as", &cookie, "name=anna"));
    let page = pages.ask(request("GET", "/", &cookie, ""));
    assert!(page.text.contains("data-person=\"berta\"") && !page.text.contains("/enter/as"));
    pages.ask(request("POST", "/do/task.add", &cookie, "title=by+berta"));
    let events = pages.does("events", json!({"limit": 100}));
    assert!(events.to_string().contains("berta"), "{events}");
}

#[test]
fn the_user_of_the_machine_may_act_under_another_name_until_they_leave() {
    let pages = Indoors::new();
    let cookie = pages.enter(TOKEN);
    let acts_as = |name: &str| {
        let page = pages.ask(request("GET", "/", &cookie, "")).text;
        page.contains(&format!("data-person=\"{name}\""))
    };
    assert!(acts_as("anna"));
    pages.ask(request("POST", "/enter/as", &cookie, "name=M%C3%A4x&back=%2F"));
    assert!(acts_as("Mäx"));
    assert!(pages.get("/").text.contains("data-person=\"anna\""));
    pages.ask(request("POST", "/enter/as", &cookie, "name="));
    assert!(acts_as("anna"));
}

#[test]
fn pages_run_only_our_own_scripts_and_have_no_style_of_their_own() {
    let pages = Indoors::new();
    let id = pages.add("x", json!({"description": "| a |\n|--:|\n| b |"}));
    for path in ["/", "/help", "/enter", &format!("/tasks/{id}"), "/tasks/NOTHERE", "/?status=x"] {
        let page = pages.get(path);
        let policy = page.header(header::CONTENT_SECURITY_POLICY);
        assert!(policy.starts_with("default-src 'none'; script-src 'self'"), "{path}: {policy}");
        assert!(!policy.contains("unsafe"), "{path}: {policy}");
        assert!(!page.text.contains(" style=") && !page.text.contains("<style"), "{path}");
        assert!(!page.text.contains(" onclick="), "{path}");
        for script in page.text.split("<script").skip(1) {
            assert!(
                script
                    .split_once("></script>")
                    .is_some_and(|(tag, _)| tag.contains("src=\"/assets/"))
            );
        }
    }
}

#[test]
fn assets_are_kept_by_the_browser_until_they_change() {
    let pages = Indoors::new();
    let page = pages.get("/help");
    let link = page.between("<link rel=\"stylesheet\" href=\"", "\"").to_owned();
    let sheet = pages.get(&link);
    assert_eq!(sheet.header(header::CONTENT_TYPE), "text/css; charset=utf-8");
    assert!(sheet.header(header::CACHE_CONTROL).contains("immutable"));
    let module = pages.get("/assets/live.js");
    assert!(module.header(header::CACHE_CONTROL).contains("no-cache"));
    let mut again = request("GET", "/assets/live.js", "", "");
    let tag = module.headers.get(header::ETAG).unwrap().clone();
    again.headers_mut().insert(header::IF_NONE_MATCH, tag);
    assert_eq!(pages.ask(again).status, StatusCode::NOT_MODIFIED);
    assert_eq!(pages.get("/assets/..%2Fassets.rs").status, StatusCode::NOT_FOUND);
}
