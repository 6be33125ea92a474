//! Renders refusals as `application/problem+json` (RFC 9457) with the fields that each status
//! asks for. What they are is the model's closed list.

use serde::Serialize;
use tollgate_http1::compose::{push_field, push_length, push_status};
use tollgate_http1::parse::Malformed;
use tollgate_model::api::METHODS;
use tollgate_model::refusal::Refusal;

/// A refusal with what its answer needs.
#[derive(Debug)]
pub(crate) struct Refused {
    pub(crate) refusal: Refusal,
    detail: Option<&'static str>,
    extra: Extra,
}

#[derive(Debug)]
enum Extra {
    None,
    Allow(u8),
    Exhausted(Box<Exhausted>),
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

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Self {
        Self {
            refusal,
            detail: None,
            extra: Extra::None,
        }
    }
}

impl Refused {
    pub(crate) fn because(refusal: Refusal, detail: &'static str) -> Self {
        Self {
            refusal,
            detail: Some(detail),
            extra: Extra::None,
        }
    }

    /// The path takes other methods: a bit for each of [`METHODS`].
    pub(crate) fn method(allowed: u8) -> Self {
        Self {
            refusal: Refusal::NoMethod,
            detail: None,
            extra: Extra::Allow(allowed),
        }
    }

    pub(crate) fn exhausted(refusal: Refusal, exhausted: Exhausted) -> Self {
        Self {
            refusal,
            detail: None,
            extra: Extra::Exhausted(Box::new(exhausted)),
        }
    }

    /// What the listener says of a head that is not one.
    pub(crate) fn malformed(malformed: Malformed) -> Self {
        let detail = match malformed {
            Malformed::Version => return Refusal::Version.into(),
            Malformed::TooLarge => return Refusal::HeadTooLarge.into(),
            Malformed::TargetTooLong => return Refusal::TargetTooLong.into(),
            Malformed::LineEnd => "A line does not end with CRLF.",
            Malformed::EmptyLine => "An empty line stands before the request line.",
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
        let body = self.body(frame.request);
        push_status(out, facts.status, reason(facts.status));
        push_field(out, "content-type", b"application/problem+json");
        push_length(out, body.len() as u64);
        push_field(out, "cache-control", b"no-store");
        push_field(out, "x-request-id", frame.request.as_bytes());
        if facts.status == 401 {
            push_field(out, "www-authenticate", b"ApiKey realm=\"tollgate\"");
        }
        match &self.extra {
            Extra::None => {}
            Extra::Allow(allowed) => push_allow(out, *allowed),
            Extra::Exhausted(exhausted) => {
                let wait = exhausted.wait_s.to_string();
                push_field(out, "retry-after", wait.as_bytes());
                out.extend_from_slice(&exhausted.fields);
            }
        }
        if frame.closes {
            push_field(out, "connection", b"close");
        }
        out.extend_from_slice(b"\r\n");
        if frame.is_head {
            return 0;
        }
        out.extend_from_slice(&body);
        body.len() as u64
    }

    fn body(&self, request: &str) -> Vec<u8> {
        let facts = self.refusal.facts();
        let policy = match &self.extra {
            Extra::Exhausted(exhausted) => Some(exhausted.policy.as_str()),
            Extra::None | Extra::Allow(_) => None,
        };
        let problem = Problem {
            r#type: format!("urn:tollgate:refusal:{}", facts.code),
            title: facts.title,
            status: facts.status,
            code: facts.code,
            detail: self.detail,
            policy,
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
}

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
    request_id: &'a str,
}

fn push_allow(out: &mut Vec<u8>, allowed: u8) {
    let words = METHODS
        .iter()
        .enumerate()
        .filter(|(bit, _)| allowed & (1 << bit) != 0);
    let words: Vec<_> = words.map(|(_, method)| method.word()).collect();
    push_field(out, "allow", words.join(", ").as_bytes());
}

fn reason(status: u16) -> &'static [u8] {
    match status {
        400 => b"Bad Request",
        401 => b"Unauthorized",
        403 => b"Forbidden",
        404 => b"Not Found",
        405 => b"Method Not Allowed",
        408 => b"Request Timeout",
        413 => b"Content Too Large",
        414 => b"URI Too Long",
        429 => b"Too Many Requests",
        431 => b"Request Header Fields Too Large",
        500 => b"Internal Server Error",
        502 => b"Bad Gateway",
        503 => b"Service Unavailable",
        504 => b"Gateway Timeout",
        505 => b"HTTP Version Not Supported",
        _ => b"",
    }
}

#[cfg(test)]
mod tests;
