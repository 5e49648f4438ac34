//! A home with a server in it.

use std::net::SocketAddr;

use serde_json::Value;
use windlass_testkit::server::Served;
use windlass_testkit::{Home, Run};
use windlass_tests::ledgers::text;

/// The name of the ledger that the server serves.
pub(crate) const LEDGER: &str = "served.db";

/// A server, and the home of those who use it and of itself.
#[derive(Debug)]
pub(crate) struct House {
    pub(crate) home: Home,
    pub(crate) served: Served,
}

impl House {
    #[track_caller]
    pub(crate) fn new() -> Self {
        Self::of(Home::new())
    }

    /// Serves the ledger that is in a home, or will be.
    #[track_caller]
    pub(crate) fn of(home: Home) -> Self {
        let served = serve(&home, "127.0.0.1:0");
        Self { home, served }
    }

    /// A command that uses the server.
    #[track_caller]
    pub(crate) fn windlass(&self, args: &[&str]) -> Run {
        self.through(self.served.address(), args)
    }

    /// The same by another address, where somebody stands between.
    #[track_caller]
    pub(crate) fn through(&self, address: SocketAddr, args: &[&str]) -> Run {
        let token = self.home.data().join(format!("windlass/serve/{address}.token"));
        if !token.exists() {
            std::fs::copy(self.served.token_file(), token).unwrap();
        }
        ours(&self.home, args).env("WINDLASS_SERVER", format!("http://{address}"))
    }

    /// A command that opens the ledger itself.
    #[track_caller]
    pub(crate) fn at_the_ledger(&self, args: &[&str]) -> Run {
        ours(&self.home, args).db(LEDGER)
    }

    /// Starts the server again where it was.
    #[track_caller]
    pub(crate) fn again(self) -> Self {
        let Self { home, served } = self;
        let address = served.address().to_string();
        served.kill();
        let served = serve(&home, &address);
        Self { home, served }
    }

    /// The titles of all tasks.
    #[track_caller]
    pub(crate) fn titles(&self) -> Vec<String> {
        let listed = self.at_the_ledger(&["task", "list"]).run().ok().json();
        listed["tasks"].as_array().unwrap().iter().map(|task| text(&task["title"])).collect()
    }

    /// Whether the ledger is whole.
    #[track_caller]
    pub(crate) fn is_whole(&self) -> bool {
        let examined = self.at_the_ledger(&["doctor"]).run().ok().json();
        examined["healthy"] == Value::Bool(true)
    }
}

#[track_caller]
fn serve(home: &Home, address: &str) -> Served {
    Served::from_run(home, &ours(home, &["serve", "--listen", address]).db(LEDGER))
}

/// A command of this home.
#[track_caller]
pub(crate) fn ours(home: &Home, args: &[&str]) -> Run {
    home.windlass(args)
        .env("USER", "ada")
        .env("NO_COLOR", "1")
        // Nothing here is about power loss.
        .env("WINDLASS_DATABASE_SYNCHRONOUS", "normal")
}
