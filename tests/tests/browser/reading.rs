//! What pages say can be read: drawings with their numbers, and pages for people where a program
//! would get a document.

use serde_json::json;
use windlass_testkit::browser::Screen;

use crate::scene::Scene;

const PHONE: Screen = Screen::Phone { width: 390, height: 844 };

#[test]
fn where_nothing_is_a_person_gets_a_page() {
    let Some(scene) = Scene::set() else { return };
    let page = scene.page("/nowhere");
    assert_eq!(page.text("document.contentType"), "text/html");
    assert_eq!(page.text("document.querySelector('h1').textContent"), "There is nothing here");
    assert!(page.text("document.querySelector('main').innerText").contains("/nowhere"));
    page.click("main .notice a");
    page.wait_for("location.pathname === '/errors/path_not_found'");
    let stranger = scene.stranger();
    scene.go(&stranger, "/nowhere");
    assert_eq!(stranger.text("document.querySelector('h1').textContent"), "There is nothing here");
}

#[test]
fn the_page_of_an_error_is_set_for_people() {
    let Some(scene) = Scene::set() else { return };
    let page = scene.stranger();
    scene.go(&page, "/errors/stale_claim");
    assert_eq!(page.text("document.contentType"), "text/html");
    assert_eq!(page.text("document.querySelector('h1').textContent"), "stale_claim");
    assert_eq!(page.text("document.querySelector('.prose strong').textContent"), "What happened.");
    assert_eq!(page.troubles(), []);
}

#[test]
fn the_shortest_claim_is_seen_on_the_timeline() {
    let Some(scene) = Scene::set() else { return };
    let task = scene.ready("Over in no time");
    scene.run("task.claim", &json!({"task": task, "agent": "ada"}));
    scene.run("task.complete", &json!({"task": task, "author": "ada"}));
    let page = scene.page("/timeline?window=365d");
    let width = "parseFloat(getComputedStyle(document.querySelector('.bar .mark')).strokeWidth)";
    let width = page.eval(width);
    assert!(width.as_f64().unwrap() >= 4.0, "{width}");
}

#[test]
fn no_bar_of_the_throughput_is_higher_than_the_axis_or_over_its_numbers() {
    let Some(scene) = Scene::set() else { return };
    for number in 0..9 {
        scene.ready(&format!("Task {number}"));
    }
    let page = scene.page("/stats");
    page.set_screen(PHONE);
    scene.go(&page, "/stats");
    let numbers =
        page.eval("[...document.querySelectorAll('.axis text')].map((one) => one.textContent)");
    assert_eq!(numbers, json!(["0", "2", "4", "6", "8", "10"]));
    let is_apart = "(() => {
        const box = (selector) => document.querySelector(selector).getBoundingClientRect();
        return box('.plot .axis').right <= box('.chart').left;
    })()";
    assert_eq!(page.eval(is_apart), json!(true));
    let last = "[...document.querySelectorAll('.chart text')].at(-1).textContent";
    assert_eq!(page.text(last), "now");
}

#[test]
fn at_first_no_task_of_the_graph_is_cut_in_two_on_a_phone() {
    let Some(scene) = Scene::set() else { return };
    let page = scene.page("/");
    page.set_screen(PHONE);
    let mut last = scene.ready("Step 1");
    for step in 2..=4 {
        let title = format!("Step {step}");
        last = scene.add(&json!({"title": title, "status": "ready", "depends_on": [last]}));
        scene.go(&page, "/graph");
        page.wait_for("document.querySelector('.pan').dataset.pan === 'on'");
        let cut = page.eval(
            "(() => {
                const frame = document.querySelector('.pan').getBoundingClientRect();
                const boxes = [...document.querySelectorAll('.graph a.task')].map((one) => one.getBoundingClientRect());
                return boxes.filter((box) => (box.left < frame.left) !== (box.right <= frame.left)
                    || (box.right > frame.right) !== (box.left >= frame.right)).length;
            })()",
        );
        assert_eq!(cut, json!(0), "{step} tasks in a row");
    }
}

#[test]
fn what_waits_to_be_sent_is_due_and_not_next() {
    let Some(scene) = Scene::set() else { return };
    let hook = json!({"name": "on-done", "on": "on_done", "url": "http://127.0.0.1:9/"});
    scene.run("hook.set", &hook);
    let task = scene.ready("Tell somebody");
    scene.run("task.set-status", &json!({"task": task, "status": "done"}));
    let page = scene.page("/outbox");
    let when = page.text("document.querySelector('#deliveries td[data-label=When]').innerText");
    assert!(when.starts_with("due"), "{when}");
}
