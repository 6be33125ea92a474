//! A draft with the notes on it.

use std::borrow::Cow;
use std::fmt;

use serde::Serialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, IgnoredAny, IntoDeserializer, MapAccess, Visitor,
};
use tollgate_mediation::note::Note;
use tollgate_model::api::Configuration;
use utoipa::openapi::{ArrayBuilder, Ref, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::secrets::Shown;

/// The member with the notes, which no configuration has.
const NOTES: &str = "notes";

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

/// A draft as it was returned: its notes are ignored.
pub(crate) struct SentDraft(pub(crate) Configuration);

impl<'de> Deserialize<'de> for SentDraft {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(DraftVisitor)
    }
}

struct DraftVisitor;

impl<'de> Visitor<'de> for DraftVisitor {
    type Value = SentDraft;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a draft")
    }

    fn visit_map<A: MapAccess<'de>>(self, from: A) -> Result<SentDraft, A::Error> {
        let draft = MapAccessDeserializer::new(WithoutNotes(from));
        Configuration::deserialize(draft).map(SentDraft)
    }
}

/// The members of an object except its notes.
struct WithoutNotes<A>(A);

impl<'de, A: MapAccess<'de>> MapAccess<'de> for WithoutNotes<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        while let Some(key) = self.0.next_key::<String>()? {
            if key != NOTES {
                return seed.deserialize(key.into_deserializer()).map(Some);
            }
            self.0.next_value::<IgnoredAny>()?;
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.0.next_value_seed(seed)
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
                     any. They are not part of the draft, and ignored when it is sent again.",
                ));
            object.properties.insert(NOTES.to_owned(), notes.into());
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
