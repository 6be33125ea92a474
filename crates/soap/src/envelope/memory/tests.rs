use tollgate_xml::{Bounds, Event, Names, Stack, decode};

use super::*;
use crate::envelope::close;

/// Reads the rest of a document after its beginning, with attributes and the namespaces of
/// prefixes.
fn read(
    memory: Option<&mut Memory>,
    (by, operation): (&Identity, usize),
    names: &Names,
    document: &str,
) -> Result<String, Error> {
    let text = decode(document.as_bytes(), None, Bounds::default()).unwrap();
    let mut stack = Stack::default();
    let mut reader = Reader::new(&text, names, &mut stack, Bounds::default());
    let opened = match memory {
        Some(memory) => memory.open(by, operation, &mut reader)?,
        None => open(&mut reader)?,
    };
    let mut events = format!("{opened:?}");
    let depth = reader.depth();
    if opened.child.is_some() {
        loop {
            for attribute in reader.attributes() {
                let value = reader
                    .attribute_value(attribute, &mut String::new())
                    .to_owned();
                events += &format!(" {}={value}", reader.attribute_name(attribute));
            }
            let meaning = ["", "a", "b"].map(|prefix| format!("{:?}", reader.resolve(prefix)));
            events += &format!(" {meaning:?} at {} {}", reader.offset(), reader.depth());
            let event = reader.next()?;
            events += &format!(" {event:?}");
            if event == Event::End && reader.depth() < depth {
                break;
            }
        }
    }
    close(&mut reader, opened)?;
    Ok(events)
}

#[test]
fn a_known_beginning_is_read_like_a_new_one() {
    const V1_1: &str = "http://schemas.xmlsoap.org/soap/envelope/";
    let beginnings = [
        "<E:Envelope xmlns:E='V'><E:Body><a:say xmlns:a='urn:a'>",
        "<E:Envelope xmlns:E='V'><E:Body><a:say xmlns:a='urn:b'>",
        "<E:Envelope xmlns:E='V'><E:Body><a:say xmlns:a='urn:a' b='1' a:c='&lt;'>",
        "<E:Envelope xmlns:E='V' xmlns='urn:&amp;'><!-- --> <E:Body><say xmlns:a='urn:&#38;'>",
        "<Envelope xmlns='V'><Body><say xmlns=''>",
        "<?xml version='1.0'?><E:Envelope xmlns:E='V'><E:Header/><E:Body><say>",
        "<E:Envelope xmlns:E='V'><E:Header><a>1</a></E:Header><E:Body><say>",
        "<E:Envelope xmlns:E='V'><E:Body><say/>",
        "<E:Envelope xmlns:E='V'><E:Body><E:Fault>",
        "<E:Envelope xmlns:E='V'><E:Body>",
        "<E:Envelope xmlns:E='V'><E:Body><say></E:Body>",
        "<Envelope><Body><say>",
    ];
    let contents = [
        "",
        "text",
        "<a:b xmlns:a='urn:a'/>",
        "<b/><a:b/>",
        "<?pi?>",
        "<say>1</say>",
    ];
    let names = [
        Names::new(["urn:a", "urn:b"]),
        Names::new(["urn:b", "urn:a", "urn:&"]),
    ];
    let by = [Identity::default(), Identity::default()];
    let mut memory = Memory::default();
    for beginning in beginnings {
        let tags = [
            "say",
            "a:say",
            "E:Fault",
            "E:Body",
            "E:Envelope",
            "Body",
            "Envelope",
        ];
        let is_open = |tag: &&str| {
            [">", " "]
                .map(|end| format!("<{tag}{end}"))
                .iter()
                .any(|it| beginning.contains(it))
        };
        let end: String = tags
            .iter()
            .copied()
            .filter(|tag| is_open(tag))
            .map(|tag| format!("</{tag}>"))
            .collect();
        // Twice the same by each reader, and then as the other operation of each.
        for (turn, content) in contents.iter().chain(&contents).enumerate() {
            let document = format!("{beginning}{content}{end}").replace('V', V1_1);
            for (which, operation) in [(0, 0), (0, 0), (1, 0), (1, turn % 3), (0, turn % 2)] {
                let key = (&by[which], operation);
                let expected = read(None, key, &names[which], &document);
                let found = read(Some(&mut memory), key, &names[which], &document);
                assert_eq!(found, expected, "{document}");
            }
        }
    }
}

#[test]
fn a_beginning_is_kept_once_and_for_its_reader_alone() {
    let document = "<E:Envelope xmlns:E='http://schemas.xmlsoap.org/soap/envelope/'><E:Body><a/>\
                    </E:Body></E:Envelope>";
    let (names, by) = (Names::new([]), [Identity::default(), Identity::default()]);
    let mut memory = Memory::default();
    let kept = |memory: &Memory| memory.known.iter().flatten().count();
    for _ in 0..3 {
        read(Some(&mut memory), (&by[0], 0), &names, document).unwrap();
        assert_eq!(kept(&memory), 1);
    }
    let header = document.replace("<E:Body>", "<E:Header/><E:Body>");
    read(Some(&mut memory), (&by[0], 1), &names, &header).unwrap();
    assert_eq!(kept(&memory), 1);
    read(Some(&mut memory), (&by[0], 1), &names, document).unwrap();
    assert_eq!(kept(&memory), 2);
    read(Some(&mut memory), (&by[1], 0), &names, document).unwrap();
    assert!(memory.known.iter().flatten().any(|known| known.by == by[1]));
}
