//! Validation of the addresses and origins that may use a credential.

use tollgate_fetch::Networks;
use tollgate_model::credential::Allowed;
use tollgate_model::fault::Fault;

/// Maximum number of addresses, and of origins, per credential.
const ENTRIES_MAX: usize = 20;
/// Maximum length of an origin in bytes: a host has up to 253, scheme and port a few more.
const ORIGIN_BYTES_MAX: usize = 300;

/// Returns all faults.
pub(crate) fn faults(allowed: &Allowed) -> Vec<Fault> {
    let Allowed { addresses, origins } = allowed;
    let mut faults = Vec::new();
    for (field, entries) in [("addresses", addresses), ("origins", origins)] {
        if entries.len() > ENTRIES_MAX {
            let detail = format!("at most {ENTRIES_MAX} {field}");
            let field = format!("/allowed/{field}");
            faults.push(Fault::new(field, "credential.allowed", detail));
        }
    }
    for (index, address) in addresses.iter().enumerate().take(ENTRIES_MAX) {
        if !is_network(address) {
            let detail = "an address is such as 192.0.2.7 or 2001:db8::7, or a network such as \
                192.0.2.0/24";
            let field = format!("/allowed/addresses/{index}");
            faults.push(Fault::new(field, "credential.address", detail));
        }
    }
    for (index, origin) in origins.iter().enumerate().take(ENTRIES_MAX) {
        if let Some(detail) = origin_fault(origin) {
            let field = format!("/allowed/origins/{index}");
            faults.push(Fault::new(field, "credential.origin", detail));
        }
    }
    faults
}

/// Returns whether this is one address or network. `Networks` would accept several, and spaces.
fn is_network(text: &str) -> bool {
    let is_one = !text.is_empty() && !text.contains(|it: char| it == ',' || it.is_whitespace());
    is_one && text.parse::<Networks>().is_ok()
}

/// Returns the fault of an origin, which has the form that browsers send (RFC 6454, section 6.2).
fn origin_fault(origin: &str) -> Option<&'static str> {
    const FORM: &str = "an origin is a scheme, \"://\", a host in lower case and a port where it \
        is not the scheme's own, without a path: https://shop.example";
    let Some((scheme, authority)) = origin.split_once("://") else {
        return Some(FORM);
    };
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
        _ => (authority, None),
    };
    let is_good = origin.len() <= ORIGIN_BYTES_MAX
        && is_scheme(scheme)
        && is_host(host)
        && port.is_none_or(is_port);
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
