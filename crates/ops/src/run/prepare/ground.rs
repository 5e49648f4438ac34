//! What there is where a run shall work: looked at, and not touched.

use std::fs;
use std::path::{Path, PathBuf};

use windlass_domain::run::prepare::{
    AtPath, Checkout, Ground, Target, blocks, is_lost, worktree_path,
};
use windlass_hands::git::{Changed, Git, Head, Repository};
use windlass_ledger::{Error, Fault};

use crate::exchange::unusable;
use crate::run::repository::{refused, text};

/// Where the caller is, as git sees it.
pub(super) struct Survey {
    pub(super) ground: Ground,
    /// At the top of the checkout, or where the caller is.
    pub(super) git: Git,
    /// Nothing without a repository.
    pub(super) head: Option<Head>,
    /// What differs from the last commit.
    pub(super) changed: Vec<Changed>,
    repository: Option<Repository>,
}

/// A worktree that a run may get.
pub(super) struct Spot {
    pub(super) target: Target,
    /// The folder above all worktrees, which is there whatever becomes of them.
    pub(super) parent: PathBuf,
}

impl Survey {
    /// Looks around in the folder of `git`, which is in this repository, if in one. `file` is the
    /// workflow file, behind all links but its own.
    pub(super) fn of(git: Git, repository: Option<Repository>, file: &Path) -> Result<Self, Error> {
        let Some(repository) = repository else {
            let ground = Ground::NoRepository;
            return Ok(Self { ground, git, head: None, changed: Vec::new(), repository: None });
        };
        let Some(top) = &repository.top else {
            let ground = Ground::NoCheckout { repository: text(&repository.common_folder)? };
            let repository = Some(repository);
            return Ok(Self { ground, git, head: None, changed: Vec::new(), repository });
        };
        let (git, root) = (git.at(top), text(top)?);
        let head = git.head().map_err(refused)?;
        let (ground, changed) = match &head {
            Head::Unborn { name } => (Ground::NoHistory { root, branch: name.clone() }, Vec::new()),
            Head::Branch { commit, .. } | Head::Detached { commit } => {
                let changed = git.status().map_err(refused)?;
                let checkout = Checkout {
                    root,
                    is_linked: repository.is_linked(),
                    branch: head.branch().map(str::to_owned),
                    commit: commit.clone(),
                    file: file.strip_prefix(top).ok().map(text).transpose()?,
                    changed: changed.iter().flat_map(names).collect(),
                };
                (Ground::Checkout(checkout), changed)
            }
        };
        Ok(Self { ground, git, head: Some(head), changed, repository: Some(repository) })
    }

    /// What is known of a branch, and of the place of a worktree on it.
    pub(super) fn spot(&self, branch: &str, file: &str) -> Result<Spot, Error> {
        let git = &self.git;
        let (parent, name) = self.beside()?;
        let path = PathBuf::from(worktree_path(&text(&parent)?, &name, branch));
        let is_name = git.is_branch_name(branch).map_err(refused)?;
        let commit = match is_name {
            true => git.branch(branch).map_err(refused)?,
            false => None,
        };
        let mut target = Target {
            is_name,
            commit,
            checked_out: None,
            gone: Vec::new(),
            path: text(&path)?,
            at_path: at(&path)?,
        };
        for worktree in git.worktrees().map_err(refused)? {
            let is_at_path = is_same(&worktree.path, &path);
            let is_on_branch = worktree.branch.as_deref() == Some(branch);
            let known = text(&worktree.path)?;
            match (is_at_path, is_on_branch, &worktree.gone) {
                (true, _, Some(_)) | (_, true, Some(_)) => target.gone.push(known),
                (true, _, None) if target.at_path == AtPath::Other => {
                    // The workflow file is put there anew.
                    let blocking = lost_with(&git.at(&path), Some(file))?;
                    target.at_path = AtPath::Worktree { branch: worktree.branch, blocking };
                }
                (_, true, None) => target.checked_out = Some(known),
                (_, false, _) => {}
            }
        }
        Ok(Spot { target, parent })
    }

    /// The folder beside the repository, and the repository's name.
    fn beside(&self) -> Result<(PathBuf, String), Error> {
        let home = match &self.repository {
            Some(repository) if repository.is_linked() => self.first_checkout()?,
            Some(_) | None => self.git.folder().to_owned(),
        };
        let name = |folder: &Path| {
            let name = folder.file_name().map(|name| name.to_string_lossy().into_owned());
            name.map(|name| name.strip_suffix(".git").map_or(name.clone(), str::to_owned))
        };
        let nowhere = || Fault::bug("a repository is in no folder");
        let parent = home.parent().ok_or_else(nowhere)?;
        match name(&home).filter(|name| !name.is_empty() && !name.starts_with('.')) {
            Some(name) => Ok((self.outside_of_superprojects(parent)?, name)),
            // A repository without a checkout in the folder of its worktrees, as `.bare`.
            None => {
                Ok((parent.to_owned(), name(parent).unwrap_or_else(|| "repository".to_owned())))
            }
        }
    }

    fn first_checkout(&self) -> Result<PathBuf, Error> {
        let worktrees = self.git.worktrees().map_err(refused)?;
        let first = worktrees.into_iter().next();
        Ok(first.ok_or_else(|| Fault::bug("a repository without a checkout"))?.path)
    }

    /// A worktree inside of another checkout would be a change there.
    fn outside_of_superprojects(&self, parent: &Path) -> Result<PathBuf, Error> {
        let mut parent = parent.to_owned();
        let mut git = self.git.clone();
        while let Some(outer) = git.superproject().map_err(refused)? {
            outer.parent().unwrap_or(&outer).clone_into(&mut parent);
            git = git.at(outer);
        }
        Ok(parent)
    }
}

/// What differs and must not be forgotten, in a checkout.
pub(in crate::run) fn blocking(git: &Git, file: &str) -> Result<Vec<String>, Error> {
    named(git, |name| blocks(name, file))
}

/// What differs and would be lost with a checkout. `copy` is the run's copy of its workflow file.
pub(in crate::run) fn lost_with(git: &Git, copy: Option<&str>) -> Result<Vec<String>, Error> {
    named(git, |name| is_lost(name, copy))
}

fn named(git: &Git, counts: impl Fn(&str) -> bool) -> Result<Vec<String>, Error> {
    let changed = git.status().map_err(refused)?;
    let mut named: Vec<String> =
        changed.iter().flat_map(names).filter(|name| counts(name)).collect();
    named.sort_unstable();
    Ok(named)
}

/// Both ends of a rename count.
fn names(changed: &Changed) -> impl Iterator<Item = String> {
    let both = [Some(&changed.path), changed.from.as_ref()];
    both.into_iter().flatten().map(|path| path.to_string_lossy().into_owned())
}

fn at(path: &Path) -> Result<AtPath, Error> {
    match fs::symlink_metadata(path) {
        Ok(_) => Ok(AtPath::Other),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(AtPath::Nothing),
        Err(error) => Err(unusable(path, &error).into()),
    }
}

/// Git knows worktrees by their paths behind all links.
pub(in crate::run) fn is_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| fs::canonicalize(path).ok();
    one == other || real(one).is_some_and(|one| Some(one) == real(other))
}
