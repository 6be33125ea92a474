//! Header fields of HTTP that a configuration may name.

/// Whether callers may send something of theirs in this header, such as a key: a token (RFC 9110,
/// section 5.6.2) that neither frames nor routes the message, nor is what proxies or gateways
/// write.
pub(crate) fn is_free_header(name: &str) -> bool {
    const TAKEN: [&str; 22] = [
        "host",
        "connection",
        "content-length",
        "content-type",
        "transfer-encoding",
        "te",
        "trailer",
        "upgrade",
        "expect",
        "keep-alive",
        "via",
        "forwarded",
        "x-request-id",
        "traceparent",
        "date",
        "cookie",
        "x-real-ip",
        "ratelimit",
        "ratelimit-policy",
        "http2-settings",
        "proxy-authenticate",
        "proxy-authorization",
    ];
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !name.is_empty()
        && name.len() <= 64
        && name.bytes().all(is_token)
        && !TAKEN.iter().any(|taken| taken.eq_ignore_ascii_case(name))
        && !name.to_ascii_lowercase().starts_with("x-forwarded-")
}
