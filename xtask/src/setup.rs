//! `setup`: what the tests need and this machine lacks. Silent when it lacks nothing.

use std::path::PathBuf;

use windlass_testkit::Tool;
use windlass_testkit::machine;

use crate::clients;
use crate::step::{self, Failure};

/// A program that must be there, and the Debian package that brings it.
const PACKAGES: [(&str, &str); 9] = [
    ("initdb", "postgresql"),
    ("strace", "strace"),
    ("git", "git"),
    ("cc", "build-essential"),
    ("zsh", "zsh"),
    ("fish", "fish"),
    (BROWSER, "chromium"),
    ("python3", "python3"),
    ("npm", "npm"),
];

const BROWSER: &str = "chromium";

/// Debian cuts this part of Python off, into a package of its own.
const VENV: (&str, &str) = ("ensurepip", "python3-venv");

/// The version that the project's machine has.
const NEXTEST_VERSION: &str = "0.9.143";

/// Where the programs are that the tests drive and that are not on the usual path.
pub(crate) type Tools = Vec<(Tool, PathBuf)>;

pub(crate) fn run() -> Result<Tools, Failure> {
    let lacking = PACKAGES.iter().filter(|(program, _)| machine::find(program).is_none());
    let missing: Vec<_> = lacking.chain((!has_venv()).then_some(&VENV)).collect();
    if !missing.is_empty() {
        let programs: Vec<_> = missing.iter().map(|&&(program, _)| program).collect();
        let packages: Vec<_> = missing.iter().map(|&&(_, package)| package).collect();
        install(&programs, &packages)?;
    }
    cargo_command("nextest", NEXTEST_VERSION)?;
    let clients = clients::install()?;
    let mut tools = vec![(Tool::Python, clients.python), (Tool::Agent, clients.agent)];
    tools.extend(machine::find(BROWSER).map(|path| (Tool::Browser, path)));
    Ok(tools)
}

fn has_venv() -> bool {
    step::succeeds(machine::command("python3").args(["-c", "import ensurepip"]))
}

/// Makes sure of `cargo NAME`, building it when it is not there in any version.
pub(crate) fn cargo_command(name: &str, version: &str) -> Result<(), Failure> {
    if step::succeeds(&mut step::cargo(&[name, "--version"])) {
        return Ok(());
    }
    let package = format!("cargo-{name}");
    step::run(&mut step::cargo(&["install", &package, "--locked", "--version", version]))
}

fn install(programs: &[&str], packages: &[&str]) -> Result<(), Failure> {
    if machine::find("apt-get").is_none() {
        return Err(Failure::NotInstalled(programs.join(", ")));
    }
    apt_get(&["update"])?;
    let install = ["install", "--yes", "--no-install-recommends"];
    apt_get(&[&install, packages].concat())
}

fn apt_get(args: &[&str]) -> Result<(), Failure> {
    let mut command = if machine::is_root() {
        machine::command("env")
    } else {
        let mut sudo = machine::command("sudo");
        sudo.arg("env");
        sudo
    };
    // Through `env`, because `sudo` does not hand our environment on.
    step::run(command.arg("DEBIAN_FRONTEND=noninteractive").arg("apt-get").args(args))
}
