//! What happens to runs in a random history. It is decided by the rules and recorded as any run is.

use windlass_domain::chain::{Hash, Provenance};
use windlass_domain::event::RunEvent;
use windlass_domain::run::check::{CheckResult, Outcome, foregone};
use windlass_domain::run::event::{FinishDetails, Place, RunImported, RunStarted, Tie};
use windlass_domain::run::file::parse;
use windlass_domain::run::finish::Force;
use windlass_domain::run::gate::Answer;
use windlass_domain::run::name::RunId;
use windlass_domain::run::word::{Authority, Decision, Disposition, Door, Gates, Mode, Reopen};
use windlass_domain::run::{Caller, Denied, Run, finish, gate, state_file, step};
use windlass_domain::{TaskId, Time};
use windlass_ledger::{Error, KeptRun, RunFilter, Transaction};

use super::{Dice, World};

const FILE: &str = "---\nintent: try it\nsuccess_criteria: it works\nrisk_level: medium\n---\n\n\
- [ ] **Step 1: Build**\naction: build it\nloop: until it builds\nverify: make\ngate: human\n\n\
- [ ] **Step 2: Look**\naction: look at it\nloop: until nice\nmax_iterations: 2\nverify:\n  \
- type: shell\n    command: make\n  - type: human-review\n    prompt: nice?\n";

const FOLDERS: [&str; 2] = ["/one", "/two"];
/// More runs are not begun.
const MOST: usize = 30;

impl World {
    /// Begins a run, or goes on with one of those that are there.
    pub(super) fn tend_runs(&mut self, dice: &mut Dice) {
        let task = match self.tasks.is_empty() {
            true => None,
            false => self.tasks[dice.roll(self.tasks.len())].parse::<TaskId>().ok(),
        };
        let task = task.filter(|_| dice.roll(2) == 0);
        let dice_now = dice.0;
        let ledger = self.cx.ledger().unwrap();
        let by = Provenance { actor: "runner".into(), ..Provenance::default() };
        let ended = ledger.write(&by, |tx| {
            // The work may be done twice; then it must be the same.
            *dice = Dice(dice_now);
            let runs = tx.runs(&RunFilter { limit: MOST as u64, ..RunFilter::default() })?;
            let number = runs.len();
            let is_room = number < MOST;
            if number == 0 || (is_room && dice.roll(8) == 0) {
                tx.begin_run(begun(dice, number, task))?;
                return Ok(0);
            }
            let kept = runs[dice.roll(number.min(4))].clone();
            if is_room && dice.roll(30) == 0 {
                tx.begin_run(found(&kept.run, number))?;
            }
            change(tx, dice, kept)
        });
        self.runs_ended += ended.unwrap();
    }

    /// Every run as it can be read.
    pub(super) fn runs(&mut self) -> Vec<KeptRun> {
        let all = RunFilter { limit: 1_000, ..RunFilter::default() };
        self.cx.read(|snapshot| Ok(snapshot.runs(&all)?)).unwrap()
    }
}

fn begun(dice: &mut Dice, number: usize, task: Option<TaskId>) -> RunStarted {
    let folder = dice.pick(&FOLDERS).to_owned();
    RunStarted {
        name: RunId::try_from(format!("boat-{number}")).unwrap(),
        file: parse(FILE).unwrap().file,
        file_sha256: Hash::of(FILE.as_bytes()),
        place: Place {
            workflow_path: "/repo/boat-workflow.md".into(),
            source_workflow_path: "/repo/boat-workflow.md".into(),
            source_branch: None,
            source_head: None,
            stash: None,
            rescue: None,
            workflow_slug: "boat".into(),
            branch: "hotl/boat".into(),
            repo_root: "/repo".into(),
            execution_root: folder.clone(),
            worktree_path: None,
            executor_mode: "loop".into(),
            driver: "generic".into(),
            host: "fallback".into(),
            folder,
            machine: "harbour".into(),
        },
        gates: if dice.roll(2) == 0 { Gates::Enforced } else { Gates::Attested },
        require_owner: false,
        tie: task.map(|task| Tie { task, fence: 1 }),
        gate_timeout: None,
        head: None,
    }
}

/// A run as another machine would find its state file.
fn found(run: &Run, number: usize) -> RunEvent {
    let text = serde_json::to_string(&run.state_file()).unwrap();
    let state = state_file::parse(&text).unwrap();
    let folder = format!("/found/{number}");
    let (machine, gates, gate_timeout) = ("haven".to_owned(), Gates::Attested, None);
    RunImported { state, folder, machine, gates, gate_timeout }.into()
}

/// Does something to a run, if the rules allow it; says how many runs that ended.
fn change(tx: &mut Transaction<'_>, dice: &mut Dice, kept: KeptRun) -> Result<usize, Error> {
    let number = if dice.roll(3) == 0 { 2 } else { 1 };
    let mut ended = 0;
    let mut kept = kept;
    // Several things in one transaction follow from one another.
    for _ in 0..=dice.roll(3) {
        let events = match decide(&kept.run, dice, number, tx.now()) {
            Ok(events) => events,
            Err(Denied::Stopped(event, _)) => vec![*event],
            Err(Denied::Refused(_)) => continue,
        };
        let was_open = kept.run.finish.is_none();
        kept = tx.record_run(&kept, events)?;
        ended += usize::from(was_open && kept.run.finish.is_some());
    }
    Ok(ended)
}

fn decide(run: &Run, dice: &mut Dice, number: u32, now: Time) -> Result<Vec<RunEvent>, Denied> {
    let name = dice.pick(&["w1", "w2"]).to_owned();
    let agent = Caller {
        name,
        is_named: true,
        authority: Authority::Attested,
        door: Door::Own,
        token_sha256: None,
    };
    let person = Caller { is_named: false, authority: Authority::Terminal, ..agent.clone() };
    Ok(match dice.roll(14) {
        0..=2 => step::start(run, number, &agent, now)?,
        3..=5 => verify(run, dice, number, &agent, now)?,
        6 => step::retry(run, number, &agent, now)?,
        7 => step::block(run, number, "no wood", &agent, now)?,
        8 => step::unblock(run, Some(number), "found some", &person, now)?,
        9..=10 => {
            let answers = [Decision::Approved, Decision::Approved, Decision::Rejected];
            let decision = answers[dice.roll(3)];
            let answer = Answer { decision, mode: Mode::Human, reason: Some("seen".into()) };
            gate::decide(run, number, &answer, &person, now)?
        }
        11 => gate::reopen(run, number, Reopen::Redo, "not so", &person, now)?,
        12 => finish::finalize(run, None, &agent, now)?,
        _ => {
            let (details, force) = (FinishDetails::default(), Force::No);
            finish::finish(run, Disposition::Kept, details, force, &agent, now)?
        }
    })
}

fn verify(
    run: &Run,
    dice: &mut Dice,
    number: u32,
    caller: &Caller,
    now: Time,
) -> Result<Vec<RunEvent>, Denied> {
    step::may_verify(run, number, caller, now)?;
    let mut results = Vec::new();
    for (place, check) in step::pending_checks(run, number)? {
        let found = if dice.roll(4) == 0 { Outcome::Failed } else { Outcome::Passed };
        let outcome = foregone(&check).unwrap_or(found);
        let goes_on = outcome == Outcome::Passed;
        let exit_code = Some(i32::from(!goes_on));
        results.push(CheckResult { exit_code, ..CheckResult::new(place, outcome) });
        if !goes_on {
            break;
        }
    }
    let attempt = run.step(number)?.attempts;
    Ok(step::verified(run, number, attempt, results, caller, now)?)
}
