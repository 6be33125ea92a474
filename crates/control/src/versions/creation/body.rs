//! The schema of a new version's request body in the OpenAPI document of this API.

use utoipa::openapi::schema::{OneOfBuilder, Schema};
use utoipa::openapi::{Ref, RefOr};
use utoipa::{PartialSchema, ToSchema};

use super::NewVersionBody;
use crate::upload::Imports;

/// The body of a new version: its name, or an OpenAPI document or the URL of one.
pub(super) struct NewVersionOrDocument;

impl PartialSchema for NewVersionOrDocument {
    fn schema() -> RefOr<Schema> {
        let version = Ref::from_schema_name("NewVersion");
        OneOfBuilder::new()
            .item(version)
            .item(Imports::schema())
            .into()
    }
}

impl ToSchema for NewVersionOrDocument {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push(("NewVersion".to_owned(), NewVersionBody::schema()));
        Imports::schemas(schemas);
    }
}
