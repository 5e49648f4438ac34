//! What the server tells its operator: lines on standard error, for people or for programs.

use std::io::stderr;

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
    // A reader of the log that goes away must not take the server along.
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(stderr)
        .with_target(false)
        .log_internal_errors(false);
    // A second server in one process goes on with the log of the first.
    let _begun = match lines {
        Lines::Text => builder.with_ansi(rustix::termios::isatty(stderr())).try_init(),
        Lines::Json => builder
            .json()
            .flatten_event(true)
            .with_current_span(false)
            .with_span_list(false)
            .try_init(),
    };
    Ok(())
}
