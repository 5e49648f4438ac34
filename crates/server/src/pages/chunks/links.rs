//! What a chunk points to and what points to it, with the reasons, and the forms that change that.

use maud::{Markup, html};
use windlass_domain::chunk::link::End;
use windlass_ops::chunk::view::LinkView;
use windlass_ops::chunk::{ChunkBrief, Shown};

use super::super::look::{self, chunk_path, empty};
use super::{does, type_chip};

/// The links in both directions.
pub(super) fn links(shown: &Shown) -> Markup {
    let id = shown.chunk.chunk_id;
    let count = shown.chunk.links.len() + shown.incoming.len();
    html! {
        section.panel #links {
            div #links-now data-live {
                h2.under-it { "Links" span.soft.numeric { (count) } }
                @if count == 0 {
                    (empty("Nothing is linked with it. Say below what it is based on, and why."))
                } @else {
                    p.small { a href={ (chunk_path(id)) "/chain" } { "All that it is based on, and all that is based on it" } }
                }
                @if !shown.chunk.links.is_empty() {
                    h3 { "It is based on" }
                    ul.links { @for (at, link) in shown.chunk.links.iter().enumerate() { (outgoing(shown, at, link)) } }
                }
                @if !shown.incoming.is_empty() {
                    h3 { "Based on it" }
                    ul.links {
                        @for incoming in &shown.incoming {
                            li { (brief(&incoming.from)) @for reason in &incoming.reasons { p.soft { (reason) } } }
                        }
                    }
                }
            }
            (add(shown))
        }
    }
}

fn outgoing(shown: &Shown, at: usize, link: &LinkView) -> Markup {
    let known = shown.linked.iter().find(|other| link.to == End::Chunk(other.chunk_id));
    html! {
        li {
            @match known { Some(known) => (brief(known)), None => (end(&link.to)) }
            p.soft { (link.reason) }
            details.fold.small id={ "unlink-" (at) } {
                summary { "Take it back" }
                (does("chunk.unlink", shown.chunk.chunk_id, "links", html! {
                    input type="hidden" name="to" value=(link.to);
                    div.line-up {
                        label.field { span { "Why" } input name="reason" required autocomplete="off"; }
                        button { "Take every link to it back" }
                    }
                }))
            }
        }
    }
}

/// Another chunk, in short.
pub(super) fn brief(chunk: &ChunkBrief) -> Markup {
    html! {
        p { (look::chunk_title(chunk.chunk_id, &chunk.title)) " " (type_chip(chunk.chunk_type.as_str())) }
    }
}

/// What a link ends at that is no chunk, or none that the visitor may read.
fn end(to: &End) -> Markup {
    html! {
        p {
            @match to {
                End::Chunk(id) => { "chunk " span.id title=(id) { (id.short()) } span.soft { ", which is not there for you" } },
                End::Task(id) => { "task " (look::task_id(*id)) },
                End::Run(run) => { "run " (look::run_id(*run)) },
                End::Commit(name) => { "commit " code { (name) } },
            }
        }
    }
}

fn add(shown: &Shown) -> Markup {
    html! {
        details.fold #add-link {
            summary { "Link it with what it is based on" }
            (does("chunk.link", shown.chunk.chunk_id, "links", html! {
                label.field {
                    span { "A chunk by its key or id, or task:ID, run:ID, commit:NAME" }
                    input name="to" required autocomplete="off";
                }
                label.field { span { "Why" } input name="reason" required autocomplete="off"; }
                div.line-up { button { "Link" } }
            }))
        }
    }
}
