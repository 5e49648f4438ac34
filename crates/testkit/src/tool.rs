//! The programs of others that tests drive: a browser, clients in Python, a coding agent.
//!
//! `cargo xtask test` installs them and tells where they are, one variable each.

use std::path::PathBuf;

use crate::machine;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tool {
    /// Chromium.
    Browser,
    /// A Python that has the packages `mcp` and `schemathesis`.
    Python,
    /// The coding agent from npm.
    Agent,
}

impl Tool {
    /// The variable that names the program.
    pub const fn variable(self) -> &'static str {
        match self {
            Self::Browser => "WINDLASS_TEST_BROWSER",
            Self::Python => "WINDLASS_TEST_PYTHON",
            Self::Agent => "WINDLASS_TEST_AGENT",
        }
    }

    /// The program, or nothing, with a word on standard error, when there is none.
    ///
    /// Panics in CI: a test that is skipped there would look as if it had passed.
    #[track_caller]
    #[expect(clippy::print_stderr, reason = "a skipped test should say so")]
    pub fn program(self) -> Option<PathBuf> {
        let variable = self.variable();
        if let Some(path) = machine::variable(variable) {
            return Some(PathBuf::from(path));
        }
        assert!(!machine::in_ci(), "{variable} is not set: run `cargo xtask test`");
        eprintln!("skipped without {variable}: run `cargo xtask test`");
        None
    }
}
