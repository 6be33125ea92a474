//! CORS for the portal's pages: they may read the gateway's responses, other pages may not.

use std::time::Duration;

use serde_json::{Value, json};
use tollgate_testkit::{Answer, http, tls};

use crate::house::{House, builder};
use crate::tls::client;

impl House {
    async fn call_of_page(&self, method: &str, origin: &str, more: &[(&str, &str)]) -> Answer {
        let call = (method, "/pets/1.0/pets");
        self.call_of_page_to(call, origin, more).await
    }

    pub(crate) async fn call_of_page_to(
        &self,
        (method, target): (&str, &str),
        origin: &str,
        more: &[(&str, &str)],
    ) -> Answer {
        let fields = [&[("origin", origin)], more].concat();
        let request = http::request(method, target, &fields, b"");
        http::call(self.tollgate.gateway, &request).await.unwrap()
    }

    /// Returns the rows of usage, once `expected` calls are counted.
    pub(crate) async fn usage(&self, expected: u64) -> Vec<Value> {
        let path = "/api/v1/usage?group_by=version,application,status";
        for _ in 0..400 {
            let usage = self.admin.done("GET", path, None).await.unwrap();
            let rows = usage["rows"].as_array().unwrap().clone();
            let calls = rows.iter().map(|row| row["calls"].as_u64().unwrap());
            if calls.sum::<u64>() >= expected {
                return rows;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("{expected} calls are not counted in time");
    }
}

/// Returns the CORS fields of a response.
pub(crate) fn opening(answer: &Answer) -> [Option<&str>; 3] {
    let names = [
        "access-control-allow-origin",
        "access-control-expose-headers",
        "vary",
    ];
    names.map(|name| answer.field(name))
}

#[tokio::test]
async fn only_pages_of_the_portal_may_read_the_gateways_responses() {
    let house = House::new().await;
    let port = house.tollgate.control.port();
    let key = house.consumer.key.clone();
    let pre_flight = [
        ("access-control-request-method", "GET"),
        ("access-control-request-headers", "apikey"),
    ];
    for own in [
        format!("http://127.0.0.1:{port}"),
        format!("http://localhost:{port}"),
    ] {
        let open = [Some(&*own), Some("*"), Some("Origin")];
        let flight = house.call_of_page("OPTIONS", &own, &pre_flight).await;
        assert_eq!((flight.status, opening(&flight)), (204, open));
        assert_eq!(flight.field("access-control-allow-methods"), Some("GET"));
        assert_eq!(flight.field("access-control-allow-headers"), Some("apikey"));
        let served = house.call_of_page("GET", &own, &[("apikey", &key)]).await;
        assert_eq!((served.status, opening(&served)), (200, open));
        let refused = house.call_of_page("GET", &own, &[]).await;
        assert_eq!((refused.status, opening(&refused)), (401, open));
        // Without a requested method it is an ordinary call.
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
        let flight = house.call_of_page("OPTIONS", &other, &pre_flight).await;
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
        status["gateways"][0]["versions"].as_u64() >= Some(1),
        "{status}"
    );
}

#[tokio::test]
async fn pages_of_a_portal_on_https_may_read_the_gateways_responses_on_https() {
    let builder = builder().secured().unwrap();
    let house = House::with(&builder, json!([])).await;
    let (control, gateway) = (house.tollgate.control, house.tollgate.gateway);
    let https = house.tollgate.https.control.unwrap();
    let https_gateway = house.tollgate.https.gateway.unwrap();
    let key = ("apikey", &*house.consumer.key);
    let pre_flight = [
        ("access-control-request-method", "GET"),
        ("access-control-request-headers", "apikey"),
    ];
    let config = client(&builder.data());
    let mut connection = tls::connect(https_gateway, "localhost", &config)
        .await
        .unwrap();
    let closed = [None; 3];
    for (origin, is_own) in [
        (format!("https://127.0.0.1:{}", https.port()), true),
        (format!("https://localhost:{}", https.port()), true),
        // The right port with the wrong scheme.
        (format!("http://localhost:{}", https.port()), false),
        (format!("https://localhost:{}", control.port()), false),
        // The gateway's own origin is not one of the portal's.
        (format!("https://{https_gateway}"), false),
    ] {
        let own = [Some(&*origin), Some("*"), Some("Origin")];
        let (flown, opened) = if is_own { (204, own) } else { (405, closed) };
        let fields = [&[("origin", &*origin)], &pre_flight[..]].concat();
        let flight = http::request("OPTIONS", "/pets/1.0/pets", &fields, b"");
        let flight = connection.exchange(&flight).await.unwrap();
        assert_eq!((flight.status, opening(&flight)), (flown, opened));
        let call = http::request("GET", "/pets/1.0/pets", &[("origin", &origin), key], b"");
        let served = connection.exchange(&call).await.unwrap();
        assert_eq!((served.status, opening(&served)), (200, opened), "{origin}");
    }
    let seen = house.admin.done("GET", "/api/v1/portal", None).await;
    let gateways = json!({
        "http": format!("http://{gateway}"), "https": format!("https://{https_gateway}"),
    });
    assert_eq!(seen.unwrap()["gateways"], gateways);
}

#[tokio::test]
async fn pre_flights_are_recorded_and_neither_authenticated_nor_debited() {
    let once = json!([{ "per": "subscription", "amount": 1, "window": "day" }]);
    let house = House::with(&builder(), once).await;
    let own = format!("http://127.0.0.1:{}", house.tollgate.control.port());
    let key = house.consumer.key.clone();
    let pre_flight = [("access-control-request-method", "DELETE")];
    // Also before a call that will be refused: otherwise the page could not read the reason.
    for target in ["/pets/1.0/pets", "/pets/1.0/none", "/none/1.0"] {
        let call = ("OPTIONS", target);
        let flight = house.call_of_page_to(call, &own, &pre_flight).await;
        assert_eq!((flight.status, opening(&flight)[1]), (204, Some("*")));
    }
    let served = house.call_of_page("GET", &own, &[("apikey", &key)]).await;
    assert_eq!(served.status, 200);
    let block = house.admin.lifecycle(&house.api.version, "blocked");
    block.await.unwrap();
    let flight = house.call_of_page("OPTIONS", &own, &pre_flight).await;
    assert_eq!(flight.status, 204);

    let id = |row: &Value, name: &str| row[name]["id"].as_str().map(str::to_owned);
    let figure = |row: &Value, name: &str| row[name].as_u64().unwrap();
    let rows = house.usage(5).await;
    let rows = rows.iter().map(|row| {
        let (version, application) = (id(row, "version"), id(row, "application"));
        (
            version,
            application,
            figure(row, "status"),
            figure(row, "calls"),
        )
    });
    let mut rows: Vec<_> = rows.collect();
    rows.sort();
    let version = Some(house.api.version);
    let expected = [
        (None, None, 204, 1),
        (version.clone(), None, 204, 3),
        (version, Some(house.consumer.application), 200, 1),
    ];
    assert_eq!(rows, expected);
}
