//! `run prepare` with git itself: every row of the preflight, and repositories in odd states.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "an answer of another shape ends its test"
)]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Barrier;
use std::thread;

use serde_json::{Value, json};
use windlass_testkit::{Home, Outcome, Run};

const FILE: &str = "hotl-workflow-add-auth.md";
const STEPS: &str = "---\n\n- [ ] **Step 1: Work**\naction: Work\nloop: false\nverify: true\n";

/// A home with a repository in it, `api`.
struct Scene {
    home: Home,
}

impl Scene {
    /// Without a commit, with a workflow file that nobody has added.
    fn unborn() -> Self {
        let scene = Self { home: Home::new() };
        fs::create_dir(scene.root()).unwrap();
        let _made = scene.git(&["init", "--quiet", "-b", "main"]);
        scene.has_workflow("");
        scene
    }

    /// With one commit on `main`.
    fn new() -> Self {
        let scene = Self::unborn();
        scene.has("file", "one\n");
        let _added = scene.git(&["add", "file"]);
        let _made = scene.git(&["commit", "--quiet", "-m", "One"]);
        scene
    }

    /// On another branch than `main`.
    fn on(branch: &str) -> Self {
        let scene = Self::new();
        let _switched = scene.git(&["switch", "--quiet", "-c", branch]);
        scene
    }

    /// The top of the repository, as git names it.
    fn root(&self) -> PathBuf {
        fs::canonicalize(self.home.work()).unwrap().join("api")
    }

    fn worktree(&self, folder: &str) -> PathBuf {
        self.root().parent().unwrap().join(".hotl-worktrees/api").join(folder)
    }

    fn has(&self, name: &str, content: &str) {
        let path = self.root().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// The workflow file, with more lines in its frontmatter.
    fn has_workflow(&self, more: &str) {
        self.has(FILE, &workflow(more));
    }

    fn has_hook(&self, name: &str, script: &str) {
        let path = format!(".git/hooks/{name}");
        self.has(&path, &format!("#!/bin/sh\n{script}\n"));
        fs::set_permissions(self.root().join(path), fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[track_caller]
    fn git(&self, args: &[&str]) -> String {
        self.git_in(&self.root(), args)
    }

    #[track_caller]
    fn git_in(&self, folder: &Path, args: &[&str]) -> String {
        let identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];
        let allowed = ["-c", "protocol.file.allow=always"];
        let run = self.home.program("git").args(identity).args(allowed).args(args).cwd(folder);
        run.run().ok().stdout.trim().to_owned()
    }

    fn commits(&self, name: &str) {
        self.has(name, name);
        let _added = self.git(&["add", name]);
        let _made = self.git(&["commit", "--quiet", "-m", name]);
    }

    /// `run prepare` at the top of the repository.
    fn asks(&self, args: &[&str]) -> Run {
        self.asks_in(&self.root(), args)
    }

    fn asks_in(&self, folder: &Path, args: &[&str]) -> Run {
        self.home.windlass(&["run", "prepare", FILE]).args(args).cwd(folder)
    }

    #[track_caller]
    fn prepared(&self, args: &[&str]) -> Value {
        self.asks(args).args(["--json"]).run().ok().json()
    }

    #[track_caller]
    fn refused(&self, args: &[&str], code: &str) -> Value {
        refused(&self.asks(args).args(["--json"]).run(), code)
    }

    fn head(&self) -> String {
        self.git(&["rev-parse", "HEAD"])
    }

    fn branches(&self) -> String {
        self.git(&["for-each-ref", "--format=%(refname)"])
    }

    /// All that a preflight could leave behind.
    fn state(&self) -> [String; 5] {
        let beside = self.home.work().join(".hotl-worktrees");
        [
            self.branches(),
            self.git(&["worktree", "list"]),
            self.git(&["status", "--porcelain", "--branch"]),
            self.git(&["stash", "list"]),
            format!("{}", beside.exists()),
        ]
    }
}

#[track_caller]
fn refused(outcome: &Outcome, code: &str) -> Value {
    outcome.refused(code, 3)["error"].clone()
}

fn workflow(more: &str) -> String {
    format!("---\nintent: Add auth\nsuccess_criteria: Tests pass\nrisk_level: low\n{more}{STEPS}")
}

fn said(error: &Value, field: &str) -> String {
    error[field].as_str().unwrap().to_owned()
}

fn text(path: &Path) -> Value {
    Value::from(path.to_str().unwrap())
}

// The rows of the preflight

#[test]
fn preflight_not_a_git_repo() {
    let home = Home::new();
    let folder = fs::canonicalize(home.work()).unwrap();
    fs::write(folder.join(FILE), workflow("")).unwrap();
    let run = home.windlass(&["run", "prepare", FILE, "--json", "--executor-mode", "subagent"]);
    let outcome = run.run().ok();
    let expected = json!({
        "branch": "hotl/add-auth",
        "executor_mode": "subagent",
        "repo_root": text(&folder),
        "execution_root": text(&folder),
        "workflow_path": text(&folder.join(FILE)),
        "source_workflow_path": text(&folder.join(FILE)),
        "source_branch": null,
        "source_head": null,
        "worktree_path": null,
    });
    assert_eq!(outcome.json(), expected);
    assert_eq!(outcome.stderr, "Skipping branch setup (no git history)\n");
}

#[test]
fn preflight_git_no_commit() {
    let scene = Scene::unborn();
    scene.has("uncommitted", "work");
    let outcome = scene.asks(&["--json"]).run().ok();
    let answer = outcome.json();
    assert_eq!(answer["repo_root"], text(&scene.root()));
    assert_eq!(answer["execution_root"], text(&scene.root()));
    assert_eq!(answer["source_branch"], "main");
    assert_eq!(answer["source_head"], Value::Null);
    assert_eq!(answer["worktree_path"], Value::Null);
    assert_eq!(outcome.stderr, "Skipping branch setup (no git history)\n");
}

#[test]
fn preflight_main_nothing_pinned() {
    let scene = Scene::new();
    let worktree = scene.worktree("hotl-add-auth");
    let expected = json!({
        "branch": "hotl/add-auth",
        "executor_mode": "loop",
        "repo_root": text(&scene.root()),
        "execution_root": text(&worktree),
        "workflow_path": text(&worktree.join(FILE)),
        "source_workflow_path": text(&scene.root().join(FILE)),
        "source_branch": "main",
        "source_head": scene.head(),
        "worktree_path": text(&worktree),
    });
    assert_eq!(scene.prepared(&[]), expected);
    assert_eq!(fs::read_to_string(worktree.join(FILE)).unwrap(), workflow(""));
    assert_eq!(scene.git_in(&worktree, &["branch", "--show-current"]), "hotl/add-auth");
    assert_eq!(scene.git(&["branch", "--show-current"]), "main");
}

#[test]
fn preflight_the_keys_are_in_the_order_that_is_expected() {
    let stdout = Scene::new().asks(&["--json"]).run().ok().stdout;
    let keys = [
        "branch",
        "executor_mode",
        "repo_root",
        "execution_root",
        "workflow_path",
        "source_workflow_path",
        "source_branch",
        "source_head",
        "worktree_path",
    ];
    let places: Vec<usize> =
        keys.iter().map(|key| stdout.find(&format!("\"{key}\":")).unwrap()).collect();
    assert!(places.is_sorted(), "{stdout}");
}

#[test]
fn preflight_a_workflow_file_in_a_folder_is_copied_to_the_same_folder() {
    let scene = Scene::new();
    let file = "docs/plans/2026-11-16-add-auth-workflow.md";
    scene.has(file, &workflow(""));
    let run = scene.home.windlass(&["run", "prepare", "2026-11-16-add-auth-workflow.md", "--json"]);
    let answer = run.cwd(scene.root().join("docs/plans")).run().ok().json();
    assert_eq!(answer["workflow_path"], text(&scene.worktree("hotl-add-auth").join(file)));
    assert_eq!(answer["repo_root"], text(&scene.root()));
}

#[test]
fn preflight_feature_branch_nothing_pinned_is_asked_about() {
    let scene = Scene::on("feature/login");
    let before = scene.state();
    let error = scene.refused(&[], "branch_unclear");
    let hint = said(&error, "hint");
    for way in ["here", "isolated", "NAME"] {
        assert!(hint.contains(way), "{hint}");
    }
    assert_eq!(scene.state(), before);
}

#[test]
fn preflight_feature_branch_here() {
    let scene = Scene::on("feature/login");
    let answer = scene.prepared(&["--on-feature-branch", "here"]);
    assert_eq!(answer["branch"], "feature/login");
    assert_eq!(answer["execution_root"], text(&scene.root()));
    assert_eq!(answer["worktree_path"], Value::Null);
}

#[test]
fn preflight_feature_branch_isolated() {
    let scene = Scene::on("feature/login");
    let answer = scene.prepared(&["--on-feature-branch", "isolated"]);
    assert_eq!(answer["branch"], "hotl/add-auth");
    assert_eq!(answer["source_branch"], "feature/login");
    assert_eq!(answer["worktree_path"], text(&scene.worktree("hotl-add-auth")));
}

#[test]
fn preflight_feature_branch_with_a_name_of_its_own() {
    let scene = Scene::on("feature/login");
    let answer = scene.prepared(&["--on-feature-branch", "feat/own-name"]);
    assert_eq!(answer["branch"], "feat/own-name");
    assert_eq!(answer["worktree_path"], text(&scene.worktree("feat-own-name")));
}

#[test]
fn preflight_a_person_at_a_terminal_is_asked_about_a_feature_branch() {
    let scene = Scene::on("feature/login");
    let outcome = scene.asks(&[]).stdin("isolated\n").at_terminal(200).ok();
    assert!(outcome.stdout.contains("isolated: on hotl/add-auth"), "{outcome}");
    assert!(scene.worktree("hotl-add-auth").join(FILE).is_file());
}

#[test]
fn preflight_a_person_who_chooses_nothing_gets_the_refusal() {
    let scene = Scene::on("feature/login");
    let before = scene.state();
    let outcome = scene.asks(&[]).stdin("\n").at_terminal(200);
    assert_eq!(outcome.code, Some(3), "{outcome}");
    assert_eq!(scene.state(), before);
}

/// What is shown to a person on a feature branch who types these lines, and whether anything was done.
#[track_caller]
fn typed(lines: &[&str]) -> (Outcome, bool) {
    let scene = Scene::on("feature/login");
    let before = scene.state();
    let input = lines.join("\n") + "\n";
    let outcome = scene.asks(&[]).stdin(input).at_terminal(200);
    (outcome, scene.state() != before)
}

#[test]
fn preflight_a_person_who_slips_is_asked_again() {
    for (slip, meant) in [("isolatd", "isolated"), ("h", "here"), ("stp", "stop")] {
        let (outcome, is_changed) = typed(&[slip, "q"]);
        assert!(outcome.stdout.contains(&format!("did you mean {meant}?")), "{outcome}");
        assert_eq!((outcome.code, is_changed), (Some(3), false), "{outcome}");
    }
}

#[test]
fn preflight_a_person_who_quits_gets_the_refusal() {
    for word in ["q", "quit", "stop", "no", ""] {
        let (outcome, is_changed) = typed(&[word]);
        assert_eq!((outcome.code, is_changed), (Some(3), false), "{word:?}: {outcome}");
    }
}

#[test]
fn preflight_a_person_names_a_branch_that_git_takes_and_says_that_it_is_meant() {
    let (outcome, is_changed) = typed(&["feat..x", "feat/y", "n", "feat/z", "y"]);
    assert!(outcome.stdout.contains("git takes no branch of the name 'feat..x'"), "{outcome}");
    assert!(outcome.stdout.contains("work on the branch 'feat/y'"), "{outcome}");
    assert!(outcome.stdout.contains("a worktree is ready on feat/z"), "{outcome}");
    assert!(is_changed);
}

#[test]
fn preflight_a_person_who_slips_about_an_existing_branch_is_asked_again() {
    let scene = Scene::new();
    let _made = scene.git(&["branch", "hotl/add-auth"]);
    let outcome = scene.asks(&[]).stdin("resue\nwhat\nreuse\n").at_terminal(200).ok();
    assert!(outcome.stdout.contains("did you mean reuse?"), "{outcome}");
    assert!(outcome.stdout.contains("'what' is none of these"), "{outcome}");
    assert!(scene.worktree("hotl-add-auth").join(FILE).is_file());
}

fn linked(scene: &Scene, args: &[&str]) -> PathBuf {
    let folder = scene.root().parent().unwrap().join("beside");
    let all = [&["worktree", "add", "--quiet"], args].concat();
    let _added = scene.git(&all);
    fs::write(folder.join(FILE), workflow("")).unwrap();
    folder
}

#[test]
fn preflight_named_linked_worktree_nothing_pinned() {
    let scene = Scene::new();
    let folder = linked(&scene, &["-b", "feature/login", "../beside"]);
    let answer = scene.asks_in(&folder, &["--json"]).run().ok().json();
    assert_eq!(answer["branch"], "feature/login");
    assert_eq!(answer["execution_root"], text(&folder));
    assert_eq!(answer["repo_root"], text(&folder));
    assert_eq!(answer["worktree_path"], Value::Null);
}

#[test]
fn preflight_detached_linked_worktree_nothing_pinned() {
    let scene = Scene::new();
    let folder = linked(&scene, &["--detach", "../beside"]);
    let answer = scene.asks_in(&folder, &["--json"]).run().ok().json();
    assert_eq!(answer["branch"], "hotl/add-auth");
    assert_eq!(answer["source_branch"], Value::Null);
    assert_eq!(answer["source_head"], scene.head());
    assert_eq!(answer["worktree_path"], text(&scene.worktree("hotl-add-auth")));
}

#[test]
fn preflight_worktree_host() {
    let scene = Scene::on("feature/login");
    scene.has_workflow("worktree: host\n");
    let answer = scene.prepared(&[]);
    assert_eq!(answer["branch"], "feature/login");
    assert_eq!(answer["execution_root"], text(&scene.root()));
}

#[test]
fn preflight_worktree_host_on_main() {
    let scene = Scene::new();
    scene.has_workflow("worktree: host\n");
    let error = scene.refused(&[], "checkout_unfit");
    assert_eq!(error["message"], "`worktree: host` needs a feature branch, and this is 'main'");
}

#[test]
fn preflight_worktree_host_on_detached_head() {
    let scene = Scene::new();
    let _detached = scene.git(&["switch", "--quiet", "--detach"]);
    scene.has_workflow("worktree: host\n");
    let error = scene.refused(&[], "checkout_unfit");
    assert!(said(&error, "message").contains("none is checked out"), "{error}");
}

#[test]
fn preflight_worktree_host_when_branch_differs() {
    let scene = Scene::on("feature/login");
    scene.has_workflow("worktree: host\nbranch: feat/other\n");
    let error = scene.refused(&[], "checkout_unfit");
    assert!(said(&error, "message").contains("'feat/other', and this is 'feature/login'"));
}

#[test]
fn preflight_worktree_false() {
    let scene = Scene::new();
    scene.has_workflow("worktree: false\n");
    let answer = scene.prepared(&[]);
    assert_eq!(answer["branch"], "hotl/add-auth");
    assert_eq!(answer["execution_root"], text(&scene.root()));
    assert_eq!(answer["source_branch"], "main");
    assert_eq!(scene.git(&["branch", "--show-current"]), "hotl/add-auth");
}

#[test]
fn preflight_worktree_false_when_the_branch_exists() {
    let scene = Scene::new();
    scene.has_workflow("worktree: false\n");
    let _made = scene.git(&["branch", "hotl/add-auth"]);
    let before = scene.state();
    let error = scene.refused(&[], "branch_exists");
    assert!(said(&error, "message").starts_with("branch 'hotl/add-auth' exists"), "{error}");
    assert_eq!(scene.state(), before);
}

#[test]
fn preflight_worktree_false_with_an_existing_branch_reused() {
    let scene = Scene::new();
    let _made = scene.git(&["switch", "--quiet", "-c", "hotl/add-auth"]);
    scene.commits("theirs");
    let _back = scene.git(&["switch", "--quiet", "main"]);
    scene.has_workflow("worktree: false\n");
    let answer = scene.prepared(&["--on-existing", "reuse"]);
    assert_eq!(answer["source_branch"], "main");
    assert!(scene.root().join("theirs").is_file());
}

#[test]
fn preflight_worktree_false_with_an_existing_branch_recreated() {
    let scene = Scene::new();
    let _made = scene.git(&["switch", "--quiet", "-c", "hotl/add-auth"]);
    scene.commits("theirs");
    let old = scene.head();
    let _back = scene.git(&["switch", "--quiet", "main"]);
    scene.has_workflow("worktree: false\n");
    let answer = scene.prepared(&["--on-existing", "recreate"]);
    assert_eq!(scene.git(&["rev-parse", answer["rescue"].as_str().unwrap()]), old);
    assert_eq!(scene.git(&["branch", "--show-current"]), "hotl/add-auth");
    assert!(!scene.root().join("theirs").exists());
}

#[test]
fn preflight_worktree_false_and_the_branch_is_current() {
    let scene = Scene::on("feature/login");
    scene.has_workflow("worktree: false\nbranch: feature/login\n");
    let answer = scene.prepared(&[]);
    assert_eq!(answer["branch"], "feature/login");
    assert_eq!(scene.git(&["branch", "--show-current"]), "feature/login");
}

#[test]
fn preflight_worktree_true_and_branch_is_the_current_branch() {
    let scene = Scene::on("feature/login");
    scene.has_workflow("worktree: true\nbranch: feature/login\n");
    let hint = said(&scene.refused(&[], "checkout_unfit"), "hint");
    assert!(hint.contains("`worktree: false` or `worktree: host`"), "{hint}");
}

#[test]
fn preflight_worktree_path_exists() {
    let scene = Scene::new();
    fs::create_dir_all(scene.worktree("hotl-add-auth")).unwrap();
    for args in [&[][..], &["--on-existing", "recreate"]] {
        let error = scene.refused(args, "checkout_unfit");
        assert!(said(&error, "message").contains(".hotl-worktrees/api/hotl-add-auth is there"));
    }
    assert_eq!(scene.git(&["branch", "--list", "hotl/*"]), "");
}

#[test]
fn preflight_branch_exists_path_does_not() {
    let scene = Scene::new();
    let _made = scene.git(&["branch", "hotl/add-auth"]);
    let before = scene.state();
    for args in [&[][..], &["--on-existing", "fail"]] {
        let hint = said(&scene.refused(args, "branch_exists"), "hint");
        for way in ["--on-existing reuse", "--on-existing recreate", "yourself"] {
            assert!(hint.contains(way), "{hint}");
        }
    }
    assert_eq!(scene.state(), before);
}

#[test]
fn preflight_branch_exists_and_is_reused() {
    let scene = Scene::new();
    let _made = scene.git(&["branch", "hotl/add-auth"]);
    let _first = scene.prepared(&["--on-existing", "reuse"]);
    let worktree = scene.worktree("hotl-add-auth");
    fs::write(worktree.join("half-done"), "work").unwrap();
    let answer = scene.prepared(&["--on-existing", "reuse"]);
    assert_eq!(answer["worktree_path"], text(&worktree));
    assert!(worktree.join("half-done").is_file());
}

#[test]
fn preflight_branch_exists_and_is_recreated_with_its_head_kept() {
    let scene = Scene::new();
    let _first = scene.prepared(&[]);
    let worktree = scene.worktree("hotl-add-auth");
    let _made = scene.git_in(&worktree, &["commit", "--quiet", "--allow-empty", "-m", "Two"]);
    let old = scene.git_in(&worktree, &["rev-parse", "HEAD"]);
    let answer = scene.prepared(&["--on-existing", "recreate"]);
    let rescue = answer["rescue"].as_str().unwrap();
    assert!(rescue.starts_with("refs/windlass/rescue/hotl-add-auth-"), "{rescue}");
    assert_eq!(scene.git(&["rev-parse", rescue]), old);
    assert_eq!(scene.git_in(&worktree, &["rev-parse", "HEAD"]), scene.head());
}

#[test]
fn preflight_branch_exists_and_is_not_recreated_while_a_run_works_in_its_worktree() {
    let scene = Scene::new();
    let _first = scene.prepared(&[]);
    let worktree = scene.worktree("hotl-add-auth");
    let _at_work = scene.home.windlass(&["run", "start", FILE]).cwd(&worktree).run().ok();
    let error = scene.refused(&["--on-existing", "recreate"], "run_unfinished");
    assert!(worktree.is_dir());
    // What the hint names ends that run, and then the branch begins again.
    let hint = said(&error, "hint");
    let (_, commands) = hint.split_once(&format!("cd {} && ", worktree.display())).unwrap();
    for command in commands.split(" && windlass ") {
        let words = command.trim_start_matches("windlass ").split(' ');
        let confirmed = command.contains("discard").then_some(["--confirm", "discard"]);
        let words: Vec<&str> = words.chain(confirmed.into_iter().flatten()).collect();
        let _done = scene.home.windlass(&words).cwd(&worktree).run().ok();
    }
    let _again = scene.prepared(&[]);
}

#[test]
fn preflight_uncommitted_work_in_a_worktree_is_not_recreated_away() {
    let scene = Scene::new();
    let _first = scene.prepared(&[]);
    let worktree = scene.worktree("hotl-add-auth");
    fs::write(worktree.join("half-done"), "work").unwrap();
    let error = scene.refused(&["--on-existing", "recreate"], "uncommitted_changes");
    assert!(said(&error, "message").contains("half-done"), "{error}");
    assert!(worktree.join("half-done").is_file());
}

#[test]
fn preflight_a_person_at_a_terminal_is_asked_about_an_existing_branch() {
    let scene = Scene::new();
    let _made = scene.git(&["branch", "hotl/add-auth"]);
    let outcome = scene.asks(&[]).stdin("reuse\n").at_terminal(200).ok();
    assert!(outcome.stdout.contains("recreate: begin it again"), "{outcome}");
    assert!(scene.worktree("hotl-add-auth").join(FILE).is_file());
}

#[test]
fn preflight_git_worktree_add_fails_and_says_why() {
    let scene = Scene::new();
    // No branch can be below another.
    let _made = scene.git(&["branch", "hotl"]);
    let before = scene.state();
    let error = scene.refused(&[], "git_refused");
    let message = said(&error, "message");
    assert!(message.starts_with("git worktree add failed: "), "{message}");
    assert!(message.contains("'refs/heads/hotl' exists"), "{message}");
    assert_eq!(scene.state(), before);
}

#[test]
fn preflight_bad_worktree_word() {
    let scene = Scene::new();
    scene.has_workflow("worktree: yes please\n");
    let before = scene.state();
    let error = scene.refused(&[], "file_invalid");
    assert!(said(&error, "message").contains("worktree must be true, false, or host"), "{error}");
    assert_eq!(scene.state(), before);
}

#[test]
fn preflight_lint_comes_before_any_git_mutation() {
    let scene = Scene::new();
    scene.has(FILE, "# No frontmatter\n");
    let before = scene.state();
    let hint = said(&scene.refused(&[], "file_invalid"), "hint");
    assert!(hint.contains("windlass run lint "), "{hint}");
    assert_eq!(scene.state(), before);
}

#[test]
fn preflight_workflow_outside_the_repo() {
    let scene = Scene::new();
    fs::write(scene.home.work().join(FILE), workflow("")).unwrap();
    let run = scene.home.windlass(&["run", "prepare", "../hotl-workflow-add-auth.md", "--json"]);
    let error = refused(&run.cwd(scene.root()).run(), "checkout_unfit");
    assert!(said(&error, "message").contains("is outside of the repository"), "{error}");
}

// Changes that are not committed

#[test]
fn preflight_dirty_files_stop_with_three_ways_on() {
    let scene = Scene::new();
    scene.has("file", "two\n");
    scene.has("new/untracked", "x");
    let before = scene.state();
    let error = scene.refused(&[], "uncommitted_changes");
    let expected = "Non-HOTL dirty files block execution.\n  file\n  new/untracked";
    assert_eq!(error["message"], expected);
    let hint = said(&error, "hint");
    for way in ["clean up", "`git stash -u`", "--stash"] {
        assert!(hint.contains(way), "{hint}");
    }
    assert_eq!(scene.state(), before);
}

#[test]
fn preflight_files_of_hotl_are_not_dirty() {
    let scene = Scene::new();
    for name in [
        "hotl-workflow-other.md",
        "docs/plans/2026-11-16-x-workflow.md",
        "docs/plans/x-design.md",
        "docs/plans/x-plan.md",
        "docs/designs/y.md",
        ".hotl/state/z.json",
    ] {
        scene.has(name, "x");
    }
    let _prepared = scene.prepared(&[]);
}

#[test]
fn preflight_dirty_worktree_allow() {
    let scene = Scene::new();
    scene.has_workflow("dirty_worktree: allow # they belong to it\n");
    scene.has("file", "two\n");
    let answer = scene.prepared(&[]);
    let worktree = PathBuf::from(answer["worktree_path"].as_str().unwrap());
    assert_eq!(fs::read_to_string(worktree.join("file")).unwrap(), "one\n");
}

#[test]
fn preflight_stash_records_the_commit_that_keeps_the_changes() {
    let scene = Scene::new();
    scene.has("file", "two\n");
    scene.has("new", "x");
    let answer = scene.prepared(&["--stash"]);
    let stash = answer["stash"].as_str().unwrap();
    assert_eq!(scene.git(&["rev-parse", "refs/stash"]), stash);
    assert_eq!(scene.git(&["status", "--porcelain"]), format!("?? {FILE}"));
    let _applied = scene.git(&["stash", "apply", stash]);
    assert_eq!(fs::read_to_string(scene.root().join("file")).unwrap(), "two\n");
}

/// Drives a run from the top of the repository; what it said, and the run as it is shown.
#[track_caller]
fn driven(scene: &Scene, args: &[&str]) -> (String, Value) {
    let exec = ["run", "exec", FILE, "--harness", "true", "--json"];
    let driven = scene.home.windlass(&exec).args(args).cwd(scene.root()).run().ok();
    let run = driven.json()["run"]["run"].as_str().unwrap().to_owned();
    let shown = scene.home.windlass(&["run", "show", &run, "--json"]).cwd(scene.root());
    (driven.stderr.clone(), shown.run().ok().json())
}

#[test]
fn preflight_what_a_driven_run_put_aside_is_told_and_kept_with_it() {
    let scene = Scene::new();
    scene.has("file", "two\n");
    let (told, run) = driven(&scene, &["--stash"]);
    let stash = scene.git(&["rev-parse", "refs/stash"]);
    assert!(told.contains(&format!("git stash apply {stash}")), "{told}");
    assert_eq!(run["stash"], stash);
}

#[test]
fn preflight_what_the_branch_of_a_driven_run_held_before_is_told_and_kept_with_it() {
    let scene = Scene::new();
    let _first = scene.prepared(&[]);
    let worktree = scene.worktree("hotl-add-auth");
    let _made = scene.git_in(&worktree, &["commit", "--quiet", "--allow-empty", "-m", "Two"]);
    let old = scene.git_in(&worktree, &["rev-parse", "HEAD"]);
    let (told, run) = driven(&scene, &["--on-existing", "recreate"]);
    let rescue = run["rescue"].as_str().unwrap();
    assert!(told.contains(rescue), "{told}");
    assert_eq!(scene.git(&["rev-parse", rescue]), old);
}

#[test]
fn preflight_nothing_is_stashed_where_nothing_is_dirty() {
    let scene = Scene::new();
    let answer = scene.prepared(&["--stash"]);
    assert_eq!(answer.get("stash"), None);
    assert_eq!(scene.git(&["stash", "list"]), "");
}

#[test]
fn preflight_a_person_at_a_terminal_may_stash() {
    let scene = Scene::new();
    scene.has("file", "two\n");
    let outcome = scene.asks(&[]).stdin("stash\n").at_terminal(200).ok();
    assert!(outcome.stdout.contains("put aside"), "{outcome}");
}

#[test]
fn preflight_what_was_stashed_comes_back_when_a_later_step_fails() {
    let scene = Scene::new();
    let _made = scene.git(&["branch", "hotl"]);
    scene.has("file", "two\n");
    scene.has("new", "x");
    let before = scene.state();
    let _refused = scene.refused(&["--stash"], "git_refused");
    assert_eq!(scene.state(), before);
    assert_eq!(fs::read_to_string(scene.root().join("file")).unwrap(), "two\n");
}

#[test]
fn preflight_names_with_spaces_line_breaks_and_letters_of_all_kinds() {
    let scene = Scene::new();
    let names = ["a b", "line\nbreak", "süß ✓", "-x", "*", "\"quoted\""];
    for name in names {
        scene.has(name, "x");
    }
    let error = scene.refused(&[], "uncommitted_changes");
    let mut files: Vec<&str> =
        error["details"]["files"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    files.sort_unstable();
    let mut expected = names.to_vec();
    expected.sort_unstable();
    assert_eq!(files, expected);
    let _prepared = scene.prepared(&["--stash"]);
    assert_eq!(scene.git(&["status", "--porcelain"]), format!("?? {FILE}"));
}

#[test]
fn preflight_a_renamed_file_is_dirty_by_both_names() {
    let scene = Scene::new();
    let _moved = scene.git(&["mv", "file", "moved"]);
    let error = scene.refused(&[], "uncommitted_changes");
    assert_eq!(error["details"]["files"], json!(["file", "moved"]));
    let answer = scene.prepared(&["--stash"]);
    assert!(scene.root().join("file").is_file() && answer["stash"].is_string());
}

// Repositories in odd states

#[test]
fn odd_a_bare_repository_is_refused() {
    let scene = Scene::new();
    let bare = scene.home.work().join("bare.git");
    let _made = scene.git(&["clone", "--quiet", "--bare", ".", bare.to_str().unwrap()]);
    fs::write(bare.join(FILE), workflow("")).unwrap();
    let error = refused(&scene.asks_in(&bare, &["--json"]).run(), "checkout_unfit");
    assert!(said(&error, "message").ends_with("is a repository without a checkout"), "{error}");
}

#[test]
fn odd_a_worktree_of_a_bare_repository_has_its_worktrees_beside_the_repository() {
    let scene = Scene::new();
    let bare = scene.home.work().join("store.git");
    let _made = scene.git(&["clone", "--quiet", "--bare", ".", bare.to_str().unwrap()]);
    let folder = scene.home.work().join("checkout");
    let _added =
        scene.git_in(&bare, &["worktree", "add", "--quiet", folder.to_str().unwrap(), "main"]);
    fs::write(folder.join(FILE), workflow("")).unwrap();
    let answer = scene.asks_in(&folder, &["--json"]).run().ok().json();
    let path = said(&answer, "worktree_path");
    assert!(path.ends_with("work/.hotl-worktrees/store/hotl-add-auth"), "{path}");
}

#[test]
fn odd_a_submodule_has_its_worktrees_outside_of_the_superproject() {
    let scene = Scene::new();
    let outer = scene.root().parent().unwrap().join("outer");
    let _made = scene.git_in(&scene.home.work(), &["init", "--quiet", "outer"]);
    let _added = scene.git_in(&outer, &["submodule", "--quiet", "add", "../api", "inner"]);
    let _committed = scene.git_in(&outer, &["commit", "--quiet", "-m", "One"]);
    fs::write(outer.join("inner").join(FILE), workflow("")).unwrap();
    let answer = scene.asks_in(&outer.join("inner"), &["--json"]).run().ok().json();
    assert_eq!(answer["repo_root"], text(&outer.join("inner")));
    let beside = outer.parent().unwrap().join(".hotl-worktrees/inner/hotl-add-auth");
    assert_eq!(answer["worktree_path"], text(&beside));
    assert!(!scene.git_in(&outer, &["status", "--porcelain"]).contains("??"));
}

#[test]
fn odd_a_worktree_that_was_deleted_by_hand_is_made_again() {
    let scene = Scene::new();
    let _first = scene.prepared(&[]);
    fs::remove_dir_all(scene.worktree("hotl-add-auth")).unwrap();
    let _asked = scene.refused(&[], "branch_exists");
    let _again = scene.prepared(&["--on-existing", "reuse"]);
    assert!(scene.worktree("hotl-add-auth").join("file").is_file());
}

#[test]
fn odd_a_branch_that_is_checked_out_elsewhere_is_refused() {
    let scene = Scene::new();
    let _added = scene.git(&["worktree", "add", "--quiet", "-b", "hotl/add-auth", "../beside"]);
    for args in [&[][..], &["--on-existing", "recreate"], &["--on-existing", "reuse"]] {
        let error = scene.refused(args, "checkout_unfit");
        assert!(said(&error, "message").contains("is checked out at"), "{error}");
    }
}

#[test]
fn odd_a_branch_whose_other_worktree_was_deleted_by_hand_is_free() {
    let scene = Scene::new();
    let _added = scene.git(&["worktree", "add", "--quiet", "-b", "hotl/add-auth", "../beside"]);
    fs::remove_dir_all(scene.home.work().join("beside")).unwrap();
    let _again = scene.prepared(&["--on-existing", "reuse"]);
}

#[test]
fn odd_a_locked_index_stops_a_switch_and_changes_nothing() {
    let scene = Scene::new();
    scene.has_workflow("worktree: false\n");
    scene.has(".git/index.lock", "");
    let branches = scene.branches();
    let message = said(&scene.refused(&[], "git_refused"), "message");
    assert!(message.contains("index.lock': File exists"), "{message}");
    assert_eq!(scene.branches(), branches);
}

#[test]
fn odd_a_locked_index_is_no_matter_to_a_new_worktree() {
    let scene = Scene::new();
    scene.has(".git/index.lock", "");
    let _prepared = scene.prepared(&[]);
}

#[test]
fn odd_a_hook_that_fails_after_a_checkout_leaves_no_worktree_and_no_branch() {
    let scene = Scene::new();
    scene.has_hook("post-checkout", "echo no disk left >&2; exit 7");
    let before = scene.state();
    let message = said(&scene.refused(&[], "git_refused"), "message");
    assert!(message.contains("no disk left"), "{message}");
    assert_eq!(scene.state(), before);
}

#[test]
fn odd_a_hook_that_fails_after_a_switch_takes_the_switch_back() {
    let scene = Scene::new();
    scene.has_workflow("worktree: false\n");
    scene.has_hook("post-checkout", "exit 7");
    let before = scene.state();
    let _refused = scene.refused(&[], "git_refused");
    assert_eq!(scene.state(), before);
}

#[test]
fn odd_a_branch_that_should_begin_again_is_back_when_a_hook_fails() {
    let scene = Scene::new();
    let _first = scene.prepared(&[]);
    let worktree = scene.worktree("hotl-add-auth");
    let _made = scene.git_in(&worktree, &["commit", "--quiet", "--allow-empty", "-m", "Two"]);
    scene.has_hook("post-checkout", "exit 7");
    let before = scene.branches();
    let _refused = scene.refused(&["--on-existing", "recreate"], "git_refused");
    assert_eq!(scene.branches(), before);
    assert!(worktree.join("file").is_file());
}

#[test]
fn odd_nobody_needs_a_name_to_prepare_or_to_stash() {
    let scene = Scene::new();
    scene.has("file", "two\n");
    // The home has no settings of git, and the variables name nobody.
    let answer = scene.prepared(&["--stash"]);
    assert!(answer["stash"].is_string());
}

#[test]
fn odd_variables_of_git_do_not_lead_elsewhere() {
    let scene = Scene::new();
    let run =
        scene.asks(&["--json"]).env("GIT_DIR", "/nowhere").env("GIT_INDEX_FILE", "/nowhere/i");
    assert_eq!(run.run().ok().json()["repo_root"], text(&scene.root()));
}

#[test]
fn odd_without_git_it_is_told() {
    let scene = Scene::new();
    let outcome = scene.asks(&["--json"]).env("PATH", "/nowhere").run();
    let error = refused(&outcome, "git_refused");
    assert_eq!(error["message"], "cannot run git: no such file or directory");
}

#[test]
fn odd_a_branch_name_that_git_does_not_take_is_refused() {
    let scene = Scene::new();
    scene.has_workflow("branch: 'feat..x'\n");
    let error = scene.refused(&[], "invalid_value");
    assert!(said(&error, "message").starts_with("'feat..x' is not a name"), "{error}");
}

#[test]
fn odd_a_worktree_that_cannot_hold_the_file_is_removed_again() {
    let scene = Scene::new();
    // In the history `plans` is a link that leads out; here it is a folder.
    std::os::unix::fs::symlink("/tmp", scene.root().join("plans")).unwrap();
    let _added = scene.git(&["add", "plans"]);
    let _made = scene.git(&["commit", "--quiet", "-m", "A link"]);
    fs::remove_file(scene.root().join("plans")).unwrap();
    scene.has("plans/x-workflow.md", &workflow("dirty_worktree: allow\n"));
    let before = scene.state();
    let run = scene.home.windlass(&["run", "prepare", "plans/x-workflow.md", "--json"]);
    let error = refused(&run.cwd(scene.root()).run(), "checkout_unfit");
    assert!(said(&error, "message").contains("may lead out of the checkout"), "{error}");
    assert_eq!(scene.state(), before);
    assert!(!Path::new("/tmp/x-workflow.md").exists());
}

#[test]
fn odd_a_merge_that_is_not_over_stops() {
    let scene = Scene::on("other");
    scene.has("file", "theirs\n");
    let _theirs = scene.git(&["commit", "--quiet", "-am", "Theirs"]);
    let _back = scene.git(&["switch", "--quiet", "main"]);
    scene.has("file", "ours\n");
    let _ours = scene.git(&["commit", "--quiet", "-am", "Ours"]);
    let identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];
    let merge = scene.home.program("git").args(identity).args(["merge", "other"]);
    assert_eq!(merge.cwd(scene.root()).run().code, Some(1));
    let _refused = scene.refused(&[], "uncommitted_changes");
}

// Several at once

const ROUNDS: usize = 8;
const CALLERS: usize = 4;

/// The same call of several processes that begin together.
fn together(scene: &Scene, words: &[&str]) -> Vec<Outcome> {
    let begin = Barrier::new(CALLERS);
    thread::scope(|scope| {
        let callers: Vec<_> = (0..CALLERS)
            .map(|_| {
                let (call, begin) = (scene.home.windlass(words).cwd(scene.root()), &begin);
                scope.spawn(move || {
                    begin.wait();
                    call.run()
                })
            })
            .collect();
        callers.into_iter().map(|caller| caller.join().unwrap()).collect()
    })
}

/// One of them was heard and has what it asked for; all others were told that the branch exists.
#[track_caller]
fn has_one_winner(scene: &Scene, outcomes: Vec<Outcome>) {
    let (won, lost): (Vec<_>, Vec<_>) =
        outcomes.into_iter().partition(|outcome| outcome.code == Some(0));
    assert_eq!(won.len(), 1, "{won:?}\n{lost:?}");
    for loser in &lost {
        let _told = refused(loser, "branch_exists");
    }
    let worktree = scene.worktree("hotl-add-auth");
    assert!(worktree.join(FILE).is_file(), "{lost:?}");
    assert_eq!(scene.git_in(&worktree, &["branch", "--show-current"]), "hotl/add-auth");
}

#[test]
fn preflight_of_several_that_prepare_at_once_one_wins_and_keeps_its_worktree() {
    for _ in 0..ROUNDS {
        let scene = Scene::new();
        has_one_winner(&scene, together(&scene, &["run", "prepare", FILE, "--json"]));
    }
}

#[test]
fn preflight_of_several_that_drive_a_file_at_once_one_wins_and_keeps_its_worktree() {
    for _ in 0..ROUNDS {
        let scene = Scene::new();
        let exec = ["run", "exec", FILE, "--harness", "cat", "--json"];
        let outcomes = together(&scene, &exec);
        let is_prepared = |outcome: &Outcome| outcome.code != Some(3);
        assert_eq!(outcomes.iter().filter(|outcome| is_prepared(outcome)).count(), 1);
        assert!(scene.worktree("hotl-add-auth").join(FILE).is_file(), "{outcomes:?}");
    }
}
