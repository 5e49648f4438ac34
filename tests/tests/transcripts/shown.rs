//! No operation is forgotten: each is in a snapshot, as text and as JSON.
//!
//! What is in a snapshot was really answered, or the story of that snapshot fails. So this reads
//! the snapshots from the sources, as the compiler would: comments and stories that are not run
//! count for nothing.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use windlass_ops::table::{Entry, TABLE};

use crate::scene::THE_SAME;

#[test]
fn every_operation_is_shown_as_text_and_as_json() {
    let main = source("main");
    let modules = modules(&tokens(&main));
    let shown: BTreeSet<&str> = modules
        .iter()
        .flat_map(|module| snapshots(&tokens(&source(module))))
        .flat_map(|snapshot| in_both_forms(&snapshot))
        .collect();
    let missing: Vec<&str> =
        TABLE.iter().map(|entry| entry.name).filter(|name| !shown.contains(name)).collect();
    assert_eq!(missing, Vec::<&str>::new(), "no transcript shows these as text and as JSON");
}

fn source(module: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts");
    fs::read_to_string(folder.join(format!("{module}.rs"))).unwrap()
}

fn tokens(source: &str) -> Vec<TokenTree> {
    source.parse::<TokenStream>().unwrap().into_iter().collect()
}

/// The files that are compiled.
fn modules(main: &[TokenTree]) -> Vec<String> {
    let is_module = |pair: &&[TokenTree]| pair[0].to_string() == "mod";
    main.windows(2).filter(is_module).map(|pair| pair[1].to_string()).collect()
}

/// The snapshots of the tests that are run.
fn snapshots(file: &[TokenTree]) -> Vec<String> {
    let is_test = |item: &&[TokenTree]| {
        let is_alone = !is_group(&item[0], Delimiter::Bracket);
        is_alone && item[1].to_string() == "#" && item[2].to_string() == "[test]"
    };
    let tests = file.windows(7).filter(is_test);
    let bodies = tests.filter_map(|item| match &item[6] {
        TokenTree::Group(body) if item[3].to_string() == "fn" => Some(body.stream()),
        _ => None,
    });
    bodies.flat_map(|body| asserted(&body.into_iter().collect::<Vec<_>>())).collect()
}

fn is_group(token: &TokenTree, delimiter: Delimiter) -> bool {
    matches!(token, TokenTree::Group(group) if group.delimiter() == delimiter)
}

/// What `assert_snapshot!(…, @"…")` compares with.
fn asserted(body: &[TokenTree]) -> Vec<String> {
    let mut found = Vec::new();
    for call in body.windows(3) {
        let TokenTree::Group(arguments) = &call[2] else { continue };
        if call[0].to_string() == "assert_snapshot" && call[1].to_string() == "!" {
            let arguments: Vec<TokenTree> = arguments.stream().into_iter().collect();
            let inline = arguments.windows(2).filter(|pair| pair[0].to_string() == "@");
            found.extend(inline.map(|pair| pair[1].to_string()));
        }
    }
    found
}

/// The operations that a snapshot shows as text, and below that as JSON.
fn in_both_forms(snapshot: &str) -> Vec<&'static str> {
    let mut shown = Vec::new();
    let mut last = None;
    for line in snapshot.lines().map(str::trim) {
        if line == THE_SAME {
            shown.extend(last);
        } else if let Some(command) = line.strip_prefix("$ windlass ") {
            last = operation(command);
        }
    }
    shown
}

/// The operation of a command line, unless it only asks for help.
fn operation(command: &str) -> Option<&'static str> {
    let command = match command.strip_prefix("--db ") {
        Some(rest) => rest.split_once(' ')?.1,
        None => command,
    };
    let words: Vec<&str> = command.split_whitespace().collect();
    let is_meant = |entry: &&Entry| words.starts_with(&entry.words().collect::<Vec<_>>());
    let found = TABLE.iter().filter(is_meant).max_by_key(|entry| entry.words().count());
    found.filter(|_| !words.contains(&"--help")).map(|entry| entry.name)
}

#[test]
fn a_comment_and_a_test_that_is_not_run_show_nothing() {
    let file = r#"
        // #[test] fn a() { assert_snapshot!(x, @"$ windlass why"); }
        fn b() { assert_snapshot!(x, @"$ windlass status"); }
        #[ignore = "slow"]
        #[test]
        fn c() { assert_snapshot!(x, @"$ windlass guide"); }
        #[test]
        fn d() { insta::assert_snapshot!(x, @"$ windlass doctor"); }
    "#;
    assert_eq!(snapshots(&tokens(file)), ["\"$ windlass doctor\""]);
}

#[test]
fn help_and_text_alone_do_not_count() {
    let said = "$ windlass why\nnothing\n$ windlass doctor --help\n$ … --json\n{}\n\
                $ windlass --db x task add y\ny added\n$ … --json\n{}\n";
    assert_eq!(in_both_forms(said), ["task.add"]);
}
