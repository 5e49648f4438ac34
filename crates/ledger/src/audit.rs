//! Checking the hash chain of a ledger.

use windlass_domain::chain::Head;
use windlass_domain::event::Kind;

use crate::fault::Fault;
use crate::record::Recorded;
use crate::snapshot::Snapshot;

/// Events read at a time.
const BATCH: u64 = 10_000;

/// The result of an audit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Audit {
    /// How far the chain is sound.
    pub head: Head,
    /// How many events had their data pruned; their hashes still count.
    pub pruned: u64,
    /// What is wrong, first to last; nothing after it was checked.
    pub findings: Vec<String>,
}

/// Recomputes every hash from the first event on. With `expect`, the event of that number must
/// have that hash: so a log that was cut or rewritten as a whole is found out.
pub fn audit(snapshot: &mut Snapshot<'_>, expect: Option<Head>) -> Result<Audit, Fault> {
    let mut audit = Audit { head: Head::EMPTY, pruned: 0, findings: Vec::new() };
    let mut expected = expect.filter(|head| *head != Head::EMPTY);
    loop {
        let batch = snapshot.events_after(audit.head.seq, BATCH)?;
        if batch.is_empty() {
            break;
        }
        snapshot.tell(audit.head.seq);
        for recorded in batch {
            if let Err(finding) = follows(&audit.head, &recorded) {
                audit.findings.push(finding);
                return Ok(audit);
            }
            audit.pruned += u64::from(recorded.data.is_none());
            audit.head = recorded.head();
            if let Some(head) = expected.filter(|head| head.seq == audit.head.seq) {
                expected = None;
                if head.hash != audit.head.hash {
                    audit.findings.push(format!(
                        "event {} has the hash {}, expected {}: the log was rewritten",
                        head.seq, audit.head.hash, head.hash
                    ));
                    return Ok(audit);
                }
            }
        }
    }
    let kept = snapshot.head()?;
    if kept != audit.head {
        audit.findings.push(format!(
            "the log ends at {}:{}, but the ledger says {}:{}",
            audit.head.seq, audit.head.hash, kept.seq, kept.hash
        ));
    }
    if let Some(head) = expected {
        audit.findings.push(format!(
            "the log ends at {}, expected it to reach {}: it was cut",
            audit.head.seq, head.seq
        ));
    }
    Ok(audit)
}

/// Whether an event carries the chain on from `head`.
pub(crate) fn follows(head: &Head, recorded: &Recorded) -> Result<(), String> {
    let header = &recorded.header;
    let seq = header.seq;
    if seq != head.seq + 1 {
        return Err(format!("event {seq} follows event {}", head.seq));
    }
    if header.hash(&head.hash, &recorded.data_hash()) != recorded.hash {
        return Err(format!("the hash of event {seq} does not follow from what it covers"));
    }
    if Kind::from_text(&header.kind).is_none() {
        return Err(format!("event {seq} is of the unknown kind '{}'", header.kind));
    }
    Ok(())
}
