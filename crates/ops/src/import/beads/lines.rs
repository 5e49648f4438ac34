//! The lines of a file that may be larger than the memory.

use std::io::{BufRead as _, BufReader, Read, Seek, SeekFrom};

use windlass_domain::chain::Hash;
use windlass_domain::{Code, Refusal};
use windlass_ledger::{Error, Fault};

use crate::exchange::in_words;

/// Longer than any issue should be.
const LINE_BYTES: u64 = 8 * 1024 * 1024;

/// Where a line is, and what it was when it was read first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    /// Counted from 1.
    pub(super) number: u64,
    offset: u64,
    length: usize,
    hash: Hash,
}

/// A file, line by line.
#[derive(Debug)]
pub(super) struct Lines<R> {
    input: BufReader<R>,
    /// The number of the last line.
    number: u64,
    /// Where the next line begins.
    offset: u64,
}

impl<R: Read + Seek> Lines<R> {
    /// From the beginning.
    pub(super) fn of(mut input: R) -> Result<Self, Error> {
        input.seek(SeekFrom::Start(0)).map_err(|error| unreadable(&error))?;
        Ok(Self { input: BufReader::new(input), number: 0, offset: 0 })
    }

    /// The next line that is not blank.
    pub(super) fn next(&mut self) -> Result<Option<(Place, String)>, Error> {
        loop {
            let mut bytes = Vec::new();
            let mut limited = (&mut self.input).take(LINE_BYTES + 1);
            let read = limited.read_until(b'\n', &mut bytes).map_err(|error| unreadable(&error))?;
            if read == 0 {
                return Ok(None);
            }
            self.number += 1;
            let offset = self.offset;
            self.offset += read as u64;
            if bytes.last() == Some(&b'\n') {
                bytes.pop();
            }
            if bytes.len() as u64 > LINE_BYTES {
                let why = format!("it has more than {LINE_BYTES} bytes");
                return Err(invalid(self.number, &why).into());
            }
            let place =
                Place { number: self.number, offset, length: bytes.len(), hash: Hash::of(&bytes) };
            let text =
                String::from_utf8(bytes).map_err(|_| invalid(self.number, "it is not UTF-8"))?;
            if !text.trim_matches(['\u{feff}', ' ', '\t', '\r']).is_empty() {
                return Ok(Some((place, text)));
            }
        }
    }

    /// A line that was read before.
    pub(super) fn again(&mut self, place: &Place) -> Result<String, Error> {
        let by = i64::try_from(place.offset).unwrap_or(i64::MAX)
            - i64::try_from(self.offset).unwrap_or(i64::MAX);
        // What is buffered already is not read again.
        self.input.seek_relative(by).map_err(|error| unreadable(&error))?;
        let mut bytes = vec![0; place.length];
        let read = self.input.read_exact(&mut bytes);
        self.offset = place.offset + place.length as u64;
        let text = match read {
            Ok(()) if Hash::of(&bytes) == place.hash => String::from_utf8(bytes).ok(),
            _ => None,
        };
        text.ok_or_else(|| {
            invalid(place.number, "it changed while it was imported")
                .hint("import a copy that nobody writes to; what came over before is skipped")
                .into()
        })
    }
}

/// The refusal of a file because of one of its lines.
pub(super) fn invalid(number: u64, why: &str) -> Refusal {
    Refusal::new(Code::ImportInvalid, format!("line {number}: {why}"))
        .hint("mend the line, or write the file again: bd export; nothing was imported")
        .detail("line", number)
}

fn unreadable(error: &std::io::Error) -> Fault {
    Fault::new(Code::FileUnusable, format!("the file cannot be read: {}", in_words(error)))
        .hint("check the disk it is on")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    #[test]
    fn lines_are_counted_and_found_again_in_any_order() {
        let mut lines = Lines::of(Cursor::new("one\n\n  \r\nfour\r\nlast")).unwrap();
        let mut found = Vec::new();
        while let Some((place, text)) = lines.next().unwrap() {
            found.push((place, text));
        }
        let numbers: Vec<u64> = found.iter().map(|(place, _)| place.number).collect();
        assert_eq!(numbers, [1, 4, 5]);
        for (place, text) in found.iter().rev().chain(&found) {
            assert_eq!(lines.again(place).unwrap(), *text);
        }
    }

    #[test]
    fn a_line_that_changed_is_not_taken() {
        let mut lines = Lines::of(Cursor::new("one\n")).unwrap();
        let (place, _) = lines.next().unwrap().unwrap();
        for changed in ["two\n", ""] {
            let mut lines = Lines::of(Cursor::new(changed)).unwrap();
            assert_eq!(lines.again(&place).unwrap_err().code(), Code::ImportInvalid);
        }
    }

    #[test]
    fn a_line_without_end_is_refused_before_it_fills_the_memory() {
        let endless = Cursor::new(vec![b'x'; 9 * 1024 * 1024]);
        let error = Lines::of(endless).unwrap().next().unwrap_err();
        assert_eq!(error.code(), Code::ImportInvalid);
    }
}
