use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::thread;

use super::*;

const POLICY: &str = "default-src 'none'; script-src 'self'; img-src data:";

/// Serves one HTML page, and a script at `/script.js`, for as long as the test lasts.
fn serving(html: &str, script: &str) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (html, script) = (html.to_owned(), script.to_owned());
    thread::spawn(move || {
        for mut connection in listener.incoming().map_while(Result::ok) {
            let mut asked = [0; 4096];
            let length = connection.read(&mut asked).unwrap_or_default();
            let asked = String::from_utf8_lossy(&asked[..length]).into_owned();
            let (kind, body) = match asked.split(' ').nth(1) {
                Some("/script.js") => ("text/javascript", &script),
                _ => ("text/html", &html),
            };
            let length = body.len();
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\
                 content-security-policy: {POLICY}\r\nconnection: close\r\n\r\n"
            );
            connection.write_all(format!("{head}{body}").as_bytes()).ok();
        }
    });
    address
}

fn shown(browser: &Browser, html: &str, script: &str) -> Page {
    let html = format!(
        "<!doctype html><meta name=viewport content=width=device-width>\
        <link rel=icon href=data:><body>{html}<script src=/script.js></script>"
    );
    let page = browser.page();
    page.goto(&format!("http://{}/", serving(&html, script)));
    page
}

#[test]
fn a_person_types_presses_and_clicks() {
    let Some(browser) = Browser::start() else { return };
    let page = shown(
        &browser,
        "<form><input autofocus><button>Go</button></form><p>",
        "const say = (text) => document.querySelector('p').textContent += text;
        document.querySelector('input').addEventListener('keydown', (e) => say(e.key + ' '));
        document.querySelector('form').addEventListener('submit', (event) => {
            event.preventDefault();
            say('[' + document.querySelector('input').value + (event.isTrusted ? '] ' : '?'));
        });",
    );
    page.click("input");
    page.type_text("hé.\n");
    page.press("Shift+Tab");
    page.click("button");
    let said = page.text("document.querySelector('p').textContent");
    assert_eq!(said, "h é . Enter [hé.] Tab [hé.] ");
    assert_eq!(page.troubles(), []);
}

#[test]
fn a_thing_is_dragged_to_where_it_belongs() {
    let Some(browser) = Browser::start() else { return };
    let page = shown(
        &browser,
        "<ul id=from><li draggable=true>card</ul><ul id=to><li>there</ul>",
        "const [from, to] = ['from', 'to'].map((id) => document.getElementById(id));
        from.addEventListener('dragstart', (e) => e.dataTransfer.setData('text/plain', 'card'));
        to.addEventListener('dragover', (event) => event.preventDefault());
        to.addEventListener('drop', (event) => {
            event.preventDefault();
            to.append(event.dataTransfer.getData('text/plain'));
        });",
    );
    page.drag("#from li", "#to");
    page.wait_for("document.getElementById('to').textContent.includes('card')");
}

#[test]
fn what_goes_wrong_in_a_page_is_told() {
    let Some(browser) = Browser::start() else { return };
    let page = shown(
        &browser,
        "<img src=x onerror=alert(1)>",
        "console.error('oh'); alert('hello'); fetch('/elsewhere').catch(() => {}); no.such.thing;",
    );
    page.wait_for("true");
    let troubles = page.troubles();
    let some = |test: fn(&Trouble) -> bool| troubles.iter().any(test);
    assert!(some(|it| *it == Trouble::Dialog("hello".into())), "{troubles:#?}");
    assert!(some(|it| matches!(it, Trouble::Script(text) if text.contains("no is not defined"))));
    assert!(some(|it| matches!(it, Trouble::Script(text) if text.contains("oh"))));
    assert!(some(|it| matches!(it, Trouble::Policy(text) if text.contains("connect-src"))));
    assert!(some(|it| matches!(it, Trouble::Policy(text) if text.contains("script-src-attr"))));
}

#[test]
fn a_page_that_does_nothing_wrong_has_no_troubles() {
    let Some(browser) = Browser::start() else { return };
    let page = shown(&browser, "<p>calm", "document.querySelector('p').textContent += '!'");
    assert_eq!(page.text("document.querySelector('p').textContent"), "calm!");
    assert_eq!(page.troubles(), []);
}

#[test]
fn pages_share_no_cookies() {
    let Some(browser) = Browser::start() else { return };
    let first = shown(&browser, "", "document.cookie = 'a=1'");
    let second = shown(&browser, "", "");
    assert_eq!(first.text("document.cookie"), "a=1");
    assert_eq!(second.text("document.cookie"), "");
}

#[test]
fn a_phone_is_narrow_and_a_picture_shows_it() {
    let Some(browser) = Browser::start() else { return };
    let page = shown(&browser, "<p>small", "");
    page.set_screen(Screen::Phone { width: 390, height: 844 });
    page.wait_for("innerWidth === 390 && matchMedia('(pointer: coarse)').matches");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("phone.png");
    page.screenshot(&path);
    let picture = fs::read(path).unwrap();
    let number = |at: usize| u32::from_be_bytes(picture[at..at + 4].try_into().unwrap());
    assert_eq!((number(16), number(20)), (780, 1688));
}

#[test]
fn colours_follow_what_is_preferred() {
    let Some(browser) = Browser::start() else { return };
    let page = shown(&browser, "", "");
    page.set_colours("dark");
    page.wait_for("matchMedia('(prefers-color-scheme: dark)').matches");
}

#[test]
fn without_scripts_a_page_can_still_be_read() {
    let Some(browser) = Browser::start() else { return };
    let page = browser.page();
    page.turn_scripts_off();
    let html = "<p>plain</p><script src=/script.js></script><noscript><b>off</b></noscript>";
    page.goto(&format!("http://{}/", serving(html, "document.body.textContent = 'ran'")));
    assert_eq!(page.text("document.querySelector('p').textContent"), "plain");
    assert_eq!(page.text("document.querySelector('b').textContent"), "off");
}

#[test]
fn nothing_outside_this_machine_can_be_reached() {
    let Some(browser) = Browser::start() else { return };
    let page = browser.page();
    page.eval(
        "new Promise((done) => {
            const picture = new Image();
            picture.onerror = () => done('failed');
            picture.src = 'http://example.com/x.png';
        })",
    );
    let troubles = page.troubles();
    let [Trouble::Load(error)] = troubles.as_slice() else { panic!("{troubles:#?}") };
    assert!(error.contains("ERR_NAME_NOT_RESOLVED"), "{error}");
}

#[test]
fn a_browser_leaves_neither_processes_nor_files_behind() {
    let Some(browser) = Browser::start() else { return };
    let (group, profile) = (browser.shell.id(), browser.profile.path().to_owned());
    drop(browser);
    assert!(!profile.exists());
    let group = Pid::from_raw(i32::try_from(group).unwrap()).unwrap();
    wait::until("its processes are gone", || {
        rustix::process::test_kill_process_group(group).is_err()
    });
}
