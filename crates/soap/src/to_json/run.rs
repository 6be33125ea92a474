//! Elements to members of objects: each child is looked up among those of its parent's type, and
//! written under its key, into its array, or into the iteration of a repeated group. If its name is
//! not found, `lenient.rs` looks for its local name.

use tollgate_xml::{Event, Reader, Tag, trim};

use crate::plan::Process;

use super::frames::{Closed, Frame, Item, NONE, Work};
use super::order::{has, set};
use super::program::{ElementsIndex, FieldIndexKind, Program, Slot};
use super::{Error, Mismatch, What};
use crate::multipart::Parts;

/// The state of reading one response.
pub(crate) struct Run<'r, 'a, 's> {
    pub(crate) program: &'r Program,
    pub(crate) reader: Reader<'a, 's>,
    pub(crate) work: &'r mut Work,
    pub(crate) out: &'r mut Vec<u8>,
    pub(crate) parts: &'r dyn Parts,
}

/// The place of a child.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    field: u16,
    /// [`NONE`] for a wildcard.
    pub(super) entry: u16,
}

impl<'r> Run<'r, '_, '_> {
    /// Writes the element that was opened last, and reads to its end.
    pub(crate) fn element(&mut self, slot: &'r Slot) -> Result<(), Error> {
        let base = self.work.frames.len();
        let item = self.item();
        self.begin(slot, None, item)?;
        self.run(base)
    }

    /// Writes the element that was opened last as an item of a wildcard.
    pub(crate) fn any(&mut self, tag: Tag<'_>, process: Process) -> Result<(), Error> {
        let base = self.work.frames.len();
        let item = self.item();
        self.begin_any(tag, process, item)?;
        self.run(base)
    }

    pub(crate) fn mismatch(&mut self, what: What) -> Result<(), Error> {
        let mismatch = Mismatch {
            what,
            offset: self.reader.offset(),
        };
        if self.program.options.is_strict {
            return Err(Error::Mismatch(mismatch));
        }
        self.work.note(mismatch);
        Ok(())
    }

    /// Returns a value that begins here and is not late.
    fn item(&self) -> Item {
        Item {
            start: self.out.len(),
            late_of: NONE,
            wraps: 0,
        }
    }

    /// Reads until the number of open frames is back at `base`.
    fn run(&mut self, base: usize) -> Result<(), Error> {
        while self.work.frames.len() > base {
            match self.reader.next()? {
                Event::Start(tag) => self.child(tag)?,
                Event::End => self.end()?,
                Event::Text(text) => {
                    if !trim(text).is_empty() {
                        self.mismatch(What::Text)?;
                    }
                }
                Event::Character(_) => self.mismatch(What::Text)?,
                Event::Eof => return Err(Error::Plan),
            }
        }
        Ok(())
    }

    fn child(&mut self, mut tag: Tag<'_>) -> Result<(), Error> {
        loop {
            let Some(frame) = self.work.frames.last() else {
                return Err(Error::Plan);
            };
            let index = &self.program.elements[frame.elements as usize];
            let Some(found) = self.find_field(frame, index, tag) else {
                if frame.is_group && self.is_known_outside(tag) {
                    self.close()?;
                    continue;
                }
                if let Some(renamed) = self.child_by_local_name(tag)? {
                    tag = renamed;
                    continue;
                }
                self.mismatch(What::Element)?;
                self.reader.skip()?;
                return Ok(());
            };
            if frame.is_group && !may_follow(frame, index, found.field) {
                self.close()?;
                continue;
            }
            if !self.write_child(index, found, tag)? {
                return Ok(());
            }
        }
    }

    /// Returns the field of a child, if it may still appear.
    pub(super) fn find_field(
        &self,
        frame: &Frame,
        index: &ElementsIndex,
        tag: Tag<'_>,
    ) -> Option<Found> {
        let is_free = |field: u16| {
            index.fields[usize::from(field)].is_array || !self.work.has_seen(frame, field)
        };
        let mut entry = index.find(frame.expected, tag.namespace, tag.local);
        while let Some(known) = entry {
            let field = index.entries[usize::from(known)].field;
            if is_free(field) {
                return Some(Found {
                    field,
                    entry: known,
                });
            }
            entry = index.find_later(known);
        }
        let field = index
            .wildcard(tag.namespace)
            .filter(|&field| is_free(field))?;
        Some(Found { field, entry: NONE })
    }

    /// Whether a child of the innermost group belongs to a frame around the group.
    pub(super) fn is_known_outside(&self, tag: Tag<'_>) -> bool {
        for pair in self.work.frames.windows(2).rev() {
            let frame = &pair[0];
            if !pair[1].is_group {
                return false;
            }
            let index = &self.program.elements[frame.elements as usize];
            if self.find_field(frame, index, tag).is_some() {
                return true;
            }
        }
        false
    }

    /// Writes a child at its place. Returns whether this began an iteration of a group, in which
    /// the child has yet to be written.
    fn write_child(
        &mut self,
        index: &'r ElementsIndex,
        found: Found,
        tag: Tag<'_>,
    ) -> Result<bool, Error> {
        let field = &index.fields[usize::from(found.field)];
        let (slot, key, name) = match &field.kind {
            FieldIndexKind::Element(slot) => (Some(slot), &field.key, None),
            FieldIndexKind::Substitution(slots) => {
                let entry = index.entries.get(usize::from(found.entry));
                let slot = entry.and_then(|entry| slots.get(usize::from(entry.member)));
                let slot = slot.ok_or(Error::Plan)?;
                match field.is_array {
                    true => (Some(slot), &field.key, Some(&*slot.element_member)),
                    false => (Some(slot), &slot.key, None),
                }
            }
            FieldIndexKind::Group(_) | FieldIndexKind::Any(_) => (None, &field.key, None),
        };
        let item = self.enter(found, key, field.is_array)?;
        if let Some(slot) = slot {
            self.begin(slot, name, item)?;
            return Ok(false);
        }
        match field.kind {
            FieldIndexKind::Group(elements) => {
                self.out.push(b'{');
                let words = self.program.elements[elements as usize].order.words();
                let frame = Frame {
                    is_group: true,
                    ..Frame::new(elements, Item { wraps: 1, ..item })
                };
                self.work.push(frame, words);
                return Ok(true);
            }
            FieldIndexKind::Any(process) => {
                self.note_taken(index, tag);
                self.begin_any(tag, process, item)?;
            }
            FieldIndexKind::Element(_) | FieldIndexKind::Substitution(_) => {}
        }
        Ok(false)
    }

    /// Writes the text before a child of the innermost frame, and begins its value: a late one if
    /// its array has already ended.
    fn enter(&mut self, found: Found, key: &[u8], is_array: bool) -> Result<Item, Error> {
        let Work {
            frames,
            seen,
            closed,
            ..
        } = &mut *self.work;
        let Some(frame) = frames.last_mut() else {
            return Err(Error::Plan);
        };
        let (field, seen) = (found.field, &mut seen[frame.base.seen..]);
        frame.children += 1;
        if frame.children > self.program.options.children_max {
            return Err(Error::Children);
        }
        frame.last = field;
        if found.entry != NONE {
            frame.expected = found.entry + u16::from(!is_array);
        }
        if is_array && frame.open == field {
            self.out.push(b',');
            frame.open_items += 1;
            return Ok(self.item());
        }
        if is_array && has(seen, field) {
            return Ok(Item {
                late_of: field,
                ..self.item()
            });
        }
        if frame.open != NONE {
            closed.push(Closed {
                field: frame.open,
                at: self.out.len(),
            });
            self.out.push(b']');
            frame.open = NONE;
        }
        if std::mem::replace(&mut frame.has_member, true) {
            self.out.push(b',');
        }
        self.out.extend_from_slice(key);
        if is_array {
            self.out.push(b'[');
            frame.open = field;
            frame.open_items = 1;
        }
        set(seen, field);
        Ok(self.item())
    }

    /// Ends the innermost element, including the iterations of groups in it.
    fn end(&mut self) -> Result<(), Error> {
        while self.close()? {}
        Ok(())
    }

    /// Ends the innermost frame; returns whether it was a group.
    fn close(&mut self) -> Result<bool, Error> {
        let Some(mut frame) = self.work.frames.pop() else {
            return Err(Error::Plan);
        };
        if frame.open != NONE {
            self.out.push(b']');
        }
        self.work.merge(&frame, self.out);
        let index = &self.program.elements[frame.elements as usize];
        for array in &index.order.arrays {
            let seen = self.work.seen(&frame);
            let is_due = !has(seen, array.field)
                && array
                    .beside
                    .as_ref()
                    .is_none_or(|beside| beside.iter().any(|&field| has(seen, field)));
            if is_due {
                if std::mem::replace(&mut frame.has_member, true) {
                    self.out.push(b',');
                }
                self.out
                    .extend_from_slice(&index.fields[usize::from(array.field)].key);
                self.out.extend_from_slice(b"[]");
            }
        }
        let missing = index.order.required.iter().zip(self.work.seen(&frame));
        if missing.fold(0, |missing, (required, seen)| missing | (required & !seen)) != 0 {
            self.missing(&frame, index)?;
        }
        for choice in &index.order.choices {
            match choice.judge(self.work.seen(&frame)) {
                None => {}
                Some(What::Missing) => self.missing(&frame, index)?,
                Some(what) => self.mismatch(what)?,
            }
        }
        if !self.work.departures.is_empty() {
            self.work.forget_departures();
        }
        self.work.pop(&frame, self.out);
        Ok(frame.is_group)
    }
}

/// Whether a field may be the next of an iteration.
fn may_follow(frame: &Frame, index: &ElementsIndex, field: u16) -> bool {
    if frame.last == NONE {
        return true;
    }
    if frame.last == field {
        let is_array = index.fields[usize::from(field)].is_array;
        return is_array && index.order.may_repeat(field, frame.open_items);
    }
    index.order.may_follow(frame.last, field)
}
