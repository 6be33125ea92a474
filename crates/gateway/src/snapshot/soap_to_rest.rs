//! A SOAP service as REST, prepared when its version is applied: its resources by operation, both
//! transcoders, and the fixed fields of requests to the back end.
//!
//! An operation's [mediation](crate::snapshot::mediation) refers to it; `mediate` transcodes with
//! it.

use std::sync::Arc;

use hashbrown::HashMap;
use tollgate_http1::compose::push_field;
use tollgate_json::tape;
use tollgate_model::api::Method;
use tollgate_model::feed::{ServedResource, ServedRest};
use tollgate_model::id::OperationId;
use tollgate_model::resource::{ANSWER_BYTES, Answers, Parameter as Declared, Place};
use tollgate_model::secret::Basic;
use tollgate_model::template::{PathTemplate, Segment};
use tollgate_soap::plan::{Operation, ServicePlan};
use tollgate_soap::version::SoapVersion;
use tollgate_soap::{to_json, to_xml};

use crate::snapshot::credential::push_basic;
use crate::wire::trust::NoTls;

/// Messages up to this size leave their buffers behind for the next one.
const KEPT_BYTES_MAX: usize = 256 * 1024;

/// A SOAP service as REST.
#[derive(Debug)]
pub(crate) struct SoapToRest {
    pub(crate) to_xml: to_xml::Program,
    pub(crate) to_json: to_json::Program,
    /// Maximum bytes of a response.
    pub(crate) answer_bytes_max: u64,
    /// Whether each request carries a digest of its time.
    pub(crate) is_signed: bool,
    resources: HashMap<OperationId, Arc<Resource>>,
}

/// How one operation is called.
#[derive(Debug)]
pub(crate) struct Resource {
    /// The operation's place in both programs.
    pub(crate) operation: usize,
    pub(crate) takes_body: bool,
    /// Whether the operation has no response.
    pub(crate) is_one_way: bool,
    pub(crate) parameters: Vec<Parameter>,
    /// Constant field lines of the request to the back end.
    pub(crate) fields: Vec<u8>,
}

impl Resource {
    /// The names of header fields that are part of the request.
    pub(crate) fn header_parameters(&self) -> impl Iterator<Item = &str> {
        let parameters = self.parameters.iter().filter(|it| it.at == At::Header);
        parameters.map(|it| &*it.name)
    }
}

/// A value of a request outside its body.
#[derive(Debug)]
pub(crate) struct Parameter {
    pub(crate) at: At,
    pub(crate) name: String,
    /// The keys that lead to its place in the JSON.
    pub(crate) path: Vec<String>,
    /// That place as a JSON Pointer.
    pub(crate) pointer: String,
    pub(crate) is_array: bool,
}

/// Where a parameter is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum At {
    /// The segment of the path below the version, counted from 0.
    Segment(usize),
    Query,
    Header,
}

impl At {
    /// The word for it in a refusal.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Segment(_) => "path",
            Self::Query => "query",
            Self::Header => "header",
        }
    }
}

/// Why a version cannot be made ready. The control plane has compiled it before, so this means a
/// version mismatch or a bug.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unusable {
    #[error("its plan cannot be read: {0}")]
    Plan(String),
    #[error("its requests cannot be prepared")]
    Requests(#[from] to_xml::LoadError),
    #[error("its plan lacks an operation, or a path a parameter")]
    Dangling,
    #[error("the steps of its policies are of another release")]
    Steps,
    #[error("an upstream has no target")]
    NoTarget,
    #[error("TLS to an upstream cannot be set up")]
    Tls(#[from] NoTls),
}

/// Buffers for transcoding, one set per worker.
#[derive(Debug, Default)]
pub(crate) struct Transcoding {
    pub(crate) to_xml: to_xml::Scratch,
    pub(crate) to_json: to_json::Scratch,
}

impl Transcoding {
    /// Frees the buffers grown by a message of this size if they are too large to keep.
    pub(crate) fn shrink(&mut self, bytes: usize) {
        if bytes > KEPT_BYTES_MAX {
            *self = Self::default();
        }
    }
}

impl SoapToRest {
    pub(crate) fn new(rest: &ServedRest) -> Result<Self, Unusable> {
        let plan = ServicePlan::from_bytes(&rest.plan);
        let plan = plan.map_err(|error| Unusable::Plan(error.to_string()))?;
        let token = rest.username_token.as_ref();
        let settings = to_xml::Settings {
            headers: rest
                .headers
                .iter()
                .map(|(part, json)| (part.as_str().into(), json.as_str().into()))
                .collect(),
            token: token.map(|token| to_xml::UsernameToken {
                name: token.name.as_str().into(),
                password: token.password.0.as_str().into(),
                is_digest: token.is_digest,
            }),
            ..to_xml::Settings::default()
        };
        let answer_bytes_max = rest.answers.bytes_max.unwrap_or(ANSWER_BYTES);
        let mut resources = HashMap::with_capacity(rest.resources.len());
        for served in &rest.resources {
            let operation = plan.operations.get(served.operation as usize);
            let operation = operation.ok_or(Unusable::Dangling)?;
            let resource = Resource::new(served, operation, rest.basic.as_ref())?;
            resources.insert(served.id, Arc::new(resource));
        }
        Ok(Self {
            to_xml: to_xml::Program::load(&plan, &settings)?,
            to_json: to_json::Program::load(&plan, options(&rest.answers, answer_bytes_max)),
            answer_bytes_max,
            is_signed: token.is_some_and(|token| token.is_digest),
            resources,
        })
    }

    /// Returns the resource of an operation.
    pub(crate) fn resource(&self, operation: OperationId) -> Option<&Arc<Resource>> {
        self.resources.get(&operation)
    }
}

fn options(answers: &Answers, bytes_max: u64) -> to_json::Options {
    let mut options = to_json::Options {
        is_strict: answers.strict,
        long_as_string: answers.longs_as_strings,
        decimal_as_string: answers.decimals_as_strings,
        writes_attribute_defaults: answers.attribute_defaults,
        keeps_stack_traces: answers.stack_traces,
        fault_statuses: answers
            .fault_statuses
            .iter()
            .map(|(name, &status)| (name.as_str().into(), status))
            .collect(),
        ..to_json::Options::default()
    };
    options.bounds.bytes_max = usize::try_from(bytes_max).unwrap_or(usize::MAX);
    options
}

impl Resource {
    fn new(
        served: &ServedResource,
        operation: &Operation,
        basic: Option<&Basic>,
    ) -> Result<Self, Unusable> {
        let parameters = served.parameters.iter();
        let parameters = parameters.map(|declared| Parameter::new(declared, &served.path));
        Ok(Self {
            operation: served.operation as usize,
            takes_body: !matches!(served.method, Method::Get | Method::Delete),
            is_one_way: operation.response.is_none(),
            parameters: parameters
                .collect::<Option<_>>()
                .ok_or(Unusable::Dangling)?,
            fields: fields(operation, basic),
        })
    }
}

impl Parameter {
    /// `None` if the path does not have it.
    fn new(declared: &Declared, path: &PathTemplate) -> Option<Self> {
        let at = match declared.place {
            Place::Query => At::Query,
            Place::Header => At::Header,
            Place::Path => {
                let is_this = |segment: &Segment| match segment {
                    Segment::Parameter(name) => *name == declared.name,
                    Segment::Literal(_) | Segment::Mixed(_) | Segment::Rest(_) => false,
                };
                At::Segment(path.segments().iter().position(is_this)?)
            }
        };
        let mut pointer = String::new();
        for key in &declared.path {
            tape::push_token(&mut pointer, key);
        }
        Some(Self {
            at,
            name: declared.name.clone(),
            path: declared.path.clone(),
            pointer,
            is_array: declared.is_array,
        })
    }
}

/// The fields that describe the message, by the back end's SOAP version, and our credentials (SOAP
/// 1.1, section 6.1; SOAP 1.2, part 2, section 7.1.4; RFC 7617).
fn fields(operation: &Operation, basic: Option<&Basic>) -> Vec<u8> {
    let mut fields = Vec::new();
    let action = action(&operation.action);
    let media_type = operation.version.media_type();
    let accept = format!("{media_type}, multipart/related");
    push_field(&mut fields, "accept", accept.as_bytes());
    let mut content_type = format!("{media_type}; charset=utf-8");
    match operation.version {
        SoapVersion::V1_1 => {
            push_field(
                &mut fields,
                "soapaction",
                format!("\"{action}\"").as_bytes(),
            );
        }
        SoapVersion::V1_2 if action.is_empty() => {}
        SoapVersion::V1_2 => content_type += &format!("; action=\"{action}\""),
    }
    push_field(&mut fields, "content-type", content_type.as_bytes());
    if let Some(basic) = basic {
        push_basic(&mut fields, basic);
    }
    fields
}

/// An action as a valid field value: a contract may contain anything, so characters not allowed in
/// a URI are percent-encoded.
fn action(action: &str) -> String {
    let mut text = String::with_capacity(action.len());
    for character in action.chars() {
        if character.is_ascii_graphic() && !matches!(character, '"' | '\\') {
            text.push(character);
        } else {
            let mut bytes = [0; 4];
            for byte in character.encode_utf8(&mut bytes).bytes() {
                text += &format!("%{byte:02X}");
            }
        }
    }
    text
}

#[cfg(test)]
mod tests;
