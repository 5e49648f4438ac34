//! How a failure is written: for a person on stderr, for a program as JSON on stdout.

use windlass_domain::{Exit, Refusal};
use windlass_ledger::Error;
use windlass_ops::error::Report;
use windlass_ops::settings::Format;

use crate::command::Wrong;
use crate::terminal::Terminal;

/// Writes an error and says how the process ends.
pub(crate) fn error(terminal: &mut Terminal, error: Error) -> std::io::Result<Exit> {
    let exit = error.code().exit();
    let report = Report::of(error);
    match terminal.format() {
        Format::Json => match serde_json::to_string(&report) {
            Ok(json) => terminal.out(&json)?,
            Err(_) => terminal.err(&report.error.message)?,
        },
        Format::Text => {
            let body = &report.error;
            terminal.err(&format!("error: {}", body.message))?;
            if !body.suggestions.is_empty() {
                terminal.err(&format!("did you mean: {}", body.suggestions.join(", ")))?;
            }
            if let Some(hint) = &body.hint {
                terminal.err(&format!("hint: {hint}"))?;
            }
            terminal.err(&format!("more: windlass explain {}", body.code))?;
        }
    }
    Ok(exit)
}

/// Writes that a command line makes no sense.
pub(crate) fn usage(terminal: &mut Terminal, wrong: Wrong) -> std::io::Result<Exit> {
    if let (Some(help), Format::Text) = (&wrong.help, terminal.format()) {
        terminal.err(help.trim_end())?;
        return Ok(wrong.code.exit());
    }
    let refusal =
        Refusal::new(wrong.code, wrong.message).hint(wrong.hint).suggest(wrong.suggestions);
    error(terminal, refusal.into())
}
