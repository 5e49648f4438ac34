//! `docs/reference/` is generated from the table of operations; this fails when it is stale.
//!
//! `WINDLASS_BLESS=1 cargo test -p windlass-ops --test reference` writes it anew.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Command;
use windlass_domain::Code;
use windlass_ops::settings::{HOOK_KEYS, KEYS};
use windlass_ops::table::{AS_IN_HZL, Entry, TABLE};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference")
}

fn check(file: &str, text: &str) {
    let path = folder().join(file);
    if std::env::vars().any(|(name, _)| name == "WINDLASS_BLESS") {
        std::fs::create_dir_all(folder()).unwrap();
        std::fs::write(&path, text).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == text,
        "{file} is stale: run WINDLASS_BLESS=1 cargo test -p windlass-ops --test reference"
    );
}

#[test]
fn the_reference_of_commands_is_current() {
    let mut text = String::from(
        "# Commands\n\nGenerated from the table of operations. Every command also takes `--db PATH_OR_URL`, \
         `--format text|json` and `--json`. Where TASK is asked for, an id or at least four characters \
         of its beginning or end will do.\n",
    );
    for entry in TABLE {
        write_operation(&mut text, entry);
    }
    check("commands.md", &text);
}

fn write_operation(text: &mut String, entry: &Entry) {
    let words: Vec<&str> = entry.words().collect();
    let mut command = (entry.arguments)(
        Command::new("operation").bin_name(format!("windlass {}", words.join(" "))),
    );
    let usage = command.render_usage().to_string();
    let usage =
        usage.trim_start_matches("Usage: ").split_whitespace().collect::<Vec<_>>().join(" ");
    writeln!(text, "\n## windlass {}\n\n{}.\n", words.join(" "), entry.about).unwrap();
    writeln!(
        text,
        "Operation `{}` · access {} · runs in the {}\n",
        entry.name,
        lower(&entry.access),
        lower(&entry.place)
    )
    .unwrap();
    writeln!(text, "```\n{usage}\n\n{}\n```", entry.example).unwrap();
    let mut arguments: Vec<_> =
        command.get_arguments().filter(|argument| argument.get_id() != "help").collect();
    arguments.sort_by_key(|argument| argument.get_index().unwrap_or(usize::MAX));
    if arguments.is_empty() {
        return;
    }
    writeln!(text, "\n| argument | field | default | meaning |\n|---|---|---|---|").unwrap();
    for argument in arguments {
        let shown = match (argument.get_long(), argument.get_short()) {
            (Some(long), Some(short)) => format!("-{short}, --{long}"),
            (Some(long), None) => format!("--{long}"),
            _ => argument.get_id().to_string().to_uppercase(),
        };
        let default: Vec<String> = argument
            .get_default_values()
            .iter()
            .map(|value| value.to_string_lossy().into_owned())
            .collect();
        let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
        let field = match argument.get_help_heading() {
            Some(AS_IN_HZL) => "–".to_owned(),
            _ => format!("`{}`", argument.get_id()),
        };
        writeln!(text, "| `{shown}` | {field} | {} | {help} |", default.join(", ")).unwrap();
    }
}

fn lower(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).unwrap().as_str().unwrap().to_owned()
}

#[test]
fn the_reference_of_errors_is_current() {
    let mut text = String::from(
        "# Error codes\n\nGenerated from the list of codes. `windlass explain CODE` prints the page of one.\n\n\
         | code | exit |\n|---|---|\n",
    );
    for code in Code::ALL {
        writeln!(text, "| [`{code}`](../errors/{code}.md) | {} |", code.exit() as u8).unwrap();
    }
    check("errors.md", &text);
}

#[test]
fn the_reference_of_settings_is_current() {
    let mut text = String::from(
        "# Settings\n\nGenerated from the list of settings. Later sources win: the user's \
         `$XDG_CONFIG_HOME/windlass/config.toml`, the repository's `.windlass/config.toml`, the environment, \
         flags. `windlass config` shows every value and where it came from.\n\n\
         | setting | default | in a repository's file | meaning |\n|---|---|---|---|\n",
    );
    for key in KEYS {
        let repository = if key.in_repository { "yes" } else { "ignored" };
        writeln!(
            text,
            "| `{}` | {} | {repository} | {} |",
            key.name,
            key.default.unwrap_or("–"),
            key.about
        )
        .unwrap();
    }
    text.push_str(
        "\n## [hooks.NAME]\n\nA hook in the user's file; in a repository's file it is ignored. On \
         PostgreSQL only hooks of the ledger count (`windlass hook set`); elsewhere the ledger wins by name.\n\n\
         | key | meaning |\n|---|---|\n",
    );
    for (key, about) in HOOK_KEYS {
        writeln!(text, "| `{key}` | {about} |").unwrap();
    }
    check("settings.md", &text);
}
