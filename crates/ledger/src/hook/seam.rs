//! What the hooks ask of an open transaction, with its SQL: the same in both dialects, but for the
//! statements that PostgreSQL sends many rows with.

use windlass_domain::duration::Span;
use windlass_domain::hook::{Delivery, State, TTL, Trigger};
use windlass_domain::{Code, DeliveryId, HookId, RunKey, TaskId, Time};

use super::{Backlog, Defined, HookCounts, InLedger, Lock, Sending, Shown, Tracked, Waiting};
use crate::cell::{Cell, Columns};
use crate::fault::{Fault, unreadable};
use crate::record::to_json;
use crate::store::{Statements, all, first};

/// Ids in one statement.
const IDS: usize = 512;

macro_rules! tracked_columns {
    () => {
        "deliveries.enqueued_seq, deliveries.id, deliveries.version, deliveries.hook, \
         trigger_name, task_id, deliveries.run_id, state, deliveries.attempts, \
         deliveries.max_attempts, error, \
         enqueued_at, queued_at, ended_at, \
         outbox.attempts, next_attempt_at, expires_at, last_error, lock_token, worker, locked_at"
    };
}

macro_rules! tracked {
    () => {
        concat!(
            "SELECT ",
            tracked_columns!(),
            " FROM deliveries LEFT JOIN outbox ON outbox.delivery = deliveries.id"
        )
    };
}

macro_rules! tracked_in_outbox {
    () => {
        concat!(
            "SELECT ",
            tracked_columns!(),
            " FROM outbox JOIN deliveries ON deliveries.id = outbox.delivery"
        )
    };
}

const HOOKS: &str = "SELECT id, version, definition, updated_at FROM hooks ORDER BY name";
const PUT_HOOK: &str = "INSERT INTO hooks (created_seq, id, version, name, definition, updated_at) \
     VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (id) DO UPDATE SET version = excluded.version, \
     definition = excluded.definition, updated_at = excluded.updated_at";
const DELETE_HOOK: &str = "DELETE FROM hooks WHERE id = $1";

/// By the primary key.
pub(crate) const PUT_DELIVERY: &str = "INSERT INTO deliveries (enqueued_seq, id, tail, version, \
     hook, trigger_name, task_id, run_id, state, attempts, max_attempts, error, enqueued_at, \
     queued_at, ended_at) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) \
     ON CONFLICT (enqueued_seq) DO UPDATE SET version = excluded.version, state = excluded.state, \
     attempts = excluded.attempts, error = excluded.error, queued_at = excluded.queued_at, \
     ended_at = excluded.ended_at";
/// By the primary key, of a row that is there.
const UPDATE_DELIVERY: &str = "UPDATE deliveries SET version = $1, state = $2, attempts = $3, \
     error = $4, queued_at = $5, ended_at = $6 WHERE enqueued_seq = $7";
const DELETE_DELIVERY: &str = "DELETE FROM deliveries WHERE enqueued_seq = $1";

/// A row that is there stays as it is, with its attempts and its lock.
pub(crate) const QUEUE_DELIVERY: &str = "INSERT INTO outbox (delivery, hook, run_id, \
     enqueued_seq, attempts, max_attempts, next_attempt_at, expires_at) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (delivery) DO NOTHING";
/// By the primary key: the row is there, with its new state and without its lock.
pub(crate) const PUT_BACK: &str = "INSERT INTO outbox (delivery, hook, run_id, enqueued_seq, \
     attempts, max_attempts, next_attempt_at, expires_at, last_error) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (delivery) DO UPDATE SET \
     attempts = excluded.attempts, next_attempt_at = excluded.next_attempt_at, \
     last_error = excluded.last_error, lock_token = NULL, worker = NULL, locked_at = NULL";

/// By `outbox_locked`.
pub(crate) const RECLAIM: &str = "UPDATE outbox SET lock_token = NULL, worker = NULL, locked_at = NULL, \
     next_attempt_at = $1 WHERE lock_token IS NOT NULL AND (locked_at <= $2 OR locked_at > $3)";
/// By the primary key.
const UNCLAIM: &str = "UPDATE outbox SET lock_token = NULL, worker = NULL, locked_at = NULL \
     WHERE delivery = $1 AND lock_token = $2";
/// By `outbox_expiry`.
pub(crate) const OVERDUE: &str = concat!(
    tracked_in_outbox!(),
    " WHERE lock_token IS NULL AND expires_at <= $1 ORDER BY expires_at LIMIT $2"
);
/// By `outbox_locked`; the payload is read from the log.
const CLAIMED: &str = "SELECT outbox.delivery, outbox.hook, outbox.attempts, outbox.expires_at, \
     events.kind, events.v, events.data, outbox.run_id FROM outbox \
     JOIN events ON events.seq = outbox.enqueued_seq \
     WHERE lock_token = $1 ORDER BY next_attempt_at, enqueued_seq";
/// What is told of a run goes to a hook in the order of its events: the next is sent when the one
/// before is over. By `outbox_run`.
macro_rules! is_next_of_its_run {
    () => {
        "NOT EXISTS (SELECT 1 FROM outbox AS earlier WHERE earlier.run_id = outbox.run_id \
         AND earlier.hook = outbox.hook AND earlier.enqueued_seq < outbox.enqueued_seq)"
    };
}
/// By `outbox_due`, `outbox_expiry` and `outbox_locked`.
pub(crate) const DUE_NEXT: &str = concat!(
    "SELECT next_attempt_at FROM outbox WHERE lock_token IS NULL AND hook IN (?) AND ",
    is_next_of_its_run!(),
    " ORDER BY next_attempt_at, enqueued_seq LIMIT 1"
);
pub(crate) const EXPIRE_NEXT: &str = "SELECT min(expires_at) FROM outbox WHERE lock_token IS NULL";
pub(crate) const LOCKED_FROM_TO: &str =
    "SELECT min(locked_at), max(locked_at) FROM outbox WHERE lock_token IS NOT NULL";

const COUNT_STATES: &str = "SELECT state, count(*) FROM deliveries GROUP BY state";
/// By `deliveries_state`.
const COUNT_STATE: &str = "SELECT count(*) FROM deliveries WHERE state = $1";
const COUNT_OUTBOX: &str = "SELECT count(*) FROM outbox";
const WAITING_BY_HOOK: &str = "SELECT hook, count(*) FROM outbox GROUP BY hook ORDER BY hook";
const COUNT_LOCKED: &str = "SELECT count(*) FROM outbox WHERE lock_token IS NOT NULL";

/// By `deliveries_state`.
pub(crate) const IN_STATE: &str =
    concat!(tracked!(), " WHERE state = $1 ORDER BY deliveries.enqueued_seq DESC LIMIT $2");
const WAITING: &str = concat!(
    tracked!(),
    " WHERE state = 'queued' AND lock_token IS NULL ORDER BY deliveries.enqueued_seq DESC LIMIT $1"
);
/// By `outbox_locked`.
const PROCESSING: &str = concat!(
    tracked_in_outbox!(),
    " WHERE lock_token IS NOT NULL ORDER BY deliveries.enqueued_seq DESC LIMIT $1"
);
/// By `deliveries_task`: a task has few.
const OF_TASK: &str = concat!(
    tracked!(),
    " WHERE deliveries.task_id = $1 ORDER BY deliveries.enqueued_seq DESC LIMIT $2"
);
/// By the primary key.
const ALL: &str = concat!(tracked!(), " ORDER BY deliveries.enqueued_seq DESC LIMIT $1");
/// By the unique index on `id`.
const BY_PREFIX: &str =
    concat!(tracked!(), " WHERE deliveries.id BETWEEN $1 AND $2 ORDER BY deliveries.id LIMIT $3");
/// By `deliveries_tail`.
const BY_SUFFIX: &str = concat!(tracked!(), " WHERE tail BETWEEN $1 AND $2 ORDER BY tail LIMIT $3");

/// Deliveries that are over, of a task that was pruned, which is the last that happens to a task. By
/// the unique index on `id` and by `deliveries_task`, then by `events_stream`. What the state is not
/// cannot lead SQLite to the index on it, which has all that was delivered ever.
macro_rules! over_for_good {
    ($which:literal) => {
        concat!(
            "SELECT enqueued_seq FROM deliveries WHERE ",
            $which,
            " AND state NOT IN ('queued', 'failed') AND 'task_pruned' = (SELECT kind \
             FROM events WHERE stream = task_id ORDER BY stream_seq DESC LIMIT 1)"
        )
    };
}
const OVER_BY_ID: &str = over_for_good!("deliveries.id IN (?)");
const OVER_OF_TASK: &str = over_for_good!("task_id = $1");

/// Rows without a delivery that waits, and deliveries that wait without a row.
macro_rules! stray {
    () => {
        "FROM outbox WHERE NOT EXISTS \
         (SELECT 1 FROM deliveries WHERE id = delivery AND state = 'queued')"
    };
}
macro_rules! left_out {
    () => {
        "FROM deliveries WHERE state = 'queued' AND NOT EXISTS \
         (SELECT 1 FROM outbox WHERE delivery = id)"
    };
}
const COUNT_STRAY: &str = concat!("SELECT count(*) ", stray!());
const COUNT_LEFT_OUT: &str = concat!("SELECT count(*) ", left_out!());
const DELETE_STRAY: &str = concat!("DELETE ", stray!());
const QUEUE_LEFT_OUT: &str = concat!(
    "INSERT INTO outbox (delivery, hook, run_id, enqueued_seq, attempts, max_attempts, \
     next_attempt_at, expires_at) SELECT id, hook, run_id, enqueued_seq, 0, max_attempts, queued_at, queued_at + $1 ",
    left_out!()
);

/// A claimed row, before its definition was looked up.
pub(crate) struct ClaimedRow {
    pub(crate) delivery: DeliveryId,
    pub(crate) hook: String,
    pub(crate) attempts: u32,
    pub(crate) expires_at: Time,
    /// The event that enqueued it.
    pub(crate) kind: String,
    pub(crate) version: u32,
    pub(crate) data: Option<String>,
    pub(crate) tells_of_a_run: bool,
}

/// The part of the seam that is about hooks.
pub(crate) trait Hooks: Statements {
    /// The definitions in the ledger, by name.
    fn hooks(&mut self) -> Result<Vec<Defined>, Fault> {
        if let Some(known) = self.known().hooks() {
            return Ok(known.clone());
        }
        let hooks = all(self, HOOKS, &[], read_hook)?;
        self.known().meet_hooks(&hooks);
        Ok(hooks)
    }

    fn put_hook(&mut self, created_seq: u64, defined: &Defined) -> Result<(), Fault> {
        let Some(InLedger { id, version, updated_at }) = defined.in_ledger else {
            return Err(Fault::bug("only a hook of the ledger is put into it"));
        };
        self.known().forget_hooks();
        let definition = to_json(&defined.hook);
        let cells = [
            Cell::count(created_seq),
            Cell::Bytes(&id.to_bytes()),
            Cell::count(version),
            Cell::Text(&defined.hook.name),
            Cell::Text(&definition),
            Cell::Int(updated_at.as_millis()),
        ];
        self.run(PUT_HOOK, &cells).map(drop)
    }

    fn delete_hook(&mut self, id: HookId) -> Result<(), Fault> {
        self.known().forget_hooks();
        self.run(DELETE_HOOK, &[Cell::Bytes(&id.to_bytes())]).map(drop)
    }

    /// Writes rows of the view, new ones and changed ones.
    fn put_deliveries(&mut self, deliveries: &[&Delivery]) -> Result<(), Fault> {
        for delivery in deliveries {
            delivery_cells(delivery, |cells| self.run(PUT_DELIVERY, cells))?;
        }
        Ok(())
    }

    /// Writes rows of the view that mostly are there: of an import, a delivery may begin and end at
    /// once.
    fn update_deliveries(&mut self, deliveries: &[&Delivery]) -> Result<(), Fault> {
        for delivery in deliveries {
            let cells = [
                Cell::count(delivery.version),
                Cell::Text(delivery.state.as_str()),
                Cell::Int(i64::from(delivery.attempts)),
                Cell::text_or_null(delivery.error.as_deref()),
                Cell::Int(delivery.queued_at.as_millis()),
                Cell::int_or_null(delivery.ended_at.map(Time::as_millis)),
                Cell::count(delivery.enqueued_seq),
            ];
            if self.run(UPDATE_DELIVERY, &cells)? == 0 {
                self.put_deliveries(&[delivery])?;
            }
        }
        Ok(())
    }

    fn delete_delivery(&mut self, enqueued_seq: u64) -> Result<(), Fault> {
        self.run(DELETE_DELIVERY, &[Cell::count(enqueued_seq)]).map(drop)
    }

    /// The deliveries of these ids that there are, in no particular order.
    fn deliveries(&mut self, ids: &[DeliveryId]) -> Result<Vec<Tracked>, Fault> {
        let text = concat!(tracked!(), " WHERE deliveries.id IN (?)");
        let mut found = Vec::with_capacity(ids.len());
        for part in ids.chunks(IDS) {
            with_ids(text, part, |sql, cells| {
                found.append(&mut all(self, sql, cells, read_tracked)?);
                Ok(())
            })?;
        }
        Ok(found)
    }

    /// The newest deliveries, newest first.
    fn shown_deliveries(&mut self, shown: Shown, limit: u64) -> Result<Vec<Tracked>, Fault> {
        let limit = Cell::count(limit);
        match shown {
            Shown::Ended(state) => {
                all(self, IN_STATE, &[Cell::Text(state.as_str()), limit], read_tracked)
            }
            Shown::Waiting => all(self, WAITING, &[limit], read_tracked),
            Shown::Processing => all(self, PROCESSING, &[limit], read_tracked),
            Shown::OfTask(task) => {
                all(self, OF_TASK, &[Cell::Bytes(&task.to_bytes()), limit], read_tracked)
            }
            Shown::All => all(self, ALL, &[limit], read_tracked),
        }
    }

    /// Deliveries whose id lies in the range, at most `limit`.
    fn deliveries_with_prefix(
        &mut self,
        range: ([u8; 16], [u8; 16]),
        limit: u64,
    ) -> Result<Vec<Tracked>, Fault> {
        let cells = [Cell::Bytes(&range.0), Cell::Bytes(&range.1), Cell::count(limit)];
        all(self, BY_PREFIX, &cells, read_tracked)
    }

    /// Deliveries whose tail key lies in the range, at most `limit`.
    fn deliveries_with_suffix(
        &mut self,
        range: (i64, i64),
        limit: u64,
    ) -> Result<Vec<Tracked>, Fault> {
        let cells = [Cell::Int(range.0), Cell::Int(range.1), Cell::count(limit)];
        all(self, BY_SUFFIX, &cells, read_tracked)
    }

    /// How many deliveries of each hook are in the outbox. Reads the whole of it.
    fn waiting_by_hook(&mut self) -> Result<Vec<(String, u64)>, Fault> {
        all(self, WAITING_BY_HOOK, &[], |row| Ok((row.text(0)?, row.count(1)?)))
    }

    fn backlog(&mut self) -> Result<Backlog, Fault> {
        // All of them have as much time, so the first to be too old is the oldest.
        let ends = first(self, EXPIRE_NEXT, &[], |row| row.maybe_int(0))?.flatten();
        let oldest_at = ends.map(|ends| Time::from_millis(ends.saturating_sub(TTL.as_millis())));
        let failed = [Cell::Text(State::Failed.as_str())];
        Ok(Backlog {
            deliveries: first(self, COUNT_OUTBOX, &[], |row| row.count(0))?.unwrap_or(0),
            oldest_at,
            failed: first(self, COUNT_STATE, &failed, |row| row.count(0))?.unwrap_or(0),
        })
    }

    fn hook_counts(&mut self) -> Result<HookCounts, Fault> {
        let mut counts = HookCounts::default();
        let states = all(self, COUNT_STATES, &[], |row| Ok((state(row, 0)?, row.count(1)?)))?;
        for (state, count) in states {
            match state {
                State::Queued => counts.queued = count,
                State::Delivered => counts.delivered = count,
                State::Failed => counts.failed = count,
                State::Discarded => counts.discarded = count,
            }
        }
        counts.processing = first(self, COUNT_LOCKED, &[], |row| row.count(0))?.unwrap_or(0);
        counts.queued = counts.queued.saturating_sub(counts.processing);
        Ok(counts)
    }

    /// Puts deliveries into the outbox that are not there.
    fn queue_deliveries(&mut self, deliveries: &[&Delivery]) -> Result<(), Fault> {
        for delivery in deliveries {
            queue_cells(delivery, |cells| self.run(QUEUE_DELIVERY, cells))?;
        }
        Ok(())
    }

    /// Takes deliveries out of the outbox.
    fn unqueue_deliveries(&mut self, ids: &[DeliveryId]) -> Result<(), Fault> {
        for part in ids.chunks(IDS) {
            with_ids("DELETE FROM outbox WHERE delivery IN (?)", part, |sql, cells| {
                self.run(sql, cells).map(drop)
            })?;
        }
        Ok(())
    }

    /// Gives held deliveries back to the outbox, as they are to be tried again.
    fn put_back(&mut self, waiting: &[(&Delivery, Waiting)]) -> Result<(), Fault> {
        for (delivery, waiting) in waiting {
            waiting_cells(delivery, waiting, |cells| self.run(PUT_BACK, cells))?;
        }
        Ok(())
    }

    /// Takes deliveries from workers that do not hold them any more, as [`Sending::holds`] has it;
    /// returns how many.
    fn reclaim(&mut self, now: Time, lock_for: Span) -> Result<u64, Fault> {
        let times = [now, now.before(lock_for), now.plus(lock_for)];
        self.run(RECLAIM, &times.map(|time| Cell::Int(time.as_millis())))
    }

    /// Gives a delivery back untried; false when it is not held under this lock.
    fn unclaim(&mut self, delivery: DeliveryId, lock: Lock) -> Result<bool, Fault> {
        let cells = [Cell::Bytes(&delivery.to_bytes()), Cell::Bytes(&lock.0)];
        Ok(self.run(UNCLAIM, &cells)? > 0)
    }

    /// Waiting deliveries whose time is over, at most `limit`.
    fn overdue(&mut self, now: Time, limit: u64) -> Result<Vec<Tracked>, Fault> {
        let cells = [Cell::Int(now.as_millis()), Cell::count(limit)];
        all(self, OVERDUE, &cells, read_tracked)
    }

    /// Takes the deliveries that have been due longest, of these hooks, at most `limit`.
    fn claim_due(
        &mut self,
        hooks: &[&str],
        sending: &Sending,
        limit: u64,
    ) -> Result<Vec<ClaimedRow>, Fault> {
        let mut cells = vec![
            Cell::Bytes(&sending.lock.0),
            Cell::Text(&sending.worker),
            Cell::Int(sending.since.as_millis()),
        ];
        cells.extend(hooks.iter().map(|name| Cell::Text(name)));
        cells.push(Cell::count(limit));
        if self.run(&claim_due(hooks.len()), &cells)? == 0 {
            return Ok(Vec::new());
        }
        all(self, CLAIMED, &[Cell::Bytes(&sending.lock.0)], read_claimed)
    }

    /// When there is something to do for these hooks: a delivery is due, or its time is over, or a
    /// worker does not hold one any more.
    fn next_due(
        &mut self,
        hooks: &[&str],
        now: Time,
        lock_for: Span,
    ) -> Result<Option<Time>, Fault> {
        let mut earliest: Vec<Time> = Vec::new();
        if !hooks.is_empty() {
            let text = DUE_NEXT.replace('?', &places(1, hooks.len()));
            let names: Vec<Cell<'_>> = hooks.iter().map(|name| Cell::Text(name)).collect();
            earliest.extend(first(self, &text, &names, |row| time(row, 0))?);
        }
        earliest.extend(first(self, EXPIRE_NEXT, &[], |row| maybe_time(row, 0))?.flatten());
        let times = |row: &dyn Columns| Ok((maybe_time(row, 0)?, maybe_time(row, 1)?));
        let (from, to) = first(self, LOCKED_FROM_TO, &[], times)?.unwrap_or_default();
        earliest.extend(from.map(|since| since.plus(lock_for)));
        earliest.extend(to.filter(|since| *since > now.plus(lock_for)).map(|_| now));
        Ok(earliest.into_iter().min())
    }

    /// The events of deliveries that are over and whose task was pruned.
    fn over_for_good(&mut self, ids: &[DeliveryId]) -> Result<Vec<u64>, Fault> {
        let mut found = Vec::new();
        for part in ids.chunks(IDS) {
            with_ids(OVER_BY_ID, part, |sql, cells| {
                found.append(&mut all(self, sql, cells, |row| row.count(0))?);
                Ok(())
            })?;
        }
        Ok(found)
    }

    fn over_for_good_of(&mut self, task: TaskId) -> Result<Vec<u64>, Fault> {
        all(self, OVER_OF_TASK, &[Cell::Bytes(&task.to_bytes())], |row| row.count(0))
    }

    /// How many rows of the outbox have no delivery that waits, and how many of those have no row.
    fn outbox_strays(&mut self) -> Result<(u64, u64), Fault> {
        let mut count = |sql| first(self, sql, &[], |row| row.count(0));
        Ok((count(COUNT_STRAY)?.unwrap_or(0), count(COUNT_LEFT_OUT)?.unwrap_or(0)))
    }

    /// Brings the outbox in line with the view, as after a rebuild. Rows that belong there stay as
    /// they are, with their attempts and locks.
    fn reconcile_outbox(&mut self) -> Result<(), Fault> {
        self.run(DELETE_STRAY, &[])?;
        self.run(QUEUE_LEFT_OUT, &[Cell::Int(TTL.as_millis())]).map(drop)
    }
}

/// A statement with ids in the place of `?`. The last one is repeated up to a round number, so that
/// few statements need to be prepared.
fn with_ids<T>(
    text: &str,
    ids: &[DeliveryId],
    run: impl FnOnce(&str, &[Cell<'_>]) -> Result<T, Fault>,
) -> Result<T, Fault> {
    let mut bytes: Vec<[u8; 16]> = ids.iter().map(|id| id.to_bytes()).collect();
    if let Some(last) = bytes.last().copied() {
        bytes.resize(ids.len().next_power_of_two(), last);
    }
    let cells: Vec<Cell<'_>> = bytes.iter().map(|id| Cell::Bytes(id)).collect();
    run(&text.replace('?', &places(1, cells.len())), &cells)
}

/// The places of so many values in a statement, numbered from `first`.
fn places(first: usize, count: usize) -> String {
    let places: Vec<String> = (first..first + count).map(|number| format!("${number}")).collect();
    places.join(", ")
}

/// Locks what is due of so many hooks, which follow the lock, the worker and the time; the limit comes
/// last. By `outbox_due`, but for rows of hooks that are not asked for.
pub(crate) fn claim_due(hooks: usize) -> String {
    format!(
        "UPDATE outbox SET lock_token = $1, worker = $2, locked_at = $3 \
         WHERE delivery IN (SELECT delivery FROM outbox WHERE lock_token IS NULL \
         AND next_attempt_at <= $3 AND expires_at > $3 AND attempts < max_attempts \
         AND hook IN ({}) AND {} ORDER BY next_attempt_at, enqueued_seq LIMIT ${})",
        places(4, hooks),
        is_next_of_its_run!(),
        4 + hooks
    )
}

/// Calls `write` with the cells of a delivery in the order of the table.
pub(crate) fn delivery_cells<T>(delivery: &Delivery, write: impl FnOnce(&[Cell<'_>]) -> T) -> T {
    let (task, run) = (delivery.task.map(TaskId::to_bytes), delivery.run.map(RunKey::to_bytes));
    write(&[
        Cell::count(delivery.enqueued_seq),
        Cell::Bytes(&delivery.id.to_bytes()),
        Cell::Int(delivery.id.tail()),
        Cell::count(delivery.version),
        Cell::Text(&delivery.hook),
        Cell::Text(delivery.trigger.as_str()),
        task.as_ref().map_or(Cell::Null, |id| Cell::Bytes(id)),
        run.as_ref().map_or(Cell::Null, |id| Cell::Bytes(id)),
        Cell::Text(delivery.state.as_str()),
        Cell::Int(i64::from(delivery.attempts)),
        Cell::Int(i64::from(delivery.max_attempts)),
        Cell::text_or_null(delivery.error.as_deref()),
        Cell::Int(delivery.enqueued_at.as_millis()),
        Cell::Int(delivery.queued_at.as_millis()),
        Cell::int_or_null(delivery.ended_at.map(Time::as_millis)),
    ])
}

/// Calls `write` with the cells of a delivery that enters the outbox.
pub(crate) fn queue_cells<T>(delivery: &Delivery, write: impl FnOnce(&[Cell<'_>]) -> T) -> T {
    let run = delivery.run.map(RunKey::to_bytes);
    write(&[
        Cell::Bytes(&delivery.id.to_bytes()),
        Cell::Text(&delivery.hook),
        run.as_ref().map_or(Cell::Null, |id| Cell::Bytes(id)),
        Cell::count(delivery.enqueued_seq),
        Cell::Int(0),
        Cell::Int(i64::from(delivery.max_attempts)),
        Cell::Int(delivery.queued_at.as_millis()),
        Cell::Int(delivery.expires_at().as_millis()),
    ])
}

/// Calls `write` with the cells of a delivery that goes back to the outbox.
pub(crate) fn waiting_cells<T>(
    delivery: &Delivery,
    waiting: &Waiting,
    write: impl FnOnce(&[Cell<'_>]) -> T,
) -> T {
    let run = delivery.run.map(RunKey::to_bytes);
    write(&[
        Cell::Bytes(&delivery.id.to_bytes()),
        Cell::Text(&delivery.hook),
        run.as_ref().map_or(Cell::Null, |id| Cell::Bytes(id)),
        Cell::count(delivery.enqueued_seq),
        Cell::Int(i64::from(waiting.attempts)),
        Cell::Int(i64::from(delivery.max_attempts)),
        Cell::Int(waiting.next_attempt_at.as_millis()),
        Cell::Int(waiting.expires_at.as_millis()),
        Cell::text_or_null(waiting.last_error.as_deref()),
    ])
}

fn read_hook(row: &dyn Columns) -> Result<Defined, Fault> {
    Ok(Defined {
        hook: serde_json::from_str(&row.text(2)?).map_err(unreadable)?,
        in_ledger: Some(InLedger {
            id: HookId::from_bytes(row.id(0)?),
            version: row.count(1)?,
            updated_at: time(row, 3)?,
        }),
    })
}

fn read_tracked(row: &dyn Columns) -> Result<Tracked, Fault> {
    let trigger = row.text(4)?;
    let delivery = Delivery {
        enqueued_seq: row.count(0)?,
        id: DeliveryId::from_bytes(row.id(1)?),
        version: row.count(2)?,
        hook: row.text(3)?,
        trigger: Trigger::from_text(&trigger).ok_or_else(|| wrong("trigger", &trigger))?,
        task: row.maybe_id(5)?.map(TaskId::from_bytes),
        run: row.maybe_id(6)?.map(RunKey::from_bytes),
        state: state(row, 7)?,
        attempts: number(row, 8)?,
        max_attempts: number(row, 9)?,
        error: row.maybe_text(10)?,
        enqueued_at: time(row, 11)?,
        queued_at: time(row, 12)?,
        ended_at: maybe_time(row, 13)?,
    };
    let waiting = match maybe_time(row, 15)? {
        None => None,
        Some(next_attempt_at) => Some(Waiting {
            attempts: number(row, 14)?,
            next_attempt_at,
            expires_at: time(row, 16)?,
            last_error: row.maybe_text(17)?,
            sending: match row.maybe_id(18)? {
                None => None,
                Some(lock) => {
                    Some(Sending { lock: Lock(lock), worker: row.text(19)?, since: time(row, 20)? })
                }
            },
        }),
    };
    Ok(Tracked { delivery, waiting })
}

fn read_claimed(row: &dyn Columns) -> Result<ClaimedRow, Fault> {
    Ok(ClaimedRow {
        delivery: DeliveryId::from_bytes(row.id(0)?),
        hook: row.text(1)?,
        attempts: number(row, 2)?,
        expires_at: time(row, 3)?,
        kind: row.text(4)?,
        version: number(row, 5)?,
        data: row.maybe_text(6)?,
        tells_of_a_run: row.maybe_id(7)?.is_some(),
    })
}

fn time(row: &dyn Columns, column: usize) -> Result<Time, Fault> {
    Ok(Time::from_millis(row.int(column)?))
}

fn maybe_time(row: &dyn Columns, column: usize) -> Result<Option<Time>, Fault> {
    Ok(row.maybe_int(column)?.map(Time::from_millis))
}

fn number(row: &dyn Columns, column: usize) -> Result<u32, Fault> {
    Ok(u32::try_from(row.int(column)?).unwrap_or(u32::MAX))
}

fn state(row: &dyn Columns, column: usize) -> Result<State, Fault> {
    let text = row.text(column)?;
    State::from_text(&text).ok_or_else(|| wrong("state", &text))
}

fn wrong(what: &str, text: &str) -> Fault {
    Fault::new(Code::LedgerCorrupt, format!("a row of deliveries has the {what} '{text}'"))
        .hint("rebuild the views from the log: windlass doctor --rebuild")
}
