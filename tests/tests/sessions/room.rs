//! A ledger with two projects and agents of every type, whose clock the test moves.

use serde_json::{Value, json};
use windlass_domain::{Code, Refusal};
use windlass_tests::ledgers::text;
use windlass_tests::office::{Office, in_office};

/// An agent of each type of the pipeline; `qa` is of type `dev_qa`.
const TYPES: [&str; 8] =
    ["assistant", "orchestrator", "researcher", "planner", "coder", "qa", "delivery", "operations"];

/// A workflow file of one step.
pub(crate) const FILE: &str = "---\nintent: say it\nsuccess_criteria: said\nrisk_level: low\n---\n\
                               ### 1. Say\naction: say\nloop: false\nverify: true\n";

/// Where agents sit.
pub(crate) struct Room<'a> {
    pub(crate) office: &'a mut Office,
}

impl Room<'_> {
    /// The answer of an operation that must succeed.
    #[track_caller]
    pub(crate) fn does(&mut self, name: &str, input: Value) -> Value {
        self.office.run(name, input)
    }

    /// The refusal of an operation, which records nothing.
    #[track_caller]
    pub(crate) fn refuses(&mut self, name: &str, input: Value, code: Code) -> Refusal {
        let refusal = self.office.refuses(name, input);
        assert_eq!(refusal.code, code, "{refusal}");
        refusal
    }

    /// Defines a lifecycle or an agent type under a slug.
    #[track_caller]
    pub(crate) fn defines(&mut self, name: &str, slug: &str, definition: Value) -> Value {
        self.does(name, defining(slug, &definition))
    }

    /// Starts a session of an agent, with more arguments.
    #[track_caller]
    pub(crate) fn sits(&mut self, agent: &str, more: Value) -> Value {
        self.does("session.start", with(json!({"agent": agent}), more))
    }

    /// Does something in a session, in the name of its agent.
    #[track_caller]
    pub(crate) fn at(&mut self, name: &str, session: &Value, more: Value) -> Value {
        let asked = json!({"session": session["session_id"], "agent": session["agent"]});
        self.does(name, with(asked, more))
    }

    /// Writes a chunk, and gives its id.
    #[track_caller]
    pub(crate) fn writes(&mut self, chunk_type: &str, title: &str, more: Value) -> String {
        let content = content(chunk_type);
        let draft = json!({"chunk_type": chunk_type, "title": title, "content": content});
        text(&self.does("chunk.write", with(draft, more))["chunk_id"])
    }

    /// Lets an agent remember something, and gives its id.
    #[track_caller]
    pub(crate) fn remembers(&mut self, agent: &str, said: &str) -> String {
        text(&self.does("remember", json!({"text": said, "agent": agent}))["chunk_id"])
    }

    /// The titles of what an agent would be given, in order.
    #[track_caller]
    pub(crate) fn would_give(&mut self, agent: &str, more: Value) -> Vec<String> {
        titles(&self.does("inject.preview", with(json!({"agent": agent}), more)))
    }
}

/// The titles of what was given, in order.
pub(crate) fn titles(given: &Value) -> Vec<String> {
    given["injected"].as_array().unwrap().iter().map(|chunk| text(&chunk["title"])).collect()
}

/// What defines something under a slug.
pub(crate) fn defining(slug: &str, definition: &Value) -> Value {
    json!({"slug": slug, "definition": definition})
}

/// An object with more fields.
fn with(mut object: Value, more: Value) -> Value {
    object.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    object
}

/// A content with every heading that a type asks for.
fn content(chunk_type: &str) -> String {
    let headings: &[&str] = match chunk_type {
        "dev_research" => &["What exists", "What must change"],
        "dev_plan" => &["Phases", "Acceptance criteria", "Test coverage"],
        "dev_implementation" => &["Pull request", "Changes", "Files", "Tests"],
        "dev_package" => &["Items", "Specs", "Pull request"],
        "dev_deployment" => &["Environment", "Version", "Time"],
        _ => &["Text"],
    };
    let parts: Vec<String> =
        headings.iter().map(|heading| format!("## {heading}\n\nsaid\n\n")).collect();
    parts.concat()
}

/// Checks the same on both databases.
#[track_caller]
pub(crate) fn on_both(check: impl Fn(&mut Room<'_>)) {
    in_office(|office| {
        let mut room = Room { office };
        for project in ["api", "web"] {
            room.does("project.create", json!({"name": project}));
        }
        for word in TYPES {
            let input = json!({"name": word, "type": format!("dev_{word}")});
            room.does("agent.register", input);
        }
        check(&mut room);
    });
}
