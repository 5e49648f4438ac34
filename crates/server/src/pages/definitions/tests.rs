//! The pages of what people define, and the editor of chunk types.

use axum::http::{StatusCode, header};
use serde_json::json;

use crate::indoors::{Answer, Indoors, request};

/// The form of a type with one field that is one of two.
const RISK: &str = "slug=risk&name=Risk&description=What+may+go+wrong&scope=org&audience=\
    &name.0=level&kind.0=enum&required.0=on&default.0=low&values.0=high%0D%0Alow&description.0=how+bad\
    &template=%23%23+Why%0D%0A%0D%0Athe+reason&creators=dev&consolidation=surface";

fn set(pages: &Indoors, form: &str) -> Answer {
    pages.post("/type-editor", &format!("{form}&do=set"))
}

fn names(page: &Answer) -> Vec<String> {
    let fields = page.text.split("id=\"name.").skip(1);
    let value = |field: &str| field.split("value=\"").nth(1)?.split('"').next().map(str::to_owned);
    fields.filter_map(value).collect()
}

#[test]
fn definitions_are_listed_and_shown() {
    let pages = Indoors::new();
    for (list, slug, told) in [
        ("/types", "dev_spec", "What its content needs"),
        ("/agent-types", "dev_coder", "What may be injected"),
        ("/lifecycles", "dev_coding", "What is injected"),
    ] {
        let listed = pages.get(list);
        assert!(listed.text.contains(&format!("href=\"{list}/{slug}\"")), "{list}");
        assert!(listed.text.contains("built in"), "{list}");
        let one = pages.get(&format!("{list}/{slug}"));
        assert_eq!(one.status, StatusCode::OK, "{list}");
        assert!(one.text.contains("/do/") && !one.text.contains("Take back"), "{list}");
        assert!(one.text.contains(told), "{list}");
        assert_eq!(pages.get(&format!("{list}/nothing")).status, StatusCode::NOT_FOUND);
    }
}

#[test]
fn a_type_is_made_in_the_editor_with_everything_it_has() {
    let pages = Indoors::new();
    let made = set(&pages, RISK);
    assert_eq!(made.header(header::LOCATION), "/types/risk", "{}", made.text);
    let shown = pages.does("chunk.type.show", json!({"slug": "risk"}));
    assert_eq!(
        shown["definition"],
        json!({
            "slug": "risk", "name": "Risk", "description": "What may go wrong", "scope": "org",
            "audience": {"rules": []}, "creators": ["dev"], "consolidation": "surface",
            "template": {"headings": [{"title": "Why", "asks": "the reason"}]},
            "fields": [{"name": "level", "type": "enum", "required": true, "default": "low",
                "values": ["high", "low"], "description": "how bad"}],
        })
    );
    let page = pages.get("/types/risk");
    for told in ["What may go wrong", "level", "how bad", "the reason", "added"] {
        assert!(page.text.contains(told), "{told}");
    }
}

#[test]
fn fields_are_added_moved_and_removed_without_scripts() {
    let pages = Indoors::new();
    let press =
        |form: &str, button: &str| pages.post("/type-editor", &format!("{form}&do={button}"));
    let two = format!("{RISK}&name.1=owner&kind.1=text&values.1=&default.1=&description.1=");
    let added = press(RISK, "add");
    assert_eq!(
        (added.status, names(&added)),
        (StatusCode::OK, vec!["level".into(), String::new()])
    );
    assert_eq!(names(&press(&two, "raise.1")), ["owner", "level"]);
    assert_eq!(names(&press(&two, "remove.0")), ["owner"]);
    for nothing in ["remove.9", "raise.0", "raise.9", "remove.x"] {
        assert_eq!(names(&press(&two, nothing)), ["level", "owner"], "{nothing}");
    }
    assert_eq!(pages.get("/types/risk").status, StatusCode::NOT_FOUND);
}

#[test]
fn a_type_is_changed_from_what_it_is() {
    let pages = Indoors::new();
    let editor = pages.get("/type-editor?type=dev_spec");
    assert_eq!(editor.status, StatusCode::OK);
    assert!(names(&editor).contains(&"priority".to_owned()));
    assert!(editor.text.contains("value=\"dev_spec\"") && !editor.text.contains("id=\"slug\""));
    assert_eq!(pages.get("/type-editor?type=nothing").status, StatusCode::NOT_FOUND);
}

#[test]
fn what_is_wrong_with_a_type_is_told_where_it_was_typed() {
    let pages = Indoors::new();
    let after = |form: &str, control: &str| {
        let page = set(&pages, form);
        assert!(page.status.is_client_error(), "{control}: {}", page.status);
        assert!(page.text.contains("value=\"Risk\""), "what was typed is gone");
        page.between(&format!("id=\"{control}-wrong\">"), "</p>").to_owned()
    };
    let wrong = after(&RISK.replace("audience=", "audience=%7B%22rules%22"), "audience");
    assert!(wrong.contains("this is no JSON"), "{wrong}");
    let wrong = "audience=%7B%22rules%22%3A%5B%7B%22agent_typs%22%3A%5B%22dev%22%5D%7D%5D%7D";
    let wrong = after(&RISK.replace("audience=", wrong), "audience");
    assert!(wrong.contains("agent_typs"), "{wrong}");
    assert!(after(&RISK.replace("default.0=low", "default.0=mid"), "name.0").contains("mid"));
    assert!(
        after(&RISK.replace("name.0=level", "name.0=Big+Level"), "name.0").contains("Big Level")
    );
    assert!(after(&RISK.replace("kind.0=enum", "kind.0=colour"), "kind.0").contains("colour"));
}

#[test]
fn a_value_that_chunks_have_is_not_taken_from_a_type() {
    let pages = Indoors::new();
    set(&pages, RISK);
    let chunk = json!({"chunk_type": "risk", "title": "Fire", "content": "## Why\n\nhot",
        "fields": {"level": "high"}});
    pages.does("chunk.write", chunk);
    let without = RISK.replace("values.0=high%0D%0Alow", "values.0=low");
    let refused = set(&pages, &format!("{without}&known=1"));
    assert_eq!(refused.status, StatusCode::CONFLICT, "{}", refused.text);
    assert!(refused.between("role=\"alert\"", "</div>").contains("high"), "{}", refused.text);
    assert!(refused.text.contains("Change risk"));
    let removed = pages.post("/do/chunk.type.remove", "slug=risk&back=%2Ftypes");
    assert_eq!(removed.status, StatusCode::CONFLICT);
    assert!(removed.text.contains("in use"));
}

#[test]
fn a_type_is_hidden_offered_again_and_removed() {
    let pages = Indoors::new();
    set(&pages, RISK);
    let hidden = pages.post("/do/chunk.type.hide", "slug=risk&back=%2Ftypes%2Frisk");
    assert_eq!(hidden.header(header::LOCATION), "/types/risk");
    assert!(!pages.get("/types").text.contains("/types/risk"));
    assert!(pages.get("/types?all=1").text.contains("/types/risk"));
    assert!(pages.get("/types/risk").text.contains("Offer it again"));
    pages.post("/do/chunk.type.hide", "slug=risk&undo=true&back=%2Ftypes%2Frisk");
    assert!(pages.get("/types").text.contains("/types/risk"));
    pages.post("/do/chunk.type.remove", "slug=risk&back=%2Ftypes");
    assert_eq!(pages.get("/types/risk").status, StatusCode::NOT_FOUND);
}

#[test]
fn agent_types_and_lifecycles_are_written_as_json() {
    let pages = Indoors::new();
    let cycle =
        "slug=testing&definition=%7B%22ttl%22%3A%228h%22%2C%22consolidation_threshold%22%3A3%7D";
    assert_eq!(pages.post("/lifecycles", cycle).header(header::LOCATION), "/lifecycles/testing");
    assert!(pages.get("/lifecycles/testing").text.contains("8h"));
    let tester = "slug=tester&definition=%7B%22lifecycle%22%3A%22testing%22%7D";
    assert_eq!(pages.post("/agent-types", tester).header(header::LOCATION), "/agent-types/tester");
    assert!(pages.get("/agent-types/tester").text.contains("/lifecycles/testing"));
    let used = pages.post("/do/lifecycle.remove", "slug=testing");
    assert!(used.text.contains("agent type tester"), "{}", used.text);
}

#[test]
fn json_that_is_none_or_says_nothing_known_is_refused_with_the_reason() {
    let pages = Indoors::new();
    let wrong = |definition: &str| {
        let page = pages.post("/lifecycles", &format!("slug=mine&definition={definition}"));
        assert!(page.status.is_client_error(), "{definition}");
        assert!(page.text.contains("value=\"mine\""), "what was typed is gone");
        page.between("id=\"definition-wrong\"", "</p>").to_owned()
    };
    assert!(wrong("%7B%22ttl%22").contains("this is no JSON"));
    assert!(wrong("%7B%7D").contains("ttl"));
    let rule = "%7B%22ttl%22%3A%228h%22%2C%22consolidation_threshold%22%3A3%2C%22inject%22%3A%5B%7B%22chunk_type%22%3A%22nota%22%2C%22owner%22%3A%22org%22%7D%5D%7D";
    assert!(wrong(rule).contains("nota"));
}

#[test]
fn a_key_of_an_agent_defines_nothing() {
    let pages = Indoors::new();
    let key = pages.does("key.create", json!({"for": "agent:coder-1", "role": "worker"}));
    let cookie = pages.enter(key["key"].as_str().unwrap());
    let set = pages.ask(request("POST", "/type-editor", &cookie, &format!("{RISK}&do=set")));
    assert_eq!(set.status, StatusCode::FORBIDDEN);
    assert_eq!(pages.get("/types/risk").status, StatusCode::NOT_FOUND);
    let tester = "slug=tester&definition=%7B%22lifecycle%22%3A%22default%22%7D";
    let set = pages.ask(request("POST", "/agent-types", &cookie, tester));
    assert_eq!(set.status, StatusCode::FORBIDDEN);
}

#[test]
fn no_text_of_a_definition_is_alive_on_a_page() {
    let pages = Indoors::new();
    let attack = "%3C%2Ftextarea%3E%3Cimg%20src%3Dx%3E";
    let form = format!(
        "slug=risk&name={attack}&description={attack}&scope=org&name.0=level&kind.0=enum\
         &values.0={attack}&description.0={attack}&default.0={attack}&template=%23%23+{attack}\
         &consolidation=keep"
    );
    assert_eq!(set(&pages, &form).status, StatusCode::SEE_OTHER);
    let wrong = set(&pages, &format!("{form}&audience={attack}&creators={attack}"));
    assert!(wrong.status.is_client_error());
    let written = pages.post("/lifecycles", &format!("slug={attack}&definition={attack}"));
    assert!(written.status.is_client_error());
    let shown = ["/types", "/types/risk", "/type-editor?type=risk"].map(|path| pages.get(path));
    for page in shown.iter().chain([&wrong, &written]) {
        assert!(!page.text.contains("<img"), "{}", page.text);
    }
}
