//! A ledger that is kept from its writers for a while.

use std::fs::File;

use windlass_tests::ledgers::Ledger;

/// What keeps writers waiting until it is dropped.
pub(crate) struct Hold {
    _file: Option<File>,
    _client: Option<postgres::Client>,
}

impl Hold {
    /// Takes what every writer of the ledger takes first.
    #[track_caller]
    pub(crate) fn of(ledger: &Ledger) -> Self {
        let Some(database) = ledger.database() else {
            let file = File::options().write(true).open(format!("{}.lock", ledger.address));
            let file = file.unwrap();
            file.lock().unwrap();
            return Self { _file: Some(file), _client: None };
        };
        let mut client = database.connect();
        client.batch_execute("BEGIN; SELECT seq FROM head FOR UPDATE").unwrap();
        Self { _file: None, _client: Some(client) }
    }
}
