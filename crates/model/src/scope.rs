//! Scopes of versions: what each allows, and how it is granted.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde::{Deserialize, Serialize};

/// A scope that operations of a version may require.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Scope {
    /// What it allows, human-readable; at most 200 characters.
    #[serde(default)]
    pub text: String,
    /// How it is granted.
    #[serde(default)]
    pub granted: Granted,
}

/// How a scope is granted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Granted {
    /// Any client may use it without approval.
    #[default]
    Freely,
    /// The owner of the API must approve: only applications whose subscription to the version was
    /// granted it have the scope.
    ByApproval,
}

/// The object form of a scope; the short form is a string.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default)]
    text: String,
    #[serde(default)]
    granted: Granted,
}

impl Scope {
    /// Returns whether it needs a grant.
    #[must_use]
    pub fn is_by_approval(&self) -> bool {
        self.granted == Granted::ByApproval
    }
}

/// Creates a scope that is granted freely.
impl From<&str> for Scope {
    fn from(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            granted: Granted::Freely,
        }
    }
}

/// A string is a scope that is granted freely: earlier releases stored all scopes like that.
impl<'de> Deserialize<'de> for Scope {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(ScopeVisitor)
    }
}

struct ScopeVisitor;

impl<'de> Visitor<'de> for ScopeVisitor {
    type Value = Scope;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a text, or an object of text and granted")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Scope, E> {
        Ok(text.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Scope, A::Error> {
        let Written { text, granted } = Written::deserialize(MapAccessDeserializer::new(map))?;
        Ok(Scope { text, granted })
    }
}

#[cfg(test)]
mod tests;
