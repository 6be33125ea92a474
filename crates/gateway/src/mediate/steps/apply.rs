//! Writes the edits of steps: to the request line and the field lines of an upstream's request, and
//! to the head of a response.

use tollgate_http1::compose::push_field;
use tollgate_http1::view::Lines;
use tollgate_mediation::edits::Edits;
use tollgate_mediation::run::Given;
use tollgate_mediation::scope::Scratch;
use tollgate_mediation::value::Value;
use tollgate_model::api::Method;
use tollgate_model::feed::ServedTarget;

use super::Shape;
use super::tags::{self, Kept};
use crate::reply::{Body, Reply};
use crate::snapshot::mediation::Passed;
use crate::snapshot::policies::Steps;
use crate::wire::session_cookie;

/// Appends path and query below the upstream's base path; `below` are the caller's.
pub(in crate::mediate) fn push_target(out: &mut Vec<u8>, edits: &Edits<'_>, below: &[u8]) {
    let end = memchr::memchr(b'?', below).unwrap_or(below.len());
    let (path, query) = below.split_at(end);
    out.extend_from_slice(edits.path().unwrap_or(path));
    if !edits.changes_query() {
        out.extend_from_slice(query);
        return;
    }
    let mut before = b'?';
    let mut push = |out: &mut Vec<u8>, pair: &[&[u8]]| {
        out.push(before);
        before = b'&';
        pair.iter().for_each(|part| out.extend_from_slice(part));
    };
    let scratch = Scratch::default();
    let pairs = query.strip_prefix(b"?").unwrap_or_default();
    let pairs = pairs.split(|&byte| byte == b'&');
    for pair in pairs.filter(|pair| !pair.is_empty()) {
        let name = pair.split(|&byte| byte == b'=').next().unwrap_or_default();
        let is_hidden = match scratch.decode(name, true) {
            Value::Text(name) => edits.hides_parameter(name.as_bytes()),
            _ => false,
        };
        if !is_hidden {
            push(out, &[pair]);
        }
    }
    for (name, value) in edits.parameters() {
        push(out, &[encoded(name).as_bytes(), b"=", value]);
    }
}

/// Returns the name of a parameter as it is sent (RFC 3986, section 3.4).
fn encoded(name: &str) -> String {
    use std::fmt::Write as _;
    let mut encoded = String::with_capacity(name.len());
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(byte.into());
        } else {
            let _infallible = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

impl Shape<'_> {
    /// Whether a field line of the caller does not go up in a request with this method.
    pub(in crate::mediate) fn hides_field(&self, name: &[u8], method: Method) -> bool {
        let is = |of: &str| name.eq_ignore_ascii_case(of.as_bytes());
        self.edits.hides_field(name)
            || self.is_changed && is_of_bytes(name)
            || self.is_decoded && is("content-encoding")
            || self.steps.revision().is_some() && is_condition(name)
            || self.steps.reads_answers() && is_of_form(name, method)
    }

    /// Appends the field lines that steps set, and those that a response with other bytes requires:
    /// the upstream's own entity tags, and a body that steps can read.
    pub(in crate::mediate) fn push_fields(
        &self,
        out: &mut Vec<u8>,
        (lines, passed): (Lines<'_>, Passed),
        method: Method,
    ) {
        let reads_answers = self.steps.reads_answers() && passed == Passed::All;
        for (name, value) in self.edits.fields() {
            if !(reads_answers && is_of_form(name.as_bytes(), method)) {
                push_field(out, name, value);
            }
        }
        if passed != Passed::All {
            return;
        }
        if reads_answers {
            push_field(out, "accept-encoding", b"identity");
        }
        let Some(revision) = self.steps.revision() else {
            return;
        };
        let is_read = matches!(method, Method::Get | Method::Head);
        let conditions = lines.iter().filter(|line| is_condition(line.name()));
        for line in conditions.filter(|line| !self.edits.hides_field(line.name())) {
            let is_match = line.is(IF_MATCH.as_bytes());
            if is_match && is_read && reads_answers {
                continue;
            }
            let kept = match is_match || !is_read {
                true => Kept::All,
                false => Kept::Of(revision, !reads_answers),
            };
            let mut tags = Vec::with_capacity(line.value().len());
            kept.push(&mut tags, line.value());
            if !tags.is_empty() {
                let name = if is_match { IF_MATCH } else { IF_NONE_MATCH };
                push_field(out, name, &tags);
            }
        }
    }
}

const IF_MATCH: &str = "if-match";
const IF_NONE_MATCH: &str = "if-none-match";

/// Whether a field is a condition on entity tags.
fn is_condition(name: &[u8]) -> bool {
    let mut names = [IF_MATCH, IF_NONE_MATCH].into_iter();
    names.any(|of| name.eq_ignore_ascii_case(of.as_bytes()))
}

/// Whether a field of a request asks for another form of the response than the whole body without a
/// coding.
fn is_of_form(name: &[u8], method: Method) -> bool {
    let is = |of: &str| name.eq_ignore_ascii_case(of.as_bytes());
    let is_read = matches!(method, Method::Get | Method::Head);
    is("accept-encoding") || is_read && (is("range") || is("if-range"))
}

/// Whether a field describes the bytes of a body, so that it is wrong for another one (RFC 9530;
/// RFC 3230; RFC 1864).
pub(super) fn is_of_bytes(name: &[u8]) -> bool {
    let names = ["digest", "content-digest", "repr-digest", "content-md5"];
    let mut names = names.into_iter();
    names.any(|of| name.eq_ignore_ascii_case(of.as_bytes()))
}

/// Prepares the head of a response for the other bytes that its steps may send in each revision.
pub(super) fn revise(edits: &Edits<'_>, steps: &Steps, reply: &mut Reply<'_>, is_head: bool) {
    const ETAG: &str = "etag";
    let is_etag = |name: &[u8]| name.eq_ignore_ascii_case(ETAG.as_bytes());
    let mut tag = Vec::new();
    if let (Some(sent), Some(revision)) = (reply.field(ETAG.as_bytes()), steps.revision()) {
        // A step that codes the body does so for some callers only.
        let mut set = edits.fields();
        let has_forms = set.any(|(name, _)| name == "content-encoding" || name == "vary");
        tags::push_revised(&mut tag, sent, revision, has_forms);
    }
    // It describes the body of a response to GET (RFC 9110, sections 9.3.2 and 15.4.5).
    let describes_another = is_head && edits.would_change_body || reply.status() == 304;
    reply.remove_fields(|name| {
        is_etag(name)
            || name.eq_ignore_ascii_case(b"accept-ranges")
            || describes_another && is_of_bytes(name)
    });
    if !tag.is_empty() {
        reply.push_field(ETAG, &tag);
    }
    if let Body::Passed(passed) = &mut reply.body {
        passed.hides_length = describes_another;
    }
}

/// Applies edits to the head of a response. A response without a body keeps its status.
pub(super) fn to_reply(edits: &Edits<'_>, reply: &mut Reply<'_>) {
    if !edits.changes_no_field() {
        reply.remove_fields(|name| edits.hides_field(name));
        for (name, value) in edits.fields() {
            let sets_session = name == "set-cookie" && session_cookie::is_session_pair(value);
            if !sets_session {
                reply.push_field(name, value);
            }
        }
    }
    let is_bodiless = matches!(reply.status(), 204 | 205 | 304);
    if let Some(status) = edits.status().filter(|_| !is_bodiless) {
        reply.set_status(status);
    }
}

/// Replaces the upstream's address in a field with a location by the path of the version at the
/// gateway (RFC 9110, section 10.2.2).
pub(super) fn rewrite_location(
    reply: &mut Reply<'_>,
    (name, public): (&str, &str),
    targets: &[ServedTarget],
) {
    let location = reply.field(name.as_bytes());
    let below = location.and_then(|it| targets.iter().find_map(|target| below(it, target)));
    let Some(below) = below else { return };
    let moved = [public.as_bytes(), below].concat();
    reply.remove_fields(|of| of.eq_ignore_ascii_case(name.as_bytes()));
    reply.push_field(name, &moved);
}

/// Returns the part of a location below a target's base path; `None` if it leads elsewhere.
fn below<'l>(location: &'l [u8], target: &ServedTarget) -> Option<&'l [u8]> {
    let origin = format!("{}://{}", target.scheme.word(), target.authority);
    let begins = |text: &[u8]| {
        let start = location.get(..text.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(text))
    };
    let path = if begins(origin.as_bytes()) {
        &location[origin.len()..]
    } else if location.starts_with(b"/") && !location.starts_with(b"//") {
        location
    } else {
        return None;
    };
    let below = path.strip_prefix(target.base_path.as_bytes())?;
    let ends = below.first().is_none_or(|byte| b"/?#".contains(byte));
    ends.then_some(below)
}

/// Replaces a refusal's response by one that a step gave; challenges and waiting times stay.
pub(super) fn replace(reply: &mut Reply<'static>, given: Given) {
    let is_replaced = |name: &[u8]| {
        let mut names = given.fields.iter();
        name.eq_ignore_ascii_case(b"content-type")
            || names.any(|(of, _)| name.eq_ignore_ascii_case(of.as_bytes()))
    };
    reply.remove_fields(is_replaced);
    reply.set_status(given.status);
    for (name, value) in &given.fields {
        reply.push_field(name, value);
    }
    reply.body = match given.body.is_empty() {
        true => Body::None,
        false => Body::Bytes(given.body.into()),
    };
}
