//! The door at `/mcp`, behind the doorkeeper of the server.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse as _, Response};
use rmcp::model::{ClientJsonRpcMessage, ErrorData, RequestId, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;
use windlass_domain::key::Key;
use windlass_domain::near::near;
use windlass_domain::{Code, Refusal};
use windlass_ledger::{Error, Fault};
use windlass_ops::Context;

use super::MESSAGE_BYTES;
use super::door::{Door, Guest};
use super::lines::{Line, understood};
use super::sessions::Sessions;
use super::streams::Streams;
use super::toolset::Toolset;
use super::watch::Watch;
use crate::caller::{Caller, Owner};
use crate::desk::{Desk, Office};
use crate::http::{self, Problem, Shared, Visitor, pairs};

/// How long a session may be silent. Agents think for a while between two calls.
const SILENCE: Duration = Duration::from_hours(1);
/// How often a silent stream shows that it is still there.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// The one name that the query may have.
const TOOLS: &str = "tools";
/// Longest refusal of the protocol that is told in our words.
const LONGEST_REFUSAL: usize = 4_096;

/// The way in for agents who come over HTTP.
pub(crate) struct Mcp {
    service: StreamableHttpService<Door<Desk>, LocalSessionManager>,
    sessions: Arc<Sessions>,
    streams: Streams,
}

impl Mcp {
    /// Its streams end when `stopping` says so; calls that were begun are answered.
    pub(crate) fn new(desk: Desk, office: Office, stopping: CancellationToken) -> Self {
        let mut sessions = LocalSessionManager::default();
        sessions.session_config.keep_alive = Some(SILENCE);
        let sessions = Arc::new(sessions);
        // Host and Origin were looked at by the doorkeeper, who knows the names of the server.
        let config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .disable_allowed_origins()
            .with_sse_keep_alive(Some(HEARTBEAT))
            .with_json_response(true)
            .with_max_request_body_bytes(MESSAGE_BYTES);
        let watch = Watch::new(office);
        let streams = Streams::new(desk.clone(), watch.clone(), stopping);
        let door = move || Ok(Door::new(desk.clone(), None, Some(watch.clone())));
        let service = StreamableHttpService::new(door, Arc::clone(&sessions), config);
        Self { service, sessions: Arc::new(Sessions::new(sessions)), streams }
    }

    /// Lets a message be answered for `guest`.
    async fn answer(
        &self,
        mut request: Request,
        asks: Asks,
        guest: Guest,
    ) -> Result<Response, Error> {
        let caller = guest.caller.clone();
        let session = session_named(request.headers()).map(str::to_owned);
        if let Some(id) = &session
            && !self.sessions.is_of(id, caller.owner())
        {
            return Err(no_session().into());
        }
        request.extensions_mut().insert(guest);
        match asks {
            Asks::Session => self.begin(request, caller.owner()).await,
            Asks::Stream => self.stream(request, &caller, session).await,
            Asks::Answer => Ok(self.service.handle(request).await.map(Body::new)),
        }
    }

    /// Begins a session. A caller who leaves meanwhile must not leave one that belongs to nobody.
    async fn begin(&self, request: Request, owner: Owner) -> Result<Response, Error> {
        let room = self.sessions.room(owner).await?;
        let (service, sessions) = (self.service.clone(), Arc::clone(&self.sessions));
        let begun = tokio::spawn(async move {
            let answer = service.handle(request).await.map(Body::new);
            if let Some(id) = session_named(answer.headers()) {
                sessions.began(id, owner, room);
            }
            answer
        });
        Ok(begun.await.map_err(|source| Fault::bug("a session did not begin").because(source))?)
    }

    async fn stream(
        &self,
        request: Request,
        caller: &Caller,
        session: Option<String>,
    ) -> Result<Response, Error> {
        let opened = self.streams.open(caller).await?;
        let answer = self.service.handle(request).await.map(Body::new);
        let sessions = Arc::clone(&self.sessions);
        let forbidden = async move {
            if let Some(id) = session {
                sessions.end(&id).await;
            }
        };
        Ok(answer.map(|body| opened.carry(body, forbidden)))
    }
}

/// What a request wants to have.
#[derive(Debug, Clone, Copy)]
enum Asks {
    Session,
    /// Whatever happens from now on.
    Stream,
    Answer,
}

impl Asks {
    /// Decided by the message itself: what headers say about it may be untrue.
    fn by(message: &ClientJsonRpcMessage) -> Self {
        let ClientJsonRpcMessage::Request(request) = message else { return Self::Answer };
        match request.request.method() {
            "initialize" => Self::Session,
            "subscriptions/listen" => Self::Stream,
            _ => Self::Answer,
        }
    }
}

fn session_named(headers: &HeaderMap) -> Option<&str> {
    headers.get("mcp-session-id").and_then(|id| id.to_str().ok())
}

/// The same for a session that is over and for one of somebody else.
fn no_session() -> Refusal {
    Refusal::new(Code::PathNotFound, "you have no such session").hint("begin one with initialize")
}

/// Every request to `/mcp`.
pub(crate) async fn enter(
    State(house): State<Shared>,
    Visitor(caller): Visitor,
    request: Request,
) -> Result<Response, Problem> {
    let key = key_of(&house.desk, &caller).await?;
    let tools = tools(request.uri(), key.as_ref())?;
    let method = request.method().clone();
    let (request, asks) = match method {
        Method::POST => match read(request).await? {
            Ok(read) => read,
            Err(answer) => return Ok(answer),
        },
        Method::GET => (request, Asks::Stream),
        _ => (request, Asks::Answer),
    };
    let answer = house.mcp.answer(request, asks, Guest { caller, tools }).await?;
    // The session is gone already, and clients take "accepted" for a failure to end it.
    match answer.status() {
        StatusCode::ACCEPTED if method == Method::DELETE => {
            Ok(StatusCode::NO_CONTENT.into_response())
        }
        status if status.is_client_error() && !is_json(answer.headers()) => {
            Ok(in_our_words(answer).await)
        }
        _ => Ok(answer),
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with("application/json"))
}

/// What the protocol itself refuses, as a problem: the same words and status, and what to do.
async fn in_our_words(answer: Response) -> Response {
    let (status, allowed) = (answer.status(), answer.headers().get(header::ALLOW).cloned());
    let said = to_bytes(answer.into_body(), LONGEST_REFUSAL).await.unwrap_or_default();
    let said = String::from_utf8_lossy(&said);
    // It begins with the words of the status.
    let words = format!("{}: ", status.canonical_reason().unwrap_or_default());
    let message = match said.trim().trim_start_matches(&words) {
        "" => format!("/mcp answers {status}"),
        said => said.to_owned(),
    };
    let hint = match status {
        StatusCode::METHOD_NOT_ALLOWED => {
            "POST a message, GET the stream of a session, or DELETE a session"
        }
        StatusCode::NOT_ACCEPTABLE => "send Accept: application/json, text/event-stream",
        StatusCode::UNSUPPORTED_MEDIA_TYPE => "send Content-Type: application/json",
        StatusCode::NOT_FOUND => "the session is over: begin a new one with initialize",
        _ => {
            "begin with initialize, and send the Mcp-Session-Id of its answer with all that follows"
        }
    };
    let problem = Problem::from(Refusal::new(Code::Usage, message).hint(hint));
    let mut response = problem.answered(status).into_response();
    response.headers_mut().extend(allowed.map(|allowed| (header::ALLOW, allowed)));
    response
}

/// The caller's key. It is looked up with every request, so that a key that counts no more opens
/// nothing, not even a session.
async fn key_of(desk: &Desk, caller: &Caller) -> Result<Option<Key>, Error> {
    match caller {
        Caller::Local(_) => Ok(None),
        Caller::Key { .. } => {
            let look = |cx: &mut Context| {
                cx.read(|_| Ok(()))?;
                Ok(cx.key.clone())
            };
            desk.look(caller.clone(), look).await
        }
    }
}

/// The tools that the address names, else those of the key, else the usual ones; of these, what the
/// key may use.
fn tools(uri: &Uri, key: Option<&Key>) -> Result<Toolset, Refusal> {
    let mut tools = None;
    for (name, value) in pairs(uri.query().unwrap_or_default())? {
        if name != TOOLS {
            return Err(Refusal::new(Code::UnknownField, format!("/mcp takes no '{name}'"))
                .hint("it takes tools: /mcp?tools=default,dep")
                .suggest(near(&name, [TOOLS]))
                .detail("field", name));
        }
        if tools.replace(value).is_some() {
            return Err(Refusal::new(Code::Usage, "tools is given more than once")
                .hint("give the tools once: /mcp?tools=default,dep")
                .detail("field", TOOLS));
        }
    }
    let own = key.and_then(|key| key.tools.as_deref());
    let tools = tools.as_deref().or(own).map(Toolset::parse).transpose()?.unwrap_or_default();
    Ok(tools.usable(|access| key.is_none_or(|key| key.may(access))))
}

/// Reads the message to its end; what is no message is answered here.
async fn read(request: Request) -> Result<Result<(Request, Asks), Response>, Problem> {
    let (parts, body) = request.into_parts();
    let body = http::read(Request::new(body)).await?;
    Ok(match understood(&body) {
        Line::Message(message) => {
            Ok((Request::from_parts(parts, Body::from(body)), Asks::by(&message)))
        }
        Line::Nothing if body.trim_ascii().is_empty() => {
            Err(wrong(ErrorData::parse_error("the body is empty: send one message", None), None))
        }
        Line::Nothing => Err(StatusCode::ACCEPTED.into_response()),
        Line::Wrong(error, id) => Err(wrong(error, id)),
    })
}

fn wrong(error: ErrorData, id: Option<RequestId>) -> Response {
    // A document of texts and numbers can always be written.
    let text = serde_json::to_string(&ServerJsonRpcMessage::error(error, id)).unwrap_or_default();
    (StatusCode::BAD_REQUEST, [(header::CONTENT_TYPE, "application/json")], text).into_response()
}
