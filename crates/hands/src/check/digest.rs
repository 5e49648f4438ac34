//! SHA-256 of what comes in pieces.

use sha2::{Digest as _, Sha256};

#[derive(Clone, Default)]
pub(super) struct Digest(Sha256);

impl Digest {
    pub(super) fn take(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }

    /// In hexadecimal.
    pub(super) fn text(self) -> String {
        self.0.finalize().iter().fold(String::with_capacity(64), |mut text, byte| {
            for half in [byte >> 4, byte & 15] {
                text.extend(char::from_digit(half.into(), 16));
            }
            text
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_have_the_digest_of_the_whole() {
        let mut digest = Digest::default();
        digest.take(b"a");
        digest.take(b"bc");
        let known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(digest.text(), known);
    }
}
