//! How much is measured.

/// The sizes of one run.
#[derive(Debug, Clone, Copy)]
pub struct Scale {
    pub name: &'static str,
    /// How often each command is timed.
    pub repetitions: usize,
    /// Tasks in the ledger on which single commands are timed.
    pub tasks: usize,
    /// Writing commands after which a reading one is timed again.
    pub wear: usize,
    /// The small and the large ledger between which a command may grow.
    pub growth: (usize, usize),
    /// The same on PostgreSQL.
    pub growth_on_postgres: (usize, usize),
    /// Few and many projects, between which a claim may grow.
    pub projects: (usize, usize),
    pub claimers: usize,
    /// Tasks they claim.
    pub queue: usize,
    /// Tasks that live a typical life.
    pub lives: usize,
    /// Tasks that wait in the queue, for the size of a ledger.
    pub waiting: usize,
    /// Tasks whose views are rebuilt.
    pub rebuilt: usize,
    /// Tasks that are imported, and among which others are found.
    pub imported: usize,
    /// Hooks in the outbox that is drained.
    pub hooks: usize,
    /// Clients of one server, and the tasks that they do.
    pub clients: usize,
    pub served: usize,
    /// Those who follow the events of a server.
    pub followers: usize,
    /// Few and many chunks, between which a list and the start of a session may grow.
    pub chunks: (usize, usize),
}

impl Scale {
    /// In four minutes.
    pub const QUICK: Self = Self {
        name: "--quick",
        repetitions: 31,
        tasks: 10_000,
        wear: 200,
        growth: (1_000, 50_000),
        growth_on_postgres: (1_000, 10_000),
        projects: (8, 200),
        claimers: 64,
        queue: 2_000,
        lives: 5_000,
        waiting: 10_000,
        rebuilt: 20_000,
        imported: 100_000,
        hooks: 10_000,
        clients: 64,
        served: 4_000,
        followers: 1_000,
        chunks: (1_000, 20_000),
    };

    /// In twelve minutes.
    pub const FULL: Self = Self {
        name: "--full",
        repetitions: 101,
        tasks: 10_000,
        wear: 1_000,
        growth: (1_000, 1_000_000),
        growth_on_postgres: (1_000, 100_000),
        projects: (8, 200),
        claimers: 64,
        queue: 2_000,
        lives: 5_000,
        waiting: 10_000,
        rebuilt: 100_000,
        imported: 200_000,
        hooks: 10_000,
        clients: 64,
        served: 20_000,
        followers: 1_000,
        chunks: (1_000, 100_000),
    };

    /// Enough to see that every figure can still be taken.
    pub const SMOKE: Self = Self {
        name: "smoke",
        repetitions: 3,
        tasks: 50,
        wear: 3,
        growth: (20, 50),
        growth_on_postgres: (20, 50),
        projects: (2, 4),
        claimers: 4,
        queue: 20,
        lives: 20,
        waiting: 50,
        rebuilt: 50,
        imported: 50,
        hooks: 50,
        clients: 4,
        served: 20,
        followers: 5,
        chunks: (60, 120),
    };
}
