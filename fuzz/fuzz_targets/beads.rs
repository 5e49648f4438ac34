//! Any file given to `import beads` is taken whole or refused with one of its lines, and a refused
//! one changes nothing. What is taken can happen: the ledger refuses none of it.
#![no_main]

use std::cell::RefCell;
use std::io::Cursor;

use libfuzzer_sys::fuzz_target;
use windlass_domain::chain::Provenance;
use windlass_domain::{Code, Refusal};
use windlass_ledger::{Error, Ledger, Location, Options, Synchronous};
use windlass_ops::import::beads::Plan;

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
    let plan = match Plan::of(Cursor::new(data), None, |_| {}) {
        Ok(plan) => plan,
        Err(Error::Refused(refusal)) => {
            assert_eq!(refusal.code, Code::ImportInvalid, "{refusal:?}");
            assert!(refusal.details.contains_key("line"), "{refusal:?}");
            return;
        }
        Err(error) => panic!("{error:?}"),
    };
    LEDGER.with_borrow_mut(|(_, ledger)| {
        let mut brought = None;
        let result = ledger.write(&Provenance { actor: "fuzz".into(), ..Provenance::default() }, |tx| {
            let around = plan.look_around(tx, Cursor::new(data))?;
            brought = Some(plan.bring(tx, Cursor::new(data), &around.new, &around.so_far)?);
            Err::<(), Error>(Refusal::new(Code::InvalidValue, "undo").into())
        });
        let Err(Error::Refused(refusal)) = result else { panic!("{result:?}") };
        assert_eq!(refusal.message, "undo", "{refusal:?}");
        assert!(brought.is_some_and(|brought| brought.tasks <= plan.issues()));
        assert_eq!(ledger.read(|snapshot| Ok(snapshot.head()?.seq)).unwrap(), 0);
    });
});
