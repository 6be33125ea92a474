//! The open elements while a response is read, and items that arrive after their array has ended.
//!
//! The items of an array are mostly adjacent, and are written immediately. If another element comes
//! between them, the array has been closed: a later item is written at the end of the buffer like
//! any other, then moved aside (`late`), and inserted into its array when the element ends.

use std::ops::Range;

use super::departures::Departures;
use super::fragment::Fragments;
use super::order::has;
use super::{Mismatch, Mismatches};
use crate::value;

/// Marks a missing entry or field.
pub(super) const NONE: u16 = u16::MAX;

/// An open element with element content, or an iteration of a repeated group.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    /// Index into the program's elements.
    pub(super) elements: u32,
    /// The entry that should come next.
    pub(super) expected: u16,
    /// The field whose array is being written.
    pub(super) open: u16,
    /// The number of its items so far.
    pub(super) open_items: u32,
    /// The field of the last child.
    pub(super) last: u16,
    /// The number of children so far.
    pub(super) children: u32,
    pub(super) is_group: bool,
    pub(super) has_member: bool,
    /// The value of the element.
    pub(super) item: Item,
    /// The start of its parts of [`Work`].
    pub(super) base: Base,
}

impl Frame {
    pub(super) fn new(elements: u32, item: Item) -> Self {
        Self {
            elements,
            expected: 0,
            open: NONE,
            open_items: 0,
            last: NONE,
            children: 0,
            is_group: false,
            has_member: false,
            item,
            base: Base::default(),
        }
    }
}

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Base {
    pub(super) seen: usize,
    closed: usize,
    late: usize,
    late_bytes: usize,
}

/// A value that is being written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item {
    /// The start of the value.
    pub(super) start: usize,
    /// The field of the parent, if its array was closed before this item.
    pub(super) late_of: u16,
    /// The number of braces that close it, besides its own.
    pub(super) wraps: u8,
}

/// An array that was closed: late items are inserted before its bracket.
#[derive(Debug)]
pub(super) struct Closed {
    pub(super) field: u16,
    pub(super) at: usize,
}

/// An item whose array was closed before.
#[derive(Debug)]
struct Late {
    field: u16,
    bytes: Range<usize>,
}

/// Buffers reused from response to response, besides the stack of the reader.
#[derive(Debug, Default)]
pub(crate) struct Work {
    pub(super) frames: Vec<Frame>,
    /// Bits of the fields that have appeared, for each frame.
    pub(super) seen: Vec<u64>,
    pub(super) closed: Vec<Closed>,
    late: Vec<Late>,
    late_bytes: Vec<u8>,
    merged: Vec<u8>,
    /// Text that is split in the message.
    pub(super) text: String,
    /// The value of an attribute.
    pub(super) value: String,
    pub(super) fragments: Fragments,
    /// Buffer for the members of unions.
    pub(super) rules: value::Work,
    pub(super) mismatches: Mismatches,
    pub(super) departures: Departures,
}

impl Work {
    pub(super) fn clear(&mut self) {
        self.frames.clear();
        self.seen.clear();
        self.closed.clear();
        self.late.clear();
        self.late_bytes.clear();
        self.mismatches = Mismatches::default();
        self.departures.clear();
    }

    pub(super) fn note(&mut self, mismatch: Mismatch) {
        self.mismatches.count = self.mismatches.count.saturating_add(1);
        self.mismatches.first.get_or_insert(mismatch);
    }

    /// Opens a frame with `words` words of bits for its fields.
    pub(super) fn push(&mut self, frame: Frame, words: usize) {
        let base = Base {
            seen: self.seen.len(),
            closed: self.closed.len(),
            late: self.late.len(),
            late_bytes: self.late_bytes.len(),
        };
        self.seen.resize(base.seen + words, 0);
        self.frames.push(Frame { base, ..frame });
    }

    pub(super) fn has_seen(&self, frame: &Frame, field: u16) -> bool {
        has(&self.seen[frame.base.seen..], field)
    }

    /// Returns the fields of the innermost frame that have appeared.
    pub(super) fn seen(&self, frame: &Frame) -> &[u64] {
        &self.seen[frame.base.seen..]
    }

    /// Inserts the late items of the innermost frame into their arrays.
    pub(super) fn merge(&mut self, frame: &Frame, out: &mut Vec<u8>) {
        let (closed, late) = (
            &self.closed[frame.base.closed..],
            &mut self.late[frame.base.late..],
        );
        if late.is_empty() {
            return;
        }
        late.sort_unstable_by_key(|item| (item.field, item.bytes.start));
        self.merged.clear();
        // The buffer is rewritten from the first array that gets items.
        let (mut start, mut from) = (None, 0);
        for array in closed {
            let items = &late[late.partition_point(|item| item.field < array.field)..];
            let items = &items[..items.partition_point(|item| item.field == array.field)];
            if items.is_empty() {
                continue;
            }
            if start.is_none() {
                start = Some(array.at);
                from = array.at;
            }
            self.merged.extend_from_slice(&out[from..array.at]);
            from = array.at;
            for item in items {
                self.merged.push(b',');
                self.merged
                    .extend_from_slice(&self.late_bytes[item.bytes.clone()]);
            }
        }
        if let Some(start) = start {
            self.merged.extend_from_slice(&out[from..]);
            out.truncate(start);
            out.extend_from_slice(&self.merged);
        }
    }

    /// Removes the parts of a popped frame; if the frame was late itself, moves its value aside.
    pub(super) fn pop(&mut self, frame: &Frame, out: &mut Vec<u8>) {
        self.seen.truncate(frame.base.seen);
        self.closed.truncate(frame.base.closed);
        self.late.truncate(frame.base.late);
        self.late_bytes.truncate(frame.base.late_bytes);
        self.finish(frame.item, out);
    }

    /// Removes the departures in frames that are no longer open.
    pub(super) fn forget_departures(&mut self) {
        self.departures.truncate(self.frames.len());
    }

    /// Ends a value.
    pub(super) fn finish(&mut self, item: Item, out: &mut Vec<u8>) {
        for _ in 0..item.wraps {
            out.push(b'}');
        }
        if item.late_of != NONE {
            let start = self.late_bytes.len();
            self.late_bytes.extend_from_slice(&out[item.start..]);
            out.truncate(item.start);
            self.late.push(Late {
                field: item.late_of,
                bytes: start..self.late_bytes.len(),
            });
        }
    }
}
