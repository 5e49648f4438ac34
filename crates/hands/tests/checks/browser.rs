//! Checks that look at pages, with a real browser.

use std::fs;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use windlass_hands::check::{Browser, Environment, Outcome, Stop, Verdict, Watch, Why};
use windlass_testkit::{Run, Tool, machine, wait};

use crate::place::{Place, owner};
use crate::server;

/// A look at a page of a server, with the browser of this run.
fn look(url: &str, check: &str, timeout: Duration) -> Option<Outcome> {
    let place = Place::new();
    let browser = Browser { timeout, ..browser(&place, Tool::Browser.program()?, url, check) };
    let outcome = run(&place, &browser);
    if browser.screenshot.exists() {
        let picture = fs::read(&browser.screenshot).unwrap();
        assert!(picture.starts_with(b"\x89PNG"));
        assert_eq!(outcome.files.last().unwrap().path, browser.screenshot);
    }
    Some(outcome)
}

/// A look that fails when its time is over, with so many pictures. A slow machine, on which the
/// page had no time to be shown, gets more.
fn look_until_it_fails(url: &str, check: &str, why: &str, pictures: usize) -> Option<Outcome> {
    let mut timeout = Duration::from_millis(900);
    loop {
        let outcome = look(url, check, timeout)?;
        assert_eq!(outcome.verdict, Verdict::Failed, "{check}: {outcome:?}");
        let said = format!("timed out after {timeout:?}: {why}");
        if outcome.message == said && outcome.files.len() == pictures {
            return Some(outcome);
        }
        assert!(timeout < wait::LIMIT, "{check}: {outcome:?}");
        timeout *= 4;
    }
}

fn browser(place: &Place, program: PathBuf, url: &str, check: &str) -> Browser {
    let path = machine::variable("PATH").unwrap_or_default();
    Browser {
        root: place.folder().to_owned(),
        url: Some(url.to_owned()),
        check: Some(check.to_owned()),
        timeout: wait::LIMIT,
        program: Some(program),
        environment: Environment::of_caller([("PATH", path)]),
        screenshot: place.folder().join("page.png"),
    }
}

fn run(place: &Place, browser: &Browser) -> Outcome {
    let stop = Stop::new().unwrap();
    let outcome = browser.run(place.guard(), Watch { beat: &mut |_| Duration::MAX, stop: &stop });
    assert_eq!(place.left(), 0, "{outcome:?}");
    outcome
}

fn page(path: &str) -> String {
    format!("{}{path}", server::start())
}

#[test]
fn what_a_page_shows_passes_and_a_picture_is_kept() {
    let url = page("/");
    for check in [
        "text: All orders",
        "title: Ord",
        "selector: body > h1",
        "js: document.querySelector('h1')",
        "js: new Promise((done) => setTimeout(() => done(1), 50))",
    ] {
        let Some(outcome) = look(&url, check, wait::LIMIT) else { return };
        assert_eq!(outcome.verdict, Verdict::Passed, "{check}: {outcome:?}");
        assert_eq!(outcome.files.len(), 1, "{outcome:?}");
        assert!(outcome.files[0].size_bytes > 0 && outcome.files[0].sha256.is_some());
    }
}

#[test]
fn what_comes_later_is_waited_for() {
    let Some(outcome) = look(&page("/later"), "text: now", wait::LIMIT) else { return };
    assert_eq!(outcome.message, "browser verify passed: the page shows the text: now");
}

#[test]
fn what_a_page_does_not_show_fails_when_the_time_is_over() {
    let url = page("/");
    for (check, why) in [
        ("text: secret", "the page does not show the text: secret"),
        ("selector: #hidden", "the page does not show the element: #hidden"),
        ("selector: .empty", "the page does not show the element: .empty"),
        ("title: Invoices", "the title does not contain: Invoices"),
        ("js: 1 > 2", "it is not true: 1 > 2"),
        ("js: no.such", "it is not true: no.such (ReferenceError: no is not defined)"),
        (
            "js: new Promise(() => {})",
            "it is not true: new Promise(() => {}) (what it promises does not come)",
        ),
    ] {
        if look_until_it_fails(&url, check, why, 1).is_none() {
            return;
        }
    }
}

#[test]
fn what_can_never_be_true_fails_at_once() {
    let url = page("/");
    for (check, why) in [
        ("selector: ][", "not a selector: ]["),
        ("js: 1 +", "not an expression: 1 + (SyntaxError: Unexpected end of input)"),
    ] {
        let Some(outcome) = look(&url, check, wait::LIMIT) else { return };
        assert_eq!((outcome.verdict, outcome.message.as_str()), (Verdict::Failed, why));
    }
}

#[test]
fn a_page_in_trouble_fails_whatever_it_shows() {
    let nobody = server::nobody();
    for (url, why) in [
        (page("/broken"), "the page answers 500 Internal Server Error"),
        (page("/leads"), "the page answers 404 Not Found"),
        (nobody, "the page cannot be opened: net::ERR_CONNECTION_REFUSED"),
        (
            page("/throws"),
            "the page has errors: TypeError: Cannot read properties of null (reading 'price')",
        ),
        (page("/rejects"), "the page has errors: Error: no stock"),
        (
            "http://no-such-host.invalid/".to_owned(),
            "the page cannot be opened: net::ERR_NAME_NOT_RESOLVED",
        ),
    ] {
        let Some(outcome) = look(&url, "text: fine", wait::LIMIT) else { return };
        assert_eq!((outcome.verdict, outcome.message.as_str()), (Verdict::Failed, why), "{url}");
    }
}

#[test]
fn a_page_that_never_comes_or_never_ends_fails_when_the_time_is_over() {
    for (path, why, pictures) in
        [("/silent", "the page does not answer", 0), ("/waits", "the page is not loaded", 1)]
    {
        if look_until_it_fails(&page(path), "text: fine", why, pictures).is_none() {
            return;
        }
    }
}

#[test]
fn a_page_that_loops_for_ever_fails_when_the_time_is_over() {
    let mut timeout = Duration::from_secs(2);
    let outcome = loop {
        let Some(outcome) = look(&page("/loops"), "text: not there", timeout) else { return };
        // A slow machine had no time to come to the loop.
        if timeout > wait::LIMIT || !outcome.message.ends_with("the page is not loaded") {
            break outcome;
        }
        timeout *= 4;
    };
    assert_eq!(outcome.verdict, Verdict::Failed, "{outcome:?}");
    assert!(outcome.message.starts_with(&format!("timed out after {timeout:?}: ")), "{outcome:?}");
    // Its time was all that was waited for.
    assert_eq!(outcome.notes, ["there is no picture: the page does not answer"], "{outcome:?}");
}

#[test]
fn a_page_that_asks_is_answered() {
    let Some(outcome) = look(&page("/asks"), "text: asked", wait::LIMIT) else { return };
    assert_eq!(outcome.verdict, Verdict::Passed, "{outcome:?}");
}

#[test]
fn no_other_server_is_reached_and_that_is_told() {
    let Some(outcome) = look(&page("/others"), "text: fine", wait::LIMIT) else { return };
    assert_eq!(outcome.verdict, Verdict::Passed);
    let note = "not loaded: http://elsewhere.example/x.png (net::ERR_NAME_NOT_RESOLVED)";
    assert_eq!(outcome.notes, [note]);
}

#[test]
fn words_are_left_to_a_person_with_a_picture() {
    let url = page("/");
    let Some(outcome) = look(&url, "the heading is large", wait::LIMIT) else { return };
    assert_eq!(outcome.verdict, Verdict::Undecided(Why::Review));
    let expected =
        format!("human review required: browser verify requested for {url} - the heading is large");
    assert_eq!((outcome.message, outcome.files.len()), (expected, 1));
}

#[test]
fn words_about_a_page_that_cannot_be_opened_are_left_to_a_person_who_is_told() {
    let url = "http://127.0.0.1:1/";
    let Some(outcome) = look(url, "the heading is large", wait::LIMIT) else { return };
    assert_eq!(outcome.verdict, Verdict::Undecided(Why::Review));
    assert!(outcome.notes[0].starts_with("the page cannot be opened: "), "{outcome:?}");
}

#[test]
fn a_file_inside_the_root_is_shown() {
    let Some(program) = Tool::Browser.program() else { return };
    let place = Place::new();
    let file = place.folder().join("index.html");
    fs::write(&file, "<title>x</title><h1>From a file</h1>").unwrap();
    let url = format!("file://{}", file.display());
    let outcome = run(&place, &browser(&place, program, &url, "text: From a file"));
    assert_eq!(outcome.verdict, Verdict::Passed, "{outcome:?}");
}

#[test]
fn what_must_not_be_opened_is_refused() {
    let place = Place::new();
    for url in ["file:///etc/hostname", "chrome://version", "data:text/html,x"] {
        let outcome = run(&place, &browser(&place, "/no/browser".into(), url, "text: x"));
        assert_eq!(outcome.verdict, Verdict::Failed);
        assert!(outcome.message.starts_with(&format!("browser verify cannot open {url}: ")));
    }
}

#[test]
fn what_is_incomplete_is_undecided() {
    let place = Place::new();
    let whole = browser(&place, "/no/browser".into(), "http://127.0.0.1", "text: x");
    let without_url = Browser { url: None, ..whole.clone() };
    let without_check = Browser { check: Some(" ".to_owned()), ..whole };
    for (browser, message) in [
        (without_url, "browser verify missing url"),
        (without_check, "browser verify missing check"),
    ] {
        let outcome = run(&place, &browser);
        assert_eq!(outcome.verdict, Verdict::Undecided(Why::Unclear));
        assert_eq!(outcome.message, message);
    }
}

#[test]
fn without_a_browser_a_person_has_to_look() {
    let place = Place::new();
    let whole = browser(&place, "/no/browser".into(), "http://127.0.0.1/", "text: x");
    let nowhere = Browser { program: None, environment: Environment::default(), ..whole.clone() };
    let broken = Browser { program: Some("/bin/false".into()), ..whole.clone() };
    for (browser, note) in [
        (whole, "there is no browser at /no/browser"),
        (nowhere, "there is no browser (chromium, chromium-browser, google-chrome, chrome)"),
        (broken, "the browser did not start: ended with code 1"),
    ] {
        let outcome = run(&place, &browser);
        assert_eq!(outcome.verdict, Verdict::Undecided(Why::Review));
        let expected =
            "human review required: browser verify requested for http://127.0.0.1/ - text: x";
        assert_eq!(outcome.message, expected);
        assert_eq!(outcome.notes, [note]);
    }
}

#[test]
fn a_browser_is_found_on_the_path() {
    let Some(program) = Tool::Browser.program() else { return };
    let place = Place::new();
    std::os::unix::fs::symlink(program, place.folder().join("google-chrome")).unwrap();
    let path =
        std::env::join_paths([place.folder(), "/usr/bin".as_ref(), "/bin".as_ref()]).unwrap();
    let environment = Environment::of_caller([("PATH", path)]);
    let whole = browser(&place, PathBuf::new(), &page("/"), "title: Orders");
    let outcome = run(&place, &Browser { program: None, environment, ..whole });
    assert_eq!(outcome.verdict, Verdict::Passed, "{outcome:?}");
}

#[test]
fn somebody_may_stop_the_look() {
    let Some(program) = Tool::Browser.program() else { return };
    let place = Place::new();
    let browser = browser(&place, program, &page("/silent"), "text: x");
    let stop = Stop::new().unwrap();
    let outcome = thread::scope(|scope| {
        scope.spawn(|| {
            wait::until("a browser runs", || place.left() > 2);
            stop.stop();
        });
        browser.run(place.guard(), Watch { beat: &mut |_| Duration::MAX, stop: &stop })
    });
    assert_eq!(outcome.verdict, Verdict::Undecided(Why::Stopped));
    assert_eq!(place.left(), 0);
}

#[test]
fn neither_processes_nor_profiles_survive_a_parent_that_is_killed() {
    let Some(program) = Tool::Browser.program() else { return };
    let place = Place::new();
    let owner = owner(place.folder());
    let words = ["--browser", &owner, place.folder().to_str().unwrap(), program.to_str().unwrap()];
    let run = Run::of(env!("CARGO_BIN_EXE_guarded-check"))
        .args(words)
        .args([page("/silent")])
        .env("TMPDIR", place.folder());
    let mut parent = run.spawn();
    let profiles = || {
        let entries = fs::read_dir(place.folder()).unwrap().flatten();
        entries.filter(|entry| entry.path().join("Default").exists()).count()
    };
    wait::until("a browser has made its profile", || profiles() == 1);
    parent.kill().unwrap();
    parent.wait().unwrap();
    wait::until("no marked process is left", || place.left() == 0);
    let is_empty = || fs::read_dir(place.folder()).unwrap().next().is_none();
    wait::until("no profile is left", is_empty);
}
