//! Whose chunks are: those that are asked for by name, and one that is known by its id.

use windlass_domain::chunk::Owner;
use windlass_domain::chunk::access::{Act, Reader};
use windlass_domain::{ChunkId, Refusal};
use windlass_ledger::{Error, Fault, Snapshot};

/// The owner that somebody names as `org`, `project:NAME` or `agent:NAME`. Who asks for what another
/// agent keeps for itself is told that this is not for them, whether there is anything or not.
pub(super) fn named(
    snapshot: &mut Snapshot<'_>,
    given: &str,
    reader: &Reader,
    act: Act,
) -> Result<Owner, Error> {
    if let Some(("project", name)) = given.split_once(':') {
        return Ok(Owner::Project(snapshot.project_named(name)?.id));
    }
    let owner = Owner::parse(given).map_err(|refusal| Refusal {
        hint: Some("write org, project:NAME or agent:NAME".to_owned()),
        ..refusal
    })?;
    if matches!(owner, Owner::Agent(_)) {
        reader.admit_owner(act, &owner)?;
    }
    Ok(owner)
}

/// Whose a chunk is, or was when it went.
pub(super) fn of(snapshot: &mut Snapshot<'_>, chunk: ChunkId) -> Result<Option<Owner>, Fault> {
    match snapshot.chunk(chunk)? {
        Some(chunk) => Ok(Some(chunk.owner)),
        None => Ok(snapshot.versions(chunk)?.pop().map(|version| version.chunk.owner)),
    }
}
