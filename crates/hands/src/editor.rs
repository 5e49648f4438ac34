//! The editor of the person at the terminal.

use std::io;
use std::os::fd::AsFd as _;
use std::path::Path;
use std::process::Stdio;

use crate::process::{NotRun, at_the_terminal};

/// Lets somebody change a file in an editor, given as a command line such as `code --wait`, and says
/// whether the editor ended well.
///
/// Standard output belongs to our own answer: an editor that writes there gets standard error.
pub fn edit(editor: &str, file: &Path) -> Result<bool, NotRun> {
    let mut command = at_the_terminal("/bin/sh");
    command.arg("-c").arg(format!("{editor} \"$1\"")).arg(editor).arg(file);
    let error_output = io::stderr().as_fd().try_clone_to_owned();
    command.stdout(error_output.map_or_else(|_| Stdio::inherit(), Stdio::from));
    match command.status() {
        Ok(status) => Ok(status.success()),
        Err(source) => Err(NotRun::new("/bin/sh", source)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_editor_may_have_arguments_and_changes_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("it's here.txt");
        std::fs::write(&file, "before").unwrap();
        assert!(edit("/bin/sed -i -e s/before/after/", &file).unwrap());
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "after");
    }

    #[test]
    fn an_editor_that_fails_says_so() {
        assert!(!edit("false", Path::new("/dev/null")).unwrap());
        assert!(!edit("no-such-editor", Path::new("/dev/null")).unwrap());
    }
}
