//! Words of the command line as an agent knows them: commands are tools, flags are fields.

use windlass_ops::table::Entry;

use super::toolset::{Offer, Toolset};

const COMMAND: &str = "windlass ";

/// Flags as fields: `--depends-on` is `depends_on`.
pub(super) fn as_fields(text: &str) -> String {
    let mut told = String::with_capacity(text.len());
    for (number, word) in text.split(' ').enumerate() {
        if number > 0 {
            told.push(' ');
        }
        if word == "-P" {
            told.push_str("project");
            continue;
        }
        match word.strip_prefix("--").filter(|name| name.starts_with(|c: char| c.is_alphabetic())) {
            Some(flag) => {
                let end = flag.find(|c: char| c != '-' && !c.is_alphanumeric());
                let (name, rest) = flag.split_at(end.unwrap_or(flag.len()));
                told.push_str(&name.replace('-', "_"));
                told.push_str(rest);
            }
            None => told.push_str(word),
        }
    }
    told
}

/// Commands as the tools of a set. A command that is no tool there stays a command.
pub(super) fn as_tools(text: &str, tools: &Toolset) -> String {
    let Some((before, command)) = text.split_once(COMMAND) else {
        return as_fields(text);
    };
    let words: Vec<&str> = command.split(' ').collect();
    let named = (1..=words.len()).rev().find_map(|count| {
        let entry = Entry::named(&words.get(..count)?.join("."))?;
        let offer = tools.offer_of(entry)?;
        Some((offer.name(), without_the_asker(words.get(count..)?, offer)))
    });
    match named {
        Some((tool, rest)) if rest.is_empty() => format!("{}the tool {tool}", as_fields(before)),
        Some((tool, rest)) => {
            format!("{}the tool {tool} with {}", as_fields(before), as_tools(&rest, tools))
        }
        None => format!("{}{COMMAND}{command}", as_fields(before)),
    }
}

/// What follows a command. Where a tool has no field for who asks, that is known by itself.
fn without_the_asker(words: &[&str], offer: &Offer) -> String {
    const ASKER: &str = "--agent";
    let is_known = !offer.fields().any(|field| field == "agent");
    let mut words = words.iter();
    let mut kept = Vec::new();
    while let Some(word) = words.next() {
        match *word == ASKER && is_known {
            true => drop(words.next()),
            false => kept.push(*word),
        }
    }
    kept.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_fields() {
        assert_eq!(
            as_fields("give --agent NAME or set WINDLASS_AGENT"),
            "give agent NAME or set WINDLASS_AGENT"
        );
        assert_eq!(as_fields("use --depends-on, or (--x)"), "use depends_on, or (--x)");
        assert_eq!(as_fields("a - b -- c"), "a - b -- c");
        assert_eq!(as_fields("add -P NAME for a queue"), "add project NAME for a queue");
    }

    #[test]
    fn a_command_that_is_a_tool_is_named_as_one() {
        let told = |text| as_tools(text, &Toolset::default());
        assert_eq!(
            told("take another one: windlass task claim --next"),
            "take another one: the tool claim with next"
        );
        assert_eq!(
            told("see what it waits for: windlass why 8F3K2Q"),
            "see what it waits for: the tool why with 8F3K2Q"
        );
        assert_eq!(told("list them: windlass task list"), "list them: the tool list");
    }

    #[test]
    fn who_asks_is_not_asked_for_by_a_tool_that_knows_it() {
        let told = |tools: &str| {
            let tools = Toolset::parse(tools).unwrap();
            as_tools("start another: windlass session start --agent w1", &tools)
        };
        assert_eq!(told("hizal"), "start another: the tool start_session");
        assert_eq!(told("session"), "start another: the tool session_start with agent w1");
    }

    #[test]
    fn a_command_that_is_no_tool_stays_a_command() {
        let text = "take it over: windlass task steal 8F3K2Q --force --agent NAME";
        assert_eq!(as_tools(text, &Toolset::default()), text);
    }
}
