use super::*;

#[test]
fn a_host_gets_a_url_with_the_other_port() {
    for (host, port, expected) in [
        ("a.example", 443, "https://a.example"),
        ("a.example:8080", 8443, "https://a.example:8443"),
        ("[::1]:8080", 8443, "https://[::1]:8443"),
        ("[::1]", 443, "https://[::1]"),
    ] {
        assert_eq!(UriScheme::https_url(host, port).as_deref(), Some(expected));
    }
    for host in ["", ":80", "a/b", "u@a"] {
        assert_eq!(UriScheme::https_url(host, 443), None, "{host}");
    }
}

#[test]
fn the_scheme_of_the_last_proxy_is_used() {
    for (value, expected) in [
        ("https", Some(UriScheme::Https)),
        ("https, http", Some(UriScheme::Http)),
        ("http,  HTTPS ", Some(UriScheme::Https)),
        ("https,", None),
        ("wss", None),
        ("", None),
    ] {
        assert_eq!(UriScheme::told_last(value.as_bytes()), expected, "{value}");
    }
}
