//! Operations of a REST API: methods on path templates.

use std::collections::HashMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::defaults::{is_default, is_one, one};
use crate::fault::Fault;
use crate::path::{self, Paths};
use crate::plan::{Limit, Owner, limit_faults, weight_fault};
use crate::template::PathTemplate;
use crate::ties::Ties;

/// Maximum number of operations of one version.
pub const OPERATIONS_MAX: usize = 5_000;

/// Request methods that an operation can have (RFC 9110, section 9; RFC 5789).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "UPPERCASE")]
pub enum Method {
    /// GET
    Get,
    /// HEAD
    Head,
    /// POST
    Post,
    /// PUT
    Put,
    /// PATCH
    Patch,
    /// DELETE
    Delete,
    /// OPTIONS
    Options,
    /// TRACE
    Trace,
}

/// Every method, in the order of [`Method`].
pub const METHODS: [Method; 8] = [
    Method::Get,
    Method::Head,
    Method::Post,
    Method::Put,
    Method::Patch,
    Method::Delete,
    Method::Options,
    Method::Trace,
];

impl Method {
    /// Returns whether a request's body has a meaning (RFC 9110, section 9.3; RFC 5789).
    #[must_use]
    pub const fn has_body(self) -> bool {
        matches!(self, Self::Post | Self::Put | Self::Patch)
    }

    /// Returns the method's token on the wire.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Head => "HEAD",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
            Self::Options => "OPTIONS",
            Self::Trace => "TRACE",
        }
    }

    /// Parses a token; tokens are case-sensitive (RFC 9110, section 9.1).
    #[must_use]
    pub fn from_token(token: &[u8]) -> Option<Self> {
        METHODS
            .into_iter()
            .find(|method| method.word().as_bytes() == token)
    }

    /// Returns whether sending the request twice has the effect of sending it once (RFC 9110,
    /// section 9.2.2).
    #[must_use]
    pub const fn is_idempotent(self) -> bool {
        !matches!(self, Self::Post | Self::Patch)
    }
}

impl fmt::Display for Method {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.word())
    }
}

/// An operation of a version: a method on a path template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Operation {
    /// The method.
    pub method: Method,
    /// The path below the version.
    pub path: PathTemplate,
    /// One-line description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Its own limits; `per` contains `operation`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<Limit>,
    /// Units that a call of it costs, for limits on `units`: 1 to 10,000; 1 if absent.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub weight: u16,
    /// Scopes that a call's access token must have, each of them. API keys and users of HTTP Basic
    /// have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
    /// Whether calls without any credential are allowed; the plan `anonymous` limits them.
    #[serde(default, skip_serializing_if = "is_default")]
    pub anonymous: bool,
}

/// Returns all faults in the operations of a version; fields are JSON Pointers from its
/// configuration.
pub(crate) fn operation_faults(operations: &[Operation]) -> Vec<Fault> {
    let mut faults = Vec::new();
    if operations.len() > OPERATIONS_MAX {
        let detail = format!("at most {OPERATIONS_MAX} operations");
        faults.push(Fault::new("/operations", "operation.too_many", detail));
        return faults;
    }
    let mut seen = HashMap::new();
    for (index, operation) in operations.iter().enumerate() {
        let key = (operation.method, operation.path.shape());
        let field = format!("/operations/{index}");
        if let Some(first) = seen.insert(key, index) {
            let detail = format!(
                "{} {} answers the same calls as operation {first}",
                operation.method, operation.path
            );
            faults.push(Fault::new(&field, "operation.repeated", detail));
        }
        let own = limit_faults(&operation.limits, Owner::Operation).into_iter();
        let own = own.chain(weight_fault(operation.weight));
        faults.extend(own.map(|fault| fault.under(&field)));
    }
    faults
}

/// Returns the faults of paths that are only checked on saving: earlier releases stored paths that
/// differ only in percent-encodings or case. Each row is a pointer, a method and a path.
///
/// Of two paths that match the same calls equally well, the later one is at fault.
pub(crate) fn path_faults<'c>(
    rows: impl Iterator<Item = (String, Method, &'c PathTemplate)>,
    paths: Paths,
) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut seen: HashMap<_, (String, String)> = HashMap::new();
    let mut ties = Ties::new(paths);
    for (field, method, path) in rows {
        if path::normalized(path.as_str().as_bytes()).is_none() {
            let detail = format!("{path}: a % in a path must be followed by two hex digits");
            faults.push(Fault::new(&field, "operation.path", detail));
        }
        if let Some(earlier) = ties.add(path) {
            let detail = format!(
                "some paths match {path} and {earlier}, and neither is closer: change one of them"
            );
            faults.push(Fault::new(&field, "operation.ambiguous", detail));
        }
        let key = (method, path.matched_shape(paths));
        let first = seen.entry(key).or_insert((field.clone(), path.shape()));
        // The same text is a fault of stored ones already.
        if first.0 != field && first.1 != path.shape() {
            let detail = format!("{method} {path} answers the same calls as {}", first.0);
            faults.push(Fault::new(&field, "operation.repeated", detail));
        }
    }
    faults
}
