//! Origins of web pages, in the form that browsers send them (RFC 6454, section 6.2).

/// Maximum length of an origin in bytes: a host has up to 253, scheme and port a few more.
const BYTES_MAX: usize = 300;

/// Returns the fault of an origin that browsers would write otherwise, if any.
#[must_use]
pub fn form_fault(origin: &str) -> Option<&'static str> {
    const FORM: &str = "an origin is a scheme, \"://\", a host in lower case and a port where it \
        is not the scheme's own, without a path: https://shop.example";
    let Some((scheme, authority)) = origin.split_once("://") else {
        return Some(FORM);
    };
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
        _ => (authority, None),
    };
    let is_good =
        origin.len() <= BYTES_MAX && is_scheme(scheme) && is_host(host) && port.is_none_or(is_port);
    if !is_good {
        return Some(FORM);
    }
    let is_default = matches!(
        (scheme, port),
        ("http", Some("80")) | ("https", Some("443"))
    );
    is_default.then_some("browsers leave the scheme's own port out: write the origin without it")
}

/// Returns whether this is a scheme (RFC 3986, section 3.1) in lower case.
fn is_scheme(text: &str) -> bool {
    let is_plain = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'+' | b'-' | b'.');
    text.starts_with(|first: char| first.is_ascii_lowercase()) && text.bytes().all(is_plain)
}

/// Returns whether this is a host name or an address in the form that browsers send.
fn is_host(text: &str) -> bool {
    let is_plain = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_');
    let address = text.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
    match address {
        Some(address) => {
            let parsed = address.parse::<std::net::Ipv6Addr>();
            parsed.is_ok_and(|it| it.to_string() == address)
        }
        None => !text.is_empty() && text.bytes().all(is_plain),
    }
}

/// Returns whether this is a port in the form that browsers send.
fn is_port(text: &str) -> bool {
    text.parse::<u16>()
        .is_ok_and(|port| port > 0 && port.to_string() == text)
}

#[cfg(test)]
mod tests;
