//! Fuzz targets without a fuzzer: mutated documents and codings. Nothing panics, all JSON is valid
//! and bounded, and a document that was read is read the same way again.

use serde_json::{Value as Json, json};
use tollgate_mediation::coding::decode;
use tollgate_mediation::message::BodyLength;
use tollgate_mediation::run::Stop;
use tollgate_mediation::run::body::Room;

use crate::coding::{brotli, gzip};
use crate::fuzzing::{Random, fuzz};
use crate::message::{Sample, response, run_response};

/// Pieces that documents are made of, and that mutations insert.
const PIECES: [&str; 32] = [
    "<a>",
    "</a>",
    "<b/>",
    "<a k='1'>",
    "<p:a xmlns:p='u'>",
    "</p:a>",
    "x",
    " ",
    "\n",
    "é",
    "&amp;",
    "&#65;",
    "&#x10FFFF;",
    "&#0;",
    "&b;",
    "<![CDATA[",
    "]]>",
    "<!--",
    "-->",
    "<?pi",
    "?>",
    "<!DOCTYPE a>",
    "\u{FEFF}",
    "<",
    ">",
    "'",
    "\"",
    "=",
    ":",
    "\u{1}",
    "\\",
    "\u{85}",
];

fn element(random: &mut Random, depth: usize, out: &mut String) {
    let name = ["a", "b", "c", "long", "é"][random.below(5)];
    out.push_str(&format!("<{name}"));
    for attribute in ["k", "l"].into_iter().take(random.below(3)) {
        out.push_str(&format!(" {attribute}=\"{}\"", random.below(100)));
    }
    out.push('>');
    for _ in 0..random.below(6) {
        match random.below(3) {
            0 if depth > 0 => element(random, depth - 1, out),
            1 => out.push_str(&format!("<n{}/>", random.below(20))),
            _ => out.push_str(["x", " ", "&lt;", "\n  ", "<![CDATA[<]]>", "é"][random.below(6)]),
        }
    }
    out.push_str(&format!("</{name}>"));
}

fn document(random: &mut Random) -> Vec<u8> {
    let mut text = String::new();
    element(random, 5, &mut text);
    let mut bytes = text.into_bytes();
    for _ in 0..random.below(4) {
        let at = random.below(bytes.len() + 1);
        let end = (at + random.below(10)).min(bytes.len());
        let piece = PIECES[random.below(PIECES.len())].as_bytes();
        let piece = match random.below(8) {
            0 => piece.repeat(random.below(200)),
            1 => vec![random.below(256) as u8],
            _ => piece.to_vec(),
        };
        bytes.splice(at..end, piece);
    }
    bytes
}

fn sample(media_type: &'static str) -> Sample {
    Sample {
        fields: vec![("content-type", media_type)],
        request: Vec::new(),
        length: BodyLength::Unknown,
    }
}

#[test]
fn xml_to_json_fuzz() {
    let to_json = response(&json!([{ "policy": "xml_to_json", "arrays": ["a", "b/a"] }]));
    let to_xml = response(&json!([{ "policy": "json_to_xml", "root": "a" }]));
    let plain = response(&json!([{ "policy": "xml_to_json" }]));
    let (xml, json) = (sample("application/xml"), sample("application/json"));
    let mut room = Room::default();
    fuzz(|random| {
        let document = document(random);
        let shown = || String::from_utf8_lossy(&document).into_owned();
        let made = match run_response(&to_json, &xml, &document, &mut room) {
            Ok(made) => made.body.unwrap_or_default(),
            Err(Stop::NotWellFormed(_)) => return false,
            Err(stop) => panic!("{stop}: {}", shown()),
        };
        if made.is_empty() {
            return false;
        }
        serde_json::from_slice::<Json>(&made).unwrap_or_else(|_| panic!("{}", shown()));
        assert!(made.len() <= 8 * document.len() + 64, "{}", shown());
        // What was read can be written, and read again as the same.
        let mut convert = |program, sample, body: &[u8]| {
            let made = run_response(program, sample, body, &mut room);
            made.unwrap_or_else(|stop| panic!("{stop}: {}", shown()))
                .body
                .expect("a body")
        };
        let first = convert(&plain, &xml, &document);
        let written = convert(&to_xml, &json, &first);
        let again = convert(&plain, &xml, &written);
        let written_again = convert(&to_xml, &json, &again);
        assert_eq!(
            convert(&plain, &xml, &written_again),
            again,
            "{}",
            String::from_utf8_lossy(&written)
        );
        true
    });
}

#[test]
fn decode_fuzz() {
    const BYTES_MAX: usize = 64 * 1024;
    fuzz(|random| {
        let text = document(random).repeat(1 + random.below(3000));
        let (coding, mut coded) = match random.below(2) {
            0 => ("gzip", gzip(&text[..text.len().min(100_000)])),
            _ => ("br", brotli(&text[..text.len().min(100_000)])),
        };
        let text = &text[..text.len().min(100_000)];
        let before = coded.clone();
        for _ in 0..random.below(3) {
            let at = random.below(coded.len() + 1);
            let end = (at + random.below(4)).min(coded.len());
            let bytes: Vec<_> = (0..random.below(4))
                .map(|_| random.below(256) as u8)
                .collect();
            coded.splice(at..end, bytes);
        }
        let mut out = Vec::new();
        let result = decode(coding.as_bytes(), &coded, BYTES_MAX, &mut out);
        assert!(out.len() <= BYTES_MAX + 16 * 1024);
        if coded == before {
            assert_eq!(result.is_ok(), text.len() <= BYTES_MAX);
            assert!(result.is_err() || out == text);
        }
        result.is_ok()
    });
}
