//! Moving a ledger: export, import, migration.

use std::io::BufReader;

use windlass_domain::Code;
use windlass_domain::event::CommentAdded;

use super::{Bed, anybody, on_both};
use crate::{Error, Ledger, Location, Options, export, import};

on_both! {
    an_exported_log_is_imported_with_equal_hashes
    importing_twice_adds_nothing
    an_import_goes_on_where_the_ledger_ends
    a_different_history_is_refused
    a_damaged_file_is_refused_with_its_line
}

fn some_history(bed: &mut Bed) {
    let project = bed.project("api");
    let first = bed.add(project, |task| task.tags = vec!["ü".into()]);
    bed.add(project, |task| task.depends_on = vec![first]);
    bed.claim_next(&anybody("w"), None).unwrap();
    bed.happen(first, CommentAdded { text: "日本語 \"quoted\" \\ \n line".into() });
}

fn exported(bed: &mut Bed) -> Vec<u8> {
    bed.ledger
        .read(|snapshot| {
            let mut out = Vec::new();
            export(snapshot, &mut out)?;
            Ok(out)
        })
        .unwrap()
}

fn take(bed: &mut Bed, file: &[u8]) -> Result<crate::Imported, Error> {
    bed.write(|tx| import(tx, &mut BufReader::new(file)))
}

/// The other kind of database where there is one, else the same kind.
pub(super) fn another(bed: &Bed) -> Bed {
    match bed.location {
        Location::Sqlite(_) => Bed::postgres().unwrap_or_else(Bed::sqlite),
        Location::Postgres(_) => Bed::sqlite(),
    }
}

fn an_exported_log_is_imported_with_equal_hashes(bed: &mut Bed) {
    some_history(bed);
    let head = bed.ledger.read(|snapshot| Ok(snapshot.head()?)).unwrap();
    let mut other = another(bed);
    let file = exported(bed);
    let taken = take(&mut other, &file).unwrap();
    assert_eq!((taken.added, taken.known, taken.head), (5, 0, head));
    assert_eq!(exported(&mut other), file);
    assert_eq!(other.ledger.rebuild().unwrap().differences, Vec::new());
}

fn importing_twice_adds_nothing(bed: &mut Bed) {
    some_history(bed);
    let file = exported(bed);
    let taken = take(bed, &file).unwrap();
    assert_eq!((taken.added, taken.known), (0, 5));
}

fn an_import_goes_on_where_the_ledger_ends(bed: &mut Bed) {
    some_history(bed);
    let mut other = another(bed);
    take(&mut other, &exported(bed)).unwrap();
    let project = bed.project("more");
    bed.add(project, |_| {});
    let taken = take(&mut other, &exported(bed)).unwrap();
    assert_eq!((taken.added, taken.known), (2, 5));
}

fn a_different_history_is_refused(bed: &mut Bed) {
    some_history(bed);
    let mut other = another(bed);
    other.project("something else");
    let refused = take(&mut other, &exported(bed)).unwrap_err();
    assert_eq!(refused.code(), Code::ImportConflict);
    assert_eq!(other.ledger.read(|snapshot| Ok(snapshot.head()?.seq)).unwrap(), 1);
}

fn a_damaged_file_is_refused_with_its_line(bed: &mut Bed) {
    some_history(bed);
    let file = String::from_utf8(exported(bed)).unwrap();
    let lines: Vec<&str> = file.lines().collect();
    let without = |index: usize| {
        let kept: Vec<&str> = lines
            .iter()
            .enumerate()
            .filter(|(at, _)| *at != index)
            .map(|(_, line)| *line)
            .collect();
        kept.join("\n") + "\n"
    };
    let damaged = [
        ("an event is missing", without(3), "line 4"),
        ("the end is missing", without(6), "line 7"),
        ("it is cut in a line", file[..file.len() - 20].to_owned(), "line 7"),
        ("a word is changed", file.replace("api", "apl"), "line 2"),
        ("it is another file", "{\"hello\":1}\n".to_owned(), "line 1"),
        ("it is empty", String::new(), "line 1"),
        ("it is of a later format", file.replacen("\"version\":1", "\"version\":2", 1), "line 1"),
    ];
    let mut other = another(bed);
    for (what, text, line) in damaged {
        let refused = take(&mut other, text.as_bytes()).unwrap_err();
        assert_eq!(refused.code(), Code::ImportInvalid, "{what}");
        assert!(refused.to_string().starts_with(line), "{what}: {refused}");
        assert_eq!(other.ledger.read(|snapshot| Ok(snapshot.head()?.seq)).unwrap(), 0, "{what}");
    }
}

#[test]
fn an_older_file_is_copied_and_brought_up_to_date() {
    let mut bed = Bed::sqlite();
    some_history(&mut bed);
    let Location::Sqlite(path) = bed.location.clone() else { panic!() };
    // What a ledger of schema 1 looks like: the log without any view.
    let raw = rusqlite::Connection::open(&path).unwrap();
    for view in crate::sql::VIEWS {
        raw.execute_batch(&format!("DROP TABLE {view}")).unwrap();
    }
    raw.execute_batch("DROP TABLE search_words; DROP TABLE search").unwrap();
    raw.execute_batch("DELETE FROM migrations WHERE number = 2; PRAGMA user_version = 1").unwrap();
    drop(raw);
    let mut opened = Ledger::open(&bed.location, Options::default()).unwrap();
    assert_eq!(opened.rebuild().unwrap().differences, Vec::new());
    let backup = path.with_file_name("ledger.db.schema-1.backup");
    let copied: i64 = rusqlite::Connection::open(backup)
        .unwrap()
        .query_row("SELECT count(*) FROM events", [], |row| row.get(0))
        .unwrap();
    assert_eq!(copied, 5);
}

#[test]
fn reading_a_ledger_that_does_not_exist_makes_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let location = Location::Sqlite(folder.path().join("none").join("ledger.db"));
    let mut ledger = Ledger::open(&location, Options::default()).unwrap();
    assert_eq!(ledger.read(|snapshot| Ok(snapshot.head()?.seq)).unwrap(), 0);
    assert!(std::fs::read_dir(folder.path()).unwrap().next().is_none());
}
