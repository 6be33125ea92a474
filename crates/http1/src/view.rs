//! Views of heads together with the bytes that their spans refer to.

use std::ops::Deref;

use crate::compose::push_fields;
use crate::head::{Field, Fields, Known, RequestHead, ResponseHead};

/// The head of a request with its bytes.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    head: &'a RequestHead,
    bytes: &'a [u8],
}

/// The head of a response with its bytes.
#[derive(Debug, Clone, Copy)]
pub struct Response<'a> {
    head: &'a ResponseHead,
    bytes: &'a [u8],
}

/// The field lines of a head with its bytes.
#[derive(Debug, Clone, Copy)]
pub struct Lines<'a> {
    fields: &'a Fields,
    bytes: &'a [u8],
}

/// A field line with the bytes of its head.
#[derive(Debug, Clone, Copy)]
pub struct Line<'a> {
    field: &'a Field,
    bytes: &'a [u8],
}

impl<'a> Request<'a> {
    /// Combines a head with the bytes that it was parsed from.
    #[must_use]
    pub fn new(head: &'a RequestHead, bytes: &'a [u8]) -> Self {
        Self { head, bytes }
    }

    /// The method's token.
    #[must_use]
    pub fn method(self) -> &'a [u8] {
        self.head.method.of_bytes(self.bytes)
    }

    /// Path and query, see [`RequestHead::target`].
    #[must_use]
    pub fn target(self) -> &'a [u8] {
        self.head.target.of_bytes(self.bytes)
    }

    /// The page's origin, if there is exactly one.
    #[must_use]
    pub fn origin(self) -> Option<&'a [u8]> {
        let origin = self.head.origin?;
        Some(origin.of_bytes(self.bytes))
    }

    /// The field lines.
    #[must_use]
    pub fn lines(self) -> Lines<'a> {
        Lines {
            fields: &self.head.fields,
            bytes: self.bytes,
        }
    }
}

impl<'a> Response<'a> {
    /// Combines a head with the bytes that it was parsed from.
    #[must_use]
    pub fn new(head: &'a ResponseHead, bytes: &'a [u8]) -> Self {
        Self { head, bytes }
    }

    /// The reason phrase.
    #[must_use]
    pub fn reason(self) -> &'a [u8] {
        self.head.reason.of_bytes(self.bytes)
    }

    /// The field lines.
    #[must_use]
    pub fn lines(self) -> Lines<'a> {
        Lines {
            fields: &self.head.fields,
            bytes: self.bytes,
        }
    }
}

impl Deref for Request<'_> {
    type Target = RequestHead;
    fn deref(&self) -> &RequestHead {
        self.head
    }
}

impl Deref for Response<'_> {
    type Target = ResponseHead;
    fn deref(&self) -> &ResponseHead {
        self.head
    }
}

impl<'a> Lines<'a> {
    /// Iterates over the lines in order.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = Line<'a>> + ExactSizeIterator + Clone {
        let bytes = self.bytes;
        let fields = self.fields.lines.iter();
        fields.map(move |field| Line { field, bytes })
    }

    /// The line at this index.
    #[must_use]
    pub fn get(self, index: usize) -> Line<'a> {
        Line {
            field: &self.fields.lines[index],
            bytes: self.bytes,
        }
    }

    /// The value of the first line of this kind.
    #[must_use]
    pub fn first(self, known: Known) -> Option<&'a [u8]> {
        let field = self.fields.first(known)?;
        Some(field.value.of_bytes(self.bytes))
    }

    /// The values of the lines with this name, ignoring case.
    pub fn named(self, name: &[u8]) -> impl DoubleEndedIterator<Item = &'a [u8]> + Clone {
        let known = Known::of(name);
        let lines = self.iter();
        let named = lines.filter(move |line| line.known == known && line.is(name));
        named.map(Line::value)
    }

    /// Appends the lines that `keeps` accepts to `out`, copying adjacent ones together.
    pub fn push(self, out: &mut Vec<u8>, mut keeps: impl FnMut(Line<'a>) -> bool) {
        let Self { fields, bytes } = self;
        push_fields(out, bytes, fields, |field| keeps(Line { field, bytes }));
    }
}

impl<'a> Line<'a> {
    /// The name, as sent.
    #[must_use]
    pub fn name(self) -> &'a [u8] {
        self.field.name.of_bytes(self.bytes)
    }

    /// The value, without the white space around it.
    #[must_use]
    pub fn value(self) -> &'a [u8] {
        self.field.value.of_bytes(self.bytes)
    }

    /// Whether this is its name, ignoring case.
    #[must_use]
    pub fn is(self, name: &[u8]) -> bool {
        self.name().eq_ignore_ascii_case(name)
    }
}

impl Deref for Line<'_> {
    type Target = Field;
    fn deref(&self) -> &Field {
        self.field
    }
}
