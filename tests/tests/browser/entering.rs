//! Coming in, with a key and without.

use serde_json::json;

use crate::scene::Scene;

#[test]
fn whoever_shows_a_key_comes_to_the_page_they_asked_for() {
    let Some(scene) = Scene::set() else { return };
    let task = scene.ready("Asked for");
    let key = scene.key("person:anna", "admin");
    let page = scene.stranger();
    scene.go(&page, &format!("/tasks/{task}?history=all"));
    assert!(!page.text("document.body.innerText").contains("Asked for"));
    page.click("[name=key]");
    page.type_text("wl_wrong");
    page.press("Enter");
    page.wait_for("document.querySelector('.notice.bad')");
    page.click("[name=key]");
    page.type_text(&key);
    page.press("Enter");
    page.wait_for("document.querySelector('h1')?.textContent === 'Asked for'");
    assert_eq!(
        page.text("location.pathname + location.search"),
        format!("/tasks/{task}?history=all")
    );
    assert_eq!(page.text("document.documentElement.dataset.person"), "anna");
}

#[test]
fn what_a_key_does_on_a_page_is_done_by_its_owner() {
    let Some(scene) = Scene::set() else { return };
    let key = scene.key("agent:worker-1", "worker");
    let page = scene.stranger();
    scene.enter_with(&page, &key);
    page.press("n");
    page.type_text("By key\n");
    page.wait_for("document.activeElement.closest('.card')?.textContent.includes('By key')");
    let events = scene.run("events", &json!({}));
    let last = events["events"].as_array().unwrap().last().unwrap();
    assert_eq!((&last["kind"], &last["actor"]), (&json!("task_created"), &json!("worker-1")));
}

#[test]
fn whoever_leaves_is_out_at_once() {
    let Some(scene) = Scene::set() else { return };
    let page = scene.page("/");
    page.click("header .drop summary");
    page.click("form[action='/leave'] button");
    page.wait_for("location.pathname === '/enter'");
    scene.go(&page, "/");
    page.wait_for("document.querySelector('[name=key]')");
}

#[test]
fn the_page_holds_no_secret_that_a_script_could_read() {
    let Some(scene) = Scene::set() else { return };
    let page = scene.page("/");
    assert_eq!(page.text("document.cookie"), "");
    assert!(!page.text("document.documentElement.outerHTML").contains(&scene.served.token()));
    assert!(!page.text("location.href + document.referrer + performance.getEntriesByType('navigation')[0].name").contains("token"));
}
