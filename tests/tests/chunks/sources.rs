//! The file that a chunk is from, and what becomes of the chunk when it changes.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use windlass_testkit::Outcome;
use windlass_tests::ledgers::error_of;

use crate::shelf::{Shelf, on_both};

const FILE: &str = "limits.rs";

fn has(shelf: &Shelf, content: &str) {
    fs::write(shelf.ledger.home.work().join(FILE), content).unwrap();
}

/// Does something in the folder of the file.
fn there(shelf: &Shelf, args: &[&str]) -> Outcome {
    shelf.ledger.windlass(args).cwd(shelf.ledger.home.work()).run()
}

/// A chunk about the second and third line of the file, by its key.
fn given_a_chunk(shelf: &Shelf) -> &'static str {
    has(shelf, "one\ntwo\nthree\nfour\n");
    let write = [
        "chunk",
        "write",
        "knowledge",
        "Limits",
        "x",
        "-P",
        "api",
        "--key",
        "limits",
        "--source-file",
        FILE,
        "--source-lines",
        "2-3",
    ];
    let source = there(shelf, &write).ok().json()["source"].clone();
    assert_eq!((&source["lines"], &source["changed_at"]), (&json!([2, 3]), &Value::Null));
    assert_eq!(source["digest"].as_str().unwrap().len(), 64);
    "limits"
}

fn is_changed(shelf: &Shelf, chunk: &str) -> bool {
    there(shelf, &["chunk", "check-source", chunk]).ok().json()["changed"] == true
}

#[test]
fn a_chunk_whose_lines_changed_is_marked_until_they_are_as_they_were() {
    on_both(|shelf| {
        let chunk = given_a_chunk(shelf);
        has(shelf, "ONE\ntwo\nthree\nfour\nfive\n");
        assert!(!is_changed(shelf, chunk));
        has(shelf, "one\ntwo\nTHREE\n");
        assert!(is_changed(shelf, chunk));
        assert_eq!(shelf.shows(chunk)["signals"], json!(["source_changed"]));
        assert_eq!(
            shelf.does(&["chunk", "inbox"])["chunks"][0]["signals"],
            json!(["source_changed"])
        );
        has(shelf, "one\ntwo\nthree\n");
        assert!(!is_changed(shelf, chunk));
        assert_eq!(shelf.shows(chunk)["signals"], json!([]));
        shelf.is_sound();
    });
}

#[test]
fn a_file_that_is_gone_has_changed() {
    on_both(|shelf| {
        let chunk = given_a_chunk(shelf);
        fs::remove_file(shelf.ledger.home.work().join(FILE)).unwrap();
        assert!(is_changed(shelf, chunk));
    });
}

#[test]
fn a_file_of_a_repository_is_found_from_everywhere_in_it() {
    on_both(|shelf| {
        let root = shelf.ledger.home.work();
        let deep = root.join("src/deep");
        for folder in [&root.join(".git"), &deep] {
            fs::create_dir_all(folder).unwrap();
        }
        fs::write(root.join("src").join(FILE), "one\ntwo\n").unwrap();
        let within = |folder: &Path, args: &[&str]| {
            shelf.ledger.windlass(args).cwd(folder).run().ok().json()
        };
        let file = format!("../{FILE}");
        let write =
            ["chunk", "write", "knowledge", "Limits", "x", "-P", "api", "--source-file", &file];
        assert_eq!(within(&deep, &write)["source"]["file"], format!("src/{FILE}"));
        for folder in [&deep, &root.join("src"), &root] {
            assert_eq!(within(folder, &["chunk", "check-source", "limits"])["changed"], false);
        }
    });
}

#[test]
fn a_chunk_that_is_written_anew_from_its_source_is_fresh() {
    on_both(|shelf| {
        let chunk = given_a_chunk(shelf);
        has(shelf, "one\n2\n3\n");
        assert!(is_changed(shelf, chunk));
        let update = [
            "chunk",
            "update",
            chunk,
            "--content",
            "y",
            "--source-file",
            FILE,
            "--source-lines",
            "2-3",
        ];
        assert_eq!(there(shelf, &update).ok().json()["signals"], json!([]));
        assert!(!is_changed(shelf, chunk));
    });
}

#[test]
fn a_source_that_is_none_is_refused() {
    on_both(|shelf| {
        has(shelf, "one\n");
        let write = ["chunk", "write", "knowledge", "a", "b", "-P", "api"];
        let before = shelf.ledger.events();
        for (source, code, exit) in [
            (&["--source-file", "missing.rs"][..], "file_unusable", 5),
            (&["--source-file", FILE, "--source-lines", "3-2"], "invalid_value", 3),
            (&["--source-file", FILE, "--source-lines", "0-2"], "invalid_value", 3),
            (&["--source-file", FILE, "--source-lines", "1-2-3"], "invalid_value", 3),
            (&["--source-file", FILE, "--source-digest", "abc"], "invalid_value", 3),
            (&["--source-lines", "1-2"], "invalid_value", 3),
        ] {
            let tried = there(shelf, &[&write[..], source].concat());
            let _refused = error_of(&tried, code, exit);
        }
        assert_eq!(shelf.ledger.events(), before);
        shelf.knows("Unsourced", "x");
        shelf.refuses(&["chunk", "check-source", "unsourced"], "invalid_value", 3);
    });
}
