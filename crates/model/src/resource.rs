//! SOAP as REST: the resources by which the operations of a SOAP service are called, what each
//! request to the back end adds, and how answers become JSON.
//!
//! An import proposes resources (crate `soap`), the publisher edits them, gateways serve them.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::fault::{Fault, pointer_token};
use crate::field::is_free_header;
use crate::operation::{Method, OPERATIONS_MAX};
use crate::secret::{Basic, Secret, password_fault, user_name_fault};
use crate::security::Security;
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
    /// How the JSON of both directions differs from what is usual.
    #[serde(default)]
    pub shape: Shape,
}

/// How the JSON of a service differs from what is usual; by default, not at all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Shape {
    /// Whether every attribute is a property `@name`, not only one whose name an element has.
    pub marks_attributes: bool,
    /// Whether an element that holds nothing but one repeated element is the array of it, without
    /// an object around.
    pub collapses_arrays: bool,
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
    /// Whether what looks like a stack trace, and what Axis tells of its host and classes, is
    /// passed on of undeclared faults.
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
    /// Parameters in the places of credentials, which gateways take off; pointers from the service.
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
                    let detail = format!("the key comes in {}", parameter.name);
                    let field = format!("/rest/resources/{index}/parameters/{number}/name");
                    faults.push(Fault::new(field, "resource.parameter", detail));
                }
            }
        }
        faults
    }
}

impl BackEnd {
    /// Every password, with its pointer from here.
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
                fault("/name", format!("{:?} is there already", parameter.name));
            }
            if !targets.insert(&parameter.path) {
                let path = parameter.path.join("/");
                fault("/path", format!("another parameter gives /{path}"));
            }
            if parameter.place == Place::Path && parameter.is_array {
                fault("/is_array", "a segment of a path is one value".to_owned());
            }
        }
        faults
    }

    /// Parameters of the path are exactly its segments in braces.
    fn path_faults(&self, faults: &mut Vec<Fault>) {
        let mut segments = self.path.segments().iter();
        if segments.any(|segment| matches!(segment, Segment::Mixed(_))) {
            let detail = "a parameter of a resource is a whole segment of its path";
            faults.push(Fault::new("/path", "resource.path", detail));
        }
        let mut named: HashSet<&str> = self.path.parameters().collect();
        for (index, parameter) in self.parameters.iter().enumerate() {
            if parameter.place == Place::Path && !named.remove(&*parameter.name) {
                let detail = format!("the path has no {{{}}} for it", parameter.name);
                let field = format!("/parameters/{index}/name");
                faults.push(Fault::new(field, "resource.path", detail));
            }
        }
        if let Some(name) = named.iter().min() {
            let detail = format!("{{{name}}} is not among the parameters of the path");
            faults.push(Fault::new("/path", "resource.path", detail));
        }
    }
}

impl Answers {
    fn faults(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        for (name, status) in &self.fault_statuses {
            if !(400..=599).contains(status) {
                let detail = format!("the status of the fault {name:?} is 400 to 599");
                let field = format!("/fault_statuses/{}", pointer_token(name));
                faults.push(Fault::new(field, "soap.fault_status", detail));
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

#[cfg(test)]
mod tests;
