//! Which chunk is meant.

use windlass_domain::chunk::access::{Act, Reader, not_found};
use windlass_domain::chunk::{Chunk, Owner, QueryKey};
use windlass_domain::id::{self, Fragment};
use windlass_domain::{Code, ProjectId, Refusal};
use windlass_ledger::{Error, Snapshot};

/// How many of several chunks are named to who meant one of them.
const CANDIDATES_SHOWN: usize = 5;

/// The chunk that somebody names by its query key, its id or at least 4 characters of its beginning
/// or end, if they may do that with it. What they may not read is not there: neither is it found, nor
/// does it make a name ambiguous.
pub fn find(
    snapshot: &mut Snapshot<'_>,
    given: &str,
    reader: &Reader,
    act: Act,
) -> Result<Chunk, Error> {
    find_among(snapshot, given, reader, act, |_| true)
}

/// The same among the chunks of a project.
pub fn find_in(
    snapshot: &mut Snapshot<'_>,
    project: ProjectId,
    given: &str,
    reader: &Reader,
    act: Act,
) -> Result<Chunk, Error> {
    let is_in = |chunk: &Chunk| chunk.owner == Owner::Project(project);
    find_among(snapshot, given, reader, act, is_in)
}

fn find_among(
    snapshot: &mut Snapshot<'_>,
    given: &str,
    reader: &Reader,
    act: Act,
    is_among: impl Fn(&Chunk) -> bool,
) -> Result<Chunk, Error> {
    let mut found = called(snapshot, given, reader)?;
    found.retain(&is_among);
    // A key may look like the end of an id as lists show it: then either could be meant.
    if found.is_empty() || given.len() >= id::SHOWN {
        let mut others = like(snapshot, given, reader)?;
        others.retain(|other| is_among(other) && found.iter().all(|known| known.id != other.id));
        found.extend(others);
    }
    if found.len() > 1 {
        return Err(ambiguous(given, &found).into());
    }
    let chunk = found.pop().ok_or_else(|| not_found(given))?;
    reader.admit(act, &chunk)?;
    Ok(chunk)
}

/// The chunks with that query key.
fn called(snapshot: &mut Snapshot<'_>, given: &str, reader: &Reader) -> Result<Vec<Chunk>, Error> {
    let Ok(key) = QueryKey::parse(given) else { return Ok(Vec::new()) };
    let mut found = snapshot.chunks_called(&key)?;
    found.retain(|chunk| is_seen(chunk, reader));
    Ok(found)
}

/// The chunks with that id, or with ids that begin or end so.
fn like(snapshot: &mut Snapshot<'_>, given: &str, reader: &Reader) -> Result<Vec<Chunk>, Error> {
    let Ok(typed) = Fragment::parse(given) else { return Ok(Vec::new()) };
    let mut found = snapshot.chunks_like(&typed)?;
    found.retain(|chunk| is_seen(chunk, reader));
    Ok(found)
}

fn is_seen(chunk: &Chunk, reader: &Reader) -> bool {
    reader.reads(&chunk.owner)
}

fn ambiguous(given: &str, found: &[Chunk]) -> Refusal {
    let shown = found.iter().take(CANDIDATES_SHOWN);
    let named: Vec<String> = shown
        .clone()
        .map(|chunk| format!("{} ({}: {})", chunk.id, chunk.chunk_type, chunk.title))
        .collect();
    let more = if found.len() > CANDIDATES_SHOWN { " and more" } else { "" };
    Refusal::new(Code::IdAmbiguous, format!("'{given}' could be {}{more}", named.join(", ")))
        .hint("give its id, or more characters of it")
        .detail("given", given)
        .detail("candidates", shown.clone().map(|chunk| chunk.id).collect::<Vec<_>>())
        .suggest(shown.map(|chunk| chunk.id.to_string()))
}
