//! Being asked to stop: SIGTERM and SIGINT.

use std::future::poll_fn;
use std::io;
use std::task::Poll;

use tokio::signal::unix::{SignalKind, signal};

/// Resolves when somebody asks the process to stop. From here on it is no longer ended by that.
pub(super) fn to_stop() -> io::Result<impl Future<Output = ()>> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(poll_fn(move |cx| {
        let is_asked = terminate.poll_recv(cx).is_ready() || interrupt.poll_recv(cx).is_ready();
        if is_asked { Poll::Ready(()) } else { Poll::Pending }
    }))
}
