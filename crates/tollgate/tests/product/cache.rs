//! The cache of responses: what is stored, who shares it, what goes up, and when it ends.

mod bounds;
mod failures;
mod flights;
mod head;
mod load;
mod soap;
mod suite;
mod try_it;

use std::collections::HashSet;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::task::{JoinHandle, JoinSet};
use tollgate_testkit::control::Consumer;
use tollgate_testkit::{Answer, Behaviour, http, upstream};

use crate::house::{House, builder};

impl House {
    /// Deploys this cache for all operations.
    async fn cache(&self, cache: Value) {
        self.redeploy(json!({ "policies": { "cache": cache } }))
            .await;
        self.upstream.forget();
    }

    /// Creates a second consumer.
    async fn other(&self) -> Consumer {
        let made = self.admin.consumer("other", &self.api.version, "tested");
        made.await.unwrap()
    }

    /// Calls with the consumer's key and these fields.
    async fn get(&self, target: &str, fields: &[(&str, &str)]) -> Answer {
        self.ask(("GET", target), fields, b"").await
    }

    async fn ask(
        &self,
        (method, target): (&str, &str),
        fields: &[(&str, &str)],
        body: &[u8],
    ) -> Answer {
        let key = ("apikey", self.consumer.key.as_str());
        let fields = [&[key], fields].concat();
        let target = format!("/pets/1.0{target}");
        let request = http::request(method, &target, &fields, body);
        let is_head = method == "HEAD";
        let mut connection = http::Connection::open(self.tollgate.gateway).await.unwrap();
        connection.send(&request).await.unwrap();
        connection.answer(is_head).await.unwrap()
    }

    /// Waits until the upstream has received this many requests.
    async fn await_requests(&self, count: u64) {
        let begun = Instant::now();
        while self.upstream.requests() < count {
            assert!(begun.elapsed() < Duration::from_secs(30), "no call {count}");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Calls on a connection of its own, independently of the test.
    fn start(&self, target: &str) -> JoinHandle<Answer> {
        let target = format!("/pets/1.0{target}");
        let request = crate::house::get(&target, &self.consumer.key);
        let gateway = self.tollgate.gateway;
        tokio::spawn(async move { http::call(gateway, &request).await.unwrap() })
    }

    /// Sets the upstream's response: its fields and its body.
    fn answers(&self, fields: &str, body: &str) {
        let answer = upstream::answer(body.as_bytes(), fields);
        self.upstream.behave(Behaviour::Answer(answer));
    }
}

/// Returns the parts of `Cache-Status` of a response.
fn status(answer: &Answer) -> &str {
    answer.field("cache-status").unwrap_or("none")
}

#[tokio::test]
async fn what_the_upstream_allows_is_stored_and_nothing_else() {
    let house = House::new().await;
    house
        .cache(json!({ "show_status": true, "negative_s": { "404": 60 } }))
        .await;
    let fresh = "Cache-Control: max-age=60\r\n";
    let rows: &[(&str, bool)] = &[
        (fresh, true),
        ("Cache-Control: s-maxage=60, max-age=0\r\n", true),
        ("Expires: Thu, 31 Dec 2099 23:59:59 GMT\r\n", true),
        ("", false),
        ("Cache-Control: max-age=0\r\n", false),
        ("Cache-Control: max-age=60, no-store\r\n", false),
        ("Cache-Control: max-age=60, private\r\n", false),
        ("Cache-Control: max-age=60, max-age=5x\r\n", false),
        ("Cache-Control: max-age=60\r\nSet-Cookie: a=b\r\n", false),
        ("Cache-Control: max-age=60\r\nVary: *\r\n", false),
        (
            "Cache-Control: max-age=60\r\nVary: Cookie, X-Other\r\n",
            true,
        ),
        ("Cache-Control: max-age=60\r\nVary: traceparent\r\n", false),
        (
            "Cache-Control: max-age=60\r\nContent-Range: bytes 0-1/2\r\n",
            false,
        ),
        (
            "Cache-Control: max-age=60\r\nContent-Type: text/event-stream\r\n",
            false,
        ),
        ("Cache-Control: max-age=60\r\nAge: 60\r\n", false),
        ("Cache-Control: max-age=60\r\nAge: 7\r\n", true),
    ];
    for (index, (fields, is_stored)) in rows.iter().enumerate() {
        let target = format!("/pets/{index}");
        house.answers(fields, "hello");
        for _ in 0..2 {
            let answer = house.get(&target, &[]).await;
            assert_eq!((answer.status, answer.text()), (200, "hello".to_owned()));
        }
        let calls = if *is_stored { 1 } else { 2 };
        assert_eq!(house.upstream.requests(), calls, "{fields:?}");
        house.upstream.forget();
    }
    // Other statuses: only those that the rules name.
    for (status_line, is_stored) in [("404 Not Found", true), ("403 Forbidden", false)] {
        let head = format!("HTTP/1.1 {status_line}\r\nContent-Length: 2\r\n\r\nno");
        house
            .upstream
            .behave(Behaviour::Answer(head.into_bytes().into()));
        let target = format!("/pets/{}", &status_line[..3]);
        for _ in 0..2 {
            house.get(&target, &[]).await;
        }
        let calls = if is_stored { 1 } else { 2 };
        assert_eq!(house.upstream.requests(), calls, "{status_line}");
        house.upstream.forget();
    }
}

#[tokio::test]
async fn a_hit_is_the_stored_response_with_its_age_and_the_callers_own_lines() {
    let house = House::new().await;
    house
        .cache(json!({ "show_status": true, "ttl_s": 600 }))
        .await;
    house.answers(
        "Age: 7\r\nX-Own: a\r\nX-Own: b\r\nETag: \"v1\"\r\n",
        "hello",
    );
    let miss = house.get("/pets", &[]).await;
    assert_eq!(status(&miss), "tollgate; fwd=miss; stored");
    let hit = house.get("/pets", &[]).await;
    assert!(
        status(&hit).starts_with("tollgate; hit; ttl=59"),
        "{}",
        status(&hit)
    );
    assert_eq!(hit.text(), "hello");
    let age: u32 = hit.field("age").unwrap().parse().unwrap();
    assert!((7..60).contains(&age), "{age}");
    let own = hit
        .fields
        .iter()
        .filter(|(name, _)| name.eq_ignore_ascii_case("x-own"));
    assert_eq!(own.count(), 2);
    assert_ne!(hit.field("x-request-id"), miss.field("x-request-id"));
    assert_eq!(hit.field("content-length"), Some("5"));

    let head = house.ask(("HEAD", "/pets"), &[], b"").await;
    assert_eq!(head.status, 405, "the version has no HEAD operation");
    let same = house
        .get("/pets", &[("if-none-match", "\"v0\", W/\"v1\"")])
        .await;
    assert_eq!((same.status, same.body.len()), (304, 0));
    assert_eq!(same.field("etag"), Some("\"v1\""));
    assert_eq!(same.field("x-own"), None);
    let other = house.get("/pets", &[("if-none-match", "\"v2\"")]).await;
    assert_eq!(other.status, 200);
    assert_eq!(house.upstream.requests(), 1);
}

#[tokio::test]
async fn each_hit_has_the_lines_of_its_own_call_and_is_charged() {
    let limits = json!([{ "per": "subscription", "amount": 3, "window": "day" }]);
    let house = House::with(&builder(), limits).await;
    let origins = ["https://one.example", "https://two.example"];
    house
        .redeploy(json!({ "policies": {
            "cors": { "origins": origins },
            "cache": { "ttl_s": 600, "show_status": true },
        } }))
        .await;
    house.answers("Access-Control-Allow-Origin: *\r\n", "hello");
    let own = |answer: &Answer| {
        let field = |name| answer.field(name).unwrap_or_default().to_owned();
        assert_eq!(answer.text(), "hello");
        (
            field("access-control-allow-origin"),
            field("ratelimit").split(';').nth(1).unwrap().to_owned(),
            field("deprecation").is_empty(),
        )
    };
    let mut ids = HashSet::new();
    for (origin, left) in origins.into_iter().zip(["r=2", "r=1"]) {
        let answer = house.get("/pets", &[("origin", origin)]).await;
        assert_eq!(own(&answer), (origin.to_owned(), left.to_owned(), true));
        ids.insert(answer.field("x-request-id").unwrap().to_owned());
    }
    let deprecated = house.admin.lifecycle(&house.api.version, "deprecated");
    deprecated.await.unwrap();
    let answer = house.get("/pets", &[]).await;
    assert_eq!(own(&answer), (String::new(), "r=0".to_owned(), false));
    ids.insert(answer.field("x-request-id").unwrap().to_owned());
    assert_eq!((house.upstream.requests(), ids.len()), (1, 3));
    assert_eq!(house.get("/pets", &[]).await.status, 429);
}

#[tokio::test]
async fn the_upstream_gets_only_what_is_keyed() {
    let house = House::new().await;
    house
        .cache(json!({ "ttl_s": 600, "pass": ["X-Correlation-Id"], "query": ["q", "a b"] }))
        .await;
    let fields = [
        ("accept", "text/plain"),
        ("accept", "text/html"),
        ("accept-encoding", "br;q=0, gzip, deflate"),
        ("user-agent", "test"),
        ("x-forwarded-host", "evil"),
        ("x-correlation-id", "c1"),
        ("traceparent", "00-1-2-01"),
        ("x-other", "other"),
        ("if-none-match", "\"v\""),
        ("te", "trailers"),
        ("content-length", "0"),
    ];
    let target = "/pets?utm=1&q=1&%71=2;x=3&a+b=%31&Q=4&q[]=5";
    let answer = house.get(target, &fields).await;
    assert_eq!(answer.status, 200);
    let sent = String::from_utf8(house.upstream.received().concat()).unwrap();
    let mut lines: Vec<_> = sent.trim_end().split("\r\n").collect();
    assert_eq!(lines.remove(0), "GET /pets?q=1&%71=2;x=3&a+b=%31 HTTP/1.1");
    lines.retain(|line| !line.starts_with("x-request-id: ") && !line.starts_with("host: "));
    lines.sort_unstable();
    let expected = [
        "accept-encoding: gzip",
        "accept: text/html",
        "accept: text/plain",
        "traceparent: 00-1-2-01",
        "via: 1.1 tollgate",
        "x-correlation-id: c1",
    ];
    assert_eq!(lines, expected);
    // What is not keyed changes nothing; what is, does.
    house
        .get("/pets?utm=2&q=1&%71=2;x=3&a+b=%31", &fields[..3])
        .await;
    assert_eq!(house.upstream.requests(), 1);
    house.get(target, &fields[1..]).await;
    house.get("/pets?q=1&q=2;x=3&a+b=%31", &fields[..3]).await;
    house.get(target, &fields[..2]).await;
    assert_eq!(house.upstream.requests(), 4);
}

#[tokio::test]
async fn calls_that_want_something_else_go_by_the_cache() {
    let house = House::new().await;
    house
        .cache(json!({ "ttl_s": 600, "show_status": true }))
        .await;
    house.get("/pets", &[]).await;
    let rows: &[(&str, &str)] = &[
        ("range", "bytes=0-1"),
        ("cookie", "a=b"),
        ("authorization", "Digest x"),
        ("if-match", "\"a\""),
        ("if-unmodified-since", "Thu, 31 Dec 2099 23:59:59 GMT"),
        ("origin", "https://other.example"),
    ];
    for (index, field) in rows.iter().enumerate() {
        let answer = house.get("/pets", &[*field]).await;
        assert_eq!(status(&answer), "tollgate; fwd=bypass", "{field:?}");
        assert_eq!(house.upstream.requests(), index as u64 + 2, "{field:?}");
    }
    // A body, with and without its length.
    let answer = house.ask(("GET", "/pets"), &[], b"fat").await;
    assert_eq!(status(&answer), "tollgate; fwd=bypass");
    let hit = house
        .get("/pets", &[("cookie", "tollgate_session=x")])
        .await;
    assert!(
        status(&hit).starts_with("tollgate; hit"),
        "{}",
        status(&hit)
    );
}

#[tokio::test]
async fn callers_share_as_the_rules_state() {
    let house = House::new().await;
    let other = house.other().await;
    for (share, calls) in [("application", 2), ("plan", 1), ("all", 1), ("user", 4)] {
        house.cache(json!({ "ttl_s": 600, "share": share })).await;
        for _ in 0..2 {
            for key in [&house.consumer.key, &other.key] {
                let request = crate::house::get("/pets/1.0/pets", key);
                let answer = http::call(house.tollgate.gateway, &request).await.unwrap();
                assert_eq!(answer.text(), "hello");
            }
        }
        assert_eq!(house.upstream.requests(), calls, "{share}");
    }
    // Callers without a credential share among themselves.
    house
        .redeploy(json!({
            "operations": [{ "method": "GET", "path": "/pets", "anonymous": true }],
            "policies": { "cache": { "share": "application" } },
        }))
        .await;
    house.upstream.forget();
    for key in [None, Some(house.consumer.key.as_str()), None] {
        let field = key.map(|key| ("apikey", key));
        let request = http::request("GET", "/pets/1.0/pets", field.as_slice(), b"");
        let answer = http::call(house.tollgate.gateway, &request).await.unwrap();
        assert_eq!(answer.text(), "hello");
    }
    assert_eq!(house.upstream.requests(), 2);
}

#[tokio::test]
async fn a_change_of_a_target_and_a_new_revision_end_what_is_stored() {
    let house = House::new().await;
    house.cache(json!({ "ttl_s": 600 })).await;
    for target in ["/pets", "/pets?a=1", "/pets/1"] {
        house.get(target, &[]).await;
    }
    house.answers("", "changed");
    let made = house.ask(("POST", "/pets"), &[], b"{}").await;
    assert_eq!(made.status, 200);
    assert_eq!(house.get("/pets", &[]).await.text(), "changed");
    assert_eq!(house.get("/pets?a=1", &[]).await.text(), "changed");
    assert_eq!(house.get("/pets/1", &[]).await.text(), "hello");
    let refused = "HTTP/1.1 409 Conflict\r\nContent-Length: 0\r\n\r\n";
    let refused = Behaviour::Answer(refused.as_bytes().into());
    house.upstream.behave(refused);
    house.ask(("POST", "/pets"), &[], b"{}").await;
    assert_eq!(house.get("/pets", &[]).await.text(), "changed");
    house.answers("", "deployed");
    house.redeploy(json!({ "body_bytes_max": 1000 })).await;
    assert_eq!(house.get("/pets/1", &[]).await.text(), "deployed");
}

#[tokio::test]
async fn stale_responses_are_confirmed_or_sent_while_the_upstream_fails() {
    let house = House::new().await;
    house.cache(json!({ "show_status": true })).await;
    // Always to be confirmed.
    house.answers("Cache-Control: no-cache\r\nETag: \"v1\"\r\n", "hello");
    assert_eq!(house.get("/pets", &[]).await.text(), "hello");
    let confirmed = "HTTP/1.1 304 Not Modified\r\nETag: \"v1\"\r\nX-New: 1\r\n\r\n";
    let confirmed = Behaviour::Answer(confirmed.as_bytes().into());
    house.upstream.behave(confirmed);
    house.upstream.forget();
    let answer = house.get("/pets", &[]).await;
    assert_eq!((answer.status, answer.text()), (200, "hello".to_owned()));
    assert_eq!(status(&answer), "tollgate; fwd=stale; fwd-status=304");
    assert_eq!(answer.field("x-new"), Some("1"));
    let sent = String::from_utf8(house.upstream.received().concat()).unwrap();
    assert!(sent.contains("\r\nif-none-match: \"v1\"\r\n"), "{sent}");
    let answer = house.get("/pets", &[("if-none-match", "\"v1\"")]).await;
    assert_eq!(answer.status, 304);

    house
        .cache(json!({ "show_status": true, "stale_if_error_s": 600 }))
        .await;
    house.answers("Cache-Control: max-age=1\r\nAge: 1\r\n", "kept");
    assert_eq!(house.get("/pets/2", &[]).await.text(), "kept");
    let down = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 4\r\n\r\ndown";
    for behaviour in [
        Behaviour::Answer(down.as_bytes().into()),
        Behaviour::BreakOff(b"HTTP/1.1 20".as_slice().into()),
    ] {
        house.upstream.behave(behaviour);
        let answer = house.get("/pets/2", &[]).await;
        assert_eq!((answer.status, answer.text()), (200, "kept".to_owned()));
        assert!(status(&answer).starts_with("tollgate; fwd=stale; detail="));
    }
    let answer = house.get("/pets/3", &[]).await;
    assert_eq!(answer.status, 502);
}

#[tokio::test]
async fn one_caller_of_a_cold_key_calls_the_upstream() {
    let house = House::new().await;
    house.cache(json!({ "ttl_s": 600 })).await;
    let answer = upstream::answer(b"late", "");
    // Less than callers wait by default.
    let late = Behaviour::Late(Duration::from_secs(2), answer);
    house.upstream.behave(late);
    let mut callers = JoinSet::new();
    for _ in 0..200 {
        let (gateway, request) = (house.tollgate.gateway, house.request());
        callers.spawn(async move { http::call(gateway, &request).await.unwrap() });
    }
    let answers = callers.join_all().await;
    assert!(answers.iter().all(|it| it.text() == "late"));
    assert_eq!(house.upstream.requests(), 1);

    // A leader that leaves hands on.
    let behaviour = Behaviour::Late(Duration::from_millis(300), upstream::answer(b"next", ""));
    house.upstream.behave(behaviour);
    house.upstream.forget();
    let mut leader = http::Connection::open(house.tollgate.gateway)
        .await
        .unwrap();
    let request = crate::house::get("/pets/1.0/pets/9", &house.consumer.key);
    leader.send(&request).await.unwrap();
    while house.upstream.requests() == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let (answer, ()) = tokio::join!(house.get("/pets/9", &[]), async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        drop(leader);
    });
    assert_eq!(answer.text(), "next");
}

#[tokio::test]
async fn bodies_at_their_bounds() {
    let house = House::new().await;
    let fields = "Content-Type: text/plain\r\nX-A: 1\r\n";
    // The stored head: status line and fields.
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nX-A: 1\r\n".len();
    house
        .cache(json!({ "ttl_s": 600, "entry_bytes_max": head + 100 }))
        .await;
    let chunked = |body: &str, end: &str| {
        let length = body.len();
        let text = format!(
            "HTTP/1.1 200 OK\r\n{fields}Transfer-Encoding: chunked\r\n\r\n\
             {length:x}\r\n{body}\r\n{end}"
        );
        Behaviour::Answer(text.into_bytes().into())
    };
    let sized = |body: &str| Behaviour::Answer(upstream::answer(body.as_bytes(), fields));
    let (fits, exceeds) = ("a".repeat(100), "a".repeat(101));
    let rows = [
        (sized(&fits), Some(&fits), 1),
        (sized(&exceeds), Some(&exceeds), 2),
        (chunked(&fits, "0\r\n\r\n"), Some(&fits), 1),
        (chunked(&exceeds, "0\r\n\r\n"), Some(&exceeds), 2),
        (chunked(&fits, "0\r\nx-trailer: 1\r\n\r\n"), Some(&fits), 1),
        (
            Behaviour::BreakOff(upstream::answer(fits.as_bytes(), fields)[..head + 60].into()),
            None,
            2,
        ),
    ];
    for (index, (behaviour, body, calls)) in rows.into_iter().enumerate() {
        house.upstream.behave(behaviour);
        for _ in 0..2 {
            let key = house.consumer.key.as_str();
            let request = crate::house::get(&format!("/pets/1.0/pets/{index}"), key);
            let answer = http::call(house.tollgate.gateway, &request).await;
            if let Some(body) = body {
                assert_eq!(&answer.unwrap().text(), body, "{index}");
            }
        }
        assert_eq!(house.upstream.requests(), calls, "{index}");
        house.upstream.forget();
    }
}

#[tokio::test]
async fn a_purge_has_acted_when_it_is_answered() {
    let house = House::new().await;
    house.cache(json!({ "ttl_s": 600 })).await;
    let path = format!("/api/v1/versions/{}/cache/purge", house.api.version);
    let targets = ["/pets", "/pets?a=1", "/pets/1", "/pets/2"];
    let rows = [
        (json!({}), [false; 4]),
        (
            json!({ "operations": ["GET /pets/{pet}"] }),
            [true, true, false, false],
        ),
        (json!({ "targets": ["/pets"] }), [false, false, true, true]),
        (json!({ "tags": ["of /pets/1"] }), [true, true, false, true]),
        (
            json!({ "tags": ["none"], "targets": ["/pets/2", "/pets/3"] }),
            [true, true, true, false],
        ),
    ];
    let mut last = 0;
    for (selector, kept) in rows {
        for target in targets {
            let tags = format!("Cache-Tag: all, of {target}\r\n");
            house.answers(&tags, "before");
            house.get(target, &[]).await;
        }
        house.answers("Cache-Tag: all\r\n", "after");
        let purged = house
            .admin
            .done("POST", &path, Some(&selector))
            .await
            .unwrap();
        let number = purged["number"].as_i64().unwrap();
        assert!(number > last, "{number}");
        last = number;
        for (target, is_kept) in targets.into_iter().zip(kept) {
            let expected = if is_kept { "before" } else { "after" };
            assert_eq!(
                house.get(target, &[]).await.text(),
                expected,
                "{selector} {target}"
            );
        }
        house
            .admin
            .done("POST", &path, Some(&json!({})))
            .await
            .unwrap();
    }
    let many = vec!["/a"; 101];
    let wrong = [
        (json!({ "targets": ["pets"] }), "/targets/0"),
        (json!({ "targets": ["/pets?a=1"] }), "/targets/0"),
        (json!({ "tags": ["a", ""] }), "/tags/1"),
        (json!({ "tags": ["a,b"] }), "/tags/0"),
        (json!({ "operations": ["GET /pet"] }), "/operations/0"),
        (json!({ "targets": many }), "/targets"),
        (json!({ "target": "/a" }), "/target"),
    ];
    for (selector, field) in wrong {
        let answer = house
            .admin
            .send("POST", &path, Some(&selector))
            .await
            .unwrap();
        let faults = answer.json()["errors"].clone();
        assert_eq!(
            (answer.status, &faults[0]["field"]),
            (422, &json!(field)),
            "{selector}"
        );
    }
    let targets = json!({ "targets": vec!["/pets/7"; 10_000] });
    let answer = house
        .admin
        .send("POST", &path, Some(&targets))
        .await
        .unwrap();
    assert!(matches!(answer.status, 413 | 422), "{}", answer.status);
}

#[tokio::test]
async fn what_began_before_a_purge_is_not_stored() {
    let house = House::new().await;
    house.cache(json!({ "ttl_s": 600 })).await;
    let late = Behaviour::Late(Duration::from_millis(500), upstream::answer(b"before", ""));
    house.upstream.behave(late);
    let path = format!("/api/v1/versions/{}/cache/purge", house.api.version);
    let (before, purged) = tokio::join!(house.get("/pets", &[]), async {
        while house.upstream.requests() == 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        house.admin.done("POST", &path, Some(&json!({}))).await
    });
    purged.unwrap();
    assert_eq!(before.text(), "before");
    house.answers("", "after");
    assert_eq!(house.get("/pets", &[]).await.text(), "after");
}

#[tokio::test]
async fn wrong_caches_are_faults_when_they_are_saved() {
    let house = House::new().await;
    let version = &house.api.version;
    let path = format!("/api/v1/versions/{version}/draft");
    let rows = [
        (json!({ "cache": { "ttl_s": -1 } }), "/policies/cache/ttl_s"),
        (
            json!({ "cache": { "ttl_s": 31_622_400 } }),
            "/policies/cache/ttl_s",
        ),
        (
            json!({ "cache": { "headers": ["a"], "pass": ["A"] } }),
            "/policies/cache/pass/0",
        ),
        (
            json!({ "cache": { "headers": ["Cookie"] } }),
            "/policies/cache/headers/0",
        ),
        (
            json!({ "cache": { "pass": ["apikey"] } }),
            "/policies/cache/pass/0",
        ),
        (
            json!({ "cache": { "negative_s": { "200": 5 } } }),
            "/policies/cache/negative_s/200",
        ),
        (
            json!({ "cache": { "negative_s": { "abc": 5 } } }),
            "/policies/cache/negative_s/abc",
        ),
        (
            json!({ "cache": { "share": "everyone" } }),
            "/policies/cache/share",
        ),
        (
            json!({ "operations": [{ "operations": ["POST /pets"], "cache": {} }] }),
            "/policies/operations/0/cache",
        ),
        (
            json!({ "cache": {}, "request": [
                { "policy": "set_header", "name": "x-a", "value": "{{ now }}" },
            ] }),
            "/policies/request/0",
        ),
    ];
    for (policies, field) in rows {
        let change = json!({ "policies": policies });
        let answer = house
            .admin
            .send("PATCH", &path, Some(&change))
            .await
            .unwrap();
        let faults = answer.json()["errors"].clone();
        assert_eq!(
            (answer.status, &faults[0]["field"]),
            (422, &json!(field)),
            "{policies}"
        );
    }
    for (identity, share, is_wrong) in [
        ("headers", "all", true),
        ("jwt", "application", true),
        ("headers", "application", false),
    ] {
        let change = json!({ "identity": identity, "policies": { "cache": { "share": share } } });
        let answer = house
            .admin
            .send("PATCH", &path, Some(&change))
            .await
            .unwrap();
        assert_eq!(
            answer.status == 422,
            is_wrong,
            "{identity} {share}: {}",
            answer.text()
        );
    }
}
