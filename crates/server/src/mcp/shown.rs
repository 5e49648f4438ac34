//! The tools an agent is shown when nobody asks for others, and what it sees of each.
//!
//! Everything here is sent to a model again and again, so every word must earn its place: names,
//! descriptions and schemas together have a bound, which a test checks. What an agent needs rarely,
//! or should leave to people (`force`), is not here; `--tools all` shows it.

/// One tool: the operation behind it, and the fields of it that are shown.
#[derive(Debug)]
pub(super) struct Shown {
    pub(super) tool: &'static str,
    pub(super) operation: &'static str,
    pub(super) about: &'static str,
    /// The name of each field and what there is to say about it, which may be nothing.
    pub(super) fields: &'static [(&'static str, &'static str)],
    /// Fields that are needed because another that could stand for them is not shown.
    pub(super) needed: &'static [&'static str],
}

const TASK: (&str, &str) = ("task", "Its id, or 4+ characters of it");
const AGENT: (&str, &str) = ("agent", "Your name, if it is not set");
const AUTHOR: (&str, &str) = ("author", "Your name, if it is not set");
const FENCE: (&str, &str) = ("fence", "Of your claim");
const LEASE: (&str, &str) = ("lease", "How long it is yours from now: 30m");

/// In the order in which an agent needs them.
pub(super) const DEFAULT: [Shown; 12] = [
    Shown {
        tool: "start",
        operation: "workflow.run.start",
        about: "Begin here: go on with your task in progress, else claim the next one. Remember \
                task_id and fence of `selected`",
        fields: &[
            AGENT,
            ("project", "Only of this one"),
            ("tags", "Only with all of these"),
            LEASE,
        ],
        needed: &[],
    },
    Shown {
        tool: "claim",
        operation: "task.claim",
        about: "Claim a certain task, or the best one with `next`",
        fields: &[
            TASK,
            ("next", "The best that can be claimed"),
            ("project", ""),
            ("tags", "Only with all of these"),
            ("parent", "Only subtasks of this task"),
            LEASE,
            AGENT,
        ],
        needed: &[],
    },
    Shown {
        tool: "checkpoint",
        operation: "task.checkpoint",
        about: "Save progress on your task, so that anybody could go on from here",
        fields: &[
            TASK,
            ("name", "What was reached, in one line"),
            ("data", "What somebody needs to go on: files, decisions, next steps"),
            ("progress", "0 to 100"),
            FENCE,
            AGENT,
        ],
        needed: &[],
    },
    Shown {
        tool: "complete",
        operation: "task.complete",
        about: "Say that your task is done and checked",
        fields: &[TASK, ("comment", "What was done"), FENCE, AGENT],
        needed: &[],
    },
    Shown {
        tool: "block",
        operation: "task.block",
        about: "Say that your task cannot go on; it stays yours",
        fields: &[TASK, ("comment", "What it waits for"), FENCE, AGENT],
        needed: &[],
    },
    Shown {
        tool: "handoff",
        operation: "workflow.run.handoff",
        about: "Complete your task and make the one that follows, with your last checkpoints",
        fields: &[
            ("from", "Your task"),
            ("title", "Of the follow-on"),
            ("project", "Its queue; give this, or agent"),
            ("agent", "Who shall do it"),
            FENCE,
            AUTHOR,
        ],
        needed: &[],
    },
    Shown {
        tool: "delegate",
        operation: "workflow.run.delegate",
        about: "Give a part of your task away as a new task, for which yours waits",
        fields: &[
            ("from", "Your task"),
            ("title", "Of the new task"),
            ("project", "Of the new task; by default the same"),
            ("agent", "Who shall do it; anybody by default"),
            ("as_subtask", ""),
            ("no_depends", "Yours does not wait"),
            ("checkpoint", "A note on your task"),
            ("pause_parent", "Block yours"),
            ("auto_unpause", "Until the new one is done"),
            FENCE,
            AUTHOR,
        ],
        needed: &[],
    },
    Shown {
        tool: "add",
        operation: "task.add",
        about: "Make a task",
        fields: &[
            ("title", "One line, 128 characters"),
            ("description", ""),
            ("project", "By default inbox"),
            ("status", "By default backlog; ready: can be claimed"),
            ("priority", "0 to 3, 3 is the highest"),
            ("tags", ""),
            ("links", "Addresses or paths"),
            ("depends_on", "Tasks it waits for"),
            ("parent", "The task it is a part of"),
            ("agent", "Who shall do it"),
            ("due", "2026-11-15"),
            AUTHOR,
        ],
        needed: &["title"],
    },
    Shown {
        tool: "list",
        operation: "task.list",
        about: "List tasks, the most urgent first",
        fields: &[
            ("project", ""),
            ("status", "backlog, ready, in_progress, blocked, done"),
            ("tags", "With all of these"),
            ("agent", "Held by, routed to or finished by"),
            ("parent", "Subtasks of this task"),
            ("available", "That can be claimed"),
            ("limit", ""),
            ("cursor", "next_cursor of the last answer"),
        ],
        needed: &[],
    },
    Shown {
        tool: "show",
        operation: "task.show",
        about: "Show a task: description, checkpoints, comments, subtasks, what it waits for",
        fields: &[TASK, ("view", "")],
        needed: &[],
    },
    Shown {
        tool: "search",
        operation: "task.search",
        about: "Find tasks by words of all that was written about them",
        fields: &[
            ("query", "Words or their beginnings; all must be found"),
            ("project", ""),
            ("status", ""),
            ("limit", ""),
        ],
        needed: &[],
    },
    Shown {
        tool: "why",
        operation: "why",
        about: "Say why a task, or without one why nothing, can be claimed",
        fields: &[("task", ""), ("project", ""), ("agent", "Who would claim")],
        needed: &[],
    },
];

/// Operations that take away what was there.
pub(super) const DESTRUCTIVE: [&str; 12] = [
    "project.delete",
    "task.archive",
    "task.remove-dep",
    "task.steal",
    "task.update",
    "hook.remove",
    "hook.discard",
    "key.revoke",
    "key.rotate",
    "chunk.delete",
    "chunk.unlink",
    "gc",
];

/// Operations that write, and do nothing more when they are repeated.
pub(super) const IDEMPOTENT: [&str; 26] = [
    "project.rename",
    "project.freeze",
    "project.unfreeze",
    "project.delete",
    "task.progress",
    "task.complete",
    "task.release",
    "task.block",
    "task.unblock",
    "task.reopen",
    "task.set-status",
    "task.update",
    "task.move",
    "task.add-dep",
    "task.remove-dep",
    "task.archive",
    "task.restore",
    "hook.set",
    "hook.remove",
    "hook.discard",
    "chunk.update",
    "chunk.pin",
    "chunk.unpin",
    "chunk.link",
    "chunk.unlink",
    "session.focus",
];

/// Fields that make sense on a command line only, by operation.
pub(super) const NEVER: [(&str, &str); 2] = [
    // A file where the caller is; here it would be one of the server's.
    ("task.add", "from"),
    ("events", "follow"),
];
