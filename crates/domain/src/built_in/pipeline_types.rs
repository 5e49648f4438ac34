//! The ten chunk types of the development pipeline: its work item, the artifact of each stage, and
//! what comes in from outside.

use super::chunk_types::chunk_type;
use super::slugs;
use crate::chunk::audience::{Audience, Predicate, Rule};
use crate::chunk::chunk_type::Consolidation;
use crate::chunk::condition::Conditions;
use crate::chunk::template::Template;
use crate::chunk::{ChunkType, Field, FieldKind, Scope};

/// The stages a spec rests at, in their order.
const STAGES: &[&str] =
    &["new", "researched", "planned", "implemented", "verified", "packaged", "deployed"];

pub(super) fn pipeline() -> Vec<ChunkType> {
    vec![
        spec(),
        artifact("dev_research", "Research of a spec", &["dev_researcher"]).needing(&[
            ("What exists", "the code and context as they are"),
            ("What must change", "the gaps, without saying how to close them"),
        ]),
        artifact("dev_plan", "Plan of a spec", &["dev_planner"]).needing(&[
            ("Phases", "the steps, in order"),
            ("Acceptance criteria", "for each phase, what must hold at its end"),
            ("Test coverage", "which tests are expected"),
        ]),
        artifact("dev_implementation", "Implementation of a plan", &["dev_coder"]).needing(&[
            ("Pull request", "its address"),
            ("Changes", "what was changed, in short"),
            ("Files", "which files were modified"),
            ("Tests", "what they cover"),
        ]),
        artifact("dev_verification", "Verification of an implementation", &["dev_qa"])
            .needing(&[("Criteria", "for each criterion: passed or failed, and the evidence")]),
        artifact("dev_rejection", "Why work was sent back", &["dev_qa", "dev_delivery"]).needing(
            &[
                ("What failed", "as it was seen"),
                ("Why", "what was expected instead"),
                ("Root cause", "where it comes from"),
                ("Recommendation", "what to do about it"),
            ],
        ),
        package(),
        artifact("dev_deployment", "Deployment of a release", &["dev_delivery"]).needing(&[
            ("Environment", "where it runs"),
            ("Version", "what runs there"),
            ("Time", "since when"),
        ]),
        incident(),
        artifact("dev_rollback", "A deployment that was reverted", &["dev_operations"]).needing(&[
            ("Deployment", "the one that was reverted"),
            ("Incident", "the one it was reverted for"),
        ]),
    ]
}

/// The work item: its status says how far it has come.
fn spec() -> ChunkType {
    let statuses: Vec<&str> = STAGES.iter().copied().chain(["blocked"]).collect();
    let creators = &["dev_assistant", "dev_researcher", "dev_operations"];
    ChunkType {
        fields: vec![
            Field::one_of("status", &statuses).always("new").described("how far it has come"),
            Field::one_of("priority", &["critical", "high", "medium", "low"]).always("medium"),
            Field::new("blocked_reason", FieldKind::Text).described("why it is blocked"),
            Field::one_of("previous_status", STAGES).described("where it returns to"),
            Field::new("ticket_url", FieldKind::Url).described("its ticket elsewhere"),
        ],
        ..artifact("dev_spec", "A work item: what is wanted, and when it is done", creators)
    }
}

/// A release that waits for a person is put before the assistant, who tells one.
fn package() -> ChunkType {
    let package = artifact("dev_package", "A release with all it includes", &["dev_delivery"]);
    let states = &["pending", "merged", "deployed", "abandoned"];
    ChunkType {
        fields: vec![Field::one_of("state", states).always("pending")],
        audience: aimed_at("dev_assistant", "pending"),
        ..package.needing(&[
            ("Items", "everything that is included"),
            ("Specs", "their specs"),
            ("Pull request", "the address of the release's"),
        ])
    }
}

/// Something that goes wrong in production is put before operations while it lasts.
fn incident() -> ChunkType {
    let incident = artifact("dev_incident", "An issue in production", &["dev_operations"]);
    ChunkType {
        fields: vec![
            Field::one_of("state", &["active", "mitigated", "resolved"]).always("active"),
            Field::one_of("severity", &["critical", "normal"]).always("normal"),
        ],
        audience: aimed_at("dev_operations", "active"),
        ..incident
    }
}

/// Agents of a type, as long as the chunk is in a state.
fn aimed_at(agent_type: &str, state: &str) -> Audience {
    let rule = Rule::asking(Predicate::AgentTypes, &[agent_type]);
    Audience { rules: vec![Rule { fields: Conditions::is("state", state), ..rule }] }
}

/// A chunk of a project that agents of some types create.
fn artifact(slug: &'static str, description: &str, creators: &[&'static str]) -> ChunkType {
    let base = chunk_type(slug, slug, description, Scope::Project, Consolidation::Keep);
    ChunkType { creators: slugs(creators), ..base }
}

impl ChunkType {
    /// The same type, whose content needs these headings.
    fn needing(self, headings: &[(&str, &str)]) -> Self {
        Self { template: Template::new(headings), ..self }
    }
}
