//! The stage: where the steps of the story really happen, as processes of this same program.

use std::collections::BTreeMap;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use windlass_domain::{Code, Exit};
use windlass_hands::process::{self, Ended, NotRun, Program};
use windlass_ledger::Fault;

use super::script::Step;

/// Who types what no agent types; the name under which it is recorded.
const YOU: &str = "you";
/// How often an answer is asked for again that is not the expected one yet, and for how long.
const AGAIN_AFTER: Duration = Duration::from_millis(50);
const PATIENCE: Duration = Duration::from_secs(30);

/// The ledger of the story and everybody in it.
pub(crate) struct Stage {
    /// This program, in a world of its own.
    windlass: Program,
    /// Names of tasks and parts, and what stands for them in this run.
    cast: BTreeMap<&'static str, String>,
}

/// A command and what came of it.
#[derive(Debug)]
pub(crate) struct Played {
    /// The agent who typed it; nobody when it was you.
    pub(crate) agent: Option<String>,
    pub(crate) command: String,
    /// Nothing when it was killed.
    pub(crate) exit: Option<i32>,
    pub(crate) output: String,
}

/// A command with its words, ready to be run.
struct Typed {
    agent: Option<String>,
    command: String,
    program: Program,
}

impl Stage {
    /// A stage in that folder, with the ledger there: the children see nothing else of this machine,
    /// neither settings nor variables.
    pub(crate) fn new(windlass: &Path, folder: &Path, database: &Path) -> Self {
        let windlass = Program::new(windlass, folder)
            .variable("HOME", folder)
            .variable("USER", YOU)
            .variable("WINDLASS_DB", database)
            .variable("WINDLASS_FORMAT", "text");
        Self { windlass, cast: BTreeMap::new() }
    }

    /// Plays a step; what was typed at the same moment comes back together.
    pub(crate) fn play(&mut self, step: &Step) -> Result<Vec<Played>, Fault> {
        match *step {
            Step::You(command) => Ok(vec![self.you(command)?.played()?]),
            Step::Agent(part, command) => Ok(vec![self.part(part, command)?.played()?]),
            Step::Add(name, command) => {
                let added = self.you(command)?.played()?;
                self.cast.insert(name, short_id(&added.output));
                Ok(vec![added])
            }
            Step::Refused(part, command, code) => {
                let refused = self.part(part, command)?.ended(code.exit())?;
                match refused.output.contains(code.as_str()) {
                    true => Ok(vec![refused]),
                    false => Err(off_script(&refused, &format!("was not refused with {code}"))),
                }
            }
            Step::Race { agents, command, parts } => self.race(agents, command, parts),
            Step::Once(command, words) => Ok(vec![self.once(command, &self.said(words)?)?]),
        }
    }

    /// The text with everybody's name in it.
    pub(crate) fn said(&self, text: &str) -> Result<String, Fault> {
        let mut said = text.to_owned();
        for (name, stands_for) in &self.cast {
            said = said.replace(&format!("{{{name}}}"), stands_for);
        }
        match said.contains(['{', '}']) {
            true => Err(Fault::bug(format!("the demo speaks of somebody unknown: {said}"))),
            false => Ok(said),
        }
    }

    /// The answers come in the order of the parts, whoever was first.
    fn race(
        &mut self,
        agents: &[&str],
        command: &str,
        parts: &[(&str, &'static str)],
    ) -> Result<Vec<Played>, Fault> {
        let typed = agents.iter().map(|agent| self.typed(Some(*agent), command));
        let typed = typed.collect::<Result<Vec<Typed>, Fault>>()?;
        let programs: Vec<Program> = typed.iter().map(|typed| typed.program.clone()).collect();
        let ended = process::run_together(&programs).map_err(not_run)?;
        let mut won = BTreeMap::new();
        for (typed, ended) in typed.into_iter().zip(ended) {
            let played = typed.with(ended).expect(Exit::Done)?;
            won.insert(short_id(&played.output), played);
        }
        let mut in_order = Vec::new();
        for (task, part) in parts {
            let Some(winner) = won.remove(&self.said(&format!("{{{task}}}"))?) else {
                return Err(Fault::bug(format!("nobody won '{task}' in the race of the demo")));
            };
            self.cast.insert(part, winner.agent.clone().unwrap_or_default());
            in_order.push(winner);
        }
        Ok(in_order)
    }

    /// Asks off stage until the answer has those words in it, which is then shown.
    fn once(&self, command: &str, words: &str) -> Result<Played, Fault> {
        let started = Instant::now();
        loop {
            let played = self.you(command)?.played()?;
            if played.output.contains(words) {
                return Ok(played);
            }
            if started.elapsed() > PATIENCE {
                return Err(off_script(&played, &format!("never told of {words}")));
            }
            thread::sleep(AGAIN_AFTER);
        }
    }

    fn you(&self, command: &str) -> Result<Typed, Fault> {
        self.typed(None, command)
    }

    fn part(&self, part: &str, command: &str) -> Result<Typed, Fault> {
        let agent = self.said(&format!("{{{part}}}"))?;
        self.typed(Some(&agent), command)
    }

    fn typed(&self, agent: Option<&str>, command: &str) -> Result<Typed, Fault> {
        let command = self.said(command)?;
        let mut program = self.windlass.clone().arguments(words(&command));
        if let Some(agent) = agent {
            program = program.variable("WINDLASS_AGENT", agent);
        }
        let command = format!("windlass {command}");
        Ok(Typed { agent: agent.map(str::to_owned), command, program })
    }
}

impl Typed {
    /// Runs it; it must succeed.
    fn played(self) -> Result<Played, Fault> {
        self.ended(Exit::Done)
    }

    /// Runs it; it must end like this.
    fn ended(self, exit: Exit) -> Result<Played, Fault> {
        let ended = self.program.run().map_err(not_run)?;
        self.with(ended).expect(exit)
    }

    fn with(self, ended: Ended) -> Played {
        let Self { agent, command, .. } = self;
        let output = format!("{}{}", ended.stdout, ended.stderr);
        Played { agent, command, exit: ended.code, output }
    }
}

impl Played {
    fn expect(self, exit: Exit) -> Result<Self, Fault> {
        let expected = i32::from(exit as u8);
        let ended = match self.exit {
            Some(code) if code == expected => return Ok(self),
            Some(code) => format!("ended with exit code {code}, not {expected}"),
            None => "was killed".to_owned(),
        };
        Err(off_script(&self, &ended))
    }
}

fn off_script(played: &Played, what: &str) -> Fault {
    let Played { command, output, .. } = played;
    let said = match output.trim() {
        "" => String::new(),
        output => format!(", and said:\n{output}"),
    };
    Fault::new(Code::Bug, format!("the demo left its script: `{command}` {what}{said}"))
        .hint("please report this, with the output of: windlass --version")
        .detail("command", command.as_str())
}

fn not_run(error: NotRun) -> Fault {
    Fault::bug(error.to_string()).because(error)
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

/// The id with which an answer begins.
fn short_id(answer: &str) -> String {
    answer.split_whitespace().next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stage(program: &str) -> Stage {
        Stage::new(Path::new(program), Path::new("/"), Path::new("/no.db"))
    }

    #[test]
    fn quotes_keep_words_together() {
        assert_eq!(words("task add 'fix it' -p 3"), ["task", "add", "fix it", "-p", "3"]);
    }

    #[test]
    fn a_task_is_known_by_the_id_of_its_answer() {
        assert_eq!(short_id("8H008G added to shop"), "8H008G");
    }

    #[test]
    fn nobody_is_spoken_of_who_has_no_part() {
        let fault = stage("/bin/true").said("{sleeper} wakes up").unwrap_err();
        assert_eq!(fault.code, Code::Bug);
    }

    #[test]
    fn a_command_that_ends_otherwise_is_named_with_what_it_said() {
        let fault = stage("/bin/false").play(&Step::You("why")).unwrap_err();
        assert_eq!(
            fault.message,
            "the demo left its script: `windlass why` ended with exit code 1, not 0"
        );
    }

    #[test]
    fn a_command_that_is_not_refused_is_off_script() {
        let mut stage = stage("/bin/false");
        stage.cast.insert("sleeper", "bob".to_owned());
        let step = Step::Refused("sleeper", "task complete", Code::Bug);
        assert_eq!(
            stage.play(&step).unwrap_err().message,
            "the demo left its script: `windlass task complete` was not refused with bug"
        );
    }
}
