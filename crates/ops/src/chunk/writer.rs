//! Who writes chunks, and in which sitting.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::chunk::Author;
use windlass_domain::chunk::access::Reader;
use windlass_domain::session::Session;
use windlass_ledger::{Error, Snapshot};

use super::asker::{Asker, Known};
use crate::context::Context;
use crate::session::which::Which;

/// Who writes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Writer {
    #[command(flatten)]
    #[serde(flatten)]
    pub asker: Asker,
    /// The session in which this is done; else `WINDLASS_SESSION`, or the only one you have open
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
}

/// A [`Writer`] whose name is known. In which session it writes depends on the ledger.
#[derive(Debug, Clone)]
pub struct Sitter {
    pub known: Known,
    which: Which,
}

impl Writer {
    pub fn sitter(&self, cx: &Context) -> Result<Sitter, Error> {
        let which = Which::of(self.session.as_ref(), cx);
        Ok(Sitter { known: self.asker.known(cx)?, which })
    }

    /// The same as a server takes it, which knows nothing of the caller's environment.
    #[must_use]
    pub fn settled(&self, cx: &Context) -> Self {
        let session = Which::of(self.session.as_ref(), cx).named();
        Self { session, ..self.clone() }
    }
}

impl Sitter {
    /// Who writes, and the session that goes on, if there is one, once everything was done in it
    /// that its lifecycle asks for before anything is written.
    pub fn seated(&self, snapshot: &mut Snapshot<'_>) -> Result<(Reader, Option<Session>), Error> {
        let reader = self.known.reader(snapshot)?;
        let session = self.which.sitting(snapshot, &reader)?.map(|kept| kept.session);
        if let Some(session) = &session {
            session.admit_write(snapshot.now())?;
        }
        Ok((reader, session))
    }
}

/// The author of what somebody writes in a session.
pub fn author(reader: &Reader, session: Option<&Session>) -> Author {
    Author {
        name: reader.name.clone(),
        session: session.map(|session| session.id),
        run: session.and_then(|session| session.run),
    }
}
