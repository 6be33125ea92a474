//! The fields of a head that determine its body's length (RFC 9112, section 6.3) and the fate of
//! its connection (section 9.3).
//!
//! Stricter than the RFC requires: anything that two parsers could read differently is rejected, so
//! that one request's bytes never become another's.

use super::Malformed;
use crate::framing::{Framing, Version};
use crate::head::{Field, Known, RequestHead, ResponseHead, Span};

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

    /// Completes the head of a request with these fields; `authority` is that of its target.
    pub(super) fn complete_request(
        self,
        head: &mut RequestHead,
        authority: Option<&[u8]>,
        bytes: &[u8],
    ) -> Result<(), Malformed> {
        let is_11 = head.version == Version::Http11;
        match (self.host, authority) {
            (Some(host), Some(authority))
                if !authority.eq_ignore_ascii_case(host.of_bytes(bytes)) =>
            {
                return Err(Malformed::Host);
            }
            (None, _) if is_11 => return Err(Malformed::Host),
            _ => {}
        }
        head.framing = self.framing(head.version)?.unwrap_or(Framing::None);
        head.is_persistent = is_11 && !self.closes;
        head.expects_continue = is_11 && self.expects_continue;
        head.takes_trailers = self.takes_trailers;
        head.origin = self.origin;
        head.has_method_override = self.has_method_override;
        head.wants_websocket =
            is_11 && self.upgrades && self.wants_websocket && head.framing == Framing::None;
        Ok(())
    }

    /// Completes the head of a response with these fields.
    pub(super) fn complete_response(
        self,
        head: &mut ResponseHead,
        is_head: bool,
    ) -> Result<(), Malformed> {
        let framing = self.framing(head.version)?;
        let is_bodiless = is_head || matches!(head.status, 100..=199 | 204 | 304);
        head.framing = if is_bodiless {
            Framing::None
        } else {
            framing.unwrap_or(Framing::UntilClose)
        };
        let keeps = head.version == Version::Http11 || self.keeps_alive;
        // An interim response is not the last; a bodiless one that announces a body is doubtful.
        let is_doubtful = match head.status {
            100..=199 => true,
            204 => !matches!(framing, None | Some(Framing::None)),
            _ => head.framing == Framing::UntilClose,
        };
        head.is_persistent = keeps && !self.closes && !is_doubtful;
        Ok(())
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
