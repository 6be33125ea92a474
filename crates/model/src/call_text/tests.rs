use super::*;

#[test]
fn texts_are_decoded_as_they_were_encoded() {
    let texts = CallText {
        number: u64::MAX - 7,
        method: b"GET",
        path: b"/pets/1.0/pets/\xff\x00",
        query: Some(b""),
        host: b"a.example:8080",
        agent: b"curl/8",
        referrer: b"",
        is_http_1_0: true,
        is_cut: false,
    };
    let mut frame = Vec::new();
    for texts in [texts, CallText::default()] {
        frame.clear();
        texts.encode(&mut frame);
        assert_eq!(CallText::decode(&frame), Some(texts));
        assert_eq!(CallText::decode(&frame[..frame.len() - 1]), None);
        frame.push(0);
        assert_eq!(CallText::decode(&frame), None);
    }
}

#[test]
fn agent_and_referrer_are_cut_first() {
    let mut frame = Vec::new();
    let long = [b'a'; 8_192];
    let mut texts = CallText {
        method: b"GET",
        path: b"/pets",
        host: b"a.example",
        agent: b"curl/8",
        referrer: &long,
        ..CallText::default()
    };
    texts.encode(&mut frame);
    let read = CallText::decode(&frame).unwrap();
    assert!(read.is_cut);
    assert_eq!((read.path, read.host), (texts.path, texts.host));
    assert_eq!(read.referrer.len(), TEXT_BYTES_MAX - 3 - 5 - 9);
    assert_eq!(read.agent, b"");
    texts.path = &long;
    frame.clear();
    texts.encode(&mut frame);
    let read = CallText::decode(&frame).unwrap();
    assert!(read.is_cut);
    assert_eq!(read.path.len(), TEXT_BYTES_MAX - 3);
    assert_eq!((read.host, read.referrer), (&b""[..], &b""[..]));
    assert!(frame.len() <= FRAME_BYTES_MAX);
}
