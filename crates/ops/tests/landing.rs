//! What becomes of branches and worktrees when runs are finished, with git itself.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use windlass_domain::Code;
use windlass_domain::run::disposal::Way;
use windlass_domain::run::event::{FinishDetails, Place};
use windlass_domain::run::word::Disposition;
use windlass_ledger::{Error, Location};
use windlass_ops::context::{Surroundings, Variables};
use windlass_ops::operation::Operation as _;
use windlass_ops::run::{Cleanup, Landing, Locate, Located, Subject};
use windlass_ops::settings::Resolved;
use windlass_ops::{Context, Workplace};
use windlass_testkit::Home;

const RUN: &str = "add-auth-20261116T020000Z";
const BRANCH: &str = "hotl/add-auth";
/// Where worktrees are made for runs.
const MADE: &str = ".hotl-worktrees/api/hotl-add-auth";
const PICTURE: &str = "step-1-attempt-1-check-1.png";

/// A repository with a run that has worked on a branch of its own.
struct Scene {
    home: Home,
    /// The run has a worktree.
    isolated: bool,
}

impl Scene {
    fn new(isolated: bool) -> Self {
        let scene = Self { home: Home::new(), isolated };
        fs::create_dir(scene.root()).unwrap();
        scene.git(&["init", "--quiet", "-b", "main"]);
        scene.commits(&scene.root(), "file", "one\n");
        match isolated {
            true => scene.git(&["worktree", "add", "--quiet", "-b", BRANCH, &format!("../{MADE}")]),
            false => scene.git(&["switch", "--quiet", "-c", BRANCH]),
        };
        scene.commits(&scene.works_in(), "auth", "new\n");
        Scene::writes_state(&scene.works_in(), "ready_to_finish");
        scene
    }

    fn isolated() -> Self {
        Self::new(true)
    }

    fn root(&self) -> PathBuf {
        fs::canonicalize(self.home.work()).unwrap().join("api")
    }

    fn works_in(&self) -> PathBuf {
        match self.isolated {
            true => self.root().parent().unwrap().join(MADE),
            false => self.root(),
        }
    }

    fn writes_state(folder: &Path, status: &str) {
        let (state, reports) = (folder.join(".hotl/state"), folder.join(".hotl/reports"));
        fs::create_dir_all(&state).unwrap();
        fs::create_dir_all(&reports).unwrap();
        let report = reports.join(format!("{RUN}.md"));
        fs::write(&report, "# Execution Report\n").unwrap();
        let evidence = folder.join(".hotl/evidence").join(RUN);
        fs::create_dir_all(&evidence).unwrap();
        fs::write(evidence.join(PICTURE), b"\x89PNG").unwrap();
        let text = format!(
            r#"{{"run_id":"{RUN}","workflow_path":"{}/hotl-workflow-add-auth.md","branch":"{BRANCH}",
            "status":"{status}","worktree_path":"{}","started_at":"2026-11-16T02:00:00+00:00","total_steps":1,
            "last_update":"2026-11-16T02:00:00+00:00","unknown":1,"report_path": "{}",
            "steps":[{{"number":1,"name":"Work","status":"done"}}]}}"#,
            folder.display(),
            folder.display(),
            report.display()
        );
        fs::write(state.join(format!("{RUN}.json")), text).unwrap();
    }

    #[track_caller]
    fn git(&self, args: &[&str]) -> String {
        self.git_in(&self.root(), args)
    }

    #[track_caller]
    fn git_in(&self, folder: &Path, args: &[&str]) -> String {
        let identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];
        let run = self.home.program("git").args(identity).args(args).cwd(folder);
        run.run().ok().stdout.trim().to_owned()
    }

    fn commits(&self, folder: &Path, name: &str, content: &str) {
        fs::write(folder.join(name), content).unwrap();
        self.git_in(folder, &["add", name]);
        self.git_in(folder, &["commit", "--quiet", "-m", name]);
    }

    fn place(&self) -> Place {
        let root = self.root().display().to_string();
        let works_in = self.works_in().display().to_string();
        Place {
            workflow_path: format!("{works_in}/hotl-workflow-add-auth.md"),
            source_workflow_path: format!("{root}/hotl-workflow-add-auth.md"),
            source_branch: Some("main".to_owned()),
            source_head: Some(self.git(&["rev-parse", "main"])),
            stash: None,
            rescue: None,
            workflow_slug: "add-auth".to_owned(),
            branch: BRANCH.to_owned(),
            repo_root: root,
            execution_root: works_in.clone(),
            worktree_path: self.isolated.then(|| works_in.clone()),
            executor_mode: "loop".to_owned(),
            driver: "generic".to_owned(),
            host: "fallback".to_owned(),
            folder: works_in,
            machine: "here".to_owned(),
        }
    }

    fn context(&self) -> Context {
        let path = std::env::vars().find(|(name, _)| name == "PATH").unwrap().1;
        let own = self.home.path().join("bin");
        let variables = [
            ("PATH", format!("{}:{path}", own.display())),
            ("HOME", self.home.path().display().to_string()),
            ("GIT_AUTHOR_NAME", "Ada".to_owned()),
            ("GIT_AUTHOR_EMAIL", "ada@example.org".to_owned()),
            ("GIT_COMMITTER_NAME", "Ada".to_owned()),
            ("GIT_COMMITTER_EMAIL", "ada@example.org".to_owned()),
        ];
        let variables: BTreeMap<String, String> =
            variables.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        let surroundings = Surroundings {
            folder: Some(self.root()),
            variables: Variables::new(variables),
            ..Surroundings::default()
        };
        let workplace = Workplace::new(Location::Sqlite(self.home.work().join("ledger.db")));
        Context::new(workplace, surroundings, Resolved::default())
    }

    fn looks(&self, way: &Way) -> Result<Landing, Error> {
        self.looks_at(&self.place(), way)
    }

    fn looks_at(&self, place: &Place, way: &Way) -> Result<Landing, Error> {
        let subject = Subject { run_id: RUN, place, ended_at: None, file_sha256: None };
        Landing::look(&self.context(), subject, way)
    }

    /// Finishes the run to its end.
    #[track_caller]
    fn finishes(&self, way: &Way) -> FinishDetails {
        let landing = self.looks(way).unwrap();
        landing.land().unwrap();
        landing.clear_up().unwrap();
        landing.details()
    }

    #[track_caller]
    fn refused(&self, way: &Way, code: Code) -> String {
        let error = self.looks(way).unwrap_err();
        assert_eq!(error.code(), code, "{error}");
        error.to_string()
    }

    /// The picture that a check took, where the repository is.
    fn has_picture(&self) -> bool {
        let picture = self.root().join(".hotl/evidence").join(RUN).join(PICTURE);
        fs::read(picture).is_ok_and(|bytes| bytes == b"\x89PNG")
    }

    fn has_branch(&self) -> bool {
        !self.git(&["branch", "--list", BRANCH]).is_empty()
    }
}

fn merge() -> Way {
    Way::Merge { into: None }
}

#[test]
fn a_run_that_is_kept_keeps_everything() {
    let scene = Scene::isolated();
    let details = scene.finishes(&Way::Keep);
    assert_eq!(details.worktree_action.as_deref(), Some("kept"));
    assert!(scene.works_in().is_dir() && scene.has_branch());
}

#[test]
fn a_run_that_is_merged_is_in_the_branch_it_came_from_and_leaves_only_its_files() {
    let scene = Scene::isolated();
    let details = scene.finishes(&merge());
    assert_eq!(details.target_branch.as_deref(), Some("main"));
    assert_eq!(details.branch_action.as_deref(), Some("merged-into-main"));
    assert_eq!(details.worktree_action.as_deref(), Some("removed"));
    let kept = scene.root().join(".hotl").display().to_string();
    assert_eq!(details.artifacts_preserved_at, Some(kept));
    assert!(scene.root().join("auth").is_file());
    assert_eq!(
        scene.git(&["log", "-1", "--format=%s"]),
        format!("Merge branch '{BRANCH}' into main")
    );
    assert!(!scene.works_in().exists() && !scene.has_branch());
    let state = fs::read_to_string(scene.root().join(format!(".hotl/state/{RUN}.json"))).unwrap();
    let report = scene.root().join(format!(".hotl/reports/{RUN}.md"));
    assert!(state.contains(&format!("\"report_path\": \"{}\"", report.display())), "{state}");
    assert!(state.contains("\"unknown\":1"), "{state}");
    assert!(report.is_file());
}

#[test]
fn a_run_without_a_worktree_is_merged_in_its_checkout() {
    let scene = Scene::new(false);
    scene.finishes(&merge());
    assert_eq!(scene.git(&["branch", "--show-current"]), "main");
    assert!(scene.root().join("auth").is_file() && !scene.has_branch());
}

#[test]
fn a_checkout_in_which_somebody_works_goes_back_to_their_branch() {
    let scene = Scene::isolated();
    scene.git(&["switch", "--quiet", "-c", "feature/login"]);
    scene.finishes(&merge());
    assert_eq!(scene.git(&["branch", "--show-current"]), "feature/login");
    assert!(scene.git(&["ls-tree", "--name-only", "main"]).contains("auth"));
}

#[test]
fn a_merge_with_conflicts_is_refused_before_anything_happens() {
    let scene = Scene::isolated();
    scene.commits(&scene.root(), "auth", "theirs\n");
    let before = scene.git(&["rev-parse", "main"]);
    let said = scene.refused(&merge(), Code::MergeConflict);
    assert!(said.contains("auth"), "{said}");
    assert_eq!(scene.git(&["rev-parse", "main"]), before);
    assert_eq!(scene.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_merge_into_a_dirty_checkout_is_refused() {
    let scene = Scene::isolated();
    fs::write(scene.root().join("file"), "changed\n").unwrap();
    let said = scene.refused(&merge(), Code::UncommittedChanges);
    assert!(said.contains("file"), "{said}");
}

#[test]
fn work_of_the_run_that_is_not_committed_stops_merge_and_publish() {
    let scene = Scene::isolated();
    fs::write(scene.works_in().join("half-done"), "work").unwrap();
    scene.refused(&merge(), Code::UncommittedChanges);
    scene.refused(&Way::Publish { remote: None }, Code::UncommittedChanges);
}

#[test]
fn a_merge_into_itself_or_into_nothing_is_refused() {
    let scene = Scene::isolated();
    for into in [BRANCH, "gone"] {
        scene.refused(&Way::Merge { into: Some(into.to_owned()) }, Code::CheckoutUnfit);
    }
}

#[test]
fn a_merge_that_a_hook_refuses_changes_nothing() {
    let scene = Scene::isolated();
    let hook = scene.root().join(".git/hooks/pre-merge-commit");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    fs::write(&hook, "#!/bin/sh\nexit 1\n").unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(&hook, mode).unwrap();
    let before = scene.git(&["rev-parse", "main"]);
    let landing = scene.looks(&merge()).unwrap();
    assert_eq!(landing.land().unwrap_err().code(), Code::GitRefused);
    assert_eq!(scene.git(&["rev-parse", "main"]), before);
    assert_eq!(scene.git(&["status", "--porcelain"]), "");
    assert!(scene.works_in().is_dir());
}

#[test]
fn a_run_is_published_to_the_only_remote_and_keeps_its_worktree() {
    let scene = Scene::isolated();
    let bare = scene.home.work().join("bare.git").display().to_string();
    scene.git(&["init", "--quiet", "--bare", &bare]);
    scene.git(&["remote", "add", "up", &bare]);
    let details = scene.finishes(&Way::Publish { remote: None });
    assert_eq!(details.remote.as_deref(), Some("up"));
    assert!(scene.git(&["ls-remote", "up"]).contains("refs/heads/hotl/add-auth"));
    assert!(scene.works_in().is_dir());
}

#[test]
fn a_pull_request_is_told_by_its_address_and_a_failure_by_its_words() {
    let scene = Scene::isolated();
    let client = scene.home.path().join("bin/gh");
    fs::create_dir(client.parent().unwrap()).unwrap();
    let answers = |script: &str| {
        fs::write(&client, format!("#!/bin/sh\n{script}\n")).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(&client, mode).unwrap();
        scene.looks(&Way::Keep).unwrap().create_pull_request("main")
    };
    let asked =
        answers("test \"$1 $2 $5 $7\" = 'pr create main hotl/add-auth' && echo https://x/1");
    assert_eq!(asked.unwrap(), "https://x/1");
    let refused = answers("echo not logged in >&2; exit 4").unwrap_err();
    assert_eq!(refused.code(), Code::GitRefused);
    assert!(refused.to_string().contains("gh pr create failed: not logged in"), "{refused}");
}

#[test]
fn what_is_approved_before_a_branch_is_published_or_merged_is_named() {
    let scene = Scene::isolated();
    let action = scene.looks(&merge()).unwrap().action(None);
    assert_eq!(action.unwrap().target, "merge hotl/add-auth into main");
    assert_eq!(scene.looks(&Way::Discard).unwrap().action(None), None);
}

#[test]
fn without_a_remote_nothing_is_published() {
    let scene = Scene::isolated();
    scene.refused(&Way::Publish { remote: None }, Code::CheckoutUnfit);
}

#[test]
fn a_run_that_is_discarded_goes_and_its_commits_can_still_be_found() {
    let scene = Scene::isolated();
    let head = scene.git(&["rev-parse", BRANCH]);
    fs::write(scene.works_in().join("half-done"), "work").unwrap();
    let preview = format!("{:?}", scene.looks(&Way::Discard).unwrap().preview());
    assert!(preview.contains("half-done") && preview.contains("1 commit"), "{preview}");
    scene.finishes(&Way::Discard);
    assert!(!scene.works_in().exists() && !scene.has_branch());
    let kept = scene.git(&["for-each-ref", "--format=%(objectname)", "refs/windlass/rescue/"]);
    assert_eq!(kept, head);
    assert!(scene.root().join(format!(".hotl/state/{RUN}.json")).is_file());
}

/// A run that calls a branch its own which somebody else made.
#[test]
fn a_branch_that_the_run_never_was_on_is_neither_merged_nor_published_nor_discarded() {
    let scene = Scene::new(false);
    scene.git(&["switch", "--quiet", "main"]);
    let place = Place { source_branch: None, ..scene.place() };
    for way in [merge(), Way::Publish { remote: None }, Way::Discard] {
        let refused = scene.looks_at(&place, &way).unwrap_err();
        assert_eq!(refused.code(), Code::CheckoutUnfit, "{refused}");
    }
    assert!(scene.looks_at(&place, &Way::Keep).is_ok() && scene.has_branch());
}

/// A run in a worktree that somebody made for themselves.
fn in_a_worktree_of_others() -> (Scene, PathBuf, Place) {
    let scene = Scene::new(false);
    scene.git(&["switch", "--quiet", "main"]);
    scene.git(&["worktree", "add", "--quiet", "../mine", BRANCH]);
    let mine = scene.root().parent().unwrap().join("mine");
    Scene::writes_state(&mine, "ready_to_finish");
    let works_in = mine.display().to_string();
    let place = Place {
        execution_root: works_in.clone(),
        folder: works_in.clone(),
        worktree_path: Some(works_in.clone()),
        workflow_path: format!("{works_in}/hotl-workflow-add-auth.md"),
        source_branch: None,
        source_head: None,
        ..scene.place()
    };
    (scene, mine, place)
}

#[test]
fn a_worktree_that_somebody_made_for_themselves_stays_with_its_branch_when_it_is_merged() {
    let (scene, mine, place) = in_a_worktree_of_others();
    let landing = scene.looks_at(&place, &merge()).unwrap();
    let told = landing.preview().lines();
    assert_eq!(told[0], format!("1 commit of {BRANCH} would go into main"));
    assert_eq!(told[1], format!("the branch {BRANCH} stays: it was not made for the run"));
    landing.land().unwrap();
    landing.clear_up().unwrap();
    assert!(mine.join(".hotl/state").is_dir() && scene.has_branch());
    assert!(scene.root().join("auth").is_file());
    assert_eq!(landing.details().worktree_action, None);
}

#[test]
fn a_worktree_that_somebody_made_for_themselves_is_not_discarded() {
    let (scene, mine, place) = in_a_worktree_of_others();
    let refused = scene.looks_at(&place, &Way::Discard).unwrap_err();
    assert_eq!(refused.code(), Code::CheckoutUnfit, "{refused}");
    assert!(mine.is_dir() && scene.has_branch());
}

#[test]
fn a_worktree_that_somebody_made_for_themselves_is_not_cleaned_up() {
    let (scene, mine, _) = in_a_worktree_of_others();
    Scene::writes_state(&mine, "completed");
    scene.git(&["merge", "--quiet", "--no-ff", "-m", "Merge", BRANCH]);
    let cleaned = Cleanup::default().run(&mut scene.context()).unwrap();
    assert!(!cleaned.worktrees[0].goes && mine.is_dir(), "{cleaned:?}");
}

#[test]
fn a_branch_that_another_checkout_is_on_stays() {
    for way in [merge(), Way::Discard] {
        let scene = Scene::isolated();
        scene.git(&["worktree", "add", "--quiet", "--force", "../beside", BRANCH]);
        let landing = scene.looks(&way).unwrap();
        let told = landing.preview().lines().join("\n");
        assert!(told.contains("beside is on it"), "{told}");
        landing.land().unwrap();
        landing.clear_up().unwrap();
        let beside = scene.root().parent().unwrap().join("beside");
        assert_eq!(scene.git_in(&beside, &["status", "--porcelain"]), "");
        assert!(scene.has_branch() && !scene.works_in().exists());
    }
}

#[test]
fn documents_that_are_not_committed_are_not_lost_with_a_worktree() {
    for document in ["docs/designs/auth.md", "docs/plans/auth-plan.md", "hotl-workflow-other.md"] {
        let scene = Scene::isolated();
        let path = scene.works_in().join(document);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "thoughts").unwrap();
        let said = scene.refused(&merge(), Code::UncommittedChanges);
        assert!(said.contains(document), "{said}");
        let preview = format!("{:?}", scene.looks(&Way::Discard).unwrap().preview());
        assert!(preview.contains(document), "{preview}");
        Scene::writes_state(&scene.works_in(), "completed");
        scene.git(&["merge", "--quiet", "--no-ff", "-m", "Merge", BRANCH]);
        let stays = cleaned_up(&scene);
        assert_eq!(stays.as_deref(), Some("it holds changes that are not committed"));
    }
}

#[test]
fn a_locked_worktree_is_told_of_before_anything_is_done() {
    let scene = Scene::isolated();
    let works_in = scene.works_in().display().to_string();
    scene.git(&["worktree", "lock", &works_in]);
    for way in [merge(), Way::Discard] {
        let said = scene.refused(&way, Code::CheckoutUnfit);
        assert!(said.contains("locked"), "{said}");
    }
}

#[test]
fn a_shared_checkout_on_its_own_branch_is_not_discarded() {
    let scene = Scene::new(false);
    for source_branch in [None, Some(BRANCH.to_owned()), Some("gone".to_owned())] {
        let place = Place { source_branch, ..scene.place() };
        let refused = scene.looks_at(&place, &Way::Discard).unwrap_err();
        assert_eq!(refused.code(), Code::CheckoutUnfit, "{refused}");
    }
}

#[test]
fn a_shared_checkout_goes_back_to_where_the_run_came_from_when_it_is_discarded() {
    let scene = Scene::new(false);
    scene.finishes(&Way::Discard);
    assert_eq!(scene.git(&["branch", "--show-current"]), "main");
    assert!(!scene.has_branch() && !scene.root().join("auth").exists());
}

#[test]
fn a_shared_checkout_that_cannot_go_back_is_refused_before_anything_is_recorded() {
    let scene = Scene::new(false);
    let file = "hotl-workflow-add-auth.md";
    scene.commits(&scene.root(), file, "- [ ] **Step 1: Work**\n");
    fs::write(scene.root().join(file), "- [x] **Step 1: Work**\n").unwrap();
    let landing = scene.looks(&Way::Discard).unwrap();
    assert_eq!(landing.land().unwrap_err().code(), Code::GitRefused);
    assert_eq!(scene.git(&["branch", "--show-current"]), BRANCH);
}

#[test]
fn what_checks_showed_outlives_the_worktree() {
    for way in [merge(), Way::Discard] {
        let scene = Scene::isolated();
        scene.finishes(&way);
        assert!(scene.has_picture(), "{way:?}");
    }
}

#[test]
fn a_shared_checkout_with_changes_is_not_discarded() {
    let scene = Scene::new(false);
    fs::write(scene.root().join("half-done"), "work").unwrap();
    scene.refused(&Way::Discard, Code::UncommittedChanges);
}

#[test]
fn a_worktree_that_was_deleted_by_hand_can_be_finished() {
    let scene = Scene::isolated();
    fs::remove_dir_all(scene.works_in()).unwrap();
    scene.finishes(&merge());
    assert!(scene.root().join("auth").is_file() && !scene.has_branch());
}

#[test]
fn a_run_whose_repository_is_gone_is_only_recorded_as_discarded() {
    let scene = Scene::isolated();
    let place = scene.place();
    fs::remove_dir_all(scene.root()).unwrap();
    let landing = scene.looks_at(&place, &Way::Discard).unwrap();
    let gone = format!("{} is not there: nothing is left to discard", place.repo_root);
    let stays = format!("the folder {} stays", scene.works_in().display());
    assert_eq!(landing.preview().lines(), [gone, stays]);
    landing.land().unwrap();
    assert_eq!(landing.clear_up().unwrap(), None);
    let details = landing.details();
    assert_eq!((details.branch_action, details.artifacts_preserved_at), (None, None));
    let refused = scene.looks_at(&place, &merge()).unwrap_err();
    assert_eq!(refused.code(), Code::CheckoutUnfit, "{refused}");
}

#[test]
fn a_run_whose_checkout_is_gone_is_discarded_from_the_repository_that_is_left() {
    let scene = Scene::isolated();
    let linked = scene.root().parent().unwrap().join("linked");
    scene.git(&["worktree", "add", "--quiet", "-b", "other", "../linked"]);
    fs::remove_dir_all(&linked).unwrap();
    let place = Place { repo_root: linked.display().to_string(), ..scene.place() };
    let landing = scene.looks_at(&place, &Way::Discard).unwrap();
    landing.land().unwrap();
    landing.clear_up().unwrap();
    assert!(!scene.works_in().exists() && !scene.has_branch());
    assert!(scene.has_picture());
}

#[test]
fn work_that_is_in_no_repository_is_kept_and_neither_merged_nor_discarded() {
    let scene = Scene::isolated();
    let plain = scene.home.work().join("plain");
    fs::create_dir(&plain).unwrap();
    let repo_root = plain.display().to_string();
    let place = Place { repo_root, worktree_path: None, ..scene.place() };
    assert_eq!(
        scene.looks_at(&place, &Way::Keep).unwrap().preview().lines(),
        ["the work stays as it is"]
    );
    for way in [merge(), Way::Publish { remote: None }, Way::Discard] {
        let refused = scene.looks_at(&place, &way).unwrap_err();
        assert_eq!(refused.code(), Code::CheckoutUnfit, "{refused}");
    }
}

#[test]
fn a_preview_counts_commits_of_a_run_that_does_not_know_where_it_came_from() {
    let scene = Scene::isolated();
    let place = Place { source_branch: None, source_head: None, ..scene.place() };
    let looks = || scene.looks_at(&place, &Way::Discard).unwrap();
    let said = |count: &str| format!("{BRANCH} would go, with {count} nowhere else");
    assert_eq!(looks().preview().lines()[0], said("1 commit that is"));
    scene.commits(&scene.works_in(), "more", "more\n");
    assert_eq!(looks().preview().lines()[0], said("2 commits that are"));
}

#[test]
fn what_was_done_names_what_went_where_and_what_is_kept() {
    let scene = Scene::isolated();
    let (branch, worktree) = (BRANCH, scene.works_in().display().to_string());
    let merged = scene.looks(&merge()).unwrap();
    assert_eq!(
        merged.done(None),
        [
            format!("1 commit of {branch} went into main"),
            format!("the worktree {worktree} is gone"),
            format!("the branch {branch} is gone"),
        ]
    );
    let discarded = scene.looks(&Way::Discard).unwrap();
    let rescue = discarded.clear_up().unwrap().unwrap();
    let done = discarded.done(Some(&rescue));
    assert_eq!(
        done[2],
        format!("its commits are kept: git branch {branch} {rescue} brings them back")
    );
    scene.git(&["branch", branch, &rescue]);
}

fn located(scene: &Scene, locate: &Locate) -> Located {
    locate.run(&mut scene.context()).unwrap()
}

#[test]
fn a_run_is_located_in_its_worktree() {
    let scene = Scene::isolated();
    let found = located(&scene, &Locate::default());
    assert_eq!(found.runs.len(), 1);
    assert_eq!(found.runs[0].run_id, RUN);
    assert_eq!(found.runs[0].run_root, scene.works_in().display().to_string());
}

#[test]
fn a_run_is_located_in_a_folder_that_git_has_forgotten() {
    let scene = Scene::isolated();
    let folder = scene.root().parent().unwrap().join(".hotl-worktrees/api/other");
    fs::create_dir_all(&folder).unwrap();
    Scene::writes_state(&folder, "running");
    assert_eq!(located(&scene, &Locate::default()).runs.len(), 2);
}

#[test]
fn runs_that_have_ended_are_located_only_when_asked_for() {
    let scene = Scene::isolated();
    Scene::writes_state(&scene.works_in(), "completed");
    assert_eq!(located(&scene, &Locate::default()).runs.len(), 0);
    assert_eq!(located(&scene, &Locate { all: true, ..Locate::default() }).runs.len(), 1);
}

#[test]
fn runs_are_located_by_id_and_by_workflow_file() {
    let scene = Scene::isolated();
    let by_id = |id: &str| Locate { run_id: Some(id.to_owned()), ..Locate::default() };
    assert_eq!(located(&scene, &by_id(RUN)).runs.len(), 1);
    assert_eq!(located(&scene, &by_id("other")).runs.len(), 0);
    let by_file = |file: PathBuf| Locate { workflow: Some(file), ..Locate::default() };
    let own = scene.works_in().join("hotl-workflow-add-auth.md");
    assert_eq!(located(&scene, &by_file(own)).runs.len(), 1);
    assert_eq!(located(&scene, &by_file(PathBuf::from("other.md"))).runs.len(), 0);
}

#[test]
fn what_is_no_state_file_is_left_out() {
    let scene = Scene::isolated();
    fs::write(scene.works_in().join(".hotl/state/broken.json"), "{").unwrap();
    assert_eq!(located(&scene, &Locate::default()).runs.len(), 1);
}

/// Of a run that was merged by a call that was interrupted: what is left, if its branch ended there.
fn left(scene: &Scene, ended_at: &str) -> Option<Landing> {
    let place = scene.place();
    let ended_at = Some(ended_at);
    let subject = Subject { run_id: RUN, place: &place, ended_at, file_sha256: None };
    Landing::left(&scene.context(), subject, Disposition::Merged, Some("main")).unwrap()
}

#[test]
fn what_an_interrupted_finish_has_left_can_be_taken_away_later() {
    for has_worktree in [true, false] {
        let scene = Scene::isolated();
        let ended_at = scene.git(&["rev-parse", BRANCH]);
        scene.looks(&merge()).unwrap().land().unwrap();
        if !has_worktree {
            scene.git(&["worktree", "remove", "--force", &scene.works_in().display().to_string()]);
        }
        left(&scene, &ended_at).unwrap().clear_up().unwrap();
        assert!(!scene.works_in().exists() && !scene.has_branch(), "{has_worktree}");
        assert!(left(&scene, &ended_at).is_none());
    }
}

#[test]
fn what_another_run_has_made_in_the_same_place_is_not_left_over() {
    let scene = Scene::isolated();
    let ended_at = scene.git(&["rev-parse", BRANCH]);
    scene.finishes(&merge());
    scene.git(&["worktree", "add", "--quiet", "-b", BRANCH, &format!("../{MADE}")]);
    assert!(left(&scene, &ended_at).is_none());
}

/// Whether the worktree went, or why it stayed.
fn cleaned_up(scene: &Scene) -> Option<String> {
    let cleaned = Cleanup::default().run(&mut scene.context()).unwrap();
    assert_eq!(cleaned.worktrees.len(), 1);
    assert_eq!(cleaned.worktrees[0].goes, !scene.works_in().exists());
    cleaned.worktrees[0].stays.clone()
}

#[test]
fn a_worktree_goes_when_its_run_ended_and_its_work_is_merged() {
    let scene = Scene::isolated();
    Scene::writes_state(&scene.works_in(), "completed");
    scene.git(&["merge", "--quiet", "--no-ff", "-m", "Merge", BRANCH]);
    assert_eq!(cleaned_up(&scene), None);
    assert!(scene.has_branch() && scene.has_picture());
    assert!(scene.root().join(format!(".hotl/state/{RUN}.json")).is_file());
}

#[test]
fn a_worktree_stays_while_its_run_goes_on() {
    let scene = Scene::isolated();
    scene.git(&["merge", "--quiet", "--no-ff", "-m", "Merge", BRANCH]);
    assert_eq!(cleaned_up(&scene).as_deref(), Some("its run has not ended"));
}

#[test]
fn a_worktree_with_commits_or_changes_of_its_own_stays() {
    let scene = Scene::isolated();
    Scene::writes_state(&scene.works_in(), "completed");
    let stays = cleaned_up(&scene);
    assert_eq!(stays.as_deref(), Some("it holds commits that are nowhere else"));
    scene.git(&["merge", "--quiet", "--no-ff", "-m", "Merge", BRANCH]);
    fs::write(scene.works_in().join("half-done"), "work").unwrap();
    let stays = cleaned_up(&scene);
    assert_eq!(stays.as_deref(), Some("it holds changes that are not committed"));
}

#[test]
fn a_worktree_in_which_no_run_is_known_stays() {
    let scene = Scene::isolated();
    fs::remove_dir_all(scene.works_in().join(".hotl")).unwrap();
    assert_eq!(cleaned_up(&scene).as_deref(), Some("no run is known to have worked in it"));
}

#[test]
fn what_would_go_is_told_and_stays() {
    let scene = Scene::isolated();
    Scene::writes_state(&scene.works_in(), "completed");
    scene.git(&["merge", "--quiet", "--no-ff", "-m", "Merge", BRANCH]);
    let told = Cleanup { dry_run: true }.run(&mut scene.context()).unwrap();
    assert!(told.worktrees[0].goes && scene.works_in().is_dir());
}
