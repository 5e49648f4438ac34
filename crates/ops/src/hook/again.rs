//! `hook retry` and `hook discard`: what becomes of deliveries that did not arrive.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::hook::State;
use windlass_domain::{DeliveryId, Refusal, Time, text};
use windlass_ledger::{Error, Shown, Snapshot, Tracked};

use super::dispatch::LOCK_FOR;
use super::view::deliveries;
use crate::context::{Context, Name};
use crate::operation::{Access, Operation, Output};
use crate::sheet::Sheet;
use crate::view::usage;

/// Puts deliveries that did not arrive back into the outbox.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Retry {
    /// Deliveries: their ids or parts of them
    #[arg(value_name = "ID")]
    #[serde(default)]
    pub ids: Vec<String>,
    /// All that failed
    #[arg(long, conflicts_with = "ids")]
    #[serde(default)]
    pub all_failed: bool,
    /// Who acts
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    pub author: Option<String>,
}

/// Deliveries that are due now: from the first attempt on, or those that were still waiting with the
/// attempts they have left.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Retried {
    pub count: u64,
    #[schemars(with = "Vec<String>")]
    pub delivery_ids: Vec<DeliveryId>,
}

impl Operation for Retry {
    type Output = Retried;
    const NAME: &'static str = "hook.retry";
    const ABOUT: &'static str =
        "Send deliveries again that failed or were discarded, or now if they wait";
    const EXAMPLE: &'static str = "windlass hook retry --all-failed";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<Retried, Error> {
        named_or_all(&self.ids, self.all_failed)?;
        let (actor, _) = cx.identity(Name::author(self.author.as_ref()))?;
        cx.write(&actor, |tx| {
            let deliveries = chosen(tx, &self.ids, self.all_failed)?;
            tx.retry_hooks(&deliveries, LOCK_FOR)?;
            let delivery_ids = ids_of(&deliveries);
            Ok(Retried { count: delivery_ids.len() as u64, delivery_ids })
        })
    }
}

/// The deliveries that are meant, each once, as they were enqueued.
fn chosen(
    snapshot: &mut Snapshot<'_>,
    ids: &[String],
    all_failed: bool,
) -> Result<Vec<Tracked>, Error> {
    if all_failed {
        let mut failed = snapshot.deliveries(Shown::Ended(State::Failed), u64::from(u32::MAX))?;
        failed.reverse();
        return Ok(failed);
    }
    let mut deliveries: Vec<Tracked> = Vec::with_capacity(ids.len());
    for id in ids {
        let tracked = snapshot.delivery_named(id)?;
        if !deliveries.contains(&tracked) {
            deliveries.push(tracked);
        }
    }
    Ok(deliveries)
}

fn ids_of(deliveries: &[Tracked]) -> Vec<DeliveryId> {
    deliveries.iter().map(|tracked| tracked.delivery.id).collect()
}

fn named_or_all(ids: &[String], all: bool) -> Result<(), Refusal> {
    match (ids.is_empty(), all) {
        (false, false) | (true, true) => Ok(()),
        (true, false) => Err(usage(
            "say which deliveries",
            "give their ids, or --all-failed; list them: windlass hook list --state all",
        )),
        (false, true) => {
            Err(usage("give ids or --all-failed, not both", "--all-failed takes them all"))
        }
    }
}

impl Output for Retried {
    fn sheet(&self, _now: Time) -> Sheet {
        let wait = if self.count == 1 { "waits" } else { "wait" };
        let sheet = Sheet::line(format!("{} {wait} to be sent again", deliveries(self.count)));
        match self.count {
            0 => sheet,
            _ => sheet.and_line("windlass hook drain sends them"),
        }
    }
}

/// Takes deliveries out of the outbox for good.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Discard {
    /// Deliveries: their ids or parts of them
    #[arg(value_name = "ID")]
    #[serde(default)]
    pub ids: Vec<String>,
    /// All that failed
    #[arg(long, conflicts_with = "ids")]
    #[serde(default)]
    pub all_failed: bool,
    /// Why
    #[arg(long, value_name = "TEXT")]
    #[serde(default)]
    pub reason: Option<String>,
    /// Who acts
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    pub author: Option<String>,
}

/// Deliveries that are not sent.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Discarded {
    pub count: u64,
    #[schemars(with = "Vec<String>")]
    pub delivery_ids: Vec<DeliveryId>,
}

impl Operation for Discard {
    type Output = Discarded;
    const NAME: &'static str = "hook.discard";
    const ABOUT: &'static str = "Give up deliveries that wait or failed";
    const EXAMPLE: &'static str = "windlass hook discard 8F3K2Q --reason 'the receiver is gone'";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<Discarded, Error> {
        named_or_all(&self.ids, self.all_failed)?;
        let reason = self.reason.as_deref().map(text::reason).transpose()?;
        let (actor, _) = cx.identity(Name::author(self.author.as_ref()))?;
        cx.write(&actor, |tx| {
            let deliveries = chosen(tx, &self.ids, self.all_failed)?;
            tx.discard_hooks(&deliveries, reason.as_deref(), LOCK_FOR)?;
            let delivery_ids = ids_of(&deliveries);
            Ok(Discarded { count: delivery_ids.len() as u64, delivery_ids })
        })
    }
}

impl Output for Discarded {
    fn sheet(&self, _now: Time) -> Sheet {
        Sheet::line(format!("{} discarded", deliveries(self.count)))
    }
}
