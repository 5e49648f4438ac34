//! `setup`: tells a coding agent of Windlass, in the files that it reads, and takes it back.
//!
//! What a file shall hold is decided as text (`json`, `toml`, `block`); here the files are found,
//! the change is shown, and only then written.

mod block;
mod diff;
mod edit;
mod entry;
mod json;
mod kind;
mod runtime;
mod toml;

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::{Code, Refusal, Time, text};
use windlass_hands::files::{self, NotDone};
use windlass_ledger::{Error, Fault};

use self::block::Block;
use self::edit::{Edited, Foreign, Trouble};
use self::entry::{Entry, Form, NAME, Name};
use self::kind::{Folders, Part, Scope, Target};
use self::runtime::{Link, Wish};
use crate::context::{Context, Surroundings};
use crate::exchange::{in_words, unusable};
use crate::operation::{Access, Operation, Output, Place, Remotely};
use crate::sheet::{Cell, Sheet, Tone, counted};
use crate::view::usage;

pub use self::kind::Kind;

/// The block that an agent reads.
const INSTRUCTIONS: &str = include_str!("instructions.md");

/// Writes the MCP entry and a short block of instructions into the files of a coding agent.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
#[expect(clippy::struct_excessive_bools, reason = "flags of a command line")]
pub struct Setup {
    /// Which agent
    #[arg(value_name = "AGENT", value_enum)]
    pub kind: Kind,
    /// Who acts when a tool is told nobody: written into the entry, at first the agent's own name
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    pub agent: Option<String>,
    /// Only show what would change
    #[arg(long)]
    #[serde(default)]
    pub dry_run: bool,
    /// Take out again what setup wrote
    #[arg(long)]
    #[serde(default)]
    pub undo: bool,
    /// For you in every project: the files in your home folder
    #[arg(long)]
    #[serde(default)]
    pub user: bool,
    /// For hotl: the folder of the link; without one, that of the program
    #[arg(long, value_name = "DIR")]
    #[serde(default)]
    pub dir: Option<PathBuf>,
    /// Overwrite an entry named windlass, or a link, that somebody else made
    #[arg(long)]
    #[serde(default)]
    pub replace: bool,
    /// Write without asking
    #[arg(short, long)]
    #[serde(default)]
    pub yes: bool,
}

/// What was changed, or would be.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct SetUp {
    #[schemars(with = "Kind")]
    pub kind: Kind,
    pub undo: bool,
    /// False for a dry run, when the person said no, and when there was nothing to do.
    pub written: bool,
    pub files: Vec<FileChange>,
    /// What else there is to know.
    pub notes: Vec<String>,
    /// The changes were shown with the question.
    #[serde(skip)]
    pub was_asked: bool,
}

/// A file, and what happens to it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct FileChange {
    pub path: String,
    pub change: What,
    /// A unified diff; null when nothing changes.
    pub diff: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum What {
    Create,
    Edit,
    Remove,
    None,
}

impl Operation for Setup {
    type Output = SetUp;
    const NAME: &'static str = "setup";
    const ABOUT: &'static str = "Tell a coding agent of Windlass in its own files, or undo that";
    const EXAMPLE: &'static str = "windlass setup claude";
    const ACCESS: Access = Access::Write;
    const PLACE: Place = Place::Workplace;
    const REMOTELY: Remotely = Remotely::Here;

    fn run(&self, cx: &mut Context) -> Result<SetUp, Error> {
        self.must_fit()?;
        match self.kind {
            Kind::Hotl => self.link(cx),
            Kind::Claude | Kind::Codex | Kind::OpenCode | Kind::Gemini | Kind::Cursor => {
                self.tell_agent(cx)
            }
        }
    }
}

/// A file and what shall become of it.
struct Plan {
    shown: String,
    change: files::Change,
}

impl Setup {
    /// Refuses what means nothing for this kind.
    fn must_fit(&self) -> Result<(), Refusal> {
        let given = match self.kind {
            Kind::Hotl => [("--agent", self.agent.is_some()), ("--user", self.user)],
            _ => [("--dir", self.dir.is_some()), ("", false)],
        };
        match given.into_iter().find(|(_, is_given)| *is_given) {
            Some((flag, _)) => {
                let message = format!("{flag} means nothing for {}", self.kind.word());
                Err(usage(&message, &format!("leave {flag} out")))
            }
            None => Ok(()),
        }
    }

    /// The link by which skills of HOTL find us.
    fn link(&self, cx: &mut Context) -> Result<SetUp, Error> {
        let link = Link::look(self.dir.as_deref(), &cx.surroundings)?;
        let wish = match self.undo {
            true => Wish::Remove,
            false => Wish::Make { replace: self.replace },
        };
        let change = link.change(wish)?;
        let what = change.change;
        let notes = if self.undo { Vec::new() } else { link.notes(&cx.surroundings) };
        let mut done = self.planned(vec![change], notes);
        if self.may_write(cx, &mut done)? {
            link.carry_out(what)?;
            done.written = true;
        }
        Ok(done)
    }

    fn planned(&self, files: Vec<FileChange>, notes: Vec<String>) -> SetUp {
        let (kind, undo) = (self.kind, self.undo);
        SetUp { kind, undo, written: false, files, notes, was_asked: false }
    }

    /// Whether there is something to write, and nobody objects.
    fn may_write(&self, cx: &Context, done: &mut SetUp) -> Result<bool, Refusal> {
        if self.dry_run || done.changed().next().is_none() {
            return Ok(false);
        }
        if self.yes {
            return Ok(true);
        }
        let answer = cx.confirm(&done.changes(), "Write this?").ok_or_else(|| unasked(done))?;
        done.was_asked = true;
        Ok(answer)
    }

    /// The files that an agent reads.
    fn tell_agent(&self, cx: &mut Context) -> Result<SetUp, Error> {
        let project = project(&cx.surroundings)?;
        let variables = cx.surroundings.variables.all();
        let scope = if self.user { Scope::User } else { Scope::Project };
        let targets = self.kind.targets(scope, &Folders { project: &project, variables })?;
        let program = program(&cx.surroundings)?;
        let entry = self.entry(program)?;
        let mut plans = Vec::with_capacity(targets.len());
        for target in targets {
            plans.push(self.plan(target, &entry)?);
        }
        let mut done = self.planned(plans.iter().map(Plan::view).collect(), self.notes());
        plans.retain(|plan| plan.change.before != plan.change.after);
        if self.may_write(cx, &mut done)? {
            write(plans, &project)?;
            done.written = true;
        }
        Ok(done)
    }

    fn entry(&self, program: String) -> Result<Entry, Refusal> {
        let agent = match &self.agent {
            Some(name) => Name::Asked(text::name("agent", name)?),
            None => Name::Usual(self.kind.word()),
        };
        Ok(Entry { form: Form::Plain, program, agent })
    }

    fn plan(&self, target: Target, entry: &Entry) -> Result<Plan, Error> {
        let before = files::read(&target.path).map_err(not_done)?;
        let foreign = if self.replace { Foreign::Replace } else { Foreign::Keep };
        let text = before.as_deref();
        let edited = match (target.part, self.undo) {
            (Part::Json(holder, form), false) => holder.put(text, &entry.in_form(form), foreign),
            (Part::Json(holder, form), true) => holder.take(text, &entry.in_form(form), foreign),
            (Part::Toml, false) => toml::put(text, entry, foreign),
            (Part::Toml, true) => toml::take(text, entry, foreign),
            (Part::Instructions { preamble }, false) => instructions(preamble).put(text),
            (Part::Instructions { preamble }, true) => instructions(preamble).take(text),
        };
        let edited = edited.map_err(|trouble| self.refusal(trouble, &target, entry))?;
        let after = match edited {
            Edited::Same => before.clone(),
            Edited::Text(text) => Some(text),
            // Somebody's link must not lead to nothing.
            Edited::Gone if target.path.is_symlink() => Some(empty(target.part).to_owned()),
            Edited::Gone => None,
        };
        let change = files::Change { path: target.path, before, after };
        Ok(Plan { shown: target.shown, change })
    }

    fn refusal(&self, trouble: Trouble, target: &Target, entry: &Entry) -> Refusal {
        let (file, ours) = (&target.shown, snippet(target.part, entry));
        let refusal = match trouble {
            Trouble::Broken { line, what } => {
                Refusal::new(Code::FileInvalid, format!("{file}, line {line}: {what}"))
                    .hint(format!("repair {file}, and run the same command again"))
                    .detail("line", line)
            }
            Trouble::Unsafe { what } => {
                let message = format!("{file} cannot be edited safely: {what}");
                Refusal::new(Code::FileInvalid, message)
                    .hint(format!("change it by hand; our part is\n{}", ours.trim_end()))
            }
            Trouble::Foreign { theirs } => {
                let message =
                    format!("{file} has an entry named windlass that is not from here:\n{theirs}");
                Refusal::new(Code::EntryExists, message)
                    .hint(match self.undo {
                        true => "--replace takes it out all the same".to_owned(),
                        false => format!("--replace overwrites it with\n{}", ours.trim_end()),
                    })
                    .detail("theirs", theirs)
            }
        };
        refusal.detail("file", target.path.display().to_string()).detail("ours", ours)
    }

    fn notes(&self) -> Vec<String> {
        let note = match (self.kind, self.user, self.undo) {
            (Kind::Codex, false, false) => {
                "the entry is in the home folder of Codex, and counts in all projects"
            }
            (Kind::Cursor, true, false) => {
                "Cursor has the rules of a user in its own settings: there is no file to write \
                 the instructions into; they go into each project without --user"
            }
            _ => return Vec::new(),
        };
        vec![note.to_owned()]
    }
}

fn instructions(preamble: &str) -> Block<'_> {
    Block { marks: block::MARKDOWN, body: INSTRUCTIONS, preamble }
}

/// A file of that kind with nothing in it.
fn empty(part: Part) -> &'static str {
    match part {
        Part::Json(..) => "{}\n",
        Part::Toml | Part::Instructions { .. } => "",
    }
}

impl Plan {
    fn view(&self) -> FileChange {
        let files::Change { path, before, after } = &self.change;
        let change = match (before, after) {
            (before, after) if before == after => What::None,
            (None, _) => What::Create,
            (_, None) => What::Remove,
            (Some(_), Some(_)) => What::Edit,
        };
        let diff = || diff::unified(&self.shown, before.as_deref(), after.as_deref());
        FileChange {
            path: path.display().to_string(),
            change,
            diff: (change != What::None).then(diff),
        }
    }
}

/// Writes everything, and takes folders away that are empty now.
fn write(plans: Vec<Plan>, project: &Path) -> Result<(), Error> {
    let changes: Vec<files::Change> = plans.into_iter().map(|plan| plan.change).collect();
    files::change(&changes).map_err(not_done)?;
    for change in changes.iter().filter(|change| change.after.is_none()) {
        if let Some(folder) = change.path.parent() {
            files::remove_empty_folders(folder, project);
        }
    }
    Ok(())
}

/// The folder of the git repository, else the one we are in.
fn project(surroundings: &Surroundings) -> Result<PathBuf, Refusal> {
    let Some(here) = &surroundings.folder else {
        return Err(Refusal::new(Code::InvalidValue, "the folder we are in cannot be found")
            .hint("change to the folder of the project first"));
    };
    let root = here.ancestors().find(|folder| folder.join(".git").exists());
    Ok(root.unwrap_or(here).to_owned())
}

/// How the agent can start us: by name if that is found, else by path.
fn program(surroundings: &Surroundings) -> Result<String, Refusal> {
    let path = surroundings.variables.all().get("PATH");
    let mut folders = path.into_iter().flat_map(|path| path.split(':'));
    let can_start = |folder: &str| !folder.is_empty() && is_program(&Path::new(folder).join(NAME));
    if folders.any(can_start) {
        return Ok(NAME.to_owned());
    }
    let program = surroundings.program.as_deref().and_then(Path::to_str);
    program.map(str::to_owned).ok_or_else(|| {
        Refusal::new(Code::InvalidValue, "the path of this program cannot be written down")
            .hint("put windlass into a folder of PATH")
            .detail("field", "PATH")
    })
}

fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

fn unasked(done: &SetUp) -> Refusal {
    let count = counted(done.changed().count() as u64, "file");
    let files: Vec<&str> = done.changed().map(|file| file.path.as_str()).collect();
    usage(
        &format!("nothing was written: nobody can be asked whether {count} may be changed"),
        "look first with --dry-run, then give --yes",
    )
    .detail("files", files)
}

fn not_done(error: NotDone) -> Error {
    match error {
        NotDone::Unusable { path, source } => match source.kind() {
            std::io::ErrorKind::InvalidData => {
                Fault::new(Code::FileUnusable, format!("{}: {}", path.display(), in_words(&source)))
                    .hint("the file must be UTF-8 text")
                    .detail("file", path.display().to_string())
                    .into()
            }
            _ => unusable(&path, &source).into(),
        },
        NotDone::Changed { path } => Refusal::new(
            Code::EditConflict,
            format!("{} was changed meanwhile; nothing was written", path.display()),
        )
        .hint("run the same command again")
        .detail("file", path.display().to_string())
        .into(),
    }
}

/// What to paste where we cannot write, or would have to overwrite.
fn snippet(part: Part, entry: &Entry) -> String {
    match part {
        Part::Json(holder, form) => holder.new_file(&entry.in_form(form)),
        Part::Toml => toml::body(entry),
        Part::Instructions { preamble } => instructions(preamble).set("\n"),
    }
}

impl SetUp {
    fn changed(&self) -> impl Iterator<Item = &FileChange> {
        self.files.iter().filter(|file| file.change != What::None)
    }

    /// The diffs.
    fn changes(&self) -> Sheet {
        let lines = self.changed().filter_map(|file| file.diff.as_deref()).flat_map(str::lines);
        lines.fold(Sheet::default(), |sheet, line| {
            let tone = match line.get(..1) {
                Some("+") if !line.starts_with("+++") => Tone::Good,
                Some("-") if !line.starts_with("---") => Tone::Bad,
                Some("@") => Tone::Dim,
                _ => Tone::Plain,
            };
            sheet.and_line(Cell::toned(line, tone))
        })
    }

    fn outcome(&self) -> String {
        let Self { kind, undo, written, .. } = self;
        let count = counted(self.changed().count() as u64, "file");
        match (self.changed().next(), written, undo) {
            (None, _, false) => format!("{kind} is already set up"),
            (None, _, true) => format!("{kind} is not set up here: there is nothing to undo"),
            (Some(_), true, false) => format!("{kind} is set up: {count} written"),
            (Some(_), true, true) => format!("{kind} is no longer set up: {count} changed back"),
            (Some(_), false, _) if self.was_asked => "nothing was written".to_owned(),
            (Some(_), false, _) => format!("nothing was written: {count} would change"),
        }
    }
}

impl Output for SetUp {
    fn sheet(&self, _now: Time) -> Sheet {
        let sheet = if self.was_asked { Sheet::default() } else { self.changes() };
        let sheet = sheet.and_line(Cell::toned(self.outcome(), Tone::Strong));
        self.notes.iter().fold(sheet, |sheet, note| sheet.and_line(Cell::dim(note.clone())))
    }
}
