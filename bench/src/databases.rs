//! Databases of PostgreSQL for one run: on a server that was named, or on one of our own.

use postgres::{Client, NoTls};
use windlass_testkit::postgres::{Cluster, Database};

use crate::Failure;

/// Where databases can be made.
#[derive(Debug)]
pub enum Databases {
    /// A throw-away server, which does not wait for the disk.
    Own(Box<Cluster>),
    /// The server of this address, whose user may create databases.
    At(String),
}

impl Databases {
    /// The server of `url`, else one of our own where PostgreSQL is installed.
    pub fn find(url: Option<&str>) -> Result<Self, Failure> {
        Ok(match url {
            Some(url) => Self::At(url.to_owned()),
            None => Self::Own(Box::new(Cluster::temporary()?)),
        })
    }

    /// An empty database, dropped with the value.
    pub fn make(&self) -> Result<Made, Failure> {
        Ok(match self {
            Self::Own(cluster) => Made::Own(cluster.server().empty_database()),
            Self::At(url) => Made::At(create(url)?),
        })
    }
}

/// A database of this run.
#[derive(Debug)]
pub enum Made {
    Own(Database),
    At(Created),
}

impl Made {
    pub fn url(&self) -> &str {
        match self {
            Self::Own(database) => &database.url,
            Self::At(created) => &created.url,
        }
    }
}

/// A database on somebody else's server.
#[derive(Debug)]
pub struct Created {
    url: String,
    name: String,
    server: String,
}

fn create(server: &str) -> Result<Created, Failure> {
    let mut client = Client::connect(server, NoTls)?;
    let number: i64 = client.query_one("SELECT (random() * 1e15)::bigint", &[])?.get(0);
    let name = format!("windlass_bench_{number}");
    client.batch_execute(&format!("CREATE DATABASE {name}"))?;
    Ok(Created { url: with_database(server, &name), name, server: server.to_owned() })
}

impl Drop for Created {
    fn drop(&mut self) {
        // A server that went away keeps the database; there is nobody left to tell.
        if let Ok(mut client) = Client::connect(&self.server, NoTls) {
            client.batch_execute(&format!("DROP DATABASE {} WITH (FORCE)", self.name)).ok();
        }
    }
}

/// The same address with another database.
fn with_database(url: &str, name: &str) -> String {
    let (address, query) = url.split_once('?').map_or((url, None), |(a, q)| (a, Some(q)));
    let (scheme, rest) = address.split_once("://").unwrap_or(("postgres", address));
    let host = rest.split_once('/').map_or(rest, |(host, _)| host);
    let query = query.map(|query| format!("?{query}")).unwrap_or_default();
    format!("{scheme}://{host}/{name}{query}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_database_of_an_address_changes() {
        for (url, expected) in [
            ("postgres://me@host:5432/old", "postgres://me@host:5432/new"),
            ("postgres://host", "postgres://host/new"),
            ("postgres:///old?host=/run/x&user=me", "postgres:///new?host=/run/x&user=me"),
        ] {
            assert_eq!(with_database(url, "new"), expected);
        }
    }
}
