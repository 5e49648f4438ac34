//! The web browser of the person at the terminal.

use std::process::Stdio;

use crate::process::{NotRun, at_the_terminal};

/// The program that opens an address in the browser a person prefers.
const OPENER: &str = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };

/// Shows an address in a browser, and says whether one was found.
pub fn browse(address: &str) -> Result<bool, NotRun> {
    let mut command = at_the_terminal(OPENER);
    command.arg(address).stdout(Stdio::null()).stderr(Stdio::null());
    match command.status() {
        Ok(status) => Ok(status.success()),
        Err(source) => Err(NotRun::new(OPENER, source)),
    }
}
