use std::io::Write as _;

use super::*;
use crate::testing::{compiled, compiled_schema};
use crate::to_json::Options;

const SCHEMA: &str = "<xs:element name='request'><xs:complexType/></xs:element>\
    <xs:element name='response'><xs:complexType><xs:sequence>\
    <xs:element name='a' type='xs:string' minOccurs='0'/>\
    <xs:element name='b' type='xs:base64Binary' minOccurs='0' maxOccurs='unbounded'/>\
    </xs:sequence></xs:complexType></xs:element>";
const BYTES_MAX: usize = 1_000;

fn envelope(content: &str) -> String {
    format!(
        "<s:Envelope xmlns:s='http://schemas.xmlsoap.org/soap/envelope/'><s:Body>\
         <response xmlns='urn:t'>{content}</response></s:Body></s:Envelope>"
    )
}

fn answer(message: &Message<'_>) -> Result<String, Error> {
    let mut options = Options::default();
    options.bounds.bytes_max = BYTES_MAX;
    let program = Program::load(&compiled_schema(SCHEMA).plan, options);
    let mut out = Vec::new();
    program.answer_message(0, message, &mut Scratch::default(), &mut out)?;
    Ok(String::from_utf8(out).unwrap())
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut zipped = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    zipped.write_all(bytes).unwrap();
    zipped.finish().unwrap()
}

#[test]
fn a_coding_is_removed_within_the_bound() {
    let plain = envelope("<a>x</a>");
    let of = |coding: &'static str, bytes: &[u8]| {
        answer(&Message {
            bytes,
            content_encoding: Some(coding.as_bytes()),
            ..Message::default()
        })
    };
    let expected = Ok(r#"{"a":"x","b":[]}"#.to_owned());
    assert_eq!(of("Identity", plain.as_bytes()), expected);
    assert_eq!(of("gzip", &gzip(plain.as_bytes())), expected);
    let mut deflated = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    deflated.write_all(plain.as_bytes()).unwrap();
    assert_eq!(of("deflate", &deflated.finish().unwrap()), expected);
    assert_eq!(of("gzip", plain.as_bytes()), Err(Error::Coding));
    assert_eq!(
        of("gzip", &gzip(plain.as_bytes())[..50]),
        Err(Error::Coding)
    );
    let unknown = Err(Error::UnknownCoding("br".into()));
    assert_eq!(of("br", plain.as_bytes()), unknown);
    let bomb = gzip(&vec![b' '; 1_000_000]);
    assert!(bomb.len() > BYTES_MAX / 2);
    assert_eq!(of("gzip", &bomb), Err(Error::Size));
}

#[test]
fn the_head_gives_the_encoding_and_the_text_is_bounded_too() {
    let of = |media: &'static str, bytes: &[u8]| {
        answer(&Message {
            bytes,
            content_type: Some(media.as_bytes()),
            ..Message::default()
        })
    };
    let plain = envelope("<a>\u{e4}</a>");
    let latin: Vec<u8> = plain.chars().map(|it| u8::try_from(it).unwrap()).collect();
    let wide: Vec<u8> = plain.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let expected = Ok("{\"a\":\"\u{e4}\",\"b\":[]}".to_owned());
    assert_eq!(of("text/xml; charset=iso-8859-1", &latin), expected);
    assert_eq!(of("text/xml;charset=\"utf-16\"", &wide), expected);
    assert_eq!(of("text/xml", plain.as_bytes()), expected);
    assert_eq!(of("text/xml; charset='utf-8'", plain.as_bytes()), expected);
    let mismatch = Error::Text(DecodeError::Mismatch("UTF-8".into()));
    assert_eq!(of("text/xml", &latin), Err(mismatch));
    let unsupported = Error::Text(DecodeError::Unsupported("utf-7".into()));
    assert_eq!(of("text/xml; charset=utf-7", &latin), Err(unsupported));
    // Half-width katakana have one byte, and three in UTF-8.
    let kana = envelope("<a>@</a>").replace('@', &"@".repeat(300));
    let kana: Vec<u8> = kana
        .bytes()
        .map(|it| if it == b'@' { 0xB1 } else { it })
        .collect();
    assert!(kana.len() < BYTES_MAX);
    assert_eq!(of("text/xml; charset=shift_jis", &kana), Err(Error::Size));
    // One after the other with the same memory, as in a gateway.
    let program = Program::load(&compiled_schema(SCHEMA).plan, Options::default());
    let (mut scratch, utf8) = (Scratch::default(), "text/xml;charset=UTF-8");
    let declared = [b"<?xml version='1.0' encoding='iso-8859-1'?>", &*latin].concat();
    for (media, bytes) in [
        (Some(utf8), plain.as_bytes()),
        (Some("text/xml; charset=iso-8859-1"), &latin),
        (Some(utf8), plain.as_bytes()),
        (None, &declared),
        (Some(""), &declared),
        (Some("text/xml"), &declared),
    ] {
        let message = Message {
            bytes,
            content_type: media.map(str::as_bytes),
            ..Message::default()
        };
        let mut out = Vec::new();
        let outcome = program.answer_message(0, &message, &mut scratch, &mut out);
        assert_eq!(outcome, Ok(Outcome::Json), "{media:?}");
        assert_eq!(Ok(String::from_utf8(out).unwrap()), expected, "{media:?}");
    }
    let large = envelope(&format!("<a>{}</a>", "x".repeat(BYTES_MAX)));
    assert_eq!(of("text/xml", large.as_bytes()), Err(Error::Size));
}

#[test]
fn packages_as_services_send_them_are_opened() {
    let wsdl = include_str!("../../tests/cases/mtom.wsdl");
    let program = Program::load(&compiled(wsdl).plan, Options::default());
    let rows: [(&[u8], &str); 2] = [
        (
            include_bytes!("../../tests/cases/mtom-base64.mime"),
            "AAECAw==",
        ),
        (include_bytes!("../../tests/cases/mtom-lf.mime"), "YWJj"),
    ];
    for (bytes, data) in rows {
        let message = Message {
            bytes,
            content_type: Some(b"multipart/related; boundary=b1; type=\"application/xop+xml\""),
            ..Message::default()
        };
        let (mut scratch, mut out) = (Scratch::default(), Vec::new());
        let outcome = program.answer_message(0, &message, &mut scratch, &mut out);
        assert_eq!(outcome, Ok(Outcome::Json));
        let json = format!("{{\"data\":\"{data}\"}}");
        assert_eq!(String::from_utf8(out), Ok(json));
    }
}

#[test]
fn characters_beyond_us_ascii_are_read_and_counted() {
    let utf8 = envelope("<a>\u{e4}</a>");
    let latin: Vec<u8> = utf8.chars().map(|it| u8::try_from(it).unwrap()).collect();
    let ascii = envelope("<a>&#xe4;</a>");
    let declared = [
        b"<?xml version='1.0' encoding='US-ASCII'?>",
        utf8.as_bytes(),
    ]
    .concat();
    let rows: [(Option<&str>, &[u8], u32); 4] = [
        (Some("text/xml; charset=us-ascii"), utf8.as_bytes(), 1),
        (Some("text/xml; charset=us-ascii"), &latin, 1),
        (Some("text/xml; charset=us-ascii"), ascii.as_bytes(), 0),
        (None, &declared, 1),
    ];
    for is_strict in [false, true] {
        let options = Options {
            is_strict,
            ..Options::default()
        };
        let program = Program::load(&compiled_schema(SCHEMA).plan, options);
        for (media, bytes, count) in rows {
            let message = Message {
                bytes,
                content_type: media.map(str::as_bytes),
                ..Message::default()
            };
            let (mut scratch, mut out) = (Scratch::default(), Vec::new());
            let outcome = program.answer_message(0, &message, &mut scratch, &mut out);
            if is_strict && count > 0 {
                let mismatch = outcome.unwrap_err().to_string();
                assert!(
                    mismatch.contains("beyond the declared US-ASCII"),
                    "{mismatch}"
                );
                continue;
            }
            assert_eq!(outcome, Ok(Outcome::Json));
            assert_eq!(scratch.mismatches().count, count, "{media:?}");
            assert_eq!(out, "{\"a\":\"\u{e4}\",\"b\":[]}".as_bytes());
        }
    }
}

#[test]
fn a_package_is_opened_and_its_parts_are_handed_out_within_the_bound() {
    let of = |content: &str, part: &str| {
        let root = envelope(content);
        let package = format!(
            "--b\r\nContent-Type: text/plain\r\nContent-ID: <1@x>\r\n\r\n{part}\r\n--b\r\n\
             Content-Type: application/xop+xml; charset=utf-8\r\nContent-ID: <r@x>\r\n\r\n{root}\
             \r\n--b--\r\n"
        );
        answer(&Message {
            bytes: package.as_bytes(),
            content_type: Some(b"multipart/related; boundary=b; start=\"<r@x>\""),
            ..Message::default()
        })
    };
    let include = "<b><i:Include xmlns:i='http://www.w3.org/2004/08/xop/include' \
                   href='cid:1@x'/></b>";
    assert_eq!(of(include, "foo"), Ok(r#"{"b":["Zm9v"]}"#.to_owned()));
    // A reference that is a value (swaRef) remains one.
    let reference = of("<a>cid:1@x</a>", "foo");
    assert_eq!(reference, Ok(r#"{"a":"cid:1@x","b":[]}"#.to_owned()));
    let part = "x".repeat(BYTES_MAX / 2);
    assert!(of(&include.repeat(2), &part).is_ok());
    let again = of(&include.repeat(3), &part);
    assert_eq!(again, Err(Error::Size));
    let bare = Message {
        bytes: b"<a/>",
        content_type: Some(b"multipart/related"),
        ..Message::default()
    };
    let no_boundary = Err(Error::Package(multipart::Error::Boundary));
    assert_eq!(answer(&bare), no_boundary);
}
