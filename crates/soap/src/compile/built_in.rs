//! The simple types that XML Schema defines.

use std::sync::LazyLock;

use super::pattern;
use crate::plan::{self, Facets, Kind, WhiteSpace};

/// Returns the type of any text.
pub(super) fn text() -> plan::Simple {
    without_facets(Kind::String, WhiteSpace::Preserve)
}

/// Returns a type without facets.
pub(super) fn without_facets(kind: Kind, white_space: WhiteSpace) -> plan::Simple {
    plan::Simple {
        kind,
        white_space,
        facets: None,
    }
}

/// Returns a built-in type of XML Schema 1.0 (part 2, section 3), or one of 1.1 that is in use.
pub(super) fn simple(local: &str) -> Option<plan::Simple> {
    let kind = match local {
        "string" | "anySimpleType" | "anyAtomicType" => return Some(text()),
        "normalizedString" => return Some(without_facets(Kind::String, WhiteSpace::Replace)),
        "NMTOKENS" => return Some(several(names("NMTOKEN"))),
        "IDREFS" | "ENTITIES" => return Some(several(names("NCName"))),
        "language" | "Name" | "NCName" | "NMTOKEN" => return Some(names(local)),
        "ID" | "IDREF" | "ENTITY" => return Some(names("NCName")),
        "token" | "anyURI" | "NOTATION" => Kind::String,
        "boolean" => Kind::Boolean,
        "decimal" => Kind::Decimal,
        "float" => Kind::Float,
        "double" => Kind::Double,
        "dateTime" | "dateTimeStamp" => Kind::DateTime,
        "date" => Kind::Date,
        "time" => Kind::Time,
        "gYearMonth" => Kind::YearMonth,
        "gYear" => Kind::Year,
        "gMonthDay" => Kind::MonthDay,
        "gDay" => Kind::Day,
        "gMonth" => Kind::Month,
        "duration" | "dayTimeDuration" | "yearMonthDuration" => Kind::Duration,
        "base64Binary" => Kind::Base64,
        "hexBinary" => Kind::Hex,
        "QName" => Kind::QName,
        integer => {
            let (min, max) = bounds(integer)?;
            Kind::Integer { min, max }
        }
    };
    Some(without_facets(kind, WhiteSpace::Collapse))
}

type Bounds = (Option<i128>, Option<i128>);

fn bounds(local: &str) -> Option<Bounds> {
    Some(match local {
        "integer" => (None, None),
        "nonPositiveInteger" => (None, Some(0)),
        "negativeInteger" => (None, Some(-1)),
        "nonNegativeInteger" => (Some(0), None),
        "positiveInteger" => (Some(1), None),
        "long" => (Some(i64::MIN.into()), Some(i64::MAX.into())),
        "int" => (Some(i32::MIN.into()), Some(i32::MAX.into())),
        "short" => (Some(i16::MIN.into()), Some(i16::MAX.into())),
        "byte" => (Some(i8::MIN.into()), Some(i8::MAX.into())),
        "unsignedLong" => (Some(0), Some(u64::MAX.into())),
        "unsignedInt" => (Some(0), Some(u32::MAX.into())),
        "unsignedShort" => (Some(0), Some(u16::MAX.into())),
        "unsignedByte" => (Some(0), Some(u8::MAX.into())),
        _ => return None,
    })
}

/// A type that is defined by a pattern (XML Schema 1.0, part 2, section 3.3).
pub(crate) struct Pattern {
    local: &'static str,
    /// The pattern as in plans.
    translated: Option<Box<str>>,
    /// The same for ECMA-262, where plans use what it cannot express; without the planes of private
    /// use, which its classes cannot exclude if they count in UTF-16.
    pub(crate) ecma: Option<&'static str>,
    /// Describes a valid value, as in `must be …`.
    pub(crate) sentence: &'static str,
}

/// Characters that are in no name, for the classes of ECMA-262: `:` aside.
macro_rules! no_name {
    () => {
        concat!(
            r"\u0000-,/;-@\[-\^`\{-\u00B6\u00B8-\u00BF\u00D7\u00F7\u037E\u2000-\u200B",
            r"\u200E-\u203E\u2041-\u206F\u2190-\u2BFF\u2FF0-\u3000\uE000-\uF8FF",
            r"\uFDD0-\uFDEF\uFFFE\uFFFF"
        )
    };
}

/// Characters that may not start a name, but may follow.
macro_rules! no_start {
    () => {
        r"\-.0-9\u00B7\u0300-\u036F\u203F\u2040"
    };
}

static PATTERNS: LazyLock<[Pattern; 4]> = LazyLock::new(|| {
    let pattern = |local, pattern, ecma, sentence| Pattern {
        local,
        translated: pattern::translate(&[pattern]).ok(),
        ecma,
        sentence,
    };
    [
        pattern(
            "language",
            "[a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})*",
            None,
            "a language tag such as \"en-GB\"",
        ),
        pattern(
            "NMTOKEN",
            r"\c+",
            Some(concat!("^[^", no_name!(), "]+$")),
            "an NMTOKEN: letters, digits, \".\", \"-\", \"_\" and \":\"",
        ),
        pattern(
            "Name",
            r"\i\c*",
            Some(concat!(
                "^[^",
                no_name!(),
                no_start!(),
                "][^",
                no_name!(),
                "]*$"
            )),
            "a Name: a letter, \"_\" or \":\", then also digits, \".\" and \"-\"",
        ),
        pattern(
            "NCName",
            r"[\i-[:]][\c-[:]]*",
            Some(concat!(
                "^[^:",
                no_name!(),
                no_start!(),
                "][^:",
                no_name!(),
                "]*$"
            )),
            "an NCName: a letter or \"_\", then also digits, \".\" and \"-\"",
        ),
    ]
});

/// Returns the built-in type that a pattern of a plan defines.
pub(crate) fn of_pattern(translated: &str) -> Option<&'static Pattern> {
    let mut known = PATTERNS.iter();
    known.find(|pattern| pattern.translated.as_deref() == Some(translated))
}

fn names(local: &str) -> plan::Simple {
    let mut known = PATTERNS.iter();
    let known = known.find(|pattern| pattern.local == local);
    let pattern = known.and_then(|pattern| pattern.translated.clone());
    plan::Simple {
        kind: Kind::String,
        white_space: WhiteSpace::Collapse,
        facets: Some(Box::new(Facets {
            patterns: pattern.into_iter().collect(),
            ..Facets::default()
        })),
    }
}

fn several(item: plan::Simple) -> plan::Simple {
    plan::Simple {
        kind: Kind::List(Box::new(item)),
        white_space: WhiteSpace::Collapse,
        facets: Some(Box::new(Facets {
            length_min: Some(1),
            ..Facets::default()
        })),
    }
}

#[cfg(test)]
mod tests;
