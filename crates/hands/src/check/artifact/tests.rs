use std::os::unix::fs::{FileExt as _, symlink};

use tempfile::TempDir;

use super::super::{Kind, Stop, Verdict};
use super::*;

/// A root in which there is a bit of everything.
fn place() -> TempDir {
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name);
    fs::create_dir(at("docs")).unwrap();
    fs::create_dir(at("docs/c.md")).unwrap();
    fs::write(at("docs/b.md"), "bee").unwrap();
    fs::write(at("docs/a.md"), "one\ntwo (2)\n").unwrap();
    fs::write(at("docs/.hidden.md"), "").unwrap();
    symlink("/etc/hostname", at("docs/out.md")).unwrap();
    place
}

fn run(root: &Path, path: &str, assert: Assert) -> Outcome {
    let path = Some(path.to_owned()).filter(|path| !path.is_empty());
    let artifact =
        Artifact { root: root.to_owned(), path, assert, timeout: Duration::from_mins(1) };
    let stop = Stop::new().unwrap();
    artifact.run(Watch { beat: &mut |_| Duration::MAX, stop: &stop })
}

fn said(path: &str, assert: Assert) -> (Verdict, String) {
    let outcome = run(place().path(), path, assert);
    (outcome.verdict, outcome.message)
}

fn contains(text: &str) -> Assert {
    Assert::Contains(Some(text.to_owned()))
}

fn glob(glob: &str) -> Assert {
    Assert::MatchesGlob(Some(glob.to_owned()))
}

#[test]
fn what_is_true_passes() {
    for (path, assert, message) in [
        ("docs/a.md", Assert::Exists, "artifact exists: docs/a.md"),
        ("docs", Assert::Exists, "artifact exists: docs"),
        ("docs/a.md", contains("two (2)"), "artifact contains expected text: docs/a.md"),
        ("docs/a.md", contains("one\ntwo"), "artifact contains expected text: docs/a.md"),
        ("docs", glob("*.md"), "artifact matches glob: docs/*.md"),
        ("docs", glob("[ab].m?"), "artifact matches glob: docs/[ab].m?"),
        ("docs", glob(".hidden*"), "artifact matches glob: docs/.hidden*"),
    ] {
        assert_eq!(said(path, assert), (Verdict::Passed, message.to_owned()));
    }
}

#[test]
fn what_is_not_true_fails() {
    for (path, assert, message) in [
        ("no", Assert::Exists, "artifact missing: no"),
        ("no", contains("x"), "artifact missing: no"),
        ("docs", contains("x"), "artifact missing: docs"),
        ("docs/a.md", contains("one.two"), "artifact missing expected text in docs/a.md"),
        ("no", glob("*"), "artifact directory missing: no"),
        ("docs/a.md", glob("*"), "artifact directory missing: docs/a.md"),
        ("docs", glob("*.txt"), "no artifact matches *.txt in docs"),
        ("docs", glob("c.md"), "no artifact matches c.md in docs"),
        ("docs", glob("*idden.md"), "no artifact matches *idden.md in docs"),
    ] {
        assert_eq!(said(path, assert), (Verdict::Failed, message.to_owned()));
    }
}

#[test]
fn what_is_incomplete_or_unknown_is_undecided() {
    let kind = |kind| format!("artifact assert kind {kind}");
    for (path, assert, message) in [
        ("", Assert::Exists, "artifact verify missing path".to_owned()),
        ("docs", Assert::Contains(None), kind("contains requires value")),
        ("docs", contains(""), kind("contains requires value")),
        ("docs", Assert::MatchesGlob(None), kind("matches-glob requires value")),
        (
            "docs",
            glob("a/*.md"),
            kind("matches-glob expects a filename glob; put the directory in path"),
        ),
        ("docs", Assert::Other("size".to_owned()), "unsupported artifact assert kind: size".into()),
    ] {
        assert_eq!(said(path, assert), (Verdict::Undecided(Why::Unclear), message));
    }
    assert_eq!(said("docs", glob("[")).0, Verdict::Undecided(Why::Unclear));
}

#[test]
fn what_leads_out_of_the_root_fails() {
    for path in ["../x", "/etc/hostname", "docs/out.md"] {
        let expected = format!("artifact path leaves the execution root: {path}");
        assert_eq!(said(path, Assert::Exists), (Verdict::Failed, expected));
    }
    assert_eq!(said("docs", glob("out.*")).0, Verdict::Failed);
}

#[test]
fn the_size_and_the_digest_of_what_was_seen_are_kept() {
    let outcome = run(place().path(), "docs/b.md", Assert::Exists);
    let [seen] = outcome.files.as_slice() else { panic!("{outcome:?}") };
    assert_eq!((seen.path.as_path(), seen.size_bytes), (Path::new("docs/b.md"), 3));
    let digest = "62cb81b5904a262ffaeed02abef36bfc540b09f964b8b0b636662f77ffce6714";
    assert_eq!(seen.sha256.as_deref(), Some(digest));
}

#[test]
fn a_folder_has_no_digest() {
    let outcome = run(place().path(), "docs", Assert::Exists);
    assert_eq!((outcome.files[0].kind, &outcome.files[0].sha256), (Kind::Folder, &None));
}

#[test]
fn files_that_match_are_named_in_order_and_not_too_many() {
    let place = place();
    let names = |outcome: &Outcome| -> Vec<String> {
        outcome.files.iter().map(|file| file.path.display().to_string()).collect()
    };
    let outcome = run(place.path(), "docs", glob("*.md"));
    assert_eq!(names(&outcome), ["docs/a.md", "docs/b.md"]);
    for number in 0..25 {
        fs::write(place.path().join(format!("docs/{number:02}.txt")), "").unwrap();
    }
    let outcome = run(place.path(), "docs", glob("*.txt"));
    assert_eq!(
        (outcome.files.len(), outcome.files[19].path.as_path()),
        (20, Path::new("docs/19.txt"))
    );
    assert_eq!(outcome.notes, ["25 files match; the first 20 were read"]);
}

#[test]
fn a_text_at_the_end_of_a_large_file_is_found() {
    let place = place();
    let file = fs::File::create(place.path().join("large")).unwrap();
    // Before it a hole: as large as it says, and nowhere on the disk.
    file.write_all_at(b"the end", 32 << 20).unwrap();
    assert_eq!(run(place.path(), "large", contains("\0the end")).verdict, Verdict::Passed);
}

#[test]
fn a_file_that_is_too_large_for_its_time_is_not_read_to_the_end() {
    let place = place();
    fs::File::create(place.path().join("large")).unwrap().set_len(1 << 40).unwrap();
    let stop = Stop::new().unwrap();
    let run = |assert| {
        let artifact = Artifact {
            root: place.path().to_owned(),
            path: Some("large".to_owned()),
            assert,
            timeout: Duration::from_millis(20),
        };
        artifact.run(Watch { beat: &mut |_| Duration::MAX, stop: &stop })
    };
    let outcome = run(Assert::Exists);
    assert_eq!((outcome.verdict, &outcome.files[0].sha256), (Verdict::Passed, &None));
    assert_eq!(outcome.notes, ["it is too large to be read in time"]);
    assert_eq!(run(contains("x")).verdict, Verdict::Failed);
}

#[test]
fn a_pipe_is_there_and_is_not_waited_for() {
    let place = place();
    rustix::fs::mkfifoat(rustix::fs::CWD, place.path().join("pipe"), 0o600.into()).unwrap();
    assert_eq!(run(place.path(), "pipe", Assert::Exists).files[0].kind, Kind::Other);
    assert_eq!(run(place.path(), "pipe", contains("x")).verdict, Verdict::Failed);
}

#[test]
fn whoever_stops_it_is_told_so() {
    let place = place();
    let stop = Stop::new().unwrap();
    stop.stop();
    let artifact = Artifact {
        root: place.path().to_owned(),
        path: Some("docs/a.md".to_owned()),
        assert: Assert::Exists,
        timeout: Duration::from_mins(1),
    };
    let outcome = artifact.run(Watch { beat: &mut |_| Duration::MAX, stop: &stop });
    assert_eq!(outcome.verdict, Verdict::Undecided(Why::Stopped));
}
