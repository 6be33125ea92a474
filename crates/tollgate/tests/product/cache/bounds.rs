//! Responses at the bounds of what is stored, and those that break the rules of HTTP.

use serde_json::json;
use tollgate_testkit::{Behaviour, upstream};

use crate::house::House;

impl House {
    /// Sets the upstream's response, byte for byte.
    fn sends(&self, message: &str) {
        let message = Behaviour::Answer(message.as_bytes().into());
        self.upstream.behave(message);
    }
}

#[tokio::test]
async fn a_long_vary_is_read_to_its_end() {
    let house = House::new().await;
    house
        .cache(json!({ "ttl_s": 600, "pass": ["x-passed"] }))
        .await;
    let names = |last: &str| {
        let names = (0..99).map(|index| format!("X-Name-{index}, "));
        names.chain([last.to_owned()]).collect::<String>()
    };
    for (last, calls) in [("X-Other", 1), ("X-Passed", 2), ("*", 2)] {
        let vary = names(last);
        let lines = vary.replace(", ", "\r\nVary: ");
        for (form, value) in [("list", vary), ("lines", lines)] {
            house.answers(&format!("Vary: {value}\r\n"), "hello");
            house.upstream.forget();
            let target = format!("/pets/{}-{form}", last.trim_matches('*'));
            for _ in 0..2 {
                assert_eq!(house.get(&target, &[]).await.text(), "hello");
            }
            assert_eq!(house.upstream.requests(), calls, "{last} in {form}");
        }
    }
}

#[tokio::test]
async fn tags_of_8_kib_are_stored_with_their_response_and_longer_ones_never() {
    let house = House::new().await;
    house.cache(json!({ "ttl_s": 600 })).await;
    let tags = |bytes: usize| {
        let last = ",last";
        let tags = "0123456789abcde,".repeat(bytes / 16);
        format!("{}{last}", &tags[..bytes - last.len()])
    };
    let purge = format!("/api/v1/versions/{}/cache/purge", house.api.version);
    let one = format!("Cache-Tag: {}\r\n", tags(8 * 1024));
    let two = format!("Cache-Tag: {}\r\nCache-Tag: {}\r\n", tags(4096), tags(4096));
    let long = format!("Cache-Tag: {}\r\n", tags(9 * 1024));
    let split = format!(
        "Cache-Tag: {}\r\nCache-Tag: {}\r\n",
        tags(8 * 1024),
        tags(16)
    );
    for (row, (fields, is_stored)) in [(one, true), (two, true), (long, false), (split, false)]
        .into_iter()
        .enumerate()
    {
        house.answers(&fields, "before");
        house.upstream.forget();
        let target = format!("/pets/{row}");
        for _ in 0..2 {
            assert_eq!(house.get(&target, &[]).await.text(), "before");
        }
        let calls = if is_stored { 1 } else { 2 };
        assert_eq!(house.upstream.requests(), calls, "{row}");
        house.answers("", "after");
        let selector = json!({ "tags": ["last"] });
        house
            .admin
            .done("POST", &purge, Some(&selector))
            .await
            .unwrap();
        assert_eq!(house.get(&target, &[]).await.text(), "after", "{row}");
    }
}

#[tokio::test]
async fn a_body_longer_than_its_length_ends_there() {
    let house = House::new().await;
    house.cache(json!({ "ttl_s": 600 })).await;
    let smuggled = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil";
    for (row, more) in [" and more", smuggled].into_iter().enumerate() {
        house.sends(&format!(
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello{more}"
        ));
        house.upstream.forget();
        let target = format!("/pets/{row}");
        for _ in 0..3 {
            let answer = house.get(&target, &[]).await;
            assert_eq!((answer.status, answer.text()), (200, "hello".to_owned()));
        }
        assert_eq!(house.upstream.requests(), 1);
        // The rest is not the response to another call.
        house.answers("", "other");
        let other = format!("/pets/other-{row}");
        assert_eq!(house.get(&other, &[]).await.text(), "other");
    }
}

#[tokio::test]
async fn a_304_that_nobody_asked_for_is_the_upstreams_fault() {
    let house = House::new().await;
    house
        .cache(json!({ "show_status": true, "stale_if_error_s": 600 }))
        .await;
    let unchanged = "HTTP/1.1 304 Not Modified\r\nETag: \"v1\"\r\n\r\n";
    house.sends(unchanged);
    // The condition of a call does not go up, so the 304 is no response to it.
    for fields in [&[][..], &[("if-none-match", "\"v1\"")]] {
        let answer = house.get("/pets", fields).await;
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (502, "upstream.not_understood"),
            "{fields:?}"
        );
    }
    assert_eq!(house.upstream.requests(), 2);
    // It does if the call goes by the cache.
    let fields = [("if-none-match", "\"v1\""), ("cookie", "a=b")];
    let answer = house.get("/pets", &fields).await;
    assert_eq!((answer.status, answer.field("etag")), (304, Some("\"v1\"")));
    // A response without a validator cannot be confirmed; it is sent as if the upstream failed.
    house.answers("Cache-Control: max-age=1\r\nAge: 1\r\n", "kept");
    assert_eq!(house.get("/pets/1", &[]).await.text(), "kept");
    house.sends(unchanged);
    let answer = house.get("/pets/1", &[]).await;
    assert_eq!((answer.status, answer.text()), (200, "kept".to_owned()));
    let detail = answer.field("cache-status").unwrap();
    assert!(detail.contains("upstream failed"), "{detail}");
    // One with a validator can be, by a 304 without any field too.
    house.answers("Cache-Control: no-cache\r\nETag: \"v1\"\r\n", "known");
    assert_eq!(house.get("/pets/2", &[]).await.text(), "known");
    house.sends("HTTP/1.1 304 Not Modified\r\n\r\n");
    assert_eq!(house.get("/pets/2", &[]).await.text(), "known");
}

#[tokio::test]
async fn a_condition_that_a_step_sets_may_be_answered_by_304() {
    let house = House::new().await;
    let value = "{{ request.headers[\"x-known\"] }}";
    let step = json!({ "policy": "set_header", "name": "if-none-match", "value": value });
    house
        .redeploy(json!({ "policies": { "cache": { "ttl_s": 600 }, "request": [step] } }))
        .await;
    house.sends("HTTP/1.1 304 Not Modified\r\nETag: \"v1\"\r\n\r\n");
    for calls in [1, 2] {
        let answer = house.get("/pets", &[("x-known", "\"v1\"")]).await;
        assert_eq!(answer.status, 304, "{}", answer.text());
        assert_eq!(house.upstream.requests(), calls);
    }
    // What the caller knows is part of the key.
    house
        .upstream
        .behave(Behaviour::Answer(upstream::answer(b"new", "")));
    let answer = house.get("/pets", &[("x-known", "\"v0\"")]).await;
    assert_eq!((answer.status, answer.text()), (200, "new".to_owned()));
}
