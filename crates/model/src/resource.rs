//! SOAP as REST: the resources that map to the operations of a SOAP service, additions to requests
//! to the back end, and the conversion of responses to JSON.
//!
//! An import proposes resources (crate `soap`), the publisher edits them, gateways serve them.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::defaults::yes;
use crate::fault::{Fault, pointer_token};
use crate::field::is_free_header;
use crate::operation::{Method, OPERATIONS_MAX};
use crate::secret::{Basic, Secret, password_fault, user_name_fault};
use crate::security::Security;
use crate::template::{PathTemplate, Segment};

/// Maximum number of parameters of one resource.
pub const PARAMETERS_MAX: usize = 200;
/// Default maximum size of a response of the back end, bytes.
pub const ANSWER_BYTES: u64 = 10 * 1024 * 1024;
/// Largest maximum that a version may set, bytes.
pub const ANSWER_BYTES_MAX: u64 = 100 * 1024 * 1024;

/// The location of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// A segment of the path.
    Path,
    /// A key of the query.
    Query,
    /// A header field of the request.
    Header,
}

/// An input that is not in the body.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Parameter {
    /// Its location.
    pub place: Place,
    /// Its name there.
    pub name: String,
    /// The keys that lead to its value in the JSON of the request; empty for a body that is a
    /// scalar.
    pub path: Vec<String>,
    /// Whether it may be repeated: its value is an array.
    #[serde(default)]
    pub is_array: bool,
    /// Whether the contract requires it.
    #[serde(default)]
    pub required: bool,
}

/// The REST form of an operation. Inputs without a parameter are in the body.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Resource {
    /// The operation, by its name in the contract; also its `operationId`.
    pub operation: String,
    /// The method: GET, POST, PUT, PATCH or DELETE.
    pub method: Method,
    /// The path, with `{name}` for each parameter in it.
    pub path: PathTemplate,
    /// The parameters.
    #[serde(default)]
    pub parameters: Vec<Parameter>,
    /// Whether it is served.
    #[serde(default = "yes")]
    pub enabled: bool,
}

/// A SOAP service as REST.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct RestService {
    /// The REST forms of its operations; proposed by an import.
    pub resources: Vec<Resource>,
    /// Additions to requests to the back end.
    #[serde(default)]
    pub back_end: BackEnd,
    /// How responses are converted to JSON.
    #[serde(default)]
    pub answers: Answers,
    /// How the JSON of requests and responses differs from the convention.
    #[serde(default)]
    pub shape: Shape,
}

/// Differences of a service's JSON from the convention; none by default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Shape {
    /// Whether every attribute is a property `@name`, not only one with the name of an element.
    pub marks_attributes: bool,
    /// Whether an element with nothing but one repeated element becomes the array itself, without
    /// an object around it.
    pub collapses_arrays: bool,
}

/// Content of every request to the back end that is set here, never by the consumer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct BackEnd {
    /// Header blocks by the names of their parts, as JSON by the convention.
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

/// The gateway's credentials for the back end, in the header of the envelope.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct UsernameToken {
    /// The name.
    pub name: String,
    /// The password.
    pub password: Secret,
    /// Whether a digest with a nonce and a time is sent instead of the password.
    #[serde(default)]
    pub is_digest: bool,
}

/// The JSON of content with attributes that only a wildcard allows: of `anyType`, of elements
/// without a type, and of mixed content.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum AnyForm {
    /// The XML in a string, without the attributes; responses that have any are counted as
    /// mismatched.
    #[default]
    Text,
    /// An object with the attributes, and the XML in `value`.
    Members,
}

/// How responses are converted to JSON.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Answers {
    /// Whether a response that does not match its contract is refused (502) rather than passed on
    /// as far as it matches.
    pub strict: bool,
    /// Whether integers of types beyond 2^53 are strings.
    pub longs_as_strings: bool,
    /// Whether decimals are strings.
    pub decimals_as_strings: bool,
    /// Whether absent attributes with a default are written.
    pub attribute_defaults: bool,
    /// Whether undeclared faults are passed on with apparent stack traces, and with details of Axis
    /// about its host and classes.
    pub stack_traces: bool,
    /// The statuses of declared faults by name; 400 to 599.
    pub fault_statuses: BTreeMap<String, u16>,
    /// The JSON of `anyType` and of mixed content with a wildcard for attributes, also in requests.
    /// An import sets `members`; versions of earlier releases have `text`.
    pub any: AnyForm,
    /// Maximum size of a response in bytes; default 10 MiB.
    pub bytes_max: Option<u64>,
}

impl RestService {
    /// Returns all faults that can be found without the contract; fields are JSON Pointers from
    /// here.
    #[must_use]
    pub fn faults(&self) -> Vec<Fault> {
        if self.resources.len() > OPERATIONS_MAX {
            let detail = format!("at most {OPERATIONS_MAX} resources");
            return vec![Fault::new("/resources", "operation.too_many", detail)];
        }
        let mut faults = Vec::new();
        let (mut seen, mut operations) = (HashMap::new(), HashSet::new());
        for (index, resource) in self.resources.iter().enumerate() {
            let field = format!("/resources/{index}");
            let own = resource.faults().into_iter();
            faults.extend(own.map(|fault| fault.under(&field)));
            if !operations.insert(&resource.operation) {
                let detail = format!("{:?} has a resource already", resource.operation);
                let field = format!("{field}/operation");
                faults.push(Fault::new(field, "resource.repeated", detail));
            }
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
        let answers = self.answers.faults().into_iter();
        faults.extend(answers.map(|it| it.under("/answers")));
        let back_end = self.back_end.faults().into_iter();
        faults.extend(back_end.map(|it| it.under("/back_end")));
        faults
    }
}

impl RestService {
    /// Rejects parameters in places of credentials, which gateways remove; fields are JSON Pointers
    /// from the service.
    pub(crate) fn credential_faults(&self, security: &Security) -> Vec<Fault> {
        let mut faults = Vec::new();
        for (index, resource) in self.resources.iter().enumerate() {
            for (number, parameter) in resource.parameters.iter().enumerate() {
                let key = security.api_key.as_ref();
                let is_taken = key.is_some_and(|key| match parameter.place {
                    Place::Header => parameter.name.eq_ignore_ascii_case(&key.header),
                    Place::Query => key.query.as_deref() == Some(&*parameter.name),
                    Place::Path => false,
                });
                if is_taken {
                    let detail = format!("the API key is sent in {}", parameter.name);
                    let field = format!("/rest/resources/{index}/parameters/{number}/name");
                    faults.push(Fault::new(field, "resource.parameter", detail));
                }
            }
        }
        faults
    }
}

impl BackEnd {
    /// Returns every password, with its JSON Pointer from here.
    pub fn passwords_mut(&mut self) -> impl Iterator<Item = (&'static str, &mut Secret)> {
        let token = self.username_token.iter_mut();
        let token = token.map(|it| ("/username_token/password", &mut it.password));
        let basic = self.basic.iter_mut();
        token.chain(basic.map(|it| ("/basic/password", &mut it.password)))
    }

    fn faults(&self) -> Vec<Fault> {
        let token = self.username_token.iter().map(|token| {
            let name = user_name_fault(&token.name);
            ("/username_token", name, &token.password)
        });
        let basic = self.basic.iter();
        let basic = basic.map(|basic| ("/basic", basic.name_fault(), &basic.password));
        let mut faults = Vec::new();
        for (field, name, password) in token.chain(basic) {
            if let Some(detail) = name {
                faults.push(Fault::new(format!("{field}/name"), "soap.user", detail));
            }
            if let Some(detail) = password_fault(password) {
                let field = format!("{field}/password");
                faults.push(Fault::new(field, "soap.password", detail));
            }
        }
        faults
    }
}

impl Resource {
    /// Returns faults of the resource itself.
    fn faults(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        if matches!(self.method, Method::Head | Method::Options | Method::Trace) {
            let detail = "the method of a resource must be GET, POST, PUT, PATCH or DELETE";
            faults.push(Fault::new("/method", "resource.method", detail));
        }
        if self.parameters.len() > PARAMETERS_MAX {
            let detail = format!("at most {PARAMETERS_MAX} parameters");
            faults.push(Fault::new("/parameters", "resource.parameters", detail));
        }
        self.path_faults(&mut faults);
        let (mut names, mut targets) = (HashSet::new(), HashSet::new());
        for (index, parameter) in self.parameters.iter().enumerate() {
            let mut fault = |below: &str, detail: String| {
                let field = format!("/parameters/{index}{below}");
                faults.push(Fault::new(field, "resource.parameter", detail));
            };
            let name = match parameter.place {
                Place::Header => parameter.name.to_ascii_lowercase(),
                Place::Path | Place::Query => parameter.name.clone(),
            };
            let is_header = parameter.place == Place::Header;
            if name.is_empty() || is_header && !is_free_header(&name) {
                let detail = format!("{:?} cannot be its name", parameter.name);
                fault("/name", detail);
            } else if !names.insert((parameter.place, name)) {
                fault("/name", format!("{:?} is already in use", parameter.name));
            }
            if !targets.insert(&parameter.path) {
                let path = parameter.path.join("/");
                fault("/path", format!("another parameter sets /{path}"));
            }
            if parameter.place == Place::Path && parameter.is_array {
                fault("/is_array", "a segment of a path is one value".to_owned());
            }
        }
        faults
    }

    /// Checks that the path's parameters are exactly its segments in braces.
    fn path_faults(&self, faults: &mut Vec<Fault>) {
        let is_other = |it: &Segment| matches!(it, Segment::Mixed(_) | Segment::Rest(_));
        if self.path.segments().iter().any(is_other) {
            let detail = "a parameter of a resource must be one whole segment of its path";
            faults.push(Fault::new("/path", "resource.path", detail));
        }
        let mut named: HashSet<&str> = self.path.parameters().collect();
        for (index, parameter) in self.parameters.iter().enumerate() {
            if parameter.place == Place::Path && !named.remove(&*parameter.name) {
                let detail = format!("the path has no {{{}}}", parameter.name);
                let field = format!("/parameters/{index}/name");
                faults.push(Fault::new(field, "resource.path", detail));
            }
        }
        if let Some(name) = named.iter().min() {
            let detail = format!("the parameters lack {{{name}}} of the path");
            faults.push(Fault::new("/path", "resource.path", detail));
        }
    }
}

impl Answers {
    fn faults(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        for (name, status) in &self.fault_statuses {
            if !(400..=599).contains(status) {
                let detail = format!("the status of the fault {name:?} must be 400 to 599");
                let field = format!("/fault_statuses/{}", pointer_token(name));
                faults.push(Fault::new(field, "soap.fault_status", detail));
            }
        }
        if self
            .bytes_max
            .is_some_and(|it| !(1..=ANSWER_BYTES_MAX).contains(&it))
        {
            let detail = format!("bytes_max must be 1 to {ANSWER_BYTES_MAX}");
            faults.push(Fault::new("/bytes_max", "soap.answer", detail));
        }
        faults
    }
}

#[cfg(test)]
mod tests;
