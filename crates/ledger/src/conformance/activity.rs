//! Who acted, and waiting for somebody to act.

use std::thread;
use std::time::Duration;

use windlass_domain::chain::Provenance;
use windlass_domain::event::CommentAdded;

use super::{Bed, on_both};
use crate::{Ledger, Location, Options};

on_both! {
    everybody_who_acted_is_known_by_their_newest_event
    the_events_of_somebody_are_read_newest_first_and_page_by_page
    an_agent_is_told_apart_by_case_and_accent
    waiting_ends_when_another_connection_commits
    waiting_ends_at_once_when_the_log_is_further_already
    waiting_for_nothing_ends_after_its_time
    a_commit_between_two_waits_is_not_missed
}

/// Far more than a test takes.
const LONG: Duration = Duration::from_mins(1);

fn act(bed: &mut Bed, actor: &str) {
    let by = Provenance { actor: actor.to_owned(), ..Provenance::default() };
    let task = bed.ledger.read(|snapshot| Ok(snapshot.list(&one())?.remove(0))).unwrap();
    bed.ledger
        .write(&by, |tx| {
            let task = tx.task(task.id)?.unwrap();
            tx.record_task(&task, [CommentAdded { text: "here".into() }.into()])?;
            Ok(())
        })
        .unwrap();
}

fn one() -> crate::ListFilter {
    crate::ListFilter { limit: 1, ..crate::ListFilter::default() }
}

fn with_a_task(bed: &mut Bed) {
    let project = bed.project("api");
    bed.add(project, |_| {});
}

fn everybody_who_acted_is_known_by_their_newest_event(bed: &mut Bed) {
    with_a_task(bed);
    for actor in ["bob", "ada", "bob"] {
        act(bed, actor);
    }
    let agents = |bed: &mut Bed| {
        let agents = bed.ledger.read(|snapshot| Ok(snapshot.agents()?)).unwrap();
        agents.into_iter().map(|agent| (agent.name, agent.last_seq)).collect::<Vec<_>>()
    };
    let known = [("ada".to_owned(), 4), ("bob".to_owned(), 5), ("tester".to_owned(), 2)];
    assert_eq!(agents(bed), known);
    assert_eq!(bed.ledger.rebuild().unwrap().differences, Vec::new());
    assert_eq!(agents(bed), known);
}

fn the_events_of_somebody_are_read_newest_first_and_page_by_page(bed: &mut Bed) {
    with_a_task(bed);
    for actor in ["ada", "bob", "ada", "ada", "bob"] {
        act(bed, actor);
    }
    let mut by = |name: &str, before, limit| {
        bed.ledger
            .read(|snapshot| {
                let events = snapshot.events_by(name, before, limit)?;
                let seqs = events.iter().map(|event| event.header.seq).collect::<Vec<_>>();
                Ok((seqs, snapshot.count_by(name)?))
            })
            .unwrap()
    };
    assert_eq!(by("ada", u64::MAX, 2), (vec![6, 5], 3));
    assert_eq!(by("ada", 5, 2), (vec![3], 3));
    assert_eq!(by("ada", 3, 2), (vec![], 3));
    assert_eq!(by("nobody", u64::MAX, 2), (vec![], 0));
}

fn an_agent_is_told_apart_by_case_and_accent(bed: &mut Bed) {
    with_a_task(bed);
    let names = ["Zoë", "ada", "Ada", "Zoe", "zoë", "ａｄａ"];
    for actor in names {
        act(bed, actor);
    }
    let counts =
        names.map(|name| bed.ledger.read(|snapshot| Ok(snapshot.count_by(name)?)).unwrap());
    assert_eq!(counts, [1; 6]);
}

/// Adds a project by a connection of its own.
fn elsewhere(location: &Location, name: &str) {
    let mut other = Ledger::open(location, Options::default()).unwrap();
    other
        .write(&Provenance::default(), |tx| {
            let id = tx.new_project_id()?;
            let data = windlass_domain::event::ProjectCreated {
                name: name.to_owned(),
                description: None,
                repo: None,
                protected: false,
            };
            tx.create(id, data)
        })
        .unwrap();
}

fn waiting_ends_when_another_connection_commits(bed: &mut Bed) {
    bed.project("first");
    let mut seq = 1;
    // Some of these commits come before the wait begins, some after.
    for round in 0..5 {
        let location = bed.location.clone();
        let writer = thread::spawn(move || elsewhere(&location, &format!("round-{round}")));
        assert!(bed.ledger.wait_beyond(seq, LONG).unwrap());
        writer.join().unwrap();
        seq += 1;
    }
    assert_eq!(bed.ledger.read(|snapshot| Ok(snapshot.head()?.seq)).unwrap(), seq);
}

fn waiting_ends_at_once_when_the_log_is_further_already(bed: &mut Bed) {
    bed.project("first");
    assert!(bed.ledger.wait_beyond(0, Duration::ZERO).unwrap());
}

fn waiting_for_nothing_ends_after_its_time(bed: &mut Bed) {
    bed.project("first");
    assert!(!bed.ledger.wait_beyond(1, Duration::from_millis(20)).unwrap());
    assert!(!bed.ledger.wait_beyond(7, Duration::ZERO).unwrap());
}

fn a_commit_between_two_waits_is_not_missed(bed: &mut Bed) {
    bed.project("first");
    assert!(!bed.ledger.wait_beyond(1, Duration::from_millis(5)).unwrap());
    elsewhere(&bed.location, "second");
    assert!(bed.ledger.wait_beyond(1, LONG).unwrap());
    bed.project("third");
    assert!(bed.ledger.wait_beyond(2, LONG).unwrap(), "one's own commits count too");
}

#[test]
fn waiting_for_a_ledger_that_nobody_has_made_ends_when_somebody_does() {
    let folder = tempfile::tempdir().unwrap();
    // Not even its folder is there.
    let location = Location::Sqlite(folder.path().join("new/ledger.db"));
    let mut ledger = Ledger::open(&location, Options::default()).unwrap();
    assert!(!ledger.wait_beyond(0, Duration::from_millis(5)).unwrap());
    let writer = thread::spawn(move || elsewhere(&location, "first"));
    assert!(ledger.wait_beyond(0, LONG).unwrap());
    writer.join().unwrap();
    assert_eq!(ledger.read(|snapshot| Ok(snapshot.projects()?.len())).unwrap(), 1);
}
