//! The coding agents we know, and the files in which each looks for servers and instructions.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::{Code, Refusal};

use super::entry::Form;
use super::json::{Dialect, Holder};

/// A coding agent.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum,
)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub enum Kind {
    /// Claude Code
    Claude,
    /// Codex CLI
    Codex,
    /// `OpenCode`
    #[serde(rename = "opencode")]
    #[value(name = "opencode", help = "OpenCode")]
    OpenCode,
    /// Gemini CLI
    Gemini,
    /// Cursor
    Cursor,
    /// Skills that were written for HOTL: a link by the name of its runtime
    Hotl,
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Claude => "Claude Code",
            Self::Codex => "Codex",
            Self::OpenCode => "OpenCode",
            Self::Gemini => "Gemini CLI",
            Self::Cursor => "Cursor",
            Self::Hotl => "HOTL",
        })
    }
}

/// For whom an agent is set up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    /// Everybody who works on this project.
    Project,
    /// This user, in every project.
    User,
}

/// What of ours is in a file.
#[derive(Debug, Clone, Copy)]
pub(super) enum Part {
    Json(Holder, Form),
    Toml,
    /// The instructions; a file that we make begins with the preamble.
    Instructions {
        preamble: &'static str,
    },
}

/// A file that an agent reads.
#[derive(Debug, Clone)]
pub(super) struct Target {
    pub(super) path: PathBuf,
    /// The path as people read it.
    pub(super) shown: String,
    pub(super) part: Part,
}

/// The folders from which the paths of the files begin.
#[derive(Debug)]
pub(super) struct Folders<'a> {
    pub(super) project: &'a Path,
    pub(super) variables: &'a BTreeMap<String, String>,
}

/// Cursor reads a rule only when its head says so.
const CURSOR_HEAD: &str =
    "---\ndescription: How to work with the tasks of Windlass\nalwaysApply: true\n---\n";

const INSTRUCTIONS: Part = Part::Instructions { preamble: "" };

const fn json(key: &'static str, dialect: Dialect, form: Form) -> Part {
    Part::Json(Holder { key, dialect }, form)
}

impl Kind {
    /// The word for it on the command line, and its name as an agent when nobody gives another.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::OpenCode => "opencode",
            Self::Gemini => "gemini",
            Self::Cursor => "cursor",
            Self::Hotl => "hotl",
        }
    }

    /// Its files: first the one with servers, then the one with instructions.
    pub(super) fn targets(self, scope: Scope, at: &Folders<'_>) -> Result<Vec<Target>, Refusal> {
        let servers = json("mcpServers", Dialect::Strict, Form::Plain);
        let with_comments = json("mcpServers", Dialect::Comments, Form::Plain);
        let opencode = json("mcp", Dialect::Comments, Form::Local);
        let rule = Part::Instructions { preamble: CURSOR_HEAD };
        let here = |path: &str| at.project.join(path);
        let files = match (self, scope) {
            (Self::Claude, Scope::Project) => {
                vec![(here(".mcp.json"), servers), (here("CLAUDE.md"), INSTRUCTIONS)]
            }
            (Self::Claude, Scope::User) => {
                let own = at.variable("CLAUDE_CONFIG_DIR").map(PathBuf::from);
                let settings = own.clone().map_or_else(|| at.home(), Ok)?.join(".claude.json");
                let folder = own.map_or_else(|| at.in_home(".claude"), Ok)?;
                vec![(settings, servers), (folder.join("CLAUDE.md"), INSTRUCTIONS)]
            }
            // A project's own settings count for Codex only where it is trusted; these always do.
            (Self::Codex, Scope::Project) => {
                let settings = at.codex()?.join("config.toml");
                vec![(settings, Part::Toml), (here("AGENTS.md"), INSTRUCTIONS)]
            }
            (Self::Codex, Scope::User) => {
                let folder = at.codex()?;
                let settings = folder.join("config.toml");
                vec![(settings, Part::Toml), (folder.join("AGENTS.md"), INSTRUCTIONS)]
            }
            (Self::OpenCode, Scope::Project) => {
                vec![(opencode_settings(at.project), opencode), (here("AGENTS.md"), INSTRUCTIONS)]
            }
            (Self::OpenCode, Scope::User) => {
                let folder = at.config()?.join("opencode");
                vec![
                    (opencode_settings(&folder), opencode),
                    (folder.join("AGENTS.md"), INSTRUCTIONS),
                ]
            }
            (Self::Gemini, Scope::Project) => vec![
                (here(".gemini/settings.json"), with_comments),
                (here("GEMINI.md"), INSTRUCTIONS),
            ],
            (Self::Gemini, Scope::User) => {
                let folder = at.in_home(".gemini")?;
                vec![
                    (folder.join("settings.json"), with_comments),
                    (folder.join("GEMINI.md"), INSTRUCTIONS),
                ]
            }
            (Self::Cursor, Scope::Project) => vec![
                (here(".cursor/mcp.json"), with_comments),
                (here(".cursor/rules/windlass.mdc"), rule),
            ],
            // The rules of a user are in no file.
            (Self::Cursor, Scope::User) => {
                vec![(at.in_home(".cursor/mcp.json")?, with_comments)]
            }
            // Its skills find us by a link.
            (Self::Hotl, Scope::Project | Scope::User) => Vec::new(),
        };
        let target = |(path, part): (PathBuf, Part)| Target { shown: at.shown(&path), path, part };
        Ok(files.into_iter().map(target).collect())
    }
}

/// `OpenCode` reads both names; whoever has comments uses the second.
fn opencode_settings(folder: &Path) -> PathBuf {
    let (plain, with_comments) = (folder.join("opencode.json"), folder.join("opencode.jsonc"));
    if with_comments.exists() && !plain.exists() { with_comments } else { plain }
}

impl Folders<'_> {
    fn variable(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    fn home(&self) -> Result<PathBuf, Refusal> {
        self.variable("HOME").map(PathBuf::from).ok_or_else(|| {
            Refusal::new(Code::InvalidValue, "there is no HOME to look for the agent's files in")
                .hint("set HOME to your home folder")
                .detail("field", "HOME")
        })
    }

    fn in_home(&self, path: &str) -> Result<PathBuf, Refusal> {
        Ok(self.home()?.join(path))
    }

    fn codex(&self) -> Result<PathBuf, Refusal> {
        self.variable("CODEX_HOME").map_or_else(|| self.in_home(".codex"), |own| Ok(own.into()))
    }

    fn config(&self) -> Result<PathBuf, Refusal> {
        let own = self.variable("XDG_CONFIG_HOME");
        own.map_or_else(|| self.in_home(".config"), |own| Ok(own.into()))
    }

    /// From the project, else from the home folder.
    fn shown(&self, path: &Path) -> String {
        if let Ok(inside) = path.strip_prefix(self.project) {
            return inside.display().to_string();
        }
        match self.home().ok().and_then(|home| path.strip_prefix(home).ok().map(Path::to_owned)) {
            Some(inside) => format!("~/{}", inside.display()),
            None => path.display().to_string(),
        }
    }
}
