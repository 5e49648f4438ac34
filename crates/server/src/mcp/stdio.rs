//! The door on the standard streams, for an agent that starts its own.

use rmcp::serve_server;
use rmcp::service::ServerInitializeError;
use rmcp::transport::stdio_pipes;
use windlass_ledger::{Error, Fault};
use windlass_ops::context::{Presence, Surroundings};

use super::calls::Calls;
use super::door::{Door, Guest};
use super::lines::Lines;
use super::toolset::Toolset;
use super::watch::Watch;
use crate::caller::{Caller, Local};
use crate::desk::{Desk, Office};

/// Answers on the standard streams until the caller closes them. `tools` names a set; without one
/// the small one is shown.
pub fn run(office: Office, tools: Option<&str>) -> Result<(), Error> {
    let guest = guest(&office.surroundings, tools)?;
    let desk = Desk::open(office.clone())?;
    let ended = converse(Door::new(desk.clone(), Some(guest), Some(Watch::new(office))));
    desk.close();
    ended
}

/// The same for a ledger elsewhere. Its changes cannot be watched.
pub fn relay(
    calls: impl Calls,
    surroundings: &Surroundings,
    tools: Option<&str>,
) -> Result<(), Error> {
    converse(Door::new(calls, Some(guest(surroundings, tools)?), None))
}

fn guest(surroundings: &Surroundings, tools: Option<&str>) -> Result<Guest, Error> {
    let tools = tools.map(Toolset::parse).transpose()?.unwrap_or_default();
    let Surroundings { agent, user, fence, wishes, .. } = surroundings.clone();
    Ok(Guest {
        caller: Caller::Local(Local { agent, user, fence, wishes, presence: Presence::Unknown }),
        tools,
    })
}

fn converse<C: Calls>(door: Door<C>) -> Result<(), Error> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|source| Fault::bug("no thread can be started").because(source))?;
    let ended = runtime.block_on(answer(door));
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
