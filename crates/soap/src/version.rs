//! The two versions of SOAP and their identifiers on the wire.

use serde::{Deserialize, Serialize};

/// A version of SOAP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SoapVersion {
    /// [SOAP 1.1](https://www.w3.org/TR/2000/NOTE-SOAP-20000508/)
    #[serde(rename = "1.1")]
    V1_1,
    /// [SOAP 1.2](https://www.w3.org/TR/soap12-part1/)
    #[serde(rename = "1.2")]
    V1_2,
}

impl SoapVersion {
    /// Returns the namespace of the envelope and its children.
    #[must_use]
    pub const fn envelope_namespace(self) -> &'static str {
        match self {
            Self::V1_1 => "http://schemas.xmlsoap.org/soap/envelope/",
            Self::V1_2 => "http://www.w3.org/2003/05/soap-envelope",
        }
    }

    /// Returns the version number.
    #[must_use]
    pub const fn number(self) -> &'static str {
        match self {
            Self::V1_1 => "1.1",
            Self::V1_2 => "1.2",
        }
    }

    /// Returns the version with an envelope namespace.
    #[must_use]
    pub fn from_envelope_namespace(namespace: &str) -> Option<Self> {
        [Self::V1_1, Self::V1_2]
            .into_iter()
            .find(|version| version.envelope_namespace() == namespace)
    }

    /// Returns the media type of a message without attachments, in lower case and without
    /// parameters.
    #[must_use]
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::V1_1 => "text/xml",
            Self::V1_2 => "application/soap+xml",
        }
    }
}
