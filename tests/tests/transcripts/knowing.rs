//! Chunks: what agents and people know, and what kinds of it there are.

use crate::scene::{Scene, transcript};

fn given_chunks(scene: &mut Scene) {
    scene.does("project create api");
    scene.does("chunk write knowledge 'One database' 'Less to run.' -P api --key one");
    scene.does("chunk write lesson 'Say it in short' 'Or nobody reads it.' -P api --key short");
}

#[test]
fn a_chunk_is_written_read_and_written_anew() {
    let said = transcript(|scene| {
        scene.does("project create api");
        scene.has("why.md", "# Why\nLess to run.\nLess to learn.\n");
        scene.writes(&["DECIDE"], "chunk write decision 'One database' --file why.md -P api -t db");
        scene.shows("chunk show one-database");
        scene.has("why.md", "# Why\nLess to run.\nLess to break.\n");
        scene.shows("chunk update one-database --file why.md --if-version 1 --note 'more exact'");
        scene.says("chunk update one-database --title 'Two' --if-version 1");
        scene.shows("chunk versions one-database");
        scene.shows("chunk diff one-database");
        scene.says("chunk show nothing");
    });
    insta::assert_snapshot!(said, @"");
}

#[test]
fn an_agent_remembers_and_a_chunk_holds_for_a_while() {
    let said = transcript(|scene| {
        given_chunks(scene);
        scene.writes(&["MEMORY"], "remember 'the staging API is slow' --agent worker-1");
        scene.says("chunk show MEMORY --agent worker-2");
        scene.shows("chunk pin one");
        scene.shows("chunk unpin one");
        scene.shows("chunk expire one 2030-01-01");
        scene.shows("chunk supersede short --with one --reason 'said better there'");
        scene.shows("chunk delete MEMORY");
    });
    insta::assert_snapshot!(said, @"");
}

#[test]
fn chunks_are_linked_and_lead_to_one_another() {
    let said = transcript(|scene| {
        given_chunks(scene);
        scene.shows("chunk link short one --reason 'learned while at it'");
        scene.says("chunk delete one");
        scene.shows("chunk chain one");
        scene.shows("chunk unlink short one --reason 'it was another'");
    });
    insta::assert_snapshot!(said, @"");
}

#[test]
fn a_chunk_is_reviewed_and_held_against_its_source() {
    let said = transcript(|scene| {
        given_chunks(scene);
        scene.shows("chunk review one --usefulness 4 --correctness 2 --action outdated");
        scene.shows("chunk inbox");
        scene.shows("chunk dismiss one");
        scene.has("limits.rs", "const LIMIT: u32 = 60;\n");
        scene.does("chunk update short --source-file limits.rs");
        scene.has("limits.rs", "const LIMIT: u32 = 90;\n");
        scene.shows("chunk check-source short");
        scene.says("chunk check-source one");
    });
    insta::assert_snapshot!(said, @"");
}

#[test]
fn a_spec_has_a_task() {
    let said = transcript(|scene| {
        scene.does("project create api");
        scene.writes(&["SPEC__", "TASK__"], "chunk write dev_spec 'Log in' 'By mail.' -P api");
        scene.says("task block TASK__ --comment 'no key for the mail server'");
        scene.says("chunk show SPEC__");
        scene.says("chunk update SPEC__ --field status=planned");
    });
    insta::assert_snapshot!(said, @"");
}

#[test]
fn chunks_are_listed_by_what_they_are() {
    let said = transcript(|scene| {
        given_chunks(scene);
        scene.does("chunk write dev_spec 'Log in' 'By mail.' -P api --key login");
        scene.does("chunk write dev_spec 'Log out' 'At once.' -P api --key logout --field priority=critical");
        scene.says("chunk list");
        scene.shows(
            "chunk list -t dev_spec --field status=new --sort priority --show title,priority",
        );
        scene.says("chunk list -t dev_spec --limit 1");
        scene.says("chunk list -t lesson --show content");
        scene.says("chunk list -t dev_spek");
        scene.says("chunk list -t dev_spec --field state=new");
        scene.says("chunk list -t dev_spec --sort prio");
        scene.says("chunk list --field status=new");
    });
    insta::assert_snapshot!(said, @"");
}

#[test]
fn types_of_chunks_are_added_hidden_and_taken_back() {
    let said = transcript(|scene| {
        let risk = "description = \"What may go wrong\"\n\n[[fields]]\nname = \"level\"\n\
                    type = \"enum\"\nvalues = [\"high\", \"low\"]\ndefault = \"low\"\n";
        scene.has("risk.toml", risk);
        scene.shows("chunk type set risk --from risk.toml");
        scene.shows("chunk type show risk");
        scene.shows("chunk type list");
        scene.shows("chunk type hide lesson");
        scene.shows("chunk type remove risk");
        scene.says("chunk type remove lesson");
    });
    insta::assert_snapshot!(said, @"");
}
