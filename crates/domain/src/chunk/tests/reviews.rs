use super::scene::{after, agent, minute, plain};
use crate::chunk::Chunk;
use crate::chunk::review::{Action, Review, Signal, dismiss, review, signals};
use crate::{Code, Time};

fn given(usefulness: u8, correctness: u8, action: Action) -> Review {
    Review {
        usefulness,
        correctness,
        action,
        task: None,
        usefulness_note: None,
        correctness_note: None,
    }
}

fn reviewed(review_given: Review) -> Chunk {
    let chunk = plain(1);
    after(&chunk, review(&chunk, review_given, &agent("w2")))
}

/// The day after everything happened.
fn soon() -> Time {
    minute(1_440)
}

#[test]
fn a_chunk_that_its_last_reader_found_wrong_or_old_is_flagged() {
    for action in [Action::NeedsUpdate, Action::Outdated, Action::Incorrect] {
        let chunk = reviewed(given(5, 5, action));
        assert_eq!(signals(&chunk, soon()), [Signal::Flagged], "{action}");
    }
}

#[test]
fn a_review_that_found_a_chunk_useful_flags_nothing() {
    assert!(signals(&reviewed(given(5, 5, Action::Useful)), soon()).is_empty());
}

#[test]
fn an_average_under_three_is_low() {
    assert_eq!(signals(&reviewed(given(5, 2, Action::Useful)), soon()), [Signal::LowScore]);
    assert!(signals(&reviewed(given(3, 3, Action::Useful)), soon()).is_empty());
}

#[test]
fn a_chunk_that_nobody_touched_for_sixty_days_is_aging() {
    let chunk = plain(1);
    let days = |days: i64| minute(1 + days * 1_440);
    assert!(signals(&chunk, days(59)).is_empty());
    assert_eq!(signals(&chunk, days(60)), [Signal::Aging]);
}

#[test]
fn a_chunk_whose_source_changed_should_be_looked_at() {
    let stale = Chunk { source_changed_at: Some(minute(5)), ..plain(1) };
    assert_eq!(signals(&stale, soon()), [Signal::SourceChanged]);
}

#[test]
fn what_was_dismissed_is_hidden_until_somebody_flags_it_again() {
    let mut chunk = reviewed(given(1, 1, Action::Incorrect));
    for event in dismiss(&chunk, &agent("w1")).unwrap() {
        chunk.fold(&event, minute(101)).unwrap();
    }
    assert!(signals(&chunk, soon()).is_empty());
    for event in review(&chunk, given(4, 4, Action::Outdated), &agent("w2")).unwrap() {
        chunk.fold(&event, minute(102)).unwrap();
    }
    assert_eq!(signals(&chunk, soon()), [Signal::Flagged, Signal::LowScore]);
}

#[test]
fn marks_are_from_one_to_five() {
    for (usefulness, correctness) in [(0, 3), (3, 0), (6, 3), (3, 6)] {
        let decided =
            review(&plain(1), given(usefulness, correctness, Action::Useful), &agent("w1"));
        assert_eq!(decided.unwrap_err().code, Code::InvalidValue);
    }
}
