//! Every tool of Hizal's that has a meaning here, and the two that the development pipeline adds.
//!
//! Whose key it is that calls is known without any field: `agent_id` says whose chunks are meant, never
//! who asks, and there is one organisation, whatever `org_id` says.

use rmcp::model::JsonObject;
use serde_json::{Map, Value};
use windlass_domain::chunk::Scope;
use windlass_domain::{Code, Refusal, built_in};

use super::field::Field;
use super::shapes;
use super::tool::{Also, Tool, Usual, needs};

const ID: Field = Field::called("id", "chunk", "Of the chunk, or its query key").needed();
const PROJECT: Field = Field::called("project_id", "project", "The project, by its name");
const TYPE: Field = Field::same("chunk_type", "Such as knowledge").word();
const TYPES: Field = Field::called("chunk_type", "chunk_types", "Only of this type").words();
const SCOPE: Field = Field::same("scope", "PROJECT, AGENT or ORG").word();
const OWNER: Field = Field::called("agent_id", "owner", "The agent whose it is; you by default");
const KEPT_BY: Field =
    Field::called("agent_id", "owner", "Only what this agent keeps for itself: you").agent();
const ORG: Field = Field::idle("org_id", "Not needed: there is one organisation");
const LIMIT: Field = Field::same("limit", "");
const AUDIENCE: Field =
    Field::called("inject_audience", "audience", "Who is given it: {\"rules\": […]}").json();
const CUSTOM: Field = Field::called("custom_fields", "fields", "Fields of its type").json();
const TAGS: Field = Field::same("tags", "Words to find it by");
const SESSION: Field = Field::called("session_id", "session", "").needed();
/// Where the chunk says by itself whose it is.
const ANY_PROJECT: Field = Field::idle("project_id", "Not needed: the chunk is known by its id");

const SAID: &[Field] = &[
    Field::same("query_key", "The name it is read by").needed(),
    Field::same("title", "One line").needed(),
    Field::same("content", "Markdown").needed(),
];

/// What can be said of every chunk.
const PARTS: &[Field] = &[
    AUDIENCE,
    Field::same("source_file", "The file it is from"),
    Field::same("source_lines", "The first and the last line"),
    Field::same("gotchas", "What a reader would get wrong"),
    Field::same("related", "Query keys of others"),
    Field::same("visibility", "private or public"),
];

const SOUGHT: &[Field] = &[
    Field::called("query", "question", "In words").needed(),
    Field::called("project_id", "project", "Only of this project"),
    SCOPE,
    KEPT_BY,
    ORG,
    TYPES,
    LIMIT,
];

const TOOL: Tool = Tool {
    name: "",
    operation: "",
    about: "",
    fields: &[],
    usual: &[],
    settle: None,
    shape: Value::clone,
    also: None,
    instead: None,
};

/// A tool that writes a chunk.
const WRITE: Tool = Tool { operation: "chunk.write", shape: shapes::written, ..TOOL };

pub(crate) static TOOLS: [Tool; 25] = [
    Tool {
        name: "start_session",
        operation: "session.start",
        about: "Begin here: you are given what you need to know",
        fields: &[&[
            PROJECT,
            Field::called("lifecycle_slug", "lifecycle", "By default that of your type"),
        ]],
        shape: shapes::started,
        ..TOOL
    },
    Tool {
        name: "get_active_session",
        operation: "session.take",
        about: "Your session that goes on, if there is one, and what came up for it meanwhile",
        shape: shapes::active,
        also: Some(Also::GIVEN),
        instead: Some((Code::SessionNotFound, shapes::no_session)),
        ..TOOL
    },
    Tool {
        name: "resume_session",
        operation: "session.resume",
        about: "Come back to a session: its time begins anew, you are given its context again",
        fields: &[&[SESSION]],
        shape: shapes::resumed,
        ..TOOL
    },
    Tool {
        name: "register_focus",
        operation: "session.focus",
        about: "Say what you work on; what is aimed at that is given to you",
        fields: &[&[
            SESSION,
            Field::same("task", "A task's id, or a few words").needed(),
            Field::same("tags", "What it is about"),
        ]],
        shape: shapes::focused,
        ..TOOL
    },
    Tool {
        name: "end_session",
        operation: "session.end",
        about: "End a session; what it wrote comes up for a decision",
        fields: &[&[SESSION]],
        shape: shapes::ended,
        ..TOOL
    },
    Tool {
        name: "search_context",
        operation: "chunk.search",
        about: "Find chunks that answer a question, the best first",
        fields: &[
            SOUGHT,
            &[
                Field::called(
                    "always_inject_only",
                    "injected",
                    "Only what is injected to somebody",
                ),
                Field::same("query_key", "Only with this key"),
            ],
        ],
        usual: &[("full", Usual::Yes), ("explain", Usual::Yes)],
        shape: shapes::results,
        ..TOOL
    },
    Tool {
        name: "read_context",
        operation: "chunk.show",
        about: "Read a chunk by its id, or by its query key and project",
        fields: &[&[
            Field::called("id", "chunk", ""),
            Field::called("query_key", "chunk", "In place of the id"),
            Field::called("project_id", "project", "Whose the query key is"),
        ]],
        settle: Some(named_once),
        shape: shapes::read,
        also: Some(Also::VERSIONS),
        ..TOOL
    },
    Tool {
        name: "write_chunk",
        about: "Write a chunk of any type",
        fields: &[
            &[Field::called("type", "chunk_type", "Such as decision or dev_plan").word().needed()],
            SAID,
            &[PROJECT, OWNER, ORG, SCOPE, CUSTOM, TAGS],
            PARTS,
        ],
        settle: Some(of_its_scope),
        ..WRITE
    },
    Tool {
        name: "update_context",
        operation: "chunk.update",
        about: "Change a chunk: its next version",
        fields: &[
            &[
                ID,
                Field::called("change_note", "note", "Why").needed(),
                Field::same("title", ""),
                Field::same("content", "Markdown"),
                CUSTOM,
                TAGS,
                ANY_PROJECT,
            ],
            PARTS,
        ],
        shape: shapes::updated,
        ..TOOL
    },
    Tool {
        name: "get_context_versions",
        operation: "chunk.versions",
        about: "What a chunk said before, the newest first",
        fields: &[&[ID, LIMIT]],
        usual: &[("full", Usual::Yes), ("limit", Usual::Number(10))],
        shape: shapes::versions,
        ..TOOL
    },
    Tool {
        name: "list_chunks",
        operation: "chunk.list",
        about: "List chunks: exactly those that are asked for, without what they say",
        fields: &[&[
            Field::called("chunk_type", "type", "Such as dev_spec").word(),
            Field::called(
                "custom_fields",
                "fields",
                "Only with these values; of a list any will do",
            )
            .json(),
            Field::same("sort", "By a field of the type, created or updated; - turns it round"),
            PROJECT,
            SCOPE,
            KEPT_BY,
            ORG,
            Field::same("tags", "Only with all of these"),
            Field::same("linked_to", "Only that point to this"),
            Field::same("created_after", "A time"),
            Field::same("updated_after", "A time"),
            LIMIT,
            Field::same("cursor", "next_cursor of the last answer"),
        ]],
        shape: shapes::listed,
        ..TOOL
    },
    Tool {
        name: "link_chunks",
        operation: "chunk.link",
        about: "Point a chunk to what it is based on, with the reason",
        fields: &[&[
            Field::called("from_id", "chunk", "The newer one: its id or query key").needed(),
            Field::called("to_id", "to", "A chunk, or task:ID, run:ID, commit:NAME").needed(),
            Field::same("reason", "").needed(),
        ]],
        shape: shapes::linked,
        ..TOOL
    },
    Tool {
        name: "review_context",
        operation: "chunk.review",
        about: "Say how useful and how right a chunk is, and what should be done",
        fields: &[&[
            Field::called("chunk_id", "chunk", "").needed(),
            Field::same("usefulness", "1 to 5").needed(),
            Field::same("correctness", "1 to 5").needed(),
            Field::same("action", "useful, needs_update, outdated or incorrect").needed(),
            Field::same("task", "What you were doing"),
            Field::same("usefulness_note", ""),
            Field::same("correctness_note", ""),
            ANY_PROJECT,
        ]],
        shape: shapes::reviewed,
        ..TOOL
    },
    Tool {
        name: "delete_context",
        operation: "chunk.delete",
        about: "Delete a chunk that nothing points to",
        fields: &[&[ID, ANY_PROJECT]],
        shape: shapes::deleted,
        ..TOOL
    },
    Tool {
        name: "compact_context",
        operation: "chunk.search",
        about: "Gather what is known about something, to write it anew in fewer chunks",
        fields: &[SOUGHT],
        usual: &[("full", Usual::Yes), ("explain", Usual::Yes), ("limit", Usual::Number(50))],
        shape: shapes::compacted,
        ..TOOL
    },
    Tool {
        name: "write_memory",
        about: "Keep something in mind: nobody but you and people can read it",
        fields: &[SAID, &[OWNER], PARTS],
        usual: &[("chunk_type", Usual::Text(built_in::MEMORY))],
        ..WRITE
    },
    Tool {
        name: "write_identity",
        about: "Say who you are and how you work; every session of yours is given it",
        fields: &[SAID, &[OWNER], PARTS],
        usual: &[("chunk_type", Usual::Text(built_in::IDENTITY))],
        ..WRITE
    },
    Tool {
        name: "write_knowledge",
        about: "Write how something is in a project",
        fields: &[&[PROJECT.needed()], SAID, PARTS],
        usual: &[("chunk_type", Usual::Text("knowledge"))],
        ..WRITE
    },
    Tool {
        name: "write_convention",
        about: "Write how things are done in a project; its sessions are given it",
        fields: &[&[PROJECT.needed()], SAID, PARTS],
        usual: &[("chunk_type", Usual::Text("convention"))],
        ..WRITE
    },
    Tool {
        name: "write_org_knowledge",
        about: "Write how something is everywhere",
        fields: &[&[ORG], SAID, PARTS],
        usual: &[("chunk_type", Usual::Text("knowledge")), ("scope", Usual::Text("org"))],
        ..WRITE
    },
    Tool {
        name: "store_principle",
        about: "For people: write what holds everywhere; every session is given it",
        fields: &[
            &[
                ORG,
                Field::called("promoted_by_user_id", "tags", "Who decided it: your own name")
                    .promoted_by()
                    .needed(),
            ],
            SAID,
            PARTS,
        ],
        usual: &[("chunk_type", Usual::Text("principle"))],
        ..WRITE
    },
    Tool {
        name: "write_context",
        about: "Write a chunk in a project; better use the tool of its type",
        fields: &[&[PROJECT.needed()], SAID, &[TYPE, SCOPE, OWNER, ORG], PARTS],
        usual: &[("chunk_type", Usual::Text("knowledge"))],
        settle: Some(of_its_scope),
        ..WRITE
    },
    Tool {
        name: "list_projects",
        operation: "project.list",
        about: "List the projects",
        shape: shapes::projects,
        ..TOOL
    },
    Tool {
        name: "create_project",
        operation: "project.create",
        about: "Make a project",
        fields: &[&[
            Field::called("slug", "name", "What it is called, if its name is not a plain word"),
            Field::same("name", "A plain word").needed(),
            Field::same("description", ""),
        ]],
        shape: shapes::created_project,
        ..TOOL
    },
    Tool {
        name: "list_agents",
        operation: "agent.status",
        about: "List the agents",
        shape: shapes::agents,
        ..TOOL
    },
];

/// A chunk is known by its id, whatever project is given with it; a query key is not.
fn named_once(given: &JsonObject, arguments: &mut Map<String, Value>) -> Result<(), Refusal> {
    if given.contains_key("id") {
        arguments.remove("project");
    }
    match arguments.contains_key("chunk") {
        true => Ok(()),
        false => Err(needs("read_context", &["id"])),
    }
}

/// Hizal wants a project for every chunk; here one that is an agent's or everybody's has none.
#[expect(clippy::unnecessary_wraps, reason = "others that stand in its place refuse")]
fn of_its_scope(_given: &JsonObject, arguments: &mut Map<String, Value>) -> Result<(), Refusal> {
    let text = |name: &str| arguments.get(name).and_then(Value::as_str);
    let usual = |slug: &str| {
        let types = built_in::chunk_types();
        types.into_iter().find(|known| known.slug.as_str() == slug).map(|known| known.scope)
    };
    let scope = match text("scope") {
        Some(given) => Scope::from_text(given),
        None => text("chunk_type").and_then(usual),
    };
    if scope.is_some_and(|scope| scope != Scope::Project) {
        arguments.remove("project");
    }
    Ok(())
}
