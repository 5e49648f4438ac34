//! Tables that say which test shows what: made from the names of the tests, and never stale.

#![expect(clippy::unwrap_used, reason = "a file that cannot be read ends its test")]

use std::path::{Path, PathBuf};

use windlass_testkit::machine;

/// The repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The names of the tests in a text, without those that do not run by themselves.
pub fn tests(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    let (mut is_test, mut is_ignored) = (false, false);
    for line in text.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix("fn ").and_then(|rest| rest.split('(').next()) {
            if is_test && !is_ignored {
                names.push(name.to_owned());
            }
            (is_test, is_ignored) = (false, false);
        }
        is_test |= line == "#[test]";
        is_ignored |= line.starts_with("#[ignore");
    }
    names
}

/// The names of the tests in a file that begin so.
pub fn tests_in(file: &str, beginning: &str) -> Vec<String> {
    let mut names = tests(&std::fs::read_to_string(root().join(file)).unwrap());
    names.retain(|name| name.starts_with(beginning));
    names
}

/// Every test of the tree, as its file and its name.
pub fn all_tests() -> Vec<(String, String)> {
    let folders = ["tests/tests", "crates"].map(|folder| root().join(folder));
    let mut found = Vec::new();
    for path in folders.iter().flat_map(|folder| sources(folder)) {
        let file = path.strip_prefix(root()).unwrap().display().to_string();
        let names = tests(&std::fs::read_to_string(&path).unwrap());
        found.extend(names.into_iter().map(|name| (file.clone(), name)));
    }
    found
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Holds a page of the documentation against what it is made of; `WINDLASS_BLESS` writes it anew.
#[track_caller]
pub fn is_not_stale(file: &str, page: &str) {
    let path = root().join(file);
    if machine::variable("WINDLASS_BLESS").is_some() {
        std::fs::write(&path, page).unwrap();
    }
    let said = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(said, page, "{file}: write it anew with WINDLASS_BLESS=1");
}

#[cfg(test)]
mod self_tests {
    use super::*;

    #[test]
    fn a_test_that_is_ignored_shows_nothing() {
        let ignored = ["#[test]", "#[ignore = \"slow\"]", "fn slow_row_c1() {}"];
        let plain = ["#[test]", "fn quick_row_c1() {}"];
        let text = [&ignored[..], &plain, &["fn no_test_row_c1() {}"]].concat().join("\n");
        assert_eq!(tests(&text), ["quick_row_c1"]);
    }
}
