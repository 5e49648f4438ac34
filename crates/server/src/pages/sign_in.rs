//! Coming in and going out: the cookie that a page brings with every request.

use axum::extract::{FromRequestParts as _, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use maud::{Markup, html};
use windlass_domain::{Code, text};
use windlass_ledger::{Clock as _, SystemClock};
use windlass_ops::health;

use super::form::Form;
use super::layout::{Page, bare};
use super::trouble::Trouble;
use super::{back, see_other};
use crate::http::{Shared, Visitor};

/// `GET /enter`: with a token, comes in; without one, asks for a key.
pub(super) async fn enter(State(house): State<Shared>, parts: Parts) -> Response {
    let query = Form::parse(parts.uri.query().unwrap_or_default());
    let to = back(query.first("back"));
    match query.first("token") {
        None | Some("") => ask(StatusCode::OK, None, to),
        Some(token) => come_in(&house, parts, token, to).await,
    }
}

/// `POST /enter`: comes in with a key or a token, given in a form.
pub(super) async fn enter_with(State(house): State<Shared>, parts: Parts, form: Form) -> Response {
    let secret = form.first("key").unwrap_or_default().trim().to_owned();
    come_in(&house, parts, &secret, back(form.first("back"))).await
}

/// Whoever can show the secret gets it as a cookie. It is looked at again with every request.
async fn come_in(house: &Shared, mut parts: Parts, secret: &str, to: &str) -> Response {
    let tickets = house.doorkeeper.tickets.as_ref();
    let punched = tickets.and_then(|tickets| tickets.punch(secret, SystemClock.now()));
    let secret = punched.unwrap_or(secret);
    let Ok(bearer) = HeaderValue::from_str(&format!("Bearer {secret}")) else {
        return not_valid(to);
    };
    // As if every request of this browser said so already: with the same limits for guesses.
    parts.headers.insert(header::AUTHORIZATION, bearer);
    let known = match Visitor::from_request_parts(&mut parts, house).await {
        Ok(Visitor(caller)) => {
            house.desk.ask(&caller, health::AuditHead {}).await.map_err(Trouble::from)
        }
        Err(problem) => Err(problem.into()),
    };
    match known {
        Ok(_) => {}
        Err(trouble) if trouble.0.code == Code::KeyRequired => return not_valid(to),
        Err(trouble) => return trouble.into_response(),
    }
    let cookie = cookie(&house.doorkeeper.cookie_name(), secret, "");
    with_cookies(see_other(to), &[cookie])
}

fn not_valid(to: &str) -> Response {
    ask(StatusCode::UNAUTHORIZED, Some("That key or token is not valid here."), to)
}

/// `POST /leave`.
pub(super) async fn leave(State(house): State<Shared>) -> Response {
    let name = house.doorkeeper.cookie_name();
    let gone = "; Max-Age=0";
    let cookies = [cookie(&name, "", gone), cookie(&acting_cookie(&name), "", gone)];
    with_cookies(see_other("/enter"), &cookies)
}

/// `POST /enter/as`: the user of the machine acts under another name.
pub(super) async fn act_as(State(house): State<Shared>, form: Form) -> Result<Response, Trouble> {
    let cookie_name = acting_cookie(&house.doorkeeper.cookie_name());
    let name = form.first("name").unwrap_or_default().trim();
    let cookie = if name.is_empty() {
        cookie(&cookie_name, "", "; Max-Age=0")
    } else {
        let name = text::name("name", name)?;
        cookie(&cookie_name, &URL_SAFE_NO_PAD.encode(name), "")
    };
    Ok(with_cookies(see_other(back(form.first("back"))), &[cookie]))
}

/// The name under which the user of the machine wants to act.
pub(super) fn acting_name(cookie_name: &str, headers: &HeaderMap) -> Option<String> {
    let wanted = acting_cookie(cookie_name);
    let cookies = headers.get_all(header::COOKIE).iter();
    let value = cookies
        .filter_map(|cookies| cookies.to_str().ok())
        .flat_map(|cookies| cookies.split(';'))
        .filter_map(|cookie| cookie.trim().split_once('='))
        .find_map(|(name, value)| (name == wanted).then_some(value))?;
    let name = String::from_utf8(URL_SAFE_NO_PAD.decode(value).ok()?).ok()?;
    text::name("name", &name).ok()
}

fn acting_cookie(cookie_name: &str) -> String {
    format!("{cookie_name}_as")
}

fn cookie(name: &str, value: &str, more: &str) -> String {
    format!("{name}={value}; Path=/; HttpOnly; SameSite=Strict{more}")
}

fn with_cookies(mut response: Response, cookies: &[String]) -> Response {
    for cookie in cookies {
        if let Ok(cookie) = HeaderValue::from_str(cookie) {
            response.headers_mut().append(header::SET_COOKIE, cookie);
        }
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
                    code { "windlass key create --for person:NAME --role worker" } "."
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
