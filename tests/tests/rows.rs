//! What was asked of coordination, row by row, and the tests that show each. A test says which rows
//! it shows at the end of its name: `…_row_h9`, `…_rows_s1_s2`, `…_rows_l1_to_l6`. The table in
//! `docs/coordination.md` is made from this one:
//! `WINDLASS_BLESS=1 cargo test -p windlass-tests --test rows` rewrites it.

#![expect(clippy::unwrap_used, reason = "a file that cannot be read ends its test")]

use std::collections::BTreeMap;
use std::fmt::Write as _;

use windlass_tests::tables;

/// The parts of the table, each with its rows.
const PARTS: &[(&str, &[(&str, &str)])] = &[
    (
        "Done and complete",
        &[
            ("K1", "`done` is a status; `complete` is the command with the stricter rules"),
            ("K2", "`complete` asks for a task in progress or blocked"),
            ("K3", "`set-status done` reaches done too"),
            ("K4", "a task can be added as done"),
            ("K5", "what reacts to done reacts to the transition, not to a command"),
        ],
    ),
    (
        "Workflows",
        &[
            ("N1", "`workflow list`"),
            ("N2", "`workflow show` with every argument"),
            ("N3", "`workflow run`"),
            ("N4", "`workflow show start` says why it has no automatic op id"),
        ],
    ),
    (
        "start",
        &[
            ("S1", "finds what the agent has in progress, leases that ran out included"),
            ("S2", "chooses by priority unless told otherwise"),
            ("S3", "answers the chosen task and a summary of the others"),
            ("S4", "can refresh the lease"),
            ("S5", "else claims the next task, in the same transaction"),
            ("S6", "the summary: the chosen id, how many are in progress, the other ids"),
            ("S7", "an agent is required"),
            ("S8", "a project is optional"),
            ("S9", "tags are optional, all must match"),
            ("S10", "a lease is optional"),
            ("S11", "three policies for resuming, any other is refused"),
            ("S12", "the others can be left out"),
            ("S13", "five others by default"),
            ("S14", "never an unbounded list, except on request"),
            ("S15", "no mode that fails when there is nothing"),
        ],
    ),
    (
        "handoff",
        &[
            ("H1", "the source must be able to become done"),
            ("H2", "the source becomes done"),
            ("H3", "a follow-on is made"),
            ("H4", "the last checkpoints go into its description"),
            ("H5", "the same context is its first checkpoint"),
            ("H6", "one marker event, and one correlation id on all events of the run"),
            ("H7", "all or nothing"),
            ("H8", "source and title are required, project and agent are not"),
            ("H9", "three checkpoints by default, none with 0"),
            ("H10", "4,000 characters by default"),
            ("H11", "split 2,500 to 1,500, and in that proportion for other budgets"),
            ("H12", "the size is bounded, and no character is cut"),
            ("H13", "`workflow show handoff` explains the pool"),
            ("H14", "without an agent a project is required"),
            ("H15", "the text of that refusal"),
        ],
    ),
    (
        "delegate",
        &[
            ("D1", "makes a sibling or a subtask"),
            ("D2", "the source waits for it by default"),
            ("D3", "a checkpoint on the source on request"),
            ("D4", "source and title are required, project and agent are not"),
            ("D5", "`--no-depends`"),
            ("D6", "`--checkpoint`"),
            ("D7", "`--pause-parent` blocks the source, and says for which task"),
            ("D8", "waiting alone does not stop a source in progress"),
            ("D9", "a paused source stays so until somebody unblocks it"),
            ("D10", "done asks for settled dependencies; a paused source can go on by itself"),
            ("D11", "all or nothing; a finished source is refused"),
        ],
    ),
    (
        "Op ids",
        &[
            ("I1", "`--op-id` on every workflow"),
            ("I2", "hooks carry the op id; a replay enqueues none"),
            ("I3", "and on every other operation of the ledger"),
            ("I4", "a completed one answers again and does nothing"),
            ("I5", "a new one is executed once; its events carry the op id"),
            ("I6", "the record: id, workflow, state, input, result, times"),
            ("I7", "the record commits with its effects"),
            ("I8", "of many at once one executes, the others replay"),
            ("I9", "the same id with another input is refused"),
            ("I10", "a refusal is not recorded: a retry decides anew"),
            ("I11", "nothing is taken for a retry that did not ask for it"),
            ("I12", "`--auto-op-id`"),
            ("I13", "its key is the request and the fingerprint of the source"),
            ("I14", "`start` refuses it"),
            ("I15", "records are kept for 7 days"),
        ],
    ),
    (
        "Hooks",
        &[
            ("C1", "on every transition to done"),
            ("C2", "as an HTTP POST"),
            ("C3", "or as a command"),
            ("C4", "`$NAME` in a header is read when it is sent, and never stored"),
            ("C5", "`hooks.on_done` in the settings"),
            ("C6", "the payload: task, project, transition, time"),
            ("C7", "the payload: author and agent"),
            ("C8", "the payload: ids of correlation and session"),
            ("C9", "enqueued in the transaction of the transition"),
            ("C10", "no command waits for a delivery"),
            ("C11", "no command fails because of a delivery"),
            ("C12", "failing closed is not offered"),
            ("C13", "an outbox and `hook drain`"),
            ("C14", "no daemon is needed"),
            ("C15", "`hook worker` for those who want one"),
            ("C16", "24 hours"),
            ("C17", "five deliveries"),
            ("C18", "30 s, 2 m, 10 m, 1 h, with jitter"),
            ("C19", "then failed, with the last error, to be looked at and tried again"),
        ],
    ),
    (
        "hook drain",
        &[
            ("P1", "takes what is queued, due, not used up, not expired"),
            ("P2", "one worker claims a row, and signs it"),
            ("P3", "delivers each"),
            ("P4", "2xx is delivered, with the time"),
            ("P5", "else it is counted, and queued for later with the error"),
            ("P6", "failed when attempts or time are used up"),
            ("P7", "what a dead worker held is taken back"),
            ("T1", "a slow schedule delivers at its next run"),
            ("T2", "never more than the limit of a run"),
            ("T3", "attempts count before time"),
            ("T4", "every 1 to 5 minutes is recommended"),
        ],
    ),
    (
        "Dependencies",
        &[
            ("X1", "across projects, always"),
            ("X2", "`task add --depends-on` any project"),
            ("X3", "`task add-dep` any project"),
            ("V1", "not on itself"),
            ("V2", "not in a circle"),
            ("V3", "only on what exists"),
            ("V4", "old edges to nothing are shown, new ones refused"),
            ("L1", "`dep list --project`"),
            ("L2", "`--from-project`"),
            ("L3", "`--to-project`"),
            ("L4", "`--agent`"),
            ("L5", "`--from-agent`"),
            ("L6", "`--to-agent`"),
            ("L7", "`--blocking-only`: the target is not settled"),
            ("L8", "`--cross-project-only`"),
            ("L9", "`--tag`"),
            ("L10", "`--from-tag`"),
            ("L11", "`--to-tag`"),
            ("L12", "ids, projects, agents, whether it blocks"),
            ("L13", "tags of both ends"),
            ("R1", "prune looks at dependents in all projects"),
            ("R2", "project delete and bulk move stop at edges to the outside"),
            ("R3", "ways on, each with events that tell of it"),
            ("R4", "`task show` tells the project of what it waits for"),
            ("G1", "tags are first class, metadata is structured"),
            ("G2", "`task list --tags`"),
            ("G3", "all of them, unless `--tags-any`"),
            ("G4", "dependencies by tag"),
        ],
    ),
];

/// The rows that the name of a test ends with, before it says on which database.
fn rows(name: &str) -> Vec<String> {
    let name = name.trim_end_matches("_on_postgres").trim_end_matches("_on_sqlite");
    let Some((_, listed)) = name.rsplit_once("_rows_").or_else(|| name.rsplit_once("_row_")) else {
        return Vec::new();
    };
    let listed = listed.to_uppercase();
    let is_row = |word: &str| {
        let mut letters = word.chars();
        letters.next().is_some_and(|first| first.is_ascii_uppercase())
            && word.len() > 1
            && letters.all(|letter| letter.is_ascii_digit())
    };
    if !listed.split('_').all(|word| word == "TO" || is_row(word)) {
        return Vec::new();
    }
    let mut rows: Vec<String> = Vec::new();
    let mut is_range = false;
    for word in listed.split('_') {
        match (word, is_range, rows.last().cloned()) {
            ("TO", ..) => is_range = true,
            (last, true, Some(first)) => {
                rows.extend(between(&first, last));
                is_range = false;
            }
            (row, ..) => rows.push(row.to_owned()),
        }
    }
    rows
}

/// `L2` to `L6` after `L1`.
fn between(first: &str, last: &str) -> Vec<String> {
    let split = |row: &str| {
        let (letter, number) = row.split_at(1);
        (letter.to_owned(), number.parse::<u32>().unwrap())
    };
    let ((letter, from), (_, to)) = (split(first), split(last));
    (from + 1..=to).map(|number| format!("{letter}{number}")).collect()
}

/// Every test of the tree that names rows, as its file and its name, by row.
fn shown() -> BTreeMap<String, Vec<(String, String)>> {
    let mut shown: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for (file, name) in tables::all_tests() {
        for row in rows(&name) {
            shown.entry(row).or_default().push((file.clone(), name.clone()));
        }
    }
    shown
}

fn page() -> String {
    let shown = shown();
    let mut page = String::from(
        "# Coordination, row by row\n\nWhat was asked of workflows, op ids, hooks and dependencies, \
         and the tests that show it. Made from\nthe names of the tests by `tests/tests/rows.rs`.\n",
    );
    for (part, rows) in PARTS {
        write!(page, "\n## {part}\n\n| row | what | shown by |\n|---|---|---|\n").unwrap();
        for (row, what) in *rows {
            let tests = shown.get(*row).map_or(&[][..], Vec::as_slice);
            let tests: Vec<String> =
                tests.iter().map(|(file, name)| format!("[`{name}`](../{file})")).collect();
            writeln!(page, "| {row} | {what} | {} |", tests.join("<br>")).unwrap();
        }
    }
    page
}

#[test]
fn every_row_has_a_test_that_names_it() {
    let shown = shown();
    let all = PARTS.iter().flat_map(|(_, rows)| rows.iter().map(|(row, _)| *row));
    let missing: Vec<&str> = all.filter(|row| !shown.contains_key(*row)).collect();
    assert!(missing.is_empty(), "no test names {missing:?}");
}

#[test]
fn no_test_names_a_row_that_is_not_there() {
    let known: Vec<&str> =
        PARTS.iter().flat_map(|(_, rows)| rows.iter().map(|(row, _)| *row)).collect();
    let unknown: Vec<String> =
        shown().into_keys().filter(|row| !known.contains(&row.as_str())).collect();
    assert!(unknown.is_empty(), "there are no rows {unknown:?}");
}

#[test]
fn the_page_of_the_rows_is_not_stale() {
    tables::is_not_stale("docs/coordination.md", &page());
}
