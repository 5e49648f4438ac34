//! `setup hotl`: the link by whose name skills of HOTL call Windlass.

use std::path::{Path, PathBuf};

use windlass_domain::{Code, Refusal};
use windlass_hands::link::{self, At};
use windlass_ledger::Error;

use super::{FileChange, What};
use crate::context::Surroundings;
use crate::exchange::unusable;

/// The name by which skills call HOTL's runtime.
const NAME: &str = "hotl-rt";

/// The link, and what is at its place.
#[derive(Debug)]
pub(super) struct Link {
    path: PathBuf,
    /// What it shall lead to.
    target: PathBuf,
    at: At,
    is_ours: bool,
}

/// What shall become of the link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wish {
    Make { replace: bool },
    Remove,
}

impl Link {
    /// Looks into a folder, or into that of the program.
    pub(super) fn look(dir: Option<&Path>, surroundings: &Surroundings) -> Result<Self, Error> {
        let program = surroundings.program.as_deref().ok_or_else(no_program)?;
        let own = program.parent().ok_or_else(no_program)?;
        let here = surroundings.folder.clone().unwrap_or_default();
        let folder = dir.map_or_else(|| own.to_owned(), |dir| here.join(dir));
        let path = folder.join(NAME);
        let at = link::look(&path).map_err(|error| unusable(&path, &error))?;
        let leads_to = |path: &Path| path.canonicalize().ok();
        let is_ours = matches!(at, At::Link(_))
            && leads_to(&path).is_some_and(|to| Some(to) == leads_to(program));
        // Beside the program it stays right when both are moved.
        let target = match folder == own {
            true => program.file_name().map_or_else(|| program.to_owned(), PathBuf::from),
            false => program.to_owned(),
        };
        Ok(Self { path, target, at, is_ours })
    }

    /// What has to be done, if that may be.
    pub(super) fn change(&self, wish: Wish) -> Result<FileChange, Refusal> {
        let change = match (&self.at, wish) {
            (At::Nothing, Wish::Make { .. }) => What::Create,
            (At::Nothing, Wish::Remove) => What::None,
            (At::Link(_), Wish::Make { .. }) if self.is_ours => What::None,
            (At::Link(_), Wish::Remove) if self.is_ours => What::Remove,
            (At::Link(_), Wish::Make { replace: true }) => What::Edit,
            (At::Link(_) | At::Other, _) => return Err(self.is_not_ours(wish)),
        };
        let (path, target) = (self.path.display(), self.target.display());
        let was = match &self.at {
            At::Link(to) => to.display().to_string(),
            At::Nothing | At::Other => String::new(),
        };
        let diff = match change {
            What::Create => Some(format!("+{path} -> {target}\n")),
            What::Edit => Some(format!("-{path} -> {was}\n+{path} -> {target}\n")),
            What::Remove => Some(format!("-{path} -> {was}\n")),
            What::None => None,
        };
        Ok(FileChange { path: path.to_string(), change, diff })
    }

    fn is_not_ours(&self, wish: Wish) -> Refusal {
        let path = self.path.display();
        let (message, hint) = match (&self.at, wish) {
            (At::Link(to), Wish::Make { .. }) => (
                format!("{path} is a link to {}", to.display()),
                "--replace makes it lead here; or choose another folder: --dir DIR".to_owned(),
            ),
            (At::Link(to), Wish::Remove) => (
                format!("{path} is a link to {}, and not from here", to.display()),
                "remove it yourself, if it is of no use".to_owned(),
            ),
            (At::Other | At::Nothing, _) => (
                format!("{path} is there already, and is not from here"),
                format!("move it away: mv {path} {path}.old; or choose another folder: --dir DIR"),
            ),
        };
        Refusal::new(Code::EntryExists, message).hint(hint).detail("file", path.to_string())
    }

    pub(super) fn carry_out(&self, change: What) -> Result<(), Error> {
        let done = match change {
            What::None => Ok(()),
            What::Create | What::Edit => link::make(&self.path, &self.target),
            What::Remove => link::remove(&self.path),
        };
        done.map_err(|error| unusable(&self.path, &error).into())
    }

    /// Whether skills will find it.
    pub(super) fn notes(&self, surroundings: &Surroundings) -> Vec<String> {
        let folder = self.path.parent().unwrap_or(Path::new("/"));
        let paths =
            surroundings.variables.all().get("PATH").map(String::as_str).unwrap_or_default();
        let real = |folder: &Path| folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let folders: Vec<&Path> =
            paths.split(':').filter(|folder| !folder.is_empty()).map(Path::new).collect();
        let shown = folder.display();
        let Some(position) = folders.iter().position(|other| real(other) == real(folder)) else {
            return vec![format!(
                "{shown} is not on the PATH, and skills will not find {NAME}: export \
                 PATH=\"{shown}:$PATH\""
            )];
        };
        let earlier = folders.iter().take(position).map(|folder| folder.join(NAME));
        let mut others = earlier.filter(|other| other.exists());
        match others.next() {
            Some(other) => {
                vec![format!("{shown} is on the PATH, but {} comes before it", other.display())]
            }
            None => vec![format!("{shown} is on the PATH")],
        }
    }
}

fn no_program() -> Refusal {
    Refusal::new(Code::InvalidValue, "the path of this program cannot be found")
        .hint(format!("make the link yourself: ln -s /path/to/windlass {NAME}"))
}
