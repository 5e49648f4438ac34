//! Dependencies across projects: `dep list`, `dep tree`, `dep graph`, and what they have to do with
//! tags and pruning.
//!
//! They follow contract HZL, section 3.8. A test whose name ends in `row_…` shows that row.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "an answer of another shape ends its test"
)]

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use windlass_testkit::Outcome;
use windlass_tests::ledgers::{Ledger, error_of, rows, text};

/// The tasks of most tests here; `agent` holds those in progress, else they are routed.
const TASKS: &str = "
name   | project  | status      | tags       | agent | waits for
-------|----------|-------------|------------|-------|------------
data   | research | in_progress | model      | clara |
paper  | research | backlog     | text       |       | data
ethics | research | done        | text,law   | bob   |
draft  | writing  | ready       | text,model | bob   | data paper
print  | writing  | backlog     |            |       | draft ethics
layout | design   | archived    |            |       |
cover  | design   | ready       | model,law  | clara | layout
";

/// Which flags list which edges.
const FILTERS: &str = "
flags                                             | edges
--------------------------------------------------|------------------------------------------------
                                                  | paper>data draft>data draft>paper print>draft print>ethics cover>layout
-P research                                       | paper>data draft>data draft>paper print>ethics
--project design                                  | cover>layout
--from-project writing                            | draft>data draft>paper print>draft print>ethics
--from-project research                           | paper>data
--to-project research                             | paper>data draft>data draft>paper print>ethics
--from-project writing --to-project research      | draft>data draft>paper print>ethics
--from-project research --to-project writing      |
--agent clara                                     | paper>data draft>data cover>layout
--from-agent bob                                  | draft>data draft>paper
--to-agent bob                                    | print>draft print>ethics
--from-agent bob --to-agent clara                 | draft>data
--agent nobody                                    |
--blocking-only                                   | paper>data draft>data draft>paper print>draft
--blocking-only -P research                       | paper>data draft>data draft>paper
--agent clara --blocking-only                     | paper>data draft>data
--cross-project-only                              | draft>data draft>paper print>ethics
--cross-project-only --blocking-only              | draft>data draft>paper
--tag text                                        | paper>data draft>data draft>paper print>draft print>ethics
--tag text,law                                    | print>ethics
--tag law                                         | print>ethics cover>layout
--from-tag text                                   | paper>data draft>data draft>paper
--from-tag model                                  | draft>data draft>paper cover>layout
--from-tag text,model                             | draft>data draft>paper
--to-tag model                                    | paper>data draft>data print>draft
--to-tag text --from-tag text                     | draft>paper
--to-tag Text                                     |
--tag model --from-project writing --blocking-only| draft>data draft>paper print>draft
-P nowhere                                        | project_not_found
--from-project nowhere                            | project_not_found
--to-project nowhere                              | project_not_found
--tag a,,b                                        | invalid_value
--limit 0                                         | invalid_value
--cursor garbage                                  | invalid_value
";

/// A filter, said as plainly as possible.
type Naive<'a> = Box<dyn Fn(&Value) -> bool + 'a>;

struct Yard {
    ledger: Ledger,
    ids: BTreeMap<&'static str, String>,
}

impl Yard {
    #[track_caller]
    fn new() -> Self {
        Self::on(Ledger::on_sqlite())
    }

    #[track_caller]
    fn on(ledger: Ledger) -> Self {
        for project in ["research", "writing", "design"] {
            ledger.answer(&["project", "create", project]);
        }
        let mut yard = Self { ledger, ids: BTreeMap::new() };
        for [name, project, status, tags, agent, waits_for] in rows(TASKS) {
            let begins = if status == "archived" { "ready" } else { status };
            let mut args = vec!["task", "add", name, "-P", project, "-s", begins];
            let waits_for: Vec<&str> =
                waits_for.split_whitespace().map(|name| yard.id(name)).collect();
            let waits_for = waits_for.join(",");
            for (flag, value) in [("-t", tags), ("--agent", agent), ("--depends-on", &waits_for)] {
                args.extend([flag, value].into_iter().filter(|_| !value.is_empty()));
            }
            let id = text(&yard.ledger.answer(&args)["task_id"]);
            if status == "archived" {
                yard.ledger.answer(&["task", "archive", &id]);
            }
            yard.ids.insert(name, id);
        }
        yard
    }

    #[track_caller]
    fn id(&self, name: &str) -> &str {
        &self.ids[name]
    }

    fn name(&self, id: &Value) -> &'static str {
        let id = text(id);
        self.ids.iter().find(|(_, own)| **own == id).map_or("?", |(name, _)| name)
    }

    #[track_caller]
    fn list(&self, flags: &str) -> Outcome {
        let args: Vec<&str> = ["dep", "list"].into_iter().chain(flags.split_whitespace()).collect();
        self.ledger.windlass(&args).run()
    }

    /// The edges of an answer as `a>b`.
    fn edges(&self, answer: &Value) -> Vec<String> {
        let edges = answer["dependencies"].as_array().unwrap();
        let named = |edge: &Value| {
            format!("{}>{}", self.name(&edge["from_task_id"]), self.name(&edge["to_task_id"]))
        };
        edges.iter().map(named).collect()
    }

    /// Whether each row of the table with this flag in it lists what it says.
    #[track_caller]
    fn shows(&self, flag: &str) {
        let mut shown = 0;
        for [flags, expected] in rows(FILTERS) {
            if !flags.split_whitespace().any(|word| word == flag) {
                continue;
            }
            shown += 1;
            let outcome = self.list(flags);
            if outcome.code != Some(0) {
                let exit = if expected == "project_not_found" { 4 } else { 3 };
                let _error = error_of(&outcome, expected, exit);
                continue;
            }
            let answer = outcome.json();
            let found: BTreeSet<String> = self.edges(&answer).into_iter().collect();
            let wanted: BTreeSet<String> = expected.split_whitespace().map(str::to_owned).collect();
            assert_eq!(found, wanted, "dep list {flags}");
            assert_eq!(answer["total"], wanted.len(), "dep list {flags}");
        }
        assert!(shown > 0, "no row has {flag}");
    }

    #[track_caller]
    fn edge(&self, from: &str, to: &str) -> Value {
        let answer = self.list("").ok().json();
        let wanted = format!("{from}>{to}");
        let index = self.edges(&answer).iter().position(|edge| *edge == wanted).unwrap();
        answer["dependencies"][index].clone()
    }
}

// Adding

#[test]
fn a_task_waits_for_a_task_of_another_project_without_any_setting_or_flag_row_x1() {
    let yard = Yard::new();
    assert_eq!(yard.edge("draft", "data")["cross_project"], true);
    assert_eq!(
        yard.ledger.windlass(&["config"]).run().ok().json()["settings"]
            .to_string()
            .find("dependencies"),
        None
    );
}

#[test]
fn task_add_takes_prerequisites_of_any_project_row_x2() {
    let yard = Yard::new();
    let both = format!("{},{}", yard.id("data"), yard.id("cover"));
    let id = yard.ledger.add(&["-P", "writing", "--depends-on", &both]);
    let shown = yard.ledger.answer(&["task", "show", &id]);
    let projects: BTreeSet<String> =
        shown["dependencies"].as_array().unwrap().iter().map(|on| text(&on["project"])).collect();
    assert_eq!(projects, BTreeSet::from(["design".to_owned(), "research".to_owned()]));
}

#[test]
fn task_add_dep_takes_a_prerequisite_of_any_project_row_x3() {
    let yard = Yard::new();
    let added = yard.ledger.answer(&["task", "add-dep", yard.id("cover"), yard.id("data")]);
    assert_eq!(added["added"], true);
    assert_eq!(yard.edge("cover", "data")["cross_project"], true);
}

#[test]
fn a_task_does_not_wait_for_itself_row_v1() {
    let yard = Yard::new();
    let seq = yard.ledger.events();
    let refused =
        yard.ledger.windlass(&["task", "add-dep", yard.id("data"), yard.id("data")]).run();
    let _error = error_of(&refused, "dependency_cycle", 3);
    assert_eq!(yard.ledger.events(), seq);
}

#[test]
fn a_circle_through_several_projects_is_refused_row_v2() {
    let yard = Yard::new();
    let seq = yard.ledger.events();
    let refused =
        yard.ledger.windlass(&["task", "add-dep", yard.id("data"), yard.id("print")]).run();
    let error = error_of(&refused, "dependency_cycle", 3);
    assert_eq!(error["details"]["cycle"].as_array().unwrap().len(), 4, "{error}");
    assert_eq!(yard.ledger.events(), seq);
}

#[test]
fn a_prerequisite_must_exist_for_add_and_for_add_dep_row_v3() {
    let yard = Yard::new();
    let seq = yard.ledger.events();
    let nobody = "01M7F3DFJ2EEA39MBZS98FJ952";
    for args in [
        &["task", "add", "new", "-P", "writing", "--depends-on", nobody][..],
        &["task", "add-dep", yard.id("data"), nobody],
    ] {
        let _error = error_of(&yard.ledger.windlass(args).run(), "task_not_found", 4);
    }
    assert_eq!(yard.ledger.events(), seq);
}

#[test]
fn no_new_edge_leads_to_a_task_that_is_gone_row_v4() {
    let yard = Yard::new();
    let gone = yard.id("layout").to_owned();
    yard.ledger.answer(&["project", "delete", "design", "--delete-tasks"]);
    let seq = yard.ledger.events();
    let refused = yard.ledger.windlass(&["task", "add-dep", yard.id("print"), &gone]).run();
    let _error = error_of(&refused, "task_not_found", 4);
    assert_eq!(yard.ledger.events(), seq);
}

#[test]
fn an_orphan_is_listed_with_nulls_for_what_is_not_known_row_v4() {
    let yard = Yard::new();
    let delete = [
        "project",
        "delete",
        "research",
        "--delete-tasks",
        "--edges",
        "keep",
        "--force",
        "--reason",
        "over",
    ];
    yard.ledger.answer(&delete);
    let edge = yard.edge("print", "ethics");
    for key in ["to_title", "to_project", "to_agent", "to_status"] {
        assert_eq!(edge[key], Value::Null, "{edge}");
    }
    assert_eq!((&edge["missing_to"], &edge["missing_from"]), (&true.into(), &false.into()));
    assert_eq!((&edge["blocking"], &edge["cross_project"]), (&false.into(), &false.into()));
    assert_eq!(edge["from_title"], "print");
    let listed = yard.list("--from-project writing --from-agent bob").ok().json();
    assert_eq!(yard.edges(&listed), ["draft>data", "draft>paper"]);
    let listed = yard.list("--to-agent bob").ok().json();
    assert_eq!(yard.edges(&listed), ["print>draft"], "nobody is the agent of a missing task");
}

// dep list

#[test]
fn dep_list_by_project_at_either_end_row_l1() {
    let yard = Yard::new();
    yard.shows("-P");
    yard.shows("--project");
}

#[test]
fn dep_list_by_the_project_that_waits_row_l2() {
    Yard::new().shows("--from-project");
}

#[test]
fn dep_list_by_the_project_waited_for_row_l3() {
    Yard::new().shows("--to-project");
}

#[test]
fn dep_list_by_agent_at_either_end_row_l4() {
    Yard::new().shows("--agent");
}

#[test]
fn dep_list_by_the_agent_that_waits_row_l5() {
    Yard::new().shows("--from-agent");
}

#[test]
fn dep_list_by_the_agent_waited_for_row_l6() {
    Yard::new().shows("--to-agent");
}

#[test]
fn blocking_means_that_the_target_is_not_settled_whatever_the_dependent_is_row_l7() {
    let yard = Yard::new();
    yard.shows("--blocking-only");
    assert_eq!(yard.edge("paper", "data")["from_status"], "backlog");
    assert_eq!(yard.edge("paper", "data")["blocking"], true);
    yard.ledger.answer(&["task", "archive", yard.id("paper")]);
    assert_eq!(yard.edge("paper", "data")["blocking"], true, "an archived task waits as well");
    assert_eq!(yard.edge("draft", "paper")["blocking"], false, "an archived target is settled");
    assert_eq!(yard.edge("cover", "layout")["blocking"], false);
}

#[test]
fn dep_list_of_edges_between_projects_row_l8() {
    Yard::new().shows("--cross-project-only");
}

#[test]
fn dep_list_by_tag_at_either_end_row_l9() {
    Yard::new().shows("--tag");
}

#[test]
fn dep_list_by_the_tag_of_what_waits_row_l10() {
    Yard::new().shows("--from-tag");
}

#[test]
fn dep_list_by_the_tag_of_what_is_waited_for_row_l11() {
    Yard::new().shows("--to-tag");
}

#[test]
fn every_edge_has_the_keys_that_scripts_know_rows_l12_to_l13() {
    let yard = Yard::new();
    let edge = yard.edge("draft", "data");
    let expected = serde_json::json!({
        "from_task_id": yard.id("draft"), "to_task_id": yard.id("data"),
        "from_title": "draft", "to_title": "data",
        "from_project": "writing", "to_project": "research",
        "from_agent": "bob", "to_agent": "clara",
        "from_status": "ready", "to_status": "in_progress",
        "from_tags": ["text", "model"], "to_tags": ["model"],
        "cross_project": true, "blocking": true,
        "missing_from": false, "missing_to": false,
    });
    let sorted = |value: &Value| {
        let mut value = value.clone();
        for key in ["from_tags", "to_tags"] {
            value[key].as_array_mut().unwrap().sort_by_key(ToString::to_string);
        }
        value
    };
    assert_eq!(sorted(&edge), sorted(&expected));
}

#[test]
fn any_combination_of_filters_gives_what_each_of_them_gives() {
    let yard = Yard::new();
    let all = yard.list("").ok().json();
    let all = all["dependencies"].as_array().unwrap();
    let has = |edge: &Value, key: &str, value: &str| text(&edge[key]) == value;
    let tagged = |edge: &Value, key: &str, tag: &str| {
        edge[key].as_array().unwrap().iter().any(|own| own == tag)
    };
    let filters: Vec<(&str, Naive<'_>)> = vec![
        (
            "-P writing",
            Box::new(|e| has(e, "from_project", "writing") || has(e, "to_project", "writing")),
        ),
        ("--to-project research", Box::new(|e| has(e, "to_project", "research"))),
        ("--agent bob", Box::new(|e| has(e, "from_agent", "bob") || has(e, "to_agent", "bob"))),
        ("--to-agent clara", Box::new(|e| has(e, "to_agent", "clara"))),
        (
            "--tag model",
            Box::new(|e| tagged(e, "from_tags", "model") || tagged(e, "to_tags", "model")),
        ),
        ("--from-tag text", Box::new(|e| tagged(e, "from_tags", "text"))),
        ("--blocking-only", Box::new(|e| e["blocking"] == true)),
        ("--cross-project-only", Box::new(|e| e["cross_project"] == true)),
    ];
    for chosen in 0..(1_usize << filters.len()) {
        let chosen: Vec<_> = (0..filters.len())
            .filter(|index| chosen & (1 << index) != 0)
            .map(|i| &filters[i])
            .collect();
        let flags: Vec<&str> = chosen.iter().map(|(flags, _)| *flags).collect();
        let expected: Vec<&Value> =
            all.iter().filter(|edge| chosen.iter().all(|(_, naive)| naive(edge))).collect();
        let found = yard.list(&flags.join(" ")).ok().json();
        let found: Vec<&Value> = found["dependencies"].as_array().unwrap().iter().collect();
        assert_eq!(found, expected, "dep list {}", flags.join(" "));
    }
}

#[test]
fn pages_follow_each_other_by_cursor_and_a_cursor_belongs_to_its_filters() {
    let yard = Yard::new();
    let whole = yard.list("").ok().json();
    let (mut paged, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = yard.list(&format!("--limit 2 {cursor}")).ok().json();
        paged.extend(yard.edges(&page));
        assert_eq!(page["total"], 6);
        let Some(next) = page["next_cursor"].as_str() else { break };
        cursor = format!("--cursor {next}");
    }
    assert_eq!(paged, yard.edges(&whole));
    let refused = yard.list(&format!("{cursor} --blocking-only"));
    let _error = error_of(&refused, "invalid_value", 3);
}

#[test]
fn the_table_for_people_fits_eighty_columns() {
    let yard = Yard::new();
    let long = "a title that is much too long to be shown beside another one as long as this";
    let id = yard.ledger.add(&["-P", "writing", "--depends-on", yard.id("data")]);
    yard.ledger.answer(&["task", "update", &id, "--title", long]);
    yard.ledger.answer(&["task", "update", yard.id("data"), "--title", long]);
    let said = yard.ledger.windlass(&["dep", "list"]).env("NO_COLOR", "1").at_terminal(80);
    assert!(said.stdout.lines().all(|line| line.chars().count() <= 80), "{said}");
    assert!(said.stdout.contains("yes, in_progress"), "{said}");
    assert!(said.stdout.contains("writing: ") && said.stdout.contains("research: "), "{said}");
}

// dep tree and dep graph

#[test]
fn a_tree_nests_what_is_waited_for_and_expands_a_task_once() {
    let yard = Yard::new();
    let tree = yard.ledger.answer(&["dep", "tree", yard.id("print")]);
    assert_eq!((&tree["total"], &tree["open"]), (&4.into(), &3.into()));
    let draft = &tree["tree"]["below"][1];
    let below = |node: &Value| {
        let below = node["below"].as_array().unwrap();
        below.iter().map(|node| yard.name(&node["task_id"])).collect::<BTreeSet<_>>()
    };
    assert_eq!(below(&tree["tree"]), BTreeSet::from(["draft", "ethics"]));
    let draft = match yard.name(&draft["task_id"]) {
        "draft" => draft,
        _ => &tree["tree"]["below"][0],
    };
    assert_eq!(below(draft), BTreeSet::from(["data", "paper"]));
    let said = tree.to_string();
    assert_eq!(said.matches("\"repeated\":true").count(), 1, "data is met twice: {said}");
    assert_eq!((&draft["project"], &draft["agent"]), (&"writing".into(), &"bob".into()));
}

#[test]
fn a_tree_is_cut_at_its_depth_and_grows_the_other_way_too() {
    let yard = Yard::new();
    let cut = yard.ledger.answer(&["dep", "tree", yard.id("print"), "--depth", "1"]);
    assert_eq!((&cut["cut"], &cut["total"]), (&true.into(), &2.into()));
    let up = yard.ledger.answer(&["dep", "tree", yard.id("data"), "--dependents"]);
    assert_eq!((&up["direction"], &up["total"]), (&"dependents".into(), &3.into()));
    for depth in ["0", "101", "-1"] {
        let refused =
            yard.ledger.windlass(&["dep", "tree", yard.id("data"), "--depth", depth]).run();
        let error = error_of(&refused, "invalid_value", 3);
        assert!(text(&error["message"]).ends_with("is not between 1 and 100"), "{error}");
    }
}

#[test]
fn who_asks_for_an_unknown_project_is_shown_the_list_and_not_told_to_create_it() {
    let yard = Yard::new();
    for args in [&["dep", "list", "-P", "nope"][..], &["project", "delete", "nope"]] {
        let error = error_of(&yard.ledger.windlass(args).run(), "project_not_found", 4);
        assert!(text(&error["hint"]).contains("windlass project list"), "{error}");
    }
    let added = yard.ledger.windlass(&["task", "add", "x", "-P", "nope"]).run();
    let error = error_of(&added, "project_not_found", 4);
    assert!(text(&error["hint"]).contains("windlass project create nope"), "{error}");
}

#[test]
fn a_graph_is_open_work_unless_all_is_asked_for() {
    let yard = Yard::new();
    let count = |args: &[&str]| {
        let graph = yard.ledger.answer(&[&["dep", "graph"], args].concat());
        let length = |key: &str| graph[key].as_array().unwrap().len();
        (length("nodes"), length("edges"))
    };
    assert_eq!(count(&[]), (7, 6));
    yard.ledger.answer(&["task", "set-status", yard.id("cover"), "done", "--agent", "clara"]);
    assert_eq!(count(&[]), (5, 5), "what is done waits for what is archived: nobody cares");
    assert_eq!(count(&["--all"]), (7, 6));
    assert_eq!(count(&["-P", "design"]), (0, 0));
    assert_eq!(count(&["-P", "design", "--all"]), (2, 1));
}

#[test]
fn a_graph_is_written_verbatim_in_the_language_that_was_asked_for() {
    let yard = Yard::new();
    yard.ledger.answer(&["task", "update", yard.id("data"), "--title", "say \"hi\" [x] \\ 👩"]);
    let dot = yard.ledger.windlass(&["dep", "graph", "--format", "dot"]);
    let piped = dot.run().ok().stdout;
    assert!(piped.starts_with("digraph dependencies {\n") && piped.ends_with("}\n"), "{piped}");
    assert!(piped.contains(r#"in_progress\nsay \"hi\" [x] \\ 👩""#), "{piped}");
    assert_eq!(dot.at_terminal(40).stdout, piped, "not broken at the width of a window");
    let usual = yard.ledger.windlass(&["dep", "graph"]).at_terminal(80).stdout;
    assert_eq!(usual, piped, "people get dot");
    let mermaid = yard.ledger.windlass(&["dep", "graph", "--format=mermaid"]).run().ok().stdout;
    assert!(mermaid.starts_with("flowchart LR\n"), "{mermaid}");
    assert!(mermaid.contains("say #34;hi#34; #91;x#93; #92; 👩"), "{mermaid}");
    let global = yard.ledger.windlass(&["--format", "mermaid", "dep", "graph"]).run().ok().stdout;
    assert_eq!(global, mermaid, "the flag of every command is the same flag");
    for args in
        [&["dep", "graph", "--json"][..], &["dep", "graph", "--format", "json"], &["dep", "graph"]]
    {
        let graph = yard.ledger.answer(args);
        assert_eq!(graph["edges"].as_array().unwrap().len(), 6);
    }
    let refused = yard.ledger.windlass(&["dep", "graph", "--format", "svg"]).run();
    let error = error_of(&refused, "invalid_value", 3);
    assert!(text(&error["hint"]).contains("mermaid"), "{error}");
}

// Pruning, showing, tags

#[test]
fn a_task_is_not_pruned_while_another_project_waits_for_it_row_r1() {
    let yard = Yard::new();
    let prune = ["task", "prune", "-P", "research", "--older-than", "0s", "--yes"];
    assert_eq!(yard.ledger.answer(&prune)["count"], 0, "print waits for ethics");
    yard.ledger.answer(&["task", "remove-dep", yard.id("print"), yard.id("ethics")]);
    assert_eq!(yard.ledger.answer(&prune)["count"], 1);
}

#[test]
fn task_show_names_the_projects_of_what_it_waits_for_row_r4() {
    let yard = Yard::new();
    let shown = yard.ledger.answer(&["task", "show", yard.id("draft")]);
    for on in shown["dependencies"].as_array().unwrap() {
        assert_eq!(on["project"], "research", "{on}");
        assert!(on["status"].is_string() && on["settled"] == false, "{on}");
    }
    let said = yard.ledger.windlass(&["task", "show", yard.id("draft")]).at_terminal(80).stdout;
    assert!(said.contains("waits for") && said.contains("research"), "{said}");
}

#[test]
fn tags_are_labels_and_metadata_are_structured_row_g1() {
    let yard = Yard::new();
    let metadata = r#"{"source":{"page":3}}"#;
    let id = yard.ledger.add(&["-t", "law,text", "--metadata", metadata]);
    let task = yard.ledger.answer(&["task", "show", &id])["task"].clone();
    assert_eq!(task["tags"].as_array().unwrap().len(), 2);
    assert_eq!(task["metadata"]["source"]["page"], 3);
}

#[test]
fn task_list_filters_by_tags_row_g2() {
    let yard = Yard::new();
    let listed = yard.ledger.answer(&["task", "list", "--tags", "law"]);
    assert_eq!(listed["total"], 2);
}

#[test]
fn all_tags_are_wanted_unless_any_is_asked_for_row_g3() {
    let yard = Yard::new();
    let total = |flag: &str| {
        yard.ledger.answer(&["task", "list", flag, "text,law"])["total"].as_u64().unwrap()
    };
    assert_eq!((total("--tags"), total("--tags-any")), (1, 4));
    let claimed =
        yard.ledger.answer(&["task", "claim", "--next", "--tags", "model,law", "--agent", "clara"]);
    assert_eq!(yard.name(&claimed["task_id"]), "cover");
}

#[test]
fn dependencies_are_asked_for_by_tag_row_g4() {
    let yard = Yard::new();
    let listed = yard.list("--tag law").ok().json();
    assert_eq!(listed["total"], 2);
}
