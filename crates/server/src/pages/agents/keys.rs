//! Who holds a key, and what callers were refused: for whoever may know.

use maud::{Markup, html};
use windlass_domain::Code;
use windlass_domain::key::State;
use windlass_ops::key::{KeyView, List, Listed, Refusals, Shown};

use super::super::Visit;
use super::super::look::{self, empty, panel};
use super::super::trouble::Trouble;

/// Refusals that are shown.
const REFUSALS: u64 = 30;
const BACK: &str = "/agents#keys";

/// The panels of keys and refusals, or why they are not shown.
pub(super) async fn panels(visit: &Visit) -> Result<Markup, Trouble> {
    let keys = match visit.ask(List { all: true }).await {
        Ok(keys) => keys,
        Err(Trouble(body)) if body.code == Code::NotAllowed => {
            return Ok(panel("keys", "Keys", None, empty("Keys are shown to admins.")));
        }
        Err(trouble) => return Err(trouble),
    };
    let refusals = visit.ask(Refusals { limit: REFUSALS }).await?;
    let valid = keys.keys.iter().filter(|key| key.state == State::Valid).count();
    Ok(html! {
        (panel("keys", "Keys", Some(valid as u64), html! { (table(visit, &keys)) (form(visit)) }))
        (panel("refusals", "Refused lately", None, refused(visit, &refusals)))
    })
}

fn table(visit: &Visit, listed: &Listed) -> Markup {
    let (valid, over): (Vec<&KeyView>, Vec<&KeyView>) =
        listed.keys.iter().partition(|key| key.state == State::Valid);
    html! {
        @if valid.is_empty() {
            (empty("There are no keys. On this machine none are needed; others come in with one."))
        } @else { (rows(visit, &valid)) }
        @if !over.is_empty() {
            details.fold #keys-over {
                summary { (over.len()) " expired or revoked" }
                (rows(visit, &over))
            }
        }
    }
}

fn rows(visit: &Visit, keys: &[&KeyView]) -> Markup {
    html! {
        div.table {
            table.stacks {
                thead { tr { th { "Key" } th { "For" } th { "Role" } th { "Projects" } th { "Made" } th { "Expires" } th { "State" } th { span.unseen { "What to do" } } } }
                tbody { @for key in keys { (row(visit, key)) } }
            }
        }
    }
}

fn row(visit: &Visit, key: &KeyView) -> Markup {
    let now = visit.now;
    html! {
        tr.middle {
            td.nowrap { code { (key.prefix) "…" } }
            td data-label="For" { (key.owner) }
            td data-label="Role" { (key.role) }
            td data-label="Projects" { @if key.projects.is_empty() { span.soft { "all" } } @else { (key.projects.join(", ")) } }
            td.nowrap data-label="Made" {
                (look::time(key.created_at, now))
                @if let Some(at) = key.rotated_at { br; span.soft.small { "rotated " (look::time(at, now)) } }
            }
            td.nowrap data-label="Expires" { @match key.expires_at { Some(at) => { (look::time(at, now)) } None => { span.soft { "never" } } } }
            td.nowrap data-label="State" { (state(key)) }
            td.actions { @if key.state == State::Valid { (actions(key)) } }
        }
    }
}

fn state(key: &KeyView) -> Markup {
    let class = match key.state {
        State::Valid => "chip good",
        State::Expired => "chip",
        State::Revoked => "chip bad",
    };
    html! { span class=(class) { (key.state.as_str()) } }
}

fn actions(key: &KeyView) -> Markup {
    html! {
        details.fold.change id={ "key-" (key.key_id) } {
            summary { "Change" }
            div.stack {
                form.stack method="post" action="/do/key.rotate" {
                    input type="hidden" name="key" value=(key.prefix);
                    input type="hidden" name="back" value=(BACK);
                    input type="hidden" name="show" value="1";
                    p.small.soft { "Another text for the same key; the old one opens nothing any more." }
                    button { "Rotate" }
                }
                form.stack method="post" action="/do/key.revoke" {
                    input type="hidden" name="key" value=(key.prefix);
                    input type="hidden" name="back" value=(BACK);
                    label.field { span { "Why" } input name="reason" autocomplete="off"; }
                    button.grave { "Revoke for good" }
                }
            }
        }
    }
}

fn form(visit: &Visit) -> Markup {
    html! {
        details.fold #new-key {
            summary { "Make a key" }
            form.stack.new-key method="post" action="/do/key.create" {
                input type="hidden" name="back" value=(BACK);
                input type="hidden" name="show" value="1";
                label.field {
                    span { "For whom" }
                    input name="for" required placeholder="agent:worker-1 or person:ada" autocomplete="off";
                }
                label.field {
                    span { "Role" }
                    select name="role" {
                        option value="worker" { "worker: reads, and works on tasks" }
                        option value="reviewer" { "reviewer: the same, as somebody who reviews" }
                        option value="approver" { "approver: also says yes or no (persons only)" }
                        option value="admin" { "admin: everything (persons only)" }
                    }
                }
                label.field {
                    span { "Projects it may change; empty: all" }
                    input name="project" list="all-projects" autocomplete="off";
                }
                label.field {
                    span { "How long it holds; empty: for ever" }
                    input name="expires" placeholder="30d" autocomplete="off";
                }
                datalist #all-projects { @for name in &visit.projects { option value=(name) {} } }
                p.small.soft { "Its text is shown once, on the next page." }
                div { button.first { "Make the key" } }
            }
        }
    }
}

fn refused(visit: &Visit, shown: &Shown) -> Markup {
    html! {
        @if shown.refusals.is_empty() { (empty("Nothing was refused to callers of the server.")) } @else {
            div.table {
                table.stacks {
                    thead { tr { th { "Operation" } th { "Key" } th { "Why" } th { "When" } } }
                    tbody {
                        @for refusal in &shown.refusals {
                            tr {
                                td { code { (refusal.operation) } }
                                td.wide data-label="Key" {
                                    @if let Some(owner) = &refusal.owner { (owner) " " }
                                    @if let Some(prefix) = &refusal.prefix { code.soft { (prefix) "…" } }
                                    @else { span.soft { "none" } }
                                }
                                td.wide data-label="Why" { (refusal.message) " " code.soft { (refusal.code) } }
                                td.nowrap data-label="When" { (look::time(refusal.at, visit.now)) }
                            }
                        }
                    }
                }
            }
            @if shown.has_more { p.soft { "More: " code { "windlass key refusals" } } }
        }
    }
}
