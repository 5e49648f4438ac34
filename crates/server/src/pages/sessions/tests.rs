//! The pages of sessions, of what somebody should look at, and of what would be injected.

use axum::http::{StatusCode, header};
use serde_json::{Value, json};

use crate::indoors::{Answer, Indoors, request};

const ATTACK: &str = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'&";

/// A project with a convention, an agent of a type, and its session.
struct Sitting {
    pages: Indoors,
    session: String,
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

impl Sitting {
    fn begun() -> Self {
        let pages = Indoors::new();
        pages.does("project.create", json!({"name": "api"}));
        let convention = json!({"chunk_type": "convention", "project": "api",
            "title": "One space", "content": "Not two.", "audience": {"rules": [{"all": true}]}});
        pages.does("chunk.write", convention);
        pages.does("agent.register", json!({"name": "coder-1", "type": "dev"}));
        let session = pages.does("session.start", json!({"agent": "coder-1", "project": "api"}));
        Self { session: text(&session["session_id"]), pages }
    }

    /// Says what it works on, and remembers something.
    fn wrote(&self, title: &str) -> String {
        let focus = json!({"session": self.session, "agent": "coder-1", "task": "fix the login"});
        self.pages.does("session.focus", focus);
        let memory = json!({"chunk_type": "memory", "title": title, "content": "It forgets.",
            "agent": "coder-1", "session": self.session});
        text(&self.pages.does("chunk.write", memory)["chunk_id"])
    }

    fn page(&self) -> Answer {
        self.pages.get(&format!("/sessions/{}", self.session))
    }

    /// A page as the owner of a new key sees it.
    fn seen_by(&self, owner: &str, path: &str) -> Answer {
        let key = self.pages.does("key.create", json!({"for": owner, "role": "worker"}));
        let cookie = self.pages.enter(key["key"].as_str().unwrap());
        self.pages.ask(request("GET", path, &cookie, ""))
    }
}

#[test]
fn sessions_are_listed_by_state_agent_lifecycle_and_project() {
    let sitting = Sitting::begun();
    let short = &sitting.session[20..];
    for path in [
        "/sessions",
        "/sessions?status=active",
        "/sessions?agent=coder-1",
        "/sessions?lifecycle=dev",
        "/sessions?project=api",
    ] {
        assert!(sitting.pages.get(path).text.contains(short), "{path}");
    }
    sitting.pages.does("project.create", json!({"name": "web"}));
    for path in [
        "/sessions?status=ended",
        "/sessions?status=expired",
        "/sessions?agent=coder-2",
        "/sessions?lifecycle=default",
        "/sessions?project=web",
    ] {
        let page = sitting.pages.get(path);
        assert!(!page.text.contains(short) && page.text.contains("No such session"), "{path}");
    }
}

#[test]
fn a_filter_that_is_none_is_told_on_the_page() {
    let sitting = Sitting::begun();
    for path in ["/sessions?status=sideways", "/sessions?run=nothing-like-it", "/sessions?cursor=x"]
    {
        let page = sitting.pages.get(path);
        assert_eq!(page.status, StatusCode::OK, "{path}");
        assert!(page.text.contains("notice bad"), "{path}");
    }
}

#[test]
fn older_sessions_are_on_the_next_page() {
    let sitting = Sitting::begun();
    for _ in 0..50 {
        sitting.pages.does("session.start", json!({"agent": "coder-1", "project": "api"}));
    }
    let first = sitting.pages.get("/sessions?agent=coder-1");
    assert!(!first.text.contains(&sitting.session));
    let next = first.between("href=\"/sessions?agent=coder-1&amp;cursor=", "\"").to_owned();
    let last = sitting.pages.get(&format!("/sessions?agent=coder-1&cursor={next}"));
    assert!(last.text.contains(&sitting.session) && last.text.contains("Newest"));
    assert!(!last.text.contains("Older"));
}

#[test]
fn the_page_of_a_session_tells_what_it_was_given_and_by_which_rule() {
    let sitting = Sitting::begun();
    let page = sitting.page();
    let injected = page.between("id=\"injected\"", "</section>");
    assert!(injected.contains("One space") && injected.contains("/chunks/"), "{injected}");
    assert!(injected.contains("data-label=\"Version\">1<"), "{injected}");
    assert!(injected.contains("data-label=\"Chosen by\">"), "{injected}");
    assert!(page.text.contains("It writes nothing yet"));
}

#[test]
fn what_the_budget_cut_is_on_the_page_of_a_session() {
    let sitting = Sitting::begun();
    let start = json!({"agent": "coder-1", "project": "api", "max_tokens": 1});
    let session = text(&sitting.pages.does("session.start", start)["session_id"]);
    let page = sitting.pages.get(&format!("/sessions/{session}"));
    assert!(page.between("id=\"cut\"", "</section>").contains("One space"));
    assert!(!page.between("id=\"injected\"", "</section>").contains("One space"));
}

#[test]
fn a_session_is_ended_on_its_page_and_what_it_wrote_comes_up() {
    let sitting = Sitting::begun();
    sitting.wrote("Cookies expire");
    let page = sitting.page();
    assert!(page.between("id=\"wrote\"", "</section>").contains("Cookies expire"));
    let form = format!("session={0}&back=%2Fsessions%2F{0}", sitting.session);
    let ended = sitting.pages.post("/do/session.end", &form);
    assert_eq!(ended.status, StatusCode::SEE_OTHER);
    let page = sitting.page();
    assert!(page.between("id=\"decisions\"", "</section>").contains("Cookies expire"));
    assert!(page.between("id=\"head\"", "</header>").contains("ended"));
}

#[test]
fn what_a_session_wrote_is_promoted_and_discarded_by_one_form() {
    let sitting = Sitting::begun();
    let [kept, promoted, gone] = ["Kept", "Wide", "Gone"].map(|title| sitting.wrote(title));
    sitting.pages.does("session.end", json!({"session": sitting.session, "agent": "coder-1"}));
    let form =
        format!("verdict.{kept}=keep&verdict.{promoted}=promote&verdict.{gone}=discard&to=&type=");
    let path = format!("/sessions/{}/decisions", sitting.session);
    let decided = sitting.pages.post(&path, &form);
    assert_eq!(decided.status, StatusCode::SEE_OTHER, "{}", decided.text);
    assert_eq!(
        decided.header(header::LOCATION),
        format!("/sessions/{}#decisions", sitting.session)
    );
    let page = sitting.page();
    let decisions = page.between("id=\"decisions\"", "</section>");
    for told in ["kept", "promoted", "discarded", "0 to decide"] {
        assert!(decisions.contains(told), "{told}: {decisions}");
    }
    let shown = sitting.pages.does("chunk.show", json!({"chunk": promoted}));
    assert_eq!(shown["chunk"]["chunk_type"], "knowledge");
}

#[test]
fn a_decision_that_is_refused_keeps_what_was_chosen() {
    let sitting = Sitting::begun();
    let chunk = sitting.wrote("Kept");
    let path = format!("/sessions/{}/decisions", sitting.session);
    sitting.pages.does("session.end", json!({"session": sitting.session, "agent": "coder-1"}));
    let form = format!("verdict.{chunk}=promote&to=org&type=nothing_like_it");
    let refused = sitting.pages.post(&path, &form);
    assert_eq!(refused.status, StatusCode::NOT_FOUND);
    let decisions = refused.between("id=\"decisions\"", "</section>");
    assert!(decisions.contains("there is no chunk type"), "{decisions}");
    assert!(decisions.contains("value=\"promote\" checked"), "{decisions}");
    let nothing = sitting.pages.post(&path, "to=");
    assert!(nothing.text.contains("nothing is decided"));
}

#[test]
fn to_another_agent_a_session_and_what_it_keeps_are_not_there() {
    let sitting = Sitting::begun();
    sitting.wrote("Private thought");
    let path = format!("/sessions/{}", sitting.session);
    let own = sitting.seen_by("agent:coder-1", &path);
    assert!(own.text.contains("Private thought"));
    let other = sitting.seen_by("agent:coder-2", &path);
    assert_eq!(other.status, StatusCode::NOT_FOUND);
    assert!(!other.text.contains("Private thought"));
    for path in ["/sessions", "/inbox", "/inject?agent=coder-1", "/inject?agent_type=dev"] {
        let page = sitting.seen_by("agent:coder-2", path);
        assert!(!page.text.contains("Private thought"), "{path}");
        assert!(!page.text.contains(&sitting.session), "{path}");
    }
    let person = sitting.seen_by("person:berta", &path);
    assert!(person.text.contains("Private thought"));
}

#[test]
fn another_agent_decides_nothing_about_a_session() {
    let sitting = Sitting::begun();
    let chunk = sitting.wrote("Private thought");
    sitting.pages.does("session.end", json!({"session": sitting.session, "agent": "coder-1"}));
    let key = sitting.pages.does("key.create", json!({"for": "agent:coder-2", "role": "worker"}));
    let cookie = sitting.pages.enter(key["key"].as_str().unwrap());
    let path = format!("/sessions/{}/decisions", sitting.session);
    let form = format!("verdict.{chunk}=discard");
    let refused = sitting.pages.ask(request("POST", &path, &cookie, &form));
    assert_eq!(refused.status, StatusCode::NOT_FOUND);
    assert!(sitting.page().text.contains("1 to decide"));
}

/// A chunk that a reader found wrong.
fn flagged(pages: &Indoors, title: &str) -> String {
    let chunk = json!({"chunk_type": "convention", "scope": "org", "title": title, "content": "x"});
    let chunk = text(&pages.does("chunk.write", chunk)["chunk_id"]);
    let review = json!({"chunk": chunk, "usefulness": 2, "correctness": 1, "action": "incorrect"});
    pages.does("chunk.review", review);
    chunk
}

#[test]
fn a_flagged_chunk_is_in_the_inbox_until_it_is_dismissed() {
    let pages = Indoors::new();
    let chunk = flagged(&pages, "Two spaces");
    for path in ["/inbox", "/inbox?signal=agent_flag", "/inbox?signal=low_score"] {
        let page = pages.get(path);
        assert!(page.text.contains("Two spaces") && page.text.contains("Low marks"), "{path}");
    }
    assert!(!pages.get("/inbox?signal=source_changed").text.contains("Two spaces"));
    let dismissed = pages.post("/do/chunk.dismiss", &format!("chunk={chunk}&back=%2Finbox"));
    assert_eq!(dismissed.header(header::LOCATION), "/inbox");
    assert!(pages.get("/inbox").text.contains("Nobody needs to look"));
}

#[test]
fn a_chunk_is_reviewed_from_the_inbox() {
    let pages = Indoors::new();
    let chunk = flagged(&pages, "Two spaces");
    let form = format!("chunk={chunk}&usefulness=5&correctness=5&action=useful&back=%2Finbox");
    assert_eq!(pages.post("/do/chunk.review", &form).status, StatusCode::SEE_OTHER);
    let page = pages.get("/inbox");
    assert!(!page.text.contains("Flagged</span>"), "{}", page.text);
    let wrong = format!("chunk={chunk}&usefulness=9&correctness=5&action=useful");
    let refused = pages.post("/do/chunk.review", &wrong);
    assert!(refused.text.contains("Not done: chunk review"));
}

#[test]
fn a_signal_that_is_none_is_told_on_the_page() {
    let page = Indoors::new().get("/inbox?signal=nothing");
    assert!(page.text.contains("notice bad"));
}

#[test]
fn the_preview_shows_rules_what_is_cut_and_the_whole() {
    let sitting = Sitting::begun();
    let page = sitting.pages.get("/inject?agent=coder-1&project=api");
    let injected = page.between("id=\"injected\"", "</section>");
    assert!(injected.contains("One space") && injected.contains("tokens, roughly"), "{injected}");
    assert!(page.between("id=\"text\"", "</section>").contains("Not two."));
    let tight = sitting.pages.get("/inject?agent=coder-1&project=api&max_tokens=1");
    assert!(tight.between("id=\"cut\"", "</section>").contains("One space"));
}

#[test]
fn a_type_of_agents_alone_is_previewed_too() {
    let sitting = Sitting::begun();
    let page = sitting.pages.get("/inject?agent_type=dev&project=api");
    let injected = page.between("id=\"injected\"", "</section>");
    assert!(injected.contains("Some agent") && injected.contains("One space"), "{injected}");
}

#[test]
fn a_preview_of_nothing_there_is_refused_on_the_page() {
    let sitting = Sitting::begun();
    for path in [
        "/inject?agent=coder-1&lifecycle=nothing",
        "/inject?agent_type=nothing",
        "/inject?agent=coder-1&max_tokens=many",
    ] {
        let page = sitting.pages.get(path);
        assert!(page.text.contains("notice bad"), "{path}");
    }
    assert!(sitting.pages.get("/inject").text.contains("Name an agent"));
}

#[test]
fn no_text_about_a_session_is_alive_on_a_page() {
    let pages = Indoors::new();
    let chunk = json!({"chunk_type": "convention", "scope": "org", "title": ATTACK,
        "content": ATTACK, "audience": {"rules": [{"all": true}]}});
    let chunk = text(&pages.does("chunk.write", chunk)["chunk_id"]);
    let review = json!({"chunk": chunk, "usefulness": 1, "correctness": 1, "action": "outdated"});
    pages.does("chunk.review", review);
    let agent = "<img src=x>";
    let session = text(&pages.does("session.start", json!({"agent": agent}))["session_id"]);
    let focus = json!({"session": session, "agent": agent, "task": ATTACK, "tags": ["<img>"]});
    pages.does("session.focus", focus);
    let hostile = "%3Cimg%20src%3Dx%3E";
    for path in [
        "/sessions".to_owned(),
        format!("/sessions/{session}"),
        "/inbox".to_owned(),
        format!("/inject?agent={hostile}&focus={hostile}"),
        format!("/inject?agent={hostile}&lifecycle={hostile}&max_tokens={hostile}"),
        format!("/sessions?agent={hostile}&run={hostile}&lifecycle={hostile}&cursor={hostile}"),
        format!("/sessions/{hostile}"),
        format!("/inbox?signal={hostile}&limit={hostile}"),
    ] {
        let page = pages.get(&path);
        for alive in ["<script>alert", "<img"] {
            assert!(!page.text.contains(alive), "{path}: {alive}");
        }
    }
}
