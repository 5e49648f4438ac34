//! The door on the standard streams, for an agent that starts its own.

use std::time::Duration;

use rmcp::serve_server;
use rmcp::service::ServerInitializeError;
use rmcp::transport::stdio_pipes;
use serde_json::json;
use windlass_domain::Refusal;
use windlass_ledger::{Error, Fault};
use windlass_ops::context::{Presence, Surroundings, Wishes};
use windlass_ops::operation::Operation as _;
use windlass_ops::table::Entry;
use windlass_ops::whoami::{Known, Whoami};

use super::calls::Calls;
use super::door::{Door, Guest};
use super::lines::Lines;
use super::toolset::Toolset;
use super::watch::Watch;
use crate::caller::{Caller, Local};
use crate::desk::{Call, Desk, Office};

/// An agent that starts its tools does not wait longer for a server elsewhere.
const SOON: Duration = Duration::from_secs(2);

/// Answers on the standard streams until the caller closes them. `tools` names a set; without one
/// the small one is shown.
pub fn run(office: Office, tools: Option<&str>) -> Result<(), Error> {
    let guest = Guest { caller: caller(&office.surroundings), tools: toolset(tools)? };
    let desk = Desk::open(office.clone())?;
    let door = Door::new(desk.clone(), Some(guest), Some(Watch::new(office)));
    let ended = converse(answer(door));
    desk.close();
    ended
}

/// The same for a ledger elsewhere, which says what its key may use. Its changes cannot be watched.
pub fn relay(
    calls: impl Calls,
    surroundings: &Surroundings,
    tools: Option<&str>,
) -> Result<(), Error> {
    let (caller, named) = (caller(surroundings), toolset(tools)?);
    converse(async move {
        let tools = match known(&calls, &caller).await {
            Some(known) => usable(&known, tools.is_some().then_some(named))?,
            // A server that cannot be asked now says it with every call.
            None => named,
        };
        answer(Door::new(calls, Some(Guest { caller, tools }), None)).await
    })
}

fn caller(surroundings: &Surroundings) -> Caller {
    let Surroundings { agent, user, fence, wishes, variables, .. } = surroundings.clone();
    // Whoever started this process is who calls, so that its variables count.
    let wishes = Wishes { session: variables.session().map(str::to_owned), ..wishes };
    Caller::Local(Local { agent, user, fence, wishes, presence: Presence::Unknown })
}

fn toolset(tools: Option<&str>) -> Result<Toolset, Refusal> {
    Ok(tools.map(Toolset::parse).transpose()?.unwrap_or_default())
}

/// As whom the server knows the caller, if it can be asked soon.
async fn known(calls: &impl Calls, caller: &Caller) -> Option<Known> {
    let (entry, caller) = (Entry::named(Whoami::NAME)?, caller.clone());
    let call = Call { entry, arguments: json!({}), caller, op_id: None };
    let answer = tokio::time::timeout(SOON, calls.call(call)).await.ok()?;
    serde_json::from_str(&answer.ok()?).ok()
}

/// The tools that were named, else those of the key; of these, what it may use.
fn usable(known: &Known, named: Option<Toolset>) -> Result<Toolset, Refusal> {
    let tools = match named {
        Some(named) => named,
        None => toolset(known.tools.as_deref())?,
    };
    Ok(tools.usable(|access| known.may.iter().any(|word| word == access.as_str())))
}

fn converse(conversation: impl Future<Output = Result<(), Error>>) -> Result<(), Error> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|source| Fault::bug("no thread can be started").because(source))?;
    let ended = runtime.block_on(conversation);
    // A read that nobody will ever end may be under way.
    runtime.shutdown_background();
    ended
}

async fn answer<C: Calls>(door: Door<C>) -> Result<(), Error> {
    let (read, write) = stdio_pipes();
    match serve_server(door, Lines::new(read, write)).await {
        Ok(serving) => match serving.waiting().await {
            Ok(_) => Ok(()),
            Err(source) => Err(Fault::bug("the conversation broke off").because(source).into()),
        },
        // Whoever leaves before the greeting has nothing more to be told.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(source) => Err(Fault::bug("the conversation did not begin").because(source).into()),
    }
}
