//! How the callers of a version prove who they are.

use serde::{Deserialize, Serialize};

/// Where a key is looked for unless the version says otherwise.
pub const KEY_HEADER: &str = "apikey";

/// What a version takes as proof of who calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Security {
    /// A call satisfies one of them.
    pub schemes: Vec<Scheme>,
}

/// One way to prove who calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Scheme {
    /// An API key.
    ApiKey(ApiKey),
}

/// An API key in a field of the head, or in `Authorization: ApiKey …`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApiKey {
    /// The field's name, in any case of its letters.
    pub header: String,
}

impl Scheme {
    /// What the answer to a call without proof asks for (RFC 9110, section 11.6.1).
    #[must_use]
    pub fn challenge(&self) -> &'static str {
        match self {
            Self::ApiKey(_) => "ApiKey realm=\"tollgate\"",
        }
    }
}

impl Security {
    /// API keys in this header alone.
    #[must_use]
    pub fn api_key(header: &str) -> Self {
        let header = header.to_owned();
        Self {
            schemes: vec![Scheme::ApiKey(ApiKey { header })],
        }
    }

    /// The value of `WWW-Authenticate`: the challenges of all schemes, in their order.
    #[must_use]
    pub fn challenge(&self) -> String {
        let challenges: Vec<_> = self.schemes.iter().map(Scheme::challenge).collect();
        challenges.join(", ")
    }

    /// The names of the fields that hold credentials, apart from `Authorization`, in which each
    /// scheme takes them too.
    pub fn headers(&self) -> impl Iterator<Item = &str> {
        self.schemes.iter().map(|scheme| match scheme {
            Scheme::ApiKey(key) => key.header.as_str(),
        })
    }
}
