//! The story of the demo. Change it here; everything else only plays it.
//!
//! `{login}` is the short id of the task added under that name, `{worker}` the agent that plays that
//! part. The race gives out the parts, so who plays whom is another matter in every run.

use windlass_domain::Code;

/// A part of the story, with the line that leads into it.
pub(crate) struct Scene {
    pub(crate) title: &'static str,
    pub(crate) steps: &'static [Step],
}

/// One thing that happens on stage. Commands are what follows `windlass`.
pub(crate) enum Step {
    /// You type a command.
    You(&'static str),
    /// You add a task, to be known by that name.
    Add(&'static str, &'static str),
    /// An agent types a command.
    Agent(&'static str, &'static str),
    /// An agent types a command that is refused with that code.
    Refused(&'static str, &'static str, Code),
    /// Agents type the same command at the same moment. Who wins a task gets the part beside it.
    Race {
        agents: &'static [&'static str],
        command: &'static str,
        parts: &'static [(&'static str, &'static str)],
    },
    /// You type a command as soon as its answer has those words in it.
    Once(&'static str, &'static str),
}

use Step::{Add, Agent, Once, Race, Refused, You};

pub(crate) const STORY: &[Scene] = &[
    Scene {
        title: "A project with five tasks; two wait for others. (The end of an id is enough.)",
        steps: &[
            You("project create shop"),
            Add("login", "task add 'fix the login page' -P shop -s ready -p 3"),
            Add("keys", "task add 'rotate the keys' -P shop -s ready -p 2"),
            Add("orders", "task add 'migrate the orders' -P shop -s ready -p 1"),
            Add("ship", "task add 'ship version 2' -P shop -s ready -p 3 --depends-on {orders}"),
            Add("tell", "task add 'tell the customers' -P shop -s ready --depends-on {ship}"),
        ],
    },
    Scene {
        title: "Three agents (named by WINDLASS_AGENT) ask at once. No two get the same task.",
        steps: &[Race {
            agents: &["ada", "bob", "kim"],
            command: "task claim --next --lease 2s",
            parts: &[("login", "worker"), ("keys", "sleeper"), ("orders", "keeper")],
        }],
    },
    Scene {
        title: "{worker} notes how far it has come, and finishes.",
        steps: &[
            Agent("worker", "task checkpoint {login} 'bug found' --progress 60 --fence 1"),
            Agent("worker", "task complete {login} --fence 1"),
        ],
    },
    Scene {
        title: "{keeper} renews its lease. {sleeper} has died: we wait for its 2 seconds to run out.",
        steps: &[
            Agent("keeper", "task renew {orders} --fence 1 --lease 30m"),
            Once("task stuck", "{keys}"),
            Agent("worker", "task claim --next"),
        ],
    },
    Scene {
        title: "But {sleeper} was only slow, and now says it is done. Its fence is old: refused.",
        steps: &[
            Refused("sleeper", "task complete {keys} --fence 1", Code::StaleClaim),
            Agent("worker", "task complete {keys} --fence 2"),
        ],
    },
    Scene {
        title: "{sleeper} asks for other work. The most urgent task is open, yet it gets none. Why?",
        steps: &[Agent("sleeper", "task claim --next"), You("why {ship}")],
    },
    Scene {
        title: "{keeper} is done, but no answer comes. It says so again, under the same op id.",
        steps: &[
            Agent("keeper", "task complete {orders} --fence 1 --op-id orders-done"),
            Agent("keeper", "task complete {orders} --fence 1 --op-id orders-done"),
        ],
    },
    Scene {
        title: "The way is free. {sleeper} starts over, gets the task, and finishes it.",
        steps: &[
            Agent("sleeper", "workflow run start"),
            Agent("sleeper", "task complete {ship} --fence 1"),
            You("why"),
        ],
    },
    Scene {
        title: "All of it is in the books, and every entry is sealed with all before it.",
        steps: &[You("task list"), You("task history {keys}"), You("audit verify")],
    },
];

/// What leads out of the story: the ledger stays.
pub(crate) const FAREWELL: &str = "The ledger is yours now, with one task left in it. Look around:";

/// What somebody could type next.
pub(crate) const EXPLORE: &[&str] =
    &["windlass why", "windlass task claim --next --agent you", "windlass events"];
