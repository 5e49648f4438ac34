//! What an operation works with: the ledger, the caller, the settings.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use windlass_domain::chain::Provenance;
use windlass_domain::chunk::access::Reader;
use windlass_domain::duration::Span;
use windlass_domain::key;
use windlass_domain::op::OpId;
use windlass_domain::ownership::Required;
use windlass_domain::run::word::Door;
use windlass_domain::{Code, Key, ProjectId, Refusal, Status, Time};
use windlass_hands::check::Stop;
use windlass_ledger::{
    Clock, Error, Fault, Ledger, Location, Options, Snapshot, Synchronous, SystemClock, Transaction,
};

use crate::chunk::asker::Asker;
use crate::events::Sight;
use crate::exchange::in_words;
use crate::once::{Once, Outcome, elsewhere};
use crate::operation::{Access, Operation, Place};
use crate::remote::Remote;
use crate::settings::{Resolved, Settings};
use crate::sheet::Sheet;
use crate::table::arguments_of;
use crate::view::usage;

/// The variable that names a session.
const SESSION: &str = "WINDLASS_SESSION";

/// Who calls, as far as the door knows before it looks at the arguments.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    /// The agent of `WINDLASS_AGENT` or the settings.
    pub agent: Option<String>,
    /// The user of the machine.
    pub user: String,
    /// The name of the machine.
    pub host: String,
    /// The command line of the user's editor.
    pub editor: Option<String>,
    /// `WINDLASS_FENCE`, which counts only for the task in `WINDLASS_TASK`.
    pub fence: Option<(String, u64)>,
    pub variables: Variables,
    /// Where the caller is.
    pub folder: Option<PathBuf>,
    /// The program that runs, by its path.
    pub program: Option<PathBuf>,
    /// What the caller has set where it is.
    pub wishes: Wishes,
    pub files: Files,
    pub presence: Presence,
    /// The door that the caller came through.
    pub door: Door,
}

/// Whether a person is there, as far as a door can tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Presence {
    #[default]
    Unknown,
    /// Somebody can type there; nobody has proven who.
    Terminal,
    /// Somebody who was let in with the token of the machine; nobody has proven who.
    Page,
}

/// What a caller has set for what its arguments do not say. Settings of one elsewhere come before those
/// of the place where the operation is done.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wishes {
    pub project: Option<String>,
    pub lease: Option<Span>,
    pub auto_unpause: Option<bool>,
    /// In which sitting of an agent it claims.
    pub session: Option<String>,
    /// The run in which it calls: `WINDLASS_RUN`.
    pub run: Option<String>,
    /// The door that it came through where it is.
    pub door: Option<Door>,
}

/// Whose files are within reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Files {
    /// The caller's, which it may name.
    #[default]
    Callers,
    /// Those of a server, which no caller may name.
    Servers,
}

/// The environment of the caller, for hooks that name variables or start programs. It is looked into
/// when a hook is sent, and shown nowhere.
#[derive(Clone, Default)]
pub struct Variables(Arc<BTreeMap<String, String>>);

impl Variables {
    pub fn new(variables: BTreeMap<String, String>) -> Self {
        Self(Arc::new(variables))
    }

    pub fn all(&self) -> &BTreeMap<String, String> {
        &self.0
    }

    /// The session that a call is about where no argument names one.
    pub fn session(&self) -> Option<&str> {
        self.0.get(SESSION).map(String::as_str).filter(|value| !value.is_empty())
    }
}

impl std::fmt::Debug for Variables {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Variables({})", self.0.len())
    }
}

/// Where and how a door opens the ledger.
#[derive(Clone)]
pub struct Workplace {
    pub location: Location,
    pub wait: std::time::Duration,
    pub synchronous: Synchronous,
    /// What this process does, for others who wait for it.
    pub purpose: String,
    /// Instead of the machine's or the database's clock.
    pub clock: Option<Arc<dyn Clock>>,
    /// Where this installation keeps files of its own: beside the ledger, if that is a file.
    pub folder: Option<PathBuf>,
}

impl std::fmt::Debug for Workplace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Workplace").field("location", &self.location).finish_non_exhaustive()
    }
}

impl Workplace {
    pub fn new(location: Location) -> Self {
        let Options { wait, synchronous, purpose, clock: _, hooks: _ } = Options::default();
        let folder = match &location {
            Location::Sqlite(path) => path.parent().map(Path::to_owned),
            Location::Postgres(_) => None,
        };
        Self { location, wait, synchronous, purpose, clock: None, folder }
    }

    pub fn options(&self) -> Options {
        Options {
            wait: self.wait,
            synchronous: self.synchronous,
            purpose: self.purpose.clone(),
            clock: self.clock.clone(),
            hooks: Vec::new(),
        }
    }
}

/// How far an operation that takes long has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// What is being done: `importing`.
    pub doing: &'static str,
    pub done: u64,
    /// How much there is in all, where that is known.
    pub of: Option<u64>,
    /// What is counted: `tasks`.
    pub unit: &'static str,
}

/// A step of a run on which somebody works at this moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Driven<'a> {
    pub step: u32,
    pub of: usize,
    pub name: &'a str,
    pub attempt: u32,
    pub of_attempts: u32,
    /// Who is at it: `agent`, `check 1 of 2`.
    pub doing: &'a str,
    pub elapsed: std::time::Duration,
    /// The newest line of what it wrote, as it was written; it may hold anything.
    pub last: &'a str,
}

/// What an operation that takes long tells of itself. What was told before is old then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress<'a> {
    Counted(Step),
    Driven(Driven<'a>),
}

/// Hears how far an operation has come.
pub type Listening = Arc<dyn Fn(Progress<'_>) + Send + Sync>;

/// Lets a person stop an operation that goes on, from when it is asked for.
pub type Brakes = Arc<dyn Fn() -> std::io::Result<Stop> + Send + Sync>;

/// Hears sentences about what goes wrong and is tried again.
pub type Notices = Arc<dyn Fn(&str) + Send + Sync>;

/// Shows something to the person who called, and asks whether to go on.
pub type Questions = Arc<dyn Fn(&Sheet, &str) -> bool + Send + Sync>;

/// Shows something to the person who called, asks a question, and hears a line.
pub type Asking = Arc<dyn Fn(&Sheet, &str) -> Option<String> + Send + Sync>;

/// What an operation works with. The ledger is opened when it is first needed, so a request that
/// is refused by its arguments alone touches nothing.
pub struct Context {
    pub workplace: Workplace,
    pub surroundings: Surroundings,
    pub settings: Resolved,
    /// Where a door wants to hear of the steps of a long operation.
    pub progress: Option<Listening>,
    /// Where a door wants to hear what an operation that goes on has to tell.
    pub notices: Option<Notices>,
    /// The key that the caller showed, which the door found to count. Without one it is the user of
    /// this machine.
    pub key: Option<Key>,
    /// Where a door can ask a person something.
    pub questions: Option<Questions>,
    /// Where a door can ask a person for a word.
    pub asking: Option<Asking>,
    /// Where a person can stop an operation that would go on.
    pub brakes: Option<Brakes>,
    /// The op id that the door brought for the next operation.
    pub op_id: Option<OpId>,
    /// The server that has the ledger, where that is not here.
    pub remote: Option<Remote>,
    once: Option<Once>,
    ledger: Option<Ledger>,
    /// What was noticed, and is not told again.
    noticed: BTreeSet<String>,
}

impl std::fmt::Debug for Context {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Context")
            .field("workplace", &self.workplace)
            .field("surroundings", &self.surroundings)
            .field("settings", &self.settings)
            .field("ledger", &self.ledger)
            .finish_non_exhaustive()
    }
}

impl Context {
    pub fn new(workplace: Workplace, surroundings: Surroundings, settings: Resolved) -> Self {
        Self {
            workplace,
            surroundings,
            settings,
            progress: None,
            notices: None,
            questions: None,
            asking: None,
            brakes: None,
            key: None,
            op_id: None,
            remote: None,
            once: None,
            ledger: None,
            noticed: BTreeSet::new(),
        }
    }

    /// Tells the door how far the work has come; cheap enough for every row.
    pub fn step(&self, step: Step) {
        if let Some(progress) = &self.progress {
            progress(Progress::Counted(step));
        }
    }

    /// Tells the door what is going on in a run that is driven.
    pub fn driven(&self, driven: Driven<'_>) {
        if let Some(progress) = &self.progress {
            progress(Progress::Driven(driven));
        }
    }

    /// What a person stops an operation with, where a door lets one.
    pub fn brake(&self) -> std::io::Result<Stop> {
        self.brakes.as_ref().map_or_else(Stop::new, |brakes| brakes())
    }

    /// Tells the door what happened, in an operation that goes on.
    pub fn notice(&self, text: &str) {
        if let Some(notices) = &self.notices {
            notices(text);
        }
    }

    /// The same for what would be told again by every operation that a call is made of.
    pub fn notice_once(&mut self, text: &str) {
        if self.noticed.insert(text.to_owned()) {
            self.notice(text);
        }
    }

    /// What a person answers who has seen the sheet; nothing when nobody can be asked.
    pub fn confirm(&self, sheet: &Sheet, question: &str) -> Option<bool> {
        self.questions.as_ref().map(|ask| ask(sheet, question))
    }

    /// The line that a person answers who has seen the sheet; nothing when nobody can be asked.
    pub fn ask(&self, sheet: &Sheet, question: &str) -> Option<String> {
        self.asking.as_ref().and_then(|ask| ask(sheet, question))
    }

    fn settings(&self) -> &Settings {
        &self.settings.settings
    }

    /// The ledger, opened when it is first needed.
    pub fn ledger(&mut self) -> Result<&mut Ledger, Fault> {
        let ledger = match self.ledger.take() {
            Some(ledger) => ledger,
            None => self.open()?,
        };
        Ok(self.ledger.insert(ledger))
    }

    fn open(&self) -> Result<Ledger, Fault> {
        let hooks = self.settings.hooks.iter().map(|defined| defined.hook.clone()).collect();
        let options = Options { hooks, ..self.workplace.options() };
        let mut ledger = Ledger::open(&self.workplace.location, options)?;
        ledger.tell(self.progress.clone().map(through_the_log));
        Ok(ledger)
    }

    /// Looks at one consistent state of the ledger.
    pub fn read<T>(
        &mut self,
        mut look: impl FnMut(&mut Snapshot<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let key = self.key.clone();
        self.ledger()?.read(|snapshot| {
            admit(snapshot, key.as_ref())?;
            look(snapshot)
        })
    }

    /// Does the work of an operation in one transaction, in the name of `actor`. With an op id it is
    /// done once, and what it answers is recorded with it.
    pub fn write<T: Serialize + DeserializeOwned>(
        &mut self,
        actor: &str,
        work: impl FnMut(&mut Transaction<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.write_as(&by(actor), work)
    }

    /// The same, where more is known of who acts than a name.
    pub fn write_as<T: Serialize + DeserializeOwned>(
        &mut self,
        provenance: &Provenance,
        mut work: impl FnMut(&mut Transaction<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let key = self.key.clone();
        let mut work =
            |tx: &mut Transaction<'_>| work(tx).or_else(|error| Err(with_way_back(tx, error)?));
        let Some(mut once) = self.once.take() else {
            return self.ledger()?.write(provenance, |tx| {
                bind(tx, key.as_ref())?;
                work(tx)
            });
        };
        if once.has_ended() {
            return Err(Fault::bug("an operation under an op id is one transaction").into());
        }
        let actor = &provenance.actor;
        let done = self
            .ledger()?
            .write(provenance, |tx| {
                bind(tx, key.as_ref())?;
                once.execute(tx, actor, &mut work)
            })
            .map_err(|error| elsewhere(error, &once));
        let (value, outcome) = done?;
        once.ended(outcome);
        self.once = Some(once);
        Ok(value)
    }

    /// Does one of the many transactions of an operation that can be begun again where it stopped,
    /// and therefore needs no op id.
    pub fn write_part<T>(
        &mut self,
        actor: &str,
        mut work: impl FnMut(&mut Transaction<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let key = self.key.clone();
        self.ledger()?.write(&by(actor), |tx| {
            bind(tx, key.as_ref())?;
            work(tx)
        })
    }

    /// Prepares for an operation, which happens once if the door brought an op id. Here, and nowhere
    /// else, it is decided whether the key of the caller opens it.
    pub(crate) fn begin<O: Operation>(&mut self, operation: &O) -> Result<(), Error> {
        let op_id = self.op_id.take();
        if let Some(key) = &self.key {
            refuse_closed(key, O::NAME, O::ACCESS)?;
        }
        let Some(op_id) = op_id else {
            return Ok(());
        };
        if O::SECRET_ANSWER {
            return Err(usage(
                &format!("{} takes no op id: its answer is a secret", O::NAME.replace('.', " ")),
                "leave --op-id out: what is answered under an op id is kept, and a secret must not be",
            )
            .into());
        }
        if O::PLACE == Place::Workplace {
            return Err(usage(
                &format!("{} takes no op id", O::NAME.replace('.', " ")),
                "leave --op-id out: op ids are for operations that are one transaction",
            )
            .into());
        }
        self.once = Some(Once::given(op_id, O::NAME, arguments_of(operation)?));
        Ok(())
    }

    /// Does an operation for a part of the program that wants its answer as it is, here or on the
    /// server of the caller. What a door is asked for comes through
    /// [`Request::run`](crate::table::Request::run).
    pub fn perform<O: Operation>(&mut self, operation: &O) -> Result<O::Output, Error> {
        if let Some(remote) = &mut self.remote {
            return remote.perform(operation);
        }
        // It may be a part of another operation, whose op id is not its own.
        let outer = self.once.take();
        let answer = self.begin(operation).and_then(|()| operation.run(self));
        self.once = outer;
        answer
    }

    /// Lets an operation happen once for what it asks of the task that `source` names.
    pub(crate) fn once_for<O: Operation>(
        &mut self,
        operation: &O,
        source: &str,
    ) -> Result<(), Error> {
        if self.once.is_some() {
            return Err(usage(
                "give --op-id or --auto-op-id, not both",
                "an op id of your own needs no other",
            )
            .into());
        }
        self.once = Some(Once::of_request(O::NAME, arguments_of(operation)?, source));
        Ok(())
    }

    /// Under which op id the operation happened, if it was one that writes.
    pub(crate) fn end(&mut self) -> Option<Outcome> {
        self.once.take().and_then(Once::outcome)
    }

    /// The name under which the caller acts, and whether it was given on purpose. With a key it is
    /// its owner's, and nobody else's.
    pub fn identity(&self, given: Option<Name<'_>>) -> Result<(String, bool), Refusal> {
        if let Some(key) = &self.key {
            return match given {
                Some(Name { text, .. }) if text != key.owner.name() => Err(other_name(key, text)),
                Some(_) | None => Ok((key.owner.name().to_owned(), true)),
            };
        }
        if let Some(Name { field, text }) = given {
            return Ok((windlass_domain::text::name(field, text)?, true));
        }
        match &self.surroundings.agent {
            Some(name) => Ok((windlass_domain::text::name("agent", name)?, true)),
            None => Ok((self.surroundings.user.clone(), false)),
        }
    }

    /// The agent that will own a claim: it must be named.
    pub fn agent(&self, given: Option<Name<'_>>) -> Result<String, Refusal> {
        match self.identity(given)? {
            (name, true) => Ok(name),
            (_, false) => {
                Err(Refusal::new(Code::AgentRequired, "a claim needs the agent that will own it")
                    .hint("give --agent NAME or set WINDLASS_AGENT"))
            }
        }
    }

    /// The name of the person who decides what there is and who is what. An agent with a key is not
    /// let in that far; without keys, whoever is named as one is an agent, whatever name it gives.
    pub fn person(&self, given: Option<&String>) -> Result<String, Refusal> {
        match self.surroundings.agent.as_ref().filter(|_| self.key.is_none()) {
            Some(agent) => Err(Refusal::new(
                Code::NotAllowed,
                format!("{agent} is an agent; this is for people"),
            )
            .hint("ask a person to do it, who sets no WINDLASS_AGENT")
            .detail("agent", agent)),
            None => Ok(self.identity(Name::author(given))?.0),
        }
    }

    /// Refuses to override rules with the key of an agent.
    pub fn refuse_force(&self) -> Result<(), Refusal> {
        let Some(key) = self.key.as_ref().filter(|key| key.owner.is_agent()) else {
            return Ok(());
        };
        Err(Refusal::new(Code::NotAllowed, format!("--force is not for {}", key.owner))
            .hint("leave --force out, or ask a person: an agent's key overrides no rules")
            .detail("owner", &key.owner))
    }

    /// How much of the log the caller may see.
    pub fn sight(&self) -> Result<Sight, Error> {
        let reader = Asker::default().known(self)?.untyped();
        Ok(Sight {
            without_keys: self.key.as_ref().is_some_and(|key| !key.may(Access::Admin)),
            of_agent: Some(reader).filter(Reader::is_agent),
        })
    }

    /// The projects that the caller may change; all when empty.
    pub fn bound(&self) -> &[ProjectId] {
        self.key.as_ref().map_or(&[], |key| &key.projects)
    }

    /// The lease of a new claim: as asked, else by the settings, else none.
    pub fn lease(&self, given: Option<&str>) -> Result<Option<Span>, Refusal> {
        match given {
            Some(text) => Span::parse("lease", text).map(Some),
            None => Ok(self.surroundings.wishes.lease.or(self.settings().claims_lease)),
        }
    }

    pub fn required(&self) -> Required {
        self.settings().claims_require
    }

    /// Whether pauses end by themselves where nobody says so.
    pub fn auto_unpause(&self) -> bool {
        let wished = self.surroundings.wishes.auto_unpause;
        wished.unwrap_or(self.settings().workflows_auto_unpause)
    }

    /// The project to use when none is named. Who may change only some has no other default.
    pub fn default_project(&self) -> Option<&str> {
        let wished = self.surroundings.wishes.project.as_deref();
        let ours = || self.settings().project.as_deref().filter(|_| self.bound().is_empty());
        wished.or_else(ours)
    }

    /// The text of a file where the caller is; `-` is the standard input.
    pub fn local_text(&mut self, path: &str) -> Result<String, Error> {
        self.local_text_within(path, usize::MAX)
    }

    /// The same of at most so many bytes: what is longer, or never ends, is not read further.
    pub fn local_text_within(&mut self, path: &str, limit_bytes: usize) -> Result<String, Error> {
        if self.surroundings.files == Files::Servers {
            return Err(Refusal::new(Code::WorkplaceOnly, "a server opens no file for a caller")
                .hint("send what the file says instead of its name")
                .detail("file", path)
                .into());
        }
        let most = u64::try_from(limit_bytes).unwrap_or(u64::MAX).saturating_add(1);
        let mut bytes = Vec::new();
        let read = match path {
            "-" => std::io::stdin().lock().take(most).read_to_end(&mut bytes),
            path => {
                std::fs::File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes))
            }
        };
        if bytes.len() > limit_bytes {
            let what = if path == "-" { "the standard input" } else { path };
            let message = format!("{what} has more than {limit_bytes} bytes");
            return Err(Refusal::new(Code::TooLarge, message)
                .hint("split it into several")
                .detail("file", path)
                .detail("limit", limit_bytes)
                .into());
        }
        match read.and_then(|_length| std::io::read_to_string(bytes.as_slice())) {
            Ok(text) => {
                if let Some(once) = &mut self.once {
                    once.also_read(&text);
                }
                Ok(text)
            }
            Err(error) => {
                Err(Fault::new(Code::FileUnusable, format!("{path}: {}", in_words(&error)))
                    .hint("check the path, its permissions, and that it is UTF-8 text")
                    .detail("file", path)
                    .into())
            }
        }
    }

    /// The time, for what is shown to people outside any transaction.
    pub fn now(&self) -> Time {
        self.clock().now()
    }

    /// The clock by which time passes here.
    pub fn clock(&self) -> Arc<dyn Clock> {
        match &self.workplace.clock {
            Some(clock) => Arc::clone(clock),
            None => Arc::new(SystemClock),
        }
    }
}

/// Refuses a key that opens nothing now. It may have been revoked, or its text changed, a moment ago,
/// so what counts is the state that the caller reads or changes.
fn admit(snapshot: &mut Snapshot<'_>, key: Option<&Key>) -> Result<(), Error> {
    let Some(key) = key else { return Ok(()) };
    let now = snapshot.now();
    match snapshot.key_by_digest(&key.digest)? {
        Some(found) if found.id == key.id && found.is_valid(now) => Ok(()),
        Some(_) | None => Err(key::required().into()),
    }
}

/// The same, where something is changed: only what is of the projects of the key.
fn bind(tx: &mut Transaction<'_>, key: Option<&Key>) -> Result<(), Error> {
    admit(tx, key)?;
    tx.bound_to(key.map_or(&[], |key| &key.projects));
    Ok(())
}

/// Refuses what a key does not open.
fn refuse_closed(key: &Key, operation: &str, access: Access) -> Result<(), Refusal> {
    if key.may(access) {
        return Ok(());
    }
    let (words, needed) = (operation.replace('.', " "), access.as_str());
    let Key { owner, role, .. } = key;
    let message =
        format!("{words} needs the right to {needed}; this is a key for {owner} as {role}");
    Err(Refusal::new(Code::NotAllowed, message)
        .hint(match owner.is_agent() {
            true => "ask a person to do it: an agent's key only reads and works",
            false => "ask somebody with an admin key",
        })
        .detail("operation", operation)
        .detail("access", access)
        .detail("owner", owner)
        .detail("role", role))
}

fn other_name(key: &Key, given: &str) -> Refusal {
    let own = key.owner.name();
    Refusal::new(Code::NotAllowed, format!("this key acts as {own}, not as {given}"))
        .hint(format!("leave --agent out, or use a key made for {given}"))
        .detail("owner", &key.owner)
        .detail("given", given)
}

fn by(actor: &str) -> Provenance {
    Provenance { actor: actor.to_owned(), ..Provenance::default() }
}

/// Operations over the whole log all count its events.
fn through_the_log(progress: Listening) -> windlass_ledger::Listener {
    let doing = "working through the log";
    Arc::new(move |done| {
        progress(Progress::Counted(Step { doing, done, of: None, unit: "events" }));
    })
}

/// A name that was given, and as what.
#[derive(Debug, Clone, Copy)]
pub struct Name<'a> {
    field: &'static str,
    text: &'a str,
}

impl<'a> Name<'a> {
    pub fn author(given: Option<&'a String>) -> Option<Self> {
        given.map(|text| Self { field: "author", text })
    }

    pub fn agent(given: Option<&'a String>) -> Option<Self> {
        given.map(|text| Self { field: "agent", text })
    }

    /// An agent, or else an author.
    pub fn either(agent: Option<&'a String>, author: Option<&'a String>) -> Option<Self> {
        Self::agent(agent).or(Self::author(author))
    }
}

/// What was put away comes back by `task restore`, but not in a project that was deleted: there the
/// way back begins elsewhere.
fn with_way_back(tx: &mut Transaction<'_>, error: Error) -> Result<Error, Fault> {
    let Error::Refused(refusal) = error else { return Ok(error) };
    let detail = |name: &str| refusal.details.get(name).and_then(serde_json::Value::as_str);
    let is_away = refusal.code == Code::TaskArchived
        || refusal.code == Code::InvalidTransition
            && detail("status") == Some(Status::Archived.as_str());
    let id = detail("task_id").filter(|_| is_away).and_then(|id| id.parse().ok());
    let Some(task) = id.map(|id| tx.task(id)).transpose()?.flatten() else {
        return Ok(refusal.into());
    };
    match tx.project(task.project)?.refuse_if_deleted(task.id) {
        Ok(()) => Ok(refusal.into()),
        Err(deleted) => Ok(Refusal { hint: deleted.hint, ..refusal }.into()),
    }
}
