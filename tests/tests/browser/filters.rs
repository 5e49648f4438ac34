//! Filters live in the address: what somebody sees can be sent to somebody else.

use serde_json::{Value, json};
use windlass_testkit::browser::Page;

use crate::scene::Scene;

fn titles(page: &Page) -> Value {
    page.eval("[...document.querySelectorAll('.card .title')].map((title) => title.textContent.trim()).sort()")
}

fn fleet(scene: &Scene) {
    scene.run("project.create", &json!({"name": "deck"}));
    scene.run("project.create", &json!({"name": "hold"}));
    scene.add(&json!({"title": "Paint the rail", "project": "deck", "status": "ready", "tags": ["paint"]}));
    scene.add(
        &json!({"title": "Oil the winch", "project": "deck", "status": "ready", "tags": ["oil"]}),
    );
    let held = json!({"title": "Count the barrels", "project": "hold", "status": "ready", "tags": ["oil"]});
    let task = scene.add(&held);
    scene.run("task.claim", &json!({"task": task, "agent": "stoker", "lease": "1h"}));
}

#[test]
fn choosing_a_filter_writes_it_into_the_address_which_shows_the_same_again() {
    let Some(scene) = Scene::set() else { return };
    fleet(&scene);
    let page = scene.page("/");
    page.click(".filters [name=tag]");
    page.type_text("oil\n");
    page.wait_for("location.search === '?tag=oil' && document.readyState === 'complete'");
    assert_eq!(titles(&page), json!(["Count the barrels", "Oil the winch"]));

    let address = page.text("location.href");
    let other = scene.page("/");
    other.goto(&address);
    assert_eq!(titles(&other), json!(["Count the barrels", "Oil the winch"]));
    assert_eq!(page.troubles(), []);
}

#[test]
fn every_filter_of_the_address_narrows_the_board() {
    let Some(scene) = Scene::set() else { return };
    fleet(&scene);
    scene.add(&json!({"title": "Overdue", "status": "ready", "due": "2020-01-01"}));
    let page = scene.page("/");
    let cases = [
        ("/?project=deck", json!(["Oil the winch", "Paint the rail"])),
        ("/?project=deck&tag=paint", json!(["Paint the rail"])),
        ("/?agent=stoker", json!(["Count the barrels"])),
        ("/?q=winch", json!(["Oil the winch"])),
        ("/?due=overdue", json!(["Overdue"])),
        ("/?status=in_progress", json!(["Count the barrels"])),
        ("/?tag=nothing", json!([])),
    ];
    for (address, expected) in cases {
        scene.go(&page, address);
        assert_eq!(titles(&page), expected, "{address}");
    }
}
