use std::net::SocketAddr;

use tollgate_model::scheme::UriScheme;

use super::{Asked, GatewayPlaces};

fn listening(http: Option<&str>, https: Option<&str>) -> GatewayPlaces {
    let address = |text: &str| text.parse::<SocketAddr>().unwrap();
    GatewayPlaces {
        public_url: None,
        http: http.map(address),
        https: https.map(address),
    }
}

fn with_public_url(url: &str) -> GatewayPlaces {
    GatewayPlaces {
        public_url: Some(url.to_owned()),
        ..listening(Some("127.0.0.1:8080"), Some("127.0.0.1:8443"))
    }
}

#[test]
fn gateway_urls_are_those_that_callers_use() {
    let everywhere = listening(Some("0.0.0.0:8080"), Some("[::]:443"));
    for (places, host, http, https) in [
        (listening(None, None), "localhost", None, None),
        (
            listening(Some("127.0.0.1:8080"), Some("[::1]:8443")),
            "localhost",
            Some("http://127.0.0.1:8080"),
            Some("https://[::1]:8443"),
        ),
        (
            everywhere.clone(),
            "tollgate.example.com",
            Some("http://tollgate.example.com:8080"),
            Some("https://tollgate.example.com"),
        ),
        (
            everywhere,
            "[fd00::1]",
            Some("http://[fd00::1]:8080"),
            Some("https://[fd00::1]"),
        ),
        (
            with_public_url("https://api.example.com/gate"),
            "localhost",
            None,
            Some("https://api.example.com/gate"),
        ),
        (
            with_public_url("http://api.example.com"),
            "localhost",
            Some("http://api.example.com"),
            None,
        ),
    ] {
        for scheme in [UriScheme::Http, UriScheme::Https] {
            let host = host.to_owned();
            let asked = Asked { host, scheme };
            let urls = places.urls(&asked);
            assert_eq!(urls.http.as_deref(), http, "{places:?}");
            assert_eq!(urls.https.as_deref(), https, "{places:?}");
            let own = match scheme {
                UriScheme::Http => http.or(https),
                UriScheme::Https => https.or(http),
            };
            assert_eq!(places.url(&asked).as_deref(), own, "{places:?}");
        }
    }
}
