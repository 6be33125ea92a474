//! The answer of saving a draft.

use std::borrow::Cow;

use serde::Serialize;
use tollgate_mediation::note::Note;
use tollgate_model::api::Configuration;
use utoipa::openapi::{ArrayBuilder, Ref, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::secrets::Shown;

/// A saved draft, with notes on it.
#[derive(Debug, Serialize)]
pub(crate) struct SavedDraft {
    #[serde(flatten)]
    draft: Shown,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<DraftNote>,
}

/// A note on a part of a draft.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DraftNote {
    /// JSON Pointer (RFC 6901) to the part, from the draft.
    #[schema(example = "/policies/request/0/template/lines/$do")]
    field: String,
    /// Stable code.
    #[schema(example = "policy.work")]
    code: &'static str,
    /// Explanation, one sentence.
    detail: String,
}

impl SavedDraft {
    pub(crate) fn new(draft: Configuration, notes: Vec<Note>) -> Self {
        let notes = notes.into_iter().map(|note| DraftNote {
            field: note.field,
            code: note.code,
            detail: note.detail,
        });
        Self {
            draft: draft.into(),
            notes: notes.collect(),
        }
    }
}

/// The schema of a configuration, which has no other members, with one more.
impl PartialSchema for SavedDraft {
    fn schema() -> RefOr<Schema> {
        let mut schema = Configuration::schema();
        if let RefOr::T(Schema::Object(object)) = &mut schema {
            let notes = ArrayBuilder::new()
                .items(Ref::from_schema_name(DraftNote::name()))
                .description(Some(
                    "Notes on valid parts because of which calls may be refused; absent without \
                     any. They are not part of the draft: leave them out when you send it again.",
                ));
            object.properties.insert("notes".to_owned(), notes.into());
            object.description = Some("A saved draft, with notes on it.".to_owned());
        }
        schema
    }
}

impl ToSchema for SavedDraft {
    fn name() -> Cow<'static, str> {
        "SavedDraft".into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((DraftNote::name().into(), DraftNote::schema()));
        Configuration::schemas(schemas);
    }
}
