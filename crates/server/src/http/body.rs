//! The body of a request: so much of it, in so much time, and so much of all of them at once.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, StatusCode, header};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use windlass_domain::{Code, Refusal};
use windlass_ops::remote::{LONGEST_BODY, too_large};

use super::problem::Problem;
use super::{House, Shared};

/// How long a body may take to arrive.
const PATIENCE: Duration = Duration::from_secs(20);
/// How many bytes of all bodies are held at once.
const ROOM_BYTES: usize = 64 * LONGEST_BODY;
/// Longest body of somebody who has shown nothing yet.
const STRANGERS_BYTES: usize = 16 * 1024;

/// A body that has arrived.
pub(crate) struct Sent(pub(crate) Bytes);

impl FromRequest<Shared> for Sent {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &Shared) -> Result<Self, Problem> {
        Ok(Self(read(request).await?))
    }
}

/// Waits for the body of a request.
pub(crate) async fn read(request: Request) -> Result<Bytes, Refusal> {
    arrive(request.into_body()).await
}

/// The same, for a caller who is not known yet.
pub(crate) async fn read_of_stranger(body: Body) -> Result<Bytes, Refusal> {
    arrive(Body::new(Limited::new(body, STRANGERS_BYTES))).await
}

async fn arrive(body: Body) -> Result<Bytes, Refusal> {
    let arrived = timeout(PATIENCE, body.collect()).await.map_err(|_| too_slow())?;
    Ok(arrived.map_err(|error| refused(&error))?.to_bytes())
}

fn refused(error: &axum::Error) -> Refusal {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = cause {
        match error.downcast_ref() {
            Some(Unread::TooLarge) => return too_large(),
            Some(Unread::NoRoom) => return no_room(),
            Some(Unread::CutOff(_)) => return cut_off(),
            None if error.is::<LengthLimitError>() => return too_large_for_a_stranger(),
            None => cause = error.source(),
        }
    }
    cut_off()
}

/// The room for bodies.
#[derive(Debug, Clone)]
pub(crate) struct Room(Arc<Semaphore>);

impl Default for Room {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(ROOM_BYTES)))
    }
}

/// The room that one body has taken. It is free again when its request is answered.
type Taken = Arc<Mutex<Option<OwnedSemaphorePermit>>>;

/// Refuses a body that says it is too long, before any of it is read, and stops reading one that
/// says nothing and is, or for which there is no room.
pub(crate) fn bounded(house: &House, request: Request) -> Result<Request, Problem> {
    if let Some(coding) = packed(request.headers()) {
        return Err(Problem::from(coding).answered(StatusCode::UNSUPPORTED_MEDIA_TYPE));
    }
    if length(request.headers()).is_some_and(|bytes| bytes > LONGEST_BODY as u64) {
        return Err(too_large().into());
    }
    let taken = Taken::default();
    let arriving = |body| Arriving {
        body,
        left_bytes: LONGEST_BODY,
        room: house.room.clone(),
        taken: Arc::clone(&taken),
    };
    Ok(request.map(|body| Body::new(arriving(body))))
}

/// A body that is packed would be read as what it is not.
fn packed(headers: &HeaderMap) -> Option<Refusal> {
    let coding = headers.get(header::CONTENT_ENCODING)?;
    let coding = String::from_utf8_lossy(coding.as_bytes()).into_owned();
    let refusal = Refusal::new(Code::Usage, format!("a body in {coding} is not read"))
        .hint("send it as it is, without Content-Encoding")
        .detail("header", "Content-Encoding")
        .detail("given", &coding);
    (!coding.eq_ignore_ascii_case("identity")).then_some(refusal)
}

/// How long the body will be, if that is said.
fn length(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// A body on its way in.
struct Arriving {
    body: Body,
    left_bytes: usize,
    room: Room,
    taken: Taken,
}

/// Why a body was not read to its end.
#[derive(Debug, thiserror::Error)]
enum Unread {
    #[error("it is too large")]
    TooLarge,
    #[error("there is no room for it")]
    NoRoom,
    #[error("it was cut off")]
    CutOff(#[source] axum::Error),
}

impl Arriving {
    /// Makes room for as much as has just come.
    fn take(&mut self, bytes: usize) -> Result<(), Unread> {
        self.left_bytes = self.left_bytes.checked_sub(bytes).ok_or(Unread::TooLarge)?;
        let bytes = u32::try_from(bytes).map_err(|_| Unread::TooLarge)?;
        let more = Arc::clone(&self.room.0).try_acquire_many_owned(bytes);
        let more = more.map_err(|_| Unread::NoRoom)?;
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        match taken.as_mut() {
            Some(taken) => taken.merge(more),
            None => *taken = Some(more),
        }
        Ok(())
    }
}

impl HttpBody for Arriving {
    type Data = Bytes;
    type Error = Unread;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Unread>>> {
        let frame = match ready!(Pin::new(&mut self.body).poll_frame(cx)) {
            Some(Ok(frame)) => frame,
            Some(Err(error)) => return Poll::Ready(Some(Err(Unread::CutOff(error)))),
            None => return Poll::Ready(None),
        };
        let bytes = frame.data_ref().map_or(0, Bytes::len);
        Poll::Ready(Some(self.take(bytes).map(|()| frame)))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

fn too_slow() -> Refusal {
    let seconds = PATIENCE.as_secs();
    Refusal::new(Code::TooSlow, format!("the body did not arrive within {seconds} seconds"))
        .hint("send it again, over a quicker connection")
        .detail("limit_seconds", seconds)
}

fn too_large_for_a_stranger() -> Refusal {
    let message = format!("the body is longer than {STRANGERS_BYTES} bytes");
    Refusal::new(Code::TooLarge, message)
        .hint("send less at once")
        .detail("limit_bytes", STRANGERS_BYTES)
}

fn no_room() -> Refusal {
    Refusal::new(Code::ServerBusy, "too much is being sent to the server at once")
        .hint("try again in a moment")
}

fn cut_off() -> Refusal {
    Refusal::new(Code::Usage, "the body could not be read to its end").hint("send it again")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arriving(room: &Room, bytes: usize) -> (Body, Taken) {
        let (body, taken) = (Body::from(vec![b' '; bytes]), Taken::default());
        let (room, left_bytes) = (room.clone(), LONGEST_BODY);
        let arriving = Arriving { body, left_bytes, room, taken: Arc::clone(&taken) };
        (Body::new(arriving), taken)
    }

    fn code(body: Body) -> Option<Code> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(arrive(body)).err().map(|refusal| refusal.code)
    }

    #[test]
    fn a_body_for_which_there_is_no_room_is_refused_until_another_is_answered() {
        let room = Room(Arc::new(Semaphore::new(100)));
        let (first, taken) = arriving(&room, 80);
        assert_eq!(code(first), None);
        assert_eq!(code(arriving(&room, 40).0), Some(Code::ServerBusy));
        drop(taken);
        assert_eq!(code(arriving(&room, 40).0), None);
    }

    #[test]
    fn a_body_that_is_too_long_takes_no_more_room() {
        let room = Room::default();
        assert_eq!(code(arriving(&room, LONGEST_BODY + 1).0), Some(Code::TooLarge));
        assert_eq!(room.0.available_permits(), ROOM_BYTES);
    }

    #[test]
    fn strangers_are_not_listened_to_for_long() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let said = runtime.block_on(read_of_stranger(Body::from(vec![b' '; 20_000])));
        assert_eq!(said.unwrap_err().code, Code::TooLarge);
    }
}
