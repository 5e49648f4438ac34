//! What a transaction need not ask for again is what it would be told.

use windlass_domain::event::{Authority, ClaimRenewed, ProjectRenamed, StatusSet, TaskUpdated};
use windlass_domain::hook::Trigger;
use windlass_domain::{Code, Event, ProjectId, Refusal, Status, TaskId};

use super::hooks::hook;
use super::{Bed, on_both, ready};
use crate::{Error, Fate, Transaction, Undo};

on_both! {
    a_task_that_was_read_is_followed_when_it_changes
    what_an_undone_part_changed_is_as_it_was_before
    a_task_that_an_undone_part_created_is_not_there
    a_renamed_project_is_found_by_its_new_name_only
    somebody_whom_an_undone_part_met_first_is_met_again
    a_hook_is_heard_of_in_the_transaction_that_defines_it
    what_somebody_else_changed_between_two_groups_is_seen
    a_look_in_a_group_undoes_nothing
    a_project_that_one_part_freezes_gives_nothing_to_the_next
    a_project_that_one_part_fills_gives_to_the_next
    the_claims_of_a_group_take_one_task_after_the_other
    what_is_routed_in_a_group_is_found_by_its_next_part
    a_claim_that_runs_out_in_a_group_is_found_by_its_next_part
    what_an_undone_claim_took_is_there_for_the_next_part
}

fn refused() -> Error {
    Refusal::new(Code::InvalidValue, "no").into()
}

fn titled(title: &str) -> Event {
    TaskUpdated { title: Some(title.into()), ..TaskUpdated::default() }.into()
}

fn title(tx: &mut Transaction<'_>, id: TaskId) -> String {
    tx.task(id).unwrap().unwrap().title
}

fn retitle(tx: &mut Transaction<'_>, id: TaskId, to: &str) -> Result<(), Error> {
    let task = tx.task(id)?.unwrap();
    tx.record_task(&task, [titled(to)]).map(drop)
}

fn a_task_that_was_read_is_followed_when_it_changes(bed: &mut Bed) {
    let project = bed.project("api");
    let id = bed.add(project, |_| ());
    let (by_id, by_place) = bed
        .write(|tx| {
            let created_seq = tx.task(id)?.unwrap().created_seq;
            retitle(tx, id, "changed")?;
            Ok((title(tx, id), tx.task_created_at(created_seq)?.title))
        })
        .unwrap();
    assert_eq!((by_id.as_str(), by_place.as_str()), ("changed", "changed"));
}

fn what_an_undone_part_changed_is_as_it_was_before(bed: &mut Bed) {
    let project = bed.project("api");
    let id = bed.add(project, |_| ());
    bed.ledger.begin_group(Undo::Each).unwrap();
    let undone: Result<(), Error> = bed.write(|tx| {
        retitle(tx, id, "undone")?;
        Err(refused())
    });
    assert!(undone.is_err());
    assert_eq!(bed.write(|tx| Ok(title(tx, id))).unwrap(), "a task");
    assert_eq!(bed.ledger.end_group().unwrap(), Fate::Committed);
}

fn a_task_that_an_undone_part_created_is_not_there(bed: &mut Bed) {
    let project = bed.project("api");
    let id = bed.write(|tx| Ok(tx.new_task_id()?)).unwrap();
    bed.ledger.begin_group(Undo::Each).unwrap();
    let undone: Result<(), Error> = bed.write(|tx| {
        tx.create(id, ready(project))?;
        assert!(tx.task(id)?.is_some());
        Err(refused())
    });
    assert!(undone.is_err());
    assert!(bed.write(|tx| Ok(tx.task(id)?)).unwrap().is_none());
    bed.ledger.end_group().unwrap();
}

fn a_renamed_project_is_found_by_its_new_name_only(bed: &mut Bed) {
    let id = bed.project("old");
    let found = bed
        .write(|tx| {
            let project = tx.project_named("old")?;
            tx.record_project(&project, [ProjectRenamed { name: "new".into() }.into()])?;
            Ok((tx.find_project("old")?.is_some(), tx.find_project("new")?.map(|new| new.id)))
        })
        .unwrap();
    assert_eq!(found, (false, Some(id)));
}

fn somebody_whom_an_undone_part_met_first_is_met_again(bed: &mut Bed) {
    let project: ProjectId = bed.project("api");
    let id = bed.add(project, |_| ());
    bed.ledger.begin_group(Undo::Each).unwrap();
    let by = windlass_domain::chain::Provenance { actor: "newcomer".into(), ..Default::default() };
    let undone: Result<(), Error> = bed.ledger.write(&by, |tx| {
        retitle(tx, id, "undone")?;
        Err(refused())
    });
    assert!(undone.is_err());
    bed.ledger.write(&by, |tx| retitle(tx, id, "done")).unwrap();
    bed.ledger.end_group().unwrap();
    let done = bed.ledger.read(|snapshot| Ok(snapshot.count_by("newcomer")?)).unwrap();
    assert_eq!(done, 1);
}

fn a_hook_is_heard_of_in_the_transaction_that_defines_it(bed: &mut Bed) {
    let names = bed
        .write(|tx| {
            assert!(tx.definitions()?.is_empty());
            tx.set_hook(hook("first", Trigger::OnDone))?;
            Ok(tx.definitions()?.into_iter().map(|hook| hook.name).collect::<Vec<_>>())
        })
        .unwrap();
    assert_eq!(names, ["first"]);
}

fn what_somebody_else_changed_between_two_groups_is_seen(bed: &mut Bed) {
    let project = bed.project("api");
    let id = bed.add(project, |_| ());
    bed.ledger.begin_group(Undo::Each).unwrap();
    bed.write(|tx| retitle(tx, id, "ours")).unwrap();
    bed.ledger.end_group().unwrap();
    let mut another = crate::Ledger::open(&bed.location, crate::Options::default()).unwrap();
    let by = windlass_domain::chain::Provenance { actor: "another".into(), ..Default::default() };
    another.write(&by, |tx| retitle(tx, id, "theirs")).unwrap();
    bed.ledger.begin_group(Undo::Each).unwrap();
    assert_eq!(bed.write(|tx| Ok(title(tx, id))).unwrap(), "theirs");
    bed.ledger.end_group().unwrap();
}

fn a_look_in_a_group_undoes_nothing(bed: &mut Bed) {
    let project = bed.project("api");
    let id = bed.add(project, |_| ());
    bed.ledger.begin_group(Undo::Each).unwrap();
    bed.write(|tx| retitle(tx, id, "changed")).unwrap();
    assert_eq!(bed.task(id).title, "changed");
    assert_eq!(bed.ledger.end_group().unwrap(), Fate::Committed);
    assert_eq!(bed.task(id).title, "changed");
}

/// What a caller would get next.
fn next_of(tx: &mut Transaction<'_>) -> Result<Vec<TaskId>, Error> {
    let found = tx.claimable(&super::anybody("ada"), 9)?;
    Ok(found.into_iter().map(|task| task.id).collect())
}

fn a_project_that_one_part_freezes_gives_nothing_to_the_next(bed: &mut Bed) {
    let project = bed.project("api");
    let id = bed.add(project, |_| ());
    bed.ledger.begin_group(Undo::Together).unwrap();
    let before = bed.write(next_of).unwrap();
    bed.write(|tx| {
        let project = tx.project(project)?;
        let frozen = project.freeze(None).unwrap();
        tx.record_project(&project, [frozen]).map(drop)
    })
    .unwrap();
    let after = bed.write(next_of).unwrap();
    assert_eq!(bed.ledger.end_group().unwrap(), Fate::Committed);
    assert_eq!((before, after), (vec![id], vec![]));
}

fn a_project_that_one_part_fills_gives_to_the_next(bed: &mut Bed) {
    let empty = bed.project("api");
    bed.ledger.begin_group(Undo::Together).unwrap();
    assert_eq!(bed.write(next_of).unwrap(), []);
    let one = bed.add(empty, |_| ());
    assert_eq!(bed.write(next_of).unwrap(), [one]);
    let new = bed.project("web");
    let other = bed.add(new, |_| ());
    assert_eq!(bed.write(next_of).unwrap(), [one, other]);
    assert_eq!(bed.ledger.end_group().unwrap(), Fate::Committed);
}

fn the_claims_of_a_group_take_one_task_after_the_other(bed: &mut Bed) {
    let project = bed.project("api");
    let mut added: Vec<TaskId> = (0..50).map(|_| bed.add(project, |_| ())).collect();
    bed.ledger.begin_group(Undo::Together).unwrap();
    let mut claimed: Vec<TaskId> =
        (0..45).filter_map(|_| bed.claim_next(&super::anybody("ada"), None)).collect();
    let urgent = bed.add(project, |task| task.priority = 3);
    claimed.extend((0..9).filter_map(|_| bed.claim_next(&super::anybody("bob"), None)));
    assert_eq!(bed.ledger.end_group().unwrap(), Fate::Committed);
    added.insert(45, urgent);
    assert_eq!(claimed, added);
}

fn what_is_routed_in_a_group_is_found_by_its_next_part(bed: &mut Bed) {
    let project = bed.project("api");
    let open = bed.add(project, |_| ());
    bed.ledger.begin_group(Undo::Together).unwrap();
    assert_eq!(bed.write(next_of).unwrap(), [open]);
    let own = bed.add(project, |task| task.agent = Some("ada".into()));
    bed.add(project, |task| task.agent = Some("bob".into()));
    assert_eq!(bed.write(next_of).unwrap(), [own, open]);
    assert_eq!(bed.ledger.end_group().unwrap(), Fate::Committed);
}

fn a_claim_that_runs_out_in_a_group_is_found_by_its_next_part(bed: &mut Bed) {
    let project = bed.project("api");
    let id = bed.add(project, |_| ());
    let other = bed.add(project, |_| ());
    bed.claim_next(&super::anybody("bob"), None).unwrap();
    bed.ledger.begin_group(Undo::Together).unwrap();
    assert_eq!(bed.write(next_of).unwrap(), [other]);
    bed.write(|tx| {
        let task = tx.task(id)?.unwrap();
        let (lease_until, authority, forced) = (tx.now(), Authority::default(), None);
        let over = ClaimRenewed { lease_until, lease_ms: 1, authority, forced };
        tx.record_task(&task, [over.into()]).map(drop)
    })
    .unwrap();
    assert_eq!(bed.write(next_of).unwrap(), [id, other]);
    assert_eq!(bed.ledger.end_group().unwrap(), Fate::Committed);
}

fn what_an_undone_claim_took_is_there_for_the_next_part(bed: &mut Bed) {
    let project = bed.project("api");
    let id = bed.add(project, |_| ());
    bed.ledger.begin_group(Undo::Each).unwrap();
    let undone: Result<(), Error> = bed.write(|tx| {
        let task = tx.claimable(&super::anybody("bob"), 1)?.remove(0);
        let (authority, forced) = (Authority::default(), None);
        let set = StatusSet { to: Status::Backlog, authority, forced };
        tx.record_task(&task, [set.into()])?;
        Err(refused())
    });
    assert!(undone.is_err());
    assert_eq!(bed.write(next_of).unwrap(), [id]);
    assert_eq!(bed.ledger.end_group().unwrap(), Fate::Committed);
}
