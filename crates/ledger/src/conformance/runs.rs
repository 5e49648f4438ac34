//! Runs: what is recorded is read back, by every name, in every list, and after every rebuild.

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use windlass_domain::chain::Hash;
use windlass_domain::event::RunEvent;
use windlass_domain::run::event::{Place, RunImported, RunStarted, Tie};
use windlass_domain::run::file::parse;
use windlass_domain::run::name::RunId;
use windlass_domain::run::word::{Authority, Door, Gates, RunStatus};
use windlass_domain::run::{Caller, Run, edit, state_file, step};
use windlass_domain::{Code, Event, ProjectId, Refusal, RunKey, TaskId};

use super::bulk::rows;
use super::pruning::is_sound;
use super::{Bed, on_both};
use crate::{Error, Fate, KeptRun, RunFilter, Transaction, Undo, export, import};

on_both! {
    all_of_a_run_is_read_back_by_its_key_its_place_and_its_name
    a_run_that_is_not_there_is_not_found
    a_run_that_was_imported_is_read_back
    a_run_is_what_its_events_make_of_it
    a_run_that_stops_is_found_by_its_new_status_only
    of_runs_of_one_name_the_two_newest_are_found
    a_name_is_had_once_within_a_folder_and_again_in_another
    a_name_that_was_taken_leaves_nothing_behind
    what_was_decided_about_an_older_state_is_refused
    a_run_cannot_begin_with_what_follows
    any_filter_lists_and_pages_exactly_what_it_says
    a_run_that_changes_twice_in_a_transaction_is_followed
    a_run_that_changes_twice_in_a_group_is_followed
    what_an_undone_part_did_to_a_run_is_as_it_was_before
    what_somebody_else_did_to_a_run_between_two_groups_is_seen
    runs_survive_a_rebuild_row_by_row
    a_rebuild_repairs_a_run_and_says_so
    runs_go_along_with_an_export_under_the_same_hashes
    runs_in_bulk_give_the_same_rows_as_one_by_one
    a_run_belongs_to_the_project_of_its_task
    a_run_outlives_the_task_it_worked_on
}

const FILE: &str = "---\nintent: try it\nsuccess_criteria: it works\nrisk_level: low\n---\n\n\
- [ ] **Step 1: Büild**\naction: build it\nloop: until it builds\nverify: make\ngate: human\n\n\
- [ ] **Step 2: Test**\naction: test it\nloop: until green\nmax_iterations: 2\nverify: make test\n";

pub(super) fn name(text: &str) -> RunId {
    RunId::try_from(text.to_owned()).unwrap()
}

/// A run of the file above in a folder.
pub(super) fn started(run: &str, folder: &str) -> RunStarted {
    RunStarted {
        name: name(run),
        file: parse(FILE).unwrap().file,
        file_sha256: Hash::of(FILE.as_bytes()),
        place: Place {
            workflow_path: "/repo/boat-workflow.md".into(),
            source_workflow_path: "/repo/boat-workflow.md".into(),
            source_branch: Some("main".into()),
            source_head: Some("0123abc".into()),
            stash: None,
            rescue: None,
            workflow_slug: "boat".into(),
            branch: "hotl/boat".into(),
            repo_root: "/repo".into(),
            execution_root: folder.into(),
            worktree_path: Some(folder.into()),
            executor_mode: "loop".into(),
            driver: "generic".into(),
            host: "fallback".into(),
            folder: folder.into(),
            machine: "harbour".into(),
        },
        gates: Gates::Enforced,
        require_owner: false,
        tie: None,
        gate_timeout: None,
        head: Some("0123abc".into()),
    }
}

fn tied(run: &str, folder: &str, task: TaskId) -> RunStarted {
    RunStarted { tie: Some(Tie { task, fence: 1 }), ..started(run, folder) }
}

fn agent() -> Caller {
    Caller {
        name: "worker-1".into(),
        is_named: true,
        authority: Authority::Attested,
        door: Door::Own,
        token_sha256: None,
    }
}

fn begin(bed: &mut Bed, event: impl Into<RunEvent>) -> KeptRun {
    let event = event.into();
    bed.write(|tx| tx.begin_run(event.clone())).unwrap()
}

fn start_step(tx: &mut Transaction<'_>, key: RunKey, number: u32) -> Result<KeptRun, Error> {
    let kept = tx.run(key)?.unwrap();
    let events = step::start(&kept.run, number, &agent(), tx.now()).unwrap();
    tx.record_run(&kept, events)
}

fn block_step(tx: &mut Transaction<'_>, key: RunKey, number: u32) -> Result<KeptRun, Error> {
    let kept = tx.run(key)?.unwrap();
    let events = step::block(&kept.run, number, "no wood", &agent(), tx.now()).unwrap();
    tx.record_run(&kept, events)
}

fn by_key(bed: &mut Bed, key: RunKey) -> Option<KeptRun> {
    bed.ledger.read(|snapshot| Ok(snapshot.run(key)?)).unwrap()
}

fn list(bed: &mut Bed, filter: &RunFilter) -> Vec<KeptRun> {
    bed.ledger.read(|snapshot| Ok(snapshot.runs(filter)?)).unwrap()
}

fn with(status: RunStatus) -> RunFilter {
    RunFilter { status: Some(status), limit: 10, ..RunFilter::default() }
}

fn called(bed: &mut Bed, run: &str) -> Vec<KeptRun> {
    bed.ledger.read(|snapshot| Ok(snapshot.runs_called(&name(run))?)).unwrap()
}

fn all_of_a_run_is_read_back_by_its_key_its_place_and_its_name(bed: &mut Bed) {
    let project = bed.project("api");
    let task = bed.add(project, |_| ());
    let wanted = tied("boat-1", "/trees/Größe '1'", task);
    let begun = begin(bed, wanted.clone());
    assert_eq!(begun.created_seq, 3);
    assert_eq!(begun.run, Run::started(begun.run.key, &wanted, begun.run.started_at));
    assert_eq!(by_key(bed, begun.run.key), Some(begun.clone()));
    let there = |snapshot: &mut crate::Snapshot<'_>| {
        Ok(snapshot.run_named("harbour", "/trees/Größe '1'", &name("boat-1"))?)
    };
    assert_eq!(bed.ledger.read(there).unwrap(), Some(begun.clone()));
    assert_eq!(called(bed, "boat-1"), [begun]);
}

fn a_run_that_is_not_there_is_not_found(bed: &mut Bed) {
    begin(bed, started("boat-1", "/one"));
    assert_eq!(by_key(bed, RunKey::from_bytes([7; 16])), None);
    assert_eq!(called(bed, "BOAT-1"), [], "names are told apart by the letter");
    for (machine, folder, run) in [
        ("haven", "/one", "boat-1"),
        ("harbour", "/two", "boat-1"),
        ("harbour", "/one", "boat-2"),
        ("harbour", "/one/", "boat-1"),
    ] {
        let found = bed
            .ledger
            .read(|snapshot| Ok(snapshot.run_named(machine, folder, &name(run))?))
            .unwrap();
        assert_eq!(found, None, "{machine} {folder} {run}");
    }
}

/// A state file that was found in another folder of another machine.
fn imported_at_two(state: state_file::StateFile) -> RunImported {
    let (folder, machine) = ("/two".to_owned(), "haven".to_owned());
    RunImported { state, folder, machine, gates: Gates::Attested, gate_timeout: None }
}

fn a_run_that_was_imported_is_read_back(bed: &mut Bed) {
    let original = begin(bed, started("boat-1", "/one"));
    let key = original.run.key;
    let started = bed.write(|tx| start_step(tx, key, 1)).unwrap();
    let text = serde_json::to_string(&started.run.state_file()).unwrap();
    let state = state_file::parse(&text).unwrap();
    let imported = begin(bed, imported_at_two(state));
    assert_eq!((imported.run.version, imported.run.revision), (1, started.run.revision));
    assert_eq!(imported.run.place.folder, "/two");
    assert_eq!(called(bed, "boat-1"), [imported.clone(), started]);
    let text = text.replace("try it", "try it again");
    let adopted = edit::outside_edit(&imported.run, &text, edit::OutsideEdits::Adopt).unwrap();
    let kept = bed.write(|tx| tx.record_run(&imported, adopted.events.clone())).unwrap();
    assert_eq!(kept.run.intent, "try it again");
    assert_eq!(by_key(bed, kept.run.key), Some(kept));
    is_sound(bed);
}

fn a_run_is_what_its_events_make_of_it(bed: &mut Bed) {
    let key = begin(bed, started("boat-1", "/one")).run.key;
    bed.clock.advance(60_000);
    bed.write(|tx| start_step(tx, key, 1)).unwrap();
    bed.clock.advance(60_000);
    let last = bed.write(|tx| block_step(tx, key, 1)).unwrap();
    let events = bed.ledger.read(|snapshot| Ok(snapshot.history(key.into(), 10)?)).unwrap();
    let mut folded: Option<Run> = None;
    for recorded in &events {
        let Some(Event::Run(event)) = recorded.event().unwrap() else { panic!("not of a run") };
        match &mut folded {
            None => folded = Some(Run::begun(key, &event, recorded.header.at).unwrap()),
            Some(run) => run.fold(&event, recorded.header.at).unwrap(),
        }
    }
    assert_eq!(folded, Some(last.run.clone()));
    assert_eq!((last.run.version, events.len()), (3, 3));
    assert_eq!(by_key(bed, key), Some(last));
}

fn a_run_that_stops_is_found_by_its_new_status_only(bed: &mut Bed) {
    let key = begin(bed, started("boat-1", "/one")).run.key;
    bed.write(|tx| start_step(tx, key, 1)).unwrap();
    let blocked = bed.write(|tx| block_step(tx, key, 1)).unwrap();
    assert_eq!(list(bed, &with(RunStatus::Blocked)), [blocked]);
    assert_eq!(list(bed, &with(RunStatus::Running)), []);
}

fn of_runs_of_one_name_the_two_newest_are_found(bed: &mut Bed) {
    let [_, second, third] = ["/one", "/two", "/three"].map(|at| begin(bed, started("boat-1", at)));
    begin(bed, started("boat-2", "/one"));
    assert_eq!(called(bed, "boat-1"), [third, second]);
    assert_eq!(called(bed, "boat-2").len(), 1);
    assert_eq!(called(bed, "boat-3"), []);
}

fn a_name_is_had_once_within_a_folder_and_again_in_another(bed: &mut Bed) {
    begin(bed, started("boat-1", "/one"));
    let again = bed.write(|tx| tx.begin_run(started("boat-1", "/one")));
    assert!(again.is_err());
    begin(bed, started("boat-1", "/two"));
    let mut elsewhere = started("boat-1", "/one");
    elsewhere.place.machine = "haven".into();
    begin(bed, elsewhere);
}

fn a_name_that_was_taken_leaves_nothing_behind(bed: &mut Bed) {
    begin(bed, started("boat-1", "/one"));
    let head = bed.ledger.read(|snapshot| Ok(snapshot.head()?)).unwrap();
    bed.write(|tx| tx.begin_run(started("boat-1", "/one"))).unwrap_err();
    assert_eq!(bed.ledger.read(|snapshot| Ok(snapshot.head()?)).unwrap(), head);
    is_sound(bed);
}

fn what_was_decided_about_an_older_state_is_refused(bed: &mut Bed) {
    let old = begin(bed, started("boat-1", "/one"));
    let late = step::start(&old.run, 1, &agent(), old.run.started_at).unwrap();
    let now = bed.write(|tx| start_step(tx, old.run.key, 1)).unwrap();
    let Err(Error::Refused(refusal)) = bed.write(|tx| tx.record_run(&old, late.clone())) else {
        panic!("not refused")
    };
    assert_eq!(refusal.code, Code::EditConflict);
    assert_eq!(refusal.message, "run boat-1 was changed by somebody else meanwhile");
    assert!(refusal.hint.is_some());
    assert_eq!(by_key(bed, now.run.key), Some(now));
}

fn a_run_cannot_begin_with_what_follows(bed: &mut Bed) {
    let old = begin(bed, started("boat-1", "/one"));
    let follows = step::start(&old.run, 1, &agent(), old.run.started_at).unwrap().remove(0);
    let failed = bed.write(|tx| tx.begin_run(follows.clone())).unwrap_err();
    assert_eq!(failed.code(), Code::LedgerCorrupt);
    let twice = RunEvent::from(started("boat-1", "/one"));
    assert!(bed.write(|tx| tx.record_run(&old, [twice.clone()])).is_err());
    is_sound(bed);
}

/// Which of two folders a run is in, of which of two tasks it is, and whether it is stuck.
type Made = (bool, Option<bool>, bool);

fn make(bed: &mut Bed, tasks: [TaskId; 2], all: &[Made]) -> Vec<KeptRun> {
    bed.write(|tx| {
        let mut runs = Vec::new();
        for (number, (away, task, stuck)) in all.iter().enumerate() {
            let mut event = started(&format!("run-{number}"), FOLDERS[usize::from(*away)]);
            event.tie = task.map(|other| Tie { task: tasks[usize::from(other)], fence: 1 });
            let kept = tx.begin_run(event)?;
            runs.push(match stuck {
                true => block_step(tx, kept.run.key, 1)?,
                false => kept,
            });
        }
        Ok(runs)
    })
    .unwrap()
}

const FOLDERS: [&str; 2] = ["/one", "/two"];

prop_compose! {
    fn wanted()(
        away in prop::option::weighted(0.4, any::<bool>()),
        task in prop::option::weighted(0.4, any::<bool>()),
        status in prop::option::weighted(0.5, prop::sample::select(RunStatus::ALL.to_vec())),
        limit in prop::sample::select(vec![1_u64, 2, 7, 100, 1_000]),
    ) -> (Option<bool>, Option<bool>, RunFilter) {
        (away, task, RunFilter { status, limit, ..RunFilter::default() })
    }
}

/// A list, page by page.
fn paged(bed: &mut Bed, filter: &RunFilter) -> Vec<u64> {
    let mut filter = filter.clone();
    let mut seqs = Vec::new();
    loop {
        let page = list(bed, &filter);
        assert!(page.len() as u64 <= filter.limit);
        seqs.extend(page.iter().map(|kept| kept.created_seq));
        match page.last() {
            Some(last) if page.len() as u64 == filter.limit => {
                filter.before = Some(last.created_seq);
            }
            _ => return seqs,
        }
    }
}

fn any_filter_lists_and_pages_exactly_what_it_says(bed: &mut Bed) {
    let project = bed.project("api");
    let tasks = [(); 2].map(|()| bed.add(project, |_| ()));
    let one = (any::<bool>(), prop::option::of(any::<bool>()), prop::bool::weighted(0.1));
    let all = prop::collection::vec(one, 230).new_tree(&mut TestRunner::default()).unwrap();
    let runs = make(bed, tasks, &all.current());
    let bed = std::cell::RefCell::new(bed);
    let config = ProptestConfig { cases: 60, failure_persistence: None, ..Default::default() };
    TestRunner::new(config)
        .run(&wanted(), |(away, task, filter)| {
            let folder = away.map(|away| FOLDERS[usize::from(away)]);
            let task = task.map(|other| tasks[usize::from(other)]);
            let at = folder.map(|folder| ("harbour".to_owned(), folder.to_owned()));
            let filter = RunFilter { at, task, ..filter };
            let admits = |kept: &&KeptRun| {
                let run = &kept.run;
                folder.is_none_or(|folder| run.place.folder == folder)
                    && task.is_none_or(|task| run.tie.is_some_and(|tie| tie.task == task))
                    && filter.status.is_none_or(|status| run.status() == status)
            };
            let expected: Vec<u64> =
                runs.iter().rev().filter(admits).map(|kept| kept.created_seq).collect();
            prop_assert_eq!(paged(&mut bed.borrow_mut(), &filter), expected);
            Ok(())
        })
        .unwrap();
}

fn a_run_that_changes_twice_in_a_transaction_is_followed(bed: &mut Bed) {
    let last = bed
        .write(|tx| {
            let begun = tx.begin_run(started("boat-1", "/one"))?;
            let key = begun.run.key;
            let one = start_step(tx, key, 1)?;
            assert_eq!(tx.run(key)?, Some(one));
            block_step(tx, key, 1)
        })
        .unwrap();
    assert_eq!((last.run.version, last.run.status()), (3, RunStatus::Blocked));
    assert_eq!(by_key(bed, last.run.key), Some(last));
    is_sound(bed);
}

fn a_run_that_changes_twice_in_a_group_is_followed(bed: &mut Bed) {
    bed.ledger.begin_group(Undo::Each).unwrap();
    let key = begin(bed, started("boat-1", "/one")).run.key;
    let one = bed.write(|tx| start_step(tx, key, 1)).unwrap();
    assert_eq!(by_key(bed, key), Some(one));
    let two = bed.write(|tx| block_step(tx, key, 1)).unwrap();
    let only = std::slice::from_ref(&two);
    assert_eq!(called(bed, "boat-1"), only);
    assert_eq!(list(bed, &with(RunStatus::Blocked)), only);
    assert_eq!(bed.ledger.end_group().unwrap(), Fate::Committed);
    assert_eq!(by_key(bed, key), Some(two));
    is_sound(bed);
}

fn what_an_undone_part_did_to_a_run_is_as_it_was_before(bed: &mut Bed) {
    let begun = begin(bed, started("boat-1", "/one"));
    bed.ledger.begin_group(Undo::Each).unwrap();
    let undone: Result<(), Error> = bed.write(|tx| {
        start_step(tx, begun.run.key, 1)?;
        tx.begin_run(started("boat-2", "/one"))?;
        Err(Refusal::new(Code::InvalidValue, "no").into())
    });
    assert!(undone.is_err());
    assert_eq!(by_key(bed, begun.run.key), Some(begun.clone()));
    assert_eq!(called(bed, "boat-2"), []);
    let started = bed.write(|tx| start_step(tx, begun.run.key, 1)).unwrap();
    assert_eq!(started.run.version, 2);
    bed.ledger.end_group().unwrap();
    is_sound(bed);
}

fn what_somebody_else_did_to_a_run_between_two_groups_is_seen(bed: &mut Bed) {
    let key = begin(bed, started("boat-1", "/one")).run.key;
    bed.ledger.begin_group(Undo::Each).unwrap();
    bed.write(|tx| start_step(tx, key, 1)).unwrap();
    bed.ledger.end_group().unwrap();
    let mut another = crate::Ledger::open(&bed.location, crate::Options::default()).unwrap();
    let by = windlass_domain::chain::Provenance { actor: "another".into(), ..Default::default() };
    let theirs = another.write(&by, |tx| block_step(tx, key, 1)).unwrap();
    bed.ledger.begin_group(Undo::Each).unwrap();
    assert_eq!(by_key(bed, key), Some(theirs));
    bed.ledger.end_group().unwrap();
}

/// Runs in several states: as begun, stuck, of a task, imported.
fn several(bed: &mut Bed) -> ProjectId {
    let project = bed.project("api");
    let task = bed.add(project, |_| ());
    let begun = begin(bed, started("boat-1", "/one"));
    begin(bed, tied("boat-2", "/one", task));
    bed.clock.advance(60_000);
    let stuck = begin(bed, started("boat-3", "/one"));
    bed.write(|tx| start_step(tx, stuck.run.key, 1)).unwrap();
    bed.clock.advance(60_000);
    bed.write(|tx| block_step(tx, stuck.run.key, 1)).unwrap();
    let text = serde_json::to_string(&begun.run.state_file()).unwrap();
    let state = state_file::parse(&text).unwrap();
    begin(bed, imported_at_two(state));
    project
}

fn runs_survive_a_rebuild_row_by_row(bed: &mut Bed) {
    several(bed);
    let before = rows(bed);
    assert_eq!(before.iter().filter(|row| row.starts_with("runs ")).count(), 4);
    assert_eq!(bed.ledger.rebuild().unwrap().differences, Vec::new());
    assert_eq!(rows(bed), before);
}

fn a_rebuild_repairs_a_run_and_says_so(bed: &mut Bed) {
    let kept = begin(bed, started("boat-1", "/one"));
    let run = Run { intent: "forged".into(), ..kept.run.clone() };
    bed.write(|tx| {
        tx.store.update_run(&KeptRun { run: run.clone(), ..kept.clone() })?;
        tx.demand("here", "keep this transaction", "{}")?;
        Ok(())
    })
    .unwrap();
    let rebuilt = bed.ledger.rebuild().unwrap();
    let found: Vec<_> =
        rebuilt.differences.iter().map(|d| (d.view.as_str(), d.wrong, d.missing)).collect();
    assert_eq!(found, [("runs", 1, 1)]);
    assert_eq!(by_key(bed, kept.run.key), Some(kept));
}

fn runs_go_along_with_an_export_under_the_same_hashes(bed: &mut Bed) {
    several(bed);
    let mut file = Vec::new();
    bed.ledger.read(|snapshot| export(snapshot, &mut file)).unwrap();
    let mut other = Bed::sqlite();
    other.write(|tx| import(tx, &mut file.as_slice())).unwrap();
    let all = RunFilter { limit: 10, ..RunFilter::default() };
    assert_eq!(list(&mut other, &all), list(bed, &all));
    let head = |bed: &mut Bed| bed.ledger.read(|snapshot| Ok(snapshot.head()?)).unwrap();
    assert_eq!(head(&mut other), head(bed));
    let mut again = Vec::new();
    other.ledger.read(|snapshot| export(snapshot, &mut again)).unwrap();
    assert_eq!(String::from_utf8(again).unwrap(), String::from_utf8(file).unwrap());
    is_sound(&mut other);
}

fn runs_in_bulk_give_the_same_rows_as_one_by_one(bed: &mut Bed) {
    several(bed);
    let recorded = bed.ledger.read(|snapshot| Ok(snapshot.events_after(0, 100)?)).unwrap();
    let mut other = super::bulk::alike(bed);
    other
        .write(|tx| {
            let mut bulk = tx.bulk()?;
            for recorded in &recorded {
                let event = recorded.event().unwrap().unwrap();
                let crate::Recorded { header, .. } = recorded.clone();
                bulk.record(crate::Happened {
                    id: Some(header.id),
                    at: header.at,
                    stream: header.stream,
                    provenance: header.provenance,
                    event,
                })?;
            }
            Ok(bulk.finish()?)
        })
        .unwrap();
    assert_eq!(rows(&other), rows(bed));
    let head = |bed: &mut Bed| bed.ledger.read(|snapshot| Ok(snapshot.head()?)).unwrap();
    assert_eq!(head(&mut other), head(bed));
}

fn a_run_belongs_to_the_project_of_its_task(bed: &mut Bed) {
    let (own, other) = (bed.project("own"), bed.project("other"));
    let (inside, outside) = (bed.add(own, |_| ()), bed.add(other, |_| ()));
    let mut within = |event: RunStarted| {
        let begun = bed.write(|tx| {
            tx.bound_to(&[own]);
            let begun = tx.begin_run(event.clone())?;
            start_step(tx, begun.run.key, 1)
        });
        begun.map(drop).map_err(|error| error.code())
    };
    assert_eq!(within(tied("boat-1", "/one", inside)), Ok(()));
    assert_eq!(within(tied("boat-2", "/one", outside)), Err(Code::NotAllowed));
    assert_eq!(within(started("boat-3", "/one")), Err(Code::NotAllowed));
    let foreign = begin(bed, tied("boat-4", "/one", outside)).run.key;
    let changed = bed.write(|tx| {
        tx.bound_to(&[own]);
        start_step(tx, foreign, 1)
    });
    assert_eq!(changed.unwrap_err().code(), Code::NotAllowed);
}

fn a_run_outlives_the_task_it_worked_on(bed: &mut Bed) {
    let project = bed.project("api");
    let task = bed.add(project, |task| task.status = windlass_domain::Status::Done);
    let kept = begin(bed, tied("boat-1", "/one", task));
    bed.write(|tx| {
        let task = tx.task(task)?.unwrap();
        tx.prune(&task)
    })
    .unwrap();
    let of_task = RunFilter { task: Some(task), limit: 10, ..RunFilter::default() };
    assert_eq!(list(bed, &of_task), [kept]);
    is_sound(bed);
}
