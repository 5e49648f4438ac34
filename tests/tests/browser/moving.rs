//! Moving cards: every move is the operation that the command line has for it.

use serde_json::json;

use crate::scene::{Scene, card, column_of};

#[test]
fn a_card_dragged_to_another_column_is_claimed() {
    let Some(scene) = Scene::set() else { return };
    let task = scene.ready("Drag me");
    let page = scene.page("/");
    page.drag(&card(&task), "#column-in_progress");
    page.wait_for(&format!("{} === 'in_progress'", column_of(&task)));
    page.wait_for("document.getElementById('said').textContent.includes('moved to In progress')");

    let shown = scene.run("task.show", &json!({"task": task}));
    assert_eq!(shown["task"]["status"], "in_progress");
    let person = page.text("document.documentElement.dataset.person");
    assert_eq!(shown["task"]["agent"], person);
    assert_eq!(page.troubles(), []);
}

#[test]
fn a_drag_that_ends_nowhere_moves_nothing_and_opens_nothing() {
    let Some(scene) = Scene::set() else { return };
    let task = scene.ready("Stay");
    let page = scene.page("/");
    page.drag(&card(&task), "footer.foot");
    assert_eq!(scene.status_of(&task), "ready");
    assert_eq!(page.text("location.pathname"), "/");
    assert!(page.eval("document.querySelector('.ghost')").is_null());
}

#[test]
fn a_card_is_moved_with_keys() {
    let Some(scene) = Scene::set() else { return };
    let task = scene.ready("Step by step");
    let page = scene.page("/");
    page.press("j");
    page.wait_for("document.activeElement.closest('.card')");
    page.press("Shift+ArrowRight");
    page.wait_for("document.getElementById('said').textContent.includes('moved to In progress')");
    assert_eq!(scene.status_of(&task), "in_progress");

    // The same card is still the one that keys act on.
    page.press("m");
    page.press("d");
    page.wait_for("document.getElementById('said').textContent.includes('moved to Done')");
    assert_eq!(page.text(&column_of(&task)), "done");
    assert_eq!(scene.status_of(&task), "done");
    assert_eq!(page.troubles(), []);
}

#[test]
fn a_card_moved_to_blocked_asks_why_and_says_so() {
    let Some(scene) = Scene::set() else { return };
    let task = scene.ready("Wait");
    let page = scene.page("/");
    page.press("j");
    page.press("m");
    page.press("x");
    page.wait_for("document.getElementById('why').open");
    page.click("#why textarea");
    page.type_text("no wind");
    page.click("#why button.first");
    page.wait_for(&format!("{} === 'blocked'", column_of(&task)));
    page.wait_for(
        "document.querySelector('#column-blocked .because')?.textContent.includes('no wind')",
    );
    assert_eq!(scene.status_of(&task), "blocked");
}

#[test]
fn a_move_that_is_refused_goes_back_and_says_why() {
    let Some(scene) = Scene::set() else { return };
    let first = scene.ready("First");
    let second = scene.add(&json!({"title": "Second", "status": "ready", "depends_on": [&first]}));
    let page = scene.page("/");
    page.drag(&card(&second), "#column-in_progress");
    page.wait_for("document.querySelector('.toast.bad code')");
    page.wait_for(&format!("{} === 'ready'", column_of(&second)));
    assert_eq!(scene.status_of(&second), "ready");
    let code = page.text("document.querySelector('.toast.bad code').textContent");
    assert_eq!(code, "dependencies_open");
}
