//! A scene: a ledger, what is done to it, and the transcript of what was shown.
//!
//! A story is played twice, each time in a fresh ledger: once for a person, who sits at a terminal
//! and gets text, once for a program, which asks with `--json`. So even what can be done only once
//! is shown in both forms.

use std::fmt::Write as _;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;

use serde_json::Value;
use windlass_testkit::{Home, Run, screen, wait};
use windlass_tests::ledgers::text;

use crate::json::laid_out;
use crate::mask::{self, Mask, Named};

/// The width of a usual window.
const COLUMNS: u16 = 80;

/// How often a story is played again because it took more than a second: then something in it is
/// no longer of now. A machine that is slower than that sees the ages in what differs.
const RETAKES: u32 = 20;

/// The length of the token of an owner.
const TOKEN_CHARS: usize = 64;
/// What begins whatever is more than text. Nobody here sees colours.
const ESCAPE: char = '\u{1b}';

/// Stands for the command above it.
pub(crate) const THE_SAME: &str = "$ … --json";

/// For whom a story is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reader {
    Person,
    Program,
}

/// One thing that was shown.
#[derive(Debug)]
struct Shown {
    /// What was typed, and nothing else where `answer` is none.
    typed: String,
    answer: Option<Answer>,
}

#[derive(Debug)]
struct Answer {
    text: String,
    code: i32,
    /// Whether a program's answer belongs below a person's.
    forms: Forms,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Forms {
    Both,
    Text,
}

/// A ledger, its tasks by name, and what was shown so far.
#[derive(Debug)]
pub(crate) struct Scene {
    home: Home,
    reader: Reader,
    variables: Vec<(&'static str, Option<String>)>,
    tasks: Vec<Named>,
    /// What all ids begin with, and its name.
    shared: Option<(String, &'static str)>,
    shown: Vec<Shown>,
}

/// Plays a story and gives its transcript.
#[track_caller]
pub(crate) fn transcript(play: impl Fn(&mut Scene)) -> String {
    let played = |reader| {
        let mut scene = Scene::new(reader);
        play(&mut scene);
        scene.shown
    };
    let mut person = played(Reader::Person);
    for _ in 0..RETAKES {
        if person.iter().all(Shown::is_of_now) {
            break;
        }
        person = played(Reader::Person);
    }
    let mut said = String::new();
    for (person, program) in person.iter().zip(played(Reader::Program)) {
        person.tell(&program, &mut said);
    }
    said
}

impl Shown {
    /// On a slow machine something may be a second old already, and says so.
    fn is_of_now(&self) -> bool {
        let is_old = |answer: &Answer| {
            ["s ago", "in 29m", "in 29d"].iter().any(|age| answer.text.contains(age))
        };
        !self.answer.as_ref().is_some_and(is_old)
    }

    #[track_caller]
    fn tell(&self, program: &Self, said: &mut String) {
        said.push_str(&self.typed);
        let Some(person) = &self.answer else {
            return;
        };
        said.push_str(&person.text);
        if let Some(program) = &program.answer {
            assert_eq!(person.code, program.code, "two exit codes of {}", self.typed);
            match person.forms {
                Forms::Both if person.is_json_of(program) => {
                    writeln!(said, "{THE_SAME}\n(the same)").unwrap();
                }
                Forms::Both => write!(said, "{THE_SAME}\n{}", program.text).unwrap(),
                Forms::Text => {}
            }
        }
        if person.code != 0 {
            writeln!(said, "[exit code {}]", person.code).unwrap();
        }
    }
}

impl Answer {
    /// A document of others is JSON for a person too, and is shown once.
    fn is_json_of(&self, program: &Self) -> bool {
        let read = |text: &str| serde_json::from_str::<Value>(text).ok();
        read(&self.text).is_some() && read(&self.text) == read(&program.text)
    }
}

impl Scene {
    fn new(reader: Reader) -> Self {
        let home = Home::new();
        let variables = [
            ("USER", "ada".to_owned()),
            ("NO_COLOR", "1".to_owned()),
            ("TMPDIR", home.work().display().to_string()),
            ("WINDLASS_DB", "ledger.db".to_owned()),
            // Nothing here is about power loss.
            ("WINDLASS_DATABASE_SYNCHRONOUS", "normal".to_owned()),
        ];
        let variables = variables.into_iter().map(|(name, value)| (name, Some(value))).collect();
        Self { home, reader, variables, tasks: Vec::new(), shared: None, shown: Vec::new() }
    }

    // On stage

    /// Runs a command, and shows it with its answer as text and as JSON.
    #[track_caller]
    pub(crate) fn shows(&mut self, command: &str) {
        self.run(command, COLUMNS, Forms::Both);
    }

    /// Runs a command, and shows it with its answer as text.
    #[track_caller]
    pub(crate) fn says(&mut self, command: &str) {
        self.run(command, COLUMNS, Forms::Text);
    }

    /// The same in a window of another width.
    #[track_caller]
    pub(crate) fn says_within(&mut self, columns: u16, command: &str) {
        self.run(command, columns, Forms::Text);
    }

    /// Lets a person decide something: who reads JSON sits at a terminal too.
    #[track_caller]
    pub(crate) fn decides(&mut self, command: &str) {
        let run = self.windlass(command);
        let run = match self.reader {
            Reader::Person => run,
            Reader::Program => run.args(["--json"]),
        };
        let outcome = run.at_terminal(COLUMNS);
        self.write_down(command, (outcome.stdout, outcome.code.unwrap()), Forms::Both);
    }

    /// Runs a command that tells how far it has come, which a program does not get with its answer.
    /// A person sees what is left on the screen in the end.
    #[track_caller]
    pub(crate) fn follows(&mut self, command: &str) {
        let run = self.windlass(command);
        let (heard, code) = match self.reader {
            Reader::Person => {
                let outcome = run.at_terminal(COLUMNS);
                (format!("{}\n", screen(&outcome.stdout)), outcome.code)
            }
            Reader::Program => {
                let outcome = run.args(["--json"]).run();
                (outcome.stdout, outcome.code)
            }
        };
        self.write_down(command, (heard, code.unwrap()), Forms::Both);
    }

    /// Lets a program do something, and shows only what it is answered.
    #[track_caller]
    pub(crate) fn asks(&mut self, command: &str) {
        let outcome = self.windlass(command).args(["--json"]).run();
        let heard = (outcome.stdout, outcome.code.unwrap());
        let reader = std::mem::replace(&mut self.reader, Reader::Program);
        self.write_down(&format!("{command} --json"), heard, Forms::Text);
        self.reader = reader;
    }

    /// Shows how a run is owned; from now on its token is shown with every command.
    #[track_caller]
    pub(crate) fn owns(&mut self, command: &str) {
        let heard = self.ask(command, COLUMNS);
        let is_token = |word: &&str| word.len() == TOKEN_CHARS;
        let mut words = heard.0.split(|letter: char| !letter.is_ascii_alphanumeric());
        let token = words.find(is_token).unwrap().to_owned();
        self.write_down(command, heard, Forms::Both);
        self.tells("$ export HOTL_OWNER_TOKEN=…\n".to_owned());
        self.variables.push(("HOTL_OWNER_TOKEN", Some(token)));
    }

    /// Lets only the person run a command: what it shows is no answer, but help or an editor.
    #[track_caller]
    pub(crate) fn reads(&mut self, command: &str) {
        match self.reader {
            Reader::Person => self.run(command, COLUMNS, Forms::Text),
            Reader::Program => self.tells(format!("$ windlass {command}\n")),
        }
    }

    /// Shows how tasks are added; from now on they are known by these names.
    #[track_caller]
    pub(crate) fn adds(&mut self, names: &[&'static str], command: &str) {
        self.begins(&["task_created"], names, command);
    }

    /// Shows how a chunk is written, perhaps with its task; from now on they are known by these
    /// names.
    #[track_caller]
    pub(crate) fn writes(&mut self, names: &[&'static str], command: &str) {
        self.begins(&["chunk_written", "task_created"], names, command);
    }

    /// Shows how a session is started; from now on it is known by this name.
    #[track_caller]
    pub(crate) fn sits(&mut self, name: &'static str, command: &str) {
        self.begins(&["session_started"], &[name], command);
    }

    #[track_caller]
    fn begins(&mut self, kinds: &[&str], names: &[&'static str], command: &str) {
        let before = self.all_begun(kinds);
        let heard = self.ask(command, COLUMNS);
        let added = self.all_begun(kinds).into_iter().filter(|id| !before.contains(id));
        self.tasks.extend(names.iter().zip(added).map(|(name, id)| Named { id, name }));
        self.write_down(command, heard, Forms::Both);
    }

    /// Shows how a key is made; from now on it is known by this name.
    #[track_caller]
    pub(crate) fn makes_a_key(&mut self, name: &'static str, command: &str) {
        let heard = self.ask(command, COLUMNS);
        let listed = self.windlass("key list --all").run().ok().json();
        let newest = listed["keys"].as_array().unwrap().last().unwrap();
        self.tasks.push(Named { id: text(&newest["key_id"]), name });
        self.write_down(command, heard, Forms::Both);
    }

    /// Shows how a variable is set.
    pub(crate) fn sets(&mut self, variable: &'static str, value: &str) {
        self.tells(format!("$ export {variable}={}\n", quoted(value)));
        let value = self.with_ids(value);
        self.variables.push((variable, Some(value)));
    }

    /// Shows how the answer to a program is put into a file.
    #[track_caller]
    pub(crate) fn keeps(&mut self, command: &str, file: &str) {
        self.tells(format!("$ windlass {command} --json > {file}\n"));
        let answer = self.windlass(command).args(["--json"]).run().ok().stdout;
        fs::write(self.home.work().join(file), answer).unwrap();
    }

    /// Shows a file that is there.
    pub(crate) fn has(&mut self, file: &str, content: &str) {
        self.tells(format!("$ cat {file}\n{content}"));
        fs::write(self.home.work().join(file), content).unwrap();
    }

    // Off stage

    /// Does something, whatever comes of it.
    #[track_caller]
    pub(crate) fn does(&self, command: &str) {
        let _done = self.windlass(command).run().ok();
    }

    /// Tries something that does not come about.
    #[track_caller]
    pub(crate) fn fails(&self, command: &str) {
        let outcome = self.windlass(command).run();
        assert_ne!(outcome.code, Some(0), "{outcome}");
    }

    /// Adds a task, to be known by that name.
    #[track_caller]
    pub(crate) fn given(&mut self, name: &'static str, rest: &str) {
        let added = self.windlass(&format!("task add {rest}")).run().ok().json();
        self.tasks.push(Named { id: text(&added["task_id"]), name });
    }

    /// Writes a chunk, to be known by that name.
    #[track_caller]
    pub(crate) fn knows(&mut self, name: &'static str, rest: &str) {
        let written = self.windlass(&format!("chunk write {rest}")).run().ok().json();
        self.tasks.push(Named { id: text(&written["chunk_id"]), name });
    }

    /// Gives a name to the newest delivery of a hook.
    #[track_caller]
    pub(crate) fn calls_the_newest_delivery(&mut self, name: &'static str) {
        let listed = self.windlass("hook list --state all --limit 1").run().ok().json();
        self.tasks.push(Named { id: text(&listed["deliveries"][0]["delivery_id"]), name });
    }

    /// Waits until the lease of a task has run out.
    #[track_caller]
    pub(crate) fn waits_until_a_lease_has_run_out(&self) {
        let stuck = self.windlass("task stuck");
        wait::until("a lease has run out", || stuck.run().ok().json()["total"] != 0);
    }

    /// Gives a name to the six characters with which all ids begin.
    pub(crate) fn calls_what_ids_share(&mut self, name: &'static str) {
        let shared = self.tasks[0].id[..name.len()].to_owned();
        assert!(self.tasks.iter().all(|task| task.id.starts_with(&shared)));
        self.shared = Some((shared, name));
    }

    /// Puts a program on the path that nothing else is on.
    pub(crate) fn has_on_its_path(&mut self, program: &str) {
        let file = self.home.work().join("bin").join(program);
        fs::create_dir_all(self.home.work().join("bin")).unwrap();
        fs::write(&file, "").unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o755)).unwrap();
        self.variables.push(("PATH", Some("bin".to_owned())));
    }

    /// Takes a variable away.
    pub(crate) fn without(&mut self, variable: &'static str) {
        self.variables.push((variable, None));
    }

    /// Where commands are run.
    pub(crate) fn home(&self) -> &Home {
        &self.home
    }

    fn tells(&mut self, typed: String) {
        self.shown.push(Shown { typed, answer: None });
    }

    #[track_caller]
    fn run(&mut self, command: &str, columns: u16, forms: Forms) {
        let heard = self.ask(command, columns);
        self.write_down(command, heard, forms);
    }

    /// What a command answers, and its exit code.
    #[track_caller]
    fn ask(&self, command: &str, columns: u16) -> (String, i32) {
        let run = self.windlass(command);
        let outcome = match self.reader {
            Reader::Person => run.at_terminal(columns),
            Reader::Program => run.args(["--json"]).run(),
        };
        assert_eq!(outcome.stderr, "", "a program got more than an answer\n{outcome}");
        // What takes long on a slow machine shows how far it has come, and that is gone in the end.
        let heard = match outcome.stdout.contains(ESCAPE) {
            true => format!("{}\n", screen(&outcome.stdout)),
            false => outcome.stdout,
        };
        (heard, outcome.code.unwrap())
    }

    #[track_caller]
    fn write_down(&mut self, command: &str, (heard, code): (String, i32), forms: Forms) {
        let mask = Mask { tasks: &self.tasks, home: self.home.path() };
        let heard = mask.over(&heard);
        let heard = match &self.shared {
            Some((shared, name)) => heard.replace(shared, name),
            None => heard,
        };
        let text = match self.reader {
            Reader::Person => heard,
            Reader::Program => heard.lines().map(laid_out).collect(),
        };
        let typed = format!("$ windlass {}\n", mask::without_run_times(command));
        self.shown.push(Shown { typed, answer: Some(Answer { text, code, forms }) });
    }

    #[track_caller]
    fn windlass(&self, command: &str) -> Run {
        let run = self.home.windlass(&[]).args(words(&self.with_ids(command)));
        self.variables.iter().fold(run, |run, (name, value)| match value {
            Some(value) => run.env(name, value),
            None => run.env_remove(name),
        })
    }

    /// A person types the end of an id.
    fn with_ids(&self, typed: &str) -> String {
        let ends = self.tasks.iter().map(|task| (task.short(), task.name));
        let shared = self.shared.iter().map(|(shared, name)| (shared.as_str(), *name));
        ends.chain(shared).fold(typed.to_owned(), |typed, (id, name)| typed.replace(name, id))
    }

    /// Everything that began with one of these events, in the order of creation.
    #[track_caller]
    fn all_begun(&self, kinds: &[&str]) -> Vec<String> {
        let log = self.windlass("events").run().ok();
        let events = log.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let created = events.filter(|event| kinds.iter().any(|kind| event["kind"] == *kind));
        created.map(|event| text(&event["stream"])).collect()
    }
}

/// The words of a command line; quotes keep some together.
fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    // What is between quotes comes at every other turn.
    for (turn, part) in command.split('\'').enumerate() {
        match turn % 2 {
            0 => words.extend(part.split_whitespace().map(str::to_owned)),
            _ => words.push(part.to_owned()),
        }
    }
    words
}

fn quoted(value: &str) -> String {
    if value.contains(' ') { format!("'{value}'") } else { value.to_owned() }
}
