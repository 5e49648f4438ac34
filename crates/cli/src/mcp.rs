//! `mcp`: the tools of an agent, on the standard streams.

use clap::{Arg, Command};
use windlass_domain::Exit;
use windlass_server::desk::Office;
use windlass_server::mcp::stdio;

use crate::own::{Call, Own};
use crate::report;

pub(crate) const OWN: Own = Own {
    name: "mcp",
    about: "Serve the ledger to one agent, as MCP tools on the standard streams",
    example: "windlass mcp --agent worker-1",
    arguments,
    run,
};

fn arguments(command: Command) -> Command {
    let tools = Arg::new("tools")
        .long("tools")
        .help("The tools to show: all, default, or groups and names with commas between them")
        .value_name("SET");
    let agent = Arg::new("agent")
        .long("agent")
        .help("Who acts when a call names nobody")
        .value_name("NAME");
    command.arg(tools).arg(agent)
}

fn run(call: Call<'_>) -> std::io::Result<Exit> {
    let Call { matches, flags, environment, terminal } = call;
    let cx = match environment.context(flags) {
        Ok(cx) => cx,
        Err(refusal) => return report::error(terminal, refusal.into()),
    };
    for warning in &cx.settings.warnings {
        terminal.warn(warning);
    }
    let (workplace, mut surroundings, settings) = (cx.workplace, cx.surroundings, cx.settings);
    if let Some(agent) = matches.get_one::<String>("agent") {
        match windlass_domain::text::name("agent", agent) {
            Ok(name) => surroundings.agent = Some(name),
            Err(refusal) => return report::error(terminal, refusal.into()),
        }
    }
    let office = Office { workplace, surroundings, settings };
    match stdio::run(office, matches.get_one::<String>("tools").map(String::as_str)) {
        Ok(()) => Ok(Exit::Done),
        Err(error) => report::error(terminal, error),
    }
}
