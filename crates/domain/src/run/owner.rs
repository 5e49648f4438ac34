//! The owner of a run: who has claimed it works on it alone, until the lease runs out.

use serde::Serialize;

use super::caller::Caller;
use super::event::RunOwnerChanged;
use super::state::Run;
use super::state_file::Moment;
use super::step::given;
use super::word::{OwnerChange, OwnerStanding, OwnerStatus};
use crate::duration::Span;
use crate::event::RunEvent;
use crate::{Code, Refusal, Time};

const LONGEST_LEASE_SECONDS: i64 = 604_800;

/// A claim on a run: who, under which new token, for how long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bid {
    pub owner: String,
    /// The hash of a token made for this claim, in hexadecimal.
    pub token_sha256: String,
    pub lease_seconds: i64,
}

/// Why the owner of a run loses it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grounds {
    /// Its lease has run out.
    Lease,
    /// Somebody has looked at it.
    Force,
    /// Its process was looked for, and is gone.
    Gone,
}

/// How a run is taken from its owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Taking<'a> {
    pub reason: &'a str,
    pub grounds: Grounds,
    /// The hash of the token of the owner that is meant; whoever it is where none is given.
    pub from: Option<&'a str>,
}

/// Who owns a run now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OwnerShown {
    pub status: OwnerStanding,
    pub owner_id: Option<String>,
    pub claimed_at: Option<Moment>,
    pub heartbeat_at: Option<Moment>,
    pub lease_expires_epoch: Option<i64>,
    pub released_at: Option<Moment>,
    pub token_sha256: Option<String>,
}

/// Who owns a run now.
pub fn shown(run: &Run, now: Time) -> OwnerShown {
    let owner = &run.owner;
    let status = match owner.status {
        OwnerStatus::Unclaimed => OwnerStanding::Unclaimed,
        OwnerStatus::Active if owner.lease_ran_out(now) => OwnerStanding::Stale,
        OwnerStatus::Active => OwnerStanding::Active,
        OwnerStatus::Released => OwnerStanding::Released,
    };
    OwnerShown {
        status,
        owner_id: owner.id.clone(),
        claimed_at: owner.claimed_at.map(Moment::new),
        heartbeat_at: owner.heartbeat_at.map(Moment::new),
        lease_expires_epoch: owner.lease_until.map(|until| until.as_millis() / 1_000),
        released_at: owner.released_at.map(Moment::new),
        token_sha256: owner.token_sha256.clone(),
    }
}

/// Takes a run that nobody owns.
pub fn claim(run: &Run, bid: &Bid, now: Time) -> Result<Vec<RunEvent>, Refusal> {
    let lease_until = lease(run, bid.lease_seconds, now)?;
    identity(run, &bid.owner, "--owner")?;
    if run.owner.status == OwnerStatus::Active {
        return Err(already_owned(run, now));
    }
    Ok(changed(run, OwnerChange::Claim, bid, Some(lease_until)))
}

fn already_owned(run: &Run, now: Time) -> Refusal {
    let owner = run.owner.id.clone().unwrap_or_default();
    let message = match run.owner.lease_ran_out(now) {
        true => "Previous controller lease is stale; use owner takeover with a reason".to_owned(),
        false => format!("Run already has an active controller: {owner}"),
    };
    run.refusal(Code::AlreadyClaimed, message)
        .hint(run.command("owner takeover --owner NAME --reason TEXT"))
        .detail("owner", owner)
}

/// The owner is still there.
pub fn heartbeat(
    run: &Run,
    lease_seconds: i64,
    caller: &Caller,
    now: Time,
) -> Result<Vec<RunEvent>, Refusal> {
    let lease_until = lease(run, lease_seconds, now)?;
    let owner = by_owner(run, caller, "No active controller to heartbeat")?;
    Ok(vec![
        RunOwnerChanged { lease_until: Some(lease_until), ..plain(OwnerChange::Heartbeat, owner) }
            .into(),
    ])
}

/// The owner gives the run back.
pub fn release(run: &Run, caller: &Caller) -> Result<Vec<RunEvent>, Refusal> {
    let owner = by_owner(run, caller, "No active controller to release")?;
    Ok(vec![plain(OwnerChange::Release, owner).into()])
}

/// The owner gives the run to somebody else.
pub fn hand_off(
    run: &Run,
    bid: &Bid,
    caller: &Caller,
    now: Time,
) -> Result<Vec<RunEvent>, Refusal> {
    let lease_until = lease(run, bid.lease_seconds, now)?;
    by_owner(run, caller, "No active controller to hand off")?;
    identity(run, &bid.owner, "--to-owner")?;
    Ok(changed(run, OwnerChange::Handoff, bid, Some(lease_until)))
}

/// Takes a run from whoever owns it: when the lease has run out, when its process is gone, or by
/// force.
pub fn take_over(
    run: &Run,
    bid: &Bid,
    taking: Taking<'_>,
    caller: &Caller,
    now: Time,
) -> Result<Vec<RunEvent>, Refusal> {
    let Taking { reason, grounds, .. } = taking;
    let lease_until = lease(run, bid.lease_seconds, now)?;
    identity(run, &bid.owner, "--owner")?;
    let reason = given(run, reason, "owner takeover requires --reason")?;
    if run.owner.status == OwnerStatus::Active && !run.owner.lease_ran_out(now) {
        may_end_lease(run, taking, caller, now)?;
    }
    Ok(vec![
        RunOwnerChanged {
            from: run.owner.id.clone(),
            token_sha256: Some(bid.token_sha256.clone()),
            lease_until: Some(lease_until),
            reason: Some(reason),
            forced: grounds != Grounds::Lease,
            ..plain(OwnerChange::Takeover, bid.owner.clone())
        }
        .into(),
    ])
}

/// Whether an owner may lose a run before its lease has run out. Another one than was meant may have
/// come meanwhile: it was not looked at.
fn may_end_lease(run: &Run, taking: Taking<'_>, caller: &Caller, now: Time) -> Result<(), Refusal> {
    if taking.from.is_some_and(|from| run.owner.token_sha256.as_deref() != Some(from)) {
        return Err(already_owned(run, now));
    }
    match taking.grounds {
        Grounds::Gone => Ok(()),
        Grounds::Force => run.need_person(caller, "taking a run from an owner whose lease lives"),
        Grounds::Lease => {
            let message = "Controller lease is still active; use --force only after explicit \
                           human review";
            Err(run
                .refusal(Code::LeaseNotExpired, message)
                .hint("wait until it has run out, or give --force")
                .detail("owner", &run.owner.id)
                .detail("lease_until", run.owner.lease_until))
        }
    }
}

fn changed(run: &Run, change: OwnerChange, bid: &Bid, lease_until: Option<Time>) -> Vec<RunEvent> {
    let from = run.owner.id.clone().filter(|_| change == OwnerChange::Handoff);
    let token_sha256 = Some(bid.token_sha256.clone());
    vec![
        RunOwnerChanged { from, token_sha256, lease_until, ..plain(change, bid.owner.clone()) }
            .into(),
    ]
}

fn plain(change: OwnerChange, owner: String) -> RunOwnerChanged {
    RunOwnerChanged {
        change,
        owner,
        from: None,
        token_sha256: None,
        lease_until: None,
        reason: None,
        forced: false,
    }
}

fn lease(run: &Run, seconds: i64, now: Time) -> Result<Time, Refusal> {
    if !(1..=LONGEST_LEASE_SECONDS).contains(&seconds) {
        let message = "--lease-seconds must be an integer from 1 to 604800";
        return Err(run
            .refusal(Code::InvalidValue, message)
            .hint("300 seconds are usual")
            .detail("field", "lease_seconds")
            .detail("given", seconds));
    }
    Ok(now.plus(Span::from_millis(seconds * 1_000)))
}

fn identity(run: &Run, name: &str, option: &str) -> Result<(), Refusal> {
    let begins_well = name.starts_with(|first: char| first.is_ascii_alphanumeric());
    let allowed = |letter: char| {
        letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_' | ':' | '@' | '-')
    };
    if begins_well && name.chars().all(allowed) {
        return Ok(());
    }
    Err(run
        .refusal(Code::InvalidValue, format!("{option} must be a stable controller identity"))
        .hint("begin with a letter or digit, then use letters, digits and . _ : @ -")
        .detail("field", option.trim_start_matches('-'))
        .detail("given", name))
}

/// The name of the owner, if it is the owner who calls. A lease that ran out does not matter here:
/// nobody took the run meanwhile.
fn by_owner(run: &Run, caller: &Caller, nobody: &str) -> Result<String, Refusal> {
    let refuse =
        |message: &str, hint: String| Err(run.refusal(Code::OwnerRequired, message).hint(hint));
    if run.owner.status != OwnerStatus::Active {
        let claim = run.command("owner claim --owner NAME");
        return refuse(nobody, format!("claim it: {claim}"));
    }
    if caller.token_sha256.is_none() || caller.token_sha256 != run.owner.token_sha256 {
        return refuse(
            "Invalid controller ownership token",
            "set HOTL_OWNER_TOKEN to the token that the claim answered".to_owned(),
        );
    }
    Ok(run.owner.id.clone().unwrap_or_default())
}
