//! Secrets that we make for programs: of OAuth2 clients (`tg_cs_…`) and of users of HTTP Basic
//! (`tg_pw_…`), each 22 + 6 base62 digits. They hold 128 random bits, so SHA-256 is enough to keep
//! of them; what people choose goes to `password`.

use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq;
use tollgate_model::credential::Digest;

use crate::base62;

const CLIENT_SECRET: &str = "tg_cs_";
const BASIC_PASSWORD: &str = "tg_pw_";
/// Characters of a secret that are kept so that its owner recognises it.
const HINT_CHARACTERS: usize = 4;

/// A secret that was just made. The text is shown once and then forgotten.
pub struct NewSecret {
    /// The whole secret.
    pub text: String,
    /// SHA-256 of the text: what is kept.
    pub digest: Digest,
    /// The last four characters.
    pub hint: String,
}

/// Makes the secret of an OAuth2 client (RFC 6749, section 2.3.1) from 128 random bits.
#[must_use]
pub fn client_secret(random: [u8; 16]) -> NewSecret {
    make(CLIENT_SECRET, random)
}

/// Makes the password of a user of HTTP Basic (RFC 7617) from 128 random bits.
#[must_use]
pub fn basic_password(random: [u8; 16]) -> NewSecret {
    make(BASIC_PASSWORD, random)
}

/// Whether `text` is the secret with this digest, compared in constant time.
#[must_use]
pub fn matches(digest: &Digest, text: &str) -> bool {
    let presented: Digest = Sha256::digest(text.as_bytes()).into();
    presented.ct_eq(digest).into()
}

fn make(prefix: &str, secret: [u8; 16]) -> NewSecret {
    let mut text = String::from(prefix);
    base62::push(&mut text, secret, base62::DIGITS_128);
    base62::push_crc(&mut text);
    NewSecret {
        digest: Sha256::digest(text.as_bytes()).into(),
        hint: text[text.len() - HINT_CHARACTERS..].to_owned(),
        text,
    }
}
