//! Hooks: what a transition enqueues, in the very transaction that records it.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use windlass_domain::chain::Provenance;
use windlass_domain::claim::ran_out;
use windlass_domain::event::{
    Authority, CommentAdded, ProjectRenamed, StatusSet, TaskBlocked, TaskCreated, TaskDeleted,
};
use windlass_domain::hook::{Hook, MAX_ATTEMPTS, State, TIMEOUT, Target, Trigger};
use windlass_domain::op::OpId;
use windlass_domain::{Code, Event, Refusal, Status, TaskId};

use super::bulk::rows;
use super::moving::another;
use super::{Bed, anybody, on_both, ready};
use crate::{Error, Happened, Shown, Tracked, audit, export, import};

on_both! {
    a_transition_enqueues_in_its_own_transaction
    a_refused_transaction_enqueues_nothing
    a_payload_says_what_happened_to_which_task_and_who_did_it
    every_event_of_one_record_is_heard_by_itself
    a_status_that_does_not_change_enqueues_nothing
    filters_are_by_the_project_and_the_tags_of_the_task
    a_hook_of_a_project_follows_its_new_name
    a_removed_hook_enqueues_nothing_more
    a_hook_set_anew_keeps_its_place
    many_events_at_once_enqueue_nothing
    an_imported_ledger_goes_on_delivering
    a_rebuild_gives_the_same_deliveries_and_definitions
    a_pruned_task_takes_the_payloads_that_arrived_along
    a_delivery_of_a_pruned_task_is_forgotten_when_it_arrives
    a_deleted_task_keeps_what_was_said_of_it_here_and_in_a_copy
}

pub(super) fn hook(name: &str, on: Trigger) -> Hook {
    Hook {
        name: name.to_owned(),
        on,
        target: Target::Url { url: "http://localhost/".to_owned(), headers: BTreeMap::new() },
        projects: Vec::new(),
        tags: Vec::new(),
        secret: None,
        max_attempts: MAX_ATTEMPTS,
        timeout_ms: TIMEOUT.as_millis(),
    }
}

pub(super) fn define(bed: &mut Bed, hook: Hook) {
    bed.write(|tx| tx.set_hook(hook.clone())).unwrap();
}

pub(super) fn set(to: Status) -> Event {
    StatusSet { to, authority: Authority::Free, forced: None }.into()
}

pub(super) fn all(bed: &mut Bed) -> Vec<Tracked> {
    bed.ledger.read(|snapshot| Ok(snapshot.deliveries(Shown::All, 1_000)?)).unwrap()
}

/// What each delivery says, oldest first.
fn payloads(bed: &mut Bed) -> Vec<Value> {
    let mut deliveries = all(bed);
    deliveries.reverse();
    let payload = |tracked: &Tracked| {
        let seq = tracked.delivery.enqueued_seq;
        let event = bed.ledger.read(|snapshot| Ok(snapshot.events_after(seq - 1, 1)?)).unwrap();
        let Some(Event::HookEnqueued(data)) = event[0].event().unwrap() else {
            panic!("not enqueued")
        };
        data.payload
    };
    deliveries.iter().map(payload).collect()
}

fn triggers(bed: &mut Bed) -> Vec<String> {
    payloads(bed).iter().map(|payload| payload["trigger"].as_str().unwrap().to_owned()).collect()
}

#[track_caller]
fn is_sound(bed: &mut Bed) {
    assert_eq!(bed.ledger.rebuild().unwrap().differences, Vec::new());
    let found = bed
        .ledger
        .read(|snapshot| Ok((audit(snapshot, None)?.findings, snapshot.outbox_strays()?)))
        .unwrap();
    assert_eq!(found, (Vec::new(), (0, 0)));
}

fn a_transition_enqueues_in_its_own_transaction(bed: &mut Bed) {
    define(bed, hook("on_done", Trigger::OnDone));
    let project = bed.project("api");
    let task = bed.add(project, |_| {});
    let before = bed.ledger.read(|snapshot| Ok(snapshot.head()?.seq)).unwrap();
    bed.happen(task, set(Status::Done));
    let events = bed.ledger.read(|snapshot| Ok(snapshot.events_after(before, 10)?)).unwrap();
    let kinds: Vec<&str> = events.iter().map(|event| event.header.kind.as_str()).collect();
    assert_eq!(kinds, ["status_set", "hook_enqueued"]);
    assert_eq!(events[1].header.provenance.causation, Some(events[0].header.id));
    let [Tracked { delivery, waiting: Some(waiting) }] = &all(bed)[..] else { panic!() };
    assert_eq!((delivery.task, delivery.state), (Some(task), State::Queued));
    assert_eq!(waiting.next_attempt_at, delivery.enqueued_at);
}

fn a_refused_transaction_enqueues_nothing(bed: &mut Bed) {
    define(bed, hook("on_done", Trigger::OnDone));
    let project = bed.project("api");
    let task = bed.add(project, |_| {});
    let refused = bed.write(|tx| {
        let before = tx.task(task)?.unwrap();
        tx.record_task(&before, [set(Status::Done)])?;
        assert_eq!(tx.hook_counts()?.queued, 1);
        Err::<(), Error>(Refusal::new(Code::InvalidValue, "no").into())
    });
    assert!(refused.is_err());
    assert_eq!(all(bed), []);
}

fn a_payload_says_what_happened_to_which_task_and_who_did_it(bed: &mut Bed) {
    define(bed, hook("on_done", Trigger::OnDone));
    let project = bed.project("api");
    let task = bed.add(project, |task| {
        task.title = "paint".into();
        task.priority = 2;
        task.tags = vec!["boat".into()];
    });
    assert_eq!(bed.claim_next(&anybody("w"), None), Some(task));
    let by =
        Provenance { actor: "ada".into(), session: Some("s-1".into()), ..Provenance::default() };
    let (correlation, at) = bed
        .ledger
        .write(&by, |tx| {
            tx.act_under(&OpId::parse("op-1")?);
            let before = tx.task(task)?.unwrap();
            let correlation = tx.correlate()?;
            tx.record_task(&before, [set(Status::Done)])?;
            Ok((correlation, tx.now()))
        })
        .unwrap();
    let history = bed.ledger.read(|snapshot| Ok(snapshot.history(task.into(), 1)?)).unwrap();
    let expected = json!({
        "trigger": "on_done",
        "hook": "on_done",
        "task": {
            "task_id": task,
            "title": "paint",
            "project": "api",
            "status": "done",
            "priority": 2,
            "tags": ["boat"],
            "agent": "w",
            "lease_until": null,
        },
        "transition": { "from": "in_progress", "to": "done" },
        "timestamp": at,
        "context": {
            "author": "ada",
            "agent": "w",
            "agent_id": "w",
            "op_id": "op-1",
            "correlation_id": correlation,
            "causation_id": null,
            "session_id": "s-1",
            "event_id": history[0].header.id,
        },
    });
    assert_eq!(payloads(bed), [expected]);
}

fn every_event_of_one_record_is_heard_by_itself(bed: &mut Bed) {
    for on in [Trigger::OnClaimExpired, Trigger::OnStatusChanged] {
        define(bed, hook(on.as_str(), on));
    }
    let project = bed.project("api");
    let task = bed.add(project, |_| {});
    let hour = windlass_domain::duration::Span::from_millis(3_600_000);
    bed.claim_next(&anybody("w"), Some(hour)).unwrap();
    bed.clock.advance(3_600_000);
    // One record of two events: the lease ran out, and somebody else has the task.
    bed.claim_next(&anybody("v"), Some(hour)).unwrap();
    assert_eq!(triggers(bed), ["on_status_changed", "on_claim_expired"]);
    let expired = &payloads(bed)[1];
    assert_eq!(expired["transition"], json!({ "from": "in_progress", "to": "in_progress" }));
    assert_eq!(
        (&expired["task"]["agent"], &expired["context"]["agent"]),
        (&json!("w"), &json!("w"))
    );
    bed.clock.advance(3_600_000);
    bed.write(|tx| {
        let task = tx.task(task)?.unwrap();
        let event = ran_out(&task, tx.now()).unwrap();
        tx.record_task(&task, [event])
    })
    .unwrap();
    assert_eq!(triggers(bed).len(), 3);
}

fn a_status_that_does_not_change_enqueues_nothing(bed: &mut Bed) {
    for on in [Trigger::OnBlocked, Trigger::OnStatusChanged] {
        define(bed, hook(on.as_str(), on));
    }
    let project = bed.project("api");
    let task = bed.add(project, |_| {});
    let blocked = || TaskBlocked {
        reason: None,
        auto_unpause: false,
        authority: Authority::Free,
        forced: None,
    };
    bed.happen(task, blocked());
    bed.happen(task, blocked());
    bed.happen(task, CommentAdded { text: "still".into() });
    assert_eq!(triggers(bed), ["on_blocked", "on_status_changed"]);
}

fn filters_are_by_the_project_and_the_tags_of_the_task(bed: &mut Bed) {
    let narrow = |name: &str, projects: &[&str], tags: &[&str]| Hook {
        projects: projects.iter().map(|name| (*name).to_owned()).collect(),
        tags: tags.iter().map(|name| (*name).to_owned()).collect(),
        ..hook(name, Trigger::OnDone)
    };
    define(bed, narrow("here", &["api"], &[]));
    define(bed, narrow("there", &["web"], &[]));
    define(bed, narrow("tagged", &[], &["x", "y"]));
    let project = bed.project("api");
    bed.add(project, |task| task.status = Status::Done);
    bed.add(project, |task| {
        task.status = Status::Done;
        task.tags = vec!["x".into(), "y".into(), "z".into()];
    });
    let hooks: Vec<Value> = payloads(bed).iter().map(|payload| payload["hook"].clone()).collect();
    assert_eq!(hooks, ["here", "here", "tagged"]);
}

fn a_hook_of_a_project_follows_its_new_name(bed: &mut Bed) {
    let projects = vec!["web".to_owned(), "api".to_owned()];
    define(bed, Hook { projects, ..hook("on_done", Trigger::OnDone) });
    define(bed, hook("all", Trigger::OnBlocked));
    let project = bed.project("api");
    bed.write(|tx| {
        let before = tx.project(project)?;
        tx.record_project(&before, [ProjectRenamed { name: "site".into() }.into()])
    })
    .unwrap();
    bed.add(project, |task| task.status = Status::Done);
    assert_eq!(triggers(bed), ["on_done"]);
    let hooks = bed.ledger.read(|snapshot| Ok(snapshot.hooks()?)).unwrap();
    let versions: Vec<u64> = hooks.iter().map(|known| known.in_ledger.unwrap().version).collect();
    assert_eq!(
        (&hooks[1].hook.projects[..], versions),
        (&["web".into(), "site".into()][..], vec![1, 2])
    );
    is_sound(bed);
}

fn a_removed_hook_enqueues_nothing_more(bed: &mut Bed) {
    define(bed, hook("on_done", Trigger::OnDone));
    let project = bed.project("api");
    bed.add(project, |task| task.status = Status::Done);
    bed.write(|tx| {
        let defined = tx.hook_named("on_done")?;
        tx.remove_hook(&defined)?;
        // The same transaction knows it already.
        let id = tx.new_task_id()?;
        tx.create(id, TaskCreated { status: Status::Done, ..ready(project) })?;
        Ok(())
    })
    .unwrap();
    assert_eq!(triggers(bed), ["on_done"]);
    let missing = bed.ledger.read(|snapshot| snapshot.hook_named("on_done")).unwrap_err();
    assert_eq!(missing.code(), Code::HookNotFound);
    define(bed, hook("on_done", Trigger::OnDone));
    is_sound(bed);
}

fn a_hook_set_anew_keeps_its_place(bed: &mut Bed) {
    define(bed, hook("mine", Trigger::OnDone));
    define(bed, hook("mine", Trigger::OnBlocked));
    let hooks = bed.ledger.read(|snapshot| Ok(snapshot.hooks()?)).unwrap();
    assert_eq!(hooks.len(), 1);
    assert_eq!(hooks[0].hook.on, Trigger::OnBlocked);
    assert_eq!(hooks[0].in_ledger.unwrap().version, 2);
    is_sound(bed);
}

fn many_events_at_once_enqueue_nothing(bed: &mut Bed) {
    define(bed, hook("on_done", Trigger::OnDone));
    let project = bed.project("api");
    bed.write(|tx| {
        let (id, now) = (tx.new_task_id()?, tx.now());
        let mut bulk = tx.bulk()?;
        bulk.record(Happened {
            id: None,
            at: now,
            stream: id.into(),
            provenance: Provenance::default(),
            event: TaskCreated { status: Status::Done, ..ready(project) }.into(),
        })?;
        Ok(bulk.finish()?)
    })
    .unwrap();
    assert_eq!(all(bed), []);
}

/// A delivery that was tried once and failed, one that arrived, and one that is new.
fn some_deliveries(bed: &mut Bed) -> Vec<TaskId> {
    define(bed, hook("on_done", Trigger::OnDone));
    let project = bed.project("api");
    let tasks: Vec<TaskId> = (0..3)
        .map(|_| {
            bed.clock.advance(1);
            bed.add(project, |task| task.status = Status::Done)
        })
        .collect();
    super::outbox::send(bed, 2, |index| index == 1);
    tasks
}

fn an_imported_ledger_goes_on_delivering(bed: &mut Bed) {
    some_deliveries(bed);
    let mut file = Vec::new();
    bed.ledger.read(|snapshot| export(snapshot, &mut file)).unwrap();
    let mut other = another(bed);
    other.write(|tx| import(tx, &mut &file[..])).unwrap();
    let counts = other.ledger.read(|snapshot| Ok(snapshot.hook_counts()?)).unwrap();
    assert_eq!((counts.queued, counts.delivered), (2, 1));
    // Attempts are not part of the log: what failed here begins anew there.
    assert!(all(&mut other).iter().flat_map(|t| &t.waiting).all(|waiting| waiting.attempts == 0));
    is_sound(&mut other);
}

fn a_rebuild_gives_the_same_deliveries_and_definitions(bed: &mut Bed) {
    some_deliveries(bed);
    let (before, tracked) = (rows(bed), all(bed));
    is_sound(bed);
    assert_eq!(rows(bed), before);
    assert_eq!(all(bed), tracked, "attempts and locks stay");
}

fn prune(bed: &mut Bed, id: TaskId) {
    bed.write(|tx| {
        let task = tx.task(id)?.unwrap();
        tx.prune(&task)
    })
    .unwrap();
}

fn said(bed: &mut Bed, text: &str) -> bool {
    let events = bed.ledger.read(|snapshot| Ok(snapshot.events_after(0, 1_000)?)).unwrap();
    events.iter().flat_map(|event| &event.data).any(|data| data.contains(text))
}

fn a_pruned_task_takes_the_payloads_that_arrived_along(bed: &mut Bed) {
    define(bed, hook("on_done", Trigger::OnDone));
    let project = bed.project("api");
    let task = bed.add(project, |task| {
        task.title = "canary".into();
        task.status = Status::Done;
    });
    super::outbox::send(bed, 1, |_| true);
    prune(bed, task);
    assert!(!said(bed, "canary"));
    assert_eq!(all(bed), []);
    is_sound(bed);
}

fn a_delivery_of_a_pruned_task_is_forgotten_when_it_arrives(bed: &mut Bed) {
    define(bed, hook("on_done", Trigger::OnDone));
    let project = bed.project("api");
    let task = bed.add(project, |task| {
        task.title = "canary".into();
        task.status = Status::Done;
    });
    prune(bed, task);
    assert!(said(bed, "canary"), "it is still to be sent");
    is_sound(bed);
    assert_eq!(super::outbox::send(bed, 1, |_| true), 1);
    assert!(!said(bed, "canary"));
    is_sound(bed);
}

fn a_deleted_task_keeps_what_was_said_of_it_here_and_in_a_copy(bed: &mut Bed) {
    define(bed, hook("on_done", Trigger::OnDone));
    let project = bed.project("api");
    let tasks = [(); 2].map(|()| bed.add(project, |task| task.status = Status::Done));
    assert_eq!(super::outbox::send(bed, 1, |_| true), 1);
    for id in tasks {
        bed.write(|tx| {
            let task = tx.task(id)?.unwrap();
            tx.delete(
                &task,
                TaskDeleted {
                    project: None,
                    kept: Vec::new(),
                    authority: Authority::Free,
                    forced: None,
                },
            )
        })
        .unwrap();
    }
    assert_eq!(super::outbox::send(bed, 1, |_| true), 1);
    let said = payloads(bed);
    assert_eq!(said.len(), 2);
    is_sound(bed);
    let mut file = Vec::new();
    bed.ledger.read(|snapshot| export(snapshot, &mut file)).unwrap();
    let mut other = another(bed);
    other.write(|tx| import(tx, &mut &file[..])).unwrap();
    assert_eq!((all(&mut other), payloads(&mut other)), (all(bed), said));
    is_sound(&mut other);
}

#[test]
fn hooks_of_the_settings_count_on_sqlite_and_yield_to_the_ledger_by_name() {
    let mut bed = Bed::sqlite();
    let settings = vec![hook("on_done", Trigger::OnDone), hook("mine", Trigger::OnDone)];
    bed.reopen_with(settings);
    let silent = Hook { projects: vec!["elsewhere".into()], ..hook("mine", Trigger::OnDone) };
    define(&mut bed, silent);
    let project = bed.project("api");
    bed.add(project, |task| task.status = Status::Done);
    assert_eq!(payloads(&mut bed)[0]["hook"], "on_done");
    assert_eq!(payloads(&mut bed).len(), 1);
    let hooks = bed.ledger.read(|snapshot| Ok(snapshot.hooks()?)).unwrap();
    let origins: Vec<(&str, bool)> =
        hooks.iter().map(|d| (d.hook.name.as_str(), d.in_ledger.is_some())).collect();
    assert_eq!(origins, [("mine", true), ("on_done", false)]);
}

#[test]
fn hooks_of_the_settings_do_not_count_on_postgres() {
    let Some(mut bed) = Bed::postgres() else { return };
    bed.reopen_with(vec![hook("on_done", Trigger::OnDone)]);
    let project = bed.project("api");
    bed.add(project, |task| task.status = Status::Done);
    assert_eq!(all(&mut bed), []);
    assert_eq!(bed.ledger.read(|snapshot| Ok(snapshot.hooks()?)).unwrap(), []);
}
