//! Sessions and what is around them: what was given, what becomes of what was written, what somebody
//! should look at, and what people define.

use serde_json::{Value, json};
use windlass_testkit::browser::Page;

use crate::scene::Scene;

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

/// A project with a convention for everybody, and the session of an agent about it.
#[track_caller]
fn begun(scene: &Scene) -> String {
    scene.run("project.create", &json!({"name": "api"}));
    convention(scene, "One space");
    let session = scene.run("session.start", &json!({"agent": "coder-1", "project": "api"}));
    text(&session["session_id"])
}

#[track_caller]
fn convention(scene: &Scene, title: &str) -> String {
    let chunk = json!({"chunk_type": "convention", "project": "api", "title": title,
        "content": "So it is.", "audience": {"rules": [{"all": true}]}});
    text(&scene.run("chunk.write", &chunk)["chunk_id"])
}

/// Says what the agent works on, and lets it remember something.
#[track_caller]
fn remembers(scene: &Scene, session: &str, what: &str) -> String {
    let focus = json!({"session": session, "agent": "coder-1", "task": "the login"});
    scene.run("session.focus", &focus);
    let memory = json!({"text": what, "agent": "coder-1", "session": session});
    text(&scene.run("remember", &memory)["chunk_id"])
}

/// A page of somebody without scripts.
#[track_caller]
fn plain_page(scene: &Scene, path: &str) -> Page {
    let page = scene.stranger();
    page.turn_scripts_off();
    scene.enter(&page);
    scene.go(&page, path);
    page
}

#[track_caller]
fn fill(page: &Page, selector: &str, text: &str) {
    page.click(selector);
    page.type_text(text);
}

#[test]
fn a_session_is_found_ended_and_decided_about_without_scripts() {
    let Some(scene) = Scene::set() else { return };
    let session = begun(&scene);
    let chunk = remembers(&scene, &session, "cookies expire");
    let page = plain_page(&scene, "/sessions?status=active");
    page.click("#sessions td a");
    page.wait_for("document.querySelector('#injected')?.textContent.includes('One space')");
    page.click("#act button");
    page.wait_for("document.querySelector('#decisions input')");
    page.click("#decisions input[value=promote]");
    page.click("#decisions button");
    page.wait_for("document.querySelector('#decisions .chip')?.textContent === 'promoted'");
    let shown = scene.run("chunk.show", &json!({"chunk": chunk}));
    assert_eq!(shown["chunk"]["chunk_type"], "knowledge");
    assert_eq!(page.troubles(), []);
}

#[test]
fn what_a_session_is_given_and_writes_is_seen_on_a_page_that_is_open() {
    let Some(scene) = Scene::set() else { return };
    let session = begun(&scene);
    let page = scene.live_page(&format!("/sessions/{session}"));
    convention(&scene, "Two dots");
    remembers(&scene, &session, "cookies expire");
    page.wait_for("document.querySelector('#injected').textContent.includes('Two dots')");
    page.wait_for("document.querySelector('#wrote').textContent.includes('cookies expire')");
    page.wait_for("document.querySelector('#head').textContent.includes('the login')");
}

#[test]
fn what_is_chosen_about_a_session_stays_while_others_write() {
    let Some(scene) = Scene::set() else { return };
    let session = begun(&scene);
    remembers(&scene, &session, "cookies expire");
    scene.run("session.end", &json!({"session": session, "agent": "coder-1"}));
    let page = scene.live_page(&format!("/sessions/{session}"));
    page.click("#decisions input[value=discard]");
    let refreshed = "addEventListener('refreshed', () => { window.refreshed = true; })";
    page.eval(&format!("document.{refreshed}"));
    scene.run("session.start", &json!({"agent": "coder-1", "project": "api"}));
    page.eval("import('/assets/live.js').then(({refresh}) => refresh())");
    page.wait_for("window.refreshed === true");
    let chosen = "document.querySelector('#decisions input[value=discard]').checked";
    assert_eq!(page.eval(chosen), json!(true));
}

#[test]
fn to_the_key_of_another_agent_a_session_is_not_there() {
    let Some(scene) = Scene::set() else { return };
    let session = begun(&scene);
    remembers(&scene, &session, "what only I know");
    let page = scene.stranger();
    scene.enter_with(&page, &scene.key("agent:coder-2", "worker"));
    let said = "document.documentElement.textContent";
    for path in [&format!("/sessions/{session}"), "/sessions", "/inbox", "/inject?agent=coder-1"] {
        scene.go(&page, path);
        assert!(!page.text(said).contains("what only I know"), "{path}");
    }
    scene.go(&page, "/sessions");
    assert!(page.text(said).contains("No such session"));
}

#[test]
fn a_flagged_chunk_is_reviewed_and_dismissed_in_the_inbox() {
    let Some(scene) = Scene::set() else { return };
    begun(&scene);
    let chunk = convention(&scene, "Two spaces");
    let review = json!({"chunk": chunk, "usefulness": 1, "correctness": 1, "action": "incorrect"});
    scene.run("chunk.review", &review);
    let page = scene.page("/inbox");
    page.click("#inbox details summary");
    page.eval("document.querySelector('#inbox [name=action]').value = 'outdated'");
    fill(&page, "#inbox [name=correctness_note]", "nobody does that");
    page.press("Enter");
    page.wait_for("document.querySelector('#inbox')?.textContent.includes('2 readers')");
    page.click("#inbox form[action='/do/chunk.dismiss'] button");
    page.wait_for("document.querySelector('#inbox')?.textContent.includes('Nobody needs to look')");
    assert_eq!(page.troubles(), []);
}

#[test]
fn what_a_type_of_agents_would_be_given_is_shown_with_rules_and_sums() {
    let Some(scene) = Scene::set() else { return };
    begun(&scene);
    let page = plain_page(&scene, "/inject?project=api");
    fill(&page, "main [name=agent]", "somebody");
    fill(&page, "main [name=max_tokens]", "1");
    page.click("main form button");
    page.wait_for("document.querySelector('#cut')?.textContent.includes('One space')");
    assert!(page.text("document.querySelector('#cut h2').textContent").contains("tokens"));
    scene.go(&page, "/inject?project=api&agent_type=dev");
    page.wait_for("document.querySelector('#injected')?.textContent.includes('One space')");
}

#[test]
fn a_chunk_type_is_made_and_changed_in_the_editor_without_scripts() {
    let Some(scene) = Scene::set() else { return };
    let page = plain_page(&scene, "/types");
    page.click("main a[href='/type-editor']");
    page.wait_for("document.querySelector('#slug')");
    fill(&page, "#slug", "risk");
    fill(&page, "[id='name.0']", "level");
    page.click("button[value=add]");
    page.wait_for("document.querySelector('[id=\"name.1\"]')");
    fill(&page, "[id='name.1']", "owner");
    fill(&page, "#template", "## Why");
    page.click("button[value='raise.1']");
    page.wait_for("document.querySelector('[id=\"name.0\"]')?.value === 'owner'");
    // Enter presses the button that sets it.
    page.click("[id='name.0']");
    page.press("Enter");
    page.wait_for("location.pathname === '/types/risk'");
    let shown = scene.run("chunk.type.show", &json!({"slug": "risk"}));
    let names: Vec<&str> = shown["definition"]["fields"]
        .as_array()
        .unwrap()
        .iter()
        .map(|field| field["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["owner", "level"]);
    page.click("#acts a");
    page.wait_for("document.querySelector('button[value=\"remove.0\"]')");
    page.click("button[value='remove.0']");
    page.wait_for("document.querySelectorAll('.type-fields > li').length === 1");
    page.click("button[value=set]");
    page.wait_for("location.pathname === '/types/risk'");
    assert_eq!(page.troubles(), []);
}

#[test]
fn a_value_that_chunks_have_stays_and_the_editor_says_why() {
    let Some(scene) = Scene::set() else { return };
    let level = json!({"name": "level", "type": "enum", "values": ["high", "low"]});
    let risk = json!({"slug": "risk", "definition": {"scope": "org", "fields": [level]}});
    scene.run("chunk.type.set", &risk);
    let chunk = json!({"chunk_type": "risk", "title": "Fire", "content": "hot",
        "fields": {"level": "high"}});
    scene.run("chunk.write", &chunk);
    let page = scene.page("/type-editor?type=risk");
    page.eval("document.getElementById('values.0').value = 'low'");
    page.click("button[value=set]");
    page.wait_for("document.querySelector('.notice.bad')");
    assert!(page.text("document.querySelector('.notice.bad').textContent").contains("high"));
    assert_eq!(page.text("document.getElementById('values.0').value.trim()"), "low");
}

#[test]
fn an_audience_that_is_none_is_told_at_its_field() {
    let Some(scene) = Scene::set() else { return };
    let page = scene.page("/type-editor");
    fill(&page, "#slug", "risk");
    page.eval(
        "document.getElementById('audience').value = '{\"rules\": [{\"agent_typs\": [\"dev\"]}]}'",
    );
    page.click("button[value=set]");
    page.wait_for("document.querySelector('#audience[aria-invalid=true]')");
    let told = "document.getElementById(document.getElementById('audience').getAttribute('aria-describedby')).textContent";
    assert!(page.text(told).contains("agent_typs"), "{}", page.text(told));
}

#[test]
fn a_lifecycle_is_written_as_json_hidden_and_removed() {
    let Some(scene) = Scene::set() else { return };
    let page = plain_page(&scene, "/lifecycles");
    page.click("#another summary");
    fill(&page, "#another [name=slug]", "testing");
    page.click("#another button");
    page.wait_for("location.pathname === '/lifecycles/testing'");
    page.click("#do-lifecycle-hide summary");
    page.click("#do-lifecycle-hide button");
    page.wait_for("document.querySelector('#head')?.textContent.includes('hidden')");
    page.click("#do-lifecycle-remove summary");
    page.click("#do-lifecycle-remove button");
    page.wait_for("location.pathname === '/lifecycles'");
    let listed = "document.querySelector('#defined a[href=\"/lifecycles/testing\"]')";
    assert_eq!(page.eval(&format!("{listed} === null")), json!(true));
}
