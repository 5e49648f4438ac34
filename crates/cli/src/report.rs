//! How a failure is written: for a person on stderr, for a program as JSON on stdout.

use windlass_domain::Exit;
use windlass_ledger::Error;
use windlass_ops::error::Report;
use windlass_ops::settings::Format;
use windlass_ops::sheet::Tone;

use crate::command::Wrong;
use crate::terminal::Terminal;

/// Writes an error and says how the process ends, whether anybody reads it or not.
pub(crate) fn error(terminal: &Terminal, error: Error) -> std::io::Result<Exit> {
    let exit = error.code().exit();
    let report = Report::of(error);
    match terminal.format() {
        Format::Json => match serde_json::to_string(&report) {
            Ok(json) => {
                let _reader = terminal.out(&json)?;
            }
            Err(_) => terminal.err(&report.error.message),
        },
        Format::Text => {
            let body = report.error.in_short();
            terminal.say("error", Tone::Bad, &body.message);
            if !body.suggestions.is_empty() {
                terminal.say("did you mean", Tone::Dim, &body.suggestions.join(", "));
            }
            if let Some(hint) = &body.hint {
                terminal.say("hint", Tone::Dim, hint);
            }
            terminal.say("more", Tone::Dim, &format!("windlass explain {}", body.code));
        }
    }
    Ok(exit)
}

/// Writes that a command line makes no sense.
pub(crate) fn usage(terminal: &Terminal, wrong: Wrong) -> std::io::Result<Exit> {
    if let (Some(help), Format::Text) = (&wrong.help, terminal.format()) {
        let has_colour = terminal.err_paper().is_some_and(|paper| paper.colour);
        let help = if has_colour { help.ansi().to_string() } else { help.to_string() };
        terminal.err(help.trim_end());
        return Ok(wrong.refusal.code.exit());
    }
    error(terminal, wrong.refusal.into())
}
