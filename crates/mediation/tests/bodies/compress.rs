//! `compress`: which responses it takes, and what it makes of them.

use serde_json::json;
use tollgate_mediation::coding::decode;
use tollgate_mediation::message::BodyLength::{self, Known, Unknown};
use tollgate_mediation::run::body::Room;

use crate::message::{Made, Sample, response, run_response};

const GZIP: &str = "gzip, deflate, br";

fn sample(accepted: &'static str, fields: &[(&'static str, &'static str)]) -> Sample {
    Sample {
        fields: fields.to_vec(),
        request: vec![("accept-encoding", accepted)],
        length: Known(4000),
    }
}

fn run(sample: &Sample, body: &[u8], before: &str) -> Made {
    let mut steps = vec![json!({ "policy": "compress", "bytes_max": 100_000 })];
    if !before.is_empty() {
        let pairs = json!([{ "from": before, "to": "b" }]);
        steps.insert(0, json!({ "policy": "replace_text", "pairs": pairs }));
    }
    run_response(&response(&json!(steps)), sample, body, &mut Room::default()).expect("goes on")
}

fn field<'m>(made: &'m Made, name: &str) -> Option<&'m str> {
    let mut fields = made.fields.iter().filter(|it| it.0 == name);
    let value = fields.next().map(|it| it.1.as_str());
    assert_eq!(fields.next(), None);
    value
}

#[test]
fn what_a_caller_accepts_decides() {
    let rows = [
        (GZIP, true),
        ("x-gzip", true),
        ("GZIP;q=0.001", true),
        ("gzip; Q=1.000", true),
        ("*", true),
        ("br, *;q=0.5", true),
        ("gzip;q=0", false),
        ("gzip;q=0.0, *", false),
        ("*;q=0", false),
        ("identity", false),
        ("", false),
        ("gzip;q=x", false),
        ("xgzip", false),
    ];
    let body = "a".repeat(4000);
    for (accepted, is_compressed) in rows {
        let made = run(&sample(accepted, &[]), body.as_bytes(), "");
        assert_eq!(made.is_of_head, !is_compressed, "{accepted}");
        assert_eq!(field(&made, "vary"), Some("Accept-Encoding"), "{accepted}");
        assert_eq!(
            field(&made, "content-encoding"),
            is_compressed.then_some("gzip")
        );
        if is_compressed {
            let coded = made.body.expect("a body");
            assert!(coded.len() < 100);
            let mut plain = Vec::new();
            decode(b"gzip", &coded, 4000, &mut plain).expect("gzip");
            assert_eq!(plain, body.as_bytes());
        }
    }
}

#[test]
fn other_responses_pass_unread_and_do_not_vary() {
    let rows: [(&[_], BodyLength); 9] = [
        (&[("content-encoding", "br")], Known(4000)),
        (
            &[("content-type", "text/event-stream; charset=utf-8")],
            Known(4000),
        ),
        (
            &[("content-type", "multipart/byteranges; boundary=a")],
            Known(4000),
        ),
        (&[("content-range", "bytes 0-3999/5000")], Known(4000)),
        (&[("cache-control", "max-age=1, No-Transform")], Known(4000)),
        (&[], Unknown),
        (&[], Known(1023)),
        (&[], Known(100_001)),
        (&[("vary", "accept, *")], BodyLength::None),
    ];
    for (fields, length) in rows {
        let sample = Sample {
            length,
            ..sample(GZIP, fields)
        };
        let made = run(&sample, b"", "");
        let expected = Made {
            is_of_head: true,
            body: None,
            fields: Vec::new(),
        };
        assert_eq!(made, expected, "{fields:?} {length:?}");
    }
}

#[test]
fn the_length_counts_that_earlier_steps_make() {
    // `replace_text` reads the body in any case.
    let of_text = |length| Sample {
        length,
        ..sample(GZIP, &[("content-type", "text/plain"), ("vary", "origin")])
    };
    let rows = [
        (b"a".repeat(1024), true),
        (b"a".repeat(1023), false),
        (b"a".repeat(100_001), false),
        (incompressible(), false),
    ];
    for (body, is_compressed) in rows {
        for length in [Unknown, Known(body.len() as u64)] {
            let made = run(&of_text(length), &body, "zzzz");
            assert_eq!(
                field(&made, "content-encoding"),
                is_compressed.then_some("gzip")
            );
            let is_within = (1024..=100_000).contains(&body.len());
            assert_eq!(field(&made, "vary"), is_within.then_some("Accept-Encoding"));
        }
    }
}

/// Bytes that do not become shorter.
fn incompressible() -> Vec<u8> {
    let mut random = crate::fuzzing::Random(7);
    (0..4096).map(|_| random.below(256) as u8).collect()
}

#[test]
fn a_room_compresses_again() {
    let program = response(&json!([{ "policy": "compress" }]));
    let mut room = Room::default();
    for round in 0..3 {
        let body = format!("{round}").repeat(2000);
        let made = run_response(&program, &sample(GZIP, &[]), body.as_bytes(), &mut room);
        let coded = made.expect("goes on").body.expect("a body");
        let mut plain = Vec::new();
        decode(b"gzip", &coded, 1 << 20, &mut plain).expect("gzip");
        assert_eq!(plain, body.as_bytes());
    }
}
