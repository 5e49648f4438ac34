//! `setup`: what the tests need and this machine lacks. Silent when it lacks nothing.

use windlass_testkit::machine;

use crate::step::{self, Failure};

/// A program that must be there, and the Debian package that brings it.
const PACKAGES: [(&str, &str); 6] = [
    ("initdb", "postgresql"),
    ("strace", "strace"),
    ("git", "git"),
    ("cc", "build-essential"),
    ("zsh", "zsh"),
    ("fish", "fish"),
];

/// The version that the project's machine has.
const NEXTEST_VERSION: &str = "0.9.143";

pub(crate) fn run() -> Result<(), Failure> {
    let missing: Vec<_> =
        PACKAGES.iter().filter(|(program, _)| machine::find(program).is_none()).collect();
    if !missing.is_empty() {
        let programs: Vec<_> = missing.iter().map(|&&(program, _)| program).collect();
        let packages: Vec<_> = missing.iter().map(|&&(_, package)| package).collect();
        install(&programs, &packages)?;
    }
    cargo_command("nextest", NEXTEST_VERSION)
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
