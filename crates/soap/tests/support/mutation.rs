//! Random changes to XML, preferably at the beginning of tags.

use crate::fuzzing::Random;

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

impl Random {
    pub(crate) fn mutated(&mut self, bytes: &mut Vec<u8>) {
        for _ in 0..self.below(6) {
            let start = self.below(bytes.len() + 1);
            let end = start + self.below((bytes.len() - start).min(60) + 1);
            // The beginning of a tag is a better place to cut than any byte.
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
