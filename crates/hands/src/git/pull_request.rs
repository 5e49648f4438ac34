//! Pull requests, through the client of the forge.

use super::{Git, NotDone};

/// The client of GitHub.
const CLIENT: &str = "gh";

impl Git {
    /// Asks others to take a branch that was pushed, and says where they are asked: the address of
    /// the pull request. Its text is made from the commits.
    pub fn create_pull_request(&self, branch: &str, base: &str) -> Result<String, NotDone> {
        let arguments = ["pr", "create", "--fill", "--base", base, "--head", branch];
        let answer = self.ask_forge(CLIENT, &arguments)?.done()?;
        let said = answer.text()?;
        let address = said.lines().map(str::trim).rfind(|line| line.starts_with("https://"));
        address.map(str::to_owned).ok_or_else(|| answer.odd())
    }
}
