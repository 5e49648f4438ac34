//! What was asked of the context engine, statement by statement, and what is wrong with the system
//! that it takes the place of, defect by defect, with the tests that show each. A test says at the
//! beginning of its name what it shows: `c47_…`, `c20_c22_…`, `defect_3_…`, `defect_9_10_…`. The table
//! in `docs/context-rows.md` is made from this one:
//! `WINDLASS_BLESS=1 cargo test -p windlass-tests --test context_rows` rewrites it.

#![expect(clippy::unwrap_used, reason = "a text can always be written to")]

use std::collections::BTreeMap;
use std::fmt::Write as _;

use windlass_tests::tables;

/// The parts of the table, each with its statements.
const PARTS: &[(&str, &[(u32, &str)])] = &[
    (
        "One store",
        &[
            (
                1,
                "the ledger is the only store of workflow state; a spec's stage is read from the spec",
            ),
            (2, "two sessions of one kind on the same store are given the same"),
            (3, "no stage is skipped"),
            (4, "no stage is left without its artifact"),
            (5, "the `status` of a spec is its state; no other record contradicts it"),
        ],
    ),
    (
        "Kinds of agents",
        &[
            (6, "eight agent types with their lifecycles"),
            (
                7,
                "slugs have underscores, and one slug may be a type, an agent type and a lifecycle",
            ),
            (12, "agent types and lifecycles are added without code, and narrow what is injected"),
        ],
    ),
    (
        "Chunk types",
        &[
            (13, "the ten types of the pipeline"),
            (14, "there is no `dev_blocker`"),
            (15, "who may create each"),
            (16, "which headings the content of each needs"),
        ],
    ),
    (
        "Fields",
        &[
            (17, "name, type, required, default, values, description"),
            (18, "nine types of fields"),
            (19, "the fields of `dev_spec`"),
            (20, "a spec without fields is new and of medium priority"),
            (21, "an unknown field, a wrong type, value or URL is refused with what is allowed"),
            (22, "a required field is never empty"),
            (23, "fields are in every answer, and each change is in the history with both values"),
            (24, "a new field shows its default on old chunks; a value in use cannot be removed"),
            (25, "lists by field read an index"),
        ],
    ),
    (
        "Blocks and attempts",
        &[
            (35, "a spec is blocked with a reason, and remembers where it was"),
            (36, "blocking what is blocked is refused and changes nothing"),
            (39, "when it is resolved it is where it was, and the reason is gone"),
            (45, "the latest artifact is that of the new attempt"),
        ],
    ),
    (
        "Lists",
        &[
            (47, "exactly the chunks with these fields, always the same"),
            (48, "by priority as declared, ties by creation"),
            (49, "filters combine; one value or several; pages, total, projection"),
            (50, "an unknown field or type is an error, not an empty list"),
            (51, "the six queries of the pipeline"),
            (52, "lists show what the caller may read"),
        ],
    ),
    (
        "Links",
        &[
            (53, "directed, with a reason"),
            (54, "readable both ways"),
            (55, "the same link twice is one; none to itself"),
            (
                56,
                "from an artifact to its spec and from a spec to everything, in order, with reasons",
            ),
            (57, "a rollback points to deployment and incident, a hotfix to its incident"),
            (58, "what others point to is deleted only by force"),
        ],
    ),
    (
        "Injection",
        &[
            (59, "a session gets exactly what its rules select, in the same order each time"),
            (60, "the rules of each lifecycle; the agent's identity always"),
            (61, "nothing beside the rules"),
            (62, "specs and artifacts are read, not injected"),
            (63, "`latest: N` takes the newest N"),
            (64, "an orchestrator has exactly its last memories"),
            (65, "what is over is not injected any more"),
            (66, "the assistant gets what is aimed at it in any project"),
            (67, "what comes up in an open session reaches it"),
            (68, "what was injected, and by which rule, can be read later"),
            (69, "a budget cuts by rank and names what it cut"),
        ],
    ),
    (
        "Around them",
        &[
            (93, "keys are an agent's own, and what is written names it"),
            (112, "the events of a chunk are in order and can be replayed from a cursor"),
            (120, "types, fields, lists and links alone carry the loop"),
            (121, "a skill teaches scopes, several passes and the checklist"),
            (122, "an agent's tools hold none that it may not use"),
            (123, "the loop works without adapters to the outside"),
        ],
    ),
];

/// What is wrong with Hizal, and not here.
const DEFECTS: &[(u32, &str)] = &[
    (1, "what an organisation shares is injected to all others"),
    (2, "a session may be started in any project, and is given what is there"),
    (3, "the memory of an agent is found by whoever names the agent"),
    (4, "whatever has an id is read and deleted by anybody"),
    (5, "who has no key is given one that may do everything"),
    (6, "agents and projects of others are taken as arguments"),
    (7, "text of a filter becomes part of a statement"),
    (8, "an identity cannot be written"),
    (9, "a search looks in another scope than it is told"),
    (10, "what a filter excludes is found all the same"),
    (11, "steps and times of a session are shown and not enforced"),
    (12, "what a session wrote for a project does not surface"),
    (13, "a useful review counts as a sign that something is stale"),
    (14, "a focus sees one scope and ignores what else a rule asks for"),
    (15, "what is public is injected"),
    (16, "a session cannot be started over HTTP"),
    (17, "a version holds what the one before said"),
    (18, "every error reads \"internal error\""),
    (19, "a chunk has no author"),
];

/// The tests that show something, as their files and names, by its number.
type Shown = BTreeMap<u32, Vec<(String, String)>>;

/// The statements that the name of a test begins with.
fn statements(name: &str) -> Vec<u32> {
    let number = |word: &str| word.strip_prefix('c')?.parse().ok();
    name.split('_').map_while(number).collect()
}

/// The defects that the name of a test begins with.
fn defects(name: &str) -> Vec<u32> {
    let numbers = name.strip_prefix("defect_").unwrap_or_default();
    numbers.split('_').map_while(|word| word.parse().ok()).collect()
}

/// Every test of the tree that names something.
fn shown(named: fn(&str) -> Vec<u32>) -> Shown {
    let mut shown = Shown::new();
    for (file, name) in tables::all_tests() {
        for number in named(&name) {
            shown.entry(number).or_default().push((file.clone(), name.clone()));
        }
    }
    shown
}

fn all_statements() -> Vec<u32> {
    PARTS.iter().flat_map(|(_, rows)| rows.iter().map(|(number, _)| *number)).collect()
}

fn all_defects() -> Vec<u32> {
    DEFECTS.iter().map(|(number, _)| *number).collect()
}

/// A part of the page, with the letters before the numbers of its rows.
fn part(heading: &str, letters: &str, rows: &[(u32, &str)], shown: &Shown) -> String {
    let mut part = format!("\n## {heading}\n\n| | what | shown by |\n|---|---|---|\n");
    for (number, what) in rows {
        let tests = shown.get(number).into_iter().flatten();
        let links: Vec<String> =
            tests.map(|(file, name)| format!("[`{name}`](../{file})")).collect();
        writeln!(part, "| {letters}{number} | {what} | {} |", links.join("<br>")).unwrap();
    }
    part
}

fn page() -> String {
    let mut page = String::from(
        "# The context engine, statement by statement\n\nWhat was asked of chunks, types, lists, \
         links, sessions and injection, and the tests that show it.\nMade from the names of the tests \
         by `tests/tests/context_rows.rs`.\n",
    );
    let of_statements = shown(statements);
    for (heading, rows) in PARTS {
        page += &part(heading, "C", rows, &of_statements);
    }
    page + &part("What is wrong with Hizal", "", DEFECTS, &shown(defects))
}

/// Those of the first that are not among the others.
fn beyond(numbers: impl IntoIterator<Item = u32>, known: &[u32]) -> Vec<u32> {
    numbers.into_iter().filter(|number| !known.contains(number)).collect()
}

#[test]
fn every_statement_and_every_defect_has_a_test_that_names_it() {
    let tested = |shown: Shown| shown.into_keys().collect::<Vec<_>>();
    assert_eq!(beyond(all_statements(), &tested(shown(statements))), [0; 0], "statements");
    assert_eq!(beyond(all_defects(), &tested(shown(defects))), [0; 0], "defects");
}

#[test]
fn no_test_names_a_statement_or_a_defect_that_is_not_there() {
    assert_eq!(beyond(shown(statements).into_keys(), &all_statements()), [0; 0], "statements");
    assert_eq!(beyond(shown(defects).into_keys(), &all_defects()), [0; 0], "defects");
}

#[test]
fn the_page_of_the_statements_is_not_stale() {
    tables::is_not_stale("docs/context-rows.md", &page());
}
