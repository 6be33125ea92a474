//! Hides the values of query parameters that carry credentials.

use std::collections::HashSet;

/// Names of parameters that carry credentials or one-time codes, in lower case.
const WHOLE: &[&str] = &[
    "auth",
    "auth_code",
    "code",
    "code_verifier",
    "device_code",
    "otp",
    "pin",
    "sig",
    "user_code",
];
/// Parts of such names: of OAuth2 and OpenID Connect, of SAML, of signed URLs, of keys and
/// passwords. Hiding too much is better than too little.
const PARTS: &[&str] = &[
    "assertion",
    "authoriz",
    "credential",
    "hmac",
    "jwt",
    "key",
    "oauth",
    "passphrase",
    "passw",
    "pwd",
    "saml",
    "secret",
    "session",
    "signature",
    "ticket",
    "token",
];
/// Where parameters end: at `;` too, as some back ends read queries, and at those of URLs in them.
const ENDS: &[u8] = b"&;?#";
/// Takes the place of a value.
const HIDDEN: &[u8] = b"***";

/// The parameters with hidden values: those that by their name carry a credential, and those in
/// which any version has accepted an API key since the start.
#[derive(Debug, Default)]
pub(super) struct Secrets(HashSet<String>);

impl Secrets {
    /// Adds parameters.
    pub(super) fn extend(&mut self, names: impl IntoIterator<Item = String>) {
        let names = names.into_iter().map(|it| it.to_ascii_lowercase());
        self.0.extend(names);
    }

    /// Appends a query, or what follows the path of a URL, without credentials.
    pub(super) fn push_query(&self, query: &[u8], out: &mut Vec<u8>) {
        for parameter in query.split_inclusive(|byte| ENDS.contains(byte)) {
            let (text, end) = match parameter.split_last() {
                Some((end, text)) if ENDS.contains(end) => (text, &parameter[text.len()..]),
                _ => (parameter, &b""[..]),
            };
            let value = text.iter().position(|byte| *byte == b'=').map(|at| at + 1);
            match value {
                Some(at) if self.has(&text[..at - 1]) => {
                    out.extend_from_slice(&text[..at]);
                    out.extend_from_slice(HIDDEN);
                }
                _ => out.extend_from_slice(text),
            }
            out.extend_from_slice(end);
        }
    }

    fn has(&self, name: &[u8]) -> bool {
        let name = decoded(name).to_ascii_lowercase();
        let name = String::from_utf8_lossy(&name);
        WHOLE.contains(&&*name)
            || PARTS.iter().any(|part| name.contains(part))
            || self.0.contains(&*name)
    }
}

/// Appends a URL without user and password; also without query and fragment, unless `secrets` are
/// known to hide in them.
pub(super) fn push_url(url: &[u8], secrets: Option<&Secrets>, out: &mut Vec<u8>) {
    let end = url.iter().position(|byte| b"?#".contains(byte));
    let (place, rest) = url.split_at(end.unwrap_or(url.len()));
    let authority = place.windows(2).position(|it| it == b"//");
    let (scheme, place) = place.split_at(authority.map_or(0, |at| at + 2));
    let end = place.iter().position(|byte| *byte == b'/');
    let authority = &place[..end.unwrap_or(place.len())];
    let user = authority.iter().rposition(|it| *it == b'@');
    let user = user.filter(|_| !scheme.is_empty());
    out.extend_from_slice(scheme);
    out.extend_from_slice(&place[user.map_or(0, |at| at + 1)..]);
    if let Some(secrets) = secrets {
        secrets.push_query(rest, out);
    }
}

/// Decodes percent-encoding; malformed parts stay.
fn decoded(name: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(name.len());
    let mut rest = name;
    while let Some((&byte, after)) = rest.split_first() {
        let pair = (byte == b'%').then(|| after.first_chunk::<2>()).flatten();
        let number = pair.and_then(|pair| {
            let [high, low] = pair.map(|digit| char::from(digit).to_digit(16));
            Some((high? << 4 | low?) as u8)
        });
        rest = if number.is_some() { &after[2..] } else { after };
        out.push(number.unwrap_or(byte));
    }
    out
}
