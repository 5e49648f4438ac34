//! The bar at the top: at every width its parts stand beside each other, and all can be seen.

use serde_json::{Value, json};
use windlass_testkit::browser::{Page, Screen};

use crate::scene::Scene;

const LONG: &str = "customer-portal-rewrite-with-a-very-long-name-for-the-year-2026";

/// Parts of the bar that lie over each other or stick out, and pages that cannot be seen.
const WRONG: &str = "(() => {
    const seen = (element) => {
        const box = element.getBoundingClientRect();
        return box.width > 0 && box.height > 0;
    };
    const parts = [...document.querySelectorAll(
        '.brand, .pages, .tools > *, .tools > form > *:not([type=hidden])')].filter(seen);
    const name = (element) => element.outerHTML.slice(0, 60);
    const wrong = [];
    for (const one of parts) {
        const a = one.getBoundingClientRect();
        if (a.left < 0 || a.right > innerWidth) wrong.push(`sticks out: ${name(one)}`);
        for (const other of parts) {
            if (one === other || one.contains(other) || other.contains(one)) continue;
            const b = other.getBoundingClientRect();
            const apart = a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
            if (!apart) wrong.push(`${name(one)} over ${name(other)}`);
        }
    }
    const pages = document.querySelector('.pages');
    if (pages.scrollWidth > pages.clientWidth) wrong.push('a page is out of sight');
    return wrong;
})()";

fn desktop(width: u32) -> Screen {
    Screen::Desktop { width, height: 800 }
}

#[test]
fn nothing_in_the_bar_lies_over_anything_else() {
    let Some(scene) = Scene::set() else { return };
    scene.run("project.create", &json!({"name": LONG}));
    let page = scene.live_page(&format!("/?project={LONG}"));
    for width in [1600, 1440, 1280, 1200, 1199, 1024, 900, 768] {
        page.set_screen(desktop(width));
        page.wait_for(&format!("innerWidth === {width}"));
        assert_eq!(page.eval(WRONG), json!([]), "{width} pixels");
    }
}

#[test]
fn without_scripts_nothing_in_the_bar_lies_over_anything_else() {
    let Some(scene) = Scene::set() else { return };
    scene.run("project.create", &json!({"name": LONG}));
    let page = scene.stranger();
    page.turn_scripts_off();
    scene.enter(&page);
    for width in [1280, 1024, 768] {
        page.set_screen(desktop(width));
        scene.go(&page, &format!("/?project={LONG}"));
        assert_eq!(page.eval(WRONG), json!([]), "{width} pixels");
    }
}

fn box_of(page: &Page, selector: &str) -> Value {
    page.eval(&format!("document.querySelector(\"{selector}\").getBoundingClientRect().toJSON()"))
}

#[test]
fn the_menu_of_who_acts_has_room_for_a_name() {
    let Some(scene) = Scene::set() else { return };
    let page = scene.page("/");
    for screen in [desktop(1280), desktop(800), Screen::Phone { width: 390, height: 844 }] {
        page.set_screen(screen);
        scene.go(&page, "/");
        page.click("header .drop summary");
        let field = box_of(&page, ".drop [name=name]");
        assert!(field["width"].as_f64().unwrap() > 200.0, "{screen:?}: {field}");
        let button = box_of(&page, ".drop form[action='/enter/as'] button");
        assert!(button["height"].as_f64().unwrap() < 60.0, "{screen:?}: {button}");
    }
}
