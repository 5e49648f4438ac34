//! `serve`: the doors over the network.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use windlass_domain::{Code, Exit, Refusal};
use windlass_ledger::{Error, Fault, Location};
use windlass_ops::Context;
use windlass_ops::table::AS_IN_HZL;
use windlass_server::desk::Office;
use windlass_server::logs::{self, Lines};
use windlass_server::serve::{self, Options};

use crate::environment::Environment;
use crate::own::{Call, Own};
use crate::report;
use crate::systemd::{self, Unit};

pub(crate) const OWN: Own = Own {
    name: "serve",
    about: "Serve the ledger: the HTTP API, live events, MCP and the web pages",
    example: "windlass serve --listen 127.0.0.1:7077",
    arguments,
    run,
};

/// Where the server listens when nobody says otherwise.
pub(crate) const USUAL: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 7077);

fn arguments(command: Command) -> Command {
    command.args([
        Arg::new("listen")
            .long("listen")
            .help("The address to listen on, or a port of this machine alone; port 0 takes any that is free")
            .value_name("ADDRESS")
            .default_value("127.0.0.1:7077"),
        Arg::new("name")
            .long("name")
            .help(
                "A name under which it is called, beside localhost and addresses; may be repeated",
            )
            .value_name("HOST")
            .action(ArgAction::Append),
        Arg::new("rate")
            .long("rate")
            .help("How many requests a second each key may make; 0 for any number")
            .value_name("N")
            .default_value("100")
            .value_parser(value_parser!(u32).range(..=1_000_000)),
        Arg::new("log")
            .long("log")
            .help("How the log on standard error is written: text or json")
            .value_name("FORM")
            .default_value("text")
            .value_parser(["text", "json"]),
        Arg::new("print-systemd")
            .long("print-systemd")
            .help("Print a systemd unit that serves this ledger, and make the folders it writes to")
            .action(ArgAction::SetTrue),
        Arg::new("port")
            .short('p')
            .long("port")
            .help("The port alone")
            .value_name("N")
            .value_parser(value_parser!(u16))
            .conflicts_with("listen")
            .help_heading(AS_IN_HZL),
        Arg::new("host")
            .short('H')
            .long("host")
            .help("The address alone; other machines reach it under 0.0.0.0, with a key")
            .value_name("ADDRESS")
            .value_parser(value_parser!(IpAddr))
            .conflicts_with("listen")
            .help_heading(AS_IN_HZL),
    ])
}

fn run(call: Call<'_>) -> std::io::Result<Exit> {
    let Call { matches, flags, environment, terminal } = call;
    if flags.server.is_some() {
        let refusal = Refusal::new(Code::Usage, "a server serves a ledger, not another server")
            .hint("leave --server out: windlass serve");
        return report::error(terminal, refusal.into());
    }
    let cx = match environment.context(flags) {
        Ok(cx) => cx,
        Err(refusal) => return report::error(terminal, refusal.into()),
    };
    terminal.set_default_format(cx.settings.settings.display_format);
    if matches.get_flag("print-systemd") {
        return match unit(matches, environment, &cx) {
            Ok(text) => terminal.out(text.trim_end()).map(|_| Exit::Done),
            Err(error) => report::error(terminal, error),
        };
    }
    if let Err(refusal) = refuse_mistyped(environment, &cx) {
        return report::error(terminal, refusal.into());
    }
    let made = new_ledger(&cx);
    let options = match options(matches, environment, cx) {
        Ok(options) => options,
        Err(refusal) => return report::error(terminal, refusal.into()),
    };
    let served = serve::run(options, |address| {
        // Without a reader of this line the server is there all the same.
        let _told = terminal.out(&format!("listening on http://{address}"));
        if let Some(path) = made {
            logs::note(&format!("a new ledger was made: {path}"));
        }
    });
    logs::end();
    match served {
        Ok(()) => Ok(Exit::Done),
        Err(error) => report::error(terminal, error),
    }
}

fn options(
    matches: &ArgMatches,
    environment: &Environment,
    cx: Context,
) -> Result<Options, Refusal> {
    logs::begin(lines(matches), environment.variable("WINDLASS_LOG"))?;
    let tokens = environment.token_folder()?;
    let names = matches.get_many::<String>("name").into_iter().flatten().cloned().collect();
    let rate = matches.get_one("rate").copied().unwrap_or_default();
    let Context { workplace, surroundings, settings, .. } = cx;
    let office = Office { workplace, surroundings, settings };
    Ok(Options { listen: listen(matches)?, names, rate, tokens, office })
}

/// A folder that is not there is a mistake in a path that somebody wrote, unless it is where ledgers
/// are by themselves.
fn refuse_mistyped(environment: &Environment, cx: &Context) -> Result<(), Refusal> {
    let (Location::Sqlite(path), Some(given)) =
        (&cx.workplace.location, cx.settings.given.get("database.url"))
    else {
        return Ok(());
    };
    let tokens = environment.token_folder()?;
    let is_usual = |folder: &Path| Some(folder) == tokens.parent();
    let is_there = |folder: &Path| folder.as_os_str().is_empty() || folder.is_dir();
    let folder = path.parent().filter(|folder| !is_there(folder) && !is_usual(folder));
    let Some(folder) = folder else { return Ok(()) };
    let (folder, origin) = (folder.display().to_string(), &given.origin);
    let message = format!("there is no folder {folder} for the ledger of {origin}");
    Err(Refusal::new(Code::InvalidValue, message)
        .hint(format!("check the path, or make the folder first: mkdir -p {folder}"))
        .detail("field", "db")
        .detail("folder", &folder))
}

/// The path of a ledger that is yet to be made.
fn new_ledger(cx: &Context) -> Option<String> {
    match &cx.workplace.location {
        Location::Sqlite(path) => {
            let is_new = std::fs::metadata(path).map_or(true, |file| file.len() == 0);
            is_new.then(|| path.display().to_string())
        }
        Location::Postgres(_) => None,
    }
}

fn lines(matches: &ArgMatches) -> Lines {
    match matches.get_one::<String>("log").map(String::as_str) {
        Some("json") => Lines::Json,
        _ => Lines::Text,
    }
}

fn listen(matches: &ArgMatches) -> Result<SocketAddr, Refusal> {
    let (host, port) = (matches.get_one::<IpAddr>("host"), matches.get_one::<u16>("port"));
    let given = matches.get_one::<String>("listen").map(|given| address(given)).transpose()?;
    let given = given.unwrap_or(USUAL);
    Ok(SocketAddr::new(
        host.copied().unwrap_or_else(|| given.ip()),
        port.copied().unwrap_or_else(|| given.port()),
    ))
}

/// An address, or a port of this machine: `127.0.0.1:7077`, `localhost:7077`, `:7077`, `7077`.
fn address(given: &str) -> Result<SocketAddr, Refusal> {
    let on_loopback = given.strip_prefix("localhost:").or(given.strip_prefix(':')).unwrap_or(given);
    let port = on_loopback.parse().ok().filter(|_| !on_loopback.starts_with('+'));
    let address = port.map(|port| SocketAddr::new(USUAL.ip(), port));
    address.or_else(|| given.parse().ok()).ok_or_else(|| {
        Refusal::new(Code::InvalidValue, format!("--listen '{given}' is no address with a port"))
            .hint("write 127.0.0.1:7077, 7077 for this machine alone, or 0.0.0.0:7077 for others")
            .detail("field", "listen")
            .detail("given", given)
    })
}

fn unit(matches: &ArgMatches, environment: &Environment, cx: &Context) -> Result<String, Error> {
    let program = std::env::current_exe().unwrap_or_else(|_| "/usr/local/bin/windlass".into());
    let ledger = match &cx.workplace.location {
        Location::Sqlite(path) => {
            Location::Sqlite(std::path::absolute(path).unwrap_or_else(|_| path.clone()))
        }
        Location::Postgres(url) => Location::Postgres(url.clone()),
    };
    let mut arguments = vec!["--listen".to_owned(), listen(matches)?.to_string()];
    for name in matches.get_many::<String>("name").into_iter().flatten() {
        arguments.extend(["--name".to_owned(), name.clone()]);
    }
    if let Some(rate) = matches.get_one::<u32>("rate") {
        arguments.extend(["--rate".to_owned(), rate.to_string()]);
    }
    arguments.extend(["--log".to_owned(), "json".to_owned()]);
    // Where others can reach it, a server keeps no token.
    let tokens = listen(matches)?.ip().is_loopback().then(|| environment.token_folder());
    let beside = match &ledger {
        Location::Sqlite(path) => path.parent().map(Path::to_owned),
        Location::Postgres(_) => None,
    };
    let mut folders: Vec<PathBuf> = beside.into_iter().collect();
    if let Some(tokens) = tokens.transpose()?
        && !folders.iter().any(|folder| tokens.starts_with(folder))
    {
        folders.push(tokens);
    }
    folders.iter().try_for_each(|folder| make(folder))?;
    let user = &systemd::user();
    Ok(Unit { program: &program, user, ledger: &ledger, folders, arguments }.text())
}

/// Makes a folder that the unit names. Without it systemd would not start anything.
fn make(folder: &Path) -> Result<(), Fault> {
    std::fs::create_dir_all(folder).map_err(|error| {
        let folder = folder.display().to_string();
        Fault::new(Code::FileUnusable, format!("{folder} cannot be made: {error}"))
            .hint("print the unit as the user who shall run the server")
            .detail("file", folder)
    })
}
