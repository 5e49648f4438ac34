//! What a person reads: commands and their answers as text, 80 columns wide.
//!
//! Ids and times differ from run to run: a task is shown by its name in capitals, a time as `<time>`.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "an answer of another shape ends its test"
)]

use std::fmt::Write as _;

use windlass_testkit::wait;
use windlass_tests::ledgers::{Ledger, text};

/// What differs from run to run, by its shape (`d` is a digit, `U` a digit or capital), and what is
/// shown instead: as long as the original where it can stand in a column.
const SHAPES: [(&str, &str); 2] = [
    ("dddd-dd-ddTdd:dd:dd.dddZ", "<time>"),
    ("0UUUUUUUUUUUUUUUUUUUUUUUUU", "<id of something else....>"),
];

/// A ledger, its tasks by name, and what was said so far.
struct Scene {
    ledger: Ledger,
    /// Ids and the names that stand for them, of the length of a short id.
    tasks: Vec<(String, &'static str)>,
    said: String,
}

impl Scene {
    fn new() -> Self {
        Self { ledger: Ledger::on_sqlite(), tasks: Vec::new(), said: String::new() }
    }

    /// The words of a command line; quotes keep some together, and the name of a task is its id.
    fn words(&self, command: &str) -> Vec<String> {
        let mut words = Vec::new();
        // What is between quotes comes at every other turn.
        for (turn, part) in command.split('\'').enumerate() {
            match turn % 2 {
                0 => words.extend(part.split_whitespace().map(|word| self.id_or(word))),
                _ => words.push(part.to_owned()),
            }
        }
        words
    }

    fn id_or(&self, word: &str) -> String {
        let task = self.tasks.iter().find(|(_, name)| *name == word);
        task.map_or(word, |(id, _)| id).to_owned()
    }

    /// Does something off stage.
    #[track_caller]
    fn does(&self, command: &str) {
        let _done = self.ledger.windlass(&[]).args(self.words(command)).run().ok();
    }

    /// Adds a task off stage, to be known by that name.
    #[track_caller]
    fn adds(&mut self, name: &'static str, rest: &str) {
        let words = self.words(&format!("task add {rest}"));
        let added = self.ledger.windlass(&[]).args(words).run().ok().json();
        self.tasks.push((text(&added["task_id"]), name));
    }

    /// Runs a command on stage: it and all it prints is part of the transcript.
    #[track_caller]
    fn shows(&mut self, command: &str) {
        let words = self.words(command);
        let outcome = self.ledger.windlass(&["--format", "text"]).args(words).run();
        let said = format!("$ windlass {command}\n{}{}", outcome.stdout, outcome.stderr);
        self.said.push_str(&self.without_ids(&said));
        if outcome.code != Some(0) {
            writeln!(self.said, "[exit code {}]", outcome.code.unwrap()).unwrap();
        }
    }

    fn without_ids(&self, said: &str) -> String {
        let mut said = said.to_owned();
        for (id, name) in &self.tasks {
            said = said.replace(id.as_str(), name).replace(&id[20..], name);
        }
        without_shapes(&said)
    }
}

fn without_shapes(said: &str) -> String {
    let mut kept = String::new();
    let mut rest = said;
    while let Some(letter) = rest.chars().next() {
        if let Some((shape, instead)) = SHAPES.iter().find(|(shape, _)| has_shape(rest, shape)) {
            kept.push_str(instead);
            rest = &rest[shape.len()..];
        } else {
            kept.push(letter);
            rest = &rest[letter.len_utf8()..];
        }
    }
    kept
}

fn has_shape(text: &str, shape: &str) -> bool {
    let fits = |(letter, shape): (u8, u8)| match shape {
        b'd' => letter.is_ascii_digit(),
        b'U' => letter.is_ascii_digit() || letter.is_ascii_uppercase(),
        exactly => letter == exactly,
    };
    text.len() >= shape.len() && text.bytes().zip(shape.bytes()).all(fits)
}

/// Plays a scene, anew if it took so long that something in it was no longer `now`.
#[track_caller]
fn transcript(play: impl Fn(&mut Scene)) -> String {
    let mut said = String::new();
    wait::until("a scene fits into a second", || {
        let mut scene = Scene::new();
        play(&mut scene);
        said = scene.said;
        !said.contains("s ago")
    });
    said
}

#[test]
fn tasks_are_listed_in_a_table_that_fits_the_page() {
    let said = transcript(|scene| {
        scene.shows("task list");
        scene.does("project create api");
        scene.adds("FIRST_", "'fix the login page' -P api -s ready -p 2");
        let long = "'write the reference of every command and check it against the program'";
        scene.adds("SECOND", &format!("{long} -s ready --agent docs"));
        scene.adds("THIRD_", "日本語の題名 -P api");
        scene.adds("FOURTH", "'upgrade the compiler' -P api -s in_progress --agent worker-1");
        scene.shows("task list");
        scene.shows("task list -P api --limit 2");
        scene.shows("task list -s done");
    });
    assert_eq!(
        said,
        "\
$ windlass task list
no tasks
$ windlass task list
ID      STATUS       PRI  PROJECT  TITLE                       AGENT     CREATED
FIRST_  ready        2    api      fix the login page                    now
SECOND  ready        0    inbox    write the reference of ev…  docs      now
THIRD_  backlog      0    api      日本語の題名                          now
FOURTH  in_progress  0    api      upgrade the compiler        worker-1  now
$ windlass task list -P api --limit 2
ID      STATUS   PRI  PROJECT  TITLE               AGENT  CREATED
FIRST_  ready    2    api      fix the login page         now
THIRD_  backlog  0    api      日本語の題名               now
2 of 3 tasks; go on with --page 2
$ windlass task list -s done
no tasks
"
    );
}

#[test]
fn a_task_is_shown_with_everything_that_belongs_to_it() {
    let said = transcript(|scene| {
        scene.adds("BEFORE", "'choose a session store'");
        let more = "-t web,urgent -l https://example.org/1 -d 'It forgets who you are.'";
        scene.adds("MAIN__", &format!("'fix the login page' -s ready -p 2 {more}"));
        scene.adds("AFTER_", "'announce it' --depends-on MAIN__");
        scene.adds("CHILD_", "'reproduce it' --parent MAIN__ -s done");
        scene.does("task add-dep MAIN__ BEFORE");
        scene.does("task set-status BEFORE done");
        scene.does("task claim MAIN__ --agent worker-1 --lease 90m");
        let data = r#"--progress 40 --data '{"file":"login.rs"}'"#;
        scene.does(&format!("task checkpoint MAIN__ 'found the cause' {data} --fence 1"));
        scene.does("task comment MAIN__ 'see the log of Tuesday' --author ada");
        scene.shows("task show MAIN__");
    });
    assert_eq!(
        said,
        "\
$ windlass task show MAIN__
fix the login page
  id        MAIN__
  status    in_progress
  project   inbox
  priority  2
  agent     worker-1 (fence 1)
  lease     <time> (in 1h)
  claimed   <time> (now)
  tags      web, urgent
  progress  40%
  link      https://example.org/1
  created   now

It forgets who you are.


waits for
ID      STATUS  PROJECT  TITLE                   AGENT
BEFORE  done    inbox    choose a session store

needed by
ID      STATUS   PROJECT  TITLE        AGENT
AFTER_  backlog  inbox    announce it

subtasks
ID      STATUS  PROJECT  TITLE         AGENT
CHILD_  done    inbox    reproduce it

checkpoints
WHEN  AUTHOR    NAME             DATA
now   somebody  found the cause  {\"file\":\"login.rs\"}

comments
WHEN  AUTHOR  COMMENT
now   ada     see the log of Tuesday
"
    );
}

#[test]
fn a_claim_says_what_was_won_and_every_step_what_became_of_it() {
    let said = transcript(|scene| {
        scene.adds("FIRST_", "'fix the login page' -s ready");
        scene.shows("task claim --next --agent worker-1 --lease 90m");
        scene.shows("task claim --next --agent worker-2");
        scene.shows("task block FIRST_ --comment 'waiting for the key' --agent worker-1");
        scene.shows("task unblock FIRST_");
        scene.shows("task steal FIRST_ --force --agent worker-2");
        scene.shows("task complete FIRST_ --fence 2");
    });
    assert_eq!(
        said,
        "\
$ windlass task claim --next --agent worker-1 --lease 90m
FIRST_ claimed by worker-1 under fence 1, lease runs out in 1h: fix the login page
$ windlass task claim --next --agent worker-2
no task can be claimed; windlass why says what they wait for
$ windlass task block FIRST_ --comment 'waiting for the key' --agent worker-1
FIRST_ in_progress → blocked · worker-1: fix the login page
$ windlass task unblock FIRST_
FIRST_ blocked → in_progress · worker-1: fix the login page
$ windlass task steal FIRST_ --force --agent worker-2
FIRST_ taken from worker-1 by worker-2 under fence 2: fix the login page
$ windlass task complete FIRST_ --fence 2
FIRST_ in_progress → done · worker-2: fix the login page
"
    );
}

#[test]
fn why_says_what_a_task_and_the_queue_wait_for() {
    let said = transcript(|scene| {
        scene.adds("FIRST_", "'choose a session store'");
        scene.adds("SECOND", "'fix the login page' -s ready --depends-on FIRST_");
        scene.adds("THIRD_", "'announce it' -s ready");
        scene.does("task block THIRD_ --comment 'the press is on strike'");
        scene.shows("why SECOND");
        scene.shows("why THIRD_");
        scene.shows("why");
    });
    assert_eq!(
        said,
        "\
$ windlass why SECOND
SECOND: fix the login page
· it waits for 1 open task(s)
    FIRST_
$ windlass why THIRD_
THIRD_: announce it
· it is blocked: the press is on strike
    windlass task unblock THIRD_
$ windlass why
nothing can be given out
· 1 ready, but behind open dependencies or subtasks
    windlass task list -s ready
· 1 blocked
    windlass task list -s blocked
· 1 in the backlog, not ready
    windlass task set-status TASK ready
"
    );
}

#[test]
fn projects_are_listed_and_shown() {
    let said = transcript(|scene| {
        scene.shows("project list");
        scene.does("project create api --repo /src/api -d 'Everything that answers requests'");
        scene.does("project create web");
        scene.does("project freeze web --reason 'release on Friday'");
        scene.adds("FIRST_", "'fix the login page' -P api -s ready");
        scene.adds("SECOND", "'upgrade the compiler' -P api");
        scene.shows("project list");
        scene.shows("project show api");
        scene.shows("project show web");
    });
    assert_eq!(
        said,
        "\
$ windlass project list
no projects yet; make one: windlass project create NAME
$ windlass project list
PROJECT  STATE   TASKS  CLAIMABLE  DESCRIPTION                       CREATED
api      open    2      1          Everything that answers requests  now
web      frozen  0      0                                            now
$ windlass project show api
project api: 2 tasks
  description  Everything that answers requests
  repo         /src/api
  created      <time>
STATUS       TASKS
backlog      1
ready        1
in_progress  0
blocked      0
done         0
archived     0
$ windlass project show web
project web: 0 tasks, frozen: release on Friday
  created      <time>
STATUS       TASKS
backlog      0
ready        0
in_progress  0
blocked      0
done         0
archived     0
"
    );
}

#[test]
fn a_history_tells_every_event_in_its_order() {
    let said = transcript(|scene| {
        scene.adds("FIRST_", "'fix the login page' -s ready --author ada");
        scene.does("task claim FIRST_ --agent worker-1");
        scene.does("task complete FIRST_ --agent worker-1 --comment 'all tests pass'");
        scene.shows("task history FIRST_");
    });
    assert_eq!(
        said,
        "\
$ windlass task history FIRST_
SEQ  WHEN  ACTOR     KIND            DATA
2    now   ada       task_created    {\"project\":\"<id of something else....>\",\"s…
3    now   worker-1  task_claimed    {\"agent\":\"worker-1\",\"fence\":1,\"won\":\"claim…
4    now   worker-1  task_completed  {\"authority\":\"holder\"}
5    now   worker-1  comment_added   {\"text\":\"all tests pass\"}
"
    );
}

#[test]
fn a_doctor_says_what_was_looked_at() {
    let said = transcript(|scene| {
        scene.adds("FIRST_", "'fix the login page'");
        scene.shows("doctor");
        scene.shows("doctor --rebuild");
    });
    assert_eq!(
        said,
        "\
$ windlass doctor
ok    files
ok    chain
ok    counters
2 events
$ windlass doctor --rebuild
ok    files
ok    chain
ok    views
ok    counters
2 events
"
    );
}

#[test]
fn an_error_says_what_was_refused_and_what_to_try() {
    let said = transcript(|scene| {
        scene.adds("FIRST_", "'fix the login page' -s in_progress --agent worker-1");
        scene.shows("task complete FIRST_ --agent worker-2");
        scene.shows("task reopen FIRST_");
        scene.shows("task show zzzz");
        scene.shows("project show inbx");
    });
    assert_eq!(
        said,
        "\
$ windlass task complete FIRST_ --agent worker-2
error: task FIRST_: worker-2 does not hold it; worker-1 holds it under fence 1
hint: see who holds it: windlass task show FIRST_
more: windlass explain stale_claim
[exit code 3]
$ windlass task reopen FIRST_
error: cannot reopen task FIRST_: it is in_progress, not done
hint: see who holds it: windlass task show FIRST_
more: windlass explain invalid_transition
[exit code 3]
$ windlass task show zzzz
error: there is no task 'zzzz'
hint: list the tasks with their ids: windlass task list
more: windlass explain task_not_found
[exit code 4]
$ windlass project show inbx
error: there is no project 'inbx'
did you mean: inbox
hint: create it: windlass project create inbx
more: windlass explain project_not_found
[exit code 4]
"
    );
}
