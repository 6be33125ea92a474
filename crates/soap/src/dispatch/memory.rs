//! A cache of beginnings of requests: callers repeat the same bytes, up to the name of the
//! operation.
//!
//! The result of [`Dispatch::find`](super::Dispatch::find) depends on the head's fields, on the
//! bytes up to the end of the body's first tag, and on whether the bytes after them are text. If
//! all of that is byte for byte the same as before, nothing is parsed again. Envelopes with header
//! blocks are not kept: identifiers and times make each of them different.

use tollgate_xml::{Stack, is_sound_prefix};

use super::{Found, Head, WINDOWS};
use crate::identity::Identity;

/// Number of sets; the fields of the head select the set of a beginning.
const SETS: usize = 32;
/// Entries of a set, for one action or all requests without one: other services, operations, XML
/// writers.
const WAYS: usize = 4;
/// Maximum bytes of types and actions; longer ones are not kept.
const FIELD_BYTES_MAX: usize = 256;

/// State kept from request to request: the parser's memory and the cache.
#[derive(Debug, Default)]
pub struct Memory {
    pub(super) stack: Stack,
    sets: [Vec<Known>; SETS],
    /// The entry of a full set that is replaced next.
    turn: usize,
}

/// A beginning and its result.
#[derive(Debug)]
struct Known {
    by: Identity,
    content_type: Option<Box<[u8]>>,
    soap_action: Option<Box<[u8]>>,
    bytes: Box<[u8]>,
    found: Found,
}

impl Memory {
    /// Returns the result of an identical beginning.
    pub(super) fn recall(&self, by: &Identity, head: &Head<'_>, bytes: &[u8]) -> Option<Found> {
        if head.content_encoding.is_some() {
            return None;
        }
        let mut ways = self.sets[set_of(head)].iter();
        let known = ways.find(|known| known.is(by, head, bytes))?;
        // The range that would be decoded.
        let rest = &bytes[known.bytes.len()..bytes.len().min(WINDOWS[0])];
        is_sound_prefix(rest).then(|| known.found.clone())
    }

    /// Keeps the result for a body that begins with `bytes` and is read without decoding.
    pub(super) fn keep(&mut self, by: &Identity, head: &Head<'_>, bytes: &[u8], found: Found) {
        let is_coded = head.content_encoding.is_some();
        let fields = [head.content_type, head.soap_action];
        let is_long = |field: &[u8]| field.len() > FIELD_BYTES_MAX;
        if is_coded || bytes.len() > WINDOWS[0] || fields.into_iter().flatten().any(is_long) {
            return;
        }
        let known = Known {
            by: by.clone(),
            content_type: head.content_type.map(Box::from),
            soap_action: head.soap_action.map(Box::from),
            bytes: bytes.into(),
            found,
        };
        let set = &mut self.sets[set_of(head)];
        if set.len() < WAYS {
            set.push(known);
            return;
        }
        set[self.turn] = known;
        self.turn = (self.turn + 1) % WAYS;
    }
}

impl Known {
    fn is(&self, by: &Identity, head: &Head<'_>, bytes: &[u8]) -> bool {
        self.by == *by
            && bytes.starts_with(&self.bytes)
            && self.content_type.as_deref() == head.content_type
            && self.soap_action.as_deref() == head.soap_action
    }
}

/// Returns the set for beginnings with this head: a hash of the last bytes of its most specific
/// field.
fn set_of(head: &Head<'_>) -> usize {
    // A SOAP 1.2 action is the type's last parameter; `""` means no action.
    let action = head.soap_action.filter(|action| action.len() > 2);
    let field = action.or(head.content_type).unwrap_or_default();
    let end = field.iter().rev().take(12);
    let mixed = end.fold(0_usize, |mixed, &byte| {
        mixed.wrapping_mul(37).wrapping_add(usize::from(byte))
    });
    mixed % SETS
}
