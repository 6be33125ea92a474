use std::net::Ipv4Addr;
use std::time::Duration;

use tollgate_fetch::UpstreamRules;
use tollgate_http1::head::RequestHead;
use tollgate_http1::parse::{self, Bounds};

use super::*;

const BOUNDS: Bounds = Bounds {
    head_bytes_max: 8_192,
    fields_max: 9,
    target_bytes_max: 4_096,
};

/// Settings with bounds of one and time limits of a second.
pub(crate) fn settings(trusted: &str) -> Arc<Settings> {
    let time = Duration::from_secs(1);
    Arc::new(Settings {
        http: None,
        https: None,
        public_url: None,
        portal_origins: Vec::new(),
        tokens: None,
        redirect_port: None,
        health_path: None,
        trusted_proxies: trusted.parse().unwrap(),
        workers: 1,
        head_bytes_max: BOUNDS.head_bytes_max,
        fields_max: BOUNDS.fields_max,
        target_bytes_max: BOUNDS.target_bytes_max,
        body_bytes_max: 0,
        buffered_bytes_max: 0,
        cache_bytes_max: 0,
        x_ratelimit_headers: false,
        connections_max: 1,
        connections_per_address_max: 0,
        requests_per_connection_max: 1,
        handshake_timeout: time,
        header_timeout: time,
        body_idle_timeout: time,
        keep_alive_timeout: time,
        pool_wait_timeout: time,
        exchange_timeout: time,
        transfer_timeout: None,
        transfer_bytes_per_second_min: 0,
        transfer_window: time,
        upstream_rules: UpstreamRules::default(),
        records_max: 1,
        texts: None,
    })
}

const ARRIVAL: Arrival = Arrival {
    scheme: UriScheme::Http,
    address: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8080),
};

/// The caller's address, and the lines for the upstream.
fn seen(trusted: &str, peer: &str, fields: &str) -> (String, String) {
    let bytes = format!("GET / HTTP/1.1\r\nhost: a\r\n{fields}\r\n");
    let mut head = RequestHead::default();
    parse::request(bytes.as_bytes(), BOUNDS, &mut head).unwrap();
    let peer = Peer::new(peer.parse().unwrap(), ARRIVAL, &settings(trusted));
    let mut out = Vec::new();
    let head = Request::new(&head, bytes.as_bytes());
    peer.push_forwarding(head, &mut out);
    let caller = peer.caller(head);
    (caller.to_string(), String::from_utf8(out).unwrap())
}

#[test]
fn the_record_and_the_upstream_name_the_same_caller() {
    let fields = "X-Forwarded-For: 6.6.6.6, 192.0.2.7\r\nX-Forwarded-Proto: http, HTTPS\r\n";
    let lines = |chain: &str, scheme: &str| {
        format!("x-forwarded-for: {chain}\r\nx-forwarded-proto: {scheme}\r\nvia: 1.1 tollgate\r\n")
    };
    let (caller, forwarded) = seen("10.0.0.0/8", "::ffff:10.0.0.1", fields);
    assert_eq!(caller, "192.0.2.7");
    assert_eq!(forwarded, lines("192.0.2.7, 10.0.0.1", "https"));
    let (caller, forwarded) = seen("10.0.0.0/8", "192.0.2.1", fields);
    assert_eq!(caller, "192.0.2.1");
    assert_eq!(forwarded, lines("192.0.2.1", "http"));
    let odd = "X-Forwarded-Proto: javascript\r\n";
    let (caller, forwarded) = seen("10.0.0.0/8", "10.0.0.1", odd);
    assert_eq!(caller, "10.0.0.1");
    assert_eq!(forwarded, lines("10.0.0.1", "http"));
}

#[test]
fn a_contract_names_the_requested_url() {
    let requested = |trusted: &str, arrival: Arrival, fields: &str| {
        let bytes = format!("GET / HTTP/1.1\r\nhost: api.example:1\r\n{fields}\r\n");
        let mut head = RequestHead::default();
        parse::request(bytes.as_bytes(), BOUNDS, &mut head).unwrap();
        let peer = Peer::new([10, 0, 0, 1].into(), arrival, &settings(trusted));
        peer.requested_url(Request::new(&head, bytes.as_bytes()))
    };
    let secure = Arrival {
        scheme: UriScheme::Https,
        ..ARRIVAL
    };
    let all = Arrival {
        address: ([0, 0, 0, 0], 443).into(),
        ..secure
    };
    let forwarded = "x-forwarded-proto: https\r\n";
    assert_eq!(requested("", ARRIVAL, forwarded), "http://127.0.0.1:8080");
    assert_eq!(requested("", secure, ""), "https://127.0.0.1:8080");
    assert_eq!(requested("", all, ""), "https://api.example:1");
    assert_eq!(
        requested("10.0.0.0/8", ARRIVAL, forwarded),
        "https://api.example:1"
    );
    assert_eq!(requested("10.0.0.0/8", ARRIVAL, ""), "http://api.example:1");
}
