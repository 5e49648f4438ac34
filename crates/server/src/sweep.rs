//! What time settles is put on record by a server that runs, also while nobody calls: a session that
//! nobody ends is over at once when its time is, and whoever follows the log hears of it soon after.

use std::time::Duration;

use serde_json::json;
use tokio_util::sync::CancellationToken;
use windlass_ledger::{Error, Fault};
use windlass_ops::context::{Presence, Wishes};
use windlass_ops::table::Entry;

use crate::caller::{Caller, Local};
use crate::desk::{Call, Desk};

/// The operation that records what time has settled.
const OPERATION: &str = "gc";
/// The longest time between two looks. Sessions are started elsewhere too, and may be short.
const ROUND: Duration = Duration::from_secs(5);
/// Before looking again after something was due, which somebody else may be recording.
const BREATH: Duration = Duration::from_secs(1);
/// Before looking again where the ledger could not be had.
const PAUSE: Duration = Duration::from_secs(30);

/// Looks after the time, in the name of the user whose server it is.
#[derive(Debug)]
pub(crate) struct Sweep {
    desk: Desk,
    caller: Caller,
}

impl Sweep {
    pub(crate) fn new(desk: Desk, user: String) -> Self {
        let (wishes, presence) = (Wishes::default(), Presence::Unknown);
        let caller = Caller::Local(Local { agent: None, user, fence: None, wishes, presence });
        Self { desk, caller }
    }

    /// Goes on until the server stops.
    pub(crate) async fn run(self, stop: CancellationToken) {
        loop {
            let pause = self.round().await.unwrap_or_else(|error| {
                tracing::warn!(%error, "what ran out could not be recorded");
                PAUSE
            });
            if stop.run_until_cancelled(tokio::time::sleep(pause)).await.is_none() {
                return;
            }
        }
    }

    /// Records what is due; returns how long to wait before looking again.
    async fn round(&self) -> Result<Duration, Error> {
        let look = |cx: &mut windlass_ops::Context| {
            cx.read(|snapshot| {
                let (next, now) = (snapshot.next_session_expiry()?, snapshot.now());
                Ok(next.map(|next| next.millis_since(now)))
            })
        };
        let left = self.desk.look(self.caller.clone(), look).await?;
        let Some(left) = left else { return Ok(ROUND) };
        if left > 0 {
            let left = Duration::from_millis(u64::try_from(left).unwrap_or_default());
            return Ok(left.min(ROUND));
        }
        let entry = Entry::named(OPERATION).ok_or_else(|| Fault::bug("nothing can be swept"))?;
        let caller = self.caller.clone();
        self.desk.run(Call { entry, arguments: json!({}), caller, op_id: None }).await?;
        Ok(BREATH)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicI64, Ordering};

    use serde_json::Value;
    use windlass_domain::Time;
    use windlass_ledger::Clock;

    use super::*;
    use crate::indoors::Indoors;

    struct Watch(AtomicI64);

    impl Clock for Watch {
        fn now(&self) -> Time {
            Time::from_millis(self.0.load(Ordering::Relaxed))
        }
    }

    /// How a session is, and who recorded that it expired, as far as the log says.
    fn recorded(indoors: &Indoors) -> Vec<Value> {
        let events = indoors.does("events", json!({}));
        let events = events["events"].as_array().unwrap().iter();
        events.filter(|event| event["kind"] == "session_expired").cloned().collect()
    }

    #[test]
    fn a_session_that_ran_out_is_recorded_by_the_server_itself() {
        let watch = Arc::new(Watch(AtomicI64::new(1_800_000_000_000)));
        let clock: Arc<dyn Clock> = Arc::<Watch>::clone(&watch);
        let indoors = Indoors::with_clock(Some(clock));
        let sweep = Sweep::new(indoors.desk.clone(), "anna".to_owned());
        let round = || indoors.runtime.block_on(sweep.round()).unwrap();
        assert_eq!(round(), ROUND);
        indoors.does("session.start", json!({"agent": "ada"}));
        assert_eq!(round(), ROUND);
        let eight_hours = 8 * 3_600_000;
        watch.0.fetch_add(eight_hours - 2_000, Ordering::Relaxed);
        assert_eq!(round(), Duration::from_secs(2));
        assert_eq!(recorded(&indoors), Vec::<Value>::new());
        watch.0.fetch_add(2_000, Ordering::Relaxed);
        assert_eq!(round(), BREATH);
        let recorded = recorded(&indoors);
        assert_eq!(recorded.len(), 1);
        assert_eq!(recorded[0]["actor"], "anna");
    }
}
