//! How long a chunk holds: the forms that pin it, let it expire, supersede or delete it.

use maud::{Markup, html};
use windlass_ops::chunk::view::ChunkView;

use super::does;

/// What can be done about it.
pub(super) fn keeping(chunk: &ChunkView, me: &str) -> Markup {
    html! {
        section.panel #act data-live {
            h2 { "Act" span.soft { "as " (me) } }
            div.acts {
                (pin(chunk))
                (expire(chunk))
                @if chunk.superseded.is_none() { (supersede(chunk)) }
                (delete(chunk))
            }
        }
    }
}

fn pin(chunk: &ChunkView) -> Markup {
    let (operation, name) = match chunk.pinned {
        true => ("chunk.unpin", "Unpin it"),
        false => ("chunk.pin", "Pin it"),
    };
    let inside = html! {
        div.line-up { button { (name) } }
        @if !chunk.pinned { p.small.soft { "Then it does not expire, and is found first." } }
    };
    does(operation, chunk.chunk_id, "head", inside)
}

fn expire(chunk: &ChunkView) -> Markup {
    html! {
        details.fold #do-expire {
            summary { "Say until when it holds" }
            (does("chunk.expire", chunk.chunk_id, "facts", html! {
                label.field {
                    span { "30d from now, until 2026-11-15, or never" }
                    input name="until" required autocomplete="off";
                }
                div.line-up { button { "Set" } }
            }))
        }
    }
}

fn supersede(chunk: &ChunkView) -> Markup {
    html! {
        details.fold #do-supersede {
            summary { "Supersede it" }
            (does("chunk.supersede", chunk.chunk_id, "head", html! {
                label.field {
                    span { "With the chunk that holds now, by its key or id" }
                    input name="with" required autocomplete="off";
                }
                label.field { span { "Why" } input name="reason" required autocomplete="off"; }
                div.line-up { button { "Supersede" } }
            }))
        }
    }
}

/// Its page is gone with it, so the form leads to the others.
fn delete(chunk: &ChunkView) -> Markup {
    html! {
        details.fold #do-delete {
            summary { "Delete it" }
            form.stack method="post" action="/do/chunk.delete" {
                input type="hidden" name="chunk" value=(chunk.chunk_id);
                input type="hidden" name="back" value="/chunks";
                p.small.soft { "It is shown nowhere any more; its events stay in the log." }
                label.field { span { "Why nobody needs it" } input name="reason" autocomplete="off"; }
                div.line-up { button.grave { "Delete" } }
            }
        }
    }
}
