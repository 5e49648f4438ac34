//! The table of operations: the one list from which every door is made.

use std::collections::HashMap;
use std::sync::LazyLock;

use clap::{ArgMatches, Command};
use schemars::Schema;
use serde_json::Value;
use windlass_domain::chunk::ChunkType;
use windlass_domain::session::{AgentType, Lifecycle};
use windlass_domain::{Exit, Refusal, Time};
use windlass_ledger::{Error, Fault};

use crate::context::{Context, Files};
use crate::misfit::misfit;
use crate::once::Answered;
use crate::operation::{Access, Lines, Load, Operation, Output, Place, Remotely};
use crate::remote::{relay, told};
use crate::sheet::Sheet;
use crate::view::unknown_fields;
use crate::{
    agent, agent_setup, board, chunk, db, definition, dep, events, exchange, explain, gc, health,
    hook, import, key, prime, project, run, session, setup, show_settings, stats, task, timeline,
    whoami, why, workflow,
};

/// Every operation, in the order people meet them.
///
/// A static: a constant would have every operation compiled again in each crate that names the table.
pub static TABLE: &[Entry] = &[
    Entry::of::<setup::Init>(),
    Entry::of::<project::Create>(),
    Entry::of::<project::List>(),
    Entry::of::<project::Show>(),
    Entry::of::<project::Rename>(),
    Entry::of::<project::Freeze>(),
    Entry::of::<project::Unfreeze>(),
    Entry::of::<project::Delete>(),
    Entry::of::<task::Add>(),
    Entry::of::<task::List>(),
    Entry::of::<task::Search>(),
    Entry::of::<task::Show>(),
    Entry::of::<board::Board>(),
    Entry::of::<task::Claim>(),
    Entry::of::<task::Start>(),
    Entry::of::<task::Renew>(),
    Entry::of::<task::Checkpoint>(),
    Entry::of::<task::Progress>(),
    Entry::of::<task::Comment>(),
    Entry::of::<task::Complete>(),
    Entry::of::<task::Release>(),
    Entry::of::<task::Block>(),
    Entry::of::<task::Unblock>(),
    Entry::of::<task::Steal>(),
    Entry::of::<task::Reopen>(),
    Entry::of::<task::SetStatus>(),
    Entry::of::<task::Update>(),
    Entry::of::<task::Edit>(),
    Entry::of::<task::Move>(),
    Entry::of::<task::AddDep>(),
    Entry::of::<task::RemoveDep>(),
    Entry::of::<dep::List>(),
    Entry::of::<dep::Tree>(),
    Entry::of::<dep::Graph>(),
    Entry::of::<task::Archive>(),
    Entry::of::<task::Restore>(),
    Entry::of::<task::Prune>(),
    Entry::of::<task::History>(),
    Entry::of::<task::Stuck>(),
    Entry::of::<workflow::List>(),
    Entry::of::<workflow::Show>(),
    Entry::of::<workflow::Start>(),
    Entry::of::<workflow::Handoff>(),
    Entry::of::<workflow::Delegate>(),
    Entry::of::<run::Lint>(),
    Entry::of::<run::Prepare>(),
    Entry::of::<run::Locate>(),
    Entry::of::<run::Cleanup>(),
    Entry::of::<run::Start>(),
    Entry::of::<run::Exec>(),
    Entry::of::<run::List>(),
    Entry::of::<run::Show>(),
    Entry::of::<run::Evidence>(),
    Entry::of::<run::Files>(),
    Entry::of::<run::StepStart>(),
    Entry::of::<run::StepVerify>(),
    Entry::of::<run::StepChecks>(),
    Entry::of::<run::StepChecked>(),
    Entry::of::<run::StepRetry>(),
    Entry::of::<run::StepBlock>(),
    Entry::of::<run::StepUnblock>(),
    Entry::of::<run::Unblock>(),
    Entry::of::<run::Gate>(),
    Entry::of::<run::Reopen>(),
    Entry::of::<run::Finalize>(),
    Entry::of::<run::Finish>(),
    Entry::of::<run::Finished>(),
    Entry::of::<run::Summary>(),
    Entry::of::<run::Reconcile>(),
    Entry::of::<run::Receipt>(),
    Entry::of::<run::ReceiptVerify>(),
    Entry::of::<run::OwnerClaim>(),
    Entry::of::<run::OwnerStatus>(),
    Entry::of::<run::OwnerHeartbeat>(),
    Entry::of::<run::OwnerRelease>(),
    Entry::of::<run::OwnerHandoff>(),
    Entry::of::<run::OwnerTakeover>(),
    Entry::of::<run::ActionRequest>(),
    Entry::of::<run::ActionDecide>(),
    Entry::of::<run::ActionBegin>(),
    Entry::of::<run::ActionComplete>(),
    Entry::of::<run::ActionReconcile>(),
    Entry::of::<run::BudgetCheck>(),
    Entry::of::<run::BudgetRecord>(),
    Entry::of::<run::BudgetRaise>(),
    Entry::of::<run::Normalize>(),
    Entry::of::<run::Begin>(),
    Entry::of::<run::Edited>(),
    Entry::of::<run::Import>(),
    Entry::of::<chunk::Write>(),
    Entry::of::<chunk::Remember>(),
    Entry::of::<chunk::Show>(),
    Entry::of::<chunk::List>(),
    Entry::of::<chunk::Update>(),
    Entry::of::<chunk::Versions>(),
    Entry::of::<chunk::Diff>(),
    Entry::of::<chunk::Supersede>(),
    Entry::of::<chunk::Pin>(),
    Entry::of::<chunk::Unpin>(),
    Entry::of::<chunk::Expire>(),
    Entry::of::<chunk::Delete>(),
    Entry::of::<chunk::CheckSource>(),
    Entry::of::<chunk::Link>(),
    Entry::of::<chunk::Unlink>(),
    Entry::of::<chunk::Chain>(),
    Entry::of::<chunk::Review>(),
    Entry::of::<chunk::Dismiss>(),
    Entry::of::<chunk::Inbox>(),
    Entry::of::<definition::List<ChunkType>>(),
    Entry::of::<definition::Show<ChunkType>>(),
    Entry::of::<definition::Set<ChunkType>>(),
    Entry::of::<definition::Hide<ChunkType>>(),
    Entry::of::<definition::Remove<ChunkType>>(),
    Entry::of::<chunk::Search>(),
    Entry::of::<session::Start>(),
    Entry::of::<session::Resume>(),
    Entry::of::<session::Focus>(),
    Entry::of::<session::Take>(),
    Entry::of::<session::Show>(),
    Entry::of::<session::List>(),
    Entry::of::<session::End>(),
    Entry::of::<session::Consolidate>(),
    Entry::of::<session::Preview>(),
    Entry::of::<definition::List<Lifecycle>>(),
    Entry::of::<definition::Show<Lifecycle>>(),
    Entry::of::<definition::Set<Lifecycle>>(),
    Entry::of::<definition::Hide<Lifecycle>>(),
    Entry::of::<definition::Remove<Lifecycle>>(),
    Entry::of::<hook::Set>(),
    Entry::of::<hook::Remove>(),
    Entry::of::<hook::List>(),
    Entry::of::<hook::Show>(),
    Entry::of::<hook::Retry>(),
    Entry::of::<hook::Discard>(),
    Entry::of::<hook::Drain>(),
    Entry::of::<hook::Worker>(),
    Entry::of::<key::Create>(),
    Entry::of::<key::List>(),
    Entry::of::<key::Rotate>(),
    Entry::of::<key::Revoke>(),
    Entry::of::<key::Refusals>(),
    Entry::of::<whoami::Whoami>(),
    Entry::of::<prime::Prime>(),
    Entry::of::<why::Why>(),
    Entry::of::<stats::Stats>(),
    Entry::of::<timeline::Timeline>(),
    Entry::of::<agent::AgentStatus>(),
    Entry::of::<agent::AgentLog>(),
    Entry::of::<agent::Register>(),
    Entry::of::<agent::Unregister>(),
    Entry::of::<definition::List<AgentType>>(),
    Entry::of::<definition::Show<AgentType>>(),
    Entry::of::<definition::Set<AgentType>>(),
    Entry::of::<definition::Hide<AgentType>>(),
    Entry::of::<definition::Remove<AgentType>>(),
    Entry::of::<events::Events>(),
    Entry::of::<health::Doctor>(),
    Entry::of::<health::Validate>(),
    Entry::of::<health::AuditHead>(),
    Entry::of::<health::AuditVerify>(),
    Entry::of::<gc::Gc>(),
    Entry::of::<exchange::Backup>(),
    Entry::of::<exchange::Export>(),
    Entry::of::<import::Ledger>(),
    Entry::of::<import::Hzl>(),
    Entry::of::<import::Beads>(),
    Entry::of::<db::Migrate>(),
    Entry::of::<setup::Status>(),
    Entry::of::<setup::WhichDb>(),
    Entry::of::<show_settings::Config>(),
    Entry::of::<agent_setup::Setup>(),
    Entry::of::<setup::Guide>(),
    Entry::of::<explain::Explain>(),
    Entry::of::<setup::Sync>(),
    Entry::of::<setup::Lock>(),
    Entry::of::<setup::SampleProject>(),
];

/// The heading of arguments that the command line takes only so that prompts written for HZL work.
/// They are no fields: JSON has one way to say a thing.
pub const AS_IN_HZL: &str = "As in HZL";

/// Why arguments are not those of an operation.
type Wrong = serde_path_to_error::Error<serde_json::Error>;

/// One operation, its type forgotten.
#[derive(Clone, Copy)]
pub struct Entry {
    pub name: &'static str,
    pub about: &'static str,
    pub example: &'static str,
    pub access: Access,
    /// What it asks of the ledger when a server does it.
    pub load: Load,
    pub place: Place,
    /// What becomes of it when its caller uses a server.
    pub remotely: Remotely,
    /// Its answer holds a secret, which is to be kept nowhere.
    pub secret_answer: bool,
    /// The languages of its own in which it can answer with a document.
    pub formats: &'static [&'static str],
    /// Adds the arguments to a command.
    pub arguments: fn(Command) -> Command,
    from_matches: fn(&ArgMatches) -> Result<Box<dyn Request>, clap::Error>,
    from_json: fn(&Value) -> Result<Box<dyn Request>, Wrong>,
    pub input: fn() -> Schema,
    pub output: fn() -> Schema,
}

impl std::fmt::Debug for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Entry").field("name", &self.name).finish_non_exhaustive()
    }
}

/// An operation with its arguments.
pub trait Request: Send {
    fn run(&self, cx: &mut Context) -> Result<Box<dyn Answer>, Error>;

    /// The arguments as JSON.
    fn arguments(&self) -> Result<Value, Fault>;
}

/// What an operation answered.
pub trait Answer: Send {
    /// One JSON document, its fields in the order of the answer.
    fn json(&self) -> Result<String, Fault>;
    fn sheet(&self, now: Time) -> Sheet;
    fn exit(&self) -> Exit;
    fn lines(&self) -> Option<Lines>;
    fn document(&self) -> Option<&str>;
    fn is_verbatim(&self) -> bool;
}

impl<O: Operation> Request for O {
    fn run(&self, cx: &mut Context) -> Result<Box<dyn Answer>, Error> {
        if let Some(answer) = relay(self, cx)? {
            return Ok(answer);
        }
        cx.begin(self)?;
        let answer = Operation::run(self, cx);
        let outcome = cx.end();
        let is_here = cx.surroundings.files == Files::Callers;
        let answer = if is_here { told(self, answer, cx)? } else { answer? };
        if is_here {
            self.afterwards(&answer, cx);
        }
        Ok(match outcome {
            Some(outcome) => Box::new(Answered { answer, outcome }),
            None => Box::new(answer),
        })
    }

    fn arguments(&self) -> Result<Value, Fault> {
        arguments_of(self)
    }
}

pub(crate) fn arguments_of<O: Operation>(operation: &O) -> Result<Value, Fault> {
    serde_json::to_value(operation)
        .map_err(|source| Fault::bug("arguments are not JSON").because(source))
}

impl<T: Output> Answer for T {
    fn json(&self) -> Result<String, Fault> {
        serde_json::to_string(self)
            .map_err(|source| Fault::bug("an answer is not JSON").because(source))
    }

    fn sheet(&self, now: Time) -> Sheet {
        Output::sheet(self, now)
    }

    fn exit(&self) -> Exit {
        Output::exit(self)
    }

    fn lines(&self) -> Option<Lines> {
        Output::lines(self)
    }

    fn document(&self) -> Option<&str> {
        Output::document(self)
    }

    fn is_verbatim(&self) -> bool {
        Output::is_verbatim(self)
    }
}

impl Entry {
    pub(crate) const fn of<O: Operation>() -> Self {
        Self {
            name: O::NAME,
            about: O::ABOUT,
            example: O::EXAMPLE,
            access: O::ACCESS,
            load: O::LOAD,
            place: O::PLACE,
            remotely: O::REMOTELY,
            secret_answer: O::SECRET_ANSWER,
            formats: O::FORMATS,
            arguments: O::augment_args,
            from_matches: |matches| Ok(Box::new(O::from_arg_matches(matches)?)),
            from_json: |value| Ok(Box::new(serde_path_to_error::deserialize::<_, O>(value)?)),
            input: || schemars::schema_for!(O),
            output: || schemars::schema_for!(O::Output),
        }
    }

    pub fn named(name: &str) -> Option<&'static Self> {
        TABLE.iter().find(|entry| entry.name == name)
    }

    /// The words of the command line that lead to it.
    pub fn words(&self) -> impl Iterator<Item = &'static str> {
        self.name.split('.')
    }

    /// The names of its arguments.
    pub fn fields(&self) -> Vec<String> {
        let command = (self.arguments)(Command::new(self.name));
        let own = command
            .get_arguments()
            .filter(|argument| argument.get_help_heading() != Some(AS_IN_HZL));
        own.map(|argument| argument.get_id().to_string()).collect()
    }

    /// A request from a parsed command line.
    pub fn from_matches(&self, matches: &ArgMatches) -> Result<Box<dyn Request>, clap::Error> {
        (self.from_matches)(matches)
    }

    /// The same, worked out once for all operations.
    fn known_fields(&self) -> &'static [String] {
        static ALL: LazyLock<HashMap<&str, Vec<String>>> =
            LazyLock::new(|| TABLE.iter().map(|entry| (entry.name, entry.fields())).collect());
        ALL.get(self.name).map_or(&[], Vec::as_slice)
    }

    /// A request from JSON; fields it does not have are refused.
    pub fn from_json(&self, value: Value) -> Result<Box<dyn Request>, Refusal> {
        if let Value::Object(given) = &value {
            let fields = self.known_fields();
            let unknown: Vec<String> =
                given.keys().filter(|key| !fields.contains(key)).cloned().collect();
            if !unknown.is_empty() {
                return Err(unknown_fields(self.name, &unknown, fields));
            }
        }
        (self.from_json)(&value).map_err(|wrong| misfit(self, &value, &wrong))
    }
}
