//! Keys and what was refused to their owners.

use windlass_domain::chain::Hash;
use windlass_domain::event::{CommentAdded, KeyCreated, KeyRevoked, KeyRotated, TaskMoved};
use windlass_domain::key::{Owner, Role, Secret};
use windlass_domain::{Code, Key, KeyId, ProjectId, TaskId, Time};

use super::{Bed, anybody, on_both};
use crate::{Error, QueueFilter, REFUSALS_KEPT, Refused, export, import};

on_both! {
    a_key_is_found_by_the_hash_of_its_text
    all_of_a_key_is_read_back
    a_key_is_named_by_its_prefix_its_text_or_a_part_of_its_id
    a_rotated_key_is_found_by_its_new_text_only
    a_revoked_key_is_found_and_not_valid
    two_keys_cannot_have_the_same_text
    keys_survive_a_rebuild
    keys_go_along_with_an_export
    the_newest_refusals_are_kept_and_are_no_part_of_a_rebuild
    the_message_of_a_refusal_is_one_short_line
    a_bound_transaction_changes_nothing_outside
    a_bound_ends_with_its_transaction
    the_queue_of_several_projects_is_one
}

fn secret(number: u8) -> Secret {
    Secret::from_random([number; 5], [number; 32])
}

fn created(number: u8) -> KeyCreated {
    KeyCreated {
        prefix: secret(number).prefix(),
        digest: secret(number).digest(),
        owner: Owner::Agent("worker-1".to_owned()),
        role: Role::Worker,
        projects: Vec::new(),
        tools: None,
        expires_at: None,
    }
}

fn make(bed: &mut Bed, created: &KeyCreated) -> Key {
    bed.write(|tx| tx.create_key(created.clone())).unwrap()
}

fn by_text(bed: &mut Bed, secret: &Secret) -> Option<Key> {
    bed.ledger.read(|snapshot| Ok(snapshot.key_by_digest(&secret.digest())?)).unwrap()
}

fn all(bed: &mut Bed) -> Vec<Key> {
    bed.ledger.read(|snapshot| Ok(snapshot.keys()?)).unwrap()
}

fn named(bed: &mut Bed, text: &str) -> Result<KeyId, Code> {
    let found = bed.ledger.read(|snapshot| snapshot.key_named(text));
    found.map(|key| key.id).map_err(|error| error.code())
}

fn a_key_is_found_by_the_hash_of_its_text(bed: &mut Bed) {
    let (one, other) = (make(bed, &created(1)), make(bed, &created(2)));
    assert_eq!(by_text(bed, &secret(1)), Some(one.clone()));
    assert_eq!(by_text(bed, &secret(2)), Some(other.clone()));
    assert_eq!(by_text(bed, &secret(3)), None);
    assert_eq!(all(bed), [one, other]);
}

fn all_of_a_key_is_read_back(bed: &mut Bed) {
    let projects = vec![bed.project("api"), bed.project("web")];
    let wanted = KeyCreated {
        owner: Owner::Person("Zoë Ångström".to_owned()),
        role: Role::Admin,
        projects,
        tools: Some("all".to_owned()),
        expires_at: Some(Time::from_millis(1_900_000_000_000)),
        ..created(1)
    };
    let made = make(bed, &wanted);
    let now = made.created_at;
    assert_eq!(made, Key::created(made.id, &wanted, now));
    assert_eq!(bed.ledger.read(|snapshot| Ok(snapshot.key(made.id)?)).unwrap(), Some(made));
}

fn a_key_is_named_by_its_prefix_its_text_or_a_part_of_its_id(bed: &mut Bed) {
    let key = make(bed, &created(1));
    make(bed, &created(2));
    let id = key.id.to_string();
    for text in [&key.prefix, secret(1).expose(), &id, &id.to_lowercase(), &key.id.short()] {
        assert_eq!(named(bed, text), Ok(key.id), "{text}");
    }
    assert_eq!(named(bed, secret(3).expose()), Err(Code::KeyNotFound));
    assert_eq!(named(bed, "wl_"), Err(Code::KeyNotFound));
    assert_eq!(named(bed, "ZZZZZZ"), Err(Code::KeyNotFound));
    assert_eq!(named(bed, "ab"), Err(Code::IdTooShort));
    assert_eq!(named(bed, &id[..6]), Err(Code::IdAmbiguous));
}

fn a_rotated_key_is_found_by_its_new_text_only(bed: &mut Bed) {
    let key = make(bed, &created(1));
    let new = secret(2);
    let event = KeyRotated { prefix: new.prefix(), digest: new.digest() };
    let rotated = bed.write(|tx| tx.record_key(&key, event.clone())).unwrap();
    assert_eq!((rotated.id, rotated.version), (key.id, 2));
    assert_eq!(by_text(bed, &secret(1)), None);
    assert_eq!(by_text(bed, &new), Some(rotated));
}

fn a_revoked_key_is_found_and_not_valid(bed: &mut Bed) {
    let key = make(bed, &created(1));
    bed.clock.advance(1_000);
    let revoked = bed.write(|tx| tx.record_key(&key, KeyRevoked { reason: None })).unwrap();
    let at = revoked.revoked_at.unwrap();
    assert_eq!(at.millis_since(key.created_at), 1_000);
    assert!(!by_text(bed, &secret(1)).unwrap().is_valid(at));
}

fn two_keys_cannot_have_the_same_text(bed: &mut Bed) {
    make(bed, &created(1));
    assert!(bed.write(|tx| tx.create_key(created(1))).is_err());
    assert_eq!(all(bed).len(), 1);
}

fn keys_survive_a_rebuild(bed: &mut Bed) {
    let key = make(bed, &created(1));
    let new = secret(2);
    let event = KeyRotated { prefix: new.prefix(), digest: new.digest() };
    bed.write(|tx| tx.record_key(&key, event.clone())).unwrap();
    let lost = make(bed, &created(3));
    bed.write(|tx| tx.record_key(&lost, KeyRevoked { reason: Some("lost".into()) })).unwrap();
    let before = all(bed);
    assert_eq!(bed.ledger.rebuild().unwrap().differences, Vec::new());
    assert_eq!(all(bed), before);
}

fn keys_go_along_with_an_export(bed: &mut Bed) {
    let key = make(bed, &created(1));
    bed.write(|tx| tx.record_key(&key, KeyRevoked { reason: None })).unwrap();
    let mut file = Vec::new();
    bed.ledger.read(|snapshot| export(snapshot, &mut file)).unwrap();
    let mut other = Bed::sqlite();
    other.write(|tx| import(tx, &mut file.as_slice())).unwrap();
    assert_eq!(all(&mut other), all(bed));
}

fn refused(number: u64) -> Refused {
    Refused {
        at: Time::from_millis(1_794_735_000_000),
        key_id: number.is_multiple_of(2).then(|| KeyId::from_bytes([7; 16])),
        prefix: number.is_multiple_of(2).then(|| "wl_00000000".to_owned()),
        operation: "key.create".to_owned(),
        code: "not_allowed".to_owned(),
        message: format!("refusal {number}"),
    }
}

fn the_newest_refusals_are_kept_and_are_no_part_of_a_rebuild(bed: &mut Bed) {
    let many: Vec<Refused> = (0..REFUSALS_KEPT).map(refused).collect();
    bed.write(|tx| Ok(tx.keep_refusals(&many)?)).unwrap();
    let more = [refused(REFUSALS_KEPT), refused(REFUSALS_KEPT + 1)];
    bed.write(|tx| Ok(tx.keep_refusals(&more)?)).unwrap();
    assert_eq!(bed.ledger.rebuild().unwrap().differences, Vec::new());
    let kept = bed.ledger.read(|snapshot| Ok(snapshot.refusals(10_000)?)).unwrap();
    assert_eq!(kept.len() as u64, REFUSALS_KEPT);
    let wanted = [refused(REFUSALS_KEPT + 1), refused(REFUSALS_KEPT)];
    assert_eq!((&kept[..2], &kept[kept.len() - 1]), (&wanted[..], &refused(2)));
    let few = bed.ledger.read(|snapshot| Ok(snapshot.refusals(3)?)).unwrap();
    assert_eq!(few, kept[..3]);
}

fn the_message_of_a_refusal_is_one_short_line(bed: &mut Bed) {
    let long = Refused { message: format!("a\nb{}", "x".repeat(5_000)), ..refused(1) };
    bed.write(|tx| Ok(tx.keep_refusals(std::slice::from_ref(&long))?)).unwrap();
    let kept = bed.ledger.read(|snapshot| Ok(snapshot.refusals(1)?)).unwrap();
    assert!(kept[0].message.starts_with("a bxx"));
    assert_eq!(kept[0].message.chars().count(), 1_024);
}

/// Does something to a task with the bound of one project.
fn within(
    bed: &mut Bed,
    project: ProjectId,
    task: TaskId,
    event: impl Into<windlass_domain::Event>,
) -> Result<(), Code> {
    let event = event.into();
    let done = bed.write(|tx| {
        tx.bound_to(&[project]);
        let task = tx.task(task)?.unwrap();
        tx.record_task(&task, [event.clone()])
    });
    done.map(drop).map_err(|error: Error| error.code())
}

fn a_bound_transaction_changes_nothing_outside(bed: &mut Bed) {
    let (own, other) = (bed.project("own"), bed.project("other"));
    let (inside, outside) = (bed.add(own, |_| ()), bed.add(other, |_| ()));
    let said = || CommentAdded { text: "so".to_owned() };
    assert_eq!(within(bed, own, inside, said()), Ok(()));
    assert_eq!(within(bed, own, outside, said()), Err(Code::NotAllowed));
    assert_eq!(
        within(bed, own, inside, TaskMoved { project: other, from: None }),
        Err(Code::NotAllowed)
    );
    assert_eq!(
        within(bed, own, outside, TaskMoved { project: own, from: None }),
        Err(Code::NotAllowed)
    );
    let head = bed.ledger.read(|snapshot| Ok(snapshot.head()?)).unwrap();
    let key = bed.write(|tx| {
        tx.bound_to(&[own]);
        tx.create_key(created(1))
    });
    assert_eq!(key.unwrap_err().code(), Code::NotAllowed);
    let bulk = bed.write(|tx| {
        tx.bound_to(&[own]);
        tx.bulk().map(drop)
    });
    assert_eq!(bulk.unwrap_err().code(), Code::NotAllowed);
    assert_eq!(bed.ledger.read(|snapshot| Ok(snapshot.head()?)).unwrap(), head);
}

fn a_bound_ends_with_its_transaction(bed: &mut Bed) {
    let (own, other) = (bed.project("own"), bed.project("other"));
    bed.write(|tx| {
        tx.bound_to(&[own]);
        Ok(())
    })
    .unwrap();
    let task = bed.add(other, |_| ());
    bed.write(|tx| {
        tx.bound_to(&[own]);
        tx.bound_to(&[]);
        let task = tx.task(task)?.unwrap();
        tx.record_task(&task, [CommentAdded { text: "so".to_owned() }.into()])
    })
    .unwrap();
}

fn the_queue_of_several_projects_is_one(bed: &mut Bed) {
    let projects = ["a", "b", "c"].map(|name| bed.project(name));
    let second = bed.add(projects[0], |task| task.priority = 1);
    bed.add(projects[1], |task| task.priority = 3);
    let first = bed.add(projects[2], |task| task.priority = 2);
    let filter = QueueFilter { projects: vec![projects[0], projects[2]], ..anybody("w") };
    let found: Vec<TaskId> = bed
        .ledger
        .read(|snapshot| Ok(snapshot.claimable(&filter, 5)?))
        .unwrap()
        .iter()
        .map(|task| task.id)
        .collect();
    assert_eq!(found, [first, second]);
    bed.claim_next(&filter, Some(windlass_domain::duration::Span::from_millis(1)));
    bed.clock.advance(1_000);
    let mine = bed.ledger.read(|snapshot| Ok(snapshot.in_hand(&filter)?)).unwrap();
    assert_eq!(mine.len(), 1);
    let taken_over = QueueFilter { projects: vec![projects[2], projects[1]], ..anybody("v") };
    assert_eq!(
        bed.ledger.read(|snapshot| Ok(snapshot.claimable(&taken_over, 5)?)).unwrap().len(),
        2,
        "the claim that ran out, and what is ready"
    );
}

#[test]
fn a_digest_is_what_anybody_computes() {
    let text = secret(1);
    assert_eq!(text.digest(), Hash::of(text.expose().as_bytes()));
}
