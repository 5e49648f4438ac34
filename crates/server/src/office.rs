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

/// Lets the next operation be done for `caller`, whose key must count by the clock of the ledger.
pub(crate) fn admit(cx: &mut Context, caller: &Caller) -> Result<(), Error> {
    match caller {
        Caller::Local(local) => {
            cx.key = None;
            cx.surroundings.agent.clone_from(&local.agent);
            cx.surroundings.user.clone_from(&local.user);
            cx.surroundings.fence.clone_from(&local.fence);
            cx.surroundings.wishes.clone_from(&local.wishes);
            cx.surroundings.presence = local.presence;
        }
        Caller::Key { digest, fence, wishes } => {
            let key = cx.ledger()?.read(|snapshot| {
                let now = snapshot.now();
                let found = snapshot.key_by_digest(digest)?.filter(|key| key.is_valid(now));
                Ok(found.ok_or_else(key::required)?)
            })?;
            cx.surroundings.agent = None;
            key.owner.name().clone_into(&mut cx.surroundings.user);
            cx.surroundings.fence.clone_from(fence);
            cx.surroundings.wishes.clone_from(wishes);
            cx.key = Some(key);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicI64, Ordering};

    use serde_json::json;
    use windlass_domain::{Code, Time};
    use windlass_ledger::Clock;
    use windlass_ops::context::Wishes;

    use super::*;
    use crate::indoors::{Indoors, digest_of};

    /// What a caller is told who wants to look at nothing at all.
    fn refused(indoors: &Indoors, key: &str) -> Option<Code> {
        let caller = Caller::Key { digest: digest_of(key), fence: None, wishes: Wishes::default() };
        let looked = indoors.runtime.block_on(indoors.desk.look(caller, |_| Ok(())));
        looked.err().map(|error| error.code())
    }

    #[test]
    fn a_revoked_key_is_refused_even_where_nothing_is_read() {
        let indoors = Indoors::new();
        let made = indoors.does("key.create", json!({"for": "agent:ada", "role": "worker"}));
        let key = made["key"].as_str().unwrap();
        assert_eq!(refused(&indoors, key), None);
        indoors.does("key.revoke", json!({"key": made["key_id"]}));
        assert_eq!(refused(&indoors, key), Some(Code::KeyRequired));
    }

    struct Watch(AtomicI64);

    impl Clock for Watch {
        fn now(&self) -> Time {
            Time::from_millis(self.0.load(Ordering::Relaxed))
        }
    }

    #[test]
    fn an_expired_key_is_refused_even_where_nothing_is_read() {
        let watch = Arc::new(Watch(AtomicI64::new(1_800_000_000_000)));
        let clock: Arc<dyn Clock> = Arc::<Watch>::clone(&watch);
        let indoors = Indoors::with_clock(Some(clock));
        let wanted = json!({"for": "agent:ada", "role": "worker", "expires": "1h"});
        let made = indoors.does("key.create", wanted);
        let key = made["key"].as_str().unwrap();
        assert_eq!(refused(&indoors, key), None);
        watch.0.fetch_add(3_600_001, Ordering::Relaxed);
        assert_eq!(refused(&indoors, key), Some(Code::KeyRequired));
    }
}
