//! The log of `strace -f -y`, read back into calls.
//!
//! A line is `PID NAME(ARGS) = RESULT`. A call that another thread's line interrupts comes in two:
//! `PID NAME(ARGS <unfinished ...>` and later `PID <... NAME resumed>ARGS) = RESULT`.

use std::collections::HashMap;

/// One system call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The thread that made it.
    pub thread: u32,
    pub name: String,
    /// Which call of this name in this thread it was, from 1: what a fault is aimed with.
    pub nth: usize,
    pub args: String,
    /// As `strace` prints it: `12`, `-1 ENOSPC (…)`, or `?` when the call never returned.
    pub result: String,
    /// The file it was about: the path behind the descriptor or the one named, else the descriptor.
    pub path_or_fd: String,
}

/// The calls of a log, in the order in which they began.
pub(super) fn calls(log: &str) -> Vec<Call> {
    let mut calls: Vec<Call> = Vec::new();
    let mut counts: HashMap<(u32, String), usize> = HashMap::new();
    let mut unfinished: HashMap<u32, usize> = HashMap::new();
    for line in log.lines() {
        let Some((thread, text)) = thread_of(line) else {
            continue;
        };
        if let Some(rest) = resumed(text) {
            let begun = unfinished.remove(&thread).and_then(|at| calls.get_mut(at));
            if let Some(call) = begun {
                let (args, result) = args_and_result(rest);
                call.args.push_str(args);
                result.clone_into(&mut call.result);
            }
            continue;
        }
        let Some((name, rest)) = text.split_once('(').filter(|(name, _)| is_name(name)) else {
            continue;
        };
        let nth = counts.entry((thread, name.to_owned())).or_default();
        *nth += 1;
        let (args, result) = match rest.strip_suffix(" <unfinished ...>") {
            Some(args) => {
                unfinished.insert(thread, calls.len());
                // Until it is resumed: a thread that is killed in a call never is.
                (args, "?")
            }
            None => args_and_result(rest),
        };
        calls.push(Call {
            thread,
            name: name.to_owned(),
            nth: *nth,
            args: args.to_owned(),
            result: result.to_owned(),
            path_or_fd: path_or_fd(args),
        });
    }
    calls
}

fn thread_of(line: &str) -> Option<(u32, &str)> {
    let (thread, text) = line.split_once(' ')?;
    Some((thread.parse().ok()?, text.trim_start()))
}

fn resumed(text: &str) -> Option<&str> {
    text.strip_prefix("<... ")?.split_once(" resumed>").map(|(_, rest)| rest)
}

/// Leaves out `+++ exited with 0 +++` and `--- SIGCHLD {…} ---`.
fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn args_and_result(rest: &str) -> (&str, &str) {
    let (args, result) = rest.rsplit_once(" = ").unwrap_or((rest, "?"));
    let args = args.trim_end();
    (args.strip_suffix(')').unwrap_or(args), result.trim())
}

fn path_or_fd(args: &str) -> String {
    let first = args.split(", ").next().unwrap_or_default();
    let descriptor = || first.split_once('<')?.1.strip_suffix('>');
    let named = || args.split('"').nth(1);
    let starts_with_descriptor = first.starts_with(|c: char| c.is_ascii_digit());
    let found = if starts_with_descriptor { descriptor() } else { named() };
    found.unwrap_or(first).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_read_with_their_count_in_their_thread() {
        let log = r#"7  write(3</tmp/a b>, "x)= = ", 6) = 6
7  write(3</tmp/a b>, "y", 1)  = -1 ENOSPC (No space left on device) (INJECTED)
8  write(1<pipe:[83]>, "z", 1) = ?
7  rename("/tmp/from", "/tmp/to") = 0
7  fsync(5) = 0
7  --- SIGCHLD {si_signo=SIGCHLD, si_code=CLD_EXITED} ---
7  +++ exited with 0 +++
8  +++ killed by SIGKILL +++
"#;
        let seen: Vec<_> = calls(log)
            .into_iter()
            .map(|call| (call.thread, call.name, call.nth, call.path_or_fd, call.result))
            .collect();
        let enospc = "-1 ENOSPC (No space left on device) (INJECTED)";
        let expected = [
            (7, "write", 1, "/tmp/a b", "6"),
            (7, "write", 2, "/tmp/a b", enospc),
            (8, "write", 1, "pipe:[83]", "?"),
            (7, "rename", 1, "/tmp/from", "0"),
            (7, "fsync", 1, "5", "0"),
        ]
        .map(|(thread, name, nth, path, result)| {
            (thread, name.to_owned(), nth, path.to_owned(), result.to_owned())
        });
        assert_eq!(seen, expected);
    }

    #[test]
    fn a_call_in_two_lines_is_one_call() {
        let log = r#"7  write(3</tmp/a>, "x", 1 <unfinished ...>
8  fsync(4</tmp/b> <unfinished ...>
7  <... write resumed>) = 1
"#;
        let calls = calls(log);
        assert_eq!(calls.len(), 2);
        assert_eq!(
            (calls[0].args.as_str(), calls[0].result.as_str()),
            (r#"3</tmp/a>, "x", 1"#, "1")
        );
        assert_eq!((calls[1].path_or_fd.as_str(), calls[1].result.as_str()), ("/tmp/b", "?"));
    }
}
