//! What the portal's pages need of the gateway: they may read its answers, and no other page may.

use serde_json::json;
use tollgate_testkit::{Answer, http};

use crate::house::{House, shared};

impl House {
    async fn call_of_page(&self, method: &str, origin: &str, more: &[(&str, &str)]) -> Answer {
        let fields = [&[("origin", origin)], more].concat();
        let request = http::request(method, "/pets/1.0/pets", &fields, b"");
        http::call(self.tollgate.gateway, &request).await.unwrap()
    }
}

/// What an answer says of who may read it.
fn opening(answer: &Answer) -> [Option<&str>; 3] {
    let names = [
        "access-control-allow-origin",
        "access-control-expose-headers",
        "vary",
    ];
    names.map(|name| answer.field(name))
}

#[tokio::test]
async fn only_pages_of_the_portal_may_read_what_the_gateway_answers() {
    let _machine = shared().await;
    let house = House::new().await;
    let port = house.tollgate.control.port();
    let key = house.consumer.key.clone();
    let asked = [
        ("access-control-request-method", "GET"),
        ("access-control-request-headers", "apikey"),
    ];
    for own in [
        format!("http://127.0.0.1:{port}"),
        format!("http://localhost:{port}"),
    ] {
        let open = [Some(&*own), Some("*"), Some("Origin")];
        let flight = house.call_of_page("OPTIONS", &own, &asked).await;
        assert_eq!((flight.status, opening(&flight)), (204, open));
        assert_eq!(flight.field("access-control-allow-methods"), Some("GET"));
        assert_eq!(flight.field("access-control-allow-headers"), Some("apikey"));
        let served = house.call_of_page("GET", &own, &[("apikey", &key)]).await;
        assert_eq!((served.status, opening(&served)), (200, open));
        let refused = house.call_of_page("GET", &own, &[]).await;
        assert_eq!((refused.status, opening(&refused)), (401, open));
        // Without the method that is asked for it is a call like any other.
        let call = house
            .call_of_page("OPTIONS", &own, &[("apikey", &key)])
            .await;
        assert_eq!((call.status, opening(&call)), (405, open));
    }
    let closed = [None; 3];
    for other in [
        "https://evil.example".to_owned(),
        format!("https://localhost:{port}"),
        format!("http://localhost:{}", port ^ 1),
        "null".to_owned(),
    ] {
        let flight = house.call_of_page("OPTIONS", &other, &asked).await;
        assert_eq!((flight.status, opening(&flight)), (405, closed), "{other}");
        let served = house.call_of_page("GET", &other, &[("apikey", &key)]).await;
        assert_eq!((served.status, opening(&served)), (200, closed), "{other}");
    }
    let seen = house
        .admin
        .done("GET", "/api/v1/portal", None)
        .await
        .unwrap();
    let gateway = format!("http://{}", house.tollgate.gateway);
    assert_eq!(seen["gateways"], json!({ "http": gateway }));
    let status = house
        .admin
        .done("GET", "/api/v1/status", None)
        .await
        .unwrap();
    assert_eq!(status["feed"]["gateways"][0]["is_current"], true);
    assert!(
        status["gateway"]["versions"].as_u64() >= Some(1),
        "{status}"
    );
}
