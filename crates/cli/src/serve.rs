//! `serve`: the doors over the network.

use std::net::SocketAddr;

use clap::{Arg, ArgAction, Command, value_parser};
use windlass_domain::{Code, Exit, Refusal};
use windlass_server::desk::Office;
use windlass_server::serve::{self, Options};

use crate::own::{Call, Own};
use crate::report;

pub(crate) const OWN: Own = Own {
    name: "serve",
    about: "Serve the ledger: the HTTP API, live events, MCP and the web pages",
    example: "windlass serve --listen 127.0.0.1:7077",
    arguments,
    run,
};

/// Where the server listens when nobody says otherwise.
pub(crate) const USUAL: &str = "127.0.0.1:7077";

fn arguments(command: Command) -> Command {
    let listen = Arg::new("listen")
        .long("listen")
        .help("The address to listen on; port 0 takes any that is free")
        .value_name("ADDRESS")
        .default_value(USUAL)
        .value_parser(value_parser!(SocketAddr));
    let name = Arg::new("name")
        .long("name")
        .help("A name under which it is called, beside localhost and addresses; may be repeated")
        .value_name("HOST")
        .action(ArgAction::Append);
    command.arg(listen).arg(name)
}

fn run(call: Call<'_>) -> std::io::Result<Exit> {
    let Call { matches, flags, environment, terminal } = call;
    if flags.server.is_some() {
        let refusal = Refusal::new(Code::Usage, "a server serves a ledger, not another server")
            .hint("leave --server out: windlass serve");
        return report::error(terminal, refusal.into());
    }
    let context = environment.context(flags);
    let folder = environment.token_folder();
    let (cx, tokens) = match context.and_then(|cx| Ok((cx, folder?))) {
        Ok(both) => both,
        Err(refusal) => return report::error(terminal, refusal.into()),
    };
    let Some(&listen) = matches.get_one::<SocketAddr>("listen") else {
        return Ok(Exit::Usage);
    };
    let names = matches.get_many::<String>("name").into_iter().flatten().cloned().collect();
    let (workplace, surroundings, settings) = (cx.workplace, cx.surroundings, cx.settings);
    let office = Office { workplace, surroundings, settings };
    let options = Options { listen, names, tokens, office };
    let served = serve::run(options, |address| {
        // Without a reader of this line the server is there all the same.
        let _told = terminal.out(&format!("listening on http://{address}"));
    });
    match served {
        Ok(()) => Ok(Exit::Done),
        Err(fault) => report::error(terminal, fault.into()),
    }
}
