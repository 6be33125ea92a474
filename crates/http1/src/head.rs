//! Message heads as spans of the buffer that they arrived in: nothing is copied or owned.
//!
//! `parse` fills them, `framing` describes the body's length, `compose` copies them on.

use crate::framing::{Framing, Version};

/// A range of the buffer that a head was parsed from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The span of `part` in `whole`, of which it must be a slice.
    pub(crate) fn within(part: &[u8], whole: &[u8]) -> Self {
        let start = part.as_ptr() as usize - whole.as_ptr() as usize;
        debug_assert!(start + part.len() <= whole.len(), "a slice of the buffer");
        Self::new(start, start + part.len())
    }

    pub(crate) fn new(start: usize, end: usize) -> Self {
        let narrow = |at: usize| u32::try_from(at).expect("heads are bounded far below 4 GiB");
        Self {
            start: narrow(start),
            end: narrow(end),
        }
    }

    /// The bytes of this span.
    #[must_use]
    pub fn of_bytes(self, bytes: &[u8]) -> &[u8] {
        &bytes[self.start as usize..self.end as usize]
    }
}

/// Fields that the engine or a proxy must handle, classified once while parsing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Known {
    /// Any other field: forwarded.
    Other,
    /// `Host` (RFC 9110, section 7.2).
    Host,
    /// `Connection` (RFC 9110, section 7.6.1).
    Connection,
    /// `Content-Length` (RFC 9112, section 6.2).
    ContentLength,
    /// `Transfer-Encoding` (RFC 9112, section 6.1).
    TransferEncoding,
    /// `Expect` (RFC 9110, section 10.1.1).
    Expect,
    /// `Cookie` (RFC 6265, section 5.4): forwarded, except for a proxy's own cookies.
    Cookie,
    /// `Origin` (RFC 6454, section 7): forwarded.
    Origin,
    /// `Upgrade` (RFC 9110, section 7.8).
    Upgrade,
    /// `TE` (RFC 9110, section 10.1.4).
    Te,
    /// Other hop-by-hop fields: `Keep-Alive`, `Proxy-Connection`, `Trailer`, `HTTP2-Settings`,
    /// `Proxy-Authenticate`, `Proxy-Authorization`.
    HopByHop,
    /// Fields written by proxies: `Forwarded`, `X-Forwarded-*`, `X-Real-IP`, `X-Request-Id`.
    Proxy,
    /// Limit fields that this gateway sends to callers: `RateLimit`, `RateLimit-Policy`.
    RateLimit,
    /// Fields that some back ends read the method from instead of the request line:
    /// `X-HTTP-Method-Override`, `X-HTTP-Method`, `X-Method-Override`.
    MethodOverride,
}

impl Known {
    /// Classifies a field name, ignoring case.
    #[must_use]
    pub fn of(name: &[u8]) -> Self {
        let is = |word: &[u8]| name.eq_ignore_ascii_case(word);
        match (name.len(), name.first().map(u8::to_ascii_lowercase)) {
            (2, Some(b't')) if is(b"te") => Self::Te,
            (4, Some(b'h')) if is(b"host") => Self::Host,
            (6, Some(b'c')) if is(b"cookie") => Self::Cookie,
            (6, Some(b'e')) if is(b"expect") => Self::Expect,
            (6, Some(b'o')) if is(b"origin") => Self::Origin,
            (7, Some(b'u')) if is(b"upgrade") => Self::Upgrade,
            (7, Some(b't')) if is(b"trailer") => Self::HopByHop,
            (9, Some(b'f')) if is(b"forwarded") => Self::Proxy,
            (9, Some(b'x')) if is(b"x-real-ip") => Self::Proxy,
            (9, Some(b'r')) if is(b"ratelimit") => Self::RateLimit,
            (10, Some(b'c')) if is(b"connection") => Self::Connection,
            (10, Some(b'k')) if is(b"keep-alive") => Self::HopByHop,
            (12, Some(b'x')) if is(b"x-request-id") => Self::Proxy,
            (14, Some(b'c')) if is(b"content-length") => Self::ContentLength,
            (14, Some(b'h')) if is(b"http2-settings") => Self::HopByHop,
            (13 | 17 | 22, Some(b'x')) if is_method_override(name) => Self::MethodOverride,
            (13.., Some(b'x')) if name[..12].eq_ignore_ascii_case(b"x-forwarded-") => Self::Proxy,
            (16, Some(b'p')) if is(b"proxy-connection") => Self::HopByHop,
            (16, Some(b'r')) if is(b"ratelimit-policy") => Self::RateLimit,
            (17, Some(b't')) if is(b"transfer-encoding") => Self::TransferEncoding,
            (18, Some(b'p')) if is(b"proxy-authenticate") => Self::HopByHop,
            (19, Some(b'p')) if is(b"proxy-authorization") => Self::HopByHop,
            _ => Self::Other,
        }
    }

    /// Whether the field concerns this connection only and is never forwarded as is.
    #[must_use]
    pub const fn ends_here(self) -> bool {
        !matches!(
            self,
            Self::Other
                | Self::Cookie
                | Self::Origin
                | Self::Proxy
                | Self::RateLimit
                | Self::MethodOverride
        )
    }
}

/// Whether back ends may read the method from a field with this name. Some of them get names as CGI
/// does, which does not distinguish `-` from other punctuation (RFC 3875, section 4.1.18).
fn is_method_override(name: &[u8]) -> bool {
    let names: [&[u8]; 3] = [
        b"x-http-method",
        b"x-method-override",
        b"x-http-method-override",
    ];
    let plain = |byte: &u8| match byte {
        byte if byte.is_ascii_alphanumeric() => byte.to_ascii_lowercase(),
        _ => b'-',
    };
    names
        .iter()
        .any(|it| name.iter().map(plain).eq(it.iter().copied()))
}

/// One field line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// The name, as sent.
    pub name: Span,
    /// The value, without the white space around it.
    pub value: Span,
    /// The whole line with its line end.
    pub line: Span,
    /// The kind of field.
    pub known: Known,
    /// Whether `Connection` names it, so that it is not forwarded either.
    pub is_named_hop: bool,
}

/// The field lines of a request or response head.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fields {
    /// The field lines, in order.
    pub lines: Vec<Field>,
    /// Bytes of the whole head, including its empty line.
    pub head_bytes: usize,
}

impl Fields {
    /// The first field of this kind, if any.
    #[must_use]
    pub fn first(&self, known: Known) -> Option<&Field> {
        self.lines.iter().find(|field| field.known == known)
    }
}

/// A request's head.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RequestHead {
    /// Field lines and size.
    pub fields: Fields,
    /// The method's token.
    pub method: Span,
    /// Path and query: origin-form, or what follows the authority in absolute-form. Empty for
    /// absolute-form without a path.
    pub target: Span,
    /// The version of the request line.
    pub version: Version,
    /// The length of the body.
    pub framing: Framing,
    /// Whether the connection may carry another request.
    pub is_persistent: bool,
    /// Whether the request has `Expect: 100-continue`.
    pub expects_continue: bool,
    /// Whether the client accepts trailer fields (`TE: trailers`).
    pub takes_trailers: bool,
    /// Whether the request asks for an upgrade to WebSocket.
    pub wants_websocket: bool,
    /// The `Origin`, if there is exactly one.
    pub origin: Option<Span>,
    /// Whether a field overrides the method for some back ends ([`Known::MethodOverride`]).
    pub has_method_override: bool,
}

/// A response's head.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResponseHead {
    /// Field lines and size.
    pub fields: Fields,
    /// The three digits.
    pub status: u16,
    /// The reason phrase.
    pub reason: Span,
    /// The version of the status line.
    pub version: Version,
    /// The length of the body, given the request's method.
    pub framing: Framing,
    /// Whether the connection may carry another request.
    pub is_persistent: bool,
}
