//! A real browser for tests: Chromium without a window, spoken to through its debugging protocol.
//!
//! The protocol goes through a pipe. Chromium ends when the pipe does, so that nothing is left
//! behind even by a test that is killed; what remains of its profile the shell below removes.

#![expect(clippy::panic, reason = "a browser that does not do as it is told ends its test")]

mod keyboard;
mod page;
mod wire;

use std::fs;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::Arc;

use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::json;
use tempfile::TempDir;

pub use page::{Page, Screen, Trouble};
use wire::Wire;

use crate::run::Run;
use crate::{Tool, wait};

/// Chromium takes orders from descriptor 3 and answers on descriptor 4.
const SHELL: &str = r#"
profile=$1; shift
TMPDIR=$profile "$@" --user-data-dir="$profile" 3<&0 4>&1 </dev/null >/dev/null 2>&1
rm -rf "$profile"
"#;

const SWITCHES: [&str; 13] = [
    "--headless",
    "--remote-debugging-pipe",
    // Root may not have a sandbox, and the pages are our own.
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--disable-sync",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--hide-scrollbars",
    // Nothing outside this machine can be reached, by whatever mistake of a page.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
];

/// A running Chromium; dropping it kills it with all its processes.
#[derive(Debug)]
pub struct Browser {
    wire: Arc<Wire>,
    shell: Child,
    profile: TempDir,
}

impl Browser {
    /// Starts the browser of this run, or says that there is none (see [`Tool::program`]).
    #[track_caller]
    pub fn start() -> Option<Self> {
        Tool::Browser.program().map(|program| Self::start_from(&program))
    }

    #[track_caller]
    fn start_from(program: &Path) -> Self {
        let made = tempfile::Builder::new().prefix("windlass-browser-").tempdir();
        let profile = made.unwrap_or_else(|error| panic!("no folder for a profile: {error}"));
        // Chromium looks for a home to write to beside its profile.
        let run = Run::of("/bin/sh")
            .env("HOME", profile.path())
            .args(["-c", SHELL, "browser"])
            .args([profile.path(), program])
            .args(SWITCHES);
        let mut command = run.command();
        command.stdin(Stdio::piped()).stderr(Stdio::null()).process_group(0);
        let started = command.spawn();
        let mut shell = started.unwrap_or_else(|error| panic!("no browser: {error}"));
        let (Some(orders), Some(answers)) = (shell.stdin.take(), shell.stdout.take()) else {
            panic!("a browser without pipes");
        };
        let browser = Self { wire: Wire::new(orders, answers), shell, profile };
        let version = browser.wire.call(None, "Browser.getVersion", json!({}));
        version.unwrap_or_else(|error| panic!("the browser did not start: {error}"));
        browser
    }

    /// A new page that shares nothing, not even cookies, with the others.
    #[track_caller]
    pub fn page(&self) -> Page {
        Page::open(&self.wire)
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let group = i32::try_from(self.shell.id()).ok().and_then(Pid::from_raw);
        // It may have ended by itself.
        group.and_then(|group| kill_process_group(group, Signal::KILL).ok());
        self.shell.wait().ok();
        // A process that is about to end may still write a file.
        wait::happens(|| fs::remove_dir_all(self.profile.path()).is_ok());
    }
}

#[cfg(test)]
mod tests;
