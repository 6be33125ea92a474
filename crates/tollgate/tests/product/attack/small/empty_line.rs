//! One empty line before a request is accepted (RFC 9112, section 2.2), no more than that.

use std::time::Duration;

use tollgate_testkit::{http, wire};

use crate::house::House;

/// Longer than any timeout here, so that only a closed connection ends a row.
const QUIET: Duration = Duration::from_secs(8);

#[tokio::test]
async fn one_empty_line_before_a_request_is_accepted_and_anything_else_is_not() {
    let house = House::new().await;
    let key = [("apikey", house.consumer.key.as_str())];
    let post = http::request("POST", "/pets/1.0/pets", &key, b"hello");
    let close = [key[0], ("Connection", "close")];
    let last = http::request("GET", "/pets/1.0/pets", &close, b"");
    for (between, statuses) in [
        ("\r\n", &[200, 200, 200][..]),
        ("\r\n\r\n", &[200, 400]),
        ("\n", &[200, 400]),
        ("\r\n\n", &[200, 400]),
        ("\r", &[200, 400]),
    ] {
        house.upstream.forget();
        let between = between.as_bytes();
        let bytes = [&post, between, &post, between, &last].concat();
        let reply = wire::send(house.tollgate.gateway, &bytes, QUIET).await;
        let reply = reply.unwrap();
        assert_eq!(reply.statuses(), statuses, "{}", between.escape_ascii());
        assert!(reply.closed, "{}", between.escape_ascii());
        let served = statuses.iter().filter(|&&status| status == 200).count();
        assert_eq!(house.upstream.requests(), served as u64);
    }
}
