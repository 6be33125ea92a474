//! What is wrong with something a person wrote: which field, a stable code, a sentence.
//!
//! Checks collect faults and tell them all at once; the control plane renders them as the
//! `errors` member of a problem document.

use serde::{Deserialize, Serialize};

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Fault {
    /// JSON Pointer (RFC 6901) of the offending field in what was sent; empty for the whole.
    pub field: String,
    /// Stable code word, such as `plan.no_limits`.
    pub code: String,
    /// One sentence for the person who sent it.
    pub detail: String,
}

/// One token of a JSON Pointer, escaped (RFC 6901, section 3).
#[must_use]
pub fn pointer_token(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

impl Fault {
    /// A fault at `field`.
    pub fn new(field: impl Into<String>, code: &str, detail: impl Into<String>) -> Self {
        Self {
            field: field.into(),
            code: code.to_owned(),
            detail: detail.into(),
        }
    }

    /// The same fault seen from a document that holds the present one at `prefix`.
    #[must_use]
    pub fn under(mut self, prefix: &str) -> Self {
        self.field.insert_str(0, prefix);
        self
    }
}
