//! HTTP header fields that a configuration may name.

/// Returns whether callers may send a value of their own in this header, such as a key: a token
/// (RFC 9110, section 5.6.2) that neither frames nor routes the message, nor is written by proxies
/// or gateways.
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
    is_token(name)
        && !TAKEN.iter().any(|taken| taken.eq_ignore_ascii_case(name))
        && !name.to_ascii_lowercase().starts_with("x-forwarded-")
}

/// Returns whether gateways may send a secret in this header: one that is free, neither describes
/// the message nor makes it conditional, and is not copied into logs or responses by other
/// programs.
pub(crate) fn is_secret_header(name: &str) -> bool {
    const TAKEN: [&str; 8] = [
        "from",
        "origin",
        "proxy-connection",
        "range",
        "referer",
        "soapaction",
        "tracestate",
        "user-agent",
    ];
    const BEGINS: [&str; 4] = ["accept", "access-control-", "content-", "if-"];
    let lower = name.to_ascii_lowercase();
    is_free_header(name)
        && !TAKEN.contains(&&*lower)
        && !BEGINS.iter().any(|begin| lower.starts_with(begin))
}

/// Returns whether steps of policies may set this header: a token that neither frames nor routes
/// the message, nor is written by proxies or gateways.
#[must_use]
pub fn is_step_header(name: &str) -> bool {
    const FREE: [&str; 3] = ["content-type", "date", "traceparent"];
    const TAKEN: [&str; 2] = ["content-encoding", "proxy-connection"];
    let lower = name.to_ascii_lowercase();
    // Servers that turn fields into variables (RFC 3875, section 4.1.18) do not distinguish them.
    let is_identity = lower.replace(['_', '.'], "-").starts_with("x-tollgate-");
    let is_free = FREE.contains(&&*lower) || is_free_header(name);
    is_free && !is_identity && !TAKEN.contains(&&*lower)
}

/// Returns whether this is a token of up to 64 bytes (RFC 9110, section 5.6.2).
#[must_use]
pub fn is_token(name: &str) -> bool {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !name.is_empty() && name.len() <= 64 && name.bytes().all(is_token)
}
