//! Our lines in a text of somebody else: everything between two marks is ours, nothing else is.
//!
//! A block is set apart by an empty line. How it ends tells how the text ended before: one that
//! had no line break at its end has none behind the block either. So taking the block out gives
//! back the very bytes that were there.

use super::edit::{Edited, Trouble, line_break};

/// The lines around a block.
#[derive(Debug, Clone, Copy)]
pub(super) struct Marks {
    pub(super) begin: &'static str,
    pub(super) end: &'static str,
    /// What both begin with: a line that has it and is neither of them was damaged.
    pub(super) stem: &'static str,
}

pub(super) const MARKDOWN: Marks = Marks {
    begin: "<!-- windlass:begin -->",
    end: "<!-- windlass:end -->",
    stem: "<!-- windlass:",
};

pub(super) const TOML: Marks =
    Marks { begin: "# windlass:begin", end: "# windlass:end", stem: "# windlass:" };

/// A block to be put into a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block<'a> {
    pub(super) marks: Marks,
    /// Whole lines.
    pub(super) body: &'a str,
    /// What a file that we make begins with.
    pub(super) preamble: &'a str,
}

/// Where a block is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    /// The beginning of its first line.
    pub(super) start: usize,
    /// The end of its last line, without the line break.
    pub(super) end: usize,
    line_break: &'static str,
}

impl Block<'_> {
    /// The block with its marks.
    pub(super) fn set(&self, line_break: &str) -> String {
        let lines = std::iter::once(self.marks.begin).chain(self.body.lines());
        lines.chain([self.marks.end]).collect::<Vec<_>>().join(line_break)
    }

    pub(super) fn put(&self, before: Option<&str>) -> Result<Edited, Trouble> {
        let Some(text) = before else {
            return Ok(Edited::Text(format!("{}{}\n", self.preamble, self.set("\n"))));
        };
        if let Some(found) = self.marks.find(text)? {
            let (above, below) = around(text, &found);
            let after = format!("{above}{}{below}", self.set(found.line_break));
            return Ok(Edited::of(text, after));
        }
        let end = line_break(text);
        let block = self.set(end);
        Ok(Edited::Text(match text {
            "" => block,
            _ if text.ends_with('\n') => format!("{text}{end}{block}{end}"),
            _ => format!("{text}{end}{end}{block}"),
        }))
    }

    pub(super) fn take(&self, before: Option<&str>) -> Result<Edited, Trouble> {
        let Some(text) = before else { return Ok(Edited::Same) };
        let Some(found) = self.marks.find(text)? else { return Ok(Edited::Same) };
        let (above, below) = around(text, &found);
        let end = found.line_break;
        if below == end && above == self.preamble {
            return Ok(Edited::Gone);
        }
        let (above, below) = if let Some(below) = below.strip_prefix(end) {
            let is_apart = above.ends_with(&format!("\n{end}"));
            (above.strip_suffix(end).filter(|_| is_apart).unwrap_or(above), below)
        } else {
            (above.strip_suffix(&end.repeat(2)).unwrap_or(above), below)
        };
        Ok(Edited::Text(format!("{above}{below}")))
    }
}

fn around<'a>(text: &'a str, found: &Found) -> (&'a str, &'a str) {
    let part = |part: Option<&'a str>| part.unwrap_or_default();
    (part(text.get(..found.start)), part(text.get(found.end..)))
}

impl Marks {
    /// The one block of a text.
    pub(super) fn find(&self, text: &str) -> Result<Option<Found>, Trouble> {
        let mut begun: Option<(usize, usize, &'static str)> = None;
        let mut found = None;
        let mut at = 0;
        for (number, line) in (1..).zip(text.split_inclusive('\n')) {
            let start = at;
            at += line.len();
            let said = line.trim_end_matches(['\n', '\r']);
            if !said.contains(self.stem) {
                continue;
            }
            let broken = |what: &str| Trouble::Broken { line: number, what: what.to_owned() };
            if said == self.begin && begun.is_none() && found.is_none() {
                begun = Some((number, start, line_break(line)));
            } else if said == self.begin {
                return Err(broken("there is a second beginning of the block of windlass"));
            } else if said == self.end {
                let Some((_, first, line_break)) = begun.take() else {
                    return Err(broken("the block of windlass ends without a beginning"));
                };
                found = Some(Found { start: first, end: start + said.len(), line_break });
            } else {
                return Err(broken("this mark of windlass was changed"));
            }
        }
        match begun {
            Some((line, ..)) => {
                let what = "the block of windlass begins and has no end".to_owned();
                Err(Trouble::Broken { line, what })
            }
            None => Ok(found),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const BLOCK: Block<'_> = Block { marks: MARKDOWN, body: "one\ntwo\n", preamble: "" };

    fn put(text: &str) -> String {
        match BLOCK.put(Some(text)).unwrap() {
            Edited::Text(after) => after,
            other => panic!("{other:?}"),
        }
    }

    fn taken(text: &str) -> Edited {
        BLOCK.take(Some(text)).unwrap()
    }

    #[test]
    fn a_block_is_set_apart_at_the_end() {
        let block = BLOCK.set("\n");
        assert_eq!(block, "<!-- windlass:begin -->\none\ntwo\n<!-- windlass:end -->");
        assert_eq!(put("# Mine\n"), format!("# Mine\n\n{block}\n"));
    }

    #[test]
    fn what_is_between_the_marks_is_brought_up_to_date_where_it_is() {
        let old = "a\r\n<!-- windlass:begin -->\r\nold\r\n<!-- windlass:end -->\r\nb\n";
        let new = "a\r\n<!-- windlass:begin -->\r\none\r\ntwo\r\n<!-- windlass:end -->\r\nb\n";
        assert_eq!(put(old), new);
    }

    #[test]
    fn a_file_that_we_made_goes_and_an_empty_one_that_was_there_stays() {
        let Edited::Text(made) = BLOCK.put(None).unwrap() else { panic!() };
        assert_eq!(taken(&made), Edited::Gone);
        assert_eq!(taken(&put("")), Edited::Text(String::new()));
        assert_eq!(BLOCK.take(None), Ok(Edited::Same));
        let ours = Block { preamble: "---\nx: 1\n---\n", ..BLOCK };
        let Edited::Text(made) = ours.put(None).unwrap() else { panic!() };
        assert_eq!(ours.take(Some(&made)), Ok(Edited::Gone));
    }

    #[test]
    fn damaged_marks_are_refused_with_their_line() {
        let (begin, end) = (MARKDOWN.begin, MARKDOWN.end);
        for (text, line) in [
            (format!("a\n{begin}\nb\n"), 2),
            (format!("a\nb\n{end}\n"), 3),
            (format!("{end}\n{begin}\n"), 1),
            (format!("{begin}\n{begin}\n{end}\n"), 2),
            (format!("{begin}\n{end}\n{begin}\n{end}\n"), 3),
            (format!("{begin}\n{end}\n{end}\n"), 3),
            (format!("{begin} x\n{end}\n"), 1),
            (format!("{begin}\n  {end}\n"), 2),
            ("a\n<!-- windlass:begin --\n".to_owned(), 2),
        ] {
            for edited in [BLOCK.put(Some(&text)), BLOCK.take(Some(&text))] {
                let Err(Trouble::Broken { line: found, .. }) = edited else { panic!("{text}") };
                assert_eq!(found, line, "{text}");
            }
        }
    }

    proptest! {
        #[test]
        fn foreign_text_keeps_every_byte_and_undo_gives_it_back(
            lines in prop::collection::vec("[a-z #<>!\r-]{0,6}(\n|\r\n)", 0..8),
            last in "[a-z \r]{0,4}",
        ) {
            let text = lines.concat() + &last;
            let after = put(&text);
            prop_assert!(after.starts_with(&text));
            prop_assert_eq!(BLOCK.put(Some(&after)).unwrap(), Edited::Same);
            prop_assert_eq!(taken(&after), Edited::Text(text));
        }

        #[test]
        fn what_comes_behind_the_block_later_stays(
            above in "([a-z]{0,6}\n){1,4}",
            below in "([a-z]{0,6}\n){1,4}",
        ) {
            let text = format!("{}{below}", put(&above));
            prop_assert_eq!(taken(&text), Edited::Text(format!("{above}{below}")));
        }
    }
}
