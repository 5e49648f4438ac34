//! A ledger with two projects, and the ways to put chunks into it.

use serde_json::Value;
use windlass_testkit::Outcome;
use windlass_tests::ledgers::{Ledger, error_of, text};

/// Where chunks are kept.
pub(crate) struct Shelf {
    pub(crate) ledger: Ledger,
}

impl Shelf {
    fn on(ledger: Ledger) -> Self {
        let shelf = Self { ledger };
        for project in ["api", "web"] {
            shelf.does(&["project", "create", project]);
        }
        shelf
    }

    /// The answer of a command that must succeed.
    #[track_caller]
    pub(crate) fn does(&self, args: &[&str]) -> Value {
        self.ledger.answer(args)
    }

    /// The body of the error of a command that must be refused, and changes nothing.
    #[track_caller]
    pub(crate) fn refuses(&self, args: &[&str], code: &str, exit: i32) -> Value {
        let before = self.ledger.events();
        let error = error_of(&self.tries(args), code, exit);
        assert_eq!(self.ledger.events(), before, "something was recorded");
        error
    }

    #[track_caller]
    pub(crate) fn tries(&self, args: &[&str]) -> Outcome {
        self.ledger.windlass(args).run()
    }

    /// Writes knowledge of project api, and gives its id.
    #[track_caller]
    pub(crate) fn knows(&self, title: &str, content: &str) -> String {
        let write = ["chunk", "write", "knowledge", title, content, "-P", "api"];
        text(&self.does(&write)["chunk_id"])
    }

    /// Lets an agent remember something, and gives the id.
    #[track_caller]
    pub(crate) fn remembers(&self, agent: &str, said: &str) -> String {
        text(&self.does(&["remember", said, "--agent", agent])["chunk_id"])
    }

    #[track_caller]
    pub(crate) fn shows(&self, chunk: &str) -> Value {
        self.does(&["chunk", "show", chunk])["chunk"].clone()
    }

    /// Whether everything derived from the log is as it should be.
    #[track_caller]
    pub(crate) fn is_sound(&self) {
        assert_eq!(self.does(&["doctor", "--rebuild"])["healthy"], true);
    }
}

/// Checks the same on both databases.
#[track_caller]
pub(crate) fn on_both(check: impl Fn(&Shelf)) {
    check(&Shelf::on(Ledger::on_sqlite()));
    if let Some(ledger) = Ledger::on_postgres() {
        check(&Shelf::on(ledger));
    }
}
