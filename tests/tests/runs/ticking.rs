//! `run exec` and the folder it works in: the checkout that it prepares, and the boxes that it ticks
//! in the workflow file there.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use serde_json::Value;
use windlass_testkit::{Outcome, Run};
use windlass_tests::ledgers::{error_of, text};

use crate::site::{FILE, GATED, Gates, LOW, Site, THREE, workflow};

#[track_caller]
fn site(steps: &str, harness: &str) -> Site {
    let site = Site::empty(Gates::Enforced);
    site.has(FILE, &workflow(LOW, steps));
    site.has("agent.sh", harness);
    site
}

#[track_caller]
fn drives(site: &Site, words: &[&str]) -> Outcome {
    drive(site, words).run()
}

fn drive(site: &Site, words: &[&str]) -> Run {
    let agent = site.folder().join("agent.sh");
    let harness = format!("sh {}", agent.display());
    let line = ["run", "exec", "--harness", &harness];
    let line: Vec<&str> = line.iter().chain(words).copied().collect();
    site.ledger.windlass(&line)
}

/// The marks in the boxes of a file, in order.
#[track_caller]
fn marks(file: &Path) -> String {
    let text = fs::read_to_string(file).unwrap();
    let boxes = text.lines().filter_map(|line| line.strip_prefix("- ["));
    boxes.filter_map(|rest| rest.chars().next()).collect()
}

/// A repository in the folder of the site, with the workflow file in it.
struct Repository {
    site: Site,
}

impl Repository {
    #[track_caller]
    fn new(front: &str, steps: &str, harness: &str) -> Self {
        let repository = Self { site: site(steps, harness) };
        fs::create_dir(repository.root()).unwrap();
        for args in [
            &["init", "--quiet", "-b", "main"][..],
            &["commit", "--quiet", "--allow-empty", "-m", "One"],
        ] {
            repository.git(args);
        }
        fs::write(repository.root().join(FILE), workflow(front, steps)).unwrap();
        repository
    }

    fn root(&self) -> PathBuf {
        fs::canonicalize(self.site.folder()).unwrap().join("api")
    }

    fn worktree(&self) -> PathBuf {
        self.root().parent().unwrap().join(".hotl-worktrees/api/hotl-demo")
    }

    #[track_caller]
    fn git(&self, args: &[&str]) -> String {
        let identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];
        let git = self.site.ledger.home.program("git").args(identity).args(args);
        git.cwd(self.root()).run().ok().stdout
    }

    #[track_caller]
    fn drives(&self, words: &[&str]) -> Outcome {
        drive(&self.site, words).cwd(self.root()).run()
    }
}

const WORKS: &str = "cat > /dev/null; touch one two three\n";

// Boxes

#[test]
fn the_box_of_a_step_is_ticked_when_it_is_done() {
    let site = site(GATED, WORKS);
    let _stopped = drives(&site, &[FILE]);
    assert_eq!(marks(&site.folder().join(FILE)), "x ");
}

#[test]
fn only_marks_change() {
    let site = site("", WORKS);
    let before = workflow(LOW, THREE).replace('\n', "\r\n");
    let before = format!("{before}```\r\n- [ ] **Step 9: Fenced**\r\n```\r\n\tnotes\t\r\n");
    site.has(FILE, &before);
    let path = site.folder().join(FILE);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    let _driven = drives(&site, &[FILE]).ok();
    let mut expected = before;
    for name in ["1: Build", "2: Test", "3: Ship"] {
        expected =
            expected.replace(&format!("- [ ] **Step {name}"), &format!("- [x] **Step {name}"));
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), expected);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn a_tick_is_put_into_the_file_itself_and_no_copy_takes_its_place() {
    let site = site(THREE, WORKS);
    let other = site.folder().join("other.md");
    fs::hard_link(site.folder().join(FILE), &other).unwrap();
    let _driven = drives(&site, &[FILE]).ok();
    assert_eq!(marks(&other), "xxx");
}

#[test]
fn ticks_are_no_change_of_the_workflow() {
    let site = site(GATED, WORKS);
    let driven = drives(&site, &[FILE]);
    site.person("run gate 1 approved");
    let again = drives(&site, &[]).ok();
    for outcome in [driven, again] {
        assert!(!outcome.stderr.contains("changed"), "{outcome}");
    }
}

#[test]
fn marks_that_a_crash_left_out_are_made_up_for() {
    let site = site(GATED, WORKS);
    let _stopped = drives(&site, &[FILE]);
    site.has(FILE, &workflow(LOW, GATED));
    let _stopped = drives(&site, &[]);
    assert_eq!(marks(&site.folder().join(FILE)), "x ");
}

#[test]
fn a_file_that_somebody_changed_is_left_alone_and_that_is_told() {
    let site = site(GATED, WORKS);
    site.begin(FILE);
    let changed = workflow(LOW, GATED).replace("plan it", "plan it well");
    site.has(FILE, &changed);
    let driven = drives(&site, &[]);
    assert_eq!(fs::read_to_string(site.folder().join(FILE)).unwrap(), changed);
    assert_eq!(driven.stderr.matches("the boxes in ").count(), 1, "{driven}");
}

#[test]
fn a_file_outside_the_folder_of_the_run_is_not_touched() {
    let site = site(THREE, WORKS);
    let inside = site.folder().join("inside");
    fs::create_dir(&inside).unwrap();
    let driven = drive(&site, &[&format!("../{FILE}"), "--in-place"]).cwd(inside).run().ok();
    assert_eq!(text(&driven.json()["run"]["status"]), "ready_to_finish");
    assert_eq!(marks(&site.folder().join(FILE)), "   ");
}

#[test]
fn a_file_that_may_not_be_written_is_not_written() {
    let site = site(THREE, WORKS);
    let path = site.folder().join(FILE);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    let driven = drives(&site, &[FILE]).ok();
    assert_eq!(marks(&path), "   ");
    assert!(driven.stderr.contains("the boxes in "), "{driven}");
}

// The checkout

#[test]
fn the_checkout_is_prepared_and_its_copy_of_the_file_ticked() {
    let repository = Repository::new(LOW, THREE, WORKS);
    let driven = repository.drives(&[FILE]).ok().json();
    let worktree = repository.worktree();
    assert_eq!(text(&driven["run"]["folder"]), worktree.display().to_string());
    assert_eq!(driven["execution_root"], driven["run"]["folder"]);
    assert_eq!(text(&driven["run"]["branch"]), "hotl/demo");
    assert_eq!(marks(&worktree.join(FILE)), "xxx");
    assert_eq!(marks(&repository.root().join(FILE)), "   ");
    assert!(!repository.root().join("one").exists());
}

#[test]
fn a_run_in_a_prepared_checkout_knows_where_it_came_from() {
    let repository = Repository::new(LOW, THREE, WORKS);
    let driven = repository.drives(&[FILE]).ok().json();
    let run = text(&driven["run"]["run_id"]);
    let path = repository.worktree().join(format!(".hotl/state/{run}.json"));
    let state: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    assert_eq!(text(&state["source_branch"]), "main");
    assert_eq!(text(&state["repo_root"]), repository.root().display().to_string());
    let source = repository.root().join(FILE).display().to_string();
    assert_eq!(text(&state["source_workflow_path"]), source);
}

/// An agent that does all of it and commits it.
const COMMITS: &str = "cat > /dev/null; touch one two three; git add one two three\n\
                       git -c user.name=Ada -c user.email=ada@example.org commit -qm Work || true\n";

#[test]
fn the_receipt_of_a_run_elsewhere_names_the_commit_that_its_work_ends_at() {
    let repository = Repository::new(LOW, THREE, COMMITS);
    let run = text(&repository.drives(&[FILE]).ok().json()["run"]["run_id"]);
    let ends_at = repository.git(&["rev-parse", "hotl/demo"]);
    let ask = ["run", "receipt", "show", &run, "--json"];
    let receipt = repository.site.ledger.windlass(&ask).cwd(repository.root()).run().ok().json();
    assert_eq!(text(&receipt["run"]["commit_after"]), ends_at.trim());
}

#[test]
fn a_run_of_the_file_that_is_unfinished_is_gone_on_with_and_no_other_is_made() {
    let repository = Repository::new(LOW, GATED, WORKS);
    let first = repository.drives(&[FILE]).json();
    let run = text(&first["run"]["run_id"]);
    let events = repository.site.ledger.events();
    for words in [&[FILE][..], &[FILE, "--in-place"], &[FILE, "--on-existing", "recreate"]] {
        let error = error_of(&repository.drives(words), "run_unfinished", 3);
        let hint = text(&error["hint"]);
        assert!(hint.contains(&format!("windlass run exec --run-id {run} --harness")), "{hint}");
    }
    assert_eq!(repository.site.ledger.events(), events);
    let gate = ["run", "gate", "1", "approved", "--run-id", &run, "--json"];
    let _approved = repository.site.ledger.windlass(&gate).at_terminal(80).ok();
    let driven = repository.drives(&["--run-id", &run]).ok().json();
    assert_eq!(text(&driven["run"]["status"]), "ready_to_finish");
}

#[test]
fn work_that_waits_in_its_worktree_is_finished_before_it_is_begun_again() {
    let repository = Repository::new(LOW, THREE, COMMITS);
    let _driven = repository.drives(&[FILE]).ok();
    let events = repository.site.ledger.events();
    for answer in ["recreate", "reuse"] {
        let refused = repository.drives(&[FILE, "--on-existing", answer]);
        let error = refused.refused("run_unfinished", 3)["error"].clone();
        assert!(text(&error["hint"]).contains("windlass run finish "), "{error}");
    }
    assert_eq!(repository.site.ledger.events(), events);
    assert!(repository.worktree().is_dir());
}

#[test]
fn what_must_be_decided_is_refused_or_said_as_for_prepare() {
    let repository = Repository::new(LOW, THREE, WORKS);
    repository.git(&["switch", "--quiet", "-c", "feature"]);
    let hint = text(&error_of(&repository.drives(&[FILE]), "branch_unclear", 3)["hint"]);
    assert!(hint.contains("windlass run exec --harness 'sh "), "{hint}");
    assert!(hint.contains("--on-feature-branch here"), "{hint}");
    assert_eq!(repository.site.ledger.events(), 0);
    let driven = repository.drives(&[FILE, "--on-feature-branch", "here"]).ok().json();
    assert_eq!(text(&driven["run"]["branch"]), "feature");
    assert_eq!(text(&driven["run"]["folder"]), repository.root().display().to_string());
}

#[test]
fn in_place_no_checkout_is_prepared() {
    let repository = Repository::new(LOW, THREE, WORKS);
    let driven = repository.drives(&[FILE, "--in-place"]).ok().json();
    assert_eq!(text(&driven["run"]["folder"]), repository.root().display().to_string());
    assert!(!repository.worktree().exists());
    assert_eq!(repository.git(&["branch", "--show-current"]), "main\n");
}

#[test]
fn a_file_with_mistakes_prepares_nothing() {
    let repository = Repository::new("risk_level: hihg\n", THREE, WORKS);
    let _refused = error_of(&repository.drives(&[FILE]), "file_invalid", 3);
    assert!(!repository.worktree().exists());
}

// Going on

#[test]
fn a_step_without_checks_that_was_left_is_worked_on_again() {
    let unchecked = "- [ ] **Step 1: Write**\naction: write it\nloop: false\n";
    let site = site(unchecked, WORKS);
    site.begin(FILE);
    site.does("run step start 1");
    let driven = drives(&site, &[]).ok().json();
    assert!(site.folder().join("one").exists());
    assert_eq!(driven["run"]["steps"][0]["attempts"], 1);
}

#[test]
fn a_step_that_may_be_done_already_is_looked_at_first() {
    let site = site(THREE, "cat > /dev/null; touch asked two three\n");
    site.begin(FILE);
    site.does("run step start 1");
    site.has("one", "");
    let driven = drives(&site, &[]).ok();
    assert!(!driven.stderr.contains("→ Step 1"), "{driven}");
}
