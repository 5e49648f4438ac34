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

use crate::elsewhere::here;
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
    let (url, here) = if let Some(address) = address {
        let Some(here) = here(address, &folder) else { return Ok(address.to_string()) };
        (address.at(here).to_string(), here)
    } else {
        let here = only_one(&folder)?;
        (format!("http://{here}"), here)
    };
    let not_here = || {
        Fault::new(Code::ServerUnreachable, format!("no server of yours is at {url}"))
            .hint("start it: windlass serve")
            .detail("server", url.clone())
    };
    let token = token::read(&folder, here).filter(|_| is_there(&here));
    let token = token.ok_or_else(|| match is_ours(&here) {
        true => Error::from(wants_a_key(&url)),
        false => not_here().into(),
    })?;
    let ticket = ticket::ticket(&token, SystemClock.now())?;
    Ok(format!("{url}/enter?token={ticket}"))
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
fn wants_a_key(url: &str) -> Refusal {
    let address = format!("{}/enter", url.trim_end_matches('/'));
    Refusal::new(Code::KeyRequired, format!("the server at {url} asks for a key"))
        .hint(format!("sign in with yours at {address}"))
        .detail("server", url)
        .detail("address", &address)
}

/// Whether a server answers. One that was killed leaves its token behind.
fn is_there(here: &SocketAddr) -> bool {
    TcpStream::connect_timeout(here, REACHED).is_ok()
}

/// The server on this machine: the usual one, or the only one there is.
fn only_one(folder: &Path) -> Result<SocketAddr, Refusal> {
    let mut servers = token::addresses(folder);
    servers.retain(is_there);
    match servers.as_slice() {
        [] => Ok(USUAL),
        servers if servers.contains(&USUAL) => Ok(USUAL),
        [only] => Ok(*only),
        several => {
            let several: Vec<String> = several.iter().map(ToString::to_string).collect();
            Err(Refusal::new(
                Code::Usage,
                format!("several servers are here: {}", several.join(", ")),
            )
            .hint("name one: windlass --server http://ADDRESS open"))
        }
    }
}

/// Somebody can look at a browser here.
fn has_screen(environment: &Environment) -> bool {
    let variables = ["DISPLAY", "WAYLAND_DISPLAY", "BROWSER"];
    cfg!(target_os = "macos") || variables.iter().any(|name| environment.variable(name).is_some())
}
