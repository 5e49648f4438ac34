//! The rules for dependencies, checked over `cargo metadata`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::licence;
use crate::step::{self, Failure};

/// What we build for; the many crates for other systems are not ours to judge.
const PLATFORM: &str = "--filter-platform=x86_64-unknown-linux-gnu";

/// Crates that must not come in by any door, and why.
const BANNED: [(&str, &str); 6] = [
    ("openssl", "TLS is rustls: no C library to find, patch and ship"),
    ("native-tls", "TLS is rustls: no C library to find, patch and ship"),
    ("sqlx", "links another SQLite than rusqlite does, and one binary can hold one"),
    ("diesel", "links another SQLite than rusqlite does, and one binary can hold one"),
    ("serde_yaml", "no longer maintained"),
    ("async-std", "no longer maintained"),
];

/// Names that may be in the tree in more than one version. Lower it when one goes; raise it only
/// with a word in the commit about who holds the older version.
const DUPLICATES_ALLOWED: usize = 5;

/// All that the rules of the product may be built on: nothing in it does I/O.
const DOMAIN: &str = "windlass-domain";
const DOMAIN_MAY_USE: [&str; 7] =
    ["jiff", "serde", "serde_json", "sha2", "thiserror", "ulid", "unicode-normalization"];

pub(crate) fn run() -> Result<(), Failure> {
    let metadata = step::metadata(&["--locked", PLATFORM])?;
    let packages = packages(&metadata);
    let findings =
        [licences(&packages), banned(&packages), duplicates(&packages), domain(&metadata)];
    let findings = findings.concat();
    if findings.is_empty() { Ok(()) } else { Err(Failure::Hygiene(findings)) }
}

#[derive(Debug)]
struct Package<'a> {
    name: &'a str,
    version: &'a str,
    licence: &'a str,
}

/// Only what is resolved for our platform: the list itself also names the others.
fn packages(metadata: &Value) -> Vec<Package<'_>> {
    let resolved: BTreeSet<&str> =
        list(metadata, "/resolve/nodes").iter().map(|node| text(node, "id")).collect();
    list(metadata, "/packages")
        .iter()
        .filter(|package| resolved.contains(text(package, "id")))
        .map(|package| Package {
            name: text(package, "name"),
            version: text(package, "version"),
            licence: text(package, "license"),
        })
        .collect()
}

fn licences(packages: &[Package<'_>]) -> Vec<String> {
    packages
        .iter()
        .filter(|package| !licence::is_accepted(package.licence))
        .map(|Package { name, version, licence }| {
            format!("{name} {version}: the licence {licence:?} is not on the list")
        })
        .collect()
}

fn banned(packages: &[Package<'_>]) -> Vec<String> {
    let reason = |name| BANNED.iter().find(|(banned, _)| *banned == name).map(|(_, why)| why);
    packages
        .iter()
        .filter_map(|Package { name, version, .. }| {
            Some(format!("{name} {version} is banned: {}", reason(*name)?))
        })
        .collect()
}

fn duplicates(packages: &[Package<'_>]) -> Vec<String> {
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for package in packages {
        versions.entry(package.name).or_default().push(package.version);
    }
    versions.retain(|_, versions| versions.len() > 1);
    if versions.len() <= DUPLICATES_ALLOWED {
        return Vec::new();
    }
    let names: Vec<String> = versions
        .iter()
        .map(|(name, versions)| format!("{name} ({})", versions.join(", ")))
        .collect();
    let count = names.len();
    let names = names.join(", ");
    vec![format!(
        "{count} crates are there in several versions, {DUPLICATES_ALLOWED} may be: {names}"
    )]
}

/// Only the direct and normal dependencies: what tests use is their own affair.
fn domain(metadata: &Value) -> Vec<String> {
    let packages = list(metadata, "/packages");
    let Some(domain) = packages.iter().find(|package| text(package, "name") == DOMAIN) else {
        return vec![format!("{DOMAIN} is not in the workspace")];
    };
    list(domain, "/dependencies")
        .iter()
        .filter(|dependency| dependency.get("kind").is_none_or(Value::is_null))
        .map(|dependency| text(dependency, "name"))
        .filter(|name| !DOMAIN_MAY_USE.contains(name))
        .map(|name| format!("{DOMAIN} may not depend on {name}"))
        .collect()
}

fn list<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    value.pointer(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn package(name: &'static str, version: &'static str) -> Package<'static> {
        Package { name, version, licence: "MIT" }
    }

    #[test]
    fn a_banned_crate_is_named_with_the_reason() {
        let found = banned(&[package("serde", "1.0.0"), package("async-std", "1.0.0")]);
        assert_eq!(found, ["async-std 1.0.0 is banned: no longer maintained"]);
    }

    #[test]
    fn a_crate_without_a_licence_is_found() {
        let found = licences(&[Package { licence: "", ..package("odd", "0.1.0") }]);
        assert_eq!(found, [r#"odd 0.1.0: the licence "" is not on the list"#]);
    }

    #[test]
    fn duplicates_count_only_past_the_budget() {
        let names: Vec<String> = (0..=DUPLICATES_ALLOWED).map(|n| format!("crate{n}")).collect();
        let twice = |names: &[String]| {
            let packages: Vec<_> = names
                .iter()
                .flat_map(|name| ["1.0.0", "2.0.0"].map(|version| (name, version)))
                .map(|(name, version)| Package { name, version, licence: "MIT" })
                .collect();
            duplicates(&packages).len()
        };
        assert_eq!((twice(&names[1..]), twice(&names)), (0, 1));
    }

    #[test]
    fn the_domain_may_test_with_what_it_may_not_use() {
        let metadata = json!({"packages": [{"name": DOMAIN, "dependencies": [
            {"name": "serde", "kind": null},
            {"name": "rusqlite", "kind": null},
            {"name": "proptest", "kind": "dev"},
        ]}]});
        assert_eq!(domain(&metadata), ["windlass-domain may not depend on rusqlite"]);
    }

    #[test]
    fn packages_of_other_platforms_are_not_judged() {
        let metadata = json!({
            "packages": [{"id": "a", "name": "a"}, {"id": "b", "name": "b"}],
            "resolve": {"nodes": [{"id": "a"}]},
        });
        let names: Vec<_> = packages(&metadata).iter().map(|package| package.name).collect();
        assert_eq!(names, ["a"]);
    }
}
