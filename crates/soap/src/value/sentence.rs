//! Describes violations to the sender of a value.

use super::calendar::Calendar;
use super::{Facet, Rule, Shape, Wrong};
use crate::pattern::names;

/// Maximum number of enumeration values in a sentence.
const VALUES_NAMED_MAX: usize = 12;

impl Rule {
    /// Returns a sentence about a violation.
    #[must_use]
    pub fn sentence(&self, wrong: Wrong) -> String {
        match wrong {
            Wrong::Type | Wrong::Text => format!("must be {}", self.shape.name()),
            Wrong::Item => "an item of a list must not be empty and must not hold spaces".into(),
            Wrong::Facet(facet) => self.of_facet(facet),
            Wrong::Fixed => {
                let fixed = self.fixed.as_deref().unwrap_or_default();
                format!("must be {fixed:?}")
            }
        }
    }

    fn of_facet(&self, facet: Facet) -> String {
        let Some(facets) = self.facets.as_ref().map(|facets| &facets.plain) else {
            return String::new();
        };
        let unit = match self.shape {
            Shape::Base64 | Shape::Hex => "octets",
            Shape::List(_) => "items",
            _ => "characters",
        };
        let number = |number: Option<u64>| number.unwrap_or_default();
        let bound = |bound: &Option<Box<str>>| bound.as_deref().unwrap_or_default().to_owned();
        match facet {
            Facet::LengthMin => format!("must have at least {} {unit}", number(facets.length_min)),
            Facet::LengthMax => format!("must have at most {} {unit}", number(facets.length_max)),
            Facet::Pattern => {
                let patterns = facets.patterns.iter();
                let each = patterns.map(|pattern| match names::of_pattern(pattern) {
                    Some(known) => format!("be {}", known.sentence),
                    None => format!("match {pattern}"),
                });
                format!("must {}", each.collect::<Vec<_>>().join(" and "))
            }
            Facet::Enumeration => {
                let mut named = facets.enumeration.iter().map(|value| format!("{value:?}"));
                let list: Vec<_> = named.by_ref().take(VALUES_NAMED_MAX).collect();
                let more = if named.next().is_some() { ", …" } else { "" };
                format!("must be one of {}{more}", list.join(", "))
            }
            Facet::MinInclusive => format!("must be at least {}", bound(&facets.min_inclusive)),
            Facet::MaxInclusive => format!("must be at most {}", bound(&facets.max_inclusive)),
            Facet::MinExclusive => format!("must be more than {}", bound(&facets.min_exclusive)),
            Facet::MaxExclusive => format!("must be less than {}", bound(&facets.max_exclusive)),
            Facet::TotalDigits => {
                let digits = number(facets.total_digits.map(u64::from));
                format!("must have at most {digits} digits")
            }
            Facet::FractionDigits => {
                let digits = number(facets.fraction_digits.map(u64::from));
                format!("must have at most {digits} digits after the point")
            }
        }
    }
}

impl Shape {
    /// Describes a valid value, as in `must be …`.
    fn name(&self) -> String {
        let name = match self {
            Self::String => "a string",
            Self::Boolean => "true or false",
            Self::Integer {
                min: None,
                max: None,
            } => "a whole number",
            Self::Integer { min, max } => return between(*min, *max),
            Self::Decimal => "a decimal number without an exponent",
            Self::Float | Self::Double => {
                "a number, or one of the strings \"INF\", \"-INF\" and \"NaN\""
            }
            Self::Calendar(calendar) => calendar.name(),
            Self::Duration => "a duration such as \"P1DT12H\", as a string",
            Self::Base64 => "base64 with its padding, as a string",
            Self::Hex => "hexadecimal octets, as a string",
            Self::QName => "a name such as \"{namespace}local\", as a string",
            Self::List(item) => return format!("an array, each item {}", item.shape.name()),
            Self::Union(members) => {
                let names: Vec<_> = members.iter().map(|member| member.shape.name()).collect();
                return names.join(", or ");
            }
        };
        name.to_owned()
    }
}

impl Calendar {
    fn name(self) -> &'static str {
        match self {
            Self::DateTime => "a date and time such as \"2026-01-31T12:00:00Z\", as a string",
            Self::Date => "a date such as \"2026-01-31\", as a string",
            Self::Time => "a time such as \"12:00:00\", as a string",
            Self::YearMonth => "a year and month such as \"2026-01\", as a string",
            Self::Year => "a year such as \"2026\", as a string",
            Self::MonthDay => "a month and day such as \"--01-31\", as a string",
            Self::Day => "a day such as \"---31\", as a string",
            Self::Month => "a month such as \"--01\", as a string",
        }
    }
}

fn between(min: Option<i128>, max: Option<i128>) -> String {
    match (min, max) {
        (Some(min), Some(max)) => format!("a whole number from {min} to {max}"),
        (Some(min), None) => format!("a whole number, at least {min}"),
        (None, Some(max)) => format!("a whole number, at most {max}"),
        (None, None) => "a whole number".to_owned(),
    }
}
