//! The web pages: HTML made on the server, one style sheet, a few small modules. Every page can be
//! read without scripts.

mod act;
mod agents;
mod answered;
mod api;
mod assets;
mod board;
mod choice;
mod chunks;
#[cfg(test)]
mod contrast;
mod definitions;
mod evidence;
mod form;
mod graph;
mod help;
pub(crate) mod layout;
pub(crate) mod look;
pub(crate) mod markdown;
mod outbox;
#[cfg(test)]
mod rendered;
mod runs;
mod search;
mod sessions;
mod sign_in;
mod stats;
mod task;
mod task_actions;
mod timeline;
pub(crate) mod trouble;
mod window;

use axum::Router;
use axum::extract::{FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::uri::PathAndQuery;
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde_json::Value;
use windlass_domain::{Code, Time};
use windlass_ledger::{Clock as _, SystemClock};
use windlass_ops::Context;
use windlass_ops::context::Presence;
use windlass_ops::operation::Operation;
use windlass_ops::table::Entry;
use windlass_ops::{health, project};

use crate::caller::{Caller, Local};
use crate::desk::{Call, Reply};
use crate::http::{Shared, Visitor};
use form::Form;
use layout::Page;
use look::address;
use trouble::Trouble;

const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
     connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
);

/// All paths of the pages.
pub(crate) fn router() -> Router<Shared> {
    Router::new()
        .route("/", get(board::page))
        .route("/tasks/{id}", get(task::page))
        .route("/do/{operation}", post(act::act))
        .route("/graph", get(graph::page))
        .route("/timeline", get(timeline::page))
        .route("/agents", get(agents::page))
        .merge(chunks::router())
        .route("/runs", get(runs::list))
        .route("/runs/{id}", get(runs::page))
        .merge(sessions::router())
        .merge(definitions::router())
        .route("/outbox", get(outbox::page))
        .route("/stats", get(stats::page))
        .route("/search", get(search::page))
        .route("/api", get(api::page))
        .route("/help", get(help::page))
        .route("/enter", get(sign_in::enter).post(sign_in::enter_with))
        .route("/enter/as", post(sign_in::act_as))
        .route("/leave", post(sign_in::leave))
        .route("/runs/{id}/evidence/{name}", get(evidence::get))
        .layer(middleware::from_fn(guarded))
        // With rules of its own.
        .route("/assets/{name}", get(assets::get))
}

/// A page runs nothing but our own scripts, is shown in no other page, and is kept nowhere. What
/// is no page of ours may be under a stricter policy.
async fn guarded(request: Request, next: Next) -> Response {
    guard(next.run(request).await)
}

fn guard(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(POLICY);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    let opener = HeaderName::from_static("cross-origin-opener-policy");
    headers.insert(opener, HeaderValue::from_static("same-origin"));
    response
}

/// Whether a page is asked for, and not a document for programs.
pub(crate) fn wants_page(request: &Request) -> bool {
    let mut accepted = request.headers().get_all(header::ACCEPT).iter();
    accepted.any(|kinds| kinds.to_str().is_ok_and(|kinds| kinds.contains("text/html")))
}

/// A page for anybody; whoever was let in finds the way to the other pages on it.
pub(crate) async fn for_anybody(
    request: Request,
    house: &Shared,
    status: StatusCode,
    page: Page,
) -> Response {
    let (mut parts, _) = request.into_parts();
    let visit = Visit::of(&mut parts, house).await.ok();
    guard(layout::respond(status, layout::document(visit.as_ref(), page)))
}

/// Somebody who was let in and looks at a page.
#[derive(Debug)]
pub(crate) struct Visit {
    house: Shared,
    pub(crate) caller: Caller,
    pub(crate) person: Person,
    /// The names of all projects.
    pub(crate) projects: Vec<String>,
    /// The one that was chosen.
    pub(crate) project: Option<String>,
    /// The end of the log when the page was made: what happens later is told by the live events.
    pub(crate) seq: u64,
    pub(crate) now: Time,
    /// The path and query of this page.
    pub(crate) here: String,
}

/// Who acts on the pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Person {
    pub(crate) name: String,
    /// The user of the machine, or the owner of the key.
    pub(crate) user: String,
    /// It showed the token of this machine, and may act under any name.
    pub(crate) is_local: bool,
}

impl FromRequestParts<Shared> for Visit {
    type Rejection = Response;

    /// Whoever is not let in yet may come back to where they wanted to go.
    async fn from_request_parts(parts: &mut Parts, house: &Shared) -> Result<Self, Response> {
        Self::of(parts, house).await.map_err(|trouble| {
            if trouble.0.code != Code::KeyRequired || parts.method != Method::GET {
                return trouble.into_response();
            }
            let here = parts.uri.path_and_query().map(PathAndQuery::as_str);
            sign_in::ask(StatusCode::UNAUTHORIZED, None, back(here))
        })
    }
}

impl Visit {
    async fn of(parts: &mut Parts, house: &Shared) -> Result<Self, Trouble> {
        let (caller, person) = admitted(parts, house).await?;
        let desk = &house.desk;
        let projects = desk.ask(&caller, project::List {}).await?.projects;
        let head = desk.ask(&caller, health::AuditHead {}).await?;
        let query = Form::parse(parts.uri.query().unwrap_or_default());
        let here = parts.uri.path_and_query().map_or("/", |here| here.as_str());
        Ok(Self {
            house: Shared::clone(house),
            caller,
            person,
            projects: projects.into_iter().map(|project| project.name).collect(),
            project: query.first("project").filter(|name| !name.is_empty()).map(str::to_owned),
            seq: head.seq,
            now: SystemClock.now(),
            here: here.to_owned(),
        })
    }
}

/// Who brings this request, under the name chosen on the pages.
async fn admitted(parts: &mut Parts, house: &Shared) -> Result<(Caller, Person), Trouble> {
    let Visitor(caller) = Visitor::from_request_parts(parts, house).await?;
    match caller {
        Caller::Local(local) => {
            // Whoever looks at pages is a person, as far as anybody can tell.
            let local = Local { presence: Presence::Page, ..local };
            let user = local.user.clone();
            let name = local.agent.clone().unwrap_or_else(|| user.clone());
            Ok((Caller::Local(local), Person { name, user, is_local: true }))
        }
        key @ Caller::Key { .. } => {
            let owner = |cx: &mut Context| Ok(cx.surroundings.user.clone());
            let name = house.desk.look(key.clone(), owner).await?;
            Ok((key, Person { user: name.clone(), name, is_local: false }))
        }
    }
}

impl Visit {
    /// Asks for something that changes nothing.
    pub(crate) async fn ask<O: Operation>(&self, question: O) -> Result<O::Output, Trouble> {
        Ok(self.house.desk.ask(&self.caller, question).await?)
    }

    /// Does any operation, in the name of the visitor.
    pub(crate) async fn run(
        &self,
        entry: &'static Entry,
        arguments: Value,
    ) -> Result<Reply, Trouble> {
        let call = Call { entry, arguments, caller: self.caller.clone(), op_id: None };
        Ok(self.house.desk.run(call).await?)
    }

    /// A path, about the chosen project.
    pub(crate) fn with_project(&self, path: &str) -> String {
        address(path, &[("project", self.project.as_deref().unwrap_or_default())])
    }
}

/// Sends the browser on, with a new request.
fn see_other(path: &str) -> Response {
    let Ok(place) = HeaderValue::from_str(path) else {
        return see_other("/");
    };
    (StatusCode::SEE_OTHER, [(header::LOCATION, place)]).into_response()
}

/// Where a form leads back to: a path of ours, or the board.
fn back(given: Option<&str>) -> &str {
    let is_ours = |path: &&str| {
        let second = path.chars().nth(1);
        path.starts_with('/')
            && !matches!(second, Some('/' | '\\'))
            && path.chars().all(|letter| letter.is_ascii_graphic() && letter != '\\')
    };
    given.filter(is_ours).unwrap_or("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_leads_back_to_a_path_of_ours_only() {
        let ours = ["/", "/tasks/01ABC", "/?project=a&tag=b", "/search?q=%C3%A4#x"];
        for path in ours {
            assert_eq!(back(Some(path)), path);
        }
        let foreign = [
            "",
            "//evil.example",
            "/\\evil.example",
            "https://evil.example/",
            "javascript:alert(1)",
            "tasks",
            "/a\r\nSet-Cookie: x=y",
            "/a b",
            "/\t/evil.example",
        ];
        for path in foreign {
            assert_eq!(back(Some(path)), "/", "{path:?}");
        }
        assert_eq!(back(None), "/");
    }
}
