use tollgate_http1::head::RequestHead;
use tollgate_http1::parse::{self, Bounds};

use super::*;

const HEAD: &[u8] = b"GET /pets?apikey=1&b=2 HTTP/1.0\r\nHost: a.example\r\n\
    User-Agent: curl/8\r\nReferer: https://b.example/c?token=3#d\r\n\r\n";

const BOUNDS: Bounds = Bounds {
    head_bytes_max: 16_384,
    fields_max: 16,
    target_bytes_max: 8_192,
};

/// Writes the texts of this head as those of calls 1, 2 and so on.
fn write(writer: &TextWriter, calls: u64) {
    let mut head = RequestHead::default();
    parse::request(HEAD, BOUNDS, &mut head).unwrap();
    for number in 1..=calls {
        writer.write(number, Request::new(&head, HEAD));
    }
}

fn numbers(texts: &mut Texts) -> Vec<u64> {
    let mut numbers = Vec::new();
    texts.drain(&mut |frame| numbers.push(CallText::decode(frame).unwrap().number));
    numbers
}

#[test]
fn texts_have_queries_only_if_they_are_wanted() {
    for has_query in [false, true] {
        let (writer, texts) = ring(Some(TextSettings { has_query }));
        write(&writer, 1);
        let mut texts = texts.unwrap();
        let mut frames = Vec::new();
        texts.drain(&mut |frame| frames.push(frame.to_vec()));
        let [frame] = &frames[..] else {
            panic!("{frames:?}");
        };
        let referrer = match has_query {
            true => &b"https://b.example/c?token=3#d"[..],
            false => b"https://b.example/c",
        };
        let expected = CallText {
            number: 1,
            method: b"GET",
            path: b"/pets",
            query: has_query.then_some(b"apikey=1&b=2"),
            host: b"a.example",
            agent: b"curl/8",
            referrer,
            is_http_1_0: true,
            is_cut: false,
        };
        assert_eq!(CallText::decode(frame), Some(expected));
    }
    assert!(ring(None).1.is_none());
}

#[test]
fn a_full_ring_loses_whole_texts_and_takes_others_later() {
    let (writer, texts) = ring(Some(TextSettings { has_query: true }));
    let mut texts = texts.unwrap();
    let many = RING_BYTES as u64 / 64;
    write(&writer, many);
    let kept = numbers(&mut texts);
    assert!(
        kept.len() > 20_000 && (kept.len() as u64) < many,
        "{}",
        kept.len()
    );
    assert!(kept.iter().copied().eq(1..=kept.len() as u64));
    write(&writer, 3);
    assert_eq!(numbers(&mut texts), [1, 2, 3]);
}
