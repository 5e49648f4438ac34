//! What a change does to a file, as a unified diff.
//!
//! We change one place of a file at a time, so one hunk is enough: everything between what both
//! texts begin with and what both end with.

use std::fmt::Write as _;

/// Lines around the change that stay as they are.
const CONTEXT: usize = 3;

/// The change of a file; nothing stands for a file that is not there. A file of the project is named
/// as git does.
pub(super) fn unified(name: &str, before: Option<&str>, after: Option<&str>) -> String {
    let side = |letter: char, text: Option<&str>| match text {
        Some(_) if name.starts_with(['~', '/']) => name.to_owned(),
        Some(_) => format!("{letter}/{name}"),
        None => "/dev/null".to_owned(),
    };
    let mut diff = format!("--- {}\n+++ {}\n", side('a', before), side('b', after));
    let old: Vec<&str> = before.unwrap_or_default().split_inclusive('\n').collect();
    let new: Vec<&str> = after.unwrap_or_default().split_inclusive('\n').collect();
    let first = alike(old.iter(), new.iter());
    let left = |lines: &[&str]| lines.len() - first;
    let last = alike(old.iter().rev(), new.iter().rev()).min(left(&old)).min(left(&new));
    let begin = first.saturating_sub(CONTEXT);
    let end = |lines: &[&str]| lines.len() - last;
    let behind = last.min(CONTEXT);
    let length = |lines: &[&str]| end(lines) + behind - begin;
    let (removed, added) = (place(begin, length(&old)), place(begin, length(&new)));
    let _infallible = writeln!(diff, "@@ -{removed} +{added} @@");
    let mut write = |sign: char, lines: &[&str], from: usize, to: usize| {
        for line in lines.iter().take(to).skip(from) {
            write_line(&mut diff, sign, line);
        }
    };
    write(' ', &old, begin, first);
    write('-', &old, first, end(&old));
    write('+', &new, first, end(&new));
    write(' ', &old, end(&old), end(&old) + behind);
    diff
}

fn alike<'a>(
    old: impl Iterator<Item = &'a &'a str>,
    new: impl Iterator<Item = &'a &'a str>,
) -> usize {
    old.zip(new).take_while(|(old, new)| old == new).count()
}

/// Lines are counted from 1; of no lines, the one before them is named.
fn place(begin: usize, length: usize) -> String {
    match length {
        0 => format!("{begin},0"),
        length => format!("{},{length}", begin + 1),
    }
}

fn write_line(diff: &mut String, sign: char, line: &str) {
    diff.push(sign);
    diff.push_str(line.trim_end_matches(['\n', '\r']));
    diff.push('\n');
    if !line.ends_with('\n') {
        diff.push_str("\\ No newline at end of file\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_shown_with_what_is_around_it() {
        let before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let after = "1\n2\n3\n4\nfive\n5b\n6\n7\n8\n9\n";
        let expected =
            "--- a/x\n+++ b/x\n@@ -2,7 +2,8 @@\n 2\n 3\n 4\n-5\n+five\n+5b\n 6\n 7\n 8\n";
        assert_eq!(unified("x", Some(before), Some(after)), expected);
    }

    #[test]
    fn a_file_that_is_made_or_removed_is_shown_whole() {
        let made = "--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n+a\n+b\n";
        assert_eq!(unified("x", None, Some("a\nb\n")), made);
        let removed = "--- a/x\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n\\ No newline at end of file\n";
        assert_eq!(unified("x", Some("a"), None), removed);
    }

    #[test]
    fn lines_that_are_there_twice_are_told_apart() {
        let expected = "--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n a\n a\n+a\n";
        assert_eq!(unified("x", Some("a\na\n"), Some("a\na\na\n")), expected);
    }
}
