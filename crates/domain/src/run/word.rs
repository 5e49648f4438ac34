//! The words of a run: what its steps, gates and actions can be. They are written as in `.hotl`.

use crate::word::words;

words! {
    /// How far a run has come.
    RunStatus {
        Running "running",
        /// Somebody must decide, or a budget is used up.
        Paused "paused",
        /// Something went wrong that somebody must look at.
        Blocked "blocked",
        /// All is done and proven; what becomes of it is open.
        ReadyToFinish "ready_to_finish",
        Completed "completed",
        /// Given up; only found in the files of others.
        Abandoned "abandoned",
    }
}

impl RunStatus {
    /// Nothing more becomes of it.
    pub const fn is_over(self) -> bool {
        match self {
            Self::Completed | Self::Abandoned => true,
            Self::Running | Self::Paused | Self::Blocked | Self::ReadyToFinish => false,
        }
    }
}

words! {
    /// How far a step has come.
    StepStatus {
        Pending "pending",
        InProgress "in_progress",
        Done "done",
        Failed "failed",
        Blocked "blocked",
    }
}

words! {
    /// How one check ended, in a word.
    OutcomeWord {
        Passed "passed",
        Failed "failed",
        Undecided "undecided",
    }
}

words! {
    /// What the checks of a step mean for it, in a word.
    VerdictWord {
        Passed "passed",
        Failed "failed",
        NeedsPerson "needs_person",
        Undecidable "undecidable",
    }
}

words! {
    /// Who decides gates.
    Gates {
        /// Windlass asks the person a gate needs, and lets nothing pass before.
        Enforced "enforced",
        /// The caller says what was decided, and is believed.
        Attested "attested",
    }
}

words! {
    /// What was decided.
    Decision {
        Approved "approved",
        Rejected "rejected",
    }
}

words! {
    /// Whether a person decided.
    Mode {
        Auto "auto",
        Human "human",
    }
}

words! {
    /// By what right somebody acts on a run.
    Authority {
        /// The caller says so.
        Attested "attested",
        /// Somebody at a terminal, whose name nobody proved.
        Terminal "terminal",
        /// Somebody on a page who was let in without a key, and whose name nobody proved.
        Page "page",
        /// A person with a key that may approve.
        Key "key",
        /// The rule of the workflow file.
        Rule "rule",
    }
}

impl Authority {
    /// It stands for a person.
    pub const fn is_person(self) -> bool {
        match self {
            Self::Terminal | Self::Page | Self::Key => true,
            Self::Attested | Self::Rule => false,
        }
    }
}

words! {
    /// The door that somebody came through, for the rules that HOTL's skills know otherwise.
    #[derive(Default)]
    Door {
        /// One of our own.
        #[default]
        Own "windlass",
        /// The commands that skills call which were written for HOTL.
        Hotl "hotl",
    }
}

words! {
    /// What a run can use up.
    Metric {
        TotalAttempts "total_attempts",
        Agents "agents",
        CostUsd "cost_usd",
        ElapsedMinutes "elapsed_minutes",
    }
}

words! {
    /// What becomes of the work of a run.
    Disposition {
        Kept "kept",
        Merged "merged",
        Published "published",
        Discarded "discarded",
    }
}

words! {
    /// What an action does to the world outside the run.
    ActionKind {
        LocalWrite "local_write",
        NetworkRead "network_read",
        ExternalWrite "external_write",
        ProductionChange "production_change",
        SecretAccess "secret_access",
    }
}

impl ActionKind {
    /// A person decides it first, and what came of it must be told.
    pub const fn is_sensitive(self) -> bool {
        match self {
            Self::ExternalWrite | Self::ProductionChange | Self::SecretAccess => true,
            Self::LocalWrite | Self::NetworkRead => false,
        }
    }
}

words! {
    ActionStatus {
        Allowed "allowed",
        HostAuthority "host_authority",
        Pending "pending",
        Approved "approved",
        Rejected "rejected",
    }
}

words! {
    /// Who decides an action.
    DecisionMode {
        Policy "policy",
        Host "host",
        Human "human",
    }
}

words! {
    /// What came of an action.
    EffectStatus {
        NotRequired "not_required",
        NotStarted "not_started",
        InProgress "in_progress",
        Succeeded "succeeded",
        Failed "failed",
        Uncertain "uncertain",
        Cancelled "cancelled",
    }
}

words! {
    OwnerStatus {
        Unclaimed "unclaimed",
        Active "active",
        Released "released",
    }
}

words! {
    /// How it stands with the owner of a run now.
    OwnerStanding {
        Unclaimed "unclaimed",
        Active "active",
        /// It has not shown a sign of life in time.
        Stale "stale",
        Released "released",
    }
}

words! {
    /// How the owner of a run changed.
    OwnerChange {
        Claim "claim",
        Heartbeat "heartbeat",
        Release "release",
        Handoff "handoff",
        Takeover "takeover",
    }
}

words! {
    /// Why a step is blocked.
    Cause {
        /// Somebody said so.
        Asked "asked",
        /// It failed as often as it may.
        Exhausted "exhausted",
        /// A check of it cannot be decided by anybody.
        Undecidable "undecidable",
        /// A check of it waits for a person.
        Review "review",
        /// A person said no to a check of it.
        Rejected "rejected",
    }
}

words! {
    /// What happens to a step whose gate is reopened.
    Reopen {
        /// The gate is decided again.
        Decide "decide",
        /// The step is done again.
        Redo "redo",
    }
}

words! {
    /// Why a receipt does not prove enough.
    Reason {
        RunNotCompleted "run_not_completed",
        StepsNotDone "steps_not_done",
        VerificationMissingOrFailed "verification_missing_or_failed",
        GateEvidenceMissingOrRejected "gate_evidence_missing_or_rejected",
        HighRiskHumanGateMissing "high_risk_human_gate_missing",
        SensitiveActionUnresolved "sensitive_action_unresolved",
        SensitiveActionEffectEvidenceMissing "sensitive_action_effect_evidence_missing",
        SensitiveActionEffectUnresolved "sensitive_action_effect_unresolved",
        SensitiveActionEffectFailed "sensitive_action_effect_failed",
        BudgetExceeded "budget_exceeded",
        FinishDispositionMissing "finish_disposition_missing",
    }
}

impl Disposition {
    /// The work goes to others, so it must be complete.
    pub const fn lands(self) -> bool {
        match self {
            Self::Merged | Self::Published => true,
            Self::Kept | Self::Discarded => false,
        }
    }
}

impl Reason {
    /// It is gone once the run is finished.
    pub const fn is_about_finish(self) -> bool {
        match self {
            Self::RunNotCompleted | Self::FinishDispositionMissing => true,
            Self::StepsNotDone
            | Self::VerificationMissingOrFailed
            | Self::GateEvidenceMissingOrRejected
            | Self::HighRiskHumanGateMissing
            | Self::SensitiveActionUnresolved
            | Self::SensitiveActionEffectEvidenceMissing
            | Self::SensitiveActionEffectUnresolved
            | Self::SensitiveActionEffectFailed
            | Self::BudgetExceeded => false,
        }
    }
}

words! {
    /// What a receipt that is sufficient to HOTL does not prove.
    Caveat {
        /// A gate was decided by the word of the caller.
        GateAttestedOnly "gate_attested_only",
        /// A step has no check.
        StepUnverified "step_unverified",
        /// A step is done, and not all of its checks were run by this ledger.
        StepUnseen "step_unseen",
    }
}

words! {
    /// What to do next with a run.
    NextAction {
        Complete "complete",
        AwaitActionDecision "await_action_decision",
        ReconcileActionEffect "reconcile_action_effect",
        ExecuteApprovedAction "execute_approved_action",
        AdjustBudgetOrStop "adjust_budget_or_stop",
        InspectBlocker "inspect_blocker",
        ResumeAfterGateOrPolicy "resume_after_gate_or_policy",
        RetryOrBlockFailedStep "retry_or_block_failed_step",
        RecordFinishDisposition "record_finish_disposition",
        VerifyNextIncompleteStep "verify_next_incomplete_step",
    }
}
