//! What can be done about a task: plain forms, each of which does one operation.

use maud::{Markup, html};
use windlass_domain::{Status, TaskId};
use windlass_ops::view::TaskView;

use super::look::{status_name, task_path};

/// A form that does one operation on a task, and leads back to a part of its page.
fn does(operation: &str, task: TaskId, part: &str, inside: Markup) -> Markup {
    html! {
        form.stack method="post" action={ "/do/" (operation) } {
            input type="hidden" name="task" value=(task);
            input type="hidden" name="back" value={ (task_path(task)) "#" (part) };
            (inside)
        }
    }
}

/// A form with a comment, folded away under what it does.
fn folded(operation: &str, task: TaskId, name: &str, asked: &str, more: Markup) -> Markup {
    html! {
        details.fold id={ "do-" (operation.replace('.', "-")) } {
            summary { (name) }
            (does(operation, task, "head", html! {
                (more)
                label.field { span { (asked) } textarea name="comment" rows="2" {} }
                div.line-up { button { (name) } }
            }))
        }
    }
}

fn nothing() -> Markup {
    html! {}
}

/// Everything that fits the status of a task.
pub(super) fn actions(task: &TaskView, me: &str) -> Markup {
    let id = task.task_id;
    html! {
        section.panel #act data-live {
            h2 { "Act" span.soft { "as " (me) } }
            div.acts {
                (first(task, me))
                @if matches!(task.status, Status::InProgress | Status::Blocked | Status::Ready) {
                    (folded("task.complete", id, "Complete", "A last comment", nothing()))
                }
                @if task.status == Status::InProgress {
                    (folded("task.release", id, "Release", "Why", nothing()))
                }
                @if matches!(task.status, Status::InProgress | Status::Ready | Status::Backlog) {
                    (folded("task.block", id, "Block", "What it waits for", nothing()))
                }
                @if task.status == Status::Blocked {
                    (folded("task.unblock", id, "Unblock", "What changed", html! {
                        label.check {
                            input type="checkbox" name="release" value="true";
                            span { "Give it to the pool instead of its owner" }
                        }
                    }))
                }
                @if task.status == Status::Done {
                    (folded("task.reopen", id, "Reopen", "Why", html! {
                        label.field {
                            span { "As" }
                            select name="status" {
                                option value="ready" { "Ready" }
                                option value="backlog" { "Backlog" }
                            }
                        }
                    }))
                }
                @if task.status == Status::Archived {
                    (folded("task.restore", id, "Restore", "Why", nothing()))
                } @else {
                    (reprioritise(task))
                    (set_status(task))
                    (folded("task.archive", id, "Archive", "Why", html! {
                        label.check {
                            input type="checkbox" name="cascade" value="true";
                            span { "Its open subtasks too" }
                        }
                    }))
                }
            }
        }
    }
}

/// What one would most likely want.
fn first(task: &TaskView, me: &str) -> Markup {
    let id = task.task_id;
    html! {
        @if task.claimable {
            (does("task.claim", id, "head", html! {
                input type="hidden" name="agent" value=(me);
                button.first { "Claim it" }
            }))
        }
        @if task.status == Status::Backlog {
            (does("task.set-status", id, "head", html! {
                input type="hidden" name="status" value="ready";
                button.first { "Make it ready" }
            }))
        }
    }
}

fn reprioritise(task: &TaskView) -> Markup {
    html! {
        details.fold #do-task-update {
            summary { "Reprioritise" }
            (does("task.update", task.task_id, "head", html! {
                div.line-up {
                    label.field {
                        span { "Priority" }
                        select name="priority" {
                            @for priority in 0..=3_u8 {
                                option value=(priority) selected[priority == task.priority] {
                                    (priority)
                                    @if priority == 0 { ", usual" }
                                    @if priority == 3 { ", first" }
                                }
                            }
                        }
                    }
                    button { "Set" }
                }
            }))
        }
    }
}

fn set_status(task: &TaskView) -> Markup {
    let others = Status::ALL.into_iter().filter(|status| {
        *status != task.status && !matches!(status, Status::Archived | Status::InProgress)
    });
    html! {
        details.fold #do-task-set-status {
            summary { "Set the status by hand" }
            (does("task.set-status", task.task_id, "head", html! {
                div.line-up {
                    label.field {
                        span { "Status; recorded as an override" }
                        select name="status" {
                            @for status in others {
                                option value=(status) { (status_name(status)) }
                            }
                        }
                    }
                    button { "Set" }
                }
            }))
        }
    }
}

/// A form to change the title and the description, folded away.
pub(super) fn edit(task: &TaskView) -> Markup {
    let full = task.full.as_ref();
    let standard = task.standard.as_ref();
    let description = full.and_then(|full| full.description.as_deref()).unwrap_or_default();
    let tags = standard.map(|standard| standard.tags.join(", ")).unwrap_or_default();
    let due = standard.and_then(|standard| standard.due_at).map(|due| due.to_string());
    html! {
        @if task.status != Status::Archived {
            details.fold #edit {
                summary { "Edit" }
                (does("task.update", task.task_id, "head", html! {
                    input type="hidden" name="empty" value="description";
                    input type="hidden" name="empty" value="tags";
                    input type="hidden" name="empty" value="due";
                    label.field {
                        span { "Title" }
                        input name="title" value=(task.title) required maxlength="128";
                    }
                    label.field {
                        span { "Description, in Markdown" }
                        textarea name="description" rows="10" { "\n" (description) }
                    }
                    div.line-up {
                        label.field {
                            span { "Tags, with commas between" }
                            input name="tags" value=(tags);
                        }
                        label.field {
                            span { "Due, such as 2026-11-15" }
                            input name="due" value=(due.unwrap_or_default());
                        }
                    }
                    div.line-up { button.first { "Save" } }
                }))
            }
        }
    }
}

/// A form to say something.
pub(super) fn add_comment(task: &TaskView) -> Markup {
    html! {
        (does("task.comment", task.task_id, "comments", html! {
            label.field {
                span { "Say something, in Markdown" }
                textarea name="text" rows="3" required {}
            }
            div.line-up { button.first { "Comment" } }
        }))
    }
}

/// A form to save a point of progress, folded away.
pub(super) fn add_checkpoint(task: &TaskView) -> Markup {
    html! {
        @if task.status == Status::InProgress {
            section.panel aria-label="Save a checkpoint" {
                details.fold #add-checkpoint {
                    summary { "Save a checkpoint" }
                    (does("task.checkpoint", task.task_id, "checkpoints", html! {
                        label.field {
                            span { "Name" }
                            input name="name" required maxlength="256" autocomplete="off";
                        }
                        div.line-up {
                            label.field {
                                span { "Progress, from 0 to 100" }
                                input name="progress" inputmode="numeric" autocomplete="off";
                            }
                        }
                        label.field {
                            span { "What somebody needs to go on, as JSON" }
                            textarea name="data" rows="3" {}
                        }
                        div.line-up { button.first { "Save" } }
                    }))
                }
            }
        }
    }
}
