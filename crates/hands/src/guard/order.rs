//! What a guard is told once: which program to start, and where its output goes.
//!
//! A guard is started before anybody knows what it will guard, so that its start takes no time of
//! its own. The order comes over its line: a length, with the two descriptors of the output beside
//! it, and then the texts, each ended by a zero byte, which no text of the system contains.

use std::ffi::{OsStr, OsString};
use std::io::{self, IoSlice, IoSliceMut, Read as _, Write as _};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};

use super::MARK;
use crate::process::Program;

/// More than any program can be started with.
const LONGEST: usize = 16 << 20;

/// The standard output and the standard error.
const OUTPUTS: usize = 2;

/// A program to be started by a guard.
#[derive(Debug)]
pub(super) struct Order {
    pub(super) program: Program,
    pub(super) stdout: OwnedFd,
    pub(super) stderr: OwnedFd,
    /// A folder that is removed when all has ended.
    pub(super) rubbish: Option<PathBuf>,
}

impl Order {
    /// With the mark in the environment of the program, and so of all that it starts.
    pub(super) fn send(self, mark: &str, line: &mut UnixStream) -> io::Result<()> {
        let Self { program, stdout, stderr, rubbish } = self;
        let program = program.variable(MARK, mark);
        let mut texts = Vec::new();
        let mut add = |text: &OsStr| {
            texts.extend_from_slice(text.as_bytes());
            texts.push(0);
        };
        add(rubbish.unwrap_or_default().as_os_str());
        add(program.folder().as_os_str());
        add(program.path().as_os_str());
        add(OsStr::new(&program.words().len().to_string()));
        program.words().iter().for_each(|word| add(word));
        for (name, value) in program.variables() {
            add(name);
            add(value);
        }
        let length = u32::try_from(texts.len()).map_err(io::Error::other)?.to_le_bytes();
        let outputs = [stdout.as_fd(), stderr.as_fd()];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(OUTPUTS))];
        let mut beside = SendAncillaryBuffer::new(&mut space);
        beside.push(SendAncillaryMessage::ScmRights(&outputs));
        let sent = sendmsg(&*line, &[IoSlice::new(&length)], &mut beside, SendFlags::NOSIGNAL)?;
        line.write_all(length.get(sent..).unwrap_or_default())?;
        line.write_all(&texts)
    }

    /// Waits for it; nothing when the line is cut instead.
    pub(super) fn receive(line: &mut UnixStream) -> io::Result<Option<Self>> {
        let mut length = [0; 4];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(OUTPUTS))];
        let mut beside = RecvAncillaryBuffer::new(&mut space);
        let mut into = [IoSliceMut::new(&mut length)];
        let flags = RecvFlags::CMSG_CLOEXEC;
        let received = rustix::io::retry_on_intr(|| {
            recvmsg(&*line, &mut into, &mut beside, flags).map(|received| received.bytes)
        })?;
        if received == 0 {
            return Ok(None);
        }
        let rights = beside.drain().filter_map(|message| match message {
            RecvAncillaryMessage::ScmRights(rights) => Some(rights),
            _ => None,
        });
        let mut outputs = rights.flatten();
        let outputs = (outputs.next(), outputs.next());
        line.read_exact(length.get_mut(received..).unwrap_or_default())?;
        let length = usize::try_from(u32::from_le_bytes(length)).unwrap_or(usize::MAX);
        if length > LONGEST {
            return Err(broken());
        }
        let mut texts = vec![0; length];
        line.read_exact(&mut texts)?;
        let (Some(stdout), Some(stderr)) = outputs else { return Err(broken()) };
        let (program, rubbish) = read(&texts).ok_or_else(broken)?;
        Ok(Some(Self { program, stdout, stderr, rubbish }))
    }
}

fn broken() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "an order that cannot be understood")
}

fn read(texts: &[u8]) -> Option<(Program, Option<PathBuf>)> {
    let mut texts = texts.strip_suffix(&[0])?.split(|byte| *byte == 0);
    let mut next = || texts.next().map(|text| OsString::from_vec(text.to_vec()));
    let rubbish = Some(PathBuf::from(next()?)).filter(|folder| !folder.as_os_str().is_empty());
    let (folder, path) = (next()?, next()?);
    let mut program = Program::new(path, folder);
    let words: usize = next()?.to_str()?.parse().ok()?;
    for _ in 0..words {
        program = program.argument(next()?);
    }
    while let Some(name) = next() {
        program = program.variable(name, next()?);
    }
    Some((program, rubbish))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;

    fn output() -> OwnedFd {
        File::open("/dev/null").unwrap().into()
    }

    /// What arrives of an order.
    fn sent(program: Program, rubbish: Option<PathBuf>) -> Order {
        let (mut line, mut theirs) = UnixStream::pair().unwrap();
        let order = Order { program, stdout: output(), stderr: output(), rubbish };
        let sending = std::thread::spawn(move || order.send("w/1", &mut line));
        let arrived = Order::receive(&mut theirs).unwrap().unwrap();
        sending.join().unwrap().unwrap();
        arrived
    }

    #[test]
    fn an_order_arrives_as_it_was_given_with_the_mark() {
        let odd = OsString::from_vec(vec![b'x', 0xff, b'\n']);
        let program = Program::new("/bin/sh", "/tmp")
            .arguments(["-c", ""])
            .argument(&odd)
            .variable("EMPTY", "")
            .variable("ODD", &odd);
        let order = sent(program, Some("/tmp/rubbish".into()));
        assert_eq!(order.program.path(), "/bin/sh");
        assert_eq!(order.program.folder(), "/tmp");
        assert_eq!(order.program.words(), [OsString::from("-c"), OsString::new(), odd.clone()]);
        let variables: Vec<(OsString, OsString)> = order.program.variables().to_vec();
        let expected = [
            ("EMPTY".into(), OsString::new()),
            ("ODD".into(), odd),
            (OsString::from(MARK), "w/1".into()),
        ];
        assert_eq!(variables, expected);
        assert_eq!(order.rubbish, Some("/tmp/rubbish".into()));
    }

    #[test]
    fn an_order_longer_than_the_buffer_of_the_line_arrives() {
        let long = "x".repeat(4 << 20);
        let order = sent(Program::new("/bin/true", "/").argument(&long), None);
        assert_eq!(order.program.words(), [OsString::from(long)]);
        assert_eq!(order.rubbish, None);
    }

    #[test]
    fn a_line_that_is_cut_brings_no_order() {
        let (line, mut theirs) = UnixStream::pair().unwrap();
        drop(line);
        assert!(Order::receive(&mut theirs).unwrap().is_none());
    }

    #[test]
    fn what_is_no_order_is_refused() {
        for given in [&b"\xff\xff\xff\xff"[..], b"\x02\0\0\0ab", b"\x01\0\0\0", b"\x01"] {
            let (mut line, mut theirs) = UnixStream::pair().unwrap();
            line.write_all(given).unwrap();
            drop(line);
            assert!(Order::receive(&mut theirs).is_err(), "{given:?}");
        }
    }
}
