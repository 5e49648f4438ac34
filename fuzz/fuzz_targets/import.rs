//! Any file given to import is taken whole or refused, and a refused one changes nothing. What is
//! taken leaves views that follow from the log.
#![no_main]

use std::cell::RefCell;
use std::io::BufReader;

use libfuzzer_sys::fuzz_target;
use windlass_domain::Code;
use windlass_domain::chain::Provenance;
use windlass_ledger::{Error, Ledger, Location, Options, Synchronous, import};

thread_local! {
    /// Rolled back after every input, so that one ledger serves them all.
    static LEDGER: RefCell<(tempfile::TempDir, Ledger)> = RefCell::new({
        let folder = tempfile::tempdir().unwrap();
        let location = Location::Sqlite(folder.path().join("ledger.db"));
        let options = Options { synchronous: Synchronous::Normal, ..Options::default() };
        let ledger = Ledger::open(&location, options).unwrap();
        (folder, ledger)
    });
}

fuzz_target!(|data: &[u8]| {
    LEDGER.with_borrow_mut(|(_, ledger)| {
        let undo = || Error::from(windlass_domain::Refusal::new(Code::InvalidValue, "undo"));
        let mut taken = None;
        let result = ledger.write(&Provenance::default(), |tx| {
            taken = Some(import(tx, &mut BufReader::new(data))?.added);
            Err::<(), Error>(undo())
        });
        let Err(Error::Refused(refusal)) = result else { panic!("{result:?}") };
        if taken.is_none() {
            assert!(matches!(refusal.code, Code::ImportInvalid | Code::ImportConflict), "{refusal:?}");
        }
        assert_eq!(ledger.read(|snapshot| Ok(snapshot.head()?.seq)).unwrap(), 0);
    });
});
