//! Reading a file to its end, in pieces, for its digest and for a text in it.

use std::fs::{File, Metadata};
use std::io::{self, Read as _};
use std::path::Path;

use super::super::digest::Digest;
use super::super::pulse::Wake;
use super::super::{Kind, Seen};
use super::Look;
use super::text::Text;

const PIECE: usize = 256 << 10;

#[derive(Debug)]
pub(super) enum NotSeen {
    /// With what is known without reading.
    Interrupted(Interrupted, Seen),
    Unreadable(io::Error),
}

#[derive(Debug)]
pub(super) enum Interrupted {
    TimeIsOver,
    Stopped,
}

/// Looks at a file, or at whatever else is there. A file that grows meanwhile is read as far as it
/// went at first.
pub(super) fn seen(
    path: &Path,
    real: &Path,
    mut text: Option<&mut Text<'_>>,
    look: &mut Look<'_>,
) -> Result<Seen, NotSeen> {
    let metadata = real.metadata().map_err(NotSeen::Unreadable)?;
    let mut seen = Seen {
        path: path.to_owned(),
        kind: kind(&metadata),
        size_bytes: metadata.len(),
        sha256: None,
    };
    if seen.kind != Kind::File {
        return Ok(seen);
    }
    let mut file = File::open(real).map_err(NotSeen::Unreadable)?.take(metadata.len());
    let mut digest = Digest::default();
    let mut piece = vec![0; PIECE];
    loop {
        let length = match file.read(&mut piece) {
            Ok(0) => break,
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(NotSeen::Unreadable(error)),
        };
        let bytes = piece.get(..length).unwrap_or_default();
        digest.take(bytes);
        if let Some(text) = &mut text {
            text.take(bytes);
        }
        match look.pulse.glance(look.until).map_err(NotSeen::Unreadable)? {
            Some(Wake::Stopped) => return Err(NotSeen::Interrupted(Interrupted::Stopped, seen)),
            Some(_) => return Err(NotSeen::Interrupted(Interrupted::TimeIsOver, seen)),
            None => {}
        }
    }
    seen.sha256 = Some(digest.text());
    Ok(seen)
}

fn kind(metadata: &Metadata) -> Kind {
    match (metadata.is_file(), metadata.is_dir()) {
        (true, _) => Kind::File,
        (false, true) => Kind::Folder,
        (false, false) => Kind::Other,
    }
}
