//! A fuzz target without a fuzzer, run with every test: random mutations of recorded responses.

use fuzzing::fuzz;
use tollgate_xml::{Bounds, Event, Names, Reader, Stack, decode, decode_prefix};

#[path = "../../soap/tests/support/fuzzing.rs"]
mod fuzzing;
#[path = "../../soap/tests/support/mutation.rs"]
mod mutation;

const ANSWERS: [&[u8]; 3] = [
    include_bytes!("../../soap/tests/messages/stock.response.xml"),
    include_bytes!("../../soap/tests/messages/order.response.xml"),
    include_bytes!("../../soap/tests/messages/update.response.xml"),
];

#[test]
fn accepted_xml_is_read_equally_by_another_reader() {
    let names = Names::new([]);
    let mut stack = Stack::default();
    fuzz(|random| {
        let mut bytes = ANSWERS[random.below(ANSWERS.len())].to_vec();
        random.mutated(&mut bytes);
        let bounds = Bounds {
            depth_max: 64,
            ..Bounds::default()
        };
        let Ok(text) = decode(&bytes, None, bounds) else {
            return false;
        };
        let mut reader = Reader::new(&text, &names, &mut stack, bounds);
        let (mut elements, mut characters) = (0, String::new());
        let is_read = loop {
            match reader.next() {
                Ok(Event::Start(_)) => elements += 1,
                Ok(Event::Text(text)) => characters.push_str(text),
                Ok(Event::Character(character)) => characters.push(character),
                Ok(Event::End) => {}
                Ok(Event::Eof) => break true,
                Err(_) => break false,
            }
        };
        if is_read {
            let other = roxmltree::Document::parse(text.as_str());
            let other = other.unwrap_or_else(|error| panic!("{error}: {}", text.as_str()));
            let nodes = || other.descendants();
            assert_eq!(
                nodes().filter(roxmltree::Node::is_element).count(),
                elements
            );
            let of_root = nodes()
                .filter(roxmltree::Node::is_text)
                .filter_map(|node| node.text());
            assert_eq!(of_root.collect::<String>(), characters);
        }
        // A prefix is never more than the whole.
        let end = random.below(bytes.len() + 1);
        if let Ok(prefix) = decode_prefix(&bytes[..end], None, bounds) {
            let mut reader = Reader::new(&prefix, &names, &mut stack, bounds);
            while reader.next().is_ok_and(|event| event != Event::Eof) {}
        }
        is_read
    });
}
