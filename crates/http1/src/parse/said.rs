//! What the fields of a head say of its body's length (RFC 9112, section 6.3) and of its connection
//! (section 9.3).
//!
//! Stricter than the RFC allows recipients to be: what two parsers could read differently is
//! refused, so that one request's bytes never become another's.

use super::Malformed;
use crate::framing::{Framing, Version};
use crate::head::{Field, Known, Span};

/// Options that `Connection` may name in one head: each is compared with every field.
const OPTIONS_MAX: u32 = 32;

/// What the fields of a head say of its framing and its connection.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Said {
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

impl Said {
    /// Takes one field into account.
    pub(super) fn hear(&mut self, field: Field, bytes: &[u8]) -> Result<(), Malformed> {
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

    /// The one framing that the fields allow, `None` where they name none.
    ///
    /// Both kinds at once, or a coding in HTTP/1.0, are how requests are smuggled: refused.
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

/// The members of a comma-separated list, empty ones left out (RFC 9110, section 5.6.1).
pub(super) fn options(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    value
        .split(|&byte| byte == b',')
        .map(<[u8]>::trim_ascii)
        .filter(|option| !option.is_empty())
}

/// 1 to 18 digits and nothing else: no sign, no list, no white space.
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

/// `uri-host [ ":" port ]` by its characters (RFC 9112, section 3.2); empty is allowed there.
pub(super) fn is_host(value: &[u8]) -> bool {
    value.len() <= 255
        && value
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=%:[]".contains(byte))
}
