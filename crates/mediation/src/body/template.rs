//! `json_template`: the body becomes a JSON template with its holes filled.
//!
//! A compiled template is a flat list of parts: a run of literal JSON, and the value behind it. A
//! value is written with a comma, which the end of its array or object takes back, so that members
//! and items without a value can be left out.

use serde::{Deserialize, Serialize};
use tollgate_model::policies::Missing;

use super::members::Members;
use crate::edits::{Changed, Edits};
use crate::expression::Expression;
use crate::message::Subject;
use crate::outcome::Stop;
use crate::scope::{Places, Scope, Scratch, WithLocal};
use crate::text::{Rendered, Template};
use crate::value::{BYTES_MAX, Value, write_node};
use crate::work::BYTES_PER_UNIT;

/// Units for a value, besides those of its expression: without those for the body, a template has
/// at most 2 million.
const VALUE_UNITS: usize = 10;

/// Places of an item's members that are cleared with one unit.
const PLACES_PER_UNIT: usize = 4;

/// A compiled template.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct JsonTemplate {
    pub(crate) parts: Box<[Part]>,
    /// The members of the body that parts read, and their number.
    pub(crate) members: Members,
    pub(crate) places: u16,
    pub(crate) missing: Missing,
}

/// A run of literal JSON, and the value behind it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Part {
    /// Whether the literal ends an array or object, the last value of which may be left out.
    pub(crate) closes: bool,
    pub(crate) literal: Box<str>,
    /// Bytes of the literal that stay if the value is left out.
    pub(crate) kept: usize,
    pub(crate) fill: Fill,
    /// The place of the value in the template, as a JSON Pointer.
    pub(crate) at: Box<str>,
}

/// The value of a part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Fill {
    /// None: the literal is the end.
    End,
    /// A member of the body or of an item: the number of `$each` outwards that the item is from,
    /// and the index of its place.
    Member(u8, u16),
    Value(Expression),
    Text(Template),
    Each(Box<Each>),
}

/// A template that is filled for each item of an array.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Each {
    pub(crate) of: Expression,
    /// The name of the item in the parts.
    pub(crate) name: Box<str>,
    /// The members of the item that parts read, and their number.
    pub(crate) members: Members,
    pub(crate) places: u16,
    pub(crate) parts: Box<[Part]>,
}

impl JsonTemplate {
    pub(crate) fn expressions(&self) -> Vec<&Expression> {
        let mut found = Vec::new();
        collect(&self.parts, &mut found);
        found
    }

    /// Appends the filled template to `out`.
    ///
    /// # Errors
    /// Fails if a required value does not exist, if the body would have more than 10 MiB, or if it
    /// takes too much work.
    pub(super) fn run<'m>(
        &'m self,
        subject: Subject<'_, 'm>,
        edits: &Edits<'m>,
        out: &mut Vec<u8>,
    ) -> Result<Option<Changed>, Stop> {
        let edited = subject.edited(edits);
        let mut filling = Filling {
            missing: self.missing,
            scratch: subject.scratch,
            places: subject.scratch.places(),
            out,
        };
        filling.places.resize(self.places.into(), None);
        filling.find(&self.members, subject.body, 0);
        let frame = Frame {
            scope: &edited,
            first: 0,
            outer: None,
        };
        filling.parts(&self.parts, &frame)?;
        filling.close();
        if filling.out.is_empty() {
            filling.out.extend_from_slice(b"null");
        }
        let media_type = (!edited.body_type().is_plain_json).then_some("application/json");
        Ok(Some(Changed {
            media_type,
            coding: None,
        }))
    }
}

fn collect<'t>(parts: &'t [Part], found: &mut Vec<&'t Expression>) {
    for part in parts {
        match &part.fill {
            Fill::End | Fill::Member(..) => {}
            Fill::Value(expression) => found.push(expression),
            Fill::Text(text) => found.extend(text.expressions()),
            Fill::Each(each) => {
                found.push(&each.of);
                collect(&each.parts, found);
            }
        }
    }
}

struct Filling<'o, 'm> {
    missing: Missing,
    scratch: &'m Scratch,
    /// The places of the members that parts read: of the body, of an item, of an item in that.
    places: Places<'m>,
    out: &'o mut Vec<u8>,
}

/// What parts read: all names, and the members that were found of the body or an item.
struct Frame<'f, 'm> {
    scope: &'f dyn Scope<'m>,
    /// The index of the first place.
    first: usize,
    outer: Option<&'f Self>,
}

impl Frame<'_, '_> {
    /// Returns the index of the first place, this many `$each` outwards.
    fn first(&self, outwards: u8) -> usize {
        match (outwards.checked_sub(1), self.outer) {
            (Some(outwards), Some(outer)) => outer.first(outwards),
            _ => self.first,
        }
    }
}

impl<'m> Filling<'_, 'm> {
    /// Finds members of a value; their places begin at `first`.
    fn find(&mut self, members: &Members, of: Value<'m>, first: usize) {
        if let Value::Json(view, node) = of {
            let units = members.find(view, node, &mut self.places[first..]);
            self.scratch.work().spend(units);
        }
    }

    fn parts(&mut self, parts: &'m [Part], frame: &Frame<'_, 'm>) -> Result<(), Stop> {
        let scope = frame.scope;
        for part in parts {
            if part.closes {
                self.close();
            }
            let start = self.out.len();
            self.out.extend_from_slice(part.literal.as_bytes());
            let is_written = match &part.fill {
                Fill::End => continue,
                Fill::Member(outwards, index) => {
                    self.member(frame.first(*outwards) + usize::from(*index))?
                }
                Fill::Value(expression) => self.value(expression, scope)?,
                Fill::Text(text) => self.text(text, scope)?,
                Fill::Each(each) => self.each(each, frame)?,
            };
            self.check(start)?;
            if !is_written {
                match self.missing {
                    Missing::Drop => {
                        self.out.truncate(start + part.kept);
                        continue;
                    }
                    Missing::Null => {
                        self.out.truncate(start + part.literal.len());
                        self.out.extend_from_slice(b"null");
                    }
                    Missing::Refuse => return Err(Stop::Missing(part.at.clone())),
                }
            }
            self.out.push(b',');
        }
        Ok(())
    }

    /// Takes back the comma behind the last value.
    fn close(&mut self) {
        if self.out.last() == Some(&b',') {
            self.out.pop();
        }
    }

    /// Checks the bounds after a value that was written from `start` on.
    fn check(&self, start: usize) -> Result<(), Stop> {
        let bytes = self.out.len().saturating_sub(start);
        let work = self.scratch.work();
        work.charge(VALUE_UNITS + bytes / BYTES_PER_UNIT)?;
        match self.out.len() > BYTES_MAX || self.scratch.is_exhausted() {
            true => Err(Stop::TooLong),
            false => Ok(()),
        }
    }

    fn member(&mut self, place: usize) -> Result<bool, Stop> {
        let Some((view, node)) = self.places[place] else {
            return Ok(false);
        };
        write_node(view, node, self.out, self.scratch.work())?;
        Ok(true)
    }

    fn value(&mut self, of: &'m Expression, scope: &dyn Scope<'m>) -> Result<bool, Stop> {
        match of.evaluate(scope, self.scratch) {
            Value::Absent => Ok(false),
            value => {
                value.write_json(self.out, self.scratch.work())?;
                Ok(true)
            }
        }
    }

    fn text(&mut self, text: &'m Template, scope: &dyn Scope<'m>) -> Result<bool, Stop> {
        self.out.push(b'"');
        let rendered = text.render(scope, self.scratch, self.out);
        self.out.push(b'"');
        match rendered {
            Rendered::TooLong => Err(Stop::TooLong),
            rendered => Ok(rendered == Rendered::Complete),
        }
    }

    fn each(&mut self, each: &'m Each, frame: &Frame<'_, 'm>) -> Result<bool, Stop> {
        let Some(items) = each.of.evaluate(frame.scope, self.scratch).items() else {
            return Ok(false);
        };
        let first = self.places.len();
        self.out.push(b'[');
        for item in items {
            let start = self.out.len();
            let units = usize::from(each.places) / PLACES_PER_UNIT;
            self.scratch.work().charge(units)?;
            self.places.truncate(first);
            self.places.resize(first + usize::from(each.places), None);
            self.find(&each.members, item, first);
            let scope = WithLocal {
                outer: frame.scope,
                key: &each.name,
                value: item,
            };
            let inner = Frame {
                scope: &scope,
                first,
                outer: Some(frame),
            };
            self.parts(&each.parts, &inner)?;
            self.check(start)?;
        }
        self.places.truncate(first);
        self.close();
        self.out.push(b']');
        Ok(true)
    }
}
