//! The facets that restrict a type.

use std::cmp::Ordering;

use regex::{Regex, RegexBuilder};

use super::fixed::Fixed;
use super::{Facet, Rule, Shape, binary, decimal};
use crate::plan;

pub(super) use std::cmp::Ordering as Ordered;

/// Maximum bytes of a compiled pattern.
const PATTERN_BYTES_MAX: usize = 1 << 20;

/// The reason why a type cannot be prepared.
#[derive(Debug, thiserror::Error)]
pub enum Unusable {
    /// A pattern that is malformed or too large.
    #[error("the pattern {pattern} cannot be compiled")]
    Pattern {
        /// The pattern as in the plan.
        pattern: Box<str>,
        /// The reason.
        source: Box<regex::Error>,
    },
    /// A bound that is not a value of its type.
    #[error("the bound {0} is not a value of its type")]
    Bound(Box<str>),
}

#[derive(Debug)]
pub(super) struct Facets {
    pub(super) plain: plan::Facets,
    patterns: Vec<Pattern>,
    /// The values of the enumeration, sorted.
    values: Vec<Box<str>>,
    /// Whether the enumeration is the only facet.
    is_only_values: bool,
}

/// A pattern prepared for matching.
#[derive(Debug)]
enum Pattern {
    Fixed(Fixed),
    Regex(Regex),
}

impl Pattern {
    fn load(pattern: &str) -> Result<Self, Unusable> {
        if let Some(fixed) = Fixed::parse(pattern) {
            return Ok(Self::Fixed(fixed));
        }
        let regex = RegexBuilder::new(pattern)
            .size_limit(PATTERN_BYTES_MAX)
            .dfa_size_limit(PATTERN_BYTES_MAX)
            .build();
        regex.map(Self::Regex).map_err(|error| Unusable::Pattern {
            pattern: pattern.into(),
            source: Box::new(error),
        })
    }

    fn is_match(&self, text: &str) -> bool {
        match self {
            Self::Fixed(fixed) => fixed.is_match(text),
            Self::Regex(regex) => regex.is_match(text),
        }
    }
}

impl Facets {
    pub(super) fn load(facets: &plan::Facets, rule: &Rule) -> Result<Self, Unusable> {
        let patterns = facets.patterns.iter().map(|pattern| Pattern::load(pattern));
        let patterns = patterns.collect::<Result<_, _>>()?;
        let bounds = [
            &facets.min_inclusive,
            &facets.max_inclusive,
            &facets.min_exclusive,
            &facets.max_exclusive,
        ];
        for bound in bounds.into_iter().flatten() {
            // A bound may be outside of the built-in type it narrows; only its form matters.
            let is_value = match rule.shape {
                Shape::Integer { .. } | Shape::Decimal => decimal::is_decimal(bound),
                _ => &**bound == "NaN" || rule.order(bound, bound).is_some(),
            };
            if !is_value {
                return Err(Unusable::Bound(bound.clone()));
            }
        }
        let mut values = facets.enumeration.clone();
        values.sort_unstable();
        let only_values = plan::Facets {
            enumeration: facets.enumeration.clone(),
            ..plan::Facets::default()
        };
        Ok(Self {
            is_only_values: only_values == *facets,
            plain: facets.clone(),
            patterns,
            values,
        })
    }

    pub(super) fn check(&self, rule: &Rule, text: &str) -> Result<(), Facet> {
        if !self.values.is_empty() {
            let is_listed = self
                .values
                .binary_search_by(|value| (**value).cmp(text))
                .is_ok()
                || !matches!(rule.shape, Shape::String)
                    && self.values.iter().any(|value| rule.is_same(text, value));
            if !is_listed {
                return Err(Facet::Enumeration);
            }
        }
        if self.is_only_values {
            return Ok(());
        }
        self.check_length(rule, text)?;
        if !self.patterns.iter().all(|pattern| pattern.is_match(text)) {
            return Err(Facet::Pattern);
        }
        self.check_bounds(rule, text)?;
        self.check_digits(text)
    }

    fn check_length(&self, rule: &Rule, text: &str) -> Result<(), Facet> {
        let (min, max) = (self.plain.length_min, self.plain.length_max);
        if min.is_none() && max.is_none() {
            return Ok(());
        }
        let length = match rule.shape {
            Shape::Base64 => binary::octets_base64(text).unwrap_or(0),
            Shape::Hex => binary::octets_hex(text).unwrap_or(0),
            Shape::List(_) => text.split_ascii_whitespace().count() as u64,
            // Length facets do not apply to names (erratum to section 4.3.1).
            Shape::QName => return Ok(()),
            _ => text.chars().count() as u64,
        };
        if min.is_some_and(|min| length < min) {
            return Err(Facet::LengthMin);
        }
        if max.is_some_and(|max| length > max) {
            return Err(Facet::LengthMax);
        }
        Ok(())
    }

    fn check_bounds(&self, rule: &Rule, text: &str) -> Result<(), Facet> {
        let plain = &self.plain;
        let holds = |bound: &Option<Box<str>>, is_allowed: fn(Ordering) -> bool| {
            let Some(bound) = bound else { return true };
            rule.order(text, bound).is_some_and(is_allowed)
        };
        let broken = if !holds(&plain.min_inclusive, Ordering::is_ge) {
            Facet::MinInclusive
        } else if !holds(&plain.max_inclusive, Ordering::is_le) {
            Facet::MaxInclusive
        } else if !holds(&plain.min_exclusive, Ordering::is_gt) {
            Facet::MinExclusive
        } else if !holds(&plain.max_exclusive, Ordering::is_lt) {
            Facet::MaxExclusive
        } else {
            return Ok(());
        };
        Err(broken)
    }

    fn check_digits(&self, text: &str) -> Result<(), Facet> {
        let (total, fraction) = (self.plain.total_digits, self.plain.fraction_digits);
        if total.is_none() && fraction.is_none() {
            return Ok(());
        }
        let (total_is, fraction_is) = decimal::count_digits(text);
        if total.is_some_and(|total| total_is > total as usize) {
            return Err(Facet::TotalDigits);
        }
        if fraction.is_some_and(|fraction| fraction_is > fraction as usize) {
            return Err(Facet::FractionDigits);
        }
        Ok(())
    }
}
