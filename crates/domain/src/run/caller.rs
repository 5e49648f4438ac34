//! Who does something to a run, and whether they may.

use super::state::Run;
use super::word::{Authority, Door, Gates, OwnerStatus};
use crate::event::RunEvent;
use crate::{Code, Refusal, Time};

/// Who calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    pub name: String,
    /// The name was given, and is not that of whoever is logged in.
    pub is_named: bool,
    pub authority: Authority,
    pub door: Door,
    /// The hash of the owner's token that was shown, in hexadecimal.
    pub token_sha256: Option<String>,
}

/// Why something was not done.
#[derive(Debug, Clone, PartialEq)]
pub enum Denied {
    Refused(Refusal),
    /// A budget is used up: that is recorded, and the rest refused.
    Stopped(Box<RunEvent>, Refusal),
}

impl Denied {
    pub fn into_refusal(self) -> Refusal {
        match self {
            Self::Refused(refusal) | Self::Stopped(_, refusal) => refusal,
        }
    }

    pub fn refusal(&self) -> &Refusal {
        match self {
            Self::Refused(refusal) | Self::Stopped(_, refusal) => refusal,
        }
    }
}

impl From<Refusal> for Denied {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl Run {
    /// Lets in who may work on it: anybody while nobody owns it, else who shows the token.
    pub(super) fn admit(&self, caller: &Caller, now: Time) -> Result<(), Refusal> {
        let refuse = |message: &str, hint: String| {
            Err(self.refusal(Code::OwnerRequired, message).hint(hint))
        };
        match self.owner.status {
            OwnerStatus::Unclaimed | OwnerStatus::Released if self.require_owner => refuse(
                "This run requires an active controller; claim controller ownership first",
                self.command("owner claim --owner NAME"),
            ),
            OwnerStatus::Unclaimed | OwnerStatus::Released => Ok(()),
            OwnerStatus::Active if self.owner.lease_ran_out(now) => refuse(
                "Controller lease expired; use owner takeover with a recorded reason",
                self.command("owner takeover --owner NAME --reason TEXT"),
            ),
            OwnerStatus::Active => match &caller.token_sha256 {
                None => refuse(
                    "Active run requires the controller ownership token in HOTL_OWNER_TOKEN",
                    "set HOTL_OWNER_TOKEN to the token that the claim answered".to_owned(),
                ),
                shown if *shown == self.owner.token_sha256 => Ok(()),
                Some(_) => refuse(
                    "Invalid controller ownership token",
                    format!("see who owns the run: {}", self.command("owner status")),
                ),
            },
        }
    }

    /// Lets in a person, who oversees a run without owning it, and who may work on it.
    pub(super) fn admit_overseer(&self, caller: &Caller, now: Time) -> Result<(), Refusal> {
        match caller.authority.is_person() {
            true => Ok(()),
            false => self.admit(caller, now),
        }
    }

    /// Where gates are enforced, only a person loosens what was set.
    pub(super) fn need_person(&self, caller: &Caller, what: &str) -> Result<(), Refusal> {
        if self.gates == Gates::Attested || caller.authority.is_person() {
            return Ok(());
        }
        Err(self
            .refusal(Code::PersonRequired, format!("{what} needs a person"))
            .hint("do it at a terminal, on the page of the run, or with a key that may approve")
            .detail("authority", caller.authority))
    }

    pub(super) fn refusal(&self, code: Code, message: impl Into<String>) -> Refusal {
        Refusal::new(code, message).detail("run_id", self.name.as_str())
    }
}
