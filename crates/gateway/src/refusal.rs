//! Renders refusals as `application/problem+json` (RFC 9457), or in the form that the callers of an
//! API expect (`refusal/form.rs`), with the fields that each status requires. The refusals
//! themselves are the model's closed list.

mod form;

use std::borrow::Cow;
use std::ops::Deref;

use serde::Serialize;
use tollgate_http1::buffer_pool::Scratch;
use tollgate_http1::parse::Malformed;
use tollgate_model::api::METHODS;
use tollgate_model::refusal::Refusal;

use crate::reply::{Body, Reply};

pub(crate) use form::{Form, FormChoice};

/// A refusal with the data for its response. Boxed, so that the results of rooms are small.
#[derive(Debug)]
pub(crate) struct Refused(Box<Details>);

#[derive(Debug)]
pub(crate) struct Details {
    pub(crate) refusal: Refusal,
    detail: Option<Cow<'static, str>>,
    extra: Extra,
    /// The `RateLimit` field lines, if the limits of the call are known.
    limits: Option<Box<[u8]>>,
    /// The reason, for the log only.
    cause: Option<Box<str>>,
}

#[derive(Debug)]
enum Extra {
    None,
    Allow(u8),
    Exhausted(Box<Exhausted>),
    /// The value of `Retry-After`.
    Wait(Box<[u8]>),
    /// The value of `WWW-Authenticate`.
    Challenge(String),
    Invalid(Box<[Invalid]>),
}

/// Details for a caller over its limit.
#[derive(Debug)]
pub(crate) struct Exhausted {
    /// The violated policy's name.
    pub(crate) policy: String,
    /// Seconds after which the call passes, if no other call is made meanwhile.
    /// `None` if waiting does not help.
    pub(crate) wait_s: Option<i64>,
}

/// One part of a request that does not fit the contract.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Invalid {
    /// Its place in the request's JSON, as a JSON Pointer (RFC 6901).
    pointer: String,
    detail: String,
    /// Where it is, if outside the body: `path`, `query` or `header`.
    #[serde(skip_serializing_if = "Option::is_none")]
    r#in: Option<&'static str>,
    /// Its name there.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
}

impl Invalid {
    pub(crate) fn at(pointer: &str, detail: &str) -> Self {
        Self {
            pointer: pointer.to_owned(),
            detail: detail.to_owned(),
            r#in: None,
            name: None,
        }
    }

    /// Names the parameter of the value in `place`: `path`, `query` or `header`.
    pub(crate) fn in_parameter(self, place: &'static str, name: &str) -> Self {
        Self {
            r#in: Some(place),
            name: Some(name.to_owned()),
            ..self
        }
    }
}

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Self {
        Self(Box::new(Details {
            refusal,
            detail: None,
            extra: Extra::None,
            limits: None,
            cause: None,
        }))
    }
}

impl Deref for Refused {
    type Target = Details;
    fn deref(&self) -> &Details {
        &self.0
    }
}

impl Refused {
    pub(crate) fn because(refusal: Refusal, detail: impl Into<Cow<'static, str>>) -> Self {
        Self::from(refusal).explained(detail)
    }

    fn with_extra(refusal: Refusal, extra: Extra) -> Self {
        let mut refused = Self::from(refusal);
        refused.0.extra = extra;
        refused
    }

    /// Refuses a method; `allowed` has a bit for each of the allowed [`METHODS`].
    pub(crate) fn method(allowed: u8) -> Self {
        Self::with_extra(Refusal::NoMethod, Extra::Allow(allowed))
    }

    pub(crate) fn exhausted(refusal: Refusal, exhausted: Exhausted) -> Self {
        Self::with_extra(refusal, Extra::Exhausted(Box::new(exhausted)))
    }

    /// Refuses a request that does not fit the contract, with the reasons.
    pub(crate) fn invalid(invalid: Vec<Invalid>) -> Self {
        Self::with_extra(Refusal::InvalidRequest, Extra::Invalid(invalid.into()))
    }

    /// Refuses a call that may be retried after `Retry-After`.
    pub(crate) fn wait(refusal: Refusal, retry_after: Option<&[u8]>) -> Self {
        let extra = retry_after.map_or(Extra::None, |value| Extra::Wait(value.into()));
        Self::with_extra(refusal, extra)
    }

    /// Refuses a request that finds no room to be read whole.
    pub(crate) fn busy() -> Self {
        const RETRY_AFTER_S: &[u8] = b"1";
        Self::wait(Refusal::Busy, Some(RETRY_AFTER_S))
    }

    /// Replaces the sentence that explains the refusal to callers.
    pub(crate) fn explained(mut self, detail: impl Into<Cow<'static, str>>) -> Self {
        self.0.detail = Some(detail.into());
        self
    }

    /// Adds the challenge of the accepted schemes.
    pub(crate) fn challenged(mut self, challenge: String) -> Self {
        self.0.extra = Extra::Challenge(challenge);
        self
    }

    /// Adds the `RateLimit` field lines; none if empty.
    pub(crate) fn with_limits(mut self, fields: Vec<u8>) -> Self {
        self.0.limits = (!fields.is_empty()).then(|| fields.into());
        self
    }

    /// Adds the cause, for the log only.
    pub(crate) fn caused_by(mut self, cause: String) -> Self {
        self.0.cause = Some(cause.into());
        self
    }

    /// Prefixes the cause with its place, such as an upstream's authority.
    pub(crate) fn at(self, place: &str) -> Self {
        let cause = format!("{place}: {}", self.cause());
        self.caused_by(cause)
    }

    /// The sentence that explains the refusal to callers.
    pub(crate) fn detail(&self) -> &str {
        let detail = self.detail.as_deref();
        detail.unwrap_or(self.refusal.facts().title)
    }

    /// The cause, for the log.
    pub(crate) fn cause(&self) -> &str {
        let cause = self.cause.as_deref().or(self.detail.as_deref());
        cause.unwrap_or(self.refusal.facts().title)
    }

    /// Refuses a malformed request head.
    pub(crate) fn malformed(malformed: Malformed) -> Self {
        let detail = match malformed {
            Malformed::Version => return Refusal::Version.into(),
            Malformed::TooLarge => return Refusal::HeadTooLarge.into(),
            Malformed::TargetTooLong => return Refusal::TargetTooLong.into(),
            Malformed::LineEnd => "A line does not end with CRLF.",
            Malformed::EmptyLine => "There is more than one empty line before the request line.",
            Malformed::FirstLine => "The request line is malformed.",
            Malformed::Field => "A header field is malformed.",
            Malformed::Target => "The target is not a path or an http URL.",
            Malformed::Host => "Exactly one valid Host field is required.",
            Malformed::ContentLength => "Content-Length is not a single number.",
            Malformed::TransferEncoding => "Transfer-Encoding is not exactly \"chunked\".",
            Malformed::BothFramings => "Content-Length and Transfer-Encoding exclude each other.",
            Malformed::Expect => "Expect is not \"100-continue\".",
        };
        Self::because(Refusal::BadRequest, detail)
    }

    /// Builds the response to the request with this id; `head` is a buffer for it.
    pub(crate) fn reply(&self, request: &str, form: Form, head: Scratch) -> Reply<'static> {
        let facts = self.refusal.facts();
        debug_assert!(
            facts.status != 401 || matches!(self.extra, Extra::Challenge(_)),
            "a 401 has a challenge (RFC 9110, section 15.5.2)"
        );
        let (status, media_type, body) = match form {
            Form::Fault(version, status) => self.fault(request, version, status),
            Form::Problem => (facts.status, PROBLEM, self.body(request)),
        };
        let mut reply = Reply::own(status, head);
        reply.push_field("content-type", media_type.as_bytes());
        reply.push_field("cache-control", b"no-store");
        match &self.extra {
            Extra::None | Extra::Invalid(_) => {}
            Extra::Wait(value) => reply.push_field("retry-after", value),
            Extra::Challenge(value) => reply.push_field("www-authenticate", value.as_bytes()),
            Extra::Allow(allowed) => push_methods(&mut reply.head, "allow", *allowed),
            Extra::Exhausted(exhausted) => {
                if let Some(wait_s) = exhausted.wait_s {
                    reply.push_field("retry-after", wait_s.to_string().as_bytes());
                }
            }
        }
        if let Some(limits) = &self.limits {
            reply.head.extend_from_slice(limits);
        }
        reply.with_body(Body::Bytes(body.into()))
    }

    /// The methods of the called path, if the refusal names them: a bit for each of [`METHODS`].
    pub(crate) fn allowed(&self) -> Option<u8> {
        match self.extra {
            Extra::Allow(allowed) => Some(allowed),
            _ => None,
        }
    }

    fn policy(&self) -> Option<&str> {
        match &self.extra {
            Extra::Exhausted(exhausted) => Some(exhausted.policy.as_str()),
            _ => None,
        }
    }

    fn errors(&self) -> &[Invalid] {
        match &self.extra {
            Extra::Invalid(errors) => errors,
            _ => &[],
        }
    }

    fn body(&self, request: &str) -> Vec<u8> {
        let facts = self.refusal.facts();
        let problem = Problem {
            r#type: facts.problem_type,
            title: facts.title,
            status: facts.status,
            code: facts.code,
            detail: self.detail.as_deref(),
            policy: self.policy(),
            errors: self.errors(),
            request_id: request,
        };
        let mut body = Vec::with_capacity(PROBLEM_BYTES);
        serde_json::to_writer(&mut body, &problem).expect("strings and numbers make JSON");
        body
    }
}

const PROBLEM: &str = "application/problem+json";
/// Room for most problems.
const PROBLEM_BYTES: usize = 512;

#[derive(Serialize)]
struct Problem<'a> {
    r#type: &'a str,
    title: &'a str,
    status: u16,
    code: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    policy: Option<&'a str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    errors: &'a [Invalid],
    request_id: &'a str,
}

/// Appends a field that lists methods, given as a bit for each of [`METHODS`].
pub(crate) fn push_methods(out: &mut Vec<u8>, name: &str, methods: u8) {
    out.extend_from_slice(name.as_bytes());
    out.push(b':');
    let mut before: &[u8] = b" ";
    for (bit, method) in METHODS.iter().enumerate() {
        if methods & (1 << bit) != 0 {
            out.extend_from_slice(before);
            out.extend_from_slice(method.word().as_bytes());
            before = b", ";
        }
    }
    out.extend_from_slice(b"\r\n");
}

#[cfg(test)]
mod tests;
