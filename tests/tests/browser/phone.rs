//! On a phone nothing is wider than the screen, however long a word is.

use serde_json::json;
use windlass_testkit::browser::Screen;

use crate::furniture::furnish;
use crate::scene::Scene;

const PHONE: Screen = Screen::Phone { width: 390, height: 844 };

/// What sticks out at the right, unless it is in a box of its own that scrolls.
const STICKING_OUT: &str = "
    [...document.querySelectorAll('body *')].filter((element) => {
        // A drawing cuts off what does not fit.
        if (element.ownerSVGElement) return false;
        const box = element.getBoundingClientRect();
        if (box.width === 0 || box.height === 0 || box.right <= screen.width + 1) return false;
        for (let up = element; up !== document.body; up = up.parentElement) {
            const style = getComputedStyle(up);
            if (/auto|scroll|hidden|clip/.test(style.overflowX) && up !== element) {
                const edge = up.getBoundingClientRect();
                if (edge.right <= screen.width + 1) return false;
            }
            if (style.position === 'fixed' || style.visibility === 'hidden') return false;
        }
        return true;
    }).map((element) => element.outerHTML.slice(0, 160))";

/// As long as the field can hold, without a place to break.
fn endless(field: &str) -> String {
    let length = match field {
        "title" => 128,
        "tags" | "tag" => 64,
        "step" => 500,
        "for" | "agent" | "author" | "name" => 200,
        _ => 600,
    };
    "W".repeat(length)
}

#[test]
fn no_page_scrolls_sideways_on_a_phone() {
    let Some(scene) = Scene::set() else { return };
    let furnished = furnish(&scene, "long", &endless);
    let page = scene.stranger();
    page.set_screen(PHONE);
    scene.go(&page, "/enter");
    let mut wide = Vec::new();
    let mut look = |path: &str| {
        let width = page.eval("document.documentElement.scrollWidth");
        let out = page.eval(STICKING_OUT);
        if width != json!(390) || out != json!([]) {
            wide.push(format!("{path}: {width} pixels wide, {out:#}"));
        }
    };
    look("/enter");
    scene.enter(&page);
    for path in furnished.pages() {
        scene.go(&page, &path);
        look(&path);
    }
    assert!(wide.is_empty(), "{}", wide.join("\n"));
    assert_eq!(page.troubles(), []);
}

#[test]
fn the_columns_of_the_board_are_reached_by_tabs_on_a_phone() {
    let Some(scene) = Scene::set() else { return };
    let task = scene.ready("Far to the right");
    scene.run("task.set-status", &json!({"task": task, "status": "done"}));
    let page = scene.stranger();
    page.set_screen(PHONE);
    scene.enter(&page);
    page.click(".column-tabs [data-column=done]");
    page.wait_for(
        "(() => {
            const box = document.querySelector('#column-done .card').getBoundingClientRect();
            return box.left >= 0 && box.right <= screen.width;
        })()",
    );
    assert_eq!(page.eval("scrollX"), json!(0));
}

/// Whether the tab one is on can be seen, in every row of tabs that has one.
const TAB_IS_SEEN: &str = "
    [...document.querySelectorAll('.pages, main .tabs')].every((strip) => {
        const box = strip.querySelector('[aria-current]')?.getBoundingClientRect();
        return !box || (box.left >= 0 && box.right <= screen.width + 1);
    })";

const FAR_RIGHT: [&str; 5] =
    ["/api", "/search", "/stats?window=365d", "/outbox?state=all", "/lifecycles"];

#[test]
fn the_tab_one_is_on_is_seen_on_a_phone() {
    let Some(scene) = Scene::set() else { return };
    let page = scene.stranger();
    page.set_screen(PHONE);
    scene.enter(&page);
    for path in FAR_RIGHT {
        scene.go(&page, path);
        page.wait_for(TAB_IS_SEEN);
    }
}

#[test]
fn the_tab_one_is_on_is_seen_on_a_phone_without_scripts() {
    let Some(scene) = Scene::set() else { return };
    let page = scene.stranger();
    page.set_screen(PHONE);
    page.turn_scripts_off();
    scene.enter(&page);
    for path in FAR_RIGHT {
        scene.go(&page, path);
        assert_eq!(page.eval(TAB_IS_SEEN), json!(true), "{path}");
    }
}
