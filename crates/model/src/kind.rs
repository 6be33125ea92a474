//! The kinds of APIs.

use serde::{Deserialize, Serialize};

/// The protocol of an API's calls, the same for all its versions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Methods on paths, passed through.
    #[default]
    Rest,
    /// SOAP, passed through.
    Soap,
    /// Methods on paths with JSON, translated for a SOAP back end.
    SoapToRest,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::Rest, Self::Soap, Self::SoapToRest];

    /// Returns the word of this kind, as in JSON.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Rest => "rest",
            Self::Soap => "soap",
            Self::SoapToRest => "soap_to_rest",
        }
    }

    /// Parses a word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }
}
