//! What a limit does with calls that exceed it.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, de};

/// What happens to a call that exceeds a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = LimitExceeded))]
#[serde(rename_all = "snake_case")]
pub enum OnExceeding {
    /// It is refused.
    #[default]
    Reject,
    /// It is admitted, and its record notes it.
    Observe,
}

impl<'de> Deserialize<'de> for OnExceeding {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Word)
    }
}

struct Word;

impl de::Visitor<'_> for Word {
    type Value = OnExceeding;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("\"reject\" or \"observe\"; calls cannot be delayed")
    }

    fn visit_str<E: de::Error>(self, word: &str) -> Result<OnExceeding, E> {
        match word {
            "reject" => Ok(OnExceeding::Reject),
            "observe" => Ok(OnExceeding::Observe),
            _ => Err(E::invalid_value(de::Unexpected::Str(word), &self)),
        }
    }
}
