//! Groups: parts of one transaction, each of which stands or falls alone, and all with the commit.

use windlass_domain::event::ProjectCreated;
use windlass_domain::{Code, Refusal};

use super::pruning::is_sound;
use super::{Bed, on_both};
use crate::{Access, Error, Fate, Ledger, Location, Options, Undo};

on_both! {
    the_parts_of_a_group_are_committed_together
    nobody_sees_a_part_before_the_group_is_committed
    a_refused_part_leaves_nothing_and_the_others_stay
    where_all_is_undone_together_a_part_that_wrote_and_fails_takes_the_others_with_it
    where_all_is_undone_together_a_part_that_only_looked_may_be_refused
    a_part_sees_the_parts_before_it
    the_parts_of_a_group_continue_one_chain
    a_group_of_nothing_commits_nothing
    a_group_of_refusals_only_leaves_the_log_as_it_was
    a_group_that_is_dropped_with_its_ledger_leaves_nothing
    the_views_after_a_group_are_those_of_its_events
    a_rebuild_in_a_group_is_kept
}

fn refused() -> Error {
    Refusal::new(Code::InvalidValue, "no").into()
}

fn seq(ledger: &mut Ledger) -> u64 {
    ledger.read(|snapshot| Ok(snapshot.head()?.seq)).unwrap()
}

/// Somebody else's look at the ledger.
fn another(bed: &Bed) -> Ledger {
    Ledger::open(&bed.location, Options::default()).unwrap()
}

fn the_parts_of_a_group_are_committed_together(bed: &mut Bed) {
    bed.ledger.begin_group(Undo::Each).unwrap();
    bed.project("one");
    bed.project("two");
    assert_eq!(bed.ledger.end_group().unwrap(), Fate::Committed);
    assert_eq!(seq(&mut another(bed)), 2);
}

fn nobody_sees_a_part_before_the_group_is_committed(bed: &mut Bed) {
    bed.project("before");
    bed.ledger.begin_group(Undo::Each).unwrap();
    bed.project("within");
    assert_eq!(seq(&mut another(bed)), 1);
    bed.ledger.end_group().unwrap();
}

fn a_refused_part_leaves_nothing_and_the_others_stay(bed: &mut Bed) {
    bed.ledger.begin_group(Undo::Each).unwrap();
    let project = bed.project("kept");
    let part: Result<(), Error> = bed.write(|tx| {
        let id = tx.new_task_id()?;
        tx.create(id, super::ready(project))?;
        Err(refused())
    });
    assert_eq!(part.unwrap_err().code(), Code::InvalidValue);
    bed.add(project, |task| task.title = "kept too".into());
    bed.ledger.end_group().unwrap();
    let titles = bed.ledger.read(|snapshot| Ok(snapshot.events_after(0, 10)?.len())).unwrap();
    assert_eq!(titles, 2);
}

fn where_all_is_undone_together_a_part_that_wrote_and_fails_takes_the_others_with_it(
    bed: &mut Bed,
) {
    bed.ledger.begin_group(Undo::Together).unwrap();
    let project = bed.project("lost");
    let part: Result<(), Error> = bed.write(|tx| {
        let id = tx.new_task_id()?;
        tx.create(id, super::ready(project))?;
        Err(refused())
    });
    assert_eq!(part.unwrap_err().code(), Code::InvalidValue);
    assert_eq!(bed.ledger.end_group().unwrap(), Fate::Lost);
    assert_eq!(seq(&mut bed.ledger), 0);
}

fn where_all_is_undone_together_a_part_that_only_looked_may_be_refused(bed: &mut Bed) {
    bed.ledger.begin_group(Undo::Together).unwrap();
    bed.project("one");
    let part: Result<(), Error> = bed.write(|tx| {
        tx.projects()?;
        Err(refused())
    });
    assert_eq!(part.unwrap_err().code(), Code::InvalidValue);
    bed.project("two");
    assert_eq!(bed.ledger.end_group().unwrap(), Fate::Committed);
    assert_eq!(seq(&mut bed.ledger), 2);
}

fn a_part_sees_the_parts_before_it(bed: &mut Bed) {
    bed.ledger.begin_group(Undo::Each).unwrap();
    let project = bed.project("seen");
    let task = bed.add(project, |_| ());
    assert_eq!(bed.task(task).project, project);
    bed.ledger.end_group().unwrap();
}

fn the_parts_of_a_group_continue_one_chain(bed: &mut Bed) {
    bed.project("before");
    bed.ledger.begin_group(Undo::Each).unwrap();
    bed.project("one");
    bed.project("two");
    bed.ledger.end_group().unwrap();
    bed.project("after");
    is_sound(bed);
    assert_eq!(seq(&mut bed.ledger), 4);
}

fn a_group_of_nothing_commits_nothing(bed: &mut Bed) {
    bed.ledger.begin_group(Undo::Each).unwrap();
    assert_eq!(bed.ledger.end_group().unwrap(), Fate::Committed);
    assert_eq!(seq(&mut bed.ledger), 0);
}

fn a_group_of_refusals_only_leaves_the_log_as_it_was(bed: &mut Bed) {
    let project = bed.project("before");
    bed.ledger.begin_group(Undo::Each).unwrap();
    for _ in 0..2 {
        let part: Result<(), Error> = bed.write(|tx| {
            let id = tx.new_task_id()?;
            tx.create(id, super::ready(project))?;
            Err(refused())
        });
        assert!(part.is_err());
    }
    bed.ledger.end_group().unwrap();
    assert_eq!(seq(&mut another(bed)), 1);
}

fn a_group_that_is_dropped_with_its_ledger_leaves_nothing(bed: &mut Bed) {
    bed.project("before");
    bed.ledger.begin_group(Undo::Each).unwrap();
    bed.project("within");
    bed.ledger = another(bed);
    bed.project("after");
    assert_eq!(seq(&mut bed.ledger), 2);
}

fn the_views_after_a_group_are_those_of_its_events(bed: &mut Bed) {
    bed.ledger.begin_group(Undo::Each).unwrap();
    let project = bed.project("api");
    for _ in 0..3 {
        let task = bed.add(project, |_| ());
        let part: Result<(), Error> = bed.write(|tx| {
            let id = tx.new_task_id()?;
            tx.create(id, super::ready(project))?;
            Err(refused())
        });
        assert!(part.is_err());
        bed.task(task);
    }
    bed.ledger.end_group().unwrap();
    assert_eq!(bed.ledger.rebuild().unwrap().differences, []);
}

fn a_rebuild_in_a_group_is_kept(bed: &mut Bed) {
    bed.project("api");
    bed.ledger.begin_group(Undo::Each).unwrap();
    assert_eq!(bed.ledger.rebuild().unwrap().events, 1);
    assert_eq!(bed.ledger.end_group().unwrap(), Fate::Committed);
    assert_eq!(bed.ledger.rebuild().unwrap().differences, []);
}

/// On PostgreSQL a connection may be lost in the middle of a group.
#[test]
fn a_group_whose_connection_is_lost_leaves_nothing_and_can_be_done_again() {
    let Some(mut bed) = Bed::postgres() else { return };
    bed.project("before");
    bed.ledger.begin_group(Undo::Each).unwrap();
    bed.project("within");
    cut(&bed);
    assert!(part(&mut bed).is_err());
    assert_eq!(bed.ledger.end_group().unwrap(), Fate::Lost);
    assert_eq!(seq(&mut another(&bed)), 1);
    bed.ledger.begin_group(Undo::Each).unwrap();
    bed.project("within");
    assert_eq!(bed.ledger.end_group().unwrap(), Fate::Committed);
    is_sound(&mut bed);
}

#[test]
fn a_group_whose_connection_is_lost_before_its_end_leaves_nothing() {
    let Some(mut bed) = Bed::postgres() else { return };
    bed.ledger.begin_group(Undo::Each).unwrap();
    bed.project("within");
    cut(&bed);
    assert_eq!(bed.ledger.end_group().unwrap(), Fate::Lost);
    assert_eq!(seq(&mut bed.ledger), 0);
}

/// Ends the connection of the ledger.
fn cut(bed: &Bed) {
    let Location::Postgres(url) = &bed.location else { unreachable!("it is on PostgreSQL") };
    let cut = "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity \
               WHERE datname = current_database() AND pid <> pg_backend_pid()";
    postgres::Client::connect(url, postgres::NoTls).unwrap().batch_execute(cut).unwrap();
}

/// A part that would record something.
fn part(bed: &mut Bed) -> Result<(), Error> {
    bed.write(|tx| {
        let id = tx.new_project_id()?;
        let data =
            ProjectCreated { name: "part".into(), description: None, repo: None, protected: false };
        tx.create(id, data)?;
        Ok(())
    })
}

/// SQLite gives a whole transaction up when the disk is full in the middle of it.
#[test]
fn a_part_of_a_group_that_sqlite_gave_up_is_not_recorded_alone() {
    let mut bed = Bed::sqlite();
    bed.project("before");
    bed.ledger.begin_group(Undo::Each).unwrap();
    bed.project("within");
    give_up(&mut bed);
    let refused: Result<(), Error> = bed.write(|_| Err(refused()));
    assert!(refused.is_err());
    assert!(part(&mut bed).is_err());
    assert_eq!(bed.ledger.end_group().unwrap(), Fate::Lost);
    assert_eq!(seq(&mut another(&bed)), 1);
}

fn give_up(bed: &mut Bed) {
    let (mut store, _) =
        bed.ledger.database.begin_at(bed.ledger.group.as_ref(), None, Access::Write).unwrap();
    store.run("ROLLBACK", &[]).unwrap();
}
