//! Tags that say who decided what a chunk says, as `promoted-by:anna`.
//!
//! A person says that of themself. Nobody's word is taken for another's, or an agent could make a
//! principle of anything in the name of whom it likes.

use super::access::Reader;
use crate::{Code, Refusal, text};

/// How such a tag begins.
pub const PROMOTED_BY: &str = "promoted-by:";

/// The tags of a chunk; one that is there already says no more than before.
pub(super) fn tags(
    given: &[String],
    had: &[String],
    reader: &Reader,
) -> Result<Vec<String>, Refusal> {
    let tags = text::tags(given)?;
    for tag in tags.iter().filter(|tag| !had.contains(tag)) {
        let Some(person) = tag.strip_prefix(PROMOTED_BY) else { continue };
        if reader.is_agent() || reader.name != person {
            return Err(anothers_word(person, reader));
        }
    }
    Ok(tags)
}

fn anothers_word(person: &str, reader: &Reader) -> Refusal {
    let name = &reader.name;
    let message = match reader.is_agent() {
        true => format!("{name} is an agent and cannot say that {person} decided this"),
        false => format!("{name} cannot say that {person} decided this"),
    };
    Refusal::new(Code::NotAllowed, message)
        .hint(format!("let {person} write it, or write it without saying who decided it"))
        .detail("person", person)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::access::Standing;

    fn reader(name: &str, standing: Standing) -> Reader {
        Reader { name: name.into(), standing, projects: Vec::new() }
    }

    fn by_anna(reader: &Reader, had: &[&str]) -> Result<Vec<String>, Code> {
        let had: Vec<String> = had.iter().map(|tag| (*tag).to_owned()).collect();
        tags(&["promoted-by:anna".into()], &had, reader).map_err(|refusal| refusal.code)
    }

    #[test]
    fn a_person_says_what_they_decided() {
        assert!(by_anna(&reader("anna", Standing::Person), &[]).is_ok());
    }

    #[test]
    fn nobody_says_what_another_decided() {
        let others = [("ben", Standing::Person), ("anna", Standing::Agent(None))];
        for (name, standing) in others {
            assert_eq!(by_anna(&reader(name, standing), &[]), Err(Code::NotAllowed));
        }
    }

    #[test]
    fn who_changes_other_tags_leaves_that_one_as_it_is() {
        let agent = reader("w1", Standing::Agent(None));
        assert!(by_anna(&agent, &["promoted-by:anna"]).is_ok());
    }
}
