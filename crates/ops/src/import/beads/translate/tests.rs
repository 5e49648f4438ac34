use super::*;
use crate::import::beads::issue::{Line, read};
use crate::import::notes::Notes;

const NOW: Time = Time::from_millis(1_794_735_000_000);

fn issue(fields: Value) -> Issue {
    let mut all = json!({
        "id": "bd-a1", "title": "paint the boat", "status": "open", "priority": 1,
        "issue_type": "task", "created_at": "2026-01-01T00:00:00Z", "created_by": "ben",
        "updated_at": "2026-01-05T00:00:00Z",
    });
    let (Value::Object(all), Value::Object(fields)) = (&mut all, fields) else {
        panic!("no object")
    };
    all.extend(fields);
    match read(1, &Value::Object(all.clone()).to_string()) {
        Ok(Line::Issue(issue)) => *issue,
        other => panic!("{other:?}"),
    }
}

fn ties(on: &[&str]) -> Ties {
    let task = |(number, id): (u8, &&str)| ((*id).to_owned(), TaskId::from_bytes([number; 16]));
    Ties {
        project: ProjectId::from_bytes([9; 16]),
        parent: None,
        on: (1..).zip(on).map(task).collect(),
    }
}

/// The history with the notes that were needed.
fn play(issue: &Issue, ties: &Ties) -> (Vec<Did>, Vec<String>) {
    let mut notes = Notes::default();
    let history = history(issue, ties, NOW, &mut Clean { notes: &mut notes, of: "bd-a1" });
    (history, notes.into_list().into_iter().map(|note| note.what).collect())
}

/// The first event, and the task that comes of all of them.
fn task(issue: &Issue) -> (TaskCreated, windlass_domain::Task) {
    let (history, _) = play(issue, &ties(&[]));
    let Event::TaskCreated(created) = &history[0].event else { panic!("{history:?}") };
    let id = TaskId::from_bytes([7; 16]);
    let mut task = windlass_domain::Task::created(id, created, 1, history[0].at);
    for did in &history[1..] {
        task.fold(&did.event, did.at).unwrap();
    }
    (created.clone(), task)
}

/// Who did what and when, in short.
fn told(history: &[Did]) -> Vec<String> {
    let day = |at: Time| at.to_string().chars().take(10).collect::<String>();
    let line = |did: &Did| format!("{} {} {}", day(did.at), did.actor, did.event.kind().as_str());
    history.iter().map(line).collect()
}

#[test]
fn every_state_of_beads_has_its_status() {
    for (state, assignee, status, agent, held) in [
        ("open", None, Status::Ready, None, false),
        ("open", Some("ada"), Status::Ready, Some("ada"), false),
        ("in_progress", Some("ada"), Status::InProgress, Some("ada"), true),
        ("in_progress", None, Status::Ready, None, false),
        ("blocked", Some("ada"), Status::Blocked, Some("ada"), false),
        ("deferred", None, Status::Backlog, None, false),
        ("closed", Some("ada"), Status::Done, Some("ada"), false),
    ] {
        let (_, task) = task(&issue(json!({"status": state, "assignee": assignee})));
        assert_eq!(task.status, status, "{state}");
        assert_eq!(task.agent.as_deref(), agent, "{state}");
        assert_eq!(task.held().is_some(), held, "{state}");
    }
}

#[test]
fn everything_keeps_its_time_and_author_and_stands_in_order() {
    let issue = issue(json!({
        "status": "closed", "assignee": "ada", "closed_at": "2026-01-04T00:00:00Z",
        "comments": [
            {"id": 2, "author": "eve", "text": "too late", "created_at": "2026-01-06T00:00:00Z"},
            {"id": 1, "author": "kim", "text": "hm", "created_at": "2026-01-02T00:00:00Z"},
        ],
        "dependencies": [
            {"depends_on_id": "bd-1", "type": "blocks", "created_at": "2026-01-01T00:00:00Z"},
            {"depends_on_id": "bd-2", "type": "blocks", "created_at": "2026-01-03T00:00:00Z",
             "created_by": "pat"},
        ],
    }));
    let (history, notes) = play(&issue, &ties(&["bd-1", "bd-2"]));
    let expected = [
        "2026-01-01 ben task_created",
        "2026-01-02 kim comment_added",
        "2026-01-03 pat dependency_added",
        "2026-01-04 ada status_set",
        "2026-01-06 eve comment_added",
    ];
    assert_eq!(told(&history), expected);
    let Event::TaskCreated(created) = &history[0].event else { panic!("{history:?}") };
    assert_eq!(created.depends_on, [TaskId::from_bytes([1; 16])]);
    assert_eq!(notes, Vec::<String>::new());
}

#[test]
fn all_long_texts_are_in_the_description_under_their_headings() {
    let (created, _) = task(&issue(json!({
        "description": "what\n", "design": "how", "acceptance_criteria": "when", "notes": "",
    })));
    let expected = "what\n\n## Design\n\nhow\n\n## Acceptance criteria\n\nwhen";
    assert_eq!(created.description.as_deref(), Some(expected));
}

#[test]
fn labels_and_the_kind_of_issue_are_tags() {
    let tags =
        |kind: &str| task(&issue(json!({"labels": ["web", " db"], "issue_type": kind}))).0.tags;
    assert_eq!(tags("task"), ["web", "db"]);
    assert_eq!(tags("bug"), ["web", "db", "bug"]);
}

#[test]
fn what_has_no_place_here_is_kept_in_the_metadata() {
    let issue = issue(json!({
        "issue_type": "epic", "external_ref": "gh-9", "estimated_minutes": 90,
        "close_reason": "done", "title": "t".repeat(200),
        "dependencies": [
            {"depends_on_id": "bd-1", "type": "related"},
            {"depends_on_id": "bd-2", "type": "discovered-from"},
            {"depends_on_id": "bd-3", "type": "parent-child"},
            {"depends_on_id": "bd-4", "type": "conditional-blocks"},
        ],
    }));
    let (history, notes) = play(&issue, &ties(&[]));
    let Event::TaskCreated(created) = &history[0].event else { panic!("{history:?}") };
    let expected = json!({"beads": {
        "id": "bd-a1", "type": "epic", "title": "t".repeat(200), "external_ref": "gh-9",
        "estimated_minutes": 90, "close_reason": "done",
        "updated_at": "2026-01-05T00:00:00.000Z",
        "related": [
            {"id": "bd-1", "type": "related"}, {"id": "bd-2", "type": "discovered-from"},
            {"id": "bd-3", "type": "parent-child"}, {"id": "bd-4", "type": "conditional-blocks"},
        ],
    }});
    assert_eq!(Value::Object(created.metadata.clone()), expected);
    assert!(notes.contains(&SOMETIMES.to_owned()));
}

#[test]
fn an_accepted_parent_is_not_told_twice() {
    let issue = issue(json!({
        "dependencies": [{"depends_on_id": "bd-3", "type": "parent-child"}],
    }));
    let parent = TaskId::from_bytes([3; 16]);
    let (history, _) = play(&issue, &Ties { parent: Some(parent), ..ties(&[]) });
    let Event::TaskCreated(created) = &history[0].event else { panic!("{history:?}") };
    assert_eq!(created.parent, Some(parent));
    assert_eq!(created.metadata["beads"].get("related"), None);
}

#[test]
fn relations_that_are_too_many_are_left_out_and_the_id_is_kept() {
    let tie = |n: u32| json!({"depends_on_id": format!("bd-{n}"), "type": "related"});
    let many: Vec<Value> = (0..5_000).map(tie).collect();
    let (history, notes) = play(&issue(json!({"dependencies": many})), &ties(&[]));
    let Event::TaskCreated(created) = &history[0].event else { panic!("{history:?}") };
    assert_eq!(created.metadata["beads"]["id"], "bd-a1");
    assert_eq!(notes, [TOO_MUCH]);
}

#[test]
fn what_beads_does_not_say_is_noted() {
    let issue = issue(json!({"created_at": null, "created_by": null, "status": "in_progress"}));
    let (history, notes) = play(&issue, &ties(&[]));
    assert_eq!((history[0].at, history[0].actor.as_str()), (NOW, NOBODY));
    assert_eq!(notes, [NO_TIME, UNOWNED]);
}
