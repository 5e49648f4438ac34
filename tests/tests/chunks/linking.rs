//! Links and chains.

use serde_json::{Value, json};
use windlass_tests::ledgers::text;

use crate::shelf::{Shelf, on_both};

fn link(shelf: &Shelf, from: &str, to: &str, reason: &str) -> Value {
    shelf.does(&["chunk", "link", from, to, "--reason", reason])
}

#[test]
fn c53_a_link_has_a_reason() {
    on_both(|shelf| {
        let (one, other) = (shelf.knows("One", "x"), shelf.knows("Other", "y"));
        for reason in ["", "  "] {
            shelf.refuses(
                &["chunk", "link", &one, &other, "--reason", reason],
                "reason_required",
                3,
            );
        }
        shelf.refuses(&["chunk", "link", &one, &other], "usage", 2);
    });
}

#[test]
fn c54_a_link_is_read_from_both_ends() {
    on_both(|shelf| {
        let (plan, spec) = (shelf.knows("Plan", "x"), shelf.knows("Spec", "y"));
        link(shelf, &plan, &spec, "Plan for this spec");
        let from = shelf.does(&["chunk", "show", &plan]);
        assert_eq!(
            from["chunk"]["links"],
            json!([{"to": format!("chunk:{spec}"), "reason": "Plan for this spec"}])
        );
        assert_eq!((&from["linked"][0]["title"], &from["incoming"]), (&json!("Spec"), &json!([])));
        let to = shelf.does(&["chunk", "show", &spec]);
        assert_eq!(
            (&to["chunk"]["links"], &to["incoming"][0]["chunk_id"]),
            (&json!([]), &json!(plan))
        );
        assert_eq!(to["incoming"][0]["reasons"], json!(["Plan for this spec"]));
        shelf.is_sound();
    });
}

#[test]
fn c55_the_same_link_twice_is_one_and_none_leads_to_itself() {
    on_both(|shelf| {
        let (one, other) = (shelf.knows("One", "x"), shelf.knows("Other", "y"));
        link(shelf, &one, &other, "why");
        let again = link(shelf, &one, &other, "why");
        assert_eq!(
            (&again["unchanged"], again["links"].as_array().unwrap().len()),
            (&json!(true), 1)
        );
        assert_eq!(link(shelf, &one, &other, "because")["links"].as_array().unwrap().len(), 2);
        shelf.refuses(&["chunk", "link", &one, &one, "--reason", "r"], "invalid_value", 3);
    });
}

#[test]
fn tasks_runs_and_commits_are_ends_of_links_too() {
    on_both(|shelf| {
        let id = shelf.knows("One", "x");
        let task = shelf.ledger.add(&["-P", "api"]);
        let linked = link(shelf, &id, &format!("task:{}", &task[20..]), "found while at it");
        assert_eq!(linked["to"], json!(format!("task:{task}")));
        assert_eq!(link(shelf, &id, "commit:0123ABCdef", "done there")["to"], "commit:0123abcdef");
        for (to, code, exit) in [
            ("task:ZZZZZZ", "task_not_found", 4),
            ("run:01JC0000000000000000000000", "run_not_found", 4),
            ("run:nope", "run_not_found", 4),
            ("commit:xyz", "invalid_value", 3),
            ("chunk:ZZZZZZ", "chunk_not_found", 4),
            ("planet:mars", "chunk_not_found", 4),
        ] {
            shelf.refuses(&["chunk", "link", &id, to, "--reason", "r"], code, exit);
        }
        let short = ["chunk", "link", &id, "commit:abc", "--reason", "r"];
        let hint = "give 7 to 64 hexadecimal digits: git rev-parse HEAD";
        assert_eq!(shelf.refuses(&short, "invalid_value", 3)["hint"], hint);
    });
}

#[test]
fn a_link_is_taken_back_even_when_what_it_pointed_to_is_gone() {
    on_both(|shelf| {
        let (one, other) = (shelf.knows("One", "x"), shelf.knows("Other", "y"));
        link(shelf, &one, &other, "why");
        let unlink = ["chunk", "unlink", &one, &other, "--reason", "wrong one"];
        assert_eq!(shelf.does(&unlink)["links"], json!([]));
        assert_eq!(shelf.does(&unlink)["unchanged"], true);
        link(shelf, &one, &other, "why");
        shelf.does(&["chunk", "delete", &other, "--force", "--reason", "gone"]);
        let end = format!("chunk:{other}");
        let unlink = ["chunk", "unlink", &one, &end, "--reason", "gone"];
        assert_eq!(shelf.does(&unlink)["links"], json!([]));
    });
}

#[test]
fn c56_from_an_artifact_to_its_spec_and_from_a_spec_to_everything() {
    on_both(|shelf| {
        let [spec, research, plan, built] =
            ["Spec", "Research", "Plan", "Built"].map(|title| shelf.knows(title, "x"));
        link(shelf, &research, &spec, "Research for this spec");
        link(shelf, &plan, &research, "Plan based on this research");
        link(shelf, &plan, &spec, "Plan for this spec");
        link(shelf, &built, &plan, "Implementation of this plan");
        let told = |chain: &Value| -> Vec<(String, u64)> {
            let elements = chain.as_array().unwrap().iter();
            let told = |one: &Value| (text(&one["title"]), one["distance"].as_u64().unwrap());
            elements.map(told).collect()
        };
        let forth = shelf.does(&["chunk", "chain", &spec])["basis_of"].clone();
        assert_eq!(told(&forth), [("Research".into(), 1), ("Plan".into(), 1), ("Built".into(), 2)]);
        assert_eq!(
            forth[2]["by"],
            json!([{"chunk_id": plan, "reason": "Implementation of this plan"}])
        );
        let back = shelf.does(&["chunk", "chain", &built])["based_on"].clone();
        assert_eq!(told(&back), [("Plan".into(), 1), ("Spec".into(), 2), ("Research".into(), 2)]);
    });
}

#[test]
fn a_circle_of_links_is_a_chain_with_an_end() {
    on_both(|shelf| {
        let (one, other) = (shelf.knows("One", "x"), shelf.knows("Other", "y"));
        link(shelf, &one, &other, "why");
        link(shelf, &other, &one, "why");
        let chain = shelf.does(&["chunk", "chain", &one]);
        assert_eq!(chain["based_on"].as_array().unwrap().len(), 1);
        assert_eq!(chain["basis_of"].as_array().unwrap().len(), 1);
    });
}

#[test]
fn c57_a_rollback_leads_to_its_deployment_and_its_incident() {
    on_both(|shelf| {
        let write = |of: &str, content: &str| {
            text(&shelf.does(&["chunk", "write", of, of, content, "-P", "api"])["chunk_id"])
        };
        let deployed = "# Environment\nlive\n# Version\n1.2\n# Time\nnoon\n";
        let deployment = write("dev_deployment", deployed);
        let incident = write("dev_incident", "nobody can log in");
        let reverted = "# Deployment\n1.2\n# Incident\nnobody can log in\n";
        let rollback = write("dev_rollback", reverted);
        let hotfix = write("dev_spec", "let people log in");
        link(shelf, &rollback, &deployment, "Rollback of this deployment");
        link(shelf, &rollback, &incident, "Rollback for this incident");
        link(shelf, &hotfix, &incident, "Hotfix for this incident");
        let back = shelf.does(&["chunk", "chain", &rollback])["based_on"].clone();
        assert_eq!(
            (&back[0]["chunk_id"], &back[1]["chunk_id"]),
            (&json!(deployment), &json!(incident))
        );
        let forth = shelf.does(&["chunk", "chain", &incident])["basis_of"].clone();
        assert_eq!(
            (&forth[0]["chunk_id"], &forth[1]["chunk_id"]),
            (&json!(rollback), &json!(hotfix))
        );
    });
}
