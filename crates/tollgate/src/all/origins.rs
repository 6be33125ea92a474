//! The origins of the portal's pages (RFC 6454), derived from the addresses of the control plane.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use tollgate_control::hosts;
use tollgate_gateway::Addresses;
use tollgate_model::scheme::UriScheme;

/// Returns the origin of the public URL, if any, and those of the listeners, in the form that
/// browsers send. A loopback listener is also reached as `localhost`. For a listener on all
/// addresses, only those of the loopback interface are known; others need the public URL.
pub(super) fn portal_origins(public_url: Option<&str>, control: Addresses) -> Vec<String> {
    let public = public_url.and_then(origin_of_url);
    let listeners = [
        (UriScheme::Http, control.http),
        (UriScheme::Https, control.https),
    ];
    let listeners = listeners.into_iter().flat_map(|(scheme, address)| {
        let hosts = address.map_or_else(Vec::new, |address| hosts_of(address.ip()));
        let port = address.map_or(0, |address: SocketAddr| address.port());
        let origins = hosts.into_iter();
        origins.map(move |host| origin(scheme, &host, port))
    });
    let mut origins: Vec<_> = public.into_iter().chain(listeners).collect();
    origins.sort();
    origins.dedup();
    origins
}

fn origin_of_url(url: &str) -> Option<String> {
    let uri = hosts::public(url)?;
    let scheme = match uri.scheme_str()? {
        "https" => UriScheme::Https,
        _ => UriScheme::Http,
    };
    let port = uri.port_u16().unwrap_or(scheme.default_port());
    Some(origin(scheme, uri.host()?, port))
}

fn origin(scheme: UriScheme, host: &str, port: u16) -> String {
    let (word, host) = (scheme.word(), host.to_ascii_lowercase());
    match port == scheme.default_port() {
        true => format!("{word}://{host}"),
        false => format!("{word}://{host}:{port}"),
    }
}

/// Returns the hosts under which a listener on this address is reached.
fn hosts_of(address: IpAddr) -> Vec<String> {
    let local = || "localhost".to_owned();
    let loopback = [
        IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(Ipv6Addr::LOCALHOST),
    ];
    match address {
        address if address.is_unspecified() => {
            let addresses = loopback.into_iter().map(host);
            addresses.chain([local()]).collect()
        }
        address if address.is_loopback() => vec![host(address), local()],
        address => vec![host(address)],
    }
}

fn host(address: IpAddr) -> String {
    match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("[{address}]"),
    }
}

#[cfg(test)]
mod tests;
