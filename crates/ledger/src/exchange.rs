//! The exchange format: the whole log as lines of JSON, lossless.
//!
//! The first line names the format, every other line is one event with its hashes, the last line
//! is the head, so that a cut file is noticed. The data of an event stand in the line byte for
//! byte as they are stored.

use std::io::{BufRead, Read as _, Write};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use windlass_domain::chain::{Hash, Head, Header, Provenance};
use windlass_domain::{Code, CorrelationId, EventId, Refusal, Stream, TaskId, Time};

use crate::audit::follows;
use crate::fault::{Error, Fault};
use crate::record::Recorded;
use crate::snapshot::Snapshot;
use crate::transaction::Transaction;

const FORMAT: &str = "windlass-ledger";
/// A part of a log: it can be read and verified, but not imported.
const TASKS_FORMAT: &str = "windlass-tasks";
const VERSION: u32 = 1;
/// Events read and written at a time.
const BATCH: u64 = 5_000;
/// Longer than any event can be.
const LINE_BYTES: u64 = 8 * 1024 * 1024;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Opening {
    format: String,
    version: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    seq: u64,
    id: EventId,
    at: Time,
    stream: Stream,
    stream_seq: u64,
    kind: String,
    v: u32,
    actor: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    on_behalf_of: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    correlation: Option<CorrelationId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    causation: Option<EventId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    op: Option<String>,
    data: Option<Box<RawValue>>,
    data_hash: String,
    hash: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Closing {
    end: End,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct End {
    seq: u64,
    hash: String,
}

/// What an import did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Imported {
    pub head: Head,
    /// Events that were new here.
    pub added: u64,
    /// Events that were here already.
    pub known: u64,
}

/// Writes the whole log.
pub fn export(snapshot: &mut Snapshot<'_>, out: &mut dyn Write) -> Result<Head, Error> {
    let mut head = Head::EMPTY;
    write_line(out, &Opening { format: FORMAT.to_owned(), version: VERSION })?;
    loop {
        let batch = snapshot.events_after(head.seq, BATCH)?;
        let Some(last) = batch.last() else { break };
        head = last.head();
        snapshot.tell(head.seq);
        for recorded in batch {
            write_line(out, &to_line(recorded)?)?;
        }
    }
    let end = End { seq: head.seq, hash: head.hash.to_string() };
    write_line(out, &Closing { end })?;
    out.flush().map_err(|error| unwritable(&error))?;
    Ok(head)
}

/// Writes all events of some tasks, each line as in a whole export.
pub fn export_tasks(
    snapshot: &mut Snapshot<'_>,
    tasks: &[TaskId],
    out: &mut dyn Write,
) -> Result<(), Error> {
    write_line(out, &Opening { format: TASKS_FORMAT.to_owned(), version: VERSION })?;
    for task in tasks {
        for recorded in snapshot.whole_history((*task).into())? {
            write_line(out, &to_line(recorded)?)?;
        }
    }
    out.flush().map_err(|error| unwritable(&error))?;
    Ok(())
}

/// Brings the events of an exported log into this ledger. The file must go on where the ledger
/// ends, or repeat what it holds; otherwise nothing is taken.
pub fn import(tx: &mut Transaction<'_>, input: &mut dyn BufRead) -> Result<Imported, Error> {
    tx.refuse_if_bound()?;
    let mut lines = Lines { input, number: 0 };
    let mut imported = Imported { head: tx.head(), added: 0, known: 0 };
    let here = imported.head;
    lines.opening()?;
    let mut head = Head::EMPTY;
    let mut batch = Vec::new();
    let end = loop {
        match lines.next_event()? {
            Next::Event(recorded) => {
                follows(&head, &recorded).map_err(|why| lines.invalid(&why))?;
                head = recorded.head();
                if head.seq <= here.seq {
                    imported.known += 1;
                    known_here(tx, &head)?;
                    continue;
                }
                imported.added += 1;
                batch.push(*recorded);
                if batch.len() as u64 == BATCH {
                    tx.tell(head.seq);
                    take(tx, &mut batch, &lines)?;
                }
            }
            Next::End(end) => break end,
        }
    };
    if end.seq != head.seq || end.hash != head.hash.to_string() {
        return Err(lines.invalid("the last line does not match the events before it").into());
    }
    take(tx, &mut batch, &lines)?;
    if head.seq > imported.head.seq {
        imported.head = head;
    }
    Ok(imported)
}

fn take(
    tx: &mut Transaction<'_>,
    batch: &mut Vec<Recorded>,
    lines: &Lines<'_>,
) -> Result<(), Error> {
    let taken = std::mem::take(batch);
    tx.append(&taken).map_err(|fault| match fault.code {
        // The hashes are right, but the history is not one that rules of ours could have made.
        Code::LedgerCorrupt | Code::LedgerNewer => lines.invalid(&fault.message).into(),
        _ => Error::from(fault),
    })
}

/// An event that the ledger has already must be the same here and there.
fn known_here(tx: &mut Transaction<'_>, head: &Head) -> Result<(), Error> {
    let here = tx.events_after(head.seq - 1, 1)?;
    if here.first().is_some_and(|event| event.hash == head.hash) {
        return Ok(());
    }
    Err(Refusal::new(
        Code::ImportConflict,
        format!("event {} of the file is not event {} of this ledger", head.seq, head.seq),
    )
    .hint("import into an empty ledger: windlass --db NEW.db import ledger FILE")
    .detail("seq", head.seq)
    .into())
}

struct Lines<'a> {
    input: &'a mut dyn BufRead,
    number: u64,
}

enum Next {
    Event(Box<Recorded>),
    End(End),
}

impl Lines<'_> {
    fn opening(&mut self) -> Result<(), Error> {
        let text = self.next()?;
        let opening: Opening = serde_json::from_str(&text)
            .map_err(|_| self.invalid("this is not an export of a ledger"))?;
        if opening.format != FORMAT {
            return Err(self.invalid("this is not an export of a ledger").into());
        }
        if opening.version != VERSION {
            let why = format!("format version {} is not known to this windlass", opening.version);
            return Err(self.invalid(&why).into());
        }
        Ok(())
    }

    fn next_event(&mut self) -> Result<Next, Error> {
        let text = self.next()?;
        if text.starts_with("{\"end\"") {
            let closing: Closing = self.parse(&text)?;
            return Ok(Next::End(closing.end));
        }
        let line: Line = self.parse(&text)?;
        let recorded = from_line(line).map_err(|why| self.invalid(&why))?;
        Ok(Next::Event(Box::new(recorded)))
    }

    fn parse<'t, T: Deserialize<'t>>(&self, text: &'t str) -> Result<T, Refusal> {
        serde_json::from_str(text).map_err(|wrong| self.invalid(&wrong.to_string()))
    }

    fn next(&mut self) -> Result<String, Error> {
        self.number += 1;
        let mut bytes = Vec::new();
        let mut limited = (&mut *self.input).take(LINE_BYTES);
        limited.read_until(b'\n', &mut bytes).map_err(|error| {
            Fault::new(Code::FileUnusable, format!("the file cannot be read: {error}"))
                .hint("check the path and its permissions")
                .because(error)
        })?;
        if bytes.pop() != Some(b'\n') {
            return Err(self.invalid("the file ends before its last line").into());
        }
        String::from_utf8(bytes).map_err(|_| self.invalid("the line is not UTF-8").into())
    }

    fn invalid(&self, why: &str) -> Refusal {
        Refusal::new(Code::ImportInvalid, format!("line {}: {why}", self.number))
            .hint("export it again: windlass export FILE; nothing was imported")
            .detail("line", self.number)
    }
}

fn to_line(recorded: Recorded) -> Result<Line, Fault> {
    let data_hash = recorded.data_hash();
    let Recorded { header, data, hash, .. } = recorded;
    let data = data.map(RawValue::from_string).transpose().map_err(|source| {
        Fault::new(Code::LedgerCorrupt, "an event holds broken JSON").because(source)
    })?;
    Ok(Line {
        seq: header.seq,
        id: header.id,
        at: header.at,
        stream: header.stream,
        stream_seq: header.stream_seq,
        kind: header.kind,
        v: header.version,
        actor: header.provenance.actor,
        on_behalf_of: header.provenance.on_behalf_of,
        session: header.provenance.session,
        correlation: header.provenance.correlation,
        causation: header.provenance.causation,
        op: header.provenance.op,
        data,
        data_hash: data_hash.to_string(),
        hash: hash.to_string(),
    })
}

fn from_line(line: Line) -> Result<Recorded, String> {
    let hash = |text: &str| Hash::from_hex(text).ok_or("a hash is not 64 hex digits");
    let data_hash = hash(&line.data_hash)?;
    if line.data.as_ref().is_some_and(|data| Hash::of(data.get().as_bytes()) != data_hash) {
        return Err(format!("the data of event {} do not match their hash", line.seq));
    }
    Ok(Recorded {
        pruned: line.data.is_none().then_some(data_hash),
        hash: hash(&line.hash)?,
        data: line.data.map(|data| data.get().to_owned()),
        header: Header {
            seq: line.seq,
            id: line.id,
            at: line.at,
            stream: line.stream,
            stream_seq: line.stream_seq,
            kind: line.kind,
            version: line.v,
            provenance: Provenance {
                actor: line.actor,
                on_behalf_of: line.on_behalf_of,
                session: line.session,
                correlation: line.correlation,
                causation: line.causation,
                op: line.op,
            },
        },
    })
}

fn write_line(out: &mut dyn Write, line: &impl Serialize) -> Result<(), Fault> {
    let mut text = serde_json::to_vec(line)
        .map_err(|source| Fault::bug("a line cannot be written as JSON").because(source))?;
    text.push(b'\n');
    out.write_all(&text).map_err(|error| unwritable(&error))
}

fn unwritable(error: &std::io::Error) -> Fault {
    Fault::new(Code::FileUnusable, format!("the file cannot be written: {error}"))
        .hint("check the path, its permissions and the space left")
}
