//! The memory of a command.
//!
//! The kernel keeps the peak of a process (`VmHWM`) only while it lives. So a command gets a full
//! pipe for its output: with its answer ready it must wait until somebody reads, and meanwhile its
//! peak can be read. (`getrusage` would answer later, but counts the process that started it too.)

use std::io::{self, Write as _};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

use windlass_testkit::Run;

use crate::Failure;
use crate::commands::{ADD, CLAIM};
use crate::programs::Place;
use crate::report::{Judged, Row, megabytes};
use crate::seed::Filled;

/// Millions of bytes a command may use.
const MOST: f64 = 25.0;
/// How long a command may take to come to its answer.
const PATIENCE: Duration = Duration::from_mins(2);

/// The commands of every day, and the one that used most.
pub fn measure(place: &Place, filled: &Filled, tasks: usize) -> Result<Vec<Row>, Failure> {
    let task = filled.one(0)?;
    let (show, why) = (format!("task show {task}"), format!("why {task}"));
    let commands = [
        ("task add", ADD),
        ("task claim", CLAIM),
        ("task show", &show),
        ("task list", "task list"),
        ("why", &why),
        ("doctor", "doctor"),
    ];
    let mut worst = (0, "");
    for (name, line) in commands {
        let bytes = peak_bytes(&place.windlass(&filled.location, line))?;
        worst = worst.max((bytes, name));
    }
    let (bytes, name) = worst;
    let version = peak_bytes(&place.version())?;
    Ok(vec![Row::new(
        format!("resident memory of a command, {tasks} tasks"),
        format!("the most, by `{name}`"),
        format!("`--version` {:.1} MB", megabytes(version)),
        Judged::at_most(megabytes(bytes), " MB", MOST),
    )])
}

/// The most memory a program had when it wrote its answer.
pub fn peak_bytes(run: &Run) -> Result<u64, Failure> {
    let (mut reader, mut writer) = io::pipe()?;
    writer.write_all(&vec![0; rustix::pipe::fcntl_getpipe_size(&writer)?])?;
    let mut command = run.command();
    command.stdout(writer).stderr(Stdio::inherit());
    let mut child = command.spawn()?;
    // It holds the other end of the pipe, which would then never come to its end.
    drop(command);
    let peak = when_it_answers(&mut child);
    io::copy(&mut reader, &mut io::sink())?;
    let status = child.wait()?;
    if !status.success() {
        return Err(format!("{run:?} ended with {status}").into());
    }
    peak
}

fn when_it_answers(child: &mut Child) -> Result<u64, Failure> {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        if waits_for_a_reader(child.id())? {
            return high_water(child.id());
        }
        if child.try_wait()?.is_some() {
            return Err("a command ended without an answer".into());
        }
        thread::sleep(Duration::from_millis(1));
    }
    Err("a command did not come to its answer".into())
}

/// The first number is that of the system call, the second its first argument: standard output.
fn waits_for_a_reader(process: u32) -> Result<bool, Failure> {
    let call = fs::read_to_string(format!("/proc/{process}/syscall"))?;
    Ok(call.split_whitespace().nth(1) == Some("0x1"))
}

fn high_water(process: u32) -> Result<u64, Failure> {
    let status = fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = line.and_then(|line| line.split_whitespace().next());
    let kibibytes: u64 = kibibytes.ok_or("the kernel does not tell the peak")?.parse()?;
    Ok(kibibytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_is_that_of_the_program_at_its_answer() {
        let small = peak_bytes(&Run::of("echo").args(["x"])).unwrap();
        let script = "x=$(head -c 40000000 /dev/zero | tr '\\0' x); echo ${#x}";
        let large = peak_bytes(&Run::of("/bin/sh").args(["-c", script])).unwrap();
        assert!(small < 20_000_000, "{small}");
        assert!(large > 40_000_000, "{large}");
    }
}
