//! `workflow list` and `workflow show`.
//!
//! What is shown of arguments is read from the commands that parse them, so nothing can be missing.

use clap::builder::PossibleValue;
use clap::{Arg, ArgAction, Args, Command};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::near::near;
use windlass_domain::{Code, Refusal, Time};
use windlass_ledger::{Error, Fault};

use super::{Delegate, Handoff, Start};
use crate::context::Context;
use crate::once::OP_ID;
use crate::operation::{Access, Operation, Output};
use crate::sheet::{Cell, Sheet};
use crate::table::Entry;

/// A workflow, and what its arguments do not say.
#[derive(Debug, Clone, Copy)]
pub struct Workflow {
    pub name: &'static str,
    /// The operation that runs it.
    pub operation: &'static str,
    pub supports_auto_op_id: bool,
    pub notes: &'static [&'static str],
}

/// Every workflow.
pub const WORKFLOWS: [Workflow; 3] = [
    Workflow {
        name: "start",
        operation: Start::NAME,
        supports_auto_op_id: false,
        notes: &[
            "--auto-op-id is unsupported: agents poll with start, and the same input rightly gives \
             different results over time. Give --op-id when you repeat one and the same start.",
            "Tasks whose lease ran out are resumed too. With --lease, or the setting claims.lease, \
             the lease counts from now, unless more than two thirds of it are left, as with task \
             renew; the claim and its fence stay the same. A start that changes nothing leaves no \
             event.",
            "Others are the agent's other tasks in progress, as ids and titles: at most \
             --others-limit of them, all with --others-limit all.",
            "When there is nothing to do, the mode is none and the exit code 0.",
        ],
    },
    Workflow {
        name: "handoff",
        operation: Handoff::NAME,
        supports_auto_op_id: true,
        notes: &[
            "Without --agent the follow-on goes to the pool on purpose: it is assigned to nobody, \
             and any eligible agent can claim it from its project. So without --agent, --project is \
             required: it says which queue.",
            "The newest checkpoints are carried first. Of --carry-max-chars five eighths go into the \
             description and three eighths into a first checkpoint with the same text; both say \
             where it is from and how much was left out. With nothing to carry there is no \
             checkpoint.",
            "The follow-on is as urgent as its source and has no tags. In the same project it is a \
             subtask of the same parent, if that is open; else it stands alone.",
            "The source must be able to become done: in progress or blocked, held by whoever calls, \
             with nothing open that it waits for.",
        ],
    },
    Workflow {
        name: "delegate",
        operation: Delegate::NAME,
        supports_auto_op_id: true,
        notes: &[
            "The dependency gates availability only: a source that is in progress goes on. To stop \
             it, give --pause-parent.",
            "A paused parent stays blocked until somebody unblocks it; with --auto-unpause, or the \
             setting workflows.auto_unpause, it goes back to ready, routed to its former owner, when \
             the last task it waits for is settled. A block by hand, or a pause without it, still ends \
             by hand; the answer says so.",
            "The delegated task is ready, as urgent as its source, and has no tags. With --as-subtask \
             it is a part of the source; the dependency is added all the same.",
            "With --pause-parent or --checkpoint the caller must hold the source, if anybody does.",
        ],
    },
];

impl Workflow {
    pub fn named(name: &str) -> Option<&'static Self> {
        WORKFLOWS.iter().find(|workflow| workflow.name == name)
    }

    fn entry(&self) -> Result<&'static Entry, Fault> {
        let missing = || Fault::bug(format!("{} is not in the table", self.operation));
        Entry::named(self.operation).ok_or_else(missing)
    }
}

/// Lists the workflows.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct List {}

/// The workflows.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Listed {
    pub workflows: Vec<Summary>,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    pub name: String,
    pub description: String,
}

impl Operation for List {
    type Output = Listed;
    const NAME: &'static str = "workflow.list";
    const ABOUT: &'static str = "List the workflows";
    const EXAMPLE: &'static str = "windlass workflow list";
    const ACCESS: Access = Access::Read;

    fn run(&self, _cx: &mut Context) -> Result<Listed, Error> {
        let summary = |workflow: &Workflow| {
            let description = workflow.entry()?.about.to_owned();
            Ok(Summary { name: workflow.name.to_owned(), description })
        };
        Ok(Listed { workflows: WORKFLOWS.iter().map(summary).collect::<Result<_, Fault>>()? })
    }
}

impl Output for Listed {
    fn sheet(&self, _now: Time) -> Sheet {
        let said = |one: &Summary| (one.name.clone(), Cell::from(one.description.clone()));
        let facts: Vec<(String, Cell)> = self.workflows.iter().map(said).collect();
        Sheet::default()
            .and_facts(facts.iter().map(|(name, said)| (name.as_str(), said.clone())))
            .and_line(Cell::dim("see windlass workflow show NAME"))
    }
}

/// Shows what a workflow takes and does.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Show {
    /// start, handoff or delegate
    pub name: String,
}

/// A workflow.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Shown {
    pub workflow: WorkflowView,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct WorkflowView {
    pub name: String,
    pub description: String,
    pub example: String,
    pub supports_auto_op_id: bool,
    pub args: Vec<Argument>,
    pub notes: Vec<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Argument {
    /// As it is typed: `--from <TASK>`.
    pub name: String,
    /// The same in short: `-P`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub short: Option<String>,
    /// Its field in JSON; null where it is no field.
    pub field: Option<String>,
    pub required: bool,
    /// flag, or what its value is: task, text, number, `first|latest|priority`.
    pub r#type: String,
    pub description: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
}

impl Operation for Show {
    type Output = Shown;
    const NAME: &'static str = "workflow.show";
    const ABOUT: &'static str = "Show what a workflow takes and does";
    const EXAMPLE: &'static str = "windlass workflow show handoff";
    const ACCESS: Access = Access::Read;

    fn run(&self, _cx: &mut Context) -> Result<Shown, Error> {
        let Some(workflow) = Workflow::named(&self.name) else {
            return Err(unknown(&self.name).into());
        };
        let entry = workflow.entry()?;
        let command = (entry.arguments)(Command::new(entry.name));
        let fields = entry.fields();
        let own = command.get_arguments().map(|argument| Argument::of(argument, &fields));
        let op_id = Argument {
            name: format!("--{} <{}>", OP_ID.name, OP_ID.value),
            short: None,
            field: None,
            required: false,
            r#type: in_words(OP_ID.value),
            description: OP_ID.help.to_owned(),
            default: None,
        };
        Ok(Shown {
            workflow: WorkflowView {
                name: workflow.name.to_owned(),
                description: entry.about.to_owned(),
                example: entry.example.to_owned(),
                supports_auto_op_id: workflow.supports_auto_op_id,
                args: own.chain([op_id]).collect(),
                notes: workflow.notes.iter().map(|note| (*note).to_owned()).collect(),
            },
        })
    }
}

fn unknown(name: &str) -> Refusal {
    let names: Vec<&str> = WORKFLOWS.iter().map(|workflow| workflow.name).collect();
    let begun = names.iter().filter(|known| name.len() >= 3 && known.starts_with(name));
    let mut suggestions: Vec<String> = begun.map(|name| (*name).to_owned()).collect();
    suggestions.extend(near(name, names.iter().copied()));
    suggestions.dedup();
    Refusal::new(Code::WorkflowNotFound, format!("there is no workflow '{name}'"))
        .hint("list them: windlass workflow list")
        .detail("given", name)
        .detail("known", &names)
        .suggest(suggestions)
}

/// What a value is, from the name it has on the command line.
fn in_words(value: &str) -> String {
    match value.strip_suffix(",…") {
        Some(one) => format!("list of {}s", one.to_lowercase()),
        None if value == "N" => "number".to_owned(),
        None => value.to_lowercase(),
    }
}

impl Argument {
    fn of(argument: &Arg, fields: &[String]) -> Self {
        let id = argument.get_id().to_string();
        let names = argument.get_value_names().unwrap_or_default();
        let value = names.first().map(ToString::to_string).unwrap_or_default();
        let is_flag = !matches!(argument.get_action(), ArgAction::Set | ArgAction::Append);
        let long = argument.get_long().unwrap_or(&id);
        let possible = argument.get_possible_values();
        let defaults = argument.get_default_values().iter();
        let defaults: Vec<_> = defaults.map(|value| value.to_string_lossy()).collect();
        Self {
            name: match is_flag {
                true => format!("--{long}"),
                false => format!("--{long} <{value}>"),
            },
            short: argument.get_short().map(|letter| format!("-{letter}")),
            field: fields.contains(&id).then_some(id),
            required: argument.is_required_set(),
            r#type: match (is_flag, possible.is_empty()) {
                (true, _) => "flag".to_owned(),
                (false, true) => in_words(&value),
                (false, false) => {
                    possible.iter().map(PossibleValue::get_name).collect::<Vec<_>>().join("|")
                }
            },
            description: argument.get_help().map(ToString::to_string).unwrap_or_default(),
            default: Some(defaults.join(",")).filter(|default| !is_flag && !default.is_empty()),
        }
    }

    fn fact(&self) -> (String, Cell) {
        let short = self.short.as_ref().map_or_else(String::new, |short| format!("{short}, "));
        let default = self.default.as_ref().map(|default| format!("default {default}"));
        let is_said = |kind: &String| {
            kind == "flag" || self.name.ends_with(&format!("<{}>", kind.to_uppercase()))
        };
        let more: Vec<String> = [
            Some(self.r#type.clone()).filter(|kind| !is_said(kind)),
            self.required.then(|| "required".to_owned()),
            default,
        ]
        .into_iter()
        .flatten()
        .collect();
        let more = match more.is_empty() {
            true => String::new(),
            false => format!(" ({})", more.join("; ")),
        };
        (format!("{short}{}", self.name), format!("{}{more}", self.description).into())
    }
}

impl Output for Shown {
    fn sheet(&self, _now: Time) -> Sheet {
        let WorkflowView { name, description, example, args, notes, .. } = &self.workflow;
        let facts: Vec<(String, Cell)> = args.iter().map(Argument::fact).collect();
        let sheet = Sheet::line(format!("{name}: {description}"))
            .and_line(Cell::dim(example.clone()))
            .and_heading("Arguments")
            .and_facts(facts.iter().map(|(name, said)| (name.as_str(), said.clone())))
            .and_heading("Notes");
        notes.iter().fold(sheet, |sheet, note| sheet.and_line(note.clone()))
    }
}
