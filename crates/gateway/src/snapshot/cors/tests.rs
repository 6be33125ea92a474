use tollgate_model::api::Method;

use super::*;

fn served() -> ServedCors {
    ServedCors {
        origins: Some(vec![
            "http://localhost:3000".to_owned(),
            "https://good.example".to_owned(),
        ]),
        portal: true,
        methods: vec![Method::Get, Method::Put],
        headers: vec!["apikey".to_owned(), "authorization".to_owned()],
        expose: vec!["X-Own".to_owned()],
        credentials: false,
        max_age_s: 60,
    }
}

fn lines(cors: &Cors, origin: Option<&str>) -> String {
    let sharing = cors.sharing(origin.map(str::as_bytes));
    String::from_utf8(sharing.lines.to_vec()).unwrap()
}

#[test]
fn only_listed_origins_are_allowed_and_all_responses_vary() {
    let cors = Cors::new(&served());
    for stranger in [
        None,
        Some("null"),
        Some("https://good.example.evil.test"),
        Some("https://evil-good.example"),
        Some("https://GOOD.example"),
        Some("HTTPS://good.example"),
        Some("https://good.example:8443"),
        Some("http://good.example"),
        Some("https://good.example/"),
        Some("https://good.exampl"),
        Some("*"),
        Some(""),
    ] {
        assert_eq!(lines(&cors, stranger), "vary: Origin\r\n", "{stranger:?}");
        let sharing = cors.sharing(stranger.map(str::as_bytes));
        assert!(sharing.preflight.is_none(), "{stranger:?}");
    }
    let allowed = lines(&cors, Some("https://good.example"));
    assert_eq!(
        allowed,
        "access-control-allow-origin: https://good.example\r\n\
         access-control-expose-headers: RateLimit, RateLimit-Policy, Retry-After, X-Request-Id, \
         WWW-Authenticate, Allow, ETag, Deprecation, Sunset, Link, X-RateLimit-Limit, \
         X-RateLimit-Remaining, X-RateLimit-Reset, X-Own\r\n\
         vary: Origin\r\n"
    );
    let sharing = cors.sharing(Some(b"http://localhost:3000"));
    let preflight = sharing.preflight.as_ref().unwrap();
    assert_eq!(
        String::from_utf8_lossy(&preflight.lines),
        "access-control-allow-headers: apikey, authorization\r\naccess-control-max-age: 60\r\n"
    );
    assert_eq!(preflight.methods, 0b0000_1001);
}

#[test]
fn credentials_are_allowed_to_listed_origins() {
    let cors = Cors::new(&ServedCors {
        credentials: true,
        ..served()
    });
    let allowed = lines(&cors, Some("https://good.example"));
    assert!(allowed.contains("access-control-allow-credentials: true\r\n"));
    assert!(!lines(&cors, Some("null")).contains("credentials"));
}

#[test]
fn a_response_for_all_origins_does_not_vary() {
    let cors = Cors::new(&ServedCors {
        origins: None,
        ..served()
    });
    for origin in [None, Some("null"), Some("https://any.example")] {
        let lines = lines(&cors, origin);
        assert!(lines.starts_with("access-control-allow-origin: *\r\n"));
        assert!(!lines.contains("vary"));
        let sharing = cors.sharing(origin.map(str::as_bytes));
        assert!(sharing.preflight.is_some());
    }
}
