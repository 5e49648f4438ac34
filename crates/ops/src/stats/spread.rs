//! How long things take: the middle and the slow end, which a mean hides.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::Time;
use windlass_domain::project::Project;
use windlass_ledger::{Fault, Snapshot};

/// Times in milliseconds, by the nearest rank.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Spread {
    pub count: u64,
    /// Half of them took no longer.
    pub p50: Option<i64>,
    /// Nine in ten took no longer.
    pub p90: Option<i64>,
}

impl Spread {
    pub(super) fn of(times: impl IntoIterator<Item = i64>) -> Self {
        let mut times: Vec<i64> = times.into_iter().collect();
        times.sort_unstable();
        Self { count: times.len() as u64, p50: percentile(&times, 50), p90: percentile(&times, 90) }
    }
}

fn percentile(sorted: &[i64], percent: usize) -> Option<i64> {
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted.get(rank.checked_sub(1)?).copied()
}

/// How long the ready tasks have been there, in milliseconds since they were added.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QueueAge {
    pub oldest: Option<i64>,
    /// Half of them have been there no longer.
    pub p50: Option<i64>,
}

impl QueueAge {
    pub(super) fn of(snapshot: &mut Snapshot<'_>, projects: &[Project]) -> Result<Self, Fault> {
        let now = snapshot.now();
        let mut ages = Vec::new();
        for project in projects.iter().filter(|project| project.counts.ready > 0) {
            let since = snapshot.ready_since(project.id)?;
            ages.extend(since.into_iter().map(|added: Time| now.millis_since(added)));
        }
        ages.sort_unstable();
        Ok(Self { oldest: ages.last().copied(), p50: percentile(&ages, 50) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_and_nine_in_ten_are_told_by_the_nearest_rank() {
        let spread = Spread::of((1..=10).rev());
        assert_eq!(spread, Spread { count: 10, p50: Some(5), p90: Some(9) });
        assert_eq!(Spread::of([7]), Spread { count: 1, p50: Some(7), p90: Some(7) });
        assert_eq!(Spread::of([]), Spread::default());
    }
}
