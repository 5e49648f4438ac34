//! `mcp`: the tools of an agent, on the standard streams.

use clap::{Arg, Command};
use windlass_domain::{Code, Exit};
use windlass_hands::remote::{Client, Request, Server};
use windlass_ledger::{Error, Fault};
use windlass_ops::remote;
use windlass_server::desk::{self, Office};
use windlass_server::mcp::{Calls, stdio};

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
        .help(
            "The tools to show: all, default, hizal, or groups and names with commas between them",
        )
        .value_name("SET");
    let agent = Arg::new("agent")
        .long("agent")
        .help("Who acts when a call names nobody")
        .value_name("NAME");
    command.arg(tools).arg(agent)
}

fn run(call: Call<'_>) -> std::io::Result<Exit> {
    let Call { matches, mut flags, environment, terminal } = call;
    flags.agent = matches.get_one::<String>("agent").cloned();
    let cx = match environment.context(flags) {
        Ok(cx) => cx,
        Err(refusal) => return report::error(terminal, refusal.into()),
    };
    terminal.set_default_format(cx.settings.settings.display_format);
    for warning in &cx.settings.warnings {
        terminal.warn(warning);
    }
    let tools = matches.get_one::<String>("tools").map(String::as_str);
    let (workplace, surroundings, settings) = (cx.workplace, cx.surroundings, cx.settings);
    let ended = match cx.remote {
        None => stdio::run(Office { workplace, surroundings, settings }, tools),
        Some(remote) => {
            let session = surroundings.variables.session().map(str::to_owned);
            Elsewhere::to(remote.server().clone(), session)
                .and_then(|calls| stdio::relay(calls, &surroundings, tools))
        }
    };
    match ended {
        Ok(()) => Ok(Exit::Done),
        Err(error) => report::error(terminal, error),
    }
}

/// Lets a server do what the tools ask for.
#[derive(Debug, Clone)]
struct Elsewhere {
    client: Client,
    /// The session that the calls are about.
    session: Option<String>,
}

impl Elsewhere {
    fn to(server: Server, session: Option<String>) -> Result<Self, Error> {
        let client = Client::new(server).map_err(|lost| {
            Fault::new(Code::ServerUnreachable, lost.reason)
                .hint("check server.url and WINDLASS_KEY")
        });
        Ok(Self { client: client?, session })
    }
}

impl Calls for Elsewhere {
    async fn call(&self, call: desk::Call) -> Result<String, Error> {
        let Self { client, session } = self;
        // Who calls is shown by the client, with every request.
        let desk::Call { entry, arguments, op_id, caller: _ } = call;
        let sent = remote::Call::new(entry, &arguments, op_id)?;
        let request = Request { session: session.clone(), ..sent.request() };
        let reply = client.send(&request).await;
        let reply = reply.map_err(|lost| sent.lost(client.server(), &lost))?;
        Ok(sent.read(client.server(), reply)?.json)
    }
}
