//! A running server, and databases on it that are cloned from a template in a moment.

#![expect(clippy::panic, reason = "a database that cannot be had ends its test")]

use std::fmt::Write as _;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::thread;

use ::postgres::error::SqlState;
use ::postgres::{Client, NoTls};

use super::{Error, USER};
use crate::{wait, with_causes};

/// Numbers the databases of a cluster; a process id would come round again in a long run.
const MAKE_COUNTER: &str = "CREATE SEQUENCE database_number";
const NEXT_NUMBER: &str = "SELECT nextval('database_number')";
const IS_THERE: &str = "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)";

/// How to reach a server.
#[derive(Clone, Debug)]
pub struct Server {
    sockets: PathBuf,
}

/// A database of one test, dropped with this value whoever is still connected.
#[derive(Debug)]
pub struct Database {
    pub url: String,
    name: String,
    server: Server,
}

impl Server {
    pub(super) fn at(sockets: impl Into<PathBuf>) -> Self {
        Self { sockets: sockets.into() }
    }

    /// A database with nothing in it.
    #[track_caller]
    #[must_use]
    pub fn empty_database(&self) -> Database {
        self.clone_of("template0")
            .unwrap_or_else(|error| panic!("no database: {}", with_causes(&error)))
    }

    /// A copy of the template of that name, which the first to ask in a run makes with `prepare`.
    ///
    /// `prepare` gets the URL of an empty database to fill. It runs once a run, over all processes,
    /// and what it leaves half done is never seen by anyone: the next to ask starts afresh.
    #[track_caller]
    #[must_use]
    pub fn database_from(&self, template: &str, prepare: impl FnOnce(&str)) -> Database {
        assert!(
            template.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'),
            "a template's name is of a-z, 0-9 and _, not {template:?}"
        );
        self.ensure(template, prepare)
            .and_then(|()| self.clone_of(template))
            .unwrap_or_else(|error| panic!("no database from {template}: {}", with_causes(&error)))
    }

    /// What accepts connections: `postgres:///NAME?host=FOLDER&user=windlass`.
    pub fn url(&self, database: &str) -> String {
        format!("postgres:///{database}?host={}&user={USER}", escaped(&self.sockets))
    }

    /// A connection of the superuser to a database that no test uses.
    pub(super) fn admin(&self) -> Result<Client, Error> {
        Ok(Client::connect(&self.url("postgres"), NoTls)?)
    }

    /// Called once for a new cluster.
    pub(super) fn found(&self) -> Result<(), Error> {
        Ok(self.admin()?.batch_execute(MAKE_COUNTER)?)
    }

    fn ensure(&self, template: &str, prepare: impl FnOnce(&str)) -> Result<(), Error> {
        let path = self.sockets.join(format!("{template}.lock"));
        let lock = File::create(&path).and_then(|file| file.lock().map(|()| file));
        let lock = lock.map_err(|error| Error::Io(format!("lock {}", path.display()), error))?;

        let mut admin = self.admin()?;
        if !admin.query_one(IS_THERE, &[&template])?.get::<_, bool>(0) {
            let unfinished = format!("{template}_unfinished");
            admin.batch_execute(&format!("DROP DATABASE IF EXISTS {unfinished} WITH (FORCE)"))?;
            admin.batch_execute(&format!("CREATE DATABASE {unfinished} TEMPLATE template0"))?;
            prepare(&self.url(&unfinished));
            finish(&mut admin, &unfinished, template)?;
        }
        drop(lock);
        Ok(())
    }

    fn clone_of(&self, template: &str) -> Result<Database, Error> {
        let mut admin = self.admin()?;
        let number: i64 = admin.query_one(NEXT_NUMBER, &[])?.get(0);
        let name = format!("test_{number}");
        admin.batch_execute(&format!("CREATE DATABASE {name} TEMPLATE {template}"))?;
        Ok(Database { url: self.url(&name), name, server: self.clone() })
    }
}

/// Gives a prepared template its name. No one may connect to it from then on, since a database
/// with connections cannot be copied.
fn finish(admin: &mut Client, unfinished: &str, template: &str) -> Result<(), Error> {
    admin.batch_execute(&format!("ALTER DATABASE {unfinished} ALLOW_CONNECTIONS false"))?;
    let rename = format!("ALTER DATABASE {unfinished} RENAME TO {template}");
    let mut renamed = Ok(());
    // A connection that `prepare` has just closed takes a moment to be gone.
    wait::happens(|| {
        renamed = admin.batch_execute(&rename);
        let in_use = renamed.as_ref().err().and_then(::postgres::Error::code);
        in_use != Some(&SqlState::OBJECT_IN_USE)
    });
    Ok(renamed?)
}

impl Database {
    /// A connection to look around with.
    #[track_caller]
    #[must_use]
    pub fn connect(&self) -> Client {
        Client::connect(&self.url, NoTls).unwrap_or_else(|error| {
            panic!("cannot connect to {}: {}", self.url, with_causes(&error))
        })
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        // A server that is away takes its databases with it when its cluster is dropped.
        let Ok(mut admin) = self.server.admin() else {
            return;
        };
        let drop = format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name);
        if let Err(error) = admin.batch_execute(&drop)
            && !thread::panicking()
        {
            panic!("cannot drop {}: {}", self.name, with_causes(&error));
        }
    }
}

/// A path as the value of a URL's parameter.
fn escaped(path: &Path) -> String {
    let mut text = String::new();
    for &byte in path.as_os_str().as_encoded_bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            text.push(char::from(byte));
        } else {
            // Writing to a string does not fail.
            write!(text, "%{byte:02X}").ok();
        }
    }
    text
}
