//! Refusal codes in the OpenAPI document: the closed list.

use serde::{Serialize, Serializer};
use tollgate_model::refusal::{REFUSALS, Refusal};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

/// The code of a refusal of the gateway.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RefusalCode(pub(crate) Refusal);

impl Serialize for RefusalCode {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.0.facts().code)
    }
}

impl PartialSchema for RefusalCode {
    fn schema() -> RefOr<Schema> {
        let codes = REFUSALS.iter().map(|refusal| refusal.facts().code);
        ObjectBuilder::new()
            .schema_type(Type::String)
            .description(Some("Why the gateway rejected a call"))
            .enum_values(Some(codes))
            .into()
    }
}

impl ToSchema for RefusalCode {}
