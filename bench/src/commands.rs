//! What one command costs, as a whole process, on a ledger of ordinary size.

use windlass_testkit::Run;

use crate::Failure;
use crate::programs::Place;
use crate::report::{Judged, Row, milliseconds};
use crate::scale::Scale;
use crate::seed::Filled;
use crate::stopwatch::{Samples, WARM_UP, take_turns};
use crate::story::{DESCRIPTION, HOLDER};

/// A writing command may cost so many times the yardstick.
const WRITING: f64 = 3.0;
/// A reading command may cost so many times `windlass --version`.
const READING: f64 = 2.0;

/// Makes an ordinary task.
pub const ADD: &str = "task add A-measured-task -P project-1 -s ready -t area-1,kind-1";
/// Takes the best one.
pub const CLAIM: &str = "task claim --next --agent claimer --lease 30m";
/// What somebody needs to go on.
const DATA: &str = r#"{"branch":"fix/slow-button","files":3}"#;

/// How many held tasks [`writing`] uses up.
pub fn held(scale: &Scale) -> usize {
    WARM_UP + scale.repetitions
}

/// Writing commands beside the yardstick, which writes to a copy of the same file.
pub fn writing(place: &Place, filled: &Filled, scale: &Scale) -> Result<Vec<Row>, Failure> {
    let copy = place.yardstick_copy(&filled.location)?;
    let on_held = |round, verb: &str| -> Result<Run, Failure> {
        let line = format!("task {verb} {} --agent {HOLDER}", filled.held(round)?);
        Ok(place.windlass(&filled.location, &line))
    };
    let windlass = |line| place.windlass(&filled.location, line);
    let [yardstick, add, claim, checkpoint, complete] = take_turns(
        scale.repetitions,
        [
            &mut |_| Ok(place.yardstick(&copy)),
            &mut |_| Ok(windlass(ADD).args(["-d", DESCRIPTION])),
            &mut |_| Ok(windlass(CLAIM)),
            &mut |round| Ok(on_held(round, "checkpoint")?.args(["a step", "--data", DATA])),
            &mut |round| on_held(round, "complete"),
        ],
    )?;
    let row = |name: &str, times: &Samples| {
        let (median, most) = (milliseconds(times.median()), milliseconds(times.most()));
        Row::new(
            format!("`{name}`, {} tasks", scale.tasks),
            format!("{median}, nearly all within {most}"),
            format!("yardstick {}", milliseconds(yardstick.median())),
            Judged::times(times.median(), yardstick.median(), WRITING),
        )
    };
    Ok(vec![
        row("task add", &add),
        row("task claim --next", &claim),
        row("task checkpoint", &checkpoint),
        row("task complete", &complete),
    ])
}

/// Reading commands beside `windlass --version`.
pub fn reading(place: &Place, filled: &Filled, scale: &Scale) -> Result<Vec<Row>, Failure> {
    let on_one = |round, verb: &str| -> Result<Run, Failure> {
        let line = format!("{verb} {}", filled.one(round)?);
        Ok(place.windlass(&filled.location, &line))
    };
    let times = take_turns(
        scale.repetitions,
        [
            &mut |_| Ok(place.nothing()),
            &mut |_| Ok(place.version()),
            &mut |round| on_one(round, "task show"),
            &mut |_| Ok(place.windlass(&filled.location, "task list")),
            &mut |round| on_one(round, "why"),
        ],
    )?;
    let [nothing, version, show, list, why] = times.map(|samples| samples.median());
    let row = |name: &str, time| {
        Row::new(
            format!("`{name}`, {} tasks", scale.tasks),
            milliseconds(time),
            format!("`--version` {}", milliseconds(version)),
            Judged::times(time, version, READING),
        )
    };
    Ok(vec![
        row("task show", show),
        row("task list", list),
        row("why TASK", why),
        Row::new(
            "`windlass --version`",
            milliseconds(version),
            format!("a process that does nothing {}", milliseconds(nothing)),
            Judged::told(version.as_secs_f64() / nothing.as_secs_f64(), "×"),
        ),
    ])
}
