//! Who may do what with a chunk: decided here and nowhere else, by whose the chunk is.
//!
//! What an agent keeps for itself is seen by that agent and by people, and by nobody else: to others
//! it is not there, in the same words as a chunk that never was.

use super::state::Chunk;
use super::{OwnedBy, Owner, Slug};
use crate::word::words;
use crate::{Code, ProjectId, Refusal};

words! {
    /// What somebody wants with a chunk.
    Act {
        Read "read",
        /// To find it by its words.
        Search "search",
        /// To be given it unasked.
        Inject "inject",
        /// To make a link that points to it.
        Link "link",
        /// To make, change, delete or link it.
        Write "write",
    }
}

/// Who asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reader {
    pub name: String,
    pub standing: Standing,
    /// The projects it is bound to; none in particular when empty.
    pub projects: Vec<ProjectId>,
}

/// A person, or an agent of some type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    Person,
    Agent(Option<Slug>),
}

/// What is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    Allowed,
    /// It may be seen and not changed.
    Denied,
    /// It is not there, as far as the asker can tell.
    Hidden,
}

impl Reader {
    /// Whether it may do something with chunks of an owner.
    pub fn may(&self, act: Act, owner: &Owner) -> Answer {
        let is_private = matches!(owner, Owner::Agent(name) if *name != self.name);
        match (&self.standing, act) {
            // What an agent keeps for itself is not put before anybody else unasked.
            (_, Act::Inject) if is_private => Answer::Hidden,
            (Standing::Agent(_), _) if is_private || !self.sees(owner) => Answer::Hidden,
            (_, Act::Read | Act::Search | Act::Inject | Act::Link) => Answer::Allowed,
            (_, Act::Write) if self.changes(owner) => Answer::Allowed,
            (_, Act::Write) => Answer::Denied,
        }
    }

    /// Whether chunks of an owner are there for it.
    pub fn reads(&self, owner: &Owner) -> bool {
        self.may(Act::Read, owner) == Answer::Allowed
    }

    /// Whose chunks it may do something with, each owner once: what [`Reader::may`] allows, for
    /// questions about many chunks.
    pub fn reach(&self, act: Act) -> Vec<OwnedBy> {
        let own = Owner::Agent(self.name.clone());
        let may = |owner: &Owner| self.may(act, owner) == Answer::Allowed;
        let is_bound = self.is_agent() || act == Act::Write;
        let projects = match is_bound && !self.is_free() {
            true => self.projects.iter().copied().map(OwnedBy::Project).collect(),
            false => vec![OwnedBy::AnyProject],
        };
        let is_person = !self.is_agent() && act != Act::Inject;
        let sees_agents = is_person && (self.is_free() || act != Act::Write);
        let agents = if sees_agents { OwnedBy::AnyAgent } else { own.into() };
        let org = may(&Owner::Org).then_some(OwnedBy::Org);
        org.into_iter().chain(projects).chain([agents]).collect()
    }

    /// An agent that is bound to projects sees no others.
    fn sees(&self, owner: &Owner) -> bool {
        match owner {
            Owner::Project(project) => self.is_free() || self.projects.contains(project),
            Owner::Org | Owner::Agent(_) => true,
        }
    }

    /// Whoever is bound to projects changes nothing that everybody shares.
    fn changes(&self, owner: &Owner) -> bool {
        match owner {
            Owner::Project(_) => self.sees(owner),
            Owner::Org => self.is_free(),
            Owner::Agent(name) => *name == self.name || self.is_free(),
        }
    }

    /// It is bound to no project in particular.
    const fn is_free(&self) -> bool {
        self.projects.is_empty()
    }

    /// Lets through who may do something with a chunk. One that is deleted is not there.
    pub fn admit(&self, act: Act, chunk: &Chunk) -> Result<(), Refusal> {
        match self.may(act, &chunk.owner) {
            Answer::Allowed if !chunk.deleted => Ok(()),
            Answer::Allowed | Answer::Hidden => Err(not_found(&chunk.id.to_string())),
            Answer::Denied => Err(self.denied(act, &chunk.owner)),
        }
    }

    /// Lets through who may make a chunk of an owner. Of a project that is hidden nothing is said.
    pub fn admit_new(&self, owner: &Owner) -> Result<(), Refusal> {
        self.admit_owner(Act::Write, owner)
    }

    /// Lets through who asks for chunks of an owner and of nobody else. Whether there are any is not
    /// told to others.
    pub fn admit_owner(&self, act: Act, owner: &Owner) -> Result<(), Refusal> {
        match self.may(act, owner) {
            Answer::Allowed => Ok(()),
            Answer::Denied | Answer::Hidden => Err(self.denied(act, owner)),
        }
    }

    /// Lets through who may sit in a project.
    pub fn admit_project(&self, project: ProjectId) -> Result<(), Refusal> {
        self.admit_owner(Act::Inject, &Owner::Project(project))
    }

    pub const fn is_agent(&self) -> bool {
        match self.standing {
            Standing::Agent(_) => true,
            Standing::Person => false,
        }
    }

    fn denied(&self, act: Act, owner: &Owner) -> Refusal {
        let scope = owner.scope();
        let what = match act {
            Act::Inject => "be given",
            Act::Read | Act::Search | Act::Link | Act::Write => act.as_str(),
        };
        let message = format!("{} may not {what} chunks of this {scope}", self.name);
        let hint = match owner {
            Owner::Agent(name) => {
                format!("what an agent keeps for itself is for it and for people: ask {name}")
            }
            Owner::Project(_) => "use a key that is for this project, or ask a person".to_owned(),
            Owner::Org => "use a key that is bound to no project, or ask a person".to_owned(),
        };
        Refusal::new(Code::NotAllowed, message).hint(hint).detail("act", act).detail("scope", scope)
    }
}

/// There is no such chunk, or none that the asker may know of.
pub fn not_found(given: &str) -> Refusal {
    Refusal::new(Code::ChunkNotFound, format!("there is no chunk '{given}'"))
        .hint("list the chunks: windlass chunk list")
        .detail("given", given)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project(number: u8) -> ProjectId {
        ProjectId::from_bytes([number; 16])
    }

    fn agent(projects: &[ProjectId]) -> Reader {
        Reader { name: "w1".into(), standing: Standing::Agent(None), projects: projects.to_vec() }
    }

    fn person(projects: &[ProjectId]) -> Reader {
        Reader { standing: Standing::Person, name: "anna".into(), ..agent(projects) }
    }

    /// What somebody may do with chunks of an owner, as words.
    fn may(reader: &Reader, owner: &Owner) -> String {
        let acts = Act::ALL.iter().filter(|act| reader.may(**act, owner) == Answer::Allowed);
        acts.map(|act| act.as_str()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn whoever_is_refused_is_told_what_would_help() {
        let hint = |reader: Reader, owner: Owner| reader.admit_new(&owner).unwrap_err().hint;
        let of_w2 = hint(agent(&[]), Owner::Agent("w2".into())).unwrap();
        assert!(of_w2.ends_with("ask w2"), "{of_w2}");
        let for_all = hint(agent(&[project(1)]), Owner::Org).unwrap();
        assert!(for_all.starts_with("use a key that is bound to no project"), "{for_all}");
        let elsewhere = hint(agent(&[project(1)]), Owner::Project(project(2))).unwrap();
        assert!(elsewhere.starts_with("use a key that is for this project"), "{elsewhere}");
    }

    const SEE: &str = "read search inject link";
    const ALL: &str = "read search inject link write";

    #[test]
    fn what_somebody_reaches_is_what_each_owner_allows() {
        let owners = [
            Owner::Org,
            Owner::Project(project(1)),
            Owner::Project(project(2)),
            Owner::Agent("w1".into()),
            Owner::Agent("w2".into()),
            Owner::Agent("anna".into()),
        ];
        let readers =
            [agent(&[]), agent(&[project(1)]), person(&[]), person(&[project(1), project(2)])];
        for (reader, act) in
            readers.iter().flat_map(|reader| Act::ALL.iter().map(move |act| (reader, *act)))
        {
            for owner in &owners {
                let times = reader.reach(act).iter().filter(|reached| reached.has(owner)).count();
                let expected = usize::from(reader.may(act, owner) == Answer::Allowed);
                assert_eq!(times, expected, "{} {act} {owner}", reader.name);
            }
        }
    }

    #[test]
    fn an_agent_keeps_its_memory_from_other_agents() {
        assert_eq!(may(&agent(&[]), &Owner::Agent("w1".into())), ALL);
        assert_eq!(may(&agent(&[]), &Owner::Agent("w2".into())), "");
    }

    #[test]
    fn a_person_sees_what_agents_keep_but_is_not_given_it_unasked() {
        assert_eq!(may(&person(&[]), &Owner::Agent("w1".into())), "read search link write");
    }

    #[test]
    fn an_agent_that_is_bound_to_a_project_sees_no_other() {
        let bound = agent(&[project(1)]);
        assert_eq!(may(&bound, &Owner::Project(project(1))), ALL);
        assert_eq!(may(&bound, &Owner::Project(project(2))), "");
        assert_eq!(may(&agent(&[]), &Owner::Project(project(2))), ALL);
    }

    #[test]
    fn an_agent_that_is_bound_to_a_project_does_not_write_for_everybody() {
        assert_eq!(may(&agent(&[project(1)]), &Owner::Org), SEE);
        assert_eq!(may(&agent(&[]), &Owner::Org), ALL);
    }

    #[test]
    fn a_person_that_is_bound_to_a_project_reads_others_and_changes_none_of_them() {
        assert_eq!(may(&person(&[project(1)]), &Owner::Project(project(2))), SEE);
        assert_eq!(may(&person(&[project(1)]), &Owner::Project(project(1))), ALL);
    }
}
