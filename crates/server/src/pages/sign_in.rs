//! Coming in and going out: the cookie that a page brings with every request.

use std::time::Instant;

use axum::extract::State;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use maud::{Markup, html};
use windlass_domain::{Code, text};
use windlass_ledger::{Clock as _, SystemClock};

use super::form::{Form, StrangersForm};
use super::layout::{Page, bare};
use super::trouble::Trouble;
use super::{Visit, back, see_other};
use crate::http::{Badge, Doorkeeper, House, Shared, check};

/// `GET /enter`: with a ticket, comes in; without one, asks for a key. Keys and the token do not
/// belong in addresses, which browsers keep and others can make them open.
pub(super) async fn enter(State(house): State<Shared>, parts: Parts) -> Response {
    let query = Form::parse(parts.uri.query().unwrap_or_default());
    let to = back(query.first("back"));
    let Some(ticket) = query.first("token").filter(|ticket| !ticket.is_empty()) else {
        return ask(StatusCode::OK, None, to);
    };
    let tickets = house.doorkeeper.tickets.as_ref();
    match tickets.is_some_and(|tickets| tickets.punch(ticket, SystemClock.now())) {
        true => stay(&house, &parts.headers, Badge::Token, to),
        false => {
            let wrong =
                "That address lets in once, within 10 minutes. Ask for another: windlass open";
            ask(StatusCode::UNAUTHORIZED, Some(wrong), to)
        }
    }
}

/// `POST /enter`: comes in with a key or the token, given in a form.
pub(super) async fn enter_with(
    State(house): State<Shared>,
    parts: Parts,
    StrangersForm(form): StrangersForm,
) -> Response {
    let badge = house.doorkeeper.badge_of(form.first("key").unwrap_or_default().trim());
    let to = back(form.first("back"));
    match check(&house, &badge, &parts.extensions).await.map_err(Trouble::from) {
        Ok(()) => stay(&house, &parts.headers, badge, to),
        Err(trouble) if trouble.0.code == Code::KeyRequired => not_valid(to),
        Err(trouble) => trouble.into_response(),
    }
}

/// Whoever could show something gets a cookie with the id of their stay.
fn stay(house: &House, headers: &HeaderMap, badge: Badge, to: &str) -> Response {
    let Doorkeeper { stays, .. } = &house.doorkeeper;
    match stays.begin(badge, Instant::now()) {
        Ok(id) => {
            // Over TLS a browser says so, even where a proxy takes it off before us.
            let origin = headers.get(header::ORIGIN).map(HeaderValue::as_bytes);
            let is_tls = origin.is_some_and(|origin| origin.starts_with(b"https://"));
            let more = if is_tls { "; Secure" } else { "" };
            with_cookie(see_other(to), &cookie(&house.doorkeeper.cookie_name(), &id, more))
        }
        Err(fault) => Trouble::from(fault).into_response(),
    }
}

fn not_valid(to: &str) -> Response {
    ask(StatusCode::UNAUTHORIZED, Some("That key or token is not valid here."), to)
}

/// `POST /leave`: ends the stay, wherever its cookie may be.
pub(super) async fn leave(State(house): State<Shared>, headers: HeaderMap) -> Response {
    let Doorkeeper { stays, .. } = &house.doorkeeper;
    if let Some(id) = house.doorkeeper.stay_id(&headers) {
        stays.end(id);
    }
    let gone = cookie(&house.doorkeeper.cookie_name(), "", "; Max-Age=0");
    with_cookie(see_other("/enter"), &gone)
}

/// `POST /enter/as`: the user of the machine acts under another name, as long as they stay.
pub(super) async fn act_as(
    State(house): State<Shared>,
    visit: Visit,
    headers: HeaderMap,
    form: Form,
) -> Result<Response, Trouble> {
    let name = form.first("name").map(str::trim).filter(|name| !name.is_empty());
    let name = name.map(|name| text::name("name", name)).transpose()?;
    let id = house.doorkeeper.stay_id(&headers).filter(|_| visit.person.is_local);
    if let Some(id) = id {
        house.doorkeeper.stays.rename(id, name);
    }
    Ok(see_other(back(form.first("back"))))
}

fn cookie(name: &str, value: &str, more: &str) -> String {
    format!("{name}={value}; Path=/; HttpOnly; SameSite=Strict{more}")
}

fn with_cookie(mut response: Response, cookie: &str) -> Response {
    if let Ok(cookie) = HeaderValue::from_str(cookie) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    response
}

/// The page that asks who is there, and leads on to a path of ours.
pub(super) fn ask(status: StatusCode, wrong: Option<&str>, to: &str) -> Response {
    let page = Page {
        title: "Sign in".to_owned(),
        section: None,
        assets: &[],
        main: html! {
            section.panel.gate {
                h1 { "Sign in" }
                @if let Some(wrong) = wrong { (notice(wrong)) }
                form.stack method="post" action="/enter" {
                    input type="hidden" name="back" value=(to);
                    label.field {
                        span { "Your key" }
                        input type="password" name="key" required autofocus
                            autocomplete="current-password" placeholder="wl_…";
                    }
                    button.first { "Come in" }
                }
                p.soft.small {
                    br;
                    "On the machine that serves this page, " code { "windlass open" }
                    " brings you in without one. Elsewhere, an admin makes a key for you: "
                    code { "windlass key create --for person:NAME" } "."
                }
            }
        },
    };
    let mut response = bare(status, page);
    if status == StatusCode::UNAUTHORIZED {
        let bearer = HeaderValue::from_static("Bearer");
        response.headers_mut().insert(header::WWW_AUTHENTICATE, bearer);
    }
    response.into_response()
}

fn notice(text: &str) -> Markup {
    html! { div.notice.bad role="alert" { p { (text) } } }
}
