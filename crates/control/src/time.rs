//! Instants as the HTTP API shows them: RFC 3339 in UTC, to the microsecond.

use std::borrow::Cow;

use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, Schema, SchemaFormat, SchemaType, Type};
use utoipa::{PartialSchema, ToSchema};

/// An instant: Unix microseconds inside, `2026-01-31T12:00:00.000001Z` outside.
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
        let instant = text.parse::<Timestamp>().map_err(|_| {
            let detail = "expected an instant such as \"2026-01-31T12:00:00Z\" (RFC 3339)";
            de::Error::custom(detail)
        })?;
        Ok(Self(instant.as_microsecond()))
    }
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
