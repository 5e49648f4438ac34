//! Every argument of every operation says what it is for.

use clap::Command;
use windlass_ops::table::TABLE;

#[test]
fn every_argument_has_its_line_of_help() {
    let mut silent = Vec::new();
    for entry in TABLE {
        let command = (entry.arguments)(Command::new(entry.name));
        for argument in command.get_arguments() {
            let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
            if help.trim().is_empty() || help.contains('\n') {
                silent.push(format!("{} {}", entry.name, argument.get_id()));
            }
        }
    }
    assert_eq!(silent, Vec::<String>::new(), "these say nothing, or more than one line");
}
