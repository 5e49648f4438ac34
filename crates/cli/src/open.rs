//! `open`: the web pages of a server, in a browser.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::time::Duration;

use clap::{Arg, ArgAction, Command};
use windlass_domain::{Code, Exit, Refusal};
use windlass_hands::browser::browse;
use windlass_hands::remote::Address;
use windlass_ledger::{Clock as _, Error, Fault, SystemClock};
use windlass_server::{ticket, token};

use crate::environment::Environment;
use crate::own::{Call, Own};
use crate::report;
use crate::serve::USUAL;

pub(crate) const OWN: Own = Own {
    name: "open",
    about: "Open the web pages of a server in a browser",
    example: "windlass open",
    arguments,
    run,
};

/// How long a server on this machine may take to be reached.
const REACHED: Duration = Duration::from_secs(2);

/// As much of an answer as tells whose it is.
const ENOUGH_BYTES: u64 = 4_096;

fn arguments(command: Command) -> Command {
    let print = Arg::new("print")
        .long("print")
        .help("Print the address instead; it lets in once, within 10 minutes")
        .action(ArgAction::SetTrue);
    command.arg(print)
}

fn run(call: Call<'_>) -> std::io::Result<Exit> {
    let Call { matches, flags, environment, terminal } = call;
    let cx = environment.context(flags);
    let found = cx.map_err(Error::from).and_then(|cx| {
        let address = cx.settings.server()?.cloned();
        way_in(environment, address.as_ref())
    });
    let address = match found {
        Ok(address) => address,
        Err(error) => return report::error(terminal, error),
    };
    let is_shown = !matches.get_flag("print")
        && has_screen(environment)
        && browse(&address).is_ok_and(|is_shown| is_shown);
    let said = if is_shown { "opened in your browser" } else { &address };
    terminal.out(said).map(|_| Exit::Done)
}

/// The address that lets a browser in.
fn way_in(environment: &Environment, address: Option<&Address>) -> Result<String, Error> {
    let folder = environment.token_folder()?;
    let (host, port) = match address {
        Some(address) if !address.is_loopback() => return Ok(address.to_string()),
        Some(address) => (address.to_string(), address.port().unwrap_or(80)),
        None => {
            let port = port_here(&folder)?;
            (format!("http://127.0.0.1:{port}"), port)
        }
    };
    let not_here = || {
        Fault::new(Code::ServerUnreachable, format!("no server of yours is at {host}"))
            .hint("start it: windlass serve")
            .detail("server", host.clone())
    };
    let here = SocketAddr::from(([127, 0, 0, 1], port));
    let here_too = SocketAddr::from(([0, 0, 0, 0, 0, 0, 0, 1], port));
    let Some(token) = token::read(&folder, port) else {
        return match [here, here_too].iter().any(is_ours) {
            true => Err(wants_a_key(&host).into()),
            false => Err(not_here().into()),
        };
    };
    // A server that was killed leaves its token behind.
    let is_there = |at: &SocketAddr| TcpStream::connect_timeout(at, REACHED).is_ok();
    if ![here, here_too].iter().any(is_there) {
        return Err(not_here().into());
    }
    let ticket = ticket::ticket(&token, SystemClock.now())?;
    Ok(format!("{}/enter?token={ticket}", host.trim_end_matches('/')))
}

/// Whether a server of Windlass answers there.
fn is_ours(at: &SocketAddr) -> bool {
    let asked = || {
        let mut stream = TcpStream::connect_timeout(at, REACHED)?;
        stream.set_read_timeout(Some(REACHED))?;
        stream
            .write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")?;
        let mut answer = Vec::new();
        stream.take(ENOUGH_BYTES).read_to_end(&mut answer)?;
        std::io::Result::Ok(String::from_utf8_lossy(&answer).to_lowercase())
    };
    asked().is_ok_and(|answer| answer.contains("\r\nwindlass-version:"))
}

/// It has no token for this user: others can reach it too, or somebody else started it.
fn wants_a_key(host: &str) -> Refusal {
    let address = format!("{}/enter", host.trim_end_matches('/'));
    Refusal::new(Code::KeyRequired, format!("the server at {host} asks for a key"))
        .hint(format!("sign in with yours at {address}"))
        .detail("server", host)
        .detail("address", &address)
}

/// The port of the server on this machine: the usual one, or that of the only one there is.
fn port_here(folder: &Path) -> Result<u16, Refusal> {
    let usual = USUAL.port();
    let ports = token::ports(folder);
    match ports.as_slice() {
        [] => Ok(usual),
        ports if ports.contains(&usual) => Ok(usual),
        [only] => Ok(*only),
        several => {
            let several: Vec<String> = several.iter().map(ToString::to_string).collect();
            Err(Refusal::new(
                Code::Usage,
                format!("several servers are here, on the ports {}", several.join(", ")),
            )
            .hint("name one: windlass --server http://127.0.0.1:PORT open"))
        }
    }
}

/// Somebody can look at a browser here.
fn has_screen(environment: &Environment) -> bool {
    let variables = ["DISPLAY", "WAYLAND_DISPLAY", "BROWSER"];
    cfg!(target_os = "macos") || variables.iter().any(|name| environment.variable(name).is_some())
}
