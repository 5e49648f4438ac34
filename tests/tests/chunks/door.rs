//! A server in front of the shelf.

use serde_json::Value;
use windlass_testkit::Served;
use windlass_testkit::http::{Request, Response, follow};
use windlass_tests::ledgers::text;

use crate::shelf::Shelf;

/// A server, and a key of an agent that may change only project api.
pub(crate) struct Door {
    served: Served,
    key: String,
}

impl Door {
    pub(crate) fn of(shelf: &Shelf) -> Self {
        let create = ["key", "create", "--for", "agent:w1", "--role", "worker", "-P", "api"];
        let key = text(&shelf.does(&create)["key"]);
        let run = shelf.ledger.windlass(&["serve", "--listen", "127.0.0.1:0"]);
        Self { served: Served::from_run(&shelf.ledger.home, &run), key }
    }

    pub(crate) fn asks(&self, operation: &str, arguments: &Value) -> Response {
        let path = format!("/v1/ops/{operation}");
        self.served.send(&Request::json(&path, arguments).bearer(&self.key))
    }

    /// The events of this kind that a follower hears from the beginning on, up to the first that is
    /// in `last`.
    pub(crate) fn hears(&self, kinds: &[&str], last: &str) -> Vec<Value> {
        let kinds: Vec<String> = kinds.iter().map(|kind| format!("&kind={kind}")).collect();
        let path = format!("/v1/events/stream?after=0&kind={last}{}", kinds.concat());
        let stream = follow(self.served.address(), &Request::get(&path).bearer(&self.key));
        let heard = std::iter::from_fn(|| stream.event());
        heard.take_while(|event| event.kind != last).map(|event| event.json()).collect()
    }
}
