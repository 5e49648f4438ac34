//! Live events: one thread reads the log as it grows and hands every event to all followers. While
//! there are none it rests, and so costs the writer nothing.
//!
//! A follower walks the log in the order of `seq` and never skips one: what it missed while it was
//! slow or away it reads from the log. So nothing depends on what this process remembers, and a
//! follower may go from one server to another.

use std::pin::pin;
use std::sync::Arc;
use std::thread::Thread;
use std::time::Duration;

use axum::body::Bytes;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{Semaphore, broadcast, mpsc};
use tokio::time::{Instant, timeout, timeout_at};
use tokio_util::sync::CancellationToken;
use windlass_domain::Stream;
use windlass_domain::event::{Kind, Subject};
use windlass_ledger::{Error, Fault, Ledger, Recorded, Snapshot};
use windlass_ops::Context;
use windlass_ops::events::{Filter, Home, Homes};
use windlass_ops::session::{Concern, Followed};
use windlass_ops::view::EventView;

use crate::caller::Caller;
use crate::desk::Desk;
use crate::office::Office;

/// How many events are kept for followers who are a little behind.
const KEPT: usize = 1_024;
/// How many events are read from the log at a time.
const PAGE: u64 = 500;
/// How many messages wait for one follower before it counts as slow.
const UNREAD: usize = 64;
/// How long a follower may be slow.
const PATIENCE: Duration = Duration::from_secs(15);
/// How often a follower hears that the connection stands.
const BEAT: Duration = Duration::from_secs(15);
/// How many followers read the log for themselves at once. Others read it too.
const WALKS: usize = 4;
/// How long the thread waits for an event before it looks whether it shall end.
const WATCH: Duration = Duration::from_millis(500);

/// An event on its way to followers.
#[derive(Debug)]
struct Tale {
    seq: u64,
    kind: String,
    stream: Stream,
    home: Home,
    is_about_a_key: bool,
    /// As it is sent, the same bytes for all.
    message: Bytes,
}

/// Where followers join.
#[derive(Debug, Clone)]
pub(crate) struct Live {
    tales: broadcast::Sender<Arc<Tale>>,
    /// The thread that reads the log, which rests while nobody follows.
    reader: Thread,
    desk: Desk,
    stop: CancellationToken,
    /// Whose turn it is to read the log.
    walks: Arc<Semaphore>,
    beat: Duration,
}

/// Why a stream ends.
enum End {
    /// Nobody reads it any more.
    Gone,
    Said(&'static str),
}

impl Live {
    /// Starts to read the log. It ends with `stop`, and tells its followers.
    pub(crate) fn start(
        office: &Office,
        desk: Desk,
        stop: CancellationToken,
    ) -> Result<Self, Fault> {
        let (tales, _) = broadcast::channel(KEPT);
        let ledger = Ledger::open(&office.workplace.location, office.workplace.options())?;
        let (teller, ended) = (tales.clone(), stop.clone());
        let reader = std::thread::spawn(move || tell(ledger, &teller, &ended)).thread().clone();
        let walks = Arc::new(Semaphore::new(WALKS));
        Ok(Self { tales, reader, desk, stop, walks, beat: BEAT })
    }

    /// How many follow.
    pub(crate) fn followers(&self) -> usize {
        self.tales.receiver_count()
    }

    /// Everything after `after` that `filter` wants, as it comes; for a session, what concerns it.
    pub(crate) fn follow(
        &self,
        caller: Caller,
        filter: Filter,
        session: Option<Followed>,
        after: u64,
    ) -> mpsc::Receiver<Bytes> {
        let (out, messages) = mpsc::channel(UNREAD);
        let tales = self.tales.subscribe();
        self.reader.unpark();
        let (live, shown) = (self.clone(), Instant::now());
        let beat = shown + self.beat;
        let follower = Follower { live, caller, filter, session, after, tales, out, beat, shown };
        tokio::spawn(follower.run());
        messages
    }

    /// The next events of the log, when it is the caller's turn.
    async fn page(self, caller: Caller, after: u64) -> Result<Vec<Tale>, Error> {
        let _turn = self.walks.acquire().await;
        let look = move |cx: &mut Context| cx.read(|snapshot| tales_after(snapshot, after));
        self.desk.look(caller, look).await
    }
}

/// Somebody who reads the stream.
struct Follower {
    live: Live,
    caller: Caller,
    filter: Filter,
    /// The session it listens for.
    session: Option<Followed>,
    /// The last event it went by.
    after: u64,
    tales: broadcast::Receiver<Arc<Tale>>,
    out: mpsc::Sender<Bytes>,
    /// When it must hear something.
    beat: Instant,
    /// When it was last seen that its key counts.
    shown: Instant,
}

impl Follower {
    async fn run(mut self) {
        // Kept for the farewell, for which a slow follower would have no room.
        let Ok(farewell) = self.out.clone().reserve_owned().await else { return };
        let (stop, out) = (self.live.stop.clone(), self.out.clone());
        let end = tokio::select! {
            end = self.walk() => end,
            () = out.closed() => End::Gone,
            () = stop.cancelled() => End::Said("the server stops; connect again"),
        };
        if let End::Said(reason) = end {
            let message = format!("event: bye\ndata: {{\"reason\":\"{reason}\"}}\n\n");
            farewell.send(message.into());
        }
    }

    /// Goes through the log, and on with it.
    async fn walk(&mut self) -> End {
        if let Err(end) = self.say(Bytes::from_static(b"retry: 1000\n: hello\n\n")).await {
            return end;
        }
        loop {
            if let Err(end) = self.catch_up().await {
                return end;
            }
            if let Err(end) = self.listen().await {
                return end;
            }
        }
    }

    /// Reads the log up to its end.
    async fn catch_up(&mut self) -> Result<(), End> {
        loop {
            let page = self.page().await?;
            if page.is_empty() {
                return Ok(());
            }
            for tale in page {
                self.pass(&tale).await?;
            }
        }
    }

    /// The next events of the log. The connection is shown to stand while they are read.
    async fn page(&mut self) -> Result<Vec<Tale>, End> {
        let mut page = pin!(self.live.clone().page(self.caller.clone(), self.after));
        loop {
            match timeout_at(self.beat, &mut page).await {
                Ok(page) => return page.map_err(|error| End::Said(why(&error))),
                Err(_) => self.say(Bytes::from_static(b": beat\n\n")).await?,
            }
        }
    }

    /// Hears what is new, until something was missed.
    async fn listen(&mut self) -> Result<(), End> {
        loop {
            match timeout_at(self.beat, self.tales.recv()).await {
                Err(_) => {
                    self.show_key_again().await?;
                    self.say(Bytes::from_static(b": beat\n\n")).await?;
                }
                Ok(Ok(tale)) if tale.seq <= self.after => {}
                Ok(Ok(tale)) if tale.seq == self.after + 1 => self.pass(&tale).await?,
                Ok(Ok(_) | Err(RecvError::Lagged(_))) => return Ok(()),
                Ok(Err(RecvError::Closed)) => return Err(End::Said("the server stops")),
            }
        }
    }

    /// A key may be revoked or run out while its owner listens.
    async fn show_key_again(&mut self) -> Result<(), End> {
        self.shown = Instant::now();
        if let Caller::Local(_) = self.caller {
            return Ok(());
        }
        let look = |cx: &mut Context| cx.read(|_| Ok(()));
        let shown = self.live.desk.look(self.caller.clone(), look).await;
        shown.map_err(|error| End::Said(why(&error)))
    }

    /// Goes by an event, and sends it if it is wanted.
    async fn pass(&mut self, tale: &Tale) -> Result<(), End> {
        if tale.is_about_a_key || self.shown.elapsed() >= BEAT {
            self.show_key_again().await?;
        }
        self.after = tale.seq;
        let is_wanted = self.filter.wants(&tale.kind, tale.stream, &tale.home);
        match is_wanted && self.concerns(tale).await? {
            true => self.say(tale.message.clone()).await,
            false => Ok(()),
        }
    }

    /// Whether an event concerns the session that is listened for. What became of a chunk does if the
    /// chunk waits to be handed over, which the ledger knows.
    async fn concerns(&self, tale: &Tale) -> Result<bool, End> {
        let Some(session) = &self.session else { return Ok(true) };
        let chunk = match session.concern(&tale.kind, tale.stream) {
            Concern::Own => return Ok(true),
            Concern::None => return Ok(false),
            Concern::Chunk(chunk) => chunk,
        };
        let session = session.clone();
        let look = move |cx: &mut Context| session.awaits(cx, chunk);
        let awaits = self.live.desk.look(self.caller.clone(), look).await;
        awaits.map_err(|error| End::Said(why(&error)))
    }

    async fn say(&mut self, message: Bytes) -> Result<(), End> {
        self.beat = Instant::now() + self.live.beat;
        match timeout(PATIENCE, self.out.send(message)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(End::Gone),
            Err(_) => {
                self.live.desk.metrics().follower_dropped();
                Err(End::Said("you read too slowly; connect again"))
            }
        }
    }
}

/// A word for a follower whose stream cannot go on.
fn why(error: &Error) -> &'static str {
    match error {
        Error::Refused(_) => "your key counts no more",
        Error::Failed(_) => "the ledger cannot be read; connect again",
    }
}

/// Reads the log as it grows, for as long as the server runs.
fn tell(mut ledger: Ledger, teller: &broadcast::Sender<Arc<Tale>>, stop: &CancellationToken) {
    let mut after = None;
    while !stop.is_cancelled() {
        if teller.receiver_count() == 0 {
            ledger.look_away();
            after = None;
            std::thread::park_timeout(WATCH);
            continue;
        }
        let told = match after {
            // The last event is told too: what is new to a follower may have happened after it read
            // the log and before the thread woke up.
            None => ledger.read(|snapshot| Ok(snapshot.head()?.seq.saturating_sub(1))),
            Some(seq) => tell_more(&mut ledger, seq, teller),
        };
        match told {
            Ok(seq) => after = Some(seq),
            // Followers read for themselves what is missed now.
            Err(error) => {
                tracing::warn!(%error, "the log cannot be followed");
                std::thread::sleep(WATCH);
            }
        }
    }
}

/// Waits for what comes after `seq` and tells it; says how far that went.
fn tell_more(
    ledger: &mut Ledger,
    seq: u64,
    teller: &broadcast::Sender<Arc<Tale>>,
) -> Result<u64, Error> {
    if !ledger.wait_beyond(seq, WATCH)? {
        return Ok(seq);
    }
    let page = ledger.read(|snapshot| tales_after(snapshot, seq))?;
    let last = page.last().map_or(seq, |tale| tale.seq);
    for tale in page {
        // If the last follower has just left, nobody misses it.
        let _heard = teller.send(Arc::new(tale));
    }
    Ok(last)
}

fn tales_after(snapshot: &mut Snapshot<'_>, seq: u64) -> Result<Vec<Tale>, Error> {
    let mut homes = Homes::default();
    let page = snapshot.events_after(seq, PAGE)?;
    page.into_iter().map(|recorded| tale(snapshot, &mut homes, recorded)).collect()
}

fn tale(snapshot: &mut Snapshot<'_>, homes: &mut Homes, recorded: Recorded) -> Result<Tale, Error> {
    let home = homes.of(snapshot, &recorded)?;
    let (seq, stream) = (recorded.header.seq, recorded.header.stream);
    let kind = recorded.header.kind.clone();
    let json = serde_json::to_string(&EventView::new(recorded)?)
        .map_err(|source| Fault::bug("an event is not JSON").because(source))?;
    let is_about_a_key = Kind::from_text(&kind).map(Kind::subject) == Some(Subject::Key);
    let message = format!("id: {seq}\nevent: {kind}\ndata: {json}\n\n").into();
    Ok(Tale { seq, kind, stream, home, is_about_a_key, message })
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use windlass_ops::events::{Asked, Sight};

    use super::*;
    use crate::caller::Local;
    use crate::indoors::Indoors;

    fn anybody() -> Caller {
        let (user, wishes) = ("anna".to_owned(), windlass_ops::context::Wishes::default());
        Caller::Local(Local {
            agent: None,
            user,
            fence: None,
            wishes,
            presence: windlass_ops::context::Presence::Unknown,
        })
    }

    /// What a follower of project a wants.
    fn of_a(indoors: &Indoors) -> Filter {
        let asked = Asked { project: Some("a".to_owned()), ..Asked::default() };
        let look =
            move |cx: &mut Context| cx.read(|snapshot| asked.resolve(snapshot, &Sight::default()));
        indoors.runtime.block_on(indoors.desk.look(anybody(), look)).unwrap()
    }

    /// The kinds of the events that somebody hears, up to the first of the kind `last`.
    fn heard(indoors: &Indoors, filter: Filter, last: &str) -> Vec<String> {
        indoors.runtime.block_on(async {
            let mut messages = indoors.live.follow(anybody(), filter, None, 0);
            let mut kinds: Vec<String> = Vec::new();
            while kinds.last().is_none_or(|kind| kind != last) {
                let message = timeout(PATIENCE, messages.recv()).await.unwrap().unwrap();
                let text = String::from_utf8(message.to_vec()).unwrap();
                let kind = text.lines().find_map(|line| line.strip_prefix("event: "));
                kinds.extend(kind.map(str::to_owned));
            }
            kinds
        })
    }

    #[test]
    fn followers_of_a_project_hear_what_leaves_it() {
        let indoors = Indoors::new();
        for name in ["a", "b"] {
            indoors.does("project.create", json!({"name": name}));
        }
        let task = indoors.add("x", json!({"project": "a"}));
        indoors.does("task.move", json!({"tasks": [task], "project": "b"}));
        let kinds = heard(&indoors, of_a(&indoors), "task_moved");
        assert_eq!(kinds, ["project_created", "task_moved"]);
    }

    #[test]
    fn followers_of_a_project_hear_what_is_deleted_in_it() {
        let indoors = Indoors::new();
        indoors.does("project.create", json!({"name": "a"}));
        indoors.add("x", json!({"project": "a"}));
        let filter = of_a(&indoors);
        indoors.does("project.delete", json!({"name": "a", "delete_tasks": true}));
        let kinds = heard(&indoors, filter, "project_deleted");
        assert_eq!(kinds, ["project_created", "task_created", "task_deleted", "project_deleted"]);
    }

    #[test]
    fn a_follower_that_left_is_noticed_before_anything_is_said_to_it() {
        let indoors = Indoors::new();
        indoors.runtime.block_on(async {
            let mut messages = indoors.live.follow(anybody(), Filter::default(), None, 0);
            messages.recv().await.unwrap();
            drop(messages);
            let left = async {
                while indoors.live.followers() > 0 {
                    tokio::task::yield_now().await;
                }
            };
            timeout(BEAT / 2, left).await.unwrap();
        });
    }

    #[test]
    fn a_follower_that_waits_for_the_log_hears_that_the_connection_stands() {
        let indoors = Indoors::new();
        indoors.runtime.block_on(async {
            let live = Live { beat: Duration::from_millis(5), ..indoors.live.clone() };
            let _all = live.walks.acquire_many(u32::try_from(WALKS).unwrap()).await.unwrap();
            let mut messages = live.follow(anybody(), Filter::default(), None, 0);
            let mut heard = messages.recv().await.unwrap();
            while !heard.starts_with(b": beat") {
                heard = timeout(BEAT / 2, messages.recv()).await.unwrap().unwrap();
            }
        });
    }
}
