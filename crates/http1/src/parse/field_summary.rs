//! The fields of a head that determine its body's length (RFC 9112, section 6.3) and the fate of
//! its connection (section 9.3).
//!
//! Stricter than the RFC requires: anything that two parsers could read differently is rejected, so
//! that one request's bytes never become another's.

use super::Malformed;
use crate::framing::{Framing, Version};
use crate::head::{Field, Known, Span};

/// Maximum options of `Connection` in one head: each is compared with every field.
const OPTIONS_MAX: u32 = 32;

/// The framing and connection fields of a head.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct FieldSummary {
    pub(super) length: Option<u64>,
    pub(super) is_chunked: bool,
    pub(super) closes: bool,
    pub(super) keeps_alive: bool,
    pub(super) options: u32,
    pub(super) host: Option<Span>,
    pub(super) expects_continue: bool,
    pub(super) takes_trailers: bool,
    pub(super) upgrades: bool,
    pub(super) wants_websocket: bool,
    pub(super) origin: Option<Span>,
    pub(super) origins: u32,
    pub(super) has_method_override: bool,
}

impl FieldSummary {
    /// Adds one field.
    pub(super) fn add_field(&mut self, field: Field, bytes: &[u8]) -> Result<(), Malformed> {
        let value = field.value.of_bytes(bytes);
        match field.known {
            Known::Host => {
                if self.host.is_some() || !is_host(value) {
                    return Err(Malformed::Host);
                }
                self.host = Some(field.value);
            }
            Known::ContentLength => {
                if self.length.is_some() {
                    return Err(Malformed::ContentLength);
                }
                self.length = Some(content_length(value).ok_or(Malformed::ContentLength)?);
            }
            Known::TransferEncoding => {
                if self.is_chunked || !value.eq_ignore_ascii_case(b"chunked") {
                    return Err(Malformed::TransferEncoding);
                }
                self.is_chunked = true;
            }
            Known::Connection => {
                for option in options(value) {
                    self.options += 1;
                    if self.options > OPTIONS_MAX {
                        return Err(Malformed::Field);
                    }
                    self.upgrades |= option.eq_ignore_ascii_case(b"upgrade");
                    self.closes |= option.eq_ignore_ascii_case(b"close");
                    self.keeps_alive |= option.eq_ignore_ascii_case(b"keep-alive");
                }
            }
            Known::Expect => {
                if !value.eq_ignore_ascii_case(b"100-continue") {
                    return Err(Malformed::Expect);
                }
                self.expects_continue = true;
            }
            Known::Te => {
                self.takes_trailers |=
                    options(value).any(|option| option.eq_ignore_ascii_case(b"trailers"));
            }
            Known::Upgrade => {
                self.wants_websocket |=
                    options(value).any(|option| option.eq_ignore_ascii_case(b"websocket"));
            }
            Known::Origin => {
                self.origins += 1;
                self.origin = (self.origins == 1).then_some(field.value);
            }
            Known::MethodOverride => self.has_method_override = true,
            Known::Other | Known::Cookie | Known::HopByHop | Known::Proxy | Known::RateLimit => {}
        }
        Ok(())
    }

    /// The framing according to the fields; `None` without any.
    ///
    /// Both kinds at once, or a coding in HTTP/1.0, enable request smuggling and are rejected.
    pub(super) fn framing(self, version: Version) -> Result<Option<Framing>, Malformed> {
        match (self.is_chunked, self.length) {
            (true, Some(_)) => Err(Malformed::BothFramings),
            (true, None) if version == Version::Http10 => Err(Malformed::TransferEncoding),
            (true, None) => Ok(Some(Framing::Chunked)),
            (false, Some(0)) => Ok(Some(Framing::None)),
            (false, Some(length)) => Ok(Some(Framing::Length(length))),
            (false, None) => Ok(None),
        }
    }
}

/// The members of a comma-separated list, without empty ones (RFC 9110, section 5.6.1).
pub(super) fn options(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    value
        .split(|&byte| byte == b',')
        .map(<[u8]>::trim_ascii)
        .filter(|option| !option.is_empty())
}

/// Parses 1 to 18 digits and nothing else: no sign, no list, no white space.
fn content_length(value: &[u8]) -> Option<u64> {
    if !(1..=18).contains(&value.len()) || !value.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(
        value
            .iter()
            .fold(0, |length, digit| length * 10 + u64::from(digit - b'0')),
    )
}

/// Checks the characters of `uri-host [ ":" port ]` (RFC 9112, section 3.2); empty is allowed
/// there.
pub(super) fn is_host(value: &[u8]) -> bool {
    value.len() <= 255 && value.iter().all(|byte| IS_OF_HOST[usize::from(*byte)])
}

/// Whether each byte may occur in a host.
static IS_OF_HOST: [bool; 256] = {
    const OTHERS: &[u8] = b"-._~!$&'()*+,;=%:[]";
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < table.len() {
        table[byte] = (byte as u8).is_ascii_alphanumeric();
        byte += 1;
    }
    let mut at = 0;
    while at < OTHERS.len() {
        table[OTHERS[at] as usize] = true;
        at += 1;
    }
    table
};
