//! The form that changes what a chunk says: its next version, if nobody made one meanwhile.

use maud::{Markup, html};
use windlass_domain::chunk::ChunkType;
use windlass_domain::chunk::state::Visibility;
use windlass_ops::chunk::view::ChunkView;

use super::does;
use super::facts::pretty;
use super::fields::fields;

/// Parts that are taken away when they are left empty.
const MAY_BE_EMPTY: [&str; 4] = ["tags", "gotchas", "related", "audience"];

pub(super) fn edit(chunk: &ChunkView, of: Option<&ChunkType>) -> Markup {
    html! {
        details.fold #edit {
            summary { "Edit" }
            (does("chunk.update", chunk.chunk_id, "head", html! {
                input type="hidden" name="if_version" value=(chunk.version);
                input type="hidden" name="lines" value="gotchas";
                @for part in MAY_BE_EMPTY { input type="hidden" name="empty" value=(part); }
                @for field in of.into_iter().flat_map(|of| &of.fields) {
                    input type="hidden" name="empty" value={ "field." (field.name) };
                }
                label.field { span { "Title" } input name="title" value=(chunk.title) required maxlength="128"; }
                label.field {
                    span { "What it says, in Markdown" }
                    textarea name="content" rows="14" required { "\n" (chunk.content) }
                }
                @if let Some(of) = of { (fields(of, |field| chunk.fields.get(&field.name).cloned().unwrap_or_default())) }
                label.field { span { "Tags, with commas between" } input name="tags" value=(chunk.tags.join(", ")); }
                label.field {
                    span { "What is easily got wrong, a line each" }
                    textarea name="gotchas" rows="3" { "\n" (chunk.gotchas.join("\n")) }
                }
                label.field { span { "Keys of others that belong to it, with commas between" } input name="related" value=(chunk.related.join(", ")); }
                label.field {
                    span { "Whom it is given to, as JSON; empty for whom its type says" }
                    textarea.mono name="audience" rows="3" { "\n" @if let Some(rules) = &chunk.audience { (pretty(rules)) } }
                }
                div.line-up {
                    label.field {
                        span { "Visibility" }
                        select name="visibility" {
                            @for visibility in Visibility::ALL {
                                option value=(visibility.as_str()) selected[*visibility == chunk.visibility] { (visibility.as_str()) }
                            }
                        }
                    }
                    label.field { span { "Why it is changed" } input name="note" autocomplete="off"; }
                }
                div.line-up { button.first { "Save as version " (chunk.version + 1) } }
            }))
        }
    }
}
