//! Keys that are made, read, damaged and taken for one another.

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::sync::Barrier;

use super::*;

fn key_in(folder: &tempfile::TempDir) -> (PathBuf, Key) {
    let path = folder.path().join("deep/receipt-key.pem");
    let key = Key::at(&path).unwrap();
    (path, key)
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_signature_is_right_for_its_bytes_and_its_key_alone() {
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let ((_, key), (_, stranger)) = (key_in(&one), key_in(&other));
    let signature = key.sign(b"a receipt");
    assert!(key.public().signed(b"a receipt", &signature));
    assert!(!key.public().signed(b"a recejpt", &signature));
    assert!(!stranger.public().signed(b"a receipt", &signature));
    for wrong in ["", "no base64!", "AAAA"] {
        assert!(!key.public().signed(b"a receipt", wrong), "{wrong}");
    }
}

#[test]
fn any_changed_byte_of_text_or_signature_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let (_, key) = key_in(&folder);
    let text = br#"{"evidence":[{"passed":true}],"run":{"status":"completed"}}"#;
    let signature = STANDARD.decode(key.sign(text)).unwrap();
    for at in 0..text.len() {
        for bit in 0..8 {
            let mut forged = text.to_vec();
            forged[at] ^= 1 << bit;
            assert!(!key.public().signed(&forged, &STANDARD.encode(&signature)), "{at} {bit}");
        }
    }
    for at in 0..signature.len() {
        let mut forged = signature.clone();
        forged[at] ^= 1;
        assert!(!key.public().signed(text, &STANDARD.encode(&forged)), "{at}");
    }
}

#[test]
fn a_key_is_made_once_and_only_its_owner_can_read_it() {
    let folder = tempfile::tempdir().unwrap();
    let (path, key) = key_in(&folder);
    assert_eq!(Key::at(&path).unwrap().public(), key.public());
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
    let names: Vec<_> = fs::read_dir(path.parent().unwrap()).unwrap().collect();
    assert_eq!(names.len(), 1, "nothing else is left");
}

#[test]
fn to_look_for_a_key_makes_none() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("receipt-key.pem");
    assert!(Key::find(&path).unwrap().is_none());
    assert!(!path.exists());
}

#[test]
fn many_at_once_get_the_same_key() {
    for _ in 0..20 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/receipt-key.pem");
        let barrier = Barrier::new(8);
        let ids: Vec<String> = std::thread::scope(|scope| {
            let makers: Vec<_> = (0..8)
                .map(|_| {
                    scope.spawn(|| {
                        barrier.wait();
                        Key::at(&path).unwrap().public().id()
                    })
                })
                .collect();
            makers.into_iter().map(|maker| maker.join().unwrap()).collect()
        });
        assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
    }
}

#[test]
fn a_public_key_is_read_as_it_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let (_, key) = key_in(&folder);
    let public = key.public();
    assert_eq!(PublicKey::parse(&public.to_string()), Some(public));
    assert_eq!(public.id().len(), 16);
    for wrong in ["", "AAAA", "no base64!"] {
        assert_eq!(PublicKey::parse(wrong), None, "{wrong}");
    }
}

#[test]
fn a_damaged_key_is_said_to_be_and_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let (path, _) = key_in(&folder);
    let whole = fs::read(&path).unwrap();
    let half = &whole[..whole.len() / 2];
    let mut bent = whole.clone();
    bent[60] ^= 1;
    let other = format!("{BEGIN}\n{}\n{END}\n", STANDARD.encode("something else"));
    for text in [half, &bent, b"", b"\xff\xfe", other.as_bytes()] {
        fs::write(&path, text).unwrap();
        let failed = Key::at(&path).unwrap_err();
        assert!(matches!(failed, NoKey::Damaged { .. }), "{failed:?}");
        assert!(failed.to_string().contains("holds no ed25519 key"), "{failed}");
        assert_eq!(fs::read(&path).unwrap(), text);
    }
}

#[test]
fn a_key_that_others_can_read_is_not_used() {
    let folder = tempfile::tempdir().unwrap();
    let (path, _) = key_in(&folder);
    for mode in [0o644, 0o640, 0o604, 0o660] {
        set_mode(&path, mode);
        let failed = Key::at(&path).unwrap_err();
        assert!(matches!(failed, NoKey::Open { mode: found, .. } if found == mode), "{failed:?}");
    }
    set_mode(&path, 0o400);
    Key::at(&path).unwrap();
}

#[test]
fn what_is_no_file_is_no_key() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    symlink("nowhere", folder.path().join("link")).unwrap();
    for name in ["", "file/key", "link"] {
        let failed = Key::at(&folder.path().join(name)).unwrap_err();
        assert!(matches!(failed, NoKey::Unusable { .. }), "{name}: {failed:?}");
    }
}

#[test]
fn a_folder_that_takes_no_file_is_said_to_be_unusable() {
    let failed = Key::at(Path::new("/proc/receipt-key.pem")).unwrap_err();
    assert!(matches!(failed, NoKey::Unusable { .. }), "{failed:?}");
}

#[test]
fn a_key_does_not_show_its_secret() {
    let folder = tempfile::tempdir().unwrap();
    let (path, key) = key_in(&folder);
    let text = fs::read_to_string(&path).unwrap();
    let secret = text.lines().nth(1).unwrap();
    assert!(!format!("{key:?}").contains(&secret[..10]));
}
