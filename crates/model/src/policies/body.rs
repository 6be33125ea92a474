//! Policies on the bodies of messages.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Maximum bytes of a body that a step reads, unless the step sets another bound; 1 MiB.
pub const BODY_BYTES_MAX: u64 = 1 << 20;
/// Upper bound of a step's `bytes_max`: 10 MiB.
pub const BODY_BYTES_LIMIT: u64 = 10 << 20;

/// What becomes of a value that a template needs and the message does not have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Missing {
    /// The member or item is left out.
    #[default]
    Drop,
    /// It is null.
    Null,
    /// The call is rejected.
    Refuse,
}

/// What to do with a body of another media type than the step reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum OtherType {
    /// Rejects the call.
    Refuse,
    /// Skips the step.
    Pass,
}

/// Replaces the body by a JSON template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct JsonTemplate {
    /// The template: JSON with holes in its texts. A text that is one hole becomes the value of
    /// its expression, with its digits as sent. `{"$each": E, "$as": "x", "$do": …}` maps the array
    /// that is the value of `E`.
    #[cfg_attr(feature = "schema", schema(example = json!({"name": "{{ body.n }}"})))]
    pub template: Value,
    /// What becomes of a value that the message does not have.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(default = "drop"))]
    pub missing: Missing,
    /// Maximum bytes of the body, decoded.
    #[serde(default = "body_bytes_max")]
    #[cfg_attr(feature = "schema", schema(default = 1_048_576, maximum = 10_485_760))]
    pub bytes_max: u64,
    /// What to do with a body that is no JSON; by default `refuse` in requests and `pass` in
    /// responses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_type: Option<OtherType>,
}

/// Changes values of a JSON body; all other bytes stay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct JsonEdit {
    /// The edits, in their order.
    pub edits: Vec<Edit>,
    /// Maximum bytes of the body, decoded.
    #[serde(default = "body_bytes_max")]
    #[cfg_attr(feature = "schema", schema(default = 1_048_576, maximum = 10_485_760))]
    pub bytes_max: u64,
    /// What to do with a body that is no JSON; by default `refuse` in requests and `pass` in
    /// responses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_type: Option<OtherType>,
}

/// One edit of a JSON body. Paths are those of RFC 9535 without filters and slices.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(untagged, deny_unknown_fields)]
pub enum Edit {
    /// Sets the values at a path.
    Set {
        /// The path; a last member that does not exist is added.
        set: String,
        /// Expression of the value.
        value: String,
    },
    /// Removes the values at a path.
    Remove {
        /// The path.
        remove: String,
    },
    /// Renames the members at a path.
    Rename {
        /// The path.
        rename: String,
        /// The new name.
        to: String,
    },
}

const fn body_bytes_max() -> u64 {
    BODY_BYTES_MAX
}
