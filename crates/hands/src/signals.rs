//! Being asked to stop: SIGTERM and SIGINT.

use std::future::poll_fn;
use std::io;
use std::task::Poll;
use std::thread;
use std::time::Duration;

use tokio::runtime;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::check::Stop;

/// What a shell answers for a program that Ctrl-C ended.
const INTERRUPTED: i32 = 130;

/// Who asks twice waits no longer than this: long enough to end a program that does not want to end,
/// and to give back what is held.
const PATIENCE: Duration = Duration::from_secs(3);

/// From now on they stop what can be stopped, and the first no longer ends the process. The second
/// does, if it does not end by itself.
pub fn ask_to_stop(stop: Stop) -> io::Result<()> {
    let runtime = runtime::Builder::new_current_thread().enable_io().build()?;
    let mut requests = {
        let _inside = runtime.enter();
        Requests::new()?
    };
    thread::Builder::new().name("signals".to_owned()).spawn(move || {
        runtime.block_on(requests.next());
        stop.stop();
        runtime.block_on(requests.next());
        thread::sleep(PATIENCE);
        end();
    })?;
    Ok(())
}

#[expect(clippy::exit, reason = "the rest of the process does what cannot be waited for")]
fn end() {
    std::process::exit(INTERRUPTED)
}

/// Resolves when somebody asks the process to stop. From here on it is no longer ended by that.
pub(crate) fn to_stop() -> io::Result<impl Future<Output = ()>> {
    let mut requests = Requests::new()?;
    Ok(async move { requests.next().await })
}

/// Those to stop that come from now on.
struct Requests {
    terminate: Signal,
    interrupt: Signal,
}

impl Requests {
    fn new() -> io::Result<Self> {
        let terminate = signal(SignalKind::terminate())?;
        let interrupt = signal(SignalKind::interrupt())?;
        Ok(Self { terminate, interrupt })
    }

    async fn next(&mut self) {
        poll_fn(|cx| {
            let Self { terminate, interrupt } = self;
            let is_asked = terminate.poll_recv(cx).is_ready() || interrupt.poll_recv(cx).is_ready();
            if is_asked { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }
}
