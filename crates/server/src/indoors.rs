//! A server without a network, for tests that ask it as a browser or a program does.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Request, StatusCode, header};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;
use tower_service::Service as _;
use windlass_domain::chain::Hash;
use windlass_ledger::{Clock, Location};
use windlass_ops::Workplace;
use windlass_ops::context::{Presence, Surroundings, Wishes};
use windlass_ops::settings::Resolved;
use windlass_ops::table::Entry;

use crate::caller::{Caller, Local};
use crate::desk::{Call, Desk, Office};
use crate::http::{Doorkeeper, House, Readiness, Room, Stays, places, router};
use crate::limits::Limits;
use crate::live::Live;
use crate::mcp::http::Mcp;
use crate::ticket::Tickets;

pub(crate) const TOKEN: &str = "wlt_secret";
const HOST: &str = "127.0.0.1:7077";

pub(crate) struct Indoors {
    pub(crate) runtime: Runtime,
    pub(crate) desk: Desk,
    pub(crate) live: Live,
    router: Router,
    stop: CancellationToken,
    /// Of the user of the machine.
    pub(crate) cookie: String,
    _folder: TempDir,
}

/// What a caller gets.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

/// By what the server knows a secret.
pub(crate) fn digest_of(secret: &str) -> Hash {
    Hash::from_bytes(Sha256::digest(secret.as_bytes()).into())
}

impl Indoors {
    pub(crate) fn new() -> Self {
        Self::with_clock(None)
    }

    /// One whose ledger has a clock of the test.
    pub(crate) fn with_clock(clock: Option<Arc<dyn Clock>>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let location = Location::Sqlite(folder.path().join("ledger.db"));
        let workplace = Workplace { clock, ..Workplace::new(location) };
        let surroundings = Surroundings { user: "anna".into(), ..Surroundings::default() };
        let office = Office { workplace, surroundings, settings: Resolved::default() };
        let runtime = Runtime::new().unwrap();
        let inside = runtime.enter();
        let desk = Desk::open(office.clone()).unwrap();
        let stop = CancellationToken::new();
        let live = Live::start(&office, desk.clone(), stop.clone()).unwrap();
        let doorkeeper = Doorkeeper {
            token: Some(Sha256::digest(TOKEN.as_bytes()).into()),
            tickets: Some(Tickets::of(TOKEN).unwrap()),
            stays: Stays::default(),
            user: "anna".into(),
            names: Vec::new(),
            port: 7077,
        };
        let mcp = Mcp::new(desk.clone(), office, stop.clone());
        let (limits, readiness, room) = (Limits::new(0), Readiness::default(), Room::default());
        let house = House {
            desk: desk.clone(),
            live: live.clone(),
            doorkeeper,
            mcp,
            limits,
            readiness,
            room,
            followers: places(),
        };
        let router = router(Arc::new(house));
        drop(inside);
        let cookie = String::new();
        let mut indoors = Self { runtime, desk, live, router, stop, cookie, _folder: folder };
        indoors.cookie = indoors.enter(TOKEN);
        indoors
    }

    /// Comes in, and says the cookie of the stay.
    pub(crate) fn enter(&self, secret: &str) -> String {
        let entered = self.ask(request("POST", "/enter", "", &format!("key={secret}")));
        let cookie = entered.header(header::SET_COOKIE);
        cookie.split_once(';').unwrap_or_else(|| panic!("no cookie but {cookie:?}")).0.to_owned()
    }

    pub(crate) fn ask(&self, request: Request<Body>) -> Answer {
        self.runtime.block_on(async {
            let response = self.router.clone().call(request).await.unwrap();
            let (parts, body) = response.into_parts();
            let body = body.collect().await.unwrap().to_bytes();
            let text = String::from_utf8(body.to_vec()).unwrap();
            Answer { status: parts.status, headers: parts.headers, text }
        })
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.ask(request("GET", path, &self.cookie, ""))
    }

    pub(crate) fn post(&self, path: &str, form: &str) -> Answer {
        self.ask(request("POST", path, &self.cookie, form))
    }

    /// Does an operation as somebody on the command line, and answers what it says.
    pub(crate) fn does(&self, operation: &str, arguments: Value) -> Value {
        let local = Local {
            agent: None,
            user: "kim".into(),
            fence: None,
            wishes: Wishes::default(),
            presence: Presence::Unknown,
        };
        let call = Call {
            entry: Entry::named(operation).unwrap(),
            arguments,
            caller: Caller::Local(local),
            op_id: None,
        };
        let reply = self.runtime.block_on(self.desk.run(call)).unwrap();
        serde_json::from_str(&reply.json().unwrap()).unwrap()
    }

    pub(crate) fn add(&self, title: &str, more: Value) -> String {
        let mut arguments = json!({"title": title, "status": "ready"});
        for (name, value) in more.as_object().unwrap() {
            arguments[name] = value.clone();
        }
        self.does("task.add", arguments)["task_id"].as_str().unwrap().to_owned()
    }
}

impl Drop for Indoors {
    fn drop(&mut self) {
        self.stop.cancel();
        self.desk.close();
    }
}

impl Answer {
    pub(crate) fn header(&self, name: header::HeaderName) -> &str {
        self.headers.get(name).map(|value| value.to_str().unwrap()).unwrap_or_default()
    }

    /// The part of the text between two others.
    pub(crate) fn between(&self, from: &str, to: &str) -> &str {
        let (_, rest) = self.text.split_once(from).unwrap_or_else(|| panic!("no {from:?}"));
        rest.split_once(to).unwrap_or_else(|| panic!("no {to:?} after {from:?}")).0
    }
}

pub(crate) fn request(method: &str, path: &str, cookie: &str, form: &str) -> Request<Body> {
    Request::builder()
        .method(method)
        .uri(path)
        .header(header::HOST, HOST)
        .header(header::COOKIE, cookie)
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
        .body(Body::from(form.to_owned()))
        .unwrap()
}
