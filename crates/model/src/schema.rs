//! JSON schemas of types with hand-written JSON: ids and path templates.
//!
//! Only with the feature `schema`, which the control plane enables to describe its HTTP API
//! (OpenAPI 3.1); the other types derive theirs.

use std::borrow::Cow;

use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaType, Type};
use utoipa::{PartialSchema, ToSchema};

use crate::id::{self, Id, Kind};
use crate::template::PathTemplate;

impl<K: Kind> PartialSchema for Id<K> {
    fn schema() -> RefOr<Schema> {
        let pattern = format!("^{}_[0-9A-Za-z]{{{}}}$", K::PREFIX, id::TEXT_DIGITS);
        let description = format!(
            "`{}_` and eleven letters or digits, sortable by time",
            K::PREFIX
        );
        string()
            .pattern(Some(pattern))
            .description(Some(description))
            .into()
    }
}

impl<K: Kind> ToSchema for Id<K> {
    fn name() -> Cow<'static, str> {
        let kind = std::any::type_name::<K>();
        let kind = kind.rsplit("::").next().unwrap_or(kind);
        Cow::Owned(format!("{kind}Id"))
    }
}

impl PartialSchema for PathTemplate {
    fn schema() -> RefOr<Schema> {
        let description = "A path template such as `/pets/{pet}` or `/pets/{pet}.json`";
        string()
            .pattern(Some("^/"))
            .description(Some(description))
            .into()
    }
}

impl ToSchema for PathTemplate {}

fn string() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(SchemaType::Type(Type::String))
}
