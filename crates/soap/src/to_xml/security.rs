//! Our credentials for the back end: a UsernameToken of Web Services Security ([SOAP Message
//! Security 1.1.1][1], [Username Token Profile 1.1.1][2]).
//!
//! [1]: http://docs.oasis-open.org/wss-m/wss/v1.1.1/os/wss-SOAPMessageSecurity-v1.1.1-os.html
//! [2]: http://docs.oasis-open.org/wss-m/wss/v1.1.1/os/wss-UsernameTokenProfile-v1.1.1-os.html

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha1::{Digest, Sha1};

use tollgate_xml::escape::push_text;

/// A name and a password that are sent with each request.
#[derive(Clone)]
pub struct UsernameToken {
    /// The user name.
    pub name: Box<str>,
    /// The password.
    pub password: Box<str>,
    /// Whether a digest of the password is sent, with a nonce and a time, instead of the password.
    pub is_digest: bool,
}

impl fmt::Debug for UsernameToken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("UsernameToken")
            .field("name", &self.name)
            .field("is_digest", &self.is_digest)
            .finish_non_exhaustive()
    }
}

/// The inputs that make a digest unique.
#[derive(Debug, Clone, Copy, Default)]
pub struct Moment {
    /// Seconds since 1970-01-01T00:00:00Z.
    pub unix_seconds: u64,
    /// Random octets.
    pub nonce: [u8; 16],
}

const PROFILE: &str =
    "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-username-token-profile-1.0";
const SECURITY: &str =
    "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd";
const UTILITY: &str =
    "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd";
const MESSAGE: &str =
    "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-soap-message-security-1.0";

/// Appends the header block.
pub(super) fn push_security(token: &UsernameToken, moment: Moment, out: &mut Vec<u8>) {
    let mut push = |text: &str| out.extend_from_slice(text.as_bytes());
    push("<wsse:Security xmlns:wsse=\"");
    push(SECURITY);
    push("\" soap:mustUnderstand=\"1\"><wsse:UsernameToken><wsse:Username>");
    push_plain(out, &token.name);
    let mut push = |text: &str| out.extend_from_slice(text.as_bytes());
    push("</wsse:Username><wsse:Password Type=\"");
    push(PROFILE);
    if token.is_digest {
        let created = created(moment.unix_seconds);
        let digest = Sha1::new()
            .chain_update(moment.nonce)
            .chain_update(&created)
            .chain_update(token.password.as_bytes())
            .finalize();
        push("#PasswordDigest\">");
        push_base64(out, &digest);
        let mut push = |text: &str| out.extend_from_slice(text.as_bytes());
        push("</wsse:Password><wsse:Nonce EncodingType=\"");
        push(MESSAGE);
        push("#Base64Binary\">");
        push_base64(out, &moment.nonce);
        let mut push = |text: &str| out.extend_from_slice(text.as_bytes());
        push("</wsse:Nonce><wsu:Created xmlns:wsu=\"");
        push(UTILITY);
        push("\">");
        push(&created);
        push("</wsu:Created>");
    } else {
        push("#PasswordText\">");
        push_plain(out, &token.password);
        out.extend_from_slice(b"</wsse:Password>");
    }
    out.extend_from_slice(b"</wsse:UsernameToken></wsse:Security>");
}

/// Appends text of a configuration, without control characters, which are never intended there.
fn push_plain(out: &mut Vec<u8>, text: &str) {
    let length = out.len();
    if push_text(out, text).is_err() {
        out.truncate(length);
        let clean: String = text
            .chars()
            .filter(|character| !character.is_control())
            .collect();
        // U+FFFE and U+FFFF may still be there; then the name is empty, and rejected.
        if push_text(out, &clean).is_err() {
            out.truncate(length);
        }
    }
}

/// Formats a time as `2026-01-31T12:00:00Z`.
fn created(unix_seconds: u64) -> String {
    let (days, seconds) = (unix_seconds / 86_400, unix_seconds % 86_400);
    // Howard Hinnant's `civil_from_days`, for days since 1970.
    let shifted = days + 719_468;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 {
        shifted_month + 3
    } else {
        shifted_month - 9
    };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

fn push_base64(out: &mut Vec<u8>, octets: &[u8]) {
    out.extend_from_slice(STANDARD.encode(octets).as_bytes());
}
