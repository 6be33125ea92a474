//! Faults in user input: the field, a stable code, a sentence. Checks collect all faults; the
//! control plane renders them as the `errors` member of a problem document.

use serde::{Deserialize, Serialize};

/// One fault in what was sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Fault {
    /// JSON Pointer (RFC 6901) of the offending field in what was sent; empty for the whole
    /// document.
    pub field: String,
    /// Stable code word, such as `plan.no_limits`.
    pub code: String,
    /// One sentence that explains the fault.
    pub detail: String,
}

/// Escapes one token of a JSON Pointer (RFC 6901, section 3).
#[must_use]
pub fn pointer_token(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

impl Fault {
    /// Creates a fault at `field`.
    pub fn new(field: impl Into<String>, code: &str, detail: impl Into<String>) -> Self {
        Self {
            field: field.into(),
            code: code.to_owned(),
            detail: detail.into(),
        }
    }

    /// Moves the fault to a document that contains the present one at `prefix`.
    #[must_use]
    pub fn under(mut self, prefix: &str) -> Self {
        self.field.insert_str(0, prefix);
        self
    }
}
