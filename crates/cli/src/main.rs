//! `windlass`: the terminal door.
//!
//! It turns a command line into an operation of the table, runs it, and writes the answer as a
//! page for a person or as one JSON document. It holds no rule.

mod columns;
mod command;
mod completions;
mod demo;
mod elsewhere;
mod environment;
mod follow;
mod help;
mod hotl;
mod man;
mod mcp;
mod open;
mod own;
mod page;
mod progress;
mod question;
mod report;
mod serve;
mod suggest;
mod systemd;
mod terminal;
mod wrap;

use std::process::ExitCode;

use windlass_domain::{Exit, Time};
use windlass_ops::events::Events;
use windlass_ops::settings::Format;
use windlass_ops::sheet::Tone;
use windlass_ops::table::{Answer, Request};

use command::{Flags, Parsed};
use environment::Environment;
use own::Call;
use progress::Progress;
use terminal::Terminal;

/// A server spent a seventh to a fifth of its time in the allocator of the C library. Without huge
/// pages, which cost a command half a millisecond at its start.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // A guard is no command: it comes before all that a command looks at.
    if let Some(exit) = windlass_hands::guard::entered(std::env::args_os()) {
        return exit;
    }
    let environment = Environment::read();
    if let Some(exit) = hotl::entered(&environment) {
        return ExitCode::from(exit as u8);
    }
    let mut terminal = Terminal::new(&environment);
    // What is refused before the settings are read is told in this format too.
    terminal.set_default_format(environment.format());
    let exit = match command::parse(environment.arguments(), terminal.paper().width()) {
        Ok(Parsed::Help(help)) => {
            let has_colour = terminal.paper().colour;
            let help = if has_colour { help.ansi().to_string() } else { help.to_string() };
            terminal.out(&help).map(|_| Exit::Done)
        }
        Ok(Parsed::Operation { request, flags, is_events }) => {
            terminal.set_format(flags.format);
            run(&mut terminal, &environment, request.as_ref(), flags, is_events)
        }
        Ok(Parsed::Own { own, matches, flags }) => {
            terminal.set_format(flags.format);
            (own.run)(Call {
                matches: &matches,
                flags,
                environment: &environment,
                terminal: &mut terminal,
            })
        }
        Err(wrong) => {
            terminal.set_format(wrong.format);
            report::usage(&terminal, wrong)
        }
    };
    let exit = exit.unwrap_or_else(|error| {
        terminal.say("error", Tone::Bad, &format!("the answer cannot be written: {error}"));
        Exit::Unexpected
    });
    ExitCode::from(exit as u8)
}

/// Runs one operation and writes what came of it.
fn run(
    terminal: &mut Terminal,
    environment: &Environment,
    request: &dyn Request,
    flags: Flags,
    is_events: bool,
) -> std::io::Result<Exit> {
    let mut cx = match environment.context(flags) {
        Ok(cx) => cx,
        Err(refusal) => return report::error(terminal, refusal.into()),
    };
    terminal.set_default_format(cx.settings.settings.display_format);
    for warning in &cx.settings.warnings {
        terminal.warn(warning);
    }
    let events = request.arguments().ok().filter(|_| is_events);
    if let Some(events) = events.and_then(|given| serde_json::from_value::<Events>(given).ok())
        && (events.follow || terminal.format() == Format::Json)
    {
        return follow::stream(terminal, events, &mut cx);
    }
    let progress = Progress::on(terminal);
    cx.progress = progress.callback();
    cx.notices = Some(progress.notices());
    cx.brakes = Some(progress::brakes());
    cx.questions = question::on(terminal);
    cx.asking = question::asking(terminal);
    cx.surroundings.presence = question::presence();
    let answer = request.run(&mut cx);
    progress.clear();
    match answer {
        Ok(answer) => answer_to(terminal, answer.as_ref(), cx.now()),
        Err(error) => report::error(terminal, error),
    }
}

fn answer_to(terminal: &Terminal, answer: &dyn Answer, now: Time) -> std::io::Result<Exit> {
    let format = match answer.is_verbatim() {
        true => terminal.chosen().unwrap_or(Format::Text),
        false => terminal.format(),
    };
    let text = match format {
        Format::Text => match answer.document() {
            Some(document) => document.to_owned(),
            None => terminal.paper().render(&answer.sheet(now)),
        },
        Format::Json => match answer.json() {
            Ok(json) => json,
            Err(fault) => return report::error(terminal, fault.into()),
        },
    };
    let _reader = terminal.out(&text)?;
    Ok(answer.exit())
}
