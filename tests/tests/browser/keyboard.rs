//! Everything can be done without a mouse, and whoever does sees where they are.

use serde_json::{Value, json};
use windlass_testkit::browser::Page;

use crate::furniture::{furnish, plain};
use crate::scene::{Scene, column_of};

/// Goes on with Tab until the focus is on what is looked for.
#[track_caller]
fn tab_to(page: &Page, selector: &str) {
    let arrived = format!("document.activeElement.matches({})", Value::from(selector));
    for _ in 0..300 {
        if page.eval(&arrived) == Value::Bool(true) {
            return;
        }
        page.press("Tab");
    }
    panic!("Tab does not lead to {selector}\n{page}");
}

#[test]
fn a_task_is_added_moved_opened_and_talked_about_with_keys_alone() {
    let Some(scene) = Scene::set() else { return };
    let page = scene.page("/");
    page.press("n");
    page.type_text("Keys only\n");
    page.wait_for("document.activeElement.closest('.card')?.textContent.includes('Keys only')");
    let task = page.text("document.activeElement.closest('.card').dataset.task");
    assert_eq!(scene.status_of(&task), "ready");

    page.press("m");
    page.press("i");
    page.wait_for("document.getElementById('said').textContent.includes('moved to In progress')");
    assert_eq!(page.text(&column_of(&task)), "in_progress");

    page.press("Enter");
    page.wait_for("location.pathname.startsWith('/tasks/') && document.readyState === 'complete'");
    tab_to(&page, "form[action='/do/task.comment'] textarea");
    page.type_text("No mouse.");
    tab_to(&page, "form[action='/do/task.comment'] button");
    page.press("Enter");
    page.wait_for("document.getElementById('comments')?.textContent.includes('No mouse.')");
    let shown = scene.run("task.show", &json!({"task": task, "view": "full"}));
    assert_eq!(
        (&shown["task"]["status"], &shown["comments"][0]["text"]),
        (&json!("in_progress"), &json!("No mouse."))
    );
    assert_eq!(page.troubles(), []);
}

#[test]
fn keys_open_the_help_sheet_and_lead_from_page_to_page() {
    let Some(scene) = Scene::set() else { return };
    let task = scene.ready("Somewhere");
    let page = scene.page(&format!("/tasks/{task}"));
    page.press("?");
    page.wait_for("document.getElementById('help').open");
    assert_eq!(
        page.eval("document.getElementById('help').contains(document.activeElement)"),
        json!(true)
    );
    page.press("Escape");
    page.wait_for("!document.getElementById('help').open");
    page.press("g");
    page.press("b");
    page.wait_for("location.pathname === '/' && document.querySelector('.board')");
}

#[test]
fn arrows_and_letters_go_from_card_to_card() {
    let Some(scene) = Scene::set() else { return };
    let [one, two] = ["One", "Two"].map(|title| scene.ready(title));
    let done = scene.ready("Three");
    scene.run("task.set-status", &json!({"task": done, "status": "done"}));
    let page = scene.page("/");
    let at = |page: &Page| page.text("document.activeElement.closest('.card')?.dataset.task ?? ''");
    page.press("j");
    let first = at(&page);
    page.press("ArrowDown");
    let second = at(&page);
    let mut both = [first.clone(), second];
    both.sort();
    let mut expected = [one, two];
    expected.sort();
    assert_eq!(both, expected);
    page.press("k");
    assert_eq!(at(&page), first);
    page.press("l");
    assert_eq!(at(&page), done);
    page.press("ArrowLeft");
    assert_eq!(at(&page), first);
}

#[test]
fn letters_in_a_field_are_text_and_no_shortcuts() {
    let Some(scene) = Scene::set() else { return };
    let page = scene.page("/");
    page.press("n");
    page.type_text("jump? m/g bn");
    assert_eq!(page.text("document.querySelector('#add [name=title]').value"), "jump? m/g bn");
    page.press("Escape");
    page.wait_for("!document.getElementById('add').open");
    assert_eq!(page.text("document.activeElement.tagName"), "SUMMARY");
}

/// Notes which of all things that can be pressed or filled in had the focus, and which of them then
/// looked as they do without it: they, what is in them, and what they are in.
const WATCH: &str = "
    (() => {
        const all = 'a[href], button, input:not([type=hidden]), select, textarea, summary';
        const marks = ['outline', 'boxShadow', 'borderColor', 'backgroundColor', 'stroke', 'strokeWidth', 'top'];
        const look = (target) => {
            const around = [target, target.parentElement, target.closest('.card'), ...target.querySelectorAll('*')];
            return around.filter(Boolean).map((element) => {
                const style = getComputedStyle(element);
                return marks.map((mark) => style[mark]).join();
            }).join(';');
        };
        // What the page itself put the focus on is passed again.
        document.activeElement?.blur();
        window.targets = [...document.querySelectorAll(all)].filter((element) =>
            element.checkVisibility({visibilityProperty: true}) && !element.disabled
                && element.tabIndex >= 0
                // Of buttons that exclude each other one has the focus; arrows lead to the others.
                && (element.type !== 'radio' || element.checked));
        const before = new Map(window.targets.map((target) => [target, look(target)]));
        window.visited = new Set();
        window.unseen = [];
        document.addEventListener('focusin', ({target}) => {
            window.visited.add(target);
            if (before.get(target) === look(target)) window.unseen.push(target.outerHTML.slice(0, 120));
        });
        return window.targets.length;
    })()";

#[test]
fn tab_leads_to_everything_on_every_page_and_shows_where_it_is() {
    let Some(scene) = Scene::set() else { return };
    let furnished = furnish(&scene, "ship", &plain);
    let page = scene.page("/");
    let mut wrong = Vec::new();
    for path in furnished.pages() {
        scene.go(&page, &path);
        let targets = page.eval(WATCH).as_u64().unwrap();
        assert!(targets > 5, "{path} has nothing to press");
        let left = "window.targets.filter((target) => !window.visited.has(target))";
        for step in 0..targets * 2 + 20 {
            if step >= targets && page.eval(&format!("{left}.length")) == json!(0) {
                break;
            }
            page.press("Tab");
        }
        let missed = page.eval(&format!("{left}.map((it) => it.outerHTML.slice(0, 120))"));
        let unseen = page.eval("[...new Set(window.unseen)]");
        if missed != json!([]) || unseen != json!([]) {
            wrong.push(format!("{path}: not reached {missed:#}, not shown {unseen:#}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
