//! Signatures by the Standard Webhooks scheme, version 1.

use std::fmt;

use base64::Engine as _;
use base64::alphabet;
use base64::engine::general_purpose::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use hmac::{Hmac, KeyInit as _, Mac as _};
use secrecy::{ExposeSecret as _, SecretString};
use sha2::Sha256;

use super::Message;

/// People lose the padding when they copy a secret.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// What messages are signed with.
#[derive(Clone)]
pub(super) struct Key(Hmac<Sha256>);

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum NoKey {
    #[error("is empty")]
    Empty,
    #[error("is not base64 after whsec_")]
    NotBase64,
}

impl Key {
    /// `whsec_` and base64, or any other text, which is then the key as it is.
    pub(super) fn new(secret: &SecretString) -> Result<Self, NoKey> {
        let secret = secret.expose_secret();
        let bytes = match secret.strip_prefix("whsec_") {
            Some(encoded) => LENIENT.decode(encoded).map_err(|_| NoKey::NotBase64)?,
            None => secret.as_bytes().to_vec(),
        };
        if bytes.is_empty() {
            return Err(NoKey::Empty);
        }
        // A key may have any length, so this cannot fail.
        Hmac::new_from_slice(&bytes).map(Self).map_err(|_| NoKey::Empty)
    }

    /// The value of `webhook-signature`.
    pub(super) fn sign(&self, message: &Message) -> String {
        let Message { id, timestamp, body } = message;
        let mut mac = self.0.clone();
        mac.update(format!("{id}.{timestamp}.").as_bytes());
        mac.update(body.as_bytes());
        format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Key").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signed(secret: &str, id: &str, timestamp: i64, body: &str) -> Result<String, NoKey> {
        let message = Message { id: id.to_owned(), timestamp, body: body.to_owned() };
        Ok(Key::new(&secret.into())?.sign(&message))
    }

    /// The example of the scheme itself; computed again with Python's `hmac`.
    #[test]
    fn an_encoded_secret_is_decoded() {
        let expected = Ok("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=".to_owned());
        let id = "msg_p5jXN8AQM9LWM0D4loKWxJek";
        let body = r#"{"test": 2432232314}"#;
        let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
        assert_eq!(signed(secret, id, 1_614_265_330, body), expected);
    }

    /// Computed with Python's `hmac`.
    #[test]
    fn any_other_secret_is_used_as_it_is() {
        let expected = Ok("v1,9Qs8Ux45lwuH7h68BYRZeen45+w7EXR8gffI/KCquxs=".to_owned());
        let body = r#"{"task":"ä"}"#;
        assert_eq!(signed("plain words", "01JABC", 1_700_000_000, body), expected);
    }

    #[test]
    fn padding_may_be_missing() {
        let [padded, bare] = ["whsec_c2VjcmV0cw==", "whsec_c2VjcmV0cw"]
            .map(|secret| signed(secret, "id", 1, "{}").unwrap());
        assert_eq!(padded, bare);
    }

    #[test]
    fn a_secret_that_cannot_be_one_is_refused() {
        for (secret, expected) in
            [("", NoKey::Empty), ("whsec_", NoKey::Empty), ("whsec_no base64!", NoKey::NotBase64)]
        {
            assert_eq!(Key::new(&secret.into()).unwrap_err(), expected, "{secret}");
        }
    }

    #[test]
    fn a_key_does_not_show_itself() {
        assert_eq!(format!("{:?}", Key::new(&"canary".into()).unwrap()), "Key { .. }");
    }
}
