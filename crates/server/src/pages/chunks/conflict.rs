//! Somebody else changed a chunk while it was edited here: what it says now, beside what was typed.

use maud::{Markup, html};
use serde_json::Value;
use windlass_domain::{Code, Time};
use windlass_ops::chunk::Diff;
use windlass_ops::chunk::asker::Asker;

use super::super::Visit;
use super::super::form::Form;
use super::super::look;
use super::super::markdown::markdown;
use super::super::trouble::Trouble;
use super::diff::diff;

/// What happened to a chunk meanwhile.
#[derive(Debug)]
pub(in crate::pages) struct Meanwhile {
    version: u64,
    pub(in crate::pages) shown: Markup,
}

impl Meanwhile {
    /// What a refusal to overwrite tells, if it is one.
    pub(in crate::pages) async fn found(visit: &Visit, trouble: &Trouble) -> Option<Self> {
        let details = &trouble.0.details;
        let number = |name: &str| details.get(name).and_then(Value::as_u64);
        let text = |name: &str| details.get(name).and_then(Value::as_str);
        if trouble.0.code != Code::EditConflict {
            return None;
        }
        let (chunk, version, content) = (text("chunk")?, number("version")?, text("content")?);
        let since = Diff {
            chunk: chunk.to_owned(),
            from: number("expected").and_then(|version| u32::try_from(version).ok()),
            to: u32::try_from(version).ok(),
            asker: Asker::default(),
        };
        let changed = visit.ask(since).await.ok();
        let at = text("updated_at").and_then(|at| Time::parse("updated_at", at).ok());
        let shown = html! {
            section.panel #meanwhile {
                h2 { "What changed meanwhile" span.soft { "version " (version) } }
                p.soft {
                    @if let Some(author) = text("author") { "by " (author) }
                    @if let Some(at) = at { ", " (look::time(at, visit.now)) }
                }
                @if let Some(changed) = &changed { (diff(changed)) }
                details.fold #current open[changed.is_none()] {
                    summary { "All that it says now" }
                    div.prose { (markdown(content)) }
                }
                p { "Take over below what shall stay. Trying again puts your text in the place of version " (version) "." }
            }
        };
        Some(Self { version, shown })
    }

    /// The form of somebody who has seen that.
    pub(in crate::pages) fn caught_up(&self, form: Form) -> Form {
        let seen = |(name, value)| match name == "if_version" {
            true => (name, self.version.to_string()),
            false => (name, value),
        };
        Form(form.0.into_iter().map(seen).collect())
    }
}
