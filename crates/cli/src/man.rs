//! `man`: the manual pages, made from the command tree.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Arg, Command, value_parser};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use serde_json::json;
use windlass_domain::{Code, Exit};
use windlass_ledger::Fault;
use windlass_ops::settings::{Format, KEYS};
use windlass_ops::sheet::Sheet;
use windlass_ops::table::Entry;

use crate::command::tree;
use crate::environment::VARIABLES;
use crate::help::PROMISE;
use crate::own::{self, Call, Own};
use crate::report;

pub(crate) const OWN: Own = Own {
    name: "man",
    about: "Print the manual page, or write one for every command",
    example: "windlass man ~/.local/share/man/man1",
    arguments,
    run,
};

/// The width of a page is the reader's affair; the tree wants one for its help.
const ANY_WIDTH: usize = 80;

const MORE_VARIABLES: [(&str, &str); 5] = [
    ("WINDLASS_TASK, WINDLASS_FENCE", "a task and the fence of the claim under which it is held"),
    ("WINDLASS_SESSION", "the session that a call is about, where no argument names one"),
    ("WINDLASS_RUN", "the run in which an agent works, and so the session it has there"),
    ("WINDLASS_KEY", "the key that is shown to a server"),
    ("NO_COLOR", "set to anything: no colours"),
];

const FILES: [(&str, &str); 4] = [
    ("$XDG_CONFIG_HOME/windlass/config.toml", "the settings of the user"),
    (".windlass/config.toml", "the settings of a repository, in its folder or one above"),
    ("$XDG_DATA_HOME/windlass/ledger.db", "the ledger, where no other is named"),
    ("receipt-key.pem, beside the ledger", "the key that signs receipts of runs"),
];

const EXITS: [(Exit, &str); 9] = [
    (Exit::Done, "done; also: there was nothing to claim"),
    (Exit::Unexpected, "something that should not happen"),
    (Exit::Usage, "wrong usage"),
    (Exit::Refused, "refused by a rule, or an invalid value"),
    (Exit::NotFound, "not found"),
    (Exit::Storage, "storage failed"),
    (Exit::Findings, "a check found something"),
    (Exit::NotAllowed, "not allowed"),
    (Exit::Elsewhere, "the same operation is running elsewhere, try again"),
];

fn arguments(command: Command) -> Command {
    let folder = Arg::new("folder")
        .help("Where to write a page for every command; without it windlass(1) is printed")
        .value_name("FOLDER")
        .value_parser(value_parser!(PathBuf));
    command.arg(folder)
}

fn run(call: Call<'_>) -> std::io::Result<Exit> {
    let pages = pages()?;
    let Some(folder) = call.matches.get_one::<PathBuf>("folder") else {
        let first = pages.first().map(|page| page.text.as_str()).unwrap_or_default();
        return call.terminal.out(first).map(|_| Exit::Done);
    };
    if let Err(fault) = write(folder, &pages) {
        return report::error(call.terminal, fault.into());
    }
    let said = match call.terminal.format() {
        Format::Text => {
            let line = format!("{} pages written to {}", pages.len(), folder.display());
            call.terminal.paper().render(&Sheet::line(line))
        }
        Format::Json => {
            let names: Vec<String> = pages.iter().map(Page::file).collect();
            json!({ "folder": folder.display().to_string(), "pages": names }).to_string()
        }
    };
    call.terminal.out(&said).map(|_| Exit::Done)
}

fn write(folder: &Path, pages: &[Page]) -> Result<(), Fault> {
    let unusable = |path: &Path, error: std::io::Error| {
        Fault::new(Code::FileUnusable, format!("{}: {error}", path.display()))
            .hint("name a folder that can be written to")
            .detail("file", path.display().to_string())
    };
    std::fs::create_dir_all(folder).map_err(|error| unusable(folder, error))?;
    for page in pages {
        let path = folder.join(page.file());
        std::fs::write(&path, &page.text).map_err(|error| unusable(&path, error))?;
    }
    Ok(())
}

/// The page of one command.
struct Page {
    /// `windlass-task-add`
    name: String,
    text: String,
}

impl Page {
    fn file(&self) -> String {
        format!("{}.1", self.name)
    }
}

/// Every page, that of `windlass` itself first.
fn pages() -> std::io::Result<Vec<Page>> {
    let mut root = tree(ANY_WIDTH).disable_help_subcommand(true);
    root.build();
    let mut pages = Vec::new();
    collect(&with_own_words(root, &[]), &[], &mut pages)?;
    Ok(pages)
}

/// The arguments of a leaf have brought another text about it along; it says a little more.
fn with_own_words(command: Command, path: &[&str]) -> Command {
    let mut command = command.subcommand_value_name("COMMAND").subcommand_help_heading("COMMANDS");
    let names: Vec<String> =
        command.get_subcommands().map(|below| below.get_name().to_owned()).collect();
    for name in names {
        let path = [path, &[name.as_str()]].concat();
        command = command.mut_subcommand(&name, |below| with_own_words(below, &path));
    }
    let more = command.get_about().map(ToString::to_string).unwrap_or_default();
    match own_words(path) {
        Some((about, _)) => command.about(about).long_about(format!("{more}.")),
        None if path.is_empty() => command.long_about(format!("{more}. {PROMISE}")),
        None => command,
    }
}

/// What a leaf says of itself, and its example.
fn own_words(path: &[&str]) -> Option<(&'static str, &'static str)> {
    let name = path.join(".");
    let operation = Entry::named(&name).map(|entry| (entry.about, entry.example));
    let own = || own::OWN.iter().find(|own| own.name == name);
    operation.or_else(|| own().map(|own| (own.about, own.example)))
}

fn collect(command: &Command, path: &[&str], pages: &mut Vec<Page>) -> std::io::Result<()> {
    pages.push(page(command, path)?);
    for below in command.get_subcommands() {
        collect(below, &[path, &[below.get_name()]].concat(), pages)?;
    }
    Ok(())
}

/// A page has the sections that readers of manuals know.
fn page(command: &Command, path: &[&str]) -> std::io::Result<Page> {
    let name = name_of(path);
    let man = Man::new(command.clone());
    let mut text = Text(title(&name));
    text.add(|w| man.render_name_section(w))?;
    text.add(|w| man.render_synopsis_section(w))?;
    text.add(|w| man.render_description_section(w))?;
    text.add(|w| man.render_options_section(w))?;
    if command.has_subcommands() {
        text.add(|w| man.render_subcommands_section(w))?;
    }
    text.add(|w| ending(path).to_writer(w))?;
    Ok(Page { name, text: text.0 })
}

/// The first lines. A page has no date, so that the same program always makes the same pages.
fn title(name: &str) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let preamble = Roff::new().render();
    format!("{preamble}.TH {name} 1 \"\" \"windlass {version}\" \"Windlass\"\n")
}

/// A page in the making.
struct Text(String);

impl Text {
    /// Adds a section. Each comes with the same few lines in front, which a page needs once.
    fn add(
        &mut self,
        render: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
    ) -> std::io::Result<()> {
        let mut section = Vec::new();
        render(&mut section)?;
        let section = String::from_utf8_lossy(&section);
        let preamble = Roff::new().render();
        self.0.push_str(section.strip_prefix(&preamble).unwrap_or(&section));
        Ok(())
    }
}

fn ending(path: &[&str]) -> Roff {
    let mut roff = Roff::new();
    if path.is_empty() {
        surroundings(&mut roff);
    }
    if let Some((_, example)) = own_words(path) {
        roff.control("SH", ["EXAMPLE"]).control("EX", []);
        roff.text([roman(example)]).control("EE", []);
    }
    if let Some((_, above)) = path.split_last() {
        roff.control("SH", ["SEE ALSO"]);
        let mut see = Vec::new();
        for length in 0..=above.len() {
            if !see.is_empty() {
                see.push(roman(", "));
            }
            let name = name_of(above.get(..length).unwrap_or_default());
            see.extend([bold(name), roman("(1)")]);
        }
        roff.text(see);
    }
    roff
}

/// What every command looks at and how it ends, for the first page.
fn surroundings(roff: &mut Roff) {
    let about = |key: &str| KEYS.iter().find(|known| known.name == key).map(|key| key.about);
    let variables = VARIABLES.iter().filter_map(|(name, key)| Some((*name, about(key)?)));
    described(roff, "ENVIRONMENT", variables.chain(MORE_VARIABLES));
    described(roff, "FILES", FILES);
    let exits = EXITS.map(|(exit, meaning)| ((exit as u8).to_string(), meaning));
    described(roff, "EXIT STATUS", exits.iter().map(|(exit, meaning)| (exit.as_str(), *meaning)));
}

fn described<'a>(
    roff: &mut Roff,
    heading: &str,
    items: impl IntoIterator<Item = (&'a str, &'a str)>,
) {
    roff.control("SH", [heading]);
    for (name, meaning) in items {
        roff.control("TP", []).text([bold(name)]).text([roman(meaning)]);
    }
}

fn name_of(path: &[&str]) -> String {
    [&["windlass"], path].concat().join("-")
}

#[cfg(test)]
mod tests {
    use windlass_ops::table::TABLE;

    use super::*;

    fn texts() -> Vec<(String, String)> {
        // Quotes are written so that they can be copied, and dashes so that they are no hyphens.
        let unquoted = |text: &str| text.replace("\\*(Aq", "'").replace('\\', "");
        let plain = |page: Page| (page.name, unquoted(&page.text));
        pages().unwrap().into_iter().map(plain).collect()
    }

    #[test]
    fn every_operation_and_every_other_command_has_its_page() {
        let texts = texts();
        let operations = TABLE.iter().map(|entry| (entry.name, entry.about, entry.example));
        let others = own::OWN.iter().map(|own| (own.name, own.about, own.example));
        for (command, about, example) in operations.chain(others) {
            let name = format!("windlass-{}", command.replace('.', "-"));
            let page = texts.iter().find(|(found, _)| *found == name);
            let (_, text) = page.unwrap_or_else(|| panic!("no page {name}"));
            assert!(text.contains(&format!("{name} - {about}")), "{text}");
            assert!(text.contains(&format!(".SH EXAMPLE\n.EX\n{example}\n")), "{text}");
        }
    }

    #[test]
    fn a_page_has_the_sections_that_readers_know() {
        for (name, text) in texts() {
            let headings: Vec<&str> =
                text.lines().filter_map(|line| line.strip_prefix(".SH ")).collect();
            let expected = ["NAME", "SYNOPSIS", "DESCRIPTION"];
            assert_eq!(headings.get(..3), Some(&expected[..]), "{name}");
            assert!(headings.iter().any(|heading| heading.contains("OPTIONS")), "{name}");
            assert!(text.contains(&format!(".TH {name} 1 ")), "{text}");
        }
    }

    #[test]
    fn the_first_page_tells_of_every_variable_and_exit_status() {
        let (_, text) = texts().swap_remove(0);
        for (variable, _) in VARIABLES {
            assert!(text.contains(&format!("fB{variable}fR")), "{variable}: {text}");
        }
        for (index, (exit, _)) in EXITS.iter().enumerate() {
            assert_eq!(index, usize::from(*exit as u8));
        }
    }

    #[test]
    fn a_page_leads_to_those_above_it() {
        let texts = texts();
        let (_, text) = texts.iter().find(|(name, _)| name == "windlass-task-add").unwrap();
        let end = ".SH \"SEE ALSO\"\nfBwindlassfR(1), fBwindlass-taskfR(1)\n";
        assert!(text.ends_with(end), "{text}");
    }
}
