//! A folder with a run in it, and the ways to call the binary there.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use windlass_testkit::Run;
use windlass_tests::ledgers::{Ledger, error_of, text};

pub(crate) const LOW: &str = "risk_level: low\n";
pub(crate) const HIGH: &str = "risk_level: high\n";

/// Three steps that pass when `one`, `two` and `three` are there.
pub(crate) const THREE: &str = "\
- [ ] **Step 1: Build**\naction: build it\nloop: until it builds\nmax_iterations: 3\n\
verify: test -e one\n\n\
- [ ] **Step 2: Test**\naction: test it\nloop: until green\nmax_iterations: 2\n\
verify: test -e two\n\n\
- [ ] **Step 3: Ship**\naction: ship it\nloop: until shipped\nmax_iterations: 3\n\
verify: test -e three\n";

/// A gate between two steps that pass.
pub(crate) const GATED: &str = "\
- [ ] **Step 1: Plan**\naction: plan it\nloop: false\nverify: \"true\"\ngate: human\n\n\
- [ ] **Step 2: Do**\naction: do it\nloop: false\nverify: \"true\"\n";

pub(crate) const REVIEWED: &str = "\
- [ ] **Step 1: Paint**\naction: paint it\nloop: false\nverify:\n  type: human-review\n  \
prompt: is it blue?\n";

/// The workflow file of every run.
pub(crate) const FILE: &str = "hotl-workflow-demo.md";

/// Who decides gates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gates {
    Enforced,
    Attested,
}

/// A ledger, and a folder whose only run, if it has one, every call is about.
#[derive(Debug)]
pub(crate) struct Site {
    pub(crate) ledger: Ledger,
    pub(crate) gates: Gates,
}

/// One step with these fields.
pub(crate) fn one_step(fields: &str) -> String {
    format!("- [ ] **Step 1: Work**\naction: work\nloop: false\n{fields}")
}

/// A workflow file with this in its head and these steps.
pub(crate) fn workflow(front: &str, steps: &str) -> String {
    format!("---\nintent: try it\nsuccess_criteria: it works\n{front}---\n\n{steps}")
}

/// The same run under each rule of deciding gates.
#[track_caller]
pub(crate) fn both(front: &str, steps: &str) -> [Site; 2] {
    [Gates::Enforced, Gates::Attested].map(|gates| Site::with(gates, front, steps))
}

#[track_caller]
pub(crate) fn enforced(steps: &str) -> Site {
    Site::with(Gates::Enforced, LOW, steps)
}

#[track_caller]
pub(crate) fn attested(steps: &str) -> Site {
    Site::with(Gates::Attested, LOW, steps)
}

/// The same run on each database there is.
#[track_caller]
pub(crate) fn everywhere(gates: Gates, steps: &str) -> Vec<Site> {
    let ledgers = [Some(Ledger::on_sqlite()), Ledger::on_postgres()];
    ledgers.into_iter().flatten().map(|ledger| Site::on(ledger, gates, LOW, steps)).collect()
}

/// A run whose gates are enforced, on PostgreSQL where there is one.
#[track_caller]
pub(crate) fn on_postgres(steps: &str) -> Option<Site> {
    Ledger::on_postgres().map(|ledger| Site::on(ledger, Gates::Enforced, LOW, steps))
}

impl Site {
    /// Without a run.
    #[track_caller]
    pub(crate) fn empty(gates: Gates) -> Self {
        Self { ledger: Ledger::on_sqlite(), gates }
    }

    /// With a run that was started.
    #[track_caller]
    pub(crate) fn with(gates: Gates, front: &str, steps: &str) -> Self {
        Self::on(Ledger::on_sqlite(), gates, front, steps)
    }

    /// The same, in that ledger.
    #[track_caller]
    pub(crate) fn on(ledger: Ledger, gates: Gates, front: &str, steps: &str) -> Self {
        let site = Self { ledger, gates };
        site.has(FILE, &workflow(front, steps));
        let _started = site.begin(FILE);
        site
    }

    /// Starts a run of a file, and gives its id. Lint may find something.
    #[track_caller]
    pub(crate) fn begin(&self, file: &str) -> String {
        let gates = match self.gates {
            Gates::Enforced => "enforced",
            Gates::Attested => "attested",
        };
        let started = self.does(&format!("run start {file} --no-lint --gates {gates}"));
        text(&started["run_id"])
    }

    pub(crate) fn folder(&self) -> PathBuf {
        self.ledger.home.work()
    }

    #[track_caller]
    pub(crate) fn has(&self, file: &str, content: &str) {
        fs::write(self.folder().join(file), content).unwrap();
    }

    /// A call of the binary; its words have no spaces.
    #[track_caller]
    pub(crate) fn call(&self, line: &str) -> Run {
        self.ledger.windlass(&line.split(' ').collect::<Vec<_>>())
    }

    /// The answer of a call that succeeds.
    #[track_caller]
    pub(crate) fn does(&self, line: &str) -> Value {
        self.call(line).run().ok().json()
    }

    /// The same, in one line.
    #[track_caller]
    pub(crate) fn says(&self, line: &str) -> String {
        text(&self.does(line)["done"])
    }

    /// What is said of a check that does not pass.
    #[track_caller]
    pub(crate) fn finds(&self, line: &str) -> String {
        let outcome = self.call(line).run();
        assert_eq!(outcome.code, Some(6), "{outcome}");
        text(&outcome.json()["done"])
    }

    /// The message of a refusal, which changes neither the ledger nor the files.
    #[track_caller]
    pub(crate) fn refuses(&self, line: &str, code: &str) -> String {
        let before = self.everything();
        let outcome = self.call(line).run();
        let exit = if code.ends_with("_not_found") { 4 } else { 3 };
        let error = error_of(&outcome, code, exit);
        assert_eq!(self.everything(), before, "changed by a refusal\n{outcome}");
        text(&error["message"])
    }

    /// The answer to somebody at a terminal.
    #[track_caller]
    pub(crate) fn person(&self, line: &str) -> Value {
        self.call(&format!("{line} --json")).at_terminal(80).ok().json()
    }

    /// What a person decides where gates are enforced, and anybody else.
    #[track_caller]
    pub(crate) fn decides(&self, line: &str) -> String {
        match self.gates {
            Gates::Enforced => text(&self.person(line)["done"]),
            Gates::Attested => self.says(line),
        }
    }

    /// Does a step whose checks pass.
    #[track_caller]
    pub(crate) fn completes(&self, step: u32) {
        assert_eq!(self.says(&format!("run step start {step}")), format!("started step {step}"));
        assert!(self.says(&format!("run step verify {step}")).starts_with("pass"));
    }

    /// How many events there are, and what the files say.
    #[track_caller]
    fn everything(&self) -> (u64, Vec<(String, String)>) {
        (self.ledger.events(), self.files())
    }

    /// The state files and the reports, with their names. What is not in its place yet is none.
    #[track_caller]
    pub(crate) fn files(&self) -> Vec<(String, String)> {
        let mut files = Vec::new();
        for kind in ["state", "reports"] {
            let Ok(found) = fs::read_dir(self.folder().join(".hotl").join(kind)) else { continue };
            for file in found {
                let path = file.unwrap().path();
                if path.file_name().unwrap().to_string_lossy().starts_with('.') {
                    continue;
                }
                let content = fs::read(&path).unwrap_or_default();
                let content = String::from_utf8_lossy(&content).into_owned();
                files.push((path.display().to_string(), content));
            }
        }
        files.sort();
        files
    }

    /// The only file of a kind.
    #[track_caller]
    pub(crate) fn path(&self, kind: &str) -> PathBuf {
        let files = self.files();
        let of_kind = |path: &&String| path.contains(&format!("/.hotl/{kind}/"));
        let found: Vec<&String> = files.iter().map(|(path, _)| path).filter(of_kind).collect();
        assert_eq!(found.len(), 1, "{found:?}");
        PathBuf::from(found[0])
    }

    #[track_caller]
    pub(crate) fn state_text(&self) -> String {
        fs::read_to_string(self.path("state")).unwrap()
    }

    /// What the state file says.
    #[track_caller]
    pub(crate) fn state(&self) -> Value {
        serde_json::from_str(&self.state_text()).unwrap()
    }

    /// What the state file says of a step.
    #[track_caller]
    pub(crate) fn step(&self, number: usize) -> Value {
        self.state()["steps"][number - 1].clone()
    }

    /// What the report says.
    #[track_caller]
    pub(crate) fn report(&self) -> String {
        fs::read_to_string(self.path("reports")).unwrap()
    }

    /// The files are what the ledger says, and the ledger is whole.
    #[track_caller]
    pub(crate) fn agrees(&self) {
        let path = self.path("state");
        let run = path.file_stem().unwrap().to_str().unwrap();
        let should = self.does(&format!("run files --report --run-id {run}"));
        assert_eq!(self.state_text(), text(&should["state"]));
        assert_eq!(self.report(), text(&should["report"]));
        assert_eq!(self.ledger.answer(&["doctor", "--rebuild"])["healthy"], true);
        let folder = path.parent().unwrap();
        assert_eq!(fs::read_dir(folder).unwrap().count(), 1, "something was left behind");
    }

    /// The kinds of all events, in order.
    #[track_caller]
    pub(crate) fn kinds(&self) -> Vec<String> {
        self.ledger.events_after(0).iter().map(|event| text(&event["kind"])).collect()
    }

    /// How many events of a kind there are.
    #[track_caller]
    pub(crate) fn count(&self, kind: &str) -> usize {
        self.kinds().iter().filter(|found| *found == kind).count()
    }
}
