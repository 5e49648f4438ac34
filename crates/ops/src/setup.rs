//! `init`, `which-db`, `status` and `guide`: what one asks before the first task. And the answers
//! to commands of HZL that have no counterpart here.
//!
//! Keys in camel case are HZL's. It keeps two files where one serves here, so both have its path.

use std::path::{Path, PathBuf};

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::{Code, Refusal, Time};
use windlass_ledger::{Error, Fault, Ledger, Location};

use crate::context::Context;
use crate::health::{AuditHead, HeadView, mode};
use crate::hook::OutboxCounts;
use crate::operation::{Access, Operation, Output, Place, Remotely};
use crate::project::Statuses;
use crate::remote::Remote;
use crate::settings::Origin;
use crate::sheet::{Cell, Sheet, size as in_bytes};
use crate::table::AS_IN_HZL;

/// Which ledger is meant, and why that one.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct Choice {
    /// A path, or an address without its password.
    pub db: String,
    /// `sqlite` or `postgres`, or `server` where a server has it.
    pub database: String,
    /// `local-only` for a file, `remote-only` for a server.
    pub mode: String,
    /// What kind of thing decided: `cli`, `env`, `config` or `default`.
    pub source: String,
    /// The flag, variable or file itself.
    pub origin: String,
}

impl Choice {
    fn of(cx: &Context) -> Self {
        if let Some(remote) = &cx.remote {
            let (database, mode) = ("server".to_owned(), "remote-only".to_owned());
            let choice = Self { db: remote.url(), database, mode, ..Self::default() };
            return choice.decided_by("server.url", cx);
        }
        let location = &cx.workplace.location;
        let database = match location {
            Location::Sqlite(_) => "sqlite",
            Location::Postgres(_) => "postgres",
        };
        let choice = Self {
            db: location.to_string(),
            database: database.to_owned(),
            mode: mode(location).to_owned(),
            ..Self::default()
        };
        choice.decided_by("database.url", cx)
    }

    /// The same, decided where a setting was made.
    fn decided_by(self, key: &str, cx: &Context) -> Self {
        let given = cx.settings.given.get(key);
        let origin = given.map_or(&Origin::Default, |given| &given.origin);
        let source = match origin {
            Origin::Flag(_) => "cli",
            Origin::Environment(_) => "env",
            Origin::User(_) | Origin::Repository(_) => "config",
            Origin::Default => "default",
        };
        Self { source: source.to_owned(), origin: origin.to_string(), ..self }
    }
}

/// Whether there is a ledger; nothing when its server cannot be asked.
fn exists(cx: &mut Context) -> Option<bool> {
    if cx.remote.is_some() {
        return cx.perform(&AuditHead {}).is_ok().then_some(true);
    }
    if let Location::Sqlite(path) = &cx.workplace.location {
        return Some(size(path) > 0);
    }
    match cx.ledger() {
        Ok(_) => Some(true),
        Err(Fault { code: Code::LedgerUnmigrated, .. }) => Some(false),
        Err(_) => None,
    }
}

/// A file that is not there has no bytes, and a file of no bytes is a ledger yet to be made.
fn size(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |data| data.len())
}

/// Makes the ledger if it is not there.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Init {
    #[command(flatten)]
    #[serde(skip)]
    pub accepted: Accepted,
    #[command(flatten)]
    #[serde(skip)]
    pub refused: Refused,
}

/// Flags of HZL's `init` that ask for what is so anyway.
#[derive(Debug, Clone, Default, Args)]
pub struct Accepted {
    /// Changes nothing: a ledger in a file is local
    #[arg(long, help_heading = AS_IN_HZL)]
    pub local: bool,
    /// Changes nothing: there is nothing to confirm
    #[arg(short, long, help_heading = AS_IN_HZL)]
    pub yes: bool,
}

/// Flags of HZL's `init` that ask for what is not here.
#[derive(Debug, Clone, Default, Args)]
pub struct Refused {
    /// Refused: nothing is deleted here
    #[arg(short, long, help_heading = AS_IN_HZL)]
    pub force: bool,
    /// Refused: no settings are written here
    #[arg(long, help_heading = AS_IN_HZL)]
    pub reset_config: bool,
    /// Refused: use PostgreSQL
    #[arg(long, value_name = "URL", value_parser = unread, help_heading = AS_IN_HZL)]
    pub sync_url: Option<Unread>,
    /// Refused: use PostgreSQL
    #[arg(long, value_name = "TOKEN", value_parser = unread, help_heading = AS_IN_HZL)]
    pub auth_token: Option<Unread>,
    /// Refused: use an encrypted file system
    #[arg(long, value_name = "KEY", value_parser = unread, help_heading = AS_IN_HZL)]
    pub encryption_key: Option<Unread>,
}

/// A value that is refused whatever it says, and may be a secret: it is not kept.
#[derive(Debug, Clone, Copy)]
pub struct Unread;

#[expect(clippy::unnecessary_wraps, reason = "clap asks for a result")]
fn unread(_: &str) -> Result<Unread, Refusal> {
    Ok(Unread)
}

/// The ledger, and whether it is new.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Initialised {
    #[serde(flatten)]
    pub choice: Choice,
    pub created: bool,
    pub encrypted: bool,
    #[serde(rename = "eventsDbPath")]
    pub events_db_path: String,
    #[serde(rename = "cacheDbPath")]
    pub cache_db_path: String,
}

impl Operation for Init {
    type Output = Initialised;
    const NAME: &'static str = "init";
    const ABOUT: &'static str = "Make the ledger if it is not there; the first write does so too";
    const EXAMPLE: &'static str = "windlass init";
    const ACCESS: Access = Access::Write;
    const PLACE: Place = Place::Workplace;

    fn run(&self, cx: &mut Context) -> Result<Initialised, Error> {
        self.refused.refuse()?;
        let choice = Choice::of(cx);
        let created = match &cx.workplace.location {
            Location::Sqlite(path) => {
                let is_new = size(path) == 0;
                Ledger::migrate(&cx.workplace.location, cx.workplace.options())?;
                is_new
            }
            // A database is shared, so only `db migrate` changes its tables; the fault says so.
            Location::Postgres(_) => cx.ledger().map(|_| false)?,
        };
        let path = choice.db.clone();
        Ok(Initialised {
            choice,
            created,
            encrypted: false,
            events_db_path: path.clone(),
            cache_db_path: path,
        })
    }
}

impl Refused {
    /// Each with what to do instead.
    fn refuse(&self) -> Result<(), Refusal> {
        let share = "several machines share a ledger on PostgreSQL: \
                     windlass --db postgres://host/database db migrate";
        let flags = [
            (self.sync_url.is_some(), "--sync-url", share),
            (self.auth_token.is_some(), "--auth-token", share),
            (
                self.encryption_key.is_some(),
                "--encryption-key",
                "keep the ledger on an encrypted file system",
            ),
            (
                self.reset_config,
                "--reset-config",
                "see where each setting comes from and change it there: windlass config",
            ),
            (
                self.force,
                "--force",
                "move the ledger away yourself, and then run windlass init again: windlass which-db names its file",
            ),
        ];
        match flags.into_iter().find(|(given, ..)| *given) {
            Some((_, flag, hint)) => Err(not_here(&format!("init {flag}"), hint)),
            None => Ok(()),
        }
    }
}

impl Output for Initialised {
    fn sheet(&self, _now: Time) -> Sheet {
        let Choice { db, .. } = &self.choice;
        Sheet::line(match self.created {
            true => format!("{db} is a new ledger"),
            false => format!("{db} is a ledger already"),
        })
    }
}

/// Says which ledger is meant.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct WhichDb {}

/// The ledger, and whether it is there.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Which {
    #[serde(flatten)]
    pub choice: Choice,
    /// Null when its server cannot be asked.
    pub exists: Option<bool>,
    #[serde(rename = "eventsDbPath")]
    pub events_db_path: String,
    #[serde(rename = "cacheDbPath")]
    pub cache_db_path: String,
    #[serde(rename = "eventsDbExists")]
    pub events_db_exists: Option<bool>,
    #[serde(rename = "cacheDbExists")]
    pub cache_db_exists: Option<bool>,
}

impl Operation for WhichDb {
    type Output = Which;
    const NAME: &'static str = "which-db";
    const ABOUT: &'static str = "Say which ledger is meant, and what decided that";
    const EXAMPLE: &'static str = "windlass which-db";
    const ACCESS: Access = Access::Read;
    const PLACE: Place = Place::Workplace;
    const REMOTELY: Remotely = Remotely::Here;

    fn run(&self, cx: &mut Context) -> Result<Which, Error> {
        let choice = Choice::of(cx);
        let (path, exists) = (choice.db.clone(), exists(cx));
        Ok(Which {
            choice,
            exists,
            events_db_path: path.clone(),
            cache_db_path: path,
            events_db_exists: exists,
            cache_db_exists: exists,
        })
    }
}

impl Output for Which {
    fn sheet(&self, _now: Time) -> Sheet {
        let Choice { db, origin, .. } = &self.choice;
        Sheet::line(db.clone()).and_line(Cell::dim(match self.exists {
            Some(true) => format!("from {origin}"),
            Some(false) => format!("from {origin}; there is no ledger yet"),
            None => format!("from {origin}; it cannot be reached"),
        }))
    }
}

/// Shows the state of the ledger.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Status {}

/// The state of the ledger.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct StatusShown {
    pub success: bool,
    pub data: State,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct State {
    /// The server that has it, where the caller uses one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    #[serde(flatten)]
    pub choice: Choice,
    #[serde(rename = "eventsDb")]
    pub events_db: String,
    #[serde(rename = "cacheDb")]
    pub cache_db: String,
    /// False before the first write.
    pub exists: bool,
    /// The file and its write-ahead log; null for a server.
    pub size_bytes: Option<u64>,
    /// The end of the log.
    pub head: HeadView,
    pub projects: u64,
    /// How many tasks are in each status.
    pub tasks: Statuses,
    /// How many hooks wait, are being sent, and so on.
    pub outbox: OutboxCounts,
}

impl Operation for Status {
    type Output = StatusShown;
    const NAME: &'static str = "status";
    const ABOUT: &'static str = "Show the ledger: where it is, its size, its end, its tasks";
    const EXAMPLE: &'static str = "windlass status";
    const ACCESS: Access = Access::Read;
    const REMOTELY: Remotely = Remotely::Here;

    fn run(&self, cx: &mut Context) -> Result<StatusShown, Error> {
        if let Some(url) = cx.remote.as_ref().map(Remote::url) {
            let StatusShown { success, data } = cx.perform(self)?;
            let choice = data.choice.clone().decided_by("server.url", cx);
            return Ok(StatusShown { success, data: State { server: Some(url), choice, ..data } });
        }
        let (head, projects, outbox) = cx.read(|snapshot| {
            Ok((snapshot.head()?, snapshot.all_projects()?, snapshot.hook_counts()?))
        })?;
        let choice = Choice::of(cx);
        let size_bytes = match &cx.workplace.location {
            Location::Sqlite(path) => Some(size(path) + size(&write_ahead_log(path))),
            Location::Postgres(_) => None,
        };
        let path = choice.db.clone();
        let data = State {
            server: None,
            choice,
            events_db: path.clone(),
            cache_db: path,
            exists: size_bytes != Some(0),
            size_bytes,
            head: HeadView::from(head),
            projects: projects.iter().filter(|project| !project.deleted).count() as u64,
            tasks: projects.iter().map(|project| Statuses::from(&project.counts)).sum(),
            outbox: outbox.into(),
        };
        Ok(StatusShown { success: true, data })
    }
}

fn write_ahead_log(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push("-wal");
    PathBuf::from(name)
}

impl Output for StatusShown {
    fn sheet(&self, _now: Time) -> Sheet {
        let State { server, choice, exists, size_bytes, head, projects, tasks, outbox, .. } =
            &self.data;
        let size = match size_bytes {
            Some(_) if !exists => "no ledger yet".to_owned(),
            Some(bytes) => in_bytes(*bytes),
            None => String::new(),
        };
        let server = server.iter().map(|url| ("server", Cell::from(url.clone())));
        let ledger = [
            ("ledger", choice.db.clone().into()),
            ("from", choice.origin.clone().into()),
            ("size", size.into()),
            ("events", head.seq.to_string().into()),
            ("hash", Cell::dim(&head.hash)),
            ("projects", projects.to_string().into()),
            ("outbox", outbox.in_words().into()),
        ];
        Sheet::default()
            .and_facts(server.chain(ledger))
            .and_table(&["status", "tasks"], tasks.rows())
    }
}

/// Prints a short guide for an agent.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Guide {}

/// The guide.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct GuideText {
    /// Markdown.
    pub guide: String,
}

impl Operation for Guide {
    type Output = GuideText;
    const NAME: &'static str = "guide";
    const ABOUT: &'static str = "Print a short guide for an agent";
    const EXAMPLE: &'static str = "windlass guide --format text";
    const ACCESS: Access = Access::Read;
    const REMOTELY: Remotely = Remotely::Here;

    fn run(&self, _cx: &mut Context) -> Result<GuideText, Error> {
        Ok(GuideText { guide: include_str!("guide.md").to_owned() })
    }
}

impl Output for GuideText {
    fn sheet(&self, _now: Time) -> Sheet {
        Sheet::default().and_text(self.guide.trim_end())
    }
}

/// The refusal of something that HZL has and Windlass has not.
fn not_here(what: &str, hint: &str) -> Refusal {
    Refusal::new(Code::NotHere, format!("Windlass has no '{what}'"))
        .hint(hint)
        .detail("asked_for", what)
}

/// What an operation answers that only ever refuses.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Nothing {}

impl Output for Nothing {
    fn sheet(&self, _now: Time) -> Sheet {
        Sheet::default()
    }
}

macro_rules! not_here {
    ($(#[$about:meta])* $name:ident, $word:literal, $said:literal, $hint:literal) => {
        $(#[$about])*
        #[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
        pub struct $name {
            /// Whatever was meant to follow
            #[arg(trailing_var_arg = true, allow_hyphen_values = true, help_heading = AS_IN_HZL)]
            #[serde(skip)]
            pub rest: Vec<String>,
        }

        impl Operation for $name {
            type Output = Nothing;
            const NAME: &'static str = $word;
            const ABOUT: &'static str = $said;
            const EXAMPLE: &'static str = concat!("windlass ", $word);
            const ACCESS: Access = Access::Read;
            const REMOTELY: Remotely = Remotely::Here;

            fn run(&self, _cx: &mut Context) -> Result<Nothing, Error> {
                Err(not_here($word, $hint).into())
            }
        }
    };
}

not_here! {
    /// Refuses: a ledger is not copied to and fro.
    Sync, "sync", "Not here: several machines share a ledger on PostgreSQL",
    "several machines share a ledger on PostgreSQL (windlass --db postgres://host/database db migrate); \
     a ledger is carried elsewhere by windlass export and windlass import"
}

not_here! {
    /// Refuses: there is no lock that outlives its process.
    Lock, "lock", "Not here: no lock outlives its process",
    "no lock outlives the process that took it, so there is none to clear; check the ledger: windlass doctor"
}

not_here! {
    /// Refuses: nothing is made up in a ledger that is in use.
    SampleProject, "sample-project", "Not here: see windlass demo",
    "look around in a ledger of its own: windlass demo"
}
