//! Instants as the HTTP API shows them: RFC 3339 in UTC, to the microsecond.
//!
//! The last year is 9999, and jiff's last instant is a day before its end, so that every instant
//! can be shown in every time zone. Clients often write the very last second for "never": it is
//! read as [`LAST`].

use std::borrow::Cow;

use jiff::Timestamp;
use jiff::civil::{Date, date};
use jiff::fmt::temporal::Pieces;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, Schema, SchemaFormat, SchemaType, Type};
use utoipa::{PartialSchema, ToSchema};

/// The last instant, Unix microseconds: 9999-12-30T22:00:00Z.
const LAST: i64 = 253_402_207_200_000_000;
/// Instants on or after this day may be later than jiff's last one.
const LAST_DAY: Date = date(9999, 12, 30);

/// An instant: Unix microseconds in memory, `2026-01-31T12:00:00.000001Z` in JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time(pub i64);

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match Timestamp::from_microsecond(self.0) {
            Ok(instant) => to.collect_str(&instant),
            Err(error) => Err(serde::ser::Error::custom(error)),
        }
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(from)?;
        parse(&text).map(Self).ok_or_else(|| {
            let detail = "expected an instant such as \"2026-01-31T12:00:00Z\" (RFC 3339)";
            de::Error::custom(detail)
        })
    }
}

/// Parses an instant to Unix microseconds; later instants become [`LAST`].
fn parse(text: &str) -> Option<i64> {
    if let Ok(instant) = text.parse::<Timestamp>() {
        return Some(instant.as_microsecond().min(LAST));
    }
    let pieces = Pieces::parse(text).ok()?;
    let is_instant = pieces.time().is_some() && pieces.offset().is_some();
    (is_instant && pieces.date() >= LAST_DAY).then_some(LAST)
}

impl PartialSchema for Time {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(SchemaType::Type(Type::String))
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime)))
            .description(Some("An instant in UTC (RFC 3339)"))
            .into()
    }
}

impl ToSchema for Time {}

#[cfg(test)]
mod tests;
