//! What followers of a server cost: its memory, and how soon each of many sees an event, beside how
//! soon one alone does.

use std::fs;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::sync::Barrier;
use windlass_ledger::Location;
use windlass_testkit::Served;

use crate::Failure;
use crate::programs::Place;
use crate::report::{Judged, Row, megabytes, milliseconds};
use crate::scale::Scale;
use crate::stopwatch::Samples;

/// Millions of bytes an idle server may use.
const MOST_IDLE: f64 = 60.0;
/// Events that each follower sees.
const EVENTS: usize = 50;
/// Between two events, so that each is seen alone.
const PAUSE: Duration = Duration::from_millis(40);

pub fn measure(place: &Place, scale: &Scale) -> Result<Vec<Row>, Failure> {
    let location = Location::Sqlite(place.file("followers"));
    let served = place.serve(&location);
    let _made = served.op("project.create", &json!({ "name": "bench" })).ok();
    let idle = resident(served.id())?;
    let alone = follow(&served, 1)?.0;
    let before = resident(served.id())?;
    let (many, with_all) = follow(&served, scale.followers)?;
    let each = with_all.saturating_sub(before) / scale.followers as u64;
    Ok(vec![
        Row::new(
            "resident memory of a server that nobody has asked much".to_owned(),
            format!("{:.1} MB", megabytes(idle)),
            "told alone".to_owned(),
            Judged::at_most(megabytes(idle), " MB", MOST_IDLE),
        ),
        Row::new(
            format!("resident memory of a server with {} followers", scale.followers),
            format!("{:.1} MB, {each} bytes for each", megabytes(with_all)),
            format!("before they came {:.1} MB", megabytes(before)),
            Judged::told(megabytes(with_all), " MB"),
        ),
        Row::new(
            format!("an event reaches {} followers after its commit", scale.followers),
            format!("{}, p99 {}", milliseconds(many.median()), milliseconds(many.nearly_all())),
            format!(
                "one alone {}, p99 {}",
                milliseconds(alone.median()),
                milliseconds(alone.nearly_all())
            ),
            Judged::told(many.nearly_all().as_secs_f64() * 1_000.0, " ms"),
        ),
    ])
}

fn resident(process: u32) -> Result<u64, Failure> {
    let status = fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kibibytes = line.and_then(|line| line.split_whitespace().next());
    Ok(kibibytes.ok_or("the kernel does not tell the memory")?.parse::<u64>()? * 1024)
}

/// Lets so many follow while events come; returns how long each event took to each of them, and the
/// server's memory then.
fn follow(served: &Served, followers: usize) -> Result<(Samples, u64), Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let there = Arc::new(Barrier::new(followers + 1));
        let (address, token) = (served.address(), served.token());
        let all: Vec<_> = (0..followers)
            .map(|_| tokio::spawn(listen(address, token.clone(), Arc::clone(&there))))
            .collect();
        there.wait().await;
        let memory = resident(served.id())?;
        let mut commits = Vec::with_capacity(EVENTS);
        for number in 0..EVENTS {
            let body = json!({ "title": format!("event {number}"), "project": "bench" });
            let _added = served.op("task.add", &body).ok();
            commits.push(Instant::now());
            tokio::time::sleep(PAUSE).await;
        }
        let mut waits = Vec::with_capacity(EVENTS * followers);
        for one in all {
            let seen = one.await??;
            // One who sees an event before its writer has the answer was not kept waiting.
            waits.extend(
                seen.iter().zip(&commits).map(|(at, from)| at.saturating_duration_since(*from)),
            );
        }
        Ok((Samples::from(waits), memory))
    })
}

/// When each event came.
async fn listen(
    address: SocketAddr,
    token: String,
    there: Arc<Barrier>,
) -> Result<Vec<Instant>, Failure> {
    let mut stream = TcpStream::connect(address).await?;
    let request = format!(
        "GET /v1/events/stream HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await?;
    let mut lines = BufReader::with_capacity(1_024, stream).lines();
    while let Some(line) = lines.next_line().await? {
        if line == ": hello" {
            break;
        }
    }
    there.wait().await;
    let mut seen = Vec::with_capacity(EVENTS);
    while seen.len() < EVENTS {
        let line = lines.next_line().await?.ok_or("the stream ended")?;
        if line.starts_with("id: ") {
            seen.push(Instant::now());
        }
    }
    Ok(seen)
}
