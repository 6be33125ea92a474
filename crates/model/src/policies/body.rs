//! Policies on the bodies of messages.
//!
//! Each reads the whole body, decoded from gzip or Brotli, within `bytes_max`. Bodies of other
//! media types than the step reads are refused or skipped (`other_type`), empty ones always
//! skipped.

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

/// What a masked value becomes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub enum MaskWith {
    /// The member or item is removed.
    #[default]
    #[serde(rename = "remove")]
    Remove,
    /// `null`.
    #[serde(rename = "null")]
    Null,
    /// The text `***`.
    #[serde(rename = "***")]
    Stars,
    /// `***` and the last four characters of a text or number with more than eight; `***` for all
    /// others.
    #[serde(rename = "last4")]
    Last4,
}

/// An edit of a JSON body.
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

/// A literal text and its replacement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Replacement {
    /// The text, 1 to 256 bytes.
    pub from: String,
    /// What it becomes, at most 256 bytes.
    pub to: String,
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
    /// The edits, in their order. Paths are those of RFC 9535 without filters and slices.
    #[cfg_attr(
        feature = "schema",
        schema(example = json!([{"set": "$.a.b", "value": "1"}, {"remove": "$.c"}]))
    )]
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

/// Hides values of a JSON body; all other bytes stay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Mask {
    /// Paths of the values: those of RFC 9535 without filters and slices.
    #[cfg_attr(feature = "schema", schema(example = json!(["$.card", "$..iban"])))]
    pub paths: Vec<String>,
    /// What a value becomes.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(default = "remove"))]
    pub with: MaskWith,
    /// Maximum bytes of the body, decoded.
    #[serde(default = "body_bytes_max")]
    #[cfg_attr(feature = "schema", schema(default = 1_048_576, maximum = 10_485_760))]
    pub bytes_max: u64,
    /// What to do with a body that is no JSON.
    #[serde(default = "Mask::default_other_type")]
    #[cfg_attr(feature = "schema", schema(default = "refuse"))]
    pub other_type: OtherType,
}

impl Mask {
    const fn default_other_type() -> OtherType {
        OtherType::Refuse
    }
}

/// Replaces literal texts of a body that is text, JSON or XML.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ReplaceText {
    /// The texts, at most 16. At each place of the body the first that matches is replaced;
    /// replacements are not searched again.
    #[cfg_attr(
        feature = "schema",
        schema(example = json!([{"from": "http://intern/", "to": "https://api.example.com/"}]))
    )]
    pub pairs: Vec<Replacement>,
    /// Maximum bytes of the body, decoded.
    #[serde(default = "body_bytes_max")]
    #[cfg_attr(feature = "schema", schema(default = 1_048_576, maximum = 10_485_760))]
    pub bytes_max: u64,
    /// What to do with a body that is no text; by default `refuse` in requests and `pass` in
    /// responses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_type: Option<OtherType>,
}

/// Converts a JSON body to XML 1.0.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct JsonToXml {
    /// Name of the root element.
    #[serde(default = "JsonToXml::default_root")]
    #[cfg_attr(feature = "schema", schema(default = "root"))]
    pub root: String,
    /// Name of the elements of an array in an array, or at the top.
    #[serde(default = "JsonToXml::default_item")]
    #[cfg_attr(feature = "schema", schema(default = "item"))]
    pub item: String,
    /// Beginning of the names of members that become attributes; if empty, none do.
    #[serde(default = "default_attributes")]
    #[cfg_attr(feature = "schema", schema(default = "@"))]
    pub attributes: String,
    /// Name of the member that becomes the text of its element.
    #[serde(default = "default_text")]
    #[cfg_attr(feature = "schema", schema(default = "#text"))]
    pub text: String,
    /// Maximum bytes of the body, decoded.
    #[serde(default = "body_bytes_max")]
    #[cfg_attr(feature = "schema", schema(default = 1_048_576, maximum = 10_485_760))]
    pub bytes_max: u64,
    /// What to do with a body that is no JSON; by default `refuse` in requests and `pass` in
    /// responses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_type: Option<OtherType>,
}

impl JsonToXml {
    fn default_root() -> String {
        "root".to_owned()
    }

    fn default_item() -> String {
        "item".to_owned()
    }
}

/// Converts an XML body to JSON. All values are texts; elements that repeat are arrays.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct XmlToJson {
    /// Paths of elements that are arrays also if there is one: names from below the root element,
    /// separated by `/`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schema(example = json!(["orders/order"]), default = json!([])))]
    pub arrays: Vec<String>,
    /// Beginning of the names of members that are attributes; if empty, attributes are left out.
    #[serde(default = "default_attributes")]
    #[cfg_attr(feature = "schema", schema(default = "@"))]
    pub attributes: String,
    /// Name of the member for the text of an element with attributes or elements.
    #[serde(default = "default_text")]
    #[cfg_attr(feature = "schema", schema(default = "#text"))]
    pub text: String,
    /// Maximum bytes of the body, decoded.
    #[serde(default = "body_bytes_max")]
    #[cfg_attr(feature = "schema", schema(default = 1_048_576, maximum = 10_485_760))]
    pub bytes_max: u64,
    /// What to do with a body that is no XML; by default `refuse` in requests and `pass` in
    /// responses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_type: Option<OtherType>,
}

/// Rejects requests with a JSON body beyond these bounds, or with a text that matches a pattern.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ThreatProtection {
    /// Maximum depth of nested arrays and objects.
    #[serde(default = "ThreatProtection::default_depth")]
    #[cfg_attr(feature = "schema", schema(default = 32, minimum = 1, maximum = 64))]
    pub depth: u32,
    /// Maximum members of an object.
    #[serde(default = "ThreatProtection::default_members")]
    #[cfg_attr(feature = "schema", schema(default = 1000))]
    pub members: u32,
    /// Maximum items of an array.
    #[serde(default = "ThreatProtection::default_items")]
    #[cfg_attr(feature = "schema", schema(default = 10_000, maximum = 100_000))]
    pub items: u32,
    /// Maximum bytes of a member's name, without escapes.
    #[serde(default = "ThreatProtection::default_key_bytes")]
    #[cfg_attr(feature = "schema", schema(default = 256))]
    pub key_bytes: u32,
    /// Maximum bytes of a text, without escapes.
    #[serde(default = "ThreatProtection::default_string_bytes")]
    #[cfg_attr(feature = "schema", schema(default = 65_536))]
    pub string_bytes: u32,
    /// Regular expressions that no name and no text of the body matches, nor a parameter of the
    /// query, decoded; at most 16, without look-around.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(
        feature = "schema",
        schema(example = json!(["(?i)<script"]), default = json!([]))
    )]
    pub patterns: Vec<String>,
    /// Maximum bytes of the body, decoded.
    #[serde(default = "body_bytes_max")]
    #[cfg_attr(feature = "schema", schema(default = 1_048_576, maximum = 10_485_760))]
    pub bytes_max: u64,
    /// What to do with a body that is no JSON; by default `refuse` in requests and `pass` in
    /// responses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_type: Option<OtherType>,
}

impl ThreatProtection {
    const fn default_depth() -> u32 {
        32
    }

    const fn default_members() -> u32 {
        1_000
    }

    const fn default_items() -> u32 {
        10_000
    }

    const fn default_key_bytes() -> u32 {
        256
    }

    const fn default_string_bytes() -> u32 {
        65_536
    }
}

/// Compresses the body with gzip, for callers that accept it. Larger bodies, those of unknown
/// length or already coded, and event streams stay as they are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Compress {
    /// Minimum bytes of a body that is compressed.
    #[serde(default = "Compress::default_min_bytes")]
    #[cfg_attr(feature = "schema", schema(default = 1024))]
    pub min_bytes: u64,
    /// Maximum bytes of a body that is compressed.
    #[serde(default = "body_bytes_max")]
    #[cfg_attr(feature = "schema", schema(default = 1_048_576, maximum = 10_485_760))]
    pub bytes_max: u64,
}

impl Compress {
    const fn default_min_bytes() -> u64 {
        1_024
    }
}

const fn body_bytes_max() -> u64 {
    BODY_BYTES_MAX
}

fn default_attributes() -> String {
    "@".to_owned()
}

fn default_text() -> String {
    "#text".to_owned()
}
