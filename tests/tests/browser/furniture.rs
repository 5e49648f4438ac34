//! A ledger with something of everything that pages show. What it says is up to the test: plain
//! words, words that are far too long, or words that want to be more than words.

use std::cell::RefCell;
use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::scene::Scene;

/// What a field says: its name comes in, a text comes out that it can hold.
pub(crate) type Words = dyn Fn(&str) -> String;

/// Fills one project.
pub(crate) struct Furniture<'a> {
    scene: &'a Scene,
    project: &'a str,
    words: &'a Words,
    /// The fields that were given words.
    said: RefCell<BTreeSet<String>>,
}

/// Every page, for somebody who was let in. What is in braces is one of the furniture.
const PAGES: &[&str] = &[
    "/",
    "/?project={project}",
    "/?status=archived",
    "/tasks/{task}",
    "/tasks/{task}?history=all&verify=1",
    "/tasks/{stolen}",
    "/tasks/{paused}",
    "/graph?project={project}",
    "/graph?project={project}&show=open",
    "/timeline",
    "/timeline?project={project}&window=7d",
    "/timeline?agent={agent}",
    "/runs",
    "/runs/{run}",
    "/chunks",
    "/chunks?type=furniture&project={project}",
    "/chunks?q={word}&explain=1",
    "/chunks/{chunk}",
    "/chunks/{chunk}?version=1",
    "/chunks/{chunk}/versions",
    "/chunks/{chunk}/chain",
    "/chunks/new",
    "/chunks/new?type=furniture",
    "/sessions",
    "/sessions/{sitting}",
    "/sessions/{over}",
    "/inbox",
    "/inject?agent={agent}&project={project}",
    "/types",
    "/types/furniture",
    "/type-editor",
    "/type-editor?type=furniture",
    "/agent-types",
    "/agent-types/furniture",
    "/lifecycles",
    "/lifecycles/furniture",
    "/agents",
    "/agents?agent={agent}",
    "/outbox",
    "/outbox?state=failed",
    "/outbox?delivery={delivery}",
    "/stats",
    "/stats?project={project}&window=7d",
    "/search",
    "/search?q={word}",
    "/search?q=nothing-like-it&project={project}",
    "/api",
    "/help",
];

/// What is in the project now.
pub(crate) struct Furnished {
    project: String,
    agent: String,
    delivery: String,
    /// A task that was taken from its holder, and one that waits for what was delegated.
    stolen: String,
    paused: String,
    /// A run that waits for a person.
    run: String,
    /// A chunk that is based on another.
    chunk: String,
    /// A session that goes on, and one that left something to decide.
    sitting: String,
    over: String,
    /// A word of the titles.
    word: String,
    /// A task with everything that a task can have.
    pub(crate) task: String,
    /// The fields that were given words.
    pub(crate) said: BTreeSet<String>,
}

/// Plain words.
pub(crate) fn plain(field: &str) -> String {
    format!("some {field}")
}

#[track_caller]
pub(crate) fn furnish(scene: &Scene, project: &str, words: &Words) -> Furnished {
    let furniture = Furniture { scene, project, words, said: RefCell::default() };
    furniture.frame();
    let task = furniture.everything();
    let stolen = furniture.columns(&task);
    let paused = furniture.workflows();
    let run = furniture.run();
    let chunk = furniture.chunks();
    furniture.definitions();
    let (sitting, over) = (furniture.session(), furniture.session());
    furniture.end(&over);
    let delivery = furniture.outbox();
    let word = words("title").split(' ').next_back().unwrap().to_owned();
    let (project, agent) = (project.to_owned(), words("agent"));
    Furnished {
        project,
        agent,
        delivery,
        stolen,
        paused,
        run,
        chunk,
        sitting,
        over,
        word,
        task,
        said: furniture.said.into_inner(),
    }
}

impl Furnished {
    /// The paths of all pages that there are.
    pub(crate) fn pages(&self) -> Vec<String> {
        let path = |page: &&str| {
            page.replace("{project}", &self.project)
                .replace("{task}", &self.task)
                .replace("{delivery}", &self.delivery)
                .replace("{stolen}", &self.stolen)
                .replace("{paused}", &self.paused)
                .replace("{run}", &self.run)
                .replace("{chunk}", &self.chunk)
                .replace("{sitting}", &self.sitting)
                .replace("{over}", &self.over)
                .replace("{agent}", &encoded(&self.agent))
                .replace("{word}", &encoded(&self.word))
        };
        PAGES.iter().map(path).collect()
    }
}

/// A text as a part of an address.
pub(crate) fn encoded(text: &str) -> String {
    let bytes: Vec<String> = text.bytes().map(|byte| format!("%{byte:02X}")).collect();
    bytes.concat()
}

impl Furniture<'_> {
    /// A run with a step that waits for a person, and one that nobody began.
    #[track_caller]
    fn run(&self) -> String {
        let (intent, name, action) = (self.say("intent"), self.say("step"), self.say("action"));
        let quoted = |text: &str| json!(text.replace('\n', " ")).to_string();
        let (intent, action) = (quoted(&intent), quoted(&action));
        let name = name.replace('\n', " ");
        let text = format!(
            "---\nintent: {intent}\nsuccess_criteria: {intent}\nrisk_level: low\n---\n\
             ### 1. {name}\naction: {action}\nloop: false\nverify: true\ngate: human\n\
             ### 2. {name}\naction: {action}\nloop: false\nverify: true\n"
        );
        let begin = json!({
            "text": text, "workflow_path": self.say("workflow_path"),
            "folder": self.say("folder"), "machine": self.say("machine"),
            "branch": self.say("branch"),
        });
        let run = self.scene.run("run.begin", &begin)["run"].as_str().unwrap().to_owned();
        self.scene.run("run.step.start", &json!({"step": 1, "run_id": run}));
        let seen = json!([{"check": 0, "outcome": "passed", "exit_code": 0, "stdout": {"text": self.say("output")}}]);
        let checked = json!({"step": 1, "attempt": 1, "results": seen, "run_id": run});
        self.scene.run("run.step.checked", &checked);
        run
    }

    /// A chunk of a type of its own, with all that can be said of one. Answers which that is.
    #[track_caller]
    fn chunks(&self) -> String {
        let definition = json!({"description": self.say("definition"),
            "fields": [{"name": "note", "type": "text"}, {"name": "mark", "type": "text"}]});
        let furniture = json!({"slug": "furniture", "definition": definition});
        self.scene.run("chunk.type.set", &furniture);
        let meant: String = self.say("audience").replace('\n', " ").chars().take(64).collect();
        let rule = json!({"agent_tags": [meant]});
        let chunk = json!({
            "chunk_type": "furniture", "project": self.project, "title": self.say("title"),
            "content": self.say("content"), "gotchas": [self.say("gotchas")],
            "tags": [self.say("tags")], "field": [format!("mark={}", self.say("field"))],
            "fields": {"note": self.say("fields")}, "audience": {"rules": [rule]},
            "source_file": self.say("source_file").replace('\n', " "),
        });
        let written = self.scene.run("chunk.write", &chunk);
        let chunk = written["chunk_id"].clone();
        let update = json!({"chunk": chunk, "content": "other", "note": self.say("note")});
        self.scene.run("chunk.update", &update);
        let basis = json!({"chunk_type": "furniture", "project": self.project, "content": "basis",
            "title": self.say("title")});
        let basis = self.scene.run("chunk.write", &basis)["chunk_id"].clone();
        for to in [json!("commit:0123abc"), basis] {
            let link = json!({"chunk": chunk, "to": to, "reason": self.say("reason")});
            self.scene.run("chunk.link", &link);
        }
        let review = json!({
            "chunk": chunk, "usefulness": 1, "correctness": 1, "action": "incorrect",
            "usefulness_note": self.say("usefulness_note"),
            "correctness_note": self.say("correctness_note"),
        });
        self.scene.run("chunk.review", &review);
        chunk.as_str().unwrap().to_owned()
    }

    /// A lifecycle, and a type of agents that has it.
    #[track_caller]
    fn definitions(&self) {
        let lifecycle = json!({"description": self.say("definition"), "ttl": "8h",
            "consolidation_threshold": 1});
        let agent_type = json!({"description": self.say("definition"), "lifecycle": "furniture",
            "inject": {"exclude_query_keys": [self.say("definition")]}});
        for (operation, definition) in
            [("lifecycle.set", lifecycle), ("agent.type.set", agent_type)]
        {
            self.scene.run(operation, &json!({"slug": "furniture", "definition": definition}));
        }
    }

    /// A session that was given something, says what it works on, and wrote something.
    #[track_caller]
    fn session(&self) -> String {
        let chunk = json!({
            "chunk_type": "convention", "project": self.project, "title": self.say("title"),
            "content": self.say("content"), "audience": {"rules": [{"all": true}]},
        });
        self.scene.run("chunk.write", &chunk);
        let start = json!({"agent": self.say("agent"), "project": self.project});
        let session = self.scene.run("session.start", &start)["session_id"].clone();
        let focus = json!({
            "session": session, "agent": self.say("agent"), "task": self.say("focus"),
            "tags": [self.say("tags")],
        });
        self.scene.run("session.focus", &focus);
        let memory = json!({
            "session": session, "agent": self.say("agent"), "chunk_type": "memory",
            "title": self.say("title"), "content": self.say("content"),
        });
        self.scene.run("chunk.write", &memory);
        session.as_str().unwrap().to_owned()
    }

    /// Ends a session, which leaves something to decide.
    #[track_caller]
    fn end(&self, session: &str) {
        let end = json!({"session": session, "agent": self.say("agent")});
        self.scene.run("session.end", &end);
    }

    fn say(&self, field: &str) -> String {
        self.said.borrow_mut().insert(field.to_owned());
        (self.words)(field)
    }

    #[track_caller]
    fn task(&self, more: Value) -> String {
        let mut arguments = json!({
            "title": self.say("title"),
            "project": self.project,
            "status": "ready",
        });
        extend(&mut arguments, more);
        self.scene.add(&arguments)
    }

    /// Claims a task for the agent with the words.
    #[track_caller]
    fn claim(&self, task: &str) {
        let claim = json!({"task": task, "agent": self.say("agent"), "lease": "1h"});
        self.scene.run("task.claim", &claim);
    }

    /// Does something as the agent that holds the task.
    #[track_caller]
    fn act(&self, operation: &str, task: &str, more: Value) {
        let mut arguments = json!({"task": task, "author": self.say("agent")});
        extend(&mut arguments, more);
        self.scene.run(operation, &arguments);
    }

    /// The project, a key, and who may not do what.
    #[track_caller]
    fn frame(&self) {
        let project = json!({
            "name": self.project,
            "description": self.say("description"),
            "repo": self.say("repo"),
            "author": self.say("author"),
        });
        self.scene.run("project.create", &project);
        for owner in ["agent", "person"] {
            let owner = format!("{owner}:{}", self.say("for"));
            let key = json!({"for": owner, "role": "worker", "author": self.say("author")});
            self.scene.run("key.create", &key);
        }
    }

    /// One task with everything.
    #[track_caller]
    fn everything(&self) -> String {
        let first = self.task(json!({}));
        let task = self.task(json!({
            "description": self.say("description"),
            "tags": [self.say("tags"), "iron"],
            "links": [self.say("links"), "https://example.org/plan"],
            "metadata": {self.say("metadata key"): self.say("metadata"), "deep": {"list": [self.say("metadata")]}},
            "priority": 3,
            "due": "2020-01-01",
            "depends_on": [first],
            "comment": self.say("comment"),
            "author": self.say("author"),
        }));
        let comment = json!({"task": task, "text": self.say("text"), "author": self.say("author")});
        self.scene.run("task.comment", &comment);
        self.claim(&first);
        self.act("task.complete", &first, json!({"comment": self.say("comment")}));
        self.claim(&task);
        let data = json!({self.say("data key"): self.say("data")});
        let checkpoint = json!({"name": self.say("name"), "data": data, "progress": 40});
        self.act("task.checkpoint", &task, checkpoint);
        task
    }

    /// Tasks in every column. Answers which one was stolen.
    #[track_caller]
    fn columns(&self, parent: &str) -> String {
        self.task(json!({"status": "backlog", "tags": [self.say("tags")]}));
        self.task(json!({"agent": self.say("agent"), "parent": parent}));
        let blocked = self.task(json!({"depends_on": [parent]}));
        self.act("task.block", &blocked, json!({"comment": self.say("comment")}));
        let archived = self.task(json!({}));
        self.act("task.archive", &archived, json!({"comment": self.say("comment")}));
        let stolen = self.task(json!({}));
        self.claim(&stolen);
        let steal =
            json!({"task": stolen, "agent": "thief", "force": true, "reason": self.say("reason")});
        self.scene.run("task.steal", &steal);
        stolen
    }

    /// What agents hand to each other. Answers which task waits for another one.
    #[track_caller]
    fn workflows(&self) -> String {
        let paused = self.task(json!({}));
        self.claim(&paused);
        let delegate = json!({
            "from": paused,
            "title": self.say("title"),
            "checkpoint": self.say("checkpoint"),
            "pause_parent": true,
            "agent": self.say("agent"),
            "author": self.say("agent"),
        });
        self.scene.run("workflow.run.delegate", &delegate);
        let task = self.task(json!({}));
        self.claim(&task);
        let handoff = json!({
            "from": task,
            "title": self.say("title"),
            "project": self.project,
            "author": self.say("agent"),
        });
        self.scene.run("workflow.run.handoff", &handoff);
        paused
    }

    /// A hook that nobody hears, sent once. Answers which delivery that was.
    #[track_caller]
    fn outbox(&self) -> String {
        let hook = json!({
            "name": format!("on-done-{}", self.project),
            "on": "on_done",
            "command": ["/bin/false", self.say("command")],
            "project": [self.project],
            "max_attempts": 1,
            "author": self.say("author"),
        });
        self.scene.run("hook.set", &hook);
        let other = json!({
            "name": format!("on-blocked-{}", self.project),
            "on": "on_blocked",
            "url": "http://127.0.0.1:9/",
            "header": [format!("X-Note: {}", self.say("header"))],
            "tag": [self.say("tag")],
        });
        self.scene.run("hook.set", &other);
        let task = self.task(json!({}));
        self.claim(&task);
        self.act("task.complete", &task, json!({}));
        let _done = self.scene.home.windlass(&["hook", "drain"]).run();
        let sent = self.scene.run("hook.list", &json!({"state": "all", "task": task}));
        sent["deliveries"][0]["delivery_id"].as_str().unwrap().to_owned()
    }
}

fn extend(arguments: &mut Value, more: Value) {
    let Value::Object(more) = more else { panic!("no object: {more}") };
    arguments.as_object_mut().map(|arguments: &mut Map<_, _>| arguments.extend(more)).unwrap();
}
