//! Uses of the cache of responses in the OpenAPI document: the closed list.

use std::borrow::Cow;

use serde::{Serialize, Serializer};
use tollgate_model::record::CacheUse;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

/// The word of what the cache of responses did for a call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CacheWord(pub(crate) CacheUse);

impl Serialize for CacheWord {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.0.word())
    }
}

impl PartialSchema for CacheWord {
    fn schema() -> RefOr<Schema> {
        let description = "What the cache of responses did for a call: `none`, nothing: the \
            operation has none, or the call did not get that far; `miss`, it had no response; \
            `hit`, it sent a fresh response; `stale`, it sent a response after its expiry; \
            `revalidated`, it sent a response after its expiry, which the upstream confirmed; \
            `bypass`, the call went past it";
        ObjectBuilder::new()
            .schema_type(Type::String)
            .description(Some(description))
            .enum_values(Some(CacheUse::ALL.map(CacheUse::word)))
            .into()
    }
}

impl ToSchema for CacheWord {
    fn name() -> Cow<'static, str> {
        Cow::Borrowed("CacheUse")
    }
}
