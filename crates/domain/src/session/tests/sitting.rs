use super::scene::{after, arrival, injection, lifecycle, session};
use crate::chunk::access::Reader;
use crate::chunk::tests::scene::{agent, minute, person, project};
use crate::session::sit::{Arrival, end, expire, focus, hand_over, resume, speak_for, start};
use crate::session::state::SessionStatus;
use crate::session::{Focus, Session};
use crate::{ChunkId, Code, RunKey, SessionId};

/// A minute after the eight hours of the default lifecycle.
const TOO_LATE: i64 = 8 * 60;

fn on(task: &str) -> Focus {
    Focus { task: task.into(), tags: vec!["auth".into()] }
}

#[test]
fn a_session_lasts_as_long_as_its_lifecycle_says() {
    let session = session("default");
    assert!(session.is_open(minute(TOO_LATE - 1)));
    assert!(!session.is_open(minute(TOO_LATE)));
}

#[test]
fn c69_what_the_budget_left_out_is_remembered_until_it_is_given() {
    let mut given = injection(&[1]);
    given.cut = injection(&[2, 3]).chunks;
    let started =
        start(arrival(), &lifecycle("default"), None, given, &agent("w1"), minute(0)).unwrap();
    let session = Session::started(SessionId::from_bytes([7; 16]), &started, minute(0));
    assert_eq!(session.cut, injection(&[2, 3]).chunks);
    let mut more = injection(&[1, 2]);
    more.cut = injection(&[1, 3]).chunks;
    let after = after(&session, focus(&session, &on("login"), more, &agent("w1"), minute(1)), 1);
    assert_eq!(after.cut, injection(&[3]).chunks);
}

#[test]
fn a_run_has_one_session_at_a_time() {
    let open = session("default");
    let again = |now| {
        let none = injection(&[]);
        start(arrival(), &lifecycle("default"), Some(&open), none, &agent("w1"), minute(now))
    };
    assert_eq!(again(1).unwrap_err().code, Code::SessionOpen);
    assert!(again(TOO_LATE).is_ok(), "an agent that died blocks nobody");
}

#[test]
fn an_agent_has_a_session_in_each_of_its_runs() {
    let other = Arrival { run: Some(RunKey::from_bytes([2; 16])), ..arrival() };
    let none = injection(&[]);
    let started = start(other, &lifecycle("default"), None, none, &agent("w1"), minute(1));
    assert!(started.is_ok());
}

#[test]
fn an_agent_starts_no_session_of_another() {
    let none = injection(&[]);
    let refusal = start(arrival(), &lifecycle("dev"), None, none, &agent("w2"), minute(0));
    assert_eq!(refusal.unwrap_err().code, Code::NotAllowed);
}

#[test]
fn an_agent_does_not_sit_in_a_project_it_may_not_read() {
    let bound = Reader { projects: vec![project(1)], ..agent("w1") };
    let elsewhere = Arrival { project: Some(project(2)), ..arrival() };
    let none = injection(&[]);
    let refusal = start(elsewhere, &lifecycle("dev"), None, none, &bound, minute(0)).unwrap_err();
    assert_eq!(refusal.message, "w1 may not be given chunks of this project");
}

#[test]
fn a_session_is_not_part_of_a_run_of_another_project() {
    let starts = |project, run_project, reader: &Reader| {
        let arrival = Arrival { project, run_project, ..arrival() };
        start(arrival, &lifecycle("default"), None, injection(&[]), reader, minute(0))
    };
    let (own, other, free) = (Some(project(1)), Some(project(2)), agent("w1"));
    let refusal = starts(own, other, &free).unwrap_err();
    assert_eq!(
        (refusal.code, refusal.message.as_str()),
        (Code::InvalidValue, "the run works on a task of another project")
    );
    for (project, run_project) in [(own, own), (own, None), (None, other)] {
        assert!(starts(project, run_project, &free).is_ok());
    }
    let bound = Reader { projects: vec![project(1)], ..free };
    assert_eq!(starts(None, other, &bound).unwrap_err().code, Code::NotAllowed);
}

#[test]
fn a_write_before_the_focus_is_refused_with_what_to_do() {
    let session = session("dev");
    let refusal = session.admit_write(minute(1)).unwrap_err();
    assert_eq!(refusal.code, Code::StepRequired);
    assert_eq!(
        refusal.message,
        "register_focus must be done before anything is written in this session"
    );
    let decided = focus(&session, &on("login"), injection(&[]), &agent("w1"), minute(1));
    assert_eq!(after(&session, decided, 1).admit_write(minute(2)), Ok(()));
}

#[test]
fn a_lifecycle_without_required_steps_lets_a_session_write_at_once() {
    assert_eq!(session("default").admit_write(minute(1)), Ok(()));
}

#[test]
fn nothing_is_written_in_a_session_that_is_over() {
    let refusal = session("default").admit_write(minute(TOO_LATE)).unwrap_err();
    assert_eq!(refusal.code, Code::SessionOver);
}

#[test]
fn a_focus_brings_what_was_not_given_before() {
    let session = session("dev");
    let decided = focus(&session, &on("login"), injection(&[1, 2]), &agent("w1"), minute(1));
    let session = after(&session, decided, 1);
    let numbers: Vec<u8> = session.given().iter().map(|id| id.to_bytes()[0]).collect();
    assert_eq!(numbers, [1, 2]);
    assert_eq!(session.focus, Some(on("login")));
}

#[test]
fn chunks_are_chosen_by_the_focus_of_a_session() {
    let session = session("dev");
    assert!(session.listener(&[], "acme").focus_tags.is_empty());
    let decided = focus(&session, &on("login"), injection(&[]), &agent("w1"), minute(1));
    assert_eq!(after(&session, decided, 1).listener(&[], "acme").focus_tags, ["auth"]);
}

#[test]
fn a_session_that_is_resumed_has_its_whole_time_again() {
    let session = session("default");
    let decided = resume(&session, injection(&[1]), &agent("w1"), minute(100));
    let session = after(&session, decided, 100);
    assert!(session.is_open(minute(TOO_LATE + 99)));
    assert_eq!((session.resumes, session.injected.len()), (1, 1));
}

#[test]
fn a_session_that_is_over_is_not_resumed() {
    let refusal = resume(&session("default"), injection(&[]), &agent("w1"), minute(TOO_LATE));
    assert_eq!(refusal.unwrap_err().code, Code::SessionOver);
}

#[test]
fn c67_what_came_up_meanwhile_is_handed_over_once() {
    let session = session("default");
    let handed = hand_over(&session, injection(&[1, 2]), &agent("w1"), minute(1));
    let session = after(&session, handed, 1);
    assert!(session.given().contains(&ChunkId::from_bytes([2; 16])));
    let again = hand_over(&session, injection(&[1, 2]), &agent("w1"), minute(2));
    assert_eq!(again, Ok(Vec::new()));
}

#[test]
fn nothing_is_handed_over_to_others_or_too_late() {
    let session = session("default");
    let handed = |name: &str, at| {
        hand_over(&session, injection(&[2]), &agent(name), minute(at)).unwrap_err().code
    };
    assert_eq!(handed("w2", 1), Code::SessionNotFound);
    assert_eq!(handed("w1", TOO_LATE), Code::SessionOver);
}

#[test]
fn an_agent_speaks_for_itself_and_people_for_all() {
    assert_eq!(speak_for("w1", &agent("w1")), Ok(()));
    assert_eq!(speak_for("w1", &person()), Ok(()));
    assert_eq!(speak_for("w1", &agent("w2")).unwrap_err().code, Code::NotAllowed);
}

#[test]
fn a_session_whose_time_ran_out_is_expired_before_anybody_notices() {
    let session = session("default");
    assert_eq!(session.status_at(minute(1)), SessionStatus::Active);
    assert_eq!(session.status_at(minute(TOO_LATE)), SessionStatus::Expired);
}

#[test]
fn the_session_of_another_agent_is_not_there() {
    let session = session("default");
    let refusal = end(&session, &[], &[], &agent("w2"), minute(1)).unwrap_err();
    assert_eq!(refusal.code, Code::SessionNotFound);
    assert!(end(&session, &[], &[], &person(), minute(1)).is_ok());
}

#[test]
fn a_session_whose_time_ran_out_is_recorded_as_expired_once() {
    let session = session("default");
    assert!(expire(&session, &[], &[], minute(1)).is_empty());
    let over = expire(&session, &[], &[], minute(TOO_LATE));
    let session = after(&session, Ok(over), TOO_LATE);
    assert_eq!(session.status, SessionStatus::Expired);
    assert!(expire(&session, &[], &[], minute(TOO_LATE + 1)).is_empty());
}

#[test]
fn nothing_happens_to_a_session_after_its_end() {
    let open = session("default");
    let decided = resume(&open, injection(&[]), &agent("w1"), minute(1)).unwrap();
    let mut ended: Session = after(&open, end(&open, &[], &[], &agent("w1"), minute(1)), 1);
    let before = ended.clone();
    assert!(ended.fold(&decided[0], minute(2)).is_err());
    assert_eq!(ended, before);
}
