//! What happens elsewhere is on the page without a reload.

use serde_json::json;
use windlass_testkit::Served;
use windlass_testkit::browser::Page;

use crate::scene::{Scene, column_of};

/// Lets the page note by its own clock when an expression is true for the first time.
fn stopwatch(page: &Page, expression: &str) {
    page.eval(&format!(
        "(() => {{
            window.began = performance.now();
            const look = () => {{
                if (window.seen === undefined && ({expression})) window.seen = performance.now();
            }};
            const everything = {{subtree: true, childList: true, characterData: true, attributes: true}};
            new MutationObserver(look).observe(document.documentElement, everything);
        }})()"
    ));
}

/// How many milliseconds after the stopwatch was started that was.
#[track_caller]
fn seen_after(page: &Page) -> f64 {
    page.wait_for("window.seen !== undefined");
    page.eval("window.seen - window.began").as_f64().unwrap()
}

/// The clock runs from before the command is started, so that this is more than the page takes. A
/// machine that is busy may take longer than a second; what it took is told.
#[test]
fn a_task_added_on_the_command_line_is_on_the_board_within_a_second() {
    let Some(scene) = Scene::set() else { return };
    let page = scene.live_page("/");
    stopwatch(&page, "document.querySelector('.card .title')?.textContent.trim() === 'From afar'");
    let _done = scene.home.windlass(&["task", "add", "From afar", "--status", "ready"]).run().ok();
    let took = seen_after(&page);
    eprintln!("on the board {took:.0} ms after the command was started");
    assert!(took < 60_000.0, "on the board only {took:.0} ms after the command was started");
    assert_eq!(page.troubles(), []);
}

#[test]
fn a_card_goes_where_the_command_line_puts_it() {
    let Some(scene) = Scene::set() else { return };
    let task = scene.ready("Wanderer");
    let page = scene.live_page("/");
    stopwatch(&page, &format!("{} === 'in_progress'", column_of(&task)));
    let _done = scene.home.windlass(&["task", "claim", &task, "--agent", "stoker"]).run().ok();
    let took = seen_after(&page);
    eprintln!("moved {took:.0} ms after the command was started");
    page.wait_for(&format!(
        "document.getElementById('card-{task}').textContent.includes('stoker')"
    ));
}

#[test]
fn the_page_of_a_task_tells_what_others_do_to_it_and_keeps_what_is_being_typed() {
    let Some(scene) = Scene::set() else { return };
    let task = scene.ready("Watched");
    let page = scene.live_page(&format!("/tasks/{task}"));
    let field = "form[action='/do/task.comment'] textarea";
    page.click(field);
    page.type_text("half a thou");
    scene.run("task.comment", &json!({"task": task, "text": "from the mast", "author": "lookout"}));
    page.wait_for("document.getElementById('comments').textContent.includes('from the mast')");
    page.type_text("ght");
    let typed = page.text(&format!("document.querySelector(\"{field}\").value"));
    assert_eq!(typed, "half a thought");
    assert_eq!(page.troubles(), []);
}

/// What a browser keeps is known to one server alone: the next one asks who is there.
#[test]
fn a_page_whose_server_began_anew_says_so_and_shows_what_it_missed_once_signed_in() {
    let Some(scene) = Scene::set() else { return };
    let key = scene.key("person:anna", "admin");
    let page = scene.stranger();
    scene.enter_with(&page, &key);
    page.wait_for("document.getElementById('live')?.dataset.state === 'live'");
    let Scene { browser, served, home } = scene;
    let address = served.address();
    served.kill();
    page.wait_for("document.getElementById('live').dataset.state !== 'live'");
    let _done =
        home.windlass(&["task", "add", "While you were away", "--status", "ready"]).run().ok();

    let served = Served::start_at(&home, address, &[]);
    let scene = Scene { browser, served, home };
    page.wait_for("document.querySelector('#live a')?.textContent === 'signed out'");
    scene.enter_with(&page, &key);
    page.wait_for(
        "document.querySelector('.card .title')?.textContent.trim() === 'While you were away'",
    );
}
