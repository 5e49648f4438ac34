use proptest::prelude::*;
use serde_json::json;
use windlass_domain::event::StatusSet;

use super::*;
use crate::import::notes::Notes;

const NOW: Time = Time::from_millis(1_794_735_000_000);

/// What HZL's status changes mean, by the status here (left) and the one HZL names (above). The
/// task is held by `ada` where a task can be, and `ada` acts.
const BY_THE_HOLDER: &str = "
            | backlog      | ready          | in_progress    | blocked      | done           | archived
backlog     | -            | status_set     | overridden     | status_set   | status_set     | task_archived
ready       | status_set   | -              | claimed        | task_blocked | status_set     | task_archived
in_progress | status_set   | task_released  | -              | task_blocked | task_completed | task_archived
blocked     | status_set   | task_unblocked | task_unblocked | -            | task_completed | task_archived
done        | task_reopened | task_reopened | overridden     | status_set   | -              | task_archived
archived    | task_restored | task_restored | task_restored claimed | task_restored task_blocked | task_restored | -
";

/// The same where another agent acts: only claims differ.
const BY_ANOTHER: [(Status, &str); 6] = [
    (Status::Backlog, "overridden"),
    (Status::Ready, "claimed"),
    (Status::InProgress, "stolen"),
    (Status::Blocked, "overridden"),
    (Status::Done, "overridden"),
    (Status::Archived, "task_restored claimed"),
];

fn task(status: Status) -> Task {
    let place = Place { project: ProjectId::from_bytes([1; 16]), parent: None, depends_on: vec![] };
    let fields = object(r#"{"title":"paint the boat"}"#).unwrap();
    let data = clean(|clean| created(&fields, place, clean)).0;
    let mut task = Task::created(TaskId::from_bytes([2; 16]), &data, 1, NOW);
    for to in way_to(status) {
        let events = change_status(&task, &go(*to), &named("ada"), NOW);
        for event in events {
            task.fold(&event, NOW).unwrap();
        }
    }
    assert_eq!(task.status, status);
    task
}

fn way_to(status: Status) -> &'static [Status] {
    match status {
        Status::Backlog => &[],
        Status::Ready => &[Status::Ready],
        Status::InProgress => &[Status::Ready, Status::InProgress],
        Status::Blocked => &[Status::Ready, Status::InProgress, Status::Blocked],
        Status::Done => &[Status::Ready, Status::InProgress, Status::Done],
        Status::Archived => &[Status::Ready, Status::Archived],
    }
}

fn go(to: Status) -> Move {
    Move { to, agent: None, lease_until: None, is_stolen: false }
}

fn named(name: &str) -> By {
    By { name: Some(name.to_owned()) }
}

fn clean<T>(work: impl FnOnce(&mut Clean<'_>) -> T) -> (T, usize) {
    let mut notes = Notes::default();
    let result = work(&mut Clean { notes: &mut notes, of: "task T" });
    (result, notes.into_list().len())
}

/// The kinds of the events; of a claim, how it was won.
fn kinds(events: &[Event]) -> String {
    let kind = |event: &Event| match event {
        Event::TaskClaimed(data) => json!(data.won).as_str().unwrap().to_owned(),
        other => other.kind().as_str().to_owned(),
    };
    match events {
        [] => "-".to_owned(),
        events => events.iter().map(kind).collect::<Vec<_>>().join(" "),
    }
}

/// Every event must be one that can happen, and lead to the status that HZL names.
#[track_caller]
fn folded(mut task: Task, events: &[Event]) -> Task {
    for event in events {
        task.fold(event, NOW).unwrap();
    }
    task
}

#[test]
fn every_change_of_status_is_what_it_means_here() {
    let mut lines = BY_THE_HOLDER.trim_matches('\n').lines();
    let cells = |line: &'static str| line.split('|').map(str::trim).skip(1);
    let columns: Vec<Status> =
        cells(lines.next().unwrap()).map(|name| Status::from_text(name).unwrap()).collect();
    assert_eq!(columns, Status::ALL);
    for (from, line) in Status::ALL.into_iter().zip(lines) {
        assert!(line.starts_with(from.as_str()));
        for (to, expected) in columns.iter().zip(cells(line)) {
            let events = change_status(&task(from), &go(*to), &named("ada"), NOW);
            assert_eq!(kinds(&events), expected, "{from} to {to}");
            assert_eq!(folded(task(from), &events).status, *to, "{from} to {to}");
        }
    }
}

#[test]
fn whoever_claims_owns_however_it_was_before() {
    for (from, expected) in BY_ANOTHER {
        let events = change_status(&task(from), &go(Status::InProgress), &named("ben"), NOW);
        assert_eq!(kinds(&events), expected, "{from}");
        let after = folded(task(from), &events);
        assert_eq!(after.held().map(|held| held.agent), Some("ben"), "{from}");
    }
}

#[test]
fn a_theft_from_oneself_is_a_theft_all_the_same() {
    let stolen = Move { is_stolen: true, ..go(Status::InProgress) };
    let events = change_status(&task(Status::InProgress), &stolen, &named("ada"), NOW);
    let [Event::TaskClaimed(claim)] = &events[..] else { panic!("{events:?}") };
    assert_eq!((claim.won, claim.fence), (Won::Stolen, 2));
    assert_eq!(claim.taken_from, Some(Holder { agent: "ada".into(), fence: 1 }));
}

#[test]
fn claiming_again_with_a_lease_renews_it() {
    let until = Time::from_millis(NOW.as_millis() + 60_000);
    let renewed = Move { lease_until: Some(until), ..go(Status::InProgress) };
    let events = change_status(&task(Status::InProgress), &renewed, &named("ada"), NOW);
    let [Event::ClaimRenewed(renewal)] = &events[..] else { panic!("{events:?}") };
    assert_eq!((renewal.lease_until, renewal.lease_ms), (until, 60_000));
    assert_eq!(renewal.authority, Authority::Holder);
}

#[test]
fn the_owner_is_the_agent_given_else_who_acts_else_who_had_it_else_hzl() {
    let nobody = By::default();
    let mut routed = task(Status::Ready);
    routed.agent = Some("clara".to_owned());
    let given = Move { agent: Some("eve".to_owned()), ..go(Status::InProgress) };
    let plain = go(Status::InProgress);
    assert_eq!(owner(&routed, &given, &named("ben")), "eve");
    assert_eq!(owner(&routed, &plain, &named("ben")), "ben");
    assert_eq!(owner(&routed, &plain, &nobody), "clara");
    assert_eq!(owner(&task(Status::Ready), &plain, &nobody), NOBODY);
}

#[test]
fn what_was_done_to_a_held_task_says_by_what_right() {
    let right = |by: &By| {
        let events = change_status(&task(Status::InProgress), &go(Status::Done), by, NOW);
        let [Event::TaskCompleted(done)] = &events[..] else { panic!("{events:?}") };
        done.authority.clone()
    };
    assert_eq!(right(&named("ada")), Authority::Holder);
    assert_eq!(right(&named("ben")), Authority::Unfenced);
    assert_eq!(right(&By::default()), Authority::Unfenced);
    let free = change_status(&task(Status::Ready), &go(Status::Done), &By::default(), NOW);
    let [Event::StatusSet(StatusSet { authority, .. })] = &free[..] else { panic!("{free:?}") };
    assert_eq!(*authority, Authority::Free);
}

#[test]
fn every_kind_of_event_is_read() {
    for (kind, data) in [
        ("project_created", r#"{"name":"p"}"#),
        ("project_renamed", r#"{"old_name":"p","new_name":"q"}"#),
        ("project_deleted", r#"{"name":"q","task_count":0,"archived_task_count":0}"#),
        ("task_created", r#"{"title":"t","project":"p"}"#),
        ("status_changed", r#"{"from":"ready","to":"done"}"#),
        ("task_moved", r#"{"from_project":"p","to_project":"q"}"#),
        ("dependency_added", r#"{"depends_on_id":"x"}"#),
        ("dependency_removed", r#"{"depends_on_id":"x"}"#),
        ("task_updated", r#"{"field":"title","old_value":"t","new_value":"u"}"#),
        ("task_archived", "{}"),
        ("comment_added", r#"{"text":"hm"}"#),
        ("checkpoint_recorded", r#"{"name":"half"}"#),
    ] {
        assert!(clean(|clean| read(kind, data, clean)).0.is_ok(), "{kind}");
    }
}

#[test]
fn what_cannot_be_read_is_told_apart_from_what_is_not_known() {
    let read = |kind: &str, data: &str| clean(|clean| read(kind, data, clean)).0.unwrap_err();
    assert_eq!(read("task_teleported", "{}"), Unsaid::UnknownKind);
    for (kind, data) in [
        ("task_created", "{}"),
        ("task_created", "[]"),
        ("comment_added", "{\"text\":3}"),
        ("status_changed", r#"{"to":"gone"}"#),
        ("status_changed", "{\"to\":"),
    ] {
        assert!(matches!(read(kind, data), Unsaid::Unreadable(_)), "{kind} {data}");
    }
}

#[test]
fn a_new_task_keeps_all_that_hzl_knows_of_it() {
    let fields = object(
        r#"{"title":"t","description":"d","links":["l"],"tags":["x"," y"],"priority":2,
            "due_at":"2026-12-24T00:00:00.000Z","metadata":{"k":[1]},"stale_after_minutes":30,
            "assignee":"clara"}"#,
    );
    let place = Place {
        project: ProjectId::from_bytes([1; 16]),
        parent: Some(TaskId::from_bytes([3; 16])),
        depends_on: vec![TaskId::from_bytes([4; 16])],
    };
    let (made, notes) = clean(|clean| created(&fields.unwrap(), place, clean));
    let expected = json!({
        "project": ProjectId::from_bytes([1; 16]), "title": "t", "status": "backlog",
        "parent": TaskId::from_bytes([3; 16]), "description": "d", "links": ["l"],
        "tags": ["x", "y"], "priority": 2, "due_at": "2026-12-24T00:00:00.000Z",
        "metadata": {"k": [1]}, "stale_after_minutes": 30, "agent": "clara",
        "depends_on": [TaskId::from_bytes([4; 16])],
    });
    assert_eq!((json!(made), notes), (expected, 0));
}

#[test]
fn every_field_is_updated_by_itself() {
    let until = "2026-12-24T00:00:00.000Z";
    for (field, value, expected) in [
        ("title", json!("new"), json!({"title": "new"})),
        ("description", json!("new"), json!({"description": "new"})),
        ("description", json!(null), json!({"description": ""})),
        ("links", json!(["a"]), json!({"links": ["a"]})),
        ("tags", json!([]), json!({"tags": []})),
        ("priority", json!(3), json!({"priority": 3})),
        ("metadata", json!({"k": 1}), json!({"metadata": {"k": 1}})),
        ("due_at", json!(until), json!({"due_at": {"to": until}})),
        ("due_at", json!(null), json!({"due_at": "cleared"})),
        ("stale_after_minutes", json!(5), json!({"stale_after_minutes": {"to": 5}})),
        ("stale_after_minutes", json!(null), json!({"stale_after_minutes": "cleared"})),
        ("agent", json!("ben"), json!({"agent": {"to": "ben"}})),
    ] {
        let (event, _) =
            clean(|clean| updated(&task(Status::Ready), field, &value, &By::default(), clean));
        let Some(Event::TaskUpdated(data)) = event else { panic!("{field}: {event:?}") };
        assert_eq!(json!(data), expected, "{field}");
    }
}

#[test]
fn values_that_are_not_taken_here_are_noted() {
    for (field, value) in
        [("due_at", json!("soon")), ("colour", json!("red")), ("priority", json!(9))]
    {
        let task = task(Status::Ready);
        let (_, notes) = clean(|clean| updated(&task, field, &value, &By::default(), clean));
        assert_eq!(notes, 1, "{field}");
    }
}

#[test]
fn a_held_task_changes_hands_only_by_a_claim() {
    let update = |status, agent| {
        let task = task(status);
        let by = By::default();
        clean(|clean| updated(&task, "agent", &json!(agent), &by, clean))
    };
    let (event, _) = update(Status::InProgress, "ben");
    assert_eq!(kinds(&Vec::from_iter(event)), "stolen");
    assert_eq!(update(Status::InProgress, "ada"), (None, 0));
    assert_eq!(update(Status::Blocked, "ben"), (None, 1));
    assert_eq!(update(Status::InProgress, ""), (None, 1));
}

/// Who owns a task in HZL: whoever is named last on the way into progress.
fn owner_in_hzl(before: Option<&str>, change: &Move, by: &By) -> String {
    let named = change.agent.as_deref().or(by.name.as_deref());
    named.or(before).unwrap_or(NOBODY).to_owned()
}

fn some_name() -> impl Strategy<Value = Option<String>> {
    prop::option::of(prop::sample::select(vec!["ada".to_owned(), "ben".to_owned()]))
}

fn some_change() -> impl Strategy<Value = (Move, By)> {
    let lease = prop::option::of(-5_i64..100_000);
    (prop::sample::select(Status::ALL.to_vec()), some_name(), some_name(), lease, any::<bool>())
        .prop_map(|(to, agent, name, lease, is_stolen)| {
            let lease_until = lease.map(|after| Time::from_millis(NOW.as_millis() + after));
            (Move { to, agent, lease_until, is_stolen }, By { name })
        })
}

proptest! {
    #[test]
    fn any_course_of_a_task_can_happen_here_and_ends_where_hzl_says(
        course in prop::collection::vec(some_change(), 0..30)
    ) {
        let mut task = task(Status::Backlog);
        for (change, by) in course {
            let before = task.agent.clone();
            for event in change_status(&task, &change, &by, NOW) {
                prop_assert!(task.fold(&event, NOW).is_ok(), "{:?} of {:?}", event, task);
            }
            prop_assert_eq!(task.status, change.to);
            if change.to == Status::InProgress {
                let owner = owner_in_hzl(before.as_deref(), &change, &by);
                prop_assert_eq!(task.held().map(|held| held.agent), Some(owner.as_str()));
            }
        }
    }
}
