-- The log and the working rows. Migrations never rewrite events.

CREATE TABLE migrations (
    number     INTEGER PRIMARY KEY,
    name       TEXT NOT NULL,
    hash       BLOB NOT NULL,
    applied_at INTEGER NOT NULL
) STRICT;

-- Ids have 16 bytes, hashes 32. Whoever reads an event checks that: a CHECK that calls a function makes
-- SQLite begin a savepoint for every event, as the table has a trigger.
CREATE TABLE events (
    seq          INTEGER PRIMARY KEY CHECK (seq > 0),
    id           BLOB NOT NULL,
    at           INTEGER NOT NULL,
    stream       BLOB NOT NULL,
    stream_seq   INTEGER NOT NULL,
    kind         TEXT NOT NULL,
    v            INTEGER NOT NULL,
    data         TEXT,
    -- Of what was pruned; whoever has the data can make it.
    data_hash    BLOB,
    actor        TEXT NOT NULL,
    on_behalf_of TEXT,
    session      TEXT,
    correlation  BLOB,
    causation    BLOB,
    op           TEXT,
    hash         BLOB NOT NULL,
    CHECK ((data IS NULL) <> (data_hash IS NULL))
) STRICT;

-- The history of one thing, in its order.
CREATE UNIQUE INDEX events_stream ON events (stream, stream_seq);

-- Comments and checkpoints are read from the log; this finds them among many renewals. (Not with IN:
-- for a list SQLite makes a table whenever an event is inserted.)
CREATE INDEX events_notes ON events (stream, seq)
    WHERE kind = 'comment_added' OR kind = 'checkpoint_recorded' OR kind = 'task_blocked';

-- Who held which task when: what was added, claimed and given back lately.
CREATE INDEX events_holding ON events (at)
    WHERE kind = 'task_created' OR kind = 'task_claimed' OR kind = 'task_released'
        OR kind = 'task_blocked' OR kind = 'task_unblocked' OR kind = 'task_completed'
        OR kind = 'status_set' OR kind = 'task_archived' OR kind = 'task_deleted';

-- Everything that one run or one execution under an op id did.
CREATE INDEX events_correlation ON events (correlation, seq) WHERE correlation IS NOT NULL;

-- `INSERT OR REPLACE` deletes without a delete trigger, so a wrong seq is refused before it can. A seq
-- that SQLite gives is the next one, and -1 here; -1 itself is refused by its CHECK. (FAIL, because ABORT
-- would want a savepoint too; for each, the index of words is written to disk.)
CREATE TRIGGER events_gapless BEFORE INSERT ON events
WHEN NEW.seq <> -1 AND NEW.seq <> (SELECT coalesce(max(seq), 0) + 1 FROM events)
BEGIN
    SELECT raise(FAIL, 'events are append-only: seq must be the next one');
END;

CREATE TRIGGER events_no_delete BEFORE DELETE ON events
BEGIN
    SELECT raise(ABORT, 'events are append-only');
END;

-- Pruning may put the hash of `data` in its place; nothing else ever changes.
CREATE TRIGGER events_no_update BEFORE UPDATE ON events
WHEN NEW.data IS NOT NULL OR length(NEW.data_hash) <> 32
    OR NEW.seq IS NOT OLD.seq OR NEW.id IS NOT OLD.id OR NEW.at IS NOT OLD.at
    OR NEW.stream IS NOT OLD.stream OR NEW.stream_seq IS NOT OLD.stream_seq
    OR NEW.kind IS NOT OLD.kind OR NEW.v IS NOT OLD.v OR (OLD.data_hash IS NOT NULL AND NEW.data_hash IS NOT OLD.data_hash)
    OR NEW.actor IS NOT OLD.actor OR NEW.on_behalf_of IS NOT OLD.on_behalf_of
    OR NEW.session IS NOT OLD.session OR NEW.correlation IS NOT OLD.correlation
    OR NEW.causation IS NOT OLD.causation OR NEW.op IS NOT OLD.op OR NEW.hash IS NOT OLD.hash
BEGIN
    SELECT raise(ABORT, 'events are append-only');
END;

-- A working row: what the world must do next, written with the events that cause it.
CREATE TABLE effects (
    id         INTEGER PRIMARY KEY,
    event_seq  INTEGER NOT NULL,
    host       TEXT NOT NULL,
    kind       TEXT NOT NULL,
    data       TEXT NOT NULL
) STRICT;

CREATE INDEX effects_host ON effects (host, id);

-- A working row for each delivery that is not over: how its attempts go. One that is being sent is
-- held by the worker whose lock it carries.
CREATE TABLE outbox (
    delivery        BLOB PRIMARY KEY,
    hook            TEXT NOT NULL,
    -- The run that it tells of: what is told of one is sent in its order.
    run_id          BLOB,
    -- The event that holds what it says.
    enqueued_seq    INTEGER NOT NULL,
    attempts        INTEGER NOT NULL,
    max_attempts    INTEGER NOT NULL,
    next_attempt_at INTEGER NOT NULL,
    expires_at      INTEGER NOT NULL,
    lock_token      BLOB,
    worker          TEXT,
    locked_at       INTEGER,
    last_error      TEXT
) STRICT;

CREATE INDEX outbox_due ON outbox (next_attempt_at, enqueued_seq) WHERE lock_token IS NULL;
CREATE INDEX outbox_expiry ON outbox (expires_at) WHERE lock_token IS NULL;
CREATE INDEX outbox_run ON outbox (run_id, enqueued_seq) WHERE run_id IS NOT NULL;
CREATE INDEX outbox_locked ON outbox (lock_token, locked_at) WHERE lock_token IS NOT NULL;

-- Working rows: what callers were refused lately, for somebody who looks. Only the newest are kept.
CREATE TABLE refusals (
    id        INTEGER PRIMARY KEY,
    at        INTEGER NOT NULL,
    key_id    BLOB,
    prefix    TEXT,
    operation TEXT NOT NULL,
    code      TEXT NOT NULL,
    message   TEXT NOT NULL
) STRICT;
