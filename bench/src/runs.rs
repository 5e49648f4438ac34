//! What the bookkeeping of a run costs: each transition as a whole process, with both mirror files
//! on the disk when it ends.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use windlass_ledger::Location;
use windlass_testkit::Run;

use crate::Failure;
use crate::programs::Place;
use crate::report::{Judged, Row, milliseconds};
use crate::scale::Scale;
use crate::seed::Filled;
use crate::stopwatch::{Samples, take_turns};

/// A transition may cost so many times the yardstick, beside the mirror files.
const TRANSITION: f64 = 3.0;
/// Starting a run of a hundred steps may cost so many times one of three.
const GROWTH: f64 = 1.5;
const SIZES: [usize; 3] = [3, 30, 100];

/// Starts runs of three sizes, and works on a step of the smallest.
pub fn measure(place: &Place, filled: &Filled, scale: &Scale) -> Result<Vec<Row>, Failure> {
    let copy = place.yardstick_copy(&filled.location)?;
    let root = place.file("runs").with_extension("");
    let folder = |round: usize, steps: usize| -> Result<PathBuf, Failure> {
        let folder = root.join(format!("{round}-{steps}"));
        fs::create_dir_all(&folder)?;
        fs::write(folder.join("w.md"), workflow(steps)?)?;
        Ok(folder)
    };
    let start = |round, steps| -> Result<Run, Failure> {
        Ok(windlass(place, &filled.location, "run start w.md", &folder(round, steps)?))
    };
    let step = |round: usize, line: &str| -> Result<Run, Failure> {
        Ok(windlass(place, &filled.location, line, &root.join(format!("{round}-3"))))
    };
    let times = take_turns(
        scale.repetitions,
        [
            &mut |_| Ok(place.yardstick(&copy)),
            &mut |round| start(round, 3),
            &mut |round| start(round, 30),
            &mut |round| start(round, 100),
            &mut |round| step(round, "run step start 1"),
            &mut |round| step(round, "run step verify 1"),
            &mut |round| step(round, "run summary"),
            &mut |_| Ok(Run::of("/bin/sh").args(["-c", "true"])),
        ],
    )?;
    let [yardstick, few, some, many, started, verified, summary, check] =
        times.map(|samples: Samples| samples.median());
    let mirrors = mirrors(&root, scale)?;
    let allowed = yardstick.mul_f64(TRANSITION) + mirrors;
    let beside =
        format!("yardstick {}, two files {}", milliseconds(yardstick), milliseconds(mirrors));
    let row = |name: String, time: Duration| {
        Row::new(name, milliseconds(time), beside.clone(), Judged::times(time, allowed, 1.0))
    };
    // What a check does is not bookkeeping.
    let verified = Row::new(
        "`run step verify` of `true`",
        milliseconds(verified),
        format!("{beside}, `sh -c true` {}", milliseconds(check)),
        Judged::times(verified, allowed + check, 1.0),
    );
    let mut rows: Vec<Row> = SIZES
        .iter()
        .zip([few, some, many])
        .map(|(steps, time)| row(format!("`run start`, {steps} steps"), time))
        .collect();
    rows.extend([
        row("`run step start`".to_owned(), started),
        verified,
        row("`run summary`".to_owned(), summary),
        Row::new(
            "`run start`, from 3 to 100 steps",
            milliseconds(many),
            format!("3 steps {}", milliseconds(few)),
            Judged::times(many, few, GROWTH),
        ),
    ]);
    Ok(rows)
}

fn windlass(place: &Place, ledger: &Location, line: &str, folder: &Path) -> Run {
    place.windlass(ledger, line).cwd(folder)
}

fn workflow(steps: usize) -> Result<String, Failure> {
    let mut text =
        "---\nintent: Measure\nsuccess_criteria: Figures\nrisk_level: low\n---\n".to_owned();
    for step in 1..=steps {
        write!(text, "\n### {step}. Step {step}\naction: Do it\nloop: false\nverify: true\n")?;
    }
    Ok(text)
}

/// What it takes to put two small files on the disk and into place.
fn mirrors(root: &Path, scale: &Scale) -> Result<Duration, Failure> {
    let text = "x".repeat(4096);
    let mut times = Vec::new();
    for _ in 0..scale.repetitions {
        let start = Instant::now();
        for name in ["one", "two"] {
            let beside = root.join(format!("{name}.new"));
            let mut file = File::create(&beside)?;
            file.write_all(text.as_bytes())?;
            file.sync_data()?;
            fs::rename(&beside, root.join(name))?;
        }
        times.push(start.elapsed());
    }
    Ok(Samples::from(times).median())
}
