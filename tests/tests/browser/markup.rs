//! Text stays text: whatever somebody writes into any field, no page runs it, shows it as anything
//! but letters, or lets it lead anywhere.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use windlass_ops::operation::{Access, Place};
use windlass_ops::table::{Entry, TABLE};
use windlass_testkit::browser::{Page, Trouble};
use windlass_testkit::http::Request;

use crate::furniture::{encoded, furnish};
use crate::scene::Scene;

/// What would do something where text is taken for markup: in an element, in an attribute with
/// either quote, in a title, a text area, a script, a comment, a link, in Markdown.
const PAYLOADS: [&str; 5] = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "' onfocus=alert(1) autofocus x='--><b data-injected>",
    "</title></textarea></script><svg onload=alert(1)>",
    "javascript:alert(1)//[a](javascript:alert(1))![b](x)",
];

/// Elements and attributes that none of our pages has.
const INJECTED: &str = "
    document.contentType !== 'text/html' ? [] : [...document.querySelectorAll('*')].filter((element) => {
        const name = element.localName;
        if (['img', 'iframe', 'object', 'embed', 'base', 'frame', 'audio', 'video'].includes(name)) return true;
        if (name === 'script' && !element.getAttribute('src')?.startsWith('/assets/')) return true;
        if (name === 'meta' && element.httpEquiv) return true;
        return [...element.attributes].some(({name, value}) =>
            name.startsWith('on') || name === 'data-injected'
            || ['href', 'src', 'action', 'formaction', 'xlink:href'].includes(name)
                && /^[\\s\\x00-\\x1f]*(javascript|vbscript|data):/i.test(value));
    }).map((element) => element.outerHTML.slice(0, 200))";

/// All that the page says, in texts, attributes and fields.
const SAID: &str = "
    [document.title, document.documentElement.textContent,
        ...[...document.querySelectorAll('*')].flatMap((element) =>
            [...element.attributes].map(({value}) => value))].join('\\n')";

/// By which a field is known on a page.
fn mark(field: &str) -> String {
    format!("mark-{}.", field.replace(' ', "-"))
}

#[track_caller]
fn assert_harmless(page: &Page, place: &str) {
    assert_eq!(page.eval(INJECTED), json!([]), "in {place}");
    let troubles = page.troubles();
    // A page that says that there is no such thing says it with a status.
    let harm: Vec<_> = troubles
        .iter()
        .filter(|it| !matches!(it, Trouble::Load(text) if text.contains(" 4")))
        .collect();
    assert!(harm.is_empty(), "in {place}: {harm:#?}");
}

/// Fields that are kept and shown on no page.
const ON_NO_PAGE: [&str; 4] = ["correctness_note", "header", "repo", "usefulness_note"];

#[test]
fn no_page_takes_what_is_written_in_any_field_for_more_than_text() {
    let Some(scene) = Scene::set() else { return };
    let page = scene.page("/");
    let mut told = BTreeSet::new();
    let mut said = BTreeSet::new();
    for (number, payload) in PAYLOADS.iter().enumerate() {
        let project = format!("p{number}");
        let furnished =
            furnish(&scene, &project, &move |field| format!("{payload} {}", mark(field)));
        for path in furnished.pages() {
            scene.go(&page, &path);
            // What is folded away may be taken for markup as well.
            page.eval("document.querySelectorAll('details').forEach((it) => { it.open = true; })");
            assert_harmless(&page, &format!("{path} with {payload}"));
            let text = page.text(SAID);
            told.extend(furnished.said.iter().filter(|field| text.contains(&mark(field))).cloned());
        }
        said.extend(furnished.said);
    }
    let untold: Vec<_> = said.difference(&told).map(String::as_str).collect();
    assert_eq!(untold, ON_NO_PAGE, "these fields were on no page");
    assert_eq!(page.troubles(), []);
}

#[test]
fn what_comes_in_while_a_page_is_open_stays_text_too() {
    let Some(scene) = Scene::set() else { return };
    let board = scene.live_page("/");
    let task = scene.ready("Open");
    let shown = scene.live_page(&format!("/tasks/{task}"));
    for payload in PAYLOADS {
        scene.add(
            &json!({"title": payload, "status": "ready", "tags": [payload], "agent": payload}),
        );
        scene.run("task.comment", &json!({"task": task, "text": payload, "author": payload}));
    }
    board
        .wait_for(&format!("document.querySelectorAll('.card').length === {}", PAYLOADS.len() + 1));
    shown.wait_for(&format!(
        "document.querySelectorAll('#comments li').length === {}",
        PAYLOADS.len()
    ));
    assert_harmless(&board, "the board");
    assert_harmless(&shown, "the page of a task");
}

#[test]
fn a_toast_and_a_question_about_such_a_task_stay_text_too() {
    let Some(scene) = Scene::set() else { return };
    let first = scene.ready("First");
    let title = PAYLOADS[1];
    scene.add(&json!({"title": title, "status": "backlog", "depends_on": [first]}));
    let page = scene.page("/");
    page.press("j");
    page.press("m");
    page.press("x");
    page.wait_for("document.getElementById('why').open");
    assert_eq!(page.text("document.getElementById('why-task').textContent"), title);
    page.press("Escape");
    page.wait_for("!document.getElementById('why').open");
    page.press("n");
    page.type_text(title);
    page.press("Enter");
    page.wait_for("document.querySelector('.toast')?.textContent.includes('onerror')");
    assert_harmless(&page, "the board");
}

#[test]
fn markup_in_an_address_is_shown_as_text_or_not_at_all() {
    let Some(scene) = Scene::set() else { return };
    scene.ready("Something");
    let page = scene.page("/");
    let addresses = [
        "/?project=X",
        "/?status=X",
        "/?tag=X&agent=X&q=X&due=X",
        "/?page=X",
        "/tasks/X",
        "/tasks/X?history=X&verify=X",
        "/search?q=X&status=X&page=X",
        "/search?q=X",
        "/search?project=X",
        "/graph?project=X",
        "/graph?show=X",
        "/timeline?project=X",
        "/timeline?window=X",
        "/timeline?agent=X",
        "/agents?agent=X",
        "/agents?window=X",
        "/outbox?state=X",
        "/outbox?delivery=X",
        "/outbox?limit=X",
        "/stats?window=X",
        "/stats?project=X",
        "/chunks?type=X",
        "/chunks?q=X&explain=X",
        "/chunks?scope=X",
        "/chunks?state=X&sort=X&tag=X&cursor=X",
        "/chunks?type=decision&decision.X=X",
        "/chunks/X",
        "/chunks/X/versions?from=X&to=X",
        "/chunks/X/chain",
        "/chunks/new?type=X",
        "/sessions?status=X&agent=X&lifecycle=X&run=X&cursor=X",
        "/sessions?project=X&agent=X&lifecycle=default",
        "/sessions/X",
        "/inbox?signal=X",
        "/inbox?limit=X&project=X",
        "/inject?agent=X&focus=X",
        "/inject?agent_type=X&lifecycle=X&max_tokens=X",
        "/types?all=X",
        "/types/X",
        "/type-editor?type=X",
        "/agent-types/X",
        "/lifecycles/X",
        "/help?project=X",
        "/enter?back=X",
        "/enter?token=X",
        "/errors/X",
        "/nowhere/X",
        "/assets/X",
        "/do/X",
        "/v1/tasks?X=X",
        "/v1/tasks/X",
    ];
    // What matters in a link is how it begins.
    for payload in [PAYLOADS.concat().as_str(), "javascript:alert(1)"] {
        for address in addresses {
            let path = address.replace('X', &encoded(payload));
            scene.go(&page, &path);
            assert_harmless(&page, &format!("{address} with {payload}"));
        }
    }
}

/// Fills in a form that no page has, and sends it as a page would.
#[track_caller]
fn submit(page: &Page, operation: &str, fields: &Value) {
    page.eval(&format!(
        "(() => {{
            const form = document.createElement('form');
            form.method = 'post';
            form.action = '/do/{operation}';
            for (const [name, value] of Object.entries({fields})) {{
                const field = document.createElement('input');
                field.name = name;
                field.value = value;
                form.append(field);
            }}
            document.body.append(form);
            form.submit();
        }})()"
    ));
    page.wait_for("location.pathname.startsWith('/do/') && document.readyState === 'complete'");
}

#[test]
fn the_page_of_a_refusal_and_that_of_an_answer_show_text_as_text() {
    let Some(scene) = Scene::set() else { return };
    let page = scene.page("/");
    for payload in PAYLOADS {
        let wrong = json!({"title": payload, "status": payload, "project": payload, "due": payload,
            "tags": payload, "metadata": payload, payload: payload, "back": payload});
        scene.go(&page, "/");
        submit(&page, "task.add", &wrong);
        assert!(page.text("document.querySelector('main').innerText").contains("Not done"));
        assert_harmless(&page, &format!("a refusal with {payload}"));
        scene.go(&page, "/");
        submit(
            &page,
            "key.create",
            &json!({"for": format!("agent:{payload}"), "role": "worker", "show": "1", "back": payload}),
        );
        assert!(page.text("document.querySelector('main').innerText").contains("A key for"));
        assert_harmless(&page, &format!("an answer with {payload}"));
    }
}

#[test]
fn signing_in_leads_to_no_place_but_ours() {
    let Some(scene) = Scene::set() else { return };
    let token = scene.served.token();
    for back in [
        "javascript:alert(1)",
        "//evil.example/",
        "/\\evil.example/",
        "https://evil.example/",
        "%0d%0aSet-Cookie:x=y",
    ] {
        let form = Request::post("/enter", format!("key={token}&back={back}"))
            .header("content-type", "application/x-www-form-urlencoded");
        let answer = scene.served.send(&form);
        assert_eq!((answer.status, answer.header("location")), (303, Some("/")), "{back}");
    }
}

/// Fields that are no free text: ids, names with rules, times, words of a list. Nothing that could
/// be markup is kept of them.
const NO_TEXT: [&str; 89] = [
    "action",
    "all_from",
    "artifacts_preserved_at",
    "branch_action",
    "chunk",
    "chunk_type",
    "decision",
    "definition",
    "depends_on",
    "digest",
    "discard",
    "disposition",
    "driver",
    "due",
    "edges",
    "evidence_ref",
    "execution_root",
    "executor_mode",
    "expires",
    "file",
    "from",
    "gates",
    "head",
    "host",
    "idempotency_key",
    "ids",
    "keep",
    "key",
    "kind",
    "lease",
    "lifecycle",
    "limit",
    "metric",
    "mode",
    "move_to",
    "new_name",
    "notes",
    "observed",
    "old_name",
    "on",
    "others_limit",
    "outcome",
    "owner",
    "owner_token",
    "parent",
    "pr_url",
    "project",
    "promote",
    "query_key",
    "related",
    "remote",
    "repo_root",
    "rescue",
    "results",
    "resume_policy",
    "rewrite_deps",
    "role",
    "run",
    "run_id",
    "scope",
    "search",
    "secret",
    "session",
    "slug",
    "source_branch",
    "source_digest",
    "source_head",
    "source_workflow_path",
    "stale_after",
    "stash",
    "state",
    "status",
    "target_branch",
    "task",
    "tasks",
    "text",
    "timeout",
    "to",
    "to_owner",
    "tools",
    "type",
    "until",
    "url",
    "view",
    "visibility",
    "what",
    "with",
    "worktree_action",
    "worktree_path",
];

/// The fields of an operation that can hold text.
fn texts(entry: &Entry) -> Vec<String> {
    let schema = (entry.input)().to_value();
    let fields = schema["properties"].as_object().cloned().unwrap_or_default();
    let holds_text = |field: &Value| {
        let field = field.to_string();
        ["\"string\"", "\"object\"", "$ref"].iter().any(|kind| field.contains(kind))
    };
    fields.iter().filter(|(_, field)| holds_text(field)).map(|(name, _)| name.clone()).collect()
}

/// So that a new field is thought of here too.
#[test]
fn every_field_that_can_hold_text_is_tried() {
    let Some(scene) = Scene::set() else { return };
    let said = furnish(&scene, "ship", &|field| field.to_owned()).said;
    let known = |name: &String| said.contains(name) || NO_TEXT.contains(&name.as_str());
    let writes = |entry: &&Entry| entry.place == Place::Ledger && entry.access != Access::Read;
    let fields = TABLE.iter().filter(writes).flat_map(|entry| {
        texts(entry)
            .into_iter()
            .filter(|name| !known(name))
            .map(|name| format!("{} {name}", entry.name))
    });
    assert_eq!(fields.collect::<Vec<_>>(), Vec::<String>::new());
}

#[test]
fn names_with_rules_take_no_markup() {
    let Some(scene) = Scene::set() else { return };
    for payload in PAYLOADS {
        let refused = [
            ("project.create", json!({"name": payload})),
            ("hook.set", json!({"name": payload, "on": "on_done", "url": "http://127.0.0.1/"})),
            (
                "hook.set",
                json!({"name": "h", "on": "on_done", "url": format!("http://127.0.0.1/{payload}<")}),
            ),
            ("hook.set", json!({"name": "h", "on": payload, "url": "http://127.0.0.1/"})),
            ("hook.set", json!({"name": "h", "on": "on_done", "url": payload})),
            ("key.create", json!({"for": payload})),
            ("key.create", json!({"for": "agent:a", "tools": payload})),
            ("key.create", json!({"for": "agent:a", "expires": payload})),
            ("task.add", json!({"title": "t", "due": payload})),
            ("task.add", json!({"title": "t", "status": payload})),
            ("task.add", json!({"title": "t", "project": payload})),
            ("task.add", json!({"title": "t", "depends_on": [payload]})),
            ("task.claim", json!({"next": true, "agent": "a", "lease": payload})),
        ];
        for (operation, arguments) in refused {
            let answer = scene.served.op(operation, &arguments);
            assert!((400..500).contains(&answer.status), "{operation} {arguments}: {answer}");
        }
    }
}
