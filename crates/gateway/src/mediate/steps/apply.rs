//! Writes the edits of steps: to the request line and the field lines of an upstream's request, and
//! to the head of a response.

use tollgate_http1::compose::push_field;
use tollgate_mediation::edits::Edits;
use tollgate_mediation::run::Given;
use tollgate_mediation::scope::Scratch;
use tollgate_mediation::value::Value;
use tollgate_model::feed::ServedTarget;

use crate::reply::{Body, Reply};
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

/// Appends the field lines that steps set.
pub(in crate::mediate) fn push_fields(out: &mut Vec<u8>, edits: &Edits<'_>) {
    for (name, value) in edits.fields() {
        push_field(out, name, value);
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
