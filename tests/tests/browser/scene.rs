//! A served ledger with a browser in front of it.

use serde_json::{Value, json};
use windlass_testkit::browser::{Browser, Page};
use windlass_testkit::{Home, Served};

/// The first to be dropped comes first: who looks goes before what is looked at.
pub(crate) struct Scene {
    pub(crate) browser: Browser,
    pub(crate) served: Served,
    pub(crate) home: Home,
}

impl Scene {
    /// Nothing when this run has no browser.
    #[track_caller]
    pub(crate) fn set() -> Option<Self> {
        let browser = Browser::start()?;
        let home = Home::new();
        let served = Served::start(&home, &[]);
        Some(Self { browser, served, home })
    }

    /// Runs an operation over HTTP.
    #[track_caller]
    pub(crate) fn run(&self, operation: &str, arguments: &Value) -> Value {
        self.served.op(operation, arguments).ok().json()
    }

    /// Adds a task, and says which it is.
    #[track_caller]
    pub(crate) fn add(&self, arguments: &Value) -> String {
        let added = self.run("task.add", arguments);
        added["task_id"].as_str().unwrap().to_owned()
    }

    /// A task that is ready, by its title alone.
    #[track_caller]
    pub(crate) fn ready(&self, title: &str) -> String {
        self.add(&json!({"title": title, "status": "ready"}))
    }

    #[track_caller]
    pub(crate) fn status_of(&self, task: &str) -> String {
        let shown = self.run("task.show", &json!({"task": task}));
        shown["task"]["status"].as_str().unwrap().to_owned()
    }

    /// A page of somebody who was not let in yet.
    #[track_caller]
    pub(crate) fn stranger(&self) -> Page {
        self.browser.page()
    }

    /// A page at a path, signed in as `windlass open` does it.
    #[track_caller]
    pub(crate) fn page(&self, path: &str) -> Page {
        let page = self.stranger();
        self.enter(&page);
        self.go(&page, path);
        page
    }

    #[track_caller]
    pub(crate) fn enter(&self, page: &Page) {
        let server = self.served.url("");
        let way_in =
            self.home.windlass(&["--server", &server, "open", "--print"]).run().ok().stdout;
        page.goto(way_in.trim());
        page.wait_for("location.pathname === '/'");
    }

    /// Makes a key.
    #[track_caller]
    pub(crate) fn key(&self, owner: &str, role: &str) -> String {
        let made = self.run("key.create", &json!({"for": owner, "role": role}));
        made["key"].as_str().unwrap().to_owned()
    }

    /// Types a key into the page that asks for one.
    #[track_caller]
    pub(crate) fn enter_with(&self, page: &Page, key: &str) {
        self.go(page, "/");
        page.click("[name=key]");
        page.type_text(key);
        page.press("Enter");
        page.wait_for(
            "document.documentElement.dataset.person && document.readyState === 'complete'",
        );
    }

    #[track_caller]
    pub(crate) fn go(&self, page: &Page, path: &str) {
        page.goto(&self.served.url(path));
    }

    /// A page that shows changes as they happen, by now.
    #[track_caller]
    pub(crate) fn live_page(&self, path: &str) -> Page {
        let page = self.page(path);
        page.wait_for("document.getElementById('live').dataset.state === 'live'");
        page
    }
}

/// The card of a task on the board, as a selector.
pub(crate) fn card(task: &str) -> String {
    format!("#card-{task}")
}

/// The column of the board where a task is shown, as an expression.
pub(crate) fn column_of(task: &str) -> String {
    format!("document.getElementById('card-{task}')?.closest('.column').dataset.status")
}
