//! The simple types that XML Schema defines.

use crate::pattern;
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

fn names(local: &str) -> plan::Simple {
    let pattern = pattern::names::of_type(local).and_then(|known| known.translated.clone());
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
