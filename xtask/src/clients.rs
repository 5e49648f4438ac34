//! The clients of others that the tests drive: two of Python and a coding agent of npm, each in one
//! exact version, in a folder under `target/` that is made anew when a version changes.

use std::env::consts;
use std::fs;
use std::path::{Path, PathBuf};

use windlass_testkit::machine;

use crate::step::{self, Failure};

/// `mcp` and `schemathesis` with all that they stand on, as `pip freeze` lists it.
const PYTHON_PACKAGES: &str = include_str!("../clients.txt");

/// The agent, which comes as a package of its own for each kind of machine.
const AGENT: &str = "@anthropic-ai/claude-code";
const AGENT_VERSION: &str = "2.1.197";

/// Where the clients are.
#[derive(Debug)]
pub(crate) struct Clients {
    pub(crate) python: PathBuf,
    pub(crate) agent: PathBuf,
}

/// Installs what is not there yet.
pub(crate) fn install() -> Result<Clients, Failure> {
    let folder = step::target_folder()?.join("clients");
    let clients =
        Clients { python: folder.join("python/bin/python"), agent: agent_program(&folder) };
    // Written last: without it, what is there may be half of it.
    let marker = folder.join("versions");
    let versions = format!("{AGENT}@{AGENT_VERSION}\n{PYTHON_PACKAGES}");
    let known = fs::read_to_string(&marker).is_ok_and(|found| found == versions);
    if known && clients.python.is_file() && clients.agent.is_file() {
        return Ok(clients);
    }
    // A folder that is not there need not be removed.
    fs::remove_dir_all(&folder).ok();
    fs::create_dir_all(&folder).map_err(|error| Failure::Write(folder.clone(), error))?;
    install_python(&folder)?;
    install_agent(&folder)?;
    fs::write(&marker, versions).map_err(|error| Failure::Write(marker, error))?;
    Ok(clients)
}

fn install_python(folder: &Path) -> Result<(), Failure> {
    let environment = folder.join("python");
    step::run(machine::command("python3").args(["-m", "venv"]).arg(&environment))?;
    let packages = step::root().join("xtask/clients.txt");
    let mut pip = machine::command(environment.join("bin/pip"));
    pip.args(["install", "--quiet", "--disable-pip-version-check", "--requirement"]).arg(packages);
    step::run(&mut pip)
}

/// Without its scripts, which would only copy the program to a second place.
fn install_agent(folder: &Path) -> Result<(), Failure> {
    let mut npm = machine::command("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]);
    npm.arg("--prefix").arg(folder.join("agent")).arg(format!("{AGENT}@{AGENT_VERSION}"));
    step::run(&mut npm)
}

fn agent_program(folder: &Path) -> PathBuf {
    let machine = if consts::ARCH == "aarch64" { "arm64" } else { "x64" };
    folder.join(format!("agent/node_modules/{AGENT}-linux-{machine}/claude"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_python_package_has_an_exact_version() {
        let loose: Vec<_> = PYTHON_PACKAGES.lines().filter(|line| !line.contains("==")).collect();
        assert_eq!(loose, Vec::<&str>::new());
    }
}
