//! A message to a URL: a POST, its headers, and what the answer means.

use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, HeaderName, HeaderValue, LOCATION, RETRY_AFTER, USER_AGENT};
use reqwest::{Client, Method, Request, Response, StatusCode, Url};
use secrecy::ExposeSecret as _;
use tokio::time::timeout;

use super::variables::expand;
use super::{Message, Outcome, Variables, reason, redirect, retry_after};

const WEBHOOK_ID: HeaderName = HeaderName::from_static("webhook-id");
const WEBHOOK_TIMESTAMP: HeaderName = HeaderName::from_static("webhook-timestamp");
const WEBHOOK_SIGNATURE: HeaderName = HeaderName::from_static("webhook-signature");

/// A connection is worth keeping if the rest of its answer is no longer than this, and there soon.
const DRAINED_BYTES: usize = 16 * 1024;
const DRAINED_WITHIN: Duration = Duration::from_millis(100);

#[derive(Debug)]
pub(super) struct Post {
    client: Client,
    request: Request,
    timestamp: i64,
}

impl Post {
    pub(super) fn new(
        client: Client,
        prepared: &Request,
        message: Message,
        signature: Option<String>,
    ) -> Result<Self, String> {
        let Message { id, timestamp, body } = message;
        let mut request = Request::new(Method::POST, prepared.url().clone());
        request.headers_mut().clone_from(prepared.headers());
        let headers = request.headers_mut();
        headers.insert(WEBHOOK_ID, value(&WEBHOOK_ID, &id)?);
        headers.insert(WEBHOOK_TIMESTAMP, HeaderValue::from(timestamp));
        if let Some(signature) = signature {
            headers.insert(WEBHOOK_SIGNATURE, value(&WEBHOOK_SIGNATURE, &signature)?);
        }
        *request.body_mut() = Some(body.into());
        Ok(Self { client, request, timestamp })
    }

    /// The limit is for everything up to the head of the last answer, which decides the outcome.
    pub(super) async fn send(self, limit: Duration) -> Outcome {
        let now = self.timestamp;
        match timeout(limit, self.answer()).await {
            Ok(Ok(answer)) => {
                let outcome = outcome(&answer, now);
                drain(answer).await;
                outcome
            }
            Ok(Err(reason)) => Outcome::failed(reason),
            Err(_) => Outcome::failed(format!("timed out after {limit:?}")),
        }
    }

    /// The first answer that does not send us on.
    async fn answer(self) -> Result<Response, String> {
        let mut request = self.request;
        for _ in 0..=redirect::MOST {
            let from = request.url().clone();
            let again = request.try_clone();
            let answer = self.client.execute(request).await.map_err(no_answer)?;
            let (true, Some(location)) = (answer.status().is_redirection(), location(&answer))
            else {
                return Ok(answer);
            };
            let to = redirect::follow(&from, answer.status(), &location)?;
            drain(answer).await;
            let Some(again) = again else { return Err("cannot be sent twice".to_owned()) };
            request = again;
            *request.url_mut() = to;
        }
        Err(format!("redirected more than {} times", redirect::MOST))
    }
}

/// The request without its message. Which headers a target may have is decided where it is defined.
pub(super) fn request(
    url: &str,
    headers: &[(String, String)],
    variables: &Variables,
) -> Result<Request, String> {
    let mut request = Request::new(Method::POST, address(url)?);
    let all = request.headers_mut();
    for (name, text) in headers {
        let Ok(name) = HeaderName::from_bytes(name.as_bytes()) else {
            return Err(format!("header {name}: not a name that HTTP allows"));
        };
        let expanded =
            expand(text, variables).map_err(|error| format!("header {name}: {error}"))?;
        let value = value(&name, expanded.expose_secret())?;
        all.append(name, value);
    }
    all.entry(CONTENT_TYPE).or_insert(HeaderValue::from_static("application/json"));
    let agent = concat!("windlass/", env!("CARGO_PKG_VERSION"));
    all.entry(USER_AGENT).or_insert(HeaderValue::from_static(agent));
    Ok(request)
}

/// A URL may hold a token, so the reasons do not repeat it.
fn address(url: &str) -> Result<Url, String> {
    let url = Url::parse(url).map_err(|error| format!("not a URL: {error}"))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err("the URL names a user or password: use a header with a $NAME".to_owned());
    }
    match url.scheme() {
        "http" | "https" => Ok(url),
        other => Err(format!("a URL begins with http:// or https://, not {other}:")),
    }
}

/// Kept out of all `Debug` output.
fn value(name: &HeaderName, text: &str) -> Result<HeaderValue, String> {
    let mut value = HeaderValue::from_bytes(text.as_bytes())
        .map_err(|_| format!("header {name}: its value holds a character that HTTP forbids"))?;
    value.set_sensitive(true);
    Ok(value)
}

fn location(answer: &Response) -> Option<String> {
    let location = answer.headers().get(LOCATION)?;
    Some(String::from_utf8_lossy(location.as_bytes()).into_owned())
}

/// What the head of an answer says; its body could repeat a secret and is nobody's business.
fn outcome(answer: &Response, now: i64) -> Outcome {
    let status = answer.status();
    if status.is_success() {
        return Outcome::Delivered { status: Some(status.as_u16()) };
    }
    let asked = answer.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
    Outcome::Failed {
        reason: format!("answered {}", status.as_u16()),
        retry_after: asked.and_then(|value| retry_after::read(value, now)),
        for_good: status == StatusCode::GONE,
    }
}

/// Reads what is left of a short answer. The connection of a long one is closed instead.
async fn drain(mut answer: Response) {
    let read = async {
        let mut left = DRAINED_BYTES;
        while let Ok(Some(bytes)) = answer.chunk().await {
            let Some(less) = left.checked_sub(bytes.len()) else { return };
            left = less;
        }
    };
    // Either way it is over.
    drop(timeout(DRAINED_WITHIN, read).await);
}

/// An error that has no cause would show the URL, query and all.
fn no_answer(error: reqwest::Error) -> String {
    let what = if error.is_connect() { "cannot connect" } else { "no usable answer" };
    format!("{what}: {}", reason::root_cause(&error.without_url()))
}
