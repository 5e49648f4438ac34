//! `hook show`: one hook, or one delivery with what it says.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_domain::{Code, CorrelationId, Event, EventId, Refusal, Time};
use windlass_ledger::{Error, Fault, Snapshot, Tracked};

use super::view::{DeliveryView, HookView};
use crate::context::Context;
use crate::operation::{Access, Operation, Output};
use crate::sheet::{Cell, Sheet, relative};

/// Shows a hook or a delivery.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Show {
    /// The name of a hook, or the id of a delivery or a part of it
    pub name: String,
}

/// A hook, or a delivery.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Shown {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hook: Option<HookView>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delivery: Option<DeliveryView>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<Message>,
}

/// What a delivery says, and where it comes from.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Message {
    pub payload: Value,
    /// The op id of what set it off.
    pub op_id: Option<String>,
    #[schemars(with = "Option<String>")]
    pub correlation_id: Option<CorrelationId>,
    /// The event that set it off.
    #[schemars(with = "Option<String>")]
    pub event_id: Option<EventId>,
}

impl Operation for Show {
    type Output = Shown;
    const NAME: &'static str = "hook.show";
    const ABOUT: &'static str = "Show a hook, or a delivery with what it says and how it goes";
    const EXAMPLE: &'static str = "windlass hook show on_done";
    const ACCESS: Access = Access::Read;

    fn run(&self, cx: &mut Context) -> Result<Shown, Error> {
        let settings = cx.settings.clone();
        cx.read(|snapshot| {
            let missing = match snapshot.hook_named(&self.name) {
                Ok(defined) => {
                    let hook = Some(HookView::of(&defined, &settings));
                    return Ok(Shown { hook, delivery: None, message: None });
                }
                Err(Error::Refused(refusal)) if refusal.code == Code::HookNotFound => refusal,
                Err(other) => return Err(other),
            };
            let tracked = match snapshot.delivery_named(&self.name) {
                Err(Error::Refused(refusal)) => return Err(neither(&self.name, missing, refusal)),
                other => other?,
            };
            let message = Some(message(snapshot, &tracked)?);
            let delivery = Some(DeliveryView::new(&tracked, &snapshot.hooks()?));
            Ok(Shown { hook: None, delivery, message })
        })
    }
}

/// The refusal of something that names no hook; what it says of deliveries counts if it is a part
/// of an id at all.
fn neither(name: &str, hook: Refusal, delivery: Refusal) -> Error {
    match delivery.code {
        Code::IdTooShort | Code::InvalidValue => hook.into(),
        Code::DeliveryNotFound => {
            let message = format!("there is no hook and no delivery '{name}'");
            Refusal { message, suggestions: hook.suggestions, ..delivery }.into()
        }
        _ => delivery.into(),
    }
}

fn message(snapshot: &mut Snapshot<'_>, tracked: &Tracked) -> Result<Message, Fault> {
    let seq = tracked.delivery.enqueued_seq;
    let missing = || Fault::bug(format!("event {seq} enqueued nothing"));
    let recorded = snapshot.events_after(seq - 1, 1)?.pop().ok_or_else(missing)?;
    let Some(Event::HookEnqueued(data)) = recorded.event()? else {
        return Err(missing());
    };
    let by = recorded.header.provenance;
    Ok(Message {
        payload: data.payload,
        op_id: by.op,
        correlation_id: by.correlation,
        event_id: by.causation,
    })
}

impl Output for Shown {
    fn sheet(&self, now: Time) -> Sheet {
        let mut sheet = Sheet::default();
        if let Some(hook) = &self.hook {
            sheet = sheet.and_facts(hook_facts(hook));
        }
        if let Some(delivery) = &self.delivery {
            sheet = sheet.and_facts(delivery_facts(delivery, self.message.as_ref(), now));
        }
        match &self.message {
            Some(message) => {
                let payload = serde_json::to_string_pretty(&message.payload).unwrap_or_default();
                sheet.and_heading("payload").and_text(payload)
            }
            None => sheet,
        }
    }
}

fn hook_facts(hook: &HookView) -> Vec<(&'static str, Cell)> {
    let mut facts = vec![
        ("hook", hook.name.clone().into()),
        ("on", hook.on.clone().into()),
        ("to", hook.target().into()),
        ("for", hook.filter().into()),
    ];
    let header = |(name, value): (&String, &String)| ("header", format!("{name}: {value}").into());
    facts.extend(hook.headers.iter().map(header));
    facts.extend([
        ("secret", hook.secret.clone().unwrap_or_default().into()),
        ("attempts", format!("at most {}, {} each", hook.max_attempts, hook.timeout).into()),
        ("from", Cell::dim(&hook.source)),
    ]);
    facts
}

/// What happens to a delivery next, in a sentence.
fn in_full(delivery: &DeliveryView, now: Time) -> String {
    let next = delivery.next(now);
    match (&delivery.worker, delivery.locked_until) {
        (Some(worker), Some(until)) if delivery.is_held(now) => {
            format!("by {worker}, begun {next}; others may take it over {}", relative(until, now))
        }
        (Some(worker), _) => format!("by {worker}, not heard of: the next drain takes it over"),
        (None, _) if delivery.ended_at.is_none() && !delivery.hook_defined => {
            format!("{next}: hook {} is not defined here", delivery.hook)
        }
        (None, _) => next,
    }
}

fn delivery_facts<'a>(
    delivery: &DeliveryView,
    message: Option<&Message>,
    now: Time,
) -> Vec<(&'a str, Cell)> {
    let when = match (delivery.ended_at, delivery.locked_at) {
        (Some(_), _) => "ended",
        (None, Some(_)) => "being sent",
        (None, None) => "next",
    };
    let op_id = message.and_then(|message| message.op_id.clone());
    let correlation = message.and_then(|message| message.correlation_id);
    vec![
        ("delivery", delivery.delivery_id.to_string().into()),
        ("hook", delivery.hook.clone().into()),
        (if delivery.task_id.is_some() { "task" } else { "run" }, delivery.subject().into()),
        ("state", delivery.state_cell()),
        ("tried", format!("{} of {}", delivery.attempts, delivery.max_attempts).into()),
        (when, in_full(delivery, now).into()),
        ("error", delivery.last_error.clone().unwrap_or_default().into()),
        ("op id", op_id.unwrap_or_default().into()),
        ("correlation", correlation.map(|id| id.to_string()).unwrap_or_default().into()),
    ]
}
