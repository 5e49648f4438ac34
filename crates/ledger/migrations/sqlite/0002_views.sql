-- The views. All of them follow from the log: they may be dropped and replayed at any time.

CREATE TABLE projects (
    created_seq   INTEGER PRIMARY KEY,
    id            BLOB NOT NULL UNIQUE,
    version       INTEGER NOT NULL,
    name          TEXT NOT NULL,
    description   TEXT,
    repo          TEXT,
    protected     INTEGER NOT NULL,
    frozen        INTEGER NOT NULL,
    frozen_reason TEXT,
    deleted       INTEGER NOT NULL,
    backlog       INTEGER NOT NULL,
    ready         INTEGER NOT NULL,
    in_progress   INTEGER NOT NULL,
    blocked       INTEGER NOT NULL,
    done          INTEGER NOT NULL,
    archived      INTEGER NOT NULL,
    claimable     INTEGER NOT NULL,
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL
) STRICT;

-- The name of a deleted project is free for another.
CREATE UNIQUE INDEX projects_name ON projects (name) WHERE deleted = 0;

-- `urgency` is 3 - priority, so that every order is ascending. '' means nobody, no role.
CREATE TABLE tasks (
    created_seq         INTEGER PRIMARY KEY,
    id                  BLOB NOT NULL,
    tail                INTEGER NOT NULL,
    version             INTEGER NOT NULL,
    project_id          BLOB NOT NULL,
    parent_id           BLOB,
    title               TEXT NOT NULL,
    status              TEXT NOT NULL,
    archived_from       TEXT,
    urgency             INTEGER NOT NULL,
    due_at              INTEGER,
    tags                TEXT NOT NULL,
    agent               TEXT NOT NULL,
    fence               INTEGER NOT NULL,
    claimed_at          INTEGER,
    active_at           INTEGER,
    lease_until         INTEGER,
    lease_ms            INTEGER,
    lease_expired       INTEGER NOT NULL,
    auto_unpause        INTEGER NOT NULL,
    progress            INTEGER,
    stale_after_minutes INTEGER,
    pipeline            TEXT NOT NULL,
    stage               TEXT,
    role                TEXT NOT NULL,
    open_dependencies   INTEGER NOT NULL,
    open_children       INTEGER NOT NULL,
    created_at          INTEGER NOT NULL,
    updated_at          INTEGER NOT NULL,
    started_at          INTEGER,
    finished_at         INTEGER
) STRICT;

CREATE UNIQUE INDEX tasks_id ON tasks (id);
-- An id typed by its last characters.
CREATE INDEX tasks_tail ON tasks (tail);
-- Lists, in the order they are shown: urgency, then creation (the row id).
-- (With the time of creation, so that the age of a queue is read from here alone.)
CREATE INDEX tasks_project_status ON tasks (project_id, status, urgency, created_seq, created_at);
CREATE INDEX tasks_status ON tasks (status, urgency);
CREATE INDEX tasks_project ON tasks (project_id, urgency) WHERE status <> 'archived';
CREATE INDEX tasks_all ON tasks (urgency) WHERE status <> 'archived';
CREATE INDEX tasks_agent ON tasks (agent, urgency) WHERE agent <> '' AND status <> 'archived';
CREATE INDEX tasks_parent ON tasks (parent_id, urgency) WHERE parent_id IS NOT NULL;
-- Claims whose lease has run out.
CREATE INDEX tasks_leases ON tasks (project_id, role, urgency, lease_until)
    WHERE lease_until IS NOT NULL;
-- What an agent has in progress.
CREATE INDEX tasks_in_hand ON tasks (agent, lease_until) WHERE status = 'in_progress';
-- What was finished lately, and what may be pruned.
CREATE INDEX tasks_finished ON tasks (finished_at, created_seq) WHERE finished_at IS NOT NULL;
-- Pauses that are over: none, but at the end of the transaction that ends them.
CREATE INDEX tasks_pause_over ON tasks (created_seq) WHERE auto_unpause = 1 AND open_dependencies = 0;
CREATE INDEX tasks_due ON tasks (due_at) WHERE due_at IS NOT NULL;

-- The long texts of a task, apart from what changes often.
CREATE TABLE task_details (
    created_seq INTEGER PRIMARY KEY,
    description TEXT,
    links       TEXT NOT NULL,
    metadata    TEXT NOT NULL,
    note_words  TEXT NOT NULL
) STRICT;

CREATE TABLE task_tags (
    tag         TEXT NOT NULL,
    created_seq INTEGER NOT NULL,
    PRIMARY KEY (tag, created_seq)
) STRICT, WITHOUT ROWID;

-- The claimable tasks in claim order: once under tag '' and once under each tag.
CREATE TABLE queue (
    tag         TEXT NOT NULL,
    project_id  BLOB NOT NULL,
    role        TEXT NOT NULL,
    agent       TEXT NOT NULL,
    urgency     INTEGER NOT NULL,
    due_key     INTEGER NOT NULL,
    created_seq INTEGER NOT NULL,
    PRIMARY KEY (tag, project_id, role, agent, urgency, due_key, created_seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE dependencies (
    task_id    BLOB NOT NULL,
    depends_on BLOB NOT NULL,
    PRIMARY KEY (task_id, depends_on)
) STRICT, WITHOUT ROWID;

CREATE INDEX dependencies_dependents ON dependencies (depends_on, task_id);

-- Who acted, numbered by the event they were first seen in, and all their events.
CREATE TABLE agents (
    number INTEGER PRIMARY KEY,
    name   TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE activity (
    agent INTEGER NOT NULL,
    seq   INTEGER NOT NULL,
    PRIMARY KEY (agent, seq)
) STRICT, WITHOUT ROWID;

-- The words of a task under its creation number: title, then tags and description, then comments
-- and checkpoints. They come from our own tokeniser, so this one only has to cut at spaces. The
-- texts themselves are elsewhere and are not kept twice.
CREATE VIRTUAL TABLE search USING fts5 (
    title, body, notes,
    content = '', contentless_delete = 1, detail = column, tokenize = 'ascii'
);

-- The same by word and place with the number of tasks, to compare two indexes.
CREATE VIRTUAL TABLE search_words USING fts5vocab (search, col);

-- Executions under an op id, and what they answered. A row is there only when its effects are: both
-- commit together. It goes when it expires, and the data of its event with it. `fingerprint` is what
-- the execution made of the task that its op id was made from.
CREATE TABLE workflow_ops (
    op_id       TEXT PRIMARY KEY,
    workflow    TEXT NOT NULL,
    state       TEXT NOT NULL CHECK (state = 'completed'),
    input_hash  BLOB NOT NULL,
    result      TEXT NOT NULL,
    fingerprint BLOB,
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL,
    seq         INTEGER NOT NULL
) STRICT;

CREATE INDEX workflow_ops_age ON workflow_ops (created_at);
CREATE INDEX workflow_ops_fingerprint ON workflow_ops (fingerprint) WHERE fingerprint IS NOT NULL;

-- The hooks that are defined in the ledger.
CREATE TABLE hooks (
    created_seq INTEGER PRIMARY KEY,
    id          BLOB NOT NULL UNIQUE,
    version     INTEGER NOT NULL,
    name        TEXT NOT NULL UNIQUE,
    definition  TEXT NOT NULL,
    updated_at  INTEGER NOT NULL
) STRICT;

-- What hooks were set off, and what became of it. What they say is in the log.
CREATE TABLE deliveries (
    enqueued_seq INTEGER PRIMARY KEY,
    id           BLOB NOT NULL UNIQUE,
    tail         INTEGER NOT NULL,
    version      INTEGER NOT NULL,
    hook         TEXT NOT NULL,
    trigger_name TEXT NOT NULL,
    task_id      BLOB,
    run_id       BLOB,
    state        TEXT NOT NULL CHECK (state IN ('queued', 'delivered', 'failed', 'discarded')),
    attempts     INTEGER NOT NULL,
    max_attempts INTEGER NOT NULL,
    error        TEXT,
    enqueued_at  INTEGER NOT NULL,
    queued_at    INTEGER NOT NULL,
    ended_at     INTEGER
) STRICT;

CREATE INDEX deliveries_state ON deliveries (state, enqueued_seq);
CREATE INDEX deliveries_tail ON deliveries (tail);
CREATE INDEX deliveries_task ON deliveries (task_id);

-- Who is let in, and as what. `projects` is a list of ids as JSON, empty for all.
CREATE TABLE keys (
    created_seq INTEGER PRIMARY KEY,
    id          BLOB NOT NULL UNIQUE,
    version     INTEGER NOT NULL,
    prefix      TEXT NOT NULL,
    digest      BLOB NOT NULL,
    owner       TEXT NOT NULL,
    role        TEXT NOT NULL,
    projects    TEXT NOT NULL,
    tools       TEXT,
    expires_at  INTEGER,
    created_at  INTEGER NOT NULL,
    rotated_at  INTEGER,
    revoked_at  INTEGER
) STRICT;

-- What a caller shows is looked up by its hash.
CREATE UNIQUE INDEX keys_digest ON keys (digest);

-- One row for each execution of a workflow file; `state` is all that followed from its events.
CREATE TABLE runs (
    created_seq INTEGER PRIMARY KEY,
    id          BLOB NOT NULL UNIQUE,
    version     INTEGER NOT NULL,
    machine     TEXT NOT NULL,
    folder      TEXT NOT NULL,
    name        TEXT NOT NULL,
    status      TEXT NOT NULL,
    task_id     BLOB,
    answer_due  INTEGER,
    state       TEXT NOT NULL
) STRICT;

-- A name is unique within its folder.
CREATE UNIQUE INDEX runs_place ON runs (machine, folder, name);
-- Several folders may each have a run of one name.
CREATE INDEX runs_name ON runs (name, created_seq);
CREATE INDEX runs_folder ON runs (machine, folder, created_seq);
CREATE INDEX runs_status ON runs (status, created_seq);
CREATE INDEX runs_task ON runs (task_id, created_seq) WHERE task_id IS NOT NULL;
-- When somebody should look whether the answer of a person is overdue.
CREATE INDEX runs_answer_due ON runs (answer_due) WHERE answer_due IS NOT NULL;

-- One row for each chunk that was not deleted; `state` is all that followed from its events.
CREATE TABLE chunks (
    created_seq INTEGER PRIMARY KEY,
    id          BLOB NOT NULL UNIQUE,
    events      INTEGER NOT NULL,
    owner       TEXT NOT NULL,
    chunk_type  TEXT NOT NULL,
    query_key   TEXT NOT NULL,
    -- The session in which it was written first.
    session_id  BLOB,
    created_at  INTEGER NOT NULL,
    -- When what it says was last written.
    updated_at  INTEGER NOT NULL,
    -- When it ends, unless it is pinned.
    expires_at  INTEGER,
    -- The key by which the end of an id is found.
    tail        INTEGER NOT NULL,
    -- The task of a spec.
    task_id     BLOB,
    -- The chunk that says it better.
    superseded_by BLOB,
    -- Somebody should look at it, whatever the time.
    is_flagged  INTEGER NOT NULL,
    -- When somebody last wrote or reviewed it, or looked at what it was flagged for.
    touched_at  INTEGER NOT NULL,
    state       TEXT NOT NULL
) STRICT;

-- A query key is unique among the chunks of one type and owner.
CREATE UNIQUE INDEX chunks_key ON chunks (owner, chunk_type, query_key);
CREATE INDEX chunks_by_key ON chunks (query_key, created_seq);
CREATE INDEX chunks_session ON chunks (session_id, created_seq) WHERE session_id IS NOT NULL;
CREATE INDEX chunks_created ON chunks (created_at);
CREATE INDEX chunks_updated ON chunks (updated_at);
CREATE INDEX chunks_expiry ON chunks (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX chunks_tail ON chunks (tail);
CREATE INDEX chunks_type ON chunks (chunk_type, created_seq);
CREATE UNIQUE INDEX chunks_task ON chunks (task_id) WHERE task_id IS NOT NULL;
CREATE INDEX chunks_superseded ON chunks (superseded_by, created_seq) WHERE superseded_by IS NOT NULL;
CREATE INDEX chunks_flagged ON chunks (created_seq) WHERE is_flagged = 1;
CREATE INDEX chunks_touched ON chunks (touched_at, created_seq);

-- The sorted lists that each chunk is on: whose and of which type the chunks of a list are, what is
-- true of them, and their order.
CREATE TABLE chunk_facets (
    facet       TEXT NOT NULL,
    rank        TEXT NOT NULL,
    created_seq INTEGER NOT NULL,
    PRIMARY KEY (facet, rank, created_seq)
) STRICT, WITHOUT ROWID;

-- How many chunks are on a list that is in the order of their creation.
CREATE TABLE facet_counts (
    facet  TEXT NOT NULL PRIMARY KEY,
    chunks INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What chunks point to, by what is pointed to.
CREATE TABLE chunk_links (
    to_end      TEXT NOT NULL,
    created_seq INTEGER NOT NULL,
    PRIMARY KEY (to_end, created_seq)
) STRICT, WITHOUT ROWID;

-- Whose chunks can be found, and what they have in all.
CREATE TABLE chunk_owners (
    number   INTEGER PRIMARY KEY,
    owner    TEXT NOT NULL UNIQUE,
    chunks   INTEGER NOT NULL,
    length   INTEGER NOT NULL,
    postings INTEGER NOT NULL
) STRICT;

-- Which words stand for which chunks. `places` is how often in each place, packed; `length` is how
-- many words the chunk has.
CREATE TABLE chunk_words (
    word        TEXT NOT NULL,
    owner       INTEGER NOT NULL,
    created_seq INTEGER NOT NULL,
    places      INTEGER NOT NULL,
    length      INTEGER NOT NULL,
    PRIMARY KEY (word, owner, created_seq)
) STRICT, WITHOUT ROWID;

-- In how many chunks of an owner a word is, and how often in all.
CREATE TABLE chunk_vocabulary (
    word   TEXT NOT NULL,
    owner  INTEGER NOT NULL,
    chunks INTEGER NOT NULL,
    times  INTEGER NOT NULL,
    PRIMARY KEY (word, owner)
) STRICT, WITHOUT ROWID;

-- The words of the vocabulary by every three characters of them.
CREATE TABLE chunk_trigrams (
    trigram TEXT NOT NULL,
    word    TEXT NOT NULL,
    PRIMARY KEY (trigram, word)
) STRICT, WITHOUT ROWID;

-- One row for each sitting of an agent; `state` is all that followed from its events.
CREATE TABLE sessions (
    created_seq INTEGER PRIMARY KEY,
    id          BLOB NOT NULL UNIQUE,
    tail        INTEGER NOT NULL,
    agent       TEXT NOT NULL,
    run_id      BLOB,
    status      TEXT NOT NULL,
    -- When its time runs out, until it is over.
    expires_at  INTEGER,
    state       TEXT NOT NULL
) STRICT;

CREATE INDEX sessions_tail ON sessions (tail);
CREATE INDEX sessions_agent ON sessions (agent, created_seq);
CREATE INDEX sessions_open ON sessions (agent, created_seq) WHERE expires_at IS NOT NULL;
CREATE INDEX sessions_status ON sessions (status, created_seq);
CREATE INDEX sessions_run ON sessions (run_id, created_seq) WHERE run_id IS NOT NULL;
CREATE INDEX sessions_expiry ON sessions (expires_at) WHERE expires_at IS NOT NULL;

-- What people defined, by its kind and slug or name.
CREATE TABLE definitions (
    created_seq INTEGER PRIMARY KEY,
    id          BLOB NOT NULL UNIQUE,
    events      INTEGER NOT NULL,
    kind        TEXT NOT NULL,
    name        TEXT NOT NULL,
    definition  TEXT NOT NULL
) STRICT;

CREATE UNIQUE INDEX definitions_name ON definitions (kind, name);
