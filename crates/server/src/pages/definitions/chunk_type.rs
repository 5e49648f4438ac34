//! Chunk types on their pages.

use maud::{Markup, html};
use windlass_domain::chunk::chunk_type::Consolidation;
use windlass_domain::chunk::{ChunkType, Field};
use windlass_ops::definition::DefinitionView;

use super::super::look::{address, panel};
use super::super::sessions::part::Part;
use super::draft::{plain, pretty};
use super::editor::EDITOR;
use super::{OnPages, words};

impl OnPages for ChunkType {
    const PART: Part = Part::ChunkTypes;
    const ABOUT: &'static str = "What chunks of a kind have in common";

    fn facts(&self) -> Markup {
        let chunks = address("/chunks", &[("type", self.slug.as_str())]);
        html! {
            (panel("said", "How its chunks are kept", None, html! {
                dl.facts {
                    dt { "Scope" } dd { (self.scope) }
                    dt { "Who creates it" } dd { (words(&self.creators, "everybody")) }
                    dt { "When a session ends" } dd { @match self.consolidation {
                        Consolidation::Keep => { "they stay" }
                        Consolidation::Surface => { "somebody decides what becomes of them" }
                    } }
                }
                p.below { a href=(chunks) { "Its chunks" } }
            }))
            (panel("fields", "Fields", Some(self.fields.len() as u64), fields(&self.fields)))
            (panel("template", "What its content needs", None, html! {
                @if self.template.headings.is_empty() { p.soft { "Nothing in particular." } } @else {
                    dl.facts { @for heading in &self.template.headings {
                        dt { (heading.title) } dd { (heading.asks.as_deref().unwrap_or("something")) }
                    } }
                }
            }))
            (panel("audience", "Whom it is injected to", None, html! {
                @if self.audience.rules.is_empty() { p.soft { "Nobody unasked: it is found by searching, or a lifecycle chooses it." } } @else {
                    pre tabindex="0" { (pretty(&self.audience)) }
                }
            }))
        }
    }

    fn another() -> Markup {
        html! { p.below { a.button.first href=(EDITOR) { "Make a chunk type" } } }
    }

    fn change(view: &DefinitionView) -> Markup {
        html! { a.button.first href=(address(EDITOR, &[("type", &view.slug)])) { "Change it" } }
    }
}

fn fields(fields: &[Field]) -> Markup {
    html! {
        @if fields.is_empty() { p.soft { "None beside what every chunk has." } } @else {
            div.table {
                table.stacks {
                    thead { tr { th { "Field" } th { "Type" } th { "Default" } th { "Values, in order" } th { "What it is" } } }
                    tbody { @for field in fields { tr {
                        td { code { (field.name) } @if field.required { " " span.chip { "required" } } }
                        td.nowrap data-label="Type" { (field.kind.as_str().replace('_', " ")) }
                        td data-label="Default" { @if let Some(default) = &field.default { code { (plain(default)) } } }
                        td.wide data-label="Values" { @if !field.values.is_empty() { (words(&field.values, "")) } }
                        td.wide data-label="What it is" { @if let Some(description) = &field.description { (description) } }
                    } } }
                }
            }
        }
    }
}
