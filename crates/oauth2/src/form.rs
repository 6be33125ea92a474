//! The body of a request: `application/x-www-form-urlencoded` (RFC 6749, appendix B), bounded and
//! parsed strictly. The query is ignored: credentials in it would already be in logs (RFC 6749,
//! section 2.3.1).

use std::error::Error;
use std::io;
use std::time::Duration;

use axum::body::{Body, HttpBody as _, to_bytes};
use axum::http::{HeaderMap, header};

use crate::error::{Code, Refused};

/// Maximum length of a request's body in bytes, an extension that its route sets (`router.rs`).
#[derive(Debug, Clone, Copy)]
pub(crate) struct BodyMax(pub(crate) usize);

/// Maximum time for a body to arrive.
const BODY_TIME: Duration = Duration::from_secs(30);
const FORM: &str = "application/x-www-form-urlencoded";

/// The known parameters; others are ignored (RFC 6749, section 3.2).
const KNOWN: [&str; 8] = [
    "grant_type",
    "scope",
    "client_id",
    "client_secret",
    "client_assertion_type",
    "client_assertion",
    "token",
    "token_type_hint",
];
/// The one that may be repeated, although no token is issued for several resources (RFC 8707,
/// section 2).
const RESOURCE: &str = "resource";

/// The parameters of a request. Some are secrets: `{:?}` cannot print it.
pub(crate) struct Form {
    parameters: Vec<(&'static str, String)>,
    resources: Vec<String>,
}

impl Form {
    /// Reads the body of a request.
    pub(crate) async fn read(
        headers: &HeaderMap,
        body: Body,
        BodyMax(bytes_max): BodyMax,
    ) -> Result<Self, Refused> {
        if !is_form(headers) {
            let sentence = "the body must be a form: send Content-Type: \
                application/x-www-form-urlencoded, once";
            return Err(Refused::request(sentence));
        }
        // A body with a declared length is rejected before it is sent.
        if body.size_hint().lower() > bytes_max as u64 {
            return Err(too_long(bytes_max));
        }
        let body = tokio::time::timeout(BODY_TIME, to_bytes(body, bytes_max)).await;
        let body = body.map_err(|_| Refused::request("the body takes too long to arrive"))?;
        Self::parse(&body.map_err(|error| match has_no_room(&error) {
            true => Refused::because(
                Code::TemporarilyUnavailable,
                "too many bodies are being read, so this one was dropped: send it again",
            ),
            false => too_long(bytes_max),
        })?)
    }

    /// Parses a body. A parameter without a value counts as omitted (RFC 6749, section 3.2).
    fn parse(body: &[u8]) -> Result<Self, Refused> {
        let mut form = Self {
            parameters: Vec::new(),
            resources: Vec::new(),
        };
        for pair in body.split(|byte| *byte == b'&') {
            let mut halves = pair.splitn(2, |byte| *byte == b'=');
            let (name, value) = (halves.next(), halves.next());
            let name = decoded(name.unwrap_or_default());
            let value = decoded(value.unwrap_or_default());
            let (Some(name), Some(value)) = (name, value) else {
                let sentence = "the body is not a valid form: percent-encoding or UTF-8 is broken";
                return Err(Refused::request(sentence));
            };
            if !value.is_empty() {
                form.add(&name, value)?;
            }
        }
        Ok(form)
    }

    fn add(&mut self, name: &str, value: String) -> Result<(), Refused> {
        if name == RESOURCE {
            self.resources.push(value);
            return Ok(());
        }
        let Some(name) = KNOWN.into_iter().find(|known| *known == name) else {
            return Ok(());
        };
        if self.parameter(name).is_some() {
            let sentence = format!("the parameter {name} must not be repeated");
            return Err(Refused::because(Code::InvalidRequest, sentence));
        }
        self.parameters.push((name, value));
        Ok(())
    }

    /// Returns the value of a parameter.
    pub(crate) fn parameter(&self, name: &str) -> Option<&str> {
        let mut parameters = self.parameters.iter();
        let found = parameters.find(|(known, _)| *known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Returns the value of a required parameter.
    pub(crate) fn required(&self, name: &'static str) -> Result<&str, Refused> {
        self.parameter(name).ok_or_else(|| {
            let sentence = format!("the parameter {name} is missing");
            Refused::because(Code::InvalidRequest, sentence)
        })
    }

    /// Returns the values of `resource` (RFC 8707, section 2).
    pub(crate) fn resources(&self) -> &[String] {
        &self.resources
    }
}

fn too_long(bytes_max: usize) -> Refused {
    let sentence = format!("the body has more than {bytes_max} bytes, or ended early");
    Refused::because(Code::InvalidRequest, sentence)
}

/// Returns whether the listener has dropped a body because all bodies together are too large, which
/// it reports by this kind of error.
fn has_no_room(error: &axum::Error) -> bool {
    let mut next = Some(error as &(dyn Error + 'static));
    while let Some(error) = next {
        let io = error.downcast_ref::<io::Error>();
        if io.is_some_and(|error| error.kind() == io::ErrorKind::QuotaExceeded) {
            return true;
        }
        next = error.source();
    }
    false
}

/// Returns whether the media type is that of a form, with or without parameters; the field must
/// occur once (RFC 9110, section 8.3).
fn is_form(headers: &HeaderMap) -> bool {
    let mut values = headers.get_all(header::CONTENT_TYPE).iter();
    let (Some(value), None) = (values.next(), values.next()) else {
        return false;
    };
    let value = value.to_str().unwrap_or_default();
    let essence = value.split(';').next().unwrap_or_default();
    essence.trim().eq_ignore_ascii_case(FORM)
}

/// Decodes a name or value: `+` is a space, `%` begins two hexadecimal digits, and the whole is
/// UTF-8. `None` for anything else.
pub(crate) fn decoded(text: &[u8]) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.iter();
    while let Some(&byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => (hexadecimal(*rest.next()?)? << 4) | hexadecimal(*rest.next()?)?,
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}

fn hexadecimal(digit: u8) -> Option<u8> {
    let value = char::from(digit).to_digit(16)?;
    u8::try_from(value).ok()
}

#[cfg(test)]
mod tests;
