use super::*;

#[test]
fn an_address_has_host_port_authority_and_base_path() {
    let rows = [
        ("http://a", ("a", 80, "a", "")),
        ("https://a", ("a", 443, "a", "")),
        ("http://a:81/", ("a", 81, "a:81", "")),
        (
            "http://127.0.0.1:9/base/",
            ("127.0.0.1", 9, "127.0.0.1:9", "/base"),
        ),
        ("http://[::1]:9/x", ("::1", 9, "[::1]:9", "/x")),
    ];
    for (url, (host, port, authority, base_path)) in rows {
        let target = Target::at(url);
        assert_eq!(
            target.address(),
            Ok(Address {
                scheme: UriScheme::split(url).unwrap().0,
                host,
                port,
                authority,
                base_path
            }),
            "{url}"
        );
    }
}

#[test]
fn an_invalid_upstream_is_refused() {
    let wrong = [
        "",
        "a",
        "ftp://a",
        "httpss://a",
        "https:/a",
        "http://",
        "http://:80",
        "http://a:0",
        "http://a:70000",
        "http://a:+80",
        "http://u@a",
        "http://a/?q",
        "http://a/#f",
        "http://a/%2e%2e/b",
        "http://a b/",
        "http://[::1",
        "http://a\r\nHost: b/",
    ];
    for url in wrong {
        assert!(Target::at(url).address().is_err(), "{url}");
    }
    let upstream = Upstream {
        connect_timeout_ms: 0,
        ..Upstream::at("http://a")
    };
    assert_eq!(upstream.faults()[0].code, "upstream.timeout");
}
