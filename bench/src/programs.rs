//! The programs that are measured, and the hermetic home they run in.

use std::path::{Path, PathBuf};

use rusqlite::Connection;
use windlass_ledger::Location;
use windlass_testkit::server::Served;
use windlass_testkit::{Home, Run, home, machine};

use crate::Failure;

const YARDSTICK_TABLE: &str = "CREATE TABLE yardstick (id INTEGER PRIMARY KEY, text TEXT NOT NULL)";

/// Where the programs are.
#[derive(Debug, Clone)]
pub struct Programs {
    pub windlass: PathBuf,
    pub yardstick: PathBuf,
    pub poster: PathBuf,
}

impl Programs {
    /// The programs of this build: cargo builds them unless `WINDLASS_BIN` names the one to
    /// measure, because running one binary of a package does not build the others.
    pub fn built() -> Result<Self, Failure> {
        if machine::variable("WINDLASS_BIN").is_none() {
            build("windlass")?;
        }
        build("windlass-bench")?;
        let own = std::env::current_exe()?;
        let beside = |name| {
            let path = own.with_file_name(name);
            match path.is_file() {
                true => Ok(path),
                false => {
                    Err(format!("there is no {name}: cargo build --release -p windlass-bench"))
                }
            }
        };
        let (yardstick, poster) = (beside("yardstick")?, beside("poster")?);
        Ok(Self { windlass: home::binary(), yardstick, poster })
    }
}

/// Each by itself: together they would be built with each other's features.
fn build(package: &str) -> Result<(), Failure> {
    let Some(cargo) = machine::variable("CARGO") else {
        return Ok(());
    };
    let mut build = machine::command(cargo);
    build.args(["build", "--release", "--quiet", "--bins", "--package", package]);
    if !build.status()?.success() {
        return Err(format!("{package} cannot be built").into());
    }
    Ok(())
}

/// A home in which the programs run, and in which ledgers lie.
#[derive(Debug)]
pub struct Place {
    home: Home,
    programs: Programs,
}

impl Place {
    pub fn new(programs: &Programs) -> Self {
        Self { home: Home::new(), programs: programs.clone() }
    }

    /// The path of a ledger of that name.
    pub fn file(&self, name: &str) -> PathBuf {
        self.home.data().join(format!("{name}.db"))
    }

    /// A command on a ledger, its words as on a command line.
    pub fn windlass(&self, ledger: &Location, line: &str) -> Run {
        let run = self.home.program(&self.programs.windlass);
        let run = run.args(line.split_whitespace());
        match ledger {
            Location::Sqlite(path) => run.db(path),
            Location::Postgres(url) => run.db(url),
        }
    }

    /// A server of a ledger.
    pub fn serve(&self, ledger: &Location) -> Served {
        Served::from_run(&self.home, &self.windlass(ledger, "serve --listen 127.0.0.1:0"))
    }

    /// `windlass --version`, which opens nothing.
    pub fn version(&self) -> Run {
        self.home.program(&self.programs.windlass).args(["--version"])
    }

    /// A copy of a ledger with a table for the yardstick in it.
    pub fn yardstick_copy(&self, ledger: &Location) -> Result<PathBuf, Failure> {
        let Location::Sqlite(path) = ledger else {
            return Err("the yardstick writes to SQLite".into());
        };
        let copy = self.file("yardstick");
        std::fs::copy(path, &copy)?;
        Connection::open(&copy)?.execute_batch(YARDSTICK_TABLE)?;
        Ok(copy)
    }

    /// The minimal program that writes a row to a file prepared for it.
    pub fn yardstick(&self, file: &Path) -> Run {
        self.home.program(&self.programs.yardstick).args([file])
    }

    /// The same program when it does nothing: what a process costs.
    pub fn nothing(&self) -> Run {
        self.home.program(&self.programs.yardstick)
    }

    /// The minimal program that posts these bodies to a URL.
    pub fn poster(&self, url: &str, bodies: &[String]) -> Run {
        self.home.program(&self.programs.poster).args([url]).stdin(bodies.join("\n"))
    }
}
