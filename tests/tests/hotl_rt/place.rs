//! A folder in which a skill works.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use serde_json::Value;
use windlass_testkit::home::binary;
use windlass_testkit::server::Served;
use windlass_testkit::{Home, Outcome, Run};

pub(crate) const FILE: &str = "hotl-workflow-greeting.md";

/// Three steps: a check that passes, a loop, a gate.
pub(crate) const WORKFLOW: &str = "\
---
intent: Greet everybody
success_criteria: Everybody is greeted
risk_level: low
auto_approve: false
---

## Steps

- [ ] **Step 1: Say hello**
action: Say it
loop: false
verify: echo hello

- [ ] **Step 2: Say it louder**
action: Say it until it is heard
loop: until heard
max_iterations: 2
verify: test -e heard

- [ ] **Step 3: Ask**
action: Ask whether it was enough
loop: false
gate: human
";

/// One step with every budget.
pub(crate) const BUDGETS: &str = "\
---
intent: Spend little
success_criteria: Little is spent
risk_level: low
max_total_attempts: 1
max_agents: 2
max_cost_usd: 1.5
---

- [ ] **Step 1: Spend**
action: Spend
verify: \"true\"

- [ ] **Step 2: Spend more**
action: Spend
verify: \"true\"
";

/// A folder in which a skill works, with a link of the name that it calls.
pub(crate) struct Place {
    pub(crate) home: Home,
    link: PathBuf,
    pub(crate) served: Option<Served>,
}

impl Place {
    #[track_caller]
    pub(crate) fn new() -> Self {
        let home = Home::new();
        let link = home.path().join("hotl-rt");
        symlink(binary(), &link).unwrap();
        let place = Self { home, link, served: None };
        place.write(FILE, WORKFLOW);
        place
    }

    /// The same with the ledger behind a server.
    #[track_caller]
    pub(crate) fn with_a_server() -> Self {
        let place = Self::new();
        let served = Served::start(&place.home, &[]);
        Self { served: Some(served), ..place }
    }

    #[track_caller]
    pub(crate) fn write(&self, file: &str, text: &str) {
        fs::write(self.home.work().join(file), text).unwrap();
    }

    pub(crate) fn rt(&self, args: &[&str]) -> Run {
        self.with_server(self.home.program(&self.link).args(args))
    }

    pub(crate) fn windlass(&self, args: &[&str]) -> Run {
        self.with_server(self.home.windlass(args))
    }

    pub(crate) fn with_server(&self, run: Run) -> Run {
        match &self.served {
            Some(served) => run.env("WINDLASS_SERVER", served.url("")),
            None => run,
        }
    }

    /// What a call answers that succeeds, without the end of the line.
    #[track_caller]
    pub(crate) fn ok(&self, args: &[&str]) -> String {
        let outcome = self.rt(args).run().ok();
        assert_eq!(outcome.stderr, "", "{outcome}");
        outcome.stdout.trim_end().to_owned()
    }

    #[track_caller]
    pub(crate) fn json(&self, args: &[&str]) -> Value {
        self.rt(args).run().ok().json()
    }

    /// What a call says on stderr that is refused.
    #[track_caller]
    pub(crate) fn refused(&self, args: &[&str]) -> String {
        error(&self.rt(args).run())
    }

    #[track_caller]
    pub(crate) fn init(&self, file: &str) -> String {
        self.ok(&["init", file])
    }

    #[track_caller]
    pub(crate) fn state_file(&self, run: &str) -> PathBuf {
        self.home.work().join(format!(".hotl/state/{run}.json"))
    }

    #[track_caller]
    pub(crate) fn state(&self, run: &str) -> Value {
        serde_json::from_str(&fs::read_to_string(self.state_file(run)).unwrap()).unwrap()
    }

    /// Changes the state file as another hand would.
    #[track_caller]
    pub(crate) fn edit(&self, run: &str, change: impl Fn(&mut Value)) {
        let mut state = self.state(run);
        change(&mut state);
        fs::write(self.state_file(run), serde_json::to_string(&state).unwrap()).unwrap();
    }

    #[track_caller]
    pub(crate) fn report(&self, run: &str) -> String {
        let path = self.home.work().join(format!(".hotl/reports/{run}.md"));
        fs::read_to_string(path).unwrap()
    }

    /// Goes through the first two steps.
    #[track_caller]
    pub(crate) fn work(&self) {
        self.write("heard", "");
        for step in ["1", "2"] {
            self.ok(&["step", step, "start"]);
            self.ok(&["step", step, "verify"]);
        }
    }

    /// Goes up to where only `finish` is left.
    #[track_caller]
    pub(crate) fn finalize(&self) {
        self.work();
        self.ok(&["step", "3", "start"]);
        self.ok(&["step", "3", "verify"]);
        self.ok(&["gate", "3", "approved"]);
        self.ok(&["finalize"]);
    }
}

/// The one error of a call that was refused, as HOTL tells it.
#[track_caller]
pub(crate) fn error(outcome: &Outcome) -> String {
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(1), ""), "{outcome}");
    assert!(outcome.stderr.starts_with("ERROR: "), "{outcome}");
    outcome.stderr.trim_start_matches("ERROR: ").trim_end().to_owned()
}

/// The keys of the first level of a document, in their order.
pub(crate) fn keys(document: &str) -> Vec<&str> {
    let lines = document.lines().filter_map(|line| line.strip_prefix("  \""));
    lines.filter_map(|line| line.split_once('"')).map(|(key, _)| key).collect()
}
