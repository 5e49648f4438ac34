//! Promoting a chunk: what was written for one becomes that of a wider scope.

use super::access::{Act, Reader};
use super::event::ChunkPromoted;
use super::state::Author;
use super::write::{Taken, key_there};
use super::{Chunk, ChunkType, Owner, field_set, spec};
use crate::event::ChunkEvent;
use crate::{Code, Refusal};

/// Gives a chunk to a wider scope, as a chunk of some type. Fields that the type does not have are
/// left behind; the earlier versions still have them.
pub fn promote(
    chunk: &Chunk,
    owner: Owner,
    chunk_type: &ChunkType,
    taken: &Taken,
    reader: &Reader,
    by: Author,
) -> Result<Vec<ChunkEvent>, Refusal> {
    reader.admit(Act::Write, chunk)?;
    reader.admit_new(&owner)?;
    spec::refuse_promotion(chunk, chunk_type)?;
    if owner.scope() >= chunk.owner.scope() {
        let (from, to) = (chunk.owner.scope(), owner.scope());
        return Err(Refusal::new(
            Code::InvalidValue,
            format!("{to} is no wider scope than {from}"),
        )
        .hint("promote from agent to project or org, or from project to org")
        .detail("field", "scope")
        .detail("from", from)
        .detail("to", to));
    }
    chunk_type.check_creator(&reader.standing)?;
    chunk_type.template.check(&chunk.content)?;
    let mut kept = chunk.fields.clone();
    kept.retain(|name, _| chunk_type.fields.iter().any(|field| field.name == *name));
    let fields = field_set::written(&chunk_type.fields, &kept)?;
    Ok(vec![
        ChunkPromoted {
            version: chunk.version + 1,
            query_key: key_there(chunk, taken),
            owner,
            chunk_type: chunk_type.slug.clone(),
            fields,
            by,
        }
        .into(),
    ])
}
