-- The views. All of them follow from the log: they may be dropped and replayed at any time.

CREATE TABLE projects (
    created_seq   BIGINT PRIMARY KEY,
    id            BYTEA NOT NULL UNIQUE,
    version       BIGINT NOT NULL,
    name          TEXT COLLATE "C" NOT NULL,
    description   TEXT COLLATE "C",
    repo          TEXT COLLATE "C",
    protected     BIGINT NOT NULL,
    frozen        BIGINT NOT NULL,
    frozen_reason TEXT COLLATE "C",
    deleted       BIGINT NOT NULL,
    backlog       BIGINT NOT NULL,
    ready         BIGINT NOT NULL,
    in_progress   BIGINT NOT NULL,
    blocked       BIGINT NOT NULL,
    done          BIGINT NOT NULL,
    archived      BIGINT NOT NULL,
    claimable     BIGINT NOT NULL,
    created_at    BIGINT NOT NULL,
    updated_at    BIGINT NOT NULL
);

-- The name of a deleted project is free for another.
CREATE UNIQUE INDEX projects_name ON projects (name) WHERE deleted = 0;

-- `urgency` is 3 - priority, so that every order is ascending. '' means nobody, no role.
CREATE TABLE tasks (
    created_seq         BIGINT PRIMARY KEY,
    id                  BYTEA NOT NULL,
    tail                BIGINT NOT NULL,
    version             BIGINT NOT NULL,
    project_id          BYTEA NOT NULL,
    parent_id           BYTEA,
    title               TEXT COLLATE "C" NOT NULL,
    status              TEXT COLLATE "C" NOT NULL,
    archived_from       TEXT COLLATE "C",
    urgency             BIGINT NOT NULL,
    due_at              BIGINT,
    tags                TEXT COLLATE "C" NOT NULL,
    agent               TEXT COLLATE "C" NOT NULL,
    fence               BIGINT NOT NULL,
    claimed_at          BIGINT,
    active_at           BIGINT,
    lease_until         BIGINT,
    lease_ms            BIGINT,
    lease_expired       BIGINT NOT NULL,
    auto_unpause        BIGINT NOT NULL,
    progress            BIGINT,
    stale_after_minutes BIGINT,
    pipeline            TEXT COLLATE "C" NOT NULL,
    stage               TEXT COLLATE "C",
    role                TEXT COLLATE "C" NOT NULL,
    open_dependencies   BIGINT NOT NULL,
    open_children       BIGINT NOT NULL,
    created_at          BIGINT NOT NULL,
    updated_at          BIGINT NOT NULL,
    started_at          BIGINT,
    finished_at         BIGINT
);

CREATE UNIQUE INDEX tasks_id ON tasks (id);
-- An id typed by its last characters.
CREATE INDEX tasks_tail ON tasks (tail);
-- Lists, in the order they are shown: urgency, then creation.
-- (With the time of creation, so that the age of a queue is read from here alone.)
CREATE INDEX tasks_project_status ON tasks (project_id, status, urgency, created_seq, created_at);
CREATE INDEX tasks_status ON tasks (status, urgency, created_seq);
CREATE INDEX tasks_project ON tasks (project_id, urgency, created_seq) WHERE status <> 'archived';
CREATE INDEX tasks_all ON tasks (urgency, created_seq) WHERE status <> 'archived';
CREATE INDEX tasks_agent ON tasks (agent, urgency, created_seq) WHERE agent <> '' AND status <> 'archived';
CREATE INDEX tasks_parent ON tasks (parent_id, urgency, created_seq) WHERE parent_id IS NOT NULL;
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
    created_seq BIGINT PRIMARY KEY,
    description TEXT COLLATE "C",
    links       TEXT COLLATE "C" NOT NULL,
    metadata    TEXT COLLATE "C" NOT NULL,
    note_words  TEXT COLLATE "C" NOT NULL
);

CREATE TABLE task_tags (
    tag         TEXT COLLATE "C" NOT NULL,
    created_seq BIGINT NOT NULL,
    PRIMARY KEY (tag, created_seq)
);

-- The claimable tasks in claim order: once under tag '' and once under each tag.
CREATE TABLE queue (
    tag         TEXT COLLATE "C" NOT NULL,
    project_id  BYTEA NOT NULL,
    role        TEXT COLLATE "C" NOT NULL,
    agent       TEXT COLLATE "C" NOT NULL,
    urgency     BIGINT NOT NULL,
    due_key     BIGINT NOT NULL,
    created_seq BIGINT NOT NULL,
    PRIMARY KEY (tag, project_id, role, agent, urgency, due_key, created_seq)
);

CREATE TABLE dependencies (
    task_id    BYTEA NOT NULL,
    depends_on BYTEA NOT NULL,
    PRIMARY KEY (task_id, depends_on)
);

CREATE INDEX dependencies_dependents ON dependencies (depends_on, task_id);

-- Who acted, numbered by the event they were first seen in, and all their events.
CREATE TABLE agents (
    number BIGINT PRIMARY KEY,
    name   TEXT COLLATE "C" NOT NULL UNIQUE
);

CREATE TABLE activity (
    agent BIGINT NOT NULL,
    seq   BIGINT NOT NULL,
    PRIMARY KEY (agent, seq)
);

-- The words of a task under its creation number: title (weight A), then tags and description (B),
-- then comments and checkpoints (C). They come from our own tokeniser.
CREATE TABLE search (
    created_seq BIGINT PRIMARY KEY,
    words       TSVECTOR NOT NULL
);

CREATE INDEX search_by_word ON search USING gin (words);

-- Executions under an op id, and what they answered. A row is there only when its effects are: both
-- commit together. It goes when it expires, and the data of its event with it. `fingerprint` is what
-- the execution made of the task that its op id was made from.
CREATE TABLE workflow_ops (
    op_id       TEXT COLLATE "C" PRIMARY KEY,
    workflow    TEXT COLLATE "C" NOT NULL,
    state       TEXT COLLATE "C" NOT NULL CHECK (state = 'completed'),
    input_hash  BYTEA NOT NULL,
    result      TEXT COLLATE "C" NOT NULL,
    fingerprint BYTEA,
    created_at  BIGINT NOT NULL,
    updated_at  BIGINT NOT NULL,
    seq         BIGINT NOT NULL
);

CREATE INDEX workflow_ops_age ON workflow_ops (created_at);
CREATE INDEX workflow_ops_fingerprint ON workflow_ops (fingerprint) WHERE fingerprint IS NOT NULL;

-- The hooks that are defined in the ledger.
CREATE TABLE hooks (
    created_seq BIGINT PRIMARY KEY,
    id          BYTEA NOT NULL UNIQUE,
    version     BIGINT NOT NULL,
    name        TEXT COLLATE "C" NOT NULL UNIQUE,
    definition  TEXT COLLATE "C" NOT NULL,
    updated_at  BIGINT NOT NULL
);

-- What hooks were set off, and what became of it. What they say is in the log.
CREATE TABLE deliveries (
    enqueued_seq BIGINT PRIMARY KEY,
    id           BYTEA NOT NULL UNIQUE,
    tail         BIGINT NOT NULL,
    version      BIGINT NOT NULL,
    hook         TEXT COLLATE "C" NOT NULL,
    trigger_name TEXT COLLATE "C" NOT NULL,
    task_id      BYTEA,
    run_id       BYTEA,
    state        TEXT COLLATE "C" NOT NULL CHECK (state IN ('queued', 'delivered', 'failed', 'discarded')),
    attempts     BIGINT NOT NULL,
    max_attempts BIGINT NOT NULL,
    error        TEXT COLLATE "C",
    enqueued_at  BIGINT NOT NULL,
    queued_at    BIGINT NOT NULL,
    ended_at     BIGINT
);

CREATE INDEX deliveries_state ON deliveries (state, enqueued_seq);
CREATE INDEX deliveries_tail ON deliveries (tail);
CREATE INDEX deliveries_task ON deliveries (task_id);

-- Who is let in, and as what. `projects` is a list of ids as JSON, empty for all.
CREATE TABLE keys (
    created_seq BIGINT PRIMARY KEY,
    id          BYTEA NOT NULL UNIQUE,
    version     BIGINT NOT NULL,
    prefix      TEXT COLLATE "C" NOT NULL,
    digest      BYTEA NOT NULL,
    owner       TEXT COLLATE "C" NOT NULL,
    role        TEXT COLLATE "C" NOT NULL,
    projects    TEXT COLLATE "C" NOT NULL,
    tools       TEXT COLLATE "C",
    expires_at  BIGINT,
    created_at  BIGINT NOT NULL,
    rotated_at  BIGINT,
    revoked_at  BIGINT
);

-- What a caller shows is looked up by its hash.
CREATE UNIQUE INDEX keys_digest ON keys (digest);

-- One row for each execution of a workflow file; `state` is all that followed from its events.
CREATE TABLE runs (
    created_seq BIGINT PRIMARY KEY,
    id          BYTEA NOT NULL UNIQUE,
    version     BIGINT NOT NULL,
    machine     TEXT COLLATE "C" NOT NULL,
    folder      TEXT COLLATE "C" NOT NULL,
    name        TEXT COLLATE "C" NOT NULL,
    status      TEXT COLLATE "C" NOT NULL,
    task_id     BYTEA,
    answer_due  BIGINT,
    state       TEXT COLLATE "C" NOT NULL
);

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
    created_seq BIGINT PRIMARY KEY,
    id          BYTEA NOT NULL UNIQUE,
    events      BIGINT NOT NULL,
    owner       TEXT COLLATE "C" NOT NULL,
    chunk_type  TEXT COLLATE "C" NOT NULL,
    query_key   TEXT COLLATE "C" NOT NULL,
    -- The session in which it was written first.
    session_id  BYTEA,
    created_at  BIGINT NOT NULL,
    -- When what it says was last written.
    updated_at  BIGINT NOT NULL,
    -- When it ends, unless it is pinned.
    expires_at  BIGINT,
    -- The key by which the end of an id is found.
    tail        BIGINT NOT NULL,
    -- The task of a spec.
    task_id     BYTEA,
    -- The chunk that says it better.
    superseded_by BYTEA,
    -- Somebody should look at it, whatever the time.
    is_flagged  BIGINT NOT NULL,
    -- When somebody last wrote or reviewed it, or looked at what it was flagged for.
    touched_at  BIGINT NOT NULL,
    state       TEXT COLLATE "C" NOT NULL
);

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
    facet       TEXT COLLATE "C" NOT NULL,
    rank        TEXT COLLATE "C" NOT NULL,
    created_seq BIGINT NOT NULL,
    PRIMARY KEY (facet, rank, created_seq)
);

-- How many chunks are on a list that is in the order of their creation.
CREATE TABLE facet_counts (
    facet  TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    chunks BIGINT NOT NULL
);

-- What chunks point to, by what is pointed to.
CREATE TABLE chunk_links (
    to_end      TEXT COLLATE "C" NOT NULL,
    created_seq BIGINT NOT NULL,
    PRIMARY KEY (to_end, created_seq)
);

-- Whose chunks can be found, and what they have in all.
CREATE TABLE chunk_owners (
    number   BIGINT PRIMARY KEY,
    owner    TEXT COLLATE "C" NOT NULL UNIQUE,
    chunks   BIGINT NOT NULL,
    length   BIGINT NOT NULL,
    postings BIGINT NOT NULL
);

-- Which words stand for which chunks. `places` is how often in each place, packed; `length` is how
-- many words the chunk has.
CREATE TABLE chunk_words (
    word        TEXT COLLATE "C" NOT NULL,
    owner       BIGINT NOT NULL,
    created_seq BIGINT NOT NULL,
    places      BIGINT NOT NULL,
    length      BIGINT NOT NULL,
    PRIMARY KEY (word, owner, created_seq)
);

-- In how many chunks of an owner a word is, and how often in all.
CREATE TABLE chunk_vocabulary (
    word   TEXT COLLATE "C" NOT NULL,
    owner  BIGINT NOT NULL,
    chunks BIGINT NOT NULL,
    times  BIGINT NOT NULL,
    PRIMARY KEY (word, owner)
);

-- The words of the vocabulary by every three characters of them.
CREATE TABLE chunk_trigrams (
    trigram TEXT COLLATE "C" NOT NULL,
    word    TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (trigram, word)
);

-- One row for each sitting of an agent; `state` is all that followed from its events.
CREATE TABLE sessions (
    created_seq BIGINT PRIMARY KEY,
    id          BYTEA NOT NULL UNIQUE,
    tail        BIGINT NOT NULL,
    agent       TEXT COLLATE "C" NOT NULL,
    run_id      BYTEA,
    status      TEXT COLLATE "C" NOT NULL,
    -- When its time runs out, until it is over.
    expires_at  BIGINT,
    state       TEXT COLLATE "C" NOT NULL
);

CREATE INDEX sessions_tail ON sessions (tail);
CREATE INDEX sessions_agent ON sessions (agent, created_seq);
CREATE INDEX sessions_open ON sessions (agent, created_seq) WHERE expires_at IS NOT NULL;
CREATE INDEX sessions_status ON sessions (status, created_seq);
CREATE INDEX sessions_run ON sessions (run_id, created_seq) WHERE run_id IS NOT NULL;
CREATE INDEX sessions_expiry ON sessions (expires_at) WHERE expires_at IS NOT NULL;

-- What people defined, by its kind and slug or name.
CREATE TABLE definitions (
    created_seq BIGINT PRIMARY KEY,
    id          BYTEA NOT NULL UNIQUE,
    events      BIGINT NOT NULL,
    kind        TEXT COLLATE "C" NOT NULL,
    name        TEXT COLLATE "C" NOT NULL,
    definition  TEXT COLLATE "C" NOT NULL
);

CREATE UNIQUE INDEX definitions_name ON definitions (kind, name);
