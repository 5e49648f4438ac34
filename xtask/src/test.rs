//! `test`: the whole suite against the release binary and a PostgreSQL of its own.
//!
//! However this ends, Ctrl-C and `kill -9` included, the guard of the cluster removes it.

use std::env;
use std::path::Path;
use std::process::Command;

use windlass_testkit::machine;
use windlass_testkit::postgres::{Cluster, SERVER_VARIABLE};

use crate::setup::{self, Tools};
use crate::step::{self, Failure};

pub(crate) fn run(args: &[&str]) -> Result<(), Failure> {
    let tools = setup::run()?;
    step::run(&mut step::cargo(&["build", "--release", "--package", "windlass"]))?;
    let binary = step::target_folder()?.join("release/windlass");
    let cluster = Cluster::temporary()?;

    let mut nextest = step::cargo(&["nextest", "run"]);
    if !names_packages(args) {
        nextest.arg("--workspace");
    }
    with_surroundings(&mut nextest, &binary, &cluster, &tools).args(args);
    let tested = step::run(&mut nextest);
    if !args.is_empty() {
        return tested;
    }
    // Both are run even if the first fails: the second may have more to tell.
    let mut doc_tests = step::cargo(&["test", "--doc", "--workspace"]);
    let documented = step::run(with_surroundings(&mut doc_tests, &binary, &cluster, &tools));
    tested.and(documented)
}

/// `--workspace` beside `--package` would mean the workspace.
fn names_packages(args: &[&str]) -> bool {
    args.iter().any(|arg| arg.starts_with("-p") || arg.starts_with("--package"))
}

/// Tells the tests where the binary, the server and the tools are, and lets them find `initdb`.
fn with_surroundings<'a>(
    command: &'a mut Command,
    binary: &Path,
    cluster: &Cluster,
    tools: &Tools,
) -> &'a mut Command {
    if let Ok(path) = env::join_paths(machine::search_path()) {
        command.env("PATH", path);
    }
    command.envs(tools.iter().map(|(tool, path)| (tool.variable(), path)));
    command.env("WINDLASS_BIN", binary).env(SERVER_VARIABLE, cluster.sockets())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_named_package_narrows_the_run() {
        assert!(names_packages(&["-p", "windlass-domain"]));
        assert!(names_packages(&["--package=windlass-domain"]));
        assert!(!names_packages(&["a_lease", "--no-capture"]));
    }
}
