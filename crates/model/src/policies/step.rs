//! Steps: policies that change a message, in the order of their list. Crate `mediation` judges and
//! compiles them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

#[cfg(feature = "schema")]
use utoipa::openapi::{RefOr, schema::Schema};
#[cfg(feature = "schema")]
use utoipa::{PartialSchema as _, ToSchema as _};

use super::body::{
    Compress, JsonEdit, JsonTemplate, JsonToXml, Mask, ReplaceText, ThreatProtection, XmlToJson,
};
use super::cache::Cache;
use crate::operation::Method;

/// Maximum steps of one list.
pub const STEPS_MAX: usize = 64;
/// A step: a policy and its condition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Expression that decides whether the step runs; if absent, it always runs.
    #[serde(rename = "if", default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// The policy with its fields.
    #[serde(flatten)]
    pub policy: Policy,
}

macro_rules! policies {
    ($($(#[$doc:meta])* $name:ident = $word:literal,)*) => {
        /// What a step does; `policy` is its name.
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(tag = "policy", rename_all = "snake_case")]
        pub enum Policy {
            $($(#[$doc])* $name($name),)*
        }

        impl Policy {
            /// Name and schema of the fields of every policy.
            #[cfg(feature = "schema")]
            pub(crate) fn schemas() -> Vec<(&'static str, RefOr<Schema>)> {
                vec![$(($word, $name::schema())),*]
            }

            /// Adds the schemas that those of the policies refer to.
            #[cfg(feature = "schema")]
            pub(crate) fn add_schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
                $($name::schemas(schemas);)*
            }

            /// Returns the policy's name, as in JSON.
            #[must_use]
            pub const fn word(&self) -> &'static str {
                match self {
                    $(Self::$name(_) => $word,)*
                }
            }
        }
    };
}

policies! {
    /// Sets a header field.
    SetHeader = "set_header",
    /// Removes header fields.
    RemoveHeader = "remove_header",
    /// Renames a header field.
    RenameHeader = "rename_header",
    /// Sets a query parameter.
    SetQuery = "set_query",
    /// Removes query parameters.
    RemoveQuery = "remove_query",
    /// Replaces the path below the upstream's base path.
    RewritePath = "rewrite_path",
    /// Replaces the method.
    SetMethod = "set_method",
    /// Replaces the status.
    SetStatus = "set_status",
    /// Replaces the upstream's address in `Location` by the version's path at the gateway.
    RewriteLocation = "rewrite_location",
    /// Keeps the value of an expression for later steps, as `var.name`.
    Let = "let",
    /// Responds; no later step runs, and the upstream is not called.
    Respond = "respond",
    /// Responds with an example of the operation's document; the upstream is not called.
    Mock = "mock",
    /// Replaces the body by a JSON template.
    JsonTemplate = "json_template",
    /// Changes values of a JSON body; all other bytes stay.
    JsonEdit = "json_edit",
    /// Hides values of a JSON body; all other bytes stay.
    Mask = "mask",
    /// Replaces literal texts of the body.
    ReplaceText = "replace_text",
    /// Converts a JSON body to XML.
    JsonToXml = "json_to_xml",
    /// Converts an XML body to JSON.
    XmlToJson = "xml_to_json",
    /// Rejects requests with a JSON body beyond bounds, or with a text that matches a pattern.
    ThreatProtection = "threat_protection",
    /// Compresses the body with gzip.
    Compress = "compress",
}

/// What to do with an existing value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Replaces it.
    #[default]
    Replace,
    /// Adds a second value.
    Append,
    /// Keeps it, and sets the value only if there is none.
    IfAbsent,
}

/// Sets a header field. A value that is null, or has CR, LF or NUL, is not set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct SetHeader {
    /// Name of the field.
    #[cfg_attr(feature = "schema", schema(example = "x-plan"))]
    pub name: String,
    /// Template of its value.
    #[cfg_attr(feature = "schema", schema(example = "{{ caller.plan }}"))]
    pub value: String,
    /// What to do with an existing field: replace it, add a second one, or keep it.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(default = "replace"))]
    pub mode: Mode,
}

/// Removes header fields.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct RemoveHeader {
    /// Names of the fields; `*` at the end matches any rest. Fields that no step may change
    /// stay.
    #[cfg_attr(feature = "schema", schema(example = json!(["x-internal-*"])))]
    pub names: Vec<String>,
}

/// Renames a header field, and replaces those that have the new name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct RenameHeader {
    /// The present name.
    pub from: String,
    /// The new name.
    pub to: String,
}

/// Sets a query parameter. A value that is null is not set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct SetQuery {
    /// Name of the parameter, decoded.
    pub name: String,
    /// Template of its value, decoded.
    pub value: String,
    /// What to do with an existing parameter: replace it, add a second one, or keep it.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(default = "replace"))]
    pub mode: Mode,
}

/// Removes query parameters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct RemoveQuery {
    /// Names of the parameters, decoded; `*` at the end matches any rest.
    pub names: Vec<String>,
}

/// Replaces the path below the upstream's base path; the query stays.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct RewritePath {
    /// Template of the path, which begins with `/`. The value of each hole is one segment or part
    /// of one, and is encoded; a hole that is only the rest of the caller's path, by its name,
    /// keeps its slashes. It is judged like a parameter of the caller's path: with
    /// `encoded_slash: refuse`, which is the default of REST, a call with a slash or a backslash in
    /// a value is rejected, with `pass` and `data` both go up encoded. A call is also rejected if
    /// its path has a segment `.` or `..`, or a NUL, once it is decoded up to three times and, with
    /// `semicolon: check`, cut at semicolons. The refusal is 400 `route.ambiguous`.
    #[cfg_attr(feature = "schema", schema(example = "/v2/pets/{{ path.pet }}"))]
    pub path: String,
}

/// Replaces the method.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct SetMethod {
    /// The new method: `GET`, `POST`, `PUT`, `PATCH` or `DELETE`.
    pub method: Method,
}

/// Replaces the status.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct SetStatus {
    /// The new status, 200 to 599 except 204, 205 and 304, which have no body.
    #[cfg_attr(feature = "schema", schema(minimum = 200, maximum = 599))]
    pub status: u16,
}

/// Replaces the upstream's address in `Location` by the version's path at the gateway. A location
/// that might be read as one outside of that path is left out, and its call counts as `mismatched`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct RewriteLocation {
    /// Whether `Content-Location` is changed, too.
    #[serde(default = "RewriteLocation::default_content_location")]
    #[cfg_attr(feature = "schema", schema(default = true))]
    pub content_location: bool,
}

impl RewriteLocation {
    const fn default_content_location() -> bool {
        true
    }
}

/// Keeps the value of an expression for later steps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Let {
    /// Name of the value: later steps read it as `var.name`.
    pub name: String,
    /// The expression.
    pub value: String,
}

/// Responds; no later step runs, and the upstream is not called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Respond {
    /// The status, 200 to 599.
    #[cfg_attr(feature = "schema", schema(minimum = 200, maximum = 599))]
    pub status: u16,
    /// Templates of header fields. `X-Content-Type-Options: nosniff` is added unless it is among
    /// them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "schema", schema(default = json!({})))]
    pub headers: BTreeMap<String, String>,
    /// Template of the body. Values are escaped for `content_type`, if that is JSON (also
    /// `application/json-seq`, `ndjson` and types that end in `+json`), JavaScript, XML or HTML.
    /// Values of other types are not: plain text, CSV.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[cfg_attr(feature = "schema", schema(default = ""))]
    pub body: String,
    /// Media type of the body; required if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(example = "application/json"))]
    pub content_type: Option<String>,
}

/// Responds with an example of the operation's document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Mock {
    /// The status of the response in the document.
    #[serde(default = "Mock::default_status")]
    #[cfg_attr(
        feature = "schema",
        schema(default = 200, minimum = 200, maximum = 599)
    )]
    pub status: u16,
    /// Name of the example; if absent, the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub example: Option<String>,
}

impl Mock {
    const fn default_status() -> u16 {
        200
    }
}

/// Policies of some operations, beside or instead of those of the version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct OperationPolicies {
    /// The operations, by method and path as in the version.
    #[cfg_attr(feature = "schema", schema(example = json!(["POST /orders"])))]
    pub operations: Vec<String>,
    /// How the lists combine with the version's.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(default = "append"))]
    pub mode: Combine,
    /// Steps of requests; with `append`, they run after the version's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub request: Vec<Step>,
    /// Steps of responses; with `append`, they run before the version's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub response: Vec<Step>,
    /// Steps of the gateway's own refusals; with `append`, they run before the version's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub error: Vec<Step>,
    /// The cache of responses of these operations, which have to be `GET`. If absent, that of the
    /// version applies; with `replace`, none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<Cache>,
}

/// How the lists of an operation combine with those of its version.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Combine {
    /// Both run.
    #[default]
    Append,
    /// Only those of the operation run.
    Replace,
}
