//! What came up for a session while its agent did something else.
//!
//! An agent that only calls Hizal's tools never asks for it, so that it comes along with the next
//! answer.

use serde_json::{Value, json};
use windlass_ops::table::Entry;

use super::super::answer::document;
use super::super::calls::Calls;
use crate::caller::Caller;
use crate::desk::Call;

/// Hands over what waits for the session that a caller has open, as one fenced text. Where nothing
/// can be handed over now it waits on, for the next call.
pub(crate) async fn handed_over(calls: &impl Calls, caller: &Caller) -> Option<String> {
    // Nothing is recorded where nothing waits.
    let shown = answer(calls, caller, "session.show", json!({})).await?;
    if shown.get("pending")?.as_array()?.is_empty() {
        return None;
    }
    let session = json!({"session": shown.get("session_id")?});
    let taken = answer(calls, caller, "session.take", session).await?;
    taken.get("text")?.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

async fn answer(
    calls: &impl Calls,
    caller: &Caller,
    operation: &str,
    arguments: Value,
) -> Option<Value> {
    let (entry, caller) = (Entry::named(operation)?, caller.clone());
    let answer = calls.call(Call { entry, arguments, caller, op_id: None }).await.ok()?;
    document(&answer).ok()
}
