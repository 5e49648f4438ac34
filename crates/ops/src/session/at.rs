//! The session that a call is about, who calls, and what they do there.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::chunk::access::Reader;
use windlass_domain::event::SessionEvent;
use windlass_domain::inject::Injection;
use windlass_domain::session::Session;
use windlass_domain::{Refusal, Time};
use windlass_ledger::{Error, Snapshot};

use super::choose::Chosen;
use super::view::{Given, Sat, SessionView};
use super::which::Which;
use crate::chunk::asker::{Asker, Known};
use crate::context::Context;

/// Sessions that are recorded as expired by a call that is about sessions anyway. Whoever sweeps
/// records them all.
pub(super) const NOTICED: u64 = 20;

/// Which session, and who asks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct At {
    /// The session; without one, `WINDLASS_SESSION`, or the only one that is open
    #[arg(value_name = "SESSION")]
    pub session: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    pub asker: Asker,
}

impl At {
    /// The same as a server takes it, which knows nothing of the caller's environment.
    pub(super) fn settled(&self, cx: &Context) -> Self {
        let session = Which::of(self.session.as_ref(), cx).named();
        Self { session, ..self.clone() }
    }

    pub(super) fn known(&self, cx: &Context) -> Result<(Known, Which), Error> {
        Ok((self.asker.known(cx)?, Which::of(self.session.as_ref(), cx)))
    }

    /// Does something by which the session is given chunks, and answers with both.
    pub(super) fn sit(
        &self,
        cx: &mut Context,
        choose: impl Fn(&mut Snapshot<'_>, &Session, &Reader) -> Result<Chosen, Error>,
        decide: impl Fn(&Session, Injection, &Reader, Time) -> Result<Vec<SessionEvent>, Refusal>,
    ) -> Result<Sat, Error> {
        let (asker, which) = self.known(cx)?;
        cx.write(&asker.name, |tx| {
            tx.expire_sessions(NOTICED)?;
            let reader = asker.reader(tx)?;
            let kept = which.find(tx, &reader)?;
            let chosen = choose(tx, &kept.session, &reader)?;
            let injection = chosen.injection.clone();
            let events = decide(&kept.session, injection, &reader, tx.now())?;
            let kept = tx.record_session(&kept, events)?;
            Ok(Sat { session: SessionView::of(tx, &kept.session)?, given: Given::of(&chosen) })
        })
    }
}

/// An operation that is about one session, which the caller may have named where it is.
macro_rules! at_a_session {
    () => {
        fn for_a_server(&self, cx: &mut Context) -> Result<Option<Self>, Error> {
            let mut settled = self.clone();
            settled.at = self.at.settled(cx);
            Ok(Some(settled))
        }
    };
}

pub(super) use at_a_session;
