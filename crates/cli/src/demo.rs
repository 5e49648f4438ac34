//! `windlass demo`: a short story that plays by itself in a throw-away ledger.
//!
//! Every command in it is run for real, as a process of this same program, so it is a self-test
//! too. The story is in `script.rs`.

mod screen;
mod script;
mod stage;

use std::fs::{self, Permissions};
use std::io::{self, IsTerminal as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, Command};
use serde::Serialize;
use windlass_domain::{Code, Exit, Refusal};
use windlass_ledger::Fault;
use windlass_ops::settings::Format;

use crate::environment::Environment;
use crate::own::{Call, Own};
use crate::report;
use screen::{Pace, Screen};
use script::{EXPLORE, FAREWELL, STORY};
use stage::{Played, Stage};

pub(crate) const OWN: Own = Own {
    name: "demo",
    about: "Play a short story of three agents, in a throw-away ledger",
    example: "windlass demo --fast",
    arguments,
    run,
};

/// The whole story as one document.
#[derive(Serialize)]
struct Told {
    folder: String,
    database: String,
    scenes: Vec<ToldScene>,
    /// What could be typed next.
    explore: Vec<String>,
}

#[derive(Serialize)]
struct ToldScene {
    title: String,
    steps: Vec<ToldStep>,
}

#[derive(Serialize)]
struct ToldStep {
    command: String,
    exit: Option<i32>,
    output: String,
}

/// Why the story ended early.
enum Stopped {
    Failed(Fault),
    /// Nobody can read on.
    Unread(io::Error),
}

fn arguments(command: Command) -> Command {
    command.arg(Arg::new("fast").long("fast").help("Without pauses").action(ArgAction::SetTrue))
}

/// Plays the story. It is text wherever it goes, unless JSON was asked for.
fn run(call: Call<'_>) -> io::Result<Exit> {
    let Call { matches, environment, terminal, .. } = call;
    let format = terminal.asked().or(environment.format()).unwrap_or(Format::Text);
    terminal.set_format(Some(format));
    let named = ["db", "server"].into_iter().find(|name| matches.get_one::<String>(name).is_some());
    if let Some(named) = named {
        let refusal = Refusal::new(Code::Usage, "the demo makes a ledger of its own")
            .hint(format!("leave --{named} out: windlass demo"));
        return report::error(terminal, refusal.into());
    }
    let is_watched = io::stdout().is_terminal() && !matches.get_flag("fast");
    let pace = if is_watched { Pace::Followed } else { Pace::Fast };
    let mut screen = (format == Format::Text).then(|| Screen::new(terminal, pace));
    match play(environment, screen.as_mut()) {
        Ok(told) if format == Format::Json => match serde_json::to_string(&told) {
            Ok(json) => terminal.out(&json).map(|_reader| Exit::Done),
            Err(error) => {
                let fault = Fault::bug("the story is not JSON").because(error);
                report::error(terminal, fault.into())
            }
        },
        Ok(_) => Ok(Exit::Done),
        Err(Stopped::Failed(fault)) => report::error(terminal, fault.into()),
        Err(Stopped::Unread(error)) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Exit::Done),
        Err(Stopped::Unread(error)) => Err(error),
    }
}

fn play(environment: &Environment, mut screen: Option<&mut Screen<'_>>) -> Result<Told, Stopped> {
    let windlass = std::env::current_exe()
        .map_err(|error| Fault::bug(format!("this program cannot find itself: {error}")))?;
    let folder = new_folder()?;
    let database = folder.join("ledger.db");
    if let Some(screen) = &screen {
        let place = folder.display();
        screen.narrate(&format!("All of this really happens, in a new ledger in {place}."))?;
    }
    let mut stage = Stage::new(&windlass, &folder, &database);
    let mut scenes = Vec::with_capacity(STORY.len());
    for scene in STORY {
        let title = stage.said(scene.title)?;
        if let Some(screen) = &screen {
            screen.title(&title)?;
        }
        let mut steps = Vec::new();
        for step in scene.steps {
            let played = stage.play(step)?;
            if let Some(screen) = &mut screen {
                screen.show(&played)?;
            }
            steps.extend(played.into_iter().map(ToldStep::from));
        }
        scenes.push(ToldScene { title, steps });
    }
    let explore = explore(environment, &windlass, &database);
    if let Some(screen) = &screen {
        screen.title(FAREWELL)?;
        explore.iter().try_for_each(|line| screen.suggest(line))?;
    }
    let (folder, database) = (folder.display().to_string(), database.display().to_string());
    Ok(Told { folder, database, scenes, explore })
}

/// A folder that only we can look into. It stays when the story is over.
fn new_folder() -> Result<PathBuf, Fault> {
    let unusable = |error: io::Error| {
        let place = std::env::temp_dir();
        Fault::new(
            Code::FileUnusable,
            format!("no folder for the demo can be made in {}: {error}", place.display()),
        )
        .hint("name another place: TMPDIR=PATH windlass demo")
        .detail("path", place.display().to_string())
    };
    let folder = tempfile::Builder::new()
        .prefix("windlass-demo-")
        .permissions(Permissions::from_mode(0o700))
        .tempdir()
        .map_err(unusable)?
        .keep();
    // Settings are looked for in the folders above, up to the first that has some: here, none.
    let settings = folder.join(".windlass");
    fs::create_dir(&settings).map_err(unusable)?;
    fs::write(settings.join("config.toml"), "").map_err(unusable)?;
    Ok(folder)
}

/// What to type to look around, ready to be copied.
fn explore(environment: &Environment, windlass: &Path, database: &Path) -> Vec<String> {
    let mut lines = vec![format!("export WINDLASS_DB={}", quoted(database))];
    if let Some(own) = windlass.parent()
        && !std::env::split_paths(environment.variable("PATH").unwrap_or_default())
            .any(|folder| folder == own)
    {
        lines.push(format!("export PATH={}:$PATH", quoted(own)));
    }
    lines.extend(EXPLORE.iter().map(|&line| line.to_owned()));
    lines
}

/// A path as a shell takes it for one word.
fn quoted(path: &Path) -> String {
    let path = path.display().to_string();
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-+".contains(letter);
    match path.chars().all(is_plain) {
        true => path,
        false => format!("'{}'", path.replace('\'', r"'\''")),
    }
}

impl From<Played> for ToldStep {
    fn from(played: Played) -> Self {
        let Played { agent, command, exit, output } = played;
        let command = match agent {
            Some(agent) => format!("WINDLASS_AGENT={agent} {command}"),
            None => command,
        };
        Self { command, exit, output }
    }
}

impl From<Fault> for Stopped {
    fn from(fault: Fault) -> Self {
        Self::Failed(fault)
    }
}

impl From<io::Error> for Stopped {
    fn from(error: io::Error) -> Self {
        Self::Unread(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_quoted_only_where_a_shell_needs_it() {
        assert_eq!(quoted(Path::new("/tmp/windlass-demo-a1")), "/tmp/windlass-demo-a1");
        assert_eq!(quoted(Path::new("/tmp/it's here")), r"'/tmp/it'\''s here'");
    }
}
