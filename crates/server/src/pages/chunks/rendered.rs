//! Whole pages of chunks, made from a real ledger and asked for as a browser does.

use axum::http::{StatusCode, header};
use serde_json::{Value, json};

use crate::indoors::{Answer, Indoors, request};

/// What must never be alive on a page.
const ATTACK: &str = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'&";

/// Writes a chunk of everybody's, and says which it is.
fn write(pages: &Indoors, title: &str, more: Value) -> String {
    let mut chunk = json!({
        "chunk_type": "decision", "scope": "org", "title": title, "content": "## Decision\n\nDo it.",
    });
    for (name, value) in more.as_object().unwrap() {
        chunk[name] = value.clone();
    }
    pages.does("chunk.write", chunk)["chunk_id"].as_str().unwrap().to_owned()
}

/// A type with a field of several kinds.
fn risk(pages: &Indoors) {
    let definition = json!({"name": "Risk", "scope": "org", "fields": [
        {"name": "level", "type": "enum", "values": ["high", "low"], "required": true, "default": "low"},
        {"name": "owner", "type": "text", "required": true},
        {"name": "seen_in", "type": "string_list"},
    ], "template": {"headings": [{"title": "What can happen", "asks": "The worst of it"}]}});
    pages.does("chunk.type.set", json!({"slug": "risk", "definition": definition}));
}

fn table(page: &Answer) -> &str {
    page.between("<section class=\"panel\" id=\"chunks\"", "</section>")
}

#[test]
fn the_list_shows_each_chunk_and_filters_narrow_it() {
    let pages = Indoors::new();
    risk(&pages);
    write(&pages, "One database", json!({"tags": ["storage"]}));
    let risk = json!({"chunk_type": "risk", "content": "## What can happen\n\nFire.",
        "fields": {"owner": "kim", "level": "high"}});
    write(&pages, "The disk burns", risk);
    let shown = |path: &str| {
        let page = pages.get(path);
        let list = table(&page).to_owned();
        (list.contains("One database"), list.contains("The disk burns"))
    };
    assert_eq!(shown("/chunks"), (true, true));
    for path in ["/chunks?tag=storage", "/chunks?type=decision&risk.level=high"] {
        assert_eq!(shown(path), (true, false), "{path}");
    }
    for path in ["/chunks?type=risk", "/chunks?type=risk&risk.level=high&sort=level&scope=org"] {
        assert_eq!(shown(path), (false, true), "{path}");
    }
    for path in
        ["/chunks?type=risk&risk.level=low", "/chunks?state=superseded", "/chunks?scope=agent"]
    {
        assert_eq!(shown(path), (false, false), "{path}");
        assert!(pages.get(path).text.contains("Take a filter away"), "{path}");
    }
}

#[test]
fn a_ledger_without_chunks_says_how_to_write_one() {
    let page = Indoors::new().get("/chunks");
    assert_eq!(page.status, StatusCode::OK);
    assert!(page.text.contains("No chunks yet") && page.text.contains("/chunks/new"));
}

#[test]
fn a_filter_that_cannot_be_is_said_beside_the_form() {
    let pages = Indoors::new();
    for path in
        ["/chunks?type=decison", "/chunks?sort=colour", "/chunks?type=decision&decision.x=1"]
    {
        let page = pages.get(path);
        assert!(
            page.text.contains("notice bad") && page.text.contains("Show all chunks"),
            "{path}"
        );
        assert!(page.text.contains("name=\"q\""), "{path}");
    }
}

#[test]
fn a_long_list_is_shown_in_pages() {
    let pages = Indoors::new();
    for number in 0..51 {
        write(&pages, &format!("decision number {number}"), json!({}));
    }
    let first = pages.get("/chunks?sort=created");
    assert!(first.text.contains("51 chunks") && first.text.contains("decision number 49<"));
    assert!(!first.text.contains("decision number 50<"));
    let next = first.between("<a class=\"button\" href=\"/chunks", "\"").replace("&amp;", "&");
    let second = pages.get(&format!("/chunks{next}"));
    assert!(
        second.text.contains("decision number 50<") && !second.text.contains("decision number 49<")
    );
    assert!(second.text.contains("First page"));
}

#[test]
fn words_find_chunks_with_the_hits_marked_and_the_reasons_on_request() {
    let pages = Indoors::new();
    write(&pages, "Limits", json!({"content": "The staging API allows sixty calls a minute."}));
    let found = pages.get("/chunks?q=staging+calls");
    assert!(found.text.contains("<mark>staging</mark>"), "{}", found.text);
    assert!(!found.text.contains("Why it ranks here"));
    let explained = pages.get("/chunks?q=staging+calls&explain=1");
    assert!(explained.between("Why it ranks here", "</ul>").contains("content"));
    let nothing = pages.get("/chunks?q=elephants");
    assert!(nothing.text.contains("Nothing found") && nothing.text.contains("Fewer words"));
}

#[test]
fn the_page_of_a_chunk_tells_everything_about_it() {
    let pages = Indoors::new();
    risk(&pages);
    let basis = write(&pages, "One database", json!({}));
    let more = json!({
        "chunk_type": "risk", "content": "## What can happen\n\nIt **burns**.", "tags": ["fire"],
        "fields": {"owner": "kim", "seen_in": ["oslo", "rome"]}, "gotchas": ["water, too, is bad"],
        "related": ["one-database"], "source_file": "docs/fire.md", "source_lines": [3, 9],
        "audience": {"rules": [{"all": true}]}, "expires": "2099-01-01",
    });
    let id = write(&pages, "The disk burns", more);
    pages.does("chunk.link", json!({"chunk": id, "to": basis, "reason": "there is only one"}));
    let page = pages.get(&format!("/chunks/{id}"));
    for told in [
        "<strong>burns</strong>",
        "water, too, is bad",
        "oslo, rome",
        "docs/fire.md:3-9",
        "there is only one",
        "It is based on",
        "the-disk-burns",
        "href=\"/chunks/one-database\"",
        "Holds until",
        "&quot;rules&quot;",
        "by kim",
    ] {
        assert!(page.text.contains(told), "{told}");
    }
    let fields = page.between("<section class=\"panel\" id=\"fields\"", "</section>");
    assert!(fields.find("level") < fields.find("owner"), "fields are in the order of the type");
    let other = pages.get(&format!("/chunks/{basis}"));
    assert!(other.between("Based on it", "</section>").contains("there is only one"));
}

#[test]
fn a_chunk_that_holds_no_more_says_so_first() {
    let pages = Indoors::new();
    let (old, new) = (write(&pages, "Two", json!({})), write(&pages, "One", json!({})));
    pages.does("chunk.supersede", json!({"chunk": old, "with": new, "reason": "we moved"}));
    let page = pages.get(&format!("/chunks/{old}"));
    let standing = page.between("id=\"standing\"", "</div></div>");
    assert!(standing.contains("we moved") && standing.contains(&format!("/chunks/{new}")));
    let short =
        write(&pages, "Short", json!({"source_file": "a.md", "source_digest": "0".repeat(64)}));
    pages.does("chunk.check-source", json!({"chunk": short, "digest": "1".repeat(64)}));
    let page = pages.get(&format!("/chunks/{short}"));
    assert!(
        page.text.contains("Its source says something else now") && page.text.contains(">stale<")
    );
}

#[test]
fn the_form_of_a_type_has_its_fields_and_its_template() {
    let pages = Indoors::new();
    risk(&pages);
    let page = pages.get("/chunks/new?type=risk");
    assert!(page.text.contains("## What can happen\n\nThe worst of it"), "{}", page.text);
    for field in [
        "<select name=\"field.level\">",
        "<textarea name=\"field.owner\" rows=\"2\" required>",
        "<input name=\"field.seen_in\"",
    ] {
        assert!(page.text.contains(field), "{field}");
    }
    assert_eq!(pages.get("/chunks/new?type=nothing").status, StatusCode::NOT_FOUND);
    let choice = pages.get("/chunks/new");
    assert!(choice.text.contains("/chunks/new?type=risk") && choice.text.contains("/do/remember"));
}

#[test]
fn a_form_writes_a_chunk_and_tells_what_is_like_it() {
    let pages = Indoors::new();
    risk(&pages);
    let form = "chunk_type=risk&title=The+disk+burns&content=%23%23+What+can+happen%0A%0AFire.\
                &field.level=high&field.owner=kim,+maria&field.seen_in=oslo,+rome&lines=gotchas\
                &gotchas=water,+too%0Asmoke&scope=&project=&show=1&back=%2Fchunks";
    let written = pages.post("/do/chunk.write", form);
    assert_eq!(written.status, StatusCode::SEE_OTHER, "{}", written.text);
    let path = written.header(header::LOCATION).to_owned();
    let page = pages.get(&path);
    for told in ["kim, maria", "oslo, rome", "<li>water, too</li><li>smoke</li>", "by anna"] {
        assert!(page.text.contains(told), "{told}");
    }
    let again = pages.post("/do/chunk.write", form);
    assert!(again.text.contains("Like what was there") && again.text.contains(&path));
    let wrong = pages.post("/do/chunk.write", "chunk_type=risk&title=x&content=y&field.owner=me");
    assert!(
        wrong.text.contains("Not done: chunk write") && wrong.text.contains("name=\"field.owner\"")
    );
}

#[test]
fn an_update_of_an_old_version_is_refused_with_what_is_said_now() {
    let pages = Indoors::new();
    let id = write(&pages, "One database", json!({"content": "one\ntwo\n"}));
    pages.does("chunk.update", json!({"chunk": id, "content": "one\n<three>\n"}));
    let form = format!("chunk={id}&if_version=1&content=mine&back=%2Fchunks%2F{id}");
    let refused = pages.post("/do/chunk.update", &form);
    assert_eq!(refused.status, StatusCode::CONFLICT);
    let meanwhile = refused.between("id=\"meanwhile\"", "</section>");
    assert!(meanwhile.contains("<del>two</del>") && meanwhile.contains("<ins>&lt;three&gt;</ins>"));
    assert!(refused.text.contains("name=\"content\" value=\"mine\""));
    assert!(
        refused.text.contains("name=\"if_version\" value=\"2\""),
        "whoever has seen it goes on"
    );
    let again = pages.post("/do/chunk.update", &form.replace("if_version=1", "if_version=2"));
    assert_eq!(again.status, StatusCode::SEE_OTHER);
}

#[test]
fn the_edit_form_takes_back_what_is_emptied_and_keeps_what_is_not() {
    let pages = Indoors::new();
    risk(&pages);
    let more = json!({"chunk_type": "risk", "content": "## What can happen\n\nFire.",
        "fields": {"owner": "kim", "seen_in": ["oslo"]}, "tags": ["a"], "gotchas": ["b"]});
    let id = write(&pages, "The disk burns", more);
    let form = format!(
        "chunk={id}&if_version=1&empty=tags&empty=gotchas&empty=field.seen_in&empty=field.owner\
         &title=The+disk+burns&content=%23%23+What+can+happen%0A%0AFire.&tags=&gotchas=\
         &field.owner=kim&field.seen_in=&field.level=low"
    );
    assert_eq!(pages.post("/do/chunk.update", &form).status, StatusCode::SEE_OTHER);
    let chunk = pages.does("chunk.show", json!({"chunk": id}))["chunk"].clone();
    assert_eq!((&chunk["tags"], &chunk["gotchas"]), (&json!([]), &json!([])));
    assert_eq!(chunk["fields"], json!({"level": "low", "owner": "kim", "seen_in": null}));
}

#[test]
fn versions_are_told_with_who_and_what_and_two_are_compared() {
    let pages = Indoors::new();
    let id = write(&pages, "One database", json!({"content": "one\ntwo\n", "tags": ["old"]}));
    let change =
        json!({"chunk": id, "content": "one\nthree\n", "tags": ["new"], "note": "we learned"});
    pages.does("chunk.update", change);
    pages.does("chunk.update", json!({"chunk": id, "title": "Only one database"}));
    let page = pages.get(&format!("/chunks/{id}/versions?from=1&to=2"));
    for told in [
        "Version 1 → 2",
        "<del>two</del>",
        "<ins>three</ins>",
        "<del>old</del>",
        "we learned",
        "content, tags",
    ] {
        assert!(page.text.contains(told), "{told}");
    }
    let last = pages.get(&format!("/chunks/{id}/versions"));
    assert!(last.text.contains("<ins>Only one database</ins>"));
    let wrong = pages.get(&format!("/chunks/{id}/versions?from=9"));
    assert!(wrong.text.contains("notice bad") && wrong.text.contains("Version 3"));
    let once = pages.get(&format!("/chunks/{id}?version=1"));
    assert!(
        once.text.contains("This is version 1 of 3") && !once.text.contains("/do/chunk.update")
    );
}

#[test]
fn a_chain_is_drawn_and_told_in_words() {
    let pages = Indoors::new();
    let ids = ["Spec", "Plan", "Work"].map(|title| write(&pages, title, json!({})));
    for (newer, older, reason) in [(1, 0, "plans it"), (2, 1, "does it")] {
        pages.does("chunk.link", json!({"chunk": ids[newer], "to": ids[older], "reason": reason}));
    }
    let page = pages.get(&format!("/chunks/{}/chain", ids[1]));
    let drawing = page.between("<svg class=\"graph\"", "</svg></div>");
    for (at, id) in ids.iter().enumerate() {
        assert!(drawing.contains(&format!("/chunks/{id}")), "box {at}");
    }
    assert_eq!(drawing.matches("class=\"way link\"").count(), 2);
    assert!(page.between("id=\"based-on\"", "</section>").contains("plans it"));
    assert!(page.between("id=\"basis-of\"", "</section>").contains("does it"));
    let alone = write(&pages, "Alone", json!({}));
    assert!(
        pages.get(&format!("/chunks/{alone}/chain")).text.contains("No chunk is linked with it")
    );
}

#[test]
fn a_task_shows_its_spec_and_what_points_to_it() {
    let pages = Indoors::new();
    pages.does("project.create", json!({"name": "api"}));
    let spec = pages.does(
        "chunk.write",
        json!({"chunk_type": "dev_spec", "title": "Log in", "content": "With a key.", "project": "api"}),
    );
    let task = spec["task_id"].as_str().unwrap();
    let note = write(&pages, "How cookies work", json!({}));
    pages.does(
        "chunk.link",
        json!({"chunk": note, "to": format!("task:{task}"), "reason": "read it"}),
    );
    let page = pages.get(&format!("/tasks/{task}"));
    let chunks = page.between("<section class=\"panel\" id=\"chunks\"", "</section>");
    assert!(chunks.contains(spec["chunk_id"].as_str().unwrap()), "{chunks}");
    assert!(chunks.contains("How cookies work") && chunks.contains("read it"));
}

#[test]
fn another_agents_memory_is_not_there_for_the_key_of_an_agent() {
    let pages = Indoors::new();
    let memory = pages.does("remember", json!({"text": "my secret plan", "agent": "stoker"}));
    let id = memory["chunk_id"].as_str().unwrap();
    let key = pages.does("key.create", json!({"for": "agent:pilot", "role": "worker"}));
    let cookie = pages.enter(key["key"].as_str().unwrap());
    let ask = |path: &str| pages.ask(request("GET", path, &cookie, ""));
    for path in ["/chunks", "/chunks?scope=agent", "/chunks?q=secret+plan", "/chunks/new"] {
        let page = ask(path);
        assert!(page.status == StatusCode::OK && !page.text.contains("secret plan</"), "{path}");
    }
    for path in ["", "/versions", "/chain"] {
        let page = ask(&format!("/chunks/{id}{path}"));
        assert_eq!(page.status, StatusCode::NOT_FOUND, "{path}");
        assert!(!page.text.contains("secret plan"), "{path}");
    }
    let done = pages.ask(request("POST", "/do/chunk.pin", &cookie, &format!("chunk={id}")));
    assert_eq!(done.status, StatusCode::NOT_FOUND);
    assert!(pages.get(&format!("/chunks/{id}")).text.contains("my secret plan"), "people see it");
}

#[test]
fn no_text_of_a_chunk_is_alive_on_a_page() {
    let pages = Indoors::new();
    let basis = write(&pages, "basis", json!({}));
    let id = write(
        &pages,
        &format!("title {ATTACK}"),
        json!({"content": ATTACK, "tags": ["<b>tag</b>"], "gotchas": [ATTACK], "source_file": "<u>file</u>"}),
    );
    pages.does(
        "chunk.update",
        json!({"chunk": id, "content": format!("other {ATTACK}"), "note": ATTACK}),
    );
    pages.does("chunk.link", json!({"chunk": id, "to": basis, "reason": ATTACK}));
    let paths = [
        "/chunks".to_owned(),
        "/chunks?q=title&explain=1".to_owned(),
        "/chunks?type=%3Cscript%3Ealert(1)&q=%3Cscript%3Ealert(1)".to_owned(),
        format!("/chunks/{id}"),
        format!("/chunks/{id}?version=1"),
        format!("/chunks/{id}/versions"),
        format!("/chunks/{id}/chain"),
        format!("/chunks/{basis}"),
    ];
    for path in paths {
        let page = pages.get(&path);
        for alive in ["<script>alert", "<img", "<b>tag", "<u>file"] {
            assert!(!page.text.contains(alive), "{path}: {alive}");
        }
    }
}
