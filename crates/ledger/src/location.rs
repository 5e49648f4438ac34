//! Where a ledger is: a file, or a database of PostgreSQL.

use std::path::PathBuf;

/// The place of a ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Location {
    Sqlite(PathBuf),
    Postgres(String),
}

impl Location {
    /// A `postgres://` address selects PostgreSQL, anything else is a path.
    pub fn parse(text: &str) -> Self {
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return Self::Postgres(text.to_owned());
        }
        Self::Sqlite(PathBuf::from(text))
    }
}

impl std::fmt::Display for Location {
    /// A password in an address is not shown.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Sqlite(path) => write!(f, "{}", path.display()),
            Self::Postgres(url) => f.write_str(&without_password(url)),
        }
    }
}

fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.to_owned();
    };
    // A password may hold any character, so the host begins after the last `@`.
    let (user, host) =
        rest.rsplit_once('@').map_or((None, rest), |(user, host)| (Some(user), host));
    let user = user.map(|user| user.split_once(':').map_or(user, |(name, _)| name));
    let shown = user.map(|name| format!("{name}@")).unwrap_or_default();
    let tail = match host.split_once('?') {
        Some((path, query)) => {
            let kept: Vec<&str> =
                query.split('&').filter(|pair| !pair.starts_with("password=")).collect();
            format!("{path}?{}", kept.join("&"))
        }
        None => host.to_owned(),
    };
    format!("{scheme}://{shown}{tail}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_of_postgresql_is_told_from_a_path() {
        assert!(matches!(Location::parse("postgres://h/db"), Location::Postgres(_)));
        assert!(matches!(Location::parse("postgresql://h/db"), Location::Postgres(_)));
        assert!(matches!(Location::parse("./postgres.db"), Location::Sqlite(_)));
    }

    #[test]
    fn a_password_is_never_shown() {
        for url in [
            "postgres://me:hunter2@host:5432/db",
            "postgres://me@host/db?password=hunter2&x=y",
            "postgres://me:hunter2@host?x=y",
            "postgres://me:hunt/hunter2?@host/db",
        ] {
            let shown = Location::parse(url).to_string();
            assert!(!shown.contains("hunter2"), "{shown}");
            assert!(shown.contains("host"), "{shown}");
        }
    }
}
