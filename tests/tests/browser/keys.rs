//! A key is made on a page, and its text is shown there once.

use serde_json::json;
use windlass_testkit::browser::Page;

use crate::scene::Scene;

/// Fills in and sends the form that makes a key.
fn make(page: &Page, owner: &str, role: &str) {
    page.click("#new-key summary");
    page.eval(&format!("document.querySelector('.new-key [name=role]').value = '{role}'"));
    page.click(".new-key [name=for]");
    page.type_text(owner);
    page.press("Enter");
}

#[test]
fn the_text_of_a_new_key_comes_first_and_can_be_copied() {
    let Some(scene) = Scene::set() else { return };
    let page = scene.page("/agents");
    make(&page, "agent:worker-1", "worker");
    page.wait_for("document.querySelector('button[data-copy]:not([hidden])')");
    let secret = page.text("document.querySelector('main code').textContent");
    assert!(secret.starts_with("wl_") && secret.len() > 40, "{secret}");
    assert_eq!(page.text("getComputedStyle(document.getElementById('secret')).userSelect"), "all");
    page.eval("navigator.clipboard.writeText = async (text) => { window.copied = text; }");
    page.click("button[data-copy]");
    page.wait_for("document.querySelector('button[data-copy]').textContent === 'Copied'");
    assert_eq!(page.text("window.copied"), secret);
    let stranger = scene.stranger();
    scene.enter_with(&stranger, &secret);
    assert_eq!(stranger.text("document.documentElement.dataset.person"), "worker-1");
}

#[test]
fn where_the_clipboard_is_not_lent_the_text_of_a_key_is_copied_all_the_same() {
    let Some(scene) = Scene::set() else { return };
    let page = scene.page("/agents");
    make(&page, "agent:worker-1", "worker");
    page.wait_for("document.querySelector('button[data-copy]:not([hidden])')");
    page.eval("navigator.clipboard.writeText = async () => { throw new Error('not here'); }");
    page.eval("addEventListener('copy', () => { window.copied = getSelection().toString(); })");
    page.click("button[data-copy]");
    page.wait_for("window.copied !== undefined");
    let secret = page.text("document.getElementById('secret').textContent");
    assert_eq!(page.text("window.copied"), secret);
}

#[test]
fn after_a_refusal_the_role_of_a_key_is_still_chosen() {
    let Some(scene) = Scene::set() else { return };
    let page = scene.page("/agents");
    make(&page, "agent:worker-1", "admin");
    page.wait_for("document.querySelector('.notice.bad')");
    let roles = page.eval(
        "[...document.querySelectorAll('main select[name=role] option')].map((one) => one.value)",
    );
    assert_eq!(roles, json!(["worker", "reviewer", "approver", "admin"]));
    assert_eq!(page.text("document.querySelector('main select[name=role]').value"), "admin");
}
