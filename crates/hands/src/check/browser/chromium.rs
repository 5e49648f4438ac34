//! A Chromium for one check: found, started without a window and with a profile of its own, and taken
//! away with all it wrote.

use std::env;
use std::fs::{self, OpenOptions};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::process::geteuid;
use serde_json::json;
use tempfile::TempDir;

use super::super::pulse::Pulse;
use super::Browser;
use super::address::Address;
use super::wire::{Lost, Wire};
use crate::guard::{Belongings, Guard};
use crate::process::Program;
use crate::reason;

const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

/// Chromium takes orders from descriptor 3 and answers on descriptor 4: both are the socket that is
/// the output here.
const SHELL: &str = r#"words=$1; shift; exec "$@" 3<&1 4>&1 </dev/null >/dev/null 2>"$words""#;

/// Where it writes its complaints, in its profile.
const COMPLAINTS: &str = "complaints";

const SWITCHES: [&str; 13] = [
    "--headless",
    "--remote-debugging-pipe",
    "--window-size=1280,800",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--disable-sync",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--hide-scrollbars",
    "--mute-audio",
];

/// Of the environment, what a browser needs; the rest is none of a page's business.
const VARIABLES: [&str; 3] = ["PATH", "LANG", "TZ"];

/// Far longer than it takes.
const START: Duration = Duration::from_secs(30);

pub(super) enum NoBrowser {
    Stopped,
    /// In words.
    Because(String),
}

impl NoBrowser {
    fn for_lack_of(what: &str, error: &io::Error) -> Self {
        Self::Because(format!(
            "the browser did not start: no {what}: {}",
            reason::root_cause(error)
        ))
    }
}

pub(super) fn start<'a>(
    browser: &Browser,
    address: &Address,
    guard: &Guard,
    pulse: Pulse<'a>,
) -> Result<Wire<'a>, NoBrowser> {
    let program = find(browser).ok_or_else(|| match &browser.program {
        Some(program) => {
            NoBrowser::Because(format!("there is no browser at {}", program.display()))
        }
        None => NoBrowser::Because(format!("there is no browser ({})", NAMES.join(", "))),
    })?;
    let profile = tempfile::Builder::new().prefix("windlass-page-").tempdir();
    let profile = profile.map_err(|error| NoBrowser::for_lack_of("folder", &error))?;
    let (socket, theirs) =
        UnixStream::pair().map_err(|error| NoBrowser::for_lack_of("socket", &error))?;
    let nowhere = OpenOptions::new().write(true).open("/dev/null");
    let nowhere =
        nowhere.map_err(|error| NoBrowser::for_lack_of("output", &error)).map(OwnedFd::from)?;
    let belongings =
        Belongings { stdout: OwnedFd::from(theirs), stderr: nowhere, folder: Some(profile.path()) };
    let words = command(browser, &program, address, &profile);
    let guarded = guard.start(&words, belongings).map_err(|error| {
        let why = reason::root_cause(&error);
        NoBrowser::Because(format!("the browser did not start: {why}"))
    })?;
    let complaints = profile.path().join(COMPLAINTS);
    let mut wire = Wire::new(guarded, socket, pulse, profile);
    match wire.call(None, "Browser.getVersion", json!({}), Instant::now() + START) {
        Ok(_) => Ok(wire),
        Err(Lost::Stopped) => Err(NoBrowser::Stopped),
        Err(lost) => {
            let why = last_line(&complaints).unwrap_or_else(|| lost.to_string());
            Err(NoBrowser::Because(format!("the browser did not start: {why}")))
        }
    }
}

fn command(browser: &Browser, program: &Path, address: &Address, profile: &TempDir) -> Program {
    let folder = profile.path();
    // Nothing but the server that is asked for can be reached, whatever the page wants.
    let host = address.host().map(|host| format!(", EXCLUDE {host}")).unwrap_or_default();
    let rules = format!("MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1{host}");
    let mut command = Program::new("/bin/sh", folder)
        .arguments(["-c", SHELL, "browser"])
        .argument(folder.join(COMPLAINTS))
        .argument(program)
        .arguments(SWITCHES)
        .argument(format!("--host-resolver-rules={rules}"))
        .argument(format!("--user-data-dir={}", folder.display()));
    if geteuid().is_root() {
        // Root may not have a sandbox.
        command = command.argument("--no-sandbox");
    }
    for name in VARIABLES {
        if let Some(value) = browser.environment.get(name) {
            command = command.variable(name, value);
        }
    }
    // It writes to more places than its profile.
    command.variable("HOME", folder).variable("TMPDIR", folder)
}

/// The one that is given, or the first of the known ones.
fn find(browser: &Browser) -> Option<PathBuf> {
    if let Some(given) = &browser.program {
        return Some(given.clone()).filter(|given| is_program(given));
    }
    let path = browser.environment.get("PATH")?;
    let folders: Vec<PathBuf> = env::split_paths(path).filter(|path| path.is_absolute()).collect();
    let places = NAMES.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    places.into_iter().find(|place| is_program(place))
}

fn is_program(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

fn last_line(file: &Path) -> Option<String> {
    let text = fs::read(file).ok()?;
    let text = String::from_utf8_lossy(&text);
    let line = text.lines().rev().map(str::trim).find(|line| !line.is_empty())?;
    Some(reason::one_line(line))
}
