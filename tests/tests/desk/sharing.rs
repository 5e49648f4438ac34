//! Commands that wait for the writer share a commit, and are as apart as if each were alone.

use std::sync::Barrier;
use std::thread;

use serde_json::{Value, json};
use windlass_testkit::barrier::start_together;
use windlass_testkit::http::Response;
use windlass_tests::history::{self, Answer};
use windlass_tests::ledgers::text;

use crate::{Client, Command, Desk, add, is_whole, log};

/// Makes one test for each database out of a function over a [`Desk`].
macro_rules! on_both {
    ($($name:ident)+) => {
        mod on_sqlite {
            $(#[test]
            fn $name() {
                super::$name(&crate::Desk::on_sqlite());
            })+
        }

        mod on_postgresql {
            $(#[test]
            fn $name() {
                if let Some(desk) = crate::Desk::on_postgres() {
                    super::$name(&desk);
                }
            })+
        }
    };
}

on_both! {
    fifty_commands_that_wait_share_one_commit
    a_refused_command_leaves_nothing_of_itself_and_all_of_the_others
    of_claims_that_share_a_commit_each_sees_the_ones_before
    sixty_four_clients_claim_every_task_once
    an_op_id_that_sixteen_send_at_once_is_executed_once_and_answered_to_all
    an_op_id_that_shares_a_commit_with_itself_is_executed_once
    processes_that_write_beside_the_server_lose_nothing
}

fn numbered(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("task {number:03}")).collect()
}

fn fifty_commands_that_wait_share_one_commit(desk: &Desk) {
    let commands: Vec<Command> = numbered(50).into_iter().map(add).collect();
    let before = desk.commits();
    for answer in desk.share_a_commit(&commands) {
        let _added = answer.ok();
    }
    // One is of the command that the writer was busy with.
    assert_eq!(desk.commits() - before, 2);
}

fn a_refused_command_leaves_nothing_of_itself_and_all_of_the_others(desk: &Desk) {
    let titles = numbered(20);
    let commands: Vec<Command> = titles
        .iter()
        .enumerate()
        .map(|(number, title)| match number % 4 {
            3 => Command::new("task.add", after_nothing(title)),
            _ => add(title),
        })
        .collect();
    let answers = desk.share_a_commit(&commands);
    for (number, answer) in answers.into_iter().enumerate() {
        match number % 4 {
            3 => drop(answer.refused("task_not_found", 404)),
            _ => drop(answer.ok()),
        }
    }
    let kept = titles.iter().enumerate().filter(|(number, _)| number % 4 != 3);
    let mut expected: Vec<&str> = kept.map(|(_, title)| title.as_str()).collect();
    expected.push("the first");
    assert_eq!(desk.titles(), expected);
    is_whole(&desk.ledger);
}

/// A task that waits for one that is not there.
fn after_nothing(title: &str) -> Value {
    json!({"title": title, "project": "queue", "depends_on": ["01ARZ3NDEKTSV4RRFFQ69G5FAV"]})
}

fn of_claims_that_share_a_commit_each_sees_the_ones_before(desk: &Desk) {
    let task = desk.ledger.add(&["-P", "queue", "-s", "ready"]);
    let claims: Vec<Command> = (0..8)
        .map(|number| {
            Command::new("task.claim", json!({"task": task, "agent": number.to_string()}))
        })
        .collect();
    let answers = desk.share_a_commit(&claims);
    let statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
    assert_eq!(statuses, [200, 409, 409, 409, 409, 409, 409, 409]);
}

/// Starts so many clients together and gives what each of them brings.
pub(crate) fn race<T: Send>(
    desk: &Desk,
    clients: usize,
    run: impl Fn(usize, &Client) -> T + Sync,
) -> Vec<T> {
    let (client, gate) = (desk.client(), Barrier::new(clients));
    thread::scope(|scope| {
        let started: Vec<_> = (0..clients)
            .map(|number| {
                let (client, gate, run) = (&client, &gate, &run);
                scope.spawn(move || {
                    gate.wait();
                    run(number, client)
                })
            })
            .collect();
        started.into_iter().map(|client| client.join().unwrap()).collect()
    })
}

fn sixty_four_clients_claim_every_task_once(desk: &Desk) {
    let adding = ["task", "add", "--from", "-", "-P", "queue", "-s", "ready"];
    let _added = desk.ledger.windlass(&adding).stdin(numbered(500).join("\n")).run().ok();
    let won = race(desk, 64, |number, client| {
        let agent = format!("w{number}");
        let claim = Command::new("task.claim", json!({"next": true, "agent": agent}));
        let mut won: Vec<Answer> = Vec::new();
        loop {
            let answer = client.does(&claim).unwrap().ok();
            match history::answers(&answer.text()).unwrap().pop() {
                Some(one) => won.push(one),
                None => return won,
            }
        }
    });
    assert_eq!(history::wrong_in_drain(&log(&desk.ledger), &won.concat()), []);
}

/// Of answers to one op id, one is of an execution, and all say the same.
#[track_caller]
fn was_executed_once(answers: Vec<Response>) {
    let mut answers: Vec<Value> = answers.into_iter().map(|answer| answer.ok().json()).collect();
    let executed = answers.iter().filter(|answer| answer["replayed"] == false).count();
    let replayed = answers.iter().filter(|answer| answer["replayed"] == true).count();
    assert_eq!((executed, replayed), (1, answers.len() - 1));
    for answer in &mut answers {
        answer
            .as_object_mut()
            .unwrap()
            .retain(|name, _| name != "replayed" && name != "idempotency");
    }
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
}

fn an_op_id_that_sixteen_send_at_once_is_executed_once_and_answered_to_all(desk: &Desk) {
    let command = add("once").op_id("k");
    was_executed_once(race(desk, 16, |_, client| client.does(&command).unwrap()));
    assert_eq!(desk.titles(), ["once"]);
}

fn an_op_id_that_shares_a_commit_with_itself_is_executed_once(desk: &Desk) {
    was_executed_once(desk.share_a_commit(&vec![add("once").op_id("k"); 16]));
    assert_eq!(desk.titles(), ["once", "the first"]);
}

fn processes_that_write_beside_the_server_lose_nothing(desk: &Desk) {
    let titles = numbered(80);
    let (here, there) = titles.split_at(16);
    let runs: Vec<_> = here
        .iter()
        .map(|title| desk.ledger.windlass(&["task", "add", title, "-P", "queue", "-s", "ready"]))
        .collect();
    thread::scope(|scope| {
        let beside = scope.spawn(|| {
            let children = start_together(&runs);
            runs.iter().zip(children).for_each(|(run, child)| drop(run.finish(child).ok()));
        });
        let shares: Vec<&[String]> = there.chunks(8).collect();
        race(desk, shares.len(), |number, client| {
            for title in shares[number] {
                let added = client.does(&add(title)).unwrap().ok().json();
                assert_eq!(text(&added["title"]), *title);
            }
        });
        beside.join().unwrap();
    });
    assert_eq!(desk.titles(), titles);
    is_whole(&desk.ledger);
}
