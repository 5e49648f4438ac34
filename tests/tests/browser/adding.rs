//! Adding a task on the board.

use serde_json::json;

use crate::scene::Scene;

#[test]
fn a_task_typed_into_the_board_is_in_the_ledger_and_on_the_board() {
    let Some(scene) = Scene::set() else { return };
    let page = scene.page("/");
    page.click("#add summary");
    page.click("#add [name=title]");
    page.type_text("Mend the winch");
    page.click("#add [name=tags]");
    page.type_text("deck, iron");
    page.click("#add button");
    page.wait_for("document.querySelector('#column-ready .card .title')?.textContent.trim() === 'Mend the winch'");

    let listed = scene.run("task.list", &json!({"view": "full"}));
    let task = &listed["tasks"][0];
    assert_eq!((&task["title"], &task["status"]), (&json!("Mend the winch"), &json!("ready")));
    assert_eq!(task["tags"], json!(["deck", "iron"]));
    assert_eq!(page.troubles(), []);
}

#[test]
fn a_refusal_is_told_on_the_board_and_nothing_typed_is_lost() {
    let Some(scene) = Scene::set() else { return };
    scene.run("project.create", &json!({"name": "short-lived"}));
    let page = scene.page("/?project=short-lived");
    scene.run("project.delete", &json!({"name": "short-lived"}));
    page.click("#add summary");
    page.click("#add [name=title]");
    page.type_text("Too late\n");
    page.wait_for("document.querySelector('.toast.bad code')?.textContent === 'project_not_found'");
    assert_eq!(page.text("document.querySelector('#add [name=title]').value"), "Too late");
}
