//! One line for each request, and what is learnt from its answer. Never a key, a token, a query or a
//! body.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use axum::extract::Request;
use axum::http::{Extensions, StatusCode};
use axum::response::Response;
use tracing::Level;
use windlass_domain::Code;

use super::doorkeeper::Badge;
use super::{House, request_id};

/// Longer paths are cut.
const LONGEST_PATH: usize = 256;

/// The address that a request comes from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer(pub(crate) IpAddr);

impl Peer {
    pub(crate) fn of(extensions: &Extensions) -> IpAddr {
        extensions.get().map_or(Ipv4Addr::UNSPECIFIED.into(), |Peer(address)| *address)
    }
}

/// What the caller showed, once that is known.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shown(Arc<OnceLock<Badge>>);

impl Shown {
    pub(crate) fn note(&self, badge: &Badge) {
        // What was shown first is what counts.
        let _first = self.0.set(badge.clone());
    }

    fn name(&self) -> &str {
        match self.0.get() {
            None => "nobody",
            Some(Badge::Token) => "local",
            Some(Badge::Key { prefix, .. }) => prefix,
        }
    }
}

/// The code of a problem, on its way through.
#[derive(Debug, Clone)]
pub(crate) struct Told {
    pub(crate) code: Code,
    pub(crate) message: String,
}

/// Lets a request be answered, and writes it down.
pub(crate) async fn keep<A: Future<Output = Response>>(
    house: &House,
    mut request: Request,
    answer: impl FnOnce(Request) -> A,
) -> Response {
    let shown = Shown::default();
    request.extensions_mut().insert(shown.clone());
    let (method, path) = (request.method().clone(), cut(request.uri().path()));
    let began = Instant::now();
    let response = answer(request).await;
    let status = response.status();
    house.desk.metrics().request(status.as_u16());
    if let (StatusCode::UNAUTHORIZED, Some(Badge::Key { digest, .. })) = (status, shown.0.get()) {
        house.limits.forget(digest);
    }
    let line =
        Line { method: method.as_str(), path: &path, caller: shown.name(), took: began.elapsed() };
    line.write(&response);
    response
}

struct Line<'a> {
    method: &'a str,
    path: &'a str,
    caller: &'a str,
    took: Duration,
}

impl Line<'_> {
    fn write(&self, response: &Response) {
        let Self { method, path, caller, took } = self;
        let status = response.status().as_u16();
        let ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        let request_id = request_id::current().unwrap_or_default();
        let told = response.extensions().get::<Told>();
        let code = told.map(|told| told.code.as_str());
        // What is the server's own fault is told with its reason.
        let reason = told.filter(|_| status >= 500).map(|told| told.message.as_str());
        macro_rules! tell {
            ($level:expr) => {
                tracing::event!(
                    $level,
                    method,
                    path,
                    status,
                    ms,
                    request_id,
                    caller,
                    code,
                    reason,
                    "{method} {path} {status}"
                )
            };
        }
        match path {
            _ if status >= 500 => tell!(Level::WARN),
            // Those who watch come every few seconds.
            &("/healthz" | "/readyz" | "/metrics") => tell!(Level::DEBUG),
            _ => tell!(Level::INFO),
        }
    }
}

fn cut(path: &str) -> String {
    path.chars().take(LONGEST_PATH).collect()
}
