use tollgate_gateway::Addresses;

use super::portal_origins;

#[test]
fn the_portals_origins_have_the_form_that_browsers_send() {
    let at = |http: &str, https: &str| Addresses {
        http: http.parse().ok(),
        https: https.parse().ok(),
    };
    for (public_url, listeners, expected) in [
        (None, at("", ""), &[][..]),
        (
            None,
            at("127.0.0.1:9000", "10.0.0.1:9443"),
            &[
                "http://127.0.0.1:9000",
                "http://localhost:9000",
                "https://10.0.0.1:9443",
            ],
        ),
        (
            None,
            at("0.0.0.0:80", "[::1]:443"),
            &[
                "http://127.0.0.1",
                "http://[::1]",
                "http://localhost",
                "https://[::1]",
                "https://localhost",
            ],
        ),
        (
            Some("https://Tollgate.Example.com"),
            at("", ""),
            &["https://tollgate.example.com"],
        ),
        (
            Some("https://t.example:443"),
            at("", ""),
            &["https://t.example"],
        ),
        (
            Some("http://t.example:443"),
            at("", ""),
            &["http://t.example:443"],
        ),
        (
            Some("http://localhost:9000"),
            at("127.0.0.1:9000", ""),
            &["http://127.0.0.1:9000", "http://localhost:9000"],
        ),
    ] {
        assert_eq!(
            portal_origins(public_url, listeners),
            expected,
            "{public_url:?} {listeners:?}"
        );
    }
}
