//! The client: one request, as many attempts as it takes.

use std::time::{Duration, Instant};

use reqwest::header::{
    ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER,
    USER_AGENT,
};
use reqwest::redirect::Policy;
use secrecy::{ExposeSecret as _, SecretString};

use super::pause::{RETRIES, before_the_next};
use super::watch::Watch;
use super::{Again, Lost, Reply, Request, Server, VERSION};
use crate::{reason, tls};

const CONNECT: Duration = Duration::from_secs(5);
/// A little more than a server takes to say that it takes too long.
const ANSWER: Duration = Duration::from_secs(65);
/// Who took longer than this to say that it is busy has tried, and would try as long again.
const SOON: Duration = Duration::from_secs(10);

const OUR_VERSION: HeaderName = HeaderName::from_static("windlass-version");
/// A header, and the one for texts that no header can carry as they are, as in RFC 8187.
type Either = (HeaderName, HeaderName);

const OP_ID: Either =
    (HeaderName::from_static("windlass-op-id"), HeaderName::from_static("windlass-op-id*"));
const SESSION: Either =
    (HeaderName::from_static("windlass-session"), HeaderName::from_static("windlass-session*"));

/// A client of one server, which keeps its connection open for the next request. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Client {
    server: Server,
    headers: HeaderMap,
    http: reqwest::Client,
}

/// What came of one attempt.
enum Attempt {
    Answered(Reply),
    /// The server is there and asks for patience.
    Busy(Reply),
    /// The key came too often, and nothing was done.
    Early(Reply),
    Lost(Lost),
}

impl Client {
    pub fn new(server: Server) -> Result<Self, Lost> {
        let not_ready = |what: &str, error: &(dyn std::error::Error + 'static)| Lost {
            reason: reason::one_line(&format!(
                "cannot set {what} up: {}",
                reason::root_cause(error)
            )),
            may_have_arrived: false,
        };
        let tls = match server.address.is_tls() {
            true => tls::trusting_as_this_machine(),
            false => tls::trusting_nobody(),
        };
        let tls = tls.map_err(|error| not_ready("TLS", &error))?;
        let http = reqwest::Client::builder()
            .tls_backend_preconfigured(tls)
            .redirect(Policy::none())
            // The environment, proxies included, is not ours to read.
            .no_proxy()
            .tcp_nodelay(true)
            .connect_timeout(CONNECT)
            .build();
        let http = http.map_err(|error| not_ready("HTTP", &error))?;
        let headers = headers(&server)?;
        Ok(Self { server, headers, http })
    }

    pub fn server(&self) -> &Server {
        &self.server
    }

    /// Sends a request, and sends it again while the connection is lost, the server is busy, the key
    /// comes too often, or whoever stands before it cannot reach it.
    pub async fn send(&self, request: &Request) -> Result<Reply, Lost> {
        let mut may_have_arrived = false;
        let mut attempts = 0;
        loop {
            let credential = self.server.credential.look_up();
            let begun = Instant::now();
            let attempt = self.attempt(request, credential.as_ref()).await;
            attempts += 1;
            let is_last = attempts > RETRIES;
            let may_wait = |arrived: bool| !is_last && (request.again == Again::Always || !arrived);
            match attempt {
                // The server started again since we looked, and has another token.
                Attempt::Answered(reply)
                    if reply.status == 401
                        && !is_last
                        && self.server.credential.has_changed_since(credential.as_ref()) => {}
                Attempt::Answered(reply) => return Ok(reply),
                Attempt::Busy(reply) => {
                    may_have_arrived = true;
                    if !may_wait(may_have_arrived) || begun.elapsed() > SOON {
                        return Ok(reply);
                    }
                }
                Attempt::Early(reply) => {
                    if is_last {
                        return Ok(reply);
                    }
                }
                Attempt::Lost(lost) => {
                    may_have_arrived |= lost.may_have_arrived;
                    if !may_wait(may_have_arrived) {
                        return Err(Lost { may_have_arrived, ..lost });
                    }
                }
            }
            tokio::time::sleep(before_the_next(attempts - 1)).await;
        }
    }

    /// The stream of events after `seq`; nothing when there is none to be had.
    pub(super) async fn watch(&self, seq: u64) -> Option<Watch> {
        let url = self.server.address.join("/v1/events/stream");
        let mut request = reqwest::Request::new(reqwest::Method::GET, url);
        request.url_mut().set_query(Some(&format!("after={seq}")));
        let headers = request.headers_mut();
        headers.clone_from(&self.headers);
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
        if let Some(credential) = self.server.credential.look_up() {
            headers.insert(AUTHORIZATION, bearer(&credential).ok()?);
        }
        let answer = tokio::time::timeout(ANSWER, self.http.execute(request)).await.ok()?.ok()?;
        answer.status().is_success().then(|| Watch::on(answer))
    }

    async fn attempt(&self, request: &Request, credential: Option<&SecretString>) -> Attempt {
        let ready = match self.ready(request, credential) {
            Ok(ready) => ready,
            Err(lost) => return Attempt::Lost(lost),
        };
        match tokio::time::timeout(ANSWER, self.exchange(ready)).await {
            Ok(Ok(reply)) => judged(reply),
            Ok(Err(error)) => Attempt::Lost(lost(error)),
            Err(_) => Attempt::Lost(Lost {
                reason: format!("no answer within {} seconds", ANSWER.as_secs()),
                may_have_arrived: true,
            }),
        }
    }

    fn ready(
        &self,
        request: &Request,
        credential: Option<&SecretString>,
    ) -> Result<reqwest::Request, Lost> {
        let url = self.server.address.join(&format!("/v1/ops/{}", request.name));
        let mut ready = reqwest::Request::new(reqwest::Method::POST, url);
        let headers = ready.headers_mut();
        headers.clone_from(&self.headers);
        if let Some(credential) = credential {
            headers.insert(AUTHORIZATION, bearer(credential)?);
        }
        for (names, text) in [(OP_ID, &request.op_id), (SESSION, &request.session)] {
            if let Some(text) = text {
                let (name, value) = any_text(names, text)?;
                headers.insert(name, value);
            }
        }
        *ready.body_mut() = Some(request.body.clone().into());
        Ok(ready)
    }

    async fn exchange(&self, request: reqwest::Request) -> Result<Reply, reqwest::Error> {
        let answer = self.http.execute(request).await?;
        let header = |name| {
            let value: Option<&HeaderValue> = answer.headers().get(name);
            value.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
        };
        let (version, retry_after) = (header(OUR_VERSION), header(RETRY_AFTER));
        let status = answer.status().as_u16();
        let body = String::from_utf8_lossy(&answer.bytes().await?).into_owned();
        Ok(Reply { status, version, body, may_help_to_wait: retry_after.is_some() })
    }
}

/// Whether an answer is one. A gateway that cannot reach the server says so in an answer of its own.
fn judged(reply: Reply) -> Attempt {
    match (reply.status, &reply.version) {
        (502..=504, None) => Attempt::Lost(Lost {
            reason: format!("somebody on the way answered {}", reply.status),
            may_have_arrived: true,
        }),
        (503, Some(_)) if reply.may_help_to_wait => Attempt::Busy(reply),
        (429, Some(_)) if reply.may_help_to_wait => Attempt::Early(reply),
        _ => Attempt::Answered(reply),
    }
}

/// An error that has no cause would show the URL.
fn lost(error: reqwest::Error) -> Lost {
    let is_connect = error.is_connect();
    let what = if is_connect { "cannot connect" } else { "the connection was lost" };
    let cause = reason::root_cause(&error.without_url());
    Lost { reason: reason::one_line(&format!("{what}: {cause}")), may_have_arrived: !is_connect }
}

/// What every request shows but the key.
fn headers(server: &Server) -> Result<HeaderMap, Lost> {
    let mut headers = HeaderMap::new();
    headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let agent = concat!("windlass/", env!("CARGO_PKG_VERSION"));
    headers.insert(USER_AGENT, HeaderValue::from_static(agent));
    headers.insert(OUR_VERSION, HeaderValue::from_static(VERSION));
    for (name, text) in &server.headers {
        headers.insert(*name, value(name, text)?);
    }
    Ok(headers)
}

fn value(name: &str, text: &str) -> Result<HeaderValue, Lost> {
    HeaderValue::from_bytes(text.as_bytes()).map_err(|_| Lost {
        reason: format!("{name} holds a character that HTTP forbids"),
        may_have_arrived: false,
    })
}

/// Kept out of all `Debug` output.
fn bearer(credential: &SecretString) -> Result<HeaderValue, Lost> {
    let mut value = value("the key", &format!("Bearer {}", credential.expose_secret()))?;
    value.set_sensitive(true);
    Ok(value)
}

/// An op id is any text, a header is not.
fn any_text((plain, encoded): Either, text: &str) -> Result<(HeaderName, HeaderValue), Lost> {
    if text.trim() == text && !text.chars().any(char::is_control) {
        let value = value(plain.as_str(), text)?;
        return Ok((plain, value));
    }
    let bytes: Vec<String> = text.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let value = value(encoded.as_str(), &format!("UTF-8''{}", bytes.concat()))?;
    Ok((encoded, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_op_id_that_no_header_can_carry_is_encoded() {
        for (op_id, name, carried) in [
            ("a b/é", "windlass-op-id", "a b/é"),
            (" a", "windlass-op-id*", "UTF-8''%20%61"),
            ("\n", "windlass-op-id*", "UTF-8''%0A"),
        ] {
            let (found, value) = any_text(OP_ID, op_id).unwrap();
            assert_eq!((found.as_str(), value.as_bytes()), (name, carried.as_bytes()));
        }
    }
}
