//! Being asked to stop: SIGTERM and SIGINT.

use std::future::poll_fn;
use std::io;
use std::task::Poll;
use std::thread;

use tokio::runtime;
use tokio::signal::unix::{SignalKind, signal};

use crate::check::Stop;

/// From now on they stop what can be stopped, and no longer end the process.
pub fn ask_to_stop(stop: Stop) -> io::Result<()> {
    let runtime = runtime::Builder::new_current_thread().enable_io().build()?;
    let asked = {
        let _inside = runtime.enter();
        to_stop()?
    };
    thread::Builder::new().name("signals".to_owned()).spawn(move || {
        runtime.block_on(asked);
        stop.stop();
    })?;
    Ok(())
}

/// Resolves when somebody asks the process to stop. From here on it is no longer ended by that.
pub(crate) fn to_stop() -> io::Result<impl Future<Output = ()>> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(poll_fn(move |cx| {
        let is_asked = terminate.poll_recv(cx).is_ready() || interrupt.poll_recv(cx).is_ready();
        if is_asked { Poll::Ready(()) } else { Poll::Pending }
    }))
}
