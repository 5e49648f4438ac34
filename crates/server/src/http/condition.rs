//! How the server is: for those who watch it.

use std::time::Duration;

use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use tokio::time::timeout;
use windlass_domain::{Code, Refusal};
use windlass_ledger::{Error, Fault};
use windlass_ops::Context;

use super::Shared;
use super::doorkeeper::Visitor;
use super::problem::Problem;
use crate::metrics::Standing;

/// How long the ledger may take before the server counts as not ready.
const PATIENCE: Duration = Duration::from_secs(5);

/// The server is there.
pub(crate) async fn health() -> &'static str {
    "ok\n"
}

/// The ledger can be read, and the thread that writes answers.
pub(crate) async fn readiness(State(house): State<Shared>) -> Result<&'static str, Problem> {
    let caller = house.doorkeeper.itself();
    let ready = async {
        let head = |cx: &mut Context| cx.read(|snapshot| Ok(snapshot.head()?.seq));
        house.desk.look(caller, head).await?;
        house.desk.knock().await
    };
    match timeout(PATIENCE, ready).await {
        Ok(Ok(())) => Ok("ready\n"),
        // Whoever asks shows no key, and is told nothing about the ledger.
        Ok(Err(_)) | Err(_) => Err(not_ready().into()),
    }
}

/// Numbers for Prometheus.
pub(crate) async fn metrics(
    State(house): State<Shared>,
    Visitor(caller): Visitor,
) -> Result<Response, Problem> {
    let standing = house.desk.look(caller, Standing::look).await?;
    let text = house.desk.metrics().text(&standing.with_followers(house.live.followers()));
    let text =
        text.map_err(|source| Error::from(Fault::bug("numbers are not text").because(source)))?;
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    Ok(([(header::CONTENT_TYPE, HeaderValue::from_static(kind))], text).into_response())
}

fn not_ready() -> Refusal {
    Refusal::new(Code::ServerBusy, "the ledger does not answer").hint("try again in a moment")
}
