//! Changes values of a JSON body at paths; all other bytes are copied. One walk over the tape,
//! which leaves out what no path can match.

use std::ops::Range;

use tollgate_json::tape::{Kind, NodeId, View};
use tollgate_json::{push_escaped, push_string};
use tollgate_model::policies::MaskWith;

use super::Body;
use super::path::{self, Child, Paths, States, Step};
use crate::edits::Changed;
use crate::outcome::Stop;
use crate::value::{BYTES_MAX, ITEM_UNITS, Value};
use crate::work::Work;

/// Units for a node that is walked over, and for one that is changed.
const NODE_UNITS: usize = 4;
/// Number of characters that [`MaskWith::Last4`] shows, and those of the shortest text of which it
/// shows any.
const SHOWN: usize = 4;
const SHOWN_FROM: usize = 9;

/// What becomes of the values that match.
#[derive(Debug, Clone, Copy)]
pub(super) enum Operation<'e, 'm> {
    Set(Value<'m>),
    Rename(&'e str),
    Mask(MaskWith),
}

impl Operation<'_, '_> {
    pub(super) const REMOVE: Self = Self::Mask(MaskWith::Remove);

    fn is_removal(&self) -> bool {
        matches!(self, Self::Mask(MaskWith::Remove))
    }
}

/// Appends the changed body to `out`; `None` if nothing matches.
///
/// Objects keep unique keys: a member that a renamed one would repeat is removed.
///
/// # Errors
/// Fails if the body would have more than 10 MiB, or if the work is exceeded.
pub(super) fn splice<'m>(
    body: Body<'m>,
    paths: &Paths,
    operation: Operation<'_, 'm>,
    out: &mut Vec<u8>,
    work: &Work,
) -> Result<Option<Changed>, Stop> {
    let Some((&view, root)) = body.json else {
        return Ok(None);
    };
    let mut splicer = Splicer {
        view,
        bytes: body.bytes,
        paths,
        operation,
        out,
        work,
        copied: 0,
        is_changed: false,
        written: None,
    };
    splicer.container(root, paths.start())?;
    if !splicer.is_changed {
        return Ok(None);
    }
    splicer.replace(body.bytes.len()..body.bytes.len())?;
    Ok(Some(Changed::default()))
}

struct Splicer<'s, 'e, 'm> {
    view: View<'m>,
    bytes: &'m [u8],
    paths: &'s Paths,
    operation: Operation<'e, 'm>,
    out: &'s mut Vec<u8>,
    work: &'s Work,
    /// How much of the body is copied or left out.
    copied: usize,
    is_changed: bool,
    /// Where the output has the value that is set.
    written: Option<Range<usize>>,
}

/// A child that is removed, and those beside it.
struct Removed {
    child: NodeId,
    value: NodeId,
    /// The value before, if one of those before stays.
    previous: Option<NodeId>,
    next: Option<NodeId>,
}

impl Splicer<'_, '_, '_> {
    /// Changes what matches below an array or object. Recursive, since the depth is bounded.
    fn container(&mut self, node: NodeId, states: States) -> Result<(), Stop> {
        let (view, work) = (self.view, self.work);
        let length = match self.paths.needs_length() {
            true => {
                let counted = view.children(node);
                counted.take_while(|_| work.spend(ITEM_UNITS)).count()
            }
            false => 0,
        };
        let (mut previous, mut has_kept, mut index) = (None, false, 0);
        let mut next = view.first(node);
        while let Some(id) = next {
            let (child, value) = path::child(view, id, index, length);
            let step = self.paths.step(states, child);
            work.charge(NODE_UNITS + step.compared)?;
            next = view.next(id);
            if self.is_removed(node, states, child, step) {
                self.remove(&Removed {
                    child: id,
                    value,
                    previous: previous.filter(|_| has_kept),
                    next,
                })?;
            } else {
                has_kept = true;
                let is_replaced = step.is_match && self.change(id, value)?;
                if !is_replaced && !step.below.is_empty() {
                    self.container(value, step.below)?;
                }
            }
            previous = Some(value);
            index += 1;
        }
        match view.kind(node) {
            Kind::Object => self.add(node, previous, states),
            _ => Ok(()),
        }
    }

    fn is_removed(&mut self, object: NodeId, states: States, child: Child<'_>, step: Step) -> bool {
        match (self.operation, child) {
            (Operation::Rename(to), Child::Member(name)) if *name == *to && !step.is_match => {
                let mut keys = self.view.children(object);
                keys.any(|key| {
                    let child = Child::Member(self.view.text(key));
                    let step = self.paths.step(states, child);
                    step.is_match || !self.work.spend(NODE_UNITS + step.compared)
                })
            }
            (operation, _) => step.is_match && operation.is_removal(),
        }
    }

    /// Removes a member or item with one comma, if there is one.
    fn remove(&mut self, removed: &Removed) -> Result<(), Stop> {
        let end = self.view.span(removed.value).end;
        let range = match (removed.previous, removed.next) {
            (Some(previous), _) => self.view.span(previous).end..end,
            (None, next) => {
                let start = self.view.span(removed.child).start;
                start..next.map_or(end, |next| self.view.span(next).start)
            }
        };
        self.replace(range)
    }

    /// Changes a member or item that matches; returns whether its value is replaced.
    fn change(&mut self, child: NodeId, value: NodeId) -> Result<bool, Stop> {
        match self.operation {
            Operation::Rename(to) => {
                if self.view.kind(child) == Kind::Key {
                    self.replace(self.view.span(child))?;
                    push_string(self.out, to);
                }
                return Ok(false);
            }
            Operation::Set(new) => {
                self.replace(self.view.span(value))?;
                self.write(new)?;
            }
            Operation::Mask(with) => {
                self.replace(self.view.span(value))?;
                self.mask(value, with);
            }
        }
        Ok(true)
    }

    /// Adds the members that are set and do not exist, behind the last one.
    fn add(&mut self, object: NodeId, last: Option<NodeId>, states: States) -> Result<(), Stop> {
        let Operation::Set(value) = self.operation else {
            return Ok(());
        };
        let end = match last {
            Some(last) => self.view.span(last).end,
            None => self.view.span(object).start + 1,
        };
        let mut has_others = last.is_some();
        for name in self.paths.added_names(states) {
            if self.work.find_key(self.view, object, name).is_some() {
                continue;
            }
            self.replace(end..end)?;
            if has_others {
                self.out.push(b',');
            }
            has_others = true;
            push_string(self.out, name);
            self.out.push(b':');
            self.write(value)?;
        }
        Ok(())
    }

    fn mask(&mut self, value: NodeId, with: MaskWith) {
        let shown = match self.view.kind(value) {
            Kind::Text | Kind::Number if with == MaskWith::Last4 => {
                let text = self.view.text(value);
                self.work.spend_bytes(text.len());
                let mut ends = text.char_indices().rev().map(|it| it.0);
                let shown = ends.nth(SHOWN - 1);
                let is_long = text.chars().count() >= SHOWN_FROM;
                shown.filter(|_| is_long).map_or("", |shown| &text[shown..])
            }
            _ => "",
        };
        match with {
            MaskWith::Remove => {}
            MaskWith::Null => self.out.extend_from_slice(b"null"),
            MaskWith::Stars | MaskWith::Last4 => {
                self.out.extend_from_slice(b"\"***");
                push_escaped(self.out, shown);
                self.out.push(b'"');
            }
        }
    }

    /// Writes the value that is set: made once, then copied.
    fn write(&mut self, value: Value<'_>) -> Result<(), Stop> {
        match self.written.clone() {
            Some(written) => self.out.extend_from_within(written),
            None => {
                let start = self.out.len();
                value.write_json(self.out, self.work)?;
                self.work.check()?;
                self.written = Some(start..self.out.len());
            }
        }
        Ok(())
    }

    /// Copies the body up to a range, and leaves out the range.
    fn replace(&mut self, range: Range<usize>) -> Result<(), Stop> {
        self.out
            .extend_from_slice(&self.bytes[self.copied..range.start]);
        self.copied = range.end;
        self.is_changed = true;
        self.work.charge(NODE_UNITS)?;
        match self.out.len() > BYTES_MAX {
            true => Err(Stop::TooLong),
            false => Ok(()),
        }
    }
}
