//! Migrations: numbered SQL files, the same numbers for both databases.
//!
//! A migration of the log adds to it and never rewrites an event. A migration of the views makes
//! fresh ones, and the log is replayed into them.

use sha2::{Digest as _, Sha256};

/// What a migration is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum About {
    /// The log and the working rows.
    Log,
    /// The views: after it the log is replayed.
    Views,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Migration {
    pub(crate) number: i64,
    pub(crate) name: &'static str,
    pub(crate) about: About,
    pub(crate) sqlite: &'static str,
    pub(crate) postgres: &'static str,
}

pub(crate) const MIGRATIONS: [Migration; 2] = [
    Migration {
        number: 1,
        name: "log",
        about: About::Log,
        sqlite: include_str!("../migrations/sqlite/0001_log.sql"),
        postgres: include_str!("../migrations/postgres/0001_log.sql"),
    },
    Migration {
        number: 2,
        name: "views",
        about: About::Views,
        sqlite: include_str!("../migrations/sqlite/0002_views.sql"),
        postgres: include_str!("../migrations/postgres/0002_views.sql"),
    },
];

/// The schema this program works with.
pub(crate) const NEWEST: i64 = 2;

/// Both databases note which migration was applied when, and the hash of its text.
pub(crate) const NOTE: &str =
    "INSERT INTO migrations (number, name, hash, applied_at) VALUES ($1, $2, $3, $4)";

pub(crate) fn hash(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_have_no_gap_and_end_in_the_newest() {
        let numbers: Vec<i64> = MIGRATIONS.iter().map(|migration| migration.number).collect();
        assert_eq!(numbers, (1..=NEWEST).collect::<Vec<_>>());
    }
}
