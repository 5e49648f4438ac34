//! Connecting, and bringing a database up to date.

use std::time::Duration;

use postgres::config::{Host, SslMode};
use postgres::{Client, Config, NoTls};
use windlass_domain::{Code, Time};

use super::{Database, PostgresStore, fault, unmigrated};
use crate::fault::Fault;
use crate::known::Known;
use crate::migration::{self, About, MIGRATIONS, NEWEST};
use crate::{Access, rebuild};

/// Serialises migrations: any number of our own.
const MIGRATION_LOCK: i64 = 0x574e_444c;

/// How to connect.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) url: String,
    /// How long to wait for the writer before, and for a server that is starting.
    pub(crate) wait: Duration,
    pub(crate) purpose: String,
}

/// Opens a migrated ledger.
pub(crate) fn open(settings: &Settings) -> Result<Database, Fault> {
    let mut client = connect(settings)?;
    match applied(&mut client)? {
        NEWEST => Ok(Database {
            client,
            known: Known::default(),
            settings: settings.clone(),
            listens: false,
        }),
        number if number > NEWEST => Err(newer(number)),
        _ => Err(unmigrated()),
    }
}

/// Applies the migrations that are missing and returns how many there were.
pub(crate) fn migrate(settings: &Settings, now: Time) -> Result<usize, Fault> {
    let mut client = connect(settings)?;
    client
        .batch_execute(&format!("BEGIN; SELECT pg_advisory_xact_lock({MIGRATION_LOCK})"))
        .map_err(fault)?;
    let from = applied(&mut client)?;
    if from > NEWEST {
        return Err(newer(from));
    }
    let pending: Vec<_> = MIGRATIONS.iter().filter(|migration| migration.number > from).collect();
    for migration in &pending {
        client.batch_execute(migration.postgres).map_err(fault)?;
        let hash = migration::hash(migration.postgres);
        client
            .execute(
                migration::NOTE,
                &[&migration.number, &migration.name, &&hash[..], &now.as_millis()],
            )
            .map_err(fault)?;
    }
    if from > 0 && pending.iter().any(|migration| migration.about == About::Views) {
        let mut known = Known::default();
        let mut store = PostgresStore::new(&mut client, &mut known, Access::Write);
        rebuild::replay(&mut store, None)?;
        store.keep_open();
    }
    client.batch_execute("COMMIT").map_err(fault)?;
    Ok(pending.len())
}

pub(super) fn connect(settings: &Settings) -> Result<Client, Fault> {
    let mut config: Config = settings.url.parse().map_err(|error: postgres::Error| {
        let why = std::error::Error::source(&error)
            .map_or_else(|| error.to_string(), ToString::to_string);
        Fault::new(Code::InvalidValue, format!("the address of the database is wrong: {why}"))
            .hint("write postgres://user@host/database")
    })?;
    refuse_what_needs_tls(&config)?;
    config.application_name(&settings.purpose);
    config.connect_timeout(Duration::from_secs(10));
    config.keepalives_idle(Duration::from_secs(30));
    config.tcp_user_timeout(Duration::from_secs(30));
    let started = std::time::Instant::now();
    loop {
        match config.connect(NoTls).map_err(fault) {
            Ok(client) => return Ok(client),
            // A server that is starting says so; anything else is answered at once.
            Err(starting) if is_starting(&starting) && started.elapsed() < settings.wait => {
                std::thread::sleep(Duration::from_millis(50));
            }
            Err(fault) => return Err(fault),
        }
    }
}

/// There is no TLS yet, and nobody shall send their work in the clear without having said so.
fn refuse_what_needs_tls(config: &Config) -> Result<(), Fault> {
    let is_local = |host: &Host| match host {
        Host::Unix(_) => true,
        Host::Tcp(name) => {
            name == "localhost" || name.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
        }
    };
    let plain_is_fine = match config.get_ssl_mode() {
        SslMode::Disable => true,
        SslMode::Prefer => config.get_hosts().iter().all(is_local),
        _ => false,
    };
    if plain_is_fine {
        return Ok(());
    }
    Err(Fault::new(Code::LedgerUnreachable, "connections over TLS are not supported yet")
        .hint("use a tunnel or a private network, and say so with sslmode=disable in the address"))
}

fn is_starting(fault: &Fault) -> bool {
    let source = fault.source.as_ref().and_then(|source| source.downcast_ref::<postgres::Error>());
    source
        .and_then(postgres::Error::code)
        .is_some_and(|code| *code == postgres::error::SqlState::CANNOT_CONNECT_NOW)
}

/// The number of the newest migration in the database; 0 when there is none.
fn applied(client: &mut Client) -> Result<i64, Fault> {
    let exists: bool = client
        .query_one("SELECT to_regclass('migrations') IS NOT NULL", &[])
        .and_then(|row| row.try_get(0))
        .map_err(fault)?;
    if !exists {
        return Ok(0);
    }
    client
        .query_one("SELECT coalesce(max(number), 0) FROM migrations", &[])
        .and_then(|row| row.try_get(0))
        .map_err(fault)
}

fn newer(number: i64) -> Fault {
    Fault::new(
        Code::LedgerNewer,
        format!("the database has schema {number}, this windlass knows {NEWEST}"),
    )
    .hint("use a newer windlass")
    .detail("schema", number)
    .detail("known", NEWEST)
}
