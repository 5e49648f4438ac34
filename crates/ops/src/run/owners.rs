//! `run owner …`: who works on a run alone.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::Time;
use windlass_domain::event::RunEvent;
use windlass_domain::run::driver::Seen;
use windlass_domain::run::owner::{self, Bid, Grounds, Taking, shown};
use windlass_domain::run::word::OwnerStanding;
use windlass_domain::run::{Caller, Denied, Run};
use windlass_hands::process::is_gone;
use windlass_ledger::{Error, owner_token};

use super::change::{Act, Doer, Whereabouts, digest};
use super::mirror;
use super::steps::run_operation;
use super::target::Target;
use crate::context::Context;
use crate::operation::{Access, Operation, Output};
use crate::sheet::{Cell, Sheet};

/// How long a run is owned without a sign of life, where nobody says it.
pub const USUAL_LEASE_SECONDS: i64 = 300;

/// Who owns a run, and the token where it is new.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Owned {
    #[serde(flatten)]
    pub whereabouts: Whereabouts,
    /// unclaimed, active, stale or released.
    #[schemars(with = "String")]
    pub status: OwnerStanding,
    pub owner_id: Option<String>,
    pub claimed_at: Option<String>,
    pub heartbeat_at: Option<String>,
    pub lease_expires_epoch: Option<i64>,
    pub released_at: Option<String>,
    /// Shown once: only its hash is kept. Put it into `HOTL_OWNER_TOKEN`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// The hash of its token: says which owner is meant, when the run is taken from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_sha256: Option<String>,
}

impl Owned {
    fn of(run: &Run, now: Time, token: Option<&str>) -> Self {
        let shown = shown(run, now);
        Self {
            whereabouts: Whereabouts::of(run),
            status: shown.status,
            owner_id: shown.owner_id,
            claimed_at: shown.claimed_at.map(|at| at.to_string()),
            heartbeat_at: shown.heartbeat_at.map(|at| at.to_string()),
            lease_expires_epoch: shown.lease_expires_epoch,
            released_at: shown.released_at.map(|at| at.to_string()),
            token_sha256: shown.token_sha256,
            token: token.map(str::to_owned),
        }
    }

    /// It drove the run on this machine, and its process is gone.
    pub(super) fn was_killed(&self, cx: &Context) -> bool {
        let seen = Seen {
            standing: self.status,
            owner: self.owner_id.as_deref(),
            machine: &self.whereabouts.machine,
            here: &cx.surroundings.host,
        };
        seen.was_killed(is_gone)
    }

    fn mirror(&self, cx: &mut Context) {
        mirror::write(cx, &self.whereabouts);
    }
}

impl Output for Owned {
    fn sheet(&self, _now: Time) -> Sheet {
        let (owner, run) = (self.owner_id.as_deref(), &self.whereabouts.run_id);
        let line = match (self.status, owner) {
            (OwnerStanding::Active, Some(owner)) => format!("{owner} owns run {run}"),
            (OwnerStanding::Stale, Some(owner)) => {
                format!("{owner} owns run {run}, and its lease has run out")
            }
            (OwnerStanding::Released, Some(owner)) => {
                format!("nobody owns run {run}; {owner} gave it back")
            }
            (OwnerStanding::Unclaimed, _) | (_, None) => format!("nobody owns run {run}"),
        };
        match &self.token {
            Some(token) => Sheet::line(line)
                .and_line(format!("HOTL_OWNER_TOKEN={token}"))
                .and_line(Cell::dim("the token is shown once")),
            None => Sheet::line(line),
        }
    }
}

macro_rules! new_owner {
    ($self:ident, $cx:ident, $owner:expr, |$run:ident, $bid:ident, $caller:ident, $now:ident| $decide:expr) => {{
        let token = owner_token()?;
        let $bid = Bid {
            owner: $owner.clone(),
            token_sha256: digest(&token),
            lease_seconds: $self.lease_seconds,
        };
        Act { target: &$self.target, doer: &$self.doer }.record(
            $cx,
            |$run, $caller, $now| -> Result<Vec<RunEvent>, Denied> { Ok($decide?) },
            |_, run, now| Ok(Owned::of(run, now, Some(&token))),
        )
    }};
}

/// Takes a run that nobody owns.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct OwnerClaim {
    /// Who owns it from now on
    #[arg(long, value_name = "ID")]
    pub owner: String,
    /// How long without a sign of life
    #[arg(long, value_name = "N", default_value_t = USUAL_LEASE_SECONDS, allow_negative_numbers = true)]
    #[serde(default = "usual_lease")]
    pub lease_seconds: i64,
    #[command(flatten)]
    #[serde(flatten)]
    pub target: Target,
    #[command(flatten)]
    #[serde(flatten)]
    pub doer: Doer,
}

const fn usual_lease() -> i64 {
    USUAL_LEASE_SECONDS
}

impl Operation for OwnerClaim {
    type Output = Owned;
    const NAME: &'static str = "run.owner.claim";
    const ABOUT: &'static str = "Own a run: from now on changes to it need the token";
    const EXAMPLE: &'static str = "windlass run owner claim --owner worker-1";
    const ACCESS: Access = Access::Write;
    const SECRET_ANSWER: bool = true;

    fn run(&self, cx: &mut Context) -> Result<Owned, Error> {
        new_owner!(self, cx, self.owner, |run, bid, _caller, now| owner::claim(run, &bid, now))
    }

    run_operation!();
}

/// Gives a run to another owner.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct OwnerHandoff {
    /// Who owns it from now on
    #[arg(long, value_name = "ID")]
    pub to_owner: String,
    /// How long without a sign of life
    #[arg(long, value_name = "N", default_value_t = USUAL_LEASE_SECONDS, allow_negative_numbers = true)]
    #[serde(default = "usual_lease")]
    pub lease_seconds: i64,
    #[command(flatten)]
    #[serde(flatten)]
    pub target: Target,
    #[command(flatten)]
    #[serde(flatten)]
    pub doer: Doer,
}

impl Operation for OwnerHandoff {
    type Output = Owned;
    const NAME: &'static str = "run.owner.handoff";
    const ABOUT: &'static str = "Give a run that you own to another owner";
    const EXAMPLE: &'static str = "windlass run owner handoff --to-owner worker-2";
    const ACCESS: Access = Access::Write;
    const SECRET_ANSWER: bool = true;

    fn run(&self, cx: &mut Context) -> Result<Owned, Error> {
        new_owner!(self, cx, self.to_owner, |run, bid, caller, now| {
            owner::hand_off(run, &bid, caller, now)
        })
    }

    run_operation!();
}

/// Takes a run from whoever owns it.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct OwnerTakeover {
    /// Who owns it from now on
    #[arg(long, value_name = "ID")]
    pub owner: String,
    /// Why
    #[arg(long, value_name = "TEXT", default_value = "")]
    #[serde(default)]
    pub reason: String,
    /// Although the lease has not run out; where gates are enforced, only a person may
    #[arg(long)]
    #[serde(default)]
    pub force: bool,
    /// Only from the owner whose token has this hash
    #[arg(long, value_name = "HASH")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// How long without a sign of life
    #[arg(long, value_name = "N", default_value_t = USUAL_LEASE_SECONDS, allow_negative_numbers = true)]
    #[serde(default = "usual_lease")]
    pub lease_seconds: i64,
    #[command(flatten)]
    #[serde(flatten)]
    pub target: Target,
    #[command(flatten)]
    #[serde(flatten)]
    pub doer: Doer,
}

impl Operation for OwnerTakeover {
    type Output = Owned;
    const NAME: &'static str = "run.owner.takeover";
    const ABOUT: &'static str = "Take a run whose owner is gone";
    const EXAMPLE: &'static str =
        "windlass run owner takeover --owner worker-2 --reason \"worker-1 is gone\"";
    const ACCESS: Access = Access::Write;
    const SECRET_ANSWER: bool = true;

    fn run(&self, cx: &mut Context) -> Result<Owned, Error> {
        let gone = self.gone(cx);
        let grounds = match (self.force, &gone) {
            (false, _) => Grounds::Lease,
            (true, Some(_)) => Grounds::Gone,
            (true, None) => {
                cx.refuse_force()?;
                Grounds::Force
            }
        };
        let from = gone.as_deref().or(self.from.as_deref());
        let taking = Taking { reason: &self.reason, grounds, from };
        new_owner!(self, cx, self.owner, |run, bid, caller, now| {
            owner::take_over(run, &bid, taking, caller, now)
        })
    }

    run_operation!();
}

impl OwnerTakeover {
    /// The owner that is meant, by the hash of its token, if this machine shows that it is gone.
    fn gone(&self, cx: &mut Context) -> Option<String> {
        if !self.force {
            return None;
        }
        let owner = cx.perform(&OwnerStatus { target: self.target.clone() }).ok()?;
        let is_meant = self.from.is_none() || self.from == owner.token_sha256;
        owner.token_sha256.clone().filter(|_| is_meant && owner.was_killed(cx))
    }
}

/// Says that the owner is still there.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct OwnerHeartbeat {
    /// How long without another sign of life
    #[arg(long, value_name = "N", default_value_t = USUAL_LEASE_SECONDS, allow_negative_numbers = true)]
    #[serde(default = "usual_lease")]
    pub lease_seconds: i64,
    #[command(flatten)]
    #[serde(flatten)]
    pub target: Target,
    #[command(flatten)]
    #[serde(flatten)]
    pub doer: Doer,
}

impl Operation for OwnerHeartbeat {
    type Output = Owned;
    const NAME: &'static str = "run.owner.heartbeat";
    const ABOUT: &'static str = "Say that the owner of a run is still there";
    const EXAMPLE: &'static str = "windlass run owner heartbeat";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<Owned, Error> {
        let seconds = self.lease_seconds;
        let act = Act { target: &self.target, doer: &self.doer };
        changed(&act, cx, |run, caller, now| Ok(owner::heartbeat(run, seconds, caller, now)?))
    }

    run_operation!();
}

/// Gives a run back.
#[derive(Debug, Clone, Default, Args, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct OwnerRelease {
    #[command(flatten)]
    #[serde(flatten)]
    pub target: Target,
    #[command(flatten)]
    #[serde(flatten)]
    pub doer: Doer,
}

impl Operation for OwnerRelease {
    type Output = Owned;
    const NAME: &'static str = "run.owner.release";
    const ABOUT: &'static str = "Give a run back that you own";
    const EXAMPLE: &'static str = "windlass run owner release";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<Owned, Error> {
        let act = Act { target: &self.target, doer: &self.doer };
        changed(&act, cx, |run, caller, _| Ok(owner::release(run, caller)?))
    }

    run_operation!();
}

fn changed(
    act: &Act<'_>,
    cx: &mut Context,
    decide: impl Fn(&Run, &Caller, Time) -> Result<Vec<RunEvent>, Denied>,
) -> Result<Owned, Error> {
    act.record(cx, decide, |_, run, now| Ok(Owned::of(run, now, None)))
}

/// Says who owns a run.
#[derive(Debug, Clone, Default, Args, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct OwnerStatus {
    #[command(flatten)]
    #[serde(flatten)]
    pub target: Target,
}

impl Operation for OwnerStatus {
    type Output = Owned;
    const NAME: &'static str = "run.owner.status";
    const ABOUT: &'static str = "Say who owns a run";
    const EXAMPLE: &'static str = "windlass run owner status";
    const ACCESS: Access = Access::Read;

    fn run(&self, cx: &mut Context) -> Result<Owned, Error> {
        let target = self.target.chosen(cx)?;
        cx.read(|snapshot| {
            let kept = target.find(snapshot)?;
            Ok(Owned::of(&kept.run, snapshot.now(), None))
        })
    }

    fn for_a_server(&self, cx: &mut Context) -> Result<Option<Self>, Error> {
        Ok(Some(Self { target: self.target.chosen(cx)? }))
    }
}
