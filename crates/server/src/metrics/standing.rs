//! How things stand in the ledger when somebody asks: the counters that the views keep, and what is
//! held and waits now. Nothing here grows with the number of tasks.

use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use windlass_domain::Status;
use windlass_domain::project::Project;
use windlass_ledger::{Backlog, Error};
use windlass_ops::Context;

/// More projects than this are not told apart.
const MOST_PROJECTS: usize = 1_000;
/// What all projects beyond that are called together. It is no name of a project.
const OTHERS: &str = "(others)";

/// The numbers of one moment.
#[derive(Debug, Clone, Default)]
pub(crate) struct Standing {
    projects: Vec<Project>,
    expired_leases: i64,
    backlog: Backlog,
    /// How old the oldest delivery is that waits.
    oldest_seconds: i64,
    /// How many follow the events of this server.
    followers: usize,
    /// How many commands this server has taken and not begun to write.
    waiting: usize,
}

impl Standing {
    pub(crate) fn look(cx: &mut Context) -> Result<Self, Error> {
        cx.read(|snapshot| {
            let now = snapshot.now();
            let expired = snapshot.held()?.iter().filter(|task| task.lease_ran_out(now)).count();
            let backlog = snapshot.backlog()?;
            let oldest = backlog.oldest_at.map_or(0, |at| now.millis_since(at) / 1_000);
            Ok(Self {
                projects: snapshot.projects()?,
                expired_leases: i64::try_from(expired).unwrap_or(i64::MAX),
                backlog,
                oldest_seconds: oldest.max(0),
                ..Self::default()
            })
        })
    }

    /// The same, with the numbers of this server.
    #[must_use]
    pub(crate) fn here(self, followers: usize, waiting: usize) -> Self {
        Self { followers, waiting, ..self }
    }

    pub(super) fn registry(&self) -> Registry {
        let mut registry = Registry::with_prefix("windlass");
        let tasks: Family<[(&str, String); 2], Gauge> = Family::default();
        let available: Family<[(&str, String); 1], Gauge> = Family::default();
        for (at, project) in self.projects.iter().enumerate() {
            let name = if at < MOST_PROJECTS { project.name.as_str() } else { OTHERS };
            for status in Status::ALL {
                let labels = [("project", name.to_owned()), ("status", status.as_str().to_owned())];
                tasks.get_or_create(&labels).inc_by(project.counts.of(status));
            }
            let claimable = if project.frozen { 0 } else { project.counts.claimable };
            available.get_or_create(&[("project", name.to_owned())]).inc_by(claimable);
        }
        registry.register("tasks", "Tasks by project and status", tasks);
        registry.register("tasks_available", "Tasks that could be claimed now", available);
        let held = self.projects.iter().map(|project| project.counts.in_progress).sum();
        let number = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        let mut gauge = |name: &str, about: &str, value: i64| {
            let gauge: Gauge = Gauge::default();
            gauge.set(value);
            registry.register(name, about, gauge);
        };
        gauge("claims_held", "Tasks in progress", held);
        gauge("leases_expired", "Claims whose lease has run out", self.expired_leases);
        gauge("outbox_deliveries", "Deliveries that are not over", number(self.backlog.deliveries));
        gauge("outbox_oldest_seconds", "How long the oldest of them waits", self.oldest_seconds);
        gauge("outbox_failed", "Deliveries that were given up", number(self.backlog.failed));
        gauge("followers", "Who follows the events here", number(self.followers as u64));
        gauge("commands_waiting", "Commands that wait for a commit", number(self.waiting as u64));
        registry
    }
}
