//! Git itself, in repositories made for the moment.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use tempfile::TempDir;

use super::*;

/// A repository with one commit on `main`, alone in a folder.
struct Scene {
    folder: TempDir,
    git: Git,
}

fn environment(home: &Path) -> Environment {
    let home = home.to_str().unwrap();
    Environment::of_caller([
        ("PATH", "/usr/local/bin:/usr/bin:/bin"),
        ("HOME", home),
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("GIT_DIR", "/nowhere"),
        ("GIT_INDEX_FILE", "/nowhere/index"),
        ("GIT_AUTHOR_NAME", "Ada"),
        ("GIT_AUTHOR_EMAIL", "ada@example.org"),
        ("GIT_COMMITTER_NAME", "Ada"),
        ("GIT_COMMITTER_EMAIL", "ada@example.org"),
    ])
}

impl Scene {
    fn empty() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = fs::canonicalize(folder.path()).unwrap();
        let repository = home.join("repository");
        fs::create_dir(&repository).unwrap();
        let git = Git::new(repository, &environment(&home));
        git.change(&["init", "--quiet", "-b", "main"]).unwrap();
        Self { folder, git }
    }

    fn new() -> Self {
        let scene = Self::empty();
        scene.commits("file", "one");
        scene
    }

    fn path(&self, name: &str) -> PathBuf {
        fs::canonicalize(self.folder.path()).unwrap().join(name)
    }

    fn writes(&self, name: &str, text: &str) {
        fs::write(self.git.folder().join(name), text).unwrap();
    }

    fn commits(&self, name: &str, text: &str) -> String {
        self.writes(name, text);
        self.git.change(&["add", "--all"]).unwrap();
        self.git.change(&["commit", "--quiet", "-m", name]).unwrap();
        self.git.commit("HEAD").unwrap().unwrap()
    }

    fn has_hook(&self, name: &str, script: &str) {
        let hooks = self.git.folder().join(".git/hooks");
        fs::create_dir_all(&hooks).unwrap();
        let hook = hooks.join(name);
        fs::write(&hook, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    }
}

#[test]
fn a_folder_without_a_repository_is_in_none() {
    let folder = tempfile::tempdir().unwrap();
    let git = Git::new(folder.path(), &environment(folder.path()));
    assert_eq!(git.repository().unwrap(), None);
}

#[test]
fn a_repository_is_the_same_from_every_folder_of_it() {
    let scene = Scene::new();
    let inner = scene.git.folder().join("a/b");
    fs::create_dir_all(&inner).unwrap();
    let found = scene.git.at(inner).repository().unwrap().unwrap();
    assert_eq!(found.top.as_deref(), Some(scene.git.folder()));
    assert!(!found.is_linked());
}

#[test]
fn a_bare_repository_has_no_checkout() {
    let scene = Scene::new();
    let bare = scene.path("bare.git");
    scene.git.change(&["init", "--quiet", "--bare", bare.to_str().unwrap()]).unwrap();
    let found = scene.git.at(bare).repository().unwrap().unwrap();
    assert_eq!(found.top, None);
}

#[test]
fn what_is_checked_out_is_a_branch_an_unborn_one_or_a_commit() {
    let scene = Scene::empty();
    assert_eq!(scene.git.head().unwrap(), Head::Unborn { name: "main".to_owned() });
    let commit = scene.commits("file", "one");
    let on_main = Head::Branch { name: "main".to_owned(), commit: commit.clone() };
    assert_eq!(scene.git.head().unwrap(), on_main);
    scene.git.change(&["switch", "--quiet", "--detach"]).unwrap();
    assert_eq!(scene.git.head().unwrap(), Head::Detached { commit });
}

#[test]
fn a_worktree_is_added_listed_and_removed() {
    let scene = Scene::new();
    let (path, commit) = (scene.path("beside it"), scene.git.commit("HEAD").unwrap().unwrap());
    scene.git.add_worktree(&path, OnBranch::New { name: "x/y", commit: &commit }).unwrap();
    let inside = scene.git.at(&path).repository().unwrap().unwrap();
    assert!(inside.is_linked());
    let listed = scene.git.worktrees().unwrap();
    assert_eq!(listed[1].path, path);
    assert_eq!(listed[1].branch.as_deref(), Some("x/y"));
    scene.git.remove_worktree(&path).unwrap();
    assert_eq!(scene.git.worktrees().unwrap().len(), 1);
}

#[test]
fn a_worktree_that_is_gone_is_listed_as_gone_and_can_be_forgotten() {
    let scene = Scene::new();
    let path = scene.path("beside");
    scene.git.add_worktree(&path, OnBranch::New { name: "x", commit: "HEAD" }).unwrap();
    fs::remove_dir_all(&path).unwrap();
    assert!(scene.git.worktrees().unwrap()[1].gone.is_some());
    scene.git.remove_worktree(&path).unwrap();
    assert_eq!(scene.git.worktrees().unwrap().len(), 1);
}

#[test]
fn a_worktree_with_work_in_it_is_not_removed_but_can_be_discarded() {
    let scene = Scene::new();
    let path = scene.path("beside");
    scene.git.add_worktree(&path, OnBranch::New { name: "x", commit: "HEAD" }).unwrap();
    fs::write(path.join("new"), "work").unwrap();
    let refused = scene.git.remove_worktree(&path).unwrap_err();
    assert!(refused.in_words().contains("contains modified or untracked files"), "{refused}");
    scene.git.discard_worktree(&path).unwrap();
    assert!(!path.exists());
}

#[test]
fn names_that_are_no_branches_are_known() {
    let scene = Scene::new();
    for (name, is_one) in
        [("a/b", true), ("ä", true), ("a b", false), ("-x", false), ("a..b", false), ("", false)]
    {
        assert_eq!(scene.git.is_branch_name(name).unwrap(), is_one, "{name}");
    }
}

#[test]
fn whether_a_branch_is_merged_is_known() {
    let scene = Scene::new();
    let first = scene.git.commit("HEAD").unwrap().unwrap();
    let second = scene.commits("file", "two");
    assert!(scene.git.is_merged(&first, &second).unwrap());
    assert!(!scene.git.is_merged(&second, &first).unwrap());
    assert_eq!(scene.git.commits_ahead(&second, &first).unwrap(), 1);
    assert!(scene.git.is_merged("nothing", &first).is_err());
}

/// `main` and `x` both changed the same line.
fn with_a_conflict() -> Scene {
    let scene = Scene::new();
    scene.git.switch(OnBranch::New { name: "x", commit: "HEAD" }).unwrap();
    scene.commits("file", "theirs");
    scene.git.switch(OnBranch::Old { name: "main" }).unwrap();
    scene.commits("file", "ours");
    scene
}

#[test]
fn a_merge_with_conflicts_is_taken_back() {
    let scene = with_a_conflict();
    let before = scene.git.head().unwrap();
    let conflicts = Merged::Conflicts(vec![PathBuf::from("file")]);
    assert_eq!(scene.git.try_merge("x", "main").unwrap(), conflicts);
    assert_eq!(scene.git.merge("x", "Merge x").unwrap(), conflicts);
    assert_eq!(scene.git.head().unwrap(), before);
    assert_eq!(scene.git.status().unwrap(), []);
}

#[test]
fn a_merge_is_a_commit_of_its_own() {
    let scene = Scene::new();
    scene.git.switch(OnBranch::New { name: "x", commit: "HEAD" }).unwrap();
    scene.commits("other", "new");
    scene.git.switch(OnBranch::Old { name: "main" }).unwrap();
    assert_eq!(scene.git.try_merge("x", "main").unwrap(), Merged::Clean);
    assert_eq!(scene.git.merge("x", "Merge x").unwrap(), Merged::Clean);
    assert!(scene.git.commit("HEAD^2").unwrap().is_some());
}

#[test]
fn a_merge_that_a_hook_refuses_is_taken_back() {
    let scene = Scene::new();
    scene.git.switch(OnBranch::New { name: "x", commit: "HEAD" }).unwrap();
    scene.commits("other", "new");
    scene.git.switch(OnBranch::Old { name: "main" }).unwrap();
    scene.has_hook("pre-merge-commit", "echo not today >&2; exit 1");
    let refused = scene.git.merge("x", "Merge x").unwrap_err();
    assert!(refused.in_words().contains("not today"), "{refused}");
    assert_eq!(scene.git.status().unwrap(), []);
    assert_eq!(scene.git.commit("MERGE_HEAD").unwrap(), None);
}

#[test]
fn changes_are_stashed_but_some_and_brought_back() {
    let scene = Scene::new();
    scene.git.change(&["mv", "file", "moved"]).unwrap();
    for name in ["new", "a\nb", "[s]tays", "stays"] {
        scene.writes(name, "changed");
    }
    let but = ["[s]tays", "not-there"].map(PathBuf::from);
    let commit = scene.git.stash(&but, "put aside").unwrap();
    let left = scene.git.status().unwrap();
    let left: Vec<&Path> = left.iter().map(|left| left.path.as_path()).collect();
    assert_eq!(left, [Path::new("[s]tays")]);
    scene.git.unstash(&commit).unwrap();
    assert_eq!(scene.git.status().unwrap().len(), 5);
    assert_eq!(scene.git.commit("refs/stash").unwrap(), None);
}

#[test]
fn a_stash_needs_no_name_of_a_person() {
    let scene = Scene::new();
    let nobody = Environment::of_caller([
        ("PATH", "/usr/local/bin:/usr/bin:/bin"),
        ("HOME", scene.folder.path().to_str().unwrap()),
        ("GIT_CONFIG_NOSYSTEM", "1"),
    ]);
    scene.writes("file", "changed");
    let git = Git::new(scene.git.folder(), &nobody);
    assert!(git.stash(&[], "put aside").is_ok());
}

#[test]
fn a_reference_keeps_a_commit() {
    let scene = Scene::new();
    let commit = scene.git.commit("HEAD").unwrap().unwrap();
    let name = "refs/windlass/rescue/x";
    scene.git.set_reference(name, &commit, "kept").unwrap();
    assert_eq!(scene.git.commit(name).unwrap(), Some(commit));
}

#[test]
fn a_branch_is_pushed_and_what_refuses_it_is_told() {
    let scene = Scene::new();
    let bare = scene.path("bare.git");
    let bare = bare.to_str().unwrap();
    scene.git.change(&["init", "--quiet", "--bare", bare]).unwrap();
    scene.git.change(&["remote", "add", "origin", bare]).unwrap();
    scene.git.push("main", "origin").unwrap();
    assert_eq!(scene.git.remotes().unwrap(), ["origin"]);
    assert!(scene.git.commit("refs/remotes/origin/main").unwrap().is_some());
    let refused = scene.git.push("main", "nowhere").unwrap_err();
    assert!(refused.in_words().contains("'nowhere' does not appear to be a git repo"), "{refused}");
}

#[test]
fn a_branch_is_deleted_only_where_it_is_known_to_be() {
    let scene = Scene::new();
    let commit = scene.git.commit("HEAD").unwrap().unwrap();
    let next = scene.commits("file", "two");
    scene.git.restore_branch("x", &commit).unwrap();
    assert!(scene.git.delete_branch("x", &next).is_err());
    scene.git.delete_branch("x", &commit).unwrap();
    assert_eq!(scene.git.branch("x").unwrap(), None);
}
