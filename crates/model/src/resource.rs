//! SOAP as REST: the resources by which the operations of a SOAP service are called, what each
//! request to the back end adds, and how answers become JSON.
//!
//! An import proposes resources (crate `soap`), the publisher edits them, gateways serve them.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::api::{Method, OPERATIONS_MAX};
use crate::fault::Fault;
use crate::template::{PathTemplate, Segment};

/// Parameters of one resource at most.
pub const PARAMETERS_MAX: usize = 200;
/// Bytes of an answer of the back end at most, where a version does not say more or less.
pub const ANSWER_BYTES: u64 = 10 * 1024 * 1024;
/// The most that a version may say.
pub const ANSWER_BYTES_MAX: u64 = 100 * 1024 * 1024;

/// Where a parameter is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// A segment of the path.
    Path,
    /// A key of the query.
    Query,
    /// A field of the request's head.
    Header,
}

/// A value that does not come with the body.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Parameter {
    /// Where it is.
    pub place: Place,
    /// Its name there.
    pub name: String,
    /// The keys that lead to its value in the JSON of the request; none for a body that is a
    /// scalar.
    pub path: Vec<String>,
    /// Whether it may be repeated: its value is an array.
    #[serde(default)]
    pub is_array: bool,
    /// Whether the contract requires it.
    #[serde(default)]
    pub required: bool,
}

/// How an operation is called as REST. What no parameter names is in the body.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Resource {
    /// The operation, by its name in the contract; also its `operationId`.
    pub operation: String,
    /// The method: GET, POST, PUT, PATCH or DELETE.
    pub method: Method,
    /// The path, with `{name}` where a parameter is.
    pub path: PathTemplate,
    /// The parameters.
    #[serde(default)]
    pub parameters: Vec<Parameter>,
    /// Whether it is served.
    #[serde(default = "yes")]
    pub enabled: bool,
}

const fn yes() -> bool {
    true
}

/// A SOAP service as REST.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct RestService {
    /// How its operations are called; an import proposes it.
    pub resources: Vec<Resource>,
    /// What requests to the back end add.
    #[serde(default)]
    pub back_end: BackEnd,
    /// How answers become JSON.
    #[serde(default)]
    pub answers: Answers,
}

/// What every request to the back end carries: from here, never from the consumer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct BackEnd {
    /// Header blocks, by the names of their parts: JSON by the convention.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "schema", schema(value_type = Object))]
    pub headers: BTreeMap<String, Value>,
    /// A UsernameToken of WS-Security.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub username_token: Option<UsernameToken>,
    /// A user of HTTP Basic (RFC 7617).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub basic: Option<Basic>,
}

/// Who the gateway is to the back end, in the header of the envelope.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct UsernameToken {
    /// The name.
    pub name: String,
    /// The password.
    pub password: Secret,
    /// Whether a digest of it is sent, with a nonce and a time, instead of itself.
    #[serde(default)]
    pub is_digest: bool,
}

/// Who the gateway is to the back end, in the head of the request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Basic {
    /// The name; without a colon.
    pub name: String,
    /// The password.
    pub password: Secret,
}

/// A word that gateways must present. It is stored and sent to them; nobody else sees it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(transparent)]
pub struct Secret(pub String);

impl Secret {
    /// What stands in the place of a secret that is shown.
    pub const MASK: &str = "***";
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(Self::MASK)
    }
}

/// How answers become JSON.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Answers {
    /// Whether an answer that does not fit its contract is refused (502) rather than passed on as
    /// far as it fits.
    pub strict: bool,
    /// Whether integers of types beyond 2^53 are strings.
    pub longs_as_strings: bool,
    /// Whether decimals are strings.
    pub decimals_as_strings: bool,
    /// Whether absent attributes with a default are written.
    pub attribute_defaults: bool,
    /// Whether what looks like a stack trace in an undeclared fault is passed on.
    pub stack_traces: bool,
    /// The statuses of declared faults, by their names; 400 to 599.
    pub fault_statuses: BTreeMap<String, u16>,
    /// Bytes of an answer at most; 10 MiB when absent.
    pub bytes_max: Option<u64>,
}

impl RestService {
    /// Everything that is wrong as far as it shows without the contract; fields are pointers from
    /// here.
    #[must_use]
    pub fn faults(&self) -> Vec<Fault> {
        if self.resources.len() > OPERATIONS_MAX {
            let detail = format!("at most {OPERATIONS_MAX} resources");
            return vec![Fault::new("/resources", "operation.too_many", detail)];
        }
        let mut faults = Vec::new();
        let mut seen = HashMap::new();
        for (index, resource) in self.resources.iter().enumerate() {
            let field = format!("/resources/{index}");
            let own = resource.faults().into_iter();
            faults.extend(own.map(|fault| fault.under(&field)));
            if !resource.enabled {
                continue;
            }
            let key = (resource.method, resource.path.shape());
            if let Some(first) = seen.insert(key, index) {
                let detail = format!(
                    "{} {} answers the same calls as resource {first}",
                    resource.method, resource.path
                );
                faults.push(Fault::new(field, "operation.repeated", detail));
            }
        }
        faults.extend(
            self.answers
                .faults()
                .into_iter()
                .map(|it| it.under("/answers")),
        );
        if self
            .back_end
            .basic
            .as_ref()
            .is_some_and(|it| it.name.contains(':'))
        {
            let detail = "the name of a user of HTTP Basic has no colon";
            faults.push(Fault::new("/back_end/basic/name", "soap.basic", detail));
        }
        faults
    }
}

impl Resource {
    /// What is wrong with it by itself.
    fn faults(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        if matches!(self.method, Method::Head | Method::Options | Method::Trace) {
            let detail = "a resource is called by GET, POST, PUT, PATCH or DELETE";
            faults.push(Fault::new("/method", "resource.method", detail));
        }
        if self.parameters.len() > PARAMETERS_MAX {
            let detail = format!("at most {PARAMETERS_MAX} parameters");
            faults.push(Fault::new("/parameters", "resource.parameters", detail));
        }
        let named = |name: &str| {
            let mut segments = self.path.segments().iter();
            segments.any(|segment| matches!(segment, Segment::Parameter(named) if named == name))
        };
        let mut in_path = 0;
        for (index, parameter) in self.parameters.iter().enumerate() {
            if parameter.place != Place::Path {
                continue;
            }
            in_path += 1;
            if !named(&parameter.name) {
                let detail = format!("the path has no {{{}}}", parameter.name);
                let field = format!("/parameters/{index}/name");
                faults.push(Fault::new(field, "resource.path", detail));
            }
        }
        let segments = self.path.segments().iter();
        let holes = segments.filter(|segment| matches!(segment, Segment::Parameter(_)));
        if holes.count() > in_path {
            let detail = "a segment of the path is not among the parameters";
            faults.push(Fault::new("/path", "resource.path", detail));
        }
        faults
    }
}

impl Answers {
    fn faults(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        for (name, status) in &self.fault_statuses {
            if !(400..=599).contains(status) {
                let detail = format!("the status of the fault {name} is 400 to 599");
                faults.push(Fault::new("/fault_statuses", "soap.fault_status", detail));
            }
        }
        if self
            .bytes_max
            .is_some_and(|it| !(1..=ANSWER_BYTES_MAX).contains(&it))
        {
            let detail = format!("an answer has 1 to {ANSWER_BYTES_MAX} bytes at most");
            faults.push(Fault::new("/bytes_max", "soap.answer", detail));
        }
        faults
    }
}
