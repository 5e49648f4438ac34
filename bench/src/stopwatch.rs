//! Timing whole processes that take turns, so that noise on the machine hits all of them alike.

use std::process::Stdio;
use std::time::{Duration, Instant};

use windlass_testkit::Run;

use crate::Failure;

/// Rounds before those that count, to warm the caches of the machine.
pub const WARM_UP: usize = 2;

/// What runs in one turn of a round; the number of the round is given.
pub type Turn<'a> = &'a mut dyn FnMut(usize) -> Result<Run, Failure>;

/// The times of one command.
#[derive(Debug, Clone, Default)]
pub struct Samples {
    times: Vec<Duration>,
}

impl From<Vec<Duration>> for Samples {
    fn from(times: Vec<Duration>) -> Self {
        Self { times }
    }
}

impl Samples {
    /// The time in the middle.
    pub fn median(&self) -> Duration {
        self.quantile(50)
    }

    /// The time within which 95 of 100 ended: it shows what the median hides.
    pub fn most(&self) -> Duration {
        self.quantile(95)
    }

    /// The time within which 99 of 100 ended.
    pub fn nearly_all(&self) -> Duration {
        self.quantile(99)
    }

    fn quantile(&self, percent: usize) -> Duration {
        let mut times = self.times.clone();
        times.sort_unstable();
        let last = times.len().saturating_sub(1);
        times.get(last * percent / 100).copied().unwrap_or_default()
    }
}

/// Runs all turns, one after the other, `repetitions` times, and returns the times of each.
pub fn take_turns<const N: usize>(
    repetitions: usize,
    mut turns: [Turn<'_>; N],
) -> Result<[Samples; N], Failure> {
    let mut samples = std::array::from_fn(|_| Samples::default());
    for round in 0..WARM_UP + repetitions {
        for (turn, taken) in turns.iter_mut().zip(&mut samples) {
            let time = time(&turn(round)?)?;
            if round >= WARM_UP {
                taken.times.push(time);
            }
        }
    }
    Ok(samples)
}

/// The time of one process from its start until it is gone; it must succeed.
pub fn time(run: &Run) -> Result<Duration, Failure> {
    let mut command = run.command();
    command.stdout(Stdio::null()).stderr(Stdio::inherit());
    let start = Instant::now();
    let status = command.spawn()?.wait()?;
    let time = start.elapsed();
    if !status.success() {
        return Err(format!("{command:?} ended with {status}").into());
    }
    Ok(time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_time_in_the_middle() {
        let times = [5, 1, 9, 2, 8].map(Duration::from_millis).to_vec();
        assert_eq!(Samples { times }.median(), Duration::from_millis(5));
        assert_eq!(Samples::default().median(), Duration::ZERO);
    }

    #[test]
    fn turns_are_taken_round_by_round() {
        let order = std::cell::RefCell::new(Vec::new());
        let turn = |name: &'static str| {
            let order = &order;
            move |round: usize| {
                order.borrow_mut().push((name, round));
                Ok(Run::of("true"))
            }
        };
        let [one, other] = take_turns(1, [&mut turn("one"), &mut turn("other")]).unwrap();
        assert_eq!((one.times.len(), other.times.len()), (1, 1));
        let rounds = (0..=WARM_UP).flat_map(|round| [("one", round), ("other", round)]);
        assert_eq!(*order.borrow(), rounds.collect::<Vec<_>>());
    }
}
