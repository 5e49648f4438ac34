//! How the server is: for those who watch it.

use std::time::{Duration, Instant};

use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use tokio::sync::Mutex;
use tokio::time::timeout;
use windlass_domain::{Code, Refusal};
use windlass_ledger::{Error, Fault};
use windlass_ops::Context;

use super::Shared;
use super::doorkeeper::Visitor;
use super::problem::Problem;
use crate::caller::Caller;
use crate::desk::Desk;
use crate::metrics::Standing;

/// How long the ledger may take before the server counts as not ready.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long an answer about that holds.
const FRESH: Duration = Duration::from_millis(500);

/// The server is there.
pub(crate) async fn health() -> &'static str {
    "ok\n"
}

/// Whether the ledger can be read, and the thread that writes answers, as it was a moment ago.
/// Everybody may ask, so no number of those who do makes it work more.
#[derive(Debug, Default)]
pub(crate) struct Readiness(Mutex<Option<(Instant, bool)>>);

impl Readiness {
    async fn of(&self, desk: &Desk, itself: Caller) -> bool {
        let mut known = self.0.lock().await;
        if let Some((_, is_ready)) = known.filter(|(at, _)| at.elapsed() < FRESH) {
            return is_ready;
        }
        let answered = async {
            let head = |cx: &mut Context| cx.read(|snapshot| Ok(snapshot.head()?.seq));
            desk.look(itself, head).await?;
            desk.knock().await
        };
        let is_ready = timeout(PATIENCE, answered).await.is_ok_and(|answered| answered.is_ok());
        *known = Some((Instant::now(), is_ready));
        is_ready
    }
}

/// Whoever asks shows no key, and is told nothing else about the ledger.
pub(crate) async fn readiness(State(house): State<Shared>) -> Result<&'static str, Problem> {
    match house.readiness.of(&house.desk, house.doorkeeper.itself()).await {
        true => Ok("ready\n"),
        false => Err(not_ready().into()),
    }
}

/// Numbers for Prometheus.
pub(crate) async fn metrics(
    State(house): State<Shared>,
    Visitor(caller): Visitor,
) -> Result<Response, Problem> {
    let standing = house.desk.look(caller, Standing::look).await?;
    let standing = standing.here(house.live.followers(), house.desk.waiting());
    let text = house.desk.metrics().text(&standing);
    let text =
        text.map_err(|source| Error::from(Fault::bug("numbers are not text").because(source)))?;
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    Ok(([(header::CONTENT_TYPE, HeaderValue::from_static(kind))], text).into_response())
}

fn not_ready() -> Refusal {
    Refusal::new(Code::ServerBusy, "the ledger does not answer").hint("try again in a moment")
}
