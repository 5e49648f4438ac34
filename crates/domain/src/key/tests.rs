//! Who may do what with a key, as tables.

use proptest::prelude::*;

use super::*;

const NOW: Time = Time::from_millis(1_794_735_000_000);

fn agent() -> Owner {
    Owner::Agent("worker-1".to_owned())
}

fn person() -> Owner {
    Owner::Person("anna".to_owned())
}

fn secret() -> Secret {
    Secret::from_random([7; 5], [9; 32])
}

fn wanted(owner: Owner, role: Role) -> Wanted {
    Wanted { owner, role, projects: Vec::new(), tools: None, expires_at: None }
}

/// A key as a log may hold it, even one that [`create`] would have refused.
fn key(owner: Owner, role: Role) -> Key {
    let data = KeyCreated {
        prefix: secret().prefix(),
        digest: secret().digest(),
        owner,
        role,
        projects: Vec::new(),
        tools: None,
        expires_at: None,
    };
    Key::created(KeyId::from_bytes([1; 16]), &data, NOW)
}

#[test]
fn a_role_opens_what_its_line_says() {
    let table = [
        (Role::Worker, [true, true, false, false]),
        (Role::Reviewer, [true, true, false, false]),
        (Role::Approver, [true, true, true, false]),
        (Role::Admin, [true, true, true, true]),
    ];
    for (role, allowed) in table {
        assert_eq!(Access::ALL.map(|access| key(person(), role).may(access)), allowed, "{role}");
    }
}

#[test]
fn an_agents_key_never_approves_or_administers_whatever_role_was_recorded() {
    for role in Role::ALL {
        let allowed = Access::ALL.map(|access| key(agent(), role).may(access));
        assert_eq!(allowed, [true, true, false, false], "{role}");
    }
}

#[test]
fn an_agent_gets_only_a_key_of_a_worker_or_reviewer() {
    for role in Role::ALL {
        let created = create(wanted(agent(), role), &secret(), NOW);
        match role {
            Role::Worker | Role::Reviewer => assert!(created.is_ok(), "{role}"),
            Role::Approver | Role::Admin => {
                assert_eq!(created.unwrap_err().code, Code::InvalidValue, "{role}");
            }
        }
        assert!(create(wanted(person(), role), &secret(), NOW).is_ok(), "{role}");
    }
}

#[test]
fn a_key_that_is_over_before_it_begins_is_refused() {
    for (at, is_fine) in [(-1, false), (0, false), (1, true)] {
        let expires_at = Some(Time::from_millis(NOW.as_millis() + at));
        let wanted = Wanted { expires_at, ..wanted(agent(), Role::Worker) };
        assert_eq!(create(wanted, &secret(), NOW).is_ok(), is_fine, "{at}");
    }
}

#[test]
fn a_key_is_valid_until_it_expires() {
    let later = Time::from_millis(NOW.as_millis() + 1);
    let key = Key { expires_at: Some(later), ..key(agent(), Role::Worker) };
    assert_eq!((key.state(NOW), key.state(later)), (State::Valid, State::Expired));
}

#[test]
fn a_revoked_key_opens_nothing_and_stays_revoked() {
    let mut key = key(agent(), Role::Worker);
    let revoked = key.revoke(Some("lost".to_owned())).unwrap();
    key.fold(&revoked.into(), NOW).unwrap();
    assert_eq!(key.state(NOW), State::Revoked);
    assert!(key.revoke(None).is_none());
    assert_eq!(key.rotate(&secret(), NOW).unwrap_err().code, Code::InvalidTransition);
    assert!(key.fold(&KeyRevoked { reason: None }.into(), NOW).is_err());
}

#[test]
fn a_rotated_key_has_another_text_and_the_same_id() {
    let mut key = key(agent(), Role::Worker);
    let (id, other) = (key.id, Secret::from_random([8; 5], [8; 32]));
    let rotated = key.rotate(&other, NOW).unwrap();
    key.fold(&rotated.into(), NOW).unwrap();
    assert_eq!((key.id, key.digest, key.prefix), (id, other.digest(), other.prefix()));
    assert_eq!((key.version, key.rotated_at), (2, Some(NOW)));
}

#[test]
fn an_expired_key_gets_no_other_text() {
    let key = Key { expires_at: Some(NOW), ..key(agent(), Role::Worker) };
    assert_eq!(key.rotate(&secret(), NOW).unwrap_err().code, Code::InvalidTransition);
}

#[test]
fn an_owner_is_read_back_as_it_is_written() {
    for text in ["agent:worker-1", "person:anna", "agent:a:b"] {
        assert_eq!(Owner::parse(text).unwrap().to_string(), text);
    }
}

#[test]
fn what_names_no_owner_is_refused() {
    for text in ["", "worker-1", "agent:", "agent: ", "robot:r2", ":x", "Agent:x", "agent:a\nb"] {
        assert_eq!(Owner::parse(text).unwrap_err().code, Code::InvalidValue, "{text}");
    }
}

#[test]
fn the_bytes_of_a_key_are_written_as_base64url() {
    // RFC 4648, section 10, and a letter of each end of the alphabet.
    for (bytes, text) in [("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
        assert_eq!(encode(bytes.as_bytes(), BASE64_URL, 6), text);
    }
    assert_eq!(encode(&[0xFB, 0xFF], BASE64_URL, 6), "-_8");
}

proptest! {
    #[test]
    fn a_key_has_its_form(known: [u8; 5], guarded: [u8; 32]) {
        let secret = Secret::from_random(known, guarded);
        let text = secret.expose();
        prop_assert_eq!(text.len(), 3 + 8 + 1 + 43);
        let known = text.strip_prefix("wl_").and_then(|rest| rest.get(..9)).unwrap();
        prop_assert!(known.ends_with('_'));
        prop_assert!(text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)));
    }

    #[test]
    fn a_key_is_not_in_what_is_printed_of_it(known: [u8; 5], guarded: [u8; 32]) {
        let secret = Secret::from_random(known, guarded);
        let printed = format!("{secret:?} {}", secret.prefix());
        prop_assert!(!printed.contains(secret.expose().get(12..).unwrap()));
    }

    #[test]
    fn the_shown_part_of_any_text_is_short(text in "(wl_)?.{0,40}") {
        let shown = prefix_of(&text);
        prop_assert_eq!(shown.is_some(), text.starts_with("wl_"));
        prop_assert!(shown.unwrap_or_default().chars().count() <= PREFIX_CHARS);
    }
}
