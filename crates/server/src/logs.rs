//! What the server tells its operator: lines on standard error, for people or for programs.

use std::io::{self, Write, stderr};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tracing_subscriber::EnvFilter;
use windlass_domain::{Code, Refusal};

/// How lines are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lines {
    Text,
    Json,
}

/// What is told when nobody asks for more or less.
const USUAL: &str = "info";

/// Who tells nothing, whatever is asked for.
const SILENT: [&str; 1] = ["rmcp=off"];

/// How long a line may wait for others, to be written with them.
const PAUSE: Duration = Duration::from_millis(5);
/// When so much waits, whoever tells more waits too.
const MOST_BYTES: usize = 1024 * 1024;
/// How long somebody is waited for who does not read the log, when the server ends.
const FAREWELL: Duration = Duration::from_secs(2);

/// Tells something.
pub fn note(text: &str) {
    tracing::info!("{text}");
}

/// Begins to tell. `levels` is a level, or levels for parts: `warn,windlass_server=debug`.
pub fn begin(lines: Lines, levels: Option<&str>) -> Result<(), Refusal> {
    let levels = levels.unwrap_or(USUAL);
    let filter = EnvFilter::builder().parse(levels).map_err(|wrong| {
        Refusal::new(Code::InvalidValue, format!("WINDLASS_LOG '{levels}' cannot be read: {wrong}"))
            .hint("set it to error, warn, info or debug")
            .detail("field", "WINDLASS_LOG")
            .detail("given", levels)
    })?;
    // The code of others would show what callers say; who called and how it went is told by us.
    let filter =
        SILENT.iter().filter_map(|part| part.parse().ok()).fold(filter, EnvFilter::add_directive);
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(|| Pen)
        .with_target(false)
        .log_internal_errors(false);
    let begun = match lines {
        Lines::Text => builder.with_ansi(rustix::termios::isatty(stderr())).try_init(),
        Lines::Json => builder
            .json()
            .flatten_event(true)
            .with_current_span(false)
            .with_span_list(false)
            .try_init(),
    };
    // A second server in one process goes on with the log of the first.
    if begun.is_ok() {
        std::thread::spawn(|| TOLD.write_all());
    }
    Ok(())
}

/// Waits until everything that was told is written.
pub fn end() {
    TOLD.wait();
}

/// Takes a line. A server would spend a tenth of its time on writing each by itself.
struct Pen;

impl Write for Pen {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        TOLD.add(line);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

static TOLD: Told = Told {
    waiting: Mutex::new(Waiting { lines: Vec::new(), is_writing: false }),
    came: Condvar::new(),
    went: Condvar::new(),
};

/// What was told and is not written yet.
struct Told {
    waiting: Mutex<Waiting>,
    came: Condvar,
    went: Condvar,
}

struct Waiting {
    lines: Vec<u8>,
    is_writing: bool,
}

impl Told {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, line: &[u8]) {
        let waiting = self.went.wait_while(self.lock(), |waiting| waiting.lines.len() > MOST_BYTES);
        let mut waiting = waiting.unwrap_or_else(PoisonError::into_inner);
        if waiting.lines.is_empty() {
            self.came.notify_one();
        }
        waiting.lines.extend_from_slice(line);
    }

    fn write_all(&self) {
        let mut lines = Vec::new();
        loop {
            let some = self.came.wait_while(self.lock(), |waiting| waiting.lines.is_empty());
            drop(some);
            std::thread::sleep(PAUSE);
            let mut waiting = self.lock();
            std::mem::swap(&mut waiting.lines, &mut lines);
            waiting.is_writing = true;
            drop(waiting);
            // A reader of the log that goes away must not take the server along.
            let _read = stderr().write_all(&lines);
            lines.clear();
            self.lock().is_writing = false;
            self.went.notify_all();
        }
    }

    fn wait(&self) {
        let is_there = |waiting: &mut Waiting| waiting.is_writing || !waiting.lines.is_empty();
        let _or_given_up = self.went.wait_timeout_while(self.lock(), FAREWELL, is_there);
    }
}
