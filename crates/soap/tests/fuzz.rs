//! Fuzz targets without a fuzzer, so that they run with every test: random mutations of recorded
//! answers. Nothing panics; what is emitted is JSON; what is refused leaves nothing behind.
//!
//! `FUZZ_SECONDS` says how long each target runs; a failure prints the seed that `FUZZ_SEED`
//! takes to repeat it.

use std::time::{Duration, Instant, SystemTime};

use serde_json::Value;
use tollgate_soap::multipart::{self, Multipart};
use tollgate_soap::to_json::{Options, Program, Scratch};
use tollgate_soap::xml::{Bounds, Event, Names, Reader, Stack, decode, decode_prefix};

#[path = "support/shop.rs"]
mod shop;

const WORDS: [&str; 44] = [
    "<",
    ">",
    "/>",
    "</",
    "\"",
    "'",
    "&",
    "&amp;",
    "&#65;",
    "&#x110000;",
    "&#0;",
    "&x;",
    "]]>",
    "<![CDATA[",
    "<!--",
    "-->",
    "<?p?>",
    "<!DOCTYPE a>",
    "<a/>",
    "<a>",
    "</a>",
    " ",
    "\t",
    "\n",
    "\r\n",
    "\u{0}",
    "\u{fffe}",
    "ä",
    ":",
    "ns2:",
    "xmlns",
    " xmlns=''",
    " xmlns:ns2='urn:x'",
    " xsi:nil='true'",
    " xsi:type='ns2:Order'",
    " xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'",
    "ns2:row",
    "ns2:report",
    "number",
    "-1",
    "1e5",
    "INF",
    "=",
    "soap:Fault",
];

/// xorshift64*
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() >> 33) as usize % bound.max(1)
    }

    fn mutated(&mut self, bytes: &mut Vec<u8>) {
        for _ in 0..self.below(6) {
            let start = self.below(bytes.len() + 1);
            let end = start + self.below((bytes.len() - start).min(60) + 1);
            // Where a tag begins is a better place to cut than any byte.
            let (start, end) = match self.below(2) {
                0 => (start, end),
                _ => (
                    next_tag(bytes, start),
                    next_tag(bytes, end).max(next_tag(bytes, start)),
                ),
            };
            match self.below(6) {
                0 if !bytes.is_empty() => {
                    let at = self.below(bytes.len());
                    bytes[at] ^= 1 << self.below(8);
                }
                1 => drop(bytes.drain(start..end)),
                2 => {
                    let copy = bytes[start..end].to_vec();
                    let at = next_tag(bytes, self.below(bytes.len() + 1));
                    drop(bytes.splice(at..at, copy));
                }
                3 => bytes.truncate(bytes.len().max(40) - self.below(40)),
                _ => {
                    let word = WORDS[self.below(WORDS.len())];
                    drop(bytes.splice(start..start, word.bytes()));
                }
            }
        }
    }
}

fn next_tag(bytes: &[u8], at: usize) -> usize {
    at + bytes[at..]
        .iter()
        .position(|&byte| byte == b'<')
        .unwrap_or(0)
}

/// Tells the seed when a target panics.
struct Seed(u64);

#[expect(
    clippy::print_stderr,
    reason = "whoever ran the tests must learn the seed"
)]
impl Drop for Seed {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("repeat it with FUZZ_SEED={}", self.0);
        }
    }
}

/// Runs a target, which tells whether its input was accepted: both must happen.
#[expect(
    clippy::print_stdout,
    reason = "shown with --nocapture: how much was tried"
)]
fn fuzz(mut target: impl FnMut(&mut Random) -> bool) {
    if let Ok(seed) = std::env::var("FUZZ_SEED") {
        target(&mut Random(seed.parse().expect("a number")));
        return;
    }
    let seconds = std::env::var("FUZZ_SECONDS").map_or(2, |text| text.parse().expect("a number"));
    let since_epoch = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let mut seeds = Random(since_epoch.expect("a clock after 1970").as_nanos() as u64 | 1);
    let (start, mut verdicts) = (Instant::now(), [0_u64; 2]);
    while start.elapsed() < Duration::from_secs(seconds) || verdicts.contains(&0) {
        let seed = Seed(seeds.next() | 1);
        verdicts[usize::from(target(&mut Random(seed.0)))] += 1;
        assert!(
            start.elapsed() < Duration::from_secs(seconds + 60),
            "one verdict only"
        );
    }
    println!("{} refused, {} accepted", verdicts[0], verdicts[1]);
}

#[test]
fn what_is_emitted_of_any_answer_is_json() {
    let plan = shop::plan();
    let lenient = Program::load(&plan, Options::default());
    let strict = Program::load(
        &plan,
        Options {
            is_strict: true,
            ..Options::default()
        },
    );
    let (mut scratch, mut out) = (Scratch::default(), Vec::new());
    let fault = (
        "getOrder",
        &include_bytes!("messages/fault.response.xml")[..],
    );
    fuzz(|random| {
        let row = random.below(shop::ANSWERS.len());
        let (name, bytes) = shop::ANSWERS
            .get(row)
            .copied()
            .filter(|it| it.1.len() < 9_000)
            .unwrap_or(fault);
        let mut bytes = bytes.to_vec();
        random.mutated(&mut bytes);
        let Ok(text) = decode(&bytes, None, Bounds::default()) else {
            return false;
        };
        let operation = shop::operation(&plan, name);
        out.clear();
        out.extend_from_slice(b"before");
        let outcome = lenient.answer(operation, &text, &(), &mut scratch, &mut out);
        let is_sound = scratch.mismatches().count == 0;
        let json = out[6..].to_vec();
        match outcome {
            Ok(_) => {
                let read = serde_json::from_slice::<Value>(&json);
                assert!(read.is_ok(), "{}\n{}", text.as_str(), json.escape_ascii());
            }
            Err(_) => assert!(json.is_empty()),
        }
        // Strict, the same or nothing.
        out.clear();
        let again = strict.answer(operation, &text, &(), &mut scratch, &mut out);
        match (outcome, again) {
            (Ok(_), Ok(_)) => assert!(is_sound && out == json),
            (_, Err(_)) => assert!(out.is_empty() && (!is_sound || outcome.is_err())),
            (Err(_), Ok(_)) => panic!("strict is laxer: {}", text.as_str()),
        }
        outcome.is_ok()
    });
}

#[test]
fn what_is_read_as_xml_is_read_so_by_another_reader() {
    let names = Names::new([]);
    let mut stack = Stack::default();
    fuzz(|random| {
        let (_, bytes) = shop::ANSWERS[random.below(3)];
        let mut bytes = bytes.to_vec();
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

#[test]
fn parts_lie_within_their_message() {
    let sound =
        b"--b\r\nContent-ID: <r>\r\nContent-Type: a/b\r\n\r\n<a/>\r\n--b\r\nContent-ID: <p>\r\n\
                  \r\nbytes\r\n--b--\r\n";
    let bounds = multipart::Bounds::default();
    fuzz(|random| {
        let mut bytes = sound.to_vec();
        random.mutated(&mut bytes);
        let start = (random.below(2) == 0).then_some("<r>");
        Multipart::read(&bytes, "b", start, bounds).is_ok()
    });
}
