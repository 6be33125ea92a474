//! Forwarding of field lines: from a request to the upstream, from a response to the caller (RFC
//! 9110, section 7.6). Gateways forward by these rules, and dry runs show their effect. What steps
//! of policies hide is decided by their edits.

use tollgate_model::path::MethodOverride;

/// The prefix of fields with the caller's identity.
const IDENTITY: &[u8] = b"x-tollgate-";

/// The class of a header field. Gateways classify fields while they parse them; a test of crate
/// `gateway` compares the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldClass {
    /// Frames the message, belongs to one connection, or is written by proxies.
    Hop,
    /// Contains cookies.
    Cookie,
    /// Contains the origin of a page.
    Origin,
    /// Contains limits of the gateway.
    RateLimit,
    /// Contains a method that some back ends use instead of the request's.
    MethodOverride,
    /// Any other field.
    Other,
}

impl FieldClass {
    /// Classifies a field name, ignoring case.
    #[must_use]
    pub fn of(name: &str) -> Self {
        const HOP: [&str; 16] = [
            "te",
            "host",
            "expect",
            "upgrade",
            "trailer",
            "forwarded",
            "x-real-ip",
            "connection",
            "keep-alive",
            "x-request-id",
            "content-length",
            "http2-settings",
            "proxy-connection",
            "transfer-encoding",
            "proxy-authenticate",
            "proxy-authorization",
        ];
        const OVERRIDES: [&[u8]; 3] = [
            b"x-http-method",
            b"x-method-override",
            b"x-http-method-override",
        ];
        match &*name.to_ascii_lowercase() {
            "cookie" => Self::Cookie,
            "origin" => Self::Origin,
            "ratelimit" | "ratelimit-policy" => Self::RateLimit,
            name if HOP.contains(&name) => Self::Hop,
            name if name.len() > 12 && name.starts_with("x-forwarded-") => Self::Hop,
            name if OVERRIDES
                .iter()
                .any(|it| is_same_variable(name.as_bytes(), it)) =>
            {
                Self::MethodOverride
            }
            _ => Self::Other,
        }
    }
}

/// What forwarding a field line of a request depends on.
#[derive(Debug, Clone, Copy)]
pub struct RequestField<'f> {
    /// Its name as sent.
    pub name: &'f [u8],
    /// The class of the name.
    pub class: FieldClass,
    /// Whether `Connection` lists it (RFC 9110, section 7.6.1).
    pub is_named_hop: bool,
    /// Whether it carries the caller's credential.
    pub is_credential: bool,
    /// Whether it holds a session of the portals, in a cookie.
    pub has_session: bool,
}

/// Whether a field line of a request is forwarded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Forwarded {
    /// As it is.
    Whole,
    /// Without the session that it holds.
    WithoutSession,
    /// Not at all.
    Not,
}

/// The fields of callers that an operation forwards.
#[derive(Clone, Copy)]
pub enum Fields<'f> {
    /// All that do not end at the gateway.
    All,
    /// Those of the trace only (W3C Trace Context), for a SOAP service.
    Trace,
    /// Those that are listed and those of the trace, for a response that may be stored.
    Listed(&'f dyn Fn(&[u8]) -> bool),
}

/// The rules for a request.
#[derive(Clone, Copy)]
pub struct RequestRules<'r> {
    /// Which of the caller's fields.
    pub fields: Fields<'r>,
    /// Whether the gateway decides about CORS, and has checked the origin.
    pub decides_cors: bool,
    /// Whether fields that name another method are forwarded.
    pub overrides: MethodOverride,
    /// The name of the field with the gateway's own credential.
    pub presented: Option<&'r [u8]>,
}

impl RequestRules<'_> {
    /// Decides about a field line. Not forwarded are the caller's credential, a session of the
    /// portals, a method override that the back end may honor, an origin that the gateway has
    /// checked, and whatever the upstream could take for an identity or a credential of the
    /// gateway's.
    #[expect(
        clippy::inline_always,
        reason = "a call would put the five fields of a line into memory: 80 instructions of a GET"
    )]
    #[inline(always)]
    #[must_use]
    pub fn judge(&self, line: RequestField<'_>) -> Forwarded {
        let (name, class) = (line.name, line.class);
        let passes = match (self.fields, class) {
            _ if line.is_named_hop => false,
            // Everything else that is sent is part of the response's key.
            (Fields::Listed(is_listed), _) => {
                let is_listed = is_listed(name) && !name.eq_ignore_ascii_case(b"via");
                (is_listed || is_trace(name)) && !name.eq_ignore_ascii_case(b"x-request-id")
            }
            (_, FieldClass::Hop) => false,
            _ if line.is_credential || self.could_be_ours(name) => false,
            (Fields::Trace, class) => class == FieldClass::Other && is_trace(name),
            (Fields::All, FieldClass::Origin) => !self.decides_cors,
            (Fields::All, FieldClass::MethodOverride) => self.overrides == MethodOverride::Pass,
            (Fields::All, FieldClass::Cookie) if line.has_session => {
                return Forwarded::WithoutSession;
            }
            (Fields::All, _) => true,
        };
        match passes {
            true => Forwarded::Whole,
            false => Forwarded::Not,
        }
    }

    /// Whether the upstream could take a field for an identity or a credential that gateways write.
    #[inline]
    fn could_be_ours(&self, name: &[u8]) -> bool {
        // Decides about almost every name.
        let begins_alike = name.first().map(u8::to_ascii_lowercase) == IDENTITY.first().copied();
        let identity = name.get(..IDENTITY.len()).filter(|_| begins_alike);
        identity.is_some_and(|begin| is_same_variable(begin, IDENTITY))
            || self.presented.is_some_and(|it| is_same_variable(name, it))
    }
}

/// Whether a field line of an upstream's response is forwarded to the caller.
#[inline]
pub fn forwards_response_field(
    name: &[u8],
    class: FieldClass,
    is_named_hop: bool,
    decides_cors: bool,
    sets_session: impl FnOnce() -> bool,
) -> bool {
    const CORS: &[u8] = b"access-control-";
    let is_passed = !matches!(class, FieldClass::Hop | FieldClass::RateLimit) && !is_named_hop;
    is_passed && !(decides_cors && begins_with(name, CORS)) && !sets_session()
}

/// Whether a field belongs to the trace (W3C Trace Context).
fn is_trace(name: &[u8]) -> bool {
    name.eq_ignore_ascii_case(b"traceparent") || name.eq_ignore_ascii_case(b"tracestate")
}

fn begins_with(name: &[u8], prefix: &[u8]) -> bool {
    name.get(..prefix.len())
        .is_some_and(|begin| begin.eq_ignore_ascii_case(prefix))
}

/// Whether two names are one to servers that turn fields into variables (RFC 3875, section
/// 4.1.18): they do not distinguish `-`, `_` and `.`.
#[must_use]
pub fn is_same_variable(one: &[u8], other: &[u8]) -> bool {
    let plain = |byte: u8| match byte.to_ascii_lowercase() {
        letter if letter.is_ascii_alphanumeric() => letter,
        _ => b'-',
    };
    one.len() == other.len()
        && one
            .iter()
            .zip(other)
            .all(|(&one, &other)| plain(one) == plain(other))
}

#[cfg(test)]
mod tests;
