//! JSON that two readers would read differently, or that costs more than it seems: each body is
//! refused by its name, in requests and in responses.

use std::io::Write as _;
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;
use tollgate_testkit::Behaviour;

use super::bodies::{brotli, chunked, gzip};
use crate::house::House;

const JSON: &str = "Content-Type: application/json\r\n";
const BYTES_MAX: usize = 10 << 20;
const NOT_WELL_FORMED: (u16, &str) = (400, "mediate.not_well_formed");
const TOO_LARGE: (u16, &str) = (413, "mediate.body_too_large");
const WRONG_TYPE: (u16, &str) = (415, "mediate.wrong_type");
const THREAT: (u16, &str) = (400, "mediate.threat");

/// Returns a GiB of spaces in gzip.
fn gzip_bomb() -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    let piece = vec![b' '; 1 << 20];
    for _ in 0..1 << 10 {
        encoder.write_all(&piece).unwrap();
    }
    encoder.finish().unwrap()
}

/// Returns an object with this number of members.
fn members(count: usize) -> String {
    let members = (0..count).map(|number| format!("\"{number}\":1"));
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}

fn nested(levels: usize) -> String {
    format!("{}{}", "[".repeat(levels), "]".repeat(levels))
}

fn length(body: &[u8]) -> String {
    format!("Content-Length: {}\r\n", body.len())
}

#[tokio::test]
async fn hostile_json_is_refused_by_its_name_and_the_connection_stays_clean() {
    let house = House::new().await;
    let edit = json!({
        "policy": "json_edit", "edits": [{ "remove": "$.a" }], "bytes_max": BYTES_MAX,
    });
    let threats = json!({
        "if": "has(request.headers[\"x-threats\"])",
        "policy": "threat_protection", "bytes_max": BYTES_MAX,
    });
    let house = house
        .with_operations(json!({ "request": [threats, edit], "response": [edit] }))
        .await;
    // The same bodies in a request, and in a response, where only this code differs.
    let bodies: Vec<(&str, Vec<u8>)> = vec![
        ("65 levels", nested(65).into()),
        (
            "100,001 items",
            format!("[{}1]", "1,".repeat(100_000)).into(),
        ),
        ("a lone surrogate", br#"{"b":"\udc00"}"#.into()),
        ("half a pair", br#"{"b":"\ud83d\u0041"}"#.into()),
        ("a duplicate key", br#"{"b":1,"b":1}"#.into()),
        ("an escaped duplicate", br#"{"b":1,"\u0062":2}"#.into()),
        (
            "the last of many",
            (members(100_000).replace("\"99999\"", "\"0\"")).into(),
        ),
        ("a byte order mark", b"\xEF\xBB\xBF{}".into()),
        ("UTF-16", b"{\0}\0".into()),
        ("UTF-16 with a mark", b"\xFF\xFE{\0}\0".into()),
        ("a broken sequence", b"{\"b\":\"\xC3\"}".into()),
        ("an overlong sequence", b"{\"b\":\"\xC0\xAF\"}".into()),
        ("truncated", br#"{"b":[1,"#.into()),
        ("two values", b"{}{}".into()),
        ("a comment", b"{}//".into()),
        ("a trailing comma", br#"{"b":1,}"#.into()),
        ("NaN", br#"{"b":NaN}"#.into()),
        ("a control character", b"{\"b\":\"\n\"}".into()),
        ("no value", b" ".into()),
    ];
    for (name, body) in &bodies {
        let fields = format!("{JSON}{}X-Row: {name}\r\n", length(body));
        house.refuses_cleanly(&fields, body, NOT_WELL_FORMED).await;
        let head = format!("HTTP/1.1 200 OK\r\n{JSON}{}\r\n", length(body));
        let answer = [head.as_bytes(), body].concat();
        house.upstream.behave(Behaviour::Answer(answer.into()));
        let answer = house.call().await;
        let got = (answer.status, answer.code());
        assert_eq!(got, (502, "upstream.not_understood".to_owned()), "{name}");
        house.upstream.behave(Behaviour::text("hello"));
    }
    let (zipped, crumpled) = (gzip_bomb(), brotli(&vec![b' '; 64 << 20]));
    let (zipped_wrong, many) = (gzip(b"{"), members(100_000).into_bytes());
    let coded = |coding: &str| format!("{JSON}Content-Encoding: {coding}\r\n");
    let chunks = format!("{JSON}Transfer-Encoding: chunked\r\n");
    let wide = "Content-Type: application/json; charset=utf-16\r\n".to_owned();
    let rows = [
        (coded("gzip"), zipped, TOO_LARGE),
        (coded("br"), crumpled, TOO_LARGE),
        (coded("gzip"), zipped_wrong, NOT_WELL_FORMED),
        (wide, b"{\0}\0".to_vec(), WRONG_TYPE),
        (format!("{JSON}X-Threats: 1\r\n"), many.clone(), THREAT),
        (format!("{JSON}X-Threats: 1\r\n"), nested(33).into(), THREAT),
    ];
    for (fields, body, expected) in rows {
        let fields = fields + &length(&body);
        let began = Instant::now();
        house.refuses_cleanly(&fields, &body, expected).await;
        assert!(began.elapsed() < Duration::from_secs(20), "{fields}");
    }
    // In chunks with trailers: what the body is decides, not its framing.
    let trailers = "X-T: 1\r\nContent-Encoding: gzip\r\n";
    let body = chunked(b"{\"b\":1,\"b\":1}", trailers);
    house.refuses_cleanly(&chunks, &body, NOT_WELL_FORMED).await;
    house.upstream.forget();
    let passing = [
        (
            chunks,
            chunked(b"{\"a\":1,\"b\":1}", trailers),
            "{\"b\":1}".to_owned(),
        ),
        (
            JSON.to_owned() + &length(&many),
            many.clone(),
            members(100_000),
        ),
        (
            JSON.to_owned() + &length(nested(64).as_bytes()),
            nested(64).into(),
            nested(64),
        ),
    ];
    for (fields, body, expected) in passing {
        let answer = house.asked(&house.raw("POST", &fields, &body)).await;
        assert_eq!(answer.status, 200, "{fields}: {}", answer.text());
        assert!(house.went_up().1 == expected, "{fields}");
    }
}

#[tokio::test]
async fn a_message_that_exceeds_the_work_of_its_policies_is_refused_with_the_step() {
    let house = House::new().await;
    let search = json!({ "$each": "body.items", "$as": "item", "$do": "{{ 7 in body.items }}" });
    let steps = json!([
        { "policy": "set_header", "name": "x-a", "value": "{{ size(body.items) }}" },
        { "policy": "json_template", "template": search },
    ]);
    let house = house
        .with_operations(json!({ "request": steps, "response": steps }))
        .await;
    let items = |count: usize| format!("{{\"items\":[{}1]}}", "10,".repeat(count));
    let many = items(20_000);
    let fields = JSON.to_owned() + &length(many.as_bytes());
    house
        .refuses_cleanly(&fields, many.as_bytes(), (500, "mediate.policy"))
        .await;
    let few = items(100);
    let fields = JSON.to_owned() + &length(few.as_bytes());
    // Requests and responses are counted apart.
    for (body, refused) in [(&few, None), (&many, Some("/policies/response/1"))] {
        let head = format!(
            "HTTP/1.1 200 OK\r\n{JSON}Content-Length: {}\r\n\r\n",
            body.len()
        );
        house
            .upstream
            .behave(Behaviour::Answer((head + body).into_bytes().into()));
        let answer = house
            .asked(&house.raw("POST", &fields, few.as_bytes()))
            .await;
        let expected = if refused.is_some() { 500 } else { 200 };
        assert_eq!(answer.status, expected, "{}", answer.text());
        let names = refused.is_none_or(|step| answer.text().contains(step));
        assert!(names, "{}", answer.text());
    }
}
