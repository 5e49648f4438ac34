//! Ids of HZL and the ids of events that follow from them.

use windlass_domain::chain::Hash;
use windlass_domain::{EventId, TaskId, Time};
use windlass_ledger::HzlEvent;

/// The bytes of an id that say when it was made.
const TIME_BYTES: usize = 6;

/// The id under which the first event is recorded that follows from an event of HZL.
pub(super) fn own_id(event: &HzlEvent) -> EventId {
    id_of(&event.id)
}

/// HZL's own id, which is a ULID like ours; whatever else stands there is hashed to one.
pub(super) fn id_of(text: &str) -> EventId {
    text.parse().unwrap_or_else(|_| derived(EventId::from_bytes([0; 16]), text))
}

/// The id of something else that follows from the same event. It is always the same, so an import
/// that is repeated makes the same events.
pub(super) fn derived(from: EventId, what: &str) -> EventId {
    let mut bytes = from.to_bytes();
    let hash = Hash::of(&[&bytes, what.as_bytes()].concat());
    let random = bytes.iter_mut().skip(TIME_BYTES);
    random.zip(hash.as_bytes()).for_each(|(byte, hashed)| *byte = *hashed);
    EventId::from_bytes(bytes)
}

pub(super) fn task_id(text: &str) -> Option<TaskId> {
    text.parse().ok()
}

/// When an id was made.
pub(super) fn time_of(id: EventId) -> Time {
    let bytes = id.to_bytes();
    let millis = bytes.iter().take(TIME_BYTES).fold(0, |time, byte| (time << 8) | i64::from(*byte));
    Time::from_millis(millis)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_of_hzl_is_kept_and_what_follows_from_it_is_of_the_same_time() {
        let id: EventId = "01M7F3D2613DKJE5JRH0PP4D5J".parse().unwrap();
        assert_eq!(id_of("01M7F3D2613DKJE5JRH0PP4D5J"), id);
        assert_eq!(time_of(id).to_string(), "2026-11-15T07:57:58.337Z");
        let (one, two) = (derived(id, "1"), derived(id, "2"));
        assert_eq!((time_of(one), time_of(two)), (time_of(id), time_of(id)));
        assert!(one != id && two != id && one != two);
    }

    #[test]
    fn an_id_that_is_no_ulid_still_gives_always_the_same() {
        assert_eq!(id_of("event-1"), id_of("event-1"));
        assert_ne!(id_of("event-1"), id_of("event-2"));
    }
}
