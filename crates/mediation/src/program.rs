//! Compiled policies: plain data that the control plane makes when a version is saved, and that
//! gateways load.

use serde::{Deserialize, Serialize};
use tollgate_model::api::Method;
use tollgate_model::path::Reading;
use tollgate_model::policies::{BODY_BYTES_MAX, Mode};

use crate::body::BodyStep;
use crate::expression::{Expression, compile_each_once};
use crate::mock::Mock;
use crate::name::Name;
use crate::note::Note;
pub use crate::pattern::Pattern;
use crate::text::Template;

/// The compiled policies of a version.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Compiled {
    /// The programs; the first is that of all operations without one of their own.
    pub programs: Vec<Program>,
    /// The operations with another program, and its position.
    pub of_operations: Vec<(Method, String, usize)>,
    /// Notes on steps and operations, which are not part of the stored form.
    #[serde(skip)]
    pub notes: Vec<Note>,
}

/// The steps of an operation's messages.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Program {
    /// Steps of requests.
    pub request: Vec<Step>,
    /// Steps of responses.
    pub response: Vec<Step>,
    /// Steps of the gateway's own refusals.
    pub error: Vec<Step>,
    /// The names that steps of responses and refusals read of the request, after its head is gone.
    pub kept: Vec<Name>,
    /// Whether a step reads claims of the caller's token.
    pub reads_claims: bool,
    /// The number of steps of responses that run before a response is stored, if any is: those from
    /// there on run on every response, stored or not, since they read what belongs to one call.
    pub stored: usize,
    /// The names that those stored read of the request: part of the key of a stored response.
    pub keyed: Vec<Name>,
}

/// A step with its condition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// JSON Pointer of the step from the configuration, such as `/policies/request/3`.
    pub(crate) pointer: Box<str>,
    pub(crate) condition: Option<Expression>,
    pub(crate) action: Action,
    /// Whether one of its expressions reads the body.
    evaluates_body: bool,
    /// Whether its condition does.
    is_decided_by_body: bool,
}

/// What a step does. Names of header fields are in lower case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Action {
    SetHeader(Box<str>, Template, Mode),
    RemoveHeader(Box<[Pattern]>),
    RenameHeader(Box<str>, Box<str>),
    SetQuery(Box<str>, Template, Mode),
    RemoveQuery(Box<[Pattern]>),
    /// With how the back end reads paths.
    RewritePath(Template, Reading),
    SetMethod(Method),
    SetStatus(u16),
    /// With `Content-Location` too or not.
    RewriteLocation(bool),
    Let(Box<str>, Expression),
    Respond(Box<Response>),
    Mock(Box<Mock>),
    Body(Box<BodyStep>),
}

/// A response that a step gives.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(Box<str>, Template)>,
    pub(crate) body: Template,
}

impl Compiled {
    /// Returns the stored form; empty without steps.
    ///
    /// # Errors
    /// Fails if a step cannot be written. Without its steps the version must not be served.
    pub fn to_bytes(&self) -> Result<Vec<u8>, postcard::Error> {
        if self.programs.iter().all(Program::is_empty) {
            return Ok(Vec::new());
        }
        postcard::to_stdvec(self)
    }

    /// Reads the stored form; `None` without steps.
    ///
    /// # Errors
    /// Fails if the bytes are not of this release.
    pub fn from_bytes(bytes: &[u8]) -> Result<Option<Self>, postcard::Error> {
        if bytes.is_empty() {
            return Ok(None);
        }
        compile_each_once(usize::MAX, || postcard::from_bytes(bytes)).map(Some)
    }

    /// Whether a step responds to every call.
    #[must_use]
    pub fn always_responds(&self) -> bool {
        self.programs.iter().all(|program| {
            let mut steps = program.request.iter();
            steps.any(|step| step.condition.is_none() && step.action.responds())
        })
    }
}

impl Program {
    /// A program without steps.
    pub(crate) const NONE: Self = Self {
        request: Vec::new(),
        response: Vec::new(),
        error: Vec::new(),
        kept: Vec::new(),
        reads_claims: false,
        stored: 0,
        keyed: Vec::new(),
    };

    /// Whether there are no steps.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.request.is_empty() && self.response.is_empty() && self.error.is_empty()
    }

    /// Drops the examples of all operations but those that the program is for.
    pub(crate) fn keep_mocks(&mut self, is_kept: impl Fn(&str) -> bool) {
        for step in &mut self.request {
            if let Action::Mock(mock) = &mut step.action {
                mock.keep(&is_kept);
            }
        }
    }

    /// Whether a step of responses reads their bodies, for some calls at least.
    #[must_use]
    pub fn reads_response_body(&self) -> bool {
        self.response.iter().any(Step::needs_body)
    }

    /// Whether a step responds in place of the upstream, for some calls at least.
    #[must_use]
    pub fn responds(&self) -> bool {
        let mut steps = self.request.iter();
        steps.any(|step| step.action.responds())
    }
}

impl Step {
    pub(crate) fn new(pointer: &str, condition: Option<Expression>, action: Action) -> Self {
        let reads_body = |it: &Expression| it.reads().iter().any(Name::is_body);
        let is_decided_by_body = condition.iter().any(reads_body);
        let evaluates_body = is_decided_by_body || action.expressions().into_iter().any(reads_body);
        Self {
            pointer: pointer.into(),
            condition,
            action,
            evaluates_body,
            is_decided_by_body,
        }
    }

    /// Whether the step reads the body of its message.
    #[must_use]
    pub fn needs_body(&self) -> bool {
        self.evaluates_body || matches!(self.action, Action::Body(_))
    }

    /// Whether the step compresses the body.
    pub(crate) fn compresses(&self) -> bool {
        matches!(&self.action, Action::Body(step) if step.compresses())
    }

    /// Whether one of its expressions reads the body.
    pub(crate) fn evaluates_body(&self) -> bool {
        self.evaluates_body
    }

    /// Whether the condition reads the body.
    pub(crate) fn is_decided_by_body(&self) -> bool {
        self.is_decided_by_body
    }

    /// Whether the step reads the body as JSON.
    pub(crate) fn needs_json(&self) -> bool {
        self.evaluates_body || matches!(&self.action, Action::Body(step) if step.needs_json())
    }

    /// Number of parts that run one after the other.
    pub(crate) fn parts(&self) -> usize {
        match &self.action {
            Action::Body(step) => step.parts(),
            _ => 1,
        }
    }

    /// Maximum bytes of the body that the step reads.
    pub(crate) fn bytes_max(&self) -> u64 {
        match &self.action {
            Action::Body(step) => step.bytes_max,
            _ => BODY_BYTES_MAX,
        }
    }

    /// Returns the name of the variable that the step sets.
    pub(crate) fn sets(&self) -> Option<&str> {
        match &self.action {
            Action::Let(name, _) => Some(name),
            _ => None,
        }
    }

    /// Whether the step gives a response in place of the upstream.
    pub(crate) fn responds(&self) -> bool {
        self.action.responds()
    }

    /// Returns the names that the step reads.
    pub fn reads(&self) -> impl Iterator<Item = &Name> {
        let condition = self.condition.iter();
        let read = condition.chain(self.action.expressions());
        read.flat_map(Expression::reads)
    }
}

impl Action {
    pub(crate) fn responds(&self) -> bool {
        matches!(self, Self::Respond(_) | Self::Mock(_))
    }

    /// Whether the step runs if its condition has no value: where that is the safe side.
    pub(crate) fn runs_by_default(&self) -> bool {
        match self {
            Self::Body(step) => step.change.runs_by_default(),
            action => action.responds(),
        }
    }

    fn expressions(&self) -> Vec<&Expression> {
        match self {
            Self::SetHeader(_, value, _)
            | Self::SetQuery(_, value, _)
            | Self::RewritePath(value, _) => value.expressions().collect(),
            Self::Let(_, value) => vec![value],
            Self::Respond(response) => {
                let headers = response.headers.iter().map(|(_, value)| value);
                let texts = headers.chain([&response.body]);
                texts.flat_map(Template::expressions).collect()
            }
            Self::Mock(mock) => vec![&mock.operation],
            Self::Body(step) => step.expressions(),
            Self::RemoveHeader(_)
            | Self::RenameHeader(..)
            | Self::RemoveQuery(_)
            | Self::SetMethod(_)
            | Self::SetStatus(_)
            | Self::RewriteLocation(_) => Vec::new(),
        }
    }
}
