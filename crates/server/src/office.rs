//! What every thread of the desk works with.

use windlass_domain::key;
use windlass_ledger::Error;
use windlass_ops::context::{Files, Surroundings};
use windlass_ops::settings::Resolved;
use windlass_ops::{Context, Workplace};

use crate::caller::Caller;

/// The ledger of a server, and the settings that count there.
#[derive(Debug, Clone)]
pub struct Office {
    pub workplace: Workplace,
    pub surroundings: Surroundings,
    pub settings: Resolved,
}

impl Office {
    /// A context of its own for one thread, with a connection of its own once it is needed.
    pub(crate) fn context(&self) -> Context {
        let Self { workplace, surroundings, settings } = self.clone();
        let surroundings = Surroundings { files: Files::Servers, ..surroundings };
        Context::new(workplace, surroundings, settings)
    }
}

/// Lets the next operation be done for `caller`.
pub(crate) fn admit(cx: &mut Context, caller: &Caller) -> Result<(), Error> {
    match caller {
        Caller::Local(local) => {
            cx.key = None;
            cx.surroundings.agent.clone_from(&local.agent);
            cx.surroundings.user.clone_from(&local.user);
            cx.surroundings.fence.clone_from(&local.fence);
            cx.surroundings.wishes.clone_from(&local.wishes);
        }
        Caller::Key { digest, fence, wishes } => {
            let found = cx.ledger()?.read(|snapshot| Ok(snapshot.key_by_digest(digest)?))?;
            let key = found.ok_or_else(key::required)?;
            cx.surroundings.agent = None;
            key.owner.name().clone_into(&mut cx.surroundings.user);
            cx.surroundings.fence.clone_from(fence);
            cx.surroundings.wishes.clone_from(wishes);
            cx.key = Some(key);
        }
    }
    Ok(())
}
