//! Error responses of the control plane: a [`Problem`] is sent as `application/problem+json`
//! (RFC 9457) with a stable `code`, the `request_id` and all invalid fields.
//!
//! Handlers return `Result<_, Problem>`; `?` converts the errors of the store and the model. A
//! problem is passed on as an extension of a response without a body; `frame` writes the body,
//! because only `frame` has the request's id.

use std::borrow::Cow;
use std::error::Error;

use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use tollgate_model::fault::Fault;
use tollgate_model::lifecycle::TransitionError;
use tollgate_store::StoreError;
use utoipa::ToSchema;

use crate::random::NoRandom;

/// An error response. Boxed, so that results that rarely fail stay small.
#[derive(Debug, Clone)]
pub struct Problem(Box<Inner>);

#[derive(Debug, Clone)]
struct Inner {
    status: StatusCode,
    code: Cow<'static, str>,
    detail: String,
    errors: Vec<Fault>,
    /// The internal error with its causes, for the log only.
    cause: Option<String>,
    headers: Vec<(HeaderName, HeaderValue)>,
}

/// The body of every error response (RFC 9457, with three extension members).
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Problem)]
pub struct ProblemBody<'a> {
    /// Always `about:blank`; use `code` to distinguish problems.
    #[schema(example = "about:blank")]
    r#type: &'static str,
    /// Reason phrase of the status.
    title: &'a str,
    /// HTTP status code.
    status: u16,
    /// Stable code, such as `name.taken`.
    #[schema(example = "body.invalid")]
    code: &'a str,
    /// Explanation for people; may change.
    detail: &'a str,
    /// Id of the request, also in the header `X-Request-Id`.
    request_id: &'a str,
    /// All invalid fields; absent if the error does not concern fields.
    #[serde(skip_serializing_if = "<[Fault]>::is_empty")]
    errors: &'a [Fault],
}

impl Problem {
    /// Creates a problem with a stable `code` and an explanation for the caller.
    pub fn new(
        status: StatusCode,
        code: impl Into<Cow<'static, str>>,
        detail: impl Into<String>,
    ) -> Self {
        Self(Box::new(Inner {
            status,
            code: code.into(),
            detail: detail.into(),
            errors: Vec::new(),
            cause: None,
            headers: Vec::new(),
        }))
    }

    /// 404: the `noun` does not exist, or the caller may not read it. The code is `noun.unknown`.
    #[must_use]
    pub fn unknown(noun: &str) -> Self {
        let detail = format!("this {noun} does not exist, or you may not access it");
        let code = format!("{}.unknown", noun.replace(' ', "_").to_ascii_lowercase());
        Self::new(StatusCode::NOT_FOUND, code, detail)
    }

    /// 401, with the challenge required by RFC 9110, section 11.6.1.
    pub(crate) fn unauthorized(code: &'static str, detail: impl Into<String>) -> Self {
        let challenge = HeaderValue::from_static("Bearer realm=\"tollgate\"");
        Self::new(StatusCode::UNAUTHORIZED, code, detail).with(header::WWW_AUTHENTICATE, challenge)
    }

    /// 409: the request conflicts with the current state.
    pub fn conflict(code: &'static str, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, code, detail)
    }

    /// 422 for one invalid field, with the same code as the problem.
    pub fn at(field: &str, code: &'static str, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, code, detail).blaming(field)
    }

    /// 500: an internal error. `error` is logged with its causes and the request's id; the response
    /// contains none of it.
    pub fn internal(error: &dyn Error) -> Self {
        let detail = "internal error; see the log for this request id";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", detail).because(error)
    }

    /// 503: a resource that the request needs is unavailable because of `error`.
    pub fn unavailable(code: &'static str, error: &dyn Error) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, code, error.to_string())
            .with(header::RETRY_AFTER, 5)
            .because(error)
    }

    fn because(mut self, error: &dyn Error) -> Self {
        self.0.cause = Some(Chain(error).to_string());
        self
    }

    /// The internal error, for the log; `None` if only the request is at fault.
    pub(crate) fn cause(&self) -> Option<&str> {
        self.0.cause.as_deref()
    }

    /// Adds an invalid field (JSON Pointer, RFC 6901) to the problem.
    #[must_use]
    pub fn blaming(mut self, field: &str) -> Self {
        let fault = Fault::new(field, &self.0.code, self.0.detail.clone());
        self.0.errors.push(fault);
        self
    }

    /// Adds these faults to the problem.
    #[must_use]
    pub(crate) fn blaming_all(mut self, faults: impl IntoIterator<Item = Fault>) -> Self {
        self.0.errors.extend(faults);
        self
    }

    /// Turns the problem into a 422 for `field` of the request.
    #[must_use]
    pub(crate) fn into_fault(mut self, field: &str) -> Self {
        self.0.status = StatusCode::UNPROCESSABLE_ENTITY;
        self.blaming(field)
    }

    /// Adds a header to the response, such as `Retry-After`.
    #[must_use]
    pub fn with(mut self, name: HeaderName, value: impl Into<HeaderValue>) -> Self {
        self.0.headers.push((name, value.into()));
        self
    }

    /// The status of the response.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        self.0.status
    }

    /// The stable code.
    #[must_use]
    pub fn code(&self) -> &str {
        &self.0.code
    }

    /// Returns the invalid fields of a 422.
    ///
    /// # Errors
    /// Any other problem.
    pub(crate) fn into_faults(self) -> Result<Vec<Fault>, Self> {
        match self.0.status {
            StatusCode::UNPROCESSABLE_ENTITY => Ok(self.0.errors),
            _ => Err(self),
        }
    }

    /// The explanation for the caller.
    pub(crate) fn detail(&self) -> &str {
        &self.0.detail
    }

    /// Returns the body of the response, as JSON.
    #[must_use]
    pub fn render(&self, request_id: &str) -> Vec<u8> {
        let body = ProblemBody {
            r#type: "about:blank",
            title: self.0.status.canonical_reason().unwrap_or("Problem"),
            status: self.0.status.as_u16(),
            code: &self.0.code,
            detail: &self.0.detail,
            request_id,
            errors: &self.0.errors,
        };
        serde_json::to_vec(&body).expect("texts and numbers become JSON")
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut answer = self.0.status.into_response();
        for (name, value) in &self.0.headers {
            answer.headers_mut().append(name, value.clone());
        }
        let problem_json = HeaderValue::from_static("application/problem+json");
        answer
            .headers_mut()
            .insert(header::CONTENT_TYPE, problem_json);
        answer.extensions_mut().insert(self);
        answer
    }
}

/// 422 with all faults; a single fault determines the code.
impl From<Vec<Fault>> for Problem {
    fn from(faults: Vec<Fault>) -> Self {
        let (code, detail) = match faults.as_slice() {
            [only] => (Cow::Owned(only.code.clone()), only.detail.clone()),
            faults => {
                let detail = format!("the request has {} faults", faults.len());
                (Cow::Borrowed("body.invalid"), detail)
            }
        };
        let mut problem = Self::new(StatusCode::UNPROCESSABLE_ENTITY, code, detail);
        problem.0.errors = faults;
        problem
    }
}

/// Fails with these faults, if there are any.
pub(crate) fn refuse_any(faults: Vec<Fault>) -> Result<(), Problem> {
    if faults.is_empty() {
        Ok(())
    } else {
        Err(faults.into())
    }
}

impl From<NoRandom> for Problem {
    fn from(error: NoRandom) -> Self {
        Self::internal(&error)
    }
}

impl From<Fault> for Problem {
    fn from(fault: Fault) -> Self {
        Self::from(vec![fault])
    }
}

/// 409: the lifecycle has no such transition, or its requirements are not met: everything that is
/// missing is a fault.
impl From<TransitionError> for Problem {
    fn from(error: TransitionError) -> Self {
        let code = match &error {
            TransitionError::NotNext { .. } => "lifecycle.not_next",
            TransitionError::Missing { .. } => "lifecycle.missing",
        };
        Self::conflict(code, error.to_string()).blaming_all(error.faults())
    }
}

/// Errors of the store, each with its status and code.
impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        match &error {
            StoreError::Taken { field, what } => {
                let code = format!("{}.taken", field.trim_start_matches('/').replace('/', "."));
                Self::new(StatusCode::CONFLICT, code, what).blaming(field)
            }
            StoreError::NotFound(noun) => Self::unknown(noun),
            StoreError::Stale(_) => Self::new(
                StatusCode::PRECONDITION_FAILED,
                "etag.stale",
                error.to_string(),
            ),
            StoreError::Used(what) => Self::conflict("in_use", *what),
            StoreError::LastAdministrator => {
                Self::conflict("user.last_administrator", error.to_string())
            }
            StoreError::Full => Self::unavailable("store.full", &error),
            StoreError::Busy => Self::unavailable("store.busy", &error),
            StoreError::Io(_) => Self::unavailable("store.io", &error),
            StoreError::Corrupt(_) | StoreError::Other(_) => Self::internal(&error),
        }
    }
}

/// An error and all its causes on one line, for the log.
pub(crate) struct Chain<'a>(pub(crate) &'a dyn Error);

impl std::fmt::Display for Chain<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}", self.0)?;
        let mut cause = self.0.source();
        while let Some(error) = cause {
            write!(out, ": {error}")?;
            cause = error.source();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
