use axum::http::{HeaderMap, HeaderValue, header};
use tollgate_portal::{Content, File};

use super::{PAGES, file_response, wants_page};
use crate::gateways::GatewayPlaces;
use crate::harness::House;

/// The `Accept` header of a browser that opens an address.
const OPENS: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

#[tokio::test]
async fn a_browser_gets_the_page_at_every_address_of_the_portals() {
    let house = House::new().await;
    for path in ["/", "/apis/ver_15RHchUZ1I0", "/no/such/page", "/apiary"] {
        let answer = house.get(path).header("accept", OPENS).await;
        assert_eq!(answer.status, 200, "{path}");
        let is_page = answer.header("content-type") == Some("text/html; charset=utf-8");
        assert!(is_page, "{path}");
        assert_eq!(answer.header("cache-control"), Some("no-store"), "{path}");
    }
    let head = house.call("HEAD", "/").header("accept", OPENS).await;
    assert_eq!((head.status, head.body.as_str()), (200, Some("")));
}

#[tokio::test]
async fn each_page_has_a_nonce_of_its_own_that_its_policy_names() {
    let house = House::new().await;
    let mut nonces = Vec::new();
    for _ in 0..2 {
        let page = house.get("/").header("accept", OPENS).await;
        let policy = page.header("content-security-policy").unwrap();
        let (_, rest) = policy.split_once("'nonce-").unwrap();
        let (nonce, _) = rest.split_once('\'').unwrap();
        let text = page.body.as_str().unwrap();
        assert!(text.contains(&format!("nonce=\"{nonce}\"")), "{text}");
        for part in [
            "default-src 'none'",
            "script-src 'self';",
            "trusted-types 'none'",
        ] {
            assert!(policy.contains(part), "{policy}");
        }
        nonces.push(nonce.to_owned());
    }
    assert_ne!(nonces[0], nonces[1]);
}

#[tokio::test]
async fn paths_without_a_page_return_a_problem() {
    let house = House::new().await;
    for path in [
        "/api",
        "/api/v1/nothing",
        "/api/v2",
        "/oauth2/nothing",
        "/assets/gone.js",
        "/.well-known/nothing",
    ] {
        let answer = house.get(path).header("accept", OPENS).await;
        assert_eq!(answer.problem(), (404, "route.unknown"), "{path}");
    }
    let program = house.get("/").header("accept", "application/json").await;
    assert_eq!(program.problem(), (404, "route.unknown"));
    let either = house.get("/").header("accept", "application/json, */*");
    assert_eq!(either.await.problem(), (404, "route.unknown"));
    for path in ["/no/such/page", "/v1/apis", "/apiary", "/assets/gone.js"] {
        let anything = house.get(path).header("accept", "*/*").await;
        assert_eq!(anything.problem(), (404, "route.unknown"), "{path}");
    }
    let posted = house.call("POST", "/").header("accept", OPENS).await;
    assert_eq!(posted.problem(), (404, "route.unknown"));
}

#[tokio::test]
async fn a_client_that_accepts_anything_gets_the_page_where_there_is_one() {
    let house = House::new().await;
    for path in ["/", "/sign-in", "/apis/ver_15RHchUZ1I0", "/admin/users"] {
        let unnamed = house.get(path).await;
        let anything = house.get(path).header("accept", "*/*").await;
        for answer in [unnamed, anything] {
            assert_eq!(answer.status, 200, "{path}");
            let is_page = answer.header("content-type") == Some("text/html; charset=utf-8");
            assert!(is_page, "{path}");
        }
    }
}

#[test]
fn the_first_segments_of_pages_are_those_of_the_portals() {
    let routes = include_str!("../../../../portal/src/routes.tsx");
    let paths = routes.split("  path: \"/").skip(1);
    let firsts = paths.map(|rest| rest.split(['/', '"']).next().unwrap());
    let firsts: std::collections::BTreeSet<_> = firsts.collect();
    assert_eq!(firsts.into_iter().collect::<Vec<_>>(), PAGES);
}

#[test]
fn a_weight_of_zero_does_not_accept() {
    let wants = |accept: &'static str| {
        let accept = HeaderValue::from_static(accept);
        wants_page(&HeaderMap::from_iter([(header::ACCEPT, accept)]))
    };
    assert!(wants("application/json, TEXT/html;q=0.1"));
    assert!(!wants("text/html;q=0, */*"));
    assert!(!wants("text/html; q=0.0"));
    assert!(!wants("application/json"));
}

#[tokio::test]
async fn the_page_may_connect_to_the_origins_of_gateways() {
    let house = House::reached_at(GatewayPlaces {
        public_url: Some("https://api.example.com/behind".to_owned()),
        ..GatewayPlaces::default()
    });
    let house = house.await;
    let page = house.get("/").header("accept", OPENS).await;
    let policy = page.header("content-security-policy").unwrap();
    assert!(
        policy.contains("connect-src 'self' https://api.example.com;"),
        "{policy}"
    );
}

/// `WORDS` compressed by gzip.
const GZIP: &[u8] = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03K\xad(\xc8/*QH\xce\xcf+.Q(\xcf/J)V\
    \xb0U0\xb4\xe6\x02\x00\x05\xe8q\xf3\x18\x00\x00\x00";
const WORDS: &[u8] = b"export const words = 1;\n";

#[tokio::test]
async fn a_file_is_served_in_the_smallest_accepted_coding() {
    let file = File {
        path: "assets/words.js",
        content: Content::Compressed {
            gzip: GZIP,
            brotli: Some(b"by Brotli"),
        },
    };
    for (accepted, coding, bytes) in [
        ("gzip, deflate, br, zstd", Some("br"), &b"by Brotli"[..]),
        ("gzip, deflate", Some("gzip"), GZIP),
        ("br;q=0, gzip", Some("gzip"), GZIP),
        ("identity", None, WORDS),
    ] {
        let accept = HeaderValue::from_static(accepted);
        let headers = HeaderMap::from_iter([(header::ACCEPT_ENCODING, accept)]);
        let answer = file_response(&file, &headers).unwrap();
        let given = answer.headers().get(header::CONTENT_ENCODING);
        assert_eq!(given.map(HeaderValue::as_bytes), coding.map(str::as_bytes));
        assert_eq!(answer.headers()[header::VARY], "Accept-Encoding");
        let body = axum::body::to_bytes(answer.into_body(), 1024)
            .await
            .unwrap();
        assert_eq!(body, bytes, "{accepted}");
    }
}
