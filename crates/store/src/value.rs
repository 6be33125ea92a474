//! Parameters of statements ([`Value`]), and conversions between stored text and model types.
//!
//! A closed list instead of generics over databases: each database binds these few types, so a
//! second one beside SQLite needs no change in the nouns.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::error::Category;
use tollgate_model::credential::Digest;
use tollgate_model::id::Id;

use crate::StoreError;

/// Maximum number of rows of one list.
pub const LIST_MAX: u32 = 1_000;

/// One bound parameter.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Value<'a> {
    Int(Option<i64>),
    Text(Option<&'a str>),
    Bytes(Option<&'a [u8]>),
    Bool(bool),
}

impl From<i64> for Value<'_> {
    fn from(value: i64) -> Self {
        Self::Int(Some(value))
    }
}

impl From<Option<i64>> for Value<'_> {
    fn from(value: Option<i64>) -> Self {
        Self::Int(value)
    }
}

impl<K> From<Id<K>> for Value<'_> {
    fn from(id: Id<K>) -> Self {
        Self::Int(Some(id.raw()))
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(value: &'a str) -> Self {
        Self::Text(Some(value))
    }
}

impl<'a> From<Option<&'a str>> for Value<'a> {
    fn from(value: Option<&'a str>) -> Self {
        Self::Text(value)
    }
}

impl<'a> From<&'a String> for Value<'a> {
    fn from(value: &'a String) -> Self {
        Self::Text(Some(value))
    }
}

impl From<bool> for Value<'_> {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl<'a> From<&'a Digest> for Value<'a> {
    fn from(digest: &'a Digest) -> Self {
        Self::Bytes(Some(digest))
    }
}

impl<'a> From<Option<&'a Digest>> for Value<'a> {
    fn from(digest: Option<&'a Digest>) -> Self {
        Self::Bytes(digest.map(Digest::as_slice))
    }
}

impl<'a> From<&'a [u8]> for Value<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Self::Bytes(Some(bytes))
    }
}

/// Returns a page's lower bound: ids are positive, so zero precedes the first.
pub(crate) fn after<K>(id: Option<Id<K>>) -> Value<'static> {
    Value::Int(Some(id.map_or(0, Id::raw)))
}

/// Returns a page's length, at most [`LIST_MAX`].
pub(crate) fn limit(at_most: u32) -> Value<'static> {
    Value::Int(Some(i64::from(at_most.min(LIST_MAX))))
}

/// Encodes plain data as JSON.
pub(crate) fn json<T: Serialize>(data: &T) -> String {
    serde_json::to_string(data).expect("plain data with text keys always encodes")
}

/// Encodes ids as a JSON list, for `in (select value from json_each(…))`: one parameter for any
/// number.
pub(crate) fn ids_json<K>(ids: &[Id<K>]) -> String {
    let raw: Vec<_> = ids.iter().map(|id| id.raw()).collect();
    json(&raw)
}

/// Decodes plain data from JSON.
pub(crate) fn from_json<T: DeserializeOwned>(text: &str, column: &str) -> Result<T, StoreError> {
    serde_json::from_str(text).map_err(|error| {
        // The error's message may quote a value, which may be a secret.
        let what = match error.classify() {
            Category::Data => "a value has the wrong type",
            Category::Eof => "it ends too early",
            Category::Syntax | Category::Io => "it is not JSON",
        };
        let (line, place) = (error.line(), error.column());
        let detail = format!("column {column} does not decode: {what}, at {line}:{place}");
        StoreError::Corrupt(detail)
    })
}
