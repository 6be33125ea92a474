//! Simple types: from a JSON scalar, or the text of a parameter, to XML text, checked against kind
//! and facets (XML Schema 1.0, part 2).
//!
//! The digits of numbers are never changed: no number is converted to a float. A check allocates
//! only for text that it must join or normalise, in a buffer that is reused.

mod binary;
mod calendar;
mod decimal;
mod duration;
mod facets;
mod fixed;
mod sentence;
#[cfg(test)]
mod tests;
mod text;

use std::ops::Range;

use tollgate_json::tape::{NodeId, Notation, View};
use tollgate_xml::is_plain_name;

use crate::plan::{self, Simple, WhiteSpace};
use calendar::Calendar;
use facets::{Facets, Ordered};

pub use facets::Unusable;

/// A simple type prepared for checking.
#[derive(Debug)]
pub struct Rule {
    shape: Shape,
    space: WhiteSpace,
    facets: Option<Box<Facets>>,
    /// The only value of the element or attribute.
    fixed: Option<Box<str>>,
    has_names: bool,
    is_any_text: bool,
}

#[derive(Debug)]
enum Shape {
    String,
    Boolean,
    Integer {
        min: Option<i128>,
        max: Option<i128>,
    },
    Decimal,
    Float,
    Double,
    Calendar(Calendar),
    Duration,
    Base64,
    Hex,
    QName,
    List(Box<Rule>),
    Union(Vec<Rule>),
}

/// The reason why a value is rejected. [`Rule::sentence`] describes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wrong {
    /// The JSON is of another type.
    Type,
    /// The text is not a value of the type.
    Text,
    /// An item of a list is empty or has white space inside.
    Item,
    /// A facet is violated.
    Facet(Facet),
    /// It is not the fixed value.
    Fixed,
}

/// A facet of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Facet {
    /// `length`, `minLength`
    LengthMin,
    /// `length`, `maxLength`
    LengthMax,
    /// `pattern`
    Pattern,
    /// `enumeration`
    Enumeration,
    /// `minInclusive`
    MinInclusive,
    /// `maxInclusive`
    MaxInclusive,
    /// `minExclusive`
    MinExclusive,
    /// `maxExclusive`
    MaxExclusive,
    /// `totalDigits`
    TotalDigits,
    /// `fractionDigits`
    FractionDigits,
}

/// A buffer for composed texts; reused.
#[derive(Debug, Default)]
pub struct Work {
    text: String,
}

impl Work {
    /// Clears the texts.
    pub fn clear(&mut self) {
        self.text.clear();
    }

    /// Returns the text of a [`Lexical`].
    #[must_use]
    pub fn text<'a>(&'a self, lexical: Lexical<'a>) -> &'a str {
        match lexical {
            Lexical::Given(text) => text,
            Lexical::Made(start, end) => &self.text[start..end],
        }
    }

    fn range(&self, lexical: Lexical<'_>) -> Range<usize> {
        match lexical {
            Lexical::Given(_) => 0..0,
            Lexical::Made(start, end) => start..end,
        }
    }
}

/// The text of a value, normalised and not yet escaped.
#[derive(Debug, Clone, Copy)]
pub enum Lexical<'a> {
    /// Unchanged input.
    Given(&'a str),
    /// A range of [`Work`].
    Made(usize, usize),
}

impl Rule {
    /// Prepares a type.
    ///
    /// # Errors
    ///
    /// Fails if a pattern does not compile within its bounds, or a bound is not a value of the
    /// type.
    pub fn load(simple: &Simple) -> Result<Self, Unusable> {
        let shape = match &simple.kind {
            plan::Kind::String => Shape::String,
            plan::Kind::Boolean => Shape::Boolean,
            &plan::Kind::Integer { min, max } => Shape::Integer { min, max },
            plan::Kind::Decimal => Shape::Decimal,
            plan::Kind::Float => Shape::Float,
            plan::Kind::Double => Shape::Double,
            plan::Kind::DateTime => Shape::Calendar(Calendar::DateTime),
            plan::Kind::Date => Shape::Calendar(Calendar::Date),
            plan::Kind::Time => Shape::Calendar(Calendar::Time),
            plan::Kind::YearMonth => Shape::Calendar(Calendar::YearMonth),
            plan::Kind::Year => Shape::Calendar(Calendar::Year),
            plan::Kind::MonthDay => Shape::Calendar(Calendar::MonthDay),
            plan::Kind::Day => Shape::Calendar(Calendar::Day),
            plan::Kind::Month => Shape::Calendar(Calendar::Month),
            plan::Kind::Duration => Shape::Duration,
            plan::Kind::Base64 => Shape::Base64,
            plan::Kind::Hex => Shape::Hex,
            plan::Kind::QName => Shape::QName,
            plan::Kind::List(item) => Shape::List(Box::new(Self::load(item)?)),
            plan::Kind::Union(members) => {
                Shape::Union(members.iter().map(Self::load).collect::<Result<_, _>>()?)
            }
        };
        let mut rule = Self {
            has_names: match &shape {
                Shape::QName => true,
                Shape::List(item) => item.has_names,
                Shape::Union(members) => members.iter().any(Self::has_names),
                _ => false,
            },
            is_any_text: matches!(shape, Shape::String)
                && simple.white_space == WhiteSpace::Preserve
                && simple.facets.is_none(),
            shape,
            space: simple.white_space,
            facets: None,
            fixed: None,
        };
        if let Some(facets) = &simple.facets {
            rule.facets = Some(Box::new(Facets::load(facets, &rule)?));
        }
        Ok(rule)
    }

    /// Restricts the rule to a single value.
    #[must_use]
    pub fn fixed_to(mut self, value: Option<&str>) -> Self {
        self.fixed = value.map(Into::into);
        self.is_any_text &= self.fixed.is_none();
        self
    }

    /// Whether any text is a value, so that only escaping remains to be done.
    #[must_use]
    pub const fn is_any_text(&self) -> bool {
        self.is_any_text
    }

    /// Whether the text never needs escaping.
    #[must_use]
    pub fn is_markup_free(&self) -> bool {
        !matches!(
            self.shape,
            Shape::String | Shape::List(_) | Shape::Union(_) | Shape::QName
        )
    }

    /// Whether its text may contain namespaces, which then need a prefix in XML.
    #[must_use]
    pub const fn has_names(&self) -> bool {
        self.has_names
    }

    /// Returns the text of a value. Names are still `{namespace}local`.
    ///
    /// # Errors
    ///
    /// Returns the violation, for [`Rule::sentence`].
    #[inline]
    pub fn lexical<'a>(
        &self,
        view: View<'a>,
        id: NodeId,
        work: &mut Work,
    ) -> Result<Lexical<'a>, Wrong> {
        let lexical = match &self.shape {
            Shape::List(item) => item.list(view, id, work)?,
            Shape::Union(members) => text::union(members, view, id, work)?,
            _ => self.atom(view, id, work)?,
        };
        if self.facets.is_some() || self.fixed.is_some() {
            self.restrict(work.text(lexical))?;
        }
        Ok(lexical)
    }

    fn restrict(&self, text: &str) -> Result<(), Wrong> {
        if let Some(facets) = &self.facets {
            facets.check(self, text).map_err(Wrong::Facet)?;
        }
        match &self.fixed {
            Some(fixed) if !self.is_same(text, fixed) => Err(Wrong::Fixed),
            _ => Ok(()),
        }
    }

    /// Whether a text as written in a schema is a value.
    #[must_use]
    pub fn fits(&self, text: &str) -> bool {
        let fits = match &self.shape {
            Shape::List(item) => text.split_ascii_whitespace().all(|word| item.fits(word)),
            Shape::Union(members) => members.iter().any(|member| member.fits(text)),
            shape => shape.has(text),
        };
        fits && self.restrict(text).is_ok()
    }

    /// Whether a text is a value after its white space is normalised. Names in it are not checked:
    /// see [`Rule::has_names`].
    #[must_use]
    pub fn takes(&self, text: &str, work: &mut Work) -> bool {
        work.clear();
        let lexical = self.normalise(text, work);
        if !self.has_names && self.fits(work.text(lexical)) {
            return true;
        }
        match &self.shape {
            Shape::Union(members) => {
                let takes = members.iter().any(|member| member.takes(text, work));
                let lexical = self.normalise(text, work);
                takes && self.restrict(work.text(lexical)).is_ok()
            }
            _ => self.has_names,
        }
    }

    /// Whether two texts represent the same value.
    fn is_same(&self, a: &str, b: &str) -> bool {
        if a == b {
            return true;
        }
        match &self.shape {
            Shape::Boolean => {
                matches!((a, b), ("1", "true") | ("true", "1"))
                    || matches!((a, b), ("0", "false") | ("false", "0"))
            }
            Shape::Hex => a.eq_ignore_ascii_case(b),
            Shape::Base64 => a
                .bytes()
                .filter(|byte| !byte.is_ascii_whitespace())
                .eq(b.bytes().filter(|byte| !byte.is_ascii_whitespace())),
            Shape::List(item) => {
                let (mut a, mut b) = (a.split_ascii_whitespace(), b.split_ascii_whitespace());
                loop {
                    match (a.next(), b.next()) {
                        (None, None) => return true,
                        (Some(a), Some(b)) if item.is_same(a, b) => {}
                        _ => return false,
                    }
                }
            }
            Shape::Union(members) => members
                .iter()
                .find(|member| member.fits(a))
                .is_some_and(|member| member.fits(b) && member.is_same(a, b)),
            _ => self.order(a, b) == Some(Ordered::Equal),
        }
    }

    /// Compares two texts that are values; `None` if they have no order.
    fn order(&self, a: &str, b: &str) -> Option<Ordered> {
        match &self.shape {
            Shape::Integer { .. } | Shape::Decimal => Some(decimal::order(a, b)),
            Shape::Float => decimal::float(a)?.partial_cmp(&decimal::float(b)?),
            Shape::Double => decimal::double(a)?.partial_cmp(&decimal::double(b)?),
            Shape::Calendar(calendar) => calendar.order(a, b),
            Shape::Duration => duration::order(a, b),
            _ => None,
        }
    }
}

impl Shape {
    /// Whether a JSON number is a value. What its notation already proves is not checked again.
    fn takes_number(&self, digits: &str, notation: Notation) -> Result<(), Wrong> {
        let takes = match self {
            &Self::Integer { min, max } => {
                notation == Notation::Integer && decimal::is_within(digits, min, max)
            }
            Self::Decimal => notation != Notation::Exponent,
            Self::Float | Self::Double => true,
            Self::Boolean => matches!(digits, "0" | "1"),
            _ => return Err(Wrong::Type),
        };
        if takes { Ok(()) } else { Err(Wrong::Text) }
    }

    /// Whether a normalised text is a value.
    fn has(&self, text: &str) -> bool {
        match self {
            Self::String => true,
            Self::Boolean => matches!(text, "true" | "false" | "1" | "0"),
            &Self::Integer { min, max } => decimal::is_integer(text, min, max),
            Self::Decimal => decimal::is_decimal(text),
            Self::Float | Self::Double => decimal::is_double(text),
            Self::Calendar(calendar) => calendar.has(text),
            Self::Duration => duration::is_duration(text),
            Self::Base64 => binary::octets_base64(text).is_some(),
            Self::Hex => binary::octets_hex(text).is_some(),
            Self::QName => is_name(text),
            // Handled elsewhere.
            Self::List(_) | Self::Union(_) => false,
        }
    }
}

/// `{namespace}local` or `local`.
fn is_name(text: &str) -> bool {
    let local = match text.strip_prefix('{') {
        Some(rest) => match rest.split_once('}') {
            Some((_, local)) => local,
            None => return false,
        },
        None => text,
    };
    is_plain_name(local)
}
