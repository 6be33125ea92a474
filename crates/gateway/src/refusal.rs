//! Renders refusals as `application/problem+json` (RFC 9457), or as SOAP faults for who speaks
//! SOAP, with the fields that each status asks for. What they are is the model's closed list.

use std::borrow::Cow;

use serde::Serialize;
use tollgate_http1::parse::Malformed;
use tollgate_model::api::METHODS;
use tollgate_model::refusal::{Blame, Refusal};
use tollgate_model::soap::FaultStatus;
use tollgate_soap::fault::{self, Fault, Party};
use tollgate_soap::version::SoapVersion;

use crate::answer_head::AnswerHead;
use crate::soap_to_rest::At;

/// A refusal with what its answer needs.
#[derive(Debug)]
pub(crate) struct Refused {
    pub(crate) refusal: Refusal,
    detail: Option<Cow<'static, str>>,
    extra: Extra,
    /// Why, for the log only.
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
    Challenge(Box<str>),
    Invalid(Box<[Invalid]>),
}

/// What a caller over its limit is told.
#[derive(Debug)]
pub(crate) struct Exhausted {
    /// The violated policy's name.
    pub(crate) policy: String,
    /// Seconds after which the call passes, if nothing else was called meanwhile.
    pub(crate) wait_s: i64,
    /// The `RateLimit` field lines.
    pub(crate) fields: Vec<u8>,
}

/// One thing of a request that does not fit the contract.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Invalid {
    /// Its place in the request's JSON, as a JSON Pointer (RFC 6901).
    pointer: String,
    detail: String,
    /// Where it is instead, if it does not come with the body: `path`, `query` or `header`.
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

    /// The value is that of a parameter.
    pub(crate) fn of(self, at: At, name: &str) -> Self {
        let place = match at {
            At::Segment(_) => "path",
            At::Query => "query",
            At::Header => "header",
        };
        Self {
            r#in: Some(place),
            name: Some(name.to_owned()),
            ..self
        }
    }
}

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Self {
        Self {
            refusal,
            detail: None,
            extra: Extra::None,
            cause: None,
        }
    }
}

impl Refused {
    pub(crate) fn because(refusal: Refusal, detail: impl Into<Cow<'static, str>>) -> Self {
        Self {
            refusal,
            detail: Some(detail.into()),
            extra: Extra::None,
            cause: None,
        }
    }

    /// The path takes other methods: a bit for each of [`METHODS`].
    pub(crate) fn method(allowed: u8) -> Self {
        Self {
            refusal: Refusal::NoMethod,
            detail: None,
            extra: Extra::Allow(allowed),
            cause: None,
        }
    }

    pub(crate) fn exhausted(refusal: Refusal, exhausted: Exhausted) -> Self {
        Self {
            refusal,
            detail: None,
            extra: Extra::Exhausted(Box::new(exhausted)),
            cause: None,
        }
    }

    /// The request does not fit the contract, for these reasons.
    pub(crate) fn invalid(invalid: Vec<Invalid>) -> Self {
        Self {
            refusal: Refusal::InvalidRequest,
            detail: None,
            extra: Extra::Invalid(invalid.into()),
            cause: None,
        }
    }

    /// The caller may come again, after as long as `Retry-After` says.
    pub(crate) fn wait(refusal: Refusal, retry_after: Option<&[u8]>) -> Self {
        Self {
            refusal,
            detail: None,
            extra: retry_after.map_or(Extra::None, |value| Extra::Wait(value.into())),
            cause: None,
        }
    }

    /// The same refusal with what would have been taken as proof of who calls.
    pub(crate) fn challenged(self, challenge: &str) -> Self {
        let extra = Extra::Challenge(challenge.into());
        Self { extra, ..self }
    }

    /// The same refusal with its cause, for the log only.
    pub(crate) fn caused_by(self, cause: String) -> Self {
        Self {
            cause: Some(cause.into()),
            ..self
        }
    }

    /// The same refusal with its cause preceded by where it lies, such as an upstream's authority.
    pub(crate) fn at(self, place: &str) -> Self {
        let cause = format!("{place}: {}", self.cause());
        self.caused_by(cause)
    }

    /// Why, for the log.
    pub(crate) fn cause(&self) -> &str {
        let told = self.cause.as_deref().or(self.detail.as_deref());
        told.unwrap_or(self.refusal.facts().title)
    }

    /// What the listener says of a head that is not one.
    pub(crate) fn malformed(malformed: Malformed) -> Self {
        let detail = match malformed {
            Malformed::Version => return Refusal::Version.into(),
            Malformed::TooLarge => return Refusal::HeadTooLarge.into(),
            Malformed::TargetTooLong => return Refusal::TargetTooLong.into(),
            Malformed::LineEnd => "A line does not end with CRLF.",
            Malformed::EmptyLine => "More than one empty line stands before the request line.",
            Malformed::FirstLine => "The request line is not one of HTTP.",
            Malformed::Field => "A header field is not well-formed.",
            Malformed::Target => "The target is not a path or an http address.",
            Malformed::Host => "Exactly one valid Host field is needed.",
            Malformed::ContentLength => "Content-Length is not one plain number.",
            Malformed::TransferEncoding => "Transfer-Encoding is not \"chunked\" alone.",
            Malformed::BothFramings => "Content-Length and Transfer-Encoding exclude each other.",
            Malformed::Expect => "Expect is not \"100-continue\".",
        };
        Self::because(Refusal::BadRequest, detail)
    }

    /// Appends the whole answer; returns the bytes of its body. `HEAD` gets the head only.
    pub(crate) fn render(&self, out: &mut Vec<u8>, frame: Frame<'_>) -> u64 {
        let facts = self.refusal.facts();
        debug_assert!(
            facts.status != 401 || matches!(self.extra, Extra::Challenge(_)),
            "a 401 says what is asked for (RFC 9110, section 15.5.2)"
        );
        let (status, media_type, body) = match frame.soap {
            Some(soap) => self.fault(soap, frame.request),
            None => (facts.status, PROBLEM, self.body(frame.request)),
        };
        let mut head = AnswerHead::own(out, status);
        head.field("content-type", media_type.as_bytes());
        head.length(body.len() as u64);
        head.field("cache-control", b"no-store");
        match &self.extra {
            Extra::None | Extra::Invalid(_) => {}
            Extra::Wait(value) => head.field("retry-after", value),
            Extra::Challenge(value) => head.field("www-authenticate", value.as_bytes()),
            Extra::Allow(allowed) => head.field("allow", allow(*allowed).as_bytes()),
            Extra::Exhausted(exhausted) => {
                let wait = exhausted.wait_s.to_string();
                head.field("retry-after", wait.as_bytes());
                head.out().extend_from_slice(&exhausted.fields);
            }
        }
        head.end(frame.request.as_bytes(), frame.opening, frame.closes);
        if frame.is_head {
            return 0;
        }
        out.extend_from_slice(&body);
        body.len() as u64
    }

    /// As a SOAP fault: status, media type and body.
    fn fault(&self, soap: Soap, request: &str) -> (u16, &'static str, Vec<u8>) {
        let facts = self.refusal.facts();
        let party = match facts.blame {
            Blame::Caller => Party::Sender,
            Blame::Provider | Blame::Us => Party::Receiver,
        };
        let fault = Fault {
            party,
            code: facts.code,
            status: facts.status,
            title: facts.title,
            detail: self.detail.as_deref(),
            policy: self.policy(),
            request_id: request,
        };
        let status = match soap.status {
            FaultStatus::Soap => fault::status(soap.version, party, facts.status),
            FaultStatus::Http => facts.status,
        };
        let media_type = match soap.version {
            SoapVersion::V1_1 => "text/xml; charset=utf-8",
            SoapVersion::V1_2 => "application/soap+xml; charset=utf-8",
        };
        let body = fault.envelope(soap.version).into_bytes();
        (status, media_type, body)
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
            r#type: format!("urn:tollgate:refusal:{}", facts.code),
            title: facts.title,
            status: facts.status,
            code: facts.code,
            detail: self.detail.as_deref(),
            policy: self.policy(),
            errors: self.errors(),
            request_id: request,
        };
        serde_json::to_vec(&problem).expect("strings and numbers make JSON")
    }
}

/// What an answer's frame depends on besides the refusal.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame<'a> {
    /// The request id.
    pub(crate) request: &'a str,
    /// The request was `HEAD`.
    pub(crate) is_head: bool,
    /// The connection ends after the answer.
    pub(crate) closes: bool,
    /// The field lines that open the answer to a page, if any.
    pub(crate) opening: &'a [u8],
    /// How the caller gets it as a SOAP fault, if so.
    pub(crate) soap: Option<Soap>,
}

/// What the form of a SOAP fault depends on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Soap {
    /// The version that the caller speaks.
    pub(crate) version: SoapVersion,
    /// Which HTTP status the API's faults have.
    pub(crate) status: FaultStatus,
}

const PROBLEM: &str = "application/problem+json";

#[derive(Serialize)]
struct Problem<'a> {
    r#type: String,
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

/// The value of `Allow` for a bit of each of [`METHODS`].
fn allow(allowed: u8) -> String {
    let words = METHODS
        .iter()
        .enumerate()
        .filter(|(bit, _)| allowed & (1 << bit) != 0);
    let words: Vec<_> = words.map(|(_, method)| method.word()).collect();
    words.join(", ")
}

#[cfg(test)]
mod tests;
