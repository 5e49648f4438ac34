//! Chunks on their pages: found, read, written, changed and compared.

use serde_json::{Value, json};
use windlass_testkit::browser::Page;

use crate::scene::Scene;

/// Writes a chunk of everybody's, and says which it is.
#[track_caller]
fn write(scene: &Scene, title: &str, more: Value) -> String {
    let mut chunk =
        json!({"chunk_type": "decision", "scope": "org", "title": title, "content": "Do it."});
    for (name, value) in more.as_object().unwrap() {
        chunk[name] = value.clone();
    }
    scene.run("chunk.write", &chunk)["chunk_id"].as_str().unwrap().to_owned()
}

#[track_caller]
fn shown(scene: &Scene, chunk: &str) -> Value {
    scene.run("chunk.show", &json!({"chunk": chunk}))["chunk"].clone()
}

/// The titles of the chunks that a page lists or finds.
fn titles(page: &Page) -> Value {
    page.eval(
        "[...document.querySelectorAll('#chunks td:first-child > a, .found .over > a:first-child')]
            .map((title) => title.textContent).sort()",
    )
}

fn choose(page: &Page, name: &str, value: &str) {
    page.eval(&format!(
        "(() => {{
            const field = document.querySelector('main [name=\"{name}\"]');
            field.value = '{value}';
            field.dispatchEvent(new Event('change', {{bubbles: true}}));
        }})()"
    ));
}

#[test]
fn choosing_a_type_shows_its_chunks_and_its_fields_to_filter_by() {
    let Some(scene) = Scene::set() else { return };
    scene.run("project.create", &json!({"name": "api"}));
    write(&scene, "One database", json!({}));
    for (title, priority) in [("Log in", "low"), ("Log out", "critical")] {
        let spec = json!({"chunk_type": "dev_spec", "scope": "project", "project": "api",
            "fields": {"priority": priority}});
        write(&scene, title, spec);
    }
    let page = scene.page("/chunks");
    assert_eq!(titles(&page), json!(["Log in", "Log out", "One database"]));
    choose(&page, "type", "dev_spec");
    page.wait_for("location.search === '?type=dev_spec' && document.readyState === 'complete'");
    assert_eq!(titles(&page), json!(["Log in", "Log out"]));
    choose(&page, "dev_spec.priority", "critical");
    page.wait_for("location.search.includes('critical') && document.readyState === 'complete'");
    assert_eq!(titles(&page), json!(["Log out"]));
    assert_eq!(page.troubles(), []);
}

#[test]
fn words_find_a_chunk_and_are_marked_in_it() {
    let Some(scene) = Scene::set() else { return };
    write(&scene, "Limits", json!({"content": "The staging API allows sixty calls a minute."}));
    write(&scene, "Colours", json!({}));
    let page = scene.page("/chunks");
    page.click("main [type=search]");
    page.type_text("staging calls\n");
    page.wait_for("document.querySelector('.snippet mark')");
    assert_eq!(titles(&page), json!(["Limits"]));
    assert_eq!(page.eval("document.querySelector('.snippet mark').textContent"), json!("staging"));
    page.click("#results > p a");
    page.wait_for("document.querySelector('.why')?.textContent.includes('content')");
}

#[test]
fn a_chunk_is_written_with_the_form_of_its_type() {
    let Some(scene) = Scene::set() else { return };
    let definition = json!({"name": "Risk", "scope": "org", "fields": [
        {"name": "level", "type": "enum", "values": ["high", "low"], "required": true},
        {"name": "owner", "type": "text"},
    ], "template": {"headings": [{"title": "What can happen", "asks": "The worst"}]}});
    scene.run("chunk.type.set", &json!({"slug": "risk", "definition": definition}));
    let page = scene.page("/chunks/new");
    page.click("a[href='/chunks/new?type=risk']");
    page.wait_for("document.querySelector('#write [name=content]')?.value.includes('The worst')");
    page.click("#write [name=title]");
    page.type_text("The disk burns");
    choose(&page, "field.level", "high");
    page.click("#write [name='field.owner']");
    page.type_text("kim, maria");
    page.click("#write button");
    page.wait_for("document.querySelector('.task-head h1')?.textContent === 'The disk burns'");
    let id = page.text("location.pathname.split('/').pop()");
    let expected = json!({"level": "high", "owner": "kim, maria"});
    assert_eq!(shown(&scene, &id)["fields"], expected);
    assert_eq!(page.troubles(), []);
}

#[test]
fn whoever_edits_what_somebody_else_changed_sees_both_and_loses_nothing() {
    let Some(scene) = Scene::set() else { return };
    let chunk = write(&scene, "One database", json!({"content": "one\ntwo\n"}));
    let page = scene.live_page(&format!("/chunks/{chunk}"));
    page.click("#edit summary");
    page.click("#edit [name=note]");
    page.type_text("my reason");
    scene.run("chunk.update", &json!({"chunk": chunk, "content": "one\nthree\n"}));
    page.wait_for("document.querySelector('#content').textContent.includes('three')");
    assert_eq!(page.text("document.querySelector('#edit [name=note]').value"), "my reason");
    page.click("#edit button");
    page.wait_for("document.querySelector('#meanwhile ins')?.textContent === 'three'");
    assert_eq!(page.text("document.querySelector('[name=note]').value"), "my reason");
    assert_eq!(shown(&scene, &chunk)["version"], 2);
    page.click("main form button");
    page.wait_for("document.querySelector('#content')?.textContent.includes('two')");
    assert_eq!(shown(&scene, &chunk)["version"], 3);
}

#[test]
fn a_comparison_is_read_without_its_colours() {
    let Some(scene) = Scene::set() else { return };
    let chunk = write(&scene, "One database", json!({"content": "one\ntwo\nfour\n"}));
    scene.run("chunk.update", &json!({"chunk": chunk, "content": "one\nthree\nfour\n"}));
    let page = scene.page(&format!("/chunks/{chunk}"));
    page.click("#versions .pager a");
    page.wait_for("document.querySelector('.lines')");
    let lines = "[...document.querySelectorAll('.lines tbody tr')].map((row) => row.innerText.split('\\t').slice(2).join(' ').trim())";
    assert_eq!(page.eval(lines), json!(["one", "− two", "+ three", "four"]));
}

#[test]
fn the_boxes_of_a_chain_are_reached_by_keys_and_lead_to_their_chunks() {
    let Some(scene) = Scene::set() else { return };
    let [spec, plan] = ["Spec", "Plan"].map(|title| write(&scene, title, json!({})));
    scene.run("chunk.link", &json!({"chunk": plan, "to": spec, "reason": "plans it"}));
    let page = scene.page(&format!("/chunks/{plan}"));
    page.click("#links-now a[href$='/chain']");
    page.wait_for("document.querySelector('.pan[data-pan=on]')");
    assert_eq!(page.eval("document.querySelectorAll('.graph .way.link').length"), json!(1));
    assert!(page.text("document.querySelector('#based-on').innerText").contains("plans it"));
    page.eval("document.querySelector('.graph a:not(.here)').focus()");
    page.press("Enter");
    page.wait_for(&format!("location.pathname === '/chunks/{spec}'"));
    assert_eq!(page.troubles(), []);
}

#[test]
fn what_others_do_to_a_chunk_is_seen_while_its_page_is_open() {
    let Some(scene) = Scene::set() else { return };
    let [spec, plan] = ["Spec", "Plan"].map(|title| write(&scene, title, json!({})));
    let page = scene.live_page(&format!("/chunks/{spec}"));
    let list = scene.live_page("/chunks");
    scene.run("chunk.link", &json!({"chunk": plan, "to": spec, "reason": "plans it"}));
    page.wait_for("document.querySelector('#links-now').textContent.includes('plans it')");
    scene.run("chunk.pin", &json!({"chunk": spec}));
    page.wait_for("document.querySelector('#head').textContent.includes('pinned')");
    list.wait_for("document.querySelector('#chunks').textContent.includes('pinned')");
}

#[test]
fn without_scripts_a_chunk_is_linked_reviewed_superseded_and_deleted() {
    let Some(scene) = Scene::set() else { return };
    let [old, new] = ["Two databases", "One database"].map(|title| write(&scene, title, json!({})));
    let page = scene.stranger();
    page.turn_scripts_off();
    scene.enter(&page);
    scene.go(&page, &format!("/chunks/{new}"));
    page.click("#add-link summary");
    page.click("#add-link [name=to]");
    page.type_text("two-databases");
    page.click("#add-link [name=reason]");
    page.type_text("less to run\n");
    page.wait_for("document.querySelector('#links-now')?.innerText.includes('less to run')");
    scene.go(&page, &format!("/chunks/{old}"));
    page.click("#do-supersede summary");
    page.click("#do-supersede [name=with]");
    page.type_text("one-database");
    page.click("#do-supersede [name=reason]");
    page.type_text("we moved\n");
    page.wait_for("document.querySelector('#standing')?.innerText.includes('we moved')");
    page.click("#do-delete summary");
    page.click("#do-delete button");
    page.wait_for("document.querySelector('main [name=force]')");
    page.click("main [name=force]");
    page.click("main [name=reason]");
    page.type_text("nobody asks");
    page.click("main button.first");
    page.wait_for("location.pathname === '/chunks' && document.readyState === 'complete'");
    assert_eq!(titles(&page), json!(["One database"]));
}

#[test]
fn the_key_of_an_agent_shows_its_own_memories_and_no_others() {
    let Some(scene) = Scene::set() else { return };
    for agent in ["pilot", "stoker"] {
        scene.run("remember", &json!({"text": format!("what {agent} knows"), "agent": agent}));
    }
    let key = scene.key("agent:pilot", "worker");
    let page = scene.stranger();
    scene.enter_with(&page, &key);
    for path in ["/chunks", "/chunks?q=knows"] {
        scene.go(&page, path);
        assert_eq!(titles(&page), json!(["what pilot knows"]), "{path}");
    }
    let everything = scene.page("/chunks");
    assert_eq!(titles(&everything), json!(["what pilot knows", "what stoker knows"]));
}
