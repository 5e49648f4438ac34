//! An office with a ledger of its own, for tests.

use std::path::Path;
use std::time::Duration;

use serde_json::Value;
use windlass_ledger::Location;
use windlass_ops::Workplace;
use windlass_ops::context::{Presence, Surroundings, Wishes};
use windlass_ops::settings::Resolved;
use windlass_ops::table::Entry;

use crate::caller::{Caller, Local};
use crate::desk::{Call, Office};

/// An office in a folder. Nobody there waits long for a ledger that another has locked.
pub(crate) fn office(folder: &Path) -> Office {
    let mut workplace = Workplace::new(Location::Sqlite(folder.join("ledger.db")));
    workplace.wait = Duration::from_millis(1);
    let surroundings = Surroundings { user: "anna".into(), ..Surroundings::default() };
    Office { workplace, surroundings, settings: Resolved::default() }
}

pub(crate) fn anna() -> Caller {
    let wishes = Wishes::default();
    Caller::Local(Local {
        agent: None,
        user: "anna".into(),
        fence: None,
        wishes,
        presence: Presence::Unknown,
    })
}

/// A call of anna's.
pub(crate) fn call(operation: &str, arguments: Value) -> Call {
    let entry = Entry::named(operation).unwrap();
    Call { entry, arguments, caller: anna(), op_id: None }
}
