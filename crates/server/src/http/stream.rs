//! `GET /v1/events/stream`: the events themselves, as they happen.

use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt as _;
use tokio_stream::wrappers::ReceiverStream;
use windlass_domain::near::near;
use windlass_domain::{Code, Refusal};
use windlass_ops::events::Asked;
use windlass_ops::session::Followed;

use super::Shared;
use super::doorkeeper::Visitor;
use super::fields::given_twice;
use super::problem::Problem;
use super::query;
use crate::shares::Shares;

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
const PARAMETERS: [&str; 5] = ["after", "project", "task", "kind", "session"];

/// How many may follow at once.
const MOST: usize = 10_000;
/// How many of them one key may have.
const MOST_EACH: usize = 1_000;

/// The places of those who follow.
pub(crate) fn places() -> Shares {
    Shares::new("followers", MOST, MOST_EACH)
}

pub(crate) async fn events(
    State(house): State<Shared>,
    Visitor(caller): Visitor,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let Wanted { asked, after, session } = wanted(query.as_deref().unwrap_or_default())?;
    // A browser that connects again says how far it came, whatever the address said at first.
    let after = match headers.get(LAST_EVENT_ID) {
        Some(given) => Some(seq("Last-Event-ID", &String::from_utf8_lossy(given.as_bytes()))?),
        None => after,
    };
    let share = house.followers.take(caller.owner())?;
    let look = move |cx: &mut windlass_ops::Context| {
        let sight = cx.sight()?;
        let session = session.map(|id| Followed::named(cx, id)).transpose()?;
        cx.read(|snapshot| {
            Ok((asked.resolve(snapshot, &sight)?, session.clone(), snapshot.head()?.seq))
        })
    };
    let (filter, session, head) = house.desk.look(caller.clone(), look).await?;
    let after = after.unwrap_or(head);
    if after > head {
        return Err(beyond(after, head).into());
    }
    let messages = house.live.follow(caller, filter, session, after);
    let stream = ReceiverStream::new(messages).map(Ok::<_, std::convert::Infallible>);
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream")),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        (HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no")),
    ];
    Ok((headers, Body::from_stream(share.during(stream))).into_response())
}

/// What somebody wants to follow.
#[derive(Default)]
struct Wanted {
    asked: Asked,
    /// The last event that they have.
    after: Option<u64>,
    /// The session that they listen for.
    session: Option<String>,
}

fn wanted(query: &str) -> Result<Wanted, Refusal> {
    let Wanted { mut asked, mut after, mut session } = Wanted::default();
    for (name, value) in query::pairs(query)? {
        let before = match name.as_str() {
            "after" => after.replace(seq("after", &value)?).map(drop),
            "project" => asked.project.replace(value).map(drop),
            "task" => asked.task.replace(value).map(drop),
            "session" => session.replace(value).map(drop),
            "kind" => {
                asked.kinds.push(value);
                None
            }
            _ => return Err(unknown(&name)),
        };
        if before.is_some() {
            return Err(given_twice(&name));
        }
    }
    Ok(Wanted { asked, after, session })
}

fn seq(field: &str, given: &str) -> Result<u64, Refusal> {
    given.parse().map_err(|_| {
        Refusal::new(Code::InvalidValue, format!("{field} '{given}' is not the seq of an event"))
            .hint("give the id of the last event that you have")
            .detail("field", field)
            .detail("given", given)
    })
}

fn beyond(after: u64, head: u64) -> Refusal {
    Refusal::new(Code::InvalidValue, format!("the log ends at {head}, before {after}"))
        .hint("this is another ledger, or an older copy of it: begin again without an id")
        .detail("field", "after")
        .detail("head", head)
}

fn unknown(name: &str) -> Refusal {
    Refusal::new(Code::UnknownField, format!("the stream takes no '{name}'"))
        .hint(format!("it takes {}", PARAMETERS.join(", ")))
        .suggest(near(name, PARAMETERS))
        .detail("field", name)
}
