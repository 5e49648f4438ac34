//! Without scripts everything can be read, and forms do what they say.

use serde_json::json;

use crate::furniture::{furnish, plain};
use crate::scene::Scene;

#[test]
fn every_page_can_be_read_without_scripts() {
    let Some(scene) = Scene::set() else { return };
    let furnished = furnish(&scene, "ship", &plain);
    let page = scene.stranger();
    page.turn_scripts_off();
    scene.enter(&page);
    for path in furnished.pages() {
        scene.go(&page, &path);
        let read = page.text("document.querySelector('main').innerText");
        assert!(read.len() > 40, "{path} says nothing: {read:?}");
        assert_eq!(page.text("document.readyState"), "complete");
        // What needs a script is not offered.
        let dead = page.eval("!document.querySelector('#theme').hidden || document.querySelector('dialog[open]') !== null");
        assert_eq!(dead, json!(false), "{path}");
    }
    scene.go(&page, &format!("/tasks/{}", furnished.task));
    let read = page.text("document.querySelector('main').innerText");
    for field in ["title", "description", "text", "tags", "name", "links"] {
        assert!(read.contains(&plain(field)), "the page of a task does not tell its {field}");
    }
    assert_eq!(page.troubles(), []);
}

#[test]
fn a_comment_is_made_without_scripts() {
    let Some(scene) = Scene::set() else { return };
    let task = scene.ready("Talk about me");
    let page = scene.stranger();
    page.turn_scripts_off();
    scene.enter(&page);
    scene.go(&page, &format!("/tasks/{task}"));
    page.click("form[action='/do/task.comment'] textarea");
    page.type_text("Quite so.");
    page.click("form[action='/do/task.comment'] button");
    page.wait_for("document.getElementById('comments')?.innerText.includes('Quite so.')");
    assert_eq!(page.text("location.pathname"), format!("/tasks/{task}"));
    let shown = scene.run("task.show", &json!({"task": task, "view": "full"}));
    assert_eq!(shown["comments"][0]["text"], "Quite so.");
}

#[test]
fn without_scripts_a_task_is_added_and_found_by_a_filter() {
    let Some(scene) = Scene::set() else { return };
    let page = scene.stranger();
    page.turn_scripts_off();
    scene.enter(&page);
    page.click("#add summary");
    page.click("#add [name=title]");
    page.type_text("By hand\n");
    page.wait_for(
        "document.querySelector('#column-ready .card .title')?.textContent.trim() === 'By hand'",
    );
    page.click(".filters [name=q]");
    page.type_text("nothing like it");
    page.click(".filters button");
    page.wait_for("location.search.includes('nothing')");
    page.wait_for("document.readyState === 'complete' && !document.querySelector('.card')");
}

#[test]
fn a_refusal_without_scripts_is_a_page_with_what_was_typed() {
    let Some(scene) = Scene::set() else { return };
    let task = scene.ready("Held");
    scene.run("task.claim", &json!({"task": task, "agent": "stoker", "lease": "1h"}));
    let page = scene.stranger();
    page.turn_scripts_off();
    scene.enter(&page);
    scene.go(&page, &format!("/tasks/{task}"));
    page.click("#do-task-complete summary");
    page.click("#do-task-complete textarea");
    page.type_text("I did it");
    scene.run("task.complete", &json!({"task": task, "author": "stoker"}));
    page.click("#do-task-complete button");
    page.wait_for("document.querySelector('.notice.bad code')");
    assert_eq!(page.text("document.querySelector('[name=comment]').value"), "I did it");
}
