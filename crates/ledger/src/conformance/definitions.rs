//! Definitions: what people define holds beside what is brought along, until it is taken back.

use windlass_domain::built_in;
use windlass_domain::chunk::ChunkType;
use windlass_domain::definition::agent::Agent;
use windlass_domain::definition::event::{AgentSet, AgentTypeSet, ChunkTypeSet, LifecycleSet};
use windlass_domain::session::agent_type::Filter;
use windlass_domain::session::{AgentType, Lifecycle};
use windlass_domain::{Code, Refusal};

use super::bulk::rows;
use super::chunk_scene::{define, report, slug, take_back};
use super::chunks::in_bulk;
use super::pruning::is_sound;
use super::{Bed, on_both};
use crate::{DefinitionKind, Error, Undo, export, import};

on_both! {
    with_nothing_defined_there_is_what_is_brought_along
    c12_what_people_define_is_there_beside_it
    what_is_defined_anew_takes_the_place_of_what_was
    what_is_brought_along_holds_again_when_a_definition_is_taken_back
    c7_one_name_may_be_of_several_kinds
    an_agent_is_known_by_its_name
    what_was_defined_anew_meanwhile_is_not_taken_back
    what_was_taken_back_can_be_defined_again
    an_undone_part_defines_nothing
    definitions_survive_a_rebuild_row_by_row
    definitions_go_along_with_an_export_under_the_same_hashes
    definitions_in_bulk_give_the_same_rows_as_one_by_one
    a_key_for_some_projects_defines_nothing
}

fn by() -> String {
    "tester".to_owned()
}

fn chunk_types(bed: &mut Bed) -> Vec<ChunkType> {
    bed.ledger.read(|snapshot| Ok(snapshot.chunk_types()?)).unwrap()
}

/// The type of a slug, as it holds now.
fn chunk_type(bed: &mut Bed, of: &str) -> Option<ChunkType> {
    chunk_types(bed).into_iter().find(|known| known.slug == slug(of))
}

fn memory(name: &str) -> ChunkType {
    ChunkType { slug: slug("memory"), name: name.into(), ..report() }
}

fn agent() -> Agent {
    Agent {
        name: "Größe '1'".into(),
        agent_type: slug("dev"),
        tags: vec!["rust".into()],
        description: None,
        search_filter_overrides: Filter::default(),
    }
}

fn with_nothing_defined_there_is_what_is_brought_along(bed: &mut Bed) {
    let (types, agent_types, lifecycles) = bed
        .ledger
        .read(|snapshot| {
            Ok((snapshot.chunk_types()?, snapshot.agent_types()?, snapshot.lifecycles()?))
        })
        .unwrap();
    assert_eq!(types.len(), built_in::chunk_types().len());
    assert_eq!(agent_types.len(), built_in::agent_types().len());
    assert_eq!(lifecycles.len(), built_in::lifecycles().len());
    assert_eq!(bed.ledger.read(|snapshot| Ok(snapshot.known_agents()?)).unwrap(), []);
}

fn c12_what_people_define_is_there_beside_it(bed: &mut Bed) {
    define(bed, &report());
    assert_eq!(chunk_types(bed).len(), built_in::chunk_types().len() + 1);
    assert_eq!(chunk_type(bed, "report"), Some(report()));
}

fn what_is_defined_anew_takes_the_place_of_what_was(bed: &mut Bed) {
    define(bed, &memory("once"));
    define(bed, &memory("twice"));
    assert_eq!(chunk_types(bed).len(), built_in::chunk_types().len());
    assert_eq!(chunk_type(bed, "memory"), Some(memory("twice")));
    let kept = bed
        .ledger
        .read(|snapshot| Ok(snapshot.definition(DefinitionKind::ChunkType, "memory")?))
        .unwrap();
    assert_eq!(kept.map(|kept| kept.events), Some(2));
}

fn what_is_brought_along_holds_again_when_a_definition_is_taken_back(bed: &mut Bed) {
    let before = chunk_type(bed, "memory");
    define(bed, &memory("another"));
    take_back(bed, "memory");
    assert_eq!(chunk_type(bed, "memory"), before);
}

/// One slug for a chunk type, an agent type and a lifecycle.
fn namesakes(bed: &mut Bed) -> (AgentType, Lifecycle) {
    let agent_type = AgentType { slug: slug("report"), ..built_in::agent_types().swap_remove(0) };
    let lifecycle = Lifecycle { slug: slug("report"), ..built_in::lifecycles().swap_remove(0) };
    define(bed, &report());
    bed.write(|tx| {
        tx.set_definition(AgentTypeSet { definition: agent_type.clone(), by: by() })?;
        tx.set_definition(LifecycleSet { definition: lifecycle.clone(), by: by() })
    })
    .unwrap();
    (agent_type, lifecycle)
}

fn c7_one_name_may_be_of_several_kinds(bed: &mut Bed) {
    let (agent_type, lifecycle) = namesakes(bed);
    take_back(bed, "report");
    assert_eq!(chunk_type(bed, "report"), None);
    let (agent_types, lifecycles) =
        bed.ledger.read(|snapshot| Ok((snapshot.agent_types()?, snapshot.lifecycles()?))).unwrap();
    assert!(agent_types.contains(&agent_type));
    assert!(lifecycles.contains(&lifecycle));
}

fn an_agent_is_known_by_its_name(bed: &mut Bed) {
    bed.write(|tx| tx.set_definition(AgentSet { definition: agent(), by: by() })).unwrap();
    let mut known =
        |name: &str| bed.ledger.read(|snapshot| Ok(snapshot.known_agent(name)?)).unwrap();
    assert_eq!(known("Größe '1'"), Some(agent()));
    assert_eq!(known("größe '1'"), None);
}

fn what_was_defined_anew_meanwhile_is_not_taken_back(bed: &mut Bed) {
    define(bed, &memory("once"));
    let kept = bed
        .ledger
        .read(|snapshot| Ok(snapshot.definition(DefinitionKind::ChunkType, "memory")?))
        .unwrap()
        .unwrap();
    define(bed, &memory("twice"));
    let refused = bed.write(|tx| tx.remove_definition(&kept, "tester"));
    assert_eq!(refused.unwrap_err().code(), Code::EditConflict);
    assert_eq!(chunk_type(bed, "memory"), Some(memory("twice")));
}

fn what_was_taken_back_can_be_defined_again(bed: &mut Bed) {
    define(bed, &report());
    take_back(bed, "report");
    define(bed, &report());
    assert_eq!(chunk_type(bed, "report"), Some(report()));
    is_sound(bed);
}

fn an_undone_part_defines_nothing(bed: &mut Bed) {
    bed.ledger.begin_group(Undo::Each).unwrap();
    let undone: Result<(), Error> = bed.write(|tx| {
        tx.set_definition(ChunkTypeSet { definition: report(), by: by() })?;
        Err(Refusal::new(Code::InvalidValue, "no").into())
    });
    assert!(undone.is_err());
    let chunk = super::chunk_scene::written("report", windlass_domain::chunk::Owner::Org, "one");
    super::chunk_scene::write(bed, &chunk);
    bed.ledger.end_group().unwrap();
    assert_eq!(chunk_type(bed, "report"), None);
    is_sound(bed);
}

fn definitions_survive_a_rebuild_row_by_row(bed: &mut Bed) {
    namesakes(bed);
    bed.write(|tx| tx.set_definition(AgentSet { definition: agent(), by: by() })).unwrap();
    take_back(bed, "report");
    let before = rows(bed);
    assert_eq!(before.iter().filter(|row| row.starts_with("definitions ")).count(), 3);
    assert_eq!(bed.ledger.rebuild().unwrap().differences, Vec::new());
    assert_eq!(rows(bed), before);
}

fn definitions_go_along_with_an_export_under_the_same_hashes(bed: &mut Bed) {
    namesakes(bed);
    let mut file = Vec::new();
    bed.ledger.read(|snapshot| export(snapshot, &mut file)).unwrap();
    let mut other = Bed::sqlite();
    other.write(|tx| import(tx, &mut file.as_slice())).unwrap();
    assert_eq!(chunk_types(&mut other), chunk_types(bed));
    let head = |bed: &mut Bed| bed.ledger.read(|snapshot| Ok(snapshot.head()?)).unwrap();
    assert_eq!(head(&mut other), head(bed));
    is_sound(&mut other);
}

fn definitions_in_bulk_give_the_same_rows_as_one_by_one(bed: &mut Bed) {
    namesakes(bed);
    let other = in_bulk(bed);
    assert_eq!(rows(&other), rows(bed));
}

fn a_key_for_some_projects_defines_nothing(bed: &mut Bed) {
    let own = bed.project("own");
    let refused = bed.write(|tx| {
        tx.bound_to(&[own]);
        tx.set_definition(ChunkTypeSet { definition: report(), by: by() })
    });
    assert_eq!(refused.unwrap_err().code(), Code::NotAllowed);
}
