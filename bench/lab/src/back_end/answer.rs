//! Responses as bytes. Those of fixed size are built once and shared by all clients.

use std::collections::HashMap;
use std::rc::Rc;

/// Maximum number of cached responses; other sizes are built on each request.
const KEPT_MAX: usize = 64;

/// Responses of fixed size, head and body in one buffer, by body size.
#[derive(Debug, Default)]
pub(crate) struct Answers(HashMap<u64, Rc<[u8]>>);

impl Answers {
    /// Returns the response with `count` bytes of JSON-like text.
    pub(crate) fn of_bytes(&mut self, count: u64) -> Rc<[u8]> {
        if let Some(answer) = self.0.get(&count) {
            return Rc::clone(answer);
        }
        let answer: Rc<[u8]> = whole("200 OK", &text(count)).into();
        if self.0.len() < KEPT_MAX {
            self.0.insert(count, Rc::clone(&answer));
        }
        answer
    }
}

/// Builds a JSON response, head and body.
pub(crate) fn whole(status: &str, body: &[u8]) -> Vec<u8> {
    of_parts(status, "application/json", &[body])
}

/// Builds a response of any media type, with a body in parts.
pub(crate) fn of_parts(status: &str, media_type: &str, body: &[&[u8]]) -> Vec<u8> {
    let body_bytes: usize = body.iter().map(|part| part.len()).sum();
    let mut bytes = Vec::with_capacity(128 + body_bytes);
    for part in [
        "HTTP/1.1 ",
        status,
        "\r\nContent-Type: ",
        media_type,
        "\r\nContent-Length: ",
        &body_bytes.to_string(),
        "\r\n\r\n",
    ] {
        bytes.extend_from_slice(part.as_bytes());
    }
    for part in body {
        bytes.extend_from_slice(part);
    }
    bytes
}

/// Returns the offset of the body.
pub(crate) fn head_bytes(answer: &[u8]) -> usize {
    memchr::memmem::find(answer, b"\r\n\r\n").map_or(answer.len(), |end| end + 4)
}

/// Returns `count` bytes of text: valid JSON if there is room for it, else digits.
fn text(count: u64) -> Vec<u8> {
    let count = usize::try_from(count).unwrap_or_default();
    let (front, back) = ("{\"message\":\"", "\"}");
    let Some(room) = count.checked_sub(front.len() + back.len()) else {
        return b"123456789012345"[..count].to_vec();
    };
    let filling = b"abcdefghijklmnopqrstuvwxyz0123456789"
        .iter()
        .cycle()
        .take(room);
    front
        .bytes()
        .chain(filling.copied())
        .chain(back.bytes())
        .collect()
}
