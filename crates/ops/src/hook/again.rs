//! `hook retry` and `hook discard`: what becomes of deliveries that did not arrive.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::hook::{Delivery, State};
use windlass_domain::{DeliveryId, Refusal, Time, text};
use windlass_ledger::{Error, Shown};

use crate::context::{Context, Name};
use crate::operation::{Access, Operation, Output};
use crate::sheet::{Sheet, counted};
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

/// Deliveries that are tried again, from the first attempt on.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Retried {
    pub count: u64,
    #[schemars(with = "Vec<String>")]
    pub delivery_ids: Vec<DeliveryId>,
}

impl Operation for Retry {
    type Output = Retried;
    const NAME: &'static str = "hook.retry";
    const ABOUT: &'static str = "Send deliveries again that failed or were discarded";
    const EXAMPLE: &'static str = "windlass hook retry --all-failed";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<Retried, Error> {
        named_or_all(&self.ids, self.all_failed)?;
        let (actor, _) = cx.identity(Name::author(self.author.as_ref()))?;
        cx.write(&actor, |tx| {
            let mut deliveries: Vec<Delivery> = Vec::new();
            if self.all_failed {
                let failed = tx.deliveries(Shown::Ended(State::Failed), u64::from(u32::MAX))?;
                // As they were enqueued, so they are sent.
                deliveries.extend(failed.into_iter().rev().map(|tracked| tracked.delivery));
            }
            for id in &self.ids {
                let delivery = tx.delivery_named(id)?.delivery;
                if !deliveries.contains(&delivery) {
                    deliveries.push(delivery);
                }
            }
            tx.retry_hooks(&deliveries)?;
            let delivery_ids: Vec<DeliveryId> = deliveries.iter().map(|d| d.id).collect();
            Ok(Retried { count: delivery_ids.len() as u64, delivery_ids })
        })
    }
}

fn named_or_all(ids: &[String], all: bool) -> Result<(), Refusal> {
    match (ids.is_empty(), all) {
        (false, false) | (true, true) => Ok(()),
        (true, false) => Err(usage(
            "say which deliveries",
            "give their ids, or --all-failed; list them: windlass hook list",
        )),
        (false, true) => {
            Err(usage("give ids or --all-failed, not both", "--all-failed takes them all"))
        }
    }
}

impl Output for Retried {
    fn sheet(&self, _now: Time) -> Sheet {
        let sheet = Sheet::line(match self.count {
            1 => "1 delivery waits to be sent again".to_owned(),
            count => format!("{count} deliveries wait to be sent again"),
        });
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
        if self.ids.is_empty() {
            let hint = "give their ids; list them: windlass hook list --state all";
            return Err(usage("say which deliveries", hint).into());
        }
        let reason = self.reason.as_deref().map(text::reason).transpose()?;
        let (actor, _) = cx.identity(Name::author(self.author.as_ref()))?;
        cx.write(&actor, |tx| {
            let mut delivery_ids = Vec::new();
            for id in &self.ids {
                let tracked = tx.delivery_named(id)?;
                if !delivery_ids.contains(&tracked.delivery.id) {
                    tx.discard_hook(&tracked, reason.clone())?;
                    delivery_ids.push(tracked.delivery.id);
                }
            }
            Ok(Discarded { count: delivery_ids.len() as u64, delivery_ids })
        })
    }
}

impl Output for Discarded {
    fn sheet(&self, _now: Time) -> Sheet {
        let deliveries = counted(self.count, "delivery").replace("deliverys", "deliveries");
        Sheet::line(format!("{deliveries} discarded"))
    }
}
