//! `windlass`: the terminal door.
//!
//! It turns a command line into an operation of the table, runs it, and writes the answer as a
//! page for a person or as one JSON document. It holds no rule.

mod command;
mod demo;
mod environment;
mod page;
mod report;
mod terminal;

use std::io::ErrorKind;
use std::process::ExitCode;

use windlass_domain::Exit;
use windlass_ops::events::Events;
use windlass_ops::settings::Format;
use windlass_ops::table::{Answer, Request};

use command::Parsed;
use environment::Environment;
use terminal::Terminal;

fn main() -> ExitCode {
    let mut terminal = Terminal::new();
    let environment = Environment::read();
    let exit = match command::parse(&environment) {
        Ok(Parsed::Help(text)) => terminal.out(&text).map(|()| Exit::Done),
        Ok(Parsed::Demo(asked)) => demo::run(&mut terminal, &environment, &asked),
        Ok(Parsed::Operation { request, flags, is_events }) => {
            terminal.set_format(flags.format);
            run(&mut terminal, environment, request.as_ref(), flags, is_events)
        }
        Err(wrong) => {
            terminal.set_format(wrong.format.or(environment.format()));
            report::usage(&mut terminal, wrong)
        }
    };
    let exit = match exit {
        Ok(exit) => exit,
        // A reader that went away wanted no more; that is no failure.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Exit::Done,
        Err(error) => {
            // Nothing is left to write to if this fails too.
            let _told = terminal.err(&format!("error: the answer cannot be written: {error}"));
            Exit::Unexpected
        }
    };
    ExitCode::from(exit as u8)
}

/// Runs one operation and writes what came of it.
fn run(
    terminal: &mut Terminal,
    environment: Environment,
    request: &dyn Request,
    flags: command::Flags,
    is_events: bool,
) -> std::io::Result<Exit> {
    let mut cx = match environment.context(flags) {
        Ok(cx) => cx,
        Err(refusal) => return report::error(terminal, refusal.into()),
    };
    terminal.set_default_format(cx.settings.settings.display_format);
    for warning in &cx.settings.warnings {
        terminal.warn(warning)?;
    }
    if is_events && terminal.format() == Format::Json {
        return stream(terminal, request, &mut cx);
    }
    match request.run(&mut cx) {
        Ok(answer) => answer_to(terminal, answer.as_ref(), cx.now()),
        Err(error) => report::error(terminal, error),
    }
}

fn answer_to(
    terminal: &mut Terminal,
    answer: &dyn Answer,
    now: windlass_domain::Time,
) -> std::io::Result<Exit> {
    match terminal.format() {
        Format::Text => {
            let page = page::render(&answer.sheet(now), terminal.width(), terminal.has_colour());
            terminal.out(&page)?;
        }
        Format::Json => match answer.json() {
            Ok(json) => terminal.out(&json)?,
            Err(fault) => return report::error(terminal, fault.into()),
        },
    }
    Ok(answer.exit())
}

/// Writes the log as lines of JSON, page after page when no limit was given.
fn stream(
    terminal: &mut Terminal,
    request: &dyn Request,
    cx: &mut windlass_ops::Context,
) -> std::io::Result<Exit> {
    let arguments = request.arguments().unwrap_or_default();
    let has_limit = arguments.get("limit").is_some_and(|limit| !limit.is_null());
    let mut page = request.run(cx);
    loop {
        let lines = match page {
            Ok(answer) => answer.lines(),
            Err(error) => return report::error(terminal, error),
        };
        let Some(lines) = lines else {
            return Ok(Exit::Done);
        };
        if !lines.documents.is_empty() {
            terminal.out(&lines.documents.join("\n"))?;
        }
        match lines.next {
            Some(from) if !has_limit => page = Request::run(&Events { from, limit: None }, cx),
            _ => return Ok(Exit::Done),
        }
    }
}
