//! The log: gapless, chained, append-only.

use windlass_domain::event::CommentAdded;
use windlass_domain::{Code, Refusal};
use windlass_testkit::postgres;

use super::{Bed, on_both};
use crate::{Error, Location, audit};

on_both! {
    seq_has_no_gap_and_the_chain_is_sound
    a_refused_transaction_leaves_no_trace
    a_transaction_reads_what_it_wrote
    events_cannot_be_changed_or_deleted
    data_can_be_pruned_and_the_chain_still_verifies
    a_wrong_hash_in_the_place_of_data_is_found
    what_was_pruned_cannot_be_changed_any_more
    a_changed_event_is_found
    a_kept_head_finds_a_log_that_was_cut
    notes_are_the_comments_checkpoints_and_reasons
}

fn some_history(bed: &mut Bed) -> windlass_domain::TaskId {
    let project = bed.project("api");
    let task = bed.add(project, |_| {});
    for text in ["one", "two", "three"] {
        bed.happen(task, CommentAdded { text: text.into() });
    }
    task
}

fn seq_has_no_gap_and_the_chain_is_sound(bed: &mut Bed) {
    some_history(bed);
    let (seqs, found) = bed
        .ledger
        .read(|snapshot| {
            let seqs: Vec<u64> =
                snapshot.events_after(0, 100)?.iter().map(|event| event.header.seq).collect();
            Ok((seqs, audit(snapshot, None)?))
        })
        .unwrap();
    assert_eq!(seqs, [1, 2, 3, 4, 5]);
    assert_eq!(found.findings, Vec::<String>::new());
    assert_eq!(found.head.seq, 5);
}

fn a_refused_transaction_leaves_no_trace(bed: &mut Bed) {
    let task = some_history(bed);
    let refused = bed.write(|tx| {
        let before = tx.task(task)?.unwrap();
        tx.record_task(&before, [CommentAdded { text: "never".into() }.into()])?;
        tx.demand("here", "test", "{}")?;
        Err::<(), Error>(Refusal::new(Code::InvalidValue, "no").into())
    });
    assert!(refused.is_err());
    let (head, version, effects) = bed
        .ledger
        .read(|snapshot| {
            Ok((
                snapshot.head()?,
                snapshot.task(task)?.unwrap().version,
                snapshot.effects_for("here", 10)?,
            ))
        })
        .unwrap();
    assert_eq!((head.seq, version, effects.len()), (5, 4, 0));
}

fn a_transaction_reads_what_it_wrote(bed: &mut Bed) {
    let task = some_history(bed);
    bed.write(|tx| {
        let before = tx.task(task)?.unwrap();
        let after = tx.record_task(&before, [CommentAdded { text: "now".into() }.into()])?;
        assert_eq!(after.version, before.version + 1);
        assert_eq!(tx.history(task.into(), 1)?.len(), 1);
        assert_eq!(tx.head().seq, 6);
        Ok(())
    })
    .unwrap();
}

/// Runs a statement behind the ledger's back.
fn behind_its_back(bed: &Bed, sql: &str) -> Result<(), String> {
    match &bed.location {
        Location::Sqlite(path) => rusqlite::Connection::open(path)
            .unwrap()
            .execute_batch(sql)
            .map_err(|error| error.to_string()),
        Location::Postgres(url) => {
            let mut client = postgres_client(url);
            client.batch_execute(sql).map_err(|error| {
                error
                    .as_db_error()
                    .map_or_else(|| error.to_string(), |said| said.message().to_owned())
            })
        }
    }
}

fn postgres_client(url: &str) -> ::postgres::Client {
    ::postgres::Client::connect(url, ::postgres::NoTls).unwrap()
}

fn events_cannot_be_changed_or_deleted(bed: &mut Bed) {
    some_history(bed);
    let mut attempts = vec![
        "DELETE FROM events WHERE seq = 2",
        "UPDATE events SET actor = 'somebody else' WHERE seq = 2",
        "UPDATE events SET data = '{}' WHERE seq = 2",
        "UPDATE events SET data = NULL, kind = 'x' WHERE seq = 2",
    ];
    match bed.location {
        Location::Sqlite(_) => {
            attempts.push("INSERT OR REPLACE INTO events SELECT * FROM events WHERE seq = 2");
        }
        Location::Postgres(_) => attempts.push("TRUNCATE events"),
    }
    for sql in attempts {
        let refused = behind_its_back(bed, sql).unwrap_err();
        assert!(refused.contains("append-only"), "{sql}: {refused}");
    }
}

/// (PostgreSQL: its one row of the head says what comes next.)
#[test]
fn an_event_with_any_number_but_the_next_is_refused_on_sqlite() {
    let mut bed = Bed::sqlite();
    some_history(&mut bed);
    let next = bed.ledger.read(|snapshot| Ok(snapshot.head()?.seq)).unwrap() + 1;
    let columns = "at, stream_seq, kind, v, data, data_hash, actor, hash";
    for (insert, seq) in ["INSERT", "INSERT OR REPLACE", "INSERT OR FAIL"]
        .into_iter()
        .flat_map(|insert| [-1, 0, 1, 2, next.cast_signed() + 1].map(|seq| (insert, seq)))
    {
        let sql = format!(
            "{insert} INTO events (seq, id, stream, {columns}) \
             SELECT {seq}, randomblob(16), randomblob(16), {columns} FROM events WHERE seq = 2"
        );
        assert!(behind_its_back(&bed, &sql).is_err(), "{sql}");
    }
    let head = bed.ledger.read(|snapshot| Ok(snapshot.head()?.seq)).unwrap();
    assert_eq!(head + 1, next);
}

fn data_can_be_pruned_and_the_chain_still_verifies(bed: &mut Bed) {
    some_history(bed);
    let event = bed.ledger.read(|snapshot| Ok(snapshot.events_after(3, 1)?)).unwrap();
    empty(bed, 4, &event[0].data_hash().to_string()).unwrap();
    let found = bed.ledger.read(|snapshot| Ok(audit(snapshot, None)?)).unwrap();
    assert_eq!((found.findings.len(), found.pruned), (0, 1));
}

fn a_wrong_hash_in_the_place_of_data_is_found(bed: &mut Bed) {
    some_history(bed);
    let emptied = empty(bed, 4, &"0".repeat(64));
    if let Location::Postgres(_) = bed.location {
        assert!(emptied.unwrap_err().contains("append-only"), "PostgreSQL does not even take it");
        return;
    }
    emptied.unwrap();
    let found = bed.ledger.read(|snapshot| Ok(audit(snapshot, None)?)).unwrap();
    assert_eq!(found.findings, ["the hash of event 4 does not follow from what it covers"]);
}

fn what_was_pruned_cannot_be_changed_any_more(bed: &mut Bed) {
    some_history(bed);
    let event = bed.ledger.read(|snapshot| Ok(snapshot.events_after(3, 1)?)).unwrap();
    empty(bed, 4, &event[0].data_hash().to_string()).unwrap();
    let refused = empty(bed, 4, &"1".repeat(64)).unwrap_err();
    assert!(refused.contains("append-only"), "{refused}");
}

/// Puts a hash in the place of an event's data.
fn empty(bed: &mut Bed, seq: u64, hash: &str) -> Result<(), String> {
    let hash = match bed.location {
        Location::Sqlite(_) => format!("X'{hash}'"),
        Location::Postgres(_) => format!("decode('{hash}', 'hex')"),
    };
    let text = format!("UPDATE events SET data = NULL, data_hash = {hash} WHERE seq = {seq}");
    behind_its_back(bed, &text)
}

fn a_changed_event_is_found(bed: &mut Bed) {
    some_history(bed);
    let disarm = match bed.location {
        Location::Sqlite(_) => "DROP TRIGGER events_no_update",
        Location::Postgres(_) => "DROP TRIGGER events_no_update ON events",
    };
    behind_its_back(bed, disarm).unwrap();
    behind_its_back(bed, "UPDATE events SET data = '{\"text\":\"forged\"}' WHERE seq = 4").unwrap();
    let found = bed.ledger.read(|snapshot| Ok(audit(snapshot, None)?)).unwrap();
    assert_eq!(found.findings, ["the hash of event 4 does not follow from what it covers"]);
    assert_eq!(found.head.seq, 3);
}

fn a_kept_head_finds_a_log_that_was_cut(bed: &mut Bed) {
    some_history(bed);
    let kept = bed.ledger.read(|snapshot| Ok(snapshot.head()?)).unwrap();
    let cut = match bed.location {
        Location::Sqlite(_) => "DROP TRIGGER events_no_delete; DELETE FROM events WHERE seq = 5",
        Location::Postgres(_) => {
            "DROP TRIGGER events_no_delete ON events; DELETE FROM events WHERE seq = 5; \
             UPDATE head SET seq = 4, hash = (SELECT hash FROM events WHERE seq = 4)"
        }
    };
    behind_its_back(bed, cut).unwrap();
    let unaware = bed.ledger.read(|snapshot| Ok(audit(snapshot, None)?)).unwrap();
    assert_eq!(unaware.findings.len(), 0, "without a kept head a cut cannot be seen");
    let aware = bed.ledger.read(|snapshot| Ok(audit(snapshot, Some(kept))?)).unwrap();
    assert_eq!(aware.findings, ["the log ends at 4, expected it to reach 5: it was cut"]);
}

fn notes_are_the_comments_checkpoints_and_reasons(bed: &mut Bed) {
    let task = some_history(bed);
    bed.clock.advance(1_000);
    let kinds: Vec<String> = bed
        .ledger
        .read(|snapshot| {
            Ok(snapshot.notes(task)?.into_iter().map(|note| note.header.kind).collect())
        })
        .unwrap();
    assert_eq!(kinds, ["comment_added"; 3]);
}

#[test]
fn a_head_row_that_disagrees_with_the_log_is_found_on_postgres() {
    if postgres::shared().is_none() {
        return;
    }
    let mut bed = Bed::postgres().unwrap();
    some_history(&mut bed);
    behind_its_back(&bed, "UPDATE head SET seq = 7").unwrap();
    let found = bed.ledger.read(|snapshot| Ok(audit(snapshot, None)?)).unwrap();
    assert_eq!(found.findings.len(), 1, "{:?}", found.findings);
}
