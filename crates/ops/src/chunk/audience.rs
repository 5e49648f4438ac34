//! Audiences as people write and read them: by the names of projects, where the ledger keeps ids.

use serde_json::Value;
use windlass_domain::ProjectId;
use windlass_domain::chunk::audience::{Audience, rename_projects};
use windlass_domain::project::Project;
use windlass_ledger::{Error, Fault, Snapshot};

use crate::view::ProjectNames;

/// An audience as it is kept. A project is named as everywhere, or by its whole id; agent types and
/// lifecycles are there. What is no audience is left for whoever reads it to refuse.
pub(crate) fn kept(snapshot: &mut Snapshot<'_>, mut written: Value) -> Result<Value, Error> {
    rename_projects(&mut written, |word| Ok::<_, Error>(project(snapshot, word)?.id.to_string()))?;
    if let Ok(audience) = Audience::read(&written) {
        audience.check_named(&snapshot.agent_types()?, &snapshot.lifecycles()?)?;
    }
    Ok(written)
}

/// An audience as it is shown, which can be written again.
pub(crate) fn shown(
    snapshot: &mut Snapshot<'_>,
    mut kept: Value,
    names: &mut ProjectNames,
) -> Result<Value, Fault> {
    rename_projects(&mut kept, |word| match word.parse() {
        Ok(id) => names.of(snapshot, id),
        Err(_) => Err(Fault::bug(format!("an audience keeps '{word}' as the id of a project"))),
    })?;
    Ok(kept)
}

fn project(snapshot: &mut Snapshot<'_>, word: &str) -> Result<Project, Error> {
    let by_id = match word.parse::<ProjectId>() {
        Ok(id) => snapshot.projects()?.into_iter().find(|project| project.id == id),
        Err(_) => None,
    };
    match by_id {
        Some(project) => Ok(project),
        None => snapshot.project_named(word),
    }
}
