//! Messages as a dry run shows them. Those before and after steps are cut, since there may be 128
//! of 10 MiB; what goes up and the response are whole.

use tollgate_model::api::Method;

use super::message::Field;

/// Maximum bytes of the body of a message that is cut.
pub const BODY_BYTES_SHOWN: usize = 64 << 10;
/// Maximum bytes of the path, names and values of a message that is cut.
pub const HEAD_BYTES_SHOWN: usize = 64 << 10;

/// A message as it is shown: without credentials.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// The first line.
    pub start: Start,
    /// The field lines.
    pub fields: Vec<Field>,
    /// The body, or its beginning; empty without one.
    pub body: Vec<u8>,
    /// The number of bytes of the whole body.
    pub body_bytes: usize,
    /// Whether a part of the message is left out.
    pub is_truncated: bool,
}

/// The first line of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Start {
    /// Method, and path and query.
    Request(Method, String),
    /// Status.
    Response(u16),
}

impl Shown {
    /// Returns a whole message.
    pub(super) fn new(start: Start, fields: Vec<Field>, body: &[u8]) -> Self {
        Self {
            start,
            fields,
            body: body.to_vec(),
            body_bytes: body.len(),
            is_truncated: false,
        }
    }

    /// Returns a message with the beginning of its body.
    pub(super) fn with_beginning(start: Start, fields: Vec<Field>, body: &[u8]) -> Self {
        let beginning = &body[..boundary(body, BODY_BYTES_SHOWN)];
        Self {
            body_bytes: body.len(),
            is_truncated: beginning.len() < body.len(),
            ..Self::new(start, fields, beginning)
        }
    }

    /// Leaves out the end of the head if it is too long.
    pub(super) fn cut_head(&mut self) {
        let mut room = HEAD_BYTES_SHOWN;
        let mut is_truncated = false;
        let mut cut = |text: &mut String| {
            let end = boundary(text.as_bytes(), room);
            is_truncated |= end < text.len();
            text.truncate(end);
            room -= end;
        };
        if let Start::Request(_, path) = &mut self.start {
            cut(path);
        }
        for (name, value) in &mut self.fields {
            cut(name);
            cut(value);
        }
        self.fields.retain(|(name, _)| !name.is_empty());
        self.is_truncated |= is_truncated;
    }
}

/// Returns the end of the longest beginning with at most `bytes_max` bytes that splits no
/// character.
fn boundary(bytes: &[u8], bytes_max: usize) -> usize {
    if bytes.len() <= bytes_max {
        return bytes.len();
    }
    let is_continuation = |at: &usize| bytes[*at] & 0b1100_0000 == 0b1000_0000;
    // A character has at most four bytes; a body that is no text is cut anywhere.
    let mut ends = (bytes_max.saturating_sub(3)..=bytes_max).rev();
    ends.find(|at| !is_continuation(at)).unwrap_or(bytes_max)
}
