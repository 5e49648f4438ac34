//! The checker of histories: it reads the log of a ledger beside the answers that processes got
//! from it, and says where the two, or the log by itself, cannot be right.
//!
//! It knows the log only as `windlass events` prints it and shares no code with the ledger: what
//! decides there must not be the judge here.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::Value;

/// One line of `windlass events`.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    pub seq: u64,
    /// All times of a log have one format of one length, so that they compare as text.
    pub at: String,
    pub kind: String,
    /// The task or project it is about.
    pub stream: String,
    pub stream_seq: u64,
    pub data: Value,
}

/// What a process was told: this task is that agent's, under this fence.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Answer {
    pub agent: String,
    pub task: String,
    pub fence: u64,
}

/// Something that cannot be right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wrong {
    /// The log does not count 1, 2, 3…
    Gap { expected: u64, found: u64 },
    /// Neither do the events of one task or project.
    StreamGap { seq: u64, expected: u64, found: u64 },
    /// The fences of a task are not 1, 2, 3…
    Fence { seq: u64, expected: u64, found: u64 },
    /// A task was claimed as if it were free, but somebody held it.
    DoubleClaim { seq: u64, holder: Answer },
    /// A task was taken over although the lease of its holder had not run out.
    TakenTooEarly { seq: u64, holder: Answer },
    /// A claim names somebody as the loser of the task who did not hold it.
    WrongLoser { seq: u64 },
    /// Somebody was told of a claim that is not in the log.
    AnswerWithoutEvent(Answer),
    /// The log holds a claim that its winner was not told of.
    EventWithoutAnswer(Answer),
    /// The same claim was told more than once.
    AnsweredAgain(Answer),
    /// An agent was told of its claims in another order than that of the log.
    OutOfOrder(Answer),
    /// A task of the queue was not claimed exactly once.
    NotOnce { task: String, claims: usize },
}

/// Text that is not what `windlass` prints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    pub line: usize,
    pub why: String,
}

/// Reads what `windlass events` printed.
pub fn events(lines: &str) -> Result<Vec<Event>, Unreadable> {
    read(lines, |line| {
        Some(Event {
            seq: number(line, "seq")?,
            at: text(line, "at")?,
            kind: text(line, "kind")?,
            stream: text(line, "stream")?,
            stream_seq: number(line, "stream_seq")?,
            data: line.get("data")?.clone(),
        })
    })
}

/// Reads what `windlass task claim` or `steal` printed, one answer a line; an answer that there
/// was nothing to claim is none.
pub fn answers(lines: &str) -> Result<Vec<Answer>, Unreadable> {
    let all = read(lines, |line| {
        if line.get("task_id")?.is_null() {
            return Some(None);
        }
        Some(Some(Answer {
            agent: text(line, "agent")?,
            task: text(line, "task_id")?,
            fence: number(line, "fence")?,
        }))
    })?;
    Ok(all.into_iter().flatten().collect())
}

/// What is wrong with a log by itself: its numbers, and the ownership of its tasks.
#[must_use]
pub fn wrong_in_log(events: &[Event]) -> Vec<Wrong> {
    let mut wrong = Vec::new();
    let mut streams: BTreeMap<&str, u64> = BTreeMap::new();
    let mut tasks: BTreeMap<&str, Ownership> = BTreeMap::new();
    for (expected, event) in (1..).zip(events) {
        if event.seq != expected {
            wrong.push(Wrong::Gap { expected, found: event.seq });
        }
        let last = streams.entry(&event.stream).or_default();
        *last += 1;
        if event.stream_seq != *last {
            wrong.push(Wrong::StreamGap {
                seq: event.seq,
                expected: *last,
                found: event.stream_seq,
            });
        }
        wrong.extend(tasks.entry(&event.stream).or_default().after(event));
    }
    wrong
}

/// What is wrong between a log and all the answers that were given; those of one agent are in the
/// order in which it got them.
#[must_use]
pub fn wrong_in_answers(events: &[Event], answers: &[Answer]) -> Vec<Wrong> {
    let mut wrong = Vec::new();
    // Each claim of the log, with its place there and how often it was told.
    let mut claims: BTreeMap<Answer, (u64, usize)> =
        events.iter().filter_map(|event| Some((claim(event)?, (event.seq, 0)))).collect();
    let mut newest: BTreeMap<&str, u64> = BTreeMap::new();
    for answer in answers {
        let Some((seq, told)) = claims.get_mut(answer) else {
            wrong.push(Wrong::AnswerWithoutEvent(answer.clone()));
            continue;
        };
        *told += 1;
        if *told > 1 {
            wrong.push(Wrong::AnsweredAgain(answer.clone()));
            continue;
        }
        let newest = newest.entry(&answer.agent).or_default();
        if *seq < *newest {
            wrong.push(Wrong::OutOfOrder(answer.clone()));
        }
        *newest = *seq;
    }
    let untold = claims.into_iter().filter(|(_, (_, told))| *told == 0);
    wrong.extend(untold.map(|(claim, _)| Wrong::EventWithoutAnswer(claim)));
    wrong
}

/// What is wrong with the history of a queue that many have emptied together: all of the above,
/// and each task of the log must have been claimed exactly once.
#[must_use]
pub fn wrong_in_drain(events: &[Event], answers: &[Answer]) -> Vec<Wrong> {
    let mut claims: BTreeMap<&str, usize> = BTreeMap::new();
    for event in events {
        match event.kind.as_str() {
            "task_created" => _ = claims.entry(&event.stream).or_default(),
            "task_claimed" => *claims.entry(&event.stream).or_default() += 1,
            _ => {}
        }
    }
    let mut wrong = wrong_in_log(events);
    wrong.extend(wrong_in_answers(events, answers));
    for (task, claims) in claims {
        if claims != 1 {
            wrong.push(Wrong::NotOnce { task: task.to_owned(), claims });
        }
    }
    wrong
}

/// Who owns a task, as the events so far tell it.
#[derive(Debug, Default)]
struct Ownership {
    fence: u64,
    holder: Option<Answer>,
    lease_until: Option<String>,
}

impl Ownership {
    fn after(&mut self, event: &Event) -> Vec<Wrong> {
        match event.kind.as_str() {
            "task_claimed" => return self.claimed(event),
            "claim_renewed" => self.lease_until = text(&event.data, "lease_until"),
            "task_blocked" => self.lease_until = None,
            "task_unblocked" if text(&event.data, "to").as_deref() == Some("in_progress") => {
                self.lease_until = text(&event.data, "lease_until");
            }
            "task_released" | "task_unblocked" | "task_completed" | "task_archived"
            | "status_set" => self.holder = None,
            _ => {}
        }
        Vec::new()
    }

    fn claimed(&mut self, event: &Event) -> Vec<Wrong> {
        let mut wrong = Vec::new();
        let Some(won) = claim(event) else {
            return wrong;
        };
        let seq = event.seq;
        self.fence += 1;
        if won.fence != self.fence {
            wrong.push(Wrong::Fence { seq, expected: self.fence, found: won.fence });
        }
        let how = text(&event.data, "won").unwrap_or_default();
        let loser = event.data.get("taken_from").and_then(loser);
        let held = self.holder.take();
        match &held {
            Some(holder) if how == "claimed" => {
                let holder = holder.clone();
                wrong.push(Wrong::DoubleClaim { seq, holder });
            }
            _ if loser != held.as_ref().map(|held| (held.agent.clone(), held.fence)) => {
                wrong.push(Wrong::WrongLoser { seq });
            }
            Some(holder) if how == "taken_over" && !self.ran_out(&event.at) => {
                let holder = holder.clone();
                wrong.push(Wrong::TakenTooEarly { seq, holder });
            }
            _ => {}
        }
        self.holder = Some(won);
        self.lease_until = text(&event.data, "lease_until");
        wrong
    }

    fn ran_out(&self, at: &str) -> bool {
        self.lease_until.as_deref().is_some_and(|until| until <= at)
    }
}

/// The claim that an event tells of.
fn claim(event: &Event) -> Option<Answer> {
    (event.kind == "task_claimed").then_some(())?;
    Some(Answer {
        agent: text(&event.data, "agent")?,
        task: event.stream.clone(),
        fence: number(&event.data, "fence")?,
    })
}

/// Whom a claim names as the holder before, with that holder's fence.
fn loser(taken_from: &Value) -> Option<(String, u64)> {
    Some((text(taken_from, "agent")?, number(taken_from, "fence")?))
}

fn text(object: &Value, name: &str) -> Option<String> {
    object.get(name)?.as_str().map(str::to_owned)
}

fn number(object: &Value, name: &str) -> Option<u64> {
    object.get(name)?.as_u64()
}

fn read<T>(lines: &str, one: impl Fn(&Value) -> Option<T>) -> Result<Vec<T>, Unreadable> {
    (1..)
        .zip(lines.lines())
        .map(|(number, line)| {
            let unreadable = |why: String| Unreadable { line: number, why };
            let value: Value =
                serde_json::from_str(line).map_err(|error| unreadable(error.to_string()))?;
            one(&value).ok_or_else(|| unreadable(format!("something is missing in {line}")))
        })
        .collect()
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.why)
    }
}

impl std::error::Error for Unreadable {}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A log in the making; `seq`, `stream_seq` and time are counted here.
    #[derive(Default)]
    struct Log(Vec<Event>);

    impl Log {
        fn with(mut self, kind: &str, stream: &str, data: Value) -> Self {
            let seq = self.0.len() as u64 + 1;
            let earlier = self.0.iter().filter(|event| event.stream == stream);
            self.0.push(Event {
                seq,
                at: time(seq),
                kind: kind.to_owned(),
                stream: stream.to_owned(),
                stream_seq: earlier.count() as u64 + 1,
                data,
            });
            self
        }

        fn created(self, task: &str) -> Self {
            self.with("task_created", task, json!({"status": "ready"}))
        }

        fn claimed(self, task: &str, agent: &str, fence: u64) -> Self {
            let data = json!({"agent": agent, "fence": fence, "won": "claimed"});
            self.with("task_claimed", task, data)
        }

        /// With a lease until the event of that seq.
        fn leased(self, task: &str, agent: &str, until_seq: u64) -> Self {
            let until = time(until_seq);
            let data = json!({"agent": agent, "fence": 1, "won": "claimed", "lease_until": until});
            self.with("task_claimed", task, data)
        }

        fn taken(self, how: &str, task: &str, agent: &str, from: &str) -> Self {
            let from = json!({"agent": from, "fence": 1});
            let data = json!({"agent": agent, "fence": 2, "won": how, "taken_from": from});
            self.with("task_claimed", task, data)
        }
    }

    fn time(second: u64) -> String {
        format!("2026-11-15T09:30:{second:02}.000Z")
    }

    fn told(agent: &str, task: &str, fence: u64) -> Answer {
        Answer { agent: agent.to_owned(), task: task.to_owned(), fence }
    }

    /// Two workers empty a queue of three.
    fn drain() -> (Vec<Event>, Vec<Answer>) {
        let log = Log::default()
            .with("project_created", "q", json!({}))
            .created("t1")
            .created("t2")
            .created("t3")
            .claimed("t1", "w1", 1)
            .claimed("t2", "w2", 1)
            .claimed("t3", "w1", 1);
        let answers = vec![told("w1", "t1", 1), told("w1", "t3", 1), told("w2", "t2", 1)];
        (log.0, answers)
    }

    #[test]
    fn a_right_drain_is_passed() {
        let (events, answers) = drain();
        assert_eq!(wrong_in_drain(&events, &answers), []);
    }

    #[test]
    fn a_task_claimed_by_two_is_found() {
        let (events, mut answers) = drain();
        let events = Log(events).claimed("t2", "w1", 2).0;
        answers.push(told("w1", "t2", 2));
        let holder = told("w2", "t2", 1);
        let expected = [
            Wrong::DoubleClaim { seq: 8, holder },
            Wrong::NotOnce { task: "t2".into(), claims: 2 },
        ];
        assert_eq!(wrong_in_drain(&events, &answers), expected);
    }

    #[test]
    fn two_claims_under_one_fence_are_found() {
        let (events, mut answers) = drain();
        let events = Log(events).with("task_released", "t2", json!({})).claimed("t2", "w1", 1).0;
        answers.push(told("w1", "t2", 1));
        let expected = Wrong::Fence { seq: 9, expected: 2, found: 1 };
        assert_eq!(wrong_in_log(&events), [expected]);
    }

    #[test]
    fn an_event_lost_from_the_middle_is_found_by_the_gap() {
        let (mut events, answers) = drain();
        events.remove(5);
        let wrong = wrong_in_drain(&events, &answers);
        assert_eq!(wrong[0], Wrong::Gap { expected: 6, found: 7 });
    }

    #[test]
    fn an_event_lost_without_a_gap_is_found_by_the_answer() {
        let (mut events, answers) = drain();
        events.remove(5);
        for (seq, event) in (1..).zip(&mut events) {
            event.seq = seq;
        }
        let expected = [
            Wrong::AnswerWithoutEvent(told("w2", "t2", 1)),
            Wrong::NotOnce { task: "t2".into(), claims: 0 },
        ];
        assert_eq!(wrong_in_drain(&events, &answers), expected);
    }

    #[test]
    fn an_event_lost_from_the_end_is_found_by_the_answer() {
        let (mut events, answers) = drain();
        events.pop();
        let wrong = wrong_in_drain(&events, &answers);
        assert_eq!(wrong[0], Wrong::AnswerWithoutEvent(told("w1", "t3", 1)));
    }

    #[test]
    fn an_event_of_a_task_that_was_lost_is_found_by_the_gap_in_its_stream() {
        let (events, _) = drain();
        let mut events = Log(events).with("comment_added", "t2", json!({})).0;
        events.remove(5);
        let expected = Wrong::StreamGap { seq: 8, expected: 2, found: 3 };
        assert!(wrong_in_log(&events).contains(&expected));
    }

    #[test]
    fn an_answer_without_an_event_is_found() {
        let (events, mut answers) = drain();
        let invented = told("w2", "t1", 1);
        answers.push(invented.clone());
        let expected = [Wrong::AnswerWithoutEvent(invented)];
        assert_eq!(wrong_in_drain(&events, &answers), expected);
    }

    #[test]
    fn an_answer_with_another_fence_than_its_event_is_found() {
        let (events, mut answers) = drain();
        answers[2].fence = 2;
        let expected = [
            Wrong::AnswerWithoutEvent(told("w2", "t2", 2)),
            Wrong::EventWithoutAnswer(told("w2", "t2", 1)),
        ];
        assert_eq!(wrong_in_drain(&events, &answers), expected);
    }

    #[test]
    fn an_answer_that_is_given_again_is_found() {
        let (events, mut answers) = drain();
        answers.push(told("w2", "t2", 1));
        let expected = [Wrong::AnsweredAgain(told("w2", "t2", 1))];
        assert_eq!(wrong_in_drain(&events, &answers), expected);
    }

    #[test]
    fn a_claim_that_nobody_was_told_of_is_found() {
        let (events, mut answers) = drain();
        let silent = answers.pop().unwrap();
        let expected = [Wrong::EventWithoutAnswer(silent)];
        assert_eq!(wrong_in_drain(&events, &answers), expected);
    }

    #[test]
    fn answers_in_another_order_than_the_log_are_found() {
        let (events, mut answers) = drain();
        answers.swap(0, 1);
        let expected = [Wrong::OutOfOrder(told("w1", "t1", 1))];
        assert_eq!(wrong_in_drain(&events, &answers), expected);
    }

    #[test]
    fn a_task_that_nobody_claimed_is_found() {
        let (events, answers) = drain();
        let events = Log(events).created("t4").0;
        let expected = [Wrong::NotOnce { task: "t4".into(), claims: 0 }];
        assert_eq!(wrong_in_drain(&events, &answers), expected);
    }

    #[test]
    fn a_claim_that_ended_or_was_taken_in_good_order_is_passed() {
        for end in ["task_released", "task_completed", "task_archived", "status_set"] {
            let log = Log::default().created("t").claimed("t", "w1", 1);
            let log = log.with(end, "t", json!({})).claimed("t", "w2", 2);
            assert_eq!(wrong_in_log(&log.0), [], "{end}");
        }
        let leased = || Log::default().created("t").leased("t", "w1", 3);
        for how in ["taken_over", "stolen", "overridden"] {
            let log = leased().taken(how, "t", "w2", "w1");
            assert_eq!(wrong_in_log(&log.0), [], "{how}");
        }
    }

    #[test]
    fn a_blocked_task_is_still_held() {
        let log = Log::default().created("t").claimed("t", "w1", 1);
        let log = log.with("task_blocked", "t", json!({})).claimed("t", "w2", 2);
        let holder = told("w1", "t", 1);
        let expected = [Wrong::DoubleClaim { seq: 4, holder }];
        assert_eq!(wrong_in_log(&log.0), expected);
    }

    #[test]
    fn a_lease_that_was_taken_over_too_early_is_found() {
        let early = |log: Log| wrong_in_log(&log.taken("taken_over", "t", "w2", "w1").0);
        let holder = || told("w1", "t", 1);
        let leased = Log::default().created("t").leased("t", "w1", 4);
        assert_eq!(early(leased), [Wrong::TakenTooEarly { seq: 3, holder: holder() }]);
        let renewed = Log::default().created("t").leased("t", "w1", 3);
        let renewed = renewed.with("claim_renewed", "t", json!({"lease_until": time(9)}));
        assert_eq!(early(renewed), [Wrong::TakenTooEarly { seq: 4, holder: holder() }]);
        let without_lease = Log::default().created("t").claimed("t", "w1", 1);
        assert_eq!(early(without_lease).len(), 1);
    }

    #[test]
    fn a_claim_that_names_the_wrong_loser_is_found() {
        let log = Log::default().created("t").leased("t", "w1", 3);
        let wrong = wrong_in_log(&log.taken("stolen", "t", "w2", "w3").0);
        assert_eq!(wrong, [Wrong::WrongLoser { seq: 3 }]);
        let free = Log::default().created("t").taken("stolen", "t", "w2", "w1");
        assert!(wrong_in_log(&free.0).contains(&Wrong::WrongLoser { seq: 2 }));
    }

    #[test]
    fn what_the_binary_prints_is_read() {
        let line = r#"{"seq":1,"at":"2026-11-15T09:30:00.000Z","kind":"task_claimed","stream":"t",
            "stream_seq":2,"actor":"w1","data":{"agent":"w1","fence":3},"hash":"00"}"#;
        let read = events(&line.replace('\n', "")).unwrap();
        assert_eq!(claim(&read[0]), Some(told("w1", "t", 3)));
        let lines = r#"{"task_id":"t","agent":"w1","fence":3,"title":"x"}
            {"task_id":null,"agent":null,"fence":null}"#;
        assert_eq!(answers(lines).unwrap(), [told("w1", "t", 3)]);
    }

    #[test]
    fn a_line_that_is_no_answer_is_not_passed_over() {
        for line in ["", "{}", "{\"task_id\":\"t\"}", "{\"ok\":false}"] {
            assert_eq!(answers(&format!("{line}\n")).unwrap_err().line, 1, "{line:?}");
        }
        assert_eq!(events("{\"seq\":1}").unwrap_err().line, 1);
    }
}
