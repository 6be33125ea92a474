//! Usage: what answered each call, the time of steps of policies, and the use of the cache.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tollgate_testkit::{Behaviour, http, upstream};

use crate::house::House;

const GOOD: &str = "https://good.example";

/// Policies with steps that take long enough to measure, in both directions; `POST /pets` has steps
/// for refusals only.
fn policies() -> Value {
    let measurable = json!({
        "if": "request.headers[\"x-long\"].matches(\"^[a-y]*z$\")",
        "policy": "set_header", "name": "x-never", "value": "set",
    });
    let steps = |last: Value| {
        let mut steps = vec![measurable.clone(); 63];
        steps.push(last);
        steps
    };
    let respond = |condition: &str, status: u16| {
        json!({
            "if": condition, "policy": "respond", "status": status,
            "content_type": "text/plain", "body": "of a step",
        })
    };
    json!({
        "cors": { "origins": [GOOD] },
        "error": [respond("error.status == 401", 418)],
        "operations": [
            {
                "operations": ["GET /pets"],
                "request": steps(respond("request.query[\"own\"] == \"1\"", 203)),
            },
            {
                "operations": ["GET /pets/{pet}"],
                "response": steps(json!({ "policy": "set_status", "status": 299 })),
            },
        ],
    })
}

/// Makes calls with each kind of answer; returns their number.
async fn call_everything(house: &House) -> u64 {
    let long = "a".repeat(4_096);
    let key = ("apikey", house.consumer.key.as_str());
    let (keyed, wrong) = ([key, ("x-long", &long)], [("apikey", "tg_live_x")]);
    let preflight = |origin| [("origin", origin), ("access-control-request-method", "GET")];
    let (good, other) = (preflight(GOOD), preflight("https://other.example"));
    let calls: [((&str, &str), &[_], u16, u64); 8] = [
        (("GET", "/pets?own=0"), &keyed, 200, 3),
        (("GET", "/pets?own=1"), &keyed, 203, 2),
        (("GET", "/pets/7"), &keyed, 299, 2),
        (("POST", "/pets"), &keyed, 200, 4),
        (("POST", "/pets"), &wrong, 418, 2),
        (("GET", "/nothing"), &keyed, 404, 1),
        (("OPTIONS", "/pets"), &good, 204, 3),
        (("OPTIONS", "/pets"), &other, 403, 1),
    ];
    let call = async |(method, path): (&str, &str), fields: &[_], status: u16| {
        let target = format!("/pets/1.0{path}");
        let request = http::request(method, &target, fields, b"");
        let answer = http::call(house.tollgate.gateway, &request).await.unwrap();
        assert_eq!(answer.status, status, "{method} {path}: {}", answer.text());
    };
    for (of, fields, status, times) in calls {
        for _ in 0..times {
            call(of, fields, status).await;
        }
    }
    house.upstream.behave(Behaviour::Reset);
    call(("POST", "/pets"), &keyed, 502).await;
    calls.iter().map(|it| it.3).sum::<u64>() + 1
}

#[tokio::test]
async fn usage_counts_what_answered_and_sums_the_time_of_steps() {
    let house = House::new().await;
    house.redeploy(json!({ "policies": policies() })).await;
    let calls = call_everything(&house).await;
    house.usage(calls).await;
    let path = "/api/v1/usage?group_by=operation,status";
    let usage = house.admin.done("GET", path, None).await.unwrap();
    let rows = usage["rows"].as_array().unwrap().iter();
    let rows: BTreeMap<_, _> = rows
        .map(|row| {
            let operation = row["operation"]["name"].as_str().unwrap_or_default();
            let has_time = row["mediate_us_sum"].as_u64().unwrap() > 0;
            let key = (operation, row["status"].as_u64().unwrap());
            (key, (&row["answered"], has_time))
        })
        .collect();
    let answered = |by: &str, calls: u64| {
        let words = ["upstream", "policy", "mock", "preflight", "gateway"];
        let mut answered = Value::from_iter(words.map(|word| (word, 0)));
        answered[by] = json!(calls);
        answered
    };
    // A refusal is counted with its own status, and its step is too short to measure.
    let expected = [
        ("GET /pets", 200, "upstream", 3, Some(true)),
        ("GET /pets", 203, "policy", 2, Some(true)),
        ("GET /pets/{pet}", 299, "upstream", 2, Some(true)),
        ("POST /pets", 200, "upstream", 4, Some(false)),
        ("POST /pets", 401, "gateway", 2, None),
        ("POST /pets", 502, "gateway", 1, None),
        ("", 404, "gateway", 1, None),
        ("", 204, "preflight", 3, Some(false)),
        ("", 403, "gateway", 1, None),
    ];
    assert_eq!(rows.len(), expected.len(), "{usage}");
    for (operation, status, by, calls, is_measured) in expected {
        let (found, has_time) = rows[&(operation, status)];
        let place = format!("{operation} {status}: {usage}");
        assert_eq!(*found, answered(by, calls), "{place}");
        assert!(is_measured.is_none_or(|it| it == has_time), "{place}");
    }
}

/// Makes calls with each use of the cache; returns their number.
async fn call_with_each_use(house: &House) -> u64 {
    let key = ("apikey", house.consumer.key.as_str());
    let own: [(&str, &str); 2] = [key, ("cookie", "a=b")];
    let answers = |fields: &str| Behaviour::Answer(upstream::answer(b"hello", fields));
    let confirmed = "HTTP/1.1 304 Not Modified\r\nETag: \"v1\"\r\n\r\n";
    let fresh = answers("Cache-Control: max-age=60\r\n");
    let confirmed_always = answers("Cache-Control: no-cache\r\nETag: \"v1\"\r\n");
    let expired = answers("Cache-Control: max-age=1\r\nAge: 1\r\n");
    let calls = [
        (
            fresh.clone(),
            ("GET", "/pets"),
            &own[..1],
            200_u16,
            1 + 3_u64,
        ),
        (fresh.clone(), ("GET", "/pets"), &own[..], 200, 2),
        (fresh.clone(), ("POST", "/pets"), &own[..1], 200, 2),
        (fresh, ("GET", "/pets"), &own[..0], 401, 1),
        (confirmed_always, ("GET", "/pets/1"), &own[..1], 200, 1),
        (
            Behaviour::Answer(confirmed.as_bytes().into()),
            ("GET", "/pets/1"),
            &own[..1],
            200,
            2,
        ),
        (expired, ("GET", "/pets/2"), &own[..1], 200, 1),
        (Behaviour::Reset, ("GET", "/pets/2"), &own[..1], 200, 2),
    ];
    let count = calls.iter().map(|it| it.4).sum();
    for (behaviour, (method, path), fields, status, times) in calls {
        house.upstream.behave(behaviour);
        let target = format!("/pets/1.0{path}");
        let request = http::request(method, &target, fields, b"");
        for _ in 0..times {
            let answer = http::call(house.tollgate.gateway, &request).await.unwrap();
            assert_eq!(answer.status, status, "{method} {path}: {}", answer.text());
        }
    }
    count
}

#[tokio::test]
async fn usage_counts_the_uses_of_the_cache_to_the_call_also_after_a_restart() {
    let house = House::new().await;
    let cache = json!({ "stale_if_error_s": 600 });
    house
        .redeploy(json!({ "policies": { "cache": cache } }))
        .await;
    let calls = call_with_each_use(&house).await;
    house.usage(calls).await;
    let (_, builder) = house.tollgate.terminate().unwrap();
    let tollgate = builder.start().unwrap();
    let admin = house.admin.at(tollgate.control);
    let path = "/api/v1/usage?group_by=cache";
    let usage = admin.done("GET", path, None).await.unwrap();
    let rows = usage["rows"].as_array().unwrap().iter();
    let rows = rows.map(|row| {
        let names = ["cache", "calls", "bytes_from_cache", "cache_rate"];
        json!(names.map(|name| &row[name]))
    });
    let expected = json!([
        ["none", 3, 0, null],
        ["miss", 3, 0, 0.0],
        ["hit", 3, 15, 1.0],
        ["stale", 2, 10, 1.0],
        ["revalidated", 2, 10, 1.0],
        ["bypass", 2, 0, null],
    ]);
    assert_eq!(Value::from_iter(rows), expected, "{usage}");
    let usage = admin.done("GET", "/api/v1/usage", None).await.unwrap();
    let sums = ["calls", "bytes_from_cache", "cache_rate"].map(|it| &usage["rows"][0][it]);
    assert_eq!(json!(sums), json!([calls, 35, 0.7]));
}
