//! The schema of an import's request body in the OpenAPI document of this API.

use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, Schema};
use utoipa::openapi::{Ref, RefOr};
use utoipa::{PartialSchema, ToSchema};

use super::DocumentUrl;

/// The body of an import: an OpenAPI document, or a [`DocumentUrl`].
pub(crate) struct Imports;

impl PartialSchema for Imports {
    fn schema() -> RefOr<Schema> {
        let document = ObjectBuilder::new().description(Some("An OpenAPI document"));
        let place = Ref::from_schema_name("DocumentUrl");
        OneOfBuilder::new().item(place).item(document).into()
    }
}

impl ToSchema for Imports {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push(("DocumentUrl".to_owned(), DocumentUrl::schema()));
    }
}
